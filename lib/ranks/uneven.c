/*
 * Batches of unequal length: the rank that computes longest changes from iteration to iteration.
 * Cost: linear in ranks times iterations.
 */
#include "ranks/judge.h"

#include <math.h>

/* Batches are uneven if iterations would be shorter by this share of the period without it. */
#define SEQUENCE_COST 0.05

/* The compute times of a class in an iteration. */
struct class_times {
	double sum, most;
	size_t count;
	uint32_t rank; /* with the most */
};

/* The rank of an iteration that computes longest, compared with the mean of its class. */
struct slowest {
	size_t rank; /* SIZE_MAX: some rank's time is unknown */
	double excess_ns;
};

/* Compares what ranks compute beyond usual[], per rank. */
static struct slowest find_slowest(struct class_times *classes, const struct dp_judge *judge,
				   size_t g, const double *usual)
{
	struct slowest slowest = { SIZE_MAX, 0 };

	for (size_t c = 0; c < judge->stages.count; c++)
		classes[c] = (struct class_times){ 0, -INFINITY, 0, 0 };
	for (uint32_t r = 0; r < judge->ranks->count; r++) {
		const struct dp_rank_iteration *cell = dp_ranks_iteration(judge->ranks, r, g);
		struct class_times *of = &classes[judge->stages.classes[r]];
		double compute_ns;

		if (!cell || !isfinite(cell->period_ns))
			return slowest;
		compute_ns = cell->part_ns[DP_RANK_COMPUTE] - usual[r];
		of->sum += compute_ns;
		of->count++;
		if (compute_ns > of->most) {
			of->most = compute_ns;
			of->rank = r;
		}
	}
	for (size_t c = 0; c < judge->stages.count; c++) {
		double excess_ns = classes[c].most - classes[c].sum / (double)classes[c].count;

		if (classes[c].count && excess_ns > slowest.excess_ns)
			slowest = (struct slowest){ classes[c].rank, excess_ns };
	}
	return slowest;
}

/* How uneven what ranks compute is over the iterations. */
struct unevenness {
	double mean_ns; /* of the slowest rank's excess; NaN without iterations */
	bool most;	/* in most iterations: a few long ones say nothing about the batches */
	size_t turns;	/* percentage of uneven iterations with another slowest rank than before */
};

static struct unevenness measure(struct class_times *classes, const struct dp_judge *judge,
				 const double *usual)
{
	double sum = 0;
	size_t count = 0, uneven = 0, turns = 0, last = SIZE_MAX;

	for (size_t g = 0; g < judge->ranks->iterations; g++) {
		struct slowest slowest = find_slowest(classes, judge, g, usual);

		if (slowest.rank == SIZE_MAX)
			continue;
		sum += slowest.excess_ns;
		count++;
		if (slowest.excess_ns < SEQUENCE_COST * judge->period_ns)
			continue;
		turns += uneven && slowest.rank != last;
		last = slowest.rank;
		uneven++;
	}
	return (struct unevenness){ sum / (double)count, 2 * uneven > count,
				    uneven > 1 ? turns * 100 / (uneven - 1) : 0 };
}

static double uneven_cost(struct class_times *classes, const struct dp_judge *judge)
{
	double *usual = judge->room;
	struct unevenness all, varying;

	for (size_t r = 0; r < judge->job->count; r++)
		usual[r] = 0;
	all = measure(classes, judge, usual);
	/* a third: between two ranks, half of the iterations have the same slowest one as before */
	if (!all.most || !(all.mean_ns >= SEQUENCE_COST * judge->period_ns) || all.turns < 34)
		return 0;
	for (size_t r = 0; r < judge->job->count; r++)
		usual[r] = dp_judge__mean_part(judge, r, DP_RANK_COMPUTE, 0);
	varying = measure(classes, judge, usual);
	return varying.mean_ns >= all.mean_ns / 2 ? all.mean_ns : 0;
}

int dp_judge__uneven_cost(double *cost_ns, const struct dp_judge *judge)
{
	struct class_times *classes = dp_alloc__array(judge->stages.count, sizeof(*classes));

	if (!classes)
		return DP_ERR_NOMEM;
	*cost_ns = uneven_cost(classes, judge);
	free(classes);
	return DP_OK;
}
