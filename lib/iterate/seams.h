/* Where one loop ends and another begins. */
#ifndef DP_ITERATE_SEAMS_H
#define DP_ITERATE_SEAMS_H

#include "align/align.h"

/*
 * Moves the ends of the spans of pattern `which`, whose iterations begin at offset first, to where
 * its iterations begin and end, and the ends of neighbouring spans of patterns behind it in the
 * list to meet them: where two loops end alike both spans fit for a few symbols, and where an
 * iteration is edited near its end neither does. Symbols that are like neither are left between
 * them. Errors: DP_ERR_NOMEM. Cost: O(spans + edits).
 */
int dp_seams__close(struct dp_alignment *alignment, const uint32_t *symbols,
		    const struct dp_align_pattern *patterns, uint32_t which, size_t first);

#endif
