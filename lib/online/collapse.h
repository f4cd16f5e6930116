/* Collapsed sequences that can be compared with each other. */
#ifndef DP_ONLINE_COLLAPSE_H
#define DP_ONLINE_COLLAPSE_H

#include "pattern/runs.h"

/*
 * Collapses symbols[0..n), n below 2^32, which may have any values. Unlike those of
 * dp_runs__collapse(), the symbols of runs are the same for all sequences: a hash of the unit,
 * which equals some other symbol with probability 2^-32. The caller releases *runs with
 * dp_runs__fini(). Errors: DP_ERR_NOMEM. Cost: linear.
 */
int dp_collapse__symbols(struct dp_runs *runs, const uint32_t *symbols, size_t n);

/*
 * Collapses one iteration of a pattern as it appears between others: a run that spans the boundary
 * of two iterations is one, and the iteration then begins behind it, at position[0].
 * Errors and cost as above.
 */
int dp_collapse__iteration(struct dp_runs *runs, const uint32_t *pattern, size_t n);

#endif
