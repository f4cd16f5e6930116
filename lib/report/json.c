/*
 * The JSON report, schema 1 (data/report.schema.json.in). It is written as it goes, so that a
 * million iterations take no memory. Names are hostile: whatever they hold, the output is valid
 * UTF-8 and has no control character in it.
 */
#include "report/json_text.h"
#include "report/number.h"
#include "report/report.h"

#include <string.h>

/* What is open: the document is written in this order. */
enum stage { STAGE_LOOPS, STAGE_ITERATIONS, STAGE_FINDINGS };

struct json {
	enum stage stage;
	bool any;	/* the open list has an element */
	size_t loop;	/* the open one */
	size_t metrics; /* how many there are */
	bool *shown;	/* by metric */
};

static void string(struct dp_render *render, const char *text)
{
	dp_json_text__write(render, text, strlen(text), false);
}

/* A key is our own: nothing in it needs an escape. Numbers follow. */
static void key(struct dp_render *render, const char *before, const char *name)
{
	dp_render__text(render, before);
	dp_render__text(render, "\"");
	dp_render__text(render, name);
	dp_render__text(render, "\": ");
}

static void integer(struct dp_render *render, const char *before, const char *name, int64_t value)
{
	key(render, before, name);
	dp_render__integer(render, value);
}

static void boolean(struct dp_render *render, const char *before, const char *name, bool value)
{
	key(render, before, name);
	dp_render__text(render, value ? "true" : "false");
}

static void number(struct dp_render *render, const char *before, const char *name, double value,
		   const char *unit)
{
	char buf[DP_NUMBER_SIZE];

	dp_number__json(buf, value, unit);
	key(render, before, name);
	dp_render__text(render, buf);
}

