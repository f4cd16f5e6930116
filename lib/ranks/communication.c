/*
 * The own time of collectives, by kind, size and group; and the group that takes longer than
 * similar ones, or than before.
 */
#include "activity/collective.h"
#include "base/search.h"
#include "stats/stat.h"
#include "ranks/blame.h"
#include "ranks/job.h"

#include <math.h>
#include <string.h>

/*
 * Slow: longer than before, or than in other groups, by this factor. Message sizes and other
 * traffic of the links account for a tenth.
 */
#define SLOW 1.3

/*
 * Groups next to the slowest one are slow, too, if fewer than 1 in 200 healthy ones look like that:
 * the verdict's own bar.
 */
#define BY_CHANCE 0.005
/* Calls on each side of a change; fewer are an accident. */
enum { CALLS = 4 };
/* Fewest groups of the same kind and size for a comparison, including the one compared. */
enum { GROUPS = 3 };

/* An instance and what distinguishes rows of the table. */
struct sorted {
	uint32_t group;
	uint8_t kind;
	uint64_t bytes;
	uint32_t instance;
};

/* The row of sorted[first .. first + count). */
struct row {
	size_t first;
	size_t count;
	uint32_t members; /* of the group */
	double median_ns;
	double others_ns;  /* median of similar rows, itself included; 0: too few */
	double fastest_ns; /* of such rows */
};

struct rows {
	const struct dp_job *job;
	struct sorted *sorted;
	size_t sorted_count;
	struct row *rows;
	size_t count, room;
	double *values; /* for all instances, twice */
};

static int compare_sorted(const void *a, const void *b)
{
	const struct sorted *one = a, *two = b;

	if (one->group != two->group)
		return one->group < two->group ? -1 : 1;
	if (one->kind != two->kind)
		return one->kind < two->kind ? -1 : 1;
	if (one->bytes != two->bytes)
		return one->bytes < two->bytes ? -1 : 1;
	return one->instance < two->instance ? -1 : one->instance > two->instance;
}

static bool is_same_row(const struct sorted *a, const struct sorted *b)
{
	return a->group == b->group && a->kind == b->kind && a->bytes == b->bytes;
}

static uint32_t members_of(const struct dp_job *job, uint32_t group)
{
	const struct dp_job_group *of = &job->groups[group];

	return of->size ? of->size : (uint32_t)of->rank_count;
}

static double own_of(const struct rows *rows, size_t at)
{
	return (double)rows->job->instances[rows->sorted[at].instance].own_ns;
}

static int rows_init(struct rows *rows, const struct dp_job *job)
{
	size_t n = job->instance_count;

	*rows = (struct rows){ .job = job, .sorted_count = n };
	rows->sorted = dp_alloc__array(n + 1, sizeof(*rows->sorted));
	rows->values = dp_alloc__array(2 * n + 2, sizeof(*rows->values));
	if (!rows->sorted || !rows->values)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct dp_instance *at = &job->instances[i];

		rows->sorted[i] =
			(struct sorted){ at->group, at->kind,
					 at->kind == DP_COLLECTIVE_ALL_TO_ALL ? 0 : at->bytes,
					 (uint32_t)i };
	}
	if (n)
		qsort(rows->sorted, n, sizeof(*rows->sorted), compare_sorted);
	for (size_t i = 0, end; i < n; i = end) {
		struct row row = { .first = i };

		for (end = i; end < n && is_same_row(&rows->sorted[i], &rows->sorted[end]); end++)
			rows->values[end - i] = own_of(rows, end);
		row.count = end - i;
		row.members = members_of(job, rows->sorted[i].group);
		row.median_ns = dp_stat__median(rows->values, row.count);
		if (dp_array__reserve(&rows->rows, &rows->room, rows->count + 1, sizeof(row)))
			return DP_ERR_NOMEM;
		rows->rows[rows->count++] = row;
	}
	return DP_OK;
}

static void rows_fini(struct rows *rows)
{
	free(rows->sorted);
	free(rows->rows);
	free(rows->values);
}

static bool is_one_host(const struct dp_job *job, const struct dp_job_group *group)
{
	const char *host = job->ranks[group->ranks[0]].from->host;

	for (size_t i = 1; i < group->rank_count; i++)
		if (strcmp(job->ranks[group->ranks[i]].from->host, host) != 0)
			return false;
	return *host != '\0';
}

