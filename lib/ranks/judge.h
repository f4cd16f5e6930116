/* What a verdict is made from, and what explains it. */
#ifndef DP_RANKS_JUDGE_H
#define DP_RANKS_JUDGE_H

#include "ranks/cost.h"
#include "ranks/units.h"

/*
 * Smaller costs, as shares of the period, are ignored: GPUs of one type differ by about a percent.
 */
#define STRAGGLER_COST 0.01
/*
 * Fewer than one job of similar ranks in 100 shows this by chance, with a margin for trying one
 * candidate after the other.
 */
#define DP_JUDGE_CHANCE 0.005
/* A cost of a tenth needs less proof, as no healthy rank causes it. */
#define DP_JUDGE_LARGE_COST 0.1
#define DP_JUDGE_LIKELY 0.02
/* Healthy ranks wait for each other in turn, for less than this share of the period. */
#define WAITS_OF_HEALTHY 0.05

struct dp_judge {
	struct dp_ranks *ranks;
	const struct dp_job *job;
	struct dp_units units;
	struct dp_stages stages;
	double period_ns; /* without iterations: the time between two collectives */
	bool by_compute; /* the second look: units hold what ranks compute */
	bool is_too_short; /* too few iterations to tell a small delay from chance */
	double *room;	 /* for a value per rank */
};

/* Returns true if a test's p is small enough for this cost. */
bool dp_judge__is_proven(const struct dp_judge *judge, double p, double cost_ns);

/* Sets a verdict without its ranks and cause. */
void dp_judge__set(struct dp_judge *judge, enum dp_ranks_verdict_kind kind,
		   const struct dp_job_cost *cost, double p, int64_t since);

/* What is slow from the first unit on always was, whatever the unit's iteration. */
int64_t dp_judge__since(const struct dp_judge *judge, uint32_t since);

/*
 * stragglers.c: sets the verdict if ranks take longer on their own than their peers, and cost more
 * than the verdict so far. Errors: DP_ERR_NOMEM.
 */
int dp_judge__ranks(struct dp_judge *judge);

/*
 * Returns how much longer per iteration the other ranks are idle (their median) than rank r, from
 * an iteration on. They wait for it no longer than that. Negative if the rank is idle for longer;
 * NaN if unknown.
 */
double dp_judge__idle_beyond(const struct dp_judge *judge, size_t r, int64_t since);

/* The mean of a part per iteration of a rank, from an iteration on, without its warm-up. */
double dp_judge__mean_part(const struct dp_judge *judge, size_t r, int part, int64_t since);

/*
 * Finds the part that takes longer on a rank than on its peers, and the operator with the largest
 * share of it. Errors: DP_ERR_NOMEM.
 */
int dp_judge__find_cause(struct dp_judge *judge, uint32_t blamed);

/*
 * Sets by how much iterations would be shorter if batches were distributed evenly: 0 if that is
 * little, if the same rank stays the slowest, or if it is mostly that some ranks are always slower.
 * Errors: DP_ERR_NOMEM.
 */
int dp_judge__uneven_cost(double *cost_ns, const struct dp_judge *judge);

#endif
