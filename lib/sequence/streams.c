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

bool dp_stream_group__has(const struct dp_stream_group *group, const struct dp_stream_range *range,
			  size_t stream)
{
	return group->has ? group->has[stream - range->first] : stream == group->stream;
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
 * Returns true if the launches of all the streams' kernels are recorded, and one thread made them:
 * those of several threads are in an order that chance decides.
 */
static bool from_one_thread(const struct dp_trace *trace, const struct dp_stream_group *group)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	const struct dp_calls *calls = dp_trace_calls(trace);
	uint32_t first = DP_NONE;

	for (size_t i = 0; i < group->count; i++) {
		uint32_t call = ops->call[group->rows[i]];

		if (!dp_op_is_kernel(ops->kind[group->rows[i]]))
			continue;
		if (call == DP_NONE)
			return false;
		first = first == DP_NONE ? call : first;
		if (calls->thread[call] != calls->thread[first])
			return false;
	}
	return true;
}

/* Returns true if the launches of all the streams' kernels are recorded. */
static bool have_launches(const struct dp_trace *trace, const struct dp_stream_group *group)
{
	const struct dp_ops *ops = dp_trace_ops(trace);

	for (size_t i = 0; i < group->count; i++)
		if (dp_op_is_kernel(ops->kind[group->rows[i]]) &&
		    ops->call[group->rows[i]] == DP_NONE)
			return false;
	return true;
}

/* The members' operations in the order of the trace. */
static int merge(struct dp_stream_group *group, const struct dp_trace *trace)
{
	struct dp_stream_range range =
		dp_stream_range__of(trace, dp_trace_stream(trace, group->stream)->device);
	size_t total = 0, count = 0;
	uint32_t *scratch;

	for (size_t s = range.first; s < range.end; s++) {
		dp_trace_stream_ops(trace, s, &count);
		total += group->has[s - range.first] ? count : 0;
	}
	group->merged = dp_alloc__array(total, sizeof(*group->merged));
	scratch = dp_alloc__array(total, sizeof(*scratch));
	if (!group->merged || !scratch) {
		free(scratch);
		return DP_ERR_NOMEM;
	}
	group->rows = group->merged;
	group->count = 0;
	for (size_t s = range.first; s < range.end; s++) {
		const uint32_t *rows = dp_trace_stream_ops(trace, s, &count);

		if (!group->has[s - range.first] || !count)
			continue;
		memcpy(group->merged + group->count, rows, count * sizeof(*rows));
		group->count += count;
	}
	dp_sort__u32(group->merged, scratch, group->count);
	free(scratch);
	return DP_OK;
}

static int work_init(struct work *work, const struct dp_trace *trace)
{
	work->trace = trace;
	work->names = dp_trace_string_count(trace) + 1;
	work->kinds = dp_alloc__zeroed(work->names, sizeof(*work->kinds));
	work->main_ns = dp_alloc__zeroed(work->names, sizeof(*work->main_ns));
	work->own_ns = dp_alloc__zeroed(work->names, sizeof(*work->own_ns));
	return work->kinds && work->main_ns && work->own_ns ? DP_OK : DP_ERR_NOMEM;
}

static void work_fini(struct work *work)
{
	free(work->kinds);
	free(work->main_ns);
	free(work->own_ns);
}

bool dp_stream_group__has_others(const struct dp_stream_group *group, const struct dp_trace *trace)
{
	struct dp_stream_range range =
		dp_stream_range__of(trace, dp_trace_stream(trace, group->stream)->device);

	for (size_t s = range.first; s < range.end; s++)
		if (dp_trace_stream(trace, s)->compute_ns > 0 &&
		    !dp_stream_group__has(group, &range, s))
			return true;
	return false;
}

/* Returns true if another stream of the device has kernels. */
static bool has_kernels_besides(const struct dp_trace *trace, uint32_t stream)
{
	struct dp_stream_range range =
		dp_stream_range__of(trace, dp_trace_stream(trace, stream)->device);

	for (size_t s = range.first; s < range.end; s++)
		if (s != stream && dp_trace_stream(trace, s)->kernels)
			return true;
	return false;
}

