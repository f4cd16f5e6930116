/* Where a pattern updates parameters: kernels of an optimizer. */
#ifndef DP_ITERATE_OPTIMIZER_H
#define DP_ITERATE_OPTIMIZER_H

#include "base/base.h"

struct dp_optimizer {
	bool named;	 /* names give kernels of it away; */
	bool everywhere; /* there are no others */
	bool known;	 /* it is known where it ends: */
	size_t end;	 /* in front of this offset */
	size_t room;	 /* symbols behind it that may be bookkeeping of the same step */
};

/*
 * Finds the optimizer of pattern[0..m), which is cyclic: behind the kernels whose names give it
 * away (at[0..m), or NULL); where no name does, the same few kernels once for each of many
 * parameters. moves[0..m), or NULL, are the kernels that copy or fill. Cost: linear.
 */
void dp_optimizer__find(struct dp_optimizer *optimizer, const uint32_t *pattern, size_t m,
			const bool *at, const bool *moves);

#endif
