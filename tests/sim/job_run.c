/*
 * The event simulation of a job. Each rank walks through its plan; its host's clock goes from
 * launch to launch, its streams work in order, and where a stream's end depends on a collective
 * whose other members have not come yet, the rank is put off until they have. Cost: constant time
 * per step; memory for the times of the collectives, so that a rank can be run once more alone, to
 * write its file.
 */
#include "job.h"

#include <stdlib.h>
#include <string.h>

enum { CHANNELS = JOB_AXES + 1 }; /* pairs of stages have one for each direction */

/* One collective: all members' or the root's arrival decides. */
struct meeting {
	uint64_t ready_ns;
	uint32_t arrived;
	bool known;
};

struct channel {
	struct meeting *meetings;
	size_t room;
};

/* What a stream has started and is not known to have ended. */
struct pending {
	bool is;
	struct channel *channel;
	size_t sequence;
	uint64_t arrival_ns;
	uint64_t transfer_ns;
	uint64_t skew_ns;
	enum job_collective collective;
	struct sim_event event;
};

struct worker {
	uint32_t rank;
	struct job_place place;
	struct sim_rng timing;
	uint64_t host_ns;
	uint64_t streams[JOB_STREAMS]; /* when each is free */
	struct pending pending[JOB_STREAMS];
	uint32_t sequences[JOB_AXES + JOB_STREAMS]; /* of groups; of sends and receives */
	uint32_t iteration;
	size_t step;
	bool waiting, done;
	uint32_t noise; /* millionths: this iteration's compute */
	uint32_t correlation, operators;
	struct sim_event oper; /* the framework's operator that is open */
	uint64_t sampled_ns;
};

struct job {
	const struct job_options *options;
	const struct sim_catalogue *catalogue;
	struct job_plan *plans;
	uint64_t seed;
	uint32_t total; /* iterations, those before the capture included */
	uint32_t only;	/* SIM_NONE; or a fault that is left out */
	struct channel *channels[CHANNELS];
	struct worker *workers;
	uint32_t *queue; /* workers that can go on */
	size_t queued;
	uint64_t *starts, *ends; /* per rank and iteration; per iteration */
	int64_t *offsets, *drifts;
	struct job_events *events; /* of the rank that is run again; NULL in job_run() */
	int status;
};

enum { START_NS = 1000000000, LAUNCH_NS = 4500, LATENCY_NS = 2500, TRANSFER_NS = 9000 };

/* A number of the place: the same whoever asks, and in whichever order. */
static uint64_t drawn(const struct job *job, uint64_t what, uint64_t a, uint64_t b)
{
	uint64_t state = job->seed * 0x9e3779b97f4a7c15u ^ what << 56 ^ a << 24 ^ b;

	sim_splitmix(&state);
	return sim_splitmix(&state);
}

/* -limit … limit */
static int64_t drawn_between(const struct job *job, uint64_t what, uint64_t a, uint64_t b,
			     uint64_t limit)
{
	return (int64_t)(drawn(job, what, a, b) % (2 * limit + 1)) - (int64_t)limit;
}

enum { DRAW_SEQUENCE = 1, DRAW_SPREAD, DRAW_OFFSET, DRAW_DRIFT, DRAW_TRANSFER, DRAW_RANK };

static uint64_t scaled(uint64_t ns, uint64_t millionths)
{
	return ns / 1000 * millionths / 1000 + ns % 1000 * millionths / SIM_MILLION;
}

static void set_clocks(struct job *job)
{
	const struct job_options *options = job->options;

	for (uint32_t i = 1; i < options->hosts; i++) {
		job->offsets[i] = drawn_between(job, DRAW_OFFSET, i, 0, options->offset_ns);
		job->drifts[i] = drawn_between(job, DRAW_DRIFT, i, 0, options->drift_ppb);
	}
}

struct job *job_new(const struct job_options *options, const struct sim_catalogue *catalogue,
		    struct job_plan *plans, uint64_t seed)
{
	struct job *job = calloc(1, sizeof(*job));
	bool failed = !job;

