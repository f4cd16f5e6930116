/* From an alignment and each pattern's first offset to iterations with their edits. */
#ifndef DP_ITERATE_CUT_H
#define DP_ITERATE_CUT_H

#include "align/alignment.h"
#include "iterate/changes.h"
#include "iterate/iteration.h"

/* What is cut: symbols[0..n), aligned before as aligned[0..n), perhaps coarser names. */
struct dp_cut_source {
	const struct dp_alignment *alignment;
	const uint32_t *symbols, *aligned;
	size_t n;
};

/* A pattern to cut by. */
struct dp_cut_pattern {
	const uint32_t *exact;	 /* the exact names, from the first offset on; those below if the
				    alignment was not made with coarser ones */
	const uint32_t *rotated; /* the aligned symbols, likewise */
	size_t length;
	size_t first; /* the offset that begins an iteration */
};

/* The iterations of one pattern. */
struct dp_cut {
	struct dp_sequence_iteration *iterations;
	size_t count;
	size_t room;
	struct dp_edit *edits; /* offsets count from the first; length: after the last */
	size_t edit_count;
	size_t edit_room;
	size_t whole;	 /* iterations that are not partial */
	size_t covered;	 /* symbols in iterations, partial ones included */
	size_t renamed;	 /* substitutions of exact names although coarser ones agree */
	struct dp_cut_changes changes; /* those of seams.c are the caller's to add */
};

/*
 * Cuts a sequence into the iterations of each pattern; cuts[] has one per pattern and is zeroed
 * first.
 *
 * An iteration begins with the symbol that stands for the first offset. Symbols inserted between
 * two iterations belong to the one before, unless there are more than half a pattern of them:
 * then to none. If a span breaks off and the same pattern continues later, the two parts are one
 * iteration if less than half of it is missing. A part with less than dp_param.span_least of it is
 * partial if the sequence begins or ends there, and not an iteration elsewhere. Missing iterations
 * of an inner loop at its end do not count, unless the sequence may have cut them off. Variants are
 * not numbered. The caller releases the cuts with their fini, also after a failure.
 *
 * Errors: DP_ERR_NOMEM. Cost: linear in edits, iterations and, if exact names are compared, n.
 */
int dp_cut__run(struct dp_cut *cuts, const struct dp_cut_source *source,
		const struct dp_cut_pattern *patterns, size_t count);

/* Defined in edits.c. */

void dp_cut__fini(struct dp_cut *cut);

/*
 * Append an edit, or several, which they count in their iteration, and an iteration, which must be
 * the one that the last edits belong to. Errors: DP_ERR_NOMEM.
 */
int dp_cut__add_edit(struct dp_cut *cut, struct dp_sequence_iteration *iteration, size_t position,
		     size_t offset, uint32_t kind);
int dp_cut__add_edits(struct dp_cut *cut, struct dp_sequence_iteration *iteration,
		      const struct dp_edit *edits, size_t count);
int dp_cut__add_iteration(struct dp_cut *cut, const struct dp_sequence_iteration *iteration);

/*
 * Appends an iteration with the edits that turn pattern[0..m) into it; what the capture cut off of
 * a partial one is not an edit. Errors: DP_ERR_NOMEM. Cost: that of dp_diff__run().
 */
int dp_cut__add_compared(struct dp_cut *cut, const struct dp_sequence_iteration *iteration,
			 const uint32_t *symbols, const uint32_t *pattern, size_t m);

/*
 * Appends an iteration of another cut, with its edits; edits[] has all those of that cut. Errors:
 * DP_ERR_NOMEM.
 */
int dp_cut__add_copy(struct dp_cut *cut, const struct dp_sequence_iteration *iteration,
		     const struct dp_edit *edits);

/*
 * Returns an empty cut that reuses the arrays of another. Append the iterations of that to it in
 * their order, changed or not, or skip some; then replace the other by it. Appending cannot fail
 * as long as no prefix of the iterations has more edits than before.
 */
struct dp_cut dp_cut__refill(const struct dp_cut *cut);

/*
 * Gives iterations of the same symbols the same variant, once nothing else is to change them.
 * Errors: DP_ERR_NOMEM. Cost: linear in iterations, and in the symbols of those with edits.
 */
int dp_cut__number_variants(struct dp_cut *cut, const uint32_t *symbols);

#endif
