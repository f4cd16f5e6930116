/*
 * The one iteration that a known count requires, and that was not found because it is unlike the
 * others.
 */
#ifndef DP_LOOPS_KNOWN_COUNT_H
#define DP_LOOPS_KNOWN_COUNT_H

#include "loops/detection.h"

/*
 * If loop `which` of the detection has one whole iteration fewer than `known`, looks for it right
 * before the first and right after the last, and adds it; else leaves the loop as it is. Errors:
 * DP_ERR_NOMEM. Cost: linear in the pattern's length, the iterations of all loops and the edits;
 * two calls of evidence->at per iteration.
 */
int dp_known_count__add(struct dp_detection *detection, size_t which, uint64_t known);

#endif
