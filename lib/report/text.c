/*
 * The report that people read: it fits a screen of 80 by 24 and says what was measured, what an
 * iteration is, where its time went and what to do, the most rewarding first.
 */
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LOOPS_MOST 4
#define FINDINGS_MOST 2
#define EVIDENCE_INDENT 3

/* The loop that took most of the trace's time, of those at the level that was asked for. */
static size_t primary_loop(const struct dp_analysis *analysis)
{
	size_t best = 0;
	int64_t most_ns = -1;

	for (size_t i = 0; i < dp_analysis_loop_count(analysis); i++) {
		const struct dp_loop *loop = dp_analysis_loop(analysis, i);
		const struct dp_iteration *first = dp_loop_iteration(analysis, i, 0);
		const struct dp_iteration *last;

		if (!loop->at_level || !first)
			continue;
		last = dp_loop_iteration(analysis, i, loop->iterations - 1);
		if (last->end_ns - first->start_ns <= most_ns)
			continue;
		most_ns = last->end_ns - first->start_ns;
		best = i;
	}
	return best;
}

/* A stream whose class doesn't tell it from the others that were analyzed. */
static bool needs_name(const struct dp_trace *trace, size_t index)
{
	return dp_trace_stream(trace, index)->stream_class != DP_STREAM_MAIN &&
	       dp_trace_stream(trace, index)->stream >= 0;
}

/* Why a stream has no loop. */
static void write_nothing(struct dp_render *render, size_t stream,
			  const struct dp_candidate *candidate)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	char name[DP_LABEL_SIZE], number[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };

	dp_text__style_begin(render, DP_STYLE_YELLOW);
	dp_render__format(render, "\nNo stable iteration found on %s",
			  dp_text__device(name, trace, dp_trace_stream(trace, stream)->device));
	if (needs_name(trace, stream))
		dp_render__format(render, ", stream %lld",
				  (long long)dp_trace_stream(trace, stream)->stream);
	dp_render__text(render, ".");
	dp_text__style_end(render);
	dp_render__text(render, "\n  ");
	if (candidate->length) {
		dp_words__add(&words, "The best candidate has %s",
			      dp_text__plural(number, candidate->length, "kernel"));
		dp_words__add(&words, " and covers %s of the stream",
			      dp_human__share(number, candidate->coverage));
		dp_words__add(&words, ", with a confidence of %s: too little to rely on.",
			      dp_human__share(number, candidate->confidence));
	} else {
		dp_words__add(&words, "No part of its stream repeats often and regularly enough.");
	}
	dp_text__wrap(render, 2, 2, words.text);
	dp_render__text(render, "  ");
	dp_text__wrap(render, 2, 2,
		      "If you know the number of iterations, say so (-n N); or record a longer "
		      "part of the run, or one with annotations.");
}

/* Streams that were analyzed and have no loop; beside others' loops only if one was near. */
static void write_without(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	size_t loops = dp_analysis_loop_count(render->analysis), told = 0;
	struct dp_candidate candidate;

	for (size_t i = 0; i < dp_trace_stream_count(trace); i++) {
		if (!dp_analysis_candidate(render->analysis, i, &candidate) ||
		    (loops && !candidate.length))
			continue;
		if (told++ < 2 || render->options->verbose)
			write_nothing(render, i, &candidate);
	}
	if (!told && !loops)
		dp_render__text(render, "\nNo kernels: there are no iterations to find.\n");
	else if (told > 2 && !render->options->verbose)
		dp_render__format(render, "\nNor on %zu more.\n", told - 2);
}

static int begin(struct dp_render *render)
{
	struct dp_text *text = dp_alloc__zeroed(1, sizeof(*text));

	if (!text)
		return dp_error__nomem(render->error, sizeof(*text));
	text->width = DP_MAX(40, DP_MIN(render->options->width, DP_LABEL_COLUMNS));
	text->primary = primary_loop(render->analysis);
	for (size_t i = 0; i < dp_analysis_loop_count(render->analysis); i++)
		text->level += dp_analysis_loop(render->analysis, i)->at_level;
	render->state = text;
	dp_text__head(render);
	write_without(render);
	return DP_OK;
}

static int write_loop(struct dp_render *render, size_t loop)
{
	struct dp_text *text = render->state;

	if (!render->options->verbose && loop != text->primary)
		return DP_OK;
	dp_render__text(render, "\n");
	dp_text__loop(render, loop);
	if (!render->options->verbose)
		return DP_OK;
	dp_text__tables(render, loop);
	dp_text__iterations_head(render, loop);
	return DP_OK;
}

/* One line each for the other loops of the level that was asked for. */
static void write_others(struct dp_render *render)
{
	size_t loops = dp_analysis_loop_count(render->analysis), told = 0, more = 0;
	struct dp_text *text = render->state;
	char number[DP_NUMBER_SIZE];

	if (text->others_told || render->options->verbose)
		return;
	text->others_told = true;
	for (size_t i = 0; i < loops; i++) {
		if (i == text->primary || !dp_analysis_loop(render->analysis, i)->at_level)
			continue;
		if (told >= LOOPS_MOST) {
			more++;
			continue;
		}
		if (!told++)
			dp_render__text(render, "\n");
		dp_text__loop_line(render, i);
	}
	if (more)
		dp_render__format(render, "and %s\n", dp_text__plural(number, more, "more loop"));
}

