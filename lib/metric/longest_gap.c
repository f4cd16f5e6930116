/* The longest time that the device does nothing at once. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part(input, DP_PART_LONGEST_GAP, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_longest_gap_ns", "ns", DP_BETTER_LOWER,
	    "mean of longest_gap_ns in the steady state", "longest_gap_ns" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__longest_gap = {
	{ "longest_gap_ns", "ns", DP_BETTER_LOWER,
	  "longest gap of the device that starts in the period" },
	compute,
	summaries,
};