	if (failed)
		return NULL;
	job->options = options;
	job->catalogue = catalogue;
	job->plans = plans;
	job->seed = seed;
	job->only = SIM_NONE;
	job->total = (uint32_t)(options->after + options->iterations);
	job->workers = calloc(options->ranks, sizeof(*job->workers));
	job->queue = calloc(options->ranks, sizeof(*job->queue));
	job->starts = calloc(options->ranks * job->total, sizeof(*job->starts));
	job->ends = calloc(job->total, sizeof(*job->ends));
	job->offsets = calloc(options->hosts, sizeof(*job->offsets));
	job->drifts = calloc(options->hosts, sizeof(*job->drifts));
	for (int i = 0; i < CHANNELS; i++) {
		job->channels[i] = calloc(options->ranks, sizeof(**job->channels));
		failed |= !job->channels[i];
	}
	if (failed || !job->workers || !job->queue || !job->starts || !job->ends || !job->offsets ||
	    !job->drifts) {
		job_free(job);
		return NULL;
	}
	set_clocks(job);
	return job;
}

void job_free(struct job *job)
{
	if (!job)
		return;
	for (int i = 0; i < CHANNELS; i++) {
		for (size_t j = 0; job->channels[i] && j < job->options->ranks; j++)
			free(job->channels[i][j].meetings);
		free(job->channels[i]);
	}
	free(job->workers);
	free(job->queue);
	free(job->starts);
	free(job->ends);
	free(job->offsets);
	free(job->drifts);
	free(job);
}

void job_ignore_fault(struct job *job, uint32_t i)
{
	job->only = i;
}

uint64_t job_iteration_start_ns(const struct job *job, uint32_t rank, uint32_t iteration)
{
	return job->starts[(size_t)rank * job->total + job->options->after + iteration];
}

uint64_t job_iteration_end_ns(const struct job *job, uint32_t iteration)
{
	return job->ends[job->options->after + iteration];
}

int64_t job_clock_offset_ns(const struct job *job, uint32_t host)
{
	return job->offsets[host];
}

int64_t job_clock_drift_ppb(const struct job *job, uint32_t host)
{
	return job->drifts[host];
}

uint64_t job_clock_ns(const struct job *job, uint32_t host, uint64_t true_ns)
{
	int64_t drifted = (int64_t)(true_ns / 1000) * job->drifts[host] / 1000000;
	/* All offsets are at most 5 s: so much later, no time is negative. */
	int64_t local = (int64_t)true_ns + 6000000000 + job->offsets[host] + drifted;

	return local > 0 ? (uint64_t)local : 0;
}

/* The fault of a part that is at work on a rank now, or NULL. */
static const struct job_fault *fault_of(const struct job *job, enum job_part part, uint32_t rank,
					uint32_t iteration)
{
	const struct job_options *options = job->options;

	for (uint32_t i = 0; i < options->fault_count && iteration >= options->after; i++) {
		const struct job_fault *fault = &options->faults[i];

		if (i != job->only && fault->part == part && fault->rank == rank &&
		    job_fault_in(fault, iteration - (uint32_t)options->after))
			return fault;
	}
	return NULL;
}

/* Events. */

static bool captured(const struct job *job, const struct worker *worker)
{
	return job->events && worker->iteration >= job->options->after;
}

static struct sim_event *emit(struct job *job, const struct worker *worker,
			      const struct sim_event *event)
{
	struct job_events *events = job->events;

	if (!captured(job, worker))
		return NULL;
	if (events->count == events->room) {
		size_t room = events->room * 2 + 4096;
		struct sim_event *grown = realloc(events->events, room * sizeof(*grown));

		if (!grown) {
			job->status = -1;
			return NULL;
		}
		events->events = grown;
		events->room = room;
	}
	events->events[events->count] = *event;
	events->events[events->count].instance = worker->iteration - (uint32_t)job->options->after;
	return &events->events[events->count++];
}

static void operator_end(struct job *job, struct worker *worker)
{
	if (!worker->oper.operator_id)
		return;
	worker->host_ns += 300;
	worker->oper.end_ns = worker->host_ns;
	if (job->options->operators)
		emit(job, worker, &worker->oper);
	worker->oper.operator_id = 0;
}

static void operator_begin(struct job *job, struct worker *worker, enum sim_operator oper,
			   enum sim_thread thread)
{
	operator_end(job, worker);
	worker->oper = (struct sim_event){
		.kind = SIM_OPERATOR,
		.name = oper,
		.start_ns = worker->host_ns,
		.operator_id = ++worker->operators,
		.thread = (uint8_t)thread,
	};
}

