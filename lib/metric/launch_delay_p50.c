/* How far the device is behind the host: its median. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	return dp_metric__per_kernel(input, DP_KERNEL_DELAY, 0.5, values, error);
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_launch_delay_p50_ns", "ns", DP_BETTER_NEITHER,
	    "mean of launch_delay_p50_ns in the steady state", "launch_delay_p50_ns",
	    DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__launch_delay_p50 = {
	{ "launch_delay_p50_ns", "ns", DP_BETTER_NEITHER,
	  "median time from the end of a kernel's launch call to its start", NULL,
	  DP_NEED_LAUNCHES },
	compute,
	summaries,
	.without_parts = true,
};
