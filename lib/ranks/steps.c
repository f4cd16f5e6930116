/* Joins the iterations of a rank of which only collectives are recorded. */
#include "ranks/blame.h"
#include "ranks/summary.h"

#include <math.h>
#include <stdlib.h>

/*
 * A pause between iterations is this many times as long as those on either side: it contains a
 * forward pass, half as long as the backward pass that the other pauses are parts of.
 */
#define LONGER 1.5
/* Shorter pauses are equal: the tick of a clock with microseconds. */
#define TICK_NS 1000.0

static bool only_collectives(const struct dp_rank_summary *rank)
{
	for (size_t k = 0; k < rank->step_count; k++)
		if (rank->steps[k].part_ns[DP_RANK_COMPUTE] > 0)
			return false;
	return rank->call_count > 0;
}

/* The pause before a step; a tick before the first one and after the last, where it is unknown. */
static double pause_before(const struct dp_rank_summary *rank, size_t k)
{
	return k && k < rank->step_count
		       ? fmax(TICK_NS,
			      (double)(rank->steps[k].start_ns - rank->steps[k - 1].end_ns))
		       : TICK_NS;
}

/* 1 for a long pause, 0 for others. */
static double is_long(const struct dp_rank_summary *rank, size_t k)
{
	double around = fmax(k ? pause_before(rank, k - 1) : 0, pause_before(rank, k + 1));

	return pause_before(rank, k) >= LONGER * around;
}

static void add_step(struct dp_step_summary *sum, const struct dp_step_summary *step)
{
	sum->end_ns = step->end_ns;
	sum->period_ns += step->period_ns;
	for (int p = 0; p < DP_RANK_PARTS; p++)
		sum->part_ns[p] += step->part_ns[p];
	sum->whole &= step->whole;
	sum->warmup |= step->warmup;
}

/*
 * Joins steps up to the next long pause, but at most `every`, since a single pause may be missed.
 */
static void join(struct dp_rank_summary *rank, const double *pauses, size_t every)
{
	size_t kept = 0;

	for (size_t first = 0, end; first < rank->step_count; first = end) {
		struct dp_step_summary sum = rank->steps[first];

		for (end = first + 1; end < rank->step_count && end - first < every && !pauses[end];
		     end++)
			add_step(&sum, &rank->steps[end]);
		sum.whole &= end - first == every;
		rank->steps[kept++] = sum;
	}
	rank->step_count = kept;
	rank->pattern *= every;
}

int dp_summary__join_steps(struct dp_rank_summary *rank)
{
	size_t every;
	double *pauses;

	if (rank->pattern != 1 || !only_collectives(rank))
		return DP_OK;
	pauses = dp_alloc__array(rank->step_count + 1, sizeof(*pauses));
	if (!pauses)
		return DP_ERR_NOMEM;
	for (size_t k = 0; k < rank->step_count; k++)
		pauses[k] = is_long(rank, k);
	every = dp_blame__every(pauses, rank->step_count);
	if (every)
		join(rank, pauses, every);
	free(pauses);
	return DP_OK;
}
