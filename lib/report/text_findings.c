/*
 * Findings in the text report, in their order: what is wrong, what it costs, the evidence, and one
 * thing to do. As many as fit the screen, or all if there is none.
 */
#include "base/text.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

#define INDENT 3
#define DETAIL_INDENT 5
#define FINDINGS_MOST 40 /* unless it is verbose */
#define HEADLINES_MOST 12 /* the same of one screen */
#define COMPUTE_BOUND 0.8
#define UNEXPLAINED 0.05 /* as for rules: from this share of the period on it is a loss */
#define DOUBTFUL 0.75	 /* findings of a lower confidence show it */
#define DEVICES_MOST 4 /* that are named */

/* Collects the evidence; on a screen, as much as fits one line. */
static void gather_evidence(struct dp_words *words, const struct dp_render *render,
			    const struct dp_finding *finding)
{
	const struct dp_text *text = render->state;

	dp_text__evidence(words, render, finding, text->whole ? SIZE_MAX : text->width - INDENT);
}

static size_t arrow_columns(const struct dp_render *render)
{
	return render->options->ascii ? DETAIL_INDENT + 1 : DETAIL_INDENT;
}

/* Adds a finding's advice or, if an earlier one gives the same, which. */
static void add_advice(struct dp_words *words, const struct dp_render *render, size_t id)
{
	const char *advice = dp_analysis_finding(render->analysis, id)->advice;
	char number[DP_NUMBER_SIZE];
	size_t first = 0;

	while (first < id &&
	       strcmp(dp_analysis_finding(render->analysis, first)->advice, advice) != 0)
		first++;
	if (first < id)
		dp_words__add(words, "as for finding %s", dp_text__count(number, first + 1));
	else
		dp_words__add(words, "%s", advice);
}

/* The number of lines of a finding's evidence and advice. */
static size_t detail_lines(const struct dp_render *render, size_t id)
{
	struct dp_words words = { 0 }, advice = { 0 };

	gather_evidence(&words, render, dp_analysis_finding(render->analysis, id));
	add_advice(&advice, render, id);
	return (words.used ? dp_text__lines(render, INDENT, INDENT, words.text) : 0) +
	       dp_text__lines(render, arrow_columns(render), DETAIL_INDENT, advice.text);
}

/* Returns its width. */
size_t dp_text__severity(struct dp_render *render, enum dp_severity severity)
{
	static const char *const styles[] = { [DP_SEVERITY_CRITICAL] = DP_STYLE_RED,
					      [DP_SEVERITY_WARNING] = DP_STYLE_YELLOW,
					      [DP_SEVERITY_INFO] = DP_STYLE_DIM };
	const char *name = dp_severity_name(severity);

	dp_text__styled(render, styles[severity], name);
	return strlen(name);
}

static void write_detail(struct dp_render *render, size_t id)
{
	struct dp_words words = { 0 }, advice = { 0 };

	gather_evidence(&words, render, dp_analysis_finding(render->analysis, id));
	if (words.used) {
		dp_text__blanks(render, INDENT);
		dp_text__wrap(render, INDENT, INDENT, words.text);
	}
	dp_text__blanks(render, INDENT);
	dp_text__styled(render, DP_STYLE_HEAD, render->options->ascii ? "->" : "\xe2\x86\x92");
	dp_render__text(render, " ");
	add_advice(&advice, render, id);
	dp_text__wrap(render, arrow_columns(render), DETAIL_INDENT, advice.text);
}

size_t dp_text__level(const struct dp_render *render)
{
	const struct dp_loop *loop;
	size_t level = 0;

	for (size_t i = 0; (loop = dp_analysis_loop(render->analysis, i)); i++)
		level += loop->selected;
	return level;
}

/*
 * Returns true if a loop's device has no other loop at the level of the report: then the device
 * identifies it.
 */
static bool is_alone(const struct dp_render *render, const struct dp_loop *loop)
{
	const struct dp_loop *other;

	for (size_t i = 0; (other = dp_analysis_loop(render->analysis, i)); i++)
		if (other->selected && other->device == loop->device && other->id != loop->id)
			return false;
	return true;
}

/* The first of a finding's devices from one on. */
static uint32_t next_device(const struct dp_finding *finding, uint32_t from)
{
	uint32_t next = UINT32_MAX;

	for (size_t i = 0; i < finding->loop_count; i++)
		if (finding->devices[i] >= from)
			next = DP_MIN(next, finding->devices[i]);
	return next;
}

