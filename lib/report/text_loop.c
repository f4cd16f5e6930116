/* Loops in the text report. */
#include "base/text.h"
#include "report/spark.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Summaries that the loop's first lines tell already. */
static const char *const told[] = { "median_period_ns", "mad_period_ns", "min_period_ns",
				    "max_period_ns" };

static double summary(const struct dp_render *render, size_t loop, const char *name)
{
	size_t index;

	return dp_text__find_summary(name, &index) ? dp_loop_summary(render->analysis, loop, index)
						   : (double)NAN;
}

static const char *found_by_words(enum dp_found_by found_by)
{
	switch (found_by) {
	case DP_FOUND_BY_COUNT:
		return "found by the count";
	case DP_FOUND_BY_MARKS:
		return "found by annotations";
	case DP_FOUND_BY_AUTO:
		break;
	}
	return "found unaided";
}

static const char *phase_words(enum dp_phase_evidence phase)
{
	switch (phase) {
	case DP_PHASE_KERNEL_GAP:
		return "begins at the GPU's largest gap";
	case DP_PHASE_FINISH_KERNEL:
		return "begins after the optimizer's kernels";
	case DP_PHASE_SYNC:
		return "begins after a synchronization";
	case DP_PHASE_INPUT_COPY:
		return "begins at the input's upload";
	case DP_PHASE_LAUNCH_GAP:
		return "begins at the launching thread's pause";
	case DP_PHASE_FIRST_LAUNCH:
		return "begins at the first launch on record";
	case DP_PHASE_COMPLETE:
		return "begins where most are complete";
	case DP_PHASE_MARKS:
		return "begins at marks";
	case DP_PHASE_NONE:
		break;
	}
	return "where it begins is not certain";
}

/* "Loop 0  6 iterations of 1,462 kernels, every 176.2 ms (± 2.5 ms)". */
static void write_title(struct dp_render *render, size_t id, size_t indent)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	double median_ns = summary(render, id, "median_period_ns");
	double mad_ns = summary(render, id, "mad_period_ns");
	bool ascii = render->options->ascii;
	char number[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };

	dp_words__add(&words, "%s of ", dp_text__plural(number, loop->complete, "iteration"));
	dp_words__add(&words, "%s", dp_text__plural(number, loop->length, "kernel"));
	if (isfinite(median_ns))
		dp_words__add(&words, ", every %s", dp_human__duration(number, median_ns, ascii));
	if (isfinite(median_ns) && loop->complete > 2)
		dp_words__add(&words, " (%s%s)", ascii ? "+-" : "\xc2\xb1",
			      dp_human__duration(number, mad_ns, ascii));
	dp_text__blanks(render, indent);
	dp_text__style_begin(render, DP_STYLE_HEAD);
	dp_render__format(render, "Loop %zu", id);
	dp_text__style_end(render);
	dp_render__text(render, "  ");
	dp_text__wrap(render, indent + 8, indent + 8, words.text);
}

static void write_origin(struct dp_render *render, size_t id, size_t indent)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	const struct dp_stream *stream = dp_trace_stream(trace, loop->stream);
	char device[DP_LABEL_SIZE], number[DP_NUMBER_SIZE];
	size_t partial = loop->iterations - loop->complete;
	struct dp_words words = { 0 };

	if (loop->parent != DP_NONE)
		dp_words__add(&words, "inside loop %u; ", (unsigned)loop->parent);
	dp_words__add(&words, "%s", dp_text__device(device, trace, loop->device));
	if (stream->stream >= 0)
		dp_words__add(&words, ", stream %lld", (long long)stream->stream);
	dp_words__add(&words, ", %s of its kernels", dp_human__share(number, loop->coverage));
	if (partial)
		dp_words__add(&words, "; %s cut off",
			      dp_text__plural(number, partial, "more iteration"));
	if (loop->variants > 1)
		dp_words__add(&words, "; %s", dp_text__plural(number, loop->variants, "variant"));
	dp_words__add(&words, "; %s, confidence %s; %s", found_by_words(loop->found_by),
		      dp_human__share(number, loop->confidence), phase_words(loop->phase));
	dp_text__blanks(render, indent + 2);
	dp_text__wrap(render, indent + 2, indent + 2, words.text);
}

static void write_ends(struct dp_render *render, size_t id, size_t indent)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	size_t width = ((struct dp_text *)render->state)->width, room = width - indent - 9;
	char label[DP_LABEL_SIZE];

	if (!loop->length)
		return;
	dp_text__blanks(render, indent + 2);
	dp_render__text(render, "first  ");
	dp_render__text(render, dp_label__kernel(label, dp_loop_kernel(render->analysis, id, 0),
						 room, render->options->ascii));
	dp_render__text(render, "\n");
	dp_text__blanks(render, indent + 2);
	dp_render__text(render, "last   ");
	dp_render__text(render,
			dp_label__kernel(label,
					 dp_loop_kernel(render->analysis, id, loop->length - 1),
					 room, render->options->ascii));
	dp_render__text(render, "\n");
}

