/*
 * Names from traces as text on a terminal. Names are hostile: control characters, escape sequences,
 * marks that turn the direction of writing and characters without a width are shown as '?'.
 */
#ifndef DP_REPORT_LABEL_H
#define DP_REPORT_LABEL_H

#include "base/base.h"
#include <deepprof/report.h>

/* Room for a label of up to DP_LABEL_COLUMNS columns. */
#define DP_LABEL_COLUMNS 200
#define DP_LABEL_SIZE (DP_LABEL_COLUMNS * 4 + 8)

/* dp_label_width() of so many bytes. */
size_t dp_label__width_of(const char *text, size_t length);

/* dp_label_text() and dp_label_kernel() of at most DP_LABEL_COLUMNS columns. */
char *dp_label__text(char buf[DP_LABEL_SIZE], const char *text, size_t columns, bool ascii);
char *dp_label__kernel(char buf[DP_LABEL_SIZE], const char *name, size_t columns, bool ascii);

#endif
