/*
 * The cyclic aligner: finds the spans of a sequence in which one of several patterns repeats, with
 * the edits inside them. Offsets are those of the patterns as given; where an iteration begins is
 * decided afterwards (phase.c), without a second alignment.
 */
#ifndef DP_ALIGN_ALIGN_H
#define DP_ALIGN_ALIGN_H

#include "base/base.h"
#include <deepprof/loop.h>

struct dp_align_pattern {
	const uint32_t *symbols;
	size_t length; /* 1 … INT32_MAX */
};

/*
 * Symbols [begin, end) are repetitions of one pattern. begin is the earliest symbol that matches,
 * so it may lie before the end of the previous span: both match in between.
 */
struct dp_align_span {
	size_t begin;
	size_t end;
	size_t edits; /* index of the first one, ascending in position */
	size_t edit_count;
	uint32_t pattern;
	uint32_t begin_offset;
	uint32_t end_offset; /* of the symbol that would come next, below length */
};

struct dp_alignment {
	struct dp_align_span *spans;
	size_t span_count;
	size_t span_room;
	struct dp_edit *edits;
	size_t edit_count;
	size_t edit_room;
};

/*
 * Returns true if the span after s continues it, in a pattern of m symbols, as if less than an
 * iteration between the two had matched. That is unlikely by chance if patterns are long enough to
 * be steps: these symbols are no other work, but the loop's own under other names.
 */
bool dp_align__goes_on(const struct dp_align_span *s, const struct dp_align_span *after, size_t m);

/* The number of symbols of the pattern that a span goes through, without walking its edits. */
size_t dp_align__advance(const struct dp_alignment *alignment, size_t span);

/* The number of stretches of the pattern's symbols that a span lacks. Cost: linear in its edits. */
size_t dp_align__losses(const struct dp_alignment *alignment, size_t span);

/*
 * The number of symbols in spans; those in which two overlap count once. Unless `of` is NULL, those
 * of each pattern are added to its element there; of two spans, the first has the overlap.
 */
size_t dp_align__covered(const struct dp_alignment *alignment, size_t *of);

/*
 * Aligns symbols[0..n) with the patterns. Errors: DP_ERR_NOMEM. Cost: O(n + sum of lengths), at
 * worst times the wave's width; memory for the patterns, the spans and the edits.
 */
int dp_align__run(struct dp_alignment *out, const uint32_t *symbols, size_t n,
		  const struct dp_align_pattern *patterns, size_t count);

void dp_align__fini(struct dp_alignment *alignment);

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
