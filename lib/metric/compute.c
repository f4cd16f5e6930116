/* The union of the kernels that compute. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part(input, DP_PART_COMPUTE, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_compute_ns", "ns", DP_BETTER_NEITHER, "mean of compute_ns in the steady state",
	    "compute_ns" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__compute = {
	{ "compute_ns", "ns", DP_BETTER_NEITHER,
	  "time in which kernels other than communication run" },
	compute,
	summaries,
};
