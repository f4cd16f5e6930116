/* Loops in the text report. */
#include "base/text.h"
#include "report/sparkline.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* Requested metrics are never left out. */
static bool leaves_parts(const struct dp_render *render)
{
	const struct dp_text *text = render->state;

	return text->given_up >= DP_LEAVE_PARTS && !render->options->metrics;
}

static void write_origin(struct dp_render *render, size_t id)
{
	struct dp_words words = { 0 };

	dp_text__loop_origin(&words, render, id, !leaves_parts(render));
	dp_text__blanks(render, DP_TEXT_INDENT);
	dp_text__wrap(render, DP_TEXT_INDENT, DP_TEXT_INDENT, words.text);
}

/* Writes the pattern's first kernel and its last. */
static void write_ends(struct dp_render *render, size_t id, size_t length)
{
	static const char *const titles[] = { "first", "last" };
	const char *const names[] = { dp_analysis_loop_kernel(render->analysis, id, 0),
				      dp_analysis_loop_kernel(render->analysis, id, length - 1) };
	size_t room = ((struct dp_text *)render->state)->width - DP_TEXT_BODY, places[2];
	bool ascii = render->options->ascii;
	char label[DP_LABEL_SIZE];

	if (dp_label__tell_apart(places, names, DP_COUNT(names), room, ascii)) {
		render->status = dp_error__nomem(render->error, 0);
		return;
	}
	for (size_t i = 0; i < DP_COUNT(names); i++) {
		dp_text__label(render, titles[i]);
		dp_render__text(render,
				dp_label__kernel_at(label, names[i], places[i], room, ascii));
		dp_render__text(render, "\n");
	}
}

/* A series of a loop, as bars. */
struct series {
	const char *title;
	size_t metric;
	size_t count;
	struct dp_sparkline bars;
	size_t values;
	double least;
	double most;
	size_t longest;	 /* its iteration */
	size_t excluded; /* iterations followed by other kernels, which their periods include */
};

/* Collects steady, uninterrupted values; the others become gaps. */
static void gather(struct series *series, const struct dp_render *render, size_t id, size_t room)
{
	dp_sparkline__init(&series->bars, series->count, room);
	for (size_t k = 0; k < series->count; k++) {
		double value = dp_analysis_loop_metric(render->analysis, id, series->metric, k);
		const struct dp_iteration *at = dp_analysis_loop_iteration(render->analysis, id, k);
		const struct dp_iteration *next =
			dp_analysis_loop_iteration(render->analysis, id, k + 1);
		bool broken = next && next->foreign_kernels && !strcmp(series->title, "period");

		/* like the range shown, the bars leave warm-up out */
		dp_sparkline__add(&series->bars, k, at->partial ? (double)NAN : value,
				  at->warmup ? 'w'
				  : broken   ? '|'
					     : 0);
		if (at->warmup || at->partial || !isfinite(value))
			continue;
		series->excluded += broken;
		if (broken)
			continue;
		series->values++;
		series->least = fmin(series->least, value);
		if (!(value > series->most))
			continue;
		series->most = value;
		series->longest = k;
	}
}

/* Chooses periods or, if other kernels separate all iterations, durations. */
static bool choose_series(struct series *series, const struct dp_render *render, size_t id)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	size_t count = loop->iterations;
	bool periods = isfinite(dp_text__summary(render, id, "median_period_ns"));

	*series = (struct series){ .title = periods ? "period" : "length",
				   .count = periods ? count - 1 : count,
				   .least = (double)INFINITY,
				   .most = -1 };
	return count > 1 && loop->complete > 1 &&
	       dp_text__find_metric(periods ? "period_ns" : "duration_ns", &series->metric);
}

static void draw(struct dp_render *render, const struct dp_sparkline *bars)
{
	dp_text__style_begin(render, DP_STYLE_GREEN);
	dp_sparkline__draw(render, bars);
	dp_text__style_end(render);
}

/*
 * Writes "period ▇█|▆█▃ 168.1–180.7 ms, longest: iteration 4; excludes 1 interrupted (|)"; many
 * bars take a line.
 */
