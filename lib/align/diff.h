/* The edits between a range of a sequence and a range of a pattern, end to end. */
#ifndef DP_ALIGN_DIFF_H
#define DP_ALIGN_DIFF_H

#include "base/base.h"
#include <deepprof/loop.h>

/*
 * Writes the edits that turn pattern[from..to) into symbols[first..end) to *edits, a new array with
 * *count elements. The edits are the fewest possible if these are few; otherwise everything between
 * the first and the last difference is replaced. Errors: DP_ERR_NOMEM. Cost: linear in both
 * lengths.
 */
int dp_diff__run(struct dp_edit **edits, size_t *count, const uint32_t *symbols, size_t first,
		 size_t end, const uint32_t *pattern, size_t from, size_t to);

#endif
