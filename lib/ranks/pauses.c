/*
 * Rare pauses of one rank, as with a checkpoint: too few for a verdict, but the others wait for
 * them. Cost: linear in ranks times iterations.
 */
#include "ranks/judge.h"

#include <math.h>

/* How much longer the slowest rank of an iteration takes than it usually does. */
struct pause {
	size_t rank;
	double longer_ns;
	double alone_ns; /* the part of that in which no other rank takes longer */
};

static struct pause find_pause(const struct dp_ranks *ranks, size_t iteration)
{
	struct pause pause = { 0, -INFINITY, 0 };
	double second = -INFINITY;

	for (size_t r = 0; r < ranks->count; r++) {
		const struct dp_rank_iteration *at = dp_ranks_iteration(ranks, r, iteration);
		double longer_ns = at ? at->own_ns - ranks->ranks[r].own_ns : NAN;

		if (longer_ns > pause.longer_ns) {
			second = pause.longer_ns;
			pause = (struct pause){ r, longer_ns, 0 };
		} else if (longer_ns > second) {
			second = longer_ns;
		}
	}
	if (isfinite(second))
		pause.alone_ns = pause.longer_ns - fmax(0, second);
	return pause;
}

/* The rank with the longest pause. */
static size_t longest(const struct pause *pauses, size_t count)
{
	size_t at = 0;

	for (size_t g = 1; g < count; g++)
		if (pauses[g].alone_ns > pauses[at].alone_ns)
			at = g;
	return pauses[at].rank;
}

/* The part that takes longer than usual in these iterations, by the largest sum. */
static enum dp_rank_part longest_part(const struct dp_ranks *ranks, size_t rank,
				      const uint32_t *iterations, size_t count)
{
	double most = -INFINITY;
	int found = 0;

	for (int part = 0; part < DP_RANK_PARTS; part++) {
		double sum = 0;

		for (size_t i = 0; i < count; i++)
			sum += dp_ranks_iteration(ranks, rank, iterations[i])->part_ns[part] -
			       ranks->ranks[rank].part_ns[part];
		if (sum > most) {
			most = sum;
			found = part;
		}
	}
	return (enum dp_rank_part)found;
}

/* Keeps the pauses of one rank if it has most of them, and they cost something. */
static void keep_pauses(struct dp_ranks *ranks, const struct pause *pauses)
{
	const size_t count = ranks->iterations, rank = longest(pauses, count);
	const double period_ns = ranks->verdict.period_ns;
	double longer_ns = 0, alone_ns = 0, others_ns = 0;
	size_t kept = 0;

	for (size_t g = 0; g < count; g++) {
		if (!(pauses[g].alone_ns >= WAITS_OF_HEALTHY * period_ns))
			continue;
		if (pauses[g].rank != rank) {
			others_ns += pauses[g].alone_ns;
			continue;
		}
		ranks->paused[kept++] = (uint32_t)g;
		longer_ns += pauses[g].longer_ns;
		alone_ns += pauses[g].alone_ns;
	}
	if (!(alone_ns > others_ns) || !(alone_ns >= STRAGGLER_COST * period_ns * (double)count))
		return;
	ranks->pauses = (struct dp_ranks_pauses){
		.rank = rank,
		.count = kept,
		.iterations = ranks->paused,
		.part = longest_part(ranks, rank, ranks->paused, kept),
		/* the mean that they are compared with contains them */
		.longer_ns = longer_ns / (double)kept /
			     fmax(0.5, 1 - (double)kept / (double)count),
		.cost_ns = alone_ns / (double)count,
	};
}

int dp_ranks__find_pauses(struct dp_ranks *ranks)
{
	struct pause *pauses;

	if (ranks->verdict.kind != DP_VERDICT_NONE || *ranks->verdict.why || !ranks->iterations ||
	    !(ranks->verdict.period_ns > 0))
		return DP_OK;
	pauses = dp_alloc__array(ranks->iterations, sizeof(*pauses));
	ranks->paused = dp_alloc__array(ranks->iterations, sizeof(*ranks->paused));
	if (pauses && ranks->paused) {
		for (size_t g = 0; g < ranks->iterations; g++)
			pauses[g] = find_pause(ranks, g);
		keep_pauses(ranks, pauses);
	}
	free(pauses);
	return pauses && ranks->paused ? DP_OK : DP_ERR_NOMEM;
}
