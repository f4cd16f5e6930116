/*
 * Replays iterations with a part removed or hidden, after Daydream (Zhu et al., USENIX ATC 2020)
 * and dPRO (Hu et al., MLSys 2022): events run in their original order, each when the last one that
 * it waits for is over. The critical path consists of those last events, backwards from the end
 * (HTA, "critical path analysis").
 */
#include "activity/periods.h"
#include "activity/replay.h"
#include "activity/replay_model.h"
#include "stats/trend.h"

#include <math.h>
#include <stdlib.h>

/* Most iterations that are replayed: host and device reach their balance in a few. */
#define ITERATIONS 12

/* The duration of a call that no longer waits. */
#define QUICK_NS 2000

/*
 * Larger uploads from pageable memory are staged: the host copies them to pinned memory in the call
 * (CUDA, "API synchronization behavior"); smaller ones are asynchronous ("Asynchronous concurrent
 * execution").
 */
#define STAGED_BYTES 65536

/* The duration of an operation in this run. */
static int64_t length_of(const struct dp_replay_run *run, const struct dp_replay_op *at)
{
	const struct dp_ops *ops = dp_trace_ops(run->model->input->timeline->trace);
	int64_t length_ns = at->end_ns - at->start_ns;

	if (run->change == DP_REPLAY_PEERS && dp_replay_run__is_comm(run, at->op))
		return 0;
	if (ops->kind[at->op] != DP_OP_COPY)
		return length_ns;
	if (run->change == DP_REPLAY_UPLOADS && dp_op__is_upload(ops, at->op))
		return 0;
	if (run->change == DP_REPLAY_REPEATED && dp_op__is_upload(ops, at->op))
		return (int64_t)((double)length_ns *
				 (1 - fmin(1, run->model->input->repeated_share)));
	if (run->change == DP_REPLAY_DEVICE_COPIES && ops->copy_kind[at->op] == DP_COPY_DTOD)
		return 0;
	if (run->change == DP_REPLAY_PAGEABLE && dp_replay_model__is_pageable(ops, at->op) &&
	    dp_op__gains_from_pinned(ops, at->op))
		return (int64_t)((double)length_ns / DP_PINNED_SPEED);
	return length_ns;
}

static void wait_until(int64_t *time_ns, struct dp_replay_cause *cause, int64_t until_ns,
		       enum dp_replay_reason reason, size_t index)
{
	if (until_ns < *time_ns)
		return;
	*time_ns = until_ns;
	*cause = (struct dp_replay_cause){ (uint8_t)reason, index };
}

static void keep(struct dp_replay_cause *causes, size_t index, const struct dp_replay_cause *cause)
{
	if (causes)
		causes[index] = *cause;
}

/*
 * Returns true for communication that is hidden: it has a stream of its own, which nothing waits
 * for.
 */
static bool is_hidden(const struct dp_replay_run *run, size_t op)
{
	return (run->change == DP_REPLAY_COMMUNICATION || run->change == DP_REPLAY_PEERS) &&
	       dp_replay_run__is_comm(run, run->model->ops[op].op);
}

/* The previous operation of the stream that is not hidden. */
static size_t before_of(const struct dp_replay_run *run, size_t op)
{
	size_t before = run->model->ops[op].before;

	return before == DP_REPLAY_NONE ? before : run->seen[before];
}

