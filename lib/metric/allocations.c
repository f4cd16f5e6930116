/* Allocations cost the host time, and frees wait for the device. */
#include "metric/reduce.h"
#include "metric/states.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	return dp_states__memory(values, input, DP_MEMORY_ALLOCATIONS, error);
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_allocations", "count", DP_BETTER_LOWER, "mean of allocations in the steady state",
	    "allocations", DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL, DP_NEED_NOTHING }, NULL },
};

const struct dp_metric dp_metric__allocations = {
	{ "allocations", "count", DP_BETTER_LOWER,
	  "number of device memory allocations in the period", NULL, DP_NEED_LAUNCHES },
	compute,
	summaries,
	.without_parts = true,
};
