/*
 * The JSON report in brief: what a person would be shown, small enough for a language model or a
 * chat. Keys are those of the full report with the same meaning. Lists of iterations, variants and
 * positions are left out, all others are cut, and "left_out" counts what was cut. It is at most
 * 20,000 bytes long, however large the trace and whatever its names.
 */
#include "report/json_text.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

/*
 * Rows of each list, and the size after which no more loops or findings are written: with the
 * longest names and numbers, a loop takes 5,000 bytes and a finding 1,400.
 */
enum {
	LOOP_UNTIL = 8000,
	FINDING_UNTIL = 18500,
	DEVICES = 4,
	STREAMS = 2,
	LOOPS = 3,
	KERNELS = 5,
	RANGES = 4,
	FINDINGS = 6,
	FINDING_RANGES = 2,
	EVIDENCE = 8,
	NAME_COLUMNS = 72,
	NAME_BYTES = 96,
};

/* The main loop and those with the most time, at the level of the report. */
struct chosen {
	size_t loops[LOOPS];
	size_t count, left_out;
};

static void choose(struct chosen *chosen, const struct dp_analysis *analysis)
{
	for (size_t i = 0; i < dp_analysis_loop_count(analysis); i++) {
		double time_ns = dp_analysis_loop_time(analysis, i);
		size_t at = chosen->count;

		if (!dp_analysis_loop(analysis, i)->selected) {
			chosen->left_out++;
			continue;
		}
		while (at && chosen->loops[at - 1] &&
		       dp_analysis_loop_time(analysis, chosen->loops[at - 1]) < time_ns)
			at--;
		chosen->left_out += chosen->count == LOOPS;
		if (at == LOOPS)
			continue;
		chosen->count += chosen->count < LOOPS;
		memmove(&chosen->loops[at + 1], &chosen->loops[at],
			(chosen->count - at - 1) * sizeof(chosen->loops[0]));
		chosen->loops[at] = i;
	}
}

enum { CUT_SIZE = 4 * NAME_COLUMNS + 1 };

/* A name, without its middle if it is long; null for NULL. */
static struct dp_json_value name(char cut[CUT_SIZE], const char *text)
{
	if (!text)
		return dp_json__text(NULL);
	for (size_t columns = NAME_COLUMNS;; columns /= 2) {
		dp_label_kernel(cut, CUT_SIZE, text, columns, false);
		if (strlen(cut) <= NAME_BYTES)
			return dp_json__text(cut);
	}
}

static void write_devices(struct dp_render *render, const struct dp_trace *trace)
{
	const struct dp_device *device;
	char cut[CUT_SIZE];

	dp_render__text(render, ", \"devices\": [");
	for (size_t i = 0; i < DEVICES && (device = dp_trace_device(trace, i)); i++)
		dp_json__put(render, "%{ 'id': %, 'name': % }", dp_json__raw(i ? ", " : ""),
			     dp_json__id(device->id),
			     name(cut, device->name == DP_NONE
					       ? NULL
					       : dp_trace_string(trace, device->name)));
	dp_render__text(render, "]");
}

static void write_trace(struct dp_render *render, const struct dp_trace *trace)
{
	size_t kernels = 0, copies = 0;
	const struct dp_stream *stream;
	char cut[CUT_SIZE];

	for (size_t i = 0; (stream = dp_trace_stream(trace, i)); i++) {
		kernels += stream->kernels;
		copies += stream->copies;
	}
	dp_json__put(render,
		     "  'trace': { 'path': %, 'format': %, 'duration_ns': %, 'kernels': %, "
		     "'copies': %, 'lost': %",
		     name(cut, dp_trace_path(trace)), dp_json__text(dp_trace_format(trace)),
		     dp_json__int(dp_trace_duration_ns(trace)), dp_json__count(kernels),
		     dp_json__count(copies),
		     dp_trace_lost_known(trace) ? dp_json__count(dp_trace_lost(trace))
						: dp_json__raw("null"));
	write_devices(render, trace);
	dp_render__text(render, " },\n");
}

/*
 * Writes the first streams that the text says to have no loop, if there are any. Returns the number
 * of others.
 */
