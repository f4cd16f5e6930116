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

/* A control character, a line separator, or a mark that turns the direction of writing: it changes
 * what is seen around it. */
bool dp_label__is_control(uint32_t code);

/* dp_label_width() of this many bytes. */
size_t dp_label__width_of(const char *text, size_t length);

/* dp_label_text() and dp_label_kernel() of at most DP_LABEL_COLUMNS columns. */
char *dp_label__text(char buf[DP_LABEL_SIZE], const char *text, size_t columns, bool ascii);
char *dp_label__kernel(char buf[DP_LABEL_SIZE], const char *name, size_t columns, bool ascii);

/*
 * Kernels of one template are often named alike once their names are short. Sets the place in each
 * name from which on it differs from the one most like it of those that have the same label; 0
 * where there is none. Cost: that of n labels, and sorting them. Errors: DP_ERR_NOMEM.
 */
int dp_label__tell_apart(size_t *places, const char *const *names, size_t count, size_t columns,
			 bool ascii);

/* The same as dp_label__kernel(), but where place is not 0 what is there is shown, too:
 * "elementwise_kernel…direct_copy_kernel_cuda(Tens…". */
char *dp_label__kernel_at(char buf[DP_LABEL_SIZE], const char *name, size_t place, size_t columns,
			  bool ascii);

#endif
