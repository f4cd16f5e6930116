/* A sequence with its runs collapsed: each is one symbol, however often its unit repeats. */
#ifndef DP_ONLINE_COLLAPSE_H
#define DP_ONLINE_COLLAPSE_H

#include "base/base.h"

struct dp_collapsed {
	uint32_t *symbols;  /* of a run: depends only on its unit */
	uint32_t *position; /* of each symbol in the given sequence, and of its end */
	size_t count;
};

/*
 * Collapses symbols[0..n), n below 2^32, which may have any values. Unlike those of
 * dp_runs__collapse(), the symbols of runs are the same for all sequences: a hash, which equals
 * some other symbol with probability 2^-32. Errors: DP_ERR_NOMEM. Cost: linear.
 */
int dp_collapsed__make(struct dp_collapsed *collapsed, const uint32_t *symbols, size_t n);

/*
 * Collapses one iteration of a pattern as it appears between others: a run that spans the boundary
 * of two iterations is one, and the iteration then begins behind it, at position[0].
 * Errors and cost as above.
 */
int dp_collapsed__iteration(struct dp_collapsed *collapsed, const uint32_t *pattern, size_t n);
void dp_collapsed__fini(struct dp_collapsed *collapsed);

#endif
