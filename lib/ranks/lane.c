/* A rank in a replay. Cost: n log n in its calls. */
#include "ranks/lane.h"
#include "base/search.h"

#include <math.h>

/*
 * A collective that begins this soon after another one of its group waited for that one, not for
 * the rank: they share a stream.
 */
#define BACK_TO_BACK_NS 10000.0

/* Calls of a rank that run at the same time: buckets of gradients, a few parallel groups. */
enum { CONCURRENT = 16 };

double dp_lane__time(const struct dp_lane *lane, int64_t time_ns)
{
	return (double)dp_clock__to_anchor(lane->clock, time_ns);
}

/* -1 for calls before the first iteration, DP_LANE_BEHIND for those after the last. */
int64_t dp_lane__iteration(const struct dp_lane *lane, size_t call)
{
	const struct dp_rank_summary *of = lane->rank->from;
	uint32_t step = lane->calls[call].iteration;

	if (step != DP_NONE)
		return (int64_t)lane->rank->job_iteration[step];
	return of->step_count && lane->calls[call].start_ns >= of->steps[0].start_ns
		       ? DP_LANE_BEHIND
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

static int64_t blocked_until(const struct dp_lane *lane, size_t call)
{
	return call + 1 < lane->count
		       ? DP_MIN(lane->calls[call].end_ns, lane->blocked[call + 1].start_ns)
		       : lane->calls[call].end_ns;
}

/*
 * Splits stretches that overlap, so that time in which the rank only waits counts once. A call
 * during which the rank continues does not block it, even if nothing else runs for a while: that is
 * due to the host, or to another call.
 */
static void find_blocked(struct dp_lane *lane)
{
	int64_t least_ns = INT64_MAX;
	double sum_ns = 0;

	for (size_t i = lane->count; i-- > 0;) {
		const struct dp_call_summary *call = &lane->calls[i];

		least_ns = DP_MIN(call->end_ns - call->blocks_ns, least_ns);
		lane->blocked[i].start_ns = least_ns;
	}
	for (size_t i = 0; i < lane->count; i++) {
		lane->blocked[i].before_ns = sum_ns;
		sum_ns += (double)(blocked_until(lane, i) - lane->blocked[i].start_ns);
	}
}

double dp_lane__work_until(const struct dp_lane *lane, int64_t time_ns)
{
	double blocked_ns = 0;
	size_t next;

	DP_FIND(next, 0, lane->count, lane->blocked[next].start_ns >= time_ns);
	if (next)
		blocked_ns = lane->blocked[next - 1].before_ns +
			     (double)(DP_MIN(time_ns, blocked_until(lane, next - 1)) -
				      lane->blocked[next - 1].start_ns);
	return (double)(time_ns - lane->calls[0].start_ns) - blocked_ns;
}

static int sort_starts(struct dp_lane *lane)
{
	struct start *starts = dp_alloc__array(lane->count + 1, sizeof(*starts));

	if (!starts)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < lane->count; i++)
		starts[i] = (struct start){ lane->calls[i].start_ns, (uint32_t)i };
	qsort(starts, lane->count, sizeof(*starts), compare_starts);
	for (size_t i = 0; i < lane->count; i++)
		lane->order[i] = starts[i].call;
	free(starts);
	return DP_OK;
}

/* last has an entry per group of the job; all are DP_NONE before and after. */
static void link_groups(struct dp_lane *lane, uint32_t *last)
{
	const uint32_t *groups = lane->rank->groups + lane->first;

	for (size_t i = 0; i < lane->count; i++) {
		uint32_t call = lane->order[i], *before = &last[groups[call]];

		lane->behind[call] = *before;
		*before = call;
	}
	for (size_t i = 0; i < lane->count; i++)
		last[groups[i]] = DP_NONE;
}

