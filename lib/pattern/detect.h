/* Candidates for what one iteration is, from the sequence alone. */
#ifndef DP_PATTERN_DETECT_H
#define DP_PATTERN_DETECT_H

#include "base/base.h"

/* A guess: one iteration as it stands at symbols [at, at + length) of the sequence. */
struct dp_guess {
	size_t at;
	size_t length;
	size_t gram;	/* the lead is the symbols [at, at + gram) */
	size_t trips;	/* windows that looked like it */
	double score;	/* how well they did, the higher the better; for ordering only */
	double regular; /* share of windows whose length is near the median */
};

/*
 * Candidates in symbols[0..n), the most promising first, room of them at most; symbols are below
 * alphabet. What occurs at least `least` times is looked at. Returns how many, or DP_ERR_NOMEM.
 * Cost: O(n log n) at worst, 60 to 300 ns per symbol; about 40 bytes per symbol.
 */
int dp_detect__candidates(struct dp_guess *candidates, size_t room, const uint32_t *symbols,
			  size_t n, size_t least);

#endif
