/*
 * Operations come in order of start, so the latest end so far shows what each adds to their union,
 * and the gaps.
 */
#include "activity/slices.h"

#include <math.h>
#include <string.h>

struct slicing {
	double *busy_ns;
	size_t count;
	int64_t start_ns;
	double length_ns; /* of a slice */
};

/* Spans are disjoint, so no slice is visited more often than spans begin or end in it. */
static void add_span(struct slicing *slicing, int64_t start_ns, int64_t end_ns)
{
	double from_ns = (double)(start_ns - slicing->start_ns);
	double to_ns = (double)(end_ns - slicing->start_ns);
	size_t first = (size_t)(from_ns / slicing->length_ns);

	for (size_t i = first; i < slicing->count; i++) {
		double begin_ns = fmax(from_ns, (double)i * slicing->length_ns);
		double limit_ns = fmin(to_ns, (double)(i + 1) * slicing->length_ns);

		if (limit_ns <= begin_ns && i > first)
			return;
		slicing->busy_ns[i] += fmax(0, limit_ns - begin_ns);
	}
}

void dp_slices__busy(double *busy_ns, size_t count, const struct dp_device_timeline *timeline,
		     int64_t start_ns, int64_t end_ns)
{
	const struct dp_ops *ops = dp_trace_ops(timeline->trace);
	struct slicing slicing = { busy_ns, count, start_ns,
				   (double)(end_ns - start_ns) / (double)count };
	int64_t until_ns = start_ns;

	memset(busy_ns, 0, count * sizeof(*busy_ns));
	for (size_t i = 0; i < timeline->count && end_ns > start_ns; i++) {
		size_t op = timeline->rows[i];
		int64_t from_ns = DP_MAX(ops->start_ns[op], until_ns);
		int64_t to_ns = DP_MIN(ops->end_ns[op], end_ns);

		if (from_ns >= to_ns)
			continue;
		add_span(&slicing, from_ns, to_ns);
		until_ns = to_ns;
	}
}

void dp_slices__gaps(struct dp_long_gaps *gaps, const struct dp_device_timeline *timeline,
		     int64_t start_ns, int64_t end_ns, double least_ns)
{
	const struct dp_ops *ops = dp_trace_ops(timeline->trace);
	int64_t until_ns = start_ns;

	*gaps = (struct dp_long_gaps){ .longest_before = SIZE_MAX };
	for (size_t i = 0; i <= timeline->count && until_ns < end_ns; i++) {
		size_t op = i < timeline->count ? timeline->rows[i] : 0;
		int64_t next_ns = i < timeline->count ? DP_MIN(ops->start_ns[op], end_ns) : end_ns;
		double gap_ns = (double)(next_ns - until_ns);

		if (gap_ns > gaps->longest_ns) {
			gaps->longest_ns = gap_ns;
			gaps->longest_start_ns = until_ns;
			gaps->longest_before = i < timeline->count ? op : SIZE_MAX;
		}
		if (gap_ns >= least_ns) {
			gaps->count++;
			gaps->all_ns += gap_ns;
		}
		if (i < timeline->count)
			until_ns = DP_MAX(until_ns, ops->end_ns[op]);
	}
}
