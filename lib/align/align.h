/*
 * The cyclic aligner: finds the spans of a sequence in which one of several patterns repeats, with
 * the edits inside them. Offsets are those of the patterns as given; where an iteration begins is
 * decided afterwards (phase.c), without a second alignment.
 */
#ifndef DP_ALIGN_ALIGN_H
#define DP_ALIGN_ALIGN_H

#include "align/alignment.h"

struct dp_align_pattern {
	const uint32_t *symbols;
	size_t length; /* 1 … INT32_MAX */
};

/*
 * Aligns symbols[0..n) with the patterns. Errors: DP_ERR_NOMEM. Cost: O(n + sum of lengths), at
 * worst times the wave's width; memory for the patterns, the spans and the edits.
 */
int dp_align__run(struct dp_alignment *out, const uint32_t *symbols, size_t n,
		  const struct dp_align_pattern *patterns, size_t count);

/*
 * The same in two steps, for many sequences and one set of patterns: new() indexes the patterns for
 * sequences of about n symbols, run() aligns. If start is not NULL, the first symbol is known to
 * match at that offset.
 */
struct dp_aligner;

struct dp_align_start {
	uint32_t pattern;
	uint32_t offset;
};

int dp_aligner__new(struct dp_aligner **aligner, const struct dp_align_pattern *patterns,
		    size_t count, size_t n);
int dp_aligner__run(struct dp_aligner *aligner, struct dp_alignment *out, const uint32_t *symbols,
		    size_t n, const struct dp_align_start *start);
size_t dp_aligner__bytes(const struct dp_aligner *aligner);
void dp_aligner__free(struct dp_aligner *aligner);

#endif
