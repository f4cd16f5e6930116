/*
 * The JSON report, schema 2 (data/report.schema.json.in). It is streamed, so that a million
 * iterations take no memory. Whatever names contain, the output is valid UTF-8 without control
 * characters.
 */
#include "base/lookup.h"
#include "report/json_text.h"
#include "report/number.h"
#include "report/report.h"
#include "report/capture.h"
#include "report/text.h"

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

	uint64_t excess;	  /* bytes of long names that were repeated so far */
	struct dp_lookup numbers; /* of names that are cut, by their place in memory */
	const char **long_names;  /* by number */
	size_t long_count, long_room;
};

static int64_t pid_of(const struct dp_trace *trace, uint32_t process)
{
	return dp_trace_process(trace, process)->pid;
}

static void write_losses(struct dp_render *render, const struct dp_trace *trace)
{
	const struct dp_loss *loss;

	dp_json__put(render, ",\n    'lost': %,\n    'losses': [",
		     dp_trace_lost_known(trace) ? dp_json__count(dp_trace_lost(trace))
						: dp_json__raw("null"));
	for (size_t i = 0; (loss = dp_trace_loss(trace, i)); i++)
		dp_json__put(render, "%\n      { 'reason': %, 'records': % }", dp_json__comma(i),
			     dp_json__text(loss->reason), dp_json__known(loss->records));
	dp_render__text(render, dp_trace_loss_count(trace) ? "\n    ]" : "]");
}

static void write_doubts(struct dp_render *render, const struct dp_trace *trace)
{
	const char *doubts[DP_CAPTURE_DOUBTS];
	size_t count = dp_capture__doubts(doubts, trace);

	dp_render__text(render, ",\n    \"inexact\": [");
	for (size_t i = 0; i < count; i++)
		dp_json__put(render, "%\n      %", dp_json__comma(i), dp_json__text(doubts[i]));
	dp_render__text(render, count ? "\n    ]" : "]");
}

static void write_pauses(struct dp_render *render, const struct dp_trace *trace)
{
	const struct dp_pause *pause;

	dp_render__text(render, ",\n    \"pauses\": [");
	for (size_t i = 0; (pause = dp_trace_pause(trace, i)); i++)
		dp_json__put(render, "%\n      { 'pid': %, 'start_ns': %, 'end_ns': % }",
			     dp_json__comma(i), dp_json__id(pid_of(trace, pause->process)),
			     dp_json__int(pause->start_ns), dp_json__int(pause->end_ns));
	dp_render__text(render, dp_trace_pause_count(trace) ? "\n    ]" : "]");
}

/* Writes what the trace lacks, and how to record it. */
static void write_hints(struct dp_render *render, const struct dp_trace *trace)
{
	size_t count = 0;

	dp_render__text(render, ",\n    \"hints\": [");
	for (unsigned need = 0; need < DP_NEEDS; need++) {
		const struct dp_need_info *info = dp_trace_need(trace, (enum dp_need)need);

		if (info && dp_trace_lacks(trace, (enum dp_need)need))
			dp_json__put(render, "%\n      { 'lacks': %, 'gives': %, 'record': % }",
				     dp_json__comma(count++), dp_json__text(info->what),
				     dp_json__text(info->gives), dp_json__text(info->record));
	}
	dp_render__text(render, count ? "\n    ]" : "]");
}

static struct dp_json_value string_of(const struct dp_trace *trace, uint32_t id)
{
	return dp_json__text(id == DP_NONE ? NULL : dp_trace_string(trace, id));
}

static void write_devices(struct dp_render *render, const struct dp_trace *trace)
{
	const struct dp_device *device;

	dp_render__text(render, ",\n    \"devices\": [");
	for (size_t i = 0; (device = dp_trace_device(trace, i)); i++)
		dp_json__put(render, "%\n      { 'id': %, 'name': %, 'uuid': %, 'pid': % }",
			     dp_json__comma(i), dp_json__id(device->id),
			     string_of(trace, device->name), string_of(trace, device->uuid),
			     dp_json__id(pid_of(trace, device->process)));
	dp_render__text(render, dp_trace_device_count(trace) ? "\n    ]" : "]");
}

