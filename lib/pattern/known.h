/* Candidates for what one iteration is where the number of iterations is known. */
#ifndef DP_PATTERN_KNOWN_H
#define DP_PATTERN_KNOWN_H

#include "pattern/detect.h"

/*
 * Candidates in symbols[0..n) for `iterations` of them, room at most: the windows between the
 * occurrences of substrings that occur about as often. Returns how many, or DP_ERR_NOMEM.
 * Cost: a suffix tree, one traversal and O(n).
 */
int dp_known__candidates(struct dp_guess *candidates, size_t room, const uint32_t *symbols,
			 size_t n, uint64_t iterations);

#endif
