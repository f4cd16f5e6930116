/*
 * A comparison as a page of its own, without scripts: the verdict, the periods of both runs on one
 * scale, the parts of the mean period before and after, kernels and findings. It has the style of the
 * report's page, and follows the colours that the browser asks for.
 */
#include "report/compare_words.h"
#include "report/comparison.h"
#include "report/html.h"

#include <math.h>
#include <string.h>

/* Of the plots, in pixels. */
#define WIDTH 900
#define HEIGHT 160
#define BAR 34

/* Periods that a line has; of more each is the longest of several. */
#define POINTS_MOST 600

/* Parts that are less of the period have no room in a bar, and no row. */
#define LEAST_PART 0.005

#define KERNELS_MOST 100

static const char *const colors[][2] = {
	{ "compute_ns", "c-busy" },	 { "comm_exposed_ns", "c-comm" },
	{ "copy_exposed_ns", "c-h2d" },	 { "host_wait_ns", "c-host" },
	{ "input_wait_ns", "c-input" },	 { "idle_sync_ns", "c-sync" },
	{ "idle_copy_ns", "c-wait-copy" }, { "idle_launch_ns", "c-launch" },
	{ "idle_other_ns", "c-other" },
};

static const char style[] =
	"svg{width:100%;height:auto;display:block}svg text{fill:var(--quiet);font-size:12px}"
	".key{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.4em}"
	"td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
	"table{border-collapse:collapse;width:100%}td,th{padding:.2rem .6rem;text-align:left;"
	"border-bottom:1px solid var(--line)}code{overflow-wrap:anywhere}"
	".faster{color:var(--good)}.slower{color:var(--critical)}.same{color:var(--quiet)}";

static const char *color_of(const char *metric)
{
	for (size_t i = 0; i < DP_COUNT(colors); i++)
		if (!strcmp(colors[i][0], metric))
			return colors[i][1];
	return "c-idle";
}

/* A text between tags: names come from traces. */
static void escaped(struct dp_render *render, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			dp_render__text(render, "&amp;");
			break;
		case '<':
			dp_render__text(render, "&lt;");
			break;
		case '>':
			dp_render__text(render, "&gt;");
			break;
		case '"':
			dp_render__text(render, "&quot;");
			break;
		default:
			dp_render__write(render, text, 1);
		}
	}
}

/* The same without what acts on the page's text: controls, marks of direction. */
static void name(struct dp_render *render, const char *text)
{
	char label[DP_LABEL_SIZE];

	escaped(render, dp_label__text(label, text, DP_LABEL_COLUMNS, false));
}

static void write_run(struct dp_render *render, const struct dp_comparison *comparison, int run)
{
	const struct dp_trace *trace =
		dp_analysis_trace(dp_comparison_analysis(comparison, (enum dp_run)run));
	char number[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };

	dp_words__add(&words, "%s, ", dp_trace_format(trace));
	dp_text__devices(&words, trace, false);
	dp_words__add(&words, ", %s",
		      dp_human__duration(number, (double)dp_trace_duration_ns(trace), false));
	dp_render__format(render, "<div><b>%s</b> <bdi>", run ? "after" : "before");
	name(render, dp_trace_path(trace));
	dp_render__text(render, "</bdi> \xc2\xb7 ");
	name(render, words.text);
	dp_render__text(render, "</div>\n");
}

/* The steady periods of a run, of many the longest of each group. */
struct line {
	double values[POINTS_MOST];
	size_t count;
	double most;
};

static void gather(struct line *line, const struct dp_comparison *comparison, size_t pair, int run)
{
	const struct dp_analysis *analysis = dp_comparison_analysis(comparison, (enum dp_run)run);
	size_t loop = dp_comparison_pair(comparison, pair)->loop[run];
	size_t iterations = dp_analysis_loop(analysis, loop)->iterations, metric;
	size_t group = iterations / POINTS_MOST + 1;

	*line = (struct line){ .count = 0 };
	if (!dp_text__find_metric("period_ns", &metric))
		return;
	for (size_t k = 0; k < iterations; k++) {
		double value = dp_analysis_loop_metric(analysis, loop, metric, k);
		size_t at = k / group;

		if (!isfinite(value) || !dp_analysis_loop_is_steady(analysis, loop, k))
			continue;
		line->values[at] = fmax(line->values[at], value);
		line->count = at + 1;
		line->most = fmax(line->most, value);
	}
}

