/*
 * The evidence about a kernel besides its name, computed on request from a bounded number of
 * preceding calls and operations; and the kernels before which recording was off, or code was
 * loaded.
 *
 * Cost: up to a microsecond per symbol.
 */
#include "sequence/sequence.h"
#include "base/parameters.h"
#include "base/search.h"

#include <stdlib.h>

/* What the host did since it launched the previous kernel. */
struct host {
	/*
	 * Time outside of API calls from any thread: the main thread is idle while autograd's
	 * thread launches. -1 if no previous launch is known.
	 */
	int64_t gap_ns;
	bool synchronized; /* the launching thread */
	bool captured;
};

static struct host host_before(const struct dp_calls *calls, uint32_t call, uint32_t previous_call)
{
	bool known = previous_call != DP_NONE && previous_call < call;
	size_t first = call - DP_MIN(call, dp_param.look_back);
	struct host host = { -1, false, false };
	int64_t until_ns, idle_ns = 0;

	if (known)
		first = DP_MAX(first, previous_call);
	until_ns = calls->end_ns[first];
	for (size_t i = first; i < call; i++) {
		idle_ns += DP_MAX(0, calls->start_ns[i] - until_ns);
		until_ns = DP_MAX(until_ns, calls->end_ns[i]);
		if (calls->thread[i] != calls->thread[call] || (known && i == previous_call))
			continue;
		host.synchronized |= calls->kind[i] == DP_CALL_SYNC;
		host.captured |= calls->kind[i] == DP_CALL_CAPTURE;
	}
	if (known)
		host.gap_ns = idle_ns + DP_MAX(0, calls->start_ns[call] - until_ns);
	return host;
}

/* What was copied between the host and the stream's device since the previous kernel. */
struct copied {
	uint64_t uploaded; /* bytes of the largest upload; 0: none, UINT64_MAX: unknown */
	bool downloaded;
	bool result; /* more than counts were downloaded */
};

static bool is_copy(const struct dp_ops *ops, size_t op, enum dp_copy_kind kind)
{
	return ops->kind[op] == DP_OP_COPY && ops->copy_kind[op] == kind;
}

static struct copied copied_before(const struct dp_sequence *sequence, uint32_t op,
				   uint32_t previous_op)
{
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	uint32_t device = dp_trace_stream(sequence->trace, sequence->stream)->device;
	struct copied copied = { 0, false, false };

	/* in the order of launches, the previous kernel may have started later */
	if (!sequence->has_copies || (previous_op != DP_NONE && previous_op > op))
		return copied;
	for (size_t i = op, far = dp_param.look_back; i-- > 0 && far-- && i != previous_op;) {
		if (dp_trace_stream(sequence->trace, ops->stream[i])->device != device)
			continue;
		if (is_copy(ops, i, DP_COPY_HTOD))
			copied.uploaded =
				DP_MAX(copied.uploaded, ops->bytes[i] ? ops->bytes[i] : UINT64_MAX);
		if (is_copy(ops, i, DP_COPY_DTOH)) {
			copied.downloaded = true;
			copied.result |= ops->bytes[i] > dp_param.counts_bytes;
		}
	}
	return copied;
}

static void evidence_at(void *ctx, size_t index, struct dp_evidence_at *out)
{
	const struct dp_sequence *sequence = ctx;
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	const struct dp_calls *calls = dp_trace_calls(sequence->trace);
	uint32_t op = sequence->ops[index], call = ops->call[op];
	uint32_t previous_op = index ? sequence->ops[index - 1] : sequence->before;
	uint32_t previous_call = previous_op != DP_NONE ? ops->call[previous_op] : DP_NONE;
	struct copied copied = copied_before(sequence, op, previous_op);
	struct host host = { -1, false, false };

	/* copies that are symbols themselves: of several uploads the first counts */
	if (is_copy(ops, op, DP_COPY_HTOD) &&
	    !(previous_op != DP_NONE && is_copy(ops, previous_op, DP_COPY_HTOD)))
		copied.uploaded = ops->bytes[op] ? ops->bytes[op] : UINT64_MAX;
	copied.downloaded |= previous_op != DP_NONE && is_copy(ops, previous_op, DP_COPY_DTOH);
	out->kernel_gap_ns = -1;
	if (previous_op != DP_NONE)
		out->kernel_gap_ns = DP_MAX(0, ops->start_ns[op] - ops->end_ns[previous_op]);
	out->has_launch = call != DP_NONE;
	if (out->has_launch)
		host = host_before(calls, call, previous_call);
	out->launch_gap_ns = host.gap_ns;
	out->launch_wait_ns = -1;
	if (out->has_launch && previous_call != DP_NONE && previous_call < call)
		out->launch_wait_ns = calls->start_ns[call] - calls->start_ns[previous_call];
	/*
	 * an upload from pageable memory blocks until it is done; the program did not ask to wait
	 */
	out->after_sync = host.synchronized && !copied.uploaded;
	out->after_capture = host.captured;
	/* a number (a scale, a length) is uploaded anywhere; an input is larger */
	out->after_upload = copied.uploaded > dp_param.number_bytes;
	out->after_download = copied.downloaded;
	out->after_result = copied.result;
	out->kind = sequence->kind[sequence->symbols[index]];
}

