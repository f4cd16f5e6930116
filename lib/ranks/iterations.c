/*
 * Numbers the job's iterations: those of one rank, and for the others the ones that share most
 * calls with them. This covers captures that begin later, and iterations that a rank lacks.
 */
#include "ranks/job.h"

#define UNKNOWN INT64_MIN

struct vote {
	uint32_t step;
	int64_t iteration;
};

struct numbering {
	struct dp_job *job;
	int64_t **iteration; /* per rank and step; UNKNOWN */
	bool *known;	     /* per rank */
	int64_t *instances;  /* per instance: its iteration; UNKNOWN */
	struct vote *votes;  /* of one rank */
	size_t count, room;
};

static int64_t iteration_of(const struct numbering *numbering, const struct dp_job_member *member)
{
	uint32_t step = numbering->job->ranks[member->rank].from->calls[member->call].iteration;

	return step == DP_NONE || !numbering->known[member->rank]
		       ? UNKNOWN
		       : numbering->iteration[member->rank][step];
}

/* Instances have the iteration of their first member that has one. */
static void number_instances(struct numbering *numbering)
{
	const struct dp_job *job = numbering->job;

	for (size_t i = 0; i < job->instance_count; i++) {
		const struct dp_instance *at = &job->instances[i];

		numbering->instances[i] = UNKNOWN;
		for (uint32_t m = 0; m < at->count && numbering->instances[i] == UNKNOWN; m++)
			numbering->instances[i] =
				iteration_of(numbering, &job->members[at->first + m]);
	}
}

/* A rank without numbers gets votes from calls that it shares with ranks that have numbers. */
static int collect_votes(struct numbering *numbering, size_t r)
{
	const struct dp_job_rank *rank = &numbering->job->ranks[r];

	numbering->count = 0;
	for (size_t i = 0; i < rank->from->call_count; i++) {
		uint32_t step = rank->from->calls[i].iteration, instance = rank->instances[i];

		if (step == DP_NONE || instance == DP_NONE ||
		    numbering->instances[instance] == UNKNOWN)
			continue;
		if (dp_array__reserve(&numbering->votes, &numbering->room, numbering->count + 1,
				      sizeof(*numbering->votes)))
			return DP_ERR_NOMEM;
		numbering->votes[numbering->count++] =
			(struct vote){ step, numbering->instances[instance] };
	}
	return DP_OK;
}

static int compare_votes(const void *a, const void *b)
{
	const struct vote *one = a, *two = b;

	if (one->step != two->step)
		return one->step < two->step ? -1 : 1;
	return one->iteration < two->iteration ? -1 : one->iteration > two->iteration;
}

/* Chooses the most frequent iteration of each step; of equals, the first. */
static void count_votes(struct numbering *numbering, size_t r)
{
	const struct vote *votes = numbering->votes;
	size_t most = 0;

	qsort(numbering->votes, numbering->count, sizeof(*votes), compare_votes);
	for (size_t i = 0, end; i < numbering->count; i = end) {
		int64_t *place = &numbering->iteration[r][votes[i].step];

		for (end = i; end < numbering->count && !compare_votes(&votes[i], &votes[end]);
		     end++)
			;
		if (*place == UNKNOWN)
			most = 0;
		if (end - i > most) {
			most = end - i;
			*place = votes[i].iteration;
		}
	}
}

/*
 * Steps that share no call are between their neighbours; before the first and after the last they
 * continue the count.
 */
static void fill_gaps(int64_t *iteration, size_t count)
{
	size_t first = 0;

	while (first < count && iteration[first] == UNKNOWN)
		first++;
	for (size_t i = first; first < count && i-- > 0;)
		iteration[i] = iteration[i + 1] - 1;
	for (size_t i = first + 1; i < count; i++)
		if (iteration[i] == UNKNOWN || iteration[i] <= iteration[i - 1])
			iteration[i] = iteration[i - 1] + 1;
}

static void begin(struct numbering *numbering, size_t rank)
{
	for (size_t i = 0; i < numbering->job->ranks[rank].from->step_count; i++)
		numbering->iteration[rank][i] = (int64_t)i;
	numbering->known[rank] = true;
}

