/* The words of comparisons. */
#include "base/text.h"
#include "report/compare_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Kernels that changed by a smaller share of the period are left out. */
#define LEAST_KERNEL 0.001

/* A mean that differs from the median by this share of the period is mentioned. */
#define MEAN_APART 0.02

static const char *arrow(bool ascii)
{
	return ascii ? "->" : "\xe2\x86\x92";
}

char *dp_compare_words__change(char buf[DP_COMPARE_WORDS], const double value[2], const char *unit,
			       bool ascii)
{
	return dp_human__two(buf, value, unit, ascii ? " -> " : " \xe2\x86\x92 ", ascii);
}

char *dp_compare_words__calls(char buf[DP_COMPARE_WORDS], const double calls[2], bool ascii)
{
	char text[2][DP_NUMBER_SIZE];

	for (int run = 0; run < 2; run++)
		dp_text__fixed(text[run], calls[run],
			       fabs(calls[run] - round(calls[run])) < 0.005 ? 0 : 2);
	if (strcmp(text[0], text[1]) != 0)
		snprintf(buf, DP_COMPARE_WORDS, "%s %s %s", text[0], arrow(ascii), text[1]);
	else
		snprintf(buf, DP_COMPARE_WORDS, "%s", text[0]);
	return buf;
}

char *dp_compare_words__size(char buf[DP_NUMBER_SIZE], double value, const char *unit, bool ascii)
{
	char points[DP_TEXT_SIZE];

	if (strcmp(unit, "1") != 0 || !isfinite(value))
		return dp_human__value(buf, fabs(value), unit, ascii);
	snprintf(buf, DP_NUMBER_SIZE, "%s pp", dp_text__fixed(points, fabs(value) * 100, 1));
	return buf;
}

char *dp_compare_words__signed(char buf[DP_COMPARE_WORDS], double value, const char *unit,
			       bool ascii)
{
	char number[DP_NUMBER_SIZE];

	dp_compare_words__size(number, value, unit, ascii);
	snprintf(buf, DP_COMPARE_WORDS, "%s%s",
		 isfinite(value) ? dp_number__sign(value < 0, ascii) : "", number);
	return buf;
}

const char *dp_compare_words__part(const char *metric)
{
	return !strcmp(metric, "period_ns") ? "period" : dp_text__part_words(metric);
}

bool dp_compare_words__shows(const struct dp_pair_kernel *kernel, double period_ns)
{
	bool fewer = fabs(kernel->calls[1] - kernel->calls[0]) >= 0.5;

	if (kernel->kind == DP_KERNEL_SAME && !fewer)
		return false;
	if (kernel->kind == DP_KERNEL_REPLACED && kernel->ns.low <= 0 && kernel->ns.high >= 0)
		return false;
	return fabs(kernel->ns.change) >= LEAST_KERNEL * period_ns;
}

const char *dp_compare_words__kind(const struct dp_pair_kernel *kernel)
{
	if (!kernel->elsewhere)
		return dp_kernel_change_name(kernel->kind);
	return kernel->kind == DP_KERNEL_REMOVED ? "left" : "joined";
}

double dp_compare_words__period(const struct dp_comparison *comparison, size_t pair)
{
	const struct dp_difference *time = dp_pair_time(comparison, pair);

	return fmax(time->value[0], time->value[1]);
}

const char *dp_compare_words__finding(enum dp_finding_change change)
{
	static const char *const words[] = { "new", "still", "gone" };

	return (size_t)change < DP_COUNT(words) ? words[change] : words[DP_FINDING_STILL];
}

const char *dp_compare_words__trend(const struct dp_pair_finding *both)
{
	bool alone = !both->finding[0] || !both->finding[1];

	if (both->change != DP_FINDING_STILL)
		return dp_compare_words__finding(both->change);
	if (!dp_difference_is_significant(&both->metric_mean))
		return alone ? "unclear" : dp_compare_words__finding(both->change);
	return both->metric_mean.change > 0 ? "worse" : "better";
}

/* What the costs are a part of. */
static const char *whole_of(struct dp_render *render, const struct dp_comparison *comparison,
			    const struct dp_pair_finding *both)
{
	bool typical = false;

	for (int run = 0; run < 2; run++) {
		render->analysis = dp_comparison_analysis(comparison, (enum dp_run)run);
		typical |= both->finding[run] && dp_text__is_typical(render, both->finding[run]);
	}
	return typical ? "per typical iteration" : "per iteration";
}