void dp_text__place(struct dp_words *words, const struct dp_render *render,
		    const struct dp_finding *finding)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, finding->loop);
	const struct dp_text *text = render->state;
	char device[DP_LABEL_SIZE];
	uint32_t next = 0;

	if (finding->loop == DP_TEXT_PRIMARY && text->level <= 1)
		return;
	if (!loop && dp_trace_device_count(dp_analysis_trace(render->analysis)) == 1)
		return;
	if (loop && !is_alone(render, loop)) {
		dp_words__add(words, " in loop %u", (unsigned)finding->loop);
		if (dp_trace_device_count(dp_analysis_trace(render->analysis)) > 1)
			dp_words__add(words, " on %s",
				      dp_text__device(device, dp_analysis_trace(render->analysis),
						      loop->device));
		return;
	}
	for (size_t i = 0; i < finding->loop_count && i < DEVICES_MOST; i++) {
		next = next_device(finding, next);
		if (next == UINT32_MAX)
			break;
		dp_words__add(words, "%s%s", i ? ", " : " on ",
			      dp_text__device(device, dp_analysis_trace(render->analysis), next++));
	}
	if (finding->loop_count > DEVICES_MOST)
		dp_words__add(words, " and %zu more", finding->loop_count - DEVICES_MOST);
}

/* The number of columns of "1. critical ". */
static size_t lead_columns(size_t id, const struct dp_finding *finding)
{
	char number[DP_NUMBER_SIZE];

	return dp_number__integer(number, (int64_t)id + 1) + 3 +
	       strlen(dp_severity_name(finding->severity));
}

/* Adds what is wrong, where, and what it costs. */
static void add_headline(struct dp_words *words, const struct dp_render *render,
			 const struct dp_finding *finding)
{
	const struct dp_text *text = render->state;
	struct dp_words cost = { 0 };
	char number[DP_NUMBER_SIZE];

	dp_words__add(words, "%s", finding->rule);
	dp_text__place(words, render, finding);
	if (finding->confidence < DOUBTFUL && text->given_up < DP_LEAVE_WORDS)
		dp_words__add(words, " (%s confidence)",
			      dp_text__percent(number, finding->confidence));
	dp_text__cost(&cost, render, finding, text->given_up >= DP_LEAVE_WORDS);
	if (cost.used)
		dp_words__add(words, ": %s", cost.text);
}

static size_t headline_lines(const struct dp_render *render, size_t id)
{
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);
	struct dp_words words = { 0 };

	add_headline(&words, render, finding);
	return dp_text__lines(render, lead_columns(id, finding), INDENT, words.text);
}

static size_t headlines_most(const struct dp_render *render)
{
	size_t count = dp_analysis_finding_count(render->analysis);
	const struct dp_text *text = render->state;

	if (render->options->verbose)
		return count;
	/* minor ones are the last */
	while (count && dp_analysis_finding(render->analysis, count - 1)->minor)
		count--;
	return DP_MIN(count, text->whole ? FINDINGS_MOST : HEADLINES_MOST);
}

size_t dp_text__least_lines(const struct dp_render *render)
{
	size_t count = headlines_most(render), lines;

	if (!count)
		return 0;
	lines = detail_lines(render, 0);
	lines += count > 1; /* what -v shows */
	for (size_t i = 0; i < count; i++)
		lines += headline_lines(render, i);
	return lines;
}

/*
 * Decides how many findings have a headline, and how many all of their lines. One line is left for
 * the prompt, and one for the blank line before. The first finding is always shown in full, and
 * each has its headline, even below the screen.
 */
static void plan(struct dp_render *render)
{
	size_t count = headlines_most(render), least, left, detail, all = 0;
	struct dp_text *text = render->state;

	text->shown = text->detailed = count;
	if (text->whole)
		return;
	least = dp_text__least_lines(render);
	left = text->height > render->lines + 2 ? text->height - render->lines - 2 : 0;
	left = left > least ? left - least : 0;
	for (size_t i = 1; i < count; i++)
		all += detail_lines(render, i);
	if (all <= left + (count > 1 && count == dp_analysis_finding_count(render->analysis)))
		return;
	text->detailed = 1;
	while (text->detailed < count) {
		detail = detail_lines(render, text->detailed);
		if (detail > left)
			return;
		left -= detail;
		text->detailed++;
	}
}

void dp_text__finding(struct dp_render *render, size_t id)
{
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);
	struct dp_text *text = render->state;
	struct dp_words words = { 0 };

	if (!id)
		plan(render);
	if (!text->findings && text->shown) {
		dp_render__text(render, "\n");
	}
	if (text->findings >= text->shown)
		return;
	dp_render__integer(render, (int64_t)id + 1);
	dp_render__text(render, ". ");
	dp_text__severity(render, finding->severity);
	dp_render__text(render, " ");
	add_headline(&words, render, finding);
	dp_text__wrap(render, lead_columns(id, finding), INDENT, words.text);
	if (text->findings++ < text->detailed)
		write_detail(render, id);
}

/* Returns true if a loop has a period, which rules need. */
static bool has_period(const struct dp_render *render)
{
	const struct dp_loop *loop;

	for (size_t i = 0; (loop = dp_analysis_loop(render->analysis, i)); i++)
		if (loop->selected && isfinite(dp_text__summary(render, i, "median_period_ns")))
			return true;
	return false;
}

/* The first loop at the requested level, if none can be judged. */
static const struct dp_loop *unjudged(const struct dp_render *render)
{
	const struct dp_loop *loop;

	for (size_t i = 0; (loop = dp_analysis_loop(render->analysis, i)); i++)
		if (loop->selected)
			return loop;
	return NULL;
}

