/*
 * Two runs on one screen: did an iteration get faster, is that significant, which parts of it
 * changed and which kernels.
 */
#include "report/compare_words.h"
#include "report/sparkline.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INDENT DP_TEXT_INDENT
#define BODY DP_TEXT_BODY
#define COLUMN 10     /* of a number */
#define WIDE 13	      /* of one with any unit */
#define KIND_COLUMN 9 /* "replaced " */
#define CALLS_MOST 11 /* " (100 → 90)": longer ones may not narrow all names */
#define NAME_LEAST 12 /* fewest columns for a name */
#define NARROW 74     /* fewest columns of a screen for confidence intervals */

/* Rows of the short report. */
#define KERNELS_MOST 6
#define FINDINGS_MOST 6
#define KERNELS_MANY 40 /* that the verbose one has */

/* Smaller shares of the period are left out. */
#define LEAST_PART 0.005

static const char *const run_words[] = { "before", "after" };

/* The index of a metric, which exists. */
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

/* Writes the word of the verdict. Returns its width. */
static size_t write_verdict(struct dp_render *render, struct dp_words *words,
			    const struct dp_comparison *comparison, size_t pair)
{
	static const char *const styles[] = { [DP_VERDICT_FASTER] = "1;32",
					      [DP_VERDICT_SLOWER] = DP_STYLE_RED,
					      [DP_VERDICT_SAME] = DP_STYLE_HEAD,
					      [DP_VERDICT_UNKNOWN] = DP_STYLE_HEAD };
	struct dp_verdict verdict;

	dp_verdict__of(&verdict, comparison, pair, render->options->ascii);
	dp_words__add(words, ": %s", verdict.detail.text);
	dp_text__styled(render, styles[verdict.kind], verdict.headline);
	return strlen(verdict.headline);
}

/* "Loop 0, GPU 1". Returns its width. */
static size_t write_id(struct dp_render *render, const struct dp_comparison *comparison,
		       size_t pair)
{
	struct dp_words words = { 0 };

	dp_compare_words__loops(&words, comparison, pair);
	dp_text__styled(render, DP_STYLE_HEAD, words.text);
	dp_render__text(render, "  ");
	return words.used + 2;
}

static void write_title(struct dp_render *render, const struct dp_comparison *comparison,
			size_t index)
{
	struct dp_words words = { 0 };
	size_t used = write_id(render, comparison, index);

	dp_compare_words__match(&words, render, comparison, index);
	dp_text__wrap(render, used, INDENT, words.text);
}

/* Sets the bars and the smallest value, which the bar of several does not show; NaN if none. */
static void gather(struct dp_sparkline *bars, double *least, const struct dp_comparison *comparison,
		   size_t index, int run, size_t metric, size_t room)
{
	const struct dp_analysis *analysis = analysis_of(comparison, run);
	const struct dp_loop *loop = loop_of(comparison, index, run);

	*least = (double)NAN;
	dp_sparkline__init(bars, loop->iterations, room);
	for (size_t k = 0; k < loop->iterations; k++) {
		double value = dp_analysis_loop_metric(analysis, loop->id, metric, k);

		if (!dp_analysis_loop_is_steady(analysis, loop->id, k))
			continue;
		dp_sparkline__add(bars, k, value, 0);
		*least = fmin(*least, value);
	}
}

/* Draws the periods of both runs as bars on one scale. */
static void write_sparklines(struct dp_render *render, const struct dp_comparison *comparison,
			     size_t index)
{
	size_t room = ((struct dp_text *)render->state)->width - BODY - 24, wide = 0;
	size_t metric = metric_named("period_ns");
	double low[2], high[2], least[2];
	bool ascii = render->options->ascii;
	struct dp_sparkline bars[2];
	char number[DP_COMPARE_WORDS];

	for (int run = 0; run < 2; run++) {
		gather(&bars[run], &least[run], comparison, index, run, metric, room);
		if (!dp_sparkline__range(&bars[run], &low[run], &high[run]))
			return;
		wide = DP_MAX(wide, bars[run].columns);
	}
	for (int run = 0; run < 2; run++) {
		dp_text__label(render, run_words[run]);
		dp_text__style_begin(render, DP_STYLE_GREEN);
		dp_sparkline__draw_within(render, &bars[run], fmin(low[0], low[1]),
					  fmax(high[0], high[1]));
		dp_text__style_end(render);
		dp_text__blanks(render, wide - bars[run].columns);
		dp_render__format(render, "  %s\n",
				  dp_human__range(number, least[run], high[run], ascii));
	}
}

