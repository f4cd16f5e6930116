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
#include <zlib.h>

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

/* A group may have a pair for each two calls, each with its name: longer ones are shortened. */
enum { PAIR_NAME_MOST = 200 };

/* A process group as calls of a rank refer to it; names may be long, and are read once. */
struct process_group {
	uint32_t id;	 /* of its collectives, in the job; DP_NONE: not yet known */
	int64_t *listed; /* NULL: not yet known. What its sends and receives need: */
	size_t listed_count;
	char name[PAIR_NAME_MOST + 16];
};

static int read_name(struct process_group *group, const char *name)
{
	size_t length = strlen(name);

	snprintf(group->name, sizeof(group->name), "%.*s", PAIR_NAME_MOST, name);
	if (length > PAIR_NAME_MOST)
		snprintf(group->name + PAIR_NAME_MOST, sizeof(group->name) - PAIR_NAME_MOST,
			 "... %08lx", (unsigned long)crc32_z(0, (const Bytef *)name, length));
	group->listed = dp_job__listed(&group->listed_count, name);
	return group->listed ? DP_OK : DP_ERR_NOMEM;
}

/* The pair of ranks of a send or receive. Each direction has its own order. */
static uint32_t find_pair(struct dp_job *job, const struct dp_job_rank *rank,
			  const struct process_group *group, const struct dp_call_summary *call)
{
	int64_t self = rank->rank, peer = call->peer;
	char text[sizeof(group->name) + 80];

	if (call->self >= 0)
		self = call->self;
	else if ((size_t)peer < group->listed_count && group->listed[peer] >= 0)
		peer = group->listed[peer];
	snprintf(text, sizeof(text), "%lld to %lld of %s", (long long)(call->sends ? self : peer),
		 (long long)(call->sends ? peer : self), group->name);
	return find_group(job, text, 2, true);
}

/* The job's group of a call; DP_NONE if memory runs out. */
static uint32_t group_of(struct dp_job *job, const struct dp_job_rank *rank,
			 struct process_group *group, const struct dp_call_summary *call)
{
	const struct dp_group_summary *from = &rank->from->groups[call->group];
	bool sends = call->kind == DP_COLLECTIVE_SEND_RECEIVE;

	if (!sends || call->peer < 0) {
		if (group->id == DP_NONE)
			group->id =
				find_group(job, from->name, from->size, sends && from->size == 2);
		return group->id;
	}
	if (!group->listed && read_name(group, from->name))
		return DP_NONE;
	return find_pair(job, rank, group, call);
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

static int name_calls(struct dp_job *job, uint32_t r, struct process_group *groups)
{
	struct dp_job_rank *rank = &job->ranks[r];

	for (size_t i = 0; i < rank->from->call_count; i++) {
		const struct dp_call_summary *call = &rank->from->calls[i];
		uint32_t id = group_of(job, rank, &groups[call->group], call);

		if (id == DP_NONE || add_rank(&job->groups[id], r))
			return DP_ERR_NOMEM;
		rank->groups[i] = id;
		job->groups[id].synchronizes |= dp_collective__synchronizes(call->kind);
		job->groups[id].sends |= call->kind == DP_COLLECTIVE_SEND_RECEIVE;
		rank->instances[i] = DP_NONE;
	}
	return DP_OK;
}

static int name_groups(struct dp_job *job)
{
	int status = DP_OK;

	for (uint32_t r = 0; r < job->count && !status; r++) {
		size_t count = job->ranks[r].from->group_count;
		struct process_group *groups = dp_alloc__zeroed(count + 1, sizeof(*groups));

		for (size_t g = 0; groups && g < count; g++)
			groups[g].id = DP_NONE;
		status = groups ? name_calls(job, r, groups) : DP_ERR_NOMEM;
		for (size_t g = 0; groups && g < count; g++)
			free(groups[g].listed);
		free(groups);
	}
	return status;
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
	return (struct dp_match_clock){ true, dp_clock__round(b->offset_ns - a->offset_ns) };
}

/* A call that belongs to an instance: there may be one for each call of a reference. */
struct pair {
	uint32_t instance;
	uint32_t rank;
	uint32_t call; /* of the rank */
};

struct pairs {
	struct pair *list; /* in order of rank */
	size_t count, room;
};

static int add_instance(struct dp_job *job, uint32_t group, const struct pair *pairs, size_t count)
{
	struct dp_instance made = {
		.first = job->member_count,
		.count = (uint32_t)count,
		.group = group,
		.last = DP_NONE,
		.kind = job->ranks[pairs->rank].from->calls[pairs->call].kind,
	};

	if (dp_array__reserve(&job->members, &job->member_room, job->member_count + count,
			      sizeof(*job->members)) ||
	    dp_array__reserve(&job->instances, &job->instance_room, job->instance_count + 1,
			      sizeof(made)))
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		struct dp_job_rank *rank = &job->ranks[pairs[i].rank];

		job->members[job->member_count++] =
			(struct dp_job_member){ pairs[i].rank, pairs[i].call };
		rank->instances[pairs[i].call] = (uint32_t)job->instance_count;
		made.bytes = DP_MAX(made.bytes, rank->from->calls[pairs[i].call].bytes);
	}
	job->instances[job->instance_count++] = made;
	return DP_OK;
}

