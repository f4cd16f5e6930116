/*
 * Work that moves between streams: CUDA graphs recorded on new streams, alternating buffers,
 * round-robin. Another stream does a stream's work if each spends most of its kernel time on
 * kernels, by name, that the other has, too: helpers that run a few of the main stream's kernels
 * (copies, casts) do little of its work. If one thread launched all kernels, they are one sequence
 * in the order of their launches, which is that of the program, however streams overlap. Otherwise
 * they are one in order of time if the streams take turns, that is, unless most kernels start while
 * one of another stream runs. Then order of time would mix concurrent iterations: they are in order
 * of launches if all of these are recorded, and else each stream is its own.
 *
 * Measured on recorded programs: streams that graphs were recorded on share 100% of their time, the
 * streams of convolutions in parts and of data preparation at most 36%. Nearly all kernels of such
 * streams start while another runs, or none.
 *
 * Cost: linear in the device's operations.
 */
#include "sequence/streams.h"
#include "base/parameters.h"
#include "base/communication.h"
#include "base/search.h"
#include "base/sort.h"

#include <string.h>

/* Kernel time by name: of one stream, and of the stream that others are compared with. */
struct work {
	const struct dp_trace *trace;
	size_t names;	 /* the last one stands for kernels without a name */
	uint8_t *kinds;	 /* by name, once it was needed */
	double *main_ns; /* by name */
	double *own_ns;	 /* by name; all zeros between two streams */
	double main_all_ns;
};

enum { UNKNOWN, COMPUTES, COMMUNICATES };

struct dp_stream_range dp_stream_range__of(const struct dp_trace *trace, uint32_t device)
{
	size_t count = dp_trace_stream_count(trace);
	struct dp_stream_range range;

	DP_FIND(range.first, 0, count, dp_trace_stream(trace, range.first)->device >= device);
	DP_FIND(range.end, range.first, count, dp_trace_stream(trace, range.end)->device > device);
	return range;
}

bool dp_stream_group__has(const struct dp_stream_group *group, size_t stream)
{
	return group->has ? group->has[stream - group->range.first] : stream == group->stream;
}

static size_t name_of(const struct work *work, uint32_t op)
{
	return DP_MIN((size_t)dp_trace_ops(work->trace)->name[op], work->names - 1);
}

/*
 * Returns true for a computing kernel. Its time is at least 1 ns, so that kernels without a
 * duration count.
 */
static bool is_work(const struct work *work, uint32_t op, double *ns)
{
	const struct dp_ops *ops = dp_trace_ops(work->trace);
	uint8_t *kind = &work->kinds[name_of(work, op)];

	if (*kind == UNKNOWN)
		*kind = dp_communication__is_kernel(dp_trace_string(work->trace, ops->name[op]))
				? COMMUNICATES
				: COMPUTES;
	if (!dp_op_is_kernel(ops->kind[op]) || *kind == COMMUNICATES)
		return false;
	*ns = (double)DP_MAX(ops->end_ns[op] - ops->start_ns[op], 1);
	return true;
}

static double add_stream(const struct work *work, double *by_name, uint32_t stream)
{
	size_t count;
	const uint32_t *rows = dp_trace_stream_ops(work->trace, stream, &count);
	double all_ns = 0, ns;

	for (size_t i = 0; i < count; i++) {
		if (!is_work(work, rows[i], &ns))
			continue;
		by_name[name_of(work, rows[i])] += ns;
		all_ns += ns;
	}
	return all_ns;
}

/* Returns true if a stream does the same work as the main one. */
static bool does_same(const struct work *work, uint32_t stream)
{
	size_t count;
	const uint32_t *rows = dp_trace_stream_ops(work->trace, stream, &count);
	double all_ns = add_stream(work, work->own_ns, stream), shared_ns = 0, covered_ns = 0;

	for (size_t i = 0; i < count; i++) {
		size_t name = name_of(work, rows[i]);

		if (work->own_ns[name] > 0 && work->main_ns[name] > 0) {
			shared_ns += work->own_ns[name];
			covered_ns += work->main_ns[name];
		}
		work->own_ns[name] = 0;
	}
	return all_ns > 0 && shared_ns >= dp_param.same_work * all_ns &&
	       covered_ns >= dp_param.same_work * work->main_all_ns;
}

