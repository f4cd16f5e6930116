/*
 * A comparison as Markdown, for a pull request: the verdict first, then the parts of the period,
 * the kernels that changed and the findings.
 */
#include "report/compare_words.h"
#include "report/markdown.h"

#include <math.h>

#define NAME_COLUMNS 120 /* names of one template differ late */
#define KERNELS_MOST 10

/* Smaller shares of the period are left out. */
#define LEAST_PART 0.005

static void write_run(struct dp_render *render, const struct dp_comparison *comparison, int run)
{
	const struct dp_trace *trace =
		dp_analysis_trace(dp_comparison_analysis(comparison, (enum dp_run)run));
	char number[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };

	dp_render__text(render, run ? "| after | " : "| before | ");
	dp_markdown__code(render, dp_trace_path(trace), DP_LABEL_COLUMNS);
	dp_render__text(render, " | ");
	dp_markdown__words(render, dp_trace_format(trace));
	dp_render__text(render, " | ");
	dp_text__devices(&words, trace, false);
	dp_markdown__words(render, words.text);
	dp_render__format(render, " | %s |\n",
			  dp_human__duration(number, (double)dp_trace_duration_ns(trace), false));
}

/* Writes "−41.76 ms" and its confidence limits. */
static void write_change(struct dp_render *render, const struct dp_difference *at, bool sure)
{
	char number[DP_COMPARE_WORDS], low[DP_COMPARE_WORDS], high[DP_COMPARE_WORDS];

	dp_render__format(render, " %s%s%s |", sure ? "**" : "",
			  dp_compare_words__signed(number, at->change, "ns", false),
			  sure ? "**" : "");
	if (isfinite(at->low))
		dp_render__format(render, " %s to %s |\n",
				  dp_compare_words__signed(low, at->low, "ns", false),
				  dp_compare_words__signed(high, at->high, "ns", false));
	else
		dp_render__text(render, " |\n");
}

static void write_parts(struct dp_render *render, const struct dp_comparison *comparison,
			size_t pair)
{
	double period_ns = dp_compare_words__period(comparison, pair);
	const struct dp_pair_part *part;
	char before[DP_NUMBER_SIZE], after[DP_NUMBER_SIZE];

	for (size_t i = 0; (part = dp_pair_part(comparison, pair, i)); i++) {
		const double *value = part->mean.value;

		if (!i)
			dp_render__format(
				render,
				"\n| mean per iteration | before | after | change | %s "
				"|\n|---|---:|---:|---:|---|\n",
				dp_compare_words__ci(before, dp_comparison_confidence(comparison)));
		if (!(fmax(value[0], value[1]) >= LEAST_PART * period_ns))
			continue;
		dp_render__format(render, "| %s | %s | %s |", dp_compare_words__part(part->metric),
				  dp_human__duration(before, value[0], false),
				  dp_human__duration(after, value[1], false));
		write_change(render, &part->mean, dp_difference_is_significant(&part->mean));
	}
}

static void write_kernel(struct dp_render *render, const struct dp_pair_kernel *kernel)
{
	char before[DP_NUMBER_SIZE], after[DP_NUMBER_SIZE], calls[DP_COMPARE_WORDS];

	dp_render__text(render, "| ");
	for (int run = 0; run < 2; run++) {
		if (!kernel->name[run] || (run && kernel->kind != DP_KERNEL_REPLACED &&
					   kernel->name[0]))
			continue;
		dp_render__text(render, run && kernel->name[0] ? " \xe2\x86\x92 " : "");
		dp_markdown__kernel(render, kernel->name[run], 0, NAME_COLUMNS);
	}
	dp_render__format(
		render, " | %s | %s | %s | %s |", dp_compare_words__kind(kernel),
		dp_compare_words__calls(calls, kernel->calls, false),
		kernel->name[0] ? dp_human__duration(before, kernel->ns.value[0], false) : "",
		kernel->name[1] ? dp_human__duration(after, kernel->ns.value[1], false) : "");
	write_change(render, &kernel->ns, dp_difference_is_significant(&kernel->ns));
}

static void write_kernels(struct dp_render *render, const struct dp_comparison *comparison,
			  size_t pair, double period_ns)
{
	const struct dp_pair_kernel *kernel;
	size_t shown = 0, more = 0;
	char ci[DP_NUMBER_SIZE];

	for (size_t i = 0; (kernel = dp_pair_kernel(comparison, pair, i)); i++) {
		if (!dp_compare_words__shows(kernel, period_ns))
			continue;
		if (shown >= KERNELS_MOST && !render->options->verbose) {
			more++;
			continue;
		}
		if (!shown++)
			dp_render__format(
				render,
				"\n| kernel | | calls | before | after | change | %s "
				"|\n|---|---|---:|---:|---:|---:|---|\n",
				dp_compare_words__ci(ci, dp_comparison_confidence(comparison)));
		write_kernel(render, kernel);
	}
	if (more)
		dp_render__format(render, "\n%zu more kernels changed.\n", more);
}

