/* The patterns of one level: what repeats in a sequence, one after the other. */
#ifndef DP_PATTERN_SEARCH_H
#define DP_PATTERN_SEARCH_H

#include "base/explain.h"
#include "pattern/pattern.h"

enum { DP_PATTERNS_MAX = 32 };

struct dp_patterns {
	struct dp_pattern items[DP_PATTERNS_MAX];
	size_t count;
};

/* What counts as a loop. */
struct dp_search_bar {
	size_t least;	 /* iterations */
	size_t longest;	 /* symbols of a pattern */
	double bits;	 /* share of the sequence's bits that its description may have */
	double coverage; /* share of the sequence that must repeat */
	bool few;	 /* a dozen symbols are worth a search, too */
	bool rare;	 /* of less coverage, where it is certainly a loop */
};

void dp_patterns__fini(struct dp_patterns *patterns);

/*
 * A sequence to search, and what is made of it once and shared by its searches: the tree, and the
 * last alignment. Set the first three, and explain where the search is to be explained;
 * dp_search_text__fini() frees the rest.
 */
struct dp_search_text {
	const uint32_t *symbols;
	size_t n;
	uint32_t alphabet;
	struct dp_anchor_tree *tree;
	struct dp_explain *explain; /* NULL: nothing is explained */
	double bits;		    /* of one symbol on its own; 0: not known yet */
	struct dp_alignment alignment;
	uint32_t *aligned; /* the patterns that it is of, each behind its length */
	size_t aligned_words;
};

void dp_search_text__fini(struct dp_search_text *text);

/*
 * Makes text->alignment that of the patterns, if it is not already. Errors: DP_ERR_NOMEM. Cost: an
 * alignment, or the comparison of the patterns with those of the last one.
 */
int dp_search_text__align(struct dp_search_text *text, const struct dp_patterns *patterns);

/* The same; the alignment is the caller's then. */
int dp_search_text__take_alignment(struct dp_alignment *alignment, struct dp_search_text *text,
				   const struct dp_patterns *patterns);

/*
 * Looks for patterns that repeat in a text and clear the bar: the one that describes most first,
 * then those of what it leaves. Patterns that are there already stay, and only what they leave is
 * looked at. On failure there are none. Errors: DP_ERR_NOMEM. Cost: the suffix tree of the text,
 * and of what patterns leave; an alignment of the whole per pattern.
 */
int dp_search__unaided(struct dp_patterns *patterns, struct dp_search_text *text,
		       const struct dp_search_bar *bar);

/* The same for known numbers of iterations, one pattern for each that can be found, in order. */
int dp_search__counts(struct dp_patterns *patterns, struct dp_search_text *text,
		      const uint64_t *counts, size_t counts_count);

/*
 * Classes of the text's symbols that take each other's place: class_of[] of each symbol of the
 * alphabet, below *class_count. Errors: DP_ERR_NOMEM. Cost: that of the tree's anchors.
 */
int dp_search__classes(uint32_t *class_of, uint32_t *class_count, struct dp_search_text *text);

/* The bits of one of the text's symbols on its own. Errors: DP_ERR_NOMEM. Cost: linear, once. */
int dp_search_text__bits(struct dp_search_text *text);

/* How well patterns describe a sequence. */
struct dp_patterns_fit {
	double bits;
	double repeats;
	size_t covered, edits, spans;
};

/* Errors: DP_ERR_NOMEM. Cost: one alignment, unless the text's is of these patterns. */
int dp_patterns__fit(struct dp_patterns_fit *fit, const struct dp_patterns *patterns,
		     struct dp_search_text *text);

#endif
