/*
 * Findings in the text report, the most rewarding first: what is wrong, what it costs, the numbers
 * that say so, and one thing to do. As many as the screen has lines for, all where there is none.
 */
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INDENT 3
#define DETAIL_INDENT 5
#define FINDINGS_MOST 40 /* unless it is verbose: what somebody may read */
#define CALL_COLUMNS 40
#define COMPUTE_BOUND 0.8
#define SAME_PERIOD 0.01

/* How numbers are said; the others are said with their names. */
static const struct {
	const char *name;
	const char *before;
	const char *after;
} sayings[] = {
	{ "all_intervals", "of ", " intervals" },
	{ "avg_interval_ns", "intervals of ", "" },
	{ "avg_operation_ns", "", " between operations" },
	{ "avg_overlap", "uploads in ", " of it" },
	{ "blocking_copy_ns", "", " in blocking copies" },
	{ "call_ns", "", " in" },
	{ "call_stall_ns", "", " in calls that launch nothing" },
	{ "calls", "", " calls of it" },
	{ "clock", "clocks of ", "" },
	{ "comm_exposed_ns", "", " of communication that nothing hides" },
	{ "comm_ns", "", " of communication" },
	{ "comm_overlap", "", " of it hidden" },
	{ "copy_exposed_ns", "", " of copies that nothing hides" },
	{ "d2d_bandwidth", "at ", "" },
	{ "d2d_bytes", "", "" },
	{ "d2d_copies", "", " copies" },
	{ "d2d_exposed_ns", "", " of copies within the device" },
	{ "every_iterations", "every ", " iterations" },
	{ "extra_kernels", "extra kernels: ", "" },
	{ "extra_ns", "", " longer" },
	{ "h2d_bandwidth", "uploads at ", "" },
	{ "h2d_bytes", "", " uploaded" },
	{ "host_copy_ns", "", " in calls of copies" },
	{ "host_stall_ns", "", " of it in long gaps" },
	{ "host_sync_ns", "", " in synchronizing calls" },
	{ "idle_after_sync_ns", "", " of it after waiting for the GPU" },
	{ "idle_host_ns", "", " waiting for the host" },
	{ "input_wait_ns", "", " waiting for input" },
	{ "kernel_median_ns", "median kernel ", "" },
	{ "live_bytes", "", " live" },
	{ "long_gaps", "", " long gaps" },
	{ "long_intervals", "", " long intervals" },
	{ "lower_clock", "clocks of ", "" },
	{ "more_call_ns", "", " more in" },
	{ "more_communication_ns", "", " more of communication" },
	{ "more_compute_ns", "", " more of computing" },
	{ "more_copy_ns", "", " more of copies" },
	{ "more_idle_copy_ns", "", " more in calls of copies" },
	{ "more_idle_host_ns", "", " more waiting for the host" },
	{ "more_idle_ns", "", " more idle" },
	{ "more_idle_other_ns", "", " more idle" },
	{ "more_idle_sync_ns", "", " more in synchronization" },
	{ "more_kernels", "more kernels: ", "" },
	{ "overlap", "uploads in ", " of it" },
	{ "pageable_copy_ns", "", " in pageable copies" },
	{ "pageable_share", "", " of the bytes pageable" },
	{ "parts_of_30", "thirtieths of the loop half idle: ", "" },
	{ "peak_bytes", "", " at most" },
	{ "power", "", "" },
	{ "queue_empty", "queue empty ", " of the time" },
	{ "repeated_upload_ns", "", " of uploads that repeat" },
	{ "rise_bytes", "risen by ", "" },
	{ "rise_ns", "risen by ", "" },
	{ "rise_per_iteration_bytes", "", " per iteration" },
	{ "rise_per_iteration_ns", "", " per iteration" },
	{ "share_of_loop", "", " of the loop" },
	{ "share_of_period", "", " of the period" },
	{ "short_gaps_ns", "", " in short gaps" },
	{ "slow_iterations", "", " slow" },
	{ "sync_lost_ns", "", " lost" },
	{ "throttled_iterations", "", " iterations throttled" },
	{ "times", "seen ", " times" },
	{ "usual_clock", "", " elsewhere" },
	{ "usual_ns", "the others ", " on average" },
	{ "upload_exposed_ns", "", " of uploads that nothing hides" },
	{ "utilization", "GPU busy ", "" },
	{ "waited_share", "", " of the period waited" },
	{ "warmup_iterations", "", " iterations" },
};