/* Where the longest period is, among those that nothing interrupts. */
static void gather_periods(struct dp_render *render, size_t id, struct dp_spark *spark,
			   size_t *longest, size_t room)
{
	size_t count = dp_analysis_loop(render->analysis, id)->iterations, metric;
	double most = -1;

	dp_spark__init(spark, count ? count - 1 : 0, room);
	if (!dp_text__find_metric("period_ns", &metric))
		return;
	for (size_t k = 0; k + 1 < count; k++) {
		double period_ns = dp_loop_metric(render->analysis, id, metric, k);
		bool broken = dp_loop_iteration(render->analysis, id, k + 1)->foreign_kernels;

		dp_spark__add(spark, k, period_ns, broken);
		if (broken || !(period_ns > most))
			continue;
		most = period_ns;
		*longest = k;
	}
}

static void write_spark(struct dp_render *render, size_t id, size_t indent)
{
	size_t width = ((struct dp_text *)render->state)->width, longest = 0;
	char text[DP_NUMBER_SIZE];
	double min_ns = summary(render, id, "min_period_ns");
	double max_ns = summary(render, id, "max_period_ns"), low, high;
	bool ascii = render->options->ascii;
	struct dp_spark spark;

	gather_periods(render, id, &spark, &longest, width - indent - 47);
	if (!dp_spark__range(&spark, &low, &high) || !isfinite(min_ns))
		return;
	dp_text__blanks(render, indent + 2);
	dp_render__text(render, "period ");
	dp_text__column(render, dp_human__duration(text, min_ns, ascii), 0);
	dp_render__text(render, " ");
	dp_text__style_begin(render, DP_STYLE_GREEN);
	dp_spark__draw(render, &spark);
	dp_text__style_end(render);
	dp_render__format(render, " %s in iteration %zu\n", dp_human__duration(text, max_ns, ascii),
			  longest);
}

static bool is_told(const char *name)
{
	for (size_t i = 0; i < DP_COUNT(told); i++)
		if (!strcmp(told[i], name))
			return true;
	return false;
}

/* All summaries that are not told elsewhere, two to four in a row. */
static void write_summary(struct dp_render *render, size_t id, size_t indent)
{
	size_t width = ((struct dp_text *)render->state)->width;
	size_t columns = DP_MAX(1, (width - indent - 2 + 3) / 26), at = 0;
	char title[DP_NUMBER_SIZE], value[DP_NUMBER_SIZE];
	const struct dp_metric_info *info;

	for (size_t i = 0; (info = dp_summary_metric(i)); i++) {
		if (!dp_render__shows(render, info) ||
		    (!render->options->metrics && is_told(info->name)))
			continue;
		if (at % columns == 0)
			dp_text__blanks(render, indent + 2);
		else
			dp_text__blanks(render, 3);
		dp_text__title(title, info->name);
		dp_human__value(value, dp_loop_summary(render->analysis, id, i), info->unit,
				render->options->ascii);
		dp_text__column(render, title, 14);
		dp_text__column(render, value, -9);
		if (++at % columns == 0)
			dp_render__text(render, "\n");
	}
	if (at % columns)
		dp_render__text(render, "\n");
}

void dp_text__loop(struct dp_render *render, size_t loop, bool full)
{
	const struct dp_loop *info = dp_analysis_loop(render->analysis, loop);
	size_t indent = info->parent == DP_NONE ? 0 : 2;

	write_title(render, loop, indent);
	if (!full)
		return;
	write_origin(render, loop, indent);
	write_ends(render, loop, indent);
	write_spark(render, loop, indent);
	write_summary(render, loop, indent);
}

void dp_text__iterations_head(struct dp_render *render, size_t loop)
{
	const struct dp_metric_info *info;
	char title[DP_NUMBER_SIZE];

	dp_text__style_begin(render, DP_STYLE_DIM);
	dp_render__text(render, "  index       start  kernels  edits");
	for (size_t i = 0; (info = dp_metric(i)); i++) {
		if (!dp_render__shows(render, info))
			continue;
		dp_text__title(title, info->name);
		dp_text__column(render, title, -(int)(DP_MAX(strlen(title), 9) + 2));
	}
	dp_text__style_end(render);
	dp_render__text(render, "\n");
}

void dp_text__iteration(struct dp_render *render, size_t loop, size_t iteration)
{
	const struct dp_iteration *at = dp_loop_iteration(render->analysis, loop, iteration);
	char title[DP_NUMBER_SIZE], value[DP_NUMBER_SIZE], digits[DP_TEXT_SIZE];
	const struct dp_metric_info *info;
	bool ascii = render->options->ascii;

	dp_text__column(render, dp_text__count(digits, at->index), -7);
	dp_text__column(render, dp_human__duration(value, (double)at->start_ns, ascii), -12);
	dp_text__column(render, dp_text__count(digits, at->kernels), -9);
	dp_text__column(
		render,
		dp_text__count(digits, (uint64_t)at->inserted + at->deleted + at->substituted), -7);
	for (size_t i = 0; (info = dp_metric(i)); i++) {
		if (!dp_render__shows(render, info))
			continue;
		dp_text__title(title, info->name);
		dp_human__value(value, dp_loop_metric(render->analysis, loop, i, iteration),
				info->unit, ascii);
		dp_text__column(render, value, -(int)(DP_MAX(strlen(title), 9) + 2));
	}
	if (at->partial)
		dp_render__text(render, "  cut off");
	else if (at->foreign_kernels)
		dp_render__format(render, "  after %s",
				  dp_text__plural(value, at->foreign_kernels, "other kernel"));
	dp_render__text(render, at->warmup ? "  warm-up\n" : "\n");
}
