/*
 * Two runs on one screen: did an iteration become faster, how sure is that, what of it changed and
 * which kernels did it.
 */
#include "base/text.h"
#include "report/comparison.h"
#include "report/spark.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INDENT DP_TEXT_INDENT
#define BODY DP_TEXT_BODY
#define COLUMN 10     /* of a number */
#define WIDE 13	      /* of one with any unit */
#define KIND_COLUMN 9 /* "replaced " */
#define NARROW 74     /* below it there is no room for how sure a change is */

/* Room for a number and a word or two. */
#define WORDS (2 * DP_NUMBER_SIZE)

/* Rows that the short report has. */
#define KERNELS_MOST 6
#define FINDINGS_MOST 6
#define KERNELS_MANY 40 /* that the verbose one has */

/* Parts and kernels that are less of the period, or changed by less of it, are not worth a row. */
#define LEAST_PART 0.005
#define LEAST_KERNEL 0.001

static const char *const run_words[] = { "before", "after" };

/* Its place; there is one of that name. */
static size_t metric_named(const char *name)
{
	size_t index = 0;

	dp_text__find_metric(name, &index);
	return index;
}

static const struct dp_analysis *analysis_of(const struct dp_comparison *comparison, int run)
{
	return dp_comparison_analysis(comparison, (enum dp_run)run);
}

static const struct dp_loop *loop_of(const struct dp_comparison *comparison, size_t pair, int run)
{
	return dp_analysis_loop(analysis_of(comparison, run),
				dp_comparison_pair(comparison, pair)->loop[run]);
}

static void write_source(struct dp_render *render, const struct dp_comparison *comparison, int run)
{
	const struct dp_trace *trace = dp_analysis_trace(analysis_of(comparison, run));
	size_t width = ((struct dp_text *)render->state)->width;
	char label[DP_LABEL_SIZE], number[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };
	bool ascii = render->options->ascii;

	dp_text__column(render, run_words[run], 8);
	dp_label__text(label, dp_trace_path(trace), width - 8, ascii);
	dp_text__styled(render, DP_STYLE_HEAD, label[0] ? label : "(no name)");
	dp_render__text(render, "\n");
	dp_words__add(&words, "%s, ", dp_label__text(label, dp_trace_format(trace), 24, ascii));
	dp_text__devices(&words, trace, ascii);
	dp_words__add(&words, ", %s",
		      dp_human__duration(number, (double)dp_trace_duration_ns(trace), ascii));
	dp_text__blanks(render, 8);
	dp_text__wrap(render, 8, 8, words.text);
}

/* A difference without its sign; that of two shares is no share but percentage points. */
static char *size_of(char buf[DP_NUMBER_SIZE], double value, const char *unit, bool ascii)
{
	if (strcmp(unit, "1") != 0 || !isfinite(value))
		return dp_human__value(buf, fabs(value), unit, ascii);
	snprintf(buf, DP_NUMBER_SIZE, "%.1f pp", fabs(value) * 100);
	return buf;
}

/* "+1.234 ms" */
static char *signed_value(char buf[WORDS], double value, const char *unit, bool ascii)
{
	char number[DP_NUMBER_SIZE];

	size_of(number, value, unit, ascii);
	snprintf(buf, WORDS, "%s%s", !isfinite(value) ? "" : value < 0 ? "-" : "+", number);
	return buf;
}

/* "12.3% faster", "2.40 times as long"; of a ratio of times. */
static char *verdict(char buf[WORDS], double ratio, bool words)
{
	char number[DP_NUMBER_SIZE];

	if (ratio >= 2) {
		snprintf(buf, WORDS, "%.2f times as long", ratio);
		return buf;
	}
	dp_human__share(number, fabs(ratio - 1));
	snprintf(buf, WORDS, "%s%s", number, !words ? "" : ratio < 1 ? " faster" : " slower");
	return buf;
}

/* "11.9% to 12.8%", the smaller change first; "0.8% faster to 1.1% slower"; "1.9 to 2.4 times". */
static void add_limits(struct dp_words *words, const struct dp_difference *time, double confidence)
{
	bool both = time->ratio_low < 1 && time->ratio_high > 1;
	bool faster = time->ratio_high <= 1;
	char least[WORDS], most[WORDS];

	dp_words__add(words, " (%g%% sure: ", confidence * 100);
	if (isinf(time->ratio_high)) {
		dp_words__add(words, "%.2f times or more)", time->ratio_low);
		return;
	}
	if (time->ratio_high >= 2) {
		dp_words__add(words, "%.2f to %.2f times)", time->ratio_low, time->ratio_high);
		return;
	}
	verdict(least, faster ? time->ratio_high : time->ratio_low, both);
	verdict(most, faster ? time->ratio_low : time->ratio_high, both);
	dp_words__add(words, "%s to %s)", least, most);
}

