/*
 * Finds the ranks that take longer on their own than their peers, one after the other: the test of
 * the next one leaves out those before it (step-down, as Westfall and Young 1993), so that a second
 * straggler is found, and its cost, although another one is more conspicuous.
 */
#include "ranks/blame.h"
#include "ranks/judge.h"

#include <math.h>
#include <string.h>

/* Ranks that are tried. More than a few are no exceptions. */
enum { TRIED_MOST = 8 };
/* A further straggler with a smaller share of the largest cost is of no interest. */
#define FURTHER_COST 0.1
/* Of equally slow ranks, each exceeds the median in at least this share of the iterations. */
#define OFTEN 0.75
/* Ranks that delay the others by less than this share of the cost that counts are not tried. */
#define WORTH_TRYING 0.25

/* The ranks found, and the tests' input. */
struct stragglers {
	struct dp_judge *judge;
	struct dp_blame_times times; /* with classes[] as its classes */
	uint32_t *classes;	     /* each rank that was tried is alone in its class */
	bool *tried, *found;	     /* per rank */
	double *gain_ns;	     /* per rank: what a unit gains on average without its delays */
	struct dp_blame first;	     /* the most conspicuous rank, found or not */
	double first_cost_ns;
	struct dp_ranks_straggler list[TRIED_MOST];
	size_t count;
};

/*
 * A replay does not see the first iteration. Returns how much more often the rank is slow than it
 * sees: of seven iterations every third of which is slow, three are, and two after the first.
 */
static double more_often(const struct dp_judge *judge, const struct dp_blame *blame)
{
	size_t count = judge->job->iterations, first, slow;

	if (!blame->every || blame->every >= count)
		return 1;
	first = blame->slowest % blame->every;
	slow = (count - 1 - first) / blame->every + 1;
	return (double)slow * (double)(count - 1) / ((double)(slow - !first) * (double)count);
}

/*
 * Returns true if ranks are proven to cost enough to be seen. The period is NaN if durations are
 * all that is known, the resolution if clocks are not.
 */
static bool are_stragglers(const struct dp_judge *judge, double p, double cost_ns)
{
	return dp_judge__is_proven(judge, p, cost_ns) &&
	       !(cost_ns < STRAGGLER_COST * judge->period_ns) &&
	       !(cost_ns < judge->ranks->matching.resolution_ns) && cost_ns > 0;
}

static bool costs_most(const struct dp_judge *judge, double cost_ns)
{
	return cost_ns > judge->ranks->verdict.cost_ns;
}

/*
 * The ranks that are slow together: those with at least half of the slowest one's excess, not in
 * a few iterations alone, if they are at most half of its class. Sets scale[], per rank, to its
 * work without the excess divided by that with it, and *least_ns to the least excess. Returns their
 * number; 0 if there are none.
 */
static size_t find_slow_ranks(uint32_t *slow, double *scale, double *least_ns, const double *own,
			      const double *excess, const double *often,
			      const struct dp_judge *judge, uint32_t slowest)
{
	const uint32_t *classes = judge->stages.classes;
	size_t count = 0, members = 0;

	*least_ns = excess[slowest];
	for (uint32_t r = 0; r < judge->job->count; r++) {
		scale[r] = 1;
		members += classes[r] == classes[slowest];
		if (classes[r] != classes[slowest] || !(2 * excess[r] >= excess[slowest]) ||
		    often[r] < OFTEN)
			continue;
		scale[r] = 1 - excess[r] / own[r];
		*least_ns = fmin(*least_ns, excess[r]);
		slow[count++] = r;
	}
	return count > 1 && 2 * count <= members && own[slowest] > 0 ? count : 0;
}

/*
 * If several ranks are equally slow, as those of a host with other GPUs, then none costs anything
 * as long as the others are slow.
 */