/* Where the "s" is that makes a plural of its words; their length where there is none. */
static size_t singular(const char *words)
{
	size_t i = 0;

	while (words[i] && (words[i] != 's' || (words[i + 1] && words[i + 1] != ' ')))
		i++;
	return i;
}

static void add_evidence(struct dp_words *words, const char *gap,
			 const struct dp_evidence_value *at, bool ascii)
{
	char title[DP_NUMBER_SIZE], value[DP_NUMBER_SIZE], call[DP_LABEL_SIZE];

	dp_human__value(value, at->value, at->unit, ascii);
	for (size_t i = 0; i < DP_COUNT(sayings); i++) {
		const char *after = sayings[i].after;
		size_t plural = strlen(after);

		if (strcmp(sayings[i].name, at->name))
			continue;
		if (at->value == 1 && !strcmp(at->unit, "count"))
			plural = singular(after);
		dp_words__add(words, "%s%s%s%.*s%s", gap, sayings[i].before, value, (int)plural,
			      after, after[plural] ? after + plural + 1 : "");
		if (at->call && !strcmp(at->unit, "ns"))
			dp_words__add(words, " %s",
				      dp_label__text(call, at->call, CALL_COLUMNS, ascii));
		return;
	}
	dp_words__add(words, "%s%s %s", gap, dp_text__title(title, at->name), value);
}

/* What a finding's cost is a part of: the period that it was measured by, else the mean. */
static double period_of(const struct dp_render *render, const struct dp_finding *finding)
{
	for (size_t i = 0; i < finding->evidence_count; i++)
		if (!strcmp(finding->evidence[i].name, DP_EVIDENCE_PERIOD))
			return finding->evidence[i].value;
	return dp_text__summary(render, finding->loop, "avg_period_ns");
}

/* Slow iterations are left out: the period is shorter than the mean of all, and so is what the cost
 * is a part of. */
static bool is_of_usual(const struct dp_render *render, const struct dp_finding *finding)
{
	return period_of(render, finding) <
	       (1 - SAME_PERIOD) * dp_text__summary(render, finding->loop, "avg_period_ns");
}

/* The cost as a part of the period; NaN where one of them is unknown. */
static double cost_share(const struct dp_render *render, const struct dp_finding *finding)
{
	double period_ns = period_of(render, finding);

	return period_ns > 0 ? finding->recoverable_ns / period_ns : (double)NAN;
}

/* What the finding's first line says already. */
static bool is_said(const struct dp_render *render, const struct dp_finding *finding, size_t index)
{
	if (!isfinite(finding->recoverable_ns))
		return index == 0;
	/* all of it is exposed */
	if (!strcmp(finding->evidence[index].name, "comm_overlap") &&
	    finding->evidence[index].value < 0.0005)
		return true;
	return !strcmp(finding->evidence[index].name, "share_of_period") &&
	       fabs(finding->evidence[index].value - cost_share(render, finding)) < 0.0005;
}

void dp_text__evidence(struct dp_words *words, const struct dp_render *render,
		       const struct dp_finding *finding, size_t columns, bool more)
{
	bool ascii = render->options->ascii;
	size_t before;

	for (size_t i = 0; i < finding->evidence_count; i++) {
		if (!isfinite(finding->evidence[i].value) ||
		    !strcmp(finding->evidence[i].name, DP_EVIDENCE_PERIOD) ||
		    (more && is_said(render, finding, i)))
			continue;
		before = words->used;
		add_evidence(words, before ? ", " : "", &finding->evidence[i], ascii);
		if (dp_label_width(words->text) <= columns)
			continue;
		words->text[before] = '\0';
		words->used = before;
		break;
	}
}

/* The numbers; on the one screen, those that fit a line. */
static void gather_evidence(struct dp_words *words, const struct dp_render *render,
			    const struct dp_finding *finding)
{
	const struct dp_text *text = render->state;

	dp_text__evidence(words, render, finding, text->whole ? SIZE_MAX : text->width - INDENT,
			  true);
}