void dp_lane__find_extents(struct dp_lane_extent *extents, const struct dp_rank_summary *of)
{
	for (size_t k = 0; k < of->step_count; k++)
		extents[k] = (struct dp_lane_extent){ of->call_count, 0 };
	for (size_t i = of->call_count; i-- > 0;)
		if (of->calls[i].iteration != DP_NONE) {
			struct dp_lane_extent *extent = &extents[of->calls[i].iteration];

			extent->first = i;
			extent->end = DP_MAX(extent->end, i + 1);
		}
}

static void find_window(struct dp_lane *lane, const struct dp_lane_extent *extents, int64_t from,
			int64_t to)
{
	const struct dp_rank_summary *of = lane->rank->from;
	const uint32_t *iterations = lane->rank->job_iteration;
	size_t first = of->call_count, end = 0, k;

	DP_FIND(k, 0, of->step_count, iterations[k] >= from);
	for (; k < of->step_count && iterations[k] <= to; k++) {
		first = DP_MIN(first, extents[k].first);
		end = DP_MAX(end, extents[k].end);
	}
	lane->first = first;
	lane->count = end > first ? end - first : 0;
	lane->calls = of->calls + first;
}

int dp_lane__init(struct dp_lane *lane, const struct dp_job *job,
		  const struct dp_job_change *change, const struct dp_lane_extent *extents,
		  size_t r, int64_t from, int64_t to, uint32_t *last)
{
	size_t room;

	*lane = (struct dp_lane){ .rank = &job->ranks[r],
				  .clock = &job->clocks[r],
				  .least = change->least,
				  .iteration = -1,
				  .resumed_ns = INT64_MIN };
	find_window(lane, extents, from, to);
	room = lane->count + 1;
	lane->order = dp_alloc__array(room, sizeof(*lane->order));
	lane->blocked = dp_alloc__array(room, sizeof(*lane->blocked));
	lane->behind = dp_alloc__array(room, sizeof(*lane->behind));
	lane->end_ns = dp_alloc__array(room, sizeof(*lane->end_ns));
	lane->moves = dp_alloc__array(room, sizeof(*lane->moves));
	if (!lane->order || !lane->blocked || !lane->behind || !lane->end_ns || !lane->moves ||
	    sort_starts(lane))
		return DP_ERR_NOMEM;
	find_blocked(lane);
	for (size_t i = 0; i < lane->count; i++)
		lane->end_ns[i] = dp_lane__time(lane, lane->calls[i].end_ns);
	link_groups(lane, last);
	return DP_OK;
}

void dp_lane__fini(struct dp_lane *lane)
{
	free(lane->order);
	free(lane->blocked);
	free(lane->work);
	free(lane->removed);
	free(lane->behind);
	free(lane->end_ns);
	free(lane->moves);
}

size_t dp_lane__calls(const struct dp_lane *lane, int64_t iteration, size_t *first)
{
	size_t end;

	DP_FIND(*first, 0, lane->count, dp_lane__iteration(lane, lane->order[*first]) >= iteration);
	for (end = *first;
	     end < lane->count && dp_lane__iteration(lane, lane->order[end]) == iteration; end++)
		;
	return end;
}

static int64_t start_by_order(const struct dp_lane *lane, size_t at)
{
	return lane->calls[lane->order[at]].start_ns;
}

double dp_lane__work_before(const struct dp_lane *lane, size_t at)
{
	return at ? dp_lane__work_until(lane, start_by_order(lane, at)) -
			       dp_lane__work_until(lane, start_by_order(lane, at - 1))
		  : 0;
}

/* What is removed up to a time of the rank's clock: between two calls in proportion to its work. */
static double removed_until(const struct dp_lane *lane, int64_t time_ns)
{
	double work, share;
	size_t next;

	if (!lane->removed)
		return 0;
	work = dp_lane__work_until(lane, time_ns);
	DP_FIND(next, 0, lane->count, lane->work[next] > work);
	if (!next)
		return 0;
	if (next == lane->count)
		return lane->removed[next - 1];
	share = (work - lane->work[next - 1]) / (lane->work[next] - lane->work[next - 1]);
	return lane->removed[next - 1] + share * (lane->removed[next] - lane->removed[next - 1]);
}

