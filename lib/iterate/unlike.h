/* Removes iterations of a cut that are something else. */
#ifndef DP_ITERATE_UNLIKE_H
#define DP_ITERATE_UNLIKE_H

#include "iterate/cut.h"

/*
 * Removes the iterations that lack more than 1 in dp_param.unlike_lack symbols, some in the same
 * way as others do, if they are few, such as prefills between decoding steps. aligned holds the
 * symbols that were aligned. Errors: DP_ERR_NOMEM. Cost: linear.
 */
int dp_unlike__remove(struct dp_cut *cut, const struct dp_cut_pattern *pattern,
		      const uint32_t *aligned);

#endif
