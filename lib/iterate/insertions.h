/* Insertions at the beginning of an iteration. */
#ifndef DP_ITERATE_INSERTIONS_H
#define DP_ITERATE_INSERTIONS_H

#include "iterate/cut.h"

/*
 * Moves what seems to be inserted after the first symbols of an iteration in front of it, where the
 * pattern's beginning comes again behind it: into the iteration before, which ends there. The cut
 * has edits.
 */
void dp_insertions__move(struct dp_cut *cut, const uint32_t *symbols,
			 const struct dp_cut_pattern *pattern);

#endif
