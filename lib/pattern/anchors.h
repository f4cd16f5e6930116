/* Candidates for what one iteration is, from the sequence alone. */
#ifndef DP_PATTERN_ANCHORS_H
#define DP_PATTERN_ANCHORS_H

#include "base/explain.h"

/* A candidate: one iteration as it stands at symbols [at, at + length) of the sequence. */
struct dp_candidate {
	size_t at;
	size_t length;
	size_t anchor;	/* the anchor is the symbols [at, at + anchor) */
	size_t windows; /* from one occurrence of the anchor to the next */
	double score;	/* how well they did, the higher the better; for ordering only */
	double regular; /* share of windows whose length is near the median */
	size_t first, last; /* the windows lie in symbols [first, last) */
};

/* The suffix tree of a text, as the places and depths that anchors are found by. */
struct dp_anchor_tree;

/*
 * The tree of symbols[0..n), which are borrowed; of more than `most` symbols that of a parse with
 * about two thirds as many phrases (suffix/parse.h). *tree is the caller's, to be freed with
 * dp_anchor_tree__free(). Errors: DP_ERR_NOMEM. Cost: that of the parse, and of a suffix tree of
 * this many leaves; 13 bytes per leaf are kept, 37 of phrases.
 */
int dp_anchor_tree__new(struct dp_anchor_tree **tree, const uint32_t *symbols, size_t n,
			size_t most);
void dp_anchor_tree__free(struct dp_anchor_tree *tree);

/*
 * Candidates from the repeats of a tree, the most promising first, room of them at most. Repeats
 * that occur at least `least` times are looked at; those that occur about `iterations` times first,
 * where that is not 0. explain (or NULL) gets what the repeats were. Returns how many, or
 * DP_ERR_NOMEM. Cost: some 10 ns per leaf of the tree for each of seven depths; 20 bytes per leaf.
 */
int dp_anchors__candidates(struct dp_candidate *candidates, size_t room,
			   const struct dp_anchor_tree *tree, size_t least, uint64_t iterations,
			   struct dp_explain *explain);

#endif