/* What an iteration's time is told by: its period; where all are interrupted, its duration. */
static const struct dp_difference *time_of(const struct dp_comparison *comparison, size_t pair)
{
	const struct dp_difference *period =
		dp_pair_metric(comparison, pair, metric_named("period_ns"));

	if (period->count[0] && period->count[1])
		return period;
	return dp_pair_metric(comparison, pair, metric_named("duration_ns"));
}

static void add_times(struct dp_words *words, const struct dp_difference *time, bool ascii)
{
	char before[DP_NUMBER_SIZE], after[DP_NUMBER_SIZE];

	dp_words__add(words, "%s, now %s", dp_human__duration(before, time->value[0], ascii),
		      dp_human__duration(after, time->value[1], ascii));
}

/* What is said of a change, in a word or two. */
static void judge(char buf[WORDS], const struct dp_difference *time)
{
	bool faster = time->high<0, slower = time->low> 0;

	if (dp_difference_is_sure(time))
		verdict(buf, time->value[1] / time->value[0], true);
	else
		snprintf(buf, WORDS, "%s",
			 faster	  ? "hardly faster"
			 : slower ? "hardly slower"
				  : "no sure difference");
}

/* Writes the word that all is about, and gathers the rest. Returns the word's width. */
static size_t write_verdict(struct dp_render *render, struct dp_words *words,
			    const struct dp_comparison *comparison, size_t pair)
{
	const struct dp_difference *time = time_of(comparison, pair);
	const char *style = !dp_difference_is_sure(time) ? DP_STYLE_HEAD
			    : time->change < 0		 ? "1;32"
							 : DP_STYLE_RED;
	char number[WORDS];

	if (!time->count[0] || !time->count[1]) {
		snprintf(number, sizeof(number), "not comparable");
		dp_words__add(words, ": a run has no iteration that is whole and undisturbed");
	} else {
		judge(number, time);
		dp_words__add(words, ": ");
		add_times(words, time, render->options->ascii);
		if (isfinite(time->ratio_low))
			add_limits(words, time, dp_comparison_confidence(comparison));
		else
			dp_words__add(words, " (from %zu and %zu iterations; 4 are needed)",
				      time->count[0], time->count[1]);
	}
	dp_text__styled(render, style, number);
	return strlen(number);
}

/* Where a loop is, if there are several GPUs: ", GPU 1". */
static void add_place(char buf[DP_LABEL_SIZE + 2], const struct dp_comparison *comparison,
		      size_t pair, int run)
{
	const struct dp_trace *trace = dp_analysis_trace(analysis_of(comparison, run));
	char device[DP_LABEL_SIZE];

	buf[0] = '\0';
	if (dp_trace_device_count(trace) > 1)
		snprintf(buf, DP_LABEL_SIZE + 2, ", %s",
			 dp_text__device(device, trace, loop_of(comparison, pair, run)->device));
}

/* "Loop 0", "Loop 0, GPU 1 (after: loop 2, GPU 0)". Returns its width. */
static size_t write_id(struct dp_render *render, const struct dp_comparison *comparison,
		       size_t pair)
{
	uint32_t before = loop_of(comparison, pair, 0)->id;
	uint32_t after = loop_of(comparison, pair, 1)->id;
	char places[2][DP_LABEL_SIZE + 2];
	struct dp_words words = { 0 };

	for (int run = 0; run < 2; run++)
		add_place(places[run], comparison, pair, run);
	dp_words__add(&words, "Loop %u%s", before, places[0]);
	if (before != after || strcmp(places[0], places[1]) != 0)
		dp_words__add(&words, " (after: loop %u%s)", after, places[1]);
	dp_text__styled(render, DP_STYLE_HEAD, words.text);
	dp_render__text(render, "  ");
	return words.used + 2;
}

