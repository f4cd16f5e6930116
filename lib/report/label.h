/*
 * Names from traces as text on a terminal. Names are hostile: control characters, escape sequences,
 * marks that turn the direction of writing and characters without a width are shown as '?'.
 */
#ifndef DP_REPORT_LABEL_H
#define DP_REPORT_LABEL_H

#include "base/base.h"

/* Room for a label of up to DP_LABEL_COLUMNS columns. */
#define DP_LABEL_COLUMNS 200
#define DP_LABEL_SIZE (DP_LABEL_COLUMNS * 4 + 8)

/* Columns that clean text takes: wide East Asian characters take two. */
size_t dp_label__width(const char *text);
size_t dp_label__width_of(const char *text, size_t length);

/*
 * Text made clean, its middle left out where it is wider than columns (at most DP_LABEL_COLUMNS).
 * ascii: all but ASCII is '?' too. Returns buf. Cost: the text's length.
 */
char *dp_label__text(char buf[DP_LABEL_SIZE], const char *text, size_t columns, bool ascii);

/*
 * The same for a kernel's name, but before the middle is left out, what says least goes, step by
 * step until it fits: the return type and the parameters of a C++ function, all namespaces, then
 * template arguments, the innermost first.
 */
char *dp_label__kernel(char buf[DP_LABEL_SIZE], const char *name, size_t columns, bool ascii);

#endif
