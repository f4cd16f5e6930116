/* The best pattern of a sequence: the one that describes it with the fewest bits. */
#ifndef DP_PATTERN_CHOOSE_H
#define DP_PATTERN_CHOOSE_H

#include "base/explain.h"
#include "pattern/anchors.h"
#include "pattern/pattern.h"

/* A sequence to choose from, and requirements for its patterns. */
struct dp_choose_sequence {
	const uint32_t *symbols;
	size_t n;
	uint32_t alphabet; /* greater symbols separate stretches, and are in no pattern */
	double bits;	   /* of one symbol on its own */
	struct dp_anchor_tree *tree;
	size_t least;	/* iterations */
	size_t longest; /* symbols of a pattern */
	struct dp_explain *explain; /* NULL: nothing is explained */
};

/*
 * Finds the best pattern, judged on parts of the sequence. The caller frees best->symbols; it is
 * NULL if there is no pattern. If `known` is not 0, a number of iterations near it makes a pattern
 * better. Errors: DP_ERR_NOMEM. Cost: see choose.c.
 */
int dp_choose__pattern(struct dp_pattern *best, const struct dp_choose_sequence *sequence,
		       uint64_t known);

/*
 * Returns true if the pattern repeats at least twice in a row, and as often as the sequence
 * requires.
 */
bool dp_choose__repeats(const struct dp_pattern *p, const struct dp_choose_sequence *sequence);

/* How far a pattern is from a known count: 0 if it matches, allowing for a partial iteration. */
double dp_choose__misfit(const struct dp_pattern *p, uint64_t known);

#endif
