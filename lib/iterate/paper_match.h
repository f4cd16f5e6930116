/* The iterations of a pattern as the paper finds them. */
#ifndef DP_ITERATE_PAPER_MATCH_H
#define DP_ITERATE_PAPER_MATCH_H

#include "iterate/cut.h"

/*
 * Matches pattern[0..m) along symbols[0..n): a match holds the pattern as a subsequence with at
 * most max_unmatched other symbols. Appends the matches to cut->iterations, and the symbols skipped
 * in them to cut->edits as insertions. Errors: DP_ERR_NOMEM. Cost: O(n · (m + max_unmatched)), as
 * published.
 */
int dp_paper__match(struct dp_cut *cut, const uint32_t *symbols, size_t n, const uint32_t *pattern,
		    size_t m, uint64_t max_unmatched);

#endif