/* The source's own number of a thing, null where it has none. */
static void identifier(struct dp_render *render, const char *before, const char *name, int64_t id)
{
	key(render, before, name);
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

	key(render, ",\n    ", "lost");
	if (dp_trace_lost_known(trace))
		dp_render__format(render, "%llu", (unsigned long long)dp_trace_lost(trace));
	else
		dp_render__text(render, "null");
	key(render, ",\n    ", "losses");
	dp_render__text(render, "[");
	for (size_t i = 0; (loss = dp_trace_loss(trace, i)); i++) {
		key(render, i ? ",\n      { " : "\n      { ", "reason");
		string(render, loss->reason);
		key(render, ", ", "records");
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

	key(render, ",\n    ", "pauses");
	dp_render__text(render, "[");
	for (size_t i = 0; (pause = dp_trace_pause(trace, i)); i++) {
		identifier(render, i ? ",\n      { " : "\n      { ", "pid",
			   pid_of(trace, pause->process));
		integer(render, ", ", "start_ns", pause->start_ns);
		integer(render, ", ", "end_ns", pause->end_ns);
		dp_render__text(render, " }");
	}
	dp_render__text(render, dp_trace_pause_count(trace) ? "\n    ]" : "]");
}

/* What the trace doesn't hold, and how to get it. */
static void write_hints(struct dp_render *render, const struct dp_trace *trace)
{
	size_t count = 0;

	key(render, ",\n    ", "hints");
	dp_render__text(render, "[");
	for (unsigned need = 0; need < DP_NEEDS; need++) {
		const struct dp_need_info *info = dp_trace_need(trace, (enum dp_need)need);

		if (!info || !dp_trace_lacks(trace, (enum dp_need)need))
			continue;
		key(render, count++ ? ",\n      { " : "\n      { ", "lacks");
		string(render, info->what);
		key(render, ", ", "gives");
		string(render, info->gives);
		key(render, ", ", "record");
		string(render, info->record);
		dp_render__text(render, " }");
	}
	dp_render__text(render, count ? "\n    ]" : "]");
}

static void write_devices(struct dp_render *render, const struct dp_trace *trace)
{
	const struct dp_device *device;

	key(render, ",\n    ", "devices");
	dp_render__text(render, "[");
	for (size_t i = 0; (device = dp_trace_device(trace, i)); i++) {
		identifier(render, i ? ",\n      { " : "\n      { ", "id", device->id);
		key(render, ", ", "name");
		if (device->name == DP_NONE)
			dp_render__text(render, "null");
		else
			string(render, dp_trace_string(trace, device->name));
		key(render, ", ", "uuid");
		if (device->uuid == DP_NONE)
			dp_render__text(render, "null");
		else
			string(render, dp_trace_string(trace, device->uuid));
		identifier(render, ", ", "pid", pid_of(trace, device->process));
		dp_render__text(render, " }");
	}
	dp_render__text(render, dp_trace_device_count(trace) ? "\n    ]" : "]");
}

/* One end of a range, null where there is none. */
static void limit(struct dp_render *render, const char *name, int64_t ns)
{
	key(render, ", ", name);
	if (ns == INT64_MIN || ns == INT64_MAX)
		dp_render__text(render, "null");
	else
		dp_render__integer(render, ns);
}

/* What of the trace was analyzed: null for all of it. */
static void write_scope(struct dp_render *render)
{
	const struct dp_scope *scope = dp_analysis_scope(render->analysis);

	key(render, ",\n    ", "scope");
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
	key(render, "  ", "trace");
	key(render, "{\n    ", "path");
	string(render, dp_trace_path(trace));
	key(render, ",\n    ", "format");
	string(render, dp_trace_format(trace));
	write_scope(render);
	key(render, ",\n    ", "t0_ns");
	if (dp_trace_t0(trace, &t0_ns))
		dp_render__integer(render, t0_ns);
	else
		dp_render__text(render, "null");
	integer(render, ",\n    ", "duration_ns", dp_trace_duration_ns(trace));
	integer(render, ",\n    ", "operations", (int64_t)dp_trace_ops(trace)->count);
	integer(render, ",\n    ", "kernels", (int64_t)kernels);
	integer(render, ",\n    ", "copies", (int64_t)copies);
	integer(render, ",\n    ", "sets", (int64_t)sets);
	integer(render, ",\n    ", "resolution_ns", dp_trace_resolution_ns(trace));
	write_losses(render, trace);
	write_pauses(render, trace);
	write_hints(render, trace);
	write_devices(render, trace);
	dp_render__text(render, "\n  },\n");
}

static const char *class_name(enum dp_stream_class stream_class)
{
	switch (stream_class) {
	case DP_STREAM_MAIN:
		return "main";
	case DP_STREAM_COPY:
		return "copy";
	case DP_STREAM_ASSIST:
		break;
	}
	return "assist";
}

/* Which stream: the same three numbers wherever one is named, and the process. */
static void stream_key(struct dp_render *render, const char *before, const struct dp_trace *trace,
		       const struct dp_stream *stream)
{
	identifier(render, before, "device", dp_trace_device(trace, stream->device)->id);
	identifier(render, ", ", "context", stream->context);
	identifier(render, ", ", "stream", stream->stream);
	identifier(render, ", ", "pid", pid_of(trace, stream->process));
}

static void write_streams(struct dp_render *render, const struct dp_trace *trace)
{
	const struct dp_stream *stream;

	key(render, "  ", "streams");
	dp_render__text(render, "[");
	for (size_t i = 0; (stream = dp_trace_stream(trace, i)); i++) {
		stream_key(render, i ? ",\n    { " : "\n    { ", trace, stream);
		key(render, ", ", "class");
		string(render, class_name(stream->stream_class));
		integer(render, ",\n      ", "kernels", (int64_t)stream->kernels);
		integer(render, ", ", "copies", (int64_t)stream->copies);
		integer(render, ", ", "sets", (int64_t)stream->sets);
		integer(render, ", ", "busy_ns", stream->busy_ns);
		dp_render__text(render, " }");
	}
	dp_render__text(render, dp_trace_stream_count(trace) ? "\n  ],\n" : "],\n");
}

static int begin(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	struct json *json = dp_alloc__zeroed(1, sizeof(*json));

	if (!json)
		return dp_error__nomem(render->error, sizeof(*json));
	while (dp_metric(json->metrics))
		json->metrics++;
	json->shown = dp_alloc__zeroed(json->metrics, sizeof(*json->shown));
	if (!json->shown) {
		dp_error__nomem(render->error, json->metrics);
		free(json);
		return DP_ERR_NOMEM;
	}
	for (size_t i = 0; i < json->metrics; i++)
		json->shown[i] = dp_render__shows(render, dp_metric(i));
	render->state = json;
	dp_render__text(render, "{\n  \"schema\": 1,\n");
	write_trace(render, trace);
	write_streams(render, trace);
	dp_render__text(render, "  \"loops\": [");
	return DP_OK;
}

/* Ends the open loop's list of iterations, and the loop. */
static void close_loop(struct dp_render *render, struct json *json)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, json->loop);
	const struct dp_metric_info *info;

	if (json->stage != STAGE_ITERATIONS)
		return;
	dp_render__text(render, json->any ? "\n      ],\n" : "],\n");
	key(render, "      ", "summary");
	integer(render, "{\n        ", "iterations", (int64_t)loop->complete);
	for (size_t i = 0; (info = dp_summary_metric(i)); i++)
		if (dp_render__shows(render, info))
			number(render, ",\n        ", info->name,
			       dp_loop_summary(render->analysis, json->loop, i), info->unit);
	dp_render__text(render, "\n      }\n    }");
	json->stage = STAGE_LOOPS;
	json->any = true;
}

