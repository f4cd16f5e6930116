/*
 * What waited for what, as far as a trace shows. An operation waits for its launch, for the
 * previous one on its stream and, if neither explains its start, for the operation of another
 * stream that ended right before. A call waits for the operation that ended, or started, right
 * before it returned; the call of an upload from pageable memory, for its upload. Calls of all
 * launching threads form one timeline, as threads take turns.
 */
#include "activity/replay_model.h"
#include "base/search.h"
#include "stats/stat.h"

#include <stdlib.h>

/*
 * The error of a wait's end: the offset of the host's and the device's clocks, and the way back
 * from the device.
 */
#define SLACK_NS 5000

/* A longer delay of an operation's start needs another explanation. */
#define UNEXPLAINED_NS 3000

/*
 * A launch that takes this long, and returns when another operation starts, waits for room in the
 * queue if it holds at least this many: some 1,000 fit.
 */
#define LONG_LAUNCH_NS 10000
#define FULL_QUEUE 200

/* Longer delays are no measure of a launch's delay; the delay that is assumed without a measure. */
#define USUAL_NS 30000
#define LAUNCH_NS 4000
#define GAP_NS 1000

/* Of events at one time. */
enum rank { RANK_END, RANK_BEGIN, RANK_OP, RANK_LATE_END, RANK_LATE_BEGIN };

void dp_replay_model__fini(struct dp_replay_model *model)
{
	free(model->ops);
	free(model->calls);
	free(model->events);
	*model = (struct dp_replay_model){ 0 };
}

static size_t first_row(const struct dp_device_timeline *timeline, int64_t time_ns)
{
	const int64_t *start_ns = dp_trace_ops(timeline->trace)->start_ns;
	size_t low;

	DP_FIND(low, 0, timeline->count, start_ns[timeline->rows[low]] >= time_ns);
	return low;
}

/* The streams of rows [from, to) of a device: from *first on. Returns their number. */
static size_t streams_of(const struct dp_device_timeline *timeline, size_t from, size_t to,
			 uint32_t *first)
{
	const uint32_t *stream = dp_trace_ops(timeline->trace)->stream;
	uint32_t last = 0;

	*first = UINT32_MAX;
	for (size_t i = from; i < to; i++) {
		*first = DP_MIN(*first, stream[timeline->rows[i]]);
		last = DP_MAX(last, stream[timeline->rows[i]]);
	}
	return from < to ? (size_t)last - *first + 1 : 0;
}

/*
 * Collects the operations from the start of the first iteration up to the first kernel after the
 * last.
 */
static int gather_ops(struct dp_replay_model *model)
{
	const struct dp_replay_input *input = model->input;
	const struct dp_ops *ops = dp_trace_ops(input->timeline->trace);
	size_t from = first_row(input->timeline, input->iterations[input->first].start_ns);
	size_t to = first_row(input->timeline, input->iterations[input->end].start_ns + 1);
	uint32_t first;
	size_t streams, *last;

	if (to - from > DP_REPLAY_MOST)
		return DP_OK;
	streams = streams_of(input->timeline, from, to, &first);
	last = dp_alloc__array(streams, sizeof(*last));
	model->ops = dp_alloc__array(to - from, sizeof(*model->ops));
	if (!last || !model->ops) {
		free(last);
		return DP_ERR_NOMEM;
	}
	for (size_t s = 0; s < streams; s++)
		last[s] = DP_REPLAY_NONE;
	for (size_t i = from; i < to; i++) {
		size_t op = input->timeline->rows[i], at = model->op_count++;

		model->ops[at] = (struct dp_replay_op){ .op = (uint32_t)op,
							.start_ns = ops->start_ns[op],
							.end_ns = ops->end_ns[op],
							.call = DP_REPLAY_NONE,
							.before = last[ops->stream[op] - first],
							.other = DP_REPLAY_NONE };
		last[ops->stream[op] - first] = at;
	}
	free(last);
	return DP_OK;
}

/* Finds the first and the last call that launch these operations. */
static bool find_calls(const struct dp_replay_model *model, uint32_t *first, uint32_t *last)
{
	const struct dp_ops *ops = dp_trace_ops(model->input->timeline->trace);

	*first = DP_NONE;
	*last = 0;
	for (size_t i = 0; i < model->op_count; i++) {
		uint32_t call = ops->call[model->ops[i].op];

		if (call == DP_NONE)
			continue;
		*first = DP_MIN(*first, call);
		*last = DP_MAX(*last, call);
	}
	return *first != DP_NONE;
}