struct dp_evidence dp_sequence__evidence(const struct dp_sequence *sequence)
{
	return (struct dp_evidence){
		.at = evidence_at,
		.ctx = (void *)sequence,
		.launches_recorded = sequence->launches,
		.clipped_begin = sequence->before != DP_NONE,
		.clipped_end = sequence->behind != DP_NONE,
	};
}

int64_t dp_sequence__launched_ns(const struct dp_sequence *sequence, size_t index)
{
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	uint32_t op = sequence->ops[index], call = ops->call[op];

	return call == DP_NONE
		       ? ops->start_ns[op]
		       : DP_MIN(ops->start_ns[op], dp_trace_calls(sequence->trace)->start_ns[call]);
}

static int compare_loads(const void *a, const void *b)
{
	const struct dp_load *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* Collects the loads of all processes. */
static int find_loads(struct dp_loads *loads, const struct dp_trace *trace)
{
	const struct dp_calls *calls = dp_trace_calls(trace);
	size_t room = 0;

	for (size_t i = 0; i < calls->count; i++) {
		if (calls->kind[i] != DP_CALL_LOAD || calls->thread[i] == DP_NONE)
			continue;
		if (dp_array__reserve(&loads->items, &room, loads->count + 1,
				      sizeof(*loads->items)))
			return DP_ERR_NOMEM;
		loads->items[loads->count++] = (struct dp_load){
			.process = dp_trace_thread(trace, calls->thread[i])->process,
			.time_ns = calls->start_ns[i],
		};
	}
	if (loads->count)
		qsort(loads->items, loads->count, sizeof(*loads->items), compare_loads);
	loads->found = true;
	return DP_OK;
}

void dp_loads__fini(struct dp_loads *loads)
{
	free(loads->items);
	*loads = (struct dp_loads){ 0 };
}

int dp_sequence__loads(bool **at, const struct dp_sequence *sequence, struct dp_loads *loads)
{
	uint32_t process = dp_trace_stream(sequence->trace, sequence->stream)->process;
	size_t first, end;
	int status = loads->found ? DP_OK : find_loads(loads, sequence->trace);

	*at = NULL;
	if (status)
		return status;
	DP_FIND(first, 0, loads->count, loads->items[first].process >= process);
	DP_FIND(end, first, loads->count, loads->items[end].process > process);
	if (first == end)
		return DP_OK;
	*at = dp_alloc__zeroed(sequence->count, sizeof(**at));
	if (!*at)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < sequence->count && first < end; i++) {
		int64_t time_ns = dp_sequence__launched_ns(sequence, i);

		for (; first < end && loads->items[first].time_ns < time_ns; first++)
			(*at)[i] = true;
	}
	return DP_OK;
}

static const struct dp_pause *pause_of(const struct dp_trace *trace, uint32_t process, size_t index)
{
	const struct dp_pause *pause = dp_trace_pause(trace, index);

	return pause && pause->process == process ? pause : NULL;
}

/*
 * A pause separates the kernels launched before its middle from those launched after it: launches
 * near its ends may or may not have been recorded, and work launched before it may run in it or
 * after it.
 */
int dp_sequence__breaks(struct dp_breaks *breaks, const struct dp_sequence *sequence,
			struct dp_error *error)
{
	const struct dp_trace *trace = sequence->trace;
	uint32_t process = dp_trace_stream(trace, sequence->stream)->process;
	const struct dp_pause *pause;
	size_t at, room = 0;

	*breaks = (struct dp_breaks){ 0 };
	DP_FIND(at, 0, dp_trace_pause_count(trace), dp_trace_pause(trace, at)->process >= process);
	pause = pause_of(trace, process, at);
	for (size_t i = 0; pause && i < sequence->count; i++) {
		int64_t time_ns = dp_sequence__launched_ns(sequence, i);
		bool split = false;

		while (pause && time_ns > pause->start_ns + (pause->end_ns - pause->start_ns) / 2) {
			split = true;
			pause = pause_of(trace, process, ++at);
		}
		if (!split || !i)
			continue;
		if (dp_array__reserve(&breaks->first, &room, breaks->count + 1,
				      sizeof(*breaks->first)))
			return dp_error__nomem(error, room * sizeof(*breaks->first));
		breaks->first[breaks->count++] = i;
	}
	return DP_OK;
}
