/*
 * One pass over the operations in order of start keeps, per class, the latest end so far: an
 * operation adds to the union of its class what lies behind that. If the latest end of all classes
 * is before an operation's start, there is a gap. No gap extends over the boundary of a period,
 * because a period begins where an operation does.
 */
#include "activity/parts.h"
#include "activity/gaps.h"
#include "activity/periods.h"

#include <math.h>

/* Parts that are unions, computed in the pass; they come first. */
enum { UNIONS = DP_PART_MOVED + 1 };

struct sweep {
	const struct dp_parts_input *input;
	struct dp_parts *parts;
	const struct dp_ops *ops;
	struct dp_gap_walk walk;
	struct dp_period_sums place; /* the period of the operation */
	struct dp_period_sums unions[UNIONS];
	int64_t until_ns[UNIONS];
	struct dp_spans_at loaders;
	struct dp_host_ranges_maker *ranges;
	size_t fed_end;	    /* where the current run of operations without kernels ends */
	uint64_t fed_bytes; /* uploads in it */
	bool begun;
	int status;
};

static double *row(const struct dp_parts *parts, enum dp_part part)
{
	return parts->values + (size_t)part * parts->count;
}

static struct dp_period_sums sums_of(const struct dp_parts *parts,
				     const struct dp_parts_input *input, enum dp_part part)
{
	return (struct dp_period_sums){ .iterations = input->iterations,
					.count = input->count,
					.row = row(parts, part) };
}

static void add_union(struct sweep *sweep, enum dp_part which, int64_t start_ns, int64_t end_ns)
{
	int64_t *until_ns = &sweep->until_ns[which];

	start_ns = DP_MAX(start_ns, *until_ns);
	if (end_ns <= start_ns)
		return;
	dp_period_sums__add(&sweep->unions[which], start_ns, end_ns);
	*until_ns = end_ns;
}

/* The bytes of an upload, limited so that no sum overflows; 0 is unknown. */
static uint64_t uploaded_bytes(const struct dp_ops *ops, size_t op)
{
	return ops->bytes[op] ? DP_MIN(ops->bytes[op], DP_INPUT_BYTES) : DP_INPUT_BYTES;
}

/* Finds the end of the run of operations without kernels that row i begins or continues. */
static void find_fed(struct sweep *sweep, size_t i)
{
	const struct dp_device_timeline *timeline = sweep->input->timeline;
	size_t op;

	if (i < sweep->fed_end)
		return;
	sweep->fed_bytes = 0;
	for (; i < timeline->count; i++) {
		op = timeline->rows[i];
		if (dp_op_is_kernel(sweep->ops->kind[op]))
			break;
		if (dp_op__is_upload(sweep->ops, op) && sweep->fed_bytes < DP_INPUT_BYTES)
			sweep->fed_bytes += uploaded_bytes(sweep->ops, op);
	}
	sweep->fed_end = i;
}

/* The input wait in a gap that an upload ends: all of it, if input may be what is uploaded. */
static int64_t input_wait_ns(struct sweep *sweep, int64_t start_ns, size_t op,
			     const struct dp_gap *gap)
{
	int64_t host_ns = gap->host_ns - gap->stall_ns;

	if (!dp_op__is_upload(sweep->ops, op))
		return 0;
	if (sweep->fed_bytes >= DP_INPUT_BYTES)
		return host_ns;
	return DP_MIN(host_ns,
		      dp_spans_at__covered(&sweep->loaders, start_ns, sweep->ops->start_ns[op]));
}

/* Keeps the host's gaps in the iterations that are replayed. */
static int keep_gap(const struct sweep *sweep, size_t op, size_t k, int64_t start_ns,
		    const struct dp_gap *gap, bool input)
{
	struct dp_replay_gaps *gaps = sweep->input->gaps;
	bool inside = gap->waited_ns > 0 &&
		      sweep->ops->start_ns[op] <= sweep->input->iterations[k].end_ns;

	if (!gaps || k < sweep->input->gaps_first || k >= sweep->input->gaps_end ||
	    (!gap->host_ns && !inside))
		return DP_OK;
	if (dp_array__reserve(&gaps->gaps, &gaps->room, gaps->count + 1, sizeof(*gaps->gaps)))
		return DP_ERR_NOMEM;
	gaps->gaps[gaps->count++] = (struct dp_replay_gap){ start_ns, (uint32_t)op, input, inside };
	return DP_OK;
}