static size_t write_streams(struct dp_render *render, const struct dp_trace *trace)
{
	bool loops = dp_analysis_loop_count(render->analysis) > 0;
	size_t written = 0, left_out = 0;

	for (size_t i = 0; i < dp_trace_stream_count(trace); i++) {
		const struct dp_stream_candidate *at = dp_analysis_candidate(render->analysis, i);
		const struct dp_stream *stream = dp_trace_stream(trace, i);

		if (!at || (loops && !at->length))
			continue;
		if (written == STREAMS) {
			left_out++;
			continue;
		}
		dp_json__put(render, "%\n    { 'device': %, 'stream': %",
			     dp_json__raw(written++ ? "," : "  \"streams\": ["),
			     dp_json__id(dp_trace_device(trace, stream->device)->id),
			     dp_json__id(stream->stream));
		dp_json__candidate(render, i);
		dp_render__text(render, " }");
	}
	if (written)
		dp_render__text(render, "\n  ],\n");
	return left_out;
}

/* Those that have a value. */
static void write_summary(struct dp_render *render, size_t id, const struct dp_loop *loop)
{
	const struct dp_metric_info *info;

	dp_json__put(render, ",\n      'summary': { 'iterations': %",
		     dp_json__count(loop->complete));
	if (loop->complete)
		dp_json__put(render, ", 'min_kernels': %, 'max_kernels': %",
			     dp_json__count(loop->min_kernels), dp_json__count(loop->max_kernels));
	if (isfinite(loop->copies_each))
		dp_json__put(render, ", 'copies_each': %",
			     dp_json__real(loop->copies_each, "count"));
	for (size_t i = 0; (info = dp_summary_metric(i)); i++) {
		double value = dp_analysis_loop_summary(render->analysis, id, i);

		if (isfinite(value) && dp_render__shows(render, info))
			dp_json__put(render, ", '%': %", dp_json__raw(info->name),
				     dp_json__real(value, info->unit));
	}
	dp_render__text(render, " }");
}

static size_t write_times(struct dp_render *render, size_t id)
{
	const struct dp_time_stat *at;
	char cut[CUT_SIZE];
	size_t i;

	dp_render__text(render, ",\n      \"kernel_times\": [");
	for (i = 0; i < KERNELS && (at = dp_analysis_loop_kernel_stat(render->analysis, id, i));
	     i++)
		dp_json__put(render, "%\n        { 'name': %, 'count': %, 'total_ns': % }",
			     dp_json__comma(i), name(cut, at->name), dp_json__count(at->count),
			     dp_json__real(at->total_ns, "ns"));
	dp_render__text(render, "]");
	while (dp_analysis_loop_kernel_stat(render->analysis, id, i))
		i++;
	return i;
}

/* Writes only the outermost operators and annotations. */
static void write_host_ranges(struct dp_render *render, size_t id)
{
	const struct dp_host_range *at;
	char cut[CUT_SIZE];
	size_t written = 0;

	dp_render__text(render, ",\n      \"host_ranges\": [");
	for (size_t i = 0;
	     written < RANGES && (at = dp_analysis_loop_host_range(render->analysis, id, i)); i++)
		if (!at->inner)
			dp_json__put(render,
				     "%\n        { 'activity': %, 'outer': %, 'typical_ns': % }",
				     dp_json__comma(written++),
				     dp_json__text(dp_host_activity_name(at->activity)),
				     name(cut, at->outer), dp_json__real(at->typical_ns, "ns"));
	dp_render__text(render, "]");
}

static void write_loop(struct dp_render *render, size_t id, bool first)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	size_t kernels;

	dp_json__put(render,
		     "%\n    { 'id': %, 'parent': %, 'device': %, 'stream': %, 'found_by': %, "
		     "'confidence': %, 'coverage': %,\n      'pattern': { 'length': %, "
		     "'occurrences': % }",
		     dp_json__comma(!first), dp_json__count(loop->id),
		     dp_json__id(loop->parent == DP_NONE ? -1 : (int64_t)loop->parent),
		     dp_json__id(dp_trace_device(trace, loop->device)->id),
		     dp_json__id(dp_trace_stream(trace, loop->stream)->stream),
		     dp_json__text(dp_found_by_name(loop->found_by)),
		     dp_json__real(loop->confidence, "1"), dp_json__real(loop->coverage, "1"),
		     dp_json__count(loop->length), dp_json__count(loop->occurrences));
	write_summary(render, id, loop);
	kernels = write_times(render, id);
	write_host_ranges(render, id);
	dp_json__put(render, ",\n      'left_out': { 'kernel_times': %, 'iterations': % } }",
		     dp_json__count(kernels - DP_MIN(kernels, (size_t)KERNELS)),
		     dp_json__count(loop->iterations));
}

