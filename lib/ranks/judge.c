/*
 * Finds what holds the job up. Candidates are a rank, a stage, ranks in turn and a process group;
 * the verdict is the one that costs most and is no coincidence.
 */
#include "stats/stat.h"
#include "ranks/blame.h"
#include "ranks/cost.h"
#include "ranks/judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Smaller costs, as shares of the period, are ignored: stages are never equal. */
#define COMMUNICATION_COST 0.02
#define STAGE_COST 0.03
/* A rank that runs this share more kernels has more to do. */
#define MORE_KERNELS 0.06

/*
 * The same by what ranks compute: the cost is how much longer a rank computes than all others, up
 * to how much longer those are idle.
 */
static int judge_computing_rank(struct dp_judge *judge)
{
	struct dp_ranks_verdict *verdict = &judge->ranks->verdict;
	struct dp_blame_times times = { judge->units.own, judge->units.count, judge->job->count,
					judge->stages.classes, judge->units.iteration };
	struct dp_job_cost cost = { 0, 0, 0 };
	struct dp_blame blame;
	int status = dp_blame__run(&blame, &times);
	double idle_ns;
	int64_t since;

	if (status || blame.rank == DP_NONE || blame.p >= DP_JUDGE_LIKELY)
		return status;
	since = dp_judge__since(judge, blame.since);
	idle_ns = dp_judge__idle_beyond(judge, blame.rank, since);
	cost.most_ns = cost.ns = isnan(idle_ns) ? 0 : fmin(blame.gain, idle_ns);
	if (!(cost.ns >= verdict->cost_ns + DP_JUDGE_LARGE_COST * judge->period_ns))
		return DP_OK;
	if (verdict->kind == DP_VERDICT_STRAGGLER) {
		if (verdict->rank_count == 1 && verdict->ranks[0] == blame.rank)
			verdict->cost_most_ns = fmax(verdict->cost_most_ns, cost.ns);
		return DP_OK;
	}
	dp_judge__set(judge, DP_VERDICT_STRAGGLER, &cost, blame.p, since);
	verdict->by_compute = true;
	verdict->every = blame.every;
	status = dp_ranks__blame(judge->ranks, &blame.rank, 1);
	return status ? status : dp_judge__find_cause(judge, blame.rank);
}

/* Own times of stages: the lower medians of their ranks. */
static double *stage_times(const struct dp_judge *judge)
{
	size_t stages = judge->stages.count, ranks = judge->job->count;
	double *own = dp_alloc__array(dp_size__mul(judge->units.count, stages) + 1, sizeof(*own));
	double *room = dp_alloc__array(ranks + 1, sizeof(*room));

	for (size_t u = 0; own && room && u < judge->units.count; u++)
		for (size_t s = 0; s < stages; s++) {
			const double *row = judge->units.own + u * ranks;
			size_t count = 0;

			for (size_t i = judge->stages.first[s]; i < judge->stages.first[s + 1]; i++)
				if (isfinite(row[judge->stages.order[i]]))
					room[count++] = row[judge->stages.order[i]];
			own[u * stages + s] =
				count ? dp_stat__select(room, count, (count - 1) / 2) : NAN;
		}
	free(room);
	if (!room) {
		free(own);
		return NULL;
	}
	return own;
}

static int blame_stage(struct dp_judge *judge, uint32_t stage)
{
	uint32_t *blamed = dp_alloc__array(judge->job->count, sizeof(*blamed));
	size_t count = 0;
	int status;

	if (!blamed)
		return DP_ERR_NOMEM;
	for (uint32_t r = 0; r < judge->job->count; r++)
		if (judge->stages.stage[r] == stage)
			blamed[count++] = r;
	status = dp_ranks__blame(judge->ranks, blamed, count);
	free(blamed);
	return status;
}

