/*
 * A discrete-event model of host and device. A rank is one process's use of one device: a host
 * clock that moves from launch to launch, and streams that work in order. An operation starts when
 * its launch call is over, its stream is free and what it depends on is done; a launch waits while
 * the queue is full. Cost: constant time per event, memory for the launches in flight.
 */
#include "model.h"
#include "rng.h"
#include "truth.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 16, MAX_ASYNC = 16, SOURCES = SIM_STREAMS + 1, HOST = SIM_STREAMS };

const struct sim_call_name sim_call_names[SIM_CALLS] = {
	[SIM_CALL_LAUNCH] = { "cudaLaunchKernel", 211 },
	[SIM_CALL_COPY] = { "cudaMemcpyAsync", 41 },
	[SIM_CALL_SET] = { "cudaMemsetAsync", 51 },
	[SIM_CALL_STREAM_SYNC] = { "cudaStreamSynchronize", 131 },
	[SIM_CALL_DEVICE_SYNC] = { "cudaDeviceSynchronize", 165 },
	[SIM_CALL_GRAPH] = { "cudaGraphLaunch", 311 },
};

/* Events of one source, in order of their start. */
struct fifo {
	struct sim_event *events;
	size_t head, count, room; /* room is a power of two */
};

/* One level of the running program. */
struct frame {
	const struct sim_loop *loop;
	uint32_t index; /* of the loop, or SIM_NONE for the program itself */
	uint32_t iteration, iterations;
	size_t action;
	bool running; /* the iteration has begun */
	uint32_t instance;
	uint32_t entry;
	uint32_t length; /* drawn for this iteration */
	uint32_t bucket;
	uint64_t begin_ns;
	uint32_t issued; /* kernels of this iteration, those of inner loops too */
	uint32_t async[MAX_ASYNC], async_count, async_next;
	const struct sim_op *ops; /* being launched */
	size_t op, op_count;
	uint32_t repeats;
	bool random, foreign; /* ops are chosen anew each time; are no part of the pattern */
};

struct stream {
	uint64_t end_ns;
	uint64_t ready_ns; /* nothing starts before: a dependency on another stream */
	uint64_t *starts;  /* of the last operations, as many as fit the queue */
	uint64_t launched;
};

struct rank {
	struct model *model;
	uint32_t number;
	struct sim_rng control, timing;
	uint64_t clock_ns;
	uint32_t slow; /* millionths; what the host's times are multiplied with */
	uint32_t correlation;
	uint32_t operators;	   /* counted, for their ids */
	struct sim_event operator; /* the one that is running, if it has an id */
	struct stream streams[SIM_STREAMS];
	struct fifo fifos[SOURCES];
	struct frame frames[MAX_DEPTH];
	size_t depth;
	uint32_t *entries; /* per loop: how often it was entered */
	uint32_t steps;	   /* iterations of the default loop that have begun */
	bool done;
};

struct model {
	const struct sim_run *run;
	const struct sim_program *program;
	struct sim_truth *truth;
	int (*event)(void *context, const struct sim_event *event);
	void *context;
	struct rank *ranks;
	uint32_t rank_count;
	uint32_t *nominal; /* kernels of one iteration, per loop */
	struct sim_rng loss;
	bool open; /* the capture has begun */
	uint64_t open_ns;
	uint32_t main_kernels; /* of the first rank, before the capture */
	int status;
};

uint32_t sim_run_pid(const struct sim_run *run, uint32_t rank)
{
	return 41000 + (uint32_t)(run->seed % 900) + rank / run->program->devices * 77;
}

uint32_t sim_run_tid(const struct sim_run *run, uint32_t rank, uint32_t thread)
{
	return sim_run_pid(run, rank) + thread * 34 + (thread ? rank % run->program->devices : 0);
}

uint32_t sim_run_device(const struct sim_run *run, uint32_t rank)
{
	return run->program->processes > 1 ? rank : rank % run->program->devices;
}

uint32_t sim_run_context(const struct sim_run *run, uint32_t rank)
{
	return 1 + rank % run->program->devices;
}

uint32_t sim_run_stream(const struct sim_run *run, uint32_t stream)
{
	static const uint32_t torch[SIM_STREAMS] = { 7, 14, 15, 20, 24 };
	static const uint32_t tensorflow[SIM_STREAMS] = { 13, 14, 15, 20, 16 };

	return strcmp(run->program->framework, "tensorflow") == 0 ? tensorflow[stream]
								  : torch[stream];
}