static void write_evidence(struct dp_render *render, const struct dp_finding *finding)
{
	char cut[CUT_SIZE];

	dp_render__text(render, ",\n      \"evidence\": {");
	for (size_t i = 0; i < finding->evidence_count && i < EVIDENCE; i++) {
		const struct dp_evidence_value *at = &finding->evidence[i];

		if (dp_render__names_call(finding, i))
			dp_json__put(render, "% 'call': %", dp_json__comma(i), name(cut, at->call));
		dp_json__put(render, "% '%': %", dp_json__comma(i || at->call),
			     dp_json__raw(at->name), dp_json__real(at->value, at->unit));
	}
	dp_render__text(render, finding->evidence_count ? " }" : "}");
}

static void write_finding(struct dp_render *render, size_t id)
{
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);
	char cut[CUT_SIZE];

	dp_json__put(render, "%\n    { 'rule': %, 'severity': %, 'confidence': %, 'loop': %",
		     dp_json__comma(id), dp_json__text(finding->rule),
		     dp_json__text(dp_severity_name(finding->severity)),
		     dp_json__real(finding->confidence, "1"),
		     dp_json__id(finding->loop == DP_NONE ? -1 : (int64_t)finding->loop));
	if (finding->loop == DP_NONE)
		dp_render__text(render, ", \"iterations\": null");
	else
		dp_json__put(render, ", 'iterations': [%, %]",
			     dp_json__count(finding->first_iteration),
			     dp_json__count(finding->last_iteration));
	dp_json__put(render, ", 'recoverable_ns': %, 'overlaps': %",
		     dp_json__real(finding->recoverable_ns, "ns"),
		     dp_json__text(finding->overlaps));
	write_evidence(render, finding);
	dp_render__text(render, ",\n      \"ranges\": [");
	for (size_t i = 0; i < finding->range_count && i < FINDING_RANGES; i++)
		dp_json__put(render, "%{ 'name': %, 'ns': % }", dp_json__raw(i ? ", " : ""),
			     name(cut, finding->ranges[i].name),
			     dp_json__real(finding->ranges[i].ns, "ns"));
	dp_json__put(render, "],\n      'advice': % }", dp_json__text(finding->advice));
}

static int begin(struct dp_render *render)
{
	size_t findings = dp_analysis_finding_count(render->analysis), streams, loops, written;
	struct chosen chosen = { .count = 0 };

	dp_render__text(render, "{\n  \"schema\": 2, \"brief\": true,\n");
	write_trace(render, dp_analysis_trace(render->analysis));
	streams = write_streams(render, dp_analysis_trace(render->analysis));
	choose(&chosen, render->analysis);
	dp_render__text(render, "  \"loops\": [");
	for (loops = 0; loops < chosen.count && render->bytes < LOOP_UNTIL; loops++)
		write_loop(render, chosen.loops[loops], !loops);
	dp_render__text(render, loops ? "\n  ]" : "]");
	dp_json__put(render, ",\n  'diagnosed': %,\n  'findings': [",
		     dp_json__bool(dp_analysis_is_diagnosed(render->analysis)));
	for (written = 0; written < findings && written < FINDINGS && render->bytes < FINDING_UNTIL;
	     written++)
		write_finding(render, written);
	dp_render__text(render, written ? "\n  ],\n" : "],\n");
	dp_json__put(render, "  'left_out': { 'streams': %, 'loops': %, 'findings': % }\n}\n",
		     dp_json__count(streams),
		     dp_json__count(chosen.left_out + chosen.count - loops),
		     dp_json__count(findings - written));
	return DP_OK;
}

static int end(struct dp_render *render)
{
	return DP_OK;
}

const struct dp_renderer dp_renderer__json_brief = {
	.info = { "json", "json", "the report in brief", false, false },
	.begin = begin,
	.end = end,
};