static void write_sparkline(struct dp_render *render, size_t id)
{
	size_t width = ((struct dp_text *)render->state)->width;
	char range[3 * DP_NUMBER_SIZE], number[DP_TEXT_SIZE];
	struct dp_words words = { 0 };
	struct series series;
	double low, high;

	if (!choose_series(&series, render, id))
		return;
	gather(&series, render, id, width - DP_TEXT_BODY);
	if (!dp_sparkline__range(&series.bars, &low, &high) || series.most < 0)
		return;
	dp_sparkline__trim(&series.bars);
	/* one value has no shape */
	if (series.values < 2)
		series.bars.columns = 0;
	dp_text__label(render, series.title);
	draw(render, &series.bars);
	dp_words__add(&words, "%s",
		      dp_human__range(range, series.least, series.most, render->options->ascii));
	if (series.most > series.least)
		dp_words__add(&words, ", longest: iteration %s",
			      dp_text__count(number, series.longest));
	if (series.excluded)
		dp_words__add(&words,
			      series.bars.columns && series.bars.group == 1
				      ? "; excludes %s interrupted (|)"
				      : "; excludes %s followed by other kernels",
			      dp_text__count(number, series.excluded));
	if (series.bars.columns && series.bars.group > 1)
		dp_words__add(&words, "; each bar is the longest of %s",
			      dp_text__count(number, series.bars.group));
	if (DP_TEXT_BODY + series.bars.columns + 1 + dp_label_width(words.text) <= width) {
		dp_render__format(render, "%s%s\n", series.bars.columns ? " " : "", words.text);
		return;
	}
	dp_render__text(render, "\n");
	dp_text__blanks(render, DP_TEXT_BODY);
	dp_text__wrap(render, DP_TEXT_BODY, DP_TEXT_BODY, words.text);
}

/* The mean of a metric and its maximum. */
struct mean {
	double sum;
	double most;
	size_t longest; /* the iteration with the maximum */
	size_t count;
	size_t positive; /* of these, those that are not 0 */
};

/*
 * The mean over iterations without warm-up. For what lies before an iteration, and thus belongs to
 * its predecessor, that one must not be warm-up, and iterations that other kernels interrupt are
 * left out. For a share: the mean of the part itself.
 */
static struct mean mean_of(const struct dp_render *render, size_t id, const char *name,
			   const char *of, bool before)
{
	size_t metric, whole = 0, count = dp_analysis_loop(render->analysis, id)->iterations;
	struct mean mean = { 0 };

	if (!dp_text__find_metric(name, &metric) || (of && !dp_text__find_metric(of, &whole)))
		return mean;
	for (size_t k = before; k < count; k++) {
		const struct dp_iteration *at = dp_analysis_loop_iteration(render->analysis, id, k);
		double value = dp_analysis_loop_metric(render->analysis, id, metric, k);

		if (of)
			value *= dp_analysis_loop_metric(render->analysis, id, whole, k);

		if (!isfinite(value) || (before && at->foreign_kernels) ||
		    dp_analysis_loop_iteration(render->analysis, id, k - before)->warmup)
			continue;
		mean.sum += value;
		mean.longest = value > mean.most ? k : mean.longest;
		mean.most = fmax(mean.most, value);
		mean.count++;
		mean.positive += value > 0;
	}
	return mean;
}

static double value_of(struct mean mean)
{
	return mean.count ? mean.sum / (double)mean.count : (double)NAN;
}

double dp_text__mean_interval(const struct dp_render *render, size_t loop)
{
	return value_of(mean_of(render, loop, "interval_ns", NULL, true));
}

/*
 * Adds what is uploaded per iteration or, if a mean would hide that most of it is uploaded in one of
 * several iterations, or in fewer than half of them, where. What is uploaded before an iteration is
 * part of it.
 */
static void add_uploads(struct dp_words *words, const struct dp_render *render, size_t id)
{
	struct mean bytes = mean_of(render, id, "h2d_bytes", NULL, false);
	char number[DP_NUMBER_SIZE], digits[DP_TEXT_SIZE];

	if (!(bytes.sum > 0))
		return;
	dp_words__add(words, "; ");
	if (bytes.count > 2 && bytes.most > bytes.sum / 2) {
		dp_words__add(words, "%s uploaded for iteration %s",
			      dp_human__bytes(number, bytes.most),
			      dp_text__count(digits, bytes.longest));
		if (bytes.positive > 1)
			dp_words__add(words, ", %s for all others together",
				      dp_human__bytes(number, bytes.sum - bytes.most));
		else
			dp_words__add(words, ", nothing for others");
	} else if (2 * bytes.positive < bytes.count) {
		dp_words__add(words, "%s uploaded in all, for %s",
			      dp_human__bytes(number, bytes.sum),
			      dp_text__count(digits, bytes.positive));
		dp_words__add(words, " of %s iterations", dp_text__count(digits, bytes.count));
	} else {
		dp_words__add(words, "%s uploaded per iteration",
			      dp_human__bytes(number, value_of(bytes)));
	}
}

