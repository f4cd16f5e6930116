/* What launching one by one costs, whatever the cause. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part(input, DP_PART_SHORT_GAPS, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_short_gaps_ns", "ns", DP_BETTER_LOWER, "mean of short_gaps_ns in the steady state",
	    "short_gaps_ns" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__short_gaps = {
	{ "short_gaps_ns", "ns", DP_BETTER_LOWER, "idle time in gaps under 30 us" },
	compute,
	summaries,
};