static size_t arrow_columns(const struct dp_render *render)
{
	return render->options->ascii ? DETAIL_INDENT + 1 : DETAIL_INDENT;
}

/* Lines that a finding's reasons and advice take. */
static size_t detail_lines(const struct dp_render *render, const struct dp_finding *finding)
{
	struct dp_words words = { 0 };

	gather_evidence(&words, render, finding);
	return (words.used > 0) +
	       dp_text__lines(render, arrow_columns(render), DETAIL_INDENT, finding->advice);
}

/*
 * How many findings have a line, and how many all of theirs. One line is left for the prompt, one
 * for the blank line before. The first finding is always told in full.
 */
static void plan(struct dp_render *render)
{
	size_t count = dp_analysis_finding_count(render->analysis), left, detail;
	struct dp_text *text = render->state;

	text->shown = text->detailed = count;
	if (!render->options->verbose && text->whole)
		text->shown = DP_MIN(count, FINDINGS_MOST);
	if (text->whole)
		return;
	left = text->height > render->lines + 2 ? text->height - render->lines - 2 : 0;
	detail = detail_lines(render, dp_analysis_finding(render->analysis, 0));
	left = left > detail ? left - detail : 1;
	text->detailed = 1;
	if (count > left) {
		/* A line says how many more there are. */
		text->shown = DP_MAX(1, left - 1);
		return;
	}
	left -= count;
	while (text->detailed < count) {
		detail =
			detail_lines(render, dp_analysis_finding(render->analysis, text->detailed));
		if (detail > left)
			return;
		left -= detail;
		text->detailed++;
	}
}

/* Returns its width. */
static size_t write_severity(struct dp_render *render, enum dp_severity severity)
{
	static const struct {
		const char *word;
		const char *style;
	} severities[] = { [DP_SEVERITY_CRITICAL] = { "critical", DP_STYLE_RED },
			   [DP_SEVERITY_WARNING] = { "warning", DP_STYLE_YELLOW },
			   [DP_SEVERITY_INFO] = { "info", DP_STYLE_DIM } };

	dp_text__styled(render, severities[severity].style, severities[severity].word);
	return strlen(severities[severity].word);
}

/* ": costs 57.48 ms of each iteration (32.6%)"; what costs no time says how much it is. */
static void add_cost(struct dp_words *words, const struct dp_render *render,
		     const struct dp_finding *finding)
{
	double share = cost_share(render, finding);
	bool ascii = render->options->ascii;
	char number[DP_NUMBER_SIZE];

	if (!isfinite(finding->recoverable_ns)) {
		if (!finding->evidence_count)
			return;
		dp_words__add(words, ": ");
		add_evidence(words, "", &finding->evidence[0], ascii);
		return;
	}
	dp_words__add(words, ": costs %s of %s iteration",
		      dp_human__duration(number, finding->recoverable_ns, ascii),
		      is_of_usual(render, finding) ? "a usual" : "each");
	if (isfinite(share))
		dp_words__add(words, " (%s)", dp_human__share(number, share));
}

static void write_detail(struct dp_render *render, const struct dp_finding *finding)
{
	struct dp_words words = { 0 };

	gather_evidence(&words, render, finding);
	if (words.used) {
		dp_text__blanks(render, INDENT);
		dp_text__wrap(render, INDENT, INDENT, words.text);
	}
	dp_text__blanks(render, INDENT);
	dp_text__styled(render, DP_STYLE_HEAD, render->options->ascii ? "->" : "\xe2\x86\x92");
	dp_render__text(render, " ");
	dp_text__wrap(render, arrow_columns(render), DETAIL_INDENT, finding->advice);
}

