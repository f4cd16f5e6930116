/* Delestrac (table 4.1) has two utilizations; this is the one of time. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__share(input, DP_PART_BUSY, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_utilization", "1", DP_BETTER_HIGHER, "mean of utilization in the steady state",
	    "utilization" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__utilization = {
	{ "utilization", "1", DP_BETTER_HIGHER,
	  "share of the period in which the device runs any operation" },
	compute,
	summaries,
};
