/* Delestrac (table 4.1) has two utilizations; this is the aggregate one. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__share(input, DP_PART_KERNEL_SUM, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_utilization_sum", "1", DP_BETTER_HIGHER,
	    "mean of utilization_sum in the steady state", "utilization_sum" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__utilization_sum = {
	{ "utilization_sum", "1", DP_BETTER_HIGHER,
	  "sum of kernel durations divided by the period; above 1 if streams overlap" },
	compute,
	summaries,
};
