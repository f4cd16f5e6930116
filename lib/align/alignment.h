/* An alignment: its spans with their edits, and a walk through it, one match or edit at a time. */
#ifndef DP_ALIGN_ALIGNMENT_H
#define DP_ALIGN_ALIGNMENT_H

#include "base/base.h"
#include <deepprof/loop.h>

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

void dp_align__fini(struct dp_alignment *alignment);

/* Matches are split where an iteration begins. Offsets count from its first symbol. */
struct dp_walk {
	const struct dp_alignment *alignment;
	const struct dp_align_span *span;
	size_t length, first;
	size_t at, offset, edit;
};

enum { DP_WALK_MATCH = 3 }; /* an item's kind: this, or one of enum dp_edit_kind */

struct dp_walk_item {
	uint32_t kind;
	size_t at, offset, length; /* length in symbols of the sequence: 0 for a deletion */
};

/* Begins with span number `span`, of a pattern of that length whose iterations begin at `first`. */
void dp_walk__begin(struct dp_walk *walk, const struct dp_alignment *alignment, size_t span,
		    size_t length, size_t first);

/* Returns false at the end of the span. */
bool dp_walk__next(struct dp_walk *walk, struct dp_walk_item *item);

#endif
