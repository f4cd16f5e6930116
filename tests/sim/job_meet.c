/*
 * Where the ranks of a job wait for each other. A meeting is one collective: its end is known when
 * all members have arrived, or the root of a broadcast, or both ends of a pair.
 */
#include "job_model.h"

#include <stdlib.h>
#include <string.h>

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
		    job_fault_at(job, JOB_LINK, rank, worker->iteration))
			return options->faults[i].factor;
	}
	return SIM_MILLION;
}

/*
 * The duration of a collective after all have arrived: the bytes that pass a link, and a latency.
 */
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
			 job_drawn(job, DRAW_TRANSFER + 10u * step->axis, group, sequence, 30) /
			 1000);
	return job_scaled(ns, link_factor(job, worker, step->axis));
}

static void resume(struct job *job, uint32_t rank)
{
	if (job->workers[rank].waiting) {
		job->workers[rank].waiting = false;
		job->queue[job->queued++] = rank;
	}
}

/* The end of the meeting is known: its waiting members continue. */
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

/* Determines the stream's end. False if the rank has to wait for others. */
bool job_resolve(struct job *job, struct worker *worker, enum job_stream stream)
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
		struct sim_event *event = job_emit(job, worker, &pending->event);

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

	if (!job_captured(job, worker))
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

/* Starts a collective: the stream's end is unknown from here on. */
bool job_meet(struct job *job, struct worker *worker, const struct job_step *step)
{
	struct pending *pending = &worker->pending[step->stream];
	uint32_t *sequence;
	struct channel *channel = channel_of(job, worker, step, &sequence);
	struct meeting *meeting;
	uint64_t start_ns;

	if (!job_resolve(job, worker, step->stream))
		return false;
	meeting = meeting_of(job, channel, *sequence);
	if (!meeting)
		return true;
	job_operator_begin(job, worker, SIM_OP_COMMUNICATE, SIM_THREAD_MAIN);
	worker->host_ns += job_jittered(worker, 12000, 200000);
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
			   .instance = job_captured(job, worker)
					       ? worker->iteration - (uint32_t)job->options->after
					       : SIM_NONE,
			   .grid = 16,
			   .collective = describe(job, worker, step, *sequence) },
	};
	worker->oper.collective = pending->event.collective;
	pending->event.correlation = job_call(job, worker, SIM_CALL_LAUNCH, step->stream,
					      job_jittered(worker, LAUNCH_NS, 200000));
	job_operator_end(job, worker);
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
