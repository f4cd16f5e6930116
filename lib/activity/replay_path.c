/*
 * The critical path of a run: from the end of the iterations backwards, always to the event that
 * was waited for last (HTA, "critical path analysis"). It has no gaps, so its parts sum up to the
 * period.
 */
#include "activity/replay_model.h"

#include <string.h>

#include <stdlib.h>

/* A place on the path: the begin of an operation or a call, or a call's end. */
struct place {
	enum dp_replay_kind kind;
	size_t index;
	int64_t time_ns;
};

/* Time of one part and name. */
struct piece {
	uint32_t name;
	const char *text; /* of the name, for sums of pieces */
	enum dp_path_part part;
	int64_t ns;
};

struct walk {
	const struct dp_replay_run *run;
	const struct dp_trace *trace;
	int64_t least_ns; /* where the path ends */
	struct piece *pieces;
	size_t count;
	size_t room;
	int status;
};

static enum dp_path_part part_of(const struct walk *walk, size_t op)
{
	uint32_t at = walk->run->model->ops[op].op;

	if (!dp_op_is_kernel(dp_trace_ops(walk->trace)->kind[at]))
		return DP_PATH_COPIES;
	return dp_replay_run__is_comm(walk->run, at) ? DP_PATH_COMMUNICATION : DP_PATH_COMPUTE;
}

/* The operator that makes a call, or DP_NONE. */
static uint32_t owner_of(const struct walk *walk, uint32_t call)
{
	const struct dp_attribution *attribution = walk->run->model->input->attribution;

	return attribution && attribution->of_call && call != DP_NONE ? attribution->of_call[call]
								      : DP_NONE;
}

static uint32_t name_of(const struct walk *walk, const struct place *place)
{
	const struct dp_replay_model *model = walk->run->model;
	const struct dp_ops *ops = dp_trace_ops(walk->trace);
	uint32_t call, owner, op;

	if (place->kind == DP_REPLAY_OP) {
		op = model->ops[place->index].op;
		owner = owner_of(walk, ops->call[op]);
		return owner == DP_NONE ? ops->name[op] : owner;
	}
	call = (uint32_t)model->calls[place->index].call;
	owner = owner_of(walk, call);
	return owner == DP_NONE ? dp_trace_calls(walk->trace)->name[call] : owner;
}

static void add(struct walk *walk, enum dp_path_part part, const struct place *of, int64_t from_ns,
		int64_t to_ns)
{
	from_ns = DP_MAX(from_ns, walk->least_ns);
	if (from_ns >= to_ns || walk->status)
		return;
	if (dp_array__reserve(&walk->pieces, &walk->room, walk->count + 1, sizeof(*walk->pieces))) {
		walk->status = DP_ERR_NOMEM;
		return;
	}
	walk->pieces[walk->count++] =
		(struct piece){ name_of(walk, of), NULL, part, to_ns - from_ns };
}

static const struct dp_replay_cause *cause_of(const struct dp_replay_run *run,
					      const struct place *place)
{
	if (place->kind == DP_REPLAY_OP)
		return &run->op_cause[place->index];
	return place->kind == DP_REPLAY_CALL_BEGINS ? &run->start_cause[place->index]
						    : &run->end_cause[place->index];
}

/* The kind of delay between a place and what it waited for. */
static enum dp_path_part delay_of(const struct place *place)
{
	if (place->kind == DP_REPLAY_OP)
		return DP_PATH_LAUNCH;
	return place->kind == DP_REPLAY_CALL_BEGINS ? DP_PATH_HOST : DP_PATH_CALLS;
}

/* Goes one step back. Returns false at the end. */
static bool step_back(struct walk *walk, struct place *place)
{
	const struct dp_replay_run *run = walk->run;
	const struct dp_replay_cause *cause = cause_of(run, place);
	struct place next = { DP_REPLAY_OP, cause->index, 0 };
	int64_t from_ns;

	switch ((enum dp_replay_reason)cause->reason) {
	case REASON_OP:
		next.time_ns = run->op_start[cause->index];
		from_ns = run->op_end[cause->index];
		break;
	case REASON_OP_START:
		next.time_ns = from_ns = run->op_start[cause->index];
		break;
	case REASON_CALL:
		next.kind = DP_REPLAY_CALL_ENDS;
		next.time_ns = from_ns = run->call_end[cause->index];
		break;
	case REASON_CALL_BEGIN:
		next.kind = DP_REPLAY_CALL_BEGINS;
		next.time_ns = from_ns = run->call_start[cause->index];
		break;
	default:
		return false;
	}
	add(walk, delay_of(place), place, from_ns, place->time_ns);
	if (cause->reason == REASON_OP)
		add(walk, part_of(walk, cause->index), &next, next.time_ns,
		    DP_MIN(from_ns, place->time_ns));
	*place = next;
	return next.time_ns > walk->least_ns;
}

static int by_name(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static int by_length(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	/* ids of names depend on the file's order of records, so texts are compared */
	return x->part != y->part ? (x->part < y->part ? -1 : 1) : strcmp(x->text, y->text);
}

/* Sums up pieces with the same part and name, longest first. */
static void sum_pieces(struct walk *walk)
{
	size_t used = 0;

	if (!walk->count)
		return;
	qsort(walk->pieces, walk->count, sizeof(*walk->pieces), by_name);
	for (size_t i = 1; i < walk->count; i++) {
		if (!by_name(&walk->pieces[used], &walk->pieces[i]))
			walk->pieces[used].ns += walk->pieces[i].ns;
		else
			walk->pieces[++used] = walk->pieces[i];
	}
	walk->count = used + 1;
	for (size_t i = 0; i < walk->count; i++)
		walk->pieces[i].text = dp_trace_string(walk->trace, walk->pieces[i].name);
	qsort(walk->pieces, walk->count, sizeof(*walk->pieces), by_length);
}

int dp_replay_path__find(struct dp_replay *replay, const struct dp_replay_run *run)
{
	const struct dp_replay_input *input = run->model->input;
	size_t last = dp_replay_model__op_at(run->model, input->iterations[input->end].start_ns);
	struct place place = { DP_REPLAY_OP, last, run->op_start[last] };
	struct walk walk = { .run = run,
			     .trace = input->timeline->trace,
			     .least_ns = input->iterations[input->first].start_ns };

	/* no event is on the path twice */
	for (size_t i = 0; i <= run->model->event_count; i++)
		if (!step_back(&walk, &place))
			break;
	sum_pieces(&walk);
	replay->path_first = input->first;
	replay->path_end = input->end;
	if (!walk.status)
		replay->path = dp_alloc__array(walk.count, sizeof(*replay->path));
	if (!walk.status && !replay->path)
		walk.status = DP_ERR_NOMEM;
	for (size_t i = 0; i < walk.count && !walk.status; i++)
		replay->path[replay->path_count++] =
			(struct dp_path_stat){ walk.pieces[i].part, walk.pieces[i].text,
					       (double)walk.pieces[i].ns /
						       (double)(input->end - input->first) };
	free(walk.pieces);
	return walk.status;
}
