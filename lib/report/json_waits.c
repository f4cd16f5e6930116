/* What a loop waited for, in the JSON report: host ranges, waits for streams, the critical path. */
#include "report/json_text.h"
#include "report/number.h"
#include "report/report.h"

#include <math.h>

/* Writes what the host did while the device was idle, and where it waited. */
static void write_host_ranges(struct dp_render *render, size_t loop)
{
	const struct dp_host_range *at;

	dp_render__text(render, ",\n      \"host_ranges\": [");
	for (size_t i = 0; (at = dp_analysis_loop_host_range(render->analysis, loop, i)); i++)
		dp_json__put(
			render,
			"%\n        { 'activity': %, 'outer': %, 'inner': %, 'typical_ns': %, "
			"'slow_ns': %, 'calls': % }",
			dp_json__comma(i), dp_json__text(dp_host_activity_name(at->activity)),
			dp_json__text(at->outer), dp_json__text(at->inner),
			dp_json__real(at->typical_ns, "ns"), dp_json__real(at->slow_ns, "ns"),
			dp_json__real(at->activity >= DP_HOST_SYNC ? at->calls : (double)NAN, "1"));
	dp_render__text(render, "]");
}

/* Writes what a typical iteration waits for. */
static void write_path(struct dp_render *render, size_t loop)
{
	const struct dp_path_stat *at;

	dp_render__text(render, ",\n      \"critical_path\": [");
	for (size_t i = 0; (at = dp_analysis_loop_path_stat(render->analysis, loop, i)); i++)
		dp_json__put(render, "%\n        { 'part': %, 'name': %, 'ns': % }",
			     dp_json__comma(i), dp_json__text(dp_path_part_name(at->part)),
			     dp_json__text(at->name), dp_json__real(at->ns, "ns"));
	dp_render__text(render, "]");
}

/* Writes what the loop's stream waited for while it was idle. */
static void write_stream_waits(struct dp_render *render, size_t loop)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_stream_wait *at;

	dp_render__text(render, ",\n      \"stream_waits\": [");
	for (size_t i = 0; (at = dp_analysis_loop_stream_wait(render->analysis, loop, i)); i++) {
		const struct dp_stream *stream = dp_trace_stream(trace, at->stream);

		dp_json__put(
			render,
			"%\n        { 'name': %, 'device': %, 'stream': %, 'event': %, 'ns': % }",
			dp_json__comma(i), dp_json__text(at->name),
			dp_json__int(dp_trace_device(trace, stream->device)->id),
			dp_json__int(stream->stream), dp_json__count(at->event),
			dp_json__real(at->ns, "ns"));
	}
	dp_render__text(render, "]");
}

void dp_json__waits(struct dp_render *render, size_t loop)
{
	write_host_ranges(render, loop);
	write_stream_waits(render, loop);
	write_path(render, loop);
}