/* Writes what compares if iterations are other units of work: the captures and single calls. */
static void write_apart(struct dp_render *render, const struct dp_comparison *comparison,
			size_t pair)
{
	char before[DP_NUMBER_SIZE], after[DP_NUMBER_SIZE], change[DP_COMPARE_WORDS];
	const struct dp_pair_kernel *kernel;
	struct dp_words words = { 0 };
	struct dp_difference ns;
	size_t shown = 0;

	dp_compare_words__whole(&words, comparison, false);
	dp_render__format(render, "\n%s.\n", words.text);
	for (size_t i = 0; (kernel = dp_pair_kernel(comparison, pair, i)); i++) {
		if (!dp_compare_words__per_call(&ns, kernel) ||
		    (shown >= KERNELS_MOST && !render->options->verbose))
			continue;
		if (!shown++)
			dp_render__text(render, "\n| kernel, mean of one call | before | after | "
						"change |\n|---|---:|---:|---:|\n");
		dp_render__text(render, "| ");
		dp_markdown__kernel(render, kernel->name[0], 0, NAME_COLUMNS);
		dp_render__format(render, " | %s | %s | %s |\n",
				  dp_human__duration(before, ns.value[0], false),
				  dp_human__duration(after, ns.value[1], false),
				  dp_compare_words__signed(change, ns.change, "ns", false));
	}
}

static void write_findings(struct dp_render *render, const struct dp_comparison *comparison,
			   size_t pair)
{
	const struct dp_pair_finding *both;

	for (size_t i = 0; (both = dp_pair_finding(comparison, pair, i)); i++) {
		const struct dp_finding *now = both->finding[1] ? both->finding[1]
								: both->finding[0];
		const char *was = dp_compare_words__was(both);
		struct dp_words cost = { 0 };

		if (!i)
			dp_render__text(render, "\n| finding | | severity | cost |\n"
						"|---|---|---|---|\n");
		dp_render__format(render, "| `%s` | %s | %s%s%s |", now->rule,
				  dp_compare_words__trend(both), was ? was : "",
				  was ? " \xe2\x86\x92 " : "", dp_severity_name(now->severity));
		dp_compare_words__cost(&cost, render, comparison, both);
		dp_render__text(render, " ");
		dp_markdown__words(render, cost.text);
		dp_render__text(render, " |\n");
	}
}

static void write_pair(struct dp_render *render, const struct dp_comparison *comparison,
		       size_t pair)
{
	const struct dp_loop_pair *info = dp_comparison_pair(comparison, pair);
	struct dp_verdict verdict;

	dp_verdict__of(&verdict, comparison, pair, false);
	dp_render__format(render, "%s### %s: %s%s\n\n", pair ? "\n" : "", verdict.headline,
			  verdict.detail.text, info->comparable ? "" : ".");
	for (int run = 0; run < 2; run++) {
		const struct dp_analysis *analysis =
			dp_comparison_analysis(comparison, (enum dp_run)run);
		const struct dp_loop *loop = dp_analysis_loop(analysis, info->loop[run]);
		struct dp_words words = { 0 };
		char device[DP_LABEL_SIZE];

		dp_render__format(render, "%s loop %u on ", run ? "; after" : "Before", loop->id);
		dp_markdown__words(render, dp_text__device(device, dp_analysis_trace(analysis),
							   loop->device));
		dp_compare_words__iterations(&words, render, comparison, pair, run);
		dp_render__format(render, ", %s", words.text);
	}
	dp_render__text(render, ".\n");
	if (!info->comparable) {
		write_apart(render, comparison, pair);
		return;
	}
	write_parts(render, comparison, pair);
	write_kernels(render, comparison, pair, dp_compare_words__period(comparison, pair));
	write_findings(render, comparison, pair);
}

static void write_all(struct dp_render *render, const void *what)
{
	const struct dp_comparison *comparison = what;
	size_t pairs = dp_comparison_pair_count(comparison);

	for (size_t i = 0; i < pairs; i++)
		write_pair(render, comparison, i);
	if (!pairs) {
		struct dp_words words = { 0 };

		dp_compare_words__nothing(&words, comparison);
		dp_render__format(render, "### Nothing to compare\n\n%s\n", words.text);
	}
	dp_render__text(render,
			"\n| run | trace | format | GPUs | length |\n|---|---|---|---|---:|\n");
	for (int run = 0; run < 2; run++)
		write_run(render, comparison, run);
}

const struct dp_whole_renderer dp_comparison_renderer__compare_markdown = {
	.info = { "markdown", "md", "for a pull request or an issue", false, true },
	.write = write_all,
};
