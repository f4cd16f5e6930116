/* Moves boundaries between iterations to where the host began an iteration. */
#ifndef DP_ITERATE_BOUNDARY_H
#define DP_ITERATE_BOUNDARY_H

#include "iterate/cut.h"

/*
 * If symbols are inserted or missing next to a boundary, names cannot show which iteration they
 * belong to. If iterations mostly begin with an upload, and this one does not, but a symbol nearby
 * follows one, the iteration begins there. cuts[which] of count is the loop; names[0..m) is one of
 * its iterations, symbols are what was cut. Errors: DP_ERR_NOMEM. Cost: linear in iterations and
 * edits, at most about 100,000 calls of evidence->at, and O(m) per moved boundary.
 */
int dp_boundary__move(struct dp_cut *cuts, size_t count, size_t which, const uint32_t *symbols,
		      const uint32_t *names, size_t m, const struct dp_evidence *evidence);

#endif