/* "Loop 0  20 iterations of 181 kernels; after: 24 of 176; 92.0% the same" */
static void write_title(struct dp_render *render, const struct dp_comparison *comparison,
			size_t index)
{
	const struct dp_loop_pair *pair = dp_comparison_pair(comparison, index);
	const struct dp_loop *before = loop_of(comparison, index, 0);
	const struct dp_loop *after = loop_of(comparison, index, 1);
	char number[2][DP_NUMBER_SIZE], share[DP_NUMBER_SIZE], digits[2][DP_TEXT_SIZE];
	struct dp_words words = { 0 };
	size_t used = write_id(render, comparison, index);

	dp_words__add(&words, "%s of %s; after: %s of %s; %s the same",
		      dp_text__plural(number[0], before->complete, "iteration"),
		      dp_text__plural(number[1], before->length, "kernel"),
		      dp_text__count(digits[0], after->complete),
		      dp_text__count(digits[1], after->length),
		      dp_human__share(share, 2.0 * (double)pair->same /
						     (double)(before->length + after->length)));
	if (pair->by_time)
		dp_words__add(&words, "; compared because each took much of its run's time");
	dp_text__wrap(render, used, INDENT, words.text);
}

static void gather(struct dp_spark *spark, const struct dp_comparison *comparison, size_t index,
		   int run, size_t metric, size_t room)
{
	const struct dp_analysis *analysis = analysis_of(comparison, run);
	const struct dp_loop *loop = loop_of(comparison, index, run);

	dp_spark__init(spark, loop->iterations, room);
	for (size_t k = 0; k < loop->iterations; k++)
		if (dp_loop_is_steady(analysis, loop->id, k))
			dp_spark__add(spark, k, dp_loop_metric(analysis, loop->id, metric, k),
				      false);
}

/* The periods of both runs as bars on one scale. */
static void write_sparks(struct dp_render *render, const struct dp_comparison *comparison,
			 size_t index)
{
	size_t room = ((struct dp_text *)render->state)->width - BODY - 24, wide = 0;
	size_t metric = metric_named("period_ns");
	double low[2], high[2];
	bool ascii = render->options->ascii;
	struct dp_spark spark[2];
	char number[2][DP_NUMBER_SIZE];

	for (int run = 0; run < 2; run++) {
		gather(&spark[run], comparison, index, run, metric, room);
		if (!dp_spark__range(&spark[run], &low[run], &high[run]))
			return;
		wide = DP_MAX(wide, spark[run].columns);
	}
	for (int run = 0; run < 2; run++) {
		dp_text__label(render, run_words[run]);
		dp_text__style_begin(render, DP_STYLE_GREEN);
		dp_spark__draw_within(render, &spark[run], fmin(low[0], low[1]),
				      fmax(high[0], high[1]));
		dp_text__style_end(render);
		dp_text__blanks(render, wide - spark[run].columns);
		dp_render__format(render, "  %s to %s\n",
				  dp_human__duration(number[0], low[run], ascii),
				  dp_human__duration(number[1], high[run], ascii));
	}
}

static bool is_narrow(const struct dp_render *render)
{
	return ((const struct dp_text *)render->state)->width < NARROW;
}

/* A table's head: numbers, and what the rows are about. */
static void write_head(struct dp_render *render, int columns, const char *title)
{
	dp_render__text(render, "\n");
	dp_text__style_begin(render, DP_STYLE_DIM);
	dp_render__format(render, "%*s%*s%*s", columns, run_words[0], columns, run_words[1],
			  columns, "change");
	if (!is_narrow(render))
		dp_text__column(render, render->options->ascii ? "+-" : "\xc2\xb1", -columns);
	dp_render__format(render, "  %s", title);
	dp_text__style_end(render);
	dp_render__text(render, "\n");
}

/* A number at the right of its column, and never without a blank before it. */
static void write_number(struct dp_render *render, const char *number, int columns)
{
	dp_text__blanks(render, 1);
	dp_text__column(render, number, 1 - columns);
}

static void write_numbers(struct dp_render *render, const struct dp_difference *at,
			  const char *unit, int columns)
{
	double wide = (at->high - at->low) / 2;
	bool ascii = render->options->ascii, time = !strcmp(unit, "ns") && isfinite(wide);
	char number[WORDS];

	for (int run = 0; run < 2; run++)
		write_number(render, dp_human__value(number, at->value[run], unit, ascii), columns);
	write_number(render, signed_value(number, at->change, unit, ascii), columns);
	if (time)
		dp_human__rough(number, wide, ascii);
	else
		size_of(number, wide, unit, ascii);
	if (!is_narrow(render))
		write_number(render, number, columns);
	dp_text__blanks(render, 2);
}

