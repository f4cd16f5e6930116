/* How long one turn of the loop takes, start to start: what a user waits for. */
#include "metric/reduce.h"

#include <math.h>

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	const struct dp_iteration *at = input->iterations;

	for (size_t k = 0; k < input->count; k++)
		values[k] = k + 1 < input->count && !at[k].partial
				    ? (double)(at[k + 1].start_ns - at[k].start_ns)
				    : (double)NAN;
	return DP_OK;
}

static double median(const struct dp_metric_input *input, const double *values)
{
	return dp_stat__median(input->scratch, dp_reduce__steady(input, values));
}

static double average(const struct dp_metric_input *input, const double *values)
{
	return dp_stat__mean(input->scratch, dp_reduce__steady(input, values));
}

static double p95(const struct dp_metric_input *input, const double *values)
{
	return dp_stat__p95(input->scratch, dp_reduce__steady(input, values));
}

static double shortest(const struct dp_metric_input *input, const double *values)
{
	return dp_stat__min(input->scratch, dp_reduce__steady(input, values));
}

static double longest(const struct dp_metric_input *input, const double *values)
{
	return dp_stat__max(input->scratch, dp_reduce__steady(input, values));
}

static double mad(const struct dp_metric_input *input, const double *values)
{
	return dp_stat__mad(input->scratch, dp_reduce__steady(input, values));
}

static const struct dp_metric_summary summaries[] = {
	{ { "median_period_ns", "ns", DP_BETTER_LOWER,
	    "median of the steady period_ns: no warm-up, no other kernels in it", "period_ns" },
	  median },
	{ { "avg_period_ns", "ns", DP_BETTER_LOWER, "mean of the steady period_ns", "period_ns" },
	  average },
	{ { "p95_period_ns", "ns", DP_BETTER_LOWER, "95th percentile of the steady period_ns",
	    "period_ns" },
	  p95 },
	{ { "min_period_ns", "ns", DP_BETTER_LOWER, "shortest steady period_ns", "period_ns" },
	  shortest },
	{ { "max_period_ns", "ns", DP_BETTER_LOWER, "longest steady period_ns", "period_ns" },
	  longest },
	{ { "mad_period_ns", "ns", DP_BETTER_LOWER,
	    "median absolute deviation of the steady period_ns", "period_ns" },
	  mad },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__period = {
	{ "period_ns", "ns", DP_BETTER_LOWER,
	  "from the start of the first kernel to the start of the next iteration's" },
	compute,
	summaries,
	true,
};
