/*
 * How iterations were found, after the report: for each loop the evidence for and against it, and
 * what else was considered. With -v, everything that the stages of the detection saw, in order.
 */
#include "base/text.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

/* The longest stage, two columns in front of it and one behind. */
#define STAGE_COLUMNS 14
/* The same for the labels of a loop, and for what is listed under them. */
#define LABEL_COLUMNS 12
#define NAME_COLUMNS 44

enum { REASONS_MOST = 4, REFUSED_MOST = 5 };
#define MOSTLY 0.8	 /* share of a loop's iterations that are inside those of another */
#define REASON_LEAST 0.3 /* log-odds: less hardly changes a probability */

/* A fact of an entry by name; NaN if the entry lacks it. */
static double fact(const struct dp_explanation *entry, const char *name)
{
	for (size_t i = 0; i < entry->fact_count; i++)
		if (!strcmp(entry->facts[i].name, name))
			return entry->facts[i].value;
	return NAN;
}

/* Writes a fact that is a number of something. Returns buf. */
static char *count_of(char buf[DP_TEXT_SIZE], const struct dp_explanation *entry, const char *name)
{
	return dp_text__count(buf, (uint64_t)llround(fact(entry, name)));
}

static bool is_stage(const struct dp_explanation *entry, const char *stage)
{
	return !strcmp(entry->stage, stage);
}

/* The length of an entry's text before its numbers: "few iterations", "span-end: after ...". */
static int phrase_length(const struct dp_explanation *entry)
{
	return (int)strcspn(entry->text, is_stage(entry, "vote") ? ";" : ":");
}

static void write_line(struct dp_render *render, const char *label, const struct dp_words *words)
{
	/* of a reason, a line that follows begins behind its sign */
	size_t sign = strchr("+-", words->text[0]) ? 2 : 0;

	dp_text__blanks(render, 4);
	dp_text__column(render, label, LABEL_COLUMNS);
	dp_text__wrap(render, LABEL_COLUMNS + 4, LABEL_COLUMNS + 4 + sign, words->text);
}

static const struct dp_explanation *entry_at(const struct dp_render *render, size_t index,
					     uint32_t stream)
{
	const struct dp_explanation *entry = dp_analysis_explanation(render->analysis, index);

	return entry && entry->stream == stream ? entry : NULL;
}

/* The last entry of a stage about a length before the one at `to`, or SIZE_MAX. */
static size_t find_before(const struct dp_render *render, uint32_t stream, size_t to,
			  const char *stage, double length)
{
	const struct dp_explanation *entry;

	while (to-- > 0 && (entry = entry_at(render, to, stream)))
		if (is_stage(entry, stage) && fact(entry, "length") == length)
			return to;
	return SIZE_MAX;
}

/* Writes what most changes a number, from the entries of a stage after the one at `from`. */
static void write_reasons(struct dp_render *render, uint32_t stream, size_t from,
			  const char *stage, double (*weight)(const struct dp_explanation *))
{
	const struct dp_explanation *entry, *best[REASONS_MOST] = { NULL };

	for (size_t i = from + 1; (entry = entry_at(render, i, stream)) && is_stage(entry, stage);
	     i++)
		for (size_t k = 0; k < REASONS_MOST; k++) {
			const struct dp_explanation *swap = best[k];

			if (swap && fabs(weight(swap)) >= fabs(weight(entry)))
				continue;
			best[k] = entry;
			entry = swap;
			if (!entry)
				break;
		}
	for (size_t k = 0; k < REASONS_MOST && best[k]; k++) {
		struct dp_words words = { 0 };

		if (fabs(weight(best[k])) < REASON_LEAST)
			break;
		dp_words__add(&words, "%s %.*s", weight(best[k]) > 0 ? "+" : "-",
			      phrase_length(best[k]), best[k]->text);
		write_line(render, "", &words);
	}
}

static double for_loop(const struct dp_explanation *entry)
{
	return fact(entry, "loop");
}

static double for_boundary(const struct dp_explanation *entry)
{
	return fact(entry, "boundary");
}