static void run_op(struct dp_replay_run *run, size_t index)
{
	const struct dp_replay_op *at = &run->model->ops[index];
	struct dp_replay_cause cause = { REASON_NONE, 0 };
	int64_t start_ns = INT64_MIN;
	size_t before = before_of(run, index);

	run->seen[index] = is_hidden(run, index) ? before : index;
	if (before != DP_REPLAY_NONE)
		wait_until(&start_ns, &cause, run->op_end[before] + at->before_ns, REASON_OP,
			   before);
	if (at->other != DP_REPLAY_NONE && !is_hidden(run, at->other))
		wait_until(&start_ns, &cause, run->op_end[at->other] + at->other_ns, REASON_OP,
			   at->other);
	if (at->call != DP_REPLAY_NONE && at->from_begin)
		wait_until(&start_ns, &cause, run->call_start[at->call] + at->launch_ns,
			   REASON_CALL_BEGIN, at->call);
	else if (at->call != DP_REPLAY_NONE && run->change != DP_REPLAY_LAUNCHES)
		wait_until(&start_ns, &cause, run->call_end[at->call] + at->launch_ns, REASON_CALL,
			   at->call);
	if (is_hidden(run, index))
		start_ns = DP_MAX(start_ns, run->comm_end);
	run->op_start[index] = start_ns == INT64_MIN ? at->start_ns : start_ns;
	run->op_end[index] = run->op_start[index] + length_of(run, at);
	if (is_hidden(run, index))
		run->comm_end = run->op_end[index];
	keep(run->op_cause, index, &cause);
}

/* Returns true if a call is removed; copies within the device go with their calls. */
static bool is_removed(const struct dp_replay_run *run, const struct dp_replay_call *at)
{
	const struct dp_ops *ops = dp_trace_ops(run->model->input->timeline->trace);
	size_t op;

	if (run->change != DP_REPLAY_DEVICE_COPIES || at->launches == DP_REPLAY_NONE)
		return false;
	op = run->model->ops[at->launches].op;
	return ops->kind[op] == DP_OP_COPY && ops->copy_kind[op] == DP_COPY_DTOD;
}

/* Returns true for a call that stages an upload, which the pinned memory of this run avoids. */
static bool is_staging(const struct dp_replay_run *run, const struct dp_replay_call *at)
{
	const struct dp_ops *ops = dp_trace_ops(run->model->input->timeline->trace);
	uint32_t op;

	if (run->change != DP_REPLAY_PAGEABLE || at->launches == DP_REPLAY_NONE)
		return false;
	op = run->model->ops[at->launches].op;
	return dp_op__is_upload(ops, op) && dp_replay_model__is_pageable(ops, op) &&
	       ops->bytes[op] > STAGED_BYTES;
}

/* Host time before a call. */
static int64_t think_of(const struct dp_replay_run *run, const struct dp_replay_call *at)
{
	int64_t think_ns = at->start_ns - run->model->calls[at->before].end_ns;

	if ((run->change == DP_REPLAY_LAUNCHES && !at->input) || is_removed(run, at))
		return 0;
	if ((run->change == DP_REPLAY_INPUT && at->input) ||
	    (run->change == DP_REPLAY_HOST && at->host))
		return DP_MIN(think_ns, run->model->think_ns);
	return think_ns;
}

static void begin_call(struct dp_replay_run *run, size_t index)
{
	const struct dp_replay_call *at = &run->model->calls[index];
	const struct dp_replay_call *calls = run->model->calls;
	struct dp_replay_cause cause = { REASON_NONE, 0 };
	int64_t start_ns = INT64_MIN;

	if (at->before == DP_REPLAY_NONE)
		start_ns = at->start_ns;
	else if (at->overlaps)
		wait_until(&start_ns, &cause,
			   run->call_start[at->before] + at->start_ns - calls[at->before].start_ns,
			   REASON_CALL_BEGIN, at->before);
	else
		wait_until(&start_ns, &cause, run->call_end[at->before] + think_of(run, at),
			   REASON_CALL, at->before);
	run->call_start[index] = start_ns;
	keep(run->start_cause, index, &cause);
}

/* Returns true if a call returns without its wait. */
static bool is_freed(const struct dp_replay_run *run, const struct dp_replay_call *at)
{
	const struct dp_device_timeline *timeline = run->model->input->timeline;
	const struct dp_ops *ops = dp_trace_ops(timeline->trace);
	uint32_t op = run->model->ops[at->wait_for].op;
	bool follows = timeline->index->waited[at->call] || at->wait_for == at->launches;

	switch (run->change) {
	case DP_REPLAY_WAITS:
		return !at->wait_start;
	case DP_REPLAY_INNER_WAITS:
		return at->inside && !at->wait_start;
	case DP_REPLAY_UPLOADS:
		return dp_op__is_upload(ops, op) && !at->wait_start;
	case DP_REPLAY_PAGEABLE:
		return follows && dp_replay_model__is_pageable(ops, op) &&
		       dp_op__is_upload(ops, op);
	case DP_REPLAY_BLOCKING:
		return ops->kind[op] == DP_OP_COPY && !dp_replay_model__is_pageable(ops, op) &&
		       !at->wait_start;
	default:
		return false;
	}
}

