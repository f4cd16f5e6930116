/* Loops in the text report. */
#include "base/text.h"
#include "report/spark.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INDENT 2
#define PERIODIC_MOST 2 /* variants that are told of */

/* What the tables show unless metrics are chosen: the rest is in the bar, in findings and in JSON.
 */
static const char *const shown_summaries[] = { "avg_interval_ns", "max_interval_ns",
					       "avg_overlap",	  "avg_operation_ns",
					       "avg_size_bytes",  "avg_period_ns" };
static const char *const shown_metrics[] = { "interval_ns", "overlap",	   "operation_gap_ns",
					     "h2d_bytes",   "period_ns",   "duration_ns",
					     "utilization", "idle_host_ns" };

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

/* "6 iterations of 1,462 kernels, every 176.2 ms (± 2.5 ms)". */
static void add_title(struct dp_words *words, struct dp_render *render, size_t id)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	double median_ns = summary(render, id, "median_period_ns");
	double mad_ns = summary(render, id, "mad_period_ns");
	bool ascii = render->options->ascii;
	char number[DP_NUMBER_SIZE];

	dp_words__add(words, "%s of ", dp_text__plural(number, loop->complete, "iteration"));
	dp_words__add(words, "%s", dp_text__plural(number, loop->length, "kernel"));
	if (isfinite(median_ns))
		dp_words__add(words, ", every %s", dp_human__duration(number, median_ns, ascii));
	if (isfinite(median_ns) && loop->complete > 2)
		dp_words__add(words, " (%s%s)", ascii ? "+-" : "\xc2\xb1",
			      dp_human__rough(number, mad_ns, ascii));
}

/* 1st, 2nd, 3rd, 4th … 11th … 21st. */
static const char *ordinal_ending(size_t n)
{
	static const char *const endings[] = { "th", "st", "nd", "rd" };

	return n / 10 % 10 == 1 || n % 10 > 3 ? "th" : endings[n % 10];
}

/* "; 3 variants, every 10th: +2 kernels". */
static void add_variants(struct dp_words *words, struct dp_render *render, size_t id)
{
	size_t count = dp_analysis_loop(render->analysis, id)->variants, told = 0;
	char number[DP_NUMBER_SIZE];

	if (count <= 1)
		return;
	dp_words__add(words, "; %s", dp_text__plural(number, count, "variant"));
	for (size_t i = 1; i < count && told < PERIODIC_MOST; i++) {
		const struct dp_variant *v = dp_loop_variant(render->analysis, id, i);
		int64_t net = (int64_t)v->inserted - (int64_t)v->deleted;

		if (!v->period)
			continue;
		told++;
		dp_words__add(words, ", every %zu%s: ", v->period, ordinal_ending(v->period));
		if (net == 0)
			dp_words__add(words, "%s",
				      dp_text__plural(number,
						      (uint64_t)v->inserted + v->substituted,
						      "other kernel"));
		else
			dp_words__add(words, "%c%s", net < 0 ? '-' : '+',
				      dp_text__plural(number, (uint64_t)(net < 0 ? -net : net),
						      "kernel"));
	}
}

static size_t write_name(struct dp_render *render, size_t id)
{
	char number[DP_NUMBER_SIZE];

	dp_text__style_begin(render, DP_STYLE_HEAD);
	dp_render__text(render, "Loop ");
	dp_render__integer(render, (int64_t)id);
	dp_text__style_end(render);
	dp_render__text(render, "  ");
	return 7 + dp_number__integer(number, (int64_t)id);
}

static void write_origin(struct dp_render *render, size_t id)
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
	add_variants(&words, render, id);
	dp_words__add(&words, "; %s, confidence %s", found_by_words(loop->found_by),
		      dp_human__share(number, loop->confidence));
	if (loop->phase != DP_PHASE_MARKS)
		dp_words__add(&words, "; %s", phase_words(loop->phase));
	dp_text__blanks(render, INDENT);
	dp_text__wrap(render, INDENT, INDENT, words.text);
}

