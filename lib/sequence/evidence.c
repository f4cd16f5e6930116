/*
 * The evidence about a kernel besides its name, computed on request from a bounded number of
 * preceding calls and operations.
 *
 * Cost: up to a microsecond per symbol.
 */
#include "sequence/sequence.h"
#include "base/parameters.h"

#define NUMBER_MAX 16 /* the largest size of a number, in bytes */

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
	size_t first = call > dp_param.look_back ? call - dp_param.look_back : 0, i;
	struct host host = { -1, false, false };
	int64_t until_ns;

	if (known && previous_call > first)
		first = previous_call;
	i = first;
	until_ns = calls->end_ns[i];
	if (known) {
		host.gap_ns = 0;
		/* skips the previous launch itself */
		i += previous_call == first;
	}
	for (; i < call; i++) {
		host.gap_ns += known ? DP_MAX(0, calls->start_ns[i] - until_ns) : 0;
		until_ns = DP_MAX(until_ns, calls->end_ns[i]);
		if (calls->thread[i] != calls->thread[call])
			continue;
		host.synchronized |= calls->kind[i] == DP_CALL_SYNC;
		host.captured |= calls->kind[i] == DP_CALL_CAPTURE;
	}
	host.gap_ns += known ? DP_MAX(0, calls->start_ns[call] - until_ns) : 0;
	return host;
}

/*
 * The bytes of the largest upload to the stream's device that starts between the previous kernel
 * and this one; 0 if there is none, UINT64_MAX if unknown.
 */
static uint64_t uploaded(const struct dp_sequence *sequence, uint32_t op, uint32_t previous_op)
{
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	uint32_t device = dp_trace_stream(sequence->trace, sequence->stream)->device;
	uint64_t most = 0;

	if (!sequence->has_copies)
		return 0;
	for (size_t i = op, far = dp_param.look_back; i-- > 0 && far-- && i != previous_op;)
		if (ops->kind[i] == DP_OP_COPY && ops->copy_kind[i] == DP_COPY_HTOD &&
		    dp_trace_stream(sequence->trace, ops->stream[i])->device == device)
			most = DP_MAX(most, ops->bytes[i] ? ops->bytes[i] : UINT64_MAX);
	return most;
}

/* Returns true if an operation is an upload. */
static bool is_upload(const struct dp_ops *ops, uint32_t op)
{
	return ops->kind[op] == DP_OP_COPY && ops->copy_kind[op] == DP_COPY_HTOD;
}

static void at(void *ctx, size_t index, struct dp_evidence_at *out)
{
	const struct dp_sequence *sequence = ctx;
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	const struct dp_calls *calls = dp_trace_calls(sequence->trace);
	uint32_t op = sequence->ops[index], call = ops->call[op];
	uint32_t previous_op = index ? sequence->ops[index - 1] : sequence->before;
	uint32_t previous_call = previous_op != DP_NONE ? ops->call[previous_op] : DP_NONE;
	uint64_t bytes = uploaded(sequence, op, previous_op);
	struct host host = { -1, false, false };

	/* of several uploads that are symbols themselves, the first */
	if (is_upload(ops, op) && !(previous_op != DP_NONE && is_upload(ops, previous_op)))
		bytes = ops->bytes[op] ? ops->bytes[op] : UINT64_MAX;
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
	out->after_sync = host.synchronized && !bytes;
	out->after_capture = host.captured;
	/* a number (a scale, a length) is uploaded anywhere; an input is larger */
	out->after_upload = bytes > NUMBER_MAX;
	out->finishes_step = sequence->kind[sequence->symbols[index]] == DP_KERNEL_FINISHES;
	out->moves_data = sequence->kind[sequence->symbols[index]] == DP_KERNEL_MOVES;
	out->outside_networks = sequence->kind[sequence->symbols[index]] == DP_KERNEL_OTHER;
}

struct dp_evidence dp_sequence__evidence(const struct dp_sequence *sequence)
{
	return (struct dp_evidence){
		.at = at,
		.ctx = (void *)sequence,
		.launches_recorded = sequence->launches,
		.cut_begin = sequence->before != DP_NONE,
		.cut_end = sequence->behind != DP_NONE,
	};
}
