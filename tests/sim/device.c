/*
 * A discrete-event model of host and device. A rank is one process's use of one device: a host
 * clock that moves from launch to launch, and streams that work in order. An operation starts when
 * its launch call is over, its stream is free and what it depends on is done; a launch waits while
 * the queue is full. Cost: constant time per event, memory for the launches in flight.
 */
#include "rank.h"

#include <stdlib.h>

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

void sim_rank_emit(struct rank *rank, const struct sim_event *event)
{
	size_t source = sim_event_on_gpu(event) ? event->stream : HOST;

	if (!fifo_push(&rank->fifos[source], event))
		rank->model->status = -1;
}

uint64_t sim_rank_slowed(const struct rank *rank, uint64_t ns)
{
	return ns / 1000 * rank->slow / 1000 + ns % 1000 * rank->slow / SIM_MILLION;
}

void sim_rank_operator_end(struct rank *rank)
{
	if (rank->oper.operator_id) {
		rank->oper.end_ns = rank->clock_ns + 400;
		sim_rank_emit(rank, &rank->oper);
		rank->clock_ns += 500;
	}
	rank->oper.operator_id = 0;
}

static void operator_begin(struct rank *rank, enum sim_operator oper, enum sim_thread thread)
{
	sim_rank_operator_end(rank);
	rank->oper = (struct sim_event){
		.kind = SIM_OPERATOR,
		.start_ns = rank->clock_ns,
		.name = oper,
		.operator_id = ++rank->ids->operators,
		.rank = rank->number,
		.instance = sim_rank_instance(rank),
		.thread = (uint8_t)thread,
	};
}

void sim_rank_within(struct rank *rank, enum sim_within within)
{
	static const enum sim_operator opers[] = { [SIM_WITHIN_LOADER] = SIM_OP_INPUT,
						   [SIM_WITHIN_ITEM] = SIM_OP_READ,
						   [SIM_WITHIN_METRICS] = SIM_OP_METRICS };

	sim_rank_operator_end(rank);
	if (within)
		operator_begin(rank, opers[within], SIM_THREAD_MAIN);
}

/* A call of the runtime that starts now; the caller sets its end. */
static struct sim_event call_begin(struct rank *rank, enum sim_call call, enum sim_thread thread,
				   enum sim_stream stream)
{
	rank->ids->correlation += 1 + sim_rng_below(&rank->timing, 3);
	return (struct sim_event){
		.kind = SIM_CALL,
		.start_ns = rank->clock_ns,
		.name = call,
		.correlation = rank->ids->correlation,
		.operator_id = rank->oper.operator_id,
		.rank = rank->number,
		.instance = sim_rank_instance(rank),
		.thread = (uint8_t)thread,
		.stream = (uint8_t)stream,
	};
}

static void call_end(struct rank *rank, struct sim_event *call, uint64_t end_ns)
{
	call->end_ns = end_ns;
	rank->clock_ns = end_ns;
	sim_rank_emit(rank, call);
}

/* When a launch that begins now can return: not while the queue is full. */
static uint64_t launched_ns(struct rank *rank, struct stream *stream, uint64_t launch_ns)
{
	uint32_t queue = rank->model->program->queue;
	uint64_t end_ns = rank->clock_ns +
			  sim_rank_slowed(rank, sim_rng_jitter(&rank->timing, launch_ns, 300000));

	if (stream->launched >= queue && stream->starts[stream->launched % queue] > end_ns)
		end_ns = stream->starts[stream->launched % queue];
	return end_ns;
}

enum { CLOCK_MHZ = 1410, POWER_MW = 300000, HOT_POWER_MW = 250000 };

/* Samples up to an operation's start, of what the device does until then. */
static void sample(struct rank *rank, uint64_t until_ns)
{
	uint64_t every_ns = rank->model->program->sample_ns;
	bool hot = rank->heat > SIM_MILLION;
	struct sim_event event = {
		.kind = SIM_SAMPLE,
		.rank = rank->number,
		.stream = SIM_STREAM_MAIN,
		.power_mw = hot ? HOT_POWER_MW : POWER_MW,
		.clock_mhz = (uint32_t)((uint64_t)CLOCK_MHZ * SIM_MILLION / rank->heat),
		.hot = hot,
	};

	if (!every_ns)
		return;
	for (; rank->sampled_ns <= until_ns; rank->sampled_ns += every_ns) {
		if (!rank->sampled_ns)
			rank->sampled_ns = until_ns;
		event.start_ns = event.end_ns = rank->sampled_ns;
		event.bytes = rank->millijoules += event.power_mw / 1000 * (every_ns / 1000) / 1000;
		sim_rank_emit(rank, &event);
	}
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
	if (event->stream == SIM_STREAM_MAIN)
		sample(rank, event->start_ns);
	event->end_ns =
		event->start_ns + length_ns / run->length_quantum_ns * run->length_quantum_ns;
	stream->end_ns = event->end_ns;
	stream->starts[stream->launched++ % rank->model->program->queue] = event->start_ns;
	sim_rank_emit(rank, event);
}

