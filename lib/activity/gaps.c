/*
 * Gaps by cause, after HTA's classes of idle time (Holistic Trace Analysis, "host wait", "kernel
 * wait", "other"), made exact. In a gap no operation of any stream of the device runs. The
 * operation that ends it shows what the device waited for: what its launching thread did until the
 * launch.
 *
 * Idle time is cut where its cause changes, by the calls that cause it: a launching thread waits
 * for the device, or is in the call of a copy, and the rest is the host's. Gaps in which recording
 * was off have no known cause. Cost: linear in the trace's operations and calls.
 */
#include "activity/gaps.h"

/*
 * The error of a wait's end: the offset of the host's and the device's clocks, and the way back
 * from the device.
 */
#define SLACK_NS 10000

/*
 * Without its last wait the host would be earlier by the wait's length: gaps after the wait are due
 * to it until they sum up to more.
 */
static int64_t explain(struct dp_gap_walk *walk, int64_t host_ns, int64_t launch_ns)
{
	const struct dp_spans *waits = walk->waits.spans;
	int64_t after_ns;

	for (; walk->waited < waits->count && waits->end_ns[walk->waited] <= launch_ns;
	     walk->waited++)
		walk->credit_ns = waits->end_ns[walk->waited] - waits->start_ns[walk->waited];
	after_ns = DP_MIN(walk->credit_ns, host_ns);
	walk->credit_ns -= after_ns;
	return after_ns;
}

struct dp_gap_walk dp_gap_walk__begin(const struct dp_device_timeline *timeline)
{
	return (struct dp_gap_walk){
		.ops = dp_trace_ops(timeline->trace),
		.calls = dp_trace_calls(timeline->trace),
		.syncs = { &timeline->syncs, 0 },
		.any = { &timeline->any, 0 },
		.waits = { &timeline->waits, 0 },
		.stalls = { &timeline->stalls, 0 },
	};
}

/*
 * In a gap whose launch came late, the host's part ends with the launch's call and the usual
 * latency. A longer rest is due to something that the trace does not show: another process on the
 * device, a driver that submits later, a graph that is uploaded.
 */
static int64_t host_end_of(const struct dp_gap_walk *walk, size_t op)
{
	int64_t end_ns = walk->ops->start_ns[op];
	int64_t launched_ns = walk->calls->end_ns[walk->ops->call[op]];

	return end_ns - launched_ns >= DP_SHORT_GAP_NS ? launched_ns : end_ns;
}

void dp_gap__split(struct dp_gap *gap, struct dp_gap_walk *walk, int64_t start_ns, size_t op)
{
	int64_t end_ns = walk->ops->start_ns[op], length_ns = end_ns - start_ns, until_ns;
	bool is_copy = walk->ops->kind[op] == DP_OP_COPY;
	uint32_t call = walk->ops->call[op];

	*gap = (struct dp_gap){ .host_end_ns = end_ns };
	if (call == DP_NONE) {
		gap->other_ns = length_ns;
		return;
	}
	gap->late = walk->calls->start_ns[call] > start_ns;
	if (!gap->late && is_copy && walk->calls->end_ns[call] >= end_ns)
		gap->copy_ns = length_ns;
	else if (!gap->late && length_ns < DP_SHORT_GAP_NS)
		gap->launch_ns = length_ns;
	else if (!gap->late)
		gap->other_ns = length_ns;
	if (!gap->late)
		return;
	gap->host_end_ns = host_end_of(walk, op);
	gap->other_ns = end_ns - gap->host_end_ns;
	length_ns -= gap->other_ns;
	end_ns = gap->host_end_ns;
	until_ns = is_copy ? end_ns : DP_MIN(end_ns, walk->calls->start_ns[call]);
	gap->waited_ns = dp_spans_at__length(&walk->waits, start_ns, SLACK_NS);
	gap->sync_ns = dp_spans_at__covered(&walk->syncs, start_ns, until_ns);
	gap->copy_ns = dp_spans_at__covered(&walk->any, start_ns, until_ns) - gap->sync_ns;
	gap->host_ns = length_ns - gap->sync_ns - gap->copy_ns;
	gap->after_ns = explain(walk, gap->host_ns, walk->calls->start_ns[call]);
	/* another thread may wait meanwhile, which is counted already */
	gap->stall_ns = DP_MIN(gap->host_ns, dp_spans_at__covered(&walk->stalls, start_ns, end_ns));
}

struct idle_walk {
	const struct dp_idle_window *window;
	int (*each)(void *ctx, const struct dp_idle *idle);
	void *ctx;
	struct dp_gap_walk gaps;
	struct dp_spans_at syncs; /* separate cursors: those in gaps have moved on already */
	struct dp_spans_at any;
	struct dp_idle piece; /* not passed on yet: the next piece may extend it */
	int stopped;	      /* what each() returned */
	uint32_t process;     /* that the device is of */
	size_t pause;	      /* the first pause that does not end before the current gap */
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

/* Extends the walk's piece to a time, or ends it if the cause differs. */
static void add_piece(struct idle_walk *walk, int64_t end_ns, enum dp_idle_cause cause)
{
	if (walk->piece.cause != cause)
		hand_out(walk);
	walk->piece.cause = cause;
	walk->piece.end_ns = end_ns;
}

/*
 * Cuts a gap whose launch came late: until the launch, calls determine the cause; after the host's
 * part, none is known.
 */
static void cut_late(struct idle_walk *walk, int64_t until_ns, int64_t host_end_ns, int64_t end_ns)
{
	int64_t at_ns = walk->piece.start_ns, next_ns;

	while (at_ns < until_ns) {
		bool sync, any;

		next_ns = until_ns;
		sync = dp_spans_at__inside(&walk->syncs, at_ns, &next_ns);
		any = dp_spans_at__inside(&walk->any, at_ns, &next_ns);
		add_piece(walk, next_ns, sync ? DP_IDLE_SYNC : any ? DP_IDLE_COPY : DP_IDLE_HOST);
		at_ns = next_ns;
	}
	if (at_ns < host_end_ns)
		add_piece(walk, host_end_ns, DP_IDLE_HOST);
	if (host_end_ns < end_ns)
		add_piece(walk, end_ns, DP_IDLE_OTHER);
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
		cut_late(walk,
			 gaps->ops->kind[op] == DP_OP_COPY ? gap.host_end_ns
							   : DP_MIN(gap.host_end_ns, call_ns),
			 gap.host_end_ns, end_ns);
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

static void walk_ops(struct idle_walk *walk, const struct dp_device_timeline *timeline)
{
	const struct dp_ops *ops = walk->gaps.ops;
	int64_t until_ns = INT64_MIN;

	for (size_t i = 0; i < timeline->count && !walk->stopped; i++) {
		size_t op = timeline->rows[i];

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
	struct dp_device_timeline timeline;
	int status = dp_device_timeline__init(&timeline, window->index, window->device, error);
	struct idle_walk walk = {
		.window = window,
		.each = each,
		.ctx = ctx,
		.gaps = dp_gap_walk__begin(&timeline),
		.syncs = { &timeline.syncs, 0 },
		.any = { &timeline.any, 0 },
		.process = device ? device->process : DP_NONE,
	};

	if (!status)
		walk_ops(&walk, &timeline);
	dp_device_timeline__fini(&timeline);
	return status ? status : walk.stopped;
}
