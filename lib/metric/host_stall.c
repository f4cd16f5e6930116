/* What the host does for long at once, rather than between two launches. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part_launched(input, DP_PART_HOST_STALL, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_host_stall_ns", "ns", DP_BETTER_LOWER, "mean of host_stall_ns in the steady state",
	    "host_stall_ns", DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__host_stall = {
	{ "host_stall_ns", "ns", DP_BETTER_LOWER,
	  "idle_host_ns in gaps of at least 1% of the period", NULL, DP_NEED_LAUNCHES },
	compute,
	summaries,
};
