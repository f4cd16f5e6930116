/* Boundaries between iterations, moved to where the host's were. */
#ifndef DP_ITERATE_BOUNDARY_H
#define DP_ITERATE_BOUNDARY_H

#include "iterate/cut.h"

/*
 * Where something is inserted or missing next to a boundary, names cannot say which iteration it
 * belongs to. If iterations mostly begin with an upload or a gap between launches, and this one
 * does not, but a symbol nearby does, it begins there. cuts[which] of count is the loop;
 * names[0..m) is an iteration of it, symbols are what was cut. Errors: DP_ERR_NOMEM. Cost: linear
 * in iterations and edits, at most about 100,000 calls of evidence->at, and O(m) for each boundary
 * that is moved.
 */
int dp_boundary__place(struct dp_cut *cuts, size_t count, size_t which, const uint32_t *symbols,
		       const uint32_t *names, size_t m, const struct dp_evidence *evidence);

#endif