/* Returns true if a loop has one inside. */
static bool has_inside(const struct dp_render *render, const struct dp_loop *outer)
{
	const struct dp_loop *loop;

	for (size_t i = 0; (loop = dp_analysis_loop(render->analysis, i)); i++)
		if (loop->parent == outer->id)
			return true;
	return false;
}

/*
 * If the device is idle for a notable share of an iteration and no rule knows why, adds that it is,
 * and returns true.
 */
static bool add_unexplained(struct dp_words *words, const struct dp_render *render)
{
	const struct dp_loop *loop;
	char number[DP_NUMBER_SIZE];
	double share;

	for (size_t i = 0; (loop = dp_analysis_loop(render->analysis, i)); i++) {
		share = dp_text__summary(render, i, "avg_idle_other_ns") /
			dp_text__summary(render, i, "avg_period_ns");
		if (!loop->selected || !(share >= UNEXPLAINED))
			continue;
		dp_words__add(
			words,
			" But for %s of an iteration, the GPU is idle for a reason that the trace "
			"does not show; other programs on the GPU may be one.",
			dp_human__share(number, share));
		return true;
	}
	return false;
}

/*
 * If nothing is lost and the device computes nearly all the time, only its kernels can be made
 * faster: adds which take longest.
 */
static void add_next_step(struct dp_words *words, struct dp_render *render)
{
	char number[DP_NUMBER_SIZE];
	const struct dp_loop *loop;
	double share, taken;
	size_t graphs;

	for (size_t i = 0; (loop = dp_analysis_loop(render->analysis, i)); i++) {
		share = dp_text__summary(render, i, "avg_compute_ns") /
			dp_text__summary(render, i, "avg_period_ns");
		if (!loop->selected || !(share >= COMPUTE_BOUND))
			continue;
		graphs = dp_text__graphs(dp_analysis_trace(render->analysis), loop->stream);
		dp_words__add(words, " Compute takes %s of an iteration",
			      dp_human__share(number, share));
		if (dp_text__is_minor(&taken, render, loop))
			dp_words__add(words, ", but the loop takes only %s of the %s.",
				      dp_human__share(number, taken), dp_text__whole(render));
		else if (graphs)
			dp_words__add(words, ".");
		else
			dp_words__add(words, ": only faster or fewer kernels would help.");
		if (graphs)
			dp_text__add_graphs(words, graphs);
		dp_text__top_kernels(words, render, loop->device);
		return;
	}
}

static bool is_replayed(const struct dp_trace *trace)
{
	const struct dp_fact *fact;

	for (size_t i = 0; (fact = dp_trace_fact(trace, i)); i++)
		if (!strcmp(fact->name, DP_FACT_REPLAY))
			return true;
	return false;
}

/* Nothing was found: by which rules; or why rules could not find anything, or were not run. */
bool dp_text__no_findings(struct dp_words *words, struct dp_render *render, bool list)
{
	const struct dp_loop *loop = unjudged(render);
	const struct dp_rule_info *rule;

	if (!dp_analysis_is_diagnosed(render->analysis)) {
		dp_words__add(words, "Rules were not run: they need all metrics, and only named "
				     "ones were computed.");
		return false;
	}
	if (is_replayed(dp_analysis_trace(render->analysis))) {
		dp_words__add(words,
			      "No findings: times between kernels are the profiler's. Record "
			      "without metrics and events to see what the GPU waits for.");
		return false;
	}
	if (!loop) {
		dp_words__add(words,
			      "No findings. Without iterations, rules are applied to the whole %s "
			      "if it has at least %d kernels and recording was never paused.",
			      dp_text__whole(render), DP_CAPTURE_KERNELS);
		return false;
	}
	if (!has_period(render)) {
		if (loop->complete > 1)
			dp_words__add(
				words,
				"No findings, but little could be judged: other kernels run between "
				"the iterations, so that they have no period. ");
		else if (loop->complete == 1)
			dp_words__add(words,
				      "No findings in the only whole iteration; rules that "
				      "compare iterations were not applied. ");
		else
			dp_words__add(words,
				      "Nothing could be judged: no whole iteration is in the %s. ",
				      dp_text__whole(render));
		dp_text__capture(words, render, loop->device);
		if (loop->complete <= 1)
			dp_words__add(words, " Record more iterations%s.",
				      loop->found_by == DP_FOUND_BY_MARKS &&
						      has_inside(render, loop)
					      ? ", or look for loops inside it with --ignore-marks"
					      : "");
		return false;
	}
	dp_words__add(words, "No findings: none of %zu rules triggered%s", dp_rule_count(),
		      list ? ":" : "");
	for (size_t i = 0; list && (rule = dp_rule(i)); i++)
		dp_words__add(words, "%s %s", i ? "," : "", rule->id);
	dp_words__add(words, ".");
	if (!add_unexplained(words, render))
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