/* A call of the runtime, after which what it launches may start. */
static uint32_t call(struct job *job, struct worker *worker, enum sim_call kind,
		     enum job_stream stream, uint64_t ns)
{
	struct sim_event event = {
		.kind = SIM_CALL,
		.name = kind,
		.start_ns = worker->host_ns,
		.end_ns = worker->host_ns += ns,
		.correlation = ++worker->correlation,
		.operator_id = worker->oper.operator_id,
		.thread = worker->oper.thread,
		.stream = (uint8_t)stream,
	};

	emit(job, worker, &event);
	return event.correlation;
}

static uint64_t jittered(struct worker *worker, uint64_t ns, uint64_t millionths)
{
	return sim_rng_jitter(&worker->timing, ns, (uint32_t)millionths);
}

/* Meetings. */

/* Where a step's meetings are: a group's, or a pair's of stages. */
static struct channel *channel_of(struct job *job, const struct worker *worker,
				  const struct job_step *step, uint32_t **sequence)
{
	const struct job_options *options = job->options;
	uint32_t apart = (uint32_t)(options->ranks / options->pipeline);
	uint32_t lower = worker->rank;
	size_t axis = step->axis;
	bool receives = step->collective == JOB_RECEIVE;

	*sequence = &((struct worker *)worker)->sequences[axis];
	if (axis != JOB_PIPELINE)
		return &job->channels[axis][job_group_of(options, step->axis, worker->rank)];
	/* A pair has the number of its member in the earlier stage. */
	if (receives == step->forward)
		lower -= apart;
	axis = step->forward ? JOB_PIPELINE : JOB_AXES;
	*sequence = &((struct worker *)worker)->sequences[step->stream + JOB_AXES];
	return &job->channels[axis][lower];
}

static struct meeting *meeting_of(struct job *job, struct channel *channel, size_t sequence)
{
	if (sequence >= channel->room) {
		size_t room = sequence * 2 + 16;
		struct meeting *grown = realloc(channel->meetings, room * sizeof(*grown));

		if (!grown) {
			job->status = -1;
			return NULL;
		}
		memset(grown + channel->room, 0, (room - channel->room) * sizeof(*grown));
		channel->meetings = grown;
		channel->room = room;
	}
	return &channel->meetings[sequence];
}

static bool crosses_hosts(const struct job_options *options, enum job_axis axis, uint32_t rank)
{
	uint32_t group = job_group_of(options, axis, rank), n = job_group_size(options, axis);
	uint32_t first = job_group_member(options, axis, group, 0);
	uint32_t last = job_group_member(options, axis, group, n - 1);

	return job_place(options, first).host != job_place(options, last).host;
}

/* A slow link slows every group that its rank is in. */
static uint64_t link_factor(const struct job *job, const struct worker *worker, enum job_axis axis)
{
	const struct job_options *options = job->options;
	uint32_t group = job_group_of(options, axis, worker->rank);

	for (uint32_t i = 0; i < options->fault_count; i++) {
		uint32_t rank = options->faults[i].rank;

		if (options->faults[i].part == JOB_LINK &&
		    job_group_of(options, axis, rank) == group &&
		    fault_of(job, JOB_LINK, rank, worker->iteration))
			return options->faults[i].factor;
	}
	return SIM_MILLION;
}

/* What a collective takes once all are there: the bytes that pass a link, and a latency. */
static uint64_t transfer_ns(const struct job *job, const struct worker *worker,
			    const struct job_step *step, uint32_t sequence)
{
	const struct job_options *options = job->options;
	uint64_t n = job_group_size(options, step->axis);
	uint64_t bytes = step->bytes;
	bool far = crosses_hosts(options, step->axis, worker->rank);
	uint64_t ns;
	uint32_t group = job_group_of(options, step->axis, worker->rank);

	if (step->collective == JOB_ALLREDUCE)
		bytes = bytes * 2 * (n - 1) / n;
	else if (step->collective < JOB_BROADCAST)
		bytes = bytes * (n - 1) / n;
	ns = TRANSFER_NS * (far ? 2u : 1u) + n * 20 +
	     bytes * 1000 / (far ? options->inter : options->intra);
	ns += (uint64_t)((int64_t)ns *
			 drawn_between(job, DRAW_TRANSFER + 10u * step->axis, group, sequence, 30) /
			 1000);
	return scaled(ns, link_factor(job, worker, step->axis));
}

