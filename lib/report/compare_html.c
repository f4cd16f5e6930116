/*
 * A comparison as one page for a browser: the verdicts, the periods of both runs in one chart, the
 * parts of the mean period before and after, a typical iteration of each run on one scale, kernels
 * and findings. Self-contained like the report of one trace: all data from traces is in one JSON
 * document. Cost: linear in what was compared, in iterations and operations; sorts iterations.
 */
#include "report/compare_words.h"
#include "report/html.h"

#include <math.h>
#include <string.h>

/* Most pairs with charts and tables: the GPUs of a machine, and as many loops again. */
#define PAIRS_MOST 16
#define KERNELS_MOST 300 /* rows of a pair, those that changed most */

static const char *const scripts[] = { "base.js", "charts.js", "timeline.js", "tables.js",
				       "compare.js" };

static void string(struct dp_render *render, const char *key, const char *text)
{
	dp_render__format(render, ",\n\"%s\":", key);
	dp_html__string(render, text);
}

/* Writes the series of a run's loop in each pair. */
static void write_loop(struct dp_render *render, size_t loop, bool timeline)
{
	struct dp_html_ranking ranking = { NULL, 0, 0, SIZE_MAX, SIZE_MAX };
	size_t warmup = 0, interrupted = 0, period = dp_metric_find("period_ns");
	int status = dp_html__rank(render, loop, &ranking);
	const struct dp_iteration *at;

	for (size_t k = 0; (at = dp_analysis_loop_iteration(render->analysis, loop, k)); k++) {
		warmup += at->warmup;
		interrupted +=
			!at->warmup &&
			isfinite(dp_analysis_loop_metric(render->analysis, loop, period, k)) &&
			!dp_analysis_loop_is_steady(render->analysis, loop, k);
	}
	dp_render__format(render,
			  "{\"id\":%zu,\"warmup\":%zu,\"interrupted\":%zu,\"series\":", loop,
			  warmup, interrupted);
	dp_html__one_series(render, loop, dp_html__metric("period_ns"));
	/* A saved report has no operations. */
	if (timeline && ranking.count && dp_trace_ops(dp_analysis_trace(render->analysis))->count)
		dp_html__timelines(render, loop, &ranking.typical, 1);
	dp_render__text(render, "}");
	if (!render->status)
		render->status = status;
	free(ranking.ranks);
}

static void write_run(struct dp_render *render, const struct dp_comparison *comparison, int run)
{
	const struct dp_loop_pair *pair;
	struct dp_html *html;
	int status;

	render->analysis = dp_comparison_analysis(comparison, (enum dp_run)run);
	status = dp_html__begin(render);
	if (status) {
		render->status = render->status ? render->status : status;
		return;
	}
	html = render->state;
	html->most_values = DP_HTML_SERIES_MOST;
	html->only_steady = true;
	dp_render__format(render, "%s\n{\"run\":\"%s\"", run ? "," : "", run ? "after" : "before");
	dp_html__trace(render);
	dp_html__streams(render);
	dp_render__text(render, ",\n\"loops\":[");
	for (size_t i = 0; i < PAIRS_MOST && (pair = dp_comparison_pair(comparison, i)); i++) {
		dp_render__text(render, i ? ",\n" : "\n");
		write_loop(render, pair->loop[run], i < DP_HTML_TIMELINES);
	}
	dp_render__text(render, "]");
	dp_html__end(render);
	dp_render__text(render, "}");
}

/* Writes before, after, change, its limits, and whether it is significant. */
static void write_difference(struct dp_render *render, const struct dp_difference *at,
			     const char *unit, bool sure)
{
	const double values[] = { at->value[0], at->value[1], at->change, at->low, at->high };

	for (size_t i = 0; i < DP_COUNT(values); i++) {
		dp_render__text(render, ",");
		dp_html__value(render, values[i], unit);
	}
	dp_render__format(render, ",%d", sure);
}

static void write_parts(struct dp_render *render, const struct dp_comparison *comparison,
			size_t pair)
{
	const struct dp_pair_part *part;

	dp_render__text(render, ",\n\"parts\":[");
	for (size_t i = 0; (part = dp_pair_part(comparison, pair, i)); i++) {
		dp_render__format(render, "%s\n[\"%s\",\"%s\"", i ? "," : "", part->metric,
				  dp_compare_words__part(part->metric));
		write_difference(render, &part->mean, "ns",
				 dp_difference_is_significant(&part->mean));
		dp_render__text(render, "]");
	}
	dp_render__text(render, "]");
}

