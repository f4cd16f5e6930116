/* Where an optimizer is in a pattern. */
#ifndef DP_ITERATE_OPTIMIZER_H
#define DP_ITERATE_OPTIMIZER_H

#include "base/base.h"

/* Where a pattern updates parameters: the kernels of an optimizer. */
struct dp_optimizer {
	bool found;	    /* by names or as a run */
	bool named;	    /* by the names of kernels */
	size_t end;	    /* before this offset */
	size_t bookkeeping; /* symbols after it that may belong to the same step */
};

/*
 * Finds the optimizer of the cyclic pattern[0..m): by the kernels whose names show it (at[0..m), or
 * NULL), else by the same few kernels once for each of many parameters. moves[0..m), or NULL, marks
 * the kernels that copy or fill. Cost: linear, at most some dp_param.layer_long comparisons per
 * symbol.
 */
void dp_optimizer__find(struct dp_optimizer *optimizer, const uint32_t *pattern, size_t m,
			const bool *at, const bool *moves);

#endif