static void write_pattern(struct dp_render *render, size_t id, const struct dp_loop *loop)
{
	key(render, ",\n      ", "pattern");
	integer(render, "{ ", "length", (int64_t)loop->length);
	integer(render, ", ", "occurrences", (int64_t)loop->occurrences);
	key(render, ",\n        ", "kernels");
	dp_render__text(render, "[");
	for (size_t i = 0; i < loop->length; i++) {
		dp_render__text(render, i ? ",\n          " : "\n          ");
		string(render, dp_loop_kernel(render->analysis, id, i));
	}
	dp_render__text(render, loop->length ? "\n        ] }" : "] }");
}

static void write_variants(struct dp_render *render, size_t id, const struct dp_loop *loop)
{
	key(render, ",\n      ", "variants");
	dp_render__text(render, "[");
	for (size_t i = 0; i < loop->variants; i++) {
		const struct dp_variant *at = dp_loop_variant(render->analysis, id, i);

		integer(render, i ? ",\n        { " : "\n        { ", "variant", (int64_t)i);
		integer(render, ", ", "iterations", (int64_t)at->count);
		integer(render, ", ", "first", (int64_t)at->first);
		key(render, ", ", "period");
		if (at->period)
			dp_render__integer(render, (int64_t)at->period);
		else
			dp_render__text(render, "null");
		integer(render, ", ", "inserted", at->inserted);
		integer(render, ", ", "deleted", at->deleted);
		integer(render, ", ", "substituted", at->substituted);
		number(render, ", ", "extra_ns", at->extra_ns, "ns");
		dp_render__text(render, " }");
	}
	dp_render__text(render, loop->variants ? "\n      ]" : "]");
}

/* Of a loop that was found by a number: is it this one's? */
static void write_count(struct dp_render *render, const struct dp_loop *loop)
{
	if (loop->found_by == DP_FOUND_BY_COUNT) {
		boolean(render, ",\n      ", "fits", loop->fits);
		boolean(render, ", ", "in_row", loop->in_row);
	} else {
		dp_render__text(render, ",\n      \"fits\": null, \"in_row\": null");
	}
}