static void add_gap(struct sweep *sweep, size_t op)
{
	int64_t start_ns = sweep->until_ns[DP_PART_BUSY],
		length_ns = sweep->ops->start_ns[op] - start_ns;
	const struct dp_parts *parts = sweep->parts;
	int64_t period_ns, input_ns;
	struct dp_gap gap;
	size_t k;

	if (!dp_period_sums__seek(&sweep->place, start_ns))
		return;
	k = sweep->place.at;
	period_ns = sweep->input->iterations[k + 1].start_ns - sweep->input->iterations[k].start_ns;
	dp_gap__split(&gap, &sweep->walk, start_ns, op);
	row(parts, DP_PART_IDLE_HOST)[k] += (double)gap.host_ns;
	row(parts, DP_PART_IDLE_SYNC)[k] += (double)gap.sync_ns;
	row(parts, DP_PART_IDLE_COPY)[k] += (double)gap.copy_ns;
	row(parts, DP_PART_IDLE_LAUNCH)[k] += (double)gap.launch_ns;
	row(parts, DP_PART_IDLE_OTHER)[k] += (double)gap.other_ns;
	row(parts, DP_PART_AFTER_SYNC)[k] += (double)gap.after_ns;
	row(parts, DP_PART_CALL_STALL)[k] += (double)gap.stall_ns;
	if (gap.stall_ns && !sweep->status)
		sweep->status = dp_stalls__add(&sweep->parts->stalls, k, start_ns, gap.host_end_ns);
	if (length_ns < DP_SHORT_GAP_NS)
		row(parts, DP_PART_SHORT_GAPS)[k] += (double)length_ns;
	if ((double)length_ns > row(parts, DP_PART_LONGEST_GAP)[k])
		row(parts, DP_PART_LONGEST_GAP)[k] = (double)length_ns;
	if (length_ns >= DP_SHORT_GAP_NS && length_ns >= period_ns / 100)
		row(parts, DP_PART_HOST_STALL)[k] += (double)gap.host_ns;
	/* without the wait the host would be earlier by its length, so no more is due to it */
	if (start_ns + length_ns <= sweep->input->iterations[k].end_ns)
		row(parts, DP_PART_SYNC_LOST)[k] += (double)DP_MIN(gap.waited_ns, length_ns);
	input_ns = input_wait_ns(sweep, start_ns, op, &gap);
	row(parts, DP_PART_INPUT_WAIT)[k] += (double)input_ns;
	if (!sweep->status)
		sweep->status = keep_gap(sweep, op, k, start_ns, &gap, 2 * input_ns > gap.host_ns);
	/* a gap counts as the activity that takes most of it */
	if (gap.host_ns && !sweep->status)
		sweep->status = dp_host_ranges__add(
			sweep->ranges, 2 * input_ns > gap.host_ns ? DP_HOST_INPUT : DP_HOST_WAIT, k,
			start_ns, gap.host_end_ns, op);
}

static void add_copy(struct sweep *sweep, size_t op, size_t k)
{
	double length_ns = (double)(sweep->ops->end_ns[op] - sweep->ops->start_ns[op]);
	/* with a size that is not recorded, no sum is known */
	double bytes = sweep->ops->bytes[op] ? (double)sweep->ops->bytes[op] : (double)NAN;
	uint8_t kind = sweep->ops->copy_kind[op], memory = dp_op__host_memory(sweep->ops, op);
	uint32_t call = sweep->ops->call[op];
	const struct dp_parts *parts = sweep->parts;
	bool upload = dp_op__is_upload(sweep->ops, op);

	if (kind == DP_COPY_DTOD) {
		row(parts, DP_PART_D2D_BYTES)[k] += bytes;
		row(parts, DP_PART_D2D_NS)[k] += length_ns;
		row(parts, DP_PART_D2D_COPIES)[k]++;
	}
	if (!upload && kind != DP_COPY_DTOH)
		return;
	row(parts, upload ? DP_PART_H2D_BYTES : DP_PART_D2H_BYTES)[k] += bytes;
	row(parts, upload ? DP_PART_H2D_NS : DP_PART_D2H_NS)[k] += length_ns;
	if (memory != DP_MEMORY_UNKNOWN)
		row(parts, DP_PART_HOST_BYTES)[k] += bytes;
	if (memory == DP_MEMORY_PINNED) {
		row(parts, DP_PART_PINNED_BYTES)[k] += bytes;
		row(parts, DP_PART_PINNED_NS)[k] += length_ns;
	}
	if (memory == DP_MEMORY_PAGEABLE) {
		row(parts, DP_PART_PAGEABLE_BYTES)[k] += bytes;
		row(parts, DP_PART_PAGEABLE_NS)[k] += length_ns;
		if (dp_op__gains_from_pinned(sweep->ops, op))
			row(parts, DP_PART_SLOW_PAGEABLE_NS)[k] += length_ns;
	} else if (call != DP_NONE && dp_device_timeline__waited(sweep->input->timeline, call)) {
		row(parts, DP_PART_BLOCKING_NS)[k] += length_ns;
	}
}

