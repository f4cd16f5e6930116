/* How long the device does nothing: the rest of the period. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	for (size_t k = 0; k < input->count; k++)
		values[k] = dp_metric__period_ns(input, k) -
			    dp_parts__get(&input->parts, DP_PART_BUSY, k);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_idle_ns", "ns", DP_BETTER_LOWER, "mean of idle_ns in the steady state",
	    "idle_ns" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__idle = {
	{ "idle_ns", "ns", DP_BETTER_LOWER, "time of the period in which the device is idle" },
	compute,
	summaries,
};