static bool is_narrow(const struct dp_render *render)
{
	return ((const struct dp_text *)render->state)->width < NARROW;
}

/* Writes a table's head: titles of the numbers and of the rows. */
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

/* Writes a number right-aligned in its column, always after a space. */
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
	char number[DP_COMPARE_WORDS];

	for (int run = 0; run < 2; run++)
		write_number(render, dp_human__value(number, at->value[run], unit, ascii), columns);
	write_number(render, dp_compare_words__signed(number, at->change, unit, ascii), columns);
	if (time)
		dp_human__rough(number, wide, ascii);
	else
		dp_compare_words__size(number, wide, unit, ascii);
	if (!is_narrow(render))
		write_number(render, number, columns);
	dp_text__blanks(render, 2);
}

static void write_parts(struct dp_render *render, const struct dp_comparison *comparison,
			size_t pair)
{
	const struct dp_pair_part *part, *period = NULL;
	char change[DP_COMPARE_WORDS];
	double least_ns;

	for (size_t i = 0; (part = dp_pair_part(comparison, pair, i)); i++)
		period = part;
	if (!period)
		return;
	least_ns = LEAST_PART * fmax(period->mean.value[0], period->mean.value[1]);
	write_head(render, COLUMN, "part of the mean period");
	for (size_t i = 0; (part = dp_pair_part(comparison, pair, i)); i++) {
		if (!(fmax(part->mean.value[0], part->mean.value[1]) >= least_ns))
			continue;
		dp_text__style_begin(render, part == period			  ? DP_STYLE_HEAD
					     : dp_difference_is_significant(&part->mean) ? "0"
										  : DP_STYLE_DIM);
		write_numbers(render, &part->mean, "ns", COLUMN);
		dp_render__text(render, part == period ? "mean period"
						       : dp_compare_words__part(part->metric));
		if (part == period && dp_difference_is_significant(&part->mean))
			dp_render__format(render, ": %s",
					  dp_compare_words__percent(change, part->mean.value));
		dp_text__style_end(render);
		dp_render__text(render, "\n");
	}
}

/* The rows of the table, and their names. */
struct rows {
	const struct dp_pair_kernel **kernels;
	const char **names; /* two for each kernel, "" if there is none; one for each position */
	size_t *places;	    /* where they differ from a similar one */
	size_t count;
	size_t more; /* rows that are not shown */
	size_t room; /* columns for a name, */
	size_t calls; /* columns behind a name for calls; rare longer ones take more */
};

static size_t name_column(const struct dp_render *render)
{
	return (is_narrow(render) ? 3 : 4) * COLUMN + 2 + KIND_COLUMN;
}

/* Columns for a name and its calls. */
static size_t name_room(const struct dp_render *render)
{
	size_t width = ((struct dp_text *)render->state)->width;

	return DP_MAX(width, name_column(render) + NAME_LEAST) - name_column(render);
}

/* Writes " (26 → 15)", the calls before and after; for a kernel in one run, its calls there. */
static size_t calls_text(char buf[DP_COMPARE_WORDS], const struct dp_pair_kernel *kernel,
			 bool ascii)
{
	double calls[2] = { kernel->calls[0], kernel->calls[1] };
	char text[DP_COMPARE_WORDS];

	for (int run = 0; run < 2; run++)
		if (!kernel->name[run])
			calls[run] = calls[!run];
	snprintf(buf, DP_COMPARE_WORDS, " (%s)", dp_compare_words__calls(text, calls, ascii));
	return dp_label_width(buf);
}

static void write_kernel(struct dp_render *render, const struct rows *rows, size_t row)
{
	const struct dp_pair_kernel *kernel = rows->kernels[row];
	const char *const *names = rows->names + 2 * row;
	const size_t *places = rows->places + 2 * row;
	struct dp_difference times = kernel->ns;
	char label[DP_LABEL_SIZE], calls[DP_COMPARE_WORDS];
	size_t first = names[0][0] ? 0 : 1, room;
	bool ascii = render->options->ascii;

	/* a kernel that a run lacks has no time, rather than 0 */
	if (kernel->kind == DP_KERNEL_ADDED || kernel->kind == DP_KERNEL_REMOVED)
		times.value[kernel->kind == DP_KERNEL_REMOVED] = (double)NAN;
	write_numbers(render, &times, "ns", COLUMN);
	dp_text__column(render, dp_compare_words__kind(kernel), KIND_COLUMN);
	room = rows->room + rows->calls;
	room -= DP_MIN(calls_text(calls, kernel, ascii), room - 1);
	dp_render__text(render, dp_label__kernel_at(label, names[first], places[first],
						    DP_MIN(room, rows->room), ascii));
	dp_render__format(render, "%s\n", calls);
	if (kernel->kind != DP_KERNEL_REPLACED)
		return;
	dp_text__blanks(render, name_column(render) - 3);
	dp_render__format(render, "%s %s\n", ascii ? "->" : " \xe2\x86\x92",
			  dp_label__kernel_at(label, names[1], places[1], rows->room, ascii));
}

