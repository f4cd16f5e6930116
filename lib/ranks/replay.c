/*
 * A replay of what all ranks depend on (dPRO, MLSys'22, and ByteDance's what-if analysis, OSDI'25,
 * do so per operation; here a rank's work between two collectives is one piece). A collective ends
 * when its last member has come and its own time has passed. A rank's work moves with the last
 * thing that it waited for, which is the end of each collective that it waited for in the trace,
 * and it is shortened where the change says so. Nothing moves without a change: the trace is
 * reproduced.
 */
#include "ranks/replay.h"
#include "base/sort.h"
#include "stats/stat.h"

#include <math.h>
#include <string.h>

/* A collective that begins so soon behind another one of its group waited for that, not for the
 * rank: they share a stream. */
#define BACK_TO_BACK_NS 10000.0

#define BEHIND INT64_MAX

/* Calls of a rank that run at the same time: buckets of gradients, a few parallel groups. */
enum { CONCURRENT = 16 };

/* A rank has moved: from here on what it does happens later by so much than in the trace. */
struct move {
	double later_ns;
	uint32_t call; /* at whose end */
};

/* Since when a rank is blocked by a call, until that ends or another one blocks it. */
struct stretch {
	int64_t start_ns;
	double before_ns; /* that it was blocked for by calls before */
};

struct lane {
	const struct dp_job_rank *rank;
	const struct dp_rank_clock *clock;
	bool least; /* of struct dp_job_change */
	uint32_t *order;   /* calls by start */
	struct stretch *blocked; /* per call */
	double *work; /* by start: the rank's own time before each call starts; NULL where nothing
		       * is removed */
	double *removed;   /* by start: what is removed of it */
	uint32_t *behind;  /* per call: the one of its group before it, or DP_NONE */
	double *end_ns;	   /* per call: its end in the replay */
	struct move *moves;
	size_t move_count;
	int64_t iteration; /* of the latest call that was replayed */
	bool resumes; /* it lacks iterations before that, and has not waited for others since */
};

struct replay {
	const struct dp_job *job;
	const struct dp_job_change *change;
	struct lane *lanes;
	double *room;
};

static double time_of(const struct lane *lane, int64_t time_ns)
{
	return (double)dp_clock__to_anchor(lane->clock, time_ns);
}

static const struct dp_call_summary *call_of(const struct lane *lane, size_t call)
{
	return &lane->rank->from->calls[call];
}

/* Of calls before the first iteration -1, and of those behind the last one BEHIND. */
static int64_t iteration_of(const struct lane *lane, size_t call)
{
	const struct dp_rank_summary *from = lane->rank->from;
	uint32_t step = call_of(lane, call)->iteration;

	if (step != DP_NONE)
		return (int64_t)lane->rank->job_iteration[step];
	return from->step_count && call_of(lane, call)->start_ns >= from->steps[0].start_ns ? BEHIND
											    : -1;
}

/* Starts, to be sorted. */
struct start {
	int64_t start_ns;
	uint32_t call;
};

static int compare_starts(const void *a, const void *b)
{
	const struct start *one = a, *two = b;

	if (one->start_ns != two->start_ns)
		return one->start_ns < two->start_ns ? -1 : 1;
	return one->call < two->call ? -1 : one->call > two->call;
}

static int64_t blocked_until(const struct lane *lane, size_t call)
{
	const struct dp_rank_summary *from = lane->rank->from;

	return call + 1 < from->call_count
		       ? DP_MIN(from->calls[call].end_ns, lane->blocked[call + 1].start_ns)
		       : from->calls[call].end_ns;
}

/*
 * Stretches that overlap are split, so that each time in which the rank does nothing but wait
 * counts once. Where it goes on while a call runs, that call does not block it, although nothing
 * else may run for a while: that is the host's, or another call's.
 */
