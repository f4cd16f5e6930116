/* Where one loop ends and another begins. */
#ifndef DP_ITERATE_SEAMS_H
#define DP_ITERATE_SEAMS_H

#include "align/align.h"

/*
 * If two loops begin or end alike, the spans of both match there. Moves the ends of the spans of
 * pattern `which`, whose iterations begin at offset first, to a boundary of its iterations there,
 * and the ends of adjacent spans of later patterns in the list to meet them. Edits that are in no
 * span any more stay in the alignment. Cost: O(symbols + edits).
 */
void dp_seams__close(struct dp_alignment *alignment, const uint32_t *symbols,
		     const struct dp_align_pattern *patterns, uint32_t which, size_t first);

#endif