/* Chooses the rows that are shown. Returns false if memory runs out. */
static bool choose_rows(struct rows *rows, const struct dp_render *render,
			const struct dp_comparison *comparison, size_t pair)
{
	size_t most = render->options->all	 ? SIZE_MAX
		      : render->options->verbose ? KERNELS_MANY
						 : KERNELS_MOST;
	double period_ns = dp_compare_words__period(comparison, pair);
	const struct dp_pair_kernel *kernel;
	char calls[DP_COMPARE_WORDS];
	size_t all = 0, wide = 0;

	while (dp_pair_kernel(comparison, pair, all))
		all++;
	rows->kernels = dp_alloc__array(all, sizeof(*rows->kernels));
	rows->names = dp_alloc__array(all, 2 * sizeof(*rows->names));
	rows->places = dp_alloc__array(all, 2 * sizeof(*rows->places));
	if (!rows->kernels || !rows->names || !rows->places)
		return false;
	for (size_t i = 0; (kernel = dp_pair_kernel(comparison, pair, i)); i++) {
		if (!render->options->all && !dp_compare_words__shows(kernel, period_ns))
			continue;
		if (rows->count >= most) {
			rows->more++;
			continue;
		}
		for (int run = 0; run < 2; run++)
			rows->names[2 * rows->count + (size_t)run] =
				kernel->name[run] ? kernel->name[run] : "";
		rows->kernels[rows->count++] = kernel;
		wide = DP_MAX(wide, calls_text(calls, kernel, render->options->ascii));
	}
	rows->calls = DP_MIN(wide, (size_t)CALLS_MOST);
	rows->room = DP_MAX(name_room(render), rows->calls + NAME_LEAST) - rows->calls;
	return !dp_label__tell_apart(rows->places, rows->names, 2 * rows->count, rows->room,
				     render->options->ascii);
}

/* Writes how many rows are not shown. */
static void write_more(struct dp_render *render, const struct rows *rows, const char *what)
{
	bool verbose = render->options->verbose;
	char number[DP_NUMBER_SIZE];

	if (rows->more)
		dp_render__format(render, "and %s (%s shows %s)\n",
				  dp_text__plural(number, rows->more, what), verbose ? "-vv" : "-v",
				  rows->more + rows->count > KERNELS_MANY && !verbose ? "more"
										      : "all");
}

static void write_kernels(struct dp_render *render, const struct dp_comparison *comparison,
			  size_t pair)
{
	struct rows rows = { .count = 0 };

	if (!choose_rows(&rows, render, comparison, pair)) {
		render->status = dp_error__nomem(render->error, 0);
		goto out;
	}
	if (rows.count)
		write_head(render, COLUMN, "kernel (calls per iteration)");
	for (size_t i = 0; i < rows.count; i++)
		write_kernel(render, &rows, i);
	write_more(render, &rows, "more change");
out:
	free(rows.kernels);
	free(rows.names);
	free(rows.places);
}

/* Chooses the kernels of both runs as rows. Returns false if memory runs out. */
static bool choose_calls(struct rows *rows, const struct dp_render *render,
			 const struct dp_comparison *comparison, size_t pair)
{
	size_t most = render->options->all	 ? SIZE_MAX
		      : render->options->verbose ? KERNELS_MANY
						 : KERNELS_MOST;
	const struct dp_pair_kernel *kernel;
	struct dp_difference ns;
	size_t all = 0;

	while (dp_pair_kernel(comparison, pair, all))
		all++;
	rows->kernels = dp_alloc__array(all, sizeof(*rows->kernels));
	rows->names = dp_alloc__array(all, sizeof(*rows->names));
	rows->places = dp_alloc__array(all, sizeof(*rows->places));
	if (!rows->kernels || !rows->names || !rows->places)
		return false;
	for (size_t i = 0; (kernel = dp_pair_kernel(comparison, pair, i)); i++) {
		if (!dp_compare_words__per_call(&ns, kernel))
			continue;
		if (rows->count >= most) {
			rows->more++;
			continue;
		}
		rows->names[rows->count] = kernel->name[0];
		rows->kernels[rows->count++] = kernel;
	}
	rows->room = name_room(render) + KIND_COLUMN;
	return !dp_label__tell_apart(rows->places, rows->names, rows->count, rows->room,
				     render->options->ascii);
}