void dp_text__finding(struct dp_render *render, size_t id)
{
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);
	struct dp_text *text = render->state;
	struct dp_words words = { 0 };
	char number[DP_NUMBER_SIZE];
	size_t used;

	if (!text->findings) {
		plan(render);
		dp_render__text(render, "\n");
	}
	if (text->findings >= text->shown)
		return;
	dp_render__integer(render, (int64_t)id + 1);
	dp_render__text(render, ". ");
	used = dp_number__integer(number, (int64_t)id + 1) + 3 +
	       write_severity(render, finding->severity);
	dp_render__text(render, " ");
	dp_words__add(&words, "%s", finding->rule);
	if (finding->loop != text->primary || text->level > 1)
		dp_words__add(&words, " in loop %u", (unsigned)finding->loop);
	add_cost(&words, render, finding);
	dp_text__wrap(render, used, INDENT, words.text);
	if (text->findings++ < text->detailed)
		write_detail(render, finding);
}

/* Rules compare periods: is there a loop that has one? */
static bool has_period(const struct dp_render *render)
{
	const struct dp_loop *loop;

	for (size_t i = 0; (loop = dp_analysis_loop(render->analysis, i)); i++)
		if (loop->at_level && isfinite(dp_text__summary(render, i, "median_period_ns")))
			return true;
	return false;
}

/* Of loops that can't be judged: the first at the level that was asked for. */
static const struct dp_loop *unjudged(const struct dp_render *render)
{
	const struct dp_loop *loop;

	for (size_t i = 0; (loop = dp_analysis_loop(render->analysis, i)); i++)
		if (loop->at_level)
			return loop;
	return NULL;
}

/* Is there a loop inside of another? */
static bool has_inside(const struct dp_render *render, const struct dp_loop *outer)
{
	const struct dp_loop *loop;

	for (size_t i = 0; (loop = dp_analysis_loop(render->analysis, i)); i++)
		if (loop->parent == outer->id)
			return true;
	return false;
}

/* Nothing is lost, and the device computes nearly all the time: what it computes is all there is to
 * make faster. */
static void add_next_step(struct dp_words *words, struct dp_render *render)
{
	char number[DP_NUMBER_SIZE];
	const struct dp_loop *loop;
	double share;

	for (size_t i = 0; (loop = dp_analysis_loop(render->analysis, i)); i++) {
		share = dp_text__summary(render, i, "avg_compute_ns") /
			dp_text__summary(render, i, "avg_period_ns");
		if (!loop->at_level || !(share >= COMPUTE_BOUND))
			continue;
		dp_words__add(words,
			      " Computing takes %s of the period: only faster or fewer kernels "
			      "would help.",
			      dp_human__share(number, share));
		dp_text__top_kernels(words, render, loop->device);
		return;
	}
}

/* Nothing was found: by which rules; or why rules could not find anything. */
bool dp_text__no_findings(struct dp_words *words, struct dp_render *render, bool list)
{
	const struct dp_loop *loop = unjudged(render);
	const struct dp_rule_info *rule;
	size_t count = 0;

	if (loop && !has_period(render)) {
		if (loop->complete > 1)
			dp_words__add(
				words,
				"No findings, but little could be judged: other kernels run between "
				"the iterations, so that they have no period. ");
		else if (loop->complete == 1)
			dp_words__add(words, "Nothing could be judged: with one iteration there is "
					     "nothing to compare. ");
		else
			dp_words__add(words,
				      "Nothing could be judged: no whole iteration is in the %s. ",
				      dp_text__has_range(render) ? "range" : "capture");
		dp_text__capture(words, render, loop->device);
		if (loop->complete <= 1)
			dp_words__add(words, " Record more iterations%s.",
				      loop->found_by == DP_FOUND_BY_MARKS &&
						      has_inside(render, loop)
					      ? ", or look for loops inside it with --ignore-marks"
					      : "");
		return false;
	}
	while (dp_rule(count))
		count++;
	dp_words__add(words, "No findings: none of the %zu rules has anything to say%s", count,
		      list ? ":" : "");
	for (size_t i = 0; list && (rule = dp_rule(i)); i++)
		dp_words__add(words, "%s %s", i ? "," : "", rule->id);
	dp_words__add(words, ".");
	add_next_step(words, render);
	return true;
}

void dp_text__clean(struct dp_render *render)
{
	struct dp_words words = { 0 };

	dp_text__no_findings(&words, render, render->options->verbose);
	dp_render__text(render, "\n");
	dp_text__wrap(render, 0, 0, words.text);
}
