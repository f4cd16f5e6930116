/* The whole capture of each device: its utilization over time, and its allocated memory. */
#include "report/capture.h"
#include "report/html.h"
#include "report/text.h"

#define SLICES 300 /* of the capture: about one for each four pixels of a page */

static bool has_kernels(const struct dp_trace *trace, uint32_t device)
{
	for (size_t s = 0; s < dp_trace_stream_count(trace); s++)
		if (dp_trace_stream(trace, s)->device == device &&
		    dp_trace_stream(trace, s)->kernels)
			return true;
	return false;
}

/*
 * The most memory allocated in each slice, above the capture's minimum. Returns whether any
 * allocation is recorded.
 */
static bool gather_memory(int64_t most[SLICES], const struct dp_trace *trace, uint32_t device)
{
	const struct dp_memory *memory = dp_trace_memory(trace);
	int64_t duration_ns = DP_MAX(dp_trace_duration_ns(trace), 1), live = 0, least = 0;
	size_t slice = 0, events = 0;

	most[0] = 0;
	for (size_t i = 0; i < memory->count; i++) {
		double at = (double)memory->time_ns[i] / (double)duration_ns * SLICES;

		if (memory->device[i] != device)
			continue;
		for (events++; slice + 1 < SLICES && (double)(slice + 1) <= at; slice++)
			most[slice + 1] = live;
		live = dp_sum__i64(live, memory->delta_bytes[i]);
		most[slice] = DP_MAX(most[slice], live);
		least = DP_MIN(least, live);
	}
	for (; slice + 1 < SLICES; slice++)
		most[slice + 1] = live;
	for (size_t i = 0; i < SLICES; i++)
		most[i] = dp_sum__i64(most[i], -DP_MAX(least, -INT64_MAX));
	return events > 0;
}

/* "[device,[percent,...],[bytes,...],busy]"; no bytes if no allocations are recorded. */
static void write_device(struct dp_render *render, uint32_t device, bool first)
{
	static const struct dp_scope whole = { -1, -1, INT64_MIN, INT64_MAX };
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	int64_t duration_ns = dp_trace_duration_ns(trace);
	double shares[SLICES];
	int64_t bytes[SLICES];
	int status = dp_analysis_utilization(render->analysis, device, 0, duration_ns, shares,
					     SLICES, render->error);

	if (status) {
		render->status = render->status ? render->status : status;
		return;
	}
	dp_render__format(render, "%s\n[%u,[", first ? "" : ",", device);
	for (size_t i = 0; i < SLICES; i++)
		dp_render__format(render, "%s%d", i ? "," : "", (int)(shares[i] * 100 + 0.5));
	dp_render__text(render, "],[");
	if (gather_memory(bytes, trace, device))
		for (size_t i = 0; i < SLICES; i++)
			dp_render__format(render, "%s%lld", i ? "," : "", (long long)bytes[i]);
	dp_json__put(render, "],%]", dp_json__real(dp_capture__busy(trace, &whole, device), "1"));
}

void dp_html__capture(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	size_t written = 0;

	dp_render__text(render, ",\n\"capture\":[");
	for (uint32_t d = 0; d < dp_trace_device_count(trace) && written < DP_HTML_LOOPS; d++)
		if (has_kernels(trace, d))
			write_device(render, d, !written++);
	dp_render__text(render, "]");
}

void dp_html__host_ranges(struct dp_render *render, size_t loop)
{
	const struct dp_host_range *at;
	size_t written = 0;

	dp_render__text(render, ",\n\"host\":[");
	for (size_t i = 0; (at = dp_analysis_loop_host_range(render->analysis, loop, i)); i++)
		if (!at->inner && at->typical_ns > 0 && written < DP_HTML_OPERATORS)
			dp_json__put(render, "%\n[%,%,%]", dp_json__comma(written++),
				     dp_html__whole(dp_host_activity_name(at->activity)),
				     dp_html__cut(at->outer), dp_json__real(at->typical_ns, "ns"));
	dp_render__text(render, "]");
}

void dp_html__stream_waits(struct dp_render *render, size_t loop)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_stream_wait *at;

	dp_render__text(render, ",\n\"waits\":[");
	for (size_t i = 0; (at = dp_analysis_loop_stream_wait(render->analysis, loop, i)); i++) {
		const struct dp_stream *stream = dp_trace_stream(trace, at->stream);

		dp_json__put(render, "%\n[%,%,%,%,%]", dp_json__comma(i),
			     dp_json__count(stream->device), dp_json__int(stream->stream),
			     dp_json__count(at->event), dp_html__cut(at->name),
			     dp_json__real(at->ns, "ns"));
	}
	dp_render__text(render, "]");
}

void dp_html__path(struct dp_render *render, size_t loop)
{
	const struct dp_path_stat *at;
	char range[DP_NUMBER_SIZE];

	if (dp_analysis_loop_path_stat(render->analysis, loop, 0))
		dp_json__put(render, ",\n'path_of':%",
			     dp_html__whole(dp_text__path_iterations(range, render, loop)));
	dp_render__text(render, ",\n\"path\":[");
	for (size_t i = 0;
	     i < DP_HTML_OPERATORS && (at = dp_analysis_loop_path_stat(render->analysis, loop, i));
	     i++)
		dp_json__put(render, "%\n[%,%,%]", dp_json__comma(i),
			     dp_html__whole(dp_text__path_part(render, at->part)),
			     dp_html__cut(at->name), dp_json__real(at->ns, "ns"));
	dp_render__text(render, "]");
}
