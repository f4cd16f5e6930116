/*
 * Matches process groups and the calls of their members, and fits the clocks that follow. Groups
 * whose calls synchronize are matched first: their clocks show which calls of the others belong
 * together.
 */
#include "base/sort.h"
#include "ranks/job.h"
#include "ranks/match.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * Calls of a group that clocks are fitted to, evenly chosen: four times as many are no better
 * (offsets of 143 simulated jobs: .85 against .66 µs off, at worst 3.2 against 3.1).
 */
enum { ANCHORS = 64 };

/* A rank's calls in one group, in order of end: calls[first .. first + count). */
struct segment {
	uint32_t group;
	uint32_t rank;
	size_t first;
	size_t count;
};

struct matcher {
	struct dp_job *job;
	uint32_t **calls; /* per rank: its calls in order of group, then end */
	struct segment *segments;
	size_t count, room;
};

/* The number at an index of the list in a group's name ("0 [4, 5, 6, 7]"); -1 if there is none. */
static int64_t listed(const char *name, int64_t index)
{
	const char *at = strrchr(name, '[');

	if (!at || strstr(at, "..."))
		return -1;
	for (at++; *at && *at != ']'; index--) {
		char *end;
		int64_t value = strtoll(at, &end, 10);

		if (end == at)
			return -1;
		if (!index)
			return value;
		for (at = end; *at == ',' || *at == ' '; at++)
			;
	}
	return -1;
}

/* The rank at the other end of a call of two; -1 if unknown. */
static int64_t peer_of(const struct dp_rank_summary *from, const struct dp_call_summary *call)
{
	const char *name = from->groups[call->group].name;
	int64_t rank = call->peer < 0 ? -1 : listed(name, call->peer);

	return rank >= 0 ? rank : call->peer;
}

static uint32_t find_group(struct dp_job *job, const char *name, uint32_t size, bool pair)
{
	uint32_t id = dp_strings__intern(&job->names, name, strlen(name));

	if (id == DP_NONE || id < job->group_count)
		return id;
	if (dp_array__reserve(&job->groups, &job->group_room, job->group_count + 1,
			      sizeof(*job->groups)))
		return DP_NONE;
	job->groups[job->group_count++] =
		(struct dp_job_group){ .name = id, .size = size, .pair = pair };
	return id;
}

/*
 * The job's group of a call: its process group or, for a send or receive, the pair of ranks. Each
 * direction has its own order.
 */
static uint32_t group_of(struct dp_job *job, const struct dp_job_rank *rank,
			 const struct dp_call_summary *call)
{
	const struct dp_group_summary *group = &rank->from->groups[call->group];
	bool in_group = call->self >= 0 && call->peer >= 0;
	int64_t self = in_group ? call->self : rank->rank;
	int64_t peer = in_group ? call->peer : peer_of(rank->from, call);
	char text[4096];

	if (call->kind != DP_COLLECTIVE_SEND_RECEIVE || peer < 0)
		return find_group(job, group->name, group->size,
				  call->kind == DP_COLLECTIVE_SEND_RECEIVE && group->size == 2);
	snprintf(text, sizeof(text), "%lld to %lld of %.4000s",
		 (long long)(call->sends ? self : peer), (long long)(call->sends ? peer : self),
		 group->name);
	return find_group(job, text, 2, true);
}

static int add_rank(struct dp_job_group *group, uint32_t rank)
{
	if (group->rank_count && group->ranks[group->rank_count - 1] == rank)
		return DP_OK;
	if (dp_array__reserve(&group->ranks, &group->rank_room, group->rank_count + 1,
			      sizeof(*group->ranks)))
		return DP_ERR_NOMEM;
	group->ranks[group->rank_count++] = rank;
	return DP_OK;
}

static int name_groups(struct dp_job *job)
{
	for (uint32_t r = 0; r < job->count; r++) {
		struct dp_job_rank *rank = &job->ranks[r];

		for (size_t i = 0; i < rank->from->call_count; i++) {
			const struct dp_call_summary *call = &rank->from->calls[i];
			uint32_t id = group_of(job, rank, call);

			if (id == DP_NONE || add_rank(&job->groups[id], r))
				return DP_ERR_NOMEM;
			rank->groups[i] = id;
			job->groups[id].synchronizes |= dp_collective__synchronizes(call->kind);
			job->groups[id].sends |= call->kind == DP_COLLECTIVE_SEND_RECEIVE;
			rank->instances[i] = DP_NONE;
		}
	}
	return DP_OK;
}