static void resume(struct job *job, uint32_t rank)
{
	if (job->workers[rank].waiting) {
		job->workers[rank].waiting = false;
		job->queue[job->queued++] = rank;
	}
}

/* The meeting's outcome is known: whoever waited for it goes on. */
static void announce(struct job *job, const struct worker *worker, const struct job_step *step)
{
	const struct job_options *options = job->options;
	uint32_t apart = (uint32_t)(options->ranks / options->pipeline);
	uint32_t group = job_group_of(options, step->axis, worker->rank);

	if (step->axis == JOB_PIPELINE) {
		resume(job, (step->collective == JOB_RECEIVE) == step->forward
				    ? worker->rank - apart
				    : worker->rank + apart);
		return;
	}
	for (uint32_t i = 0; i < job_group_size(options, step->axis); i++)
		resume(job, job_group_member(options, step->axis, group, i));
}

static void arrive(struct job *job, const struct worker *worker, const struct job_step *step,
		   struct meeting *meeting, uint64_t arrival_ns)
{
	uint32_t need = step->axis == JOB_PIPELINE ? 2 : job_group_size(job->options, step->axis);
	bool broadcast = step->collective == JOB_BROADCAST;
	uint32_t group = job_group_of(job->options, step->axis, worker->rank);

	if (broadcast && worker->rank != job_group_member(job->options, step->axis, group, 0))
		return;
	if (meeting->ready_ns < arrival_ns)
		meeting->ready_ns = arrival_ns;
	meeting->known = ++meeting->arrived == (broadcast ? 1 : need);
	if (meeting->known)
		announce(job, worker, step);
}

/* Makes the stream's end known. False where the rank has to wait for others. */
static bool settle(struct job *job, struct worker *worker, enum job_stream stream)
{
	struct pending *pending = &worker->pending[stream];
	const struct meeting *meeting;
	uint64_t ready_ns;

	if (!pending->is)
		return true;
	meeting = &pending->channel->meetings[pending->sequence];
	if (!meeting->known) {
		worker->waiting = true;
		return false;
	}
	/* A broadcast ends on each rank when the root's data has reached it. */
	ready_ns =
		meeting->ready_ns > pending->arrival_ns ? meeting->ready_ns : pending->arrival_ns;
	worker->streams[stream] = ready_ns + pending->transfer_ns + pending->skew_ns;
	pending->event.end_ns = worker->streams[stream];
	if (pending->event.instance != SIM_NONE) {
		struct sim_event *event = emit(job, worker, &pending->event);

		if (event)
			event->instance = pending->event.instance;
	}
	pending->is = false;
	return true;
}

static const char *const collective_names[JOB_COLLECTIVES] = {
	"allreduce", "allgather", "reduce_scatter", "all_to_all",
	"broadcast", "barrier",	  "send",	    "recv",
};

/* NCCL's kernel for a collective: barriers are all-reduces, all-to-alls are sends. */
static uint32_t collective_kernel(const struct job *job, enum job_collective collective)
{
	static const uint32_t kernels[JOB_COLLECTIVES] = { 0, 1, 2, 3, 4, 0, 3, 3 };

	return job->catalogue->first[SIM_COLLECTIVE] + kernels[collective];
}

static uint32_t describe(struct job *job, const struct worker *worker, const struct job_step *step,
			 uint32_t sequence)
{
	struct job_events *events = job->events;
	const struct job_options *options = job->options;
	uint32_t n = job_group_size(options, step->axis),
		 apart = (uint32_t)options->ranks / (uint32_t)options->pipeline;
	uint64_t elements = step->bytes / 4;

	if (!captured(job, worker))
		return 0;
	if (events->collective_count == events->collective_room) {
		size_t room = events->collective_room * 2 + 256;
		struct sim_collective *grown = realloc(events->collectives, room * sizeof(*grown));

		if (!grown) {
			job->status = -1;
			return 0;
		}
		events->collectives = grown;
		events->collective_room = room;
	}
	events->collectives[events->collective_count++] = (struct sim_collective){
		.name = collective_names[step->collective],
		.kind = step->collective,
		.axis = step->axis,
		.group = job_group_of(options, step->axis, worker->rank),
		.sequence = sequence + 1,
		.in_elements = step->collective == JOB_ALLGATHER ? elements / n : elements,
		.out_elements = step->collective == JOB_REDUCE_SCATTER ? elements / n : elements,
		.peer = step->axis != JOB_PIPELINE			     ? SIM_NONE
			: (step->collective == JOB_RECEIVE) == step->forward ? worker->rank - apart
									     : worker->rank + apart,
	};
	return (uint32_t)events->collective_count;
}

