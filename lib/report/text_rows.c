/* A row per iteration, with as many of the most important metrics as fit. */
#include "base/text.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

#define FIXED_COLUMNS 21 /* columns before the metrics, except the start's */
#define START_COLUMNS 10
#define NOTE_COLUMNS 9 /* at least, of "  warm-up" */
#define LEAST_COLUMNS 8
#define GAP 2
#define ESSENTIAL 2
/* of more rows than two screens have, unless all are requested: about one screen of each */
#define ROWS_MOST 40
#define ROWS_FIRST 10
#define ROWS_LAST 5
#define ROWS_SLOW 20

/* What is shown first unless metrics are chosen. */
static const char *const interesting[] = { "period_ns", "duration_ns",	   "interval_ns",
					   "overlap",	"utilization",	   "idle_host_ns",
					   "h2d_bytes", "operation_gap_ns" };

/* The columns of a metric's title and values: minutes and hours take more than other durations. */
static int columns_of(const struct dp_render *render, size_t loop, size_t metric)
{
	size_t count = dp_analysis_loop(render->analysis, loop)->iterations, columns;
	char title[DP_NUMBER_SIZE], value[DP_NUMBER_SIZE];
	double most_ns = 0;

	dp_text__title(title, dp_metric(metric)->name);
	columns = DP_MAX(strlen(title), LEAST_COLUMNS);
	for (size_t i = 0; i < count && !strcmp(dp_metric(metric)->unit, "ns"); i++)
		most_ns = fmax(most_ns, dp_analysis_loop_metric(render->analysis, loop, metric, i));
	dp_human__duration(value, most_ns, render->options->ascii);
	return (int)DP_MAX(columns, dp_label_width(value)) + GAP;
}

/* The columns of the iterations' start: the last one starts at the longest time. */
static int start_columns(const struct dp_render *render, size_t loop)
{
	size_t count = dp_analysis_loop(render->analysis, loop)->iterations;
	char value[DP_NUMBER_SIZE];

	if (!count)
		return START_COLUMNS;
	dp_human__duration(
		value,
		(double)dp_analysis_loop_iteration(render->analysis, loop, count - 1)->start_ns,
		render->options->ascii);
	return DP_MAX(START_COLUMNS, (int)dp_label_width(value) + GAP);
}

/* What distinguishes an iteration, after its numbers. */
static void add_note(struct dp_words *words, const struct dp_iteration *at)
{
	char digits[DP_TEXT_SIZE];

	if (at->partial)
		dp_words__add(words, "  cut off");
	else if (at->warmup)
		dp_words__add(words, "  warm-up");
	if (at->foreign_kernels)
		dp_words__add(words, "  after %s other kernel%s",
			      dp_text__count(digits, at->foreign_kernels),
			      at->foreign_kernels == 1 ? "" : "s");
	if (at->resumed)
		dp_words__add(words, "  after recording was off");
}

/* The columns of the longest note. */
static size_t note_columns(const struct dp_render *render, size_t loop)
{
	size_t count = dp_analysis_loop(render->analysis, loop)->iterations, most = NOTE_COLUMNS;
	struct dp_words words = { 0 };

	for (size_t i = 0; i < count; i++) {
		words.used = 0;
		add_note(&words, dp_analysis_loop_iteration(render->analysis, loop, i));
		most = DP_MAX(most, words.used);
	}
	return most;
}

/* Shows all chosen metrics, however wide. The first ones are worth more than all of a note. */
static void choose(struct dp_text *text, const struct dp_render *render, size_t loop)
{
	size_t used = FIXED_COLUMNS, note = note_columns(render, loop), metric;
	const struct dp_metric_info *info;

	text->metric_count = 0;
	text->start_columns = start_columns(render, loop);
	used += (size_t)text->start_columns;
	for (size_t i = 0; render->options->metrics && (info = dp_metric(i)); i++)
		if (text->metric_count < DP_TEXT_METRICS && dp_render__shows(render, info))
			text->metrics[text->metric_count++] = i;
	for (size_t i = 0; !render->options->metrics && i < DP_COUNT(interesting); i++) {
		if (!dp_text__find_metric(interesting[i], &metric))
			continue;
		used += (size_t)columns_of(render, loop, metric);
		if (used + (i < ESSENTIAL ? NOTE_COLUMNS : note) > text->width)
			break;
		text->metrics[text->metric_count++] = metric;
	}
	for (size_t i = 0; i < text->metric_count; i++)
		text->metric_columns[i] = columns_of(render, loop, text->metrics[i]);
}

void dp_text__iterations_head(struct dp_render *render, size_t loop)
{
	struct dp_text *text = render->state;
	char title[DP_NUMBER_SIZE];

	choose(text, render, loop);
	text->rows_slow = text->rows_left = 0;
	dp_text__style_begin(render, DP_STYLE_DIM);
	dp_render__text(render, "  index");
	dp_text__cell(render, "start", text->start_columns);
	dp_render__text(render, " kernels edits");
	for (size_t i = 0; i < text->metric_count; i++) {
		dp_text__title(title, dp_metric(text->metrics[i])->name);
		dp_text__cell(render, title, text->metric_columns[i]);
	}
	dp_text__style_end(render);
	dp_render__text(render, "\n");
}

/*
 * Returns true if an iteration gets a row, and counts the slow ones: of many, the first, the last
 * and slow ones do.
 */
static bool gets_row(struct dp_render *render, size_t loop, size_t iteration)
{
	size_t count = dp_analysis_loop(render->analysis, loop)->iterations;
	struct dp_text *text = render->state;

	if (render->options->all || count <= ROWS_MOST || iteration < ROWS_FIRST ||
	    iteration >= count - ROWS_LAST)
		return true;
	return dp_analysis_loop_iteration(render->analysis, loop, iteration)->slow &&
	       text->rows_slow++ < ROWS_SLOW;
}

static void write_row(struct dp_render *render, size_t loop, size_t iteration)
{
	const struct dp_iteration *at =
		dp_analysis_loop_iteration(render->analysis, loop, iteration);
	uint64_t edits = (uint64_t)at->inserted + at->deleted + at->substituted;
	char value[DP_NUMBER_SIZE], digits[DP_TEXT_SIZE];
	const struct dp_text *text = render->state;
	struct dp_words note = { 0 };
	bool ascii = render->options->ascii;

	dp_text__column(render, dp_text__count(digits, at->index), -7);
	dp_text__cell(render, dp_human__duration(value, (double)at->start_ns, ascii),
		      text->start_columns);
	dp_text__column(render, dp_text__count(digits, at->kernels), -8);
	dp_text__column(render, dp_text__count(digits, edits), -6);
	for (size_t i = 0; i < text->metric_count; i++) {
		size_t metric = text->metrics[i];

		dp_human__value(value,
				dp_analysis_loop_metric(render->analysis, loop, metric, iteration),
				dp_metric(metric)->unit, ascii);
		dp_text__cell(render, value, text->metric_columns[i]);
	}
	add_note(&note, at);
	if (note.used)
		dp_render__text(render, note.text);
	dp_render__text(render, "\n");
}

void dp_text__iteration(struct dp_render *render, size_t loop, size_t iteration)
{
	size_t count = dp_analysis_loop(render->analysis, loop)->iterations;
	struct dp_text *text = render->state;
	char number[DP_TEXT_SIZE];

	if (gets_row(render, loop, iteration))
		write_row(render, loop, iteration);
	else
		text->rows_left++;
	if (iteration + 1 == count && text->rows_left)
		dp_render__format(render, "and %s more (-vv or --format=csv shows all)\n",
				  dp_text__count(number, text->rows_left));
}