static bool fifo_push(struct fifo *fifo, const struct sim_event *event)
{
	if (fifo->count == fifo->room) {
		size_t room = fifo->room ? fifo->room * 2 : 64;
		struct sim_event *grown = malloc(room * sizeof(*grown));

		if (!grown)
			return false;
		for (size_t i = 0; i < fifo->count; i++)
			grown[i] = fifo->events[(fifo->head + i) & (fifo->room - 1)];
		free(fifo->events);
		fifo->events = grown;
		fifo->room = room;
		fifo->head = 0;
	}
	fifo->events[(fifo->head + fifo->count++) & (fifo->room - 1)] = *event;
	return true;
}

static void emit(struct rank *rank, const struct sim_event *event)
{
	size_t source = sim_event_on_gpu(event) ? event->stream : HOST;

	if (!fifo_push(&rank->fifos[source], event))
		rank->model->status = -1;
}

static struct frame *top(struct rank *rank)
{
	return &rank->frames[rank->depth - 1];
}

static uint32_t instance_of(struct rank *rank)
{
	return rank->depth ? top(rank)->instance : SIM_NONE;
}

static uint64_t slowed(const struct rank *rank, uint64_t ns)
{
	return ns / 1000 * rank->slow / 1000 + ns % 1000 * rank->slow / SIM_MILLION;
}

static void operator_end(struct rank *rank)
{
	if (rank->operator.operator_id) {
		rank->operator.end_ns = rank->clock_ns + 400;
		emit(rank, &rank->operator);
		rank->clock_ns += 500;
	}
	rank->operator.operator_id = 0;
}

static void operator_begin(struct rank *rank, enum sim_operator operator, enum sim_thread thread)
{
	operator_end(rank);
	rank->operator=(struct sim_event){
		.kind = SIM_OPERATOR,
		.start_ns = rank->clock_ns,
		.name = operator,
		.operator_id = ++ rank->operators,
		.rank = rank->number,
		.instance = instance_of(rank),
		.thread = (uint8_t)thread,
	};
}

/* A call of the runtime that starts now; the caller sets its end. */
static struct sim_event call_begin(struct rank *rank, enum sim_call call, enum sim_thread thread,
				   enum sim_stream stream)
{
	rank->correlation += 1 + sim_rng_below(&rank->timing, 3);
	return (struct sim_event){
		.kind = SIM_CALL,
		.start_ns = rank->clock_ns,
		.name = call,
		.correlation = rank->correlation,
		.operator_id = rank->operator.operator_id,
		.rank = rank->number,
		.instance = instance_of(rank),
		.thread = (uint8_t)thread,
		.stream = (uint8_t)stream,
	};
}

static void call_end(struct rank *rank, struct sim_event *call, uint64_t end_ns)
{
	call->end_ns = end_ns;
	rank->clock_ns = end_ns;
	emit(rank, call);
}

/* When a launch that begins now can return: not while the queue is full. */
static uint64_t launched_ns(struct rank *rank, struct stream *stream, uint64_t launch_ns)
{
	uint32_t queue = rank->model->program->queue;
	uint64_t end_ns =
		rank->clock_ns + slowed(rank, sim_rng_jitter(&rank->timing, launch_ns, 300000));

	if (stream->launched >= queue && stream->starts[stream->launched % queue] > end_ns)
		end_ns = stream->starts[stream->launched % queue];
	return end_ns;
}

/* Places an operation of length_ns on its stream, not before earliest_ns, and emits it. */
static void execute(struct rank *rank, struct sim_event *event, uint64_t earliest_ns,
		    uint64_t length_ns, uint64_t gap_ns)
{
	const struct sim_run *run = rank->model->run;
	struct stream *stream = &rank->streams[event->stream];
	uint64_t start_ns = earliest_ns;

	if (start_ns < stream->end_ns + gap_ns)
		start_ns = stream->end_ns + gap_ns;
	if (start_ns < stream->ready_ns)
		start_ns = stream->ready_ns;
	event->start_ns = start_ns / run->start_quantum_ns * run->start_quantum_ns;
	event->end_ns =
		event->start_ns + length_ns / run->length_quantum_ns * run->length_quantum_ns;
	stream->end_ns = event->end_ns;
	stream->starts[stream->launched++ % rank->model->program->queue] = event->start_ns;
	emit(rank, event);
}

