/* What copies and sets cost: where they run alone. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part(input, DP_PART_BUSY, values);
	for (size_t k = 0; k < input->count; k++)
		values[k] -= dp_parts__get(&input->parts, DP_PART_KERNELS, k);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_copy_exposed_ns", "ns", DP_BETTER_LOWER,
	    "mean of copy_exposed_ns in the steady state", "copy_exposed_ns" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__copy_exposed = {
	{ "copy_exposed_ns", "ns", DP_BETTER_LOWER,
	  "time in which copies or memsets run and no kernel does" },
	compute,
	summaries,
};
