/*
 * A job on one screen: who holds it up, why and what that costs; then the ranks, and what their
 * collectives take.
 */
#include "report/ranks.h"
#include "report/spark.h"
#include "report/text.h"

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

/* "4 ranks of 1 host, 3 iterations, median period 44.79 ms" */
static void write_head(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	const struct dp_ranks_matching *matching = dp_ranks_matching(ranks);
	char number[DP_NUMBER_SIZE], period[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };

	dp_words__add(&words, "%s", dp_text__plural(number, dp_ranks_count(ranks), "rank"));
	if (matching->absent)
		dp_words__add(&words, " (%zu more have no trace)", matching->absent);
	dp_words__add(&words, ", %s",
		      dp_text__plural(number, dp_ranks_iteration_count(ranks), "iteration"));
	if (isfinite(verdict->period_ns))
		dp_words__add(&words, ", median period %s",
			      duration(period, render, verdict->period_ns));
	dp_text__styled(render, DP_STYLE_HEAD, words.text);
	dp_render__text(render, "\n");
}

static const char *part_words(enum dp_rank_part part)
{
	static const char *const words[DP_RANK_PARTS] = {
		"compute", "exposed communication", "exposed copies", "input wait", "host wait",
		"other idle time",
	};

	return words[part];
}

/* What holds the job up, in a few words. */
static void add_headline(struct dp_words *words, const struct dp_ranks *ranks, bool ascii)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	char list[DP_RANK_LIST_SIZE], label[DP_LABEL_SIZE];

	dp_ranks__list(list, ranks, verdict->ranks, verdict->rank_count);
	switch (verdict->kind) {
	case DP_VERDICT_STRAGGLER:
		dp_words__add(words, "Straggler: %s holds the others up", list);
		break;
	case DP_VERDICT_SLOW_COMMUNICATION:
		dp_words__add(words, "Slow communication in group %s",
			      dp_label__text(label, verdict->group, 40, ascii));
		break;
	case DP_VERDICT_STAGE_IMBALANCE:
		dp_words__add(words, "Stage imbalance: the pipeline stage of %s is the slowest",
			      list);
		break;
	case DP_VERDICT_SEQUENCE_IMBALANCE:
		dp_words__add(words, "Sequence imbalance: another rank computes longest each time");
		break;
	case DP_VERDICT_NONE:
		dp_words__add(words, *verdict->why ? "No verdict: %s" : "No rank holds the others up",
			      verdict->why);
		break;
	}
}

static const char *advice(const struct dp_ranks_verdict *verdict)
{
	static const char *const straggler[DP_RANK_PARTS] = {
		[DP_RANK_COMPUTE] = "compare that GPU with the others (clocks, temperature, other "
				    "processes: nvidia-smi -q), or its share of the work",
		[DP_RANK_COMMUNICATION] = "check that rank's links: nvidia-smi topo -m, nccl-tests",
		[DP_RANK_COPY] = "check that rank's PCIe link and its pinned memory",
		[DP_RANK_INPUT_WAIT] = "check that rank's input: storage, DataLoader workers, "
				       "sizes of its shard",
		[DP_RANK_HOST_WAIT] = "check that rank's host: CPU pinning, other processes, "
				      "logging or garbage collection on this rank alone",
		[DP_RANK_OTHER] = "analyze that rank's trace by itself: deepprof analyze",
	};

	switch (verdict->kind) {
	case DP_VERDICT_STRAGGLER:
		return verdict->throttled ? "check that GPU's power and cooling: nvidia-smi -q -d "
					    "PERFORMANCE"
					  : straggler[verdict->part];
	case DP_VERDICT_SLOW_COMMUNICATION:
		return "check the links between these ranks: nccl-tests, NCCL_DEBUG=INFO, "
		       "nvidia-smi nvlink -s, ibstat";
	case DP_VERDICT_STAGE_IMBALANCE:
		return "move layers from that stage to others";
	case DP_VERDICT_SEQUENCE_IMBALANCE:
		return "give ranks batches of equal work: sort or pack sequences by length";
	case DP_VERDICT_NONE:
		break;
	}
	return "";
}

