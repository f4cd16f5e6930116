/*
 * The evidence about a kernel besides its name, computed on request from a bounded number of
 * preceding calls, operations and ranges.
 *
 * Cost: up to a microsecond per symbol.
 */
#include "sequence/sequence.h"
#include "base/parameters.h"
#include "base/search.h"

#include <string.h>

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
	bool known = previous_call != DP_NONE && previous_call <= call;
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

/* PyTorch's names of the threads that run backward passes, and of what they do there. */
#define AUTOGRAD_THREAD "pt_autograd"
#define AUTOGRAD_FUNCTION "autograd::engine::evaluate_function"

/* Returns true if a call is inside a range whose name begins with prefix, of the last ones. */
static bool is_within(const struct dp_trace *trace, uint32_t call, const char *prefix)
{
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	const struct dp_calls *calls = dp_trace_calls(trace);
	int64_t at_ns = calls->start_ns[call];
	size_t i;

	DP_FIND(i, 0, ranges->count, ranges->start_ns[i] > at_ns);
	for (size_t far = dp_param.look_back; i-- > 0 && far-- > 0;)
		if (ranges->thread[i] == calls->thread[call] && ranges->end_ns[i] >= at_ns &&
		    !strncmp(dp_trace_string(trace, ranges->name[i]), prefix, strlen(prefix)))
			return true;
	return false;
}

static bool is_in_backward(const struct dp_trace *trace, uint32_t call)
{
	uint32_t index = dp_trace_calls(trace)->thread[call];
	const struct dp_thread *thread = dp_trace_thread(trace, index);

	return (thread && strstr(dp_trace_string(trace, thread->name), AUTOGRAD_THREAD)) ||
	       is_within(trace, call, AUTOGRAD_FUNCTION);
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
	out->launch_interval_ns = -1;
	if (out->has_launch && previous_call != DP_NONE && previous_call <= call)
		out->launch_interval_ns = calls->start_ns[call] - calls->start_ns[previous_call];
	/*
	 * an upload from pageable memory blocks until it is done; the program did not ask to wait
	 */
	out->after_sync = host.synchronized && !copied.uploaded;
	out->after_capture = host.captured;
	out->in_backward = out->has_launch && is_in_backward(sequence->trace, call);
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