/* A stage of one rank is slow because of its share of the work only if it runs more kernels. */
static bool has_more_work(const struct dp_judge *judge, uint32_t stage)
{
	double own = 0;
	size_t members = 0;

	for (size_t r = 0; r < judge->job->count; r++) {
		judge->room[r] = (double)judge->job->ranks[r].from->pattern;
		if (judge->stages.stage[r] == stage) {
			members++;
			own = judge->room[r];
		}
	}
	return members > 1 ||
	       own > dp_stat__median(judge->room, judge->job->count) * (1 + MORE_KERNELS);
}

/* The lower median of the compute time of a stage's ranks. */
static double stage_compute(const struct dp_judge *judge, uint32_t stage, int64_t since)
{
	size_t count = 0;

	for (size_t i = judge->stages.first[stage]; i < judge->stages.first[stage + 1]; i++) {
		double compute =
			dp_judge__mean_part(judge, judge->stages.order[i], DP_RANK_COMPUTE, since);

		if (isfinite(compute))
			judge->room[count++] = compute;
	}
	return count ? dp_stat__select(judge->room, count, (count - 1) / 2) : NAN;
}

/*
 * By how much the slowest stage computes longer than the mean of all, which take over the layers
 * that it gives up. Sets scale[], per rank, to its new work divided by the old.
 */
static double stage_excess(double *scale, const struct dp_judge *judge, uint32_t slowest,
			   int64_t since)
{
	double mean = 0, most = NAN;

	for (uint32_t s = 0; s < judge->stages.count; s++) {
		double compute = stage_compute(judge, s, since);

		mean += compute / (double)judge->stages.count;
		if (s == slowest)
			most = compute;
		for (size_t i = judge->stages.first[s]; i < judge->stages.first[s + 1]; i++)
			scale[judge->stages.order[i]] = compute;
	}
	for (size_t r = 0; r < judge->job->count; r++)
		scale[r] = mean / scale[r];
	return fmax(0, most - mean);
}

/* By how much longer the other ranks are idle than the first rank of a stage. */
static double stage_idle_beyond(const struct dp_judge *judge, uint32_t stage, int64_t since)
{
	size_t r = 0;

	while (judge->stages.stage[r] != stage)
		r++;
	return dp_judge__idle_beyond(judge, r, since);
}

/*
 * Returns true if the straggler is a stage by itself: then the stage's share of the work explains
 * it.
 */
static bool is_alone_in(const struct dp_judge *judge, uint32_t stage)
{
	const struct dp_ranks_verdict *verdict = &judge->ranks->verdict;
	size_t members = 0;

	for (size_t r = 0; r < judge->job->count; r++)
		members += judge->stages.stage[r] == stage;
	return members == 1 && verdict->kind == DP_VERDICT_STRAGGLER &&
	       judge->stages.stage[verdict->ranks[0]] == stage;
}

static int find_stage(struct dp_blame *blame, const struct dp_judge *judge)
{
	struct dp_blame_times times = { NULL, judge->units.count, judge->stages.count, NULL,
					judge->units.iteration };
	double *own = stage_times(judge);
	uint32_t *classes = dp_alloc__zeroed(judge->stages.count, sizeof(*classes));
	int status = DP_ERR_NOMEM;

	times.own = own;
	times.classes = classes;
	if (own && classes)
		status = dp_blame__run(blame, &times);
	free(own);
	free(classes);
	return status;
}