/* One end of a range, or null. */
static struct dp_json_value limit(int64_t ns)
{
	return ns == INT64_MIN || ns == INT64_MAX ? dp_json__raw("null") : dp_json__int(ns);
}

/* Writes which part of the trace was analyzed: null for all of it. */
static void write_scope(struct dp_render *render)
{
	const struct dp_scope *scope = dp_analysis_scope(render->analysis);

	if (scope->device < 0 && scope->stream < 0 && scope->range_start_ns == INT64_MIN &&
	    scope->range_end_ns == INT64_MAX)
		dp_render__text(render, ",\n    \"scope\": null");
	else
		dp_json__put(render,
			     ",\n    'scope': { 'device': %, 'stream': %, 'range_start_ns': %, "
			     "'range_end_ns': % }",
			     dp_json__id(scope->device), dp_json__id(scope->stream),
			     limit(scope->range_start_ns), limit(scope->range_end_ns));
}

static void write_trace(struct dp_render *render, const struct dp_trace *trace)
{
	size_t kernels = 0, copies = 0, sets = 0;
	const struct dp_stream *stream;
	int64_t t0_ns;

	for (size_t i = 0; (stream = dp_trace_stream(trace, i)); i++) {
		kernels += stream->kernels;
		copies += stream->copies;
		sets += stream->memsets;
	}
	dp_json__put(render, "  'trace': {\n    'path': %,\n    'format': %",
		     dp_json__text(dp_trace_path(trace)), dp_json__text(dp_trace_format(trace)));
	write_scope(render);
	dp_json__put(
		render,
		",\n    't0_ns': %,\n    'duration_ns': %,\n    'operations': %,"
		"\n    'kernels': %,\n    'copies': %,\n    'sets': %,\n    'resolution_ns': %",
		dp_trace_t0(trace, &t0_ns) ? dp_json__int(t0_ns) : dp_json__raw("null"),
		dp_json__int(dp_trace_duration_ns(trace)),
		dp_json__count(dp_trace_ops(trace)->count), dp_json__count(kernels),
		dp_json__count(copies), dp_json__count(sets),
		dp_json__int(dp_trace_resolution_ns(trace)));
	write_losses(render, trace);
	write_doubts(render, trace);
	write_pauses(render, trace);
	write_hints(render, trace);
	write_devices(render, trace);
	dp_render__text(render, "\n  },\n");
}

/* Writes a stream's key: the same three numbers and the process everywhere. */
static void stream_key(struct dp_render *render, const char *before, const struct dp_trace *trace,
		       const struct dp_stream *stream)
{
	dp_json__put(render, "%'device': %, 'context': %, 'stream': %, 'pid': %",
		     dp_json__raw(before), dp_json__id(dp_trace_device(trace, stream->device)->id),
		     dp_json__id(stream->context), dp_json__id(stream->stream),
		     dp_json__id(pid_of(trace, stream->process)));
}

static void write_explanation(struct dp_render *render, const struct dp_explanation *at)
{
	dp_json__put(render, "{ 'stage': %, 'text': %,\n          'facts': {",
		     dp_json__text(at->stage), dp_json__text(at->text));
	for (size_t i = 0; i < at->fact_count; i++)
		dp_json__put(render, "% '%': %", dp_json__comma(i), dp_json__raw(at->facts[i].name),
			     dp_json__real(at->facts[i].value, at->facts[i].unit));
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
		dp_render__text(render,
				count++ ? ",\n        " : ",\n      \"explain\": [\n        ");
		write_explanation(render, at);
	}
	if (count)
		dp_render__text(render, "\n      ]");
}

void dp_json__candidate(struct dp_render *render, size_t stream)
{
	const struct dp_stream_candidate *at = dp_analysis_candidate(render->analysis, stream);

	if (!at)
		return;
	dp_json__put(
		render,
		",\n      'candidate': { 'length': %, 'iterations': %, 'coverage': %, "
		"'confidence': %,\n        'kernels': %, 'streams': %, 'layers': %, "
		"'single_iteration': %, 'longest_row': %,\n        'suggested': %, 'advice': % }",
		dp_json__known(at->length),
		at->length ? dp_json__count(at->iterations) : dp_json__raw("null"),
		at->length ? dp_json__real(at->coverage, "1") : dp_json__raw("null"),
		at->length ? dp_json__real(at->confidence, "1") : dp_json__raw("null"),
		dp_json__count(at->kernels), dp_json__count(at->streams), dp_json__bool(at->layers),
		dp_json__bool(at->single), dp_json__known(at->in_row),
		dp_json__known(at->suggested),
		dp_json__text(dp_text__nothing_advice(render, stream)));
}

