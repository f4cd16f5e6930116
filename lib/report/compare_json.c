/* A comparison for programs, schema 2 (deepprof-report(5)). Arrays of two are before and after. */
#include "report/compare_words.h"
#include "report/comparison.h"
#include "report/json_text.h"
#include "report/number.h"

#include <math.h>

static void value(struct dp_render *render, double number, const char *unit)
{
	char buf[DP_NUMBER_SIZE];

	dp_number__json(buf, number, unit);
	dp_render__text(render, buf);
}

static void two(struct dp_render *render, const char *before, const char *name,
		const double values[2], const char *unit)
{
	dp_json_out__key(render, before, name);
	dp_render__text(render, "[");
	value(render, values[0], unit);
	dp_render__text(render, ", ");
	value(render, values[1], unit);
	dp_render__text(render, "]");
}

static void difference(struct dp_render *render, const struct dp_difference *difference,
		       const char *unit)
{
	const double limits[2] = { difference->low, difference->high };
	const double ratios[2] = { difference->ratio_low, difference->ratio_high };

	two(render, "", "values", difference->value, unit);
	dp_json_out__number(render, ", ", "change", difference->change, unit);
	if (isfinite(limits[0]))
		two(render, ", ", "change_ci", limits, unit);
	else
		dp_render__text(render, ", \"change_ci\": null");
	if (isfinite(ratios[0]))
		two(render, ", ", "ratio_ci", ratios, "1");
	else
		dp_render__text(render, ", \"ratio_ci\": null");
	dp_json_out__boolean(render, ", ", "significant", dp_difference_is_significant(difference));
}

static void write_run(struct dp_render *render, const struct dp_comparison *comparison,
		      enum dp_run run)
{
	const struct dp_trace *trace = dp_analysis_trace(dp_comparison_analysis(comparison, run));
	size_t loop = 0;

	dp_json_out__key(render, run == DP_RUN_BEFORE ? "\n    { " : ",\n    { ", "path");
	dp_json_out__string(render, dp_trace_path(trace));
	dp_json_out__key(render, ", ", "format");
	dp_json_out__string(render, dp_trace_format(trace));
	dp_json_out__integer(render, ", ", "duration_ns", dp_trace_duration_ns(trace));
	dp_json_out__key(render, ", ", "unpaired_loops");
	dp_render__text(render, "[");
	for (bool any = false; dp_comparison__next_alone(comparison, run, &loop); loop++) {
		dp_render__text(render, any ? ", " : "");
		dp_render__integer(render, (int64_t)loop);
		any = true;
	}
	dp_render__text(render, "] }");
}

static void write_metrics(struct dp_render *render, const struct dp_comparison *comparison,
			  size_t pair)
{
	const struct dp_metric_info *info;
	bool any = false;

	dp_json_out__key(render, ",\n      ", "metrics");
	dp_render__text(render, "{");
	for (size_t i = 0; (info = dp_metric(i)); i++) {
		const struct dp_difference *at = dp_pair_metric(comparison, pair, i);

		if (!dp_render__shows(render, info) || (!at->count[0] && !at->count[1]))
			continue;
		dp_json_out__key(render, any ? ",\n        " : "\n        ", info->name);
		dp_render__text(render, "{ ");
		difference(render, at, info->unit);
		dp_json_out__key(render, ", ", "iterations");
		dp_render__format(render, "[%zu, %zu] }", at->count[0], at->count[1]);
		any = true;
	}
	dp_render__text(render, any ? "\n      }" : "}");
}

static void write_parts(struct dp_render *render, const struct dp_comparison *comparison,
			size_t pair)
{
	const struct dp_pair_part *part;

	dp_json_out__key(render, ",\n      ", "parts");
	dp_render__text(render, "[");
	for (size_t i = 0; (part = dp_pair_part(comparison, pair, i)); i++) {
		dp_json_out__key(render, i ? ",\n        { " : "\n        { ", "metric");
		dp_json_out__string(render, part->metric);
		dp_render__text(render, ", ");
		difference(render, &part->mean, "ns");
		dp_render__text(render, " }");
	}
	dp_render__text(render, "]");
}

static void name(struct dp_render *render, const char *name)
{
	if (name)
		dp_json_out__string(render, name);
	else
		dp_render__text(render, "null");
}

static void write_kernels(struct dp_render *render, const struct dp_comparison *comparison,
			  size_t pair)
{
	const struct dp_pair_kernel *kernel;

	dp_json_out__key(render, ",\n      ", "kernels");
	dp_render__text(render, "[");
	for (size_t i = 0; (kernel = dp_pair_kernel(comparison, pair, i)); i++) {
		dp_json_out__key(render, i ? ",\n        { " : "\n        { ", "change");
		dp_json_out__string(render, dp_kernel_change_name(kernel->kind));
		dp_json_out__key(render, ", ", "names");
		dp_render__text(render, "[");
		name(render, kernel->name[0]);
		dp_render__text(render, ", ");
		name(render, kernel->name[1]);
		dp_render__text(render, "]");
		dp_json_out__integer(render, ", ", "positions", (int64_t)kernel->places);
		two(render, ", ", "calls", kernel->calls, "1");
		dp_json_out__key(render, ", ", "ns");
		dp_render__text(render, "{ ");
		difference(render, &kernel->ns, "ns");
		dp_render__text(render, " } }");
	}
	dp_render__text(render, "]");
}

