/* A pattern that may be the iteration, and the evidence for it. */
#ifndef DP_PATTERN_PATTERN_H
#define DP_PATTERN_PATTERN_H

#include "align/align.h"

/* Patterns by what shows that they are iterations, rather than layers of one. */
enum dp_pattern_kind {
	DP_PATTERN_OTHER,     /* inside or around a chosen pattern; it may be anything */
	DP_PATTERN_BARE,      /* nothing */
	DP_PATTERN_HAS_LOOPS, /* it has loops inside */
	DP_PATTERN_SHORT,     /* short next to a loop that makes up most of the sequence */
	DP_PATTERN_FEW,	      /* two or three equal iterations that cover most of the sequence */
};

struct dp_pattern {
	uint32_t *symbols;
	size_t length;
	double bits;	/* to describe the sequence with the pattern, */
	double own;	/* of which are for the pattern itself */
	double iterations; /* repetitions of it that the sequence holds */
	double tandem;	   /* the same in a row (tandem repeats), the most within one span */
	size_t covered; /* symbols in its spans */
	size_t edits;
	size_t spans;
	uint32_t from; /* index of the candidate that it was made from */
	uint32_t parent; /* of a level (levels.h): index of the pattern around it, or DP_NONE */
	enum dp_pattern_kind kind;
};

/* Makes a pattern of a copy of the symbols; its other members are 0. Errors: DP_ERR_NOMEM. */
int dp_pattern__copy(struct dp_pattern *p, const uint32_t *symbols, size_t length);

/* The bits to code a pattern by itself, of `literal` for a symbol. Errors: DP_ERR_NOMEM. Cost:
 * linear. */
int dp_pattern__bits(double *bits, const uint32_t *pattern, size_t m, double literal);

/*
 * The bits of an alignment of n symbols: its spans, its edits, and the symbols outside its spans.
 */
double dp_alignment__bits(const struct dp_alignment *al, size_t n, size_t length, double bits);

/* Sets all members but the symbols and the length. Cost: that of dp_align__run(). */
int dp_pattern__judge(struct dp_pattern *p, const uint32_t *symbols, size_t n, double bits);

/* Like dp_pattern__judge(), from an existing alignment of the pattern. Errors: DP_ERR_NOMEM. */
int dp_pattern__rate(struct dp_pattern *p, const struct dp_alignment *alignment, size_t n,
		     double bits);

/*
 * Replaces the pattern by what most iterations have at each offset, and one that repeats a shorter
 * pattern by that; then judges it. Cost: a few alignments.
 */
int dp_pattern__refine(struct dp_pattern *p, const uint32_t *symbols, size_t n, double bits);

/*
 * The first `count` symbols of pattern[0..m), repeated, from the one at first on. The caller frees
 * them. NULL if memory is short.
 */
uint32_t *dp_pattern__repeat(const uint32_t *pattern, size_t m, size_t first, size_t count);

/*
 * Finds the length of the shorter pattern that symbols[0..m) repeat in full (Knuth, Morris and
 * Pratt 1977); m if there is none. m is at least 1. Errors: DP_ERR_NOMEM. Cost: linear.
 */
int dp_pattern__period(size_t *period, const uint32_t *symbols, size_t m);

/*
 * Finds where symbols[0..m) begin in a pattern of that length, which is written twice (Knuth,
 * Morris and Pratt 1977). *offset is SIZE_MAX if they differ from it. Errors: DP_ERR_NOMEM. Cost:
 * linear.
 */
int dp_pattern__rotation(size_t *offset, const uint32_t *twice, const uint32_t *symbols, size_t m);

#endif
