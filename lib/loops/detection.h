/* The state that all files share that turn patterns into loops. */
#ifndef DP_LOOPS_DETECTION_H
#define DP_LOOPS_DETECTION_H

#include "iterate/cut.h"
#include "loops/loops.h"
#include "pattern/levels.h"
#include "iterate/phase.h"

/*
 * A sequence and the loops found in it so far. It owns the coarse symbols and the sequence, and
 * borrows the request and the list of loops.
 */
struct dp_detection {
	const struct dp_loops_request *request;
	uint32_t *coarse;		    /* symbols by family or class; NULL: as they are */
	struct dp_search_sequence sequence; /* those, and their tree */
	bool keep_all;			    /* also loops with little confidence */
	bool collapsed;			    /* set if the loops were found with runs collapsed */
	bool part;			    /* loops in a part of the sequence are searched for */
	double per_symbol;		    /* mean number of kernels per symbol; 0: one each */
	uint32_t kernel_symbols;	    /* symbols below that are kernels; 0: all are */
	struct dp_loops *loops;
};

/* Defined in loop_list.c. */

/* Releases what the detection owns. */
void dp_detection__fini(struct dp_detection *detection);

/* Moves the cut's arrays to the loop, in place of its own. */
void dp_detection__take_cut(struct dp_sequence_loop *loop, struct dp_cut *cut);

/* The same, once its variants are numbered. Errors: DP_ERR_NOMEM. */
int dp_detection__finish_cut(struct dp_sequence_loop *loop, struct dp_cut *cut,
			     const uint32_t *symbols);

/*
 * Sorts loops outermost first. The first `chosen` of the list are those of the chosen level; those
 * from there up to `around` enclose them, and the rest are inside. Of each level outer ones come
 * first, then by their first iteration. Errors: DP_ERR_NOMEM.
 */
int dp_detection__sort(struct dp_loops *loops, size_t chosen, size_t around);

/* Defined in batch.c. */

/*
 * Aligns the patterns with the sequence, finds their phases, cuts, and appends a loop for each
 * pattern that has iterations and sufficient confidence: made[i] is its index, or DP_NONE. Errors:
 * DP_ERR_NOMEM.
 */
int dp_detection__make_loops(uint32_t *made, struct dp_detection *detection,
			     const struct dp_patterns *patterns,
			     const struct dp_phase_hints *hints);

/* Defined in traits.c. */

/*
 * Sets *traits to a new array with the enum dp_trait of each symbol of the detection's sequence, or
 * to NULL without evidence, and *rate to the share of symbols that uploads precede. Errors:
 * DP_ERR_NOMEM, after which *traits may be set.
 */
int dp_traits__ask(const struct dp_detection *detection, uint8_t **traits, double *rate);

#endif
