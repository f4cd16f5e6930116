/*
 * The gaps of a device, each cut where its cause changes. What a gap is, and what its causes sum
 * to, is dp_gap__split()'s; where in it they lie is decided by the calls that make them: a
 * launching thread waits for the device, or is in the call of a copy, and the rest is the host's.
 * Of a gap in which recording was off nobody knows what it was. Cost: linear in the trace's
 * operations and calls.
 */
#include "metric/idle_walk.h"
#include "metric/gaps.h"
#include "metric/work.h"

struct idle_walk {
	const struct dp_idle_window *window;
	int (*each)(void *ctx, const struct dp_idle *idle);
	void *ctx;
	struct dp_gap_walk gaps;
	struct dp_spans_at syncs; /* places of our own: those in gaps have moved on already */
	struct dp_spans_at any;
	struct dp_idle piece; /* not handed out yet: the next may belong to it */
	int stopped;	      /* what each() returned */
	uint32_t process;     /* that the device is of */
	size_t pause;	      /* the first that does not end before the gap at hand */
};

static void hand_out(struct idle_walk *walk)
{
	struct dp_idle piece = walk->piece;

	piece.start_ns = DP_MAX(piece.start_ns, walk->window->start_ns);
	piece.end_ns = DP_MIN(piece.end_ns, walk->window->end_ns);
	if (piece.start_ns < piece.end_ns && !walk->stopped)
		walk->stopped = walk->each(walk->ctx, &piece);
	walk->piece.start_ns = walk->piece.end_ns;
}

/* The walk's piece grows to a time, or ends where the cause is another. */
static void add_piece(struct idle_walk *walk, int64_t end_ns, enum dp_idle_cause cause)
{
	if (walk->piece.cause != cause)
		hand_out(walk);
	walk->piece.cause = cause;
	walk->piece.end_ns = end_ns;
}

/* The first span that ends after a time: true where it holds the time; *next_ns: the next change.
 */
static bool inside(struct dp_spans_at *at, int64_t time_ns, int64_t *next_ns)
{
	const struct dp_spans *spans = at->spans;

	while (at->at < spans->count && spans->end_ns[at->at] <= time_ns)
		at->at++;
	if (at->at == spans->count)
		return false;
	if (spans->start_ns[at->at] > time_ns) {
		*next_ns = DP_MIN(*next_ns, spans->start_ns[at->at]);
		return false;
	}
	*next_ns = DP_MIN(*next_ns, spans->end_ns[at->at]);
	return true;
}

/* A gap whose launch came late: until then, calls tell the cause. */
static void cut_late(struct idle_walk *walk, int64_t until_ns, int64_t end_ns)
{
	int64_t at_ns = walk->piece.start_ns, next_ns;

	while (at_ns < until_ns) {
		bool sync, any;

		next_ns = until_ns;
		sync = inside(&walk->syncs, at_ns, &next_ns);
		any = inside(&walk->any, at_ns, &next_ns);
		add_piece(walk, next_ns, sync ? DP_IDLE_SYNC : any ? DP_IDLE_COPY : DP_IDLE_HOST);
		at_ns = next_ns;
	}
	if (at_ns < end_ns)
		add_piece(walk, end_ns, DP_IDLE_HOST);
}

static void cut_gap(struct idle_walk *walk, int64_t start_ns, size_t op)
{
	const struct dp_gap_walk *gaps = &walk->gaps;
	int64_t end_ns = gaps->ops->start_ns[op], call_ns;
	struct dp_gap gap;

	dp_gap__split(&gap, &walk->gaps, start_ns, op);
	walk->piece = (struct dp_idle){ start_ns, start_ns, DP_IDLE_OTHER, (uint32_t)op };
	if (gap.late) {
		call_ns = gaps->calls->start_ns[gaps->ops->call[op]];
		walk->piece.cause = DP_IDLE_HOST;
		cut_late(walk, gaps->ops->kind[op] == DP_OP_COPY ? end_ns : DP_MIN(end_ns, call_ns),
			 end_ns);
	} else {
		walk->piece.cause = gap.copy_ns	    ? DP_IDLE_COPY
				    : gap.launch_ns ? DP_IDLE_LAUNCH
						    : DP_IDLE_OTHER;
		walk->piece.end_ns = end_ns;
	}
	hand_out(walk);
}

/* Gaps come in order. */
static bool is_unrecorded(struct idle_walk *walk, int64_t start_ns, int64_t end_ns)
{
	const struct dp_pause *pause;

	for (; (pause = dp_trace_pause(walk->window->index->trace, walk->pause)); walk->pause++)
		if (pause->process > walk->process ||
		    (pause->process == walk->process && pause->end_ns > start_ns))
			return pause->process == walk->process && pause->start_ns < end_ns;
	return false;
}

static void walk_ops(struct idle_walk *walk, const struct dp_work *work)
{
	const struct dp_ops *ops = walk->gaps.ops;
	int64_t until_ns = INT64_MIN;

	for (size_t i = 0; i < work->count && !walk->stopped; i++) {
		size_t op = dp_work__op(work, i);

		if (i && until_ns >= walk->window->end_ns)
			break;
		if (i && ops->start_ns[op] > until_ns &&
		    ops->start_ns[op] > walk->window->start_ns &&
		    !is_unrecorded(walk, until_ns, ops->start_ns[op]))
			cut_gap(walk, until_ns, op);
		until_ns = DP_MAX(until_ns, ops->end_ns[op]);
	}
}

int dp_idle__foreach(const struct dp_idle_window *window,
		     int (*each)(void *ctx, const struct dp_idle *idle), void *ctx,
		     struct dp_error *error)
{
	const struct dp_device *device = dp_trace_device(window->index->trace, window->device);
	struct dp_work work;
	int status = dp_work__init(&work, window->index, window->device, error);
	struct idle_walk walk = {
		.window = window,
		.each = each,
		.ctx = ctx,
		.gaps = { dp_trace_ops(window->index->trace),
			  dp_trace_calls(window->index->trace),
			  { &work.syncs, 0 },
			  { &work.any, 0 },
			  { &work.waits, 0 },
			  { &work.stalls, 0 } },
		.syncs = { &work.syncs, 0 },
		.any = { &work.any, 0 },
		.process = device ? device->process : DP_NONE,
	};

	if (!status)
		walk_ops(&walk, &work);
	dp_work__fini(&work);
	return status ? status : walk.stopped;
}
