/* How fast copies from and to pageable memory are. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__ratio(input, DP_PART_PAGEABLE_BYTES, DP_PART_PAGEABLE_NS, values);
	for (size_t k = 0; k < input->count; k++)
		values[k] *= 1e9;
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_pageable_bandwidth", "bytes/s", DP_BETTER_HIGHER,
	    "mean of pageable_bandwidth in the steady state", "pageable_bandwidth", DP_NEED_KINDS },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__pageable_bandwidth = {
	{ "pageable_bandwidth", "bytes/s", DP_BETTER_HIGHER,
	  "bandwidth of copies between pageable memory and the device while they run", NULL,
	  DP_NEED_KINDS },
	compute,
	summaries,
};