static void place(struct dp_render *render, size_t index)
{
	if (index == SIZE_MAX)
		dp_render__text(render, "null");
	else
		dp_render__integer(render, (int64_t)index);
}

/* Writes positions as arrays, since long patterns have many. */
static void write_places(struct dp_render *render, const struct dp_comparison *comparison,
			 size_t pair)
{
	const struct dp_pair_place *at;

	dp_json_out__key(render, ",\n      ", "positions");
	dp_render__text(render, "[");
	for (size_t i = 0; (at = dp_pair_place(comparison, pair, i)); i++) {
		dp_render__text(render, i ? ",\n        [" : "\n        [");
		place(render, at->index[0]);
		dp_render__text(render, ", ");
		place(render, at->index[1]);
		dp_render__text(render, ", ");
		value(render, at->ns.value[0], "ns");
		dp_render__text(render, ", ");
		value(render, at->ns.value[1], "ns");
		dp_render__text(render, "]");
	}
	dp_render__text(render, "]");
}

static void finding(struct dp_render *render, const struct dp_finding *finding)
{
	if (!finding) {
		dp_render__text(render, "null");
		return;
	}
	dp_json_out__key(render, "{ ", "severity");
	dp_json_out__string(render, dp_severity_name(finding->severity));
	dp_json_out__number(render, ", ", "recoverable_ns", finding->recoverable_ns, "ns");
	dp_render__text(render, " }");
}

static void write_findings(struct dp_render *render, const struct dp_comparison *comparison,
			   size_t pair)
{
	const struct dp_pair_finding *both;

	dp_json_out__key(render, ",\n      ", "findings");
	dp_render__text(render, "[");
	for (size_t i = 0; (both = dp_pair_finding(comparison, pair, i)); i++) {
		dp_json_out__key(render, i ? ",\n        { " : "\n        { ", "rule");
		dp_json_out__string(render,
				    (both->finding[0] ? both->finding[0] : both->finding[1])->rule);
		dp_json_out__key(render, ", ", "runs");
		dp_render__text(render, "[");
		finding(render, both->finding[0]);
		dp_render__text(render, ", ");
		finding(render, both->finding[1]);
		dp_json_out__key(render, "], ", "change");
		dp_json_out__string(render, dp_compare_words__finding(both->change));
		two(render, ", ", "cost_ns", both->cost_ns, "ns");
		dp_render__text(render, " }");
	}
	dp_render__text(render, "]");
}

/* Writes the verdict of the text report's headline. */
static void write_verdict(struct dp_render *render, const struct dp_comparison *comparison,
			  size_t pair)
{
	static const char *const kinds[] = { [DP_VERDICT_SAME] = "same",
					     [DP_VERDICT_FASTER] = "faster",
					     [DP_VERDICT_SLOWER] = "slower",
					     [DP_VERDICT_UNKNOWN] = "unknown" };
	struct dp_verdict verdict;

	dp_verdict__of(&verdict, comparison, pair, false);
	dp_json_out__key(render, ",\n      ", "verdict");
	dp_json_out__string(render, kinds[verdict.kind]);
}

static void write_pair(struct dp_render *render, const struct dp_comparison *comparison,
		       size_t index)
{
	const struct dp_loop_pair *pair = dp_comparison_pair(comparison, index);

	dp_json_out__key(render, index ? ",\n    { " : "\n    { ", "loops");
	dp_render__format(render, "[%zu, %zu]", pair->loop[0], pair->loop[1]);
	dp_json_out__number(render, ", ", "similarity", pair->similarity, "1");
	dp_json_out__boolean(render, ", ", "paired_by_time", pair->paired_by_time);
	dp_json_out__integer(render, ",\n      ", "same", (int64_t)pair->same);
	dp_json_out__integer(render, ", ", "replaced", (int64_t)pair->replaced);
	dp_json_out__integer(render, ", ", "removed", (int64_t)pair->removed);
	dp_json_out__integer(render, ", ", "added", (int64_t)pair->added);
	write_verdict(render, comparison, index);
	write_metrics(render, comparison, index);
	write_parts(render, comparison, index);
	write_kernels(render, comparison, index);
	write_places(render, comparison, index);
	write_findings(render, comparison, index);
	dp_render__text(render, " }");
}

static void write_all(struct dp_render *render, const void *what)
{
	const struct dp_comparison *comparison = what;

	dp_json_out__integer(render, "{ ", "schema", 2);
	dp_json_out__number(render, ", ", "confidence", dp_comparison_confidence(comparison), "1");
	dp_json_out__key(render, ",\n  ", "runs");
	dp_render__text(render, "[");
	write_run(render, comparison, DP_RUN_BEFORE);
	write_run(render, comparison, DP_RUN_AFTER);
	dp_render__text(render, "\n  ],\n  \"pairs\": [");
	for (size_t i = 0; i < dp_comparison_pair_count(comparison); i++)
		write_pair(render, comparison, i);
	dp_render__text(render, dp_comparison_pair_count(comparison) ? "\n  ]\n}\n" : "]\n}\n");
}

const struct dp_whole_renderer dp_comparison_renderer__compare_json = {
	.info = { "json", "json", "all of it for programs, schema 2", false, true },
	.write = write_all,
};