static void write_parts(struct dp_render *render, const struct dp_comparison *comparison,
			size_t pair)
{
	const struct dp_pair_part *part, *period = NULL;
	double least_ns;

	for (size_t i = 0; (part = dp_pair_part(comparison, pair, i)); i++)
		period = part;
	if (!period)
		return;
	least_ns = LEAST_PART * fmax(period->mean.value[0], period->mean.value[1]);
	write_head(render, COLUMN, "an iteration, on average");
	for (size_t i = 0; (part = dp_pair_part(comparison, pair, i)); i++) {
		if (!(fmax(part->mean.value[0], part->mean.value[1]) >= least_ns))
			continue;
		dp_text__style_begin(render, part == period			  ? DP_STYLE_HEAD
					     : dp_difference_is_sure(&part->mean) ? "0"
										  : DP_STYLE_DIM);
		write_numbers(render, &part->mean, "ns", COLUMN);
		dp_render__text(render,
				part == period ? "all of it" : dp_text__part_words(part->metric));
		dp_text__style_end(render);
		dp_render__text(render, "\n");
	}
}

/* Is it worth a row: a change that is known, and not a trifle? */
static bool is_shown(const struct dp_render *render, const struct dp_pair_kernel *kernel,
		     double period_ns)
{
	if (render->options->all)
		return true;
	if (kernel->kind == DP_KERNEL_SAME ||
	    (kernel->kind == DP_KERNEL_REPLACED && kernel->ns.low <= 0 && kernel->ns.high >= 0))
		return false;
	return fabs(kernel->ns.change) >= LEAST_KERNEL * period_ns;
}

/* The rows of the table, and the names in them. */
struct rows {
	const struct dp_pair_kernel **kernels;
	const char **names; /* two for each, "" where there is none */
	size_t *places;	    /* where they differ from one like it */
	size_t count;
	size_t more; /* rows that are not shown */
};

static size_t name_column(const struct dp_render *render)
{
	return (is_narrow(render) ? 3 : 4) * COLUMN + 2 + KIND_COLUMN;
}

/* Columns for a name; where there are many of the kernel, their number stands behind it. */
static size_t name_room(const struct dp_render *render)
{
	size_t width = ((struct dp_text *)render->state)->width;

	return DP_MAX(width, name_column(render) + 16) - name_column(render);
}

static void write_kernel(struct dp_render *render, const struct rows *rows, size_t row)
{
	const struct dp_pair_kernel *kernel = rows->kernels[row];
	const char *const *names = rows->names + 2 * row;
	const size_t *places = rows->places + 2 * row;
	struct dp_difference times = kernel->ns;
	char label[DP_LABEL_SIZE], count[DP_NUMBER_SIZE] = "";
	size_t room = name_room(render), first = names[0][0] ? 0 : 1;
	bool ascii = render->options->ascii;

	/* What a run does not have is no 0. */
	if (kernel->kind == DP_KERNEL_ADDED || kernel->kind == DP_KERNEL_REMOVED)
		times.value[kernel->kind == DP_KERNEL_REMOVED] = (double)NAN;
	write_numbers(render, &times, "ns", COLUMN);
	if (kernel->kind == DP_KERNEL_BESIDE) {
		dp_render__text(render, "kernels of some iterations only\n");
		return;
	}
	dp_text__column(render, dp_kernel_change_name(kernel->kind), KIND_COLUMN);
	if (kernel->places > 1)
		snprintf(count, sizeof(count), " (%zu)", kernel->places);
	dp_render__text(render, dp_label__kernel_at(label, names[first], places[first],
						    room - strlen(count), ascii));
	dp_render__format(render, "%s\n", count);
	if (kernel->kind != DP_KERNEL_REPLACED)
		return;
	dp_text__blanks(render, name_column(render) - 3);
	dp_render__format(render, "%s %s\n", ascii ? "->" : " \xe2\x86\x92",
			  dp_label__kernel_at(label, names[1], places[1], room, ascii));
}

