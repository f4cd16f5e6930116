/*
 * A job on one screen: which rank holds it up, why, and what that costs; then the ranks, and the
 * time of their collectives.
 */
#include "base/text.h"
#include "report/ranks_words.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
	BODY = 12, /* where the text of a labelled line begins */
	COLLECTIVES_MOST = 3,
	SCREEN = 24,		    /* lines of a terminal of unknown height */
	LEFT_OUT_MOST = SCREEN / 4, /* lines: the verdict stays in view */
	NAMED_MOST = 3,	  /* files in one line: they show how the names of the others go on */
	OTHER_LINES = 20, /* lines without rows of ranks, but with the prompt */
	RANKS_LEAST = 4,
	RANK_COLUMNS = 61, /* of a rank's row, before its host or file */
};

static void labelled(struct dp_render *render, const char *label, const char *words)
{
	dp_render__text(render, "  ");
	dp_text__column(render, label, BODY - 2);
	dp_text__wrap(render, BODY, BODY, words);
}

static char *duration(char buf[DP_NUMBER_SIZE], const struct dp_render *render, double ns)
{
	return dp_human__duration(buf, ns, render->options->ascii);
}

static void write_head(struct dp_render *render, const struct dp_ranks *ranks)
{
	struct dp_words words = { 0 };

	dp_ranks_words__head(&words, render, ranks);
	dp_text__styled(render, DP_STYLE_HEAD, words.text);
	dp_render__text(render, "\n");
}

static void write_verdict(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	bool found = verdict->kind != DP_VERDICT_NONE;
	struct dp_words words = { 0 };

	dp_render__text(render, "\n");
	dp_ranks_words__headline(&words, ranks, render->options->ascii);
	dp_text__style_begin(render, found ? DP_STYLE_RED : DP_STYLE_HEAD);
	dp_text__wrap(render, 0, 2, words.text);
	dp_text__style_end(render);
	words = (struct dp_words){ 0 };
	dp_ranks_words__note(&words, render, ranks);
	if (words.used)
		labelled(render, "note", words.text);
	if (!found)
		return;
	words = (struct dp_words){ 0 };
	dp_ranks_words__cost(&words, render, ranks);
	labelled(render, "costs", words.text);
	if (verdict->kind == DP_VERDICT_STRAGGLER) {
		words = (struct dp_words){ 0 };
		dp_ranks_words__evidence(&words, ranks);
		labelled(render, "evidence", words.text);
	}
	words = (struct dp_words){ 0 };
	if (verdict->kind == DP_VERDICT_STRAGGLER) {
		dp_ranks_words__cause(&words, render, ranks, 40);
		labelled(render, "cause", words.text);
	}
	labelled(render, render->options->ascii ? "->" : "→", dp_ranks_words__advice(ranks));
}

static void column(struct dp_render *render, double ns, int width)
{
	char number[DP_NUMBER_SIZE];

	dp_text__cell(render, duration(number, render, ns), width);
}

static void write_rank(struct dp_render *render, const struct dp_ranks *ranks, size_t r,
		       size_t name_width)
{
	const struct dp_rank *rank = dp_ranks_rank(ranks, r);
	char number[DP_NUMBER_SIZE], label[DP_LABEL_SIZE], offset[DP_NUMBER_SIZE];
	bool blamed = dp_ranks_rows__is_blamed(ranks, r);

	if (blamed)
		dp_text__style_begin(render, DP_STYLE_RED);
	snprintf(number, sizeof(number), "%lld", (long long)rank->rank);
	dp_text__column(render, number, -6);
	column(render, rank->period_ns, 14);
	column(render, rank->own_ns, 9);
	column(render, rank->wait_ns, 10);
	snprintf(number, sizeof(number), "%zu/%zu", rank->last, rank->shared);
	dp_text__column(render, rank->shared ? number : "-", -11);
	dp_text__column(render,
			rank->clock_known
				? dp_human__rough(offset, rank->offset_ns, render->options->ascii)
				: "-",
			-9);
	dp_render__text(render, "  ");
	dp_render__text(render,
			dp_ranks_words__place(label, rank, name_width, render->options->ascii));
	if (blamed)
		dp_text__style_end(render);
	dp_render__text(render, "\n");
}

