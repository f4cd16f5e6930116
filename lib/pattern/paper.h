/* The paper's pattern: the longest substring that meets its criteria. */
#ifndef DP_PATTERN_PAPER_H
#define DP_PATTERN_PAPER_H

#include "base/base.h"

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

#endif
