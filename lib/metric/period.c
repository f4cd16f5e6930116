/* How long one turn of the loop takes, start to start: what a user waits for. */
#include "metric/change.h"
#include "metric/reduce.h"

#include <math.h>

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	for (size_t k = 0; k < input->count; k++)
		values[k] = dp_metric__period_ns(input, k);
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

/* Less is no news. */
#define LEAST_STEP 0.05

/* Steady periods that change their level: where, and by how much. */
static bool find_step(struct dp_change *change, const struct dp_metric_input *input,
		      const double *values)
{
	return dp_change__find(change, input->scratch, dp_reduce__steady(input, values)) &&
	       fabs(change->after - change->before) >= LEAST_STEP * change->before;
}

static double step(const struct dp_metric_input *input, const double *values)
{
	struct dp_change change;

	return find_step(&change, input, values) ? change.after - change.before : (double)NAN;
}

/* The iteration whose period is the steady one of that number. */
static double step_iteration(const struct dp_metric_input *input, const double *values)
{
	struct dp_change change;
	size_t k = 0;

	if (!find_step(&change, input, values))
		return (double)NAN;
	for (;; k++)
		if (dp_reduce__is_steady(input, values, k) && !change.at--)
			return (double)k;
}

static const struct dp_metric_summary summaries[] = {
	{ { "median_period_ns", "ns", DP_BETTER_LOWER,
	    "median of the steady period_ns: without warm-up and without other kernels in it",
	    "period_ns" },
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
	{ { "period_step_ns", "ns", DP_BETTER_LOWER,
	    "lasting increase of the steady period_ns from one iteration on, if at least 5%",
	    "period_ns" },
	  step },
	{ { "period_step_iteration", "count", DP_BETTER_NEITHER,
	    "the iteration at which period_step_ns starts", "period_ns" },
	  step_iteration },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__period = {
	{ "period_ns", "ns", DP_BETTER_LOWER,
	  "from the start of the first kernel to the start of the next iteration's" },
	compute,
	summaries,
	true,
};
