/* The searches for loops, each of which adds what it finds to a detection's loops. */
#ifndef DP_LOOPS_SEARCHES_H
#define DP_LOOPS_SEARCHES_H

#include "loops/detection.h"
#include "pattern/ends.h"

/* Defined in tree.c. */

/* Finds the tree of loops unaided. Errors: DP_ERR_NOMEM. */
int dp_detection__tree(struct dp_detection *detection);

/* Defined in branching.c. */

/*
 * Looks for a loop whose iterations share symbols but follow no pattern. If there is one, it
 * replaces the detection's loops. Errors: DP_ERR_NOMEM. Cost: O(n log n), and the square of an
 * alphabet of at most 512.
 */
int dp_branching__find(struct dp_detection *detection);

/* Defined in enclosing.c. */

/*
 * Looks for loops around the first `count` loops of the detection, which are the chosen ones.
 * Appends what it finds and makes it their parent. ends are those of an enclosing
 * iteration, or NULL if they are unknown. Errors: DP_ERR_NOMEM. Cost: a search of the sequence with
 * each run of iterations collapsed, otherwise linear.
 */
int dp_enclosing__find(struct dp_detection *detection, size_t count, const struct dp_ends *ends);

/* Defined in known_count.c. */

/*
 * If loop `which` of the detection has one whole iteration fewer than `known`, looks for it right
 * before the first and right after the last, and adds it; else leaves the loop as it is. Errors:
 * DP_ERR_NOMEM. Cost: linear in the pattern's length, the iterations of all loops and the edits;
 * two calls of evidence->at per iteration.
 */
int dp_known_count__add(struct dp_detection *detection, size_t which, uint64_t known);

#endif