static int judge_stages(struct dp_judge *judge)
{
	struct dp_ranks_verdict *verdict = &judge->ranks->verdict;
	struct dp_job_change change = { .rank = DP_NONE, .more_often = 1 };
	struct dp_job_cost cost = { 0, 0, 0 };
	struct dp_blame blame;
	double *scale, excess_ns, idle_ns;
	int status;

	if (judge->stages.count < 2)
		return DP_OK;
	status = find_stage(&blame, judge);
	if (status || blame.rank == DP_NONE || !has_more_work(judge, blame.rank))
		return status;
	scale = dp_alloc__array(judge->job->count + 1, sizeof(*scale));
	if (!scale)
		return DP_ERR_NOMEM;
	change.scale = scale;
	change.since = dp_judge__since(judge, blame.since);
	excess_ns = stage_excess(scale, judge, blame.rank, change.since);
	if (judge->by_compute) {
		idle_ns = stage_idle_beyond(judge, blame.rank, change.since);
		excess_ns = isnan(idle_ns) ? 0 : fmin(excess_ns, idle_ns);
	}
	if (excess_ns >=
		    (judge->by_compute ? DP_JUDGE_LARGE_COST : STAGE_COST) * judge->period_ns &&
	    dp_judge__is_proven(judge, blame.p, excess_ns))
		status = dp_job__cost(&cost, judge->job, &change, excess_ns,
				      STRAGGLER_COST * judge->period_ns);
	free(scale);
	if (status || !(cost.ns > 0) ||
	    (cost.ns < verdict->cost_ns && !is_alone_in(judge, blame.rank)))
		return status;
	dp_judge__set(judge, DP_VERDICT_STAGE_IMBALANCE, &cost, blame.p, change.since);
	verdict->part = DP_RANK_COMPUTE;
	return blame_stage(judge, blame.rank);
}

static int judge_sequences(struct dp_judge *judge)
{
	struct dp_ranks_verdict *verdict = &judge->ranks->verdict;
	struct dp_job_cost cost;
	double cost_ns;
	int status = dp_judge__uneven_cost(&cost_ns, judge);

	if (status)
		return status;
	if ((verdict->kind != DP_VERDICT_NONE && verdict->kind != DP_VERDICT_STAGE_IMBALANCE) ||
	    cost_ns <= verdict->cost_ns)
		return DP_OK;
	cost = (struct dp_job_cost){ cost_ns, cost_ns, cost_ns };
	dp_judge__set(judge, DP_VERDICT_SEQUENCE_IMBALANCE, &cost, verdict->p_value, 0);
	verdict->part = DP_RANK_COMPUTE;
	verdict->part_ns = cost_ns;
	return dp_ranks__blame(judge->ranks, NULL, 0);
}

static int judge_communication(struct dp_judge *judge)
{
	struct dp_ranks_verdict *verdict = &judge->ranks->verdict;
	const struct dp_job *job = judge->job;
	struct dp_slow_group slow;
	struct dp_job_cost cost = { 0, 0, 0 };
	double *less_ns = dp_alloc__zeroed(job->instance_count + 1, sizeof(*less_ns));
	struct dp_job_change change = { .rank = DP_NONE, .less_ns = less_ns, .more_often = 1 };
	int status = less_ns ? dp_job__slow_group(&slow, less_ns, job) : DP_ERR_NOMEM;

	change.since = status ? 0 : slow.since;
	if (!status && slow.group != DP_NONE && slow.p < DP_JUDGE_CHANCE &&
	    slow.cost_ns >= COMMUNICATION_COST * judge->period_ns)
		status = dp_job__cost(&cost, job, &change, slow.cost_ns,
				      STRAGGLER_COST * judge->period_ns);
	else
		slow.group = DP_NONE;
	free(less_ns);
	if (status || slow.group == DP_NONE)
		return status;
	dp_judge__set(judge, DP_VERDICT_SLOW_COMMUNICATION, &cost, slow.p, slow.since);
	verdict->part = DP_RANK_COMMUNICATION;
	verdict->part_ns = cost.ns;
	verdict->group = dp_ranks__text(judge->ranks,
					dp_strings__get(&job->names, job->groups[slow.group].name));
	if (!verdict->group)
		return DP_ERR_NOMEM;
	return dp_ranks__blame(judge->ranks, job->groups[slow.group].ranks,
			       job->groups[slow.group].rank_count);
}

/* RCCL's kernels, for example, have one name for all kinds. */
static bool has_unknown_kinds(const struct dp_job *job)
{
	for (size_t i = 0; i < job->instance_count; i++)
		if (job->instances[i].kind == DP_COLLECTIVE_OTHER)
			return true;
	return false;
}