/* Finds the members, one of which is the stream itself. */
static int find_members(struct dp_stream_group *group, struct work *work)
{
	const struct dp_trace *trace = work->trace;
	struct dp_stream_range range =
		dp_stream_range__of(trace, dp_trace_stream(trace, group->stream)->device);

	group->has = dp_alloc__zeroed(range.end - range.first, sizeof(*group->has));
	if (!group->has)
		return DP_ERR_NOMEM;
	group->has[group->stream - range.first] = true;
	work->main_all_ns = add_stream(work, work->main_ns, group->stream);
	for (uint32_t s = (uint32_t)range.first; s < range.end; s++)
		if (s != group->stream && dp_trace_stream(trace, s)->kernels &&
		    does_same(work, s)) {
			group->has[s - range.first] = true;
			group->streams++;
		}
	if (group->streams < 2)
		return DP_OK;
	if (merge(group, trace))
		return DP_ERR_NOMEM;
	group->by_launch = from_one_thread(trace, group);
	if (!group->by_launch && !take_turns(work, group)) {
		group->by_launch = have_launches(trace, group);
		group->streams = group->by_launch ? group->streams : 1;
	}
	return DP_OK;
}

void dp_stream_group__single(struct dp_stream_group *group, const struct dp_trace *trace,
			     uint32_t stream)
{
	*group = (struct dp_stream_group){ .stream = stream, .streams = 1 };
	group->rows = dp_trace_stream_ops(trace, stream, &group->count);
}

int dp_stream_group__init(struct dp_stream_group *group, const struct dp_trace *trace,
			  uint32_t stream, struct dp_error *error)
{
	struct work work = { 0 };
	int status;

	dp_stream_group__single(group, trace, stream);
	if (!has_kernels_besides(trace, stream))
		return DP_OK;
	status = work_init(&work, trace);
	if (!status)
		status = find_members(group, &work);
	work_fini(&work);
	if (group->streams < 2) {
		dp_stream_group__fini(group);
		dp_stream_group__single(group, trace, stream);
	}
	return status ? dp_error__nomem(error, 0) : DP_OK;
}

int dp_stream_group__all(struct dp_stream_group *group, const struct dp_trace *trace,
			 uint32_t stream, struct dp_error *error)
{
	struct dp_stream_range range =
		dp_stream_range__of(trace, dp_trace_stream(trace, stream)->device);

	*group = (struct dp_stream_group){ .stream = stream };
	group->has = dp_alloc__zeroed(range.end - range.first, sizeof(*group->has));
	if (!group->has)
		return dp_error__nomem(error, 0);
	for (size_t s = range.first; s < range.end; s++) {
		bool *has = &group->has[s - range.first];

		*has = s == stream || dp_trace_stream(trace, s)->compute_ns > 0;
		group->streams += *has;
	}
	if (merge(group, trace))
		return dp_error__nomem(error, 0);
	group->by_launch = have_launches(trace, group);
	return DP_OK;
}

int dp_stream_group__with_copies(struct dp_stream_group *group, const struct dp_trace *trace,
				 const struct dp_stream_group *from, struct dp_error *error)
{
	struct dp_stream_range range =
		dp_stream_range__of(trace, dp_trace_stream(trace, from->stream)->device);

	*group = (struct dp_stream_group){ .stream = from->stream, .streams = from->streams };
	group->has = dp_alloc__zeroed(range.end - range.first, sizeof(*group->has));
	if (!group->has)
		return dp_error__nomem(error, 0);
	for (size_t s = range.first; s < range.end; s++)
		group->has[s - range.first] =
			dp_stream_group__has(from, &range, s) || !dp_trace_stream(trace, s)->kernels;
	if (merge(group, trace))
		return dp_error__nomem(error, 0);
	/* the order of one stream's kernels is the same both ways if one thread launched them */
	group->by_launch = from->by_launch || (from->streams == 1 && from_one_thread(trace, group));
	return DP_OK;
}

static int by_key(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* A copy without a launch stays behind the operation before it. */
int dp_stream_group__by_launch(uint32_t *rows, size_t count, const struct dp_trace *trace)
{
	const uint32_t *call = dp_trace_ops(trace)->call;
	uint64_t *keys = dp_alloc__array(count, sizeof(*keys));
	uint32_t last = 0;

	if (!keys)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		last = call[rows[i]] == DP_NONE ? last : call[rows[i]];
		keys[i] = (uint64_t)last << 32 | rows[i];
	}
	qsort(keys, count, sizeof(*keys), by_key);
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
