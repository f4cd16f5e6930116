/* How long the launching threads had no processor. */
#include "metric/cpu.h"
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	return dp_cpu__fill(values, input, DP_CPU_WAIT, error);
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_cpu_wait_ns", "ns", DP_BETTER_LOWER, "mean of cpu_wait_ns in the steady state",
	    "cpu_wait_ns", DP_NEED_HOST },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL, DP_NEED_NOTHING }, NULL },
};

const struct dp_metric dp_metric__cpu_wait = {
	{ "cpu_wait_ns", "ns", DP_BETTER_LOWER,
	  "time that the launching threads were runnable but not running, summed over them",
	  NULL, DP_NEED_HOST },
	compute,
	summaries,
	.without_parts = true,
};