/* Writes what compares if iterations are other units of work: the captures and single calls. */
static void write_apart(struct dp_render *render, const struct dp_comparison *comparison,
			size_t pair)
{
	struct rows rows = { .count = 0 };
	struct dp_words words = { 0 };
	struct dp_difference ns;
	char label[DP_LABEL_SIZE];

	dp_compare_words__whole(&words, comparison, render->options->ascii);
	dp_text__blanks(render, INDENT);
	dp_text__wrap(render, INDENT, INDENT, words.text);
	if (!choose_calls(&rows, render, comparison, pair)) {
		render->status = dp_error__nomem(render->error, 0);
		goto out;
	}
	if (rows.count)
		write_head(render, COLUMN, "kernel (mean time of one call)");
	for (size_t i = 0; i < rows.count; i++) {
		dp_compare_words__per_call(&ns, rows.kernels[i]);
		write_numbers(render, &ns, "ns", COLUMN);
		dp_render__format(render, "%s\n",
				  dp_label__kernel_at(label, rows.names[i], rows.places[i],
						      rows.room, render->options->ascii));
	}
	write_more(render, &rows, "more kernel");
out:
	free(rows.kernels);
	free(rows.names);
	free(rows.places);
}

/* The run whose kernel a position shows: the first unless only the second has it. */
static int run_of(const struct dp_pair_place *place)
{
	return place->index[0] != SIZE_MAX ? 0 : 1;
}

static const char *name_at(const struct dp_comparison *comparison, size_t pair,
			   const struct dp_pair_place *place)
{
	int run = run_of(place);

	return dp_analysis_loop_kernel(analysis_of(comparison, run),
				       loop_of(comparison, pair, run)->id, place->index[run]);
}

/* Chooses all positions as rows. Returns false if memory runs out. */
static bool choose_places(struct rows *rows, const struct dp_render *render,
			  const struct dp_comparison *comparison, size_t pair)
{
	const struct dp_pair_place *place;

	while (dp_pair_place(comparison, pair, rows->count))
		rows->count++;
	rows->room = name_room(render);
	rows->names = dp_alloc__array(rows->count, sizeof(*rows->names));
	rows->places = dp_alloc__array(rows->count, sizeof(*rows->places));
	if (!rows->names || !rows->places)
		return false;
	for (size_t i = 0; (place = dp_pair_place(comparison, pair, i)); i++)
		rows->names[i] = name_at(comparison, pair, place);
	return !dp_label__tell_apart(rows->places, rows->names, rows->count, rows->room,
				     render->options->ascii);
}

/* Writes all positions of the patterns; a position in only one pattern has one number. */
static void write_places(struct dp_render *render, const struct dp_comparison *comparison,
			 size_t pair)
{
	struct rows rows = { .count = 0 };
	char number[DP_NUMBER_SIZE], label[DP_LABEL_SIZE];

	if (!choose_places(&rows, render, comparison, pair)) {
		render->status = dp_error__nomem(render->error, 0);
		goto out;
	}
	for (size_t i = 0; i < rows.count; i++) {
		const struct dp_pair_place *place = dp_pair_place(comparison, pair, i);
		int run = run_of(place);

		if (!i)
			write_head(render, COLUMN, "mean at this position");
		write_numbers(render, &place->ns, "ns", COLUMN);
		dp_number__integer(number, (int64_t)place->index[run]);
		dp_text__column(render, run ? "added" : number, KIND_COLUMN);
		dp_render__text(render,
				dp_label__kernel_at(label, rows.names[i], rows.places[i],
						    rows.room, render->options->ascii));
		dp_render__text(render, "\n");
	}
out:
	free(rows.names);
	free(rows.places);
}

