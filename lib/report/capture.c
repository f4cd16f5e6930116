/*
 * A capture as a whole: how long a device was idle, and which kernels took most of its time. Cost:
 * linear in the operations and in the trace's strings.
 */
#include "report/capture.h"

#include <math.h>
#include <string.h>

/* Returns true if an operation is a kernel that counts. */
static bool is_meant(const struct dp_ops *ops, size_t i, const struct dp_stream *stream,
		     const struct dp_scope *scope)
{
	return dp_op_is_kernel(ops->kind[i]) && ops->start_ns[i] >= scope->range_start_ns &&
	       ops->start_ns[i] < scope->range_end_ns &&
	       (scope->stream < 0 || stream->stream == scope->stream);
}

/*
 * Sums busy time in one walk over the operations, which are in order of start, and each name's
 * time.
 */
static double add_up(const struct dp_trace *trace, const struct dp_scope *scope, uint32_t device,
		     double *times_ns)
{
	size_t strings = dp_trace_string_count(trace);
	const struct dp_ops *ops = dp_trace_ops(trace);
	int64_t until_ns = scope->range_start_ns;
	double busy_ns = 0;

	for (size_t i = 0; i < ops->count; i++) {
		const struct dp_stream *stream = dp_trace_stream(trace, ops->stream[i]);
		int64_t start_ns = ops->start_ns[i], end_ns = ops->end_ns[i];
		int64_t last_ns = DP_MIN(end_ns, scope->range_end_ns);

		if (stream->device != device)
			continue;
		if (last_ns > until_ns && start_ns < last_ns) {
			busy_ns += (double)last_ns - (double)DP_MAX(start_ns, until_ns);
			until_ns = last_ns;
		}
		if (is_meant(ops, i, stream, scope) && ops->name[i] < strings)
			times_ns[ops->name[i]] += (double)end_ns - (double)start_ns;
	}
	return busy_ns;
}

/* Inserts a name by its time; of equals, the one that comes first in the trace is first. */
static void rank(struct dp_capture *capture, uint32_t name, double time_ns)
{
	size_t at = capture->count;

	while (at > 0 && time_ns > capture->time_ns[at - 1])
		at--;
	if (at == DP_CAPTURE_TOP)
		return;
	capture->count = DP_MIN(capture->count + 1, (size_t)DP_CAPTURE_TOP);
	for (size_t i = capture->count - 1; i > at; i--) {
		capture->names[i] = capture->names[i - 1];
		capture->time_ns[i] = capture->time_ns[i - 1];
	}
	capture->names[at] = name;
	capture->time_ns[at] = time_ns;
}

/* How much of a time range the device's process was not recorded for. */
static double paused_ns(const struct dp_trace *trace, uint32_t device, int64_t from_ns,
			int64_t to_ns)
{
	uint32_t process = dp_trace_device(trace, device)->process;
	const struct dp_pause *pause;
	double sum_ns = 0;

	for (size_t i = 0; (pause = dp_trace_pause(trace, i)); i++) {
		int64_t start_ns = DP_MAX(pause->start_ns, from_ns);
		int64_t end_ns = DP_MIN(pause->end_ns, to_ns);

		if (pause->process == process && end_ns > start_ns)
			sum_ns += (double)end_ns - (double)start_ns;
	}
	return sum_ns;
}

int dp_capture__measure(struct dp_capture *capture, const struct dp_trace *trace,
			const struct dp_scope *scope, uint32_t device, struct dp_error *error)
{
	int64_t from_ns = DP_MAX(scope->range_start_ns, 0);
	int64_t to_ns = DP_MIN(scope->range_end_ns, dp_trace_duration_ns(trace));
	double duration_ns = (double)to_ns - (double)from_ns, busy_ns, *times_ns;
	size_t strings = dp_trace_string_count(trace);

	*capture = (struct dp_capture){ .idle = (double)NAN };
	times_ns = dp_alloc__zeroed(strings + 1, sizeof(*times_ns));
	if (!times_ns)
		return dp_error__nomem(error, strings);
	busy_ns = add_up(trace, scope, device, times_ns);
	duration_ns -= paused_ns(trace, device, from_ns, to_ns);
	if (duration_ns > 0)
		capture->idle = fmax(0, 1 - busy_ns / duration_ns);
	for (size_t i = 0; i < strings; i++) {
		capture->kernel_ns += times_ns[i];
		if (times_ns[i] > 0)
			rank(capture, (uint32_t)i, times_ns[i]);
	}
	free(times_ns);
	return DP_OK;
}

bool dp_capture__paused(struct dp_paused *paused, const struct dp_trace *trace)
{
	const struct dp_pause *pause;

	*paused = (struct dp_paused){ 0 };
	for (size_t i = 0; (pause = dp_trace_pause(trace, i));) {
		int64_t paused_ns = dp_trace_paused_ns(trace, pause->process);
		uint32_t process = pause->process;
		size_t first = i;

		while ((pause = dp_trace_pause(trace, i)) && pause->process == process)
			i++;
		paused->processes++;
		if (paused_ns <= paused->longest_ns && paused->times)
			continue;
		paused->longest_ns = paused_ns;
		paused->times = i - first;
	}
	return paused->times;
}
