/* A job as Markdown, for an issue: the verdict, then the ranks and their collectives. */
#include "report/markdown.h"
#include "report/ranks_words.h"

#include <string.h>

enum {
	RANKS_MOST = 16,
	COLLECTIVES_MOST = 10,
	LEFT_OUT_MOST = 10, /* as many as rows of collectives */
	NAME_COLUMNS = 60,
};

static void item(struct dp_render *render, const char *label, const char *words)
{
	if (!*words)
		return;
	dp_render__format(render, "- %s: ", label);
	dp_markdown__words(render, words);
	dp_render__text(render, "\n");
}

static void write_verdict(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	struct dp_words words = { 0 };

	dp_ranks_words__headline(&words, ranks, false);
	dp_render__text(render, "### ");
	dp_markdown__words(render, words.text);
	words = (struct dp_words){ 0 };
	dp_ranks_words__head(&words, render, ranks);
	dp_render__format(render, "\n\n%s\n\n", words.text);
	words = (struct dp_words){ 0 };
	dp_ranks_words__note(&words, render, ranks);
	item(render, "note", words.text);
	if (verdict->kind == DP_VERDICT_NONE)
		return;
	words = (struct dp_words){ 0 };
	dp_ranks_words__cost(&words, render, ranks);
	item(render, "costs", words.text);
	if (verdict->kind == DP_VERDICT_STRAGGLER) {
		words = (struct dp_words){ 0 };
		dp_ranks_words__evidence(&words, ranks);
		item(render, "evidence", words.text);
		words = (struct dp_words){ 0 };
		dp_ranks_words__cause(&words, render, ranks, DP_LABEL_COLUMNS);
		item(render, "cause", words.text);
	}
	item(render, "advice", dp_ranks_words__advice(ranks));
}

static void duration(struct dp_render *render, double ns)
{
	char number[DP_NUMBER_SIZE];

	dp_render__format(render, " %s |", dp_human__duration(number, ns, false));
}

static void write_rank(struct dp_render *render, const struct dp_ranks *ranks, size_t r)
{
	const struct dp_rank *rank = dp_ranks_rank(ranks, r);
	const char *bold = dp_ranks_rows__is_blamed(ranks, r) ? "**" : "";
	char offset[DP_NUMBER_SIZE], place[DP_LABEL_SIZE];

	dp_render__format(render, "| %s%lld%s |", bold, (long long)rank->rank, bold);
	duration(render, rank->period_ns);
	duration(render, rank->own_ns);
	duration(render, rank->wait_ns);
	if (rank->shared)
		dp_render__format(render, " %zu/%zu |", rank->last, rank->shared);
	else
		dp_render__text(render, " |");
	dp_render__format(render, " %s | ",
			  rank->clock_known ? dp_human__rough(offset, rank->offset_ns, false) : "");
	dp_markdown__code(render, dp_ranks_words__place(place, rank, NAME_COLUMNS, false),
			  NAME_COLUMNS);
	dp_render__text(render, " |\n");
}

static void write_ranks(struct dp_render *render, const struct dp_ranks *ranks)
{
	struct dp_rank_rows rows;
	struct dp_words rest = { 0 };

	dp_render__text(render,
			"\n| rank | median period | mean own time | mean waiting | last | clock | "
			"host or file |\n|---:|---:|---:|---:|---:|---:|---|\n");
	if (render->options->verbose) {
		for (size_t r = 0; r < dp_ranks_count(ranks); r++)
			write_rank(render, ranks, r);
		return;
	}
	dp_ranks_rows__choose(&rows, ranks, RANKS_MOST);
	for (size_t i = 0; i < rows.count; i++)
		write_rank(render, ranks, rows.order[i]);
	dp_ranks_words__rest(&rest, render, ranks, &rows);
	if (rest.used)
		dp_render__format(render, "\n%s.\n", rest.text);
}

static void write_collective(struct dp_render *render, const struct dp_collective_row *row)
{
	char number[DP_NUMBER_SIZE], group[DP_LABEL_SIZE];

	dp_render__format(render, "| %s | %zu |", dp_collective_kind_name(row->first->kind),
			  row->calls);
	dp_render__format(render, " %s |",
			  row->first->bytes
				  ? dp_human__bytes(number, (double)row->first->bytes)
				  : "");
	duration(render, row->own_ns);
	duration(render, row->wait_ns);
	dp_render__format(render, " %s | ",
			  dp_human__value(number, row->bandwidth, "bytes/s", false));
	dp_markdown__words(render, dp_ranks_words__groups(group, row, NAME_COLUMNS, false));
	dp_render__text(render, " |\n");
}

static void write_collectives(struct dp_render *render, const struct dp_ranks *ranks)
{
	struct dp_collective_row row;

	if (!dp_ranks_collective(ranks, 0))
		return;
	dp_render__text(render, "\n| collective | calls | size | own time | mean waiting | bus "
				"bandwidth | group |\n|---|---:|---:|---:|---:|---:|---|\n");
	for (size_t i = 0, shown = 0; dp_ranks_collective(ranks, i) &&
				      (shown < COLLECTIVES_MOST || render->options->verbose);
	     i++) {
		if (!dp_ranks_rows__collective(&row, ranks, i))
			continue;
		write_collective(render, &row);
		shown++;
	}
}

static void write_left_out(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_left_out *at;
	size_t i;

	for (i = 0; (at = dp_ranks_left_out(ranks, i)); i++) {
		if (i >= LEFT_OUT_MOST && !render->options->verbose)
			continue;
		dp_render__text(render, "- left out: ");
		dp_markdown__code(render, at->file, DP_LABEL_COLUMNS);
		dp_render__text(render, ": ");
		dp_markdown__words(render, at->why);
		dp_render__text(render, "\n");
	}
	if (i > LEFT_OUT_MOST && !render->options->verbose)
		dp_render__format(render, "- left out: %zu more files\n", i - LEFT_OUT_MOST);
}

static void write_all(struct dp_render *render, const void *what)
{
	const struct dp_ranks *ranks = what;
	struct dp_words words = { 0 };

	write_verdict(render, ranks);
	write_ranks(render, ranks);
	write_collectives(render, ranks);
	dp_render__text(render, "\n");
	dp_ranks_words__matching(&words, render, ranks);
	item(render, "matching", words.text);
	words = (struct dp_words){ 0 };
	dp_ranks_words__sources(&words, ranks);
	item(render, "ranks", words.text);
	write_left_out(render, ranks);
}

const struct dp_whole_renderer dp_ranks_renderer__ranks_markdown = {
	.info = { "markdown", "md", "for a pull request or an issue", false, true },
	.write = write_all,
};