static size_t rows_on_screen(unsigned height)
{
	if (!height || height == UINT_MAX)
		height = SCREEN;
	return height > OTHER_LINES + RANKS_LEAST ? DP_MIN(height - OTHER_LINES, DP_RANK_ROWS)
						  : RANKS_LEAST;
}

static void write_ranks(struct dp_render *render, const struct dp_ranks *ranks)
{
	size_t width = render->options->width < 72 ? 72 : render->options->width;
	size_t count = dp_ranks_count(ranks);
	struct dp_rank_rows rows;
	struct dp_words rest = { 0 };

	dp_render__text(render, "\n");
	dp_text__style_begin(render, DP_STYLE_DIM);
	dp_render__text(render, "  rank median period mean own mean wait       last    clock  "
				"host or file\n");
	dp_text__style_end(render);
	if (render->options->verbose) {
		for (size_t r = 0; r < count; r++)
			write_rank(render, ranks, r, width - RANK_COLUMNS);
		return;
	}
	dp_ranks_rows__choose(&rows, ranks, rows_on_screen(render->options->height));
	for (size_t i = 0; i < rows.count; i++)
		write_rank(render, ranks, rows.order[i], width - RANK_COLUMNS);
	dp_ranks_words__rest(&rest, render, ranks, &rows);
	if (rest.used)
		dp_render__format(render, "        %s (-v shows all)\n", rest.text);
}

static void write_clock(struct dp_render *render, const struct dp_ranks *ranks)
{
	struct dp_words words = { 0 };

	dp_ranks_words__matching(&words, render, ranks);
	labelled(render, "matching", words.text);
}

static void write_sources(struct dp_render *render, const struct dp_ranks *ranks)
{
	struct dp_words words = { 0 };

	dp_ranks_words__sources(&words, ranks);
	if (words.used)
		labelled(render, "ranks", words.text);
}

/* Adds the names of files that were left out for the same reason as file i. */
static void add_alike(struct dp_words *words, const struct dp_ranks *ranks, size_t i, size_t count,
		      bool ascii)
{
	const char *why = dp_ranks_left_out(ranks, i)->why;
	const struct dp_left_out *at;
	char file[DP_LABEL_SIZE], number[DP_TEXT_SIZE];
	size_t named = 0;

	for (; (at = dp_ranks_left_out(ranks, i)) && named < NAMED_MOST; i++) {
		const char *name = strrchr(at->file, '/');

		if (strcmp(at->why, why) != 0)
			continue;
		dp_words__add(words, "%s%s", named++ ? ", " : "",
			      dp_label__text(file, name ? name + 1 : at->file, 40, ascii));
	}
	if (count > named)
		dp_words__add(words, " and %s more", dp_text__count(number, count - named));
}

/* The number of files from i on with its reason; 0 if an earlier one has it. */
static size_t count_alike(const struct dp_ranks *ranks, size_t i)
{
	const char *why = dp_ranks_left_out(ranks, i)->why;
	const struct dp_left_out *at;
	size_t count = 0;

	for (size_t k = 0; k < i; k++)
		if (!strcmp(dp_ranks_left_out(ranks, k)->why, why))
			return 0;
	for (; (at = dp_ranks_left_out(ranks, i)); i++)
		count += !strcmp(at->why, why);
	return count;
}

