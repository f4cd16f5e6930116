/*
 * The metrics of DeepProf (section IV-D): the interval between iterations, in which the main stream
 * waits, how much of it uploads fill on any stream of the device, the gap between operations inside
 * an iteration, and the bytes that are uploaded for it.
 */
#include "metric/family.h"
#include "base/search.h"

#include <math.h>

static int compute_interval(double *values, const struct dp_metric_input *input,
			    const struct dp_metric *row, struct dp_error *error)
{
	for (size_t k = 0; k < input->count; k++)
		values[k] =
			dp_metric__has_interval(input, k)
				? (double)(input->interval_end_ns[k] - input->interval_start_ns[k])
				: (double)NAN;
	return DP_OK;
}

static int compute_overlap(double *values, const struct dp_metric_input *input,
			   const struct dp_metric *row, struct dp_error *error)
{
	for (size_t k = 0; k < input->count; k++) {
		int64_t start_ns = input->interval_start_ns[k], end_ns = input->interval_end_ns[k];

		values[k] = (double)NAN;
		if (dp_metric__has_interval(input, k) && end_ns > start_ns)
			values[k] = (double)dp_spans__covered(&input->timeline->uploads, start_ns,
							      end_ns) /
				    (double)(end_ns - start_ns);
	}
	return DP_OK;
}

/* The index in a stream's operations of the first at or after an operation. */
static size_t place_of(const uint32_t *rows, size_t count, uint32_t op)
{
	size_t low;

	DP_FIND(low, 0, count, rows[low] >= op);
	return low;
}

/* Mean gap before rows[first + 1] … rows[last]. */
static double mean_gap(const struct dp_ops *ops, const uint32_t *rows, size_t first, size_t last)
{
	int64_t until_ns = ops->end_ns[rows[first]], sum_ns = 0;

	for (size_t i = first + 1; i <= last; i++) {
		int64_t start_ns = ops->start_ns[rows[i]], end_ns = ops->end_ns[rows[i]];

		if (start_ns > until_ns)
			sum_ns += start_ns - until_ns;
		until_ns = DP_MAX(until_ns, end_ns);
	}
	return last > first ? (double)sum_ns / (double)(last - first) : (double)NAN;
}

static int compute_operation_gap(double *values, const struct dp_metric_input *input,
				 const struct dp_metric *row, struct dp_error *error)
{
	const struct dp_ops *ops = dp_trace_ops(input->trace);
	const uint32_t *rows = input->rows;
	size_t count = input->row_count;

	for (size_t k = 0; k < input->count; k++) {
		const struct dp_iteration *at = &input->iterations[k];

		values[k] = (double)NAN;
		if (at->partial || at->kernels < 1)
			continue;
		values[k] = mean_gap(
			ops, rows, place_of(rows, count, input->ops[at->first_kernel]),
			place_of(rows, count, input->ops[at->first_kernel + at->kernels - 1]));
	}
	return DP_OK;
}

/*
 * From when on the uploads of an iteration without a complete predecessor count: the end of the
 * stream's last kernel before it, or the beginning of the trace.
 */
static int64_t begin_without(const struct dp_metric_input *input, const struct dp_iteration *at)
{
	const struct dp_ops *ops = dp_trace_ops(input->trace);
	const uint32_t *rows = input->rows;
	size_t place = place_of(rows, input->row_count, input->ops[at->first_kernel]);

	while (place > 0)
		if (dp_op_is_kernel(ops->kind[rows[--place]]))
			return ops->end_ns[rows[place]];
	return INT64_MIN;
}

/* The first copy that starts at a time or later. */
static size_t first_from(const struct dp_metric_input *input, int64_t time_ns)
{
	const int64_t *start_ns = dp_trace_ops(input->trace)->start_ns;
	size_t low;

	DP_FIND(low, 0, input->timeline->copy_count,
		start_ns[input->timeline->copies[low]] >= time_ns);
	return low;
}

