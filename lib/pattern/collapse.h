/* A sequence with its repetitions collapsed: each is one symbol, however often it repeats. */
#ifndef DP_PATTERN_COLLAPSE_H
#define DP_PATTERN_COLLAPSE_H

#include "base/base.h"

struct dp_collapsed {
	uint32_t *symbols;  /* of a repetition: what depends on what is repeated alone */
	uint32_t *position; /* of each in the sequence that was given; one more at the end */
	size_t count;
};

/*
 * Collapses symbols[0..n), n below 2^32, which may have any values. Unlike those of
 * dp_runs__collapse() the symbols of repetitions are the same for all sequences: a hash, which is
 * some other symbol's with a chance of one in 2^32. Errors: DP_ERR_NOMEM. Cost: linear.
 */
int dp_collapsed__make(struct dp_collapsed *collapsed, const uint32_t *symbols, size_t n);

/*
 * Collapses one iteration of a pattern as it is among others: a repetition that one iteration ends
 * with and the next begins with is one, and the iteration then begins behind it, at position[0].
 * Errors and cost as above.
 */
int dp_collapsed__iteration(struct dp_collapsed *collapsed, const uint32_t *pattern, size_t n);
void dp_collapsed__fini(struct dp_collapsed *collapsed);

#endif