static void end_call(struct dp_replay_run *run, size_t index)
{
	const struct dp_replay_call *at = &run->model->calls[index];
	int64_t length_ns = at->end_ns - at->start_ns, end_ns = INT64_MIN, until_ns;
	struct dp_replay_cause cause = { REASON_NONE, 0 };
	const struct dp_replay_op *op;
	bool stalls = run->change == DP_REPLAY_STALLS && at->stalls;

	if (run->change == DP_REPLAY_LAUNCHES || stalls || is_staging(run, at) ||
	    at->wait_for != DP_REPLAY_NONE)
		length_ns = DP_MIN(length_ns, QUICK_NS);
	if (is_removed(run, at))
		length_ns = 0;
	wait_until(&end_ns, &cause, run->call_start[index] + length_ns, REASON_CALL_BEGIN, index);
	if (at->wait_for != DP_REPLAY_NONE && !is_freed(run, at)) {
		op = &run->model->ops[at->wait_for];
		until_ns = at->wait_start ? run->op_start[at->wait_for] + at->end_ns - op->start_ns
					  : run->op_end[at->wait_for] + at->end_ns - op->end_ns;
		wait_until(&end_ns, &cause, until_ns, at->wait_start ? REASON_OP_START : REASON_OP,
			   at->wait_for);
	}
	run->call_end[index] = end_ns;
	keep(run->end_cause, index, &cause);
}

static void run_events(struct dp_replay_run *run, enum dp_replay_change change)
{
	run->change = change;
	run->comm_end = INT64_MIN;
	for (size_t i = 0; i < run->model->op_count; i++) {
		run->op_start[i] = run->model->ops[i].start_ns;
		run->op_end[i] = run->model->ops[i].end_ns;
	}
	for (size_t i = 0; i < run->model->call_count; i++) {
		run->call_start[i] = run->model->calls[i].start_ns;
		run->call_end[i] = run->model->calls[i].end_ns;
	}
	for (size_t i = 0; i < run->model->event_count; i++) {
		const struct dp_replay_event *event = &run->model->events[i];

		if (event->kind == DP_REPLAY_OP)
			run_op(run, event->index);
		else if (event->kind == DP_REPLAY_CALL_BEGINS)
			begin_call(run, event->index);
		else
			end_call(run, event->index);
	}
}

/* The beginning of the second half, in which host and device have found their balance. */
static size_t measured_first(const struct dp_replay_input *input)
{
	size_t count = input->end - input->first;

	return input->first + (count >= 4 ? count / 2 : 0);
}

/* The operations of the iterations that are measured: from *first on, before *last. */
static void measured_ops(const struct dp_replay_model *model, size_t *first, size_t *last)
{
	const struct dp_replay_input *input = model->input;

	*first = dp_replay_model__op_at(model, input->iterations[measured_first(input)].start_ns);
	*last = dp_replay_model__op_at(model, input->iterations[input->end].start_ns);
}

/* The mean of a time of these iterations. */
static double per_iteration(const struct dp_replay_input *input, int64_t time_ns)
{
	return (double)time_ns / (double)(input->end - measured_first(input));
}

static double period_of(const struct dp_replay_run *run)
{
	size_t first, last;

	measured_ops(run->model, &first, &last);
	return per_iteration(run->model->input, run->op_start[last] - run->op_start[first]);
}

