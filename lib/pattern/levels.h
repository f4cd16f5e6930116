/* The tree of loops, as patterns: what is a loop in what, and which level is the iteration. */
#ifndef DP_PATTERN_LEVELS_H
#define DP_PATTERN_LEVELS_H

#include "pattern/search.h"

/* What is known of a symbol besides where it occurs. */
enum dp_trait {
	DP_TRAIT_FINISHES = 1, /* kernels of that name finish a step */
	DP_TRAIT_UPLOADED = 2, /* something is uploaded before nearly each of them */
};

/* The evidence for a pattern being an iteration, and no layer of one. */
enum dp_standing {
	DP_STANDING_BARE,	/* nothing */
	DP_STANDING_STRUCTURED, /* it has loops inside */
	DP_STANDING_OTHER,  /* it is inside or outside of what was chosen, and may be anything */
	DP_STANDING_RARE,   /* it is short next to a loop that makes up most of the sequence */
	DP_STANDING_FEW,    /* two or three exact repeats that cover most of the sequence */
	DP_STANDING_NESTED, /* it was found to be the iteration inside a loop that is none */
};

/*
 * outer encloses chosen, chosen encloses inner; parents are indices in the next outer level, and
 * those of outer ones, which come before them, in outer itself.
 */
struct dp_levels {
	struct dp_patterns outer, chosen, inner;
	uint32_t outer_parent[DP_PATTERNS_MAX];
	uint32_t chosen_parent[DP_PATTERNS_MAX];
	uint32_t inner_parent[DP_PATTERNS_MAX];
	enum dp_standing standing[DP_PATTERNS_MAX]; /* of the chosen ones */
	struct dp_patterns_fit fit;		    /* of them */
	double alone;				    /* bits of the sequence symbol by symbol */
};

/*
 * Finds the patterns of a text without help, and chooses the level that a user would call
 * the iteration. traits, if not NULL, has the enum dp_trait of each symbol of the alphabet; uploads
 * is how many there are for each symbol of the sequence. Errors:
 * DP_ERR_NOMEM. Cost: that of a few searches.
 */
int dp_levels__find(struct dp_levels *levels, struct dp_search_text *text, const uint8_t *traits,
		    double uploads);

void dp_levels__fini(struct dp_levels *levels);

#endif
