/* What calls cost that allocate, free, load code and so on: the device waits until they return. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part_launched(input, DP_PART_CALL_STALL, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_call_stall_ns", "ns", DP_BETTER_LOWER, "mean of call_stall_ns in the steady state",
	    "call_stall_ns", DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__call_stall = {
	{ "call_stall_ns", "ns", DP_BETTER_LOWER,
	  "part of idle_host_ns in calls of the launching threads that allocate, free, load code "
	  "or do anything but launch, wait or copy",
	  NULL, DP_NEED_LAUNCHES },
	compute,
	summaries,
};
