/* The calls behind call_stall_ns, gathered gap by gap. */
#include "metric/stalls.h"

int dp_stalls__init(struct dp_stalls *stalls, const struct dp_work *work)
{
	*stalls = (struct dp_stalls){ .work = work };
	if (!work->stalls.count)
		return DP_OK;
	stalls->latest = dp_alloc__zeroed(dp_trace_string_count(work->trace), sizeof(size_t));
	return stalls->latest ? DP_OK : DP_ERR_NOMEM;
}

/* The entry of a name and an iteration; NULL without memory. */
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
	*made = (struct dp_stall){ .name = dp_trace_string(stalls->work->trace, name),
				   .name_id = name,
				   .iteration = iteration };
	made->purpose = dp_purpose__of(made->name);
	return made;
}

int dp_stalls__add(struct dp_stalls *stalls, size_t iteration, int64_t start_ns, int64_t end_ns)
{
	const struct dp_calls *calls = dp_trace_calls(stalls->work->trace);
	const struct dp_spans *spans = &stalls->work->stalls;

	while (stalls->at < spans->count && spans->end_ns[stalls->at] <= start_ns)
		stalls->at++;
	for (size_t i = stalls->at; i < spans->count && spans->start_ns[i] < end_ns; i++) {
		uint32_t name = calls->name[stalls->work->stall_calls[i]];
		struct dp_stall *at;

		if (name >= dp_trace_string_count(stalls->work->trace))
			continue;
		at = entry(stalls, name, iteration);
		if (!at)
			return DP_ERR_NOMEM;
		at->idle_ns += (double)(DP_MIN(spans->end_ns[i], end_ns) -
					DP_MAX(spans->start_ns[i], start_ns));
		/* A call may reach over several gaps. */
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
	stalls->work = NULL;
}

void dp_stalls__fini(struct dp_stalls *stalls)
{
	free(stalls->stalls);
	free(stalls->latest);
	*stalls = (struct dp_stalls){ 0 };
}
