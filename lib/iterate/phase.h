/* Where an iteration begins: the offset of a cyclic pattern with the most evidence. */
#ifndef DP_ITERATE_PHASE_H
#define DP_ITERATE_PHASE_H

#include "align/align.h"
#include "base/evidence.h"
#include "base/explain.h"

struct dp_phase {
	size_t first; /* offset in the pattern as aligned */
	size_t next;  /* the next best */
	enum dp_phase_evidence decided_by;
	double margin; /* log-odds of the first over the next best; infinite for one symbol */
	bool has_data; /* iterations have an input or a result, see dp_votes__has_data() */
	bool is_step;  /* iterations have what steps have, see dp_votes__is_step() */
};

/* Hints: positions at which iterations probably begin, ascending. */
struct dp_phase_hints {
	const size_t *positions;
	size_t count;
	const char *why; /* static: how that is known */
};

/* A pattern of an alignment, symbols[0..m), and what is known of the sequence. */
struct dp_phase_case {
	const struct dp_alignment *alignment; /* of sequence[0..n) */
	const uint32_t *sequence, *symbols;
	size_t n, m;
	uint32_t pattern; /* its index in the alignment */
	struct dp_evidence evidence;
	struct dp_phase_hints hints; /* mostly the boundaries of loops inside or around it; with
					any, the host's evidence is not used */
};

/*
 * Weighs the votes (votes.h) on a pattern. explain, or NULL, receives them. Errors: DP_ERR_NOMEM.
 * Cost: O(edits + length + spans), and calls of evidence->at: at most about 300,000, or three per
 * offset, and up to a million to find the first launch.
 */
int dp_phase__find(struct dp_phase *phase, const struct dp_phase_case *of,
		   struct dp_explain *explain);

#endif
