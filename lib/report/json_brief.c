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
	LOOPS = 3,
	KERNELS = 5,
	RANGES = 4,
	FINDINGS = 6,
	FINDING_RANGES = 2,
	EVIDENCE = 8,
	NAME_COLUMNS = 72,
	NAME_BYTES = 96,
};

/* The loops with most time, at the level of the report. */
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
		while (at && dp_analysis_loop_time(analysis, chosen->loops[at - 1]) < time_ns)
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

/* Writes a name, without its middle if it is long; null for NULL. */
static void name(struct dp_render *render, const char *text)
{
	char cut[4 * NAME_COLUMNS + 1];

	if (!text) {
		dp_render__text(render, "null");
		return;
	}
	for (size_t columns = NAME_COLUMNS;; columns /= 2) {
		dp_label_kernel(cut, sizeof(cut), text, columns, false);
		if (strlen(cut) <= NAME_BYTES)
			break;
	}
	dp_json_out__string(render, cut);
}

static void identifier(struct dp_render *render, const char *before, const char *key, int64_t id)
{
	dp_json_out__key(render, before, key);
	if (id >= 0)
		dp_render__integer(render, id);
	else
		dp_render__text(render, "null");
}

static void write_devices(struct dp_render *render, const struct dp_trace *trace)
{
	const struct dp_device *device;

	dp_json_out__key(render, ", ", "devices");
	dp_render__text(render, "[");
	for (size_t i = 0; i < DEVICES && (device = dp_trace_device(trace, i)); i++) {
		identifier(render, i ? ", { " : "{ ", "id", device->id);
		dp_json_out__key(render, ", ", "name");
		name(render, device->name == DP_NONE ? NULL : dp_trace_string(trace, device->name));
		dp_render__text(render, " }");
	}
	dp_render__text(render, "]");
}

static void write_trace(struct dp_render *render, const struct dp_trace *trace)
{
	size_t kernels = 0, copies = 0;
	const struct dp_stream *stream;

	for (size_t i = 0; (stream = dp_trace_stream(trace, i)); i++) {
		kernels += stream->kernels;
		copies += stream->copies;
	}
	dp_json_out__key(render, "  ", "trace");
	dp_json_out__key(render, "{ ", "path");
	name(render, dp_trace_path(trace));
	dp_json_out__key(render, ", ", "format");
	dp_json_out__string(render, dp_trace_format(trace));
	dp_json_out__integer(render, ", ", "duration_ns", dp_trace_duration_ns(trace));
	dp_json_out__integer(render, ", ", "kernels", (int64_t)kernels);
	dp_json_out__integer(render, ", ", "copies", (int64_t)copies);
	dp_json_out__key(render, ", ", "lost");
	if (dp_trace_lost_known(trace))
		dp_render__integer(render, (int64_t)dp_trace_lost(trace));
	else
		dp_render__text(render, "null");
	write_devices(render, trace);
	dp_render__text(render, " },\n");
}

/* Those that have a value. */
static void write_summary(struct dp_render *render, size_t id, const struct dp_loop *loop)
{
	const struct dp_metric_info *info;

	dp_json_out__key(render, ",\n      ", "summary");
	dp_json_out__integer(render, "{ ", "iterations", (int64_t)loop->complete);
	for (size_t i = 0; (info = dp_summary_metric(i)); i++) {
		double value = dp_analysis_loop_summary(render->analysis, id, i);

		if (isfinite(value) && dp_render__shows(render, info))
			dp_json_out__number(render, ", ", info->name, value, info->unit);
	}
	dp_render__text(render, " }");
}

static size_t write_times(struct dp_render *render, size_t id)
{
	const struct dp_time_stat *at;
	size_t i;

	dp_json_out__key(render, ",\n      ", "kernel_times");
	dp_render__text(render, "[");
	for (i = 0; i < KERNELS && (at = dp_analysis_loop_kernel_stat(render->analysis, id, i));
	     i++) {
		dp_json_out__key(render, i ? ",\n        { " : "\n        { ", "name");
		name(render, at->name);
		dp_json_out__integer(render, ", ", "count", (int64_t)at->count);
		dp_json_out__number(render, ", ", "total_ns", at->total_ns, "ns");
		dp_render__text(render, " }");
	}
	dp_render__text(render, "]");
	while (dp_analysis_loop_kernel_stat(render->analysis, id, i))
		i++;
	return i;
}

/* Writes only the outermost operators and annotations. */
static void write_host_ranges(struct dp_render *render, size_t id)
{
	const struct dp_host_range *at;
	size_t written = 0;

	dp_json_out__key(render, ",\n      ", "host_ranges");
	dp_render__text(render, "[");
	for (size_t i = 0;
	     written < RANGES && (at = dp_analysis_loop_host_range(render->analysis, id, i)); i++) {
		if (at->inner)
			continue;
		dp_json_out__key(render, written++ ? ",\n        { " : "\n        { ", "activity");
		dp_json_out__string(render, dp_host_activity_name(at->activity));
		dp_json_out__key(render, ", ", "outer");
		name(render, at->outer);
		dp_json_out__number(render, ", ", "typical_ns", at->typical_ns, "ns");
		dp_render__text(render, " }");
	}
	dp_render__text(render, "]");
}

