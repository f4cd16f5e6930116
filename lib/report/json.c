/*
 * The JSON report, schema 2 (data/report.schema.json.in). It is streamed, so that a million
 * iterations take no memory. Whatever names contain, the output is valid UTF-8 without control
 * characters.
 */
#include "report/json_text.h"
#include "report/number.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

/* Which list is open; the document is written in this order. */
enum stage { STAGE_LOOPS, STAGE_ITERATIONS, STAGE_FINDINGS };

struct json {
	enum stage stage;
	bool any;	/* the open list has an element */
	size_t loop;	/* the open one */
	size_t metrics; /* how many there are */
	bool *shown;	/* by metric */
};

/* Writes an identifier of the source, or null. */
static void identifier(struct dp_render *render, const char *before, const char *name, int64_t id)
{
	dp_json_out__key(render, before, name);
	if (id >= 0)
		dp_render__integer(render, id);
	else
		dp_render__text(render, "null");
}

static int64_t pid_of(const struct dp_trace *trace, uint32_t process)
{
	return dp_trace_process(trace, process)->pid;
}

static void write_losses(struct dp_render *render, const struct dp_trace *trace)
{
	const struct dp_loss *loss;

	dp_json_out__key(render, ",\n    ", "lost");
	if (dp_trace_lost_known(trace))
		dp_render__format(render, "%llu", (unsigned long long)dp_trace_lost(trace));
	else
		dp_render__text(render, "null");
	dp_json_out__key(render, ",\n    ", "losses");
	dp_render__text(render, "[");
	for (size_t i = 0; (loss = dp_trace_loss(trace, i)); i++) {
		dp_json_out__key(render, i ? ",\n      { " : "\n      { ", "reason");
		dp_json_out__string(render, loss->reason);
		dp_json_out__key(render, ", ", "records");
		if (loss->records)
			dp_render__format(render, "%llu", (unsigned long long)loss->records);
		else
			dp_render__text(render, "null");
		dp_render__text(render, " }");
	}
	dp_render__text(render, dp_trace_loss_count(trace) ? "\n    ]" : "]");
}

static void write_pauses(struct dp_render *render, const struct dp_trace *trace)
{
	const struct dp_pause *pause;

	dp_json_out__key(render, ",\n    ", "pauses");
	dp_render__text(render, "[");
	for (size_t i = 0; (pause = dp_trace_pause(trace, i)); i++) {
		identifier(render, i ? ",\n      { " : "\n      { ", "pid",
			   pid_of(trace, pause->process));
		dp_json_out__integer(render, ", ", "start_ns", pause->start_ns);
		dp_json_out__integer(render, ", ", "end_ns", pause->end_ns);
		dp_render__text(render, " }");
	}
	dp_render__text(render, dp_trace_pause_count(trace) ? "\n    ]" : "]");
}

/* Writes what the trace lacks, and how to record it. */
static void write_hints(struct dp_render *render, const struct dp_trace *trace)
{
	size_t count = 0;

	dp_json_out__key(render, ",\n    ", "hints");
	dp_render__text(render, "[");
	for (unsigned need = 0; need < DP_NEEDS; need++) {
		const struct dp_need_info *info = dp_trace_need(trace, (enum dp_need)need);

		if (!info || !dp_trace_lacks(trace, (enum dp_need)need))
			continue;
		dp_json_out__key(render, count++ ? ",\n      { " : "\n      { ", "lacks");
		dp_json_out__string(render, info->what);
		dp_json_out__key(render, ", ", "gives");
		dp_json_out__string(render, info->gives);
		dp_json_out__key(render, ", ", "record");
		dp_json_out__string(render, info->record);
		dp_render__text(render, " }");
	}
	dp_render__text(render, count ? "\n    ]" : "]");
}

