/*
 * Bytes uploaded for an iteration (DeepProf, section IV-D): by copies that start after its
 * predecessor's last kernel and before the end of its own, on any stream of the device.
 */
#include "metric/reduce.h"

#include <math.h>

/*
 * Where the uploads of an iteration without a complete predecessor begin to count: at the end of
 * the stream's last kernel before it, or at the trace's beginning.
 */
static int64_t begin_without(const struct dp_metric_input *input, const struct dp_iteration *at)
{
	const struct dp_ops *ops = dp_trace_ops(input->trace);
	const uint32_t *rows = input->rows;
	size_t place = dp_metric__place(rows, input->row_count, input->ops[at->first_kernel]);

	while (place > 0)
		if (dp_op_is_kernel(ops->kind[rows[--place]]))
			return ops->end_ns[rows[place]];
	return INT64_MIN;
}

/* The first copy that starts at a time or later. */
static size_t first_from(const struct dp_metric_input *input, int64_t time_ns)
{
	const int64_t *start_ns = dp_trace_ops(input->trace)->start_ns;
	size_t low = 0, high = input->work->copy_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (start_ns[input->work->copies[middle]] < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Sums modulo 2^64: their differences are exact wherever the true ones fit. */
static uint64_t *sum_bytes(const struct dp_metric_input *input)
{
	const uint64_t *bytes = dp_trace_ops(input->trace)->bytes;
	uint64_t *before = dp_alloc__array(input->work->copy_count + 1, sizeof(*before));

	if (!before)
		return NULL;
	before[0] = 0;
	for (size_t i = 0; i < input->work->copy_count; i++)
		before[i + 1] = before[i] + bytes[input->work->copies[i]];
	return before;
}

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	uint64_t *before = sum_bytes(input);

	if (!before)
		return dp_error__nomem(error,
				       dp_size__mul(input->work->copy_count, sizeof(*before)));
	for (size_t k = 0; k < input->count; k++) {
		const struct dp_iteration *at = &input->iterations[k];
		size_t first, end;

		values[k] = (double)NAN;
		if (at->partial || at->resumed)
			continue;
		first = first_from(input, dp_metric__has_interval(input, k)
						  ? input->interval_start_ns[k]
						  : begin_without(input, at));
		end = first_from(input, at->end_ns);
		values[k] = end > first ? (double)(before[end] - before[first]) : 0;
	}
	free(before);
	return DP_OK;
}

static double average(const struct dp_metric_input *input, const double *values)
{
	return dp_stat__mean(input->scratch, dp_reduce__all(input, values));
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_size_bytes", "bytes", DP_BETTER_NEITHER, "mean of h2d_bytes", "h2d_bytes" },
	  average },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__h2d_bytes = {
	{ "h2d_bytes", "bytes", DP_BETTER_NEITHER,
	  "bytes copied from host to device since the end of the previous iteration" },
	compute,
	summaries,
	.without_parts = true,
};