/* What is missing for a verdict. */
static const char *missing(const struct dp_judge *judge)
{
	if (judge->job->count < 2)
		return judge->ranks->matching.absent
			       ? "only one rank has a trace (in a merged file, processes with equal "
				 "ids and GPUs are one rank)"
			       : "there is only one rank";
	if (judge->ranks->matching.unrelated)
		return "the files may be of different jobs: they share no collectives, and not all "
		       "of them state their rank";
	if (!judge->job->instance_count)
		return "the ranks share no collectives";
	if (!judge->ranks->matching.synchronizing)
		return has_unknown_kinds(judge->job)
			       ? "the traces do not state what kind of collectives the ranks share"
			       : "the ranks share only calls that do not synchronize them "
				 "(broadcasts, sends), whose waits are listed without a verdict";
	return judge->units.count < 2 ? "there are too few iterations" : "";
}

/*
 * The blamed rank that shares calls with one without a trace, if the verdict rests on how long
 * those take; or DP_NONE.
 */
static uint32_t rests_on_absent(const struct dp_judge *judge)
{
	const struct dp_ranks_verdict *verdict = &judge->ranks->verdict;
	const struct dp_job *job = judge->job;

	if (verdict->kind != DP_VERDICT_SLOW_COMMUNICATION &&
	    (verdict->kind != DP_VERDICT_STRAGGLER ||
	     (verdict->part != DP_RANK_COMMUNICATION && !job->untimed)))
		return DP_NONE;
	for (size_t i = 0; i < verdict->rank_count; i++)
		for (size_t g = 0; g < job->group_count; g++)
			if (dp_job__meets_absent(job, &job->groups[g], verdict->ranks[i]))
				return verdict->ranks[i];
	return DP_NONE;
}

/* Whether a rank is late, or has waited for one that is not seen, nobody can tell. */
static int leave_open(struct dp_judge *judge, size_t r, const char *what)
{
	struct dp_ranks_verdict *verdict = &judge->ranks->verdict;
	char absent[200], why[400];

	if (dp_job__name_absent(absent, sizeof(absent), judge->job, r))
		return DP_ERR_NOMEM;
	snprintf(why, sizeof(why), "rank %lld %s %s%s without a trace",
		 (long long)judge->job->ranks[r].rank, what,
		 !*absent || strchr(absent, ',') ? "ranks " : "rank ", absent);
	*verdict = (struct dp_ranks_verdict){ .why = dp_ranks__text(judge->ranks, why),
					      .operator_ = "",
					      .group = "",
					      .part = DP_RANK_OTHER,
					      .period_ns = verdict->period_ns,
					      .p_value = verdict->p_value,
					      .collectives = verdict->collectives,
					      .collective_ns = verdict->collective_ns };
	judge->ranks->straggler_count = 0;
	if (!verdict->why)
		return DP_ERR_NOMEM;
	return dp_ranks__blame(judge->ranks, NULL, 0);
}

/* What a rank waits per iteration in calls that a rank without a trace is part of. */
static double wait_for_absent(const struct dp_job *job, size_t r)
{
	const struct dp_job_rank *rank = &job->ranks[r];
	double sum = 0;

	for (size_t i = 0; i < rank->from->call_count; i++)
		if (rank->from->calls[i].iteration != DP_NONE &&
		    dp_collective__synchronizes(rank->from->calls[i].kind) &&
		    dp_job__meets_absent(job, &job->groups[rank->groups[i]], r))
			sum += dp_job__exposed_wait(job, rank, i);
	return rank->from->step_count ? sum / (double)rank->from->step_count : 0;
}

static int judge_absent(struct dp_judge *judge)
{
	const struct dp_ranks_verdict *verdict = &judge->ranks->verdict;
	double most = WAITS_OF_HEALTHY * judge->period_ns;
	size_t found = judge->job->count;
	uint32_t late;

	late = rests_on_absent(judge);
	if (late != DP_NONE)
		return leave_open(judge, late, "is late, but may wait for");
	for (size_t r = 0; r < judge->job->count && verdict->kind == DP_VERDICT_NONE; r++) {
		double wait_ns = wait_for_absent(judge->job, r);

		if (wait_ns >= most) {
			most = wait_ns;
			found = r;
		}
	}
	return found < judge->job->count ? leave_open(judge, found, "waits for") : DP_OK;
}

