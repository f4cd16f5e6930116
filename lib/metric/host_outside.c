/* What the host does besides launching: the program itself. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part_launched(input, DP_PART_HOST_CALLS, values);
	for (size_t k = 0; k < input->count; k++)
		values[k] = dp_metric__period_ns(input, k) - values[k];
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_host_outside_ns", "ns", DP_BETTER_NEITHER,
	    "mean of host_outside_ns in the steady state", "host_outside_ns", DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__host_outside = {
	{ "host_outside_ns", "ns", DP_BETTER_NEITHER,
	  "time in which no launching thread is in a GPU API call", NULL,
	  DP_NEED_LAUNCHES },
	compute,
	summaries,
};