struct sum {
	uint64_t bytes; /* modulo 2^64: differences are exact if the true ones fit */
	size_t unknown; /* copies whose size is not recorded */
};

static struct sum *sum_bytes(const struct dp_metric_input *input)
{
	const uint64_t *bytes = dp_trace_ops(input->trace)->bytes;
	struct sum *before = dp_alloc__array(input->timeline->copy_count + 1, sizeof(*before));

	if (!before)
		return NULL;
	before[0] = (struct sum){ 0 };
	for (size_t i = 0; i < input->timeline->copy_count; i++) {
		uint64_t size = bytes[input->timeline->copies[i]];

		before[i + 1] = (struct sum){ before[i].bytes + size, before[i].unknown + !size };
	}
	return before;
}

static int compute_h2d_bytes(double *values, const struct dp_metric_input *input,
			     const struct dp_metric *row, struct dp_error *error)
{
	struct sum *before = sum_bytes(input);

	if (!before)
		return dp_error__nomem(error,
				       dp_size__mul(input->timeline->copy_count, sizeof(*before)));
	for (size_t k = 0; k < input->count; k++) {
		const struct dp_iteration *at = &input->iterations[k];
		size_t first, end;

		values[k] = (double)NAN;
		/* after other kernels, the uploads may be theirs */
		if (at->partial || at->resumed || at->foreign_kernels)
			continue;
		first = first_from(input, dp_metric__has_interval(input, k)
						  ? input->interval_start_ns[k]
						  : begin_without(input, at));
		end = first_from(input, at->end_ns);
		if (end <= first)
			values[k] = 0;
		else if (before[end].unknown == before[first].unknown)
			values[k] = (double)(before[end].bytes - before[first].bytes);
	}
	free(before);
	return DP_OK;
}

static const struct dp_metric_summary interval_summaries[] = {
	{ { "avg_interval_ns", "ns", DP_BETTER_LOWER,
	    "mean of interval_ns, except intervals with other kernels", "interval_ns" },
	  DP_OVER_UNINTERRUPTED,
	  dp_metric__mean },
	{ { "max_interval_ns", "ns", DP_BETTER_LOWER,
	    "longest interval_ns, except intervals with other kernels", "interval_ns" },
	  DP_OVER_UNINTERRUPTED,
	  dp_metric__max },
	{ { NULL } },
};

static const struct dp_metric rows[] = {
	{ { "interval_ns", "ns", DP_BETTER_LOWER,
	    "from the end of the previous iteration's last kernel to the start of the first" },
	  interval_summaries,
	  compute_interval,
	  .reads = DP_READS_ITERATIONS },
	{ DP_SUMMARIZED("overlap", "1", DP_BETTER_NEITHER, DP_NEED_NOTHING,
			"share of the interval during which the device received host-to-device "
			"copies",
			"avg_overlap", "mean of overlap, except intervals with other kernels",
			DP_OVER_UNINTERRUPTED, dp_metric__mean),
	  compute_overlap, .reads = DP_READS_TIMELINE },
	{ DP_SUMMARIZED("operation_gap_ns", "ns", DP_BETTER_LOWER, DP_NEED_NOTHING,
			"mean gap between consecutive operations of the stream inside the "
			"iteration",
			"avg_operation_ns", "mean of operation_gap_ns", DP_OVER_ALL,
			dp_metric__mean),
	  compute_operation_gap, .reads = DP_READS_TIMELINE },
	{ DP_SUMMARIZED("h2d_bytes", "bytes", DP_BETTER_NEITHER, DP_NEED_NOTHING,
			"bytes copied from host to device since the end of the previous iteration; "
			"unknown if other kernels ran since then",
			"avg_size_bytes", "mean of h2d_bytes", DP_OVER_ALL, dp_metric__mean),
	  compute_h2d_bytes, .reads = DP_READS_TIMELINE },
};

const struct dp_metric_family dp_family__paper = { rows, DP_COUNT(rows) };