/*
 * A second look, for waits that traces do not show: ranks wait for files, for each other's hosts,
 * or in calls that are not recorded. Then all have equal own times, and the one that computes while
 * the others are idle holds them up. As they may be idle for other reasons, this counts from a
 * tenth of the period on.
 */
static int judge_computing(struct dp_judge *judge)
{
	const struct dp_ranks_verdict *verdict = &judge->ranks->verdict;
	int status;

	if (judge->job->untimed ||
	    (verdict->kind != DP_VERDICT_NONE && verdict->kind != DP_VERDICT_STRAGGLER))
		return DP_OK;
	dp_units__fini(&judge->units);
	judge->by_compute = true;
	status = dp_units__by_compute(&judge->units, judge->job);
	if (!status)
		status = judge_computing_rank(judge);
	return status || verdict->kind != DP_VERDICT_NONE ? status : judge_stages(judge);
}

static int judge_all(struct dp_judge *judge)
{
	struct dp_ranks_verdict *verdict = &judge->ranks->verdict;
	bool blind = dp_job__has_blind_sends(judge->job, WAITS_OF_HEALTHY * judge->period_ns,
					     verdict->collectives);
	int status = DP_OK;

	verdict->why = missing(judge);
	if (!*verdict->why && judge->job->iterations)
		status = judge_communication(judge);
	if (!status && !*verdict->why && !blind)
		status = dp_judge__ranks(judge);
	if (!status && !*verdict->why && !blind)
		status = judge_stages(judge);
	if (!status && !*verdict->why && !blind)
		status = judge_sequences(judge);
	if (!status && !*verdict->why)
		status = judge_computing(judge);
	if (!status && blind && verdict->kind == DP_VERDICT_NONE && !*verdict->why)
		verdict->why = "ranks wait in sends and receives of which the traces do not state "
			       "the peers";
	if (!status && !*verdict->why && judge->ranks->matching.absent)
		status = judge_absent(judge);
	if (!status && judge->is_too_short && verdict->kind == DP_VERDICT_NONE && !*verdict->why)
		verdict->why = "there are too few iterations to tell a slow rank from chance";
	return status;
}

/* The median of the ranks' own median periods; NaN if no rank has one. */
static double job_period(const struct dp_judge *judge)
{
	size_t count = 0;

	for (size_t r = 0; r < judge->job->count; r++)
		if (isfinite(judge->ranks->ranks[r].period_ns))
			judge->room[count++] = judge->ranks->ranks[r].period_ns;
	return count ? dp_stat__median(judge->room, count) : NAN;
}

/* Without iterations, costs are those of a collective, and shares of the time between two. */
static void judge_collectives(struct dp_judge *judge)
{
	struct dp_ranks_verdict *verdict = &judge->ranks->verdict;

	verdict->collectives = judge->units.count;
	verdict->collective_ns = judge->period_ns = judge->units.meeting_ns;
}

int dp_ranks__judge(struct dp_ranks *ranks, const struct dp_job *job)
{
	struct dp_judge judge = { .ranks = ranks, .job = job };
	int status = DP_ERR_NOMEM;

	ranks->verdict = (struct dp_ranks_verdict){ .why = "",
						    .operator_ = "",
						    .group = "",
						    .part = DP_RANK_OTHER,
						    .p_value = NAN,
						    .collective_ns = NAN };
	judge.room = dp_alloc__array(job->count, sizeof(*judge.room));
	if (judge.room) {
		ranks->verdict.period_ns = judge.period_ns = job_period(&judge);
		status = dp_stages__init(&judge.stages, job);
	}
	if (!status)
		status = dp_units__init(&judge.units, job);
	if (!status && !job->iterations)
		judge_collectives(&judge);
	if (!status)
		status = judge_all(&judge);
	free(judge.room);
	dp_units__fini(&judge.units);
	dp_stages__fini(&judge.stages);
	return status;
}
