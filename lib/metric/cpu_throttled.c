/* How long the processors of the cgroup were throttled. */
#include "metric/cpu.h"
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	return dp_cpu__fill(values, input, DP_CPU_THROTTLED, error);
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_cpu_throttled_ns", "ns", DP_BETTER_LOWER,
	    "mean of cpu_throttled_ns in the steady state", "cpu_throttled_ns", DP_NEED_HOST },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL, DP_NEED_NOTHING }, NULL },
};

const struct dp_metric dp_metric__cpu_throttled = {
	{ "cpu_throttled_ns", "ns", DP_BETTER_LOWER,
	  "time that the cgroup was throttled by its CPU limit (cpu.max), summed over processors",
	  NULL, DP_NEED_HOST },
	compute,
	summaries,
	.without_parts = true,
};
