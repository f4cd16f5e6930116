/* What is moved about on the device. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part(input, DP_PART_D2D_BYTES, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_d2d_bytes", "bytes", DP_BETTER_NEITHER, "mean of d2d_bytes in the steady state",
	    "d2d_bytes" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__d2d_bytes = {
	{ "d2d_bytes", "bytes", DP_BETTER_NEITHER, "bytes copied within the device in the period" },
	compute,
	summaries,
};
