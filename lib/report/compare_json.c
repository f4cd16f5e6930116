/* A comparison for programs, schema 2 (deepprof-report(5)). Arrays of two are before and after. */
#include "report/compare_words.h"
#include "report/json_text.h"

#include <math.h>

static void difference(struct dp_render *render, const struct dp_difference *difference,
		       const char *unit)
{
	dp_json__put(render, "'values': [%, %], 'change': %",
		     dp_json__real(difference->value[0], unit),
		     dp_json__real(difference->value[1], unit),
		     dp_json__real(difference->change, unit));
	if (isfinite(difference->low))
		dp_json__put(render, ", 'change_ci': [%, %]", dp_json__real(difference->low, unit),
			     dp_json__real(difference->high, unit));
	else
		dp_render__text(render, ", \"change_ci\": null");
	if (isfinite(difference->ratio_low))
		dp_json__put(render, ", 'ratio_ci': [%, %]",
			     dp_json__real(difference->ratio_low, "1"),
			     dp_json__real(difference->ratio_high, "1"));
	else
		dp_render__text(render, ", \"ratio_ci\": null");
	dp_json__put(render, ", 'significant': %",
		     dp_json__bool(dp_difference_is_significant(difference)));
}

static void write_run(struct dp_render *render, const struct dp_comparison *comparison,
		      enum dp_run run)
{
	const struct dp_trace *trace = dp_analysis_trace(dp_comparison_analysis(comparison, run));
	size_t loop = 0;

	dp_json__put(render,
		     "%\n    { 'path': %, 'format': %, 'duration_ns': %, 'unpaired_loops': [",
		     dp_json__comma(run != DP_RUN_BEFORE), dp_json__text(dp_trace_path(trace)),
		     dp_json__text(dp_trace_format(trace)),
		     dp_json__int(dp_trace_duration_ns(trace)));
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

	dp_render__text(render, ",\n      \"metrics\": {");
	for (size_t i = 0; (info = dp_metric(i)); i++) {
		const struct dp_difference *at = dp_pair_metric(comparison, pair, i);

		if (!dp_render__shows(render, info) || (!at->count[0] && !at->count[1]))
			continue;
		dp_json__put(render, "%\n        '%': { ", dp_json__comma(any),
			     dp_json__raw(info->name));
		difference(render, at, info->unit);
		dp_json__put(render, ", 'iterations': [%, %] }", dp_json__count(at->count[0]),
			     dp_json__count(at->count[1]));
		any = true;
	}
	dp_render__text(render, any ? "\n      }" : "}");
}

static void write_parts(struct dp_render *render, const struct dp_comparison *comparison,
			size_t pair)
{
	const struct dp_pair_part *part;

	dp_render__text(render, ",\n      \"parts\": [");
	for (size_t i = 0; (part = dp_pair_part(comparison, pair, i)); i++) {
		dp_json__put(render, "%\n        { 'metric': %, ", dp_json__comma(i),
			     dp_json__text(part->metric));
		difference(render, &part->mean, "ns");
		dp_render__text(render, " }");
	}
	dp_render__text(render, "]");
}

static void write_kernels(struct dp_render *render, const struct dp_comparison *comparison,
			  size_t pair)
{
	const struct dp_pair_kernel *kernel;

	dp_render__text(render, ",\n      \"kernels\": [");
	for (size_t i = 0; (kernel = dp_pair_kernel(comparison, pair, i)); i++) {
		dp_json__put(render,
			     "%\n        { 'change': %, 'names': [%, %], 'positions': %, "
			     "'calls': [%, %], 'ns': { ",
			     dp_json__comma(i), dp_json__text(dp_kernel_change_name(kernel->kind)),
			     dp_json__text(kernel->name[0]), dp_json__text(kernel->name[1]),
			     dp_json__count(kernel->places), dp_json__real(kernel->calls[0], "1"),
			     dp_json__real(kernel->calls[1], "1"));
		difference(render, &kernel->ns, "ns");
		dp_render__text(render, " } }");
	}
	dp_render__text(render, "]");
}

