/* What the program holds on to. */
#include "metric/reduce.h"
#include "metric/states.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	return dp_states__memory(values, input, DP_MEMORY_LIVE, error);
}

static double largest(const struct dp_metric_input *input, const double *values)
{
	return dp_stat__max(input->scratch, dp_reduce__all(input, values));
}

static const struct dp_metric_summary summaries[] = {
	{ { "max_live_bytes", "bytes", DP_BETTER_LOWER, "largest live_bytes", "live_bytes",
	    DP_NEED_MEMORY },
	  largest },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL, DP_NEED_NOTHING }, NULL },
};

const struct dp_metric dp_metric__live_bytes = {
	{ "live_bytes", "bytes", DP_BETTER_LOWER,
	  "device memory allocated in the trace and not freed by the end of the iteration",
	  NULL, DP_NEED_MEMORY },
	compute,
	summaries,
	.without_parts = true,
};
