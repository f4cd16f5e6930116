/* How long the device does anything: the union of all operations on all of its streams. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part(input, DP_PART_BUSY, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_busy_ns", "ns", DP_BETTER_NEITHER, "mean of busy_ns in the steady state",
	    "busy_ns" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__busy = {
	{ "busy_ns", "ns", DP_BETTER_NEITHER,
	  "time of the period in which the device runs any operation" },
	compute,
	summaries,
};
