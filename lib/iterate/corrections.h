/* What a cut is corrected by: an alignment alone does not show it. */
#ifndef DP_ITERATE_CORRECTIONS_H
#define DP_ITERATE_CORRECTIONS_H

#include "base/evidence.h"
#include "iterate/cut.h"

/* Defined in insertions.c. */

/*
 * If the pattern's beginning comes again after symbols that seem to be inserted after the first
 * symbols of an iteration, moves those into the iteration before, which then ends there. The cut
 * has edits. Errors: DP_ERR_NOMEM, after which the cut is as before.
 */
int dp_insertions__move(struct dp_cut *cut, const uint32_t *symbols,
			const struct dp_cut_pattern *pattern);

/* Defined in unlike.c. */

/*
 * Removes the iterations that lack more than 1 in dp_param.unlike_lack symbols, some in the same
 * way as others do, if they are few, such as prefills between decoding steps. Errors:
 * DP_ERR_NOMEM. Cost: linear.
 */
int dp_unlike__remove(struct dp_cut *cut, const struct dp_cut_pattern *pattern,
		      const struct dp_cut_source *source);

/* Defined in uploads.c. */

/*
 * If symbols are inserted or missing next to a boundary, names cannot show which iteration they
 * belong to. If iterations mostly begin with an upload, and this one does not, but a symbol nearby
 * follows one, the iteration begins there. cuts[which] of count is the loop, and pattern its own.
 * Errors: DP_ERR_NOMEM. Cost: linear in iterations and edits, at most about 100,000 calls of
 * evidence->at, and O(m) per moved boundary.
 */
int dp_uploads__move_starts(struct dp_cut *cuts, size_t count, size_t which,
			    const struct dp_cut_pattern *pattern, const uint32_t *symbols,
			    const struct dp_evidence *evidence);

#endif
