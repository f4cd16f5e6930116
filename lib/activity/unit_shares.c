#include "activity/unit_shares.h"

#include <math.h>

/* A walk of samples over the kernels of a device. */
struct walk {
	const struct dp_device_timeline *timeline;
	const struct dp_ops *ops;
	struct dp_unit_sums *sums;
	size_t names, next;
	uint32_t last;	/* of the kernels before next, the one that ends last; DP_NONE: none */
	size_t sample;	/* from 1 */
	int64_t now_ns; /* the sample is distributed up to here */
	int64_t end_ns;
	struct dp_unit_sums *most; /* ran for more than half of the sample */
};

/* Time that several kernels share counts for the first one. */
static void give(struct walk *walk, uint32_t op, int64_t length_ns)
{
	struct dp_unit_sums *sums = &walk->sums[DP_MIN(walk->ops->name[op], walk->names)];
	int64_t from_ns = DP_MAX(walk->ops->start_ns[op], walk->now_ns);
	int64_t to_ns = DP_MIN(walk->ops->end_ns[op], walk->end_ns);

	if (to_ns <= from_ns)
		return;
	if (sums->sample != walk->sample)
		sums->inside_ns = 0;
	sums->sample = walk->sample;
	sums->inside_ns += (double)(to_ns - from_ns);
	walk->now_ns = to_ns;
	if (sums->inside_ns > (double)length_ns / 2)
		walk->most = sums;
}

static void pass(struct walk *walk, int64_t start_ns, int64_t end_ns)
{
	const struct dp_ops *ops = walk->ops;

	walk->sample++;
	walk->now_ns = start_ns;
	walk->end_ns = end_ns;
	walk->most = NULL;
	if (walk->last != DP_NONE)
		give(walk, walk->last, end_ns - start_ns);
	for (; walk->next < walk->timeline->count; walk->next++) {
		uint32_t op = walk->timeline->rows[walk->next];

		if (ops->start_ns[op] >= end_ns)
			return;
		if (!dp_op_is_kernel(ops->kind[op]))
			continue;
		give(walk, op, end_ns - start_ns);
		if (walk->last == DP_NONE || ops->end_ns[op] > ops->end_ns[walk->last])
			walk->last = op;
	}
}

static void add(struct dp_unit_sums *sums, const struct dp_activity *activity, size_t i,
		int64_t length_ns)
{
	const uint32_t *values[] = { activity->sm, activity->tensor, activity->dram };

	for (int unit = 0; unit < DP_UNITS; unit++) {
		if (values[unit][i] == DP_ACTIVITY_UNKNOWN)
			continue;
		sums->share_ns[unit] += (double)length_ns * values[unit][i] / DP_ACTIVITY_PEAK;
		sums->known_ns[unit] += (double)length_ns;
	}
}

double dp_unit_sums__mean(const struct dp_unit_sums *sums, enum dp_unit unit)
{
	return sums->known_ns[unit] > 0 ? sums->share_ns[unit] / sums->known_ns[unit] : (double)NAN;
}

int dp_unit_sums__new(struct dp_unit_sums **sums, const struct dp_device_timeline *timeline,
		      struct dp_error *error)
{
	const struct dp_activity *activity = dp_trace_activity(timeline->trace);
	struct walk walk = { .timeline = timeline,
			     .ops = dp_trace_ops(timeline->trace),
			     .names = dp_trace_string_count(timeline->trace),
			     .last = DP_NONE };
	int64_t until_ns = INT64_MIN;
	size_t count;
	const uint32_t *rows =
		dp_groups__rows(&timeline->index->activity, timeline->device, &count);

	*sums = NULL;
	if (!count)
		return DP_OK;
	walk.sums = dp_alloc__zeroed(walk.names + 1, sizeof(*walk.sums));
	if (!walk.sums)
		return dp_error__nomem(error, walk.names);
	for (size_t r = 0; r < count; r++) {
		int64_t start_ns = DP_MAX(activity->start_ns[rows[r]], until_ns);

		if (activity->end_ns[rows[r]] <= start_ns)
			continue;
		until_ns = activity->end_ns[rows[r]];
		pass(&walk, start_ns, until_ns);
		if (walk.most)
			add(walk.most, activity, rows[r], until_ns - start_ns);
	}
	*sums = walk.sums;
	return DP_OK;
}