static int add_row(struct dp_ranks *ranks, const struct rows *rows, const struct row *row,
		   bool one_host)
{
	const struct dp_job *job = rows->job;
	const struct sorted *first = &rows->sorted[row->first];
	const struct dp_job_group *group = &job->groups[first->group];
	struct dp_ranks_collective made = {
		.kind = (enum dp_collective_kind)first->kind,
		.group = dp_ranks__text(ranks, dp_strings__get(&job->names, group->name)),
		.group_size = row->members,
		.present = group->rank_count,
		.count = row->count,
		.own_ns = row->median_ns,
		.one_host = one_host,
	};
	double waits = 0;
	size_t calls = 0;

	for (size_t i = row->first; i < row->first + row->count; i++) {
		const struct dp_instance *at = &job->instances[rows->sorted[i].instance];

		made.bytes = DP_MAX(made.bytes, at->bytes);
		for (uint32_t m = 0; m < at->count; m++) {
			const struct dp_job_member *member = &job->members[at->first + m];

			waits += (double)dp_job__wait(job, &job->ranks[member->rank], member->call);
			calls++;
		}
	}
	made.wait_ns = waits / (double)calls;
	made.algorithm_bandwidth = made.bus_bandwidth = NAN;
	if (made.bytes && row->median_ns > 0) {
		made.algorithm_bandwidth = (double)made.bytes * 1e9 / row->median_ns;
		made.bus_bandwidth = made.algorithm_bandwidth *
				     dp_collective__bus_factor(made.kind, (double)row->members);
	}
	if (!made.group || dp_array__reserve(&ranks->collectives, &ranks->collective_room,
					     ranks->collective_count + 1, sizeof(made)))
		return DP_ERR_NOMEM;
	ranks->collectives[ranks->collective_count++] = made;
	return DP_OK;
}

static int compare_collectives(const void *a, const void *b)
{
	const struct dp_ranks_collective *one = a, *two = b;
	double first = (one->own_ns + one->wait_ns) * (double)(one->count * one->present);
	double second = (two->own_ns + two->wait_ns) * (double)(two->count * two->present);

	if (first != second)
		return first > second ? -1 : 1;
	if (one->kind != two->kind)
		return one->kind < two->kind ? -1 : 1;
	if (one->bytes != two->bytes)
		return one->bytes > two->bytes ? -1 : 1;
	return strcmp(one->group, two->group);
}

int dp_ranks__collectives(struct dp_ranks *ranks, const struct dp_job *job)
{
	uint32_t last = DP_NONE;
	bool one_host = false;
	struct rows rows;
	int status = rows_init(&rows, job);

	for (size_t i = 0; i < rows.count && !status; i++) {
		uint32_t group = rows.sorted[rows.rows[i].first].group;

		if (group != last)
			one_host = is_one_host(job, &job->groups[group]);
		last = group;
		status = add_row(ranks, &rows, &rows.rows[i], one_host);
	}
	if (!status && ranks->collective_count)
		qsort(ranks->collectives, ranks->collective_count, sizeof(*ranks->collectives),
		      compare_collectives);
	rows_fini(&rows);
	return status;
}

/* The upper tail of the normal distribution. */
static double tail(double z)
{
	return 0.5 * erfc(z / sqrt(2));
}

/*
 * The probability that the later of two groups of values is this much larger by chance: Mann and
 * Whitney's test by its normal approximation.
 */
static double chance_of_rise(const double *values, size_t before, size_t count)
{
	double m = (double)before, n = (double)(count - before), above = 0;

	for (size_t i = 0; i < before; i++)
		for (size_t k = before; k < count; k++)
			above += values[k] > values[i] ? 1 : values[k] == values[i] ? 0.5 : 0;
	return tail((above - m * n / 2) / sqrt(m * n * (m + n + 1) / 12));
}

/* Calls that both sides of a change are judged by, all pairs of them. */
enum { JUDGED = 4096 };

