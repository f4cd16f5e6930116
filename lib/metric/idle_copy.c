/* Idle time by cause (gaps.c); the causes sum to idle_ns. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part_launched(input, DP_PART_IDLE_COPY, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_idle_copy_ns", "ns", DP_BETTER_LOWER, "mean of idle_copy_ns in the steady state",
	    "idle_copy_ns", DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__idle_copy = {
	{ "idle_copy_ns", "ns", DP_BETTER_LOWER,
	  "idle time while the launching threads were in copy calls", NULL,
	  DP_NEED_LAUNCHES },
	compute,
	summaries,
};
