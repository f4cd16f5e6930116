/* What a loop waited for, in the JSON report: host ranges, waits for streams, the critical path. */
#include "report/json_text.h"
#include "report/number.h"
#include "report/report.h"

#include <math.h>

/* Writes what the host did while the device was idle, and where it waited. */
static void write_host_ranges(struct dp_render *render, size_t loop)
{
	const struct dp_host_range *at;

	dp_json_out__key(render, ",\n      ", "host_ranges");
	dp_render__text(render, "[");
	for (size_t i = 0; (at = dp_analysis_loop_host_range(render->analysis, loop, i)); i++) {
		dp_json_out__key(render, i ? ",\n        { " : "\n        { ", "activity");
		dp_json_out__string(render, dp_host_activity_name(at->activity));
		dp_json_out__key(render, ", ", "outer");
		dp_json_out__string(render, at->outer);
		dp_json_out__key(render, ", ", "inner");
		if (at->inner)
			dp_json_out__string(render, at->inner);
		else
			dp_render__text(render, "null");
		dp_json_out__number(render, ", ", "typical_ns", at->typical_ns, "ns");
		dp_json_out__number(render, ", ", "slow_ns", at->slow_ns, "ns");
		dp_json_out__number(render, ", ", "calls",
				    at->activity == DP_HOST_SYNC ? at->calls : (double)NAN, "1");
		dp_render__text(render, " }");
	}
	dp_render__text(render, "]");
}

/* Writes what a typical iteration waits for. */
static void write_path(struct dp_render *render, size_t loop)
{
	const struct dp_path_stat *at;

	dp_json_out__key(render, ",\n      ", "critical_path");
	dp_render__text(render, "[");
	for (size_t i = 0; (at = dp_analysis_loop_path_stat(render->analysis, loop, i)); i++) {
		dp_json_out__key(render, i ? ",\n        { " : "\n        { ", "part");
		dp_json_out__string(render, dp_path_part_name(at->part));
		dp_json_out__key(render, ", ", "name");
		dp_json_out__string(render, at->name);
		dp_json_out__number(render, ", ", "ns", at->ns, "ns");
		dp_render__text(render, " }");
	}
	dp_render__text(render, "]");
}

/* Writes what the loop's stream waited for while it was idle. */
static void write_stream_waits(struct dp_render *render, size_t loop)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_stream_wait *at;

	dp_json_out__key(render, ",\n      ", "stream_waits");
	dp_render__text(render, "[");
	for (size_t i = 0; (at = dp_analysis_loop_stream_wait(render->analysis, loop, i)); i++) {
		const struct dp_stream *stream = dp_trace_stream(trace, at->stream);

		dp_json_out__key(render, i ? ",\n        { " : "\n        { ", "name");
		dp_json_out__string(render, at->name);
		dp_json_out__integer(render, ", ", "device",
				     dp_trace_device(trace, stream->device)->id);
		dp_json_out__integer(render, ", ", "stream", stream->stream);
		dp_json_out__integer(render, ", ", "event", at->event);
		dp_json_out__number(render, ", ", "ns", at->ns, "ns");
		dp_render__text(render, " }");
	}
	dp_render__text(render, "]");
}

void dp_json__waits(struct dp_render *render, size_t loop)
{
	write_host_ranges(render, loop);
	write_stream_waits(render, loop);
	write_path(render, loop);
}