/* Sets costs in all if those are what analyses report. Returns false for costs per iteration. */
static bool costs_in_all(double cost_ns[2], const struct dp_pair_finding *both)
{
	bool once = true;

	for (int run = 0; run < 2; run++) {
		cost_ns[run] = both->finding[run] ? dp_text__cost_in_all(both->finding[run])
						  : (double)NAN;
		once &= !both->finding[run] || isfinite(cost_ns[run]);
	}
	return once;
}

/* A metric's words in the table of parts or, if it is no part, its title. */
static const char *metric_words(char title[DP_NUMBER_SIZE], const char *metric)
{
	const char *words = dp_text__part_words(metric);

	return strcmp(words, dp_text__part_words("")) ? words : dp_text__title(title, metric);
}

/*
 * Adds ", but mean short gaps rose: 9.215 → 9.704 µs": what else shows whether a finding of one run
 * got worse. "but" if its trend is not what its absence from the other run suggests.
 */
static void add_mean_of_metric(struct dp_words *words, const struct dp_pair_finding *both,
			       bool ascii)
{
	bool sure = dp_difference_is_significant(&both->metric_mean);
	bool rose = both->metric_mean.change > 0, unlike = sure && rose == !!both->finding[0];
	char number[DP_COMPARE_WORDS], title[DP_NUMBER_SIZE];

	dp_words__add(words, "%s mean %s %s%s%s", unlike ? ", but" : ";",
		      metric_words(title, both->metric),
		      !sure  ? ""
		      : rose ? "rose: "
			     : "fell: ",
		      dp_compare_words__change(number, both->metric_ns, "ns", ascii),
		      !sure && isfinite(both->metric_mean.low) ? " (no significant difference)"
							       : "");
}

void dp_compare_words__cost(struct dp_words *words, struct dp_render *render,
			    const struct dp_comparison *comparison,
			    const struct dp_pair_finding *both)
{
	int now = both->finding[1] ? 1 : 0;
	bool ascii = render->options->ascii, alone = !both->finding[0] || !both->finding[1];
	double cost_ns[2];
	bool once = costs_in_all(cost_ns, both);
	const char *whole = once ? "in all" : whole_of(render, comparison, both);
	char number[DP_COMPARE_WORDS];

	if (!once)
		memcpy(cost_ns, both->cost_ns, sizeof(cost_ns));
	if (isfinite(cost_ns[0]) && isfinite(cost_ns[1]))
		dp_words__add(words, "costs %s %s",
			      dp_compare_words__change(number, cost_ns, "ns", ascii), whole);
	else if (isfinite(cost_ns[now]))
		dp_words__add(words, "%s %s %s", now ? "costs" : "cost",
			      dp_human__duration(number, cost_ns[now], ascii), whole);
	if (words->used && both->finding[now]->overlaps)
		dp_words__add(words, ", partly included in %s", both->finding[now]->overlaps);
	if (alone)
		dp_words__add(words, "%snot reported %s", words->used ? "; " : "",
			      now ? "before" : "after");
	if (isfinite(both->metric_ns[0]) && isfinite(both->metric_ns[1]))
		add_mean_of_metric(words, both, ascii);
}

const char *dp_compare_words__was(const struct dp_pair_finding *both)
{
	const struct dp_finding *const *at = both->finding;

	return at[0] && at[1] && at[0]->severity != at[1]->severity
		       ? dp_severity_name(at[0]->severity)
		       : NULL;
}

/* "12.3% faster", "2.40 times as long"; only the number unless words is set. */
static char *ratio_words(char buf[DP_COMPARE_WORDS], double ratio, bool words)
{
	char number[DP_NUMBER_SIZE];

	if (ratio >= 2) {
		snprintf(buf, DP_COMPARE_WORDS, "%s times as long",
			 dp_text__fixed(number, ratio, 2));
		return buf;
	}
	dp_human__share(number, fabs(ratio - 1));
	snprintf(buf, DP_COMPARE_WORDS, "%s%s", number,
		 !words	     ? ""
		 : ratio < 1 ? " faster"
			     : " slower");
	return buf;
}

char *dp_compare_words__percent(char buf[DP_COMPARE_WORDS], const double value[2])
{
	bool known = value[0] > 0 && isfinite(value[1]);

	return known ? ratio_words(buf, value[1] / value[0], true) : strcpy(buf, "not comparable");
}

char *dp_compare_words__ci(char buf[DP_NUMBER_SIZE], double confidence)
{
	char percent[DP_TEXT_SIZE];

	snprintf(buf, DP_NUMBER_SIZE, "%s%% CI", dp_text__digits(percent, confidence * 100, 6));
	return buf;
}

