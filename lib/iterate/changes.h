/* What the stages from an alignment to iterations change, counted for explanations. */
#ifndef DP_ITERATE_CHANGES_H
#define DP_ITERATE_CHANGES_H

#include "base/explain.h"

struct dp_cut;
struct dp_cut_pattern;

enum dp_cut_change_kind {
	DP_CUT_CHANGE_SEAM,	  /* ends of spans next to other loops, moved (seams.c) */
	DP_CUT_CHANGE_JOINED,	  /* iterations joined across what lies between two spans (cut.c) */
	DP_CUT_CHANGE_COMPLETED,  /* iterations that lacked the first or last symbols (cut.c) */
	DP_CUT_CHANGE_DROPPED,	  /* parts that are no iterations (cut.c) */
	DP_CUT_CHANGE_INSERTIONS, /* iterations that had insertions of the one before (insertions.c)
				   */
	DP_CUT_CHANGE_UNLIKE,	  /* iterations that are something else (unlike.c) */
	DP_CUT_CHANGE_UPLOAD,	  /* boundaries moved to an upload (uploads.c) */
	DP_CUT_CHANGES,
};

/* By how many symbols each of them was changed, or how many it has or lacks. */
struct dp_cut_change {
	size_t count;	/* of them */
	size_t symbols; /* of all of them */
	size_t most;	/* of one */
};

/* The changes of one pattern's iterations. */
struct dp_cut_changes {
	struct dp_cut_change of[DP_CUT_CHANGES];
};

static inline void dp_cut_changes__note(struct dp_cut_changes *changes,
					enum dp_cut_change_kind kind, size_t symbols)
{
	struct dp_cut_change *change = &changes->of[kind];

	change->count++;
	change->symbols += symbols;
	change->most = symbols > change->most ? symbols : change->most;
}

/*
 * Explains what the iterations of a pattern are, and what the stages changed; symbols are what was
 * cut. explain may be NULL. Cost: linear in iterations and edits, unless it is.
 */
void dp_cut_changes__explain(struct dp_explain *explain, const struct dp_cut *cut,
			     const struct dp_cut_pattern *pattern, const uint32_t *symbols);

#endif
