/*
 * An analysis as Markdown, for a pull request or an issue: what was measured, where the time of an
 * iteration goes, all findings, and the kernels in a collapsed section.
 */
#include "report/markdown.h"
#include "report/text.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>

/* Smaller shares of the period are left out. */
#define LEAST_PART 0.005

/* Rows and columns of the table of kernels. */
#define KERNELS_MOST 10
#define NAME_COLUMNS 72

struct markdown {
	struct dp_text text; /* first member: the words are those of the text report */
	bool findings;
};

/*
 * "median period 176.2 ms; critical input-bound: costs 56.95 ms per iteration (32.4%)": the period
 * of the loop that the finding is about.
 */
static void write_headline(struct dp_render *render)
{
	const struct dp_finding *first = dp_analysis_finding(render->analysis, 0);
	size_t loop = first && dp_analysis_loop(render->analysis, first->loop) ? first->loop
									       : DP_TEXT_PRIMARY;
	double median_ns = dp_analysis_loop(render->analysis, loop)
				   ? dp_text__summary(render, loop, "median_period_ns")
				   : (double)NAN;
	struct dp_words words = { 0 };
	char number[DP_NUMBER_SIZE];

	if (first && !dp_analysis_loop_count(render->analysis))
		dp_words__add(&words, "no iterations found; ");
	if (isfinite(median_ns) && dp_text__period_groups(&words, "periods ", render, loop))
		dp_words__add(&words, "; ");
	else if (isfinite(median_ns))
		dp_words__add(&words, "%s %s; ", dp_text__period_name(render, loop),
			      dp_human__duration(number, median_ns, false));
	if (first) {
		dp_words__add(&words, "%s %s", dp_severity_name(first->severity), first->rule);
		dp_text__place(&words, render, first);
		dp_words__add(&words, ": ");
		dp_text__cost(&words, render, first, false);
	} else {
		dp_words__add(&words, !isfinite(median_ns) ? "no iterations found"
				      : dp_analysis_is_diagnosed(render->analysis)
					      ? "no findings"
					      : "rules not run");
	}
	dp_markdown__words(render, words.text);
}

static int begin(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	struct markdown *markdown = dp_alloc__zeroed(1, sizeof(*markdown));
	char number[DP_NUMBER_SIZE], count[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };

	if (!markdown)
		return dp_error__nomem(render->error, sizeof(*markdown));
	markdown->text.width = DP_LABEL_COLUMNS;
	markdown->text.level = dp_text__level(render);
	render->state = markdown;
	dp_render__text(render, render->options->follows ? "\n### " : "### ");
	write_headline(render);
	dp_render__text(render, "\n\n");
	dp_markdown__code(render, dp_trace_path(trace), DP_LABEL_COLUMNS);
	dp_render__text(render, ": ");
	dp_words__add(&words, "%s, ", dp_trace_format(trace));
	dp_text__devices(&words, trace, false);
	dp_words__add(&words, ", %s, %s",
		      dp_human__duration(number, (double)dp_trace_duration_ns(trace), false),
		      dp_text__plural(count, dp_trace_ops(trace)->count, "GPU operation"));
	dp_markdown__words(render, words.text);
	dp_render__text(render, "\n");
	return DP_OK;
}

static void write_parts(struct dp_render *render, size_t loop)
{
	const char *metric, *words;
	char share[DP_NUMBER_SIZE], time[DP_NUMBER_SIZE];
	double period_ns = dp_text__summary(render, loop, "avg_period_ns");

	if (!(period_ns > 0))
		return;
	dp_render__text(render, "\n| mean period | share | time |\n|---|---:|---:|\n");
	for (size_t i = 0; (words = dp_text__part(render, loop, i, &metric)); i++) {
		char name[DP_NUMBER_SIZE];
		double value_ns;

		snprintf(name, sizeof(name), "avg_%s", metric);
		value_ns = dp_text__summary(render, loop, name);
		if (!(value_ns >= LEAST_PART * period_ns))
			continue;
		dp_render__format(render, "| %s | %s | %s |\n", words,
				  dp_human__share(share, value_ns / period_ns),
				  dp_human__duration(time, value_ns, false));
	}
}