static int judge_together(struct dp_judge *judge, const struct dp_blame_times *times,
			  const struct dp_blame *blame)
{
	size_t ranks = judge->job->count, count = 0;
	double *own = dp_alloc__array(ranks, sizeof(*own)), least_ns;
	double *excess = dp_alloc__array(ranks, sizeof(*excess));
	double *often = dp_alloc__array(ranks, sizeof(*often));
	double *scale = dp_alloc__array(ranks, sizeof(*scale));
	uint32_t *slow = dp_alloc__array(ranks, sizeof(*slow));
	struct dp_job_change change = { .rank = DP_NONE, .scale = scale, .more_often = 1 };
	struct dp_job_cost cost = { 0, 0, 0 };
	int status = DP_ERR_NOMEM;

	change.since = dp_judge__since(judge, blame->since);
	if (own && excess && often && scale && slow)
		status = dp_blame__excess(own, excess, often, times, blame->since);
	if (!status)
		count = find_slow_ranks(slow, scale, &least_ns, own, excess, often, judge,
					blame->rank);
	if (count)
		status = dp_job__cost(&cost, judge->job, &change,
				      least_ns * judge->units.per_iteration,
				      STRAGGLER_COST * judge->period_ns);
	if (!status && count && are_stragglers(judge, blame->p, cost.ns) &&
	    costs_most(judge, cost.ns)) {
		dp_judge__set(judge, DP_VERDICT_STRAGGLER, &cost, blame->p, change.since);
		status = dp_ranks__blame(judge->ranks, slow, count);
		if (!status)
			status = dp_judge__find_cause(judge, blame->rank);
	}
	free(own);
	free(excess);
	free(often);
	free(scale);
	free(slow);
	return status;
}

/* What a rank costs while all others stay as they are. */
static int find_cost(struct dp_job_cost *cost, const struct stragglers *stragglers,
		     const struct dp_blame *blame)
{
	const struct dp_judge *judge = stragglers->judge;
	struct dp_job_change change = { .rank = blame->rank,
					.classes = judge->stages.classes,
					.since = dp_judge__since(judge, blame->since),
					.more_often = more_often(judge, blame) };
	double typical_ns = blame->typical_gain * judge->units.per_iteration;
	int status =
		dp_job__cost(cost, judge->job, &change, blame->gain * judge->units.per_iteration,
			     STRAGGLER_COST * judge->period_ns);

	/* a few long delays may be of any rank: this one costs what it usually does */
	if (!status && blame->gain_p >= DP_JUDGE_LIKELY) {
		cost->ns = fmin(cost->ns, typical_ns);
		cost->least_ns = fmin(cost->least_ns, typical_ns);
		cost->most_ns = fmin(cost->most_ns, typical_ns);
	}
	return status;
}

static void add(struct stragglers *stragglers, const struct dp_blame *blame,
		const struct dp_job_cost *cost)
{
	struct dp_ranks_straggler straggler = {
		.rank = blame->rank,
		.cost_ns = cost->ns,
		.cost_least_ns = cost->least_ns,
		.cost_most_ns = cost->most_ns,
		.p_value = blame->p,
		.since_iteration = dp_judge__since(stragglers->judge, blame->since),
		.every = blame->every,
		.last = stragglers->judge->ranks->ranks[blame->rank].last,
	};
	size_t at = stragglers->count++;

	for (; at && stragglers->list[at - 1].cost_ns < straggler.cost_ns; at--)
		stragglers->list[at] = stragglers->list[at - 1];
	stragglers->list[at] = straggler;
	stragglers->found[blame->rank] = true;
}

static bool has_members(const struct stragglers *stragglers, uint32_t class)
{
	size_t r = 0;

	while (r < stragglers->times.ranks && stragglers->classes[r] != class)
		r++;
	return r < stragglers->times.ranks;
}

/* A rank that is alone in its class neither takes part in a test nor counts in its median. */
static void leave_out(struct stragglers *stragglers, uint32_t rank)
{
	uint32_t free_class = 0;

	while (has_members(stragglers, free_class))
		free_class++;
	/* else all ranks are alone */
	if (free_class < stragglers->times.ranks)
		stragglers->classes[rank] = free_class;
	stragglers->tried[rank] = true;
}

/* Sets by how much a unit would be shorter on average if a rank were as fast as the next slowest.
 */
