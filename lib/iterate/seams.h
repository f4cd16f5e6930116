/* Where one loop ends and another begins. */
#ifndef DP_ITERATE_SEAMS_H
#define DP_ITERATE_SEAMS_H

#include "align/align.h"
#include "iterate/changes.h"

/*
 * Moves the ends of the spans of pattern `which`, whose iterations begin at offset first, to the
 * boundaries of its iterations, and the ends of adjacent spans of later patterns in the list to
 * meet them: if two loops begin or end alike, both spans match there, and if an iteration is
 * edited near its end, neither does. Symbols that match neither are left between them. Unless
 * changes is NULL, each moved end is noted in the element of its pattern. Errors: DP_ERR_NOMEM.
 * Cost: O(symbols + spans + edits).
 */
int dp_seams__close(struct dp_alignment *alignment, const uint32_t *symbols,
		    const struct dp_align_pattern *patterns, uint32_t which, size_t first,
		    struct dp_cut_changes *changes);

#endif