/* Starts a collective: the stream's end is open from here on. */
static bool meet(struct job *job, struct worker *worker, const struct job_step *step)
{
	struct pending *pending = &worker->pending[step->stream];
	uint32_t *sequence;
	struct channel *channel = channel_of(job, worker, step, &sequence);
	struct meeting *meeting;
	uint64_t start_ns;

	if (!settle(job, worker, step->stream))
		return false;
	meeting = meeting_of(job, channel, *sequence);
	if (!meeting)
		return true;
	operator_begin(job, worker, SIM_OP_COMMUNICATE, SIM_THREAD_MAIN);
	worker->host_ns += jittered(worker, 12000, 200000);
	*pending = (struct pending){
		.is = true,
		.channel = channel,
		.sequence = *sequence,
		.collective = step->collective,
		.transfer_ns = transfer_ns(job, worker, step, *sequence),
		.skew_ns = sim_rng_below(&worker->timing, (uint32_t)job->options->skew_ns + 1),
		.event = { .kind = SIM_KERNEL,
			   .name = collective_kernel(job, step->collective),
			   .stream = (uint8_t)step->stream,
			   .operator_id = worker->oper.operator_id,
			   .instance = captured(job, worker)
					       ? worker->iteration - (uint32_t)job->options->after
					       : SIM_NONE,
			   .grid = 16,
			   .collective = describe(job, worker, step, *sequence) },
	};
	worker->oper.collective = pending->event.collective;
	pending->event.correlation = call(job, worker, SIM_CALL_LAUNCH, step->stream,
					  jittered(worker, LAUNCH_NS, 200000));
	operator_end(job, worker);
	start_ns = worker->host_ns + LATENCY_NS;
	if (start_ns < worker->streams[step->stream])
		start_ns = worker->streams[step->stream];
	if (start_ns < worker->streams[JOB_STREAM_MAIN])
		start_ns = worker->streams[JOB_STREAM_MAIN];
	pending->event.start_ns = pending->arrival_ns = start_ns + 800;
	if (!job->events)
		arrive(job, worker, step, meeting, pending->arrival_ns);
	++*sequence;
	return true;
}

/* Kernels, copies and the host. */

/* What the rank's kernels take, of what they take by themselves. */
static uint64_t compute_factor(const struct job *job, const struct worker *worker,
			       const struct job_step *step)
{
	const struct job_options *options = job->options;
	const struct job_fault *clock = fault_of(job, JOB_CLOCK, worker->rank, worker->iteration);
	const struct job_fault *compute =
		fault_of(job, JOB_COMPUTE, worker->rank, worker->iteration);
	uint64_t factor = worker->noise;

	if (worker->place.stage == options->slow_stage)
		factor = scaled(factor, options->stage_factor);
	if (options->sequence)
		factor = scaled(factor, SIM_MILLION + (uint64_t)drawn_between(job, DRAW_SEQUENCE,
									      worker->place.data,
									      worker->iteration,
									      options->sequence));
	if (clock)
		factor = scaled(factor, clock->factor);
	if (compute && (compute->oper == SIM_NONE || compute->oper == step->op->oper) &&
	    (compute->layer == SIM_NONE || compute->layer == step->layer))
		factor = scaled(factor, compute->factor);
	return factor;
}

static void sample(struct job *job, struct worker *worker, uint64_t until_ns)
{
	bool hot = fault_of(job, JOB_CLOCK, worker->rank, worker->iteration);

	if (!job->options->sample_ns || !captured(job, worker))
		return;
	if (!worker->sampled_ns)
		worker->sampled_ns = until_ns;
	for (; worker->sampled_ns <= until_ns; worker->sampled_ns += job->options->sample_ns) {
		struct sim_event event = {
			.kind = SIM_SAMPLE,
			.start_ns = worker->sampled_ns,
			.end_ns = worker->sampled_ns,
			.power_mw = hot ? 250000 : 300000,
			.clock_mhz = hot ? 1100 : 1410,
			.hot = hot,
		};

		emit(job, worker, &event);
	}
}