/* Makes instances of the pairs, in order of the reference's calls. */
static int add_instances(struct dp_job *job, uint32_t group, const struct pairs *pairs,
			 size_t calls)
{
	size_t *first = dp_alloc__zeroed(calls + 1, sizeof(*first)), at = 0;
	struct pair *sorted = dp_alloc__array(pairs->count, sizeof(*sorted));
	int status = first && sorted ? DP_OK : DP_ERR_NOMEM;

	if (!status) {
		for (size_t i = 0; i < pairs->count; i++)
			first[pairs->list[i].instance + 1]++;
		for (size_t i = 0; i < calls; i++)
			first[i + 1] += first[i];
		for (size_t i = 0; i < pairs->count; i++)
			sorted[first[pairs->list[i].instance]++] = pairs->list[i];
	}
	/* first[i] has become the end of instance i */
	for (size_t i = 0; i < calls && !status; at = first[i++])
		if (first[i] - at > 1)
			status = add_instance(job, group, sorted + at, first[i] - at);
	free(first);
	free(sorted);
	return status;
}

/* While a group is matched. */
struct match {
	struct dp_match_reference reference;
	struct dp_match_call *calls; /* of a member */
	uint32_t *partner;	     /* of each, among the reference's */
	struct pairs pairs;
};

/* Adds a member's calls that have a partner among the reference's; all, if it is the reference. */
static int match_member(struct match *match, const struct matcher *matcher,
			const struct segment *reference, const struct segment *segment)
{
	struct dp_match_clock clock = clock_between(matcher->job, reference->rank, segment->rank);
	const uint32_t *calls = matcher->calls[segment->rank] + segment->first;
	struct pairs *pairs = &match->pairs;

	fill_calls(match->calls, matcher, segment);
	if (segment != reference)
		dp_match__run(match->partner, &match->reference, match->calls, segment->count,
			      &clock);
	if (dp_array__reserve(&pairs->list, &pairs->room, pairs->count + segment->count,
			      sizeof(*pairs->list)))
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < segment->count; i++) {
		uint32_t at = segment == reference ? (uint32_t)i : match->partner[i];

		if (at != DP_NONE)
			pairs->list[pairs->count++] = (struct pair){ at, segment->rank, calls[i] };
	}
	return DP_OK;
}

/* Matches all members' calls against those of the member that has most. */
static int match_group(struct matcher *matcher, const struct segment *segments, size_t count)
{
	const struct segment *reference = segments;
	struct dp_match_call *calls;
	struct match match;
	int status = DP_ERR_NOMEM;

	for (size_t s = 1; s < count; s++)
		if (segments[s].count > reference->count)
			reference = &segments[s];
	calls = dp_alloc__array(reference->count + 1, sizeof(*calls));
	match = (struct match){
		.calls = dp_alloc__array(reference->count + 1, sizeof(*calls)),
		.partner = dp_alloc__array(reference->count + 1, sizeof(*match.partner)),
	};
	if (calls && match.calls && match.partner) {
		fill_calls(calls, matcher, reference);
		dp_match__reference(&match.reference, calls, reference->count);
		status = DP_OK;
	}
	for (size_t s = 0; s < count && !status; s++)
		status = match_member(&match, matcher, reference, &segments[s]);
	if (!status)
		status = add_instances(matcher->job, segments->group, &match.pairs,
				       reference->count);
	free(calls);
	free(match.calls);
	free(match.partner);
	free(match.pairs.list);
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

static bool is_any_known(const struct dp_job *job)
{
	for (size_t r = 0; r < job->count; r++)
		if (job->clocks[r].known)
			return true;
	return false;
}

/*
 * Ranks of a file have its clock: that the ends of sends and receives, which alone connect them,
 * differ shows how far ends differ, and no other clock.
 */
static void keep_clocks_of_files(struct dp_job *job)
{
	for (size_t r = 0; r < job->count; r++) {
		struct dp_rank_clock *clock = &job->clocks[r];

		if (!clock->known || clock->anchor == r ||
		    strcmp(job->ranks[r].file, job->ranks[clock->anchor].file) != 0)
			continue;
		clock->resolution_ns = fmax(clock->resolution_ns, fabs(clock->offset_ns));
		clock->offset_ns = clock->drift = 0;
	}
}

/* Fits clocks to sends and receives as well. */
static int fit_to_pairs(struct dp_job *job)
{
	bool alone = !is_any_known(job);
	int status = fit_clocks(job, true);

	if (!status && alone)
		keep_clocks_of_files(job);
	return status;
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
		status = fit_to_pairs(job);
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
