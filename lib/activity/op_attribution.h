/* Which operator, or NVTX range, launched each operation. */
#ifndef DP_ACTIVITY_OP_ATTRIBUTION_H
#define DP_ACTIVITY_OP_ATTRIBUTION_H

#include "base/base.h"
#include <deepprof/trace.h>

/* Zeroed storage stands for a trace without launches or operators. */
struct dp_attribution {
	uint32_t *of_call; /* per call: the name of the innermost range, or DP_NONE; NULL: none */
};

/*
 * Finds the innermost operator or NVTX range that is open on a call's thread when the call begins.
 * Annotations do not count: they mark steps, not their parts. The caller releases *attribution with
 * fini. Errors: DP_ERR_NOMEM. Cost: linear in calls and ranges.
 */
int dp_attribution__init(struct dp_attribution *attribution, const struct dp_trace *trace,
			 struct dp_error *error);
void dp_attribution__fini(struct dp_attribution *attribution);

#endif
