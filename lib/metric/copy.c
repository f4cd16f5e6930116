/* The union of copies and sets. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part(input, DP_PART_COPY, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_copy_ns", "ns", DP_BETTER_NEITHER, "mean of copy_ns in the steady state",
	    "copy_ns" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__copy = {
	{ "copy_ns", "ns", DP_BETTER_NEITHER, "time in which copies or memsets run" },
	compute,
	summaries,
};