/* Sorts a rank's calls by group, by counting: those of a group stay in order of end. */
static int sort_calls(struct matcher *matcher, uint32_t r)
{
	struct dp_job *job = matcher->job;
	const struct dp_job_rank *rank = &job->ranks[r];
	size_t count = rank->from->call_count;
	size_t *first = dp_alloc__zeroed(job->group_count + 1, sizeof(*first));
	int status = DP_OK;

	matcher->calls[r] = dp_alloc__array(count + 1, sizeof(**matcher->calls));
	if (!first || !matcher->calls[r]) {
		free(first);
		return DP_ERR_NOMEM;
	}
	for (size_t i = 0; i < count; i++)
		first[rank->groups[i] + 1]++;
	for (size_t g = 0; g < job->group_count && !status; g++) {
		size_t of = first[g + 1];

		first[g + 1] += first[g];
		if (!of)
			continue;
		status = dp_array__reserve(&matcher->segments, &matcher->room, matcher->count + 1,
					   sizeof(*matcher->segments));
		if (!status)
			matcher->segments[matcher->count++] =
				(struct segment){ (uint32_t)g, r, first[g], of };
	}
	for (size_t i = 0; i < count && !status; i++)
		matcher->calls[r][first[rank->groups[i]]++] = (uint32_t)i;
	free(first);
	return status;
}

static int compare_segments(const void *a, const void *b)
{
	const struct segment *one = a, *two = b;

	if (one->group != two->group)
		return one->group < two->group ? -1 : 1;
	return one->rank < two->rank ? -1 : one->rank > two->rank;
}

/* The content of a call. In all-to-alls each rank has its own size, which does not count. */
static uint64_t symbol_of(const struct dp_call_summary *call)
{
	return (call->kind == DP_COLLECTIVE_ALL_TO_ALL ? 0 : call->bytes) * DP_COLLECTIVE_KINDS +
	       call->kind;
}

/* Each rank numbers its sends and receives separately, so their numbers match nothing. */
static int64_t sequence_of(const struct dp_call_summary *call)
{
	return call->kind == DP_COLLECTIVE_SEND_RECEIVE ? -1 : call->sequence;
}

static void fill_calls(struct dp_match_call *out, const struct matcher *matcher,
		       const struct segment *segment)
{
	const struct dp_job_rank *rank = &matcher->job->ranks[segment->rank];

	for (size_t i = 0; i < segment->count; i++) {
		const struct dp_call_summary *call =
			&rank->from->calls[matcher->calls[segment->rank][segment->first + i]];

		out[i] = (struct dp_match_call){ symbol_of(call), call->end_ns, sequence_of(call) };
	}
}

/* What is known of a member's clock relative to the reference's. */
static struct dp_match_clock clock_between(const struct dp_job *job, uint32_t reference,
					   uint32_t rank)
{
	const struct dp_rank_clock *a = &job->clocks[reference], *b = &job->clocks[rank];

	if (!a->known || !b->known || a->anchor != b->anchor)
		return (struct dp_match_clock){ false, 0 };
	return (struct dp_match_clock){ true, (int64_t)llround(b->offset_ns - a->offset_ns) };
}

static int add_instance(struct matcher *matcher, const struct segment *segments, size_t count,
			size_t reference, size_t index, uint32_t *const *partners)
{
	struct dp_job *job = matcher->job;
	struct dp_instance made = { .first = job->member_count,
				    .group = segments->group,
				    .last = DP_NONE };
	const struct segment *from = &segments[reference];

	if (dp_array__reserve(&job->members, &job->member_room, job->member_count + count,
			      sizeof(*job->members)) ||
	    dp_array__reserve(&job->instances, &job->instance_room, job->instance_count + 1,
			      sizeof(made)))
		return DP_ERR_NOMEM;
	for (size_t s = 0; s < count; s++) {
		uint32_t at = s == reference ? (uint32_t)index : partners[s][index];
		uint32_t call;

		if (at == DP_NONE)
			continue;
		call = matcher->calls[segments[s].rank][segments[s].first + at];
		job->members[made.first + made.count++] =
			(struct dp_job_member){ segments[s].rank, call };
	}
	if (made.count < 2)
		return DP_OK;
	made.kind = job->ranks[from->rank]
			    .from->calls[matcher->calls[from->rank][from->first + index]]
			    .kind;
	for (uint32_t m = 0; m < made.count; m++) {
		const struct dp_job_member *member = &job->members[made.first + m];
		struct dp_job_rank *rank = &job->ranks[member->rank];

		rank->instances[member->call] = (uint32_t)job->instance_count;
		made.bytes = DP_MAX(made.bytes, rank->from->calls[member->call].bytes);
	}
	job->member_count += made.count;
	job->instances[job->instance_count++] = made;
	return DP_OK;
}

