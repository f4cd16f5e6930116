/* Cost: linear in the calls and iterations. */
#include "ranks/units.h"

#include <math.h>

/* The group in which all ranks meet most often, or DP_NONE. */
static int meeting_group(uint32_t *group, size_t *meetings, const struct dp_job *job)
{
	size_t *counts = dp_alloc__zeroed(job->group_count, sizeof(*counts));

	*group = DP_NONE;
	*meetings = 0;
	if (!counts)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < job->instance_count; i++)
		if (job->instances[i].count == job->count &&
		    dp_collective__synchronizes(job->instances[i].kind))
			counts[job->instances[i].group]++;
	for (uint32_t g = 0; g < job->group_count; g++)
		if (counts[g] > *meetings) {
			*meetings = counts[g];
			*group = g;
		}
	free(counts);
	return DP_OK;
}

static int allocate(struct dp_units *units, size_t count, size_t ranks)
{
	size_t cells = dp_size__mul(count, ranks);

	units->count = count;
	units->own = dp_alloc__array(cells + 1, sizeof(*units->own));
	units->iteration = dp_alloc__zeroed(count + 1, sizeof(*units->iteration));
	if (!units->own || !units->iteration)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < cells; i++)
		units->own[i] = NAN;
	return DP_OK;
}

/*
 * A rank's time without waiting between the calls that end two meetings. Without times, only its
 * waiting, negated: the time is the same for all ranks, so the one that waits least took longest.
 */
static double own_between(const struct dp_job *job, const struct dp_job_rank *rank, uint32_t from,
			  uint32_t to)
{
	double wait = 0;

	for (uint32_t i = from + 1; i <= to; i++)
		wait += dp_job__exposed_wait(job, rank, i);
	return job->untimed ? -wait
			    : fmax(0, (double)(rank->from->calls[to].end_ns -
					       rank->from->calls[from].end_ns) -
					      wait);
}

/* The mean time between the ends of meetings, on the first member's clock. */
static double mean_distance(const struct dp_job *job, const struct dp_instance *first,
			    const struct dp_instance *last, size_t distances)
{
	const struct dp_job_member *from = &job->members[first->first];
	const struct dp_job_member *to = &job->members[last->first];
	const struct dp_call_summary *calls = job->ranks[from->rank].from->calls;

	/* all ranks are members, each time in the same order */
	return (double)(calls[to->call].end_ns - calls[from->call].end_ns) / (double)distances;
}

static int by_meetings(struct dp_units *units, const struct dp_job *job, uint32_t group,
		       size_t meetings)
{
	const struct dp_instance *before = NULL, *first = NULL;
	size_t u = 0;
	int status = allocate(units, meetings - 1, job->count);

	for (size_t i = 0; i < job->instance_count && !status; i++) {
		const struct dp_instance *at = &job->instances[i];

		if (at->group != group || at->count != job->count ||
		    !dp_collective__synchronizes(at->kind))
			continue;
		if (before && u > 0) /* a call after the last iteration belongs to that */
			units->iteration[u] = units->iteration[u - 1];
		for (uint32_t m = 0; before && m < at->count; m++) {
			const struct dp_job_member *to = &job->members[at->first + m];
			const struct dp_job_rank *rank = &job->ranks[to->rank];
			uint32_t step = rank->from->calls[to->call].iteration;

			units->own[u * job->count + to->rank] = own_between(
				job, rank, job->members[before->first + m].call, to->call);
			if (step != DP_NONE)
				units->iteration[u] =
					DP_MAX(units->iteration[u], rank->job_iteration[step]);
		}
		u += before != NULL;
		first = first ? first : at;
		before = at;
	}
	units->per_iteration = job->iterations ? (double)meetings / (double)job->iterations : 1;
	if (!status && !job->untimed)
		units->meeting_ns = mean_distance(job, first, before, meetings - 1);
	return status;
}

static int by_iterations(struct dp_units *units, const struct dp_job *job)
{
	int status = allocate(units, job->iterations, job->count);

	for (size_t r = 0; r < job->count && !status; r++)
		for (size_t k = 0; k < job->ranks[r].from->step_count; k++) {
			const struct dp_step_summary *step = &job->ranks[r].from->steps[k];
			size_t u = job->ranks[r].job_iteration[k];

			if (step->whole && job->untimed)
				units->own[u * job->count + r] = -job->ranks[r].wait_ns[k];
			else if (step->whole && isfinite(step->period_ns))
				units->own[u * job->count + r] = dp_job__own(&job->ranks[r], k);
		}
	for (size_t u = 0; u < units->count && !status; u++)
		units->iteration[u] = (uint32_t)u;
	units->per_iteration = 1;
	return status;
}

int dp_units__init(struct dp_units *units, const struct dp_job *job)
{
	size_t meetings;
	uint32_t group;

	*units = (struct dp_units){ .per_iteration = 1, .meeting_ns = NAN };
	if (meeting_group(&group, &meetings, job))
		return DP_ERR_NOMEM;
	if (group != DP_NONE && meetings >= DP_MAX(job->iterations, 2))
		return by_meetings(units, job, group, meetings);
	return by_iterations(units, job);
}

int dp_units__by_compute(struct dp_units *units, const struct dp_job *job)
{
	int status = allocate(units, job->iterations, job->count);

	for (size_t r = 0; r < job->count && !status; r++)
		for (size_t k = 0; k < job->ranks[r].from->step_count; k++) {
			const struct dp_step_summary *step = &job->ranks[r].from->steps[k];

			if (step->whole && isfinite(step->period_ns))
				units->own[job->ranks[r].job_iteration[k] * job->count + r] =
					step->part_ns[DP_RANK_COMPUTE];
		}
	for (size_t u = 0; u < units->count && !status; u++)
		units->iteration[u] = (uint32_t)u;
	units->per_iteration = 1;
	return status;
}

