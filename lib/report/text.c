/*
 * The report for people: it fits a screen of 80 by 24, and shows what was measured, what an
 * iteration is, where its time went and what to do, most rewarding first.
 */
#include "report/text.h"

#include <limits.h>

#define LOOPS_MOST 4
#define LEAST_HEIGHT 24
#define MOST_HEIGHT 40

/* Writes a line for each loop inside one, followed by those inside it. */
static void write_tree(struct dp_render *render, uint32_t parent, size_t depth)
{
	const struct dp_loop *loop;

	for (size_t i = 0; (loop = dp_analysis_loop(render->analysis, i)); i++)
		if (loop->parent == parent) {
			dp_text__loop_line(render, i, depth);
			write_tree(render, loop->id, depth + 1);
		}
}

/*
 * Writes what precedes the loops in the verbose report: copies, and all loops if some are nested.
 */
static void write_all(struct dp_render *render)
{
	const struct dp_analysis *analysis = render->analysis;
	const struct dp_loop *loop;
	bool nested = false;

	dp_text__copies(render);
	dp_text__collectives(render);
	for (size_t i = 0; (loop = dp_analysis_loop(analysis, i)); i++)
		nested |= loop->parent != DP_NONE;
	if (!nested)
		return;
	dp_render__text(render, "\nAll loops, nested ones indented:\n");
	write_tree(render, DP_NONE, 0);
}

/* Returns true if a loop encloses one of the level, whose text names it. */
static bool is_named(const struct dp_analysis *analysis, size_t loop)
{
	const struct dp_loop *inner;

	for (size_t i = 0; (inner = dp_analysis_loop(analysis, i)); i++)
		if (inner->selected && inner->parent == loop)
			return true;
	return false;
}

/* Writes a line for each other loop of the requested level, and for each loop around those. */
static void write_others(struct dp_render *render)
{
	size_t loops = dp_analysis_loop_count(render->analysis), shown = 0, more = 0;
	struct dp_text *text = render->state;
	size_t most = text->given_up >= DP_LEAVE_LOOPS ? 0 : LOOPS_MOST;
	char number[DP_NUMBER_SIZE];

	if (text->others_shown || render->options->verbose)
		return;
	text->others_shown = true;
	for (size_t i = 0; i < loops; i++) {
		if (i == DP_TEXT_PRIMARY || (!dp_analysis_loop(render->analysis, i)->selected &&
					   !is_named(render->analysis, i)))
			continue;
		if (shown >= most) {
			more++;
			continue;
		}
		if (!shown++)
			dp_render__text(render, "\n");
		dp_text__loop_line(render, i, 0);
	}
	if (more)
		dp_render__format(render, "and %s (-v shows all)\n",
				  dp_text__plural(number, more, "more loop"));
}

/* The number of lines before the findings, with the parts left out so far. */
static size_t lines_before(struct dp_render *render)
{
	struct dp_text *text = render->state;
	size_t before = render->lines, lines;

	render->counts = true;
	dp_text__head(render);
	dp_text__without(render);
	if (dp_analysis_loop_count(render->analysis)) {
		dp_render__text(render, "\n");
		dp_text__loop(render, DP_TEXT_PRIMARY);
	}
	write_others(render);
	text->others_shown = false;
	render->counts = false;
	lines = render->lines;
	render->lines = before;
	return lines;
}

/*
 * Findings matter most: other parts are left out, one by one, until the findings fit. One line is
 * for the prompt, and one for the blank line before the findings.
 */
static void make_room(struct dp_render *render)
{
	struct dp_text *text = render->state;

	if (!dp_analysis_finding_count(render->analysis))
		return;
	while (text->given_up < DP_LEAVE_COUNTS &&
	       lines_before(render) + dp_text__least_lines(render) + 2 > text->height)
		text->given_up++;
}

static int begin(struct dp_render *render)
{
	struct dp_text *text = dp_alloc__zeroed(1, sizeof(*text));

	if (!text)
		return dp_error__nomem(render->error, sizeof(*text));
	text->width = DP_MAX(40, DP_MIN(render->options->width, DP_LABEL_COLUMNS));
	text->height = DP_MAX(LEAST_HEIGHT, DP_MIN(render->options->height, MOST_HEIGHT));
	text->whole = render->options->verbose || render->options->height == UINT_MAX;
	text->level = dp_text__level(render);
	render->state = text;
	if (render->options->follows)
		dp_render__text(render, "\n");
	if (!text->whole)
		make_room(render);
	dp_text__head(render);
	if (render->options->verbose)
		write_all(render);
	dp_text__without(render);
	return DP_OK;
}

/*
 * Returns true if a loop is shown in full: all of the level with -v, else only the one with most
 * time.
 */
static bool is_shown(const struct dp_render *render, size_t loop)
{
	return loop == DP_TEXT_PRIMARY ||
	       (render->options->verbose && dp_analysis_loop(render->analysis, loop)->selected);
}

static int write_loop(struct dp_render *render, size_t loop)
{
	if (!is_shown(render, loop))
		return DP_OK;
	dp_render__text(render, "\n");
	dp_text__loop(render, loop);
	if (!render->options->verbose)
		return DP_OK;
	dp_text__tables(render, loop);
	dp_text__ranges(render, loop);
	dp_text__variants(render, loop);
	dp_render__text(render, "\n");
	dp_text__iterations_head(render, loop);
	return DP_OK;
}

static int write_iteration(struct dp_render *render, size_t loop, size_t iteration)
{
	if (render->options->verbose && is_shown(render, loop))
		dp_text__iteration(render, loop, iteration);
	return DP_OK;
}

static int write_finding(struct dp_render *render, size_t id)
{
	write_others(render);
	dp_text__finding(render, id);
	return DP_OK;
}

/* Writes which metrics have no values, and how to record them. */
static void write_hints(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	size_t count = 0;

	for (unsigned need = 0; need < DP_NEEDS; need++) {
		const struct dp_need_info *info = dp_trace_need(trace, (enum dp_need)need);
		struct dp_words words = { 0 };

		if (!info || !dp_trace_lacks(trace, (enum dp_need)need))
			continue;
		if (!count++)
			dp_render__text(render, "\n");
		dp_words__add(&words, "Not recorded: %s (for %s); %s.", info->what, info->gives,
			      info->record);
		dp_text__wrap(render, 0, 2, words.text);
	}
}

static int end(struct dp_render *render)
{
	size_t loops = dp_analysis_loop_count(render->analysis);
	size_t findings = dp_analysis_finding_count(render->analysis);
	struct dp_text *text = render->state;
	char number[DP_NUMBER_SIZE];

	write_others(render);
	if (loops && !findings)
		dp_text__clean(render);
	else if (findings && !text->findings)
		dp_render__format(render, "\nNo findings but %s (-v shows %s)\n",
				  dp_text__plural(number, findings, "minor one"),
				  findings == 1 ? "it" : "them");
	else if (findings > text->findings)
		dp_render__format(
			render, "and %s (-v shows all)\n",
			dp_text__plural(number, findings - text->findings, "more finding"));
	else if (findings && text->detailed < findings)
		dp_render__text(render, "-v shows all findings in full\n");
	if (render->options->verbose)
		write_hints(render);
	dp_text__explain(render);
	free(text);
	return DP_OK;
}

const struct dp_renderer dp_renderer__text = {
	.info = { "text", "txt", "one screen for people", false, false },
	.begin = begin,
	.loop = write_loop,
	.iteration = write_iteration,
	.finding = write_finding,
	.end = end,
};
