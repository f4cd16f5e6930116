/* What is known of a kernel beside its name, found when asked: a few look-ups each. */
#include "sequence/sequence.h"

/* How far back a look-up goes at the most: further back is another iteration anyway. */
#define FAR 512

/* The stream's operation before op, or DP_NONE. */
static uint32_t previous_op(const struct dp_sequence *sequence, uint32_t op)
{
	size_t count, low = 0;
	const uint32_t *rows = dp_trace_stream_ops(sequence->trace, sequence->stream, &count);

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (rows[middle] < op)
			low = middle + 1;
		else
			count = middle;
	}
	return low ? rows[low - 1] : DP_NONE;
}

/* From the end of the thread's previous call; a call that encloses this one is not previous. */
static int64_t launch_gap(const struct dp_calls *calls, uint32_t call)
{
	for (size_t i = call, far = FAR; i-- > 0 && far--;) {
		if (calls->thread[i] != calls->thread[call] ||
		    calls->end_ns[i] > calls->start_ns[call])
			continue;
		return calls->start_ns[call] - calls->end_ns[i];
	}
	return -1;
}

/* Did the thread wait for the device since it launched the previous kernel? */
static bool after_sync(const struct dp_calls *calls, uint32_t call, uint32_t previous)
{
	for (size_t i = call, far = FAR; i-- > 0 && far--;) {
		if (i == previous)
			return false;
		if (calls->thread[i] == calls->thread[call] && calls->kind[i] == DP_CALL_SYNC)
			return true;
	}
	return false;
}

/* Does an upload to the stream's device start between the previous kernel and this one? */
static bool after_upload(const struct dp_sequence *sequence, uint32_t op, uint32_t previous)
{
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	uint32_t device = dp_trace_stream(sequence->trace, sequence->stream)->device;

	for (size_t i = op, far = FAR; i-- > 0 && far--;) {
		if (i == previous)
			return false;
		if (ops->kind[i] == DP_OP_COPY && ops->copy_kind[i] == DP_COPY_HTOD &&
		    dp_trace_stream(sequence->trace, ops->stream[i])->device == device)
			return true;
	}
	return false;
}

static void at(void *ctx, size_t index, struct dp_evidence_at *out)
{
	const struct dp_sequence *sequence = ctx;
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	const struct dp_calls *calls = dp_trace_calls(sequence->trace);
	uint32_t op = sequence->ops[index], call = ops->call[op];
	uint32_t kernel = index ? sequence->ops[index - 1] : DP_NONE;
	uint32_t before = previous_op(sequence, op);

	out->kernel_gap_ns = -1;
	if (before != DP_NONE)
		out->kernel_gap_ns = DP_MAX(0, ops->start_ns[op] - ops->end_ns[before]);
	out->has_launch = call != DP_NONE;
	out->launch_gap_ns = out->has_launch ? launch_gap(calls, call) : -1;
	out->after_sync =
		out->has_launch && after_sync(calls, call, index ? ops->call[kernel] : DP_NONE);
	out->after_upload = after_upload(sequence, op, kernel);
	out->finishes_step = sequence->finishes[sequence->symbols[index]];
}

struct dp_evidence dp_sequence__evidence(const struct dp_sequence *sequence)
{
	return (struct dp_evidence){ at, (void *)sequence, sequence->launches };
}