/* From 0, so that heights are periods. */
static void write_line(struct dp_render *render, const struct line *line, size_t longest,
		       double most, const char *color)
{
	dp_render__format(render,
			  "<polyline fill=\"none\" stroke=\"var(--%s)\" stroke-width=\"2\" points=\"",
			  color);
	for (size_t i = 0; i < line->count; i++)
		if (line->values[i] > 0)
			dp_render__format(
				render, "%.1f,%.1f ",
				(double)i * WIDTH / (double)DP_MAX(longest - 1, (size_t)1),
				HEIGHT * (1 - line->values[i] / most));
	dp_render__text(render, "\"/>");
}

static void write_periods(struct dp_render *render, const struct dp_comparison *comparison,
			  size_t pair)
{
	struct line lines[2];
	char number[DP_NUMBER_SIZE];
	size_t longest;
	double most;

	for (int run = 0; run < 2; run++)
		gather(&lines[run], comparison, pair, run);
	longest = DP_MAX(lines[0].count, lines[1].count);
	most = fmax(lines[0].most, lines[1].most);
	if (longest < 2 || !(most > 0))
		return;
	dp_render__format(render,
			  "<h3>Periods</h3><p><span class=\"key\" style=\"background:var(--c-other)\">"
			  "</span>before <span class=\"key\" style=\"background:var(--accent)\">"
			  "</span>after; from 0 to %s</p>"
			  "<svg viewBox=\"0 -4 %d %d\" role=\"img\" aria-label=\"periods of both "
			  "runs\"><line x1=\"0\" y1=\"%d\" x2=\"%d\" y2=\"%d\" "
			  "stroke=\"var(--line)\"/>",
			  dp_human__duration(number, most, false), WIDTH, HEIGHT + 8, HEIGHT, WIDTH,
			  HEIGHT);
	write_line(render, &lines[0], longest, most, "c-other");
	write_line(render, &lines[1], longest, most, "accent");
	dp_render__text(render, "</svg>\n");
}

/* Both bars are on one scale: the longer period is the whole width. */
static void write_bar(struct dp_render *render, const struct dp_comparison *comparison, size_t pair,
		      int run, double most_ns)
{
	const struct dp_pair_part *part;
	char number[DP_NUMBER_SIZE];
	double x = 0;

	for (size_t i = 0; (part = dp_pair_part(comparison, pair, i)) &&
			   dp_pair_part(comparison, pair, i + 1);
	     i++) {
		double width = part->mean.value[run] / most_ns * WIDTH;

		dp_render__format(render,
				  "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" "
				  "fill=\"var(--%s)\"><title>%s %s</title></rect>",
				  x, run * (BAR + 8), width, BAR, color_of(part->metric),
				  dp_compare_words__part(part->metric),
				  dp_human__duration(number, part->mean.value[run], false));
		x += width;
	}
}

static void write_change(struct dp_render *render, const struct dp_difference *at, bool judged)
{
	char number[DP_COMPARE_WORDS], low[DP_COMPARE_WORDS], high[DP_COMPARE_WORDS];
	const char *class = !judged ? "same" : at->change < 0 ? "faster" : "slower";

	dp_render__format(render, "<td class=\"n %s\">%s</td>", class,
			  dp_compare_words__signed(number, at->change, "ns", false));
	if (isfinite(at->low))
		dp_render__format(render, "<td class=\"n\">%s to %s</td></tr>\n",
				  dp_compare_words__signed(low, at->low, "ns", false),
				  dp_compare_words__signed(high, at->high, "ns", false));
	else
		dp_render__text(render, "<td></td></tr>\n");
}

