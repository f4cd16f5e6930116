/* Pageable memory is copied twice, by the driver, while the caller waits. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part(input, DP_PART_PAGEABLE_NS, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_pageable_copy_ns", "ns", DP_BETTER_LOWER,
	    "mean of pageable_copy_ns in the steady state", "pageable_copy_ns" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__pageable_copy = {
	{ "pageable_copy_ns", "ns", DP_BETTER_LOWER,
	  "duration of the copies from and to pageable memory" },
	compute,
	summaries,
};
