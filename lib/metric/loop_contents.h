/* What the iterations of a loop consist of. */
#ifndef DP_METRIC_LOOP_CONTENTS_H
#define DP_METRIC_LOOP_CONTENTS_H

#include "base/base.h"
#include <deepprof/analysis.h>

/* Sets the fewest and the most kernels of a loop's whole iterations. Cost: linear in these. */
void dp_loop_contents__kernels(struct dp_loop *loop, const struct dp_iteration *iterations);

/*
 * Sets the number of copies in each iteration. rows are all operations of the loop's streams, in
 * order of time. Cost: linear in the operations between its first iteration and its last.
 */
void dp_loop_contents__copies(struct dp_loop *loop, const struct dp_iteration *iterations,
			      const struct dp_ops *ops, const uint32_t *rows, size_t row_count);

#endif