static int64_t add_work(struct dp_replay_work *work, int64_t start_ns, int64_t end_ns)
{
	work->busy_ns += DP_MAX(0, end_ns - DP_MAX(start_ns, work->until_ns));
	work->until_ns = DP_MAX(work->until_ns, end_ns);
	return work->busy_ns;
}

/* How long uploads take that a stream of their own makes in this run. */
static int64_t uploads_of(const struct dp_replay_run *run, size_t first, size_t last)
{
	const struct dp_ops *ops = dp_trace_ops(run->model->input->timeline->trace);
	struct dp_replay_work uploads = { 0, INT64_MIN };

	for (size_t i = first; i < last && run->change == DP_REPLAY_UPLOADS; i++)
		if (dp_op__is_upload(ops, run->model->ops[i].op))
			add_work(&uploads, run->model->ops[i].start_ns, run->model->ops[i].end_ns);
	return uploads.busy_ns;
}

/*
 * How long the busiest stream is busy in a period. The main stream is in each, but another one may
 * fall behind in a few iterations that nothing lets wait for it. It cannot do so forever.
 */
static double work_of(const struct dp_replay_run *run)
{
	struct dp_replay_work *work = run->work, hidden = { 0, INT64_MIN };
	int64_t most_ns;
	size_t first, last;

	measured_ops(run->model, &first, &last);
	most_ns = uploads_of(run, first, last);
	for (size_t i = first; i < last; i++) {
		size_t before = before_of(run, i);
		struct dp_replay_work *at = is_hidden(run, i) ? &hidden : &work[i];

		if (at != &hidden)
			*at = before != DP_REPLAY_NONE && before >= first
				      ? work[before]
				      : (struct dp_replay_work){ 0, INT64_MIN };
		most_ns = DP_MAX(most_ns, add_work(at, run->op_start[i], run->op_end[i]));
	}
	return per_iteration(run->model->input, most_ns);
}

/*
 * The host's time between calls that a change takes from the launching threads in a period: work
 * that is moved to other threads takes as long there.
 */
static double moved_of(const struct dp_replay_run *run)
{
	const struct dp_replay_model *model = run->model;
	int64_t sum_ns = 0, from_ns, to_ns;
	size_t first, last;

	measured_ops(model, &first, &last);
	from_ns = model->ops[first].start_ns;
	to_ns = model->ops[last].start_ns;
	for (size_t i = 0; i < model->call_count; i++) {
		const struct dp_replay_call *at = &model->calls[i];

		if (at->before != DP_REPLAY_NONE && !at->overlaps && at->start_ns > from_ns &&
		    at->start_ns <= to_ns)
			sum_ns +=
				at->start_ns - model->calls[at->before].end_ns - think_of(run, at);
	}
	return per_iteration(model->input, sum_ns);
}

