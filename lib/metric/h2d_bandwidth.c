/* How fast uploads are. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__ratio(input, DP_PART_H2D_BYTES, DP_PART_H2D_NS, values);
	for (size_t k = 0; k < input->count; k++)
		values[k] *= 1e9;
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_h2d_bandwidth", "bytes/s", DP_BETTER_HIGHER,
	    "mean of h2d_bandwidth in the steady state", "h2d_bandwidth" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__h2d_bandwidth = {
	{ "h2d_bandwidth", "bytes/s", DP_BETTER_HIGHER,
	  "bandwidth of copies from host to device while they run" },
	compute,
	summaries,
};