static struct sim_event operation(struct rank *rank, enum sim_event_kind kind,
				  enum sim_stream stream, const struct sim_event *call)
{
	return (struct sim_event){
		.kind = kind,
		.correlation = call->correlation,
		.operator_id = call->operator_id,
		.rank = rank->number,
		.instance = instance_of(rank),
		.thread = call->thread,
		.stream = (uint8_t)stream,
	};
}

static uint64_t latency_ns(struct rank *rank)
{
	return 1800 + sim_rng_below(&rank->timing, 1200);
}

static uint64_t gap_ns(struct rank *rank)
{
	return 900 + sim_rng_below(&rank->timing, 500);
}

static void count_issued(struct rank *rank, uint32_t kernels)
{
	for (size_t i = 0; i < rank->depth; i++)
		rank->frames[i].issued += kernels;
}

static void launch_kernel(struct rank *rank, const struct sim_op *op, uint32_t kernel,
			  enum sim_thread thread, enum sim_stream stream, uint64_t length_ns)
{
	struct sim_event call, event;

	if (op->begins)
		operator_begin(rank, op->operator, thread);
	rank->clock_ns += slowed(rank, sim_rng_jitter(&rank->timing, op->host_ns, 350000));
	call = call_begin(rank, SIM_CALL_LAUNCH, thread, stream);
	call_end(rank, &call,
		 launched_ns(rank, &rank->streams[stream], rank->model->program->launch_ns));
	event = operation(rank, SIM_KERNEL, stream, &call);
	event.name = kernel;
	event.grid = op->grid;
	execute(rank, &event, rank->clock_ns + latency_ns(rank), length_ns, gap_ns(rank));
	if (stream == SIM_STREAM_MAIN)
		count_issued(rank, 1);
}

/* A small kernel that nobody planned. */
static void launch_foreign(struct rank *rank, enum sim_thread thread)
{
	static const uint8_t roles[] = { SIM_STATISTICS, SIM_ELEMENT, SIM_REDUCE, SIM_CAST,
					 SIM_FILL,	 SIM_ADD,     SIM_ACT_FWD };
	const struct sim_catalogue *catalogue = rank->model->run->catalogue;
	uint32_t role = roles[sim_rng_below(&rank->control, sizeof(roles))];
	uint32_t n = catalogue->first[role + 1] - catalogue->first[role];
	struct sim_op op = {
		.host_ns = 3000, .operator= SIM_OP_STATISTICS, .begins = true, .grid = 64
	};

	launch_kernel(rank, &op, catalogue->first[role] + sim_rng_below(&rank->control, n), thread,
		      SIM_STREAM_MAIN, sim_rng_jitter(&rank->timing, 4000, 500000));
	sim_truth_edit(rank->model->truth, instance_of(rank), SIM_INSERTED);
}

/* Another member of the kernel's family, or any other kernel where it has none. */
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
	struct frame *frame = top(rank);
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
	kernel = kernel_of(rank, frame, &op);
	if (!frame->foreign && sim_rng_chance(&rank->control, loop->erase)) {
		sim_truth_edit(truth, frame->instance, SIM_DELETED);
	} else {
		if (frame->foreign)
			sim_truth_edit(truth, frame->instance, SIM_INSERTED);
		else if (kernel != op.kernel)
			sim_truth_edit(truth, frame->instance, SIM_SUBSTITUTED);
		launch_kernel(
			rank, &op, kernel, op.backward ? SIM_THREAD_BACKWARD : SIM_THREAD_MAIN,
			SIM_STREAM_MAIN,
			sim_rng_jitter(&rank->timing, op.gpu_ns, rank->model->program->jitter));
	}
	if (++frame->op == frame->op_count) {
		frame->op = 0;
		if (--frame->repeats == 0)
			frame->ops = NULL;
	}
}

