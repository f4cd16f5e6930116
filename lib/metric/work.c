/*
 * What communicates, what is uploaded, who launches, and when launching threads wait.
 *
 * A copy's caller waited for it where the call ended after the copy, or was followed at once by a
 * synchronizing call of the same thread: that is how frameworks make an asynchronous call block.
 */
#include "metric/work.h"
#include "base/communication.h"

#include <string.h>

/* A synchronization that begins this much after a copy's call is meant for it. */
#define AT_ONCE_NS 50000

/* What a call takes at least that is no launch, wait or copy, for it to be told of. */
#define STALL_NS 10000

static int find_comm(struct dp_work *work)
{
	size_t strings = dp_trace_string_count(work->trace);

	work->is_comm = dp_alloc__array(strings, sizeof(*work->is_comm));
	if (!work->is_comm)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < strings; i++)
		work->is_comm[i] =
			dp_communication__is_kernel(dp_trace_string(work->trace, (uint32_t)i));
	return DP_OK;
}

/* The device's operations, listed where there are other devices' as well. */
static int find_rows(struct dp_work *work)
{
	const struct dp_ops *ops = dp_trace_ops(work->trace);
	const struct dp_stream *stream;

	if (dp_trace_device_count(work->trace) < 2) {
		work->count = ops->count;
		return DP_OK;
	}
	for (size_t s = 0; (stream = dp_trace_stream(work->trace, s)); s++)
		if (stream->device == work->device)
			work->count += stream->kernels + stream->copies + stream->sets;
	work->rows = dp_alloc__array(work->count, sizeof(*work->rows));
	if (!work->rows)
		return DP_ERR_NOMEM;
	for (size_t i = 0, row = 0; i < ops->count && row < work->count; i++)
		if (dp_trace_stream(work->trace, ops->stream[i])->device == work->device)
			work->rows[row++] = (uint32_t)i;
	return DP_OK;
}

/* Page migrations of unified memory count: they are that program's uploads. */
bool dp_work__is_upload(const struct dp_ops *ops, size_t op)
{
	uint8_t kind = ops->copy_kind[op];

	return ops->kind[op] == DP_OP_COPY &&
	       (kind == DP_COPY_HTOD || kind == DP_COPY_HTOA || kind == DP_COPY_UM_HTOD);
}

static int find_copies(struct dp_work *work)
{
	const struct dp_ops *ops = dp_trace_ops(work->trace);
	size_t room = 0;

	for (size_t i = 0; i < work->count; i++) {
		size_t op = dp_work__op(work, i);

		if (!dp_work__is_upload(ops, op))
			continue;
		if (dp_array__reserve(&work->copies, &room, work->copy_count + 1,
				      sizeof(*work->copies)))
			return DP_ERR_NOMEM;
		work->copies[work->copy_count++] = (uint32_t)op;
	}
	return dp_spans__init(&work->uploads, ops, work->copies, work->copy_count, NULL);
}

static int find_threads(struct dp_work *work)
{
	const struct dp_calls *calls = dp_trace_calls(work->trace);
	const struct dp_ops *ops = dp_trace_ops(work->trace);
	size_t threads = dp_trace_thread_count(work->trace);

	work->launches = dp_alloc__zeroed(threads, sizeof(*work->launches));
	work->waited = dp_alloc__zeroed(calls->count, sizeof(*work->waited));
	if (!work->launches || !work->waited)
		return DP_ERR_NOMEM;
	for (size_t i = 0; calls->count && i < work->count; i++) {
		size_t op = dp_work__op(work, i);
		uint32_t call = ops->call[op];

		if (call == DP_NONE)
			continue;
		work->known = true;
		if (dp_op_is_kernel(ops->kind[op]) && calls->thread[call] < threads)
			work->launches[calls->thread[call]] = true;
		/* Nothing waits for a copy within the device: it was over sooner than its call. */
		if (ops->kind[op] == DP_OP_COPY && ops->copy_kind[op] != DP_COPY_DTOD &&
		    calls->end_ns[call] >= ops->end_ns[op])
			work->waited[call] |= DP_WAITED_INSIDE;
	}
	return DP_OK;
}

static bool is_launching(const struct dp_work *work, const struct dp_calls *calls, size_t call)
{
	return calls->thread[call] != DP_NONE && work->launches[calls->thread[call]];
}

