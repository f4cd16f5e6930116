/*
 * Replays the dependencies of all ranks (dPRO, MLSys'22, and ByteDance's what-if analysis, OSDI'25,
 * do so per operation; here a rank's work between two collectives is one dp_lane__work_before). A
 * collective ends when its last member has come and its own time has passed. A rank's work moves
 * with the last collective that it waited for in the trace, and is shortened according to the
 * change. Without a change the trace is reproduced.
 */
#include "ranks/lane.h"
#include "base/sort.h"
#include "stats/stat.h"

#include <math.h>
#include <string.h>

/*
 * Calls of a rank that are replayed at once, and the fewest iterations: memory holds what is
 * replayed of all ranks. Windows share an iteration, after which the later one counts. As ranks
 * wait for each other in each iteration, a delay no longer matters after 8 of them.
 */
enum { WINDOW_CALLS = 256, WINDOW_ITERATIONS = 8 };
/*
 * Windows overlap by an iteration, or by more if its calls end far apart. If all windows have this
 * many times the calls of the job, the iterations are no such order of calls, and none is replayed.
 */
enum { OVERLAP_MOST = 8 };

/* A rank that one is compared with in an iteration, and its first call of that. */
struct peer {
	const struct dp_lane *lane;
	size_t first;
};

struct replay {
	const struct dp_job *job;
	const struct dp_job_change *change;
	struct dp_lane *lanes;
	double *room;			/* for a value per rank */
	struct peer *peers;		/* likewise */
	uint32_t *last;			/* for dp_lane__init() */
	struct dp_lane_extent *extents; /* of all ranks' iterations, rank by rank */
	uint32_t *windows; /* per instance, the number of the last window that has it */
	uint32_t window;   /* the number of this one, from 1 */
	size_t left;	   /* calls that may be replayed yet */
	int64_t from, to;  /* iterations of the window */
};

/*
 * Computes what is removed from a rank's work before each call of an iteration: all beyond the
 * median of its peers with equally many calls in it, which are at the same place of the same
 * program.
 */
static void remove_excess(struct replay *replay, size_t r, size_t first, size_t end)
{
	const struct dp_job *job = replay->job;
	struct dp_lane *lane = &replay->lanes[r];
	int64_t iteration = dp_lane__iteration(lane, lane->order[first]);
	size_t peers = 0;

	for (size_t p = 0; p < job->count; p++) {
		struct peer peer = { &replay->lanes[p], 0 };

		if (p == r || replay->change->classes[p] != replay->change->classes[r])
			continue;
		if (dp_lane__calls(peer.lane, iteration, &peer.first) - peer.first == end - first)
			replay->peers[peers++] = peer;
	}
	for (size_t at = first; at < end && peers; at++) {
		for (size_t p = 0; p < peers; p++)
			replay->room[p] = dp_lane__work_before(replay->peers[p].lane,
							       replay->peers[p].first + at - first);
		lane->removed[at] = dp_lane__work_before(lane, at) -
				    dp_stat__select(replay->room, peers, (peers - 1) / 2);
	}
}

/* Prepares a rank whose work is changed. */
static int init_removed(struct dp_lane *lane)
{
	size_t count = lane->count;

	lane->work = dp_alloc__array(count + 1, sizeof(*lane->work));
	lane->removed = dp_alloc__zeroed(count + 1, sizeof(*lane->removed));
	if (!lane->work || !lane->removed)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++)
		lane->work[i] = dp_lane__work_until(lane, lane->calls[lane->order[i]].start_ns);
	return DP_OK;
}

/* Turns removed[] into what is removed before each call in total. */
static void sum_removed(struct dp_lane *lane)
{
	double sum = 0;

	for (size_t i = 0; lane->removed && i < lane->count; i++)
		lane->removed[i] = sum += lane->removed[i];
}

static int remove_from_rank(struct replay *replay, size_t r)
{
	struct dp_lane *lane = &replay->lanes[r];
	size_t count = lane->count;
	int status = init_removed(lane);

	for (size_t first = 0, end; first < count && !status; first = end) {
		int64_t iteration = dp_lane__iteration(lane, lane->order[first]);

		for (end = first;
		     end < count && dp_lane__iteration(lane, lane->order[end]) == iteration; end++)
			;
		if (iteration >= replay->change->since && iteration != DP_LANE_BEHIND)
			remove_excess(replay, r, first, end);
	}
	return status;
}

