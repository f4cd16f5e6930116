/* The searches for loops, each of which adds what it finds to a detection's loops. */
#ifndef DP_LOOPS_SEARCHES_H
#define DP_LOOPS_SEARCHES_H

#include "loops/detection.h"
#include "pattern/ends.h"

#include <deepprof/suffix.h>

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

/* Defined in paper.c: the paper's algorithm to the letter. */

struct dp_paper_pattern {
	size_t at; /* the pattern is symbols [at, at + length); length 0: none */
	size_t length;
	size_t occurrences; /* overlaps counted: c_p */
	uint64_t epsilon;   /* the one that found it */
};

/*
 * Finds the longest label of an internal node of the tree of S$ that occurs c times, with
 * iterations - epsilon < c <= iterations (criterion 2) and length < count / iterations (criterion
 * 3). Epsilon doubles until one does. Of equals, the first in the tree's order is taken. Errors:
 * DP_ERR_NOMEM. Cost: one traversal per epsilon.
 */
int dp_paper__search(struct dp_paper_pattern *pattern, const struct dp_suffix_tree *tree,
		     uint64_t iterations, uint64_t epsilon);

/*
 * Matches pattern[0..m) along symbols[0..n): a match holds the pattern as a subsequence with at
 * most max_unmatched other symbols. Appends the matches to cut->iterations, and the symbols skipped
 * in them to cut->edits as insertions. Errors: DP_ERR_NOMEM. Cost: O(n · (m + max_unmatched)), as
 * published.
 */
int dp_paper__match(struct dp_cut *cut, const uint32_t *symbols, size_t n, const uint32_t *pattern,
		    size_t m, uint64_t max_unmatched);

/*
 * Finds the loops of a detection's request that way: one search and one match for each number of
 * iterations. Errors: DP_ERR_NOMEM.
 */
int dp_paper__find(struct dp_detection *detection, struct dp_error *error);

#endif
