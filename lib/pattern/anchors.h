/* Candidates for what one iteration is, from the sequence alone. */
#ifndef DP_PATTERN_ANCHORS_H
#define DP_PATTERN_ANCHORS_H

#include "base/explain.h"

/* The lengths of repeats: 1, 2, 4 … 64 symbols; in a parse, 1 and 8 symbols, 1, 2, 4 … 16 phrases. */
enum { DP_ANCHOR_DEPTHS = 7 };

/* A candidate: symbols [at, at + length) of the sequence are one iteration. */
struct dp_candidate {
	size_t at;
	size_t length;
	size_t anchor;	/* the anchor is the symbols [at, at + anchor) */
	size_t windows; /* from one occurrence of the anchor to the next */
	double score;	/* for ordering only, higher is better */
	double regular; /* share of windows whose length is near the median */
	size_t first, last; /* the windows lie in symbols [first, last) */
};

/* The suffix tree of a sequence, with what anchors are found by. */
struct dp_anchor_tree;

/*
 * Makes the tree of symbols[0..n), which are borrowed; for more than `most` symbols it is that of a
 * parse with about two thirds as many phrases (suffix/parse.h). The caller frees *tree with
 * dp_anchor_tree__free(). Errors: DP_ERR_NOMEM. Cost: the parse, and a suffix tree with this many
 * leaves; 5 bytes are kept per leaf, 29 per phrase.
 */
int dp_anchor_tree__new(struct dp_anchor_tree **tree, const uint32_t *symbols, size_t n,
			size_t most);
void dp_anchor_tree__free(struct dp_anchor_tree *tree);

/*
 * Writes up to `room` candidates from the repeats of a tree, most promising first. Only repeats
 * that occur at least `least` times count; unless `known` is 0, some places are for those
 * that occur about that often. explain receives what the repeats were, or is NULL. Returns the
 * number of candidates, or DP_ERR_NOMEM. Cost: some 10 ns per leaf of the tree for each depth; 20
 * bytes per leaf.
 */
int dp_anchors__candidates(struct dp_candidate *candidates, size_t room,
			   const struct dp_anchor_tree *tree, size_t least, uint64_t known,
			   struct dp_explain *explain);

#endif
