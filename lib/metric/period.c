/* How long an iteration takes: from start to start, what a user waits for, and its kernels alone.
 */
#include "activity/periods.h"
#include "metric/family.h"
#include "stats/change.h"

#include <math.h>

static int compute_period(double *values, const struct dp_metric_input *input,
			  const struct dp_metric *row, struct dp_error *error)
{
	for (size_t k = 0; k < input->count; k++)
		values[k] = dp_metric__period_ns(input, k);
	return DP_OK;
}

/* Less is no news. */
#define LEAST_STEP 0.05

/* Finds where steady periods change their level, and by how much. */
static bool find_step(struct dp_change *change, const double *values, size_t count)
{
	return dp_change__find(change, values, count) &&
	       fabs(change->after - change->before) >= LEAST_STEP * change->before;
}

static double step(double *values, size_t count)
{
	struct dp_change change;

	return find_step(&change, values, count) ? change.after - change.before : (double)NAN;
}

static bool is_steady(const struct dp_metric_input *input, const double *values, size_t k)
{
	return !isnan(values[k]) && dp_period__is_steady(input->iterations, input->count, k);
}

/* The first iteration with the new level of the period. */
static double step_iteration(const struct dp_metric_input *input, const double *values)
{
	struct dp_change change;
	size_t count = 0;

	for (size_t k = 0; k < input->count; k++)
		if (is_steady(input, values, k))
			input->scratch[count++] = values[k];
	if (!find_step(&change, input->scratch, count))
		return (double)NAN;
	for (size_t k = 0;; k++)
		if (is_steady(input, values, k) && !change.at--)
			return (double)k;
}

static int compute_duration(double *values, const struct dp_metric_input *input,
			    const struct dp_metric *row, struct dp_error *error)
{
	for (size_t k = 0; k < input->count; k++)
		values[k] = (double)(input->iterations[k].end_ns - input->iterations[k].start_ns);
	return DP_OK;
}

static const struct dp_metric_summary period_summaries[] = {
	{ { "median_period_ns", "ns", DP_BETTER_LOWER,
	    "median of the steady period_ns: without warm-up and without other kernels in it",
	    "period_ns" },
	  DP_OVER_STEADY,
	  dp_stat__median },
	{ { "avg_period_ns", "ns", DP_BETTER_LOWER, "mean of the steady period_ns", "period_ns" },
	  DP_OVER_STEADY,
	  dp_metric__mean },
	{ { "p95_period_ns", "ns", DP_BETTER_LOWER, "95th percentile of the steady period_ns",
	    "period_ns" },
	  DP_OVER_STEADY,
	  dp_stat__p95 },
	{ { "min_period_ns", "ns", DP_BETTER_LOWER, "shortest steady period_ns", "period_ns" },
	  DP_OVER_STEADY,
	  dp_metric__min },
	{ { "max_period_ns", "ns", DP_BETTER_LOWER, "longest steady period_ns", "period_ns" },
	  DP_OVER_STEADY,
	  dp_metric__max },
	{ { "mad_period_ns", "ns", DP_BETTER_LOWER,
	    "median absolute deviation of the steady period_ns", "period_ns" },
	  DP_OVER_STEADY,
	  dp_stat__mad },
	{ { "period_step_ns", "ns", DP_BETTER_LOWER,
	    "lasting increase of the steady period_ns from one iteration on, if at least 5%",
	    "period_ns" },
	  DP_OVER_STEADY,
	  step },
	{ { "period_step_iteration", "count", DP_BETTER_NEITHER,
	    "the iteration at which period_step_ns starts", "period_ns" },
	  .reduce = step_iteration },
	{ { NULL } },
};

static const struct dp_metric rows[] = {
	{ { "period_ns", "ns", DP_BETTER_LOWER,
	    "from the start of the first kernel to the start of the next iteration's" },
	  period_summaries,
	  compute_period,
	  .reads = DP_READS_ITERATIONS },
	{ DP_SUMMARIZED("duration_ns", "ns", DP_BETTER_LOWER, DP_NEED_NOTHING,
			"from the start of the first kernel to the end of the last",
			"median_duration_ns", "median of duration_ns, without warm-up",
			DP_OVER_WARM, dp_stat__median),
	  compute_duration, .reads = DP_READS_ITERATIONS },
};

const struct dp_metric_family dp_family__period = { rows, DP_COUNT(rows) };
