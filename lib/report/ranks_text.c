/*
 * A job on one screen: which rank holds it up, why, and what that costs; then the ranks, and the
 * time of their collectives.
 */
#include "report/ranks_words.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	BODY = 12,	 /* where the text of a labelled line begins */
	RANKS_MOST = 64, /* rows of a short report: the blamed, then the longest own times */
	COLLECTIVES_MOST = 3,
	LEFT_OUT_MOST = 3,
	SCREEN = 24,	  /* lines of a terminal of unknown height */
	OTHER_LINES = 20, /* lines without rows of ranks, but with the prompt */
	RANKS_LEAST = 4,
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
	dp_ranks_words__communication(&words, render, ranks);
	if (words.used)
		labelled(render, "note", words.text);
	if (!found)
		return;
	words = (struct dp_words){ 0 };
	dp_ranks_words__cost(&words, render, verdict);
	labelled(render, "costs", words.text);
	if (verdict->kind == DP_VERDICT_STRAGGLER) {
		words = (struct dp_words){ 0 };
		dp_ranks_words__evidence(&words, verdict);
		labelled(render, "evidence", words.text);
	}
	words = (struct dp_words){ 0 };
	if (verdict->kind == DP_VERDICT_STRAGGLER) {
		dp_ranks_words__cause(&words, render, ranks, 40);
		labelled(render, "cause", words.text);
	}
	labelled(render, render->options->ascii ? "->" : "→", dp_ranks_words__advice(ranks));
}

/* Ranks in the order in which they are shown. */
struct shown {
	const struct dp_ranks *ranks;
	size_t most; /* rows that the screen has room for */
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
	if (shown->count < shown->most)
		shown->order[shown->count++] = r;
}

/* Shows all ranks if they are few; else the blamed ones, then those with the longest own time. */
static void choose_shown(struct shown *shown, const struct dp_ranks *ranks, unsigned height)
{
	size_t count = dp_ranks_count(ranks);

	if (!height || height == UINT_MAX)
		height = SCREEN;
	*shown = (struct shown){ .ranks = ranks, .most = RANKS_LEAST };
	if (height > OTHER_LINES + RANKS_LEAST)
		shown->most = DP_MIN(height - OTHER_LINES, RANKS_MOST);
	for (size_t r = 0; r < count; r++)
		if (count <= shown->most || is_blamed(ranks, r))
			add_shown(shown, r);
	while (shown->count < shown->most && shown->count < count) {
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

/* "1,016 more ranks: own time 3.70 to 3.87 ms" */
static void write_rest(struct dp_render *render, const struct dp_ranks *ranks,
		       const struct shown *shown)
{
	double low = INFINITY, high = -INFINITY;
	size_t count = dp_ranks_count(ranks) - shown->count;
	char number[DP_NUMBER_SIZE], range[3 * DP_NUMBER_SIZE];

	for (size_t r = 0; r < dp_ranks_count(ranks); r++) {
		double own = dp_ranks_rank(ranks, r)->own_ns;
		bool known = !isfinite(own);

		for (size_t i = 0; i < shown->count; i++)
			known |= shown->order[i] == r;
		if (known)
			continue;
		low = fmin(low, own);
		high = fmax(high, own);
	}
	dp_render__format(render, "        %s",
			  dp_text__plural(number, count, "more rank"));
	if (low <= high)
		dp_render__format(render, ", own time %s",
				  dp_human__range(range, low, high, render->options->ascii));
	dp_render__text(render, " (-v shows all)\n");
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
	choose_shown(&shown, ranks, render->options->height);
	for (size_t i = 0; i < shown.count; i++)
		write_rank(render, ranks, shown.order[i], width - 60);
	if (shown.count < count)
		write_rest(render, ranks, &shown);
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

/* Collectives of one kind, size and size of group: the number of groups, and their means. */
struct kind_row {
	const struct dp_ranks_collective *first;
	size_t groups, calls;
	double own_ns, wait_ns, bandwidth; /* sums over calls */
};

static bool is_like(const struct dp_ranks_collective *a, const struct dp_ranks_collective *b)
{
	return a->kind == b->kind && a->bytes == b->bytes && a->group_size == b->group_size;
}

/* Gathers the row that begins with a collective. Returns false if an earlier row includes it. */
static bool gather_row(struct kind_row *row, const struct dp_ranks *ranks, size_t index)
{
	const struct dp_ranks_collective *first = dp_ranks_collective(ranks, index), *at;

	*row = (struct kind_row){ .first = first };
	for (size_t i = 0; i < index; i++)
		if (is_like(dp_ranks_collective(ranks, i), first))
			return false;
	for (size_t i = index; (at = dp_ranks_collective(ranks, i)); i++) {
		double calls = (double)at->count;

		if (!is_like(at, first))
			continue;
		row->groups++;
		row->calls += at->count;
		row->own_ns += calls * at->own_ns;
		row->wait_ns += calls * at->wait_ns;
		row->bandwidth += calls * at->bus_bandwidth;
	}
	row->own_ns /= (double)row->calls;
	row->wait_ns /= (double)row->calls;
	row->bandwidth /= (double)row->calls;
	return true;
}

static void write_row(struct dp_render *render, const struct kind_row *row, const char *group)
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
	if (isfinite(row->bandwidth))
		snprintf(number, sizeof(number), "%.3g %s",
			 row->bandwidth / (row->bandwidth < 1e5   ? 1e3
					   : row->bandwidth < 1e8 ? 1e6
								  : 1e9),
			 row->bandwidth < 1e5   ? "kB/s"
			 : row->bandwidth < 1e8 ? "MB/s"
						: "GB/s");
	dp_text__column(render, isfinite(row->bandwidth) ? number : "-", -12);
	dp_render__format(render, "  %s\n", group);
}

/* "4 groups of 16" or, for a single group, its name in the traces. */
static void write_kind(struct dp_render *render, const struct kind_row *row, size_t width)
{
	char label[DP_LABEL_SIZE], group[2 * DP_NUMBER_SIZE];

	if (row->groups == 1 && !row->first->group_size) {
		write_row(render, row,
			  dp_label__text(label, row->first->group, width, render->options->ascii));
		return;
	}
	if (row->groups == 1)
		snprintf(group, sizeof(group), "%zu ranks", row->first->group_size);
	else if (row->first->group_size)
		snprintf(group, sizeof(group), "%zu x %zu ranks", row->groups,
			 row->first->group_size);
	else
		snprintf(group, sizeof(group), "%zu groups", row->groups);
	write_row(render, row, group);
}

/* Writes the collectives one by one, each with its group. */
static void write_each(struct dp_render *render, const struct dp_ranks *ranks, size_t width)
{
	const struct dp_ranks_collective *at;
	char label[DP_LABEL_SIZE];

	for (size_t i = 0; (at = dp_ranks_collective(ranks, i)); i++) {
		struct kind_row row = { at, 1, at->count, at->own_ns, at->wait_ns,
					at->bus_bandwidth };

		write_row(render, &row,
			  dp_label__text(label, at->group, width, render->options->ascii));
	}
}

static void write_collectives(struct dp_render *render, const struct dp_ranks *ranks)
{
	size_t width = (render->options->width < 80 ? 80 : render->options->width) - 68;
	struct kind_row row;

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
	for (size_t i = 0, shown = 0; dp_ranks_collective(ranks, i) && shown < COLLECTIVES_MOST;
	     i++) {
		if (!gather_row(&row, ranks, i))
			continue;
		write_kind(render, &row, width);
		shown++;
	}
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
