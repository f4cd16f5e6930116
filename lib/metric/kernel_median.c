/* How long an ordinary kernel takes. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	return dp_metric__per_kernel(input, DP_KERNEL_TIME, 0.5, values, error);
}

static const struct dp_metric_summary summaries[] = {
	{ { "median_kernel_ns", "ns", DP_BETTER_NEITHER,
	    "median of kernel_median_ns in the steady state", "kernel_median_ns" },
	  dp_reduce__steady_median },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__kernel_median = {
	{ "kernel_median_ns", "ns", DP_BETTER_NEITHER,
	  "median duration of the iteration's kernels" },
	compute,
	summaries,
	.without_parts = true,
};