static double for_first(const struct dp_explanation *entry)
{
	return fact(entry, "first") - fact(entry, "next");
}

/* Writes how the loop was found, and how much shorter it makes the description of all kernels. */
static void write_pattern(struct dp_render *render, uint32_t stream, size_t at, double length)
{
	const struct dp_explanation *entry;
	struct dp_words words = { 0 };
	char edits[DP_NUMBER_SIZE], number[DP_TEXT_SIZE];

	at = find_before(render, stream, at, "pattern", length);
	if (at == SIZE_MAX || !(fact(entry_at(render, at, stream), "covered") > 0))
		return;
	entry = entry_at(render, at, stream);
	dp_words__add(&words, "%s times in ",
		      fact(entry, "iterations") < 100
			      ? dp_text__digits(number, fact(entry, "iterations"), 3)
			      : count_of(number, entry, "iterations"));
	dp_words__add(&words, "%s of ", count_of(number, entry, "covered"));
	dp_words__add(&words, "%s kernels, with %s", count_of(number, entry, "symbols"),
		      dp_text__plural(edits, (uint64_t)fact(entry, "edits"), "difference"));
	/* what was found in all operations may not be shorter for the kernels alone */
	if (fact(entry, "bits") < fact(entry, "bits_without")) {
		dp_words__add(&words, "; it describes them in %s bits",
			      count_of(number, entry, "bits"));
		dp_words__add(&words, " instead of %s", count_of(number, entry, "bits_without"));
	}
	write_line(render, "repeats", &words);
}

static void write_boundary(struct dp_render *render, const struct dp_loop *loop, size_t at)
{
	size_t votes = find_before(render, loop->stream, at, "votes", (double)loop->length);
	size_t room = ((struct dp_text *)render->state)->width - LABEL_COLUMNS - 4, places[2], next;
	const struct dp_explanation *entry;
	struct dp_words words = { 0 };
	bool ascii = render->options->ascii;
	char name[DP_LABEL_SIZE];
	char number[DP_NUMBER_SIZE];
	const char *names[2];

	room = DP_MIN(room, (size_t)NAME_COLUMNS);
	if (votes == SIZE_MAX)
		return;
	entry = entry_at(render, votes, loop->stream);
	next = (size_t)fact(entry, "next");
	names[0] = dp_analysis_loop_kernel(render->analysis, loop->id, 0);
	names[1] = dp_analysis_loop_kernel(render->analysis, loop->id, next);
	if (dp_label__tell_apart(places, names, DP_COUNT(names), room, ascii)) {
		render->status = dp_error__nomem(render->error, 0);
		return;
	}
	dp_words__add(&words, "%s", dp_label__kernel_at(name, names[0], places[0], room, ascii));
	write_line(render, "starts at", &words);
	words = (struct dp_words){ 0 };
	if (strcmp(names[0], names[1]) != 0)
		dp_words__add(&words, "rather than at %s:",
			      dp_label__kernel_at(name, names[1], places[1], room, ascii));
	else
		dp_words__add(&words, "rather than at the same kernel %s later:",
			      dp_text__plural(number, next, "place"));
	write_line(render, "", &words);
	write_reasons(render, loop->stream, votes, "vote", for_first);
}

/*
 * If another number of whole iterations equals the pattern in the end, writes how many differ:
 * kernels were symbols of several before, or the boundary moved later.
 */
static void write_different(struct dp_render *render, const struct dp_loop *loop, double equal)
{
	const struct dp_iteration *at;
	char number[DP_TEXT_SIZE], all[DP_TEXT_SIZE];
	struct dp_words words = { 0 };
	size_t different = 0;

	for (size_t k = 0; (at = dp_analysis_loop_iteration(render->analysis, loop->id, k)); k++)
		different += at->variant && !at->partial;
	if (isnan(equal) || fabs((double)(loop->complete - different) - equal) < 0.5)
		return;
	dp_words__add(&words, "in the end, %s of the %s differ from the pattern in their kernels",
		      dp_text__count(number, different), dp_text__count(all, loop->complete));
	write_line(render, "", &words);
}

