/* How fast copies from and to pinned memory are. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__ratio(input, DP_PART_PINNED_BYTES, DP_PART_PINNED_NS, values);
	for (size_t k = 0; k < input->count; k++)
		values[k] *= 1e9;
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_pinned_bandwidth", "bytes/s", DP_BETTER_HIGHER,
	    "mean of pinned_bandwidth in the steady state", "pinned_bandwidth", DP_NEED_KINDS },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__pinned_bandwidth = {
	{ "pinned_bandwidth", "bytes/s", DP_BETTER_HIGHER,
	  "bandwidth of copies between pinned memory and the device while they run", NULL,
	  DP_NEED_KINDS },
	compute,
	summaries,
};