void dp_units__fini(struct dp_units *units)
{
	free(units->own);
	free(units->iteration);
}

static uint32_t root_of(uint32_t *parents, uint32_t rank)
{
	while (parents[rank] != rank)
		rank = parents[rank] = parents[parents[rank]];
	return rank;
}

/* Joins the ranks of one pipeline: those between which data is sent, directly or via others. */
static bool join_pipelines(const struct dp_job *job, uint32_t *pipelines)
{
	bool any = false;

	for (size_t g = 0; g < job->group_count; g++) {
		const struct dp_job_group *group = &job->groups[g];

		for (size_t i = 1; i < group->rank_count && group->sends; i++) {
			pipelines[root_of(pipelines, group->ranks[i])] =
				root_of(pipelines, group->ranks[0]);
			any = true;
		}
	}
	return any;
}

/*
 * Returns true for a group of members of one pipeline, such as its first and last stage, which tie
 * embeddings.
 */
static bool spans_stages(const struct dp_job_group *group, uint32_t *pipelines, bool *is_member)
{
	bool found = false;

	for (size_t i = 0; i < group->rank_count; i++) {
		bool *seen = &is_member[root_of(pipelines, group->ranks[i])];

		found |= *seen;
		*seen = true;
	}
	for (size_t i = 0; i < group->rank_count; i++)
		is_member[root_of(pipelines, group->ranks[i])] = false;
	return found;
}

static void join_groups(const struct dp_job *job, uint32_t *parents, uint32_t *pipelines,
			bool *is_member)
{
	for (size_t g = 0; g < job->group_count; g++) {
		const struct dp_job_group *group = &job->groups[g];

		if (group->pair || !group->synchronizes ||
		    spans_stages(group, pipelines, is_member))
			continue;
		for (size_t i = 1; i < group->rank_count; i++)
			parents[root_of(parents, group->ranks[i])] =
				root_of(parents, group->ranks[0]);
	}
}

/* Numbers the stages, and the classes of ranks that are alone in theirs. */
static int number_stages(struct dp_stages *stages, const struct dp_job *job, uint32_t *parents)
{
	uint32_t *numbers = dp_alloc__array(job->count + 1, sizeof(*numbers));
	uint32_t *sizes = dp_alloc__zeroed(job->count + 1, sizeof(*sizes));
	uint32_t alone = DP_NONE;

	if (!numbers || !sizes) {
		free(numbers);
		free(sizes);
		return DP_ERR_NOMEM;
	}
	for (size_t r = 0; r < job->count; r++)
		numbers[r] = DP_NONE;
	for (uint32_t r = 0; r < job->count; r++) {
		uint32_t root = root_of(parents, r);

		if (numbers[root] == DP_NONE)
			numbers[root] = (uint32_t)stages->count++;
		stages->stage[r] = numbers[root];
		sizes[stages->stage[r]]++;
	}
	for (uint32_t r = 0; r < job->count; r++) {
		bool single = sizes[stages->stage[r]] == 1;

		if (single && alone == DP_NONE)
			alone = stages->stage[r];
		stages->classes[r] = single ? alone : stages->stage[r];
	}
	free(numbers);
	free(sizes);
	return DP_OK;
}

/* Lists the ranks by stage, by counting. */
static int list_ranks(struct dp_stages *stages, const struct dp_job *job)
{
	stages->order = dp_alloc__array(job->count + 1, sizeof(*stages->order));
	stages->first = dp_alloc__zeroed(stages->count + 2, sizeof(*stages->first));
	if (!stages->order || !stages->first)
		return DP_ERR_NOMEM;
	for (size_t r = 0; r < job->count; r++)
		stages->first[stages->stage[r] + 2]++;
	for (size_t s = 2; s < stages->count + 2; s++)
		stages->first[s] += stages->first[s - 1];
	for (uint32_t r = 0; r < job->count; r++)
		stages->order[stages->first[stages->stage[r] + 1]++] = r;
	return DP_OK;
}

int dp_stages__init(struct dp_stages *stages, const struct dp_job *job)
{
	uint32_t *parents = dp_alloc__array(job->count + 1, sizeof(*parents));
	uint32_t *pipelines = dp_alloc__array(job->count + 1, sizeof(*pipelines));
	bool *is_member = dp_alloc__zeroed(job->count + 1, sizeof(*is_member));
	int status = DP_ERR_NOMEM;

	*stages =
		(struct dp_stages){ .stage = dp_alloc__zeroed(job->count + 1, sizeof(uint32_t)),
				    .classes = dp_alloc__zeroed(job->count + 1, sizeof(uint32_t)) };
	if (!parents || !pipelines || !is_member || !stages->stage || !stages->classes)
		goto out;
	for (uint32_t r = 0; r < job->count; r++)
		parents[r] = pipelines[r] = r;
	status = DP_OK;
	if (join_pipelines(job, pipelines)) {
		join_groups(job, parents, pipelines, is_member);
		status = number_stages(stages, job, parents);
	} else {
		stages->count = 1;
	}
	if (!status)
		status = list_ranks(stages, job);
out:
	free(parents);
	free(pipelines);
	free(is_member);
	return status;
}

void dp_stages__fini(struct dp_stages *stages)
{
	free(stages->stage);
	free(stages->classes);
	free(stages->order);
	free(stages->first);
}