/* Writes what the iterations are, and what came to them after the boundary was chosen. */
static void write_iterations(struct dp_render *render, const struct dp_loop *loop, size_t at)
{
	uint32_t stream = loop->stream;
	const struct dp_explanation *entry = entry_at(render, at, stream);
	const char *label = "iterations";
	double equal;

	at = find_before(render, stream, at, label, fact(entry, "length"));
	if (at == SIZE_MAX)
		return;
	equal = fact(entry_at(render, at, stream), "equal");
	while ((entry = entry_at(render, at++, stream)) && (*label || is_stage(entry, "change"))) {
		struct dp_words words = { 0 };

		dp_words__add(&words, "%s", entry->text + phrase_length(entry) + 2);
		write_line(render, label, &words);
		label = "";
	}
	write_different(render, loop, equal);
}

/* Returns true if an entry is about a loop of the report. */
static bool is_about(const struct dp_explanation *entry, const struct dp_loop *loop)
{
	return entry->stream == loop->stream && fact(entry, "length") == (double)loop->length &&
	       fact(entry, "iterations") == (double)loop->complete;
}

/*
 * Returns true if an entry has a reported loop's number of iterations and confidence: found in a
 * sequence in which each symbol stands for several kernels, it has another length there.
 */
static bool is_same(const struct dp_explanation *entry, const struct dp_loop *loop)
{
	double confidence = fact(entry, "confidence");

	return entry->stream == loop->stream && isfinite(confidence) &&
	       fact(entry, "iterations") == (double)loop->complete &&
	       !(confidence < loop->confidence) && !(confidence > loop->confidence);
}

static void write_probabilities(struct dp_render *render, uint32_t stream, size_t at)
{
	const struct dp_explanation *entry = entry_at(render, at, stream);
	struct dp_words words = { 0 };
	char number[DP_NUMBER_SIZE];

	dp_words__add(&words, "%s likely", dp_human__share(number, fact(entry, "loop")));
	write_line(render, "is a loop", &words);
	write_reasons(render, stream, at, "feature", for_loop);
	words = (struct dp_words){ 0 };
	dp_words__add(&words, "%s likely, if it is one",
		      dp_human__share(number, fact(entry, "boundary")));
	write_line(render, "boundaries", &words);
	write_reasons(render, stream, at, "feature", for_boundary);
}

static size_t depth_of(const struct dp_render *render, const struct dp_loop *loop)
{
	size_t depth = 0;

	for (; loop->parent != DP_NONE; depth++)
		loop = dp_analysis_loop(render->analysis, loop->parent);
	return depth;
}

/* Returns true if a loop encloses one of the reported level. */
static bool is_around(const struct dp_render *render, const struct dp_loop *loop)
{
	const struct dp_loop *inner;

	for (size_t i = 0; (inner = dp_analysis_loop(render->analysis, i)); i++)
		if (inner->parent == loop->id && (inner->selected || is_around(render, inner)))
			return true;
	return false;
}

/* Adds where a loop runs that is not at the reported level. */
static void add_place(struct dp_words *words, const struct dp_render *render,
		      const struct dp_loop *loop)
{
	const struct dp_loop *other;
	char number[DP_NUMBER_SIZE];

	if (loop->parent != DP_NONE || is_around(render, loop)) {
		dp_words__add(words, loop->parent != DP_NONE ? ", nested" : ", around these:");
		return;
	}
	for (size_t i = 0; (other = dp_analysis_loop(render->analysis, i)); i++)
		if (other->selected && other->stream == loop->stream &&
		    dp_text__share_inside(render->analysis, loop->id, i) >= MOSTLY) {
			dp_words__add(words, ", inside some of the %s",
				      dp_text__plural(number, other->complete, "iteration"));
			return;
		}
	dp_words__add(words, ", elsewhere");
}

