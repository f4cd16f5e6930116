/* Goes through an alignment, one match or one edit at a time. */
#ifndef DP_ALIGN_WALK_H
#define DP_ALIGN_WALK_H

#include "align/align.h"

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
