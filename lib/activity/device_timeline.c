/* Uploads, launching threads, and their waits. */
#include "activity/device_timeline.h"
#include "base/lookup.h"
#include "base/sort.h"

#include <string.h>

/* The shortest reported call that is no launch, wait or copy. */
#define STALL_NS 10000

/* Page migrations of unified memory count: they are that program's uploads. */
bool dp_op__is_upload(const struct dp_ops *ops, size_t op)
{
	uint8_t kind = ops->copy_kind[op];

	return ops->kind[op] == DP_OP_COPY &&
	       (kind == DP_COPY_HTOD || kind == DP_COPY_HTOA || kind == DP_COPY_UM_HTOD);
}

uint8_t dp_op__host_memory(const struct dp_ops *ops, size_t op)
{
	switch (ops->copy_kind[op]) {
	case DP_COPY_HTOD:
	case DP_COPY_HTOA:
		return ops->src_kind[op];
	case DP_COPY_DTOH:
		return ops->dst_kind[op];
	case DP_COPY_UM_HTOD:
		return DP_MEMORY_MANAGED;
	default:
		return DP_MEMORY_UNKNOWN;
	}
}

static int find_copies(struct dp_device_timeline *timeline)
{
	const struct dp_ops *ops = dp_trace_ops(timeline->trace);
	size_t room = 0;

	for (size_t i = 0; i < timeline->count; i++) {
		size_t op = timeline->rows[i];

		if (!dp_op__is_upload(ops, op))
			continue;
		if (dp_array__reserve(&timeline->copies, &room, timeline->copy_count + 1,
				      sizeof(*timeline->copies)))
			return DP_ERR_NOMEM;
		timeline->copies[timeline->copy_count++] = (uint32_t)op;
	}
	return dp_spans__init(&timeline->uploads, ops, timeline->copies, timeline->copy_count,
			      NULL);
}

/* The launching threads so far, and how many may be stored. */
struct launchers {
	struct dp_lookup seen;
	uint32_t last;
	size_t room;
};

static int add_launcher(struct dp_device_timeline *timeline, struct launchers *launchers,
			uint32_t thread)
{
	struct dp_key key = { { thread } };
	size_t count = timeline->launcher_count;

	if (thread == launchers->last || thread >= dp_trace_thread_count(timeline->trace))
		return DP_OK;
	launchers->last = thread;
	if (dp_lookup__get(&launchers->seen, &key) != DP_NONE)
		return DP_OK;
	if (dp_array__reserve(&timeline->launchers, &launchers->room, count + 1,
			      sizeof(*timeline->launchers)) ||
	    dp_lookup__set(&launchers->seen, &key, 0))
		return DP_ERR_NOMEM;
	timeline->launchers[timeline->launcher_count++] = thread;
	return DP_OK;
}

static int find_launchers(struct dp_device_timeline *timeline)
{
	const struct dp_calls *calls = dp_trace_calls(timeline->trace);
	const struct dp_ops *ops = dp_trace_ops(timeline->trace);
	struct launchers launchers = { .last = DP_NONE };
	uint32_t *scratch;
	int status = DP_OK;

	for (size_t i = 0; i < timeline->count && !status; i++) {
		size_t op = timeline->rows[i];

		if (ops->call[op] != DP_NONE && dp_op_is_kernel(ops->kind[op]))
			status = add_launcher(timeline, &launchers, calls->thread[ops->call[op]]);
	}
	dp_lookup__fini(&launchers.seen);
	scratch = status ? NULL : dp_alloc__array(timeline->launcher_count, sizeof(*scratch));
	if (!scratch)
		return DP_ERR_NOMEM;
	dp_sort__u32(timeline->launchers, scratch, timeline->launcher_count);
	free(scratch);
	return DP_OK;
}