/*
 * The smaller change first: "11.9% to 12.8%", "0.8% faster to 1.1% slower", "1.9 to 2.4 times". In
 * percent if the change is, which rounding would else exclude: "59.7% slower to 2.26 times as
 * long".
 */
static void add_interval(struct dp_words *words, const struct dp_difference *time,
			 double confidence)
{
	bool several = time->ratio_high >= 2, faster = time->ratio_high <= 1;
	bool both = several || (time->ratio_low < 1 && time->ratio_high > 1);
	char least[DP_COMPARE_WORDS], most[DP_COMPARE_WORDS];

	dp_words__add(words, " (%s ", dp_compare_words__ci(least, confidence));
	if (several && time->value[1] >= 2 * time->value[0]) {
		dp_words__add(words, "%s", dp_text__fixed(least, time->ratio_low, 2));
		if (isinf(time->ratio_high))
			dp_words__add(words, " times or more)");
		else
			dp_words__add(words, " to %s times)",
				      dp_text__fixed(most, time->ratio_high, 2));
		return;
	}
	ratio_words(least, faster ? time->ratio_high : time->ratio_low, both);
	if (isinf(time->ratio_high)) {
		dp_words__add(words, "%s or more)", least);
		return;
	}
	ratio_words(most, faster ? time->ratio_low : time->ratio_high, both);
	dp_words__add(words, "%s to %s)", least, most);
}

/*
 * Adds the change of the mean: slow iterations move the mean, which the parts sum to, but not the
 * median. It has a percentage of its own if it changed significantly.
 */
static void add_mean(struct dp_words *words, const struct dp_comparison *comparison, size_t pair,
		     const struct dp_difference *time, bool ascii)
{
	const struct dp_pair_part *part, *period = NULL;
	char change[DP_COMPARE_WORDS];

	for (size_t i = 0; (part = dp_pair_part(comparison, pair, i)); i++)
		period = part;
	if (!period || time != dp_pair_time(comparison, pair) ||
	    !(fabs(period->mean.change - time->change) >= MEAN_APART * time->value[0]))
		return;
	if (dp_difference_is_significant(&period->mean))
		dp_words__add(words,
			      "; mean %s:", dp_compare_words__percent(change, period->mean.value));
	else
		dp_words__add(words, "; mean");
	dp_words__add(words, " %s",
		      dp_compare_words__change(change, period->mean.value, "ns", ascii));
}

static enum dp_verdict_kind kind_of(const struct dp_difference *time, bool comparable)
{
	if (!isfinite(time->low) || !comparable)
		return DP_VERDICT_UNKNOWN;
	if (!dp_difference_is_significant(time))
		return DP_VERDICT_SAME;
	return time->change < 0 ? DP_VERDICT_FASTER : DP_VERDICT_SLOWER;
}

static void set_headline(struct dp_verdict *verdict, const struct dp_difference *time)
{
	const char *words = "no significant difference";

	if (verdict->kind == DP_VERDICT_FASTER || verdict->kind == DP_VERDICT_SLOWER) {
		ratio_words(verdict->headline, time->value[1] / time->value[0], true);
		return;
	}
	if (verdict->kind == DP_VERDICT_UNKNOWN)
		words = "not comparable";
	else if (time->high < 0)
		words = "less than 1% faster";
	else if (time->low > 0)
		words = "less than 1% slower";
	snprintf(verdict->headline, sizeof(verdict->headline), "%s", words);
}

static const struct dp_loop *loop_of(const struct dp_comparison *comparison, size_t pair, int run)
{
	return dp_analysis_loop(dp_comparison_analysis(comparison, (enum dp_run)run),
				dp_comparison_pair(comparison, pair)->loop[run]);
}

/* Explains why times do not compare, with both medians, and how they may. */
static void add_other_work(struct dp_words *words, const struct dp_comparison *comparison,
			   size_t index, bool ascii)
{
	const struct dp_loop_pair *pair = dp_comparison_pair(comparison, index);
	const struct dp_difference *time = dp_pair_time(comparison, index);
	bool as_many =
		loop_of(comparison, index, 0)->complete == loop_of(comparison, index, 1)->complete;
	char before[DP_NUMBER_SIZE], after[DP_NUMBER_SIZE];

	dp_words__add(
		words,
		"too few kernels match, and the %s differ, so an iteration may not be the same "
		"unit of work, and times do not compare: median %s before, %s after. Choose the "
		"same work with -n, --marks or --level; if it is the same, with rewritten "
		"kernels, pass --loops=%zu:%zu",
		as_many ? "names of the annotations" : "numbers of iterations",
		dp_human__duration(before, time->value[0], ascii),
		dp_human__duration(after, time->value[1], ascii), pair->loop[0], pair->loop[1]);
}