/* Scales each rank's work by its factor. */
static int scale_ranks(struct replay *replay)
{
	int status = DP_OK;

	for (size_t r = 0; r < replay->job->count && !status; r++) {
		struct dp_lane *lane = &replay->lanes[r];

		status = init_removed(lane);
		for (size_t i = 0; i < lane->count && !status; i++) {
			int64_t iteration = dp_lane__iteration(lane, lane->order[i]);

			if (iteration >= replay->change->since && iteration != DP_LANE_BEHIND)
				lane->removed[i] = dp_lane__work_before(lane, i) *
						   (1 - replay->change->scale[r]);
		}
	}
	return status;
}

static int change_work(struct replay *replay)
{
	const struct dp_job_change *change = replay->change;
	int status = change->scale ? scale_ranks(replay) : DP_OK;

	for (size_t r = 0; r < replay->job->count && !change->scale && !status; r++)
		if (change->rank == r || (change->also && change->also[r]))
			status = remove_from_rank(replay, r);
	for (size_t r = 0; r < replay->job->count && !status; r++)
		sum_removed(&replay->lanes[r]);
	return status;
}

/* The last member of an instance to start, in the trace and in the replay. */
struct arrival {
	double start_ns;
	double new_ns;
};

/* The lane of an instance's member, if its call is in the window. */
static struct dp_lane *lane_of(const struct replay *replay, const struct dp_job_member *member,
			       uint32_t *call)
{
	struct dp_lane *lane = &replay->lanes[member->rank];

	if (member->call < lane->first || member->call - lane->first >= lane->count)
		return NULL;
	*call = (uint32_t)(member->call - lane->first);
	return lane;
}

/* all: the last to come in the replay decides, rather than the last in the trace. */
static struct arrival find_arrival(struct replay *replay, const struct dp_instance *at, bool all)
{
	const struct dp_job_member *members = &replay->job->members[at->first];
	struct arrival arrival = { -INFINITY, -INFINITY };

	for (uint32_t m = 0, call; m < at->count; m++) {
		struct dp_lane *lane = lane_of(replay, &members[m], &call);
		double start_ns, new_ns;

		if (!lane)
			continue;
		dp_lane__follow(lane, call);
		start_ns = dp_lane__time(lane, lane->calls[call].start_ns);
		new_ns = dp_lane__start(lane, call);
		if (isinf(new_ns))
			continue;
		if (all || start_ns > arrival.start_ns)
			arrival.new_ns = all ? fmax(arrival.new_ns, new_ns) : new_ns;
		arrival.start_ns = fmax(arrival.start_ns, start_ns);
	}
	/* nobody's start is known: as in the trace */
	return isinf(arrival.new_ns) ? (struct arrival){ 0, 0 } : arrival;
}

static void replay_instance(struct replay *replay, uint32_t instance)
{
	const struct dp_instance *at = &replay->job->instances[instance];
	const struct dp_job_member *members = &replay->job->members[at->first];
	bool all = dp_collective__synchronizes(at->kind) || at->kind == DP_COLLECTIVE_SEND_RECEIVE;
	struct arrival arrival = find_arrival(replay, at, all);
	double less_ns = replay->change->less_ns ? replay->change->less_ns[instance] : 0;

	for (uint32_t m = 0, call; m < at->count; m++) {
		struct dp_lane *lane = lane_of(replay, &members[m], &call);
		const struct dp_call_summary *of = lane ? &lane->calls[call] : NULL;
		double end_ns, own_ns, wait_ns, start_ns;

		if (!lane)
			continue;
		end_ns = dp_lane__time(lane, of->end_ns);
		wait_ns = (double)dp_job__wait(replay->job, lane->rank, members[m].call);
		own_ns = (double)(of->end_ns - of->start_ns) - wait_ns;
		/*
		 * in broadcasts and the like, a member that did not wait does not depend on the
		 * others
		 */
		start_ns = dp_lane__start(lane, call);
		if (all || wait_ns > own_ns || isinf(start_ns))
			lane->end_ns[call] = end_ns + arrival.new_ns - arrival.start_ns - less_ns;
		else
			lane->end_ns[call] = end_ns + start_ns -
					     dp_lane__time(lane, of->start_ns) - less_ns;
		dp_lane__move(lane, call);
	}
}

/* The end of an instance, or of a call that no other rank has. */
struct ending {
	double end_ns;
	uint32_t instance; /* or DP_NONE */
	struct dp_job_member alone;
};

static int compare_endings(const void *a, const void *b)
{
	const struct ending *one = a, *two = b;

	if (one->end_ns != two->end_ns)
		return one->end_ns < two->end_ns ? -1 : 1;
	if (one->instance != two->instance)
		return one->instance < two->instance ? -1 : 1;
	if (one->alone.rank != two->alone.rank)
		return one->alone.rank < two->alone.rank ? -1 : 1;
	return one->alone.call < two->alone.call ? -1 : one->alone.call > two->alone.call;
}

