/* By hardware counters: record --gpu-metrics. */
#include "metric/reduce.h"
#include "metric/states.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	return dp_states__fill(values, input, DP_STATE_DRAM, error);
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_dram_active", "1", DP_BETTER_NEITHER, "mean of dram_active in the steady state",
	    "dram_active", DP_NEED_ACTIVITY },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL, DP_NEED_NOTHING }, NULL },
};

const struct dp_metric dp_metric__dram_active = {
	{ "dram_active", "1", DP_BETTER_NEITHER,
	  "throughput of device memory in the period, as a share of its peak", NULL,
	  DP_NEED_ACTIVITY },
	compute,
	summaries,
	.without_parts = true,
};