void dp_verdict__of(struct dp_verdict *verdict, const struct dp_comparison *comparison, size_t pair,
		    bool ascii)
{
	const struct dp_difference *time = dp_pair_time(comparison, pair);
	const struct dp_loop_pair *info = dp_comparison_pair(comparison, pair);
	struct dp_words *words = &verdict->detail;
	char change[DP_COMPARE_WORDS];

	verdict->detail = (struct dp_words){ .used = 0 };
	verdict->kind = kind_of(time, info->comparable);
	set_headline(verdict, time);
	if (!time->count[0] || !time->count[1]) {
		dp_words__add(words, "the run %s has no whole iteration without other kernels "
				      "in between",
			      time->count[0] ? "after" : "before");
	} else if (!info->comparable) {
		add_other_work(words, comparison, pair, ascii);
	} else {
		dp_words__add(words, "median %s",
			      dp_compare_words__change(change, time->value, "ns", ascii));
		if (isfinite(time->ratio_low))
			add_interval(words, time, dp_comparison_confidence(comparison));
		else
			dp_words__add(words, " (%zu and %zu iterations; an interval needs %zu)",
				      time->count[0], time->count[1],
				      dp_comparison_least(comparison));
		add_mean(words, comparison, pair, time, ascii);
	}
}

static const char *const run_words[] = { "before", "after" };

/* Where a loop is, if there are several GPUs: ", GPU 1". */
static void place_of(char buf[DP_LABEL_SIZE + 2], const struct dp_comparison *comparison,
		     size_t pair, int run)
{
	const struct dp_trace *trace =
		dp_analysis_trace(dp_comparison_analysis(comparison, (enum dp_run)run));
	char device[DP_LABEL_SIZE];

	buf[0] = '\0';
	if (dp_trace_device_count(trace) > 1)
		snprintf(buf, DP_LABEL_SIZE + 2, ", %s",
			 dp_text__device(device, trace, loop_of(comparison, pair, run)->device));
}

void dp_compare_words__loops(struct dp_words *words, const struct dp_comparison *comparison,
			     size_t pair)
{
	uint32_t before = loop_of(comparison, pair, 0)->id;
	uint32_t after = loop_of(comparison, pair, 1)->id;
	char places[2][DP_LABEL_SIZE + 2];

	for (int run = 0; run < 2; run++)
		place_of(places[run], comparison, pair, run);
	dp_words__add(words, "Loop %u%s", before, places[0]);
	if (before != after || strcmp(places[0], places[1]) != 0)
		dp_words__add(words, " (after: loop %u%s)", after, places[1]);
}

/* Adds "12–67 kernels", as the analysis of the run reports it. */
static void add_contents(struct dp_words *words, struct dp_render *render,
			 const struct dp_comparison *comparison, int run, size_t loop)
{
	render->analysis = dp_comparison_analysis(comparison, (enum dp_run)run);
	dp_text__contents(words, render, loop);
}

void dp_compare_words__iterations(struct dp_words *words, struct dp_render *render,
				  const struct dp_comparison *comparison, size_t pair, int run)
{
	const struct dp_loop *loop = loop_of(comparison, pair, run);
	char number[DP_NUMBER_SIZE];

	dp_words__add(words, "%s of ", dp_text__plural(number, loop->complete, "iteration"));
	add_contents(words, render, comparison, run, loop->id);
}

void dp_compare_words__match(struct dp_words *words, struct dp_render *render,
			     const struct dp_comparison *comparison, size_t index)
{
	const struct dp_loop_pair *pair = dp_comparison_pair(comparison, index);
	const struct dp_loop *before = loop_of(comparison, index, 0);
	const struct dp_loop *after = loop_of(comparison, index, 1);
	char share[DP_NUMBER_SIZE], digits[DP_TEXT_SIZE];
	struct dp_words contents = { 0 };
	const char *unit;

	dp_compare_words__iterations(words, render, comparison, index, 0);
	add_contents(&contents, render, comparison, 1, after->id);
	unit = strstr(contents.text, " kernel");
	/* the unit is that of the run before, unless more follows it */
	if (unit && strlen(unit) <= strlen(" kernels"))
		contents.text[unit - contents.text] = '\0';
	dp_words__add(words, "; after: %s of %s; %s match in order",
		      dp_text__count(digits, after->complete), contents.text,
		      dp_human__share(share, 2.0 * (double)pair->same /
						     (double)(before->length + after->length)));
	if (pair->paired_by_time)
		dp_words__add(words, "; paired by their share of the time, not by kernels");
}