/*
 * Writes the paper's table in words, for the steady state: what lies between iterations and between
 * operations.
 */
static void write_gaps(struct dp_render *render, size_t id)
{
	struct mean between = mean_of(render, id, "interval_ns", NULL, true);
	double between_ns = value_of(between), longest_ns = between.most;
	/* a mean of shares would give short intervals too much weight */
	double overlap = mean_of(render, id, "overlap", "interval_ns", true).sum / between.sum;
	double inside_ns = value_of(mean_of(render, id, "operation_gap_ns", NULL, false));
	bool ascii = render->options->ascii, verbose = render->options->verbose;
	size_t streams;
	char number[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };

	if (isfinite(between_ns))
		dp_words__add(&words, "%s between iterations",
			      dp_human__duration(number, between_ns, ascii));
	else if (dp_analysis_loop(render->analysis, id)->complete > 1)
		dp_words__add(&words, "other kernels run between the iterations");
	if (isfinite(between_ns) && (verbose || overlap > 0)) {
		dp_words__add(&words, " (");
		if (overlap > 0)
			dp_words__add(&words, "%s uploads%s", dp_human__share(number, overlap),
				      verbose ? ", " : "");
		if (verbose)
			dp_words__add(&words, "at most %s",
				      dp_human__duration(number, longest_ns, ascii));
		dp_words__add(&words, ")");
	}
	if (isfinite(inside_ns))
		dp_words__add(&words, "%s%s between kernels%s", words.used ? "; " : "",
			      dp_human__duration(number, inside_ns, ascii),
			      dp_text__kernels_elsewhere(&streams, render, id) ? " of the loop"
									       : "");
	if (verbose)
		add_uploads(&words, render, id);
	if (!words.used)
		return;
	dp_text__label(render, "gaps");
	dp_text__wrap(render, DP_TEXT_BODY, DP_TEXT_BODY, words.text);
}

#define COLUMNS_MOST 4
#define COLUMN_GAP 3

/* Widths of titles and values, per column. */
struct layout {
	size_t columns;
	size_t title[COLUMNS_MOST];
	size_t value[COLUMNS_MOST];
};

/* Arranges the table in this many columns; returns its width. */
static size_t lay_out(struct layout *layout, struct dp_render *render, size_t id, size_t columns)
{
	char title[DP_NUMBER_SIZE], value[DP_NUMBER_SIZE];
	const struct dp_metric_info *info;
	size_t at = 0, width = 0;

	*layout = (struct layout){ .columns = columns };
	for (size_t i = 0; (info = dp_summary_metric(i)); i++) {
		size_t column = at % columns;

		if (!dp_render__shows(render, info))
			continue;
		dp_text__title(title, info->name);
		dp_human__value(value, dp_analysis_loop_summary(render->analysis, id, i),
				info->unit, render->options->ascii);
		layout->title[column] = DP_MAX(layout->title[column], strlen(title));
		layout->value[column] = DP_MAX(layout->value[column], dp_label_width(value));
		at++;
	}
	for (size_t i = 0; i < columns; i++)
		width += layout->title[i] + 1 + layout->value[i] + (i ? COLUMN_GAP : 0);
	return width;
}

/* Writes the requested summaries in as many columns as fit. */
static void write_chosen(struct dp_render *render, size_t id)
{
	size_t width = ((struct dp_text *)render->state)->width - DP_TEXT_BODY, at = 0;
	size_t columns = COLUMNS_MOST;
	char text[DP_NUMBER_SIZE];
	const struct dp_metric_info *info;
	struct layout layout;

	while (lay_out(&layout, render, id, columns) > width && columns > 1)
		columns--;
	for (size_t i = 0; (info = dp_summary_metric(i)); i++) {
		size_t column = at % columns;

		if (!dp_render__shows(render, info))
			continue;
		if (!at)
			dp_text__label(render, "metrics");
		else
			dp_text__blanks(render, column ? COLUMN_GAP : DP_TEXT_BODY);
		dp_text__title(text, info->name);
		dp_text__column(render, text, (int)layout.title[column] + 1);
		dp_human__value(text, dp_analysis_loop_summary(render->analysis, id, i), info->unit,
				render->options->ascii);
		dp_text__column(render, text, -(int)layout.value[column]);
		if (++at % columns == 0)
			dp_render__text(render, "\n");
	}
	if (at % columns)
		dp_render__text(render, "\n");
}