/* Returns true unless most kernels start while one of another stream runs. */
static bool take_turns(const struct work *work, const struct dp_stream_group *group)
{
	const struct dp_ops *ops = dp_trace_ops(work->trace);
	size_t all = 0, together = 0;
	int64_t until_ns = INT64_MIN;
	uint32_t last = DP_NONE;
	double ns;

	for (size_t row = 0; row < group->count; row++) {
		uint32_t i = group->rows[row];

		if (!is_work(work, i, &ns))
			continue;
		all++;
		together += ops->stream[i] != last && ops->start_ns[i] < until_ns;
		if (ops->end_ns[i] >= until_ns) {
			until_ns = ops->end_ns[i];
			last = ops->stream[i];
		}
	}
	return together * 2 <= all;
}

/*
 * The number of threads that launched the streams' kernels, 2 at most; 0 if some launch is not
 * recorded. Launches of several threads are in an order that chance decides.
 */
static size_t count_launching(const struct dp_trace *trace, const struct dp_stream_group *group)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	const struct dp_calls *calls = dp_trace_calls(trace);
	uint32_t first = DP_NONE;
	size_t threads = 1;

	for (size_t i = 0; i < group->count; i++) {
		uint32_t call = ops->call[group->rows[i]];

		if (!dp_op_is_kernel(ops->kind[group->rows[i]]))
			continue;
		if (call == DP_NONE)
			return 0;
		first = first == DP_NONE ? call : first;
		if (calls->thread[call] != calls->thread[first])
			threads = 2;
	}
	return threads;
}

/* Begins a group of several streams, the first member of which is the given one. */
static int begin_group(struct dp_stream_group *group, const struct dp_trace *trace, uint32_t stream)
{
	dp_stream_group__single(group, trace, stream);
	group->has = dp_alloc__zeroed(group->range.end - group->range.first, sizeof(*group->has));
	if (!group->has)
		return DP_ERR_NOMEM;
	group->has[stream - group->range.first] = true;
	return DP_OK;
}

/* The members' operations in the order of the trace. */
static int merge_rows(struct dp_stream_group *group, const struct dp_trace *trace)
{
	size_t room = 0, count;
	uint32_t *scratch;

	group->count = 0;
	for (size_t s = group->range.first; s < group->range.end; s++) {
		const uint32_t *rows = dp_trace_stream_ops(trace, s, &count);

		if (!dp_stream_group__has(group, s) || !count)
			continue;
		if (dp_array__reserve(&group->merged, &room, group->count + count, sizeof(*rows)))
			return DP_ERR_NOMEM;
		memcpy(group->merged + group->count, rows, count * sizeof(*rows));
		group->count += count;
	}
	scratch = dp_alloc__array(group->count, sizeof(*scratch));
	if (!scratch)
		return DP_ERR_NOMEM;
	dp_sort__u32(group->merged, scratch, group->count);
	free(scratch);
	group->rows = group->merged;
	return DP_OK;
}

static int work_init(struct work *work, uint32_t main)
{
	work->names = dp_trace_string_count(work->trace) + 1;
	work->kinds = dp_alloc__zeroed(work->names, sizeof(*work->kinds));
	work->main_ns = dp_alloc__zeroed(work->names, sizeof(*work->main_ns));
	work->own_ns = dp_alloc__zeroed(work->names, sizeof(*work->own_ns));
	if (!work->kinds || !work->main_ns || !work->own_ns)
		return DP_ERR_NOMEM;
	work->main_all_ns = add_stream(work, work->main_ns, main);
	return DP_OK;
}

static void work_fini(struct work *work)
{
	free(work->kinds);
	free(work->main_ns);
	free(work->own_ns);
}

bool dp_stream_group__has_others(const struct dp_stream_group *group, const struct dp_trace *trace)
{
	for (size_t s = group->range.first; s < group->range.end; s++)
		if (dp_trace_stream(trace, s)->compute_ns > 0 && !dp_stream_group__has(group, s))
			return true;
	return false;
}

