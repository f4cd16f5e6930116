/*
 * Runs the program: a stack of loops, the innermost of which does one action or launch at a time,
 * on the rank whose host clock is furthest behind; and delivers what the profiler sees, in order.
 */
#include "rank.h"

#include <stdlib.h>
#include <string.h>

/* A small kernel that nobody planned. */
static void launch_foreign(struct rank *rank, enum sim_thread thread)
{
	static const uint8_t roles[] = { SIM_STATISTICS, SIM_ELEMENT, SIM_REDUCE, SIM_CAST,
					 SIM_FILL,	 SIM_ADD,     SIM_ACT_FWD };
	const struct sim_catalogue *catalogue = rank->model->run->catalogue;
	uint32_t role = roles[sim_rng_below(&rank->control, sizeof(roles))];
	uint32_t n = catalogue->first[role + 1] - catalogue->first[role];
	struct sim_op op = {
		.host_ns = 3000, .oper = SIM_OP_STATISTICS, .begins = true, .grid = 64
	};

	sim_rank_launch(rank, &op, catalogue->first[role] + sim_rng_below(&rank->control, n),
			thread, SIM_STREAM_MAIN, sim_rng_jitter(&rank->timing, 4000, 500000));
	sim_truth_edit(rank->model->truth, sim_rank_instance(rank), SIM_INSERTED);
}

/* Another member of the kernel's family, or any other kernel if it has none. */
static uint32_t other_tile(const struct sim_catalogue *catalogue, uint32_t kernel, uint32_t by)
{
	const struct sim_kernel *k = &catalogue->kernels[kernel];

	if (k->tiles < 2)
		return (kernel + 1 + by % 7) % (uint32_t)catalogue->count;
	return k->first + (kernel - k->first + 1 + by % (k->tiles - 1u)) % k->tiles;
}

/* Which kernel runs for op in this iteration. */
static uint32_t kernel_of(struct rank *rank, const struct frame *frame, const struct sim_op *op)
{
	const struct sim_catalogue *catalogue = rank->model->run->catalogue;
	const struct sim_loop *loop = frame->loop;
	const struct sim_kernel *kernel = &catalogue->kernels[op->kernel];
	bool fused = kernel->role == SIM_FUSED;
	uint32_t result = op->kernel;

	if (fused && loop->recompile && frame->iteration >= loop->recompile)
		result = catalogue->first[SIM_FUSED_NEW] + op->kernel - catalogue->first[SIM_FUSED];
	if (!op->keeps && !fused && frame->bucket)
		result = other_tile(catalogue, result, frame->bucket - 1 + op->grid % 3);
	if (!op->keeps && !fused && sim_rng_chance(&rank->control, loop->gemm_jitter))
		result = other_tile(catalogue, result, sim_rng_below(&rank->control, 100));
	if (sim_rng_chance(&rank->control, loop->substitute))
		result = other_tile(catalogue, result, sim_rng_below(&rank->control, 100));
	return result;
}

static void random_op(struct rank *rank, struct sim_op *op)
{
	const struct sim_catalogue *catalogue = rank->model->run->catalogue;

	op->kernel = sim_rng_below(&rank->control, catalogue->first[SIM_COLLECTIVE]);
	op->gpu_ns = 2000 + sim_rng_below(&rank->control, 30000);
}