/* How many iterations of a loop a whole iteration of the enclosing one holds, on average. */
static double runs_inside(const struct dp_analysis *analysis, size_t inner, size_t outer)
{
	const struct dp_iteration *in = dp_analysis_loop_iteration(analysis, inner, 0), *out;
	size_t at = 0, whole = 0, runs = 0;

	for (size_t k = 0; (out = dp_analysis_loop_iteration(analysis, outer, k)); k++) {
		size_t end = out->first_kernel + out->kernels;

		if (out->partial)
			continue;
		whole++;
		for (; in && in->first_kernel < end;
		     in = dp_analysis_loop_iteration(analysis, inner, ++at))
			runs += !in->partial && in->first_kernel >= out->first_kernel;
	}
	return whole ? (double)runs / (double)whole : 0;
}

/* "3" or "2.4": that number in words. */
static char *times(char buf[DP_NUMBER_SIZE], const struct dp_analysis *analysis, size_t inner,
		   size_t outer)
{
	double ratio = runs_inside(analysis, inner, outer);

	if (fabs(ratio - round(ratio)) < 0.05 * ratio)
		return dp_text__count(buf, (uint64_t)llround(ratio));
	snprintf(buf, DP_NUMBER_SIZE, "%lld.%lld", llround(ratio * 10) / 10,
		 llround(ratio * 10) % 10);
	return buf;
}

/* Writes "3 kernels × 161 (loop 3), 30 kernels × 8 (loop 2)": the loops in each iteration. */
static void write_nested(struct dp_render *render, size_t id)
{
	size_t width = ((struct dp_text *)render->state)->width, more = 0;
	const struct dp_analysis *analysis = render->analysis;
	const struct dp_loop *loop;
	char often[DP_NUMBER_SIZE], kernels[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };

	for (size_t i = 0; (loop = dp_analysis_loop(analysis, i)); i++) {
		if (loop->parent != id)
			continue;
		if (words.used + DP_TEXT_BODY + 50 > width * 2) {
			more++;
			continue;
		}
		dp_words__add(&words, "%s%s", words.used ? ", " : "",
			      dp_text__plural(kernels, loop->length, "kernel"));
		dp_words__add(&words, " %s %s (loop %zu)",
			      render->options->ascii ? "x" : "\xc3\x97",
			      times(often, analysis, i, id), i);
	}
	if (!words.used)
		return;
	if (more)
		dp_words__add(&words, ", %s", dp_text__plural(kernels, more, "more loop"));
	dp_text__label(render, "nested");
	dp_text__wrap(render, DP_TEXT_BODY, DP_TEXT_BODY, words.text);
}

void dp_text__loop(struct dp_render *render, size_t loop)
{
	size_t length = dp_analysis_loop(render->analysis, loop)->length;
	struct dp_words words = { 0 };

	dp_text__loop_title(&words, render, loop);
	dp_text__wrap(render, write_name(render, loop), DP_TEXT_INDENT, words.text);
	write_origin(render, loop);
	if (length && render->options->verbose)
		write_ends(render, loop, length);
	if (render->options->verbose)
		write_nested(render, loop);
	write_sparkline(render, loop);
	dp_text__spent(render, loop);
	if (leaves_parts(render))
		return;
	dp_text__slow(render, loop);
	dp_text__stream_waits(render, loop);
	if (render->options->metrics)
		write_chosen(render, loop);
	else
		write_gaps(render, loop);
}

/* Returns true if the loop's device has loops of other streams. */
static bool has_other_streams(const struct dp_render *render, const struct dp_loop *loop)
{
	const struct dp_loop *other;

	for (size_t i = 0; (other = dp_analysis_loop(render->analysis, i)); i++)
		if (other->device == loop->device && other->stream != loop->stream)
			return true;
	return false;
}

void dp_text__loop_line(struct dp_render *render, size_t id, size_t depth)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	struct dp_words words = { 0 };
	char device[DP_LABEL_SIZE];
	size_t used;

	dp_text__loop_title(&words, render, id);
	if (loop->parent != DP_NONE && !depth)
		dp_words__add(&words, ", %s loop %u", dp_text__inside(render->analysis, loop),
			      (unsigned)loop->parent);
	if (dp_trace_device_count(trace) > 1 && !depth)
		dp_words__add(&words, ", %s", dp_text__device(device, trace, loop->device));
	if (!depth && has_other_streams(render, loop))
		dp_text__loop_streams(&words, render, id);
	dp_text__blanks(render, depth * DP_TEXT_INDENT);
	used = write_name(render, id) + depth * DP_TEXT_INDENT;
	dp_text__wrap(render, used, (depth + 1) * DP_TEXT_INDENT, words.text);
}
