/* The interval between iterations (DeepProf, section IV-D): what the main stream waited. */
#include "metric/reduce.h"

#include <math.h>

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	for (size_t k = 0; k < input->count; k++)
		values[k] =
			dp_metric__has_interval(input, k)
				? (double)(input->interval_end_ns[k] - input->interval_start_ns[k])
				: (double)NAN;
	return DP_OK;
}

static double average(const struct dp_metric_input *input, const double *values)
{
	return dp_stat__mean(input->scratch, dp_reduce__uninterrupted(input, values));
}

static double longest(const struct dp_metric_input *input, const double *values)
{
	return dp_stat__max(input->scratch, dp_reduce__uninterrupted(input, values));
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_interval_ns", "ns", DP_BETTER_LOWER,
	    "mean of interval_ns, except intervals with other kernels", "interval_ns" },
	  average },
	{ { "max_interval_ns", "ns", DP_BETTER_LOWER,
	    "longest interval_ns, except intervals with other kernels", "interval_ns" },
	  longest },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__interval = {
	{ "interval_ns", "ns", DP_BETTER_LOWER,
	  "from the end of the previous iteration's last kernel to the start of the first" },
	compute,
	summaries,
	true,
};
