/* How fast copies on the device are. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__ratio(input, DP_PART_D2D_BYTES, DP_PART_D2D_NS, values);
	for (size_t k = 0; k < input->count; k++)
		values[k] *= 1e9;
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_d2d_bandwidth", "bytes/s", DP_BETTER_HIGHER,
	    "mean of d2d_bandwidth in the steady state", "d2d_bandwidth" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__d2d_bandwidth = {
	{ "d2d_bandwidth", "bytes/s", DP_BETTER_HIGHER,
	  "bandwidth of copies within the device while they run" },
	compute,
	summaries,
};
