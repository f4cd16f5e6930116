/* Which operator, or NVTX range, launched what. */
#ifndef DP_ACTIVITY_OP_ATTRIBUTION_H
#define DP_ACTIVITY_OP_ATTRIBUTION_H

#include "base/base.h"
#include <deepprof/trace.h>

/* Zeroed storage is that of a trace whose launches or operators are not known. */
struct dp_attribution {
	uint32_t *of_call; /* per call: the name of the innermost range, or DP_NONE; NULL: none */
};

/*
 * The innermost operator or NVTX range that is open on a call's thread when the call begins.
 * Annotations don't count: they are of steps, not of what a step is made of. *attribution is the
 * caller's, to be released with fini. Errors: DP_ERR_NOMEM. Cost: linear in calls and ranges.
 */
int dp_attribution__init(struct dp_attribution *attribution, const struct dp_trace *trace,
			 struct dp_error *error);
void dp_attribution__fini(struct dp_attribution *attribution);

#endif
