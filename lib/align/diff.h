/* The edits between a stretch of a sequence and a stretch of a pattern, end to end. */
#ifndef DP_ALIGN_DIFF_H
#define DP_ALIGN_DIFF_H

#include "base/base.h"
#include <deepprof/loop.h>

/*
 * Writes the edits that turn pattern[0..m) into symbols[0..n) to *edits, a new array with *count
 * elements. Positions count from symbols, offsets from pattern. The edits are the fewest possible
 * if these are few; otherwise everything between the first and the last difference is replaced.
 * Errors: DP_ERR_NOMEM. Cost: O(n + m).
 */
int dp_diff__run(struct dp_edit **edits, size_t *count, const uint32_t *symbols, size_t n,
		 const uint32_t *pattern, size_t m);

#endif