static void add_cost(struct dp_words *words, const struct dp_render *render,
		     const struct dp_ranks_verdict *verdict)
{
	char cost[DP_NUMBER_SIZE], share[DP_NUMBER_SIZE];

	dp_words__add(words, "%s per iteration", duration(cost, render, verdict->cost_ns));
	if (verdict->period_ns > 0)
		dp_words__add(words, " (%s)",
			      dp_human__share(share, verdict->cost_ns / verdict->period_ns));
	if (verdict->every)
		dp_words__add(words, ", in every %zuth iteration", verdict->every);
	else if (verdict->since_iteration)
		dp_words__add(words, ", since iteration %lld",
			      (long long)verdict->since_iteration);
}

/* "host wait, 8.10 ms longer per iteration than on the other ranks; mostly X (3.1 ms)" */
static void add_cause(struct dp_words *words, const struct dp_render *render,
		      const struct dp_ranks_verdict *verdict)
{
	char number[DP_NUMBER_SIZE], label[DP_LABEL_SIZE];

	dp_words__add(words, "%s, %s longer per iteration than on the other ranks",
		      verdict->throttled ? "throttled clock, compute" : part_words(verdict->part),
		      duration(number, render, verdict->part_ns));
	if (*verdict->operator_)
		dp_words__add(words, "; mostly %s (%s)",
			      dp_label__text(label, verdict->operator_, 40, render->options->ascii),
			      duration(number, render, verdict->operator_ns));
}

static void write_verdict(struct dp_render *render, const struct dp_ranks *ranks)
{
	const struct dp_ranks_verdict *verdict = dp_ranks_verdict(ranks);
	bool found = verdict->kind != DP_VERDICT_NONE;
	struct dp_words words = { 0 };

	dp_render__text(render, "\n");
	add_headline(&words, ranks, render->options->ascii);
	dp_text__style_begin(render, found ? DP_STYLE_RED : DP_STYLE_HEAD);
	dp_text__wrap(render, 0, 2, words.text);
	dp_text__style_end(render);
	if (!found)
		return;
	words = (struct dp_words){ 0 };
	add_cost(&words, render, verdict);
	labelled(render, "costs", words.text);
	if (verdict->shared) {
		words = (struct dp_words){ 0 };
		dp_words__add(&words, "last to reach %zu of %zu synchronizing collectives",
			      verdict->last, verdict->shared);
		if (isfinite(verdict->p_value))
			dp_words__add(&words, " (p %s %.4f)",
				      verdict->p_value <= 0.0005 ? "<=" : "=", verdict->p_value);
		labelled(render, "evidence", words.text);
	}
	words = (struct dp_words){ 0 };
	if (verdict->kind == DP_VERDICT_STRAGGLER) {
		add_cause(&words, render, verdict);
		labelled(render, "cause", words.text);
	}
	labelled(render, render->options->ascii ? "->" : "→", advice(verdict));
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
	const struct dp_ranks_matching *matching = dp_ranks_matching(ranks);
	char number[DP_NUMBER_SIZE];
	struct dp_words words = { 0 };

	dp_words__add(&words, "%zu of %zu calls matched between ranks, %zu of them synchronize",
		      matching->matched, matching->collectives, matching->synchronizing);
	if (matching->clock_known)
		dp_words__add(&words, "; clocks agree within %s after alignment",
			      duration(number, render, matching->resolution_ns));
	else
		dp_words__add(&words, "; clocks not aligned");
	labelled(render, "matching", words.text);
}

/* Where the numbers of the ranks are from, unless the traces state them. */
static void write_sources(struct dp_render *render, const struct dp_ranks *ranks)
{
	size_t counts[DP_RANK_FROM_ORDER + 1] = { 0 };
	const struct dp_rank *rank;
	struct dp_words words = { 0 };

	for (size_t r = 0; (rank = dp_ranks_rank(ranks, r)); r++)
		counts[rank->rank_from]++;
	if (counts[DP_RANK_FROM_NAME])
		dp_words__add(&words, "%zu of %zu from file names", counts[DP_RANK_FROM_NAME],
			      dp_ranks_count(ranks));
	if (counts[DP_RANK_FROM_ORDER])
		dp_words__add(&words, "%s%zu of %zu from the order of files, as neither traces nor "
			      "names state them", words.used ? ", " : "",
			      counts[DP_RANK_FROM_ORDER], dp_ranks_count(ranks));
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