/* Writes a name's short form, and the name if that differs. */
static void write_name(struct dp_render *render, const char *name, size_t place)
{
	char label[DP_LABEL_SIZE];

	if (!name) {
		dp_render__text(render, ",null");
		return;
	}
	dp_label__kernel_at(label, name, place, DP_HTML_NAME_COLUMNS, false);
	dp_render__text(render, ",[");
	dp_html__string(render, label);
	dp_render__text(render, ",");
	dp_html__string(render, name);
	dp_render__text(render, "]");
}

static void write_kernel(struct dp_render *render, const struct dp_pair_kernel *kernel,
			 const size_t places[2])
{
	struct dp_difference times = kernel->ns;

	dp_render__format(render, "[\"%s\"", dp_compare_words__kind(kernel));
	for (int run = 0; run < 2; run++)
		write_name(render, kernel->name[run], places[run]);
	for (int run = 0; run < 2; run++) {
		dp_render__text(render, ",");
		dp_html__value(render, kernel->calls[run], "");
		/* a kernel that a run lacks has no time, rather than 0 */
		if (!kernel->name[run])
			times.value[run] = (double)NAN;
	}
	write_difference(render, &times, "ns", dp_difference_is_significant(&kernel->ns));
	dp_render__text(render, "]");
}

static void write_kernels(struct dp_render *render, const struct dp_comparison *comparison,
			  size_t pair)
{
	const char **names = dp_alloc__array(2 * KERNELS_MOST, sizeof(*names));
	size_t *places = dp_alloc__zeroed(2 * KERNELS_MOST, sizeof(*places)), count = 0;
	const struct dp_pair_kernel *kernel;

	for (; names && count < KERNELS_MOST && (kernel = dp_pair_kernel(comparison, pair, count));
	     count++)
		for (int run = 0; run < 2; run++)
			names[2 * count + run] = kernel->name[run] ? kernel->name[run] : "";
	if (!names || !places ||
	    dp_label__tell_apart(places, names, 2 * count, DP_HTML_NAME_COLUMNS, false)) {
		render->status = dp_error__nomem(render->error, 2 * KERNELS_MOST);
		goto out;
	}
	dp_render__text(render, ",\n\"kernels\":[");
	for (size_t i = 0; i < count; i++) {
		dp_render__text(render, i ? ",\n" : "\n");
		write_kernel(render, dp_pair_kernel(comparison, pair, i), places + 2 * i);
	}
	dp_render__text(render, "]");
out:
	free(names);
	free(places);
}

/* Writes the kernels of both runs by the mean time of one call, without a kind of change. */
static void write_calls(struct dp_render *render, const struct dp_comparison *comparison,
			size_t pair)
{
	const struct dp_pair_kernel *kernel;
	struct dp_difference ns;
	size_t count = 0;

	dp_render__text(render, ",\n\"kernels\":[");
	for (size_t i = 0; (kernel = dp_pair_kernel(comparison, pair, i)); i++) {
		if (count >= KERNELS_MOST || !dp_compare_words__per_call(&ns, kernel))
			continue;
		dp_render__format(render, "%s\n[\"\"", count++ ? "," : "");
		write_name(render, kernel->name[0], 0);
		write_name(render, kernel->name[1], 0);
		dp_render__text(render, ",1,1");
		write_difference(render, &ns, "ns", false);
		dp_render__text(render, "]");
	}
	dp_render__text(render, "]");
}

/* Writes change, rule, severity before and after, cost, evidence, advice. */
static void write_finding(struct dp_render *render, const struct dp_comparison *comparison,
			  const struct dp_pair_finding *both)
{
	int run = both->finding[1] ? 1 : 0;
	const struct dp_finding *now = both->finding[run];
	struct dp_words words = { 0 }, cost = { 0 };

	dp_render__format(render, "[\"%s\",\"%s\"", dp_compare_words__trend(both), now->rule);
	for (int i = 0; i < 2; i++)
		dp_render__format(render, ",\"%s\"",
				  both->finding[i] ? dp_severity_name(both->finding[i]->severity)
						   : "");
	dp_compare_words__cost(&cost, render, comparison, both);
	dp_render__text(render, ",");
	dp_html__string(render, cost.text);
	render->analysis = dp_comparison_analysis(comparison, (enum dp_run)run);
	dp_text__evidence(&words, render, now, SIZE_MAX);
	dp_render__text(render, ",");
	dp_html__string(render, words.text);
	dp_render__text(render, ",");
	dp_html__string(render, now->advice);
	dp_render__text(render, "]");
}

