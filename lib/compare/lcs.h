/* A longest common subsequence of two strings. */
#ifndef DP_COMPARE_LCS_H
#define DP_COMPARE_LCS_H

#include "base/base.h"

/* The largest product of the lengths for which more than common ends is searched. */
#define DP_LCS_MOST (UINT64_C(1) << 36)

/*
 * For each of a's n symbols sets in partner its partner's index in b, or DP_NONE. Partners are
 * equal symbols, in the same order in both strings, and as many as possible. If n · m is above
 * DP_LCS_MOST, only those of a common prefix and suffix are set. All symbols are below alphabet; n
 * and m are below DP_NONE. Errors: DP_ERR_NOMEM. Cost: O(n + m + n · m / 64); memory O(n + m +
 * alphabet).
 */
int dp_lcs__run(uint32_t *partner, const uint32_t *a, size_t n, const uint32_t *b, size_t m,
		uint32_t alphabet);

#endif
