/* Ranks of the job that have no trace. Cost: linear in the members of groups. */
#include "base/search.h"
#include "ranks/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ranks that a verdict names; if there are more, it only mentions them. */
enum { NAMED_MOST = 8 };

static int compare_numbers(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, two = *(const int64_t *)b;

	return one < two ? -1 : one > two;
}

/* Each number has a digit and a comma. */
int64_t *dp_job__listed(size_t *count, const char *name)
{
	const char *at = strrchr(name, '[');
	int64_t *numbers = dp_alloc__array((at ? strlen(at) : 0) / 2 + 1, sizeof(*numbers));

	*count = 0;
	while (numbers && at && *at && *at != ']') {
		char *end;
		int64_t value = strtoll(++at, &end, 10);

		if (end == at)
			break;
		numbers[(*count)++] = value;
		for (at = end; *at == ' '; at++)
			;
		if (*at != ',')
			break;
	}
	return numbers;
}

/* Appends the ranks that groups list, each as often as it is listed. */
static int gather_listed(int64_t **all, size_t *count, const struct dp_job *job)
{
	size_t room = 0, more;
	int status = DP_OK;

	for (size_t g = 0; g < job->group_count && !status; g++) {
		const char *name = dp_strings__get(&job->names, job->groups[g].name);
		int64_t *listed = job->groups[g].pair ? NULL : dp_job__listed(&more, name);

		if (job->groups[g].pair)
			continue;
		if (!listed || dp_array__reserve(all, &room, *count + more, sizeof(**all)))
			status = DP_ERR_NOMEM;
		else if (more)
			memcpy(*all + *count, listed, more * sizeof(**all));
		*count += status ? 0 : more;
		free(listed);
	}
	return status;
}

/* Counts the ranks that groups list and no file has. */
static int listed_ranks(size_t *absent, const struct dp_job *job)
{
	size_t count = 0, next = 0;
	int64_t *numbers = NULL;
	int status = gather_listed(&numbers, &count, job);

	if (count)
		qsort(numbers, count, sizeof(*numbers), compare_numbers);
	*absent = 0;
	for (size_t i = 0; i < count; i++) {
		if (i && numbers[i] == numbers[i - 1])
			continue;
		while (next < job->count && job->ranks[next].rank < numbers[i])
			next++;
		*absent += next == job->count || job->ranks[next].rank != numbers[i];
	}
	free(numbers);
	return status;
}

/*
 * Returns true if the ranks' numbers are those of the groups; numbers by the order of files need
 * not be.
 */
static bool has_own_numbers(const struct dp_job *job)
{
	for (size_t r = 0; r < job->count; r++)
		if (job->ranks[r].rank_from == DP_RANK_FROM_ORDER)
			return false;
	return true;
}

/* The same or, without lists, the number of members of the largest group without a file. */
int dp_job__count_absent(size_t *absent, const struct dp_job *job)
{
	size_t most = 0;
	int status = listed_ranks(absent, job);

	for (size_t g = 0; g < job->group_count; g++)
		most = DP_MAX(most, job->groups[g].size);
	*absent = DP_MAX(*absent, most > job->count ? most - job->count : 0);
	if (!has_own_numbers(job))
		*absent = most > job->count ? most - job->count : 0;
	return status;
}

static bool has_member(const struct dp_job_group *group, size_t r)
{
	size_t at;

	DP_FIND(at, 0, group->rank_count, group->ranks[at] >= r);
	return at < group->rank_count && group->ranks[at] == r;
}

static bool has_trace(const struct dp_job *job, int64_t number)
{
	size_t at;

	DP_FIND(at, 0, job->count, job->ranks[at].rank >= number);
	return at < job->count && job->ranks[at].rank == number;
}

bool dp_job__meets_absent(const struct dp_job *job, const struct dp_job_group *group, size_t r)
{
	/* a member that meets all ranks makes all of them late, rather than one */
	return group->size > group->rank_count && group->rank_count < job->count &&
	       has_member(group, r);
}

/*
 * Appends the group's absent members that are not among found[0 .. count) yet; returns the new
 * count.
 */
static size_t add_absent(int64_t *found, size_t count, const struct dp_job *job,
			 const int64_t *numbers, size_t number_count)
{
	for (size_t i = 0; i < number_count && count <= NAMED_MOST; i++) {
		bool is_new = !has_trace(job, numbers[i]);

		for (size_t k = 0; k < count; k++)
			is_new &= found[k] != numbers[i];
		if (is_new)
			found[count++] = numbers[i];
	}
	return count;
}

