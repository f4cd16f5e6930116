/* What a device was sampled to do, and its memory, per iteration. */
#ifndef DP_METRIC_STATES_H
#define DP_METRIC_STATES_H

#include "metric/metric.h"

enum dp_state {
	DP_STATE_JOULES,   /* integral of the power */
	DP_STATE_CLOCK,	   /* mean, in MHz */
	DP_STATE_THROTTLED, /* share of the time in which a reason held the clocks down */
	DP_STATE_SM,	    /* shares of what units can do */
	DP_STATE_TENSOR,
	DP_STATE_DRAM
};

/*
 * Values of periods that lie within the device's samples; NaN for others, and where no sample tells
 * it. Errors: DP_ERR_NOMEM. Cost: linear in the samples and the iterations.
 */
int dp_states__fill(double *values, const struct dp_metric_input *input, enum dp_state state,
		    struct dp_error *error);

enum dp_memory_state {
	DP_MEMORY_LIVE, /* at the end of the iteration; of what was allocated in the trace */
	DP_MEMORY_PEAK, /* the most within the period */
	DP_MEMORY_ALLOCATIONS,
	DP_MEMORY_FREES
};

/*
 * The same for device memory; NaN where the trace has none of the device. Allocations and frees are
 * then counted by the calls for them, if the trace has calls at all. Errors: DP_ERR_NOMEM. Cost:
 * linear.
 */
int dp_states__memory(double *values, const struct dp_metric_input *input,
		      enum dp_memory_state state, struct dp_error *error);

#endif