static void write_devices(struct dp_render *render, const struct dp_trace *trace)
{
	const struct dp_device *device;

	dp_json_out__key(render, ",\n    ", "devices");
	dp_render__text(render, "[");
	for (size_t i = 0; (device = dp_trace_device(trace, i)); i++) {
		identifier(render, i ? ",\n      { " : "\n      { ", "id", device->id);
		dp_json_out__key(render, ", ", "name");
		if (device->name == DP_NONE)
			dp_render__text(render, "null");
		else
			dp_json_out__string(render, dp_trace_string(trace, device->name));
		dp_json_out__key(render, ", ", "uuid");
		if (device->uuid == DP_NONE)
			dp_render__text(render, "null");
		else
			dp_json_out__string(render, dp_trace_string(trace, device->uuid));
		identifier(render, ", ", "pid", pid_of(trace, device->process));
		dp_render__text(render, " }");
	}
	dp_render__text(render, dp_trace_device_count(trace) ? "\n    ]" : "]");
}

/* Writes one end of a range, or null. */
static void limit(struct dp_render *render, const char *name, int64_t ns)
{
	dp_json_out__key(render, ", ", name);
	if (ns == INT64_MIN || ns == INT64_MAX)
		dp_render__text(render, "null");
	else
		dp_render__integer(render, ns);
}

/* Writes which part of the trace was analyzed: null for all of it. */
static void write_scope(struct dp_render *render)
{
	const struct dp_scope *scope = dp_analysis_scope(render->analysis);

	dp_json_out__key(render, ",\n    ", "scope");
	if (scope->device < 0 && scope->stream < 0 && scope->range_start_ns == INT64_MIN &&
	    scope->range_end_ns == INT64_MAX) {
		dp_render__text(render, "null");
		return;
	}
	identifier(render, "{ ", "device", scope->device);
	identifier(render, ", ", "stream", scope->stream);
	limit(render, "range_start_ns", scope->range_start_ns);
	limit(render, "range_end_ns", scope->range_end_ns);
	dp_render__text(render, " }");
}

static void write_trace(struct dp_render *render, const struct dp_trace *trace)
{
	size_t kernels = 0, copies = 0, sets = 0;
	const struct dp_stream *stream;
	int64_t t0_ns;

	for (size_t i = 0; (stream = dp_trace_stream(trace, i)); i++) {
		kernels += stream->kernels;
		copies += stream->copies;
		sets += stream->sets;
	}
	dp_json_out__key(render, "  ", "trace");
	dp_json_out__key(render, "{\n    ", "path");
	dp_json_out__string(render, dp_trace_path(trace));
	dp_json_out__key(render, ",\n    ", "format");
	dp_json_out__string(render, dp_trace_format(trace));
	write_scope(render);
	dp_json_out__key(render, ",\n    ", "t0_ns");
	if (dp_trace_t0(trace, &t0_ns))
		dp_render__integer(render, t0_ns);
	else
		dp_render__text(render, "null");
	dp_json_out__integer(render, ",\n    ", "duration_ns", dp_trace_duration_ns(trace));
	dp_json_out__integer(render, ",\n    ", "operations", (int64_t)dp_trace_ops(trace)->count);
	dp_json_out__integer(render, ",\n    ", "kernels", (int64_t)kernels);
	dp_json_out__integer(render, ",\n    ", "copies", (int64_t)copies);
	dp_json_out__integer(render, ",\n    ", "sets", (int64_t)sets);
	dp_json_out__integer(render, ",\n    ", "resolution_ns", dp_trace_resolution_ns(trace));
	write_losses(render, trace);
	write_pauses(render, trace);
	write_hints(render, trace);
	write_devices(render, trace);
	dp_render__text(render, "\n  },\n");
}

/* Writes a stream's key: the same three numbers and the process everywhere. */
static void stream_key(struct dp_render *render, const char *before, const struct dp_trace *trace,
		       const struct dp_stream *stream)
{
	identifier(render, before, "device", dp_trace_device(trace, stream->device)->id);
	identifier(render, ", ", "context", stream->context);
	identifier(render, ", ", "stream", stream->stream);
	identifier(render, ", ", "pid", pid_of(trace, stream->process));
}

