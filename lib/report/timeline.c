/* What the timelines of all formats have in common. */
#include "report/timeline.h"

#include <stdio.h>
#include <string.h>

int64_t dp_timeline__zero(const struct dp_trace *trace)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	const struct dp_calls *calls = dp_trace_calls(trace);
	const struct dp_syncs *syncs = dp_trace_syncs(trace);
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	int64_t first_ns = ops->count ? ops->start_ns[0] : 0;

	if (calls->count)
		first_ns = DP_MIN(first_ns, calls->start_ns[0]);
	if (syncs->count)
		first_ns = DP_MIN(first_ns, syncs->start_ns[0]);
	if (ranges->count)
		first_ns = DP_MIN(first_ns, ranges->start_ns[0]);
	return first_ns;
}

int64_t dp_timeline__since(int64_t time_ns, int64_t from_ns)
{
	int64_t result;

	if (__builtin_sub_overflow(time_ns, from_ns, &result))
		return time_ns < from_ns ? INT64_MIN : INT64_MAX;
	return result;
}

bool dp_timeline__is_counter(const struct dp_render *render, const struct dp_metric_info *info)
{
	static const char *const names[] = { "period_ns",   "interval_ns", "overlap", "h2d_bytes",
					     "utilization", "queue_depth", "power_W" };

	for (size_t i = 0; i < DP_COUNT(names); i++)
		if (!strcmp(info->name, names[i]))
			return dp_render__shows(render, info);
	return false;
}

void dp_timeline__loop_name(char name[DP_LABEL_SIZE], const struct dp_trace *trace,
			    const struct dp_loop *loop)
{
	snprintf(name, DP_LABEL_SIZE, "loop %u: %zu x %zu kernels, GPU %lld stream %lld", loop->id,
		 loop->complete, loop->length, (long long)dp_trace_device(trace, loop->device)->id,
		 (long long)dp_trace_stream(trace, loop->stream)->stream);
}

void dp_timeline__device_name(char name[DP_LABEL_SIZE], const struct dp_trace *trace, size_t index)
{
	const struct dp_device *device = dp_trace_device(trace, index);
	const struct dp_process *process = dp_trace_process(trace, device->process);
	const char *model = dp_trace_string(trace, device->name);
	char whose[DP_NUMBER_SIZE] = "";

	if (process && process->rank >= 0)
		snprintf(whose, sizeof(whose), " (rank %lld)", (long long)process->rank);
	else if (process && dp_trace_process_count(trace) > 1)
		snprintf(whose, sizeof(whose), " (pid %lld)", (long long)process->pid);
	snprintf(name, DP_LABEL_SIZE, "GPU %lld%s%s%.200s", (long long)device->id, whose,
		 *model ? ": " : "", model);
}

/* Streams are in order of device and context. */
bool dp_timeline__has_contexts(const struct dp_trace *trace, size_t first)
{
	const struct dp_stream *of = dp_trace_stream(trace, first), *other;

	for (size_t i = first; (other = dp_trace_stream(trace, i)) && other->device == of->device;
	     i++)
		if (other->context != of->context)
			return true;
	return false;
}

void dp_timeline__stream_name(char name[DP_NUMBER_SIZE], const struct dp_trace *trace,
			      size_t stream, bool several)
{
	const struct dp_stream *of = dp_trace_stream(trace, stream);

	snprintf(name, DP_NUMBER_SIZE, several ? "stream %lld, context %lld" : "stream %lld",
		 (long long)of->stream, (long long)of->context);
}

void dp_timeline__counter_name(char name[2 * DP_NUMBER_SIZE], char unit[DP_NUMBER_SIZE],
			       const struct dp_loop *loop, const struct dp_metric_info *info)
{
	size_t length = strlen(info->name), tail = strlen(info->unit);

	if (length > tail + 1 && info->name[length - tail - 1] == '_' &&
	    !strcmp(info->name + length - tail, info->unit))
		length -= tail + 1;
	snprintf(name, 2 * DP_NUMBER_SIZE, "loop %u: %.*s", loop->id, (int)DP_MIN(length, 60),
		 info->name);
	snprintf(unit, DP_NUMBER_SIZE, "%s", strcmp(info->unit, "1") != 0 ? info->unit : "share");
}

void dp_timeline__finding_name(char name[2 * DP_NUMBER_SIZE], const struct dp_finding *finding)
{
	if (finding->loop == DP_NONE)
		snprintf(name, 2 * DP_NUMBER_SIZE, "finding: %.48s", finding->rule);
	else
		snprintf(name, 2 * DP_NUMBER_SIZE, "finding: %.48s (loop %u)", finding->rule,
			 finding->loop);
}

void dp_timeline__idle_name(char name[DP_LABEL_SIZE], const struct dp_trace *trace, size_t device)
{
	char whose[DP_LABEL_SIZE];

	dp_timeline__device_name(whose, trace, device);
	snprintf(name, DP_LABEL_SIZE, "idle by cause, %.300s", whose);
}

static const char *phase_of(const struct dp_iteration *at)
{
	return at->partial ? "cut off" : at->warmup ? "warm-up" : "steady";
}

bool dp_timeline__phase(struct dp_timeline_phase *phase, const struct dp_render *render,
			size_t loop, size_t iteration)
{
	const struct dp_iteration *at =
		dp_analysis_loop_iteration(render->analysis, loop, iteration);

	if (!at)
		return false;
	*phase = (struct dp_timeline_phase){ phase_of(at), iteration, iteration, at->start_ns,
					     at->end_ns };
	for (; at && phase_of(at) == phase->name;
	     at = dp_analysis_loop_iteration(render->analysis, loop, phase->end)) {
		phase->end_ns = DP_MAX(phase->end_ns, at->end_ns);
		phase->end++;
	}
	return true;
}

bool dp_timeline__wait(const struct dp_render *render, const struct dp_loop *loop, size_t iteration,
		       int64_t *start_ns, int64_t *end_ns)
{
	const struct dp_iteration *at =
		dp_analysis_loop_iteration(render->analysis, loop->id, iteration);
	const struct dp_iteration *before =
		iteration ? dp_analysis_loop_iteration(render->analysis, loop->id, iteration - 1)
			  : NULL;

	if (!loop->selected || !at || !before || at->resumed || before->end_ns >= at->start_ns)
		return false;
	*start_ns = before->end_ns;
	*end_ns = at->start_ns;
	return true;
}

bool dp_timeline__has_loop(const struct dp_render *render, size_t device)
{
	const struct dp_loop *loop;

	for (size_t i = 0; (loop = dp_analysis_loop(render->analysis, i)); i++)
		if (loop->device == device)
			return true;
	return false;
}
