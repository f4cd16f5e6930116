/* Where a pattern updates parameters: an optimizer that its kernels' names do not give away. */
#ifndef DP_ITERATE_OPTIMIZER_RUN_H
#define DP_ITERATE_OPTIMIZER_RUN_H

#include "base/base.h"

/*
 * The same few kernels over and over, for each of many parameters: symbols [*first, *end) of
 * pattern[0..m), which goes round, so *end may be less than *first. False where there is no such
 * run, or another is not much shorter. moves[0..m), or NULL, tells which symbols are of kernels
 * that copy or fill: a run of those is none. Cost: linear.
 */
bool dp_optimizer_run__find(size_t *first, size_t *end, const uint32_t *pattern, size_t m,
		      const bool *moves);

#endif