static void write_streams(struct dp_render *render, const struct dp_trace *trace)
{
	const struct dp_stream *stream;

	dp_render__text(render, "  \"streams\": [");
	for (size_t i = 0; (stream = dp_trace_stream(trace, i)); i++) {
		stream_key(render, i ? ",\n    { " : "\n    { ", trace, stream);
		dp_json__put(render,
			     ", 'class': %,\n      'kernels': %, 'copies': %, 'sets': %, "
			     "'busy_ns': %",
			     dp_json__text(dp_stream_class_name(stream->stream_class)),
			     dp_json__count(stream->kernels), dp_json__count(stream->copies),
			     dp_json__count(stream->memsets), dp_json__int(stream->busy_ns));
		dp_json__candidate(render, i);
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

	dp_render__text(render, "  \"collectives\": [");
	for (size_t i = 0; (at = dp_analysis_collective(render->analysis, i)); i++)
		dp_json__put(
			render,
			"%\n    { 'device': %, 'kind': %, 'bytes': %, 'group_size': %, 'count': %,"
			"\n      'total_ns': %, 'median_ns': %, 'min_ns': %, "
			"'algorithm_bandwidth': %, 'bus_bandwidth': % }",
			dp_json__comma(i), dp_json__int(dp_trace_device(trace, at->device)->id),
			dp_json__text(dp_collective_kind_name(at->kind)), dp_json__known(at->bytes),
			dp_json__known(at->group_size), dp_json__count(at->count),
			dp_json__real(at->total_ns, "ns"), dp_json__real(at->median_ns, "ns"),
			dp_json__real(at->min_ns, "ns"),
			dp_json__real(at->algorithm_bandwidth, "bytes/s"),
			dp_json__real(at->bus_bandwidth, "bytes/s"));
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
			dp_json__put(render, ", '%': %", dp_json__raw(units[i].name),
				     dp_json__real(units[i].value, "1"));
}

/* The number of a name that is cut; DP_NONE without memory. */
static uint32_t number_name(struct json *json, const char *name)
{
	struct dp_key key = { { (int64_t)(intptr_t)name } };
	uint32_t number = dp_lookup__get(&json->numbers, &key);

	if (number != DP_NONE)
		return number;
	number = (uint32_t)json->long_count;
	if (dp_array__reserve(&json->long_names, &json->long_room, json->long_count + 1,
			      sizeof(*json->long_names)) ||
	    dp_lookup__set(&json->numbers, &key, number))
		return DP_NONE;
	json->long_names[json->long_count++] = name;
	return number;
}

/* Writes the name of a kernel, which loops repeat at each position of their patterns. */
static void write_name(struct dp_render *render, const char *name)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	struct json *json = render->state;
	char cut[DP_LONG_NAME_CUT];
	uint32_t number;

	if (dp_long_name__is(name)) {
		if (json->excess / DP_LONG_NAME_EXCESS > dp_trace_bytes(trace)) {
			number = number_name(json, name);
			if (number == DP_NONE && !render->status)
				render->status = dp_error__nomem(render->error, 0);
			name = dp_long_name__cut(cut, name, number);
		} else {
			json->excess += strlen(name) - DP_LONG_NAME;
		}
	}
	dp_json_text__string(render, name);
}

static void write_long_names(struct dp_render *render, const struct json *json)
{
	char cut[DP_LONG_NAME_CUT];

	for (uint32_t i = 0; i < json->long_count; i++) {
		dp_render__text(render, i ? ",\n    " : ",\n  \"long_names\": {\n    ");
		dp_json_text__string(render, dp_long_name__cut(cut, json->long_names[i], i));
		dp_render__text(render, ": ");
		dp_json_text__string(render, json->long_names[i]);
	}
	if (json->long_count)
		dp_render__text(render, "\n  }");
}

