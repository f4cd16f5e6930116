/* The tree of loops, as patterns: how they are nested, and which level is the iteration. */
#ifndef DP_PATTERN_LEVELS_H
#define DP_PATTERN_LEVELS_H

#include "pattern/search.h"

/* Evidence about a symbol, apart from its positions. */
enum dp_trait {
	DP_TRAIT_FINISHES = 1, /* kernels of that name finish a step */
	DP_TRAIT_UPLOADED = 2, /* uploads precede nearly all of them */
	DP_TRAIT_NETWORK = 4,  /* they are of a library or compiler for networks, */
	DP_TRAIT_PROGRAM = 8,  /* or of the program itself */
};

enum { DP_TRAITS_OF_STEPS = DP_TRAIT_FINISHES | DP_TRAIT_UPLOADED };

/*
 * outer encloses chosen, and chosen encloses inner. Parents are indices in the next outer level;
 * those of outer itself are indices in outer, and smaller than the index of the loop.
 */
struct dp_levels {
	struct dp_patterns outer, chosen, inner;
	struct dp_patterns_fit fit; /* of the chosen ones */
	double plain_bits;	    /* bits of the sequence, coded by symbol */
	size_t n;		    /* symbols of the sequence */
};

/*
 * Finds the patterns of a sequence unaided, and chooses the level that a user would call the
 * iteration. traits holds the enum dp_trait of each symbol of the alphabet, or is NULL; uploads is
 * their number per symbol of the sequence. part: the bits of a pattern are compared with those of
 * the symbols that it covers, not of the whole sequence. The caller releases *levels with fini,
 * also after a failure. Errors: DP_ERR_NOMEM. Cost: that of a few searches.
 */
int dp_levels__find(struct dp_levels *levels, struct dp_search_sequence *sequence,
		    const uint8_t *traits, double uploads, bool part);

void dp_levels__fini(struct dp_levels *levels);

/* Returns true if the patterns explain nearly all of the sequence. */
bool dp_levels__is_regular(const struct dp_levels *levels);

/*
 * Returns true if patterns that were found in another way describe the sequence better than the
 * flat ones, or about equally well and, unlike these, regularly, and in fewer bits than `below`.
 * bits are what they need in all. Explains it as part of a stage.
 */
bool dp_levels__is_better(const struct dp_levels *levels, double bits, double below,
			  const struct dp_levels *flat, struct dp_explain *explain,
			  const char *stage);

#endif