static void write_explanation(struct dp_render *render, const struct dp_explanation *at)
{
	dp_json_out__key(render, "{ ", "stage");
	dp_json_out__string(render, at->stage);
	dp_json_out__key(render, ", ", "text");
	dp_json_out__string(render, at->text);
	dp_json_out__key(render, ",\n          ", "facts");
	dp_render__text(render, "{");
	for (size_t i = 0; i < at->fact_count; i++)
		dp_json_out__number(render, i ? ", " : " ", at->facts[i].name, at->facts[i].value,
				    at->facts[i].unit);
	dp_render__text(render, at->fact_count ? " } }" : "} }");
}

/* Writes how iterations were found on a stream, if explanations were requested. */
static void write_explanations(struct dp_render *render, size_t stream)
{
	const struct dp_explanation *at;
	size_t count = 0;

	for (size_t i = 0; (at = dp_analysis_explanation(render->analysis, i)); i++) {
		if (at->stream != stream)
			continue;
		if (!count)
			dp_json_out__key(render, ",\n      ", "explain");
		dp_render__text(render, count++ ? ",\n        " : "[\n        ");
		write_explanation(render, at);
	}
	if (count)
		dp_render__text(render, "\n      ]");
}

static void write_streams(struct dp_render *render, const struct dp_trace *trace)
{
	const struct dp_stream *stream;

	dp_json_out__key(render, "  ", "streams");
	dp_render__text(render, "[");
	for (size_t i = 0; (stream = dp_trace_stream(trace, i)); i++) {
		stream_key(render, i ? ",\n    { " : "\n    { ", trace, stream);
		dp_json_out__key(render, ", ", "class");
		dp_json_out__string(render, dp_stream_class_name(stream->stream_class));
		dp_json_out__integer(render, ",\n      ", "kernels", (int64_t)stream->kernels);
		dp_json_out__integer(render, ", ", "copies", (int64_t)stream->copies);
		dp_json_out__integer(render, ", ", "sets", (int64_t)stream->sets);
		dp_json_out__integer(render, ", ", "busy_ns", stream->busy_ns);
		write_explanations(render, i);
		dp_render__text(render, " }");
	}
	dp_render__text(render, dp_trace_stream_count(trace) ? "\n  ],\n" : "],\n");
}

/* Writes the communication kernels of the capture, by kind and size. */
static void write_collectives(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_collective_stat *at;

	dp_json_out__key(render, "  ", "collectives");
	dp_render__text(render, "[");
	for (size_t i = 0; (at = dp_analysis_collective(render->analysis, i)); i++) {
		dp_json_out__integer(render, i ? ",\n    { " : "\n    { ", "device",
				     dp_trace_device(trace, at->device)->id);
		dp_json_out__key(render, ", ", "kind");
		dp_json_out__string(render, dp_collective_kind_name(at->kind));
		dp_json_out__number(render, ", ", "bytes",
				    at->bytes ? (double)at->bytes : (double)NAN, "bytes");
		dp_json_out__number(render, ", ", "group_size",
				    at->group_size ? (double)at->group_size : (double)NAN, "count");
		dp_json_out__integer(render, ", ", "count", (int64_t)at->count);
		dp_json_out__number(render, ",\n      ", "total_ns", at->total_ns, "ns");
		dp_json_out__number(render, ", ", "median_ns", at->median_ns, "ns");
		dp_json_out__number(render, ", ", "min_ns", at->min_ns, "ns");
		dp_json_out__number(render, ", ", "algorithm_bandwidth", at->algorithm_bandwidth,
				    "bytes/s");
		dp_json_out__number(render, ", ", "bus_bandwidth", at->bus_bandwidth, "bytes/s");
		dp_render__text(render, " }");
	}
	dp_render__text(render, dp_analysis_collective(render->analysis, 0) ? "\n  ],\n" : "],\n");
}