static size_t first_call(const struct dp_device_timeline *timeline, uint32_t call)
{
	size_t low;

	DP_FIND(low, 0, timeline->call_count, timeline->calls[low] >= call);
	return low;
}

/*
 * Adds a call. One inside another of its thread is part of that; until is where the current ones
 * end.
 */
static void add_call(struct dp_replay_model *model, const struct dp_calls *calls, size_t call,
		     size_t *latest, int64_t *until_ns)
{
	struct dp_replay_call *at;

	if (calls->end_ns[call] <= until_ns[calls->thread[call]])
		return;
	until_ns[calls->thread[call]] = calls->end_ns[call];
	at = &model->calls[model->call_count];
	*at = (struct dp_replay_call){ .call = call,
				       .start_ns = calls->start_ns[call],
				       .end_ns = calls->end_ns[call],
				       .before = *latest,
				       .wait_for = DP_REPLAY_NONE,
				       .launches = DP_REPLAY_NONE };
	if (*latest != DP_REPLAY_NONE && at->start_ns < model->calls[*latest].end_ns) {
		at->overlaps = true;
		at->before = model->call_count - 1;
	}
	if (*latest == DP_REPLAY_NONE || at->end_ns > model->calls[*latest].end_ns)
		*latest = model->call_count;
	model->call_count++;
}

static int gather_calls(struct dp_replay_model *model)
{
	const struct dp_device_timeline *timeline = model->input->timeline;
	const struct dp_calls *calls = dp_trace_calls(timeline->trace);
	size_t latest = DP_REPLAY_NONE, from, to;
	int64_t *until_ns;
	uint32_t first, last;

	if (!find_calls(model, &first, &last))
		return DP_OK;
	from = first_call(timeline, first);
	to = first_call(timeline, last + 1);
	if (to - from > DP_REPLAY_MOST) {
		model->op_count = 0;
		return DP_OK;
	}
	model->calls = dp_alloc__array(to - from, sizeof(*model->calls));
	until_ns = dp_trace_index__times(timeline->index);
	if (!model->calls || !until_ns) {
		free(until_ns);
		return DP_ERR_NOMEM;
	}
	for (size_t i = from; i < to; i++)
		add_call(model, calls, timeline->calls[i], &latest, until_ns);
	free(until_ns);
	return DP_OK;
}

/* The model's call that is, or encloses, a call; none for other threads. */
static size_t node_of(const struct dp_replay_model *model, size_t call)
{
	const struct dp_calls *calls = dp_trace_calls(model->input->timeline->trace);
	size_t low;

	DP_FIND(low, 0, model->call_count, model->calls[low].call > call);
	while (low-- > 0)
		if (calls->thread[model->calls[low].call] == calls->thread[call])
			return calls->end_ns[call] <= model->calls[low].end_ns ? low
									       : DP_REPLAY_NONE;
	return DP_REPLAY_NONE;
}

static void link_ops(struct dp_replay_model *model)
{
	const struct dp_ops *ops = dp_trace_ops(model->input->timeline->trace);

	for (size_t i = 0; i < model->op_count; i++) {
		struct dp_replay_op *at = &model->ops[i];
		uint32_t call = ops->call[at->op];

		at->call = call != DP_NONE && model->call_count ? node_of(model, call)
								: DP_REPLAY_NONE;
		/* clocks that disagree this much are no evidence */
		if (at->call != DP_REPLAY_NONE && model->calls[at->call].start_ns > at->start_ns)
			at->call = DP_REPLAY_NONE;
		if (at->call == DP_REPLAY_NONE)
			continue;
		at->from_begin = model->calls[at->call].end_ns >= at->start_ns;
		model->calls[at->call].launches = i;
	}
}

static int64_t launched_ns(const struct dp_replay_model *model, const struct dp_replay_op *at)
{
	const struct dp_replay_call *call;

	if (at->call == DP_REPLAY_NONE)
		return INT64_MIN;
	call = &model->calls[at->call];
	return at->from_begin ? call->start_ns : call->end_ns;
}

static int64_t free_ns(const struct dp_replay_model *model, const struct dp_replay_op *at)
{
	return at->before == DP_REPLAY_NONE ? INT64_MIN : model->ops[at->before].end_ns;
}

static int64_t median_of(double *values, size_t count, int64_t without)
{
	return count ? (int64_t)dp_stat__median(values, count) : without;
}