/* The call from which on a row takes longer than before; 0 if there is none. */
static size_t rises_at(const struct rows *rows, const struct row *row, double *base_ns, double *p)
{
	size_t count = DP_MIN(row->count, JUDGED), since;
	double *values = rows->values, *room = rows->values + rows->sorted_count;
	double least, after;

	for (size_t i = 0; i < count; i++)
		room[i] = values[i] = own_of(rows, row->first + i);
	least = dp_stat__select(room, count, count / 4);
	/* one call that hangs for a second is no change */
	for (size_t i = 0; i < count; i++)
		room[i] = fmin(values[i], 4 * least) - least;
	since = dp_blame__since(room, count);
	if (since < CALLS || count - since < CALLS)
		return 0;
	memcpy(room, values, since * sizeof(*room));
	*base_ns = dp_stat__median(room, since);
	memcpy(room, values + since, (count - since) * sizeof(*room));
	after = dp_stat__median(room, count - since);
	*p = chance_of_rise(values, since, count) * (double)count;
	return after >= SLOW * *base_ns ? since : 0;
}

/* What the rows of similar groups have in common. */
struct likeness {
	uint8_t kind;
	uint32_t members;
	uint64_t bytes;
	uint32_t row;
};

static int compare_likeness(const void *a, const void *b)
{
	const struct likeness *one = a, *two = b;

	if (one->kind != two->kind)
		return one->kind < two->kind ? -1 : 1;
	if (one->members != two->members)
		return one->members < two->members ? -1 : 1;
	if (one->bytes != two->bytes)
		return one->bytes < two->bytes ? -1 : 1;
	return one->row < two->row ? -1 : one->row > two->row;
}

static bool is_like(const struct likeness *a, const struct likeness *b)
{
	return a->kind == b->kind && a->members == b->members && a->bytes == b->bytes;
}

static int find_others(struct rows *rows)
{
	struct likeness *all = dp_alloc__array(rows->count + 1, sizeof(*all));

	if (!all)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < rows->count; i++) {
		const struct sorted *first = &rows->sorted[rows->rows[i].first];

		all[i] = (struct likeness){ first->kind, rows->rows[i].members, first->bytes,
					    (uint32_t)i };
	}
	if (rows->count)
		qsort(all, rows->count, sizeof(*all), compare_likeness);
	for (size_t i = 0, end; i < rows->count; i = end) {
		double median_ns, least_ns = INFINITY;

		for (end = i; end < rows->count && is_like(&all[i], &all[end]); end++) {
			rows->values[end - i] = rows->rows[all[end].row].median_ns;
			least_ns = fmin(least_ns, rows->values[end - i]);
		}
		median_ns = end - i >= GROUPS ? dp_stat__median(rows->values, end - i) : 0;
		for (size_t k = i; k < end; k++) {
			rows->rows[all[k].row].others_ns = median_ns;
			rows->rows[all[k].row].fastest_ns = least_ns;
		}
	}
	free(all);
	return DP_OK;
}

/* The probability that this many calls of a row exceed a median: a sign test. */
static double chance_of_share(size_t above, size_t count)
{
	double n = (double)count;

	return tail(((double)above - n / 2 - 0.5) / sqrt(n / 4));
}

static int64_t iteration_of(const struct dp_job *job, const struct dp_instance *at)
{
	for (uint32_t m = 0; m < at->count; m++) {
		const struct dp_job_member *member = &job->members[at->first + m];
		const struct dp_job_rank *rank = &job->ranks[member->rank];
		uint32_t step = rank->from->calls[member->call].iteration;

		if (step != DP_NONE)
			return rank->job_iteration[step];
	}
	return 0;
}

/* The time beyond base_ns that no rank of the group overlaps with its own compute. */
static double exposed_cost(const struct dp_job *job, const struct dp_instance *at, double base_ns)
{
	double exposed = 0;

	for (uint32_t m = 0; m < at->count; m++) {
		const struct dp_job_member *member = &job->members[at->first + m];
		const struct dp_job_rank *rank = &job->ranks[member->rank];

		exposed = fmax(exposed, (double)rank->from->calls[member->call].exposed_ns -
						dp_job__exposed_wait(job, rank, member->call));
	}
	return fmax(0, fmin((double)at->own_ns - base_ns, exposed));
}

/* A row that is slow from a call on, against base_ns. */
static void add_slow(struct dp_slow_group *all, double *less_ns, const struct rows *rows,
		     const struct row *row, size_t from, double base_ns, double p)
{
	const struct dp_job *job = rows->job;
	struct dp_slow_group *slow = &all[rows->sorted[row->first].group];
	int64_t since =
		iteration_of(job, &job->instances[rows->sorted[row->first + from].instance]);

	if (!from)
		since = 0;
	slow->since = slow->cost_ns > 0 ? DP_MIN(slow->since, since) : since;
	slow->p = slow->cost_ns > 0 ? fmin(slow->p, p) : p;
	for (size_t i = from; i < row->count; i++) {
		uint32_t instance = rows->sorted[row->first + i].instance;

		slow->cost_ns += exposed_cost(job, &job->instances[instance], base_ns);
		less_ns[instance] = fmax(0, own_of(rows, row->first + i) - base_ns);
	}
}

