/* What is gathered from each kernel of an iteration. */
#include "metric/metric.h"
#include "metric/stat.h"

#include <math.h>

/* Below this many, sorting by insertion is faster than selecting. */
#define FEW 24

static size_t gather(const struct dp_metric_input *input, enum dp_kernel_value which,
		     const struct dp_iteration *at, double *values)
{
	const struct dp_calls *calls = dp_trace_calls(input->trace);
	const struct dp_ops *ops = dp_trace_ops(input->trace);
	size_t count = 0;

	for (size_t i = at->first_kernel; i < at->first_kernel + at->kernels; i++) {
		uint32_t op = input->ops[i], call = ops->call[op];

		if (which == DP_KERNEL_TIME)
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

/* The nearest rank: the smallest value that at least that share of all are not above. */
static double ranked(double *values, size_t count, double rank)
{
	size_t at = (size_t)ceil(rank * (double)count);

	at = at ? DP_MIN(at, count) - 1 : 0;
	if (count > FEW)
		return dp_stat__select(values, count, at);
	sort(values, count);
	return values[at];
}

int dp_metric__per_kernel(const struct dp_metric_input *input, enum dp_kernel_value which,
			  double rank, double *values, struct dp_error *error)
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
			    (which == DP_KERNEL_DELAY && !input->work->known);

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