static struct dp_json_value place(size_t index)
{
	return index == SIZE_MAX ? dp_json__raw("null") : dp_json__count(index);
}

/* Writes positions as arrays, since long patterns have many. */
static void write_places(struct dp_render *render, const struct dp_comparison *comparison,
			 size_t pair)
{
	const struct dp_pair_place *at;

	dp_render__text(render, ",\n      \"positions\": [");
	for (size_t i = 0; (at = dp_pair_place(comparison, pair, i)); i++)
		dp_json__put(render, "%\n        [%, %, %, %]", dp_json__comma(i),
			     place(at->index[0]), place(at->index[1]),
			     dp_json__real(at->ns.value[0], "ns"),
			     dp_json__real(at->ns.value[1], "ns"));
	dp_render__text(render, "]");
}

static void finding(struct dp_render *render, const struct dp_finding *finding)
{
	if (finding)
		dp_json__put(render, "{ 'severity': %, 'recoverable_ns': % }",
			     dp_json__text(dp_severity_name(finding->severity)),
			     dp_json__real(finding->recoverable_ns, "ns"));
	else
		dp_render__text(render, "null");
}

static void write_findings(struct dp_render *render, const struct dp_comparison *comparison,
			   size_t pair)
{
	const struct dp_pair_finding *both;

	dp_render__text(render, ",\n      \"findings\": [");
	for (size_t i = 0; (both = dp_pair_finding(comparison, pair, i)); i++) {
		const struct dp_finding *any = both->finding[0] ? both->finding[0]
								: both->finding[1];

		dp_json__put(render, "%\n        { 'rule': %, 'runs': [", dp_json__comma(i),
			     dp_json__text(any->rule));
		finding(render, both->finding[0]);
		dp_render__text(render, ", ");
		finding(render, both->finding[1]);
		dp_json__put(render,
			     "], 'change': %, 'cost_ns': [%, %], 'metric': %, "
			     "'metric_ns': [%, %], 'metric_mean': ",
			     dp_json__text(dp_compare_words__finding(both->change)),
			     dp_json__real(both->cost_ns[0], "ns"),
			     dp_json__real(both->cost_ns[1], "ns"), dp_json__text(both->metric),
			     dp_json__real(both->metric_ns[0], "ns"),
			     dp_json__real(both->metric_ns[1], "ns"));
		if (both->metric) {
			dp_render__text(render, "{ ");
			difference(render, &both->metric_mean, "ns");
			dp_render__text(render, " } }");
		} else {
			dp_render__text(render, "null }");
		}
	}
	dp_render__text(render, "]");
}

static void write_pair(struct dp_render *render, const struct dp_comparison *comparison,
		       size_t index)
{
	static const char *const verdicts[] = { [DP_VERDICT_SAME] = "same",
						[DP_VERDICT_FASTER] = "faster",
						[DP_VERDICT_SLOWER] = "slower",
						[DP_VERDICT_UNKNOWN] = "unknown" };
	const struct dp_loop_pair *pair = dp_comparison_pair(comparison, index);
	struct dp_verdict verdict; /* of the text report's headline */

	dp_verdict__of(&verdict, comparison, index, false);
	dp_json__put(
		render,
		"%\n    { 'loops': [%, %], 'similarity': %, 'paired_by_time': %, "
		"'comparable': %,\n      'same': %, 'replaced': %, 'removed': %, 'added': %,\n      "
		"'verdict': %",
		dp_json__comma(index), dp_json__count(pair->loop[0]), dp_json__count(pair->loop[1]),
		dp_json__real(pair->similarity, "1"), dp_json__bool(pair->paired_by_time),
		dp_json__bool(pair->comparable), dp_json__count(pair->same),
		dp_json__count(pair->replaced), dp_json__count(pair->removed),
		dp_json__count(pair->added), dp_json__text(verdicts[verdict.kind]));
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

	dp_json__put(render, "{ 'schema': 2, 'confidence': %,\n  'runs': [",
		     dp_json__real(dp_comparison_confidence(comparison), "1"));
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