static int by_start(const void *a, const void *b)
{
	const struct dp_replay_span *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* How long nothing runs in a period, except what is hidden. */
static double idle_of(const struct dp_replay_run *run)
{
	struct dp_replay_span *spans = run->spans;
	int64_t idle_ns = 0, until_ns, end_ns;
	size_t first, last, count = 0;
	bool in_order = true;

	measured_ops(run->model, &first, &last);
	until_ns = run->op_start[first];
	end_ns = run->op_start[last];
	for (size_t i = 0; i < run->model->op_count; i++) {
		if (is_hidden(run, i) || run->op_start[i] >= end_ns || run->op_end[i] <= until_ns)
			continue;
		spans[count] = (struct dp_replay_span){ run->op_start[i], run->op_end[i] };
		in_order &= !count || spans[count - 1].start_ns <= spans[count].start_ns;
		count++;
	}
	/* as those of a single stream are */
	if (!in_order)
		qsort(spans, count, sizeof(*spans), by_start);
	for (size_t i = 0; i < count; i++) {
		idle_ns += DP_MAX(0, spans[i].start_ns - until_ns);
		until_ns = DP_MAX(until_ns, spans[i].end_ns);
	}
	return per_iteration(run->model->input, idle_ns + DP_MAX(0, end_ns - until_ns));
}

static int run_init(struct dp_replay_run *run, const struct dp_replay_model *model)
{
	*run = (struct dp_replay_run){ .model = model };
	run->op_start = dp_alloc__array(2 * model->op_count, sizeof(*run->op_start));
	run->call_start = dp_alloc__array(2 * model->call_count, sizeof(*run->call_start));
	run->work = dp_alloc__array(model->op_count, sizeof(*run->work));
	run->spans = dp_alloc__array(model->op_count, sizeof(*run->spans));
	run->seen = dp_alloc__array(model->op_count, sizeof(*run->seen));
	run->op_cause =
		dp_alloc__zeroed(model->op_count + 2 * model->call_count, sizeof(*run->op_cause));
	if (!run->op_start || !run->call_start || !run->work || !run->spans || !run->seen ||
	    !run->op_cause)
		return DP_ERR_NOMEM;
	run->op_end = run->op_start + model->op_count;
	run->call_end = run->call_start + model->call_count;
	run->start_cause = run->op_cause + model->op_count;
	run->end_cause = run->start_cause + model->call_count;
	return DP_OK;
}

static int run_all(struct dp_replay *replay, struct dp_replay_run *run)
{
	struct dp_replay_cause *causes = run->op_cause;
	int status;

	run_events(run, DP_REPLAY_NOTHING);
	replay->period_ns = period_of(run);
	status = dp_replay_path__find(replay, run);
	run->op_cause = run->start_cause = run->end_cause = NULL;
	for (int change = 0; change < DP_REPLAY_CHANGES; change++) {
		run_events(run, (enum dp_replay_change)change);
		replay->work_ns[change] = fmin(work_of(run), replay->period_ns);
		replay->without_ns[change] =
			fmin(fmax(period_of(run), replay->work_ns[change]), replay->period_ns);
		replay->moved_ns[change] = moved_of(run);
		replay->idle_ns[change] = idle_of(run);
	}
	run->op_cause = causes;
	return status;
}

void dp_replay__init(struct dp_replay *replay)
{
	replay->period_ns = (double)NAN;
	replay->measured_first = replay->measured_end = 0;
	for (size_t i = 0; i < DP_REPLAY_CHANGES; i++)
		replay->without_ns[i] = replay->work_ns[i] = replay->moved_ns[i] =
			replay->idle_ns[i] = (double)NAN;
	replay->path = NULL;
	replay->path_count = replay->path_first = replay->path_end = 0;
}

void dp_replay__fini(struct dp_replay *replay)
{
	free(replay->path);
	dp_replay__init(replay);
}

int dp_replay__run(struct dp_replay *replay, const struct dp_replay_input *input)
{
	struct dp_replay_model model;
	struct dp_replay_run run = { 0 };
	int status = dp_replay_model__init(&model, input);

	dp_replay__init(replay);
	replay->measured_first = measured_first(input);
	replay->measured_end = input->end;
	if (!status && model.op_count)
		status = run_init(&run, &model);
	if (!status && model.op_count)
		status = run_all(replay, &run);
	free(run.op_start);
	free(run.call_start);
	free(run.work);
	free(run.spans);
	free(run.seen);
	free(run.op_cause);
	dp_replay_model__fini(&model);
	return status;
}

bool dp_replay__choose(size_t *first, size_t *end, const struct dp_iteration *iterations,
		       size_t count, double *scratch)
{
	size_t used = 0, begin = 0, best = 0;
	double limit;

	for (size_t k = 0; k < count; k++)
		if (!isnan(dp_period__steady_ns(iterations, count, k)))
			scratch[used++] = dp_period__steady_ns(iterations, count, k);
	limit = dp_outlier__limit(scratch, used);
	for (size_t k = 0; k < count && best < ITERATIONS; k++) {
		double period_ns = dp_period__steady_ns(iterations, count, k);

		if (isnan(period_ns) || period_ns > limit) {
			begin = k + 1;
		} else if (k + 1 - begin > best) {
			best = k + 1 - begin;
			*first = begin;
			*end = k + 1;
		}
	}
	return best > 0;
}