/* Copies that a synchronization follows: last is the latest call per thread, plus one. */
static int find_waited(struct dp_work *work, const struct dp_calls *calls, size_t threads)
{
	uint32_t *last = dp_alloc__zeroed(threads, sizeof(*last));

	if (!last)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < calls->count; i++) {
		uint32_t thread = calls->thread[i], before;

		if (thread == DP_NONE)
			continue;
		before = last[thread];
		if (calls->kind[i] == DP_CALL_SYNC && before &&
		    calls->kind[before - 1] == DP_CALL_COPY &&
		    calls->start_ns[i] - calls->end_ns[before - 1] < AT_ONCE_NS)
			work->waited[before - 1] |= DP_WAITED_AFTER;
		if (calls->kind[i] != DP_CALL_OTHER)
			last[thread] = (uint32_t)i + 1;
	}
	free(last);
	return DP_OK;
}

enum copies { NO_COPIES, BLOCKING_COPIES, ALL_COPIES };

static bool is_wait(const struct dp_work *work, const struct dp_calls *calls, size_t i,
		    enum copies copies)
{
	if (!is_launching(work, calls, i))
		return false;
	if (calls->kind[i] != DP_CALL_COPY)
		return calls->kind[i] == DP_CALL_SYNC;
	return copies == ALL_COPIES ||
	       (copies == BLOCKING_COPIES && (work->waited[i] & DP_WAITED_INSIDE));
}

/* The union of the calls that wait. */
static int unite(struct dp_spans *spans, const struct dp_work *work, const struct dp_calls *calls,
		 enum copies copies)
{
	size_t room = 0, last;

	for (size_t i = 0; i < calls->count; i++)
		room += is_wait(work, calls, i, copies);
	spans->start_ns = dp_alloc__array(room, sizeof(int64_t));
	spans->end_ns = dp_alloc__array(room, sizeof(int64_t));
	if (!spans->start_ns || !spans->end_ns)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < calls->count; i++) {
		if (!is_wait(work, calls, i, copies))
			continue;
		last = spans->count - 1;
		if (spans->count && calls->start_ns[i] <= spans->end_ns[last]) {
			spans->end_ns[last] = DP_MAX(spans->end_ns[last], calls->end_ns[i]);
			continue;
		}
		spans->start_ns[spans->count] = calls->start_ns[i];
		spans->end_ns[spans->count++] = calls->end_ns[i];
	}
	return DP_OK;
}

/*
 * A call that keeps its thread from launching: it allocates or frees, or takes as long as several
 * launches do. Short ones are a part of what launching costs.
 */
static bool is_stall(const struct dp_work *work, const struct dp_calls *calls, size_t i)
{
	if (!is_launching(work, calls, i))
		return false;
	return calls->kind[i] == DP_CALL_MEMORY ||
	       (calls->kind[i] == DP_CALL_OTHER &&
		calls->end_ns[i] - calls->start_ns[i] >= STALL_NS);
}

/* Spans of such calls, cut where one begins before another's end; what is inside a copy's call or a
 * synchronizing one belongs to that. */
static int find_stalls(struct dp_work *work, const struct dp_calls *calls, size_t threads)
{
	int64_t *until_ns = dp_alloc__array(threads, sizeof(*until_ns)), end_ns = INT64_MIN;
	struct dp_spans *spans = &work->stalls;
	size_t room = 0;

	for (size_t i = 0; i < calls->count; i++)
		room += is_stall(work, calls, i);
	spans->start_ns = dp_alloc__array(room, sizeof(int64_t));
	spans->end_ns = dp_alloc__array(room, sizeof(int64_t));
	work->stall_calls = dp_alloc__array(room, sizeof(*work->stall_calls));
	for (size_t i = 0; i < threads && until_ns; i++)
		until_ns[i] = INT64_MIN;
	if (!until_ns || !spans->start_ns || !spans->end_ns || !work->stall_calls) {
		free(until_ns);
		return DP_ERR_NOMEM;
	}
	for (size_t i = 0; i < calls->count && room; i++) {
		uint32_t thread = calls->thread[i];
		bool stall = is_stall(work, calls, i);

		if (!stall && is_wait(work, calls, i, ALL_COPIES))
			until_ns[thread] = DP_MAX(until_ns[thread], calls->end_ns[i]);
		if (!stall || calls->end_ns[i] <= end_ns || calls->start_ns[i] < until_ns[thread])
			continue;
		work->stall_calls[spans->count] = (uint32_t)i;
		spans->start_ns[spans->count] = DP_MAX(calls->start_ns[i], end_ns);
		spans->end_ns[spans->count++] = end_ns = calls->end_ns[i];
	}
	free(until_ns);
	return DP_OK;
}