/* Those that are shown. False without memory. */
static bool choose_rows(struct rows *rows, const struct dp_render *render,
			const struct dp_comparison *comparison, size_t pair)
{
	size_t most = render->options->all	 ? SIZE_MAX
		      : render->options->verbose ? KERNELS_MANY
						 : KERNELS_MOST;
	const struct dp_difference *time = time_of(comparison, pair);
	double period_ns = fmax(time->value[0], time->value[1]);
	const struct dp_pair_kernel *kernel;
	size_t all = 0;

	while (dp_pair_kernel(comparison, pair, all))
		all++;
	rows->kernels = dp_alloc__array(all, sizeof(*rows->kernels));
	rows->names = dp_alloc__array(all, 2 * sizeof(*rows->names));
	rows->places = dp_alloc__array(all, 2 * sizeof(*rows->places));
	if (!rows->kernels || !rows->names || !rows->places)
		return false;
	for (size_t i = 0; (kernel = dp_pair_kernel(comparison, pair, i)); i++) {
		if (!is_shown(render, kernel, period_ns))
			continue;
		if (rows->count >= most) {
			rows->more++;
			continue;
		}
		for (int run = 0; run < 2; run++)
			rows->names[2 * rows->count + (size_t)run] =
				kernel->name[run] ? kernel->name[run] : "";
		rows->kernels[rows->count++] = kernel;
	}
	return !dp_label__tell_apart(rows->places, rows->names, 2 * rows->count,
				     name_room(render) - 5, render->options->ascii);
}

static void write_kernels(struct dp_render *render, const struct dp_comparison *comparison,
			  size_t pair)
{
	struct rows rows = { .count = 0 };
	char number[DP_NUMBER_SIZE];

	if (!choose_rows(&rows, render, comparison, pair)) {
		render->status = dp_error__nomem(render->error, 0);
		goto out;
	}
	if (rows.count)
		write_head(render, COLUMN, "kernels (how many)");
	for (size_t i = 0; i < rows.count; i++)
		write_kernel(render, &rows, i);
	if (rows.more)
		dp_render__format(render, "and %s (%s shows %s)\n",
				  dp_text__plural(number, rows.more, "more change"),
				  render->options->verbose ? "-vv" : "-v",
				  rows.more + rows.count > KERNELS_MANY && !render->options->verbose
					  ? "more"
					  : "all");
out:
	free(rows.kernels);
	free(rows.names);
	free(rows.places);
}

static void write_finding(struct dp_render *render, const char *what,
			  const struct dp_pair_finding *both)
{
	const struct dp_finding *before = both->finding[0], *after = both->finding[1];
	const struct dp_finding *now = after ? after : before;
	bool ascii = render->options->ascii;
	char number[DP_NUMBER_SIZE];
	size_t used;

	dp_text__label(render, what);
	used = BODY + dp_text__severity(render, now->severity) + 1;
	dp_render__format(render, " %s", now->rule);
	used += strlen(now->rule);
	if (isfinite(now->recoverable_ns)) {
		struct dp_words words = { 0 };

		dp_words__add(&words, "%s %s of an iteration", after ? "costs" : "cost",
			      dp_human__duration(number, now->recoverable_ns, ascii));
		if (before && after && isfinite(before->recoverable_ns))
			dp_words__add(&words, ", before: %s",
				      dp_human__duration(number, before->recoverable_ns, ascii));
		dp_render__text(render, ": ");
		dp_text__wrap(render, used + 2, BODY, words.text);
	} else {
		dp_render__text(render, "\n");
	}
}

/* Findings that came, then those that stayed, then those that went. */
static void write_findings(struct dp_render *render, const struct dp_comparison *comparison,
			   size_t pair)
{
	static const struct {
		bool has[2];
		const char *word;
	} kinds[] = { { { false, true }, "new" },
		      { { true, true }, "still" },
		      { { true, false }, "gone" } };
	const struct dp_pair_finding *both;
	size_t shown = 0;

	for (size_t kind = 0; kind < DP_COUNT(kinds); kind++) {
		for (size_t i = 0; (both = dp_pair_finding(comparison, pair, i)); i++) {
			if (!both->finding[0] == kinds[kind].has[0] ||
			    !both->finding[1] == kinds[kind].has[1])
				continue;
			if (shown >= FINDINGS_MOST && !render->options->verbose)
				return;
			if (!shown++)
				dp_render__text(render, "\n");
			write_finding(render, kinds[kind].word, both);
		}
	}
}

/* Any value but 0 in either run? */
static bool has_something(const struct dp_difference *at)
{
	return (at->count[0] && fabs(at->value[0]) > 0) || (at->count[1] && fabs(at->value[1]) > 0);
}