/* Writes "5 iterations of 12 kernels: 98% confidence", indented as deep as the loop is nested. */
static void write_title(struct dp_render *render, const struct dp_loop *loop)
{
	char iterations[DP_NUMBER_SIZE], share[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };

	dp_words__add(&words, "%s of ", dp_text__plural(iterations, loop->complete, "iteration"));
	dp_text__contents(&words, render, loop->id);
	if (loop->found_by == DP_FOUND_BY_MARKS)
		dp_words__add(&words, ", from annotations");
	else if (isfinite(loop->confidence))
		dp_words__add(&words, ": %s confidence", dp_text__percent(share, loop->confidence));
	if (!loop->selected)
		add_place(&words, render, loop);
	dp_text__blanks(render, 2 + 2 * depth_of(render, loop));
	dp_text__styled(render, loop->selected ? DP_STYLE_HEAD : DP_STYLE_DIM, words.text);
	dp_render__text(render, "\n");
}

static void write_loop(struct dp_render *render, const struct dp_loop *loop)
{
	const struct dp_explanation *entry;
	size_t at = SIZE_MAX;

	for (size_t i = 0; (entry = dp_analysis_explanation(render->analysis, i)); i++)
		if (is_stage(entry, "confidence") &&
		    (is_about(entry, loop) || (at == SIZE_MAX && is_same(entry, loop))))
			at = i;
	write_title(render, loop);
	if (!loop->selected || at == SIZE_MAX || loop->found_by == DP_FOUND_BY_MARKS)
		return;
	write_pattern(render, loop->stream, at, (double)loop->length);
	write_boundary(render, loop, at);
	write_iterations(render, loop, at);
	write_probabilities(render, loop->stream, at);
}

/* Writes the loops of a stream inside one, each followed by those inside it. */
static void write_loops(struct dp_render *render, uint32_t stream, uint32_t parent)
{
	const struct dp_loop *loop;

	for (size_t i = 0; (loop = dp_analysis_loop(render->analysis, i)); i++)
		if (loop->stream == stream && loop->parent == parent) {
			write_loop(render, loop);
			write_loops(render, stream, loop->id);
		}
}

/* Returns true if an entry is about no loop of the report. */
static bool is_refused(const struct dp_render *render, const struct dp_explanation *entry)
{
	const struct dp_loop *loop;

	for (size_t i = 0; (loop = dp_analysis_loop(render->analysis, i)); i++)
		if (is_about(entry, loop) || is_same(entry, loop))
			return false;
	return true;
}

/* Returns true if an earlier entry of the stream is about an equal loop: another stage found it. */
static bool is_repeated(const struct dp_render *render, uint32_t stream, size_t from, size_t at)
{
	static const char *const facts[] = { "length", "iterations", "confidence" };
	const struct dp_explanation *entry = entry_at(render, at, stream), *other;

	for (size_t i = from; i < at && (other = entry_at(render, i, stream)); i++) {
		size_t equal = 0;

		for (size_t k = 0; k < DP_COUNT(facts) && is_stage(other, entry->stage); k++)
			equal += !(fact(entry, facts[k]) < fact(other, facts[k])) &&
				 !(fact(entry, facts[k]) > fact(other, facts[k]));
		if (equal == DP_COUNT(facts))
			return true;
	}
	return false;
}

/* Writes the loops that were considered, and are not in the report. */
static void write_refused(struct dp_render *render, uint32_t stream, size_t from)
{
	const struct dp_explanation *entry;
	size_t count = 0;
	char share[DP_NUMBER_SIZE], number[DP_NUMBER_SIZE];

	for (size_t i = from; (entry = entry_at(render, i, stream)); i++) {
		struct dp_words words = { 0 };

		if (!(is_stage(entry, "loop") ||
		      (is_stage(entry, "iterations") && fact(entry, "iterations") <= 0)) ||
		    !is_refused(render, entry) || is_repeated(render, stream, from, i) ||
		    count++ >= REFUSED_MOST)
			continue;
		if (count == 1)
			dp_render__text(render, "  Considered, and not reported:\n");
		dp_words__add(&words, "%s ",
			      dp_text__plural(number, (uint64_t)fact(entry, "length"), "kernel"));
		dp_words__add(&words,
			      is_stage(entry, "loop") ? "%s times" : "with %s whole iterations",
			      count_of(number, entry, "iterations"));
		if (isfinite(fact(entry, "confidence")))
			dp_words__add(&words, ", %s confidence",
				      dp_text__percent(share, fact(entry, "confidence")));
		if (fact(entry, "listed") > 0)
			dp_words__add(&words, ", replaced by what a later stage found");
		dp_text__blanks(render, 4);
		dp_text__wrap(render, 4, 6, words.text);
	}
	if (count > REFUSED_MOST)
		dp_render__format(render, "    and %zu more\n", count - REFUSED_MOST);
}