static int begin(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	struct json *json = dp_alloc__zeroed(1, sizeof(*json));

	if (!json)
		return dp_error__nomem(render->error, sizeof(*json));
	json->metrics = dp_metric_count();
	json->shown = dp_alloc__zeroed(json->metrics, sizeof(*json->shown));
	if (!json->shown) {
		dp_error__nomem(render->error, json->metrics);
		free(json);
		return DP_ERR_NOMEM;
	}
	for (size_t i = 0; i < json->metrics; i++)
		json->shown[i] = dp_render__shows(render, dp_metric(i));
	render->state = json;
	dp_render__text(render, "{\n  \"schema\": 2,\n");
	write_trace(render, trace);
	write_streams(render, trace);
	write_collectives(render);
	dp_render__text(render, "  \"loops\": [");
	return DP_OK;
}

/* Writes hardware counters, if kernels were sampled. */
static void write_units(struct dp_render *render, const struct dp_time_stat *at)
{
	const struct {
		const char *name;
		double value;
	} units[] = { { "sm_active", at->sm_active },
		      { "tensor_active", at->tensor_active },
		      { "dram_active", at->dram_active } };

	for (size_t i = 0; i < DP_COUNT(units); i++)
		if (isfinite(units[i].value))
			dp_json_out__number(render, ", ", units[i].name, units[i].value, "1");
}

/* Writes the times of kernels, by name and by position in the pattern. */
static void write_times(struct dp_render *render, size_t loop)
{
	const struct dp_time_stat *at;

	dp_json_out__key(render, ",\n      ", "kernel_times");
	dp_render__text(render, "[");
	for (size_t i = 0; (at = dp_analysis_loop_kernel_stat(render->analysis, loop, i)); i++) {
		dp_json_out__key(render, i ? ",\n        { " : "\n        { ", "name");
		dp_json_out__string(render, at->name);
		dp_json_out__integer(render, ", ", "count", (int64_t)at->count);
		dp_json_out__number(render, ", ", "total_ns", at->total_ns, "ns");
		write_units(render, at);
		dp_render__text(render, " }");
	}
	dp_render__text(render, "]");
	dp_json_out__key(render, ",\n      ", "position_times");
	dp_render__text(render, "[");
	for (size_t i = 0; (at = dp_analysis_loop_position_stat(render->analysis, loop, i)); i++) {
		dp_render__text(render, i ? ",\n        { " : "\n        { ");
		dp_json_out__integer(render, "", "count", (int64_t)at->count);
		dp_json_out__number(render, ", ", "mean_ns", at->mean_ns, "1");
		dp_json_out__number(render, ", ", "min_ns", at->min_ns, "ns");
		dp_json_out__number(render, ", ", "max_ns", at->max_ns, "ns");
		dp_json_out__number(render, ", ", "stddev_ns", at->stddev_ns, "1");
		dp_render__text(render, " }");
	}
	dp_render__text(render, "]");
}

/* Closes the open loop's list of iterations, and the loop. */
static void close_loop(struct dp_render *render, struct json *json)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, json->loop);
	const struct dp_metric_info *info;

	if (json->stage != STAGE_ITERATIONS)
		return;
	dp_render__text(render, json->any ? "\n      ],\n" : "],\n");
	dp_json_out__key(render, "      ", "summary");
	dp_json_out__integer(render, "{\n        ", "iterations", (int64_t)loop->complete);
	for (size_t i = 0; (info = dp_summary_metric(i)); i++)
		if (dp_render__shows(render, info))
			dp_json_out__number(
				render, ",\n        ", info->name,
				dp_analysis_loop_summary(render->analysis, json->loop, i),
				info->unit);
	dp_render__text(render, "\n      }");
	dp_json__waits(render, json->loop);
	write_times(render, json->loop);
	dp_render__text(render, "\n    }");
	json->stage = STAGE_LOOPS;
	json->any = true;
}

