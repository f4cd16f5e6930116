/*
 * Ranks that cannot be of the job that most are of: recorded at another time, or members of a
 * process group that is complete without them.
 */
#include "ranks/job.h"

#include <stdlib.h>
#include <string.h>

/*
 * Ranks of a job are recorded at the same time, up to the error of their hosts' clocks: MUNGE, which
 * authenticates Slurm's jobs, does not work with clocks that differ by more than 5 minutes.
 */
#define APART_NS (10 * 60 * INT64_C(1000000000))

/* When a rank's collectives run. */
struct span {
	bool is_epoch;
	int64_t start_ns, end_ns;
	size_t rank;
};

static int compare_spans(const void *a, const void *b)
{
	const struct span *one = a, *two = b;

	if (one->is_epoch != two->is_epoch)
		return one->is_epoch < two->is_epoch ? -1 : 1;
	if (one->start_ns != two->start_ns)
		return one->start_ns < two->start_ns ? -1 : 1;
	return one->rank < two->rank ? -1 : one->rank > two->rank;
}

/* Spans of one time; clocks that do not count from 1970 cannot be compared. */
struct meeting {
	size_t first, end;
	size_t least_rank;
};

static struct meeting next_meeting(const struct span *spans, size_t count, size_t first)
{
	struct meeting meeting = { first, first + 1, spans[first].rank };
	int64_t end_ns = spans[first].end_ns;

	for (; meeting.end < count; meeting.end++) {
		const struct span *at = &spans[meeting.end];

		if (at->is_epoch != spans[first].is_epoch ||
		    (at->is_epoch && dp_sum__i64(at->start_ns, -APART_NS) > end_ns))
			break;
		end_ns = DP_MAX(end_ns, at->end_ns);
		meeting.least_rank = DP_MIN(meeting.least_rank, at->rank);
	}
	return meeting;
}

static bool is_larger(const struct meeting *a, const struct meeting *b)
{
	size_t one = a->end - a->first, two = b->end - b->first;

	return one != two ? one > two : a->least_rank < b->least_rank;
}

int dp_ranks__find_apart(enum dp_apart *apart, const struct dp_rank_summary *const *ranks,
			 size_t rank_count)
{
	struct span *spans = dp_alloc__array(rank_count + 1, sizeof(*spans));
	struct meeting best = { 0, 0, 0 }, at;
	size_t count = 0;

	if (!spans)
		return DP_ERR_NOMEM;
	for (size_t r = 0; r < rank_count; r++) {
		const struct dp_rank_summary *from = ranks[r];

		apart[r] = DP_APART_NOT;
		if (!from->call_count || from->untimed)
			continue;
		spans[count++] = (struct span){
			from->is_epoch, dp_sum__i64(from->t0_ns, from->calls[0].start_ns),
			dp_sum__i64(from->t0_ns, from->calls[from->call_count - 1].end_ns), r
		};
	}
	if (count)
		qsort(spans, count, sizeof(*spans), compare_spans);
	for (size_t i = 0; i < count; i = at.end) {
		at = next_meeting(spans, count, i);
		if (is_larger(&at, &best))
			best = at;
	}
	/* without a majority it cannot be decided which belong to another job */
	for (size_t i = 0; i < count && (best.end - best.first) * 2 > count; i++)
		if (i < best.first || i >= best.end)
			apart[spans[i].rank] = spans[i].is_epoch != spans[best.first].is_epoch
						       ? DP_APART_CLOCK
					       : i < best.first ? DP_APART_BEFORE
								: DP_APART_AFTER;
	free(spans);
	return DP_OK;
}

/* Returns true if a group's name lists all of its members. */
static int lists_all(bool *all, const struct dp_job *job, const struct dp_job_group *group)
{
	size_t listed;
	int64_t *numbers = dp_job__listed(&listed, dp_strings__get(&job->names, group->name));

	*all = numbers && listed == group->size;
	free(numbers);
	return numbers ? DP_OK : DP_ERR_NOMEM;
}

int dp_job__find_surplus(uint32_t *surplus, const struct dp_job *job)
{
	int status = DP_OK;

	for (size_t r = 0; r < job->count; r++)
		surplus[r] = DP_NONE;
	for (size_t g = 0; g < job->group_count && !status; g++) {
		const struct dp_job_group *group = &job->groups[g];
		size_t left = 0;
		bool all;

		if (group->pair || !group->size || group->rank_count <= group->size)
			continue;
		status = lists_all(&all, job, group);
		for (size_t i = 0; i < group->rank_count; i++)
			left += surplus[group->ranks[i]] == DP_NONE;
		for (size_t i = group->rank_count; all && i-- > 0 && left > group->size;) {
			uint32_t r = group->ranks[i];

			if (surplus[r] != DP_NONE ||
			    job->ranks[r].rank_from != DP_RANK_FROM_ORDER)
				continue;
			surplus[r] = (uint32_t)g;
			left--;
		}
	}
	return status;
}
