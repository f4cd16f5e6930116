/* How fast downloads are. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__ratio(input, DP_PART_D2H_BYTES, DP_PART_D2H_NS, values);
	for (size_t k = 0; k < input->count; k++)
		values[k] *= 1e9;
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_d2h_bandwidth", "bytes/s", DP_BETTER_HIGHER,
	    "mean of d2h_bandwidth in the steady state", "d2h_bandwidth" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__d2h_bandwidth = {
	{ "d2h_bandwidth", "bytes/s", DP_BETTER_HIGHER,
	  "bandwidth of copies from device to host while they run" },
	compute,
	summaries,
};