static void synchronize(struct rank *rank, enum sim_call kind, enum sim_stream stream)
{
	struct sim_event call = call_begin(rank, kind, SIM_THREAD_MAIN, stream);
	uint64_t end_ns = rank->clock_ns + 1500;

	for (int i = 0; i < SIM_STREAMS; i++)
		if ((kind == SIM_CALL_DEVICE_SYNC || i == (int)stream) &&
		    rank->streams[i].end_ns + 2500 > end_ns)
			end_ns = rank->streams[i].end_ns + 2500;
	call_end(rank, &call, end_ns);
}

static uint64_t transfer_ns(struct rank *rank, const struct sim_action *action, uint64_t bytes)
{
	static const uint64_t bytes_per_us[] = {
		[SIM_PAGEABLE] = 9000, [SIM_PINNED] = 23000, [SIM_DEVICE] = 600000
	};
	uint64_t rate = action->bandwidth ? action->bandwidth : bytes_per_us[action->memory];

	return 1300 + sim_rng_jitter(&rank->timing,
				     bytes / rate * 1000 + bytes % rate * 1000 / rate, 60000);
}

static enum sim_stream copy_stream(const struct sim_action *action)
{
	if (!action->on_copy_stream)
		return SIM_STREAM_MAIN;
	if (action->verb == SIM_DO_SET || action->verb == SIM_DO_COPY)
		return SIM_STREAM_ASSIST;
	return action->verb == SIM_DO_UPLOAD ? SIM_STREAM_UPLOAD : SIM_STREAM_DOWNLOAD;
}

static void depend(struct stream *stream, uint64_t ns)
{
	if (stream->ready_ns < ns)
		stream->ready_ns = ns;
}

/*
 * A copy. From and to pageable memory the call returns when the data is through (CUDA runtime API,
 * "API synchronization behavior"), small uploads and those from pinned memory aside.
 */
static void copy(struct rank *rank, const struct sim_action *action, enum sim_copy_kind kind)
{
	enum sim_stream stream = copy_stream(action);
	uint64_t bytes = sim_rng_jitter(&rank->control, action->bytes, action->jitter);
	bool waits = kind != SIM_DTOD && action->memory == SIM_PAGEABLE &&
		     (kind == SIM_DTOH || bytes > 65536);
	struct sim_event call, event;
	uint64_t returns_ns;

	operator_begin(rank, SIM_OP_COPY, SIM_THREAD_MAIN);
	rank->clock_ns += 5000;
	call = call_begin(rank, SIM_CALL_COPY, SIM_THREAD_MAIN, stream);
	returns_ns = launched_ns(rank, &rank->streams[stream], 7000);
	event = operation(rank, SIM_COPY, stream, &call);
	event.bytes = bytes;
	event.copy_kind = (uint8_t)kind;
	event.memory = (uint8_t)(kind == SIM_DTOD ? SIM_DEVICE : action->memory);
	if (stream != SIM_STREAM_MAIN && kind == SIM_DTOH)
		depend(&rank->streams[stream], rank->streams[SIM_STREAM_MAIN].end_ns + 1000);
	execute(rank, &event, returns_ns + (waits ? 500 : latency_ns(rank)),
		transfer_ns(rank, action, bytes), gap_ns(rank));
	call_end(rank, &call, waits && event.end_ns > returns_ns ? event.end_ns : returns_ns);
	if (stream != SIM_STREAM_MAIN && kind == SIM_HTOD && !action->ahead)
		depend(&rank->streams[SIM_STREAM_MAIN], event.end_ns + 1000);
	if (waits || action->block)
		synchronize(rank, SIM_CALL_STREAM_SYNC, stream);
	operator_end(rank);
}

static void set(struct rank *rank, const struct sim_action *action)
{
	enum sim_stream stream = copy_stream(action);
	struct sim_event call, event;

	rank->clock_ns += 2000;
	call = call_begin(rank, SIM_CALL_SET, SIM_THREAD_MAIN, stream);
	call_end(rank, &call, launched_ns(rank, &rank->streams[stream], 4000));
	event = operation(rank, SIM_SET, stream, &call);
	event.bytes = action->bytes;
	execute(rank, &event, rank->clock_ns + latency_ns(rank), 900 + action->bytes / 800,
		gap_ns(rank));
}

