/* How many copies within the device there are: each is a launch, too. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part(input, DP_PART_D2D_COPIES, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_d2d_copies", "count", DP_BETTER_LOWER, "mean of d2d_copies in the steady state",
	    "d2d_copies" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__d2d_copies = {
	{ "d2d_copies", "count", DP_BETTER_LOWER,
	  "copies within the device that start in the period" },
	compute,
	summaries,
};