static void find_blocked(struct lane *lane)
{
	const struct dp_rank_summary *from = lane->rank->from;
	int64_t least_ns = INT64_MAX;
	double sum_ns = 0;

	for (size_t i = from->call_count; i-- > 0;) {
		const struct dp_call_summary *call = &from->calls[i];

		least_ns = DP_MIN(call->end_ns - call->blocks_ns, least_ns);
		lane->blocked[i].start_ns = least_ns;
	}
	for (size_t i = 0; i < from->call_count; i++) {
		lane->blocked[i].before_ns = sum_ns;
		sum_ns += (double)(blocked_until(lane, i) - lane->blocked[i].start_ns);
	}
}

/* The rank's own time up to a time of its clock: without what it was blocked for. */
static double work_until(const struct lane *lane, int64_t time_ns)
{
	const struct dp_rank_summary *from = lane->rank->from;
	size_t low = 0, high = from->call_count;
	double blocked_ns = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lane->blocked[middle].start_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low)
		blocked_ns = lane->blocked[low - 1].before_ns +
			     (double)(DP_MIN(time_ns, blocked_until(lane, low - 1)) -
				      lane->blocked[low - 1].start_ns);
	return (double)(time_ns - from->calls[0].start_ns) - blocked_ns;
}

static int sort_starts(struct lane *lane)
{
	const struct dp_rank_summary *from = lane->rank->from;
	struct start *starts = dp_alloc__array(from->call_count + 1, sizeof(*starts));

	if (!starts)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < from->call_count; i++)
		starts[i] = (struct start){ from->calls[i].start_ns, (uint32_t)i };
	qsort(starts, from->call_count, sizeof(*starts), compare_starts);
	for (size_t i = 0; i < from->call_count; i++)
		lane->order[i] = starts[i].call;
	free(starts);
	return DP_OK;
}

/* last has an entry per group of the job, all DP_NONE, and is left so. */
static void link_groups(struct lane *lane, uint32_t *last)
{
	size_t count = lane->rank->from->call_count;

	for (size_t i = 0; i < count; i++) {
		uint32_t call = lane->order[i], *before = &last[lane->rank->groups[call]];

		lane->behind[call] = *before;
		*before = call;
	}
	for (size_t i = 0; i < count; i++)
		last[lane->rank->groups[i]] = DP_NONE;
}

static int init_lane(struct lane *lane, const struct dp_job *job,
		     const struct dp_job_change *change, size_t r, uint32_t *last)
{
	const struct dp_rank_summary *from = job->ranks[r].from;
	size_t count = from->call_count;

	lane->rank = &job->ranks[r];
	lane->clock = &job->clocks[r];
	lane->least = change->least;
	lane->iteration = -1;
	lane->order = dp_alloc__array(count + 1, sizeof(*lane->order));
	lane->blocked = dp_alloc__array(count + 1, sizeof(*lane->blocked));
	lane->behind = dp_alloc__array(count + 1, sizeof(*lane->behind));
	lane->end_ns = dp_alloc__array(count + 1, sizeof(*lane->end_ns));
	lane->moves = dp_alloc__array(count + 1, sizeof(*lane->moves));
	if (!lane->order || !lane->blocked || !lane->behind || !lane->end_ns || !lane->moves ||
	    sort_starts(lane))
		return DP_ERR_NOMEM;
	find_blocked(lane);
	for (size_t i = 0; i < count; i++)
		lane->end_ns[i] = time_of(lane, from->calls[i].end_ns);
	link_groups(lane, last);
	return DP_OK;
}

/* Calls of an iteration of a rank, by start: [*first, return). */
static size_t calls_of(const struct lane *lane, int64_t iteration, size_t *first)
{
	size_t low = 0, high = lane->rank->from->call_count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (iteration_of(lane, lane->order[middle]) < iteration)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < lane->rank->from->call_count &&
			iteration_of(lane, lane->order[end]) == iteration;
	     end++)
		;
	*first = low;
	return end;
}