static void write_finding(struct dp_render *render, const struct dp_comparison *comparison,
			  const struct dp_pair_finding *both)
{
	const struct dp_finding *now = both->finding[1] ? both->finding[1] : both->finding[0];
	bool ascii = render->options->ascii;
	struct dp_words words = { 0 }, cost = { 0 };
	size_t used = DP_TEXT_BODY + 1;

	dp_text__label(render, dp_compare_words__trend(both));
	if (dp_compare_words__was(both)) {
		used += dp_text__severity(render, both->finding[0]->severity) + 3;
		used += ascii;
		dp_render__text(render, ascii ? " -> " : " \xe2\x86\x92 ");
	}
	used += dp_text__severity(render, now->severity);
	dp_compare_words__cost(&cost, render, comparison, both);
	dp_words__add(&words, "%s%s%s", now->rule, cost.used ? ": " : "", cost.text);
	dp_render__text(render, " ");
	dp_text__wrap(render, used, BODY, words.text);
}

/* Writes the findings that appeared, then those that stayed, then those that disappeared. */
static void write_findings(struct dp_render *render, const struct dp_comparison *comparison,
			   size_t pair)
{
	const struct dp_pair_finding *both;
	size_t shown = 0, more = 0;
	char number[DP_NUMBER_SIZE];

	for (int kind = DP_FINDING_NEW; kind <= DP_FINDING_GONE; kind++) {
		for (size_t i = 0; (both = dp_pair_finding(comparison, pair, i)); i++) {
			if ((int)both->change != kind)
				continue;
			if (shown >= FINDINGS_MOST && !render->options->verbose) {
				more++;
				continue;
			}
			if (!shown++)
				dp_render__text(render, "\n");
			write_finding(render, comparison, both);
		}
	}
	if (more)
		dp_render__format(render, "and %s (-v shows all)\n",
				  dp_text__plural(number, more, "more finding"));
}

/* Returns true if either run has a value other than 0. */
static bool has_something(const struct dp_difference *at)
{
	return (at->count[0] && fabs(at->value[0]) > 0) || (at->count[1] && fabs(at->value[1]) > 0);
}

/* Writes the medians of all metrics that have values. */
static void write_metrics(struct dp_render *render, const struct dp_comparison *comparison,
			  size_t pair)
{
	const struct dp_metric_info *info;
	char title[DP_NUMBER_SIZE];

	write_head(render, WIDE, "median of");
	for (size_t i = 0; (info = dp_metric(i)); i++) {
		const struct dp_difference *at = dp_pair_metric(comparison, pair, i);

		if (!dp_render__shows(render, info) || !has_something(at))
			continue;
		dp_text__style_begin(render, dp_difference_is_significant(at) ? "0" : DP_STYLE_DIM);
		/* the only unit that is too wide for its column */
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
	write_sparklines(render, comparison, pair);
	if (!dp_comparison_pair(comparison, pair)->comparable) {
		write_apart(render, comparison, pair);
		return;
	}
	write_parts(render, comparison, pair);
	write_kernels(render, comparison, pair);
	if (render->options->all)
		write_places(render, comparison, pair);
	if (render->options->verbose)
		write_metrics(render, comparison, pair);
	write_findings(render, comparison, pair);
}

/* Writes one line for a pair that is not shown in full. */
static void write_line(struct dp_render *render, const struct dp_comparison *comparison,
		       size_t pair)
{
	size_t used = write_id(render, comparison, pair);
	struct dp_words words = { 0 };

	used += write_verdict(render, &words, comparison, pair);
	dp_text__wrap(render, used, INDENT, words.text);
}

static void write_alone(struct dp_render *render, const struct dp_comparison *comparison)
{
	bool any = false;

	for (int run = 0; run < 2; run++) {
		for (size_t i = 0; dp_comparison__next_alone(comparison, (enum dp_run)run, &i);
		     i++) {
			struct dp_words words = { 0 };

			dp_compare_words__alone(&words, render, comparison, (enum dp_run)run, i);
			dp_render__format(render, "%s%s\n", any ? "" : "\n", words.text);
			any = true;
		}
	}
}

static void write_all(struct dp_render *render, const void *what)
{
	const struct dp_comparison *comparison = what;
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
	if (!pairs) {
		struct dp_words words = { 0 };

		dp_compare_words__nothing(&words, comparison);
		dp_render__text(render, "\n");
		dp_text__wrap(render, 0, 0, words.text);
	}
	write_alone(render, comparison);
	render->state = NULL;
}

const struct dp_whole_renderer dp_comparison_renderer__compare_text = {
	.info = { "text", "txt", "one screen for people", false, true },
	.write = write_all,
};
