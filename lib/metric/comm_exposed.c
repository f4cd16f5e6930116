/* What communication costs: where no computation hides it (HTA). */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part(input, DP_PART_KERNELS, values);
	for (size_t k = 0; k < input->count; k++)
		values[k] -= dp_parts__get(&input->parts, DP_PART_COMPUTE, k);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_comm_exposed_ns", "ns", DP_BETTER_LOWER,
	    "mean of comm_exposed_ns in the steady state", "comm_exposed_ns" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__comm_exposed = {
	{ "comm_exposed_ns", "ns", DP_BETTER_LOWER,
	  "time in which communication kernels run and no other kernel does" },
	compute,
	summaries,
};