/* Matches all members' calls against those of the member that has most. */
static int match_group(struct matcher *matcher, const struct segment *segments, size_t count)
{
	struct dp_match_call *a, *b;
	uint32_t **partners;
	size_t reference = 0;
	int status = DP_ERR_NOMEM;

	for (size_t s = 1; s < count; s++)
		if (segments[s].count > segments[reference].count)
			reference = s;
	a = dp_alloc__array(segments[reference].count + 1, sizeof(*a));
	b = dp_alloc__array(segments[reference].count + 1, sizeof(*b));
	partners = dp_alloc__zeroed(count, sizeof(*partners));
	if (!a || !b || !partners)
		goto out;
	fill_calls(a, matcher, &segments[reference]);
	for (size_t s = 0; s < count; s++) {
		struct dp_match_clock clock =
			clock_between(matcher->job, segments[reference].rank, segments[s].rank);

		if (s == reference)
			continue;
		partners[s] = dp_alloc__array(segments[reference].count + 1, sizeof(**partners));
		if (!partners[s])
			goto out;
		fill_calls(b, matcher, &segments[s]);
		if (dp_match__run(partners[s], a, segments[reference].count, b, segments[s].count,
				  &clock))
			goto out;
	}
	status = DP_OK;
	for (size_t i = 0; i < segments[reference].count && !status; i++)
		status = add_instance(matcher, segments, count, reference, i, partners);
out:
	for (size_t s = 0; partners && s < count; s++)
		free(partners[s]);
	free(partners);
	free(a);
	free(b);
	return status;
}

static int match_groups(struct matcher *matcher, bool synchronizing)
{
	const struct dp_job *job = matcher->job;
	int status = DP_OK;

	for (size_t i = 0, end; i < matcher->count && !status; i = end) {
		uint32_t group = matcher->segments[i].group;

		for (end = i; end < matcher->count && matcher->segments[end].group == group; end++)
			;
		if (end - i > 1 && job->groups[group].synchronizes == synchronizing)
			status = match_group(matcher, matcher->segments + i, end - i);
	}
	return status;
}

/* An instance that clocks are fitted to. */
struct anchor {
	uint32_t instance;
	int64_t time_ns; /* by its first member's clock, for sorting */
};

static int compare_anchors(const void *a, const void *b)
{
	const struct anchor *one = a, *two = b;

	if (one->time_ns != two->time_ns)
		return one->time_ns < two->time_ns ? -1 : 1;
	return one->instance < two->instance ? -1 : one->instance > two->instance;
}

static size_t choose_anchors(struct anchor *anchors, const struct dp_job *job, bool pairs)
{
	size_t count = 0;

	for (size_t i = 0, end; i < job->instance_count; i = end) {
		size_t step;

		for (end = i; end < job->instance_count &&
			      job->instances[end].group == job->instances[i].group;
		     end++)
			;
		step = (end - i + ANCHORS - 1) / ANCHORS;
		for (size_t k = i; k < end; k += step) {
			const struct dp_instance *at = &job->instances[k];
			const struct dp_job_member *member = &job->members[at->first];

			if (!dp_collective__synchronizes(at->kind) &&
			    !(pairs && at->kind == DP_COLLECTIVE_SEND_RECEIVE))
				continue;
			anchors[count++] = (struct anchor){
				(uint32_t)k,
				job->ranks[member->rank].from->calls[member->call].end_ns
			};
		}
	}
	if (count)
		qsort(anchors, count, sizeof(*anchors), compare_anchors);
	return count;
}

static int fit_clocks(struct dp_job *job, bool pairs)
{
	struct anchor *anchors = dp_alloc__array(job->instance_count + 1, sizeof(*anchors));
	struct dp_clock_sight *sights = NULL;
	size_t count, used = 0, all = 0;
	int status = DP_ERR_NOMEM;

	if (!anchors)
		return status;
	count = choose_anchors(anchors, job, pairs);
	for (size_t i = 0; i < count; i++)
		all += job->instances[anchors[i].instance].count;
	sights = dp_alloc__array(all + 1, sizeof(*sights));
	if (!sights)
		goto out;
	for (size_t i = 0; i < count; i++) {
		const struct dp_instance *at = &job->instances[anchors[i].instance];

		for (uint32_t m = 0; m < at->count; m++) {
			const struct dp_job_member *member = &job->members[at->first + m];

			sights[used++] = (struct dp_clock_sight){
				(uint32_t)i, member->rank,
				job->ranks[member->rank].from->calls[member->call].end_ns
			};
		}
	}
	status = dp_clock__fit(job->clocks, job->count, sights, used);
out:
	free(anchors);
	free(sights);
	return status;
}