static void write_head(struct dp_render *render, const struct dp_comparison *comparison,
		       const char *first)
{
	dp_render__format(render,
			  "<table><tr>%s<th class=\"n\">before</th><th class=\"n\">after</th>"
			  "<th class=\"n\">change</th><th class=\"n\">%g%% CI</th></tr>\n",
			  first, dp_comparison_confidence(comparison) * 100);
}

static void write_parts(struct dp_render *render, const struct dp_comparison *comparison,
			size_t pair, const struct dp_verdict *verdict)
{
	bool judged = verdict->kind == DP_VERDICT_FASTER || verdict->kind == DP_VERDICT_SLOWER;
	const struct dp_pair_part *part, *period = NULL;
	char before[DP_NUMBER_SIZE], after[DP_NUMBER_SIZE];
	double most_ns;

	for (size_t i = 0; (part = dp_pair_part(comparison, pair, i)); i++)
		period = part;
	if (!period)
		return;
	most_ns = fmax(period->mean.value[0], period->mean.value[1]);
	dp_render__format(render,
			  "<h3>Mean period</h3><svg viewBox=\"0 0 %d %d\" role=\"img\" "
			  "aria-label=\"parts of the mean period before and after\">",
			  WIDTH, 2 * BAR + 8);
	for (int run = 0; run < 2; run++)
		write_bar(render, comparison, pair, run, most_ns);
	dp_render__text(render, "</svg>\n");
	write_head(render, comparison, "<th>part</th>");
	for (size_t i = 0; (part = dp_pair_part(comparison, pair, i)); i++) {
		if (!(fmax(part->mean.value[0], part->mean.value[1]) >= LEAST_PART * most_ns))
			continue;
		dp_render__text(render, "<tr><td>");
		if (part != period)
			dp_render__format(render,
					  "<span class=\"key\" style=\"background:var(--%s)\"></span>",
					  color_of(part->metric));
		dp_render__format(render, "%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
				  dp_compare_words__part(part->metric),
				  dp_human__duration(before, part->mean.value[0], false),
				  dp_human__duration(after, part->mean.value[1], false));
		write_change(render, &part->mean,
			     part == period ? judged : dp_difference_is_sure(&part->mean));
	}
	dp_render__text(render, "</table>\n");
}

static void write_kernel(struct dp_render *render, const struct dp_pair_kernel *kernel)
{
	char before[DP_NUMBER_SIZE], after[DP_NUMBER_SIZE], calls[DP_COMPARE_WORDS];
	bool replaced = kernel->kind == DP_KERNEL_REPLACED;

	dp_render__text(render, "<tr><td><code>");
	name(render, kernel->name[kernel->name[0] ? 0 : 1]);
	if (replaced) {
		dp_render__text(render, "</code> \xe2\x86\x92 <code>");
		name(render, kernel->name[1]);
	}
	dp_render__format(
		render,
		"</code></td><td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>"
		"<td class=\"n\">%s</td>",
		dp_kernel_change_name(kernel->kind),
		dp_compare_words__calls(calls, kernel->calls, false),
		kernel->name[0] ? dp_human__duration(before, kernel->ns.value[0], false) : "",
		kernel->name[1] ? dp_human__duration(after, kernel->ns.value[1], false) : "");
	write_change(render, &kernel->ns, dp_difference_is_sure(&kernel->ns));
}

static void write_kernels(struct dp_render *render, const struct dp_comparison *comparison,
			  size_t pair)
{
	double period_ns = dp_compare_words__period(comparison, pair);
	const struct dp_pair_kernel *kernel;
	size_t shown = 0;

	for (size_t i = 0; (kernel = dp_pair_kernel(comparison, pair, i)) && shown < KERNELS_MOST;
	     i++) {
		if (!dp_compare_words__shows(kernel, period_ns))
			continue;
		if (!shown++) {
			dp_render__text(render, "<h3>Kernels, per iteration</h3>");
			write_head(render, comparison,
				   "<th>kernel</th><th></th><th class=\"n\">calls</th>");
		}
		write_kernel(render, kernel);
	}
	dp_render__text(render, shown ? "</table>\n" : "");
}

