/* By hardware counters: record --gpu-metrics. */
#include "metric/reduce.h"
#include "metric/states.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	return dp_states__fill(values, input, DP_STATE_SM, error);
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_sm_active", "1", DP_BETTER_HIGHER, "mean of sm_active in the steady state",
	    "sm_active", DP_NEED_ACTIVITY },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL, DP_NEED_NOTHING }, NULL },
};

const struct dp_metric dp_metric__sm_active = {
	{ "sm_active", "1", DP_BETTER_HIGHER,
	  "share of the period in which a multiprocessor had work, averaged over all", NULL,
	  DP_NEED_ACTIVITY },
	compute,
	summaries,
	.without_parts = true,
};