/* The window's endings, not sorted yet. */
struct endings {
	struct ending *list;
	size_t count, room;
};

static int add_ending(struct endings *endings, const struct ending *ending)
{
	if (dp_array__reserve(&endings->list, &endings->room, endings->count + 1, sizeof(*ending)))
		return DP_ERR_NOMEM;
	endings->list[endings->count++] = *ending;
	return DP_OK;
}

/* When the last call of an instance in the window ends. */
static double end_of(const struct replay *replay, uint32_t instance)
{
	const struct dp_instance *at = &replay->job->instances[instance];
	double end_ns = -INFINITY;

	for (uint32_t m = 0, call; m < at->count; m++) {
		const struct dp_lane *lane =
			lane_of(replay, &replay->job->members[at->first + m], &call);

		if (lane)
			end_ns = fmax(end_ns, dp_lane__time(lane, lane->calls[call].end_ns));
	}
	return end_ns;
}

static int list_instances(struct endings *endings, const struct replay *replay)
{
	int status = DP_OK;

	for (size_t r = 0; r < replay->job->count; r++) {
		const struct dp_lane *lane = &replay->lanes[r];

		for (size_t i = 0; i < lane->count && !status; i++) {
			uint32_t instance = lane->rank->instances[lane->first + i];
			struct ending ending = { 0, instance, { 0, 0 } };

			if (instance == DP_NONE || replay->windows[instance] == replay->window)
				continue;
			replay->windows[instance] = replay->window;
			ending.end_ns = end_of(replay, instance);
			status = add_ending(endings, &ending);
		}
	}
	return status;
}

static int list_alone(struct endings *endings, const struct replay *replay)
{
	int status = DP_OK;

	for (uint32_t r = 0; r < replay->job->count; r++) {
		const struct dp_lane *lane = &replay->lanes[r];

		for (uint32_t i = 0; i < lane->count && !status; i++) {
			struct ending ending = { dp_lane__time(lane, lane->calls[i].end_ns),
						 DP_NONE,
						 { r, i } };

			if (lane->rank->instances[lane->first + i] == DP_NONE)
				status = add_ending(endings, &ending);
		}
	}
	return status;
}

static int replay_calls(struct replay *replay)
{
	struct endings endings = { NULL, 0, 0 };
	int status = list_instances(&endings, replay);

	if (!status && replay->change->least)
		status = list_alone(&endings, replay);
	if (!status && endings.count)
		qsort(endings.list, endings.count, sizeof(*endings.list), compare_endings);
	for (size_t i = 0; i < endings.count && !status; i++) {
		const struct ending *at = &endings.list[i];

		if (at->instance != DP_NONE)
			replay_instance(replay, at->instance);
		else
			dp_lane__move(&replay->lanes[at->alone.rank], at->alone.call);
	}
	free(endings.list);
	return status;
}

/* How much later a rank is after its last collective of an iteration; NaN if it has none. */
static double later_behind(const struct dp_lane *lane, int64_t iteration)
{
	size_t first, end = dp_lane__calls(lane, iteration, &first);
	int64_t last_ns = INT64_MIN;

	for (size_t i = first; i < end; i++)
		last_ns = DP_MAX(last_ns, lane->calls[lane->order[i]].end_ns);
	return first < end ? dp_lane__later(lane, last_ns, false) : NAN;
}

/*
 * The median rank's gain in the window's iterations without the first, whose work before its first
 * collective is unknown; NaN if no rank has both ends.
 */
static double median_saved(struct replay *replay)
{
	size_t count = 0;

	for (size_t r = 0; r < replay->job->count; r++) {
		double saved_ns = later_behind(&replay->lanes[r], replay->from) -
				  later_behind(&replay->lanes[r], replay->to);

		if (isfinite(saved_ns))
			replay->room[count++] = saved_ns;
	}
	return count ? dp_stat__median(replay->room, count) : NAN;
}

static int make_lanes(struct replay *replay, size_t *made)
{
	const struct dp_job *job = replay->job;
	const struct dp_lane_extent *extents = replay->extents;
	size_t calls = 0;
	int status = DP_OK;

	for (*made = 0; *made < job->count && !status && calls <= replay->left; ++*made) {
		status = dp_lane__init(&replay->lanes[*made], job, replay->change, extents, *made,
				       replay->from, replay->to, replay->last);
		extents += job->ranks[*made].from->step_count;
		calls += replay->lanes[*made].count;
	}
	replay->left -= DP_MIN(calls, replay->left);
	replay->window++;
	return status;
}

