/*
 * Finds where recording was off between two kernels. A pause separates the kernels launched before
 * its middle from those launched after it: launches near its ends may or may not have been
 * recorded, and work launched before it may run in it or after it.
 */
#include "sequence/sequence.h"
#include "base/search.h"

static int64_t launched_ns(const struct dp_trace *trace, uint32_t op)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	uint32_t call = ops->call[op];

	return call == DP_NONE ? ops->start_ns[op]
			       : DP_MIN(ops->start_ns[op], dp_trace_calls(trace)->start_ns[call]);
}

/* The first pause of a process; if it has none, the first pause of a later process. */
static size_t first_of(const struct dp_trace *trace, uint32_t process)
{
	size_t at;

	DP_FIND(at, 0, dp_trace_pause_count(trace), dp_trace_pause(trace, at)->process >= process);
	return at;
}

static const struct dp_pause *pause_of(const struct dp_trace *trace, uint32_t process, size_t index)
{
	const struct dp_pause *pause = dp_trace_pause(trace, index);

	return pause && pause->process == process ? pause : NULL;
}

int dp_sequence__breaks(struct dp_breaks *breaks, const struct dp_sequence *sequence,
			struct dp_error *error)
{
	const struct dp_trace *trace = sequence->trace;
	uint32_t process = dp_trace_stream(trace, sequence->stream)->process;
	size_t at = first_of(trace, process), room = 0;
	const struct dp_pause *pause = pause_of(trace, process, at);

	*breaks = (struct dp_breaks){ 0 };
	for (size_t i = 0; pause && i < sequence->count; i++) {
		int64_t time_ns = launched_ns(trace, sequence->ops[i]);
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