void dp_compare_words__whole(struct dp_words *words, const struct dp_comparison *comparison,
			     bool ascii)
{
	double length_ns[2], busy_ns[2] = { 0, 0 };
	size_t kernels[2] = { 0, 0 };
	char text[2][DP_COMPARE_WORDS], count[2][DP_TEXT_SIZE];

	for (int run = 0; run < 2; run++) {
		const struct dp_trace *trace =
			dp_analysis_trace(dp_comparison_analysis(comparison, (enum dp_run)run));
		const struct dp_stream *stream;

		length_ns[run] = (double)dp_trace_duration_ns(trace);
		for (size_t i = 0; (stream = dp_trace_stream(trace, i)); i++) {
			busy_ns[run] += (double)stream->busy_ns;
			kernels[run] += stream->kernels;
		}
	}
	dp_words__add(words, "Whole capture: %s",
		      dp_compare_words__change(text[0], length_ns, "ns", ascii));
	/* a saved report has no streams */
	if (kernels[0] && kernels[1])
		dp_words__add(words, ", streams busy for %s, %s %s %s kernels",
			      dp_compare_words__change(text[1], busy_ns, "ns", ascii),
			      dp_text__count(count[0], kernels[0]), arrow(ascii),
			      dp_text__count(count[1], kernels[1]));
}

bool dp_compare_words__per_call(struct dp_difference *ns, const struct dp_pair_kernel *kernel)
{
	*ns = (struct dp_difference){ { NAN, NAN }, NAN, NAN, NAN, NAN, NAN, { 0, 0 } };
	if (!kernel->name[0] || !kernel->name[1] || kernel->kind == DP_KERNEL_REPLACED)
		return false;
	for (int run = 0; run < 2; run++)
		ns->value[run] = kernel->ns.value[run] / kernel->calls[run];
	ns->change = ns->value[1] - ns->value[0];
	return isfinite(ns->change);
}

static bool is_paired(const struct dp_comparison *comparison, enum dp_run run, size_t loop)
{
	const struct dp_loop_pair *pair;

	for (size_t i = 0; (pair = dp_comparison_pair(comparison, i)); i++)
		if (pair->loop[run] == loop)
			return true;
	return false;
}

bool dp_comparison__next_alone(const struct dp_comparison *comparison, enum dp_run run,
			       size_t *loop)
{
	const struct dp_analysis *analysis = dp_comparison_analysis(comparison, run);
	const struct dp_loop *info;

	for (; (info = dp_analysis_loop(analysis, *loop)); ++*loop)
		if (info->selected && !is_paired(comparison, run, *loop))
			return true;
	return false;
}

void dp_compare_words__alone(struct dp_words *words, struct dp_render *render,
			     const struct dp_comparison *comparison, enum dp_run run, size_t loop)
{
	const struct dp_loop *info =
		dp_analysis_loop(dp_comparison_analysis(comparison, run), loop);
	char number[DP_NUMBER_SIZE];

	dp_words__add(words, "Loop %u of the run %s, %s of ", info->id, run_words[run],
		      dp_text__plural(number, info->complete, "iteration"));
	add_contents(words, render, comparison, run, loop);
	dp_words__add(words, ", has no counterpart");
}

void dp_compare_words__nothing(struct dp_words *words, const struct dp_comparison *comparison)
{
	bool any[2];

	for (int run = 0; run < 2; run++)
		any[run] = dp_analysis_loop_count(
				   dp_comparison_analysis(comparison, (enum dp_run)run)) > 0;
	if (any[0] && any[1]) {
		dp_words__add(words, "No loop of one run resembles one of the other. --loops=0:0 "
				     "compares the main loops of both.");
		return;
	}
	dp_words__add(words,
		      "No iterations were found in %s. If the program repeats its work, pass the "
		      "number of iterations of both runs (-n N), or the annotations that mark them "
		      "(--marks=REGEX); 'deepprof analyze' reports on each run.",
		      any[0]   ? "the run after"
		      : any[1] ? "the run before"
			       : "either run");
}
