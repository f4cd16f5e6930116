/* The sampled state of a device, and its memory, per iteration. */
#ifndef DP_ACTIVITY_SAMPLES_H
#define DP_ACTIVITY_SAMPLES_H

#include "activity/device_timeline.h"
#include <deepprof/analysis.h>

enum dp_sampled {
	DP_SAMPLED_JOULES,    /* integral of the power */
	DP_SAMPLED_CLOCK,     /* mean, in MHz */
	DP_SAMPLED_THROTTLED, /* share of the time in which a reason lowered the clocks */
	DP_SAMPLED_SM,	      /* shares of the units' peak */
	DP_SAMPLED_TENSOR,
	DP_SAMPLED_DRAM
};

/*
 * Computes values of periods within the device's samples; NaN for others, and for what was not
 * sampled. Errors: DP_ERR_NOMEM. Cost: linear in the samples and the iterations.
 */
int dp_samples__fill(double *values, const struct dp_device_timeline *timeline,
		     const struct dp_iteration *iterations, size_t count, enum dp_sampled what,
		     struct dp_error *error);

enum dp_memory_state {
	DP_MEMORY_LIVE, /* at the end of the iteration, of what was allocated in the trace */
	DP_MEMORY_PEAK, /* the most within the period */
	DP_MEMORY_ALLOCATIONS,
	DP_MEMORY_FREES
};

/*
 * The same for device memory; NaN if the trace has no memory events of the device. Allocations and
 * frees are then counted by their calls, if the trace has calls. Errors: DP_ERR_NOMEM. Cost:
 * linear.
 */
int dp_memory__fill(double *values, const struct dp_device_timeline *timeline,
		    const struct dp_iteration *iterations, size_t count, enum dp_memory_state state,
		    struct dp_error *error);

#endif
