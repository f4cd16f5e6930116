/*
 * A copy's caller waited for it where the call ended after the copy, or was followed at once by a
 * synchronizing call of the same thread: that is how frameworks make an asynchronous call block.
 */
#include "metric/waits.h"

/* A synchronization that begins this much after a copy's call is meant for it. */
#define AT_ONCE_NS 50000

static int find_threads(struct dp_waits *waits, const struct dp_trace *trace, uint32_t device)
{
	const struct dp_calls *calls = dp_trace_calls(trace);
	const struct dp_ops *ops = dp_trace_ops(trace);
	size_t threads = dp_trace_thread_count(trace);

	waits->launches = dp_alloc__zeroed(threads, sizeof(*waits->launches));
	waits->waited = dp_alloc__zeroed(calls->count, sizeof(*waits->waited));
	if (!waits->launches || !waits->waited)
		return DP_ERR_NOMEM;
	for (size_t i = 0; calls->count && i < ops->count; i++) {
		uint32_t call = ops->call[i];

		if (call == DP_NONE || dp_trace_stream(trace, ops->stream[i])->device != device)
			continue;
		waits->known = true;
		if (dp_op_is_kernel(ops->kind[i]) && calls->thread[call] < threads)
			waits->launches[calls->thread[call]] = true;
		if (ops->kind[i] == DP_OP_COPY && calls->end_ns[call] >= ops->end_ns[i])
			waits->waited[call] = true;
	}
	return DP_OK;
}

static bool is_launching(const struct dp_waits *waits, const struct dp_calls *calls, size_t call)
{
	return calls->thread[call] != DP_NONE && waits->launches[calls->thread[call]];
}

/* Copies that a synchronization follows: last is the latest call per thread, plus one. */
static int find_waited(struct dp_waits *waits, const struct dp_calls *calls, size_t threads)
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
			waits->waited[before - 1] = true;
		if (calls->kind[i] != DP_CALL_OTHER)
			last[thread] = (uint32_t)i + 1;
	}
	free(last);
	return DP_OK;
}

static bool is_wait(const struct dp_waits *waits, const struct dp_calls *calls, size_t i,
		    bool copies)
{
	return (calls->kind[i] == DP_CALL_SYNC || (copies && calls->kind[i] == DP_CALL_COPY)) &&
	       is_launching(waits, calls, i);
}

/* The union of the calls that wait. */
static int unite(struct dp_spans *spans, const struct dp_waits *waits, const struct dp_calls *calls,
		 bool copies)
{
	size_t room = 0, last;

	for (size_t i = 0; i < calls->count; i++)
		room += is_wait(waits, calls, i, copies);
	spans->start_ns = dp_alloc__array(room, sizeof(int64_t));
	spans->end_ns = dp_alloc__array(room, sizeof(int64_t));
	if (!spans->start_ns || !spans->end_ns)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < calls->count; i++) {
		if (!is_wait(waits, calls, i, copies))
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

int dp_waits__init(struct dp_waits *waits, const struct dp_trace *trace, uint32_t device,
		   struct dp_error *error)
{
	const struct dp_calls *calls = dp_trace_calls(trace);

	*waits = (struct dp_waits){ 0 };
	if (find_threads(waits, trace, device) ||
	    find_waited(waits, calls, dp_trace_thread_count(trace)) ||
	    unite(&waits->syncs, waits, calls, false) || unite(&waits->any, waits, calls, true))
		return dp_error__nomem(error, calls->count);
	return DP_OK;
}

void dp_waits__fini(struct dp_waits *waits)
{
	free(waits->launches);
	free(waits->waited);
	dp_spans__fini(&waits->syncs);
	dp_spans__fini(&waits->any);
}

/* To the first span that ends after a time. */
static void seek(struct dp_spans_at *at, int64_t time_ns)
{
	while (at->at < at->spans->count && at->spans->end_ns[at->at] <= time_ns)
		at->at++;
}

int64_t dp_spans_at__covered(struct dp_spans_at *at, int64_t start_ns, int64_t end_ns)
{
	const struct dp_spans *spans = at->spans;
	int64_t covered_ns = 0;

	seek(at, start_ns);
	for (size_t i = at->at; i < spans->count && spans->start_ns[i] < end_ns; i++)
		covered_ns +=
			DP_MIN(spans->end_ns[i], end_ns) - DP_MAX(spans->start_ns[i], start_ns);
	return covered_ns;
}

bool dp_spans_at__holds(struct dp_spans_at *at, int64_t time_ns, int64_t slack_ns)
{
	const struct dp_spans *spans = at->spans;

	seek(at, time_ns);
	if (at->at < spans->count && spans->start_ns[at->at] <= time_ns)
		return true;
	return at->at && spans->end_ns[at->at - 1] + slack_ns >= time_ns;
}
