/* How often memory is given back. */
#include "metric/reduce.h"
#include "metric/states.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	return dp_states__memory(values, input, DP_MEMORY_FREES, error);
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_frees", "count", DP_BETTER_LOWER, "mean of frees in the steady state", "frees",
	    DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL, DP_NEED_NOTHING }, NULL },
};

const struct dp_metric dp_metric__frees = {
	{ "frees", "count", DP_BETTER_LOWER, "times that device memory was freed in the period",
	  NULL, DP_NEED_LAUNCHES },
	compute,
	summaries,
	.without_parts = true,
};