/* Returns true if collectives connect all ranks that have any; otherwise sends and receives may. */
static bool is_connected(const struct dp_job *job)
{
	uint32_t anchor = DP_NONE;

	for (size_t r = 0; r < job->count; r++) {
		if (!job->ranks[r].from->call_count)
			continue;
		if (!job->clocks[r].known || (anchor != DP_NONE && job->clocks[r].anchor != anchor))
			return false;
		anchor = job->clocks[r].anchor;
	}
	return true;
}

static int64_t duration(const struct dp_job *job, const struct dp_job_member *member)
{
	const struct dp_call_summary *call = &job->ranks[member->rank].from->calls[member->call];

	return call->end_ns - call->start_ns;
}

/* Finds who waited for whom: the member with the shortest call came last. */
static void find_waits(struct dp_job *job)
{
	for (size_t i = 0; i < job->instance_count; i++) {
		struct dp_instance *at = &job->instances[i];
		const struct dp_job_member *members = &job->members[at->first];
		int64_t least = INT64_MAX, next = INT64_MAX;
		double resolution = 0;

		for (uint32_t m = 0; m < at->count; m++) {
			int64_t took = duration(job, &members[m]);

			resolution = fmax(resolution, job->clocks[members[m].rank].resolution_ns);
			if (took < least) {
				next = least;
				least = took;
				at->last = members[m].rank;
			} else if (took < next) {
				next = took;
			}
		}
		at->own_ns = least;
		if (!dp_collective__synchronizes(at->kind) || next == least ||
		    (double)(next - least) < resolution)
			at->last = DP_NONE;
	}
}

/* Of calls that a member's trace lacks. */
static void find_waits_for_absent(struct dp_job *job)
{
	for (size_t i = 0; i < job->instance_count; i++) {
		struct dp_instance *at = &job->instances[i];
		const struct dp_job_group *group = &job->groups[at->group];

		if (at->count < group->size)
			at->own_ns = dp_job__usual(job, group, at->kind, at->bytes, at->own_ns);
	}
}

int dp_job__match(struct dp_job *job)
{
	struct matcher matcher = { .job = job };
	int status = name_groups(job);

	matcher.calls = dp_alloc__zeroed(job->count + 1, sizeof(*matcher.calls));
	if (!matcher.calls)
		status = DP_ERR_NOMEM;
	for (uint32_t r = 0; r < job->count && !status; r++)
		status = sort_calls(&matcher, r);
	if (!status && matcher.count)
		qsort(matcher.segments, matcher.count, sizeof(*matcher.segments), compare_segments);
	if (!status)
		status = match_groups(&matcher, true);
	if (!status && !job->untimed)
		status = fit_clocks(job, false);
	if (!status)
		status = match_groups(&matcher, false);
	if (!status && !job->untimed && !is_connected(job))
		status = fit_clocks(job, true);
	if (!status)
		find_waits(job);
	if (!status)
		status = dp_job__find_usual(job);
	if (!status)
		find_waits_for_absent(job);
	for (size_t r = 0; matcher.calls && r < job->count; r++)
		free(matcher.calls[r]);
	free(matcher.calls);
	free(matcher.segments);
	return status;
}

int64_t dp_job__wait(const struct dp_job *job, const struct dp_job_rank *rank, size_t call)
{
	const struct dp_call_summary *of = &rank->from->calls[call];
	uint32_t instance = rank->instances[call];

	int64_t took_ns = of->end_ns - of->start_ns;

	return took_ns - (instance == DP_NONE ? dp_job__usual(job, &job->groups[rank->groups[call]],
							      of->kind, of->bytes, took_ns)
					      : job->instances[instance].own_ns);
}

double dp_job__exposed_wait(const struct dp_job *job, const struct dp_job_rank *rank, size_t call)
{
	return (double)DP_MIN(dp_job__wait(job, rank, call), rank->from->calls[call].exposed_ns);
}

double dp_job__own(const struct dp_job_rank *rank, size_t step)
{
	return fmax(0, rank->from->steps[step].period_ns - rank->wait_ns[step]);
}