/* Writes the ids of the streams of a loop that runs on several, which are all of its device. */
static void write_streams_of(struct dp_render *render, size_t id)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	size_t first = loop->stream, end = loop->stream, count = 0, written = 0;

	while (first > 0 && dp_trace_stream(trace, first - 1)->device == loop->device)
		first--;
	while (end < dp_trace_stream_count(trace) &&
	       dp_trace_stream(trace, end)->device == loop->device)
		count += dp_analysis_loop_has_stream(render->analysis, id, end++);
	for (size_t i = first; i < loop->stream; i++)
		count += dp_analysis_loop_has_stream(render->analysis, id, i);
	if (count < 2)
		return;
	dp_json_out__key(render, ",\n      ", "streams");
	for (size_t i = first; i < end; i++) {
		const struct dp_stream *stream = dp_trace_stream(trace, i);

		if (!dp_analysis_loop_has_stream(render->analysis, id, i))
			continue;
		dp_render__text(render, written++ ? ", " : "[");
		if (stream->stream < 0)
			dp_render__text(render, "null");
		else
			dp_render__integer(render, stream->stream);
	}
	dp_render__text(render, "]");
}

static void write_pattern(struct dp_render *render, size_t id, const struct dp_loop *loop)
{
	dp_json_out__key(render, ",\n      ", "pattern");
	dp_json_out__integer(render, "{ ", "length", (int64_t)loop->length);
	dp_json_out__integer(render, ", ", "occurrences", (int64_t)loop->occurrences);
	if (loop->copies + loop->sets) {
		dp_json_out__integer(render, ", ", "copies", (int64_t)loop->copies);
		dp_json_out__integer(render, ", ", "sets", (int64_t)loop->sets);
	}
	dp_json_out__key(render, ",\n        ", "kernels");
	dp_render__text(render, "[");
	for (size_t i = 0; i < loop->length; i++) {
		dp_render__text(render, i ? ",\n          " : "\n          ");
		dp_json_out__string(render, dp_analysis_loop_kernel(render->analysis, id, i));
	}
	dp_render__text(render, loop->length ? "\n        ] }" : "] }");
}

static void write_variants(struct dp_render *render, size_t id, const struct dp_loop *loop)
{
	dp_json_out__key(render, ",\n      ", "variants");
	dp_render__text(render, "[");
	for (size_t i = 0; i < loop->variants; i++) {
		const struct dp_variant *at = dp_analysis_loop_variant(render->analysis, id, i);

		dp_json_out__integer(render, i ? ",\n        { " : "\n        { ", "variant",
				     (int64_t)i);
		dp_json_out__integer(render, ", ", "iterations", (int64_t)at->count);
		dp_json_out__integer(render, ", ", "first", (int64_t)at->first);
		dp_json_out__key(render, ", ", "period");
		if (at->period)
			dp_render__integer(render, (int64_t)at->period);
		else
			dp_render__text(render, "null");
		dp_json_out__integer(render, ", ", "inserted", at->inserted);
		dp_json_out__integer(render, ", ", "deleted", at->deleted);
		dp_json_out__integer(render, ", ", "substituted", at->substituted);
		dp_json_out__number(render, ", ", "extra_ns", at->extra_ns, "ns");
		dp_render__text(render, " }");
	}
	dp_render__text(render, loop->variants ? "\n      ]" : "]");
}

/* For loops found by a number: writes whether it is this loop's. */
static void write_count(struct dp_render *render, const struct dp_loop *loop)
{
	if (loop->found_by == DP_FOUND_BY_COUNT) {
		dp_json_out__boolean(render, ",\n      ", "matches_count", loop->matches_count);
		dp_json_out__boolean(render, ", ", "matches_in_sequence",
				     loop->matches_in_sequence);
	} else {
		dp_render__text(render,
				",\n      \"matches_count\": null, \"matches_in_sequence\": null");
	}
}