/* Writes the times of kernels, by name and by position in the pattern. */
static void write_times(struct dp_render *render, size_t loop)
{
	const struct dp_time_stat *at;

	dp_render__text(render, ",\n      \"kernel_times\": [");
	for (size_t i = 0; (at = dp_analysis_loop_kernel_stat(render->analysis, loop, i)); i++) {
		dp_render__text(render, i ? ",\n        { \"name\": " : "\n        { \"name\": ");
		write_name(render, at->name);
		dp_json__put(render, ", 'count': %, 'total_ns': %", dp_json__count(at->count),
			     dp_json__real(at->total_ns, "ns"));
		write_units(render, at);
		dp_render__text(render, " }");
	}
	dp_render__text(render, "],\n      \"position_times\": [");
	for (size_t i = 0; (at = dp_analysis_loop_position_stat(render->analysis, loop, i)); i++)
		dp_json__put(render,
			     "%\n        { 'count': %, 'mean_ns': %, 'min_ns': %, 'max_ns': %, "
			     "'stddev_ns': % }",
			     dp_json__comma(i), dp_json__count(at->count),
			     dp_json__real(at->mean_ns, "1"), dp_json__real(at->min_ns, "ns"),
			     dp_json__real(at->max_ns, "ns"), dp_json__real(at->stddev_ns, "1"));
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
	dp_json__put(render,
		     "      'summary': {\n        'iterations': %,\n        'min_kernels': %,"
		     "\n        'max_kernels': %,\n        'copies_each': %",
		     dp_json__count(loop->complete), dp_json__known(loop->min_kernels),
		     dp_json__known(loop->max_kernels), dp_json__real(loop->copies_each, "count"));
	for (size_t i = 0; (info = dp_summary_metric(i)); i++)
		if (dp_render__shows(render, info))
			dp_json__put(render, ",\n        '%': %", dp_json__raw(info->name),
				     dp_json__real(dp_analysis_loop_summary(render->analysis,
									    json->loop, i),
						   info->unit));
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
	dp_render__text(render, ",\n      \"streams\": ");
	for (size_t i = first; i < end; i++)
		if (dp_analysis_loop_has_stream(render->analysis, id, i))
			dp_json__put(render, "%%", dp_json__raw(written++ ? ", " : "["),
				     dp_json__id(dp_trace_stream(trace, i)->stream));
	dp_render__text(render, "]");
}

static void write_pattern(struct dp_render *render, size_t id, const struct dp_loop *loop)
{
	dp_json__put(render, ",\n      'pattern': { 'length': %, 'occurrences': %",
		     dp_json__count(loop->length), dp_json__count(loop->occurrences));
	if (loop->copies + loop->memsets)
		dp_json__put(render, ", 'copies': %, 'sets': %", dp_json__count(loop->copies),
			     dp_json__count(loop->memsets));
	dp_render__text(render, ",\n        \"kernels\": [");
	for (size_t i = 0; i < loop->length; i++) {
		dp_render__text(render, i ? ",\n          " : "\n          ");
		write_name(render, dp_analysis_loop_kernel(render->analysis, id, i));
	}
	dp_render__text(render, loop->length ? "\n        ] }" : "] }");
}

static void write_variants(struct dp_render *render, size_t id, const struct dp_loop *loop)
{
	dp_render__text(render, ",\n      \"variants\": [");
	for (size_t i = 0; i < loop->variants; i++) {
		const struct dp_variant *at = dp_analysis_loop_variant(render->analysis, id, i);

		dp_json__put(render,
			     "%\n        { 'variant': %, 'iterations': %, 'first': %, 'period': %, "
			     "'inserted': %, 'deleted': %, 'substituted': %, 'extra_ns': % }",
			     dp_json__comma(i), dp_json__count(i), dp_json__count(at->count),
			     dp_json__count(at->first), dp_json__known(at->period),
			     dp_json__count(at->inserted), dp_json__count(at->deleted),
			     dp_json__count(at->substituted), dp_json__real(at->extra_ns, "ns"));
	}
	dp_render__text(render, loop->variants ? "\n      ]" : "]");
}