static double piece(const struct lane *lane, size_t at)
{
	return at ? work_until(lane, call_of(lane, lane->order[at])->start_ns) -
			    work_until(lane, call_of(lane, lane->order[at - 1])->start_ns)
		  : 0;
}

/*
 * What is removed of a rank's work before each call of an iteration: all beyond the median of its
 * peers that have as many calls in it; those are in the same place of the same program.
 */
static void remove_excess(struct replay *replay, size_t r, size_t first, size_t end)
{
	const struct dp_job *job = replay->job;
	struct lane *lane = &replay->lanes[r];
	int64_t iteration = iteration_of(lane, lane->order[first]);

	for (size_t at = first; at < end; at++) {
		size_t count = 0;

		for (size_t p = 0; p < job->count; p++) {
			size_t begin, finish;

			if (p == r || replay->change->classes[p] != replay->change->classes[r])
				continue;
			finish = calls_of(&replay->lanes[p], iteration, &begin);
			if (finish - begin == end - first)
				replay->room[count++] =
					piece(&replay->lanes[p], begin + at - first);
		}
		if (count)
			lane->removed[at] =
				piece(lane, at) -
				dp_stat__select(replay->room, count, (count - 1) / 2);
	}
}

/* A rank whose work is changed. */
static int init_removed(struct lane *lane)
{
	size_t count = lane->rank->from->call_count;

	lane->work = dp_alloc__array(count + 1, sizeof(*lane->work));
	lane->removed = dp_alloc__zeroed(count + 1, sizeof(*lane->removed));
	if (!lane->work || !lane->removed)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++)
		lane->work[i] = work_until(lane, call_of(lane, lane->order[i])->start_ns);
	return DP_OK;
}

/* Sums, so that removed[] is what is removed before each call. */
static void sum_removed(struct lane *lane)
{
	double sum = 0;

	for (size_t i = 0; lane->removed && i < lane->rank->from->call_count; i++)
		lane->removed[i] = sum += lane->removed[i];
}

static int remove_from_rank(struct replay *replay, size_t r)
{
	struct lane *lane = &replay->lanes[r];
	size_t count = lane->rank->from->call_count;
	int status = init_removed(lane);

	for (size_t first = 0, end; first < count && !status; first = end) {
		int64_t iteration = iteration_of(lane, lane->order[first]);

		for (end = first;
		     end < count && iteration_of(lane, lane->order[end]) == iteration; end++)
			;
		if (iteration >= replay->change->since && iteration != BEHIND)
			remove_excess(replay, r, first, end);
	}
	return status;
}

/* Each rank's work takes its share of the time. */
static int scale_ranks(struct replay *replay)
{
	int status = DP_OK;

	for (size_t r = 0; r < replay->job->count && !status; r++) {
		struct lane *lane = &replay->lanes[r];

		status = init_removed(lane);
		for (size_t i = 0; i < lane->rank->from->call_count && !status; i++) {
			int64_t iteration = iteration_of(lane, lane->order[i]);

			if (iteration >= replay->change->since && iteration != BEHIND)
				lane->removed[i] = piece(lane, i) * (1 - replay->change->scale[r]);
		}
	}
	return status;
}

static int change_work(struct replay *replay)
{
	int status = DP_OK;

	if (replay->change->rank != DP_NONE)
		status = remove_from_rank(replay, replay->change->rank);
	else if (replay->change->scale)
		status = scale_ranks(replay);
	for (size_t r = 0; r < replay->job->count && !status; r++)
		sum_removed(&replay->lanes[r]);
	return status;
}

/* What is removed up to a time of the rank's clock: between two calls in proportion to its work. */
static double removed_until(const struct lane *lane, int64_t time_ns)
{
	size_t low = 0, high = lane->rank->from->call_count;
	double work, share;

	if (!lane->removed)
		return 0;
	work = work_until(lane, time_ns);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lane->work[middle] <= work)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	if (low == lane->rank->from->call_count)
		return lane->removed[low - 1];
	share = (work - lane->work[low - 1]) / (lane->work[low] - lane->work[low - 1]);
	return lane->removed[low - 1] + share * (lane->removed[low] - lane->removed[low - 1]);
}