/* The rank with most iterations among those without numbers; count if none is left. */
static size_t widest(const struct numbering *numbering)
{
	const struct dp_job *job = numbering->job;
	size_t best = job->count;

	for (size_t r = 0; r < job->count; r++)
		if (!numbering->known[r] && job->ranks[r].from->step_count &&
		    (best == job->count ||
		     job->ranks[r].from->step_count > job->ranks[best].from->step_count))
			best = r;
	return best;
}

/* Numbers the ranks that share calls with numbered ones; *found: there are some. */
static int number_neighbours(struct numbering *numbering, bool *found)
{
	struct dp_job *job = numbering->job;
	int status = DP_OK;

	*found = false;
	number_instances(numbering);
	for (size_t r = 0; r < job->count && !status; r++) {
		if (numbering->known[r])
			continue;
		status = collect_votes(numbering, r);
		if (status || !numbering->count)
			continue;
		count_votes(numbering, r);
		fill_gaps(numbering->iteration[r], job->ranks[r].from->step_count);
		numbering->known[r] = *found = true;
	}
	return status;
}

static int number_all(struct numbering *numbering)
{
	struct dp_job *job = numbering->job;
	size_t root;
	int status = DP_OK;

	while (!status && (root = widest(numbering)) < job->count) {
		bool found = true;

		begin(numbering, root);
		while (found && !status)
			status = number_neighbours(numbering, &found);
	}
	return status;
}

/* From 0, in 32 bits. */
static void keep(struct numbering *numbering)
{
	struct dp_job *job = numbering->job;
	int64_t least = INT64_MAX, most = INT64_MIN;

	for (size_t r = 0; r < job->count; r++)
		for (size_t i = 0; i < job->ranks[r].from->step_count; i++) {
			least = DP_MIN(least, numbering->iteration[r][i]);
			most = DP_MAX(most, numbering->iteration[r][i]);
		}
	job->iterations = most >= least ? (size_t)(most - least) + 1 : 0;
	for (size_t r = 0; r < job->count; r++)
		for (size_t i = 0; i < job->ranks[r].from->step_count; i++)
			job->ranks[r].job_iteration[i] =
				(uint32_t)(numbering->iteration[r][i] - least);
}

static void sum_waits(struct dp_job *job)
{
	for (size_t r = 0; r < job->count; r++) {
		struct dp_job_rank *rank = &job->ranks[r];

		for (size_t i = 0; i < rank->from->call_count; i++)
			if (rank->from->calls[i].iteration != DP_NONE)
				rank->wait_ns[rank->from->calls[i].iteration] +=
					dp_job__exposed_wait(job, rank, i);
	}
}

int dp_job__iterations(struct dp_job *job)
{
	struct numbering numbering = { .job = job };
	int status = DP_OK;

	numbering.iteration = dp_alloc__zeroed(job->count + 1, sizeof(*numbering.iteration));
	numbering.known = dp_alloc__zeroed(job->count + 1, sizeof(*numbering.known));
	numbering.instances =
		dp_alloc__array(job->instance_count + 1, sizeof(*numbering.instances));
	if (!numbering.iteration || !numbering.known || !numbering.instances)
		status = DP_ERR_NOMEM;
	for (size_t r = 0; r < job->count && !status; r++) {
		size_t steps = job->ranks[r].from->step_count;

		numbering.iteration[r] = dp_alloc__array(steps + 1, sizeof(int64_t));
		if (!numbering.iteration[r])
			status = DP_ERR_NOMEM;
		for (size_t i = 0; i < steps && !status; i++)
			numbering.iteration[r][i] = UNKNOWN;
	}
	if (!status)
		status = number_all(&numbering);
	if (!status) {
		keep(&numbering);
		sum_waits(job);
	}
	for (size_t r = 0; numbering.iteration && r < job->count; r++)
		free(numbering.iteration[r]);
	free(numbering.iteration);
	free(numbering.known);
	free(numbering.instances);
	free(numbering.votes);
	return status;
}
