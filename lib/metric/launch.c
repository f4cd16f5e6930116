/*
 * The time of kernels, how far the device is behind the host, and the stream's queue (Delestrac,
 * section 3.3.4; HTA): the integral of its depth is the sum of the times that operations spend in
 * it.
 */
#include "metric/family.h"

#include <math.h>

enum kernel_value { KERNEL_TIME, KERNEL_DELAY };

/* With fewer values, insertion sort is faster than selecting. */
#define FEW 24

static size_t gather(const struct dp_metric_input *input, enum kernel_value which,
		     const struct dp_iteration *at, double *values)
{
	const struct dp_calls *calls = dp_trace_calls(input->trace);
	const struct dp_ops *ops = dp_trace_ops(input->trace);
	size_t count = 0;

	for (size_t i = at->first_kernel; i < at->first_kernel + at->kernels; i++) {
		uint32_t op = input->ops[i], call = ops->call[op];

		if (which == KERNEL_TIME)
			values[count++] = (double)(ops->end_ns[op] - ops->start_ns[op]);
		else if (call != DP_NONE)
			values[count++] = (double)(ops->start_ns[op] - calls->end_ns[call]);
	}
	return count;
}

static void sort(double *values, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		double value = values[i];
		size_t at = i;

		for (; at && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
}

/* The nearest rank: the smallest value that at least that share of the values do not exceed. */
static double ranked(double *values, size_t count, double rank)
{
	size_t at = (size_t)ceil(rank * (double)count);

	at = at ? DP_MIN(at, count) - 1 : 0;
	if (count > FEW)
		return dp_stat__select(values, count, at);
	sort(values, count);
	return values[at];
}

/* The mean per iteration if the rank is negative, else the value of that rank. */
static int per_kernel(double *values, const struct dp_metric_input *input, enum kernel_value which,
		      double rank, struct dp_error *error)
{
	size_t most = 0, count;
	double *room;

	for (size_t k = 0; k < input->count; k++)
		most = DP_MAX(most, input->iterations[k].kernels);
	room = dp_alloc__array(most, sizeof(*room));
	if (!room)
		return dp_error__nomem(error, dp_size__mul(most, sizeof(*room)));
	for (size_t k = 0; k < input->count; k++) {
		bool none = input->iterations[k].partial ||
			    (which == KERNEL_DELAY && !input->timeline->known);

		count = none ? 0 : gather(input, which, &input->iterations[k], room);
		if (!count)
			values[k] = (double)NAN;
		else
			values[k] =
				rank < 0 ? dp_stat__mean(room, count) : ranked(room, count, rank);
	}
	free(room);
	return DP_OK;
}

static int compute_times(double *values, const struct dp_metric_input *input,
			 const struct dp_metric *row, struct dp_error *error)
{
	return per_kernel(values, input, KERNEL_TIME, row->rank, error);
}

static int compute_delays(double *values, const struct dp_metric_input *input,
			  const struct dp_metric *row, struct dp_error *error)
{
	return per_kernel(values, input, KERNEL_DELAY, row->rank, error);
}

/* How often the stream runs out of operations. */
static int compute_queue_empty(double *values, const struct dp_metric_input *input,
			       const struct dp_metric *row, struct dp_error *error)
{
	dp_metric__parts(values, input, row, error);
	for (size_t k = 0; k < input->count; k++)
		values[k] = 1 - values[k];
	return DP_OK;
}

static const struct dp_metric rows[] = {
	{ DP_SUMMARIZED("kernel_median_ns", "ns", DP_BETTER_NEITHER, DP_NEED_NOTHING,
			"median duration of the iteration's kernels", "median_kernel_ns",
			"median of kernel_median_ns in the steady state", DP_OVER_STEADY,
			dp_stat__median),
	  compute_times, .rank = 0.5, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("launch_delay_ns", "ns", DP_BETTER_NEITHER, DP_NEED_LAUNCHES,
		      "mean time from the end of a kernel's launch call to its start; negative if "
		      "kernels start before the calls end"),
	  compute_delays, .rank = -1, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("launch_delay_p50_ns", "ns", DP_BETTER_NEITHER, DP_NEED_LAUNCHES,
		      "median time from the end of a kernel's launch call to its start"),
	  compute_delays, .rank = 0.5, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("launch_delay_p99_ns", "ns", DP_BETTER_NEITHER, DP_NEED_LAUNCHES,
		      "99th percentile of the time from the end of a kernel's launch call to its "
		      "start"),
	  compute_delays, .rank = 0.99, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("queue_depth", "operations", DP_BETTER_NEITHER, DP_NEED_LAUNCHES,
		      "operations of the stream that are launched but not started, averaged over "
		      "time"),
	  dp_metric__parts, DP_FORM_SHARE, DP_PART_QUEUE_SUM },
	{ DP_AVERAGED("queue_empty", "1", DP_BETTER_LOWER, DP_NEED_LAUNCHES,
		      "share of the period in which no launched operation waits to start"),
	  compute_queue_empty, DP_FORM_SHARE, DP_PART_QUEUED },
};

const struct dp_metric_family dp_family__launch = { rows, DP_COUNT(rows) };