/* Adds a row that always took longer than similar ones, which take base_ns. */
static void add_always_slow(struct dp_slow_group *all, double *less_ns, const struct rows *rows,
			    const struct row *row, double base_ns)
{
	size_t above = 0;

	if (!(base_ns > 0) || row->count < CALLS || row->median_ns < SLOW * base_ns)
		return;
	for (size_t k = row->first; k < row->first + row->count; k++)
		above += own_of(rows, k) > base_ns;
	add_slow(all, less_ns, rows, row, 0, base_ns, chance_of_share(above, row->count));
}

static void find_slow(struct dp_slow_group *all, double *less_ns, const struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->rows[i];
		double base_ns = 0, p = 1;
		size_t from = row->count >= 2 * CALLS ? rises_at(rows, row, &base_ns, &p) : 0;

		if (from)
			add_slow(all, less_ns, rows, row, from, base_ns, p);
		else
			add_always_slow(all, less_ns, rows, row, row->others_ns);
	}
}

static bool share_a_member(const struct dp_job_group *one, const struct dp_job_group *two)
{
	for (size_t i = 0; i < two->rank_count; i++) {
		size_t at;

		DP_FIND(at, 0, one->rank_count, one->ranks[at] >= two->ranks[i]);
		if (at < one->rank_count && one->ranks[at] == two->ranks[i])
			return true;
	}
	return false;
}

/*
 * Of two similar groups it is unknown which is the healthy one, unless one shares a member with a
 * slow group: a link is in all groups of its rank. `near` are the groups that do.
 */
static void find_companions(struct dp_slow_group *all, double *less_ns, const struct rows *rows,
			    const bool *near)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->rows[i];
		uint32_t group = rows->sorted[row->first].group;

		if (!(all[group].cost_ns > 0) && !(row->others_ns > 0) && near[group])
			add_always_slow(all, less_ns, rows, row, row->fastest_ns);
	}
}

/* Returns true for the slow group, or one that is slow with it. */
static bool is_of(const struct dp_slow_group *slow, uint32_t group, const struct dp_slow_group *all,
		  const struct rows *rows, const bool *near)
{
	return slow->group != DP_NONE &&
	       (group == slow->group || (near[group] && all[group].cost_ns > 0 &&
					 all[group].p * (double)rows->count < BY_CHANCE));
}

static struct dp_slow_group slowest_of(const struct dp_slow_group *all, const struct rows *rows)
{
	struct dp_slow_group slowest = { .group = DP_NONE, .p = 1 };

	for (size_t g = 0; g < rows->job->group_count; g++) {
		struct dp_slow_group slow = all[g];

		/* of many groups one is slow by chance */
		slow.p = fmin(1, slow.p * (double)rows->count);
		slow.cost_ns /= fmax((double)rows->job->iterations - (double)slow.since, 1);
		slow.group = (uint32_t)g;
		if (slow.cost_ns > slowest.cost_ns)
			slowest = slow;
	}
	return slowest;
}

int dp_job__slow_group(struct dp_slow_group *slow, double *less_ns, const struct dp_job *job)
{
	struct dp_slow_group *all = dp_alloc__zeroed(job->group_count + 1, sizeof(*all));
	bool *near = dp_alloc__zeroed(job->group_count + 1, sizeof(*near));
	struct rows rows;
	int status = rows_init(&rows, job);

	if (!all || !near)
		status = DP_ERR_NOMEM;
	if (!status)
		status = find_others(&rows);
	if (!status) {
		find_slow(all, less_ns, &rows);
		*slow = slowest_of(all, &rows);
		for (size_t g = 0; g < job->group_count && slow->group != DP_NONE; g++)
			near[g] = share_a_member(&job->groups[slow->group], &job->groups[g]);
		find_companions(all, less_ns, &rows, near);
	}
	for (size_t i = 0; i < job->instance_count && !status; i++)
		if (!is_of(slow, job->instances[i].group, all, &rows, near))
			less_ns[i] = 0;
	free(all);
	free(near);
	rows_fini(&rows);
	return status;
}