/* How much later the rank is at a time: where it waited last, less what is removed since. */
static double later_at(const struct lane *lane, int64_t time_ns, bool latest)
{
	size_t low = latest ? lane->move_count : 0, high = lane->move_count;
	const struct move *move;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (call_of(lane, lane->moves[middle].call)->end_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return -removed_until(lane, time_ns);
	move = &lane->moves[low - 1];
	return move->later_ns - (removed_until(lane, time_ns) -
				 removed_until(lane, call_of(lane, move->call)->end_ns));
}

/* When a call starts in the replay: when it is ready, and its stream is free. */
static double start_of(const struct lane *lane, uint32_t call)
{
	const struct dp_call_summary *from = call_of(lane, call);
	double start_ns = time_of(lane, from->start_ns);
	uint32_t behind = lane->behind[call];
	double gap_ns = behind == DP_NONE ? -1
					  : start_ns - time_of(lane, call_of(lane, behind)->end_ns);
	int64_t ready_ns = from->start_ns - DP_MAX(from->queued_ns, 0);

	if (gap_ns < 0 || gap_ns >= BACK_TO_BACK_NS)
		return start_ns + later_at(lane, from->start_ns, false);
	if (from->queued_ns < 0 && !lane->least)
		return lane->end_ns[behind] + gap_ns;
	return fmax(lane->end_ns[behind] + gap_ns,
		    time_of(lane, ready_ns) + later_at(lane, ready_ns, false));
}

/*
 * Behind iterations that a trace lacks, its rank keeps nobody waiting until it has waited itself:
 * what it saved in them is not known.
 */
static double new_start(const struct lane *lane, uint32_t call)
{
	return lane->resumes ? -INFINITY : start_of(lane, call);
}

/* The rank has come to a call. */
static void follow(struct lane *lane, uint32_t call)
{
	int64_t iteration = iteration_of(lane, call);

	if (iteration == BEHIND)
		return;
	if (lane->iteration >= 0 && iteration > lane->iteration + 1)
		lane->resumes = true;
	lane->iteration = DP_MAX(lane->iteration, iteration);
}

/*
 * Does the rank go on when the call ends? Not if it computes meanwhile: then it waits for the call
 * later, if at all; nor if it goes on waiting for one that ends after this one.
 */
static bool is_waited_for(const struct lane *lane, uint32_t call)
{
	const struct dp_rank_summary *from = lane->rank->from;
	const struct dp_call_summary *self = &from->calls[call], *next = self + 1;

	for (size_t i = 0; i < CONCURRENT && call + 1 + i < from->call_count; i++, next++)
		if (next->end_ns - next->blocks_ns < self->end_ns)
			return false;
	return self->blocks_ns > 0;
}

/* The rank goes on when both its own work and the call are done. */
static void move_rank(struct lane *lane, uint32_t call)
{
	const struct dp_call_summary *from = call_of(lane, call);
	int64_t waits_ns = from->end_ns - from->blocks_ns;
	double end_ns = time_of(lane, from->end_ns);
	double ready_ns = lane->resumes
				  ? -INFINITY
				  : time_of(lane, waits_ns) + later_at(lane, waits_ns, true);
	size_t count = lane->move_count;

	if (!is_waited_for(lane, call) ||
	    (count && call_of(lane, lane->moves[count - 1].call)->end_ns > from->end_ns))
		return;
	lane->moves[lane->move_count++] =
		(struct move){ fmax(ready_ns, lane->end_ns[call]) - end_ns, call };
	lane->resumes = false;
}

/* The last of an instance's members to start: in the trace, and in the replay. */
struct arrival {
	double start_ns;
	double new_ns;
};

/* all: whoever comes last decides, not who came last in the trace. */
static struct arrival find_arrival(struct replay *replay, const struct dp_instance *at, bool all)
{
	const struct dp_job_member *members = &replay->job->members[at->first];
	struct arrival arrival = { -INFINITY, -INFINITY };

	for (uint32_t m = 0; m < at->count; m++)
		follow(&replay->lanes[members[m].rank], members[m].call);
	for (uint32_t m = 0; m < at->count; m++) {
		const struct lane *lane = &replay->lanes[members[m].rank];
		double start_ns = time_of(lane, call_of(lane, members[m].call)->start_ns);
		double new_ns = new_start(lane, members[m].call);

		if (isinf(new_ns))
			continue;
		if (all || start_ns > arrival.start_ns)
			arrival.new_ns = all ? fmax(arrival.new_ns, new_ns) : new_ns;
		arrival.start_ns = fmax(arrival.start_ns, start_ns);
	}
	/* Nobody's is known: as in the trace. */
	return isinf(arrival.new_ns) ? (struct arrival){ 0, 0 } : arrival;
}

static void replay_instance(struct replay *replay, uint32_t instance)
{
	const struct dp_instance *at = &replay->job->instances[instance];
	const struct dp_job_member *members = &replay->job->members[at->first];
	bool all = dp_collective__synchronizes(at->kind) ||
		   at->kind == DP_COLLECTIVE_SEND_RECEIVE;
	struct arrival arrival = find_arrival(replay, at, all);
	double less_ns = replay->change->less_ns ? replay->change->less_ns[instance] : 0;

	for (uint32_t m = 0; m < at->count; m++) {
		struct lane *lane = &replay->lanes[members[m].rank];
		const struct dp_call_summary *call = call_of(lane, members[m].call);
		const struct dp_call_match *match = &lane->rank->matches[members[m].call];
		double end_ns = time_of(lane, call->end_ns);
		double own_ns = (double)(call->end_ns - call->start_ns - match->wait_ns);
		double by_last = end_ns + arrival.new_ns - arrival.start_ns;

		/* Of broadcasts and the like, who did not wait does not depend on the others. */
		if (all || match->wait_ns > own_ns || lane->resumes)
			lane->end_ns[members[m].call] = by_last - less_ns;
		else
			lane->end_ns[members[m].call] = end_ns + new_start(lane, members[m].call) -
				time_of(lane, call->start_ns) - less_ns;
		move_rank(lane, members[m].call);
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

static double end_of(const struct replay *replay, const struct dp_job_member *member)
{
	const struct lane *lane = &replay->lanes[member->rank];

	return time_of(lane, call_of(lane, member->call)->end_ns);
}

static size_t list_instances(struct ending *endings, const struct replay *replay)
{
	const struct dp_job *job = replay->job;

	for (size_t i = 0; i < job->instance_count; i++) {
		const struct dp_instance *at = &job->instances[i];

		endings[i] = (struct ending){ -INFINITY, (uint32_t)i, { 0, 0 } };
		for (uint32_t m = 0; m < at->count; m++)
			endings[i].end_ns = fmax(endings[i].end_ns,
						 end_of(replay, &job->members[at->first + m]));
	}
	return job->instance_count;
}

/* endings may be NULL, to count them. */
static size_t list_alone(struct ending *endings, const struct replay *replay)
{
	size_t count = 0;

	for (uint32_t r = 0; r < replay->job->count && replay->change->least; r++) {
		const struct dp_job_rank *rank = &replay->job->ranks[r];

		for (uint32_t i = 0; i < rank->from->call_count; i++) {
			struct dp_job_member alone = { r, i };

			if (rank->matches[i].instance != DP_NONE)
				continue;
			if (endings)
				endings[count] = (struct ending){ end_of(replay, &alone), DP_NONE,
								  alone };
			count++;
		}
	}
	return count;
}

static int replay_calls(struct replay *replay)
{
	size_t count = replay->job->instance_count + list_alone(NULL, replay);
	struct ending *endings = dp_alloc__array(count + 1, sizeof(*endings));

	if (!endings)
		return DP_ERR_NOMEM;
	list_alone(endings + list_instances(endings, replay), replay);
	if (count)
		qsort(endings, count, sizeof(*endings), compare_endings);
	for (size_t i = 0; i < count; i++) {
		const struct ending *at = &endings[i];

		if (at->instance != DP_NONE)
			replay_instance(replay, at->instance);
		else
			move_rank(&replay->lanes[at->alone.rank], at->alone.call);
	}
	free(endings);
	return DP_OK;
}

/* How much later a rank is behind its last collective of an iteration; NaN where it has none. */
static double later_behind(const struct lane *lane, int64_t iteration)
{
	size_t first, end = calls_of(lane, iteration, &first);
	int64_t last_ns = INT64_MIN;

	for (size_t i = first; i < end; i++)
		last_ns = DP_MAX(last_ns, call_of(lane, lane->order[i])->end_ns);
	return first < end ? later_at(lane, last_ns, false) : NAN;
}

/*
 * What the median rank gains per iteration. Of the first one of the capture, what runs before its
 * first collective is not known, so that it does not count.
 */
static double mean_saved(struct replay *replay)
{
	int64_t from = replay->change->since ? replay->change->since - 1 : 0, last = -1;
	const struct lane *lane = &replay->lanes[0];
	size_t count = 0;

	for (size_t i = lane->rank->from->call_count; i-- > 0 && last < 0;) {
		last = iteration_of(lane, lane->order[i]);
		last = last == BEHIND ? -1 : last;
	}
	for (size_t r = 0; r < replay->job->count; r++) {
		double saved_ns = later_behind(&replay->lanes[r], from) -
				  later_behind(&replay->lanes[r], last);

		if (isfinite(saved_ns))
			replay->room[count++] = saved_ns;
	}
	if (!count || last <= from)
		return NAN;
	return dp_stat__median(replay->room, count) / (double)(last - from) *
	       replay->change->more_often;
}

static void free_lane(struct lane *lane)
{
	free(lane->order);
	free(lane->blocked);
	free(lane->work);
	free(lane->removed);
	free(lane->behind);
	free(lane->end_ns);
	free(lane->moves);
}

/* Do all ranks have collectives, and one clock? */
static bool is_connected(const struct dp_job *job)
{
	for (size_t r = 0; r < job->count; r++)
		if (!job->ranks[r].from->call_count || !job->clocks[r].known ||
		    job->clocks[r].anchor != job->clocks[0].anchor)
			return false;
	return job->count > 0;
}

int dp_job__replay(double *saved_ns, const struct dp_job *job, const struct dp_job_change *change)
{
	struct replay replay = { .job = job, .change = change };
	uint32_t *last = dp_alloc__array(job->group_count + 1, sizeof(*last));
	int status = DP_OK;

	*saved_ns = NAN;
	replay.lanes = dp_alloc__zeroed(job->count + 1, sizeof(*replay.lanes));
	replay.room = dp_alloc__array(job->count + 1, sizeof(*replay.room));
	if (!replay.lanes || !replay.room || !last) {
		status = DP_ERR_NOMEM;
		goto out;
	}
	memset(last, 0xff, (job->group_count + 1) * sizeof(*last));
	if (!is_connected(job))
		goto out;
	for (size_t r = 0; r < job->count && !status; r++)
		status = init_lane(&replay.lanes[r], job, change, r, last);
	if (!status)
		status = change_work(&replay);
	if (!status)
		status = replay_calls(&replay);
	if (!status)
		*saved_ns = mean_saved(&replay);
out:
	for (size_t r = 0; replay.lanes && r < job->count; r++)
		free_lane(&replay.lanes[r]);
	free(replay.lanes);
	free(replay.room);
	free(last);
	return status;
}