static void fill_gains(struct stragglers *stragglers)
{
	const struct dp_blame_times *times = &stragglers->times;

	for (size_t r = 0; r < times->ranks; r++)
		stragglers->gain_ns[r] = 0;
	for (size_t u = 0; u < times->units; u++) {
		const double *row = times->own + u * times->ranks;
		double most = -INFINITY, next = -INFINITY;
		size_t slowest = 0;

		for (size_t r = 0; r < times->ranks; r++) {
			if (row[r] > most) {
				next = most;
				most = row[r];
				slowest = r;
			} else if (row[r] > next) {
				next = row[r];
			}
		}
		if (isfinite(next))
			stragglers->gain_ns[slowest] += (most - next) / (double)times->units;
	}
}

/* Returns true if a rank that was not tried delays the others by enough to be tried. */
static bool is_any_left(const struct stragglers *stragglers)
{
	const struct dp_judge *judge = stragglers->judge;
	double least_ns = WORTH_TRYING * STRAGGLER_COST * judge->period_ns;

	for (size_t r = 0; r < stragglers->times.ranks; r++)
		if (!stragglers->tried[r] && stragglers->gain_ns[r] > 0 &&
		    !(stragglers->gain_ns[r] * judge->units.per_iteration < least_ns))
			return true;
	return false;
}

static int find_all(struct stragglers *stragglers)
{
	struct dp_judge *judge = stragglers->judge;

	for (size_t tried = 0; tried < TRIED_MOST; tried++) {
		struct dp_blame blame;
		struct dp_job_cost cost;
		int status;

		if (tried && !is_any_left(stragglers))
			break;
		status = dp_blame__run(&blame, &stragglers->times);
		if (!tried)
			stragglers->first = blame;
		if (status || blame.rank == DP_NONE || blame.p >= DP_JUDGE_LIKELY ||
		    stragglers->tried[blame.rank])
			return status;
		status = find_cost(&cost, stragglers, &blame);
		if (status)
			return status;
		if (!tried)
			stragglers->first_cost_ns = cost.ns;
		if (are_stragglers(judge, blame.p, cost.ns))
			add(stragglers, &blame, &cost);
		leave_out(stragglers, blame.rank);
	}
	while (stragglers->count && stragglers->list[stragglers->count - 1].cost_ns <
					    FURTHER_COST * stragglers->list[0].cost_ns)
		stragglers->found[stragglers->list[--stragglers->count].rank] = false;
	return DP_OK;
}

/* What units gain on average, from an iteration on, if all stragglers were as fast as the others.
 */
static double joint_gain(const struct stragglers *stragglers, int64_t since)
{
	const struct dp_blame_times *times = &stragglers->times;
	double sum = 0;
	size_t count = 0;

	for (size_t u = 0; u < times->units; u++) {
		const double *row = times->own + u * times->ranks;
		double slowest = -INFINITY, others = -INFINITY;

		for (size_t r = 0; r < times->ranks; r++) {
			double *most = stragglers->found[r] ? &slowest : &others;

			*most = row[r] > *most ? row[r] : *most;
		}
		if ((int64_t)times->iteration[u] < since || !isfinite(slowest) || !isfinite(others))
			continue;
		sum += fmax(0, slowest - others);
		count++;
	}
	return count ? sum / (double)count : 0;
}

/* What all of them cost together, which may be more than the sum. */
static int find_joint_cost(struct dp_job_cost *cost, const struct stragglers *stragglers)
{
	const struct dp_judge *judge = stragglers->judge;
	const struct dp_ranks_straggler *first = &stragglers->list[0];
	struct dp_job_change change = { .rank = DP_NONE,
					.also = stragglers->found,
					.classes = judge->stages.classes,
					.since = first->since_iteration,
					.more_often = 1 };
	int status;

	*cost = (struct dp_job_cost){ first->cost_ns, first->cost_least_ns, first->cost_most_ns };
	if (stragglers->count == 1)
		return DP_OK;
	for (size_t i = 1; i < stragglers->count; i++)
		change.since = DP_MIN(change.since, stragglers->list[i].since_iteration);
	status = dp_job__cost(cost, judge->job, &change,
			      joint_gain(stragglers, change.since) * judge->units.per_iteration,
			      STRAGGLER_COST * judge->period_ns);
	cost->ns = fmax(cost->ns, first->cost_ns);
	cost->most_ns = fmax(cost->most_ns, cost->ns);
	return status;
}