static int write_loop(struct dp_render *render, size_t id)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	struct json *json = render->state;

	close_loop(render, json);
	dp_json_out__integer(render, json->any ? ",\n    {\n      " : "\n    {\n      ", "id",
			     loop->id);
	dp_json_out__key(render, ", ", "parent");
	if (loop->parent == DP_NONE)
		dp_render__text(render, "null");
	else
		dp_render__integer(render, loop->parent);
	stream_key(render, ",\n      ", trace, dp_trace_stream(trace, loop->stream));
	write_streams_of(render, id);
	dp_json_out__key(render, ",\n      ", "found_by");
	dp_json_out__string(render, dp_found_by_name(loop->found_by));
	if (loop->annotation) {
		dp_json_out__key(render, ", ", "annotation");
		dp_json_out__string(render, loop->annotation);
	}
	dp_json_out__key(render, ", ", "phase");
	dp_json_out__string(render, dp_phase_name(loop->phase));
	dp_json_out__number(render, ", ", "confidence", loop->confidence, "1");
	dp_json_out__number(render, ", ", "coverage", loop->coverage, "1");
	dp_json_out__boolean(render, ", ", "selected", loop->selected);
	write_count(render, loop);
	write_pattern(render, id, loop);
	write_variants(render, id, loop);
	dp_render__text(render, ",\n      \"iterations\": [");
	json->stage = STAGE_ITERATIONS;
	json->any = false;
	json->loop = id;
	return DP_OK;
}

static int write_iteration(struct dp_render *render, size_t loop, size_t k)
{
	const struct dp_iteration *at = dp_analysis_loop_iteration(render->analysis, loop, k);
	struct json *json = render->state;

	dp_json_out__integer(render, json->any ? ",\n        { " : "\n        { ", "index",
			     (int64_t)at->index);
	json->any = true;
	dp_json_out__integer(render, ", ", "start_ns", at->start_ns);
	dp_json_out__integer(render, ", ", "end_ns", at->end_ns);
	dp_json_out__integer(render, ", ", "first_kernel", (int64_t)at->first_kernel);
	dp_json_out__integer(render, ", ", "kernels", (int64_t)at->kernels);
	dp_json_out__integer(render, ", ", "inserted", at->inserted);
	dp_json_out__integer(render, ", ", "deleted", at->deleted);
	dp_json_out__integer(render, ", ", "substituted", at->substituted);
	dp_json_out__integer(render, ", ", "variant", at->variant);
	dp_json_out__boolean(render, ", ", "partial", at->partial);
	dp_json_out__boolean(render, ", ", "warmup", at->warmup);
	dp_json_out__integer(render, ", ", "foreign_kernels", (int64_t)at->foreign_kernels);
	for (size_t i = 0; i < json->metrics; i++)
		if (json->shown[i] && dp_analysis_loop_has_metric(render->analysis, loop, i))
			dp_json_out__number(render, ", ", dp_metric(i)->name,
					    dp_analysis_loop_metric(render->analysis, loop, i, k),
					    dp_metric(i)->unit);
	dp_render__text(render, " }");
	return DP_OK;
}

/* Closes the list of loops and opens that of findings, once. */
static void open_findings(struct dp_render *render, struct json *json)
{
	if (json->stage == STAGE_FINDINGS)
		return;
	close_loop(render, json);
	dp_render__text(render, json->any ? "\n  ]" : "]");
	dp_json_out__boolean(render, ",\n  ", "diagnosed",
			     dp_analysis_is_diagnosed(render->analysis));
	dp_render__text(render, ",\n  \"findings\": [");
	json->stage = STAGE_FINDINGS;
	json->any = false;
}

static void write_ranges(struct dp_render *render, const struct dp_finding *finding)
{
	dp_json_out__key(render, ",\n      ", "ranges");
	dp_render__text(render, "[");
	for (size_t i = 0; i < finding->range_count; i++) {
		dp_json_out__key(render, i ? ",\n        { " : "\n        { ", "name");
		dp_json_out__string(render, finding->ranges[i].name);
		dp_json_out__number(render, ", ", "ns", finding->ranges[i].ns, "ns");
		dp_json_out__number(render, ", ", "share", finding->ranges[i].share, "1");
		dp_render__text(render, " }");
	}
	dp_render__text(render, "]");
}