double dp_lane__later(const struct dp_lane *lane, int64_t time_ns, bool latest)
{
	const struct dp_lane_move *move;
	size_t next = lane->move_count;

	if (!latest)
		DP_FIND(next, 0, lane->move_count,
			lane->calls[lane->moves[next].call].end_ns > time_ns);
	if (!next)
		return -removed_until(lane, time_ns);
	move = &lane->moves[next - 1];
	return move->later_ns -
	       (removed_until(lane, time_ns) - removed_until(lane, lane->calls[move->call].end_ns));
}

/*
 * When work of the rank at a time is done in the replay. After iterations that a trace lacks, its
 * rank delays nobody until it has waited itself: what it saved in them is unknown.
 */
static double ready_at(const struct dp_lane *lane, int64_t time_ns)
{
	return lane->resumes || time_ns < lane->resumed_ns
		       ? -INFINITY
		       : dp_lane__time(lane, time_ns) + dp_lane__later(lane, time_ns, false);
}

/* A call starts when it is ready, and its stream is free. */
double dp_lane__start(const struct dp_lane *lane, uint32_t call)
{
	const struct dp_call_summary *from = &lane->calls[call];
	double start_ns = dp_lane__time(lane, from->start_ns);
	uint32_t behind = lane->behind[call];
	double gap_ns =
		behind == DP_NONE ? -1 : start_ns - dp_lane__time(lane, lane->calls[behind].end_ns);

	if (lane->resumes || gap_ns < 0 || gap_ns >= BACK_TO_BACK_NS)
		return ready_at(lane, from->start_ns);
	if (from->queued_ns < 0 && !lane->least)
		return lane->end_ns[behind] + gap_ns;
	return fmax(lane->end_ns[behind] + gap_ns,
		    ready_at(lane, from->start_ns - DP_MAX(from->queued_ns, 0)));
}

void dp_lane__follow(struct dp_lane *lane, uint32_t call)
{
	int64_t iteration = dp_lane__iteration(lane, call);

	if (iteration == DP_LANE_BEHIND)
		return;
	if (lane->iteration >= 0 && iteration > lane->iteration + 1)
		lane->resumes = true;
	lane->iteration = DP_MAX(lane->iteration, iteration);
}

/*
 * Returns true if the rank continues when the call ends. It does not if it computes meanwhile,
 * since then it waits for the call later, if at all; nor if it waits for another call that ends
 * after this one.
 */
static bool is_waited_for(const struct dp_lane *lane, uint32_t call)
{
	const struct dp_call_summary *self = &lane->calls[call], *next = self + 1;

	for (size_t i = 0; i < CONCURRENT && call + 1 + i < lane->count; i++, next++)
		if (next->end_ns - next->blocks_ns < self->end_ns)
			return false;
	return self->blocks_ns > 0;
}

void dp_lane__move(struct dp_lane *lane, uint32_t call)
{
	const struct dp_call_summary *from = &lane->calls[call];
	int64_t waits_ns = from->end_ns - from->blocks_ns;
	double end_ns = dp_lane__time(lane, from->end_ns);
	double ready_ns = lane->resumes ? -INFINITY
					: dp_lane__time(lane, waits_ns) +
						  dp_lane__later(lane, waits_ns, true);
	size_t count = lane->move_count;

	if (!is_waited_for(lane, call) ||
	    (count && lane->calls[lane->moves[count - 1].call].end_ns > from->end_ns))
		return;
	lane->moves[lane->move_count++] =
		(struct dp_lane_move){ fmax(ready_ns, lane->end_ns[call]) - end_ns, call };
	if (lane->resumes)
		lane->resumed_ns = from->end_ns;
	lane->resumes = false;
}