static void launch_next(struct rank *rank)
{
	struct frame *frame = sim_rank_top(rank);
	struct sim_op op = frame->ops[frame->op];
	const struct sim_loop *loop = frame->loop;
	struct sim_truth *truth = rank->model->truth;
	uint32_t kernel;

	while (frame->async_next < frame->async_count &&
	       frame->async[frame->async_next] <= frame->issued) {
		frame->async_next++;
		launch_foreign(rank, SIM_THREAD_ASYNC);
	}
	if (sim_rng_chance(&rank->control, loop->insert))
		launch_foreign(rank, SIM_THREAD_MAIN);
	if (frame->random)
		random_op(rank, &op);
	if (!frame->issued && !frame->foreign)
		op.gpu_ns += loop->swell_ns * frame->iteration;
	kernel = kernel_of(rank, frame, &op);
	if (!frame->foreign && sim_rng_chance(&rank->control, loop->erase)) {
		sim_truth_edit(truth, frame->instance, SIM_DELETED);
	} else {
		if (frame->foreign)
			sim_truth_edit(truth, frame->instance, SIM_INSERTED);
		else if (kernel != op.kernel)
			sim_truth_edit(truth, frame->instance, SIM_SUBSTITUTED);
		sim_rank_launch(
			rank, &op, kernel, op.backward ? SIM_THREAD_BACKWARD : SIM_THREAD_MAIN,
			SIM_STREAM_MAIN,
			sim_rng_jitter(&rank->timing, op.gpu_ns, rank->model->program->jitter) *
				rank->heat / SIM_MILLION);
	}
	if (++frame->op == frame->op_count) {
		frame->op = 0;
		if (--frame->repeats == 0)
			frame->ops = NULL;
	}
}

static void start_ops(struct frame *frame, const struct sim_ops *ops, size_t count,
		      uint32_t repeats)
{
	if (!count || !repeats)
		return;
	frame->ops = ops->ops;
	frame->op = 0;
	frame->op_count = count;
	frame->repeats = repeats;
	frame->random = false;
	frame->foreign = false;
}

static bool applies(struct rank *rank, const struct frame *frame, const struct sim_action *action)
{
	if (action->every > 1 && frame->iteration % action->every != action->offset % action->every)
		return false;
	if (frame->iteration < action->from || frame->iteration >= action->until)
		return false;
	return sim_rng_chance(&rank->control, action->chance);
}

static void enter(struct rank *rank, uint32_t index)
{
	const struct sim_program *program = rank->model->program;
	const struct sim_loop *loop = index == SIM_NONE ? &program->root : &program->loops[index];
	struct frame *frame;
	uint32_t outer = sim_rank_instance(rank);

	if (rank->depth == MAX_DEPTH)
		return;
	frame = &rank->frames[rank->depth++];
	*frame = (struct frame){
		.loop = loop,
		.index = index,
		.iterations = sim_rng_between(&rank->control, loop->count.low, loop->count.high),
		.instance = outer,
		.entry = index == SIM_NONE ? 0 : rank->entries[index]++,
	};
}

static void act_on_ops(struct rank *rank, struct frame *frame, const struct sim_action *action)
{
	const struct sim_nets *nets = rank->model->run->nets;
	const struct sim_passes *passes = &nets->passes[action->target];
	uint32_t times = action->times_length ? frame->length
					      : sim_rng_between(&rank->control, action->times.low,
								action->times.high);
	uint32_t count = sim_rng_between(&rank->control, action->count.low, action->count.high);

	switch (action->verb) {
	case SIM_DO_FORWARD:
		start_ops(frame, &passes->forward, passes->forward.count, times);
		break;
	case SIM_DO_BACKWARD:
		start_ops(frame, &passes->backward, passes->backward.count, times);
		break;
	case SIM_DO_ZERO:
		start_ops(frame, &passes->zero, passes->zero.count, 1);
		break;
	case SIM_DO_OPTIMIZE:
		start_ops(frame, &passes->optimize, passes->optimize.count, 1);
		break;
	case SIM_DO_LOSS:
		start_ops(frame, &nets->loss, nets->loss.count, 1);
		break;
	case SIM_DO_STATISTICS:
		start_ops(frame, &nets->statistics,
			  count < nets->statistics.count ? count : nets->statistics.count, 1);
		break;
	default: /* random and tune: one op, chosen again this many times */
		start_ops(frame, &nets->statistics, 1, count);
		frame->random = true;
		frame->foreign = true;
		break;
	}
	frame->foreign |= sim_action_conditional(action);
}

