/*
 * Bounds of a cost. Traces may lack two things: what a rank waits for (a call to a rank without a
 * trace, or a wait that no call shows), so that the wait counts as its own work and does not become
 * shorter; and when a call that was queued behind another one was ready.
 */
#include "ranks/cost.h"

#include <math.h>

/* Returns true if a rank's own work changes. */
static bool is_changed(const struct dp_job_change *change, size_t r)
{
	if (change->scale)
		return change->scale[r] < 1;
	return change->rank == r || (change->also && change->also[r]);
}

/* A rank's idle time of unknown cause per iteration, from an iteration on. */
static double unexplained_idle(const struct dp_job_rank *rank, int64_t since)
{
	double sum = 0;
	size_t count = 0;

	for (size_t k = 0; k < rank->from->step_count; k++) {
		const struct dp_step_summary *step = &rank->from->steps[k];

		if (!step->whole || step->warmup || rank->job_iteration[k] < since ||
		    !isfinite(step->period_ns) || !isfinite(step->part_ns[DP_RANK_OTHER]))
			continue;
		sum += step->part_ns[DP_RANK_OTHER];
		count++;
	}
	return count ? sum / (double)count : 0;
}

/*
 * The time per iteration in which a rank only runs calls that no other rank has, or waits in those
 * of which a member has no trace.
 */
static double unmatched_time(const struct dp_job *job, const struct dp_job_rank *rank,
			     int64_t since)
{
	double sum = 0;
	size_t iterations = 0;

	for (size_t k = 0; k < rank->from->step_count; k++)
		iterations += rank->job_iteration[k] >= since;
	for (size_t i = 0; i < rank->from->call_count; i++) {
		const struct dp_call_summary *call = &rank->from->calls[i];

		const struct dp_job_group *group = &job->groups[rank->groups[i]];

		if (call->iteration == DP_NONE || rank->job_iteration[call->iteration] < since)
			continue;
		if (rank->instances[i] == DP_NONE)
			sum += (double)call->blocks_ns;
		else if (group->rank_count < group->size)
			sum += dp_job__exposed_wait(job, rank, i);
	}
	return iterations ? sum / (double)iterations : 0;
}

/*
 * By how much more iterations may shrink: if everything that a rank waits for without a known cause
 * ends earlier.
 */
static double unknown_wait(const struct dp_job *job, const struct dp_job_change *change)
{
	double most = 0;

	for (size_t r = 0; r < job->count; r++)
		if (!is_changed(change, r))
			most = fmax(most, unexplained_idle(&job->ranks[r], change->since) +
						  unmatched_time(job, &job->ranks[r], change->since));
	return most;
}

/* Returns true if calls may save less than a replay shows. */
static bool is_uncertain(const struct dp_job *job)
{
	for (size_t r = 0; r < job->count; r++)
		for (size_t i = 0; i < job->ranks[r].from->call_count; i++)
			if (job->ranks[r].from->calls[i].queued_ns < 0 ||
			    job->ranks[r].instances[i] == DP_NONE)
				return true;
	return false;
}

int dp_job__cost(struct dp_job_cost *cost, const struct dp_job *job,
		 const struct dp_job_change *change, double guess_ns, double noise_ns)
{
	struct dp_job_change least = *change;
	double saved_ns, least_ns = INFINITY;
	int status = dp_job__replay(&saved_ns, job, change);

	*cost = (struct dp_job_cost){ guess_ns, 0, guess_ns };
	least.least = true;
	if (status || !(saved_ns >= noise_ns))
		return status;
	if (is_uncertain(job))
		status = dp_job__replay(&least_ns, job, &least);
	cost->ns = saved_ns;
	cost->least_ns = fmax(0, fmin(saved_ns, least_ns));
	cost->most_ns = fmax(saved_ns, fmin(guess_ns, saved_ns + unknown_wait(job, change)));
	return status;
}
