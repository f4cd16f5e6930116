/* Whether the device could run as fast as it should. */
#include "metric/reduce.h"
#include "metric/states.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	return dp_states__fill(values, input, DP_STATE_THROTTLED, error);
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_throttled", "1", DP_BETTER_LOWER, "mean of throttled in the steady state",
	    "throttled", DP_NEED_SAMPLES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL, DP_NEED_NOTHING }, NULL },
};

const struct dp_metric dp_metric__throttled = {
	{ "throttled", "1", DP_BETTER_LOWER,
	  "share of the period in which heat or power reduced the clocks", NULL,
	  DP_NEED_SAMPLES },
	compute,
	summaries,
	.without_parts = true,
};