static void write_loop(struct dp_render *render, size_t id, bool first)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	size_t kernels;

	dp_json_out__integer(render, first ? "\n    { " : ",\n    { ", "id", loop->id);
	identifier(render, ", ", "parent", loop->parent == DP_NONE ? -1 : (int64_t)loop->parent);
	identifier(render, ", ", "device", dp_trace_device(trace, loop->device)->id);
	identifier(render, ", ", "stream", dp_trace_stream(trace, loop->stream)->stream);
	dp_json_out__key(render, ", ", "found_by");
	dp_json_out__string(render, dp_found_by_name(loop->found_by));
	dp_json_out__number(render, ", ", "confidence", loop->confidence, "1");
	dp_json_out__number(render, ", ", "coverage", loop->coverage, "1");
	dp_json_out__key(render, ",\n      ", "pattern");
	dp_json_out__integer(render, "{ ", "length", (int64_t)loop->length);
	dp_json_out__integer(render, ", ", "occurrences", (int64_t)loop->occurrences);
	dp_render__text(render, " }");
	write_summary(render, id, loop);
	kernels = write_times(render, id);
	write_host_ranges(render, id);
	dp_json_out__key(render, ",\n      ", "left_out");
	dp_json_out__integer(render, "{ ", "kernel_times",
			     (int64_t)(kernels - DP_MIN(kernels, (size_t)KERNELS)));
	dp_json_out__integer(render, ", ", "iterations", (int64_t)loop->iterations);
	dp_render__text(render, " } }");
}

static void write_evidence(struct dp_render *render, const struct dp_finding *finding)
{
	dp_json_out__key(render, ",\n      ", "evidence");
	dp_render__text(render, "{");
	for (size_t i = 0; i < finding->evidence_count && i < EVIDENCE; i++) {
		if (dp_render__names_call(finding, i)) {
			dp_json_out__key(render, i ? ", " : " ", "call");
			name(render, finding->evidence[i].call);
		}
		dp_json_out__number(render, i || finding->evidence[i].call ? ", " : " ",
				    finding->evidence[i].name, finding->evidence[i].value,
				    finding->evidence[i].unit);
	}
	dp_render__text(render, finding->evidence_count ? " }" : "}");
}

static void write_finding(struct dp_render *render, size_t id)
{
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);

	dp_json_out__key(render, id ? ",\n    { " : "\n    { ", "rule");
	dp_json_out__string(render, finding->rule);
	dp_json_out__key(render, ", ", "severity");
	dp_json_out__string(render, dp_severity_name(finding->severity));
	dp_json_out__number(render, ", ", "confidence", finding->confidence, "1");
	identifier(render, ", ", "loop", finding->loop == DP_NONE ? -1 : (int64_t)finding->loop);
	dp_json_out__key(render, ", ", "iterations");
	if (finding->loop == DP_NONE)
		dp_render__text(render, "null");
	else
		dp_render__format(render, "[%zu, %zu]", finding->first_iteration,
				  finding->last_iteration);
	dp_json_out__number(render, ", ", "recoverable_ns", finding->recoverable_ns, "ns");
	write_evidence(render, finding);
	dp_json_out__key(render, ",\n      ", "ranges");
	dp_render__text(render, "[");
	for (size_t i = 0; i < finding->range_count && i < FINDING_RANGES; i++) {
		dp_json_out__key(render, i ? ", { " : "{ ", "name");
		name(render, finding->ranges[i].name);
		dp_json_out__number(render, ", ", "ns", finding->ranges[i].ns, "ns");
		dp_render__text(render, " }");
	}
	dp_json_out__key(render, "],\n      ", "advice");
	dp_json_out__string(render, finding->advice);
	dp_render__text(render, " }");
}

static int begin(struct dp_render *render)
{
	size_t findings = dp_analysis_finding_count(render->analysis), loops, written;
	struct chosen chosen = { .count = 0 };

	dp_render__text(render, "{\n  \"schema\": 2, \"brief\": true,\n");
	write_trace(render, dp_analysis_trace(render->analysis));
	choose(&chosen, render->analysis);
	dp_render__text(render, "  \"loops\": [");
	for (loops = 0; loops < chosen.count && render->bytes < LOOP_UNTIL; loops++)
		write_loop(render, chosen.loops[loops], !loops);
	dp_render__text(render, loops ? "\n  ]" : "]");
	dp_json_out__boolean(render, ",\n  ", "diagnosed",
			     dp_analysis_is_diagnosed(render->analysis));
	dp_render__text(render, ",\n  \"findings\": [");
	for (written = 0; written < findings && written < FINDINGS && render->bytes < FINDING_UNTIL;
	     written++)
		write_finding(render, written);
	dp_render__text(render, written ? "\n  ],\n" : "],\n");
	dp_json_out__key(render, "  ", "left_out");
	dp_json_out__integer(render, "{ ", "loops",
			     (int64_t)(chosen.left_out + chosen.count - loops));
	dp_json_out__integer(render, ", ", "findings", (int64_t)(findings - written));
	dp_render__text(render, " }\n}\n");
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