/* Measures how long launches take to arrive, streams to continue, and the host between calls. */
static int measure_delays(struct dp_replay_model *model, int64_t *launch_ns)
{
	double *values =
		dp_alloc__array(DP_MAX(model->op_count, model->call_count), sizeof(*values));
	size_t used = 0;

	if (!values)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < model->op_count; i++) {
		const struct dp_replay_op *at = &model->ops[i];
		int64_t launched = launched_ns(model, at);

		if (!at->from_begin && launched > free_ns(model, at) &&
		    at->start_ns - launched < USUAL_NS)
			values[used++] = (double)(at->start_ns - launched);
	}
	*launch_ns = median_of(values, used, LAUNCH_NS);
	used = 0;
	for (size_t i = 0; i < model->op_count; i++) {
		const struct dp_replay_op *at = &model->ops[i];
		int64_t freed = free_ns(model, at);

		if (freed != INT64_MIN && launched_ns(model, at) + *launch_ns < freed &&
		    at->start_ns >= freed && at->start_ns - freed < USUAL_NS)
			values[used++] = (double)(at->start_ns - freed);
	}
	model->gap_ns = median_of(values, used, GAP_NS);
	used = 0;
	for (size_t i = 0; i < model->call_count; i++)
		if (model->calls[i].before != DP_REPLAY_NONE && !model->calls[i].overlaps)
			values[used++] = (double)(model->calls[i].start_ns -
						  model->calls[model->calls[i].before].end_ns);
	/* of an even number the lower median: every other call may follow work of the host */
	model->think_ns = used ? (int64_t)dp_stat__select(values, used, (used - 1) / 2) : 0;
	free(values);
	return DP_OK;
}

