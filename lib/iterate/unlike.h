/* Iterations of a cut that are something else. */
#ifndef DP_ITERATE_UNLIKE_H
#define DP_ITERATE_UNLIKE_H

#include "iterate/cut.h"

/*
 * Removes iterations of a cut that are something else: they lack more than a sixth of the pattern,
 * some in the same way as others do, and are few. A prefill between decoding steps is such.
 * aligned is what was aligned. Errors: DP_ERR_NOMEM. Cost: linear.
 */
int dp_unlike__remove(struct dp_cut *cut, const struct dp_cut_pattern *pattern,
		      const uint32_t *aligned);

#endif
