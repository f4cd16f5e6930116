/* Insertions at the beginning of an iteration. */
#ifndef DP_SEGMENT_SETTLE_H
#define DP_SEGMENT_SETTLE_H

#include "segment/cut.h"

/*
 * Moves what seems to be inserted after the first symbols of an iteration in front of it, where the
 * pattern's beginning comes again behind it: into the iteration before, which ends there. The cut
 * has edits.
 */
void dp_settle__insertions(struct dp_cut *cut, const uint32_t *symbols,
			   const struct dp_cut_pattern *pattern);

#endif