static int blame_found(struct stragglers *stragglers)
{
	struct dp_ranks *ranks = stragglers->judge->ranks;
	uint32_t *blamed = dp_alloc__array(stragglers->count, sizeof(*blamed));
	struct dp_ranks_straggler *list = dp_alloc__array(stragglers->count, sizeof(*list));
	size_t count = 0;
	int status = DP_ERR_NOMEM;

	for (uint32_t r = 0; blamed && r < stragglers->times.ranks; r++)
		if (stragglers->found[r])
			blamed[count++] = r;
	if (blamed && list)
		status = dp_ranks__blame(ranks, blamed, count);
	free(blamed);
	if (status) {
		free(list);
		return status;
	}
	memcpy(list, stragglers->list, stragglers->count * sizeof(*list));
	free(ranks->stragglers);
	ranks->stragglers = list;
	ranks->straggler_count = stragglers->count;
	return DP_OK;
}

static int judge_found(struct stragglers *stragglers)
{
	struct dp_judge *judge = stragglers->judge;
	struct dp_ranks_verdict *verdict = &judge->ranks->verdict;
	const struct dp_ranks_straggler *first = &stragglers->list[0];
	struct dp_job_cost cost;
	int status = find_joint_cost(&cost, stragglers);

	if (status || !costs_most(judge, cost.ns))
		return status;
	dp_judge__set(judge, DP_VERDICT_STRAGGLER, &cost, first->p_value, first->since_iteration);
	verdict->every = first->every;
	verdict->last = first->last;
	verdict->shared = judge->ranks->ranks[first->rank].shared;
	status = blame_found(stragglers);
	return status ? status : dp_judge__find_cause(judge, (uint32_t)first->rank);
}

static int judge_all(struct stragglers *stragglers)
{
	struct dp_judge *judge = stragglers->judge;
	struct dp_ranks_verdict *verdict = &judge->ranks->verdict;
	const struct dp_blame *first = &stragglers->first;
	struct dp_blame_times times = stragglers->times;
	int status;

	fill_gains(stragglers);
	status = find_all(stragglers);
	if (verdict->kind == DP_VERDICT_NONE)
		verdict->p_value = judge->units.count ? first->p : NAN;
	if (status || first->rank == DP_NONE)
		return status;
	judge->is_too_short = first->least_p >= DP_JUDGE_CHANCE;
	if (first->p >= DP_JUDGE_LIKELY)
		return DP_OK;
	if (stragglers->count)
		return judge_found(stragglers);
	times.classes = judge->stages.classes;
	return stragglers->first_cost_ns < STRAGGLER_COST * judge->period_ns && !first->every
		       ? judge_together(judge, &times, first)
		       : DP_OK;
}

int dp_judge__ranks(struct dp_judge *judge)
{
	size_t ranks = judge->job->count;
	struct stragglers stragglers = { .judge = judge,
					 .times = { judge->units.own, judge->units.count, ranks,
						    NULL, judge->units.iteration } };
	int status = DP_ERR_NOMEM;

	stragglers.classes = dp_alloc__array(ranks + 1, sizeof(*stragglers.classes));
	stragglers.tried = dp_alloc__zeroed(ranks + 1, sizeof(*stragglers.tried));
	stragglers.found = dp_alloc__zeroed(ranks + 1, sizeof(*stragglers.found));
	stragglers.gain_ns = dp_alloc__array(ranks + 1, sizeof(*stragglers.gain_ns));
	if (stragglers.classes && stragglers.tried && stragglers.found && stragglers.gain_ns) {
		memcpy(stragglers.classes, judge->stages.classes,
		       ranks * sizeof(*stragglers.classes));
		stragglers.times.classes = stragglers.classes;
		status = judge_all(&stragglers);
	}
	free(stragglers.classes);
	free(stragglers.tried);
	free(stragglers.found);
	free(stragglers.gain_ns);
	return status;
}
