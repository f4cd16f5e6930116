/*
 * What a verdict states: its cost, how certain it is, and why a rank is late: the part, operator or
 * clock in which it differs from its peers.
 */
#include "stats/stat.h"
#include "ranks/judge.h"

#include <math.h>
#include <string.h>

/* A clock below this share of the others' is throttled. */
#define CLOCK_SHARE 0.95
#define THROTTLED_SHARE 0.5

bool dp_judge__is_proven(const struct dp_judge *judge, double p, double cost_ns)
{
	return p < (cost_ns >= DP_JUDGE_LARGE_COST * judge->period_ns ? DP_JUDGE_LIKELY
								      : DP_JUDGE_CHANCE);
}

void dp_judge__set(struct dp_judge *judge, enum dp_ranks_verdict_kind kind,
		   const struct dp_job_cost *cost, double p, int64_t since)
{
	struct dp_ranks_verdict *verdict = &judge->ranks->verdict;

	verdict->kind = kind;
	verdict->cost_ns = cost->ns;
	verdict->cost_least_ns = cost->least_ns;
	verdict->cost_most_ns = cost->most_ns;
	verdict->p_value = p;
	verdict->since_iteration = since;
	judge->ranks->straggler_count = 0;
}

int64_t dp_judge__since(const struct dp_judge *judge, uint32_t since)
{
	return since == judge->units.iteration[0] ? 0 : (int64_t)since;
}

double dp_judge__mean_part(const struct dp_judge *judge, size_t r, int part, int64_t since)
{
	const struct dp_job_rank *rank = &judge->job->ranks[r];
	double sum = 0;
	size_t count = 0;

	for (size_t k = 0; k < rank->from->step_count; k++) {
		const struct dp_rank_iteration *cell =
			&judge->ranks->cells[r * judge->ranks->iterations + rank->job_iteration[k]];

		if (!rank->from->steps[k].whole || !isfinite(rank->from->steps[k].period_ns) ||
		    rank->job_iteration[k] < since ||
		    (rank->from->steps[k].warmup && judge->ranks->ranks[r].iterations > 4))
			continue;
		sum += cell->part_ns[part];
		count++;
	}
	return count ? sum / (double)count : NAN;
}

/* How long a rank waits or is idle per iteration. */
static double idle(const struct dp_judge *judge, size_t r, int64_t since)
{
	return dp_judge__mean_part(judge, r, DP_RANK_INPUT_WAIT, since) +
	       dp_judge__mean_part(judge, r, DP_RANK_HOST_WAIT, since) +
	       dp_judge__mean_part(judge, r, DP_RANK_OTHER, since) + judge->ranks->ranks[r].wait_ns;
}

double dp_judge__idle_beyond(const struct dp_judge *judge, size_t r, int64_t since)
{
	size_t count = 0;

	for (size_t other = 0; other < judge->job->count; other++) {
		double idle_ns = other == r ? NAN : idle(judge, other, since);

		if (isfinite(idle_ns))
			judge->room[count++] = idle_ns;
	}
	return count ? dp_stat__select(judge->room, count, (count - 1) / 2) - idle(judge, r, since)
		     : NAN;
}

/* The lower median of a value over the ranks that one is compared with. */
static double peers_median(const struct dp_judge *judge, uint32_t blamed,
			   double (*value)(const struct dp_judge *, size_t, const void *),
			   const void *ctx)
{
	size_t count = 0;

	for (size_t r = 0; r < judge->job->count; r++) {
		double of = r != blamed && judge->stages.classes[r] == judge->stages.classes[blamed]
				    ? value(judge, r, ctx)
				    : NAN;

		if (isfinite(of))
			judge->room[count++] = of;
	}
	return count ? dp_stat__select(judge->room, count, (count - 1) / 2) : NAN;
}

struct part_since {
	int part;
	int64_t since;
};

static double part_value(const struct dp_judge *judge, size_t r, const void *ctx)
{
	const struct part_since *at = ctx;

	return dp_judge__mean_part(judge, r, at->part, at->since);
}

static double share_value(const struct dp_judge *judge, size_t r, const void *ctx)
{
	const struct dp_share_summary *share = ctx;
	const struct dp_rank_summary *from = judge->job->ranks[r].from;

	for (size_t i = 0; i < from->share_count; i++)
		if (from->shares[i].part == share->part &&
		    from->shares[i].operator_ == share->operator_ &&
		    !strcmp(from->shares[i].name, share->name))
			return from->shares[i].ns;
	return 0;
}

static double clock_value(const struct dp_judge *judge, size_t r, const void *ctx)
{
	(void)ctx;
	return judge->job->ranks[r].from->clock_mhz;
}

static double throttled_value(const struct dp_judge *judge, size_t r, const void *ctx)
{
	(void)ctx;
	return judge->job->ranks[r].from->throttled;
}

/*
 * Finds the operator whose time exceeds that on the peers most, and by more than is ignored; the
 * kernel if no operator does.
 */
static int find_operator(struct dp_judge *judge, uint32_t blamed)
{
	const struct dp_rank_summary *from = judge->job->ranks[blamed].from;
	struct dp_ranks_verdict *verdict = &judge->ranks->verdict;
	const struct dp_share_summary *best = NULL;
	double most = judge->period_ns > 0 ? STRAGGLER_COST * judge->period_ns : 0;

	for (int kernels = 0; kernels < 2 && !best; kernels++)
		for (size_t i = 0; i < from->share_count; i++) {
			const struct dp_share_summary *share = &from->shares[i];
			double excess;

			if (share->part != verdict->part || share->operator_ == (bool)kernels)
				continue;
			excess = share->ns - peers_median(judge, blamed, share_value, share);
			if (excess > most) {
				most = excess;
				best = share;
			}
		}
	if (!best)
		return DP_OK;
	verdict->operator_ns = most;
	verdict->operator_ = dp_ranks__text(judge->ranks, best->name);
	return verdict->operator_ ? DP_OK : DP_ERR_NOMEM;
}

static bool is_throttled(const struct dp_judge *judge, uint32_t blamed)
{
	const struct dp_rank_summary *from = judge->job->ranks[blamed].from;

	return from->clock_mhz < CLOCK_SHARE * peers_median(judge, blamed, clock_value, NULL) ||
	       (from->throttled > THROTTLED_SHARE &&
		peers_median(judge, blamed, throttled_value, NULL) < THROTTLED_SHARE);
}

int dp_judge__find_cause(struct dp_judge *judge, uint32_t blamed)
{
	struct dp_ranks_verdict *verdict = &judge->ranks->verdict;
	double most = -INFINITY;

	verdict->part_ns = NAN;
	for (int part = 0; part < DP_RANK_PARTS; part++) {
		struct part_since at = { part, verdict->since_iteration };
		double excess = dp_judge__mean_part(judge, blamed, part, verdict->since_iteration) -
				peers_median(judge, blamed, part_value, &at);

		if (excess > most) {
			most = excess;
			verdict->part = (enum dp_rank_part)part;
			verdict->part_ns = excess;
		}
	}
	verdict->throttled = verdict->part == DP_RANK_COMPUTE && is_throttled(judge, blamed);
	return find_operator(judge, blamed);
}