/* For loops found by a number: writes whether it is this loop's. */
static void write_count(struct dp_render *render, const struct dp_loop *loop)
{
	bool known = loop->found_by == DP_FOUND_BY_COUNT;

	dp_json__put(render,
		     ",\n      'matches_count': %, 'matches_in_sequence': %, "
		     "'single_iteration': %",
		     known ? dp_json__bool(loop->matches_count) : dp_json__raw("null"),
		     known ? dp_json__bool(loop->matches_in_sequence) : dp_json__raw("null"),
		     dp_json__bool(loop->single));
}

static int write_loop(struct dp_render *render, size_t id)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	struct json *json = render->state;

	close_loop(render, json);
	dp_json__put(render, "%\n    {\n      'id': %, 'parent': %", dp_json__comma(json->any),
		     dp_json__count(loop->id),
		     loop->parent == DP_NONE ? dp_json__raw("null") : dp_json__count(loop->parent));
	stream_key(render, ",\n      ", trace, dp_trace_stream(trace, loop->stream));
	write_streams_of(render, id);
	dp_json__put(render, ",\n      'found_by': %",
		     dp_json__text(dp_found_by_name(loop->found_by)));
	if (loop->annotation)
		dp_json__put(render, ", 'annotation': %, 'mixed_annotations': %",
			     dp_json__text(loop->annotation), dp_json__bool(loop->mixed));
	dp_json__put(render, ", 'phase': %, 'confidence': %, 'coverage': %, 'selected': %",
		     dp_json__text(dp_phase_name(loop->phase)),
		     dp_json__real(loop->confidence, "1"), dp_json__real(loop->coverage, "1"),
		     dp_json__bool(loop->selected));
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

	dp_json__put(render,
		     "%\n        { 'index': %, 'start_ns': %, 'end_ns': %, 'first_kernel': %, "
		     "'kernels': %, 'inserted': %, 'deleted': %, 'substituted': %, 'variant': %, "
		     "'partial': %, 'warmup': %, 'foreign_kernels': %, 'slow': %",
		     dp_json__comma(json->any), dp_json__count(at->index),
		     dp_json__int(at->start_ns), dp_json__int(at->end_ns),
		     dp_json__count(at->first_kernel), dp_json__count(at->kernels),
		     dp_json__count(at->inserted), dp_json__count(at->deleted),
		     dp_json__count(at->substituted), dp_json__count(at->variant),
		     dp_json__bool(at->partial), dp_json__bool(at->warmup),
		     dp_json__count(at->foreign_kernels),
		     dp_render__knows_slow(render, loop) ? dp_json__bool(at->slow)
							 : dp_json__raw("null"));
	json->any = true;
	for (size_t i = 0; i < json->metrics; i++)
		if (json->shown[i] && dp_analysis_loop_has_metric(render->analysis, loop, i))
			dp_json__put(render, ", '%': %", dp_json__raw(dp_metric(i)->name),
				     dp_json__real(dp_analysis_loop_metric(render->analysis, loop,
									   i, k),
						   dp_metric(i)->unit));
	dp_render__text(render, " }");
	return DP_OK;
}

/* Writes the thresholds of rules that were requested, if any were. */
static void write_thresholds(struct dp_render *render)
{
	const struct dp_rule_info *rule;
	size_t count = 0;

	for (size_t i = 0; (rule = dp_rule(i)); i++) {
		double share = dp_analysis_threshold(render->analysis, i);

		if (share < rule->threshold || share > rule->threshold)
			dp_json__put(render, "%'%': %",
				     dp_json__raw(count++ ? ", " : ",\n  \"thresholds\": { "),
				     dp_json__raw(rule->id), dp_json__real(share, "1"));
	}
	if (count)
		dp_render__text(render, " }");
}

/* Closes the list of loops and opens that of findings, once. */
static void open_findings(struct dp_render *render, struct json *json)
{
	if (json->stage == STAGE_FINDINGS)
		return;
	close_loop(render, json);
	dp_render__text(render, json->any ? "\n  ]" : "]");
	dp_json__put(render, ",\n  'diagnosed': %",
		     dp_json__bool(dp_analysis_is_diagnosed(render->analysis)));
	write_thresholds(render);
	dp_render__text(render, ",\n  \"findings\": [");
	json->stage = STAGE_FINDINGS;
	json->any = false;
}