static void reduce(struct rank *rank, const struct sim_action *action)
{
	const struct sim_catalogue *catalogue = rank->model->run->catalogue;
	struct sim_op op = {
		.host_ns = 9000, .operator= SIM_OP_REDUCE, .begins = true, .grid = 24
	};
	uint64_t rate = action->bandwidth ? action->bandwidth : 100000;
	uint32_t n = action->count.low;

	for (uint32_t i = 0; i < n; i++) {
		struct stream *comm = &rank->streams[SIM_STREAM_COMM];

		depend(comm, rank->streams[SIM_STREAM_MAIN].end_ns + 1000);
		launch_kernel(rank, &op, catalogue->first[SIM_COLLECTIVE], SIM_THREAD_MAIN,
			      SIM_STREAM_COMM,
			      sim_rng_jitter(&rank->timing, 8000 + action->bytes / n * 1000 / rate,
					     80000));
	}
	operator_end(rank);
	if (action->block)
		depend(&rank->streams[SIM_STREAM_MAIN],
		       rank->streams[SIM_STREAM_COMM].end_ns + 1000);
}

static void replay(struct rank *rank, const struct sim_action *action)
{
	const struct sim_run *run = rank->model->run;
	const struct sim_ops *graph = &run->nets->passes[action->target].graph;
	struct sim_event call, event;
	uint64_t total_ns = 0, earliest_ns;

	operator_end(rank);
	rank->clock_ns += 6000;
	call = call_begin(rank, SIM_CALL_GRAPH, SIM_THREAD_MAIN, SIM_STREAM_MAIN);
	call_end(rank, &call,
		 launched_ns(rank, &rank->streams[SIM_STREAM_MAIN], 9000 + graph->count * 20));
	earliest_ns = rank->clock_ns + latency_ns(rank);
	event = operation(rank, run->graphs ? SIM_GRAPH : SIM_KERNEL, SIM_STREAM_MAIN, &call);
	event.node = !run->graphs;
	for (size_t i = 0; i < graph->count; i++) {
		uint64_t ns = sim_rng_jitter(&rank->timing, graph->ops[i].gpu_ns,
					     rank->model->program->jitter);

		total_ns += ns + 600;
		if (run->graphs)
			continue;
		event.name = graph->ops[i].kernel;
		event.grid = graph->ops[i].grid;
		execute(rank, &event, earliest_ns, ns, 600);
	}
	if (run->graphs) {
		event.name = action->target;
		event.number = (uint32_t)graph->count;
		execute(rank, &event, earliest_ns, total_ns, 900);
	}
	count_issued(rank, run->graphs ? 1 : (uint32_t)graph->count);
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

static bool conditional(const struct sim_action *action)
{
	return action->every > 1 || action->chance < SIM_MILLION || action->from ||
	       action->until != UINT32_MAX;
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
	uint32_t outer = instance_of(rank);

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
	default: /* random and tune: one op, chosen anew so many times */
		start_ops(frame, &nets->statistics, 1, count);
		frame->random = true;
		frame->foreign = true;
		break;
	}
	frame->foreign |= conditional(action);
}

static void act(struct rank *rank, struct frame *frame, const struct sim_action *action)
{
	switch (action->verb) {
	case SIM_DO_LOOP:
		operator_end(rank);
		enter(rank, action->target);
		break;
	case SIM_DO_WAIT:
		operator_end(rank);
		rank->clock_ns += slowed(
			rank, sim_rng_jitter(&rank->timing, action->time_ns, action->jitter));
		break;
	case SIM_DO_SYNC:
		operator_end(rank);
		synchronize(rank, SIM_CALL_DEVICE_SYNC, SIM_STREAM_MAIN);
		break;
	case SIM_DO_UPLOAD:
		copy(rank, action, SIM_HTOD);
		break;
	case SIM_DO_DOWNLOAD:
		copy(rank, action, SIM_DTOH);
		break;
	case SIM_DO_COPY:
		copy(rank, action, SIM_DTOD);
		break;
	case SIM_DO_SET:
		set(rank, action);
		break;
	case SIM_DO_REDUCE:
		reduce(rank, action);
		break;
	case SIM_DO_GRAPH:
		replay(rank, action);
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
	frame->begin_ns = rank->clock_ns;
	rank->clock_ns += 1500 + loop->grow_ns * frame->iteration;
	rank->steps += loop->is_default;
}

static void end_iteration(struct rank *rank, struct frame *frame)
{
	operator_end(rank);
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
			.operator_id = ++rank->operators,
			.rank = rank->number,
			.instance = frame->instance,
		};

		if (!frame->loop->is_default)
			mark.number = frame->iteration;
		emit(rank, &mark);
	}
	frame->iteration++;
	rank->clock_ns += 500;
}

