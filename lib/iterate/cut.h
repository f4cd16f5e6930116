/* From an alignment and each pattern's first offset to iterations with their edits. */
#ifndef DP_ITERATE_CUT_H
#define DP_ITERATE_CUT_H

#include "align/align.h"
#include "base/evidence.h"
#include "base/explain.h"
#include "iterate/changes.h"
#include "iterate/iteration.h"
#include "align/walk.h"

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
 * Cuts symbols[0..n), aligned before as aligned[0..n) (perhaps coarser names), into the iterations
 * of each pattern; cuts[] has one per pattern and is zeroed first.
 *
 * An iteration begins with the symbol that stands for the first offset. Symbols inserted between
 * two iterations belong to the one before, unless there are more than half a pattern of them:
 * then to none. If a span breaks off and the same pattern continues later, the two parts are one
 * iteration if less than half of it is missing. A part with less than dp_param.span_least of it is
 * partial if the sequence begins or ends there, and not an iteration elsewhere. Iterations of an
 * inner loop at its ends do not count as lacking unless the sequence begins or ends there. Variants
 * are not numbered.
 *
 * Errors: DP_ERR_NOMEM. Cost: linear in edits, iterations and, if exact names are compared, n.
 */
int dp_cut__run(struct dp_cut *cuts, const struct dp_alignment *alignment, const uint32_t *symbols,
		const uint32_t *aligned, size_t n, const struct dp_cut_pattern *patterns,
		size_t count);

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

/* Defined in variants.c. */

/*
 * Gives iterations with equal edits the same variant, once nothing else is to change them. Errors:
 * DP_ERR_NOMEM. Cost: linear in iterations and edits.
 */
int dp_variants__number(struct dp_cut *cut, const uint32_t *symbols);

/* Defined in insertions.c. */

/*
 * If the pattern's beginning comes again after symbols that seem to be inserted after the first
 * symbols of an iteration, moves those into the iteration before, which then ends there. The cut
 * has edits. Errors: DP_ERR_NOMEM, after which the cut is as before.
 */
int dp_insertions__move(struct dp_cut *cut, const uint32_t *symbols,
			const struct dp_cut_pattern *pattern);

/* Defined in unlike.c. */

/*
 * Removes the iterations that lack more than 1 in dp_param.unlike_lack symbols, some in the same
 * way as others do, if they are few, such as prefills between decoding steps. symbols are what was
 * cut, aligned those that were aligned. Errors: DP_ERR_NOMEM. Cost: linear.
 */
int dp_unlike__remove(struct dp_cut *cut, const struct dp_cut_pattern *pattern,
		      const uint32_t *symbols, const uint32_t *aligned);

/* Defined in uploads.c. */

/*
 * If symbols are inserted or missing next to a boundary, names cannot show which iteration they
 * belong to. If iterations mostly begin with an upload, and this one does not, but a symbol nearby
 * follows one, the iteration begins there. cuts[which] of count is the loop; names[0..m) is one of
 * its iterations, symbols are what was cut. Errors: DP_ERR_NOMEM. Cost: linear in iterations and
 * edits, at most about 100,000 calls of evidence->at, and O(m) per moved boundary.
 */
int dp_uploads__move_starts(struct dp_cut *cuts, size_t count, size_t which,
			    const uint32_t *symbols, const uint32_t *names, size_t m,
			    const struct dp_evidence *evidence);

/* Defined in changes.c. */

/*
 * Explains what the iterations of a pattern are, and what the stages changed; symbols are what was
 * cut. explain may be NULL. Cost: linear in iterations and edits, unless it is.
 */
void dp_cut_changes__explain(struct dp_explain *explain, const struct dp_cut *cut,
			     const struct dp_cut_pattern *pattern, const uint32_t *symbols);

/* Defined in paper_match.c. */

/*
 * Matches pattern[0..m) along symbols[0..n): a match holds the pattern as a subsequence with at
 * most max_unmatched other symbols. Appends the matches to cut->iterations, and the symbols skipped
 * in them to cut->edits as insertions. Errors: DP_ERR_NOMEM. Cost: O(n · (m + max_unmatched)), as
 * published.
 */
int dp_paper__match(struct dp_cut *cut, const uint32_t *symbols, size_t n, const uint32_t *pattern,
		    size_t m, uint64_t max_unmatched);

#endif