/* Writes the loop and iterations of a finding; null for one of a capture. */
static void write_place(struct dp_render *render, const struct dp_finding *finding)
{
	if (finding->loop == DP_NONE) {
		dp_json_out__key(render, ", ", "loop");
		dp_render__text(render, "null");
		dp_json_out__key(render, ",\n      ", "iterations");
		dp_render__text(render, "null");
		return;
	}
	dp_json_out__integer(render, ", ", "loop", finding->loop);
	dp_json_out__key(render, ",\n      ", "iterations");
	dp_render__format(render, "[%zu, %zu]", finding->first_iteration, finding->last_iteration);
}

/* Writes the cost per place: each loop, or device without loops, of the finding. */
static void write_places(struct dp_render *render, const struct dp_finding *finding)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	size_t loops = finding->loop == DP_NONE ? 0 : finding->loop_count;

	dp_json_out__key(render, ",\n      ", "loops");
	dp_render__text(render, "[");
	for (size_t i = 0; i < loops; i++)
		dp_render__format(render, "%s%u", i ? ", " : "", (unsigned)finding->loops[i]);
	dp_json_out__key(render, "], ", "devices");
	dp_render__text(render, "[");
	for (size_t i = 0; i < finding->loop_count; i++)
		dp_render__format(render, "%s%lld", i ? ", " : "",
				  (long long)dp_trace_device(trace, finding->devices[i])->id);
	dp_json_out__key(render, "], ", "costs_ns");
	dp_render__text(render, "[");
	for (size_t i = 0; i < finding->loop_count; i++) {
		char number[DP_NUMBER_SIZE];

		dp_number__json(number, finding->costs_ns[i], "ns");
		dp_render__format(render, "%s%s", i ? ", " : "", number);
	}
	dp_render__text(render, "]");
}

static int write_finding(struct dp_render *render, size_t id)
{
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);
	struct json *json = render->state;

	open_findings(render, json);
	dp_json_out__key(render, json->any ? ",\n    { " : "\n    { ", "rule");
	json->any = true;
	dp_json_out__string(render, finding->rule);
	dp_json_out__key(render, ", ", "severity");
	dp_json_out__string(render, dp_severity_name(finding->severity));
	dp_json_out__number(render, ", ", "confidence", finding->confidence, "1");
	write_place(render, finding);
	dp_json_out__number(render, ", ", "recoverable_ns", finding->recoverable_ns, "ns");
	dp_json_out__number(render, ", ", "predicted_ns", finding->predicted_ns, "ns");
	dp_json_out__key(render, ",\n      ", "evidence");
	dp_render__text(render, "{");
	for (size_t i = 0; i < finding->evidence_count; i++) {
		if (dp_render__names_call(finding, i)) {
			dp_json_out__key(render, i ? ", " : " ", "call");
			dp_json_out__string(render, finding->evidence[i].call);
		}
		dp_json_out__number(render, i || finding->evidence[i].call ? ", " : " ",
				    finding->evidence[i].name, finding->evidence[i].value,
				    finding->evidence[i].unit);
	}
	dp_render__text(render, finding->evidence_count ? " }" : "}");
	write_ranges(render, finding);
	write_places(render, finding);
	dp_json_out__key(render, ", ", "overlaps");
	if (finding->overlaps)
		dp_json_out__string(render, finding->overlaps);
	else
		dp_render__text(render, "null");
	dp_json_out__key(render, ",\n      ", "metric");
	if (finding->metric)
		dp_json_out__string(render, finding->metric);
	else
		dp_render__text(render, "null");
	dp_json_out__key(render, ",\n      ", "advice");
	dp_json_out__string(render, finding->advice);
	dp_render__text(render, " }");
	return DP_OK;
}

static int end(struct dp_render *render)
{
	struct json *json = render->state;

	open_findings(render, json);
	dp_render__text(render, json->any ? "\n  ]\n}\n" : "]\n}\n");
	free(json->shown);
	free(json);
	return DP_OK;
}

const struct dp_renderer dp_renderer__json = {
	.info = { "json", "json", "the whole report for programs, schema 2", false, false },
	.begin = begin,
	.loop = write_loop,
	.iteration = write_iteration,
	.finding = write_finding,
	.end = end,
};
