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

/* The shortest reported call that is no launch, wait or copy. */
#define STALL_NS 10000

static int find_comm(struct dp_work_index *index)
{
	size_t strings = dp_trace_string_count(index->trace);

	index->is_comm = dp_alloc__array(strings, sizeof(*index->is_comm));
	if (!index->is_comm)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < strings; i++)
		index->is_comm[i] =
			dp_communication__is_kernel(dp_trace_string(index->trace, (uint32_t)i));
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
	work->inside = dp_alloc__zeroed(calls->count, sizeof(*work->inside));
	if (!work->launches || !work->inside)
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
			work->inside[call] = DP_WAITED_INSIDE;
	}
	return DP_OK;
}

static bool is_launching(const struct dp_work *work, const struct dp_calls *calls, size_t call)
{
	return calls->thread[call] != DP_NONE && work->launches[calls->thread[call]];
}

static int compare_rows(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Of several threads: a pass over all calls, unless these are few of them. */
static int gather_calls(struct dp_work *work, const struct dp_calls *calls, size_t threads)
{
	size_t own, count = 0;
	const uint32_t *rows;

	work->gathered = dp_alloc__array(work->call_count, sizeof(*work->gathered));
	if (!work->gathered)
		return DP_ERR_NOMEM;
	work->calls = work->gathered;
	if (work->call_count >= calls->count / 8) {
		for (size_t i = 0; i < calls->count; i++)
			if (is_launching(work, calls, i))
				work->gathered[count++] = (uint32_t)i;
		return DP_OK;
	}
	for (size_t thread = 0; thread < threads; thread++) {
		if (!work->launches[thread])
			continue;
		rows = dp_groups__rows(&work->index->calls, thread, &own);
		memcpy(work->gathered + count, rows, own * sizeof(*rows));
		count += own;
	}
	qsort(work->gathered, count, sizeof(*work->gathered), compare_rows);
	return DP_OK;
}

static int find_calls(struct dp_work *work, const struct dp_calls *calls, size_t threads)
{
	size_t own, launching = 0;
	const uint32_t *rows;

	for (size_t thread = 0; thread < threads; thread++) {
		if (!work->launches[thread])
			continue;
		rows = dp_groups__rows(&work->index->calls, thread, &own);
		launching++;
		work->calls = rows;
		work->call_count += own;
	}
	return launching > 1 ? gather_calls(work, calls, threads) : DP_OK;
}

/* Copies that a synchronization follows: last is the latest call per thread, plus one. */
static int find_waited(struct dp_work_index *index, const struct dp_calls *calls, size_t threads)
{
	uint32_t *last = dp_alloc__zeroed(threads, sizeof(*last));

	index->waited = dp_alloc__zeroed(calls->count, sizeof(*index->waited));
	if (!last || !index->waited) {
		free(last);
		return DP_ERR_NOMEM;
	}
	for (size_t i = 0; i < calls->count; i++) {
		uint32_t thread = calls->thread[i], before;

		if (thread == DP_NONE)
			continue;
		before = last[thread];
		if (calls->kind[i] == DP_CALL_SYNC && before &&
		    calls->kind[before - 1] == DP_CALL_COPY &&
		    calls->start_ns[i] - calls->end_ns[before - 1] < AT_ONCE_NS)
			index->waited[before - 1] = DP_WAITED_AFTER;
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
	if (calls->kind[i] != DP_CALL_COPY)
		return calls->kind[i] == DP_CALL_SYNC;
	return copies == ALL_COPIES || (copies == BLOCKING_COPIES && work->inside[i]);
}

/* The union of the calls that wait. */
static int unite(struct dp_spans *spans, const struct dp_work *work, const struct dp_calls *calls,
		 enum copies copies)
{
	size_t room = 0, last;

	for (size_t c = 0; c < work->call_count; c++)
		room += is_wait(work, calls, work->calls[c], copies);
	spans->start_ns = dp_alloc__array(room, sizeof(int64_t));
	spans->end_ns = dp_alloc__array(room, sizeof(int64_t));
	if (!spans->start_ns || !spans->end_ns)
		return DP_ERR_NOMEM;
	for (size_t c = 0; c < work->call_count; c++) {
		size_t i = work->calls[c];

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
static bool is_stall(const struct dp_calls *calls, size_t i)
{
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

	for (size_t c = 0; c < work->call_count; c++)
		room += is_stall(calls, work->calls[c]);
	spans->start_ns = dp_alloc__array(room, sizeof(int64_t));
	spans->end_ns = dp_alloc__array(room, sizeof(int64_t));
	work->stall_calls = dp_alloc__array(room, sizeof(*work->stall_calls));
	for (size_t i = 0; i < threads && until_ns; i++)
		until_ns[i] = INT64_MIN;
	if (!until_ns || !spans->start_ns || !spans->end_ns || !work->stall_calls) {
		free(until_ns);
		return DP_ERR_NOMEM;
	}
	for (size_t c = 0; c < work->call_count && room; c++) {
		size_t i = work->calls[c];
		uint32_t thread = calls->thread[i];
		bool stall = is_stall(calls, i);

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

/* What each name says is kept. */
static bool is_loader(const struct dp_trace *trace, uint8_t *named, uint32_t name)
{
	if (name == DP_NONE)
		return false;
	if (named[name] == NOT_KNOWN)
		named[name] = names_loader(dp_trace_string(trace, name)) ? LOADER : NO_LOADER;
	return named[name] == LOADER;
}

/* Ranges that fetch input, by thread. */
static int group_loaders(struct dp_work_index *index)
{
	const struct dp_ranges *ranges = dp_trace_ranges(index->trace);
	uint8_t *named = dp_alloc__zeroed(dp_trace_string_count(index->trace) + 1, sizeof(*named));
	uint32_t *threads = dp_alloc__array(ranges->count, sizeof(*threads));
	int status = DP_ERR_NOMEM;

	for (size_t i = 0; i < ranges->count && named && threads; i++)
		threads[i] = is_loader(index->trace, named, ranges->name[i]) ? ranges->thread[i]
									     : DP_NONE;
	if (named && threads)
		status = dp_groups__init(&index->loaders, threads, NULL, ranges->count,
					 dp_trace_thread_count(index->trace));
	free(named);
	free(threads);
	return status;
}

/* Those of the launching threads, in order. */
static int gather_loaders(uint32_t **loaders, size_t *count, const struct dp_work *work)
{
	size_t own, room = 0, threads = dp_trace_thread_count(work->trace);
	const uint32_t *rows;

	*count = 0;
	for (size_t thread = 0; thread < threads; thread++) {
		if (!work->launches[thread])
			continue;
		rows = dp_groups__rows(&work->index->loaders, thread, &own);
		if (dp_array__reserve(loaders, &room, *count + own, sizeof(**loaders)))
			return DP_ERR_NOMEM;
		if (own)
			memcpy(*loaders + *count, rows, own * sizeof(*rows));
		*count += own;
	}
	if (*count)
		qsort(*loaders, *count, sizeof(**loaders), compare_rows);
	return DP_OK;
}

/* The union of such ranges. */
static int find_loaders(struct dp_work *work)
{
	const struct dp_ranges *ranges = dp_trace_ranges(work->trace);
	struct dp_spans *spans = &work->loaders;
	uint32_t *loaders = NULL;
	size_t count;
	int status = gather_loaders(&loaders, &count, work);

	if (status)
		goto out;
	spans->start_ns = dp_alloc__array(count, sizeof(int64_t));
	spans->end_ns = dp_alloc__array(count, sizeof(int64_t));
	if (!spans->start_ns || !spans->end_ns) {
		status = DP_ERR_NOMEM;
		goto out;
	}
	for (size_t i = 0; i < count; i++) {
		int64_t start_ns = ranges->start_ns[loaders[i]];
		int64_t end_ns = ranges->end_ns[loaders[i]];
		int64_t *last_ns = spans->count ? &spans->end_ns[spans->count - 1] : NULL;

		if (last_ns && start_ns <= *last_ns) {
			*last_ns = DP_MAX(*last_ns, end_ns);
			continue;
		}
		spans->start_ns[spans->count] = start_ns;
		spans->end_ns[spans->count++] = end_ns;
	}
out:
	free(loaders);
	return status;
}

/* Operations have streams, and these have devices. */
static int group_ops(struct dp_work_index *index, size_t devices)
{
	const struct dp_ops *ops = dp_trace_ops(index->trace);
	size_t streams = dp_trace_stream_count(index->trace);
	uint32_t *device_of = dp_alloc__array(streams, sizeof(*device_of));
	int status;

	if (!device_of)
		return DP_ERR_NOMEM;
	for (size_t s = 0; s < streams; s++)
		device_of[s] = dp_trace_stream(index->trace, s)->device;
	status = dp_groups__init(&index->ops, ops->stream, device_of, ops->count, devices);
	free(device_of);
	return status;
}

int dp_work_index__init(struct dp_work_index *index, const struct dp_trace *trace,
			struct dp_error *error)
{
	const struct dp_calls *calls = dp_trace_calls(trace);
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	const struct dp_samples *samples = dp_trace_samples(trace);
	const struct dp_memory *memory = dp_trace_memory(trace);
	size_t threads = dp_trace_thread_count(trace), devices = dp_trace_device_count(trace);

	*index = (struct dp_work_index){ .trace = trace };
	if (find_comm(index) || group_ops(index, devices) ||
	    dp_groups__init(&index->calls, calls->thread, NULL, calls->count, threads) ||
	    find_waited(index, calls, threads) ||
	    dp_groups__init(&index->ranges, ranges->thread, NULL, ranges->count, threads) ||
	    group_loaders(index) ||
	    dp_groups__init(&index->samples, samples->device, NULL, samples->count, devices) ||
	    dp_groups__init(&index->memory, memory->device, NULL, memory->count, devices) ||
	    dp_groups__init(&index->activity, dp_trace_activity(trace)->device, NULL,
			    dp_trace_activity(trace)->count, devices) ||
	    dp_groups__init(&index->cpu_samples, dp_trace_cpu_samples(trace)->thread, NULL,
			    dp_trace_cpu_samples(trace)->count, threads) ||
	    dp_groups__init(&index->off_cpu, dp_trace_off_cpu(trace)->thread, NULL,
			    dp_trace_off_cpu(trace)->count, threads))
		return dp_error__nomem(error, calls->count);
	return DP_OK;
}

void dp_work_index__fini(struct dp_work_index *index)
{
	dp_groups__fini(&index->ops);
	dp_groups__fini(&index->calls);
	dp_groups__fini(&index->ranges);
	dp_groups__fini(&index->loaders);
	dp_groups__fini(&index->samples);
	dp_groups__fini(&index->memory);
	dp_groups__fini(&index->activity);
	dp_groups__fini(&index->cpu_samples);
	dp_groups__fini(&index->off_cpu);
	free(index->is_comm);
	free(index->waited);
	*index = (struct dp_work_index){ 0 };
}

int dp_work__init(struct dp_work *work, const struct dp_work_index *index, uint32_t device,
		  struct dp_error *error)
{
	const struct dp_calls *calls = dp_trace_calls(index->trace);
	size_t threads = dp_trace_thread_count(index->trace);

	*work = (struct dp_work){ .trace = index->trace, .index = index, .device = device };
	work->rows = dp_groups__rows(&index->ops, device, &work->count);
	if (find_copies(work) || find_threads(work) || find_calls(work, calls, threads) ||
	    unite(&work->syncs, work, calls, NO_COPIES) ||
	    unite(&work->any, work, calls, ALL_COPIES) ||
	    unite(&work->waits, work, calls, BLOCKING_COPIES) ||
	    find_stalls(work, calls, threads) || find_loaders(work))
		return dp_error__nomem(error, calls->count);
	return DP_OK;
}

void dp_work__fini(struct dp_work *work)
{
	free(work->gathered);
	free(work->copies);
	free(work->launches);
	free(work->inside);
	dp_spans__fini(&work->uploads);
	dp_spans__fini(&work->syncs);
	dp_spans__fini(&work->any);
	dp_spans__fini(&work->waits);
	dp_spans__fini(&work->stalls);
	dp_spans__fini(&work->loaders);
	free(work->stall_calls);
	*work = (struct dp_work){ 0 };
}