static int write_loop(struct dp_render *render, size_t id)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	struct json *json = render->state;

	close_loop(render, json);
	integer(render, json->any ? ",\n    {\n      " : "\n    {\n      ", "id", loop->id);
	key(render, ", ", "parent");
	if (loop->parent == DP_NONE)
		dp_render__text(render, "null");
	else
		dp_render__integer(render, loop->parent);
	stream_key(render, ",\n      ", trace, dp_trace_stream(trace, loop->stream));
	key(render, ",\n      ", "found_by");
	string(render, dp_found_by_name(loop->found_by));
	key(render, ", ", "phase");
	string(render, dp_phase_name(loop->phase));
	number(render, ", ", "confidence", loop->confidence, "1");
	number(render, ", ", "coverage", loop->coverage, "1");
	boolean(render, ", ", "at_level", loop->at_level);
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
	const struct dp_iteration *at = dp_loop_iteration(render->analysis, loop, k);
	struct json *json = render->state;

	integer(render, json->any ? ",\n        { " : "\n        { ", "index", (int64_t)at->index);
	json->any = true;
	integer(render, ", ", "start_ns", at->start_ns);
	integer(render, ", ", "end_ns", at->end_ns);
	integer(render, ", ", "first_kernel", (int64_t)at->first_kernel);
	integer(render, ", ", "kernels", (int64_t)at->kernels);
	integer(render, ", ", "inserted", at->inserted);
	integer(render, ", ", "deleted", at->deleted);
	integer(render, ", ", "substituted", at->substituted);
	integer(render, ", ", "variant", at->variant);
	boolean(render, ", ", "partial", at->partial);
	boolean(render, ", ", "warmup", at->warmup);
	integer(render, ", ", "foreign_kernels", (int64_t)at->foreign_kernels);
	for (size_t i = 0; i < json->metrics; i++)
		if (json->shown[i] && dp_loop_has_metric(render->analysis, loop, i))
			number(render, ", ", dp_metric(i)->name,
			       dp_loop_metric(render->analysis, loop, i, k), dp_metric(i)->unit);
	dp_render__text(render, " }");
	return DP_OK;
}

static const char *severity_name(enum dp_severity severity)
{
	switch (severity) {
	case DP_SEVERITY_CRITICAL:
		return "critical";
	case DP_SEVERITY_WARNING:
		return "warning";
	case DP_SEVERITY_INFO:
		break;
	}
	return "info";
}

/* Ends the list of loops and begins that of findings, once. */
static void open_findings(struct dp_render *render, struct json *json)
{
	if (json->stage == STAGE_FINDINGS)
		return;
	close_loop(render, json);
	dp_render__text(render, json->any ? "\n  ],\n" : "],\n");
	dp_render__text(render, "  \"findings\": [");
	json->stage = STAGE_FINDINGS;
	json->any = false;
}

static int write_finding(struct dp_render *render, size_t id)
{
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);
	struct json *json = render->state;

	open_findings(render, json);
	key(render, json->any ? ",\n    { " : "\n    { ", "rule");
	json->any = true;
	string(render, finding->rule);
	key(render, ", ", "severity");
	string(render, severity_name(finding->severity));
	number(render, ", ", "confidence", finding->confidence, "1");
	integer(render, ", ", "loop", finding->loop);
	key(render, ",\n      ", "iterations");
	dp_render__format(render, "[%zu, %zu]", finding->first_iteration, finding->last_iteration);
	number(render, ", ", "recoverable_ns", finding->recoverable_ns, "ns");
	key(render, ",\n      ", "evidence");
	dp_render__text(render, "{");
	for (size_t i = 0; i < finding->evidence_count; i++) {
		if (dp_render__names_call(finding, i)) {
			key(render, i ? ", " : " ", "call");
			string(render, finding->evidence[i].call);
		}
		number(render, i || finding->evidence[i].call ? ", " : " ",
		       finding->evidence[i].name, finding->evidence[i].value,
		       finding->evidence[i].unit);
	}
	dp_render__text(render, finding->evidence_count ? " }" : "}");
	key(render, ",\n      ", "advice");
	string(render, finding->advice);
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
	.info = { "json", "json", "the whole report for programs, schema 1", false, false },
	.begin = begin,
	.loop = write_loop,
	.iteration = write_iteration,
	.finding = write_finding,
	.end = end,
};
