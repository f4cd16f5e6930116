/* What an iteration costs in energy. */
#include "metric/reduce.h"
#include "metric/states.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	return dp_states__fill(values, input, DP_STATE_JOULES, error);
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_energy_J", "J", DP_BETTER_LOWER, "mean of energy_J in the steady state",
	    "energy_J", DP_NEED_SAMPLES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL, DP_NEED_NOTHING }, NULL },
};

const struct dp_metric dp_metric__energy = {
	{ "energy_J", "J", DP_BETTER_LOWER, "energy that the device used in the period", NULL,
	  DP_NEED_SAMPLES },
	compute,
	summaries,
	.without_parts = true,
};