static void write_kernels(struct dp_render *render, size_t loop)
{
	char share[DP_NUMBER_SIZE], mean[DP_NUMBER_SIZE], number[DP_TEXT_SIZE];
	const struct dp_time_stat *stat;
	const char *names[KERNELS_MOST];
	size_t places[KERNELS_MOST], count = 0;

	while (count < KERNELS_MOST &&
	       (stat = dp_analysis_loop_kernel_stat(render->analysis, loop, count)))
		names[count++] = stat->name;
	if (!count)
		return;
	if (dp_label__tell_apart(places, names, count, NAME_COLUMNS, false)) {
		render->status = dp_error__nomem(render->error, 0);
		return;
	}
	dp_render__text(render, "\n<details><summary>Kernels</summary>\n\n"
				"| share | count | mean | kernel |\n|---:|---:|---:|---|\n");
	for (size_t i = 0; i < count; i++) {
		stat = dp_analysis_loop_kernel_stat(render->analysis, loop, i);
		dp_render__format(render, "| %s | %s | %s | ", dp_human__share(share, stat->share),
				  dp_text__count(number, stat->count),
				  dp_human__duration(mean, stat->mean_ns, false));
		dp_markdown__kernel(render, stat->name, places[i], NAME_COLUMNS);
		dp_render__text(render, " |\n");
	}
	dp_render__text(render, "\n</details>\n");
}

static int write_loop(struct dp_render *render, size_t id)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	char iterations[DP_NUMBER_SIZE], period[DP_NUMBER_SIZE], spread[DP_NUMBER_SIZE];
	double median_ns = dp_text__summary(render, id, "median_period_ns");
	struct dp_words contents = { 0 }, groups = { 0 }, origin = { 0 };

	if (!loop->selected)
		return DP_OK;
	dp_text__contents(&contents, render, id);
	dp_render__format(render, "\n**Loop %u**: %s of %s", (unsigned)loop->id,
			  dp_text__plural(iterations, loop->complete, "iteration"), contents.text);
	if (isfinite(median_ns) && dp_text__period_groups(&groups, "", render, id))
		dp_render__format(render, ", periods **%s**", groups.text);
	else if (isfinite(median_ns))
		dp_render__format(render, ", %s **%s**", dp_text__period_name(render, id),
				  dp_human__duration(period, median_ns, false));
	if (isfinite(median_ns) && !groups.text[0] && dp_text__period_count(render, id) > 1)
		dp_render__format(render, " (\xc2\xb1%s)",
				  dp_human__rough(spread,
						  dp_text__summary(render, id, "mad_period_ns"),
						  false));
	dp_render__text(render, "  \n");
	dp_text__loop_origin(&origin, render, id, false);
	dp_markdown__words(render, origin.text);
	dp_render__text(render, "\n");
	write_parts(render, id);
	write_kernels(render, id);
	return DP_OK;
}

/* Writes why there are no loops. */
static void write_nothing(struct dp_render *render)
{
	size_t streams = dp_trace_stream_count(dp_analysis_trace(render->analysis));
	struct dp_words words = { 0 };

	for (size_t i = 0; !words.used && i < streams; i++)
		if (dp_analysis_candidate(render->analysis, i))
			dp_text__nothing(&words, render, i);
	dp_render__text(render,
			words.used ? "\n" : "\nNo kernels: there are no iterations to find.");
	dp_markdown__words(render, words.text);
	dp_render__text(render, "\n");
}

static int write_finding(struct dp_render *render, size_t id)
{
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);
	struct markdown *markdown = render->state;
	struct dp_words cost = { 0 }, evidence = { 0 };

	if (!markdown->findings && !dp_analysis_loop_count(render->analysis))
		write_nothing(render);
	if (!markdown->findings)
		dp_render__text(render, "\n#### Findings\n\n");
	markdown->findings = true;
	dp_text__place(&cost, render, finding);
	dp_words__add(&cost, ": ");
	dp_text__cost(&cost, render, finding, false);
	dp_text__evidence(&evidence, render, finding, SIZE_MAX);
	dp_render__format(render, "%zu. **%s** `%s`", id + 1, dp_severity_name(finding->severity),
			  finding->rule);
	dp_markdown__words(render, cost.text);
	if (evidence.used) {
		dp_render__text(render, "  \n   ");
		dp_markdown__words(render, evidence.text);
	}
	dp_render__text(render, "  \n   \xe2\x86\x92 ");
	dp_markdown__words(render, finding->advice);
	dp_render__text(render, "\n");
	return DP_OK;
}

static int end(struct dp_render *render)
{
	struct markdown *markdown = render->state;
	struct dp_words words = { 0 };

	if (!dp_analysis_finding_count(render->analysis)) {
		if (!dp_analysis_loop_count(render->analysis))
			write_nothing(render);
		dp_text__no_findings(&words, render, false);
		dp_render__text(render, "\n");
		dp_markdown__words(render, words.text);
		dp_render__text(render, "\n");
	}
	free(markdown);
	render->state = NULL;
	return DP_OK;
}

const struct dp_renderer dp_renderer__markdown = {
	.info = { "markdown", "md", "for a pull request or an issue", false, false },
	.begin = begin,
	.loop = write_loop,
	.finding = write_finding,
	.end = end,
};