static void write_findings(struct dp_render *render, const struct dp_comparison *comparison,
			   size_t pair)
{
	const struct dp_pair_finding *both;
	char number[DP_NUMBER_SIZE];

	for (size_t i = 0; (both = dp_pair_finding(comparison, pair, i)); i++) {
		const struct dp_finding *now = both->finding[1] ? both->finding[1]
								: both->finding[0];

		if (!i)
			dp_render__text(render, "<h3>Findings</h3><table><tr><th>rule</th><th></th>"
						"<th>severity</th><th class=\"n\">cost before</th>"
						"<th class=\"n\">after</th></tr>\n");
		dp_render__format(render, "<tr><td>%s</td><td>%s</td><td>%s</td>", now->rule,
				  dp_compare_words__finding(both->change),
				  dp_severity_name(now->severity));
		for (int run = 0; run < 2; run++)
			dp_render__format(render, "<td class=\"n\">%s</td>",
					  isfinite(both->cost_ns[run])
						  ? dp_human__duration(number, both->cost_ns[run],
								       false)
						  : "");
		dp_render__text(render, "</tr>\n");
	}
	dp_render__text(render, dp_pair_finding(comparison, pair, 0) ? "</table>\n" : "");
}

static void write_pair(struct dp_render *render, const struct dp_comparison *comparison,
		       size_t pair)
{
	static const char *const classes[] = { [DP_VERDICT_SAME] = "same",
					       [DP_VERDICT_FASTER] = "faster",
					       [DP_VERDICT_SLOWER] = "slower",
					       [DP_VERDICT_UNKNOWN] = "same" };
	const struct dp_loop_pair *info = dp_comparison_pair(comparison, pair);
	struct dp_verdict verdict;

	dp_verdict__of(&verdict, comparison, pair, false);
	dp_render__format(render, "<section><h2>Loop %zu", info->loop[0]);
	if (info->loop[1] != info->loop[0])
		dp_render__format(render, " (after: loop %zu)", info->loop[1]);
	dp_render__format(render, ": <span class=\"%s\">%s</span></h2><p>", classes[verdict.kind],
			  verdict.headline);
	escaped(render, verdict.detail.text);
	dp_render__text(render, "</p>\n");
	write_periods(render, comparison, pair);
	write_parts(render, comparison, pair, &verdict);
	write_kernels(render, comparison, pair);
	write_findings(render, comparison, pair);
	dp_render__text(render, "</section>\n");
}

static void write_style(struct dp_render *render)
{
	dp_render__text(render, "<style>");
	dp_html__asset(render, "style.css");
	dp_render__text(render, style);
	dp_render__text(render, "</style>");
}

static void write_all(struct dp_render *render, const struct dp_comparison *comparison)
{
	size_t pairs = dp_comparison_pair_count(comparison);

	dp_render__text(render, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
				"<meta name=\"viewport\" content=\"width=device-width\">"
				"<title>deepprof compare</title>");
	write_style(render);
	dp_render__text(render, "</head><body><header class=\"top\"><div class=\"brand\">deepprof "
				"compare</div>\n");
	for (int run = 0; run < 2; run++)
		write_run(render, comparison, run);
	dp_render__text(render, "</header><main>\n");
	for (size_t i = 0; i < pairs; i++)
		write_pair(render, comparison, i);
	if (!pairs)
		dp_render__text(render, "<section><p>Nothing to compare: no loops of the two runs "
					"match.</p></section>");
	dp_render__text(render, "</main></body></html>\n");
}

const struct dp_comparison_renderer dp_comparison_renderer__compare_html = {
	.info = { "html", "html", "a page with plots", false, true },
	.write = write_all,
};