/* Finds the members, one of which is the stream itself. */
static int find_members(struct dp_stream_group *group, struct work *work)
{
	const struct dp_trace *trace = work->trace;
	size_t threads;
	bool in_turn;

	for (uint32_t s = (uint32_t)group->range.first; s < group->range.end; s++) {
		if (s == group->stream || !dp_trace_stream(trace, s)->kernels)
			continue;
		if (!work->names && work_init(work, group->stream))
			return DP_ERR_NOMEM;
		if (does_same(work, s)) {
			group->has[s - group->range.first] = true;
			group->streams++;
		}
	}
	if (group->streams < 2)
		return DP_OK;
	if (merge_rows(group, trace))
		return DP_ERR_NOMEM;
	threads = count_launching(trace, group);
	in_turn = threads != 1 && take_turns(work, group);
	group->by_launch = threads > 0 && !in_turn;
	if (!group->by_launch && !in_turn)
		group->streams = 1;
	return DP_OK;
}

void dp_stream_group__single(struct dp_stream_group *group, const struct dp_trace *trace,
			     uint32_t stream)
{
	*group = (struct dp_stream_group){
		.stream = stream,
		.range = dp_stream_range__of(trace, dp_trace_stream(trace, stream)->device),
		.streams = 1,
	};
	group->rows = dp_trace_stream_ops(trace, stream, &group->count);
}

int dp_stream_group__init(struct dp_stream_group *group, const struct dp_trace *trace,
			  uint32_t stream)
{
	struct work work = { .trace = trace };
	int status = begin_group(group, trace, stream);

	if (!status)
		status = find_members(group, &work);
	work_fini(&work);
	if (group->streams < 2) {
		dp_stream_group__fini(group);
		dp_stream_group__single(group, trace, stream);
	}
	return status;
}

int dp_stream_group__all(struct dp_stream_group *group, const struct dp_trace *trace,
			 uint32_t stream)
{
	if (begin_group(group, trace, stream))
		return DP_ERR_NOMEM;
	for (size_t s = group->range.first; s < group->range.end; s++)
		if (s != stream && dp_trace_stream(trace, s)->compute_ns > 0) {
			group->has[s - group->range.first] = true;
			group->streams++;
		}
	if (merge_rows(group, trace))
		return DP_ERR_NOMEM;
	group->by_launch = count_launching(trace, group) > 0;
	return DP_OK;
}

int dp_stream_group__with_copies(struct dp_stream_group *group, const struct dp_trace *trace,
				 const struct dp_stream_group *from)
{
	if (begin_group(group, trace, from->stream))
		return DP_ERR_NOMEM;
	for (size_t s = group->range.first; s < group->range.end; s++)
		group->has[s - group->range.first] =
			dp_stream_group__has(from, s) || !dp_trace_stream(trace, s)->kernels;
	group->streams = from->streams;
	if (merge_rows(group, trace))
		return DP_ERR_NOMEM;
	/* the order of one stream's kernels is the same both ways if one thread launched them */
	group->by_launch =
		from->by_launch || (from->streams == 1 && count_launching(trace, group) == 1);
	return DP_OK;
}

/* A copy without a launch stays behind the operation before it. */
int dp_stream_group__by_launch(uint32_t *rows, size_t count, const struct dp_trace *trace)
{
	const uint32_t *call = dp_trace_ops(trace)->call;
	size_t *keys = dp_alloc__array(count, sizeof(*keys));
	uint32_t last = 0;

	if (!keys)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		last = call[rows[i]] == DP_NONE ? last : call[rows[i]];
		keys[i] = (size_t)last << 32 | rows[i];
	}
	dp_sort__size(keys, count);
	for (size_t i = 0; i < count; i++)
		rows[i] = (uint32_t)keys[i];
	free(keys);
	return DP_OK;
}

void dp_stream_group__fini(struct dp_stream_group *group)
{
	free(group->has);
	free(group->merged);
	memset(group, 0, sizeof(*group));
}