static void begin_iteration(struct job *job, struct worker *worker, uint64_t start_ns)
{
	uint64_t *start = &job->starts[(size_t)worker->rank * job->total + worker->iteration];

	if (!*start)
		*start = start_ns;
}

/* Runs an operation on the main stream and returns when it ends. */
static void execute(struct job *job, struct worker *worker, struct sim_event event, uint64_t ns)
{
	uint64_t *stream = &worker->streams[JOB_STREAM_MAIN];

	event.start_ns = worker->host_ns + LATENCY_NS;
	if (event.start_ns < *stream + 600)
		event.start_ns = *stream + 600;
	event.end_ns = event.start_ns + ns;
	event.operator_id = worker->oper.operator_id;
	*stream = event.end_ns;
	begin_iteration(job, worker, event.start_ns);
	sample(job, worker, event.start_ns);
	emit(job, worker, &event);
}

static bool compute(struct job *job, struct worker *worker, const struct job_step *step)
{
	const struct sim_op *op = step->op;
	const struct job_fault *slow = fault_of(job, JOB_HOST, worker->rank, worker->iteration);
	uint64_t factor = compute_factor(job, worker, step);
	uint64_t host_ns = jittered(worker, op->host_ns, 300000);
	struct sim_event event = { .kind = SIM_KERNEL, .name = op->kernel, .grid = op->grid };

	if (op->begins || !worker->oper.operator_id)
		operator_begin(job, worker, op->oper,
			       op->backward ? SIM_THREAD_BACKWARD : SIM_THREAD_MAIN);
	worker->host_ns += slow ? scaled(host_ns, slow->factor) : host_ns;
	event.correlation = call(job, worker, SIM_CALL_LAUNCH, JOB_STREAM_MAIN,
				 jittered(worker, LAUNCH_NS, 300000));
	execute(job, worker, event,
		scaled(jittered(worker, op->gpu_ns, job->options->jitter), factor));
	return true;
}

/* The next batch; and whatever else keeps the host from going on. */
static bool fetch(struct job *job, struct worker *worker)
{
	const struct job_fault *input = fault_of(job, JOB_INPUT, worker->rank, worker->iteration);

	operator_begin(job, worker, SIM_OP_INPUT, SIM_THREAD_MAIN);
	worker->host_ns += jittered(worker, job->options->input_ns, 300000);
	if (input)
		worker->host_ns += input->time_ns;
	operator_end(job, worker);
	return true;
}

static bool upload(struct job *job, struct worker *worker, const struct job_step *step)
{
	struct sim_event event = {
		.kind = SIM_COPY, .bytes = step->bytes, .copy_kind = SIM_HTOD, .memory = SIM_PINNED
	};

	operator_begin(job, worker, SIM_OP_COPY, SIM_THREAD_MAIN);
	event.correlation = call(job, worker, SIM_CALL_COPY, JOB_STREAM_MAIN, 6000);
	execute(job, worker, event, jittered(worker, step->bytes * 1000 / 24000, 30000));
	operator_end(job, worker);
	return true;
}

/* loss.item(): the host waits for the GPU. */
static bool read_loss(struct job *job, struct worker *worker)
{
	struct sim_event event = {
		.kind = SIM_COPY, .bytes = 4, .copy_kind = SIM_DTOH, .memory = SIM_PAGEABLE
	};
	uint64_t wait_ns;

	operator_begin(job, worker, SIM_OP_READ, SIM_THREAD_MAIN);
	event.correlation = call(job, worker, SIM_CALL_COPY, JOB_STREAM_MAIN, 6000);
	execute(job, worker, event, 1500);
	wait_ns = worker->streams[JOB_STREAM_MAIN] > worker->host_ns
			  ? worker->streams[JOB_STREAM_MAIN] - worker->host_ns
			  : 0;
	call(job, worker, SIM_CALL_STREAM_SYNC, JOB_STREAM_MAIN, wait_ns + 5000);
	operator_end(job, worker);
	return true;
}

