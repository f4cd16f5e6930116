/* What the files that make loops of patterns share. */
#ifndef DP_LOOPS_DRIVER_H
#define DP_LOOPS_DRIVER_H

#include "iterate/cut.h"
#include "loops/loops.h"
#include "pattern/levels.h"
#include "iterate/phase.h"

/* A sequence on its way to loops. */
struct dp_driver {
	const struct dp_loops_request *request;
	uint32_t *coarse; /* symbols by family or class; NULL: as they are */
	struct dp_search_text text; /* those, and their tree */
	bool keep_all;	   /* loops of little confidence, too */
	bool collapsed;	   /* set where the loops were found with repetitions collapsed */
	double per_symbol; /* kernels that a symbol stands for, about; 0: it is one */
	struct dp_loops *loops;
	size_t room;
};

/* A new loop at the end of the driver's, or NULL where memory is short. */
struct dp_sequence_loop *dp_driver__add(struct dp_driver *driver);

/* The loop takes the cut's arrays. */
void dp_driver__take_cut(struct dp_sequence_loop *loop, struct dp_cut *cut);

/*
 * A new loop for one that was found in a shortened sequence, of whose symbols position[] tells the
 * place in the driver's; from's iterations are changed. Without position they are the driver's
 * already. Errors: DP_ERR_NOMEM.
 */
int dp_driver__take_back(struct dp_driver *driver, const struct dp_sequence_loop *from,
			 const uint32_t *position);

/* A copy of pattern[0..m) that begins with the symbol at first; NULL where memory is short. */
uint32_t *dp_driver__rotate(const uint32_t *pattern, size_t m, size_t first);

/*
 * Aligns the patterns with the sequence, finds their phases, cuts, and adds a loop for each that
 * has iterations and confidence enough: made[i] gets the index of pattern i's, or DP_NONE.
 * standing (or NULL) has the evidence for each pattern. Errors: DP_ERR_NOMEM.
 */
int dp_driver__level(struct dp_driver *driver, const struct dp_patterns *patterns, uint32_t *made,
		     const enum dp_standing *standing, const struct dp_phase_hints *hints);

/* Orders loops [from, to), outer ones first, by their first iteration, and what refers to them. */
void dp_driver__sort(struct dp_loops *loops, size_t from, size_t to);

/* Finds the tree of loops without help. Errors: DP_ERR_NOMEM. */
int dp_driver__tree(struct dp_driver *driver);

#endif
