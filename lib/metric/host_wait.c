/* How long the device waits for the host, but for its input. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part_launched(input, DP_PART_IDLE_HOST, values);
	for (size_t k = 0; k < input->count; k++)
		values[k] -= dp_parts__get(&input->parts, DP_PART_INPUT_WAIT, k);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_host_wait_ns", "ns", DP_BETTER_LOWER, "mean of host_wait_ns in the steady state",
	    "host_wait_ns", DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__host_wait = {
	{ "host_wait_ns", "ns", DP_BETTER_LOWER, "idle_host_ns without input_wait_ns", NULL,
	  DP_NEED_LAUNCHES },
	compute,
	summaries,
};
