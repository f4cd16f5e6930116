/* Where a pattern updates parameters: kernels of an optimizer. */
#ifndef DP_ITERATE_OPTIMIZER_H
#define DP_ITERATE_OPTIMIZER_H

#include "base/base.h"

struct dp_optimizer {
	const bool *at; /* offsets of kernels that names give away, or NULL */
	size_t m;
	bool named;	 /* there are such kernels; */
	bool everywhere; /* there are no others */
	size_t length;	 /* symbols that it has, or seems to have; 0: it is not known where it ends */
	size_t end;	 /* the offset behind it */
	size_t room;	 /* symbols behind it that may be bookkeeping of the same step */
};

/*
 * Finds the optimizer of pattern[0..m), which is cyclic: behind the kernels whose names give it
 * away (at[0..m), or NULL); where no name does, the same few kernels once for each of many
 * parameters. moves[0..m), or NULL, are the kernels that copy or fill. Cost: linear.
 */
void dp_optimizer__find(struct dp_optimizer *optimizer, const uint32_t *pattern, size_t m,
			const bool *at, const bool *moves);

/* Is an offset one of its kernels? */
bool dp_optimizer__has(const struct dp_optimizer *optimizer, size_t offset);

#endif
