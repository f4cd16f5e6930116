/*
 * What is known of a kernel besides its name, found when asked: a bounded number of calls and
 * operations before it are looked at.
 *
 * Cost: up to a microsecond for each symbol that is asked about.
 */
#include "sequence/sequence.h"
#include "base/parameters.h"

#define NUMBER_MAX 16 /* bytes of a number, at the most */

/* What the host did since it launched the previous kernel. */
struct host {
	/* Time outside of API calls, whatever threads they came from: the main thread is idle
	 * while autograd's thread launches. -1 where no previous launch is known. */
	int64_t gap_ns;
	bool synchronized; /* the launching thread */
	bool captured;
};

static struct host host_before(const struct dp_calls *calls, uint32_t call, uint32_t previous)
{
	bool known = previous != DP_NONE && previous < call;
	size_t first = call > dp_param.look_back ? call - dp_param.look_back : 0, i;
	struct host host = { -1, false, false };
	int64_t until_ns;

	if (known && previous > first)
		first = previous;
	i = first;
	until_ns = calls->end_ns[i];
	if (known) {
		host.gap_ns = 0;
		/* the previous launch itself is not after it */
		i += previous == first;
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
 * and this one, UINT64_MAX where that is not known, 0 where there is none.
 */
static uint64_t uploaded(const struct dp_sequence *sequence, uint32_t op, uint32_t previous)
{
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	uint32_t device = dp_trace_stream(sequence->trace, sequence->stream)->device;
	uint64_t most = 0;

	if (!sequence->has_copies)
		return 0;
	for (size_t i = op, far = dp_param.look_back; i-- > 0 && far-- && i != previous;)
		if (ops->kind[i] == DP_OP_COPY && ops->copy_kind[i] == DP_COPY_HTOD &&
		    dp_trace_stream(sequence->trace, ops->stream[i])->device == device)
			most = DP_MAX(most, ops->bytes[i] ? ops->bytes[i] : UINT64_MAX);
	return most;
}

/* Is an operation of the sequence an upload itself? */
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
	uint32_t kernel = index ? sequence->ops[index - 1] : sequence->before;
	uint32_t previous = kernel != DP_NONE ? ops->call[kernel] : DP_NONE;
	uint64_t bytes = uploaded(sequence, op, kernel);
	struct host host = { -1, false, false };

	/* the first of several that are symbols */
	if (is_upload(ops, op) && !(kernel != DP_NONE && is_upload(ops, kernel)))
		bytes = ops->bytes[op] ? ops->bytes[op] : UINT64_MAX;
	out->kernel_gap_ns = -1;
	if (kernel != DP_NONE)
		out->kernel_gap_ns = DP_MAX(0, ops->start_ns[op] - ops->end_ns[kernel]);
	out->has_launch = call != DP_NONE;
	if (out->has_launch)
		host = host_before(calls, call, previous);
	out->launch_gap_ns = host.gap_ns;
	out->launch_wait_ns = -1;
	if (out->has_launch && previous != DP_NONE && previous < call)
		out->launch_wait_ns = calls->start_ns[call] - calls->start_ns[previous];
	/* an upload from pageable memory waits until it is done; that is not the program's wait */
	out->after_sync = host.synchronized && !bytes;
	out->after_capture = host.captured;
	/* numbers are uploaded anywhere: a scale, a length; an input is more */
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
