/* Insertions at the beginning of an iteration. */
#ifndef DP_ITERATE_INSERTIONS_H
#define DP_ITERATE_INSERTIONS_H

#include "iterate/cut.h"

/*
 * If the pattern's beginning comes again after symbols that seem to be inserted after the first
 * symbols of an iteration, moves those into the iteration before, which then ends there. The cut
 * has edits. Errors: DP_ERR_NOMEM, after which the cut is as before.
 */
int dp_insertions__move(struct dp_cut *cut, const uint32_t *symbols,
			const struct dp_cut_pattern *pattern);

#endif