static void act(struct rank *rank, struct frame *frame, const struct sim_action *action)
{
	switch (action->verb) {
	case SIM_DO_LOOP:
		sim_rank_operator_end(rank);
		enter(rank, action->target);
		break;
	case SIM_DO_WAIT:
		sim_rank_within(rank, action->within);
		rank->clock_ns += sim_rank_slowed(
			rank, sim_rng_jitter(&rank->timing, action->time_ns, action->jitter));
		rank->clock_ns += action->grow_ns * frame->iteration;
		break;
	case SIM_DO_STALL:
		sim_rank_within(rank, action->within);
		sim_rank_stall(rank, action);
		break;
	case SIM_DO_SYNC:
		sim_rank_operator_end(rank);
		sim_rank_synchronize(rank, SIM_CALL_DEVICE_SYNC, SIM_STREAM_MAIN);
		break;
	case SIM_DO_UPLOAD:
		sim_rank_copy(rank, action, SIM_HTOD);
		break;
	case SIM_DO_DOWNLOAD:
		sim_rank_copy(rank, action, SIM_DTOH);
		break;
	case SIM_DO_COPY:
		sim_rank_copy(rank, action, SIM_DTOD);
		break;
	case SIM_DO_SET:
		sim_rank_set(rank, action);
		break;
	case SIM_DO_ALLOCATE:
	case SIM_DO_FREE:
		sim_rank_memory(rank, action);
		break;
	case SIM_DO_REDUCE:
		sim_rank_reduce(rank, action);
		break;
	case SIM_DO_GRAPH:
		sim_rank_replay(rank, action);
		break;
	default:
		act_on_ops(rank, frame, action);
		break;
	}
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void begin_iteration(struct rank *rank, struct frame *frame)
{
	const struct sim_loop *loop = frame->loop;
	uint32_t parent = rank->depth > 1 ? rank->frames[rank->depth - 2].instance : SIM_NONE;

	frame->running = true;
	frame->action = 0;
	frame->issued = 0;
	frame->instance = parent;
	if (!loop->plain)
		frame->instance = sim_truth_begin(rank->model->truth, rank->number, frame->index,
						  parent, frame->entry, frame->iteration);
	frame->length = sim_rng_between(&rank->control, loop->length.low, loop->length.high);
	frame->bucket = sim_rng_below(&rank->control, loop->buckets);
	frame->async_next = 0;
	frame->async_count = loop->async < MAX_ASYNC ? loop->async : MAX_ASYNC;
	for (uint32_t i = 0; i < frame->async_count; i++)
		frame->async[i] = sim_rng_below(&rank->control, rank->model->nominal[frame->index]);
	qsort(frame->async, frame->async_count, sizeof(frame->async[0]), by_number);
	rank->slow = frame->iteration < loop->warmup ? loop->slow : SIM_MILLION;
	rank->heat = frame->iteration >= loop->hot.low && frame->iteration < loop->hot.high
			     ? loop->heat
			     : SIM_MILLION;
	frame->begin_ns = rank->clock_ns;
	rank->clock_ns += 1500;
	rank->steps += loop->is_default;
}

static void end_iteration(struct rank *rank, struct frame *frame)
{
	sim_rank_operator_end(rank);
	frame->running = false;
	if (!frame->loop->plain)
		sim_truth_end(rank->model->truth, frame->instance);
	rank->clock_ns += 1000;
	if (frame->loop->mark[0]) {
		struct sim_event mark = {
			.kind = SIM_MARK,
			.start_ns = frame->begin_ns,
			.end_ns = rank->clock_ns,
			.name = frame->index,
			.number = rank->steps - 1,
			.operator_id = ++rank->ids->operators,
			.rank = rank->number,
			.instance = frame->instance,
		};

		if (!frame->loop->is_default)
			mark.number = frame->iteration;
		sim_rank_emit(rank, &mark);
	}
	frame->iteration++;
	rank->clock_ns += 500;
}

/* Whether the current iteration of the default loop is the program's last one. */
static bool in_last_iteration(const struct rank *rank)
{
	for (size_t i = rank->depth; i-- > 0;) {
		const struct frame *frame = &rank->frames[i];

		if (frame->iteration + 1 < frame->iterations)
			return false;
		for (size_t j = frame->action; i + 1 < rank->depth && j < frame->loop->action_count;
		     j++)
			if (frame->loop->actions[j].verb == SIM_DO_LOOP)
				return false;
	}
	return true;
}

static uint32_t share_of(uint32_t count, uint32_t millionths)
{
	return (uint32_t)((uint64_t)count * millionths / SIM_MILLION);
}

/* Opens the capture, and ends the program before its end, when it is time. */
static void watch(struct model *model, struct rank *rank)
{
	const struct sim_program *program = model->program;
	const struct frame *frame = NULL;
	uint32_t nominal;

	for (size_t i = 0; i < rank->depth && !frame; i++)
		if (rank->frames[i].running && rank->frames[i].loop->is_default)
			frame = &rank->frames[i];
	if (!frame)
		return;
	nominal = model->nominal[frame->index];
	if (!model->open && rank->number == 0 && !program->head_kernels &&
	    rank->steps > program->after && frame->issued >= share_of(nominal, program->head)) {
		model->open = true;
		model->open_ns = frame->issued ? rank->clock_ns : frame->begin_ns;
	}
	if (program->tail && frame->issued >= share_of(nominal, SIM_MILLION - program->tail) &&
	    in_last_iteration(rank)) {
		sim_rank_operator_end(rank);
		rank->done = true;
	}
}

static void step(struct rank *rank)
{
	struct frame *frame;

	if (rank->depth == 0) {
		rank->done = true;
		return;
	}
	frame = sim_rank_top(rank);
	if (frame->ops) {
		launch_next(rank);
	} else if (!frame->running && frame->iteration == frame->iterations) {
		rank->depth--;
	} else if (!frame->running) {
		begin_iteration(rank, frame);
	} else if (frame->action == frame->loop->action_count) {
		end_iteration(rank, frame);
	} else {
		const struct sim_action *action = &frame->loop->actions[frame->action++];

		if (applies(rank, frame, action))
			act(rank, frame, action);
	}
	watch(rank->model, rank);
}

static bool wanted(const struct sim_program *program, const struct sim_event *event)
{
	if (event->kind == SIM_CALL)
		return program->launches;
	if (event->kind == SIM_OPERATOR)
		return program->operators;
	if (event->kind == SIM_MARK)
		return program->marks;
	return true;
}

static void deliver(struct model *model, const struct sim_event *event)
{
	const struct sim_program *program = model->program;
	bool on_gpu = sim_event_on_gpu(event), lost;

	if (!model->open && program->head_kernels && event->rank == 0 && on_gpu &&
	    event->stream == SIM_STREAM_MAIN && event->kind != SIM_COPY && event->kind != SIM_SET &&
	    model->main_kernels++ == program->head_kernels) {
		model->open = true;
		model->open_ns = event->start_ns;
	}
	/* The state of the device is not part of the truth. */
	if (event->kind >= SIM_MEMORY) {
		if (model->open && model->run->state)
			model->status = model->event(model->context, event);
		return;
	}
	if (!model->open || event->start_ns < model->open_ns) {
		sim_truth_missed(model->truth, event, false);
		return;
	}
	lost = on_gpu && sim_rng_chance(&model->loss, program->loss);
	if (lost) {
		sim_truth_missed(model->truth, event, true);
		return;
	}
	if (!wanted(program, event))
		return;
	if (sim_truth_seen(model->truth, event))
		model->status = -1;
	if (model->status == 0)
		model->status = model->event(model->context, event);
}

/* Delivers what starts before now, in order of the start. */
static void drain(struct model *model, uint64_t now_ns)
{
	while (model->status == 0) {
		struct fifo *first = NULL;
		uint64_t first_ns = now_ns;

		for (uint32_t r = 0; r < model->rank_count; r++)
			for (int i = 0; i < SOURCES; i++) {
				struct fifo *fifo = &model->ranks[r].fifos[i];

				if (fifo->count && fifo->events[fifo->head].start_ns < first_ns) {
					first = fifo;
					first_ns = fifo->events[fifo->head].start_ns;
				}
			}
		if (!first)
			return;
		deliver(model, &first->events[first->head]);
		first->head = (first->head + 1) & (first->room - 1);
		first->count--;
	}
}

static struct rank *earliest(struct model *model)
{
	struct rank *rank = NULL;

	for (uint32_t r = 0; r < model->rank_count; r++)
		if (!model->ranks[r].done && (!rank || model->ranks[r].clock_ns < rank->clock_ns))
			rank = &model->ranks[r];
	return rank;
}

static int rank_init(struct model *model, uint32_t number)
{
	struct rank *rank = &model->ranks[number];
	uint64_t first = number;

	rank->model = model;
	rank->number = number;
	rank->slow = rank->heat = SIM_MILLION;
	rank->ids = &model->ids[number / model->program->devices];
	rank->ids->correlation = 100 + (uint32_t)(model->run->seed % 5000);
	/* All ranks run the same program: random decisions are the same, only times differ. */
	sim_rng_init(&rank->control, model->run->seed, 2);
	sim_rng_init(&rank->timing, model->run->seed, 100 + first);
	rank->clock_ns = 1000000 + sim_rng_below(&rank->timing, 200000);
	rank->entries = calloc(model->program->loop_count + 1, sizeof(*rank->entries));
	if (!rank->entries)
		return -1;
	for (int i = 0; i < SIM_STREAMS; i++) {
		rank->streams[i].starts = calloc(model->program->queue, sizeof(uint64_t));
		if (!rank->streams[i].starts)
			return -1;
	}
	enter(rank, SIM_NONE);
	return 0;
}

static int model_init(struct model *model)
{
	const struct sim_program *program = model->program;
	bool has_default = false;

	model->rank_count = sim_run_ranks(model->run);
	model->ranks = calloc(model->rank_count, sizeof(*model->ranks));
	model->nominal = calloc(program->loop_count + 1, sizeof(*model->nominal));
	model->ids = calloc(program->processes, sizeof(*model->ids));
	if (!model->ranks || !model->nominal || !model->ids)
		return -1;
	for (size_t i = 0; i < program->loop_count; i++) {
		struct sim_pattern pattern;

		if (sim_pattern_init(&pattern, model->run, &program->loops[i]))
			return -1;
		model->nominal[i] = (uint32_t)pattern.count;
		sim_pattern_fini(&pattern);
		has_default |= program->loops[i].is_default;
	}
	sim_rng_init(&model->loss, model->run->seed, 3);
	model->open = !program->head_kernels &&
		      (!has_default || (program->head == 0 && program->after == 0));
	for (uint32_t i = 0; i < model->rank_count; i++)
		if (rank_init(model, i))
			return -1;
	return 0;
}

static void model_fini(struct model *model)
{
	for (uint32_t r = 0; model->ranks && r < model->rank_count; r++) {
		for (int i = 0; i < SIM_STREAMS; i++)
			free(model->ranks[r].streams[i].starts);
		for (int i = 0; i < SOURCES; i++)
			free(model->ranks[r].fifos[i].events);
		free(model->ranks[r].entries);
	}
	free(model->ranks);
	free(model->nominal);
	free(model->ids);
}

int sim_model_run(const struct sim_run *run, struct sim_truth *truth,
		  int (*event)(void *context, const struct sim_event *event), void *context)
{
	struct model model = {
		.run = run,
		.program = run->program,
		.truth = truth,
		.event = event,
		.context = context,
	};
	struct rank *rank;

	model.status = model_init(&model);
	while (model.status == 0 && (rank = earliest(&model))) {
		step(rank);
		rank = earliest(&model);
		drain(&model, rank ? rank->clock_ns : UINT64_MAX);
	}
	model_fini(&model);
	return model.status;
}