static int by_end(const void *a, const void *b)
{
	const struct dp_replay_event *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Sorts operations by their ends. */
static struct dp_replay_event *sort_ends(const struct dp_replay_model *model)
{
	struct dp_replay_event *ends = dp_alloc__array(model->op_count, sizeof(*ends));

	for (size_t i = 0; ends && i < model->op_count; i++)
		ends[i] = (struct dp_replay_event){ .time_ns = model->ops[i].end_ns,
						    .index = (uint32_t)i };
	if (ends)
		qsort(ends, model->op_count, sizeof(*ends), by_end);
	return ends;
}

/* The number of operations that end no later than a time. */
static size_t count_ends(const struct dp_replay_event *ends, size_t count, int64_t time_ns)
{
	size_t low;

	DP_FIND(low, 0, count, ends[low].time_ns > time_ns);
	return low;
}

/* The last of them; none if there is none. */
static size_t last_end(const struct dp_replay_event *ends, size_t count, int64_t time_ns)
{
	size_t found = count_ends(ends, count, time_ns);

	return found ? ends[found - 1].index : DP_REPLAY_NONE;
}

/* The last operation that starts no later than a time; operations are in order of start. */
static size_t last_start(const struct dp_replay_model *model, int64_t time_ns)
{
	size_t low;

	DP_FIND(low, 0, model->op_count, model->ops[low].start_ns > time_ns);
	return low ? low - 1 : DP_REPLAY_NONE;
}

static bool is_longer(const struct dp_replay_op *a, const struct dp_replay_op *b)
{
	return a->end_ns - a->start_ns > b->end_ns - b->start_ns;
}

/*
 * The operation of another stream that ended last before one began, unless the latter's own launch
 * and stream explain its start. Of several that ended at about that time, the longest: a stream of
 * short ones always has one that just ended.
 */
static int64_t find_other(const struct dp_replay_model *model, struct dp_replay_op *at,
			  const struct dp_replay_event *ends, int64_t reason_ns)
{
	const struct dp_replay_op *ops = model->ops, *found = NULL;
	size_t i = count_ends(ends, model->op_count, at->start_ns);

	if (reason_ns != INT64_MIN && at->start_ns - reason_ns <= UNEXPLAINED_NS)
		return INT64_MIN;
	for (; i && (!found || at->start_ns - ends[i - 1].time_ns <= UNEXPLAINED_NS); i--) {
		const struct dp_replay_op *op = &ops[ends[i - 1].index];

		if (op->end_ns <= reason_ns)
			break;
		if (op->start_ns < at->start_ns && (!found || is_longer(op, found)))
			found = op;
		else if (!found)
			break;
	}
	if (!found)
		return INT64_MIN;
	at->other = (size_t)(found - ops);
	return found->end_ns;
}

/*
 * Explains what an operation waits for, and the delay after it: for the last of its reasons, the
 * delay until it started; for the others, the typical one.
 */
static void explain_op(const struct dp_replay_model *model, struct dp_replay_op *at,
		       const struct dp_replay_event *ends, int64_t launch_ns)
{
	int64_t launched = launched_ns(model, at), freed = free_ns(model, at);
	int64_t other = find_other(model, at, ends, DP_MAX(launched, freed));

	if (at->from_begin)
		launch_ns += LAUNCH_NS;
	if (launched != INT64_MIN)
		at->launch_ns = DP_MIN(launch_ns, at->start_ns - launched);
	if (freed != INT64_MIN)
		at->before_ns = DP_MIN(model->gap_ns, at->start_ns - freed);
	if (other != INT64_MIN)
		at->other_ns = at->start_ns - other;
	else if (launched != INT64_MIN && launched >= freed)
		at->launch_ns = at->start_ns - launched;
	else if (freed != INT64_MIN)
		at->before_ns = at->start_ns - freed;
}

/* A launch that waited for room in the queue returned when an operation started. */
static void explain_launch(const struct dp_replay_model *model, struct dp_replay_call *at)
{
	size_t found = last_start(model, at->end_ns);

	if (found == DP_REPLAY_NONE || at->launches == DP_REPLAY_NONE ||
	    at->end_ns - at->start_ns < LONG_LAUNCH_NS || found + FULL_QUEUE > at->launches ||
	    model->ops[found].start_ns <= at->start_ns ||
	    at->end_ns - model->ops[found].start_ns > SLACK_NS)
		return;
	at->wait_for = found;
	at->wait_start = true;
}

/* Returns true if an operation ended during a call, which thus may have waited for it. */
static bool let_return(const struct dp_replay_model *model, const struct dp_replay_call *at,
		       size_t op)
{
	return op != DP_REPLAY_NONE && model->ops[op].start_ns < at->end_ns &&
	       model->ops[op].end_ns > at->start_ns &&
	       model->ops[op].end_ns <= at->end_ns + SLACK_NS;
}

bool dp_replay_model__is_pageable(const struct dp_ops *ops, size_t op)
{
	return dp_op__host_memory(ops, op) == DP_MEMORY_PAGEABLE;
}

/*
 * An upload from pageable memory returns once the last of it is staged, before the copy ends: in
 * 420 copies of more than 4 MB, by 55 us in the median and 1 ms at most, always less than half of
 * the copy. If most of it was copied within the call, the call waited for that. A short copy may
 * just start on the device while its call returns.
 */
static bool let_return_early(const struct dp_replay_model *model, const struct dp_replay_call *at)
{
	const struct dp_ops *ops = dp_trace_ops(model->input->timeline->trace);
	const struct dp_replay_op *own = &model->ops[at->launches];

	return ops->copy_kind[own->op] == DP_COPY_HTOD &&
	       dp_replay_model__is_pageable(ops, own->op) && own->end_ns > at->end_ns &&
	       at->end_ns - own->start_ns > own->end_ns - at->end_ns;
}

/* Explains what let a call return: for a copy, its own operation; else the one that ended last. */
static void explain_call(const struct dp_replay_model *model, struct dp_replay_call *at,
			 const struct dp_replay_event *ends)
{
	const struct dp_device_timeline *timeline = model->input->timeline;
	uint8_t kind = dp_trace_calls(timeline->trace)->kind[at->call];
	size_t found = at->launches;

	if (kind == DP_CALL_COPY && found != DP_REPLAY_NONE && let_return_early(model, at)) {
		at->wait_for = found;
		return;
	}
	if (kind == DP_CALL_COPY && timeline->inside[at->call]) {
		if (!let_return(model, at, found))
			found = last_end(ends, model->op_count, at->end_ns + SLACK_NS);
	} else if (kind == DP_CALL_SYNC) {
		/* a call that returned at once did not wait: that something ended then is chance */
		if (at->end_ns - at->start_ns < SLACK_NS)
			return;
		found = last_end(ends, model->op_count, at->end_ns + SLACK_NS);
	} else {
		explain_launch(model, at);
		return;
	}
	if (let_return(model, at, found))
		at->wait_for = found;
}

/* Marks the host time, waits and stalls that cause a gap. */
static void mark_gap(struct dp_replay_model *model, const struct dp_replay_gap *gap, size_t *next)
{
	const struct dp_ops *ops = dp_trace_ops(model->input->timeline->trace);
	const struct dp_calls *calls = dp_trace_calls(model->input->timeline->trace);
	uint32_t call = ops->call[gap->op];
	int64_t until_ns = call == DP_NONE ? ops->start_ns[gap->op]
					   : DP_MIN(ops->start_ns[gap->op], calls->start_ns[call]);

	while (*next > 0 && model->calls[*next - 1].end_ns > gap->start_ns - SLACK_NS)
		(*next)--;
	while (*next < model->call_count && model->calls[*next].end_ns < gap->start_ns - SLACK_NS)
		(*next)++;
	for (size_t i = *next; i < model->call_count; i++) {
		struct dp_replay_call *at = &model->calls[i];
		int64_t from_ns = at->before == DP_REPLAY_NONE || at->overlaps
					  ? at->start_ns
					  : model->calls[at->before].end_ns;

		if (from_ns >= until_ns && at->start_ns > until_ns)
			break;
		if (gap->inside && at->wait_for != DP_REPLAY_NONE &&
		    at->start_ns <= gap->start_ns + SLACK_NS)
			at->inside = true;
		if (at->end_ns > gap->start_ns && at->start_ns < until_ns)
			at->stalls = true;
		if (at->start_ns <= gap->start_ns)
			continue;
		at->input |= gap->input;
		at->host |= !gap->input;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct dp_replay_event *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

/* Returns true if a call returns just when the operation starts that it waits for. */
static bool is_late(const struct dp_replay_model *model, const struct dp_replay_call *at)
{
	return at->wait_start && model->ops[at->wait_for].start_ns == at->end_ns;
}

static uint32_t begin_rank(const struct dp_replay_model *model, const struct dp_replay_call *at)
{
	const struct dp_replay_call *before;

	if (at->before == DP_REPLAY_NONE)
		return RANK_BEGIN;
	before = &model->calls[at->before];
	return is_late(model, before) && before->end_ns == at->start_ns ? RANK_LATE_BEGIN
									: RANK_BEGIN;
}

static int make_events(struct dp_replay_model *model)
{
	size_t used = 0;

	model->event_count = model->op_count + 2 * model->call_count;
	model->events = dp_alloc__array(model->event_count, sizeof(*model->events));
	if (!model->events)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < model->op_count; i++)
		model->events[used++] = (struct dp_replay_event){ model->ops[i].start_ns, RANK_OP,
								  DP_REPLAY_OP, (uint32_t)i };
	for (size_t i = 0; i < model->call_count; i++) {
		const struct dp_replay_call *at = &model->calls[i];

		uint32_t begin = begin_rank(model, at), end = RANK_END;

		if (is_late(model, at))
			end = RANK_LATE_END;
		else if (at->end_ns == at->start_ns)
			end = begin;
		model->events[used++] =
			(struct dp_replay_event){ at->start_ns, begin, DP_REPLAY_CALL_BEGINS,
						  (uint32_t)i };
		model->events[used++] =
			(struct dp_replay_event){ at->end_ns, end, DP_REPLAY_CALL_ENDS,
						  (uint32_t)i };
	}
	qsort(model->events, model->event_count, sizeof(*model->events), by_time);
	return DP_OK;
}

int dp_replay_model__init(struct dp_replay_model *model, const struct dp_replay_input *input)
{
	struct dp_replay_event *ends = NULL;
	int64_t launch_ns;
	size_t next = 0;

	*model = (struct dp_replay_model){ .input = input };
	if (gather_ops(model) || gather_calls(model))
		return DP_ERR_NOMEM;
	if (!model->op_count)
		return DP_OK;
	link_ops(model);
	ends = sort_ends(model);
	if (!ends || measure_delays(model, &launch_ns)) {
		free(ends);
		return DP_ERR_NOMEM;
	}
	for (size_t i = 0; i < model->op_count; i++)
		explain_op(model, &model->ops[i], ends, launch_ns);
	for (size_t i = 0; i < model->call_count; i++)
		explain_call(model, &model->calls[i], ends);
	for (size_t i = 0; i < input->gaps->count; i++)
		mark_gap(model, &input->gaps->gaps[i], &next);
	free(ends);
	return make_events(model);
}

bool dp_replay_run__is_comm(const struct dp_replay_run *run, uint32_t op)
{
	const struct dp_device_timeline *timeline = run->model->input->timeline;
	uint32_t name = dp_trace_ops(timeline->trace)->name[op];

	return dp_op_is_kernel(dp_trace_ops(timeline->trace)->kind[op]) && name != DP_NONE &&
	       timeline->index->is_comm[name];
}

/* The operation that an iteration begins with. */
size_t dp_replay_model__op_at(const struct dp_replay_model *model, int64_t time_ns)
{
	size_t low;

	DP_FIND(low, 0, model->op_count, model->ops[low].start_ns >= time_ns);
	while (low + 1 < model->op_count && model->ops[low + 1].start_ns == time_ns &&
	       !dp_op_is_kernel(
		       dp_trace_ops(model->input->timeline->trace)->kind[model->ops[low].op]))
		low++;
	return low;
}
