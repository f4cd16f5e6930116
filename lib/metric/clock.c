/* How fast the device runs. */
#include "metric/reduce.h"
#include "metric/states.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	return dp_states__fill(values, input, DP_STATE_CLOCK, error);
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_clock_MHz", "MHz", DP_BETTER_HIGHER, "mean of clock_MHz in the steady state",
	    "clock_MHz", DP_NEED_SAMPLES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL, DP_NEED_NOTHING }, NULL },
};

const struct dp_metric dp_metric__clock = {
	{ "clock_MHz", "MHz", DP_BETTER_HIGHER,
	  "mean clock of the device's multiprocessors in the period", NULL, DP_NEED_SAMPLES },
	compute,
	summaries,
	.without_parts = true,
};