/* Returns true for a decision about the whole stream that a reader should know. */
static bool is_decision(const struct dp_explanation *entry)
{
	static const char *const stages[] = { "stream",	   "annotations", "operations",
					      "few",	   "part",	  "startup",
					      "branching", "count",	  "paper" };

	for (size_t i = 0; i < DP_COUNT(stages); i++)
		if (is_stage(entry, stages[i]))
			return true;
	return is_stage(entry, "levels") &&
	       (!(fact(entry, "goes_down") <= 0) || isfinite(fact(entry, "inner_length")));
}

/* Returns true if an earlier entry of the stream has the same text: a search was repeated. */
static bool is_repeated_text(const struct dp_render *render, uint32_t stream, size_t from,
			     size_t at)
{
	const char *text = entry_at(render, at, stream)->text;

	while (from < at && strcmp(entry_at(render, from, stream)->text, text) != 0)
		from++;
	return from < at;
}

static void write_summary(struct dp_render *render, uint32_t stream, size_t from)
{
	const struct dp_explanation *entry;

	write_loops(render, stream, DP_NONE);
	for (size_t i = from; (entry = entry_at(render, i, stream)); i++)
		if (is_decision(entry) && !is_repeated_text(render, stream, from, i)) {
			dp_text__blanks(render, 2);
			dp_text__column(render, entry->stage, STAGE_COLUMNS - 2);
			dp_text__wrap(render, STAGE_COLUMNS, STAGE_COLUMNS, entry->text);
		}
	write_refused(render, stream, from);
}

/* Returns true if an entry belongs to the one before or after it. */
static bool is_detail(const struct dp_explanation *entry)
{
	return is_stage(entry, "candidate") || is_stage(entry, "vote") ||
	       is_stage(entry, "change") || is_stage(entry, "feature");
}

static void write_stages(struct dp_render *render, uint32_t stream, size_t from)
{
	const struct dp_explanation *entry;

	for (size_t i = from; (entry = entry_at(render, i, stream)); i++) {
		size_t blanks = is_detail(entry) ? 4 : 2;

		dp_text__blanks(render, blanks);
		dp_text__column(render, entry->stage, STAGE_COLUMNS - blanks);
		dp_text__wrap(render, STAGE_COLUMNS, STAGE_COLUMNS, entry->text);
	}
}

static void write_stream(struct dp_render *render, uint32_t index)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	const struct dp_stream *stream = dp_trace_stream(trace, index);
	struct dp_words words = { 0 };
	char device[DP_LABEL_SIZE];

	dp_words__add(&words, "How iterations were found on %s",
		      dp_text__device(device, trace, stream->device));
	if (stream->stream >= 0)
		dp_words__add(&words, ", stream %lld", (long long)stream->stream);
	dp_words__add(&words, " (see deepprof-detection(7)%s):",
		      render->options->verbose ? "" : "; all stages: -v");
	dp_render__text(render, "\n");
	dp_text__wrap(render, 0, 2, words.text);
}

void dp_text__explain(struct dp_render *render)
{
	const struct dp_explanation *entry;
	uint32_t stream = DP_NONE;

	for (size_t i = 0; (entry = dp_analysis_explanation(render->analysis, i)); i++) {
		if (entry->stream == stream)
			continue;
		stream = entry->stream;
		write_stream(render, stream);
		if (render->options->verbose)
			write_stages(render, stream, i);
		else
			write_summary(render, stream, i);
	}
}