int dp_job__name_absent(char *text, size_t size, const struct dp_job *job, size_t r)
{
	int64_t found[NAMED_MOST + 1];
	size_t count = 0, used = 0;

	*text = '\0';
	for (size_t g = 0; g < job->group_count && has_own_numbers(job); g++) {
		const struct dp_job_group *group = &job->groups[g];
		const char *name = dp_strings__get(&job->names, group->name);
		int64_t *numbers;
		size_t listed;

		if (group->pair || !dp_job__meets_absent(job, group, r))
			continue;
		numbers = dp_job__listed(&listed, name);
		if (!numbers)
			return DP_ERR_NOMEM;
		count = add_absent(found, count, job, numbers, listed);
		free(numbers);
	}
	for (size_t i = 0; i < count && count <= NAMED_MOST && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, i ? ", %lld" : "%lld",
					 (long long)found[i]);
	return DP_OK;
}

static int compare_usual(const void *a, const void *b)
{
	const struct dp_usual *one = a, *two = b;

	if (one->kind != two->kind)
		return one->kind < two->kind ? -1 : 1;
	if (one->size != two->size)
		return one->size < two->size ? -1 : 1;
	return one->bytes < two->bytes ? -1 : one->bytes > two->bytes;
}

static int compare_times(const void *a, const void *b)
{
	const struct dp_usual *one = a, *two = b;
	int order = compare_usual(a, b);

	return order ? order : one->own_ns < two->own_ns ? -1 : one->own_ns > two->own_ns;
}

int dp_job__find_usual(struct dp_job *job)
{
	size_t count = 0, kept = 0;

	job->usual = dp_alloc__array(job->instance_count + 1, sizeof(*job->usual));
	if (!job->usual)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < job->instance_count; i++) {
		const struct dp_instance *at = &job->instances[i];

		if (at->count == job->groups[at->group].size)
			job->usual[count++] =
				(struct dp_usual){ at->bytes, at->own_ns, at->count, at->kind };
	}
	if (count)
		qsort(job->usual, count, sizeof(*job->usual), compare_times);
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first;
		     end < count && !compare_usual(&job->usual[first], &job->usual[end]); end++)
			;
		job->usual[kept++] = job->usual[first + (end - first) / 2];
	}
	job->usual_count = kept;
	return DP_OK;
}

int64_t dp_job__usual(const struct dp_job *job, const struct dp_job_group *group, uint8_t kind,
		      uint64_t bytes, int64_t took_ns)
{
	struct dp_usual key = { bytes, 0, group->size, kind };
	const struct dp_usual *found =
		job->usual_count
			? bsearch(&key, job->usual, job->usual_count, sizeof(key), compare_usual)
			: NULL;

	return found ? DP_MIN(found->own_ns, took_ns) : took_ns;
}

/* A member's end on the clock that it shares with others. */
static int64_t end_of(const struct dp_job *job, const struct dp_job_member *member)
{
	return dp_clock__to_anchor(&job->clocks[member->rank],
				   job->ranks[member->rank].from->calls[member->call].end_ns);
}

/*
 * Returns true for a send or receive of which nothing is recorded, not even a group. NCCL runs
 * all-to-alls as the same kernel: then what it is matched with ends at the same time.
 */
static bool is_blind(const struct dp_job *job, uint32_t r, uint32_t i)
{
	const struct dp_rank_summary *from = job->ranks[r].from;
	const struct dp_call_summary *call = &from->calls[i];
	uint32_t instance = job->ranks[r].instances[i];
	const struct dp_instance *at;
	struct dp_job_member self = { r, i };

	if (call->kind != DP_COLLECTIVE_SEND_RECEIVE || call->peer >= 0 ||
	    from->groups[call->group].size)
		return false;
	if (instance == DP_NONE)
		return true;
	at = &job->instances[instance];
	return (double)llabs(end_of(job, &self) - end_of(job, &job->members[at->first])) >
	       (double)at->own_ns + job->clocks[r].resolution_ns;
}

bool dp_job__has_blind_sends(const struct dp_job *job, double least_ns, size_t collectives)
{
	for (uint32_t r = 0; r < job->count; r++) {
		const struct dp_rank_summary *from = job->ranks[r].from;
		size_t count = from->step_count ? from->step_count : collectives;
		double sum = 0;

		for (uint32_t i = 0; i < from->call_count; i++)
			if (is_blind(job, r, i))
				sum += (double)from->calls[i].exposed_ns;
		if (sum > 0 && sum >= least_ns * (double)count)
			return true;
	}
	return false;
}