static int find_waiting_copies(struct dp_device_timeline *timeline)
{
	const struct dp_calls *calls = dp_trace_calls(timeline->trace);
	const struct dp_ops *ops = dp_trace_ops(timeline->trace);

	timeline->inside = dp_alloc__zeroed(calls->count, sizeof(*timeline->inside));
	if (!timeline->inside)
		return DP_ERR_NOMEM;
	for (size_t i = 0; calls->count && i < timeline->count; i++) {
		size_t op = timeline->rows[i];
		uint32_t call = ops->call[op];

		if (call == DP_NONE)
			continue;
		timeline->known = true;
		/* nothing waits for a copy within the device: it ended before its call did */
		if (ops->kind[op] == DP_OP_COPY && ops->copy_kind[op] != DP_COPY_DTOD &&
		    calls->end_ns[call] >= ops->end_ns[op])
			timeline->inside[call] = DP_WAITED_INSIDE;
	}
	return DP_OK;
}

/* Collects the rows of the launching threads, in order. The caller frees *rows. */
static int gather_rows(uint32_t **rows, size_t *count, const struct dp_device_timeline *timeline,
		       const struct dp_groups *groups)
{
	size_t own, room = 0;
	uint32_t *scratch;

	for (size_t i = 0; i < timeline->launcher_count; i++) {
		const uint32_t *from = dp_groups__rows(groups, timeline->launchers[i], &own);

		if (!own)
			continue;
		if (dp_array__reserve(rows, &room, *count + own, sizeof(**rows)))
			return DP_ERR_NOMEM;
		memcpy(*rows + *count, from, own * sizeof(*from));
		*count += own;
	}
	scratch = dp_alloc__array(*count, sizeof(*scratch));
	if (!scratch)
		return DP_ERR_NOMEM;
	dp_sort__u32(*rows, scratch, *count);
	free(scratch);
	return DP_OK;
}

/* The rows of a single thread are borrowed. */
static int find_calls(struct dp_device_timeline *timeline)
{
	const struct dp_groups *groups = &timeline->index->calls;
	int status = DP_OK;

	if (timeline->launcher_count == 1)
		timeline->calls =
			dp_groups__rows(groups, timeline->launchers[0], &timeline->call_count);
	if (timeline->launcher_count > 1) {
		status = gather_rows(&timeline->gathered, &timeline->call_count, timeline, groups);
		timeline->calls = timeline->gathered;
	}
	return status;
}

enum copies { NO_COPIES, BLOCKING_COPIES, ALL_COPIES };

static bool is_wait(const struct dp_device_timeline *timeline, const struct dp_calls *calls,
		    size_t i, enum copies copies)
{
	if (calls->kind[i] != DP_CALL_COPY)
		return calls->kind[i] == DP_CALL_SYNC;
	return copies == ALL_COPIES || (copies == BLOCKING_COPIES && timeline->inside[i]);
}

/* Makes the union of the calls that wait. */
static int unite(struct dp_spans *spans, const struct dp_device_timeline *timeline,
		 const struct dp_calls *calls, enum copies copies)
{
	size_t room = 0;

	for (size_t c = 0; c < timeline->call_count; c++)
		room += is_wait(timeline, calls, timeline->calls[c], copies);
	if (dp_spans__reserve(spans, room))
		return DP_ERR_NOMEM;
	for (size_t c = 0; c < timeline->call_count; c++) {
		size_t i = timeline->calls[c];

		if (is_wait(timeline, calls, i, copies))
			dp_spans__add(spans, calls->start_ns[i], calls->end_ns[i]);
	}
	return DP_OK;
}

/*
 * Returns true for a call that keeps its thread from launching: it allocates or frees, or takes as
 * long as several launches. Short calls are part of the launch overhead.
 */
static bool is_stall(const struct dp_calls *calls, size_t i)
{
	return calls->kind[i] == DP_CALL_MEMORY ||
	       ((calls->kind[i] == DP_CALL_OTHER || calls->kind[i] == DP_CALL_LOAD) &&
		calls->end_ns[i] - calls->start_ns[i] >= STALL_NS);
}