/* The pattern's first kernel and its last: a line each, or half a line on the one screen. */
static void write_ends(struct dp_render *render, size_t id, size_t length)
{
	size_t width = ((struct dp_text *)render->state)->width;
	bool ascii = render->options->ascii, verbose = render->options->verbose;
	size_t room = verbose ? width - INDENT - 7 : (width - INDENT - 7 - 4) / 2;
	char label[DP_LABEL_SIZE];

	dp_text__blanks(render, INDENT);
	dp_text__column(render, verbose ? "first" : "from", 7);
	dp_label__kernel(label, dp_loop_kernel(render->analysis, id, 0), room, ascii);
	dp_render__text(render, label);
	dp_render__text(render, verbose ? "\n" : " to ");
	if (verbose) {
		dp_text__blanks(render, INDENT);
		dp_text__column(render, "last", 7);
	} else {
		room += room - dp_label__width(label);
	}
	dp_label__kernel(label, dp_loop_kernel(render->analysis, id, length - 1), room, ascii);
	dp_render__text(render, label);
	dp_render__text(render, "\n");
}

/* Where the longest period is, among the steady ones that nothing interrupts. */
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
		bool warmup = dp_loop_iteration(render->analysis, id, k)->warmup;

		dp_spark__add(spark, k, period_ns, broken);
		if (broken || warmup || !(period_ns > most))
			continue;
		most = period_ns;
		*longest = k;
	}
}

