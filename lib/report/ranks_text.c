/*
 * A job on one screen: who holds it up, why and what that costs; then the ranks, and what their
 * collectives take.
 */
#include "report/ranks_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	BODY = 12,	/* where the text of a labelled line begins */
	RANKS_MOST = 8, /* rows of a short report: those blamed and those that wait most */
	COLLECTIVES_MOST = 5,
	LEFT_OUT_MOST = 3,
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
	if (!found)
		return;
	words = (struct dp_words){ 0 };
	dp_ranks_words__cost(&words, render, verdict);
	labelled(render, "costs", words.text);
	if (verdict->shared) {
		words = (struct dp_words){ 0 };
		dp_ranks_words__evidence(&words, verdict);
		labelled(render, "evidence", words.text);
	}
	words = (struct dp_words){ 0 };
	if (verdict->kind == DP_VERDICT_STRAGGLER) {
		dp_ranks_words__cause(&words, render, verdict, 40);
		labelled(render, "cause", words.text);
	}
	labelled(render, render->options->ascii ? "->" : "→",
		 dp_ranks_words__advice(verdict));
}

/* Ranks in the order in which they are shown. */
struct shown {
	const struct dp_ranks *ranks;
	size_t order[RANKS_MOST];
	size_t count;
};

static bool is_blamed(const struct dp_ranks *ranks, size_t r)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);

	for (size_t i = 0; i < verdict->rank_count; i++)
		if (verdict->ranks[i] == r)
			return true;
	return false;
}

static void add_shown(struct shown *shown, size_t r)
{
	for (size_t i = 0; i < shown->count; i++)
		if (shown->order[i] == r)
			return;
	if (shown->count < RANKS_MOST)
		shown->order[shown->count++] = r;
}

/* All where they are few; else those blamed, then those that take longest by themselves. */
static void choose_shown(struct shown *shown, const struct dp_ranks *ranks)
{
	size_t count = dp_ranks_count(ranks);

	*shown = (struct shown){ .ranks = ranks };
	for (size_t r = 0; r < count; r++)
		if (count <= RANKS_MOST || is_blamed(ranks, r))
			add_shown(shown, r);
	while (shown->count < RANKS_MOST && shown->count < count) {
		size_t best = SIZE_MAX, before = shown->count;
		double most = -INFINITY;

		for (size_t r = 0; r < count; r++) {
			double own = dp_ranks_rank(ranks, r)->own_ns;
			bool known = false;

			for (size_t i = 0; i < shown->count; i++)
				known |= shown->order[i] == r;
			if (!known && own > most) {
				most = own;
				best = r;
			}
		}
		if (best == SIZE_MAX)
			break;
		add_shown(shown, best);
		if (shown->count == before)
			break;
	}
}

static void column(struct dp_render *render, double ns, int width)
{
	char number[DP_NUMBER_SIZE];

	dp_text__column(render, duration(number, render, ns), -width);
}

static void write_rank(struct dp_render *render, const struct dp_ranks *ranks, size_t r,
		       size_t name_width)
{
	const struct dp_rank *rank = dp_ranks_rank(ranks, r);
	char number[DP_NUMBER_SIZE], label[DP_LABEL_SIZE], offset[DP_NUMBER_SIZE];
	const char *slash = strrchr(rank->file, '/'), *file = slash ? slash + 1 : rank->file;
	bool blamed = is_blamed(ranks, r);

	if (blamed)
		dp_text__style_begin(render, DP_STYLE_RED);
	snprintf(number, sizeof(number), "%lld", (long long)rank->rank);
	dp_text__column(render, number, -6);
	column(render, rank->period_ns, 10);
	column(render, rank->own_ns, 10);
	column(render, rank->wait_ns, 10);
	snprintf(number, sizeof(number), "%zu/%zu", rank->last, rank->shared);
	dp_text__column(render, rank->shared ? number : "-", -11);
	dp_text__column(render,
			rank->clock_known
				? dp_human__rough(offset, rank->offset_ns, render->options->ascii)
				: "-",
			-10);
	dp_render__text(render, "  ");
	dp_render__text(render, dp_label__text(label, *rank->host ? rank->host : file,
					       name_width, render->options->ascii));
	if (blamed)
		dp_text__style_end(render);
	dp_render__text(render, "\n");
}