static bool is_between(char c)
{
	return c == '_' || c == '-' || c == ' ';
}

/* Does a name hold a word, whatever its case, and whatever stands between its syllables? */
static bool mentions(const char *name, const char *word)
{
	for (; *name; name++) {
		const char *at = name, *next = word;

		for (; *next && ((*at | 0x20) == *next || (at > name && is_between(*at))); at++)
			next += !is_between(*at);
		if (!*next)
			return true;
	}
	return false;
}

/* Names of what fetches the next input: PyTorch's "enumerate(DataLoader)#…", TensorFlow's
 * "IteratorGetNext", and what people call it. */
static bool names_loader(const char *name)
{
	static const char *const words[] = { "dataload", "loaddata", "getbatch", "nextbatch",
					     "iteratorgetnext" };

	for (size_t i = 0; i < DP_COUNT(words); i++)
		if (mentions(name, words[i]))
			return true;
	return false;
}

enum named { NOT_KNOWN, NO_LOADER, LOADER };

/* A range of a launching thread that fetches input; what its name says is kept. */
static bool is_loader(const struct dp_work *work, uint8_t *named, size_t i)
{
	const struct dp_ranges *ranges = dp_trace_ranges(work->trace);
	uint32_t name = ranges->name[i], thread = ranges->thread[i];

	if (name == DP_NONE || thread == DP_NONE || !work->launches[thread])
		return false;
	if (named[name] == NOT_KNOWN)
		named[name] = names_loader(dp_trace_string(work->trace, name)) ? LOADER : NO_LOADER;
	return named[name] == LOADER;
}

/* The union of such ranges. */
static int find_loaders(struct dp_work *work)
{
	const struct dp_ranges *ranges = dp_trace_ranges(work->trace);
	uint8_t *named = dp_alloc__zeroed(dp_trace_string_count(work->trace) + 1, sizeof(*named));
	struct dp_spans *spans = &work->loaders;
	size_t room = 0;
	int status = DP_ERR_NOMEM;

	for (size_t i = 0; i < ranges->count && named; i++)
		room += is_loader(work, named, i);
	spans->start_ns = dp_alloc__array(room, sizeof(int64_t));
	spans->end_ns = dp_alloc__array(room, sizeof(int64_t));
	if (!named || !spans->start_ns || !spans->end_ns)
		goto out;
	for (size_t i = 0; i < ranges->count && room; i++) {
		int64_t *end_ns = spans->count ? &spans->end_ns[spans->count - 1] : NULL;

		if (!is_loader(work, named, i))
			continue;
		if (end_ns && ranges->start_ns[i] <= *end_ns) {
			*end_ns = DP_MAX(*end_ns, ranges->end_ns[i]);
			continue;
		}
		spans->start_ns[spans->count] = ranges->start_ns[i];
		spans->end_ns[spans->count++] = ranges->end_ns[i];
	}
	status = DP_OK;
out:
	free(named);
	return status;
}

int dp_work__init(struct dp_work *work, const struct dp_trace *trace, uint32_t device,
		  struct dp_error *error)
{
	const struct dp_calls *calls = dp_trace_calls(trace);

	*work = (struct dp_work){ .trace = trace, .device = device };
	if (find_comm(work) || find_rows(work) || find_copies(work) || find_threads(work) ||
	    find_waited(work, calls, dp_trace_thread_count(trace)) ||
	    unite(&work->syncs, work, calls, NO_COPIES) ||
	    unite(&work->any, work, calls, ALL_COPIES) ||
	    unite(&work->waits, work, calls, BLOCKING_COPIES) ||
	    find_stalls(work, calls, dp_trace_thread_count(trace)) || find_loaders(work))
		return dp_error__nomem(error, calls->count);
	return DP_OK;
}

void dp_work__fini(struct dp_work *work)
{
	free(work->rows);
	free(work->copies);
	free(work->is_comm);
	free(work->launches);
	free(work->waited);
	dp_spans__fini(&work->uploads);
	dp_spans__fini(&work->syncs);
	dp_spans__fini(&work->any);
	dp_spans__fini(&work->waits);
	dp_spans__fini(&work->stalls);
	dp_spans__fini(&work->loaders);
	free(work->stall_calls);
	*work = (struct dp_work){ 0 };
}