static bool is_comm(const struct sweep *sweep, size_t op)
{
	uint32_t name = sweep->ops->name[op];

	return name != DP_NONE && sweep->input->timeline->index->is_comm[name];
}

static void add_op(struct sweep *sweep, size_t i)
{
	size_t op = sweep->input->timeline->rows[i];
	int64_t start_ns = sweep->ops->start_ns[op], end_ns = sweep->ops->end_ns[op];
	uint8_t kind = sweep->ops->kind[op];
	bool kernel = dp_op_is_kernel(kind), in;

	if (!kernel)
		find_fed(sweep, i);
	if (sweep->begun && start_ns > sweep->until_ns[DP_PART_BUSY])
		add_gap(sweep, op);
	if (!sweep->begun)
		sweep->until_ns[DP_PART_BUSY] = start_ns;
	sweep->begun = true;
	in = dp_period_sums__seek(&sweep->place, start_ns);
	add_union(sweep, DP_PART_BUSY, start_ns, end_ns);
	/* an operation without length also splits a gap */
	sweep->until_ns[DP_PART_BUSY] = DP_MAX(sweep->until_ns[DP_PART_BUSY], end_ns);
	if (kernel || dp_op__is_upload(sweep->ops, op))
		add_union(sweep, DP_PART_FED, start_ns, end_ns);
	if (kernel || (kind == DP_OP_COPY && sweep->ops->copy_kind[op] == DP_COPY_DTOD))
		add_union(sweep, DP_PART_MOVED, start_ns, end_ns);
	if (!kernel) {
		add_union(sweep, DP_PART_COPY, start_ns, end_ns);
		if (in && kind == DP_OP_COPY)
			add_copy(sweep, op, sweep->place.at);
		return;
	}
	add_union(sweep, DP_PART_KERNELS, start_ns, end_ns);
	add_union(sweep, is_comm(sweep, op) ? DP_PART_COMM : DP_PART_COMPUTE, start_ns, end_ns);
	if (in)
		row(sweep->parts, DP_PART_KERNEL_SUM)[sweep->place.at] +=
			(double)(end_ns - start_ns);
}

static int sweep_device(struct dp_parts *parts, const struct dp_parts_input *input)
{
	const struct dp_device_timeline *timeline = input->timeline;
	const struct dp_ops *ops = dp_trace_ops(timeline->trace);
	struct sweep sweep = {
		.input = input,
		.parts = parts,
		.ops = ops,
		.walk = dp_gap_walk__begin(timeline),
		.loaders = { &timeline->loaders, 0 },
	};

	if (dp_host_ranges__begin(&sweep.ranges, timeline, input->iterations, input->count))
		return DP_ERR_NOMEM;
	sweep.place = sums_of(parts, input, DP_PART_BUSY);
	for (size_t i = 0; i < UNIONS; i++) {
		sweep.unions[i] = sums_of(parts, input, (enum dp_part)i);
		sweep.until_ns[i] = INT64_MIN;
	}
	for (size_t i = 0; i < timeline->count; i++)
		add_op(&sweep, i);
	dp_stalls__sort(&parts->stalls);
	if (!sweep.status)
		return dp_host_ranges__finish(&parts->ranges, sweep.ranges);
	dp_host_ranges__free(sweep.ranges);
	return sweep.status;
}

/*
 * The time from an operation's launch to its start. The sum is the integral of the queue's depth;
 * the union is when the queue is not empty, and is made backwards, since operations are in order of
 * start.
 */
