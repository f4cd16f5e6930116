/* Copies that the host waits for although nothing forces it to. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part_launched(input, DP_PART_BLOCKING_NS, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_blocking_copy_ns", "ns", DP_BETTER_LOWER,
	    "mean of blocking_copy_ns in the steady state", "blocking_copy_ns", DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__blocking_copy = {
	{ "blocking_copy_ns", "ns", DP_BETTER_LOWER,
	  "duration of the copies that the caller waited for, except those of pageable memory",
	  NULL, DP_NEED_LAUNCHES },
	compute,
	summaries,
};
