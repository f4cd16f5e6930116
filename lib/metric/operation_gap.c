/*
 * The gap between operations inside an iteration (DeepProf, section IV-D): on the main stream,
 * copies and sets included, each measured from the latest end so far.
 */
#include "metric/reduce.h"

#include <math.h>

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

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
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
			ops, rows, dp_metric__place(rows, count, input->ops[at->first_kernel]),
			dp_metric__place(rows, count,
					 input->ops[at->first_kernel + at->kernels - 1]));
	}
	return DP_OK;
}

static double average(const struct dp_metric_input *input, const double *values)
{
	return dp_stat__mean(input->scratch, dp_reduce__all(input, values));
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_operation_ns", "ns", DP_BETTER_LOWER, "mean of operation_gap_ns",
	    "operation_gap_ns" },
	  average },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__operation_gap = {
	{ "operation_gap_ns", "ns", DP_BETTER_LOWER,
	  "mean gap between consecutive operations of the stream inside the iteration" },
	compute,
	summaries,
	.without_parts = true,
};