static int sweep_queue(struct dp_parts *parts, const struct dp_parts_input *input)
{
	const struct dp_calls *calls = dp_trace_calls(input->timeline->trace);
	const struct dp_ops *ops = dp_trace_ops(input->timeline->trace);
	struct dp_period_sums sum = sums_of(parts, input, DP_PART_QUEUE_SUM);
	struct dp_period_sums any = sums_of(parts, input, DP_PART_QUEUED);
	int64_t since_ns = INT64_MAX;
	const uint32_t *rows = input->rows;
	size_t count = input->row_count;

	sum.full = dp_alloc__zeroed(input->count, sizeof(*sum.full));
	if (!sum.full)
		return DP_ERR_NOMEM;
	while (count-- > 0) {
		uint32_t op = rows[count], call = ops->call[op];
		int64_t end_ns = ops->start_ns[op];

		if (call == DP_NONE || calls->end_ns[call] >= end_ns)
			continue;
		dp_period_sums__add(&sum, calls->end_ns[call], end_ns);
		dp_period_sums__add(&any, calls->end_ns[call], DP_MIN(end_ns, since_ns));
		since_ns = DP_MIN(since_ns, calls->end_ns[call]);
	}
	dp_period_sums__finish(&sum);
	free(sum.full);
	return DP_OK;
}

static enum dp_part part_of_call(uint8_t kind)
{
	switch (kind) {
	case DP_CALL_LAUNCH:
		return DP_PART_HOST_LAUNCH;
	case DP_CALL_SYNC:
		return DP_PART_HOST_SYNC;
	case DP_CALL_COPY:
		return DP_PART_HOST_COPY;
	default:
		return DP_PART_HOST_OTHER;
	}
}

enum { HOST_PARTS = DP_PART_HOST_CALLS - DP_PART_HOST_LAUNCH };

/*
 * Sums up calls. A call inside another (a driver's inside the runtime's) belongs to the outer one.
 */
static void sweep_calls(struct dp_period_sums sums[HOST_PARTS], struct dp_period_sums *any,
			const struct dp_device_timeline *timeline, int64_t *until_ns)
{
	const struct dp_calls *calls = dp_trace_calls(timeline->trace);
	int64_t any_until_ns = INT64_MIN;

	for (size_t c = 0; c < timeline->call_count; c++) {
		size_t i = timeline->calls[c];
		uint32_t thread = calls->thread[i];
		int64_t start_ns = calls->start_ns[i], end_ns = calls->end_ns[i];

		if (end_ns > until_ns[thread])
			dp_period_sums__add(
				&sums[part_of_call(calls->kind[i]) - DP_PART_HOST_LAUNCH],
				DP_MAX(start_ns, until_ns[thread]), end_ns);
		until_ns[thread] = DP_MAX(until_ns[thread], end_ns);
		if (end_ns > any_until_ns)
			dp_period_sums__add(any, DP_MAX(start_ns, any_until_ns), end_ns);
		any_until_ns = DP_MAX(any_until_ns, end_ns);
	}
}

static int sweep_host(struct dp_parts *parts, const struct dp_parts_input *input)
{
	int64_t *until_ns = dp_trace_index__times(input->timeline->index);
	double *full = dp_alloc__zeroed(dp_size__mul(input->count, HOST_PARTS), sizeof(*full));
	struct dp_period_sums any = sums_of(parts, input, DP_PART_HOST_CALLS);
	struct dp_period_sums sums[HOST_PARTS];
	int status = until_ns && full ? DP_OK : DP_ERR_NOMEM;

	for (size_t i = 0; i < HOST_PARTS && full; i++) {
		sums[i] = sums_of(parts, input, (enum dp_part)(DP_PART_HOST_LAUNCH + i));
		sums[i].full = full + i * input->count;
	}
	if (!status)
		sweep_calls(sums, &any, input->timeline, until_ns);
	for (size_t i = 0; i < HOST_PARTS && !status; i++)
		dp_period_sums__finish(&sums[i]);
	free(until_ns);
	free(full);
	return status;
}

int dp_parts__init(struct dp_parts *parts, const struct dp_parts_input *input,
		   struct dp_error *error)
{
	struct dp_parts made = { .count = input->count, .launches = input->timeline->known };
	int status = DP_ERR_NOMEM;

	made.values = dp_alloc__zeroed(dp_size__mul(DP_PARTS, input->count), sizeof(*made.values));
	if (made.values && !dp_stalls__init(&made.stalls, input->timeline))
		status = sweep_device(&made, input);
	if (!status && made.launches)
		status = sweep_queue(&made, input);
	if (!status && made.launches)
		status = sweep_host(&made, input);
	if (status) {
		dp_parts__fini(&made);
		return dp_error__nomem(error,
				       dp_size__mul(input->count, sizeof(double) * DP_PARTS));
	}
	*parts = made;
	return DP_OK;
}

void dp_parts__fini(struct dp_parts *parts)
{
	free(parts->values);
	parts->values = NULL;
	dp_stalls__fini(&parts->stalls);
	dp_host_ranges__fini(&parts->ranges);
}