/* All metrics that have values, their medians. */
static void write_metrics(struct dp_render *render, const struct dp_comparison *comparison,
			  size_t pair)
{
	const struct dp_metric_info *info;
	char title[DP_NUMBER_SIZE];

	write_head(render, WIDE, "medians of metrics");
	for (size_t i = 0; (info = dp_metric(i)); i++) {
		const struct dp_difference *at = dp_pair_metric(comparison, pair, i);

		if (!dp_render__shows(render, info) || !has_something(at))
			continue;
		dp_text__style_begin(render, dp_difference_is_sure(at) ? "0" : DP_STYLE_DIM);
		/* The one unit that is a long word would leave its column. */
		write_numbers(render, at, strcmp(info->unit, "operations") ? info->unit : "ops",
			      WIDE);
		dp_render__text(render, dp_text__title(title, info->name));
		dp_text__style_end(render);
		dp_render__text(render, "\n");
	}
}

static void write_pair(struct dp_render *render, const struct dp_comparison *comparison,
		       size_t pair)
{
	struct dp_words words = { 0 };
	size_t used;

	dp_render__text(render, "\n");
	write_title(render, comparison, pair);
	dp_text__blanks(render, INDENT);
	used = INDENT + write_verdict(render, &words, comparison, pair);
	dp_text__wrap(render, used, INDENT, words.text);
	write_sparks(render, comparison, pair);
	write_parts(render, comparison, pair);
	write_kernels(render, comparison, pair);
	if (render->options->verbose)
		write_metrics(render, comparison, pair);
	write_findings(render, comparison, pair);
}

/* A pair that is not shown in full. */
static void write_line(struct dp_render *render, const struct dp_comparison *comparison,
		       size_t pair)
{
	size_t used = write_id(render, comparison, pair);
	struct dp_words words = { 0 };

	used += write_verdict(render, &words, comparison, pair);
	dp_text__wrap(render, used, INDENT, words.text);
}

/* A loop without a counterpart. */
static void write_single(struct dp_render *render, const struct dp_loop *loop, int run)
{
	char number[DP_NUMBER_SIZE], more[DP_NUMBER_SIZE];

	dp_render__format(render, "Loop %u of the run %s, %s of %s, has no counterpart\n", loop->id,
			  run_words[run], dp_text__plural(number, loop->complete, "iteration"),
			  dp_text__plural(more, loop->length, "kernel"));
}

static void write_alone(struct dp_render *render, const struct dp_comparison *comparison)
{
	bool any = false;

	for (int run = 0; run < 2; run++) {
		for (size_t i = 0; dp_comparison__next_alone(comparison, (enum dp_run)run, &i);
		     i++) {
			dp_render__text(render, any ? "" : "\n");
			write_single(render, dp_analysis_loop(analysis_of(comparison, run), i),
				     run);
			any = true;
		}
	}
}

/* Why nothing could be compared. */
static void write_nothing(struct dp_render *render, const struct dp_comparison *comparison)
{
	dp_render__text(render, "\n");
	for (int run = 0; run < 2; run++)
		if (!dp_analysis_loop_count(analysis_of(comparison, run)))
			dp_render__format(render, "No iterations were found in the run %s.\n",
					  run_words[run]);
	if (dp_analysis_loop_count(analysis_of(comparison, 0)) &&
	    dp_analysis_loop_count(analysis_of(comparison, 1)))
		dp_render__text(render, "No loop of one run is like one of the other.\n");
}

static void write_all(struct dp_render *render, const struct dp_comparison *comparison)
{
	struct dp_text text = { .width = DP_MAX(60,
						DP_MIN(render->options->width, DP_LABEL_COLUMNS)) };
	size_t pairs = dp_comparison_pair_count(comparison);

	render->state = &text;
	for (int run = 0; run < 2; run++)
		write_source(render, comparison, run);
	for (size_t i = 0; i < pairs; i++) {
		if (!i || render->options->verbose) {
			write_pair(render, comparison, i);
			continue;
		}
		if (i == 1)
			dp_render__text(render, "\n");
		write_line(render, comparison, i);
	}
	if (!pairs)
		write_nothing(render, comparison);
	write_alone(render, comparison);
	render->state = NULL;
}

const struct dp_comparison_renderer dp_comparison_renderer__compare_text = {
	.info = { "text", "txt", "one screen for people", false, true },
	.write = write_all,
};