/* A few bars stand in one line with their range, more have a line of their own. */
static void write_spark(struct dp_render *render, size_t id)
{
	size_t width = ((struct dp_text *)render->state)->width, longest = 0;
	size_t count = dp_analysis_loop(render->analysis, id)->iterations;
	bool ascii = render->options->ascii, inline_bars = count + 50 <= width;
	double min_ns = summary(render, id, "min_period_ns"), low, high;
	double max_ns = summary(render, id, "max_period_ns");
	char number[DP_NUMBER_SIZE];
	struct dp_spark spark;

	gather_periods(render, id, &spark, &longest, width - INDENT);
	if (!dp_spark__range(&spark, &low, &high) || !isfinite(min_ns))
		return;
	dp_text__blanks(render, INDENT);
	dp_render__format(render, "period %s ", dp_human__duration(number, min_ns, ascii));
	if (inline_bars) {
		dp_text__style_begin(render, DP_STYLE_GREEN);
		dp_spark__draw(render, &spark);
		dp_text__style_end(render);
	} else {
		dp_render__text(render, "to");
	}
	dp_render__format(render, " %s", dp_human__duration(number, max_ns, ascii));
	if (max_ns > min_ns)
		dp_render__format(render, " in iteration %zu", longest);
	if (!inline_bars && spark.group > 1)
		dp_render__format(render, "; a bar is the mean of %zu", spark.group);
	dp_render__text(render, "\n");
	if (inline_bars)
		return;
	dp_text__blanks(render, INDENT);
	dp_text__style_begin(render, DP_STYLE_GREEN);
	dp_spark__draw(render, &spark);
	dp_text__style_end(render);
	dp_render__text(render, "\n");
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Does the loop's table show a summary? */
static bool in_table(const struct dp_render *render, const struct dp_metric_info *info)
{
	return render->options->metrics
		       ? dp_render__shows(render, info)
		       : is_one_of(info->name, shown_summaries, DP_COUNT(shown_summaries));
}

/* Do the rows of iterations show a metric? */
static bool in_rows(const struct dp_render *render, const struct dp_metric_info *info)
{
	return render->options->metrics
		       ? dp_render__shows(render, info)
		       : is_one_of(info->name, shown_metrics, DP_COUNT(shown_metrics));
}

#define COLUMNS_MOST 4
#define COLUMN_GAP 3

/* Widths of titles and values, per column. */
struct layout {
	size_t columns;
	size_t title[COLUMNS_MOST];
	size_t value[COLUMNS_MOST];
};

/* Lays the table out in so many columns; returns its width. */
static size_t lay_out(struct layout *layout, struct dp_render *render, size_t id, size_t columns)
{
	char title[DP_NUMBER_SIZE], value[DP_NUMBER_SIZE];
	const struct dp_metric_info *info;
	size_t at = 0, width = 0;

	*layout = (struct layout){ .columns = columns };
	for (size_t i = 0; (info = dp_summary_metric(i)); i++) {
		size_t column = at % columns;

		if (!in_table(render, info))
			continue;
		dp_text__title(title, info->name);
		dp_human__value(value, dp_loop_summary(render->analysis, id, i), info->unit,
				render->options->ascii);
		layout->title[column] = DP_MAX(layout->title[column], strlen(title));
		layout->value[column] = DP_MAX(layout->value[column], dp_label__width(value));
		at++;
	}
	for (size_t i = 0; i < columns; i++)
		width += layout->title[i] + 1 + layout->value[i] + (i ? COLUMN_GAP : 0);
	return width;
}

/* Summaries in as many columns as there is room for. */
static void write_summary(struct dp_render *render, size_t id)
{
	size_t width = ((struct dp_text *)render->state)->width - INDENT, at = 0;
	size_t columns = COLUMNS_MOST;
	char text[DP_NUMBER_SIZE];
	const struct dp_metric_info *info;
	struct layout layout;

	while (lay_out(&layout, render, id, columns) > width && columns > 1)
		columns--;
	for (size_t i = 0; (info = dp_summary_metric(i)); i++) {
		size_t column = at % columns;

		if (!in_table(render, info))
			continue;
		dp_text__blanks(render, column ? COLUMN_GAP : INDENT);
		dp_text__title(text, info->name);
		dp_text__column(render, text, (int)layout.title[column] + 1);
		dp_human__value(text, dp_loop_summary(render->analysis, id, i), info->unit,
				render->options->ascii);
		dp_text__column(render, text, -(int)layout.value[column]);
		if (++at % columns == 0)
			dp_render__text(render, "\n");
	}
	if (at % columns)
		dp_render__text(render, "\n");
}

/* Is a loop somewhere inside another? Parents come before their children. */
static bool is_inside(const struct dp_analysis *analysis, size_t loop, size_t outer)
{
	uint32_t at = dp_analysis_loop(analysis, loop)->parent;

	while (at != DP_NONE && at > outer)
		at = dp_analysis_loop(analysis, at)->parent;
	return at == outer;
}

/* "inside 10 x 21 kernels, 15 x 10, 15 x 13, 2 more": what repeats inside an iteration. */
static void write_inside(struct dp_render *render, size_t id)
{
	size_t width = ((struct dp_text *)render->state)->width, told = 0, more = 0;
	const struct dp_analysis *analysis = render->analysis;
	char times[DP_TEXT_SIZE], kernels[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };

	for (size_t i = id + 1; i < dp_analysis_loop_count(analysis); i++) {
		const struct dp_loop *loop = dp_analysis_loop(analysis, i);

		if (!is_inside(analysis, i, id))
			continue;
		if (words.used > width - 40) {
			more++;
			continue;
		}
		if (told)
			dp_text__count(kernels, loop->length);
		else
			dp_text__plural(kernels, loop->length, "kernel");
		dp_words__add(&words, "%s%s %s %s", told++ ? ", " : "",
			      dp_text__count(times, loop->complete),
			      render->options->ascii ? "x" : "\xc3\x97", kernels);
	}
	if (!told)
		return;
	if (more)
		dp_words__add(&words, ", and %s", dp_text__plural(kernels, more, "more loop"));
	dp_text__blanks(render, INDENT);
	dp_text__column(render, "inside", 7);
	dp_text__wrap(render, INDENT + 7, INDENT + 7, words.text);
}

void dp_text__loop(struct dp_render *render, size_t loop)
{
	size_t length = dp_analysis_loop(render->analysis, loop)->length, used;
	struct dp_words words = { 0 };

	add_title(&words, render, loop);
	used = write_name(render, loop);
	dp_text__wrap(render, used, INDENT, words.text);
	write_origin(render, loop);
	if (length)
		write_ends(render, loop, length);
	write_inside(render, loop);
	write_spark(render, loop);
	dp_text__spent(render, loop);
	write_summary(render, loop);
}

void dp_text__loop_line(struct dp_render *render, size_t id)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	const struct dp_loop *primary = dp_analysis_loop(
		render->analysis, ((const struct dp_text *)render->state)->primary);
	struct dp_words words = { 0 };
	char device[DP_LABEL_SIZE];
	size_t used;

	add_title(&words, render, id);
	if (loop->parent != DP_NONE)
		dp_words__add(&words, ", inside loop %u", (unsigned)loop->parent);
	if (loop->device != primary->device)
		dp_words__add(&words, ", %s", dp_text__device(device, trace, loop->device));
	used = write_name(render, id);
	dp_text__wrap(render, used, INDENT, words.text);
}

void dp_text__iterations_head(struct dp_render *render, size_t loop)
{
	const struct dp_metric_info *info;
	char title[DP_NUMBER_SIZE];

	dp_text__style_begin(render, DP_STYLE_DIM);
	dp_render__text(render, "  index       start  kernels  edits");
	for (size_t i = 0; (info = dp_metric(i)); i++) {
		if (!in_rows(render, info))
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
		if (!in_rows(render, info))
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