/* Unless verbose, a line per reason, and only a few. */
static void write_left_out(struct dp_render *render, const struct dp_ranks *ranks)
{
	bool ascii = render->options->ascii, verbose = render->options->verbose;
	const struct dp_left_out *at;
	char file[DP_LABEL_SIZE], why[DP_LABEL_SIZE], number[DP_NUMBER_SIZE];
	size_t lines = 0, listed = 0, i;

	for (i = 0; (at = dp_ranks_left_out(ranks, i)); i++) {
		struct dp_words words = { 0 };
		size_t alike = verbose ? 1 : lines < LEFT_OUT_MOST ? count_alike(ranks, i) : 0;

		if (!alike)
			continue;
		if (alike > 1) {
			dp_words__add(&words, "%s files: ", dp_text__count(number, alike));
			add_alike(&words, ranks, i, alike, ascii);
		} else {
			dp_words__add(&words, "%s", dp_label__text(file, at->file, 60, ascii));
		}
		/* the reason may name another file */
		dp_words__add(&words, ": %s",
			      dp_label__text(why, at->why, DP_LABEL_COLUMNS, ascii));
		labelled(render, "left out", words.text);
		lines++;
		listed += alike;
	}
	if (i > listed)
		dp_render__format(render, "            %s left out (-v shows all)\n",
				  dp_text__plural(number, i - listed, "more file"));
}

static void write_row(struct dp_render *render, const struct dp_collective_row *row, const char *group)
{
	char number[DP_NUMBER_SIZE];

	dp_render__text(render, "  ");
	dp_text__column(render, dp_collective_kind_name(row->first->kind), 14);
	dp_text__column(render, dp_human__value(number, (double)row->calls, "count", false), -8);
	dp_text__column(
		render,
		row->first->bytes ? dp_human__bytes(number, (double)row->first->bytes) : "-", -10);
	column(render, row->own_ns, 10);
	column(render, row->wait_ns, 10);
	dp_text__column(render, dp_human__value(number, row->bandwidth, "bytes/s", false), -12);
	dp_render__format(render, "  %s\n", group);
}

/* Writes the collectives one by one, each with its group. */
static void write_each(struct dp_render *render, const struct dp_ranks *ranks, size_t width)
{
	const struct dp_ranks_collective *at;
	char label[DP_LABEL_SIZE];

	for (size_t i = 0; (at = dp_ranks_collective(ranks, i)); i++) {
		struct dp_collective_row row = { at, 1, at->count, at->own_ns, at->wait_ns,
					at->bus_bandwidth };

		write_row(render, &row,
			  dp_label__text(label, at->group, width, render->options->ascii));
	}
}

static void write_collectives(struct dp_render *render, const struct dp_ranks *ranks)
{
	size_t width = (render->options->width < 80 ? 80 : render->options->width) - 68;
	struct dp_collective_row row;
	char group[DP_LABEL_SIZE];
	size_t shown = 0, more = 0;

	if (!dp_ranks_collective(ranks, 0))
		return;
	dp_render__text(render, "\n");
	dp_text__style_begin(render, DP_STYLE_DIM);
	dp_render__text(render, "  collective       calls      size       own   waiting   bus "
				"bandw.  group\n");
	dp_text__style_end(render);
	if (render->options->verbose) {
		write_each(render, ranks, width);
		return;
	}
	for (size_t i = 0; dp_ranks_collective(ranks, i); i++) {
		if (!dp_ranks_rows__collective(&row, ranks, i))
			continue;
		if (shown >= COLLECTIVES_MOST) {
			more++;
			continue;
		}
		write_row(render, &row,
			  dp_ranks_words__groups(group, &row, width, render->options->ascii));
		shown++;
	}
	if (more)
		dp_render__format(render, "  and %zu more (-v shows all)\n", more);
}

static void write_all(struct dp_render *render, const void *what)
{
	const struct dp_ranks *ranks = what;
	struct dp_text text = { .width = render->options->width < 40 ? 40 : render->options->width,
				.height = render->options->height };

	render->state = &text;
	write_head(render, ranks);
	write_verdict(render, ranks);
	write_ranks(render, ranks);
	write_collectives(render, ranks);
	dp_render__text(render, "\n");
	write_clock(render, ranks);
	write_sources(render, ranks);
	write_left_out(render, ranks);
}

const struct dp_whole_renderer dp_ranks_renderer__ranks_text = {
	.info = { "text", "txt", "for people, on one screen", false, true },
	.write = write_all,
};
