/*
 * Names from traces as text for a terminal. Control characters, escape sequences, marks that change
 * the direction of writing and characters without a width are shown as '?'.
 */
#ifndef DP_REPORT_LABEL_H
#define DP_REPORT_LABEL_H

#include "base/base.h"
#include <deepprof/report.h>

/* Room for a label of up to DP_LABEL_COLUMNS columns. */
#define DP_LABEL_COLUMNS 200
#define DP_LABEL_SIZE (DP_LABEL_COLUMNS * 4 + 8)

/*
 * Returns true for a control character, a line separator, or a mark that changes the direction of
 * writing.
 */
bool dp_label__is_control(uint32_t code);

/* dp_label_width() of this many bytes. */
size_t dp_label__width_of(const char *text, size_t length);

/*
 * Writes what a range of PyProf marks: "conv.py:456" for a Python stack, "torch.nn.functional.linear"
 * for a call. Returns false, and leaves buf as it is, for any other text.
 */
bool dp_label__marker(char buf[DP_LABEL_SIZE], const char *text);

/*
 * dp_label_text() and dp_label_kernel() of at most DP_LABEL_COLUMNS columns, and of what
 * dp_label__marker() makes of the text.
 */
char *dp_label__text(char buf[DP_LABEL_SIZE], const char *text, size_t columns, bool ascii);
char *dp_label__kernel(char buf[DP_LABEL_SIZE], const char *name, size_t columns, bool ascii);

/*
 * Kernels of one template often have the same short name. Sets places[i] to where name i begins to
 * differ from the most similar name with the same label; 0 if there is none. Cost: that of n
 * labels, and sorting them. Errors: DP_ERR_NOMEM.
 */
int dp_label__tell_apart(size_t *places, const char *const *names, size_t count, size_t columns,
			 bool ascii);

/*
 * Like dp_label__kernel(), but if place is not 0 also shows the name from there on:
 * "elementwise_kernel…direct_copy_kernel_cuda(Tens…".
 */
char *dp_label__kernel_at(char buf[DP_LABEL_SIZE], const char *name, size_t place, size_t columns,
			  bool ascii);

#endif