static int replay_window(double *saved_ns, struct replay *replay)
{
	size_t lanes;
	int status = make_lanes(replay, &lanes);

	if (!status && replay->left)
		status = change_work(replay);
	if (!status && replay->left)
		status = replay_calls(replay);
	if (!status && replay->left)
		*saved_ns = median_saved(replay);
	while (lanes)
		dp_lane__fini(&replay->lanes[--lanes]);
	return status;
}

/* The number of iterations of a window, by the calls of the rank that has most. */
static int64_t window_of(const struct dp_job *job)
{
	size_t most = 1;

	for (size_t r = 0; r < job->count; r++)
		most = DP_MAX(most, job->ranks[r].from->call_count);
	return DP_MAX(WINDOW_ITERATIONS,
		      (int64_t)((double)WINDOW_CALLS * (double)job->iterations / (double)most));
}

/* The last iteration in which the first rank has calls; -1 if there is none. */
static int64_t last_iteration(const struct dp_job *job)
{
	const struct dp_job_rank *rank = &job->ranks[0];
	int64_t last = -1;

	for (size_t i = 0; i < rank->from->call_count; i++)
		if (rank->from->calls[i].iteration != DP_NONE)
			last = DP_MAX(last,
				      (int64_t)rank->job_iteration[rank->from->calls[i].iteration]);
	return last;
}

static int replay_windows(double *saved_ns, struct replay *replay)
{
	int64_t first = replay->change->since ? replay->change->since - 1 : 0;
	int64_t last = last_iteration(replay->job), window = window_of(replay->job), known = 0;
	double sum_ns = 0;
	int status = DP_OK;

	for (replay->from = first; replay->from < last && replay->left && !status;
	     replay->from = replay->to) {
		double window_ns = NAN;

		/* a last window shorter than half is joined to the one before */
		replay->to =
			last - replay->from < window + window / 2 ? last : replay->from + window;
		status = replay_window(&window_ns, replay);
		if (isfinite(window_ns)) {
			sum_ns += window_ns;
			known += replay->to - replay->from;
		}
	}
	if (known && replay->left)
		*saved_ns = sum_ns / (double)known * replay->change->more_often;
	return status;
}

/* Returns true if all ranks have collectives, and one clock. */
static bool is_connected(const struct dp_job *job)
{
	for (size_t r = 0; r < job->count; r++)
		if (!job->ranks[r].from->call_count || !job->clocks[r].known ||
		    job->clocks[r].anchor != job->clocks[0].anchor)
			return false;
	return job->count > 0;
}

static int prepare(struct replay *replay)
{
	const struct dp_job *job = replay->job;
	struct dp_lane_extent *extents;
	size_t steps = 0;

	for (size_t r = 0; r < job->count; r++) {
		steps += job->ranks[r].from->step_count;
		replay->left += job->ranks[r].from->call_count * OVERLAP_MOST;
	}
	replay->lanes = dp_alloc__array(job->count + 1, sizeof(*replay->lanes));
	replay->room = dp_alloc__array(job->count + 1, sizeof(*replay->room));
	replay->peers = dp_alloc__array(job->count + 1, sizeof(*replay->peers));
	replay->last = dp_alloc__array(job->group_count + 1, sizeof(*replay->last));
	replay->windows = dp_alloc__zeroed(job->instance_count + 1, sizeof(*replay->windows));
	extents = replay->extents = dp_alloc__array(steps + 1, sizeof(*extents));
	if (!replay->lanes || !replay->room || !replay->peers || !replay->last ||
	    !replay->windows || !extents)
		return DP_ERR_NOMEM;
	memset(replay->last, 0xff, (job->group_count + 1) * sizeof(*replay->last));
	for (size_t r = 0; r < job->count; r++) {
		dp_lane__find_extents(extents, job->ranks[r].from);
		extents += job->ranks[r].from->step_count;
	}
	return DP_OK;
}

int dp_job__replay(double *saved_ns, const struct dp_job *job, const struct dp_job_change *change)
{
	struct replay replay = { .job = job, .change = change, .window = 0 };
	int status;

	*saved_ns = NAN;
	if (!is_connected(job))
		return DP_OK;
	status = prepare(&replay);
	if (!status)
		status = replay_windows(saved_ns, &replay);
	free(replay.lanes);
	free(replay.room);
	free(replay.peers);
	free(replay.last);
	free(replay.windows);
	free(replay.extents);
	return status;
}
