/* Pageable memory is copied twice, by the driver, while the caller waits. */
#include "metric/reduce.h"

#include <math.h>

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	const struct dp_parts *parts = &input->parts;

	dp_metric__part(input, DP_PART_PAGEABLE_NS, values);
	/* Copies, but none whose memory is known. */
	for (size_t k = 0; k < input->count; k++)
		if (dp_parts__get(parts, DP_PART_H2D_BYTES, k) +
				    dp_parts__get(parts, DP_PART_D2H_BYTES, k) >
			    0 &&
		    dp_parts__get(parts, DP_PART_HOST_BYTES, k) <= 0)
			values[k] = (double)NAN;
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_pageable_copy_ns", "ns", DP_BETTER_LOWER,
	    "mean of pageable_copy_ns in the steady state", "pageable_copy_ns", DP_NEED_KINDS },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__pageable_copy = {
	{ "pageable_copy_ns", "ns", DP_BETTER_LOWER,
	  "duration of copies from and to pageable memory", NULL, DP_NEED_KINDS },
	compute,
	summaries,
};
