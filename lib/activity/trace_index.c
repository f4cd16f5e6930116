/*
 * Rows are grouped by counting sort.
 *
 * A copy's caller waited for it if the call ended after the copy, or was followed at once by a
 * synchronizing call of the same thread: that is how frameworks make an asynchronous call block.
 */
#include "activity/trace_index.h"
#include "base/communication.h"

/* A synchronization that begins within this time after a copy's call waits for the copy. */
#define AT_ONCE_NS 50000

static uint32_t key_of(const uint32_t *key, const uint32_t *map, size_t i)
{
	return map && key[i] != DP_NONE ? map[key[i]] : key[i];
}

int dp_groups__init(struct dp_groups *groups, const uint32_t *key, const uint32_t *map,
		    size_t count, size_t keys)
{
	size_t used = 0;

	*groups = (struct dp_groups){ .keys = keys };
	groups->first = dp_alloc__zeroed(keys + 2, sizeof(*groups->first));
	if (!groups->first)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		uint32_t at = key_of(key, map, i);

		if (at < keys)
			groups->first[at + 2]++;
	}
	for (size_t k = 0; k < keys; k++)
		groups->first[k + 2] += groups->first[k + 1];
	used = groups->first[keys + 1];
	groups->rows = dp_alloc__array(used, sizeof(*groups->rows));
	if (!groups->rows)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		uint32_t at = key_of(key, map, i);

		if (at < keys)
			groups->rows[groups->first[at + 1]++] = (uint32_t)i;
	}
	return DP_OK;
}

void dp_groups__fini(struct dp_groups *groups)
{
	free(groups->rows);
	free(groups->first);
	*groups = (struct dp_groups){ 0 };
}

const uint32_t *dp_groups__rows(const struct dp_groups *groups, size_t key, size_t *count)
{
	if (key >= groups->keys) {
		*count = 0;
		return NULL;
	}
	*count = groups->first[key + 1] - groups->first[key];
	return groups->rows + groups->first[key];
}

static int find_comm(struct dp_trace_index *index)
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

/* Finds copies that a synchronization follows. last is the latest call per thread, plus one. */
static int find_waited(struct dp_trace_index *index, const struct dp_calls *calls, size_t threads)
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
		if (calls->kind[i] != DP_CALL_OTHER && calls->kind[i] != DP_CALL_LOAD)
			last[thread] = (uint32_t)i + 1;
	}
	free(last);
	return DP_OK;
}

static bool is_between(char c)
{
	return c == '_' || c == '-' || c == ' ';
}

/* Returns true if a name contains a word, ignoring case and separators. */
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

/*
 * Returns true for names of ranges that fetch the next input: PyTorch's "enumerate(DataLoader)#…",
 * TensorFlow's "IteratorGetNext", and names that users choose.
 */
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

/* The same, cached per name. */
static bool is_loader(const struct dp_trace *trace, uint8_t *named, uint32_t name)
{
	if (name == DP_NONE)
		return false;
	if (named[name] == NOT_KNOWN)
		named[name] = names_loader(dp_trace_string(trace, name)) ? LOADER : NO_LOADER;
	return named[name] == LOADER;
}

/* Groups the ranges that fetch input by thread. */
static int group_loaders(struct dp_trace_index *index)
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

int64_t *dp_trace_index__times(const struct dp_trace_index *index)
{
	size_t threads = dp_trace_thread_count(index->trace);
	int64_t *times_ns = dp_alloc__array(threads, sizeof(*times_ns));

	for (size_t i = 0; i < threads && times_ns; i++)
		times_ns[i] = INT64_MIN;
	return times_ns;
}

/* Groups operations by the devices of their streams. */
static int group_ops(struct dp_trace_index *index, size_t devices)
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

int dp_trace_index__init(struct dp_trace_index *index, const struct dp_trace *trace,
			 struct dp_error *error)
{
	const struct dp_calls *calls = dp_trace_calls(trace);
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	const struct dp_samples *samples = dp_trace_samples(trace);
	const struct dp_memory *memory = dp_trace_memory(trace);
	size_t threads = dp_trace_thread_count(trace), devices = dp_trace_device_count(trace);

	*index = (struct dp_trace_index){ .trace = trace };
	if (find_comm(index) || group_ops(index, devices) ||
	    dp_groups__init(&index->calls, calls->thread, NULL, calls->count, threads) ||
	    find_waited(index, calls, threads) ||
	    dp_groups__init(&index->ranges, ranges->thread, NULL, ranges->count, threads) ||
	    group_loaders(index) || dp_range_names__init(&index->range_names, trace) ||
	    dp_groups__init(&index->samples, samples->device, NULL, samples->count, devices) ||
	    dp_groups__init(&index->memory, memory->device, NULL, memory->count, devices) ||
	    dp_groups__init(&index->activity, dp_trace_activity(trace)->device, NULL,
			    dp_trace_activity(trace)->count, devices) ||
	    dp_groups__init(&index->cpu_samples, dp_trace_cpu_samples(trace)->thread, NULL,
			    dp_trace_cpu_samples(trace)->count, threads) ||
	    dp_groups__init(&index->off_cpu, dp_trace_off_cpu(trace)->thread, NULL,
			    dp_trace_off_cpu(trace)->count, threads) ||
	    dp_groups__init(&index->functions, dp_trace_function_samples(trace)->thread, NULL,
			    dp_trace_function_samples(trace)->count, threads))
		return dp_error__nomem(error, calls->count);
	return DP_OK;
}

void dp_trace_index__fini(struct dp_trace_index *index)
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
	dp_groups__fini(&index->functions);
	dp_range_names__fini(&index->range_names);
	free(index->is_comm);
	free(index->waited);
	*index = (struct dp_trace_index){ 0 };
}
