/* The paper's algorithm to the letter: its pattern, and the iterations of that. */
#ifndef DP_LOOPS_PAPER_H
#define DP_LOOPS_PAPER_H

#include "loops/detection.h"

#include <deepprof/suffix.h>

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
