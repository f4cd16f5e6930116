/* Places pauses of recording, and loads of code, between the launches of a sequence. */
#include "sequence/interruptions.h"
#include "base/search.h"

#include <stdlib.h>

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
int dp_sequence__breaks(struct dp_breaks *breaks, const struct dp_sequence *sequence)
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
			return DP_ERR_NOMEM;
		breaks->first[breaks->count++] = i;
	}
	return DP_OK;
}
