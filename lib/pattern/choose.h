/* The best pattern of a text: the one that describes it in the fewest bits. */
#ifndef DP_PATTERN_CHOOSE_H
#define DP_PATTERN_CHOOSE_H

#include "base/explain.h"
#include "pattern/anchors.h"
#include "pattern/pattern.h"

/* A text to choose from, and what is asked of its patterns. */
struct dp_choose_text {
	const uint32_t *symbols;
	size_t n;
	uint32_t alphabet; /* symbols from here on separate stretches, and are in no pattern */
	double bits;	   /* of one symbol on its own */
	struct dp_anchor_tree *tree;
	size_t least;	/* iterations */
	size_t longest; /* symbols of a pattern */
	struct dp_explain *explain; /* NULL: nothing is explained */
};

/*
 * The best pattern, as judged by a part of the text; best->pattern is the caller's, NULL where there
 * is none. Where `want` is not 0, a pattern is the better the nearer its iterations are to that.
 * Errors: DP_ERR_NOMEM. Cost: see choose.c.
 */
int dp_choose__pattern(struct dp_pattern *best, const struct dp_choose_text *text, uint64_t want);

/* Does it repeat at all: twice in a row, and as often as the text asks? */
bool dp_choose__repeats(const struct dp_pattern *p, const struct dp_choose_text *text);

/* How far a pattern is from a known count: 0 where it fits, give or take a partial iteration. */
double dp_choose__misfit(const struct dp_pattern *p, uint64_t want);

#endif
