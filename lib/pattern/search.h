/* The patterns of one level: what repeats in a sequence, most important first. */
#ifndef DP_PATTERN_SEARCH_H
#define DP_PATTERN_SEARCH_H

#include "base/explain.h"
#include "pattern/pattern.h"

enum { DP_PATTERNS_MAX = 32 };

struct dp_patterns {
	struct dp_pattern items[DP_PATTERNS_MAX];
	size_t count;
};

/* What a pattern must meet to count as a loop. */
struct dp_search_limits {
	size_t least;	 /* iterations */
	size_t longest;	 /* symbols of a pattern */
	double bits_share; /* largest share of the sequence's bits that its description may take */
	bool any_length;   /* search even fewer than rest_symbols */
	bool part;	 /* bits_share: of the symbols that a pattern covers, not of the sequence */
	uint64_t known;	 /* number of iterations that makes a pattern better; 0: none */
};

void dp_patterns__fini(struct dp_patterns *patterns);

/*
 * A sequence to search, with what all its searches share: the tree, and the last alignment. The
 * caller sets the first three members, and explain if wanted; dp_search_sequence__fini() frees the
 * rest.
 */
struct dp_search_sequence {
	const uint32_t *symbols;
	size_t n;
	uint32_t alphabet;
	struct dp_anchor_tree *tree;
	struct dp_explain *explain; /* NULL: nothing is explained */
	bool open;		    /* it goes on, so that its end may be anywhere */
	double symbol_bits;	    /* to code one symbol by itself; 0: not computed yet */
	struct dp_alignment alignment;
	uint32_t *aligned; /* its patterns, each after its length */
	size_t aligned_words;
};

void dp_search_sequence__fini(struct dp_search_sequence *sequence);

/*
 * Makes sequence->alignment that of the patterns, unless it is already. Errors: DP_ERR_NOMEM. Cost:
 * an alignment, or a comparison with the patterns of the last one.
 */
int dp_search_sequence__align(struct dp_search_sequence *sequence,
			      const struct dp_patterns *patterns);

/* The same, but passes the ownership of the alignment to the caller. */
int dp_search_sequence__take_alignment(struct dp_alignment *alignment,
				       struct dp_search_sequence *sequence,
				       const struct dp_patterns *patterns);

/*
 * Searches a sequence for patterns that meet the limits: first the one that explains most, then
 * those of what it leaves. Existing patterns stay, and only what they leave is searched. After a
 * failure there are none. Errors: DP_ERR_NOMEM. Cost: the suffix tree of the sequence, and of what
 * patterns leave; an alignment of the whole per pattern.
 */
int dp_search__unaided(struct dp_patterns *patterns, struct dp_search_sequence *sequence,
		       const struct dp_search_limits *limits);

/*
 * Searches for known numbers of iterations: one pattern for each number that can be matched, in
 * order.
 */
int dp_search__counts(struct dp_patterns *patterns, struct dp_search_sequence *sequence,
		      const uint64_t *counts, size_t counts_count);

/* Computes the bits of one symbol by itself, the order-0 entropy. Errors: DP_ERR_NOMEM. Cost:
 * linear, once. */
int dp_search_sequence__bits(struct dp_search_sequence *sequence);

/* Makes the tree, unless there is one. Errors: DP_ERR_NOMEM. Cost: that of dp_anchor_tree__new().
 */
int dp_search_sequence__tree(struct dp_search_sequence *sequence);

/* How well patterns describe a sequence. */
struct dp_patterns_fit {
	double bits;
	double iterations;
	size_t covered, edits, spans;
};

/* Errors: DP_ERR_NOMEM. Cost: one alignment, unless the sequence's is of these patterns. */
int dp_patterns__fit(struct dp_patterns_fit *fit, const struct dp_patterns *patterns,
		     struct dp_search_sequence *sequence);

#endif
