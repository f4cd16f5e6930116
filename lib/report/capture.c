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

/* The time of the scope in which the device runs operations, which are in order of start. */
static double sum_busy_ns(const struct dp_trace *trace, const struct dp_scope *scope,
			  uint32_t device)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	int64_t until_ns = scope->range_start_ns;
	double busy_ns = 0;

	for (size_t i = 0; i < ops->count; i++) {
		int64_t start_ns = ops->start_ns[i];
		int64_t end_ns = DP_MIN(ops->end_ns[i], scope->range_end_ns);

		if (end_ns <= until_ns || start_ns >= end_ns ||
		    dp_trace_stream(trace, ops->stream[i])->device != device)
			continue;
		busy_ns += (double)end_ns - (double)DP_MAX(start_ns, until_ns);
		until_ns = end_ns;
	}
	return busy_ns;
}

/* Adds up the time of each kernel name. */
static void add_names(double *times_ns, const struct dp_trace *trace, const struct dp_scope *scope,
		      uint32_t device)
{
	size_t strings = dp_trace_string_count(trace);
	const struct dp_ops *ops = dp_trace_ops(trace);

	for (size_t i = 0; i < ops->count; i++) {
		const struct dp_stream *stream = dp_trace_stream(trace, ops->stream[i]);

		if (stream->device == device && is_meant(ops, i, stream, scope) &&
		    ops->name[i] < strings)
			times_ns[ops->name[i]] += (double)ops->end_ns[i] - (double)ops->start_ns[i];
	}
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

double dp_capture__busy(const struct dp_trace *trace, const struct dp_scope *scope, uint32_t device)
{
	int64_t from_ns = DP_MAX(scope->range_start_ns, 0);
	int64_t to_ns = DP_MIN(scope->range_end_ns, dp_trace_duration_ns(trace));
	double recorded_ns =
		(double)to_ns - (double)from_ns - paused_ns(trace, device, from_ns, to_ns);

	if (!(recorded_ns > 0) || !dp_trace_ops(trace)->count)
		return (double)NAN;
	/* work launched before a pause may run in it */
	return fmin(sum_busy_ns(trace, scope, device) / recorded_ns, 1);
}

static enum dp_capture_part part_of(const struct dp_ops *ops, size_t i)
{
	if (dp_op_is_kernel(ops->kind[i]))
		return DP_CAPTURE_KERNELS_RUN;
	if (ops->kind[i] == DP_OP_COPY && ops->copy_kind[i] == DP_COPY_HTOD)
		return DP_CAPTURE_UPLOADS;
	if (ops->kind[i] == DP_OP_COPY && ops->copy_kind[i] == DP_COPY_DTOH)
		return DP_CAPTURE_DOWNLOADS;
	return DP_CAPTURE_OTHER;
}

/* The length of [start_ns, end_ns) within [from_ns, to_ns). */
static double within(int64_t start_ns, int64_t end_ns, int64_t from_ns, int64_t to_ns)
{
	return fmax((double)DP_MIN(end_ns, to_ns) - (double)DP_MAX(start_ns, from_ns), 0);
}

bool dp_capture__outside(double shares[DP_CAPTURE_PARTS], const struct dp_trace *trace,
			 const struct dp_scope *scope, uint32_t device, int64_t start_ns,
			 int64_t end_ns)
{
	int64_t from_ns = DP_MAX(scope->range_start_ns, 0);
	int64_t to_ns = DP_MIN(scope->range_end_ns, dp_trace_duration_ns(trace));
	double all_ns =
		within(from_ns, start_ns, from_ns, to_ns) + within(end_ns, to_ns, from_ns, to_ns);
	const struct dp_ops *ops = dp_trace_ops(trace);
	int64_t until_ns[DP_CAPTURE_PARTS];

	if (paused_ns(trace, device, from_ns, to_ns) > 0)
		return false; /* what ran then is unknown */
	for (size_t i = 0; i < DP_CAPTURE_PARTS; i++) {
		shares[i] = 0;
		until_ns[i] = from_ns;
	}
	for (size_t i = 0; i < ops->count && all_ns > 0; i++) {
		/* the last part is of all: what it leaves is idle */
		enum dp_capture_part parts[] = { part_of(ops, i), DP_CAPTURE_IDLE };

		if (dp_trace_stream(trace, ops->stream[i])->device != device)
			continue;
		for (size_t j = 0; j < DP_COUNT(parts); j++) {
			int64_t begin_ns = DP_MAX(ops->start_ns[i], until_ns[parts[j]]);

			shares[parts[j]] += (within(begin_ns, ops->end_ns[i], from_ns,
						    DP_MIN(start_ns, to_ns)) +
					     within(begin_ns, ops->end_ns[i], end_ns, to_ns)) /
					    all_ns;
			until_ns[parts[j]] = DP_MAX(until_ns[parts[j]], ops->end_ns[i]);
		}
	}
	shares[DP_CAPTURE_IDLE] = fmax(1 - shares[DP_CAPTURE_IDLE], 0);
	return all_ns > 0;
}

int dp_capture__measure(struct dp_capture *capture, const struct dp_trace *trace,
			const struct dp_scope *scope, uint32_t device, struct dp_error *error)
{
	size_t strings = dp_trace_string_count(trace);
	double *times_ns;

	*capture = (struct dp_capture){ .idle = 1 - dp_capture__busy(trace, scope, device) };
	times_ns = dp_alloc__zeroed(strings + 1, sizeof(*times_ns));
	if (!times_ns)
		return dp_error__nomem(error, strings);
	add_names(times_ns, trace, scope, device);
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

size_t dp_capture__doubts(const char *doubts[DP_CAPTURE_DOUBTS], const struct dp_trace *trace)
{
	const struct dp_fact *fact;
	size_t count = 0;

	for (size_t i = 0; (fact = dp_trace_fact(trace, i)) && count < DP_CAPTURE_DOUBTS; i++)
		if (!strcmp(fact->name, DP_FACT_CLOCKS) || !strcmp(fact->name, DP_FACT_REPLAY))
			doubts[count++] = fact->value;
	return count;
}