static void write_ranges(struct dp_render *render, const struct dp_finding *finding)
{
	dp_render__text(render, ",\n      \"ranges\": [");
	for (size_t i = 0; i < finding->range_count; i++)
		dp_json__put(render, "%\n        { 'name': %, 'ns': %, 'share': % }",
			     dp_json__comma(i), dp_json__text(finding->ranges[i].name),
			     dp_json__real(finding->ranges[i].ns, "ns"),
			     dp_json__real(finding->ranges[i].share, "1"));
	dp_render__text(render, "]");
}

/* Writes the loop and iterations of a finding; null for one of a capture. */
static void write_place(struct dp_render *render, const struct dp_finding *finding)
{
	if (finding->loop == DP_NONE)
		dp_render__text(render, ", \"loop\": null,\n      \"iterations\": null");
	else
		dp_json__put(render, ", 'loop': %,\n      'iterations': [%, %]",
			     dp_json__count(finding->loop),
			     dp_json__count(finding->first_iteration),
			     dp_json__count(finding->last_iteration));
}

/* Writes the cost per place: each loop, or device without loops, of the finding. */
static void write_places(struct dp_render *render, const struct dp_finding *finding)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	size_t loops = finding->loop == DP_NONE ? 0 : finding->loop_count;

	dp_render__text(render, ",\n      \"loops\": [");
	for (size_t i = 0; i < loops; i++)
		dp_render__format(render, "%s%u", i ? ", " : "", (unsigned)finding->loops[i]);
	dp_render__text(render, "], \"devices\": [");
	for (size_t i = 0; i < finding->loop_count; i++)
		dp_render__format(render, "%s%lld", i ? ", " : "",
				  (long long)dp_trace_device(trace, finding->devices[i])->id);
	dp_render__text(render, "], \"costs_ns\": [");
	for (size_t i = 0; i < finding->loop_count; i++)
		dp_json__put(render, "%%", dp_json__raw(i ? ", " : ""),
			     dp_json__real(finding->costs_ns[i], "ns"));
	dp_render__text(render, "]");
}

static void write_evidence(struct dp_render *render, const struct dp_finding *finding)
{
	dp_render__text(render, ",\n      \"evidence\": {");
	for (size_t i = 0; i < finding->evidence_count; i++) {
		const struct dp_evidence_value *at = &finding->evidence[i];

		if (dp_render__names_call(finding, i))
			dp_json__put(render, "% 'call': %", dp_json__comma(i),
				     dp_json__text(at->call));
		dp_json__put(render, "% '%': %", dp_json__comma(i || at->call),
			     dp_json__raw(at->name), dp_json__real(at->value, at->unit));
	}
	dp_render__text(render, finding->evidence_count ? " }" : "}");
}

static int write_finding(struct dp_render *render, size_t id)
{
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);
	struct json *json = render->state;

	open_findings(render, json);
	dp_json__put(render, "%\n    { 'rule': %, 'severity': %, 'confidence': %",
		     dp_json__comma(json->any), dp_json__text(finding->rule),
		     dp_json__text(dp_severity_name(finding->severity)),
		     dp_json__real(finding->confidence, "1"));
	json->any = true;
	write_place(render, finding);
	dp_json__put(
		render,
		", 'recoverable_ns': %, 'predicted_ns': %, 'predicted_with': %,\n      'needs_others': %",
		dp_json__real(finding->recoverable_ns, "ns"),
		dp_json__real(finding->predicted_ns, "ns"), dp_json__text(finding->predicted_with),
		dp_json__bool(finding->needs_others));
	write_evidence(render, finding);
	write_ranges(render, finding);
	write_places(render, finding);
	dp_json__put(render, ", 'overlaps': %,\n      'metric': %,\n      'advice': % }",
		     dp_json__text(finding->overlaps), dp_json__text(finding->metric),
		     dp_json__text(finding->advice));
	return DP_OK;
}

static int end(struct dp_render *render)
{
	struct json *json = render->state;

	open_findings(render, json);
	dp_render__text(render, json->any ? "\n  ]" : "]");
	write_long_names(render, json);
	dp_render__text(render, "\n}\n");
	dp_lookup__fini(&json->numbers);
	free(json->long_names);
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