/*
 * Makes the spans of such calls, each cut where the next begins. Calls inside a copy's or a
 * synchronizing call belong to that.
 */
static int find_stalls(struct dp_device_timeline *timeline, const struct dp_calls *calls)
{
	int64_t *until_ns = dp_trace_index__times(timeline->index), end_ns = INT64_MIN;
	struct dp_spans *spans = &timeline->stalls;
	size_t room = 0;

	for (size_t c = 0; c < timeline->call_count; c++)
		room += is_stall(calls, timeline->calls[c]);
	timeline->stall_calls = dp_alloc__array(room, sizeof(*timeline->stall_calls));
	if (!until_ns || !timeline->stall_calls || dp_spans__reserve(spans, room)) {
		free(until_ns);
		return DP_ERR_NOMEM;
	}
	for (size_t c = 0; c < timeline->call_count && room; c++) {
		size_t i = timeline->calls[c];
		uint32_t thread = calls->thread[i];
		bool stall = is_stall(calls, i);

		if (!stall && is_wait(timeline, calls, i, ALL_COPIES))
			until_ns[thread] = DP_MAX(until_ns[thread], calls->end_ns[i]);
		if (!stall || calls->end_ns[i] <= end_ns || calls->start_ns[i] < until_ns[thread])
			continue;
		timeline->stall_calls[spans->count] = (uint32_t)i;
		spans->start_ns[spans->count] = DP_MAX(calls->start_ns[i], end_ns);
		spans->end_ns[spans->count++] = end_ns = calls->end_ns[i];
	}
	free(until_ns);
	return DP_OK;
}

/* Makes the union of ranges that fetch input. */
static int find_loaders(struct dp_device_timeline *timeline)
{
	const struct dp_ranges *ranges = dp_trace_ranges(timeline->trace);
	uint32_t *loaders = NULL;
	size_t count = 0;
	int status = gather_rows(&loaders, &count, timeline, &timeline->index->loaders);

	if (!status)
		status = dp_spans__reserve(&timeline->loaders, count);
	for (size_t i = 0; i < count && !status; i++)
		dp_spans__add(&timeline->loaders, ranges->start_ns[loaders[i]],
			      ranges->end_ns[loaders[i]]);
	free(loaders);
	return status;
}

int dp_device_timeline__init(struct dp_device_timeline *timeline,
			     const struct dp_trace_index *index, uint32_t device,
			     struct dp_error *error)
{
	const struct dp_calls *calls = dp_trace_calls(index->trace);

	*timeline = (struct dp_device_timeline){ .trace = index->trace,
						 .index = index,
						 .device = device };
	timeline->rows = dp_groups__rows(&index->ops, device, &timeline->count);
	if (find_copies(timeline) || find_waiting_copies(timeline) ||
	    find_launchers(timeline) || find_calls(timeline) ||
	    unite(&timeline->syncs, timeline, calls, NO_COPIES) ||
	    unite(&timeline->any, timeline, calls, ALL_COPIES) ||
	    unite(&timeline->waits, timeline, calls, BLOCKING_COPIES) ||
	    find_stalls(timeline, calls) || find_loaders(timeline))
		return dp_error__nomem(error, calls->count);
	return DP_OK;
}

void dp_device_timeline__fini(struct dp_device_timeline *timeline)
{
	free(timeline->gathered);
	free(timeline->copies);
	free(timeline->launchers);
	free(timeline->inside);
	dp_spans__fini(&timeline->uploads);
	dp_spans__fini(&timeline->syncs);
	dp_spans__fini(&timeline->any);
	dp_spans__fini(&timeline->waits);
	dp_spans__fini(&timeline->stalls);
	dp_spans__fini(&timeline->loaders);
	free(timeline->stall_calls);
	*timeline = (struct dp_device_timeline){ 0 };
}