static void write_findings(struct dp_render *render, const struct dp_comparison *comparison,
			   size_t pair)
{
	const struct dp_pair_finding *both;

	dp_render__text(render, ",\n\"findings\":[");
	for (size_t i = 0; (both = dp_pair_finding(comparison, pair, i)); i++) {
		dp_render__text(render, i ? ",\n" : "\n");
		write_finding(render, comparison, both);
	}
	dp_render__text(render, "]");
}

/* Writes the medians of the metrics that either run has. */
static void write_metrics(struct dp_render *render, const struct dp_comparison *comparison,
			  size_t pair)
{
	const struct dp_metric_info *info;
	bool any = false;

	dp_render__text(render, ",\n\"metrics\":[");
	for (size_t i = 0; (info = dp_metric(i)); i++) {
		const struct dp_difference *at = dp_pair_metric(comparison, pair, i);

		if (!dp_render__shows(render, info) || !(at->count[0] || at->count[1]))
			continue;
		dp_render__format(render, "%s\n[\"%s\",\"%s\"", any ? "," : "", info->name,
				  info->unit);
		write_difference(render, at, info->unit, dp_difference_is_significant(at));
		dp_render__text(render, ",");
		dp_html__string(render, info->help);
		dp_render__text(render, "]");
		any = true;
	}
	dp_render__text(render, "]");
}

static void write_pair(struct dp_render *render, const struct dp_comparison *comparison,
		       size_t pair)
{
	static const char *const kinds[] = { [DP_VERDICT_SAME] = "same",
					     [DP_VERDICT_FASTER] = "faster",
					     [DP_VERDICT_SLOWER] = "slower",
					     [DP_VERDICT_UNKNOWN] = "same" };
	bool comparable = dp_comparison_pair(comparison, pair)->comparable;
	struct dp_words loops = { 0 }, match = { 0 }, whole = { 0 };
	struct dp_verdict verdict;

	dp_verdict__of(&verdict, comparison, pair, false);
	dp_compare_words__loops(&loops, comparison, pair);
	dp_compare_words__match(&match, render, comparison, pair);
	if (!comparable)
		dp_compare_words__whole(&whole, comparison, false);
	dp_render__format(render, "%s\n{\"kind\":\"%s\"", pair ? "," : "", kinds[verdict.kind]);
	string(render, "loops", loops.text);
	string(render, "match", match.text);
	string(render, "headline", verdict.headline);
	string(render, "detail", verdict.detail.text);
	string(render, "whole", whole.text);
	if (pair < PAIRS_MOST && !comparable) {
		dp_render__text(render, ",\n\"parts\":[],\"findings\":[],\"metrics\":[]");
		write_calls(render, comparison, pair);
	} else if (pair < PAIRS_MOST) {
		write_parts(render, comparison, pair);
		write_kernels(render, comparison, pair);
		write_findings(render, comparison, pair);
		write_metrics(render, comparison, pair);
	}
	dp_render__text(render, "}");
}

/* Writes which loops have no counterpart, and why there is nothing to compare. */
static void write_notes(struct dp_render *render, const struct dp_comparison *comparison)
{
	bool any = !dp_comparison_pair_count(comparison);
	struct dp_words words = { 0 };

	dp_render__text(render, ",\n\"notes\":[");
	if (any) {
		dp_compare_words__nothing(&words, comparison);
		dp_html__string(render, words.text);
	}
	for (int run = 0; run < 2; run++) {
		for (size_t i = 0; dp_comparison__next_alone(comparison, (enum dp_run)run, &i);
		     i++) {
			words = (struct dp_words){ 0 };
			dp_compare_words__alone(&words, render, comparison, (enum dp_run)run, i);
			dp_render__text(render, any ? ",\n" : "\n");
			dp_html__string(render, words.text);
			any = true;
		}
	}
	dp_render__text(render, "]");
}

static void write_all(struct dp_render *render, const void *what)
{
	const struct dp_comparison *comparison = what;

	dp_html__open(render, "deepprof compare", "compare.html");
	dp_json__put(render, "'version':'%','confidence':%,\n'runs':[", dp_json__raw(dp_version()),
		     dp_json__real(dp_comparison_confidence(comparison), "1"));
	for (int run = 0; run < 2 && !render->status; run++)
		write_run(render, comparison, run);
	dp_render__text(render, "],\n\"pairs\":[");
	for (size_t i = 0; i < dp_comparison_pair_count(comparison); i++)
		write_pair(render, comparison, i);
	dp_render__text(render, "]");
	write_notes(render, comparison);
	dp_html__close(render, scripts, DP_COUNT(scripts));
}

const struct dp_whole_renderer dp_comparison_renderer__compare_html = {
	.info = { "html", "html", "one page for a browser: charts, timelines, tables", false,
		  true },
	.write = write_all,
};
