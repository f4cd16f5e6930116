/* One stretch of a sequence against one stretch of a pattern, end to end. */
#ifndef DP_ALIGN_DIFF_H
#define DP_ALIGN_DIFF_H

#include "base/base.h"
#include <deepprof/loop.h>

/*
 * Writes the edits that make pattern[0..m) into symbols[0..n) to *edits, a new array of *count:
 * positions count from the first symbol, offsets from the first of the pattern. The fewest edits
 * where these are few; where there are too many, what is between the first and the last of them
 * is replaced as a whole. Errors: DP_ERR_NOMEM. Cost: O(n + m).
 */
int dp_diff__run(struct dp_edit **edits, size_t *count, const uint32_t *symbols, size_t n,
		 const uint32_t *pattern, size_t m);

#endif
