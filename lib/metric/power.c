/* How much power the device draws. */
#include "metric/reduce.h"
#include "metric/states.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	int status = dp_states__fill(values, input, DP_STATE_JOULES, error);

	for (size_t k = 0; k < input->count && !status; k++)
		values[k] /= dp_metric__period_ns(input, k) / 1e9;
	return status;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_power_W", "W", DP_BETTER_LOWER, "mean of power_W in the steady state", "power_W",
	    DP_NEED_SAMPLES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL, DP_NEED_NOTHING }, NULL },
};

const struct dp_metric dp_metric__power = {
	{ "power_W", "W", DP_BETTER_LOWER, "mean power of the device in the period", NULL,
	  DP_NEED_SAMPLES },
	compute,
	summaries,
	.without_parts = true,
};