/* False where the rank has to wait. */
static bool do_step(struct job *job, struct worker *worker, const struct job_step *step)
{
	if (step->every > 1 && (worker->iteration + 1) % step->every)
		return true;
	switch (step->kind) {
	case JOB_KERNEL:
		return compute(job, worker, step);
	case JOB_MEET:
		return meet(job, worker, step);
	case JOB_JOIN:
		if (!settle(job, worker, step->stream))
			return false;
		if (worker->streams[JOB_STREAM_MAIN] < worker->streams[step->stream])
			worker->streams[JOB_STREAM_MAIN] = worker->streams[step->stream];
		return true;
	case JOB_FETCH:
		return fetch(job, worker);
	case JOB_UPLOAD:
		return upload(job, worker, step);
	default:
		return read_loss(job, worker);
	}
}

static void start_iteration(struct job *job, struct worker *worker)
{
	const struct job_options *options = job->options;
	const struct job_fault *pause = fault_of(job, JOB_HOST, worker->rank, worker->iteration);
	int64_t spread = drawn_between(job, DRAW_SPREAD, worker->rank, 0, options->spread);

	worker->noise =
		(uint32_t)(sim_rng_jitter(&worker->timing, SIM_MILLION, (uint32_t)options->noise) +
			   (uint64_t)spread);
	worker->host_ns += jittered(worker, 20000, 500000);
	if (pause)
		worker->host_ns += pause->time_ns;
}

static void end_iteration(struct job *job, struct worker *worker, uint64_t began_ns)
{
	struct sim_event mark = {
		.kind = SIM_MARK,
		.start_ns = began_ns,
		.end_ns = worker->host_ns,
		.number = worker->iteration,
	};
	uint64_t *end = &job->ends[worker->iteration];

	operator_end(job, worker);
	mark.end_ns = worker->host_ns;
	mark.operator_id = ++worker->operators;
	emit(job, worker, &mark);
	if (*end < worker->streams[JOB_STREAM_MAIN])
		*end = worker->streams[JOB_STREAM_MAIN];
	worker->iteration++;
	worker->step = 0;
}

/* Goes on until the job ends for this rank or others have to come first. */
static void advance(struct job *job, struct worker *worker, uint64_t *began_ns)
{
	const struct job_plan *plan = &job->plans[worker->place.stage];

	while (worker->iteration < job->total && !job->status) {
		if (worker->step == 0) {
			*began_ns = worker->host_ns;
			start_iteration(job, worker);
			worker->step = 1;
		}
		for (; worker->step <= plan->count; worker->step++)
			if (!do_step(job, worker, &plan->steps[worker->step - 1]))
				return;
		end_iteration(job, worker, *began_ns);
	}
	worker->iteration = job->total - 1;
	for (int i = 0; i < JOB_STREAMS; i++)
		if (!settle(job, worker, (enum job_stream)i)) {
			worker->iteration = job->total;
			return;
		}
	worker->done = true;
}

static void init_worker(const struct job *job, struct worker *worker, uint32_t rank)
{
	memset(worker, 0, sizeof(*worker));
	worker->rank = rank;
	worker->place = job_place(job->options, rank);
	worker->correlation = 1000;
	/* Processes do not begin at the same moment. */
	worker->host_ns = START_NS + drawn(job, DRAW_RANK, rank, 0) % 3000000;
	sim_rng_init(&worker->timing, job->seed, rank + 10u);
}

int job_run(struct job *job)
{
	uint32_t n = (uint32_t)job->options->ranks;
	uint64_t *began_ns = calloc(n, sizeof(*began_ns));

	if (!began_ns)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		init_worker(job, &job->workers[i], i);
		job->queue[n - 1 - i] = i;
	}
	job->queued = n;
	while (job->queued && !job->status) {
		uint32_t rank = job->queue[--job->queued];

		advance(job, &job->workers[rank], &began_ns[rank]);
	}
	for (uint32_t i = 0; i < n && !job->status; i++)
		if (!job->workers[i].done)
			job->status = -2;
	free(began_ns);
	return job->status;
}

int job_replay(struct job *job, uint32_t rank, struct job_events *events)
{
	struct worker *worker = &job->workers[rank];
	uint64_t began_ns = 0;

	memset(events, 0, sizeof(*events));
	job->events = events;
	init_worker(job, worker, rank);
	advance(job, worker, &began_ns);
	job->events = NULL;
	return job->status;
}

void job_events_fini(struct job_events *events)
{
	free(events->events);
	free(events->collectives);
	memset(events, 0, sizeof(*events));
}
