/*
 * Iterations and collectives of all ranks on the clock of the first one. Cost: linear in ranks
 * times iterations and in the collectives.
 */
#include "ranks/job.h"

#include <math.h>
#include <string.h>

/* A time of a rank on the clock of the first one, from its first operation. */
static int64_t to_first(const struct dp_job *job, size_t r, int64_t time_ns)
{
	const struct dp_rank_summary *from = job->ranks[r].from, *first = job->ranks[0].from;

	if (job->clocks[r].known && job->clocks[r].anchor == 0)
		return dp_clock__to_anchor(&job->clocks[r], time_ns);
	return from->is_epoch == first->is_epoch
		       ? dp_clock__limit(dp_sum__i64(time_ns, from->t0_ns - first->t0_ns))
		       : time_ns;
}

int dp_ranks__timeline(struct dp_ranks *ranks, const struct dp_job *job)
{
	size_t cells = dp_size__mul(job->count, job->iterations);

	ranks->iterations = job->iterations;
	ranks->cells = dp_alloc__zeroed(cells + 1, sizeof(*ranks->cells));
	ranks->has = dp_alloc__zeroed(cells + 1, sizeof(*ranks->has));
	if (!ranks->cells || !ranks->has)
		return DP_ERR_NOMEM;
	for (size_t r = 0; r < job->count; r++) {
		const struct dp_job_rank *rank = &job->ranks[r];

		for (size_t k = 0; k < rank->from->step_count; k++) {
			const struct dp_step_summary *step = &rank->from->steps[k];
			size_t at = r * job->iterations + rank->job_iteration[k];
			struct dp_rank_iteration *cell = &ranks->cells[at];

			if (!step->whole)
				continue;
			ranks->has[at] = true;
			cell->start_ns = to_first(job, r, step->start_ns);
			cell->period_ns = step->period_ns;
			cell->own_ns = isfinite(step->period_ns) ? dp_job__own(rank, k) : NAN;
			cell->wait_ns = rank->wait_ns[k];
			memcpy(cell->part_ns, step->part_ns, sizeof(cell->part_ns));
			if (cell->part_ns[DP_RANK_COMMUNICATION] <= cell->wait_ns)
				cell->part_ns[DP_RANK_COMMUNICATION] = 0;
			else
				cell->part_ns[DP_RANK_COMMUNICATION] -= cell->wait_ns;
		}
	}
	return DP_OK;
}

static struct dp_ranks_call call_of(const struct dp_job *job, size_t r, size_t i)
{
	const struct dp_job_rank *rank = &job->ranks[r];
	const struct dp_call_summary *from = &rank->from->calls[i];

	return (struct dp_ranks_call){
		.start_ns = to_first(job, r, from->start_ns),
		.end_ns = to_first(job, r, from->end_ns),
		.wait_ns = dp_job__wait(job, rank, i),
		.bytes = from->bytes,
		.group = rank->groups[i],
		.instance = rank->instances[i],
		.iteration =
			from->iteration == DP_NONE ? DP_NONE : rank->job_iteration[from->iteration],
		.kind = from->kind,
	};
}

static void forget_calls(struct dp_job_rank *rank)
{
	free(rank->from->calls);
	free(rank->groups);
	free(rank->instances);
	rank->from->calls = NULL;
	rank->from->call_count = rank->from->call_room = 0;
	rank->groups = NULL;
	rank->instances = NULL;
}

int dp_ranks__calls(struct dp_ranks *ranks, struct dp_job *job)
{
	ranks->calls = dp_alloc__zeroed(job->count + 1, sizeof(*ranks->calls));
	if (!ranks->calls)
		return DP_ERR_NOMEM;
	for (size_t r = 0; r < job->count; r++) {
		size_t count = job->ranks[r].from->call_count;

		ranks->calls[r] = dp_alloc__array(count + 1, sizeof(**ranks->calls));
		if (!ranks->calls[r])
			return DP_ERR_NOMEM;
		for (size_t i = 0; i < count; i++)
			ranks->calls[r][i] = call_of(job, r, i);
		forget_calls(&job->ranks[r]);
	}
	for (size_t g = 0; g < job->group_count; g++) {
		const char *name = dp_strings__get(&job->names, job->groups[g].name);

		if (dp_strings__intern(&ranks->groups, name, strlen(name)) == DP_NONE)
			return DP_ERR_NOMEM;
	}
	return DP_OK;
}