static struct sim_event operation(struct rank *rank, enum sim_event_kind kind,
				  enum sim_stream stream, const struct sim_event *call)
{
	return (struct sim_event){
		.kind = kind,
		.correlation = call->correlation,
		.operator_id = call->operator_id,
		.rank = rank->number,
		.instance = sim_rank_instance(rank),
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

void sim_rank_launch(struct rank *rank, const struct sim_op *op, uint32_t kernel,
		     enum sim_thread thread, enum sim_stream stream, uint64_t length_ns)
{
	struct sim_event call, event;
	uint64_t earliest_ns;

	if (op->begins)
		operator_begin(rank, op->oper, thread);
	rank->clock_ns += sim_rank_slowed(rank, sim_rng_jitter(&rank->timing, op->host_ns, 350000));
	call = call_begin(rank, SIM_CALL_LAUNCH, thread, stream);
	call_end(rank, &call,
		 launched_ns(rank, &rank->streams[stream], rank->model->program->launch_ns));
	event = operation(rank, SIM_KERNEL, stream, &call);
	event.name = kernel;
	event.grid = op->grid;
	earliest_ns = rank->clock_ns + latency_ns(rank);
	execute(rank, &event, earliest_ns, length_ns, gap_ns(rank));
	if (stream == SIM_STREAM_MAIN)
		count_issued(rank, 1);
}

void sim_rank_synchronize(struct rank *rank, enum sim_call kind, enum sim_stream stream)
{
	struct sim_event call = call_begin(rank, kind, SIM_THREAD_MAIN, stream);
	uint64_t end_ns = rank->clock_ns + 1500;

	for (int i = 0; i < SIM_STREAMS; i++)
		if ((kind == SIM_CALL_DEVICE_SYNC || i == (int)stream) &&
		    rank->streams[i].end_ns + 2500 > end_ns)
			end_ns = rank->streams[i].end_ns + 2500;
	call_end(rank, &call, end_ns);
}

void sim_rank_stall(struct rank *rank, const struct sim_action *action)
{
	struct sim_event call =
		call_begin(rank, SIM_CALL_MALLOC + action->api, SIM_THREAD_MAIN, SIM_STREAM_MAIN);

	call_end(rank, &call,
		 rank->clock_ns +
			 sim_rank_slowed(rank, sim_rng_jitter(&rank->timing, action->time_ns,
							      action->jitter)));
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
 * "API synchronization behavior"), except small uploads and those from pinned memory.
 */
void sim_rank_copy(struct rank *rank, const struct sim_action *action, enum sim_copy_kind kind)
{
	enum sim_stream stream = copy_stream(action);
	uint64_t bytes = sim_rng_jitter(&rank->control, action->bytes, action->jitter);
	bool waits = kind != SIM_DTOD && action->memory == SIM_PAGEABLE &&
		     (kind == SIM_DTOH || bytes > 65536);
	struct sim_event call, event;
	uint64_t returns_ns, earliest_ns, length_ns;

	if (action->within)
		sim_rank_within(rank, action->within);
	else
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
	earliest_ns = returns_ns + (waits ? 500 : latency_ns(rank));
	length_ns = transfer_ns(rank, action, bytes);
	execute(rank, &event, earliest_ns, length_ns, gap_ns(rank));
	call_end(rank, &call, waits && event.end_ns > returns_ns ? event.end_ns : returns_ns);
	if (stream != SIM_STREAM_MAIN && kind == SIM_HTOD && !action->ahead)
		depend(&rank->streams[SIM_STREAM_MAIN], event.end_ns + 1000);
	if (waits || action->block)
		sim_rank_synchronize(rank, SIM_CALL_STREAM_SYNC, stream);
	sim_rank_operator_end(rank);
}

void sim_rank_set(struct rank *rank, const struct sim_action *action)
{
	enum sim_stream stream = copy_stream(action);
	struct sim_event call, event;
	uint64_t earliest_ns;

	if (rank->model->run->no_sets)
		return;
	rank->clock_ns += 2000;
	call = call_begin(rank, SIM_CALL_SET, SIM_THREAD_MAIN, stream);
	call_end(rank, &call, launched_ns(rank, &rank->streams[stream], 4000));
	event = operation(rank, SIM_SET, stream, &call);
	event.bytes = action->bytes;
	earliest_ns = rank->clock_ns + latency_ns(rank);
	execute(rank, &event, earliest_ns, 900 + action->bytes / 800, gap_ns(rank));
}

void sim_rank_memory(struct rank *rank, const struct sim_action *action)
{
	struct sim_event event = {
		.kind = SIM_MEMORY,
		.rank = rank->number,
		.start_ns = rank->clock_ns,
		.end_ns = rank->clock_ns,
		.bytes = sim_rng_jitter(&rank->control, action->bytes, action->jitter),
		.freed = action->verb == SIM_DO_FREE,
	};

	sim_rank_emit(rank, &event);
	rank->clock_ns += 2000;
}

void sim_rank_reduce(struct rank *rank, const struct sim_action *action)
{
	const struct sim_catalogue *catalogue = rank->model->run->catalogue;
	struct sim_op op = { .host_ns = 9000, .oper = SIM_OP_REDUCE, .begins = true, .grid = 24 };
	uint64_t rate = action->bandwidth ? action->bandwidth : 100000;
	uint32_t n = action->count.low;

	for (uint32_t i = 0; i < n; i++) {
		struct stream *comm = &rank->streams[SIM_STREAM_COMM];

		depend(comm, rank->streams[SIM_STREAM_MAIN].end_ns + 1000);
		sim_rank_launch(rank, &op, catalogue->first[SIM_COLLECTIVE], SIM_THREAD_MAIN,
				SIM_STREAM_COMM,
				sim_rng_jitter(&rank->timing,
					       8000 + action->bytes / n * 1000 / rate, 80000));
	}
	sim_rank_operator_end(rank);
	if (action->block)
		depend(&rank->streams[SIM_STREAM_MAIN],
		       rank->streams[SIM_STREAM_COMM].end_ns + 1000);
}

void sim_rank_replay(struct rank *rank, const struct sim_action *action)
{
	const struct sim_run *run = rank->model->run;
	const struct sim_ops *graph = &run->nets->passes[action->target].graph;
	struct sim_event call, event;
	uint64_t total_ns = 0, earliest_ns;

	sim_rank_operator_end(rank);
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
