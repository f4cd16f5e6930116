/* The calls behind call_stall_ns, collected gap by gap. */
#include "activity/call_stalls.h"

#include <string.h>

static bool starts(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/* By the names of the CUDA and HIP APIs; suffixes are ignored. */
enum dp_purpose dp_purpose__of(const char *name)
{
	static const struct {
		const char *prefix;
		enum dp_purpose purpose;
	} purposes[] = {
		/* in this order: longer names precede those that they begin with */
		{ "MallocHost", DP_PURPOSE_HOST_MEMORY },
		{ "FreeHost", DP_PURPOSE_HOST_MEMORY },
		{ "MemAllocHost", DP_PURPOSE_HOST_MEMORY },
		{ "MemFreeHost", DP_PURPOSE_HOST_MEMORY },
		{ "MemHost", DP_PURPOSE_HOST_MEMORY },
		{ "Host", DP_PURPOSE_HOST_MEMORY },
		{ "Malloc", DP_PURPOSE_ALLOCATE },
		{ "MemAlloc", DP_PURPOSE_ALLOCATE },
		{ "MemCreate", DP_PURPOSE_ALLOCATE },
		{ "Free", DP_PURPOSE_FREE },
		{ "MemFree", DP_PURPOSE_FREE },
		{ "MemRelease", DP_PURPOSE_FREE },
		{ "Module", DP_PURPOSE_CODE },
		{ "Library", DP_PURPOSE_CODE },
		{ "Link", DP_PURPOSE_CODE },
		{ "GraphInstantiate", DP_PURPOSE_GRAPH },
		{ "StreamBeginCapture", DP_PURPOSE_GRAPH },
		{ "StreamEndCapture", DP_PURPOSE_GRAPH },
	};
	static const char *const apis[] = { "cuda", "cu", "hip" };
	const char *rest = NULL;

	for (size_t i = 0; i < DP_COUNT(apis) && !rest; i++)
		if (starts(name, apis[i]))
			rest = name + strlen(apis[i]);

	for (size_t i = 0; rest && i < DP_COUNT(purposes); i++)
		if (starts(rest, purposes[i].prefix))
			return purposes[i].purpose;
	return DP_PURPOSE_OTHER;
}

int dp_stalls__init(struct dp_stalls *stalls, const struct dp_device_timeline *timeline)
{
	*stalls = (struct dp_stalls){ .timeline = timeline };
	if (!timeline->stalls.count)
		return DP_OK;
	stalls->latest = dp_alloc__zeroed(dp_trace_string_count(timeline->trace), sizeof(size_t));
	return stalls->latest ? DP_OK : DP_ERR_NOMEM;
}

/* The entry of a name and an iteration; NULL if memory runs out. */
static struct dp_stall *entry(struct dp_stalls *stalls, uint32_t name, size_t iteration)
{
	size_t latest = stalls->latest[name];
	struct dp_stall *made;

	if (latest && stalls->stalls[latest - 1].iteration == iteration)
		return &stalls->stalls[latest - 1];
	if (dp_array__reserve(&stalls->stalls, &stalls->room, stalls->count + 1, sizeof(*made)))
		return NULL;
	made = &stalls->stalls[stalls->count++];
	stalls->latest[name] = stalls->count;
	*made = (struct dp_stall){ .name = dp_trace_string(stalls->timeline->trace, name),
				   .name_id = name,
				   .iteration = iteration };
	made->purpose = dp_purpose__of(made->name);
	return made;
}

int dp_stalls__add(struct dp_stalls *stalls, size_t iteration, int64_t start_ns, int64_t end_ns)
{
	const struct dp_calls *calls = dp_trace_calls(stalls->timeline->trace);
	const struct dp_spans *spans = &stalls->timeline->stalls;

	while (stalls->at < spans->count && spans->end_ns[stalls->at] <= start_ns)
		stalls->at++;
	for (size_t i = stalls->at; i < spans->count && spans->start_ns[i] < end_ns; i++) {
		uint32_t name = calls->name[stalls->timeline->stall_calls[i]];
		struct dp_stall *at;

		if (name >= dp_trace_string_count(stalls->timeline->trace))
			continue;
		at = entry(stalls, name, iteration);
		if (!at)
			return DP_ERR_NOMEM;
		at->idle_ns += (double)(DP_MIN(spans->end_ns[i], end_ns) -
					DP_MAX(spans->start_ns[i], start_ns));
		/* a call may extend over several gaps */
		at->calls += i >= stalls->counted;
		stalls->counted = DP_MAX(stalls->counted, i + 1);
	}
	return DP_OK;
}

static int by_name(const void *a, const void *b)
{
	const struct dp_stall *x = a, *y = b;

	if (x->name_id != y->name_id)
		return x->name_id < y->name_id ? -1 : 1;
	return (x->iteration > y->iteration) - (x->iteration < y->iteration);
}

void dp_stalls__sort(struct dp_stalls *stalls)
{
	if (stalls->count)
		qsort(stalls->stalls, stalls->count, sizeof(*stalls->stalls), by_name);
	free(stalls->latest);
	stalls->latest = NULL;
	stalls->timeline = NULL;
}

void dp_stalls__fini(struct dp_stalls *stalls)
{
	free(stalls->stalls);
	free(stalls->latest);
	*stalls = (struct dp_stalls){ 0 };
}
