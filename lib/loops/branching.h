/* Iterations that branch, found by the symbols that all of them share. */
#ifndef DP_LOOPS_BRANCHING_H
#define DP_LOOPS_BRANCHING_H

#include "loops/detection.h"

/*
 * Looks for a loop whose iterations share symbols but follow no pattern. If there is one, it
 * replaces the detection's loops. Errors: DP_ERR_NOMEM. Cost: O(n log n), and the square of an
 * alphabet of at most 512.
 */
int dp_branching__find(struct dp_detection *detection);

#endif