static void write_ranks(struct dp_render *render, const struct dp_ranks *ranks)
{
	size_t width = render->options->width < 72 ? 72 : render->options->width;
	size_t count = dp_ranks_count(ranks);
	struct shown shown;

	dp_render__text(render, "\n");
	dp_text__style_begin(render, DP_STYLE_DIM);
	dp_render__text(render, "  rank    period       own   waiting       last     clock  "
				"host or file\n");
	dp_text__style_end(render);
	if (render->options->verbose) {
		for (size_t r = 0; r < count; r++)
			write_rank(render, ranks, r, width - 60);
		return;
	}
	choose_shown(&shown, ranks);
	for (size_t i = 0; i < shown.count; i++)
		write_rank(render, ranks, shown.order[i], width - 60);
	if (shown.count < count)
		dp_render__format(render, "        %zu more ranks (-v shows all)\n",
				  count - shown.count);
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

static void write_left_out(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_left_out *at;
	char label[DP_LABEL_SIZE];
	size_t i;

	for (i = 0; (at = dp_ranks_left_out(ranks, i)); i++) {
		struct dp_words words = { 0 };

		if (i >= LEFT_OUT_MOST && !render->options->verbose)
			continue;
		dp_words__add(&words, "%s: %s",
			      dp_label__text(label, at->file, 60, render->options->ascii), at->why);
		labelled(render, "left out", words.text);
	}
	if (i > LEFT_OUT_MOST && !render->options->verbose)
		dp_render__format(render, "            %zu more files left out (-v shows all)\n",
				  i - LEFT_OUT_MOST);
}

static void write_collectives(struct dp_render *render, const struct dp_ranks *ranks)
{
	size_t width = render->options->width < 80 ? 80 : render->options->width;
	const struct dp_ranks_collective *at;
	char number[DP_NUMBER_SIZE], label[DP_LABEL_SIZE];
	size_t i;

	if (!dp_ranks_collective(ranks, 0))
		return;
	dp_render__text(render, "\n");
	dp_text__style_begin(render, DP_STYLE_DIM);
	dp_render__text(render, "  collective       calls      size       own   waiting   bus "
				"bandw.  group\n");
	dp_text__style_end(render);
	for (i = 0; (at = dp_ranks_collective(ranks, i)); i++) {
		if (i >= COLLECTIVES_MOST && !render->options->verbose)
			continue;
		dp_render__text(render, "  ");
		dp_text__column(render, dp_collective_kind_name(at->kind), 14);
		snprintf(number, sizeof(number), "%zu", at->count);
		dp_text__column(render, number, -8);
		dp_text__column(render, at->bytes ? dp_human__bytes(number, (double)at->bytes) : "-",
				-10);
		column(render, at->own_ns, 10);
		column(render, at->wait_ns, 10);
		if (isfinite(at->bus_bandwidth))
			snprintf(number, sizeof(number), "%.3g %s", at->bus_bandwidth < 1e8
				 ? at->bus_bandwidth / 1e6 : at->bus_bandwidth / 1e9,
				 at->bus_bandwidth < 1e8 ? "MB/s" : "GB/s");
		dp_text__column(render, isfinite(at->bus_bandwidth) ? number : "-", -12);
		dp_render__text(render, "  ");
		dp_render__text(render,
				dp_label__text(label, at->group, width - 68, render->options->ascii));
		dp_render__text(render, "\n");
	}
	if (i > COLLECTIVES_MOST && !render->options->verbose)
		dp_render__format(render, "  %zu more kinds and sizes (-v shows all)\n",
				  i - COLLECTIVES_MOST);
}

static void write_all(struct dp_render *render, const struct dp_ranks *ranks)
{
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

const struct dp_ranks_renderer dp_ranks_renderer__ranks_text = {
	.info = { "text", "txt", "for people, on one screen", false, true },
	.write = write_all,
};