/* Whether the default loop's iteration that runs is the program's last one. */
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
		operator_end(rank);
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
	frame = top(rank);
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
	rank->slow = SIM_MILLION;
	rank->correlation = 100 + (uint32_t)(model->run->seed % 5000);
	/* All ranks run the same program: what it does is drawn alike, only times differ. */
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
	if (!model->ranks || !model->nominal)
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

static int pattern_add(struct sim_pattern *pattern, const struct sim_ops *ops, size_t count,
		       uint32_t repeats)
{
	size_t need = pattern->count + count * repeats;

	if (need > pattern->room) {
		uint32_t *grown = realloc(pattern->kernels, need * 2 * sizeof(*grown));

		if (!grown)
			return -1;
		pattern->kernels = grown;
		pattern->room = need * 2;
	}
	for (uint32_t r = 0; r < repeats; r++)
		for (size_t i = 0; i < count; i++)
			pattern->kernels[pattern->count++] = ops->ops[i].kernel;
	return 0;
}

static uint32_t middle(struct sim_pattern *pattern, struct sim_range range)
{
	pattern->varies |= range.low != range.high;
	return range.low + (range.high - range.low) / 2;
}

static int pattern_expand(struct sim_pattern *pattern, const struct sim_run *run,
			  const struct sim_loop *loop);

static int pattern_act(struct sim_pattern *pattern, const struct sim_run *run,
		       const struct sim_loop *loop, const struct sim_action *action)
{
	const struct sim_nets *nets = run->nets;
	const struct sim_passes *passes = &nets->passes[action->target];
	struct sim_op graph = { .kernel = (uint32_t)run->catalogue->count + action->target };
	const struct sim_ops replayed = { &graph, 1, 1 };
	const struct sim_loop *inner = &run->program->loops[action->target];
	uint32_t times;

	switch (action->verb) {
	case SIM_DO_LOOP:
		times = middle(pattern, inner->count);
		for (uint32_t i = 0; i < times; i++)
			if (pattern_expand(pattern, run, inner))
				return -1;
		return 0;
	case SIM_DO_FORWARD:
	case SIM_DO_BACKWARD:
		times = middle(pattern, action->times_length ? loop->length : action->times);
		passes = &nets->passes[action->target];
		return action->verb == SIM_DO_FORWARD ? pattern_add(pattern, &passes->forward,
								    passes->forward.count, times)
						      : pattern_add(pattern, &passes->backward,
								    passes->backward.count, times);
	case SIM_DO_ZERO:
		return pattern_add(pattern, &passes->zero, passes->zero.count, 1);
	case SIM_DO_OPTIMIZE:
		return pattern_add(pattern, &passes->optimize, passes->optimize.count, 1);
	case SIM_DO_LOSS:
		return pattern_add(pattern, &nets->loss, nets->loss.count, 1);
	case SIM_DO_STATISTICS:
		times = middle(pattern, action->count);
		return pattern_add(pattern, &nets->statistics,
				   times < nets->statistics.count ? times : nets->statistics.count,
				   1);
	case SIM_DO_GRAPH:
		if (run->graphs)
			return pattern_add(pattern, &replayed, 1, 1);
		return pattern_add(pattern, &passes->graph, passes->graph.count, 1);
	default:
		return 0;
	}
}

static int pattern_expand(struct sim_pattern *pattern, const struct sim_run *run,
			  const struct sim_loop *loop)
{
	for (size_t i = 0; i < loop->action_count; i++)
		if (!conditional(&loop->actions[i]) &&
		    pattern_act(pattern, run, loop, &loop->actions[i]))
			return -1;
	return 0;
}

int sim_pattern_init(struct sim_pattern *pattern, const struct sim_run *run,
		     const struct sim_loop *loop)
{
	memset(pattern, 0, sizeof(*pattern));
	if (pattern_expand(pattern, run, loop) == 0)
		return 0;
	sim_pattern_fini(pattern);
	return -1;
}

void sim_pattern_fini(struct sim_pattern *pattern)
{
	free(pattern->kernels);
	memset(pattern, 0, sizeof(*pattern));
}