static int write_iteration(struct dp_render *render, size_t loop, size_t iteration)
{
	if (render->options->verbose)
		dp_text__iteration(render, loop, iteration);
	return DP_OK;
}

/* The numbers; on the one screen, those that fit a line. */
static void write_evidence(struct dp_render *render, const struct dp_finding *finding)
{
	size_t room = ((struct dp_text *)render->state)->width - EVIDENCE_INDENT, before;
	char title[DP_NUMBER_SIZE], value[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };

	for (size_t i = 0; i < finding->evidence_count; i++) {
		const struct dp_evidence_value *at = &finding->evidence[i];

		if (!isfinite(at->value))
			continue;
		before = words.used;
		dp_words__add(&words, "%s%s %s", words.used ? ", " : "",
			      dp_text__title(title, at->name),
			      dp_human__value(value, at->value, at->unit, render->options->ascii));
		if (render->options->verbose || dp_label__width(words.text) <= room)
			continue;
		words.text[before] = '\0';
		words.used = before;
		break;
	}
	if (!words.used)
		return;
	dp_text__blanks(render, EVIDENCE_INDENT);
	dp_text__wrap(render, EVIDENCE_INDENT, EVIDENCE_INDENT, words.text);
}

static void write_severity(struct dp_render *render, enum dp_severity severity)
{
	if (severity == DP_SEVERITY_CRITICAL)
		dp_text__styled(render, DP_STYLE_RED, "critical");
	else if (severity == DP_SEVERITY_WARNING)
		dp_text__styled(render, DP_STYLE_YELLOW, "warning");
	else
		dp_render__text(render, "info");
}

/* ": up to 57.48 ms of each 176.2 ms could be saved". */
static void write_recoverable(struct dp_render *render, const struct dp_finding *finding)
{
	char number[DP_NUMBER_SIZE];
	double period_ns = (double)NAN;
	bool ascii = render->options->ascii;
	size_t index;

	if (!isfinite(finding->recoverable_ns))
		return;
	if (dp_text__find_summary("avg_period_ns", &index))
		period_ns = dp_loop_summary(render->analysis, finding->loop, index);
	dp_render__format(render, ": up to %s of each ",
			  dp_human__duration(number, finding->recoverable_ns, ascii));
	dp_render__format(render, "%s could be saved",
			  isfinite(period_ns) ? dp_human__duration(number, period_ns, ascii)
					      : "iteration");
}

static int write_finding(struct dp_render *render, size_t id)
{
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);
	struct dp_text *text = render->state;

	write_others(render);
	if (text->findings >= FINDINGS_MOST && !render->options->verbose)
		return DP_OK;
	dp_render__format(render, "%s%zu. ", text->findings ? "" : "\n", id + 1);
	text->findings++;
	write_severity(render, finding->severity);
	dp_render__format(render, " %s", finding->rule);
	if (render->options->verbose || finding->loop != text->primary || text->level > 1)
		dp_render__format(render, " in loop %u", (unsigned)finding->loop);
	write_recoverable(render, finding);
	dp_render__text(render, "\n");
	/* The first has its reasons and what to do; for the others there is a line each. */
	if (text->findings > 1 && !render->options->verbose)
		return DP_OK;
	write_evidence(render, finding);
	dp_render__text(render, "   ");
	dp_text__styled(render, DP_STYLE_HEAD, render->options->ascii ? "->" : "\xe2\x86\x92");
	dp_render__text(render, " ");
	dp_text__wrap(render, render->options->ascii ? 6 : 5, 5, finding->advice);
	return DP_OK;
}

/* Nothing was found: by which rules. */
static void write_clean(struct dp_render *render)
{
	struct dp_words words = { 0 };
	const struct dp_rule_info *rule;

	dp_words__add(&words, "No findings. Looked for:");
	for (size_t i = 0; (rule = dp_rule(i)); i++)
		dp_words__add(&words, "%s %s", i ? "," : "", rule->id);
	dp_render__text(render, "\n");
	dp_text__wrap(render, 0, 0, words.text);
}

static int end(struct dp_render *render)
{
	size_t loops = dp_analysis_loop_count(render->analysis);
	size_t findings = dp_analysis_finding_count(render->analysis);
	struct dp_text *text = render->state;
	char number[DP_NUMBER_SIZE];

	write_others(render);
	if (loops && !findings)
		write_clean(render);
	else if (findings > text->findings)
		dp_render__format(
			render, "and %s\n",
			dp_text__plural(number, findings - text->findings, "more finding"));
	free(text);
	return DP_OK;
}

const struct dp_renderer dp_renderer__text = {
	.info = { "text", "txt", "one screen for people", false },
	.begin = begin,
	.loop = write_loop,
	.iteration = write_iteration,
	.finding = write_finding,
	.end = end,
};
