/* Pageable memory is copied twice, by the driver, while the caller waits. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__ratio(input, DP_PART_PAGEABLE_BYTES, DP_PART_HOST_BYTES, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_pageable_share", "1", DP_BETTER_LOWER,
	    "mean of pageable_share in the steady state", "pageable_share", DP_NEED_KINDS },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__pageable_share = {
	{ "pageable_share", "1", DP_BETTER_LOWER,
	  "share of the bytes copied between host and device that is from or to pageable memory",
	  NULL,
	  DP_NEED_KINDS },
	compute,
	summaries,
};
