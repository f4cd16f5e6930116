/* How long the launching threads ran. */
#include "metric/cpu.h"
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	return dp_cpu__fill(values, input, DP_CPU_RUN, error);
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_cpu_run_ns", "ns", DP_BETTER_NEITHER, "mean of cpu_run_ns in the steady state",
	    "cpu_run_ns", DP_NEED_HOST },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL, DP_NEED_NOTHING }, NULL },
};

const struct dp_metric dp_metric__cpu_run = {
	{ "cpu_run_ns", "ns", DP_BETTER_NEITHER,
	  "time that the launching threads ran on the host's processors, summed over them",
	  NULL, DP_NEED_HOST },
	compute,
	summaries,
	.without_parts = true,
};
