/* What a rank of a job records, and its random and fixed numbers. */
#include "job_model.h"

#include <stdlib.h>

/* A random number of a place, the same in whatever order places are asked. */
uint64_t job_draw(const struct job *job, uint64_t what, uint64_t a, uint64_t b)
{
	uint64_t state = job->seed * 0x9e3779b97f4a7c15u ^ what << 56 ^ a << 24 ^ b;

	sim_splitmix(&state);
	return sim_splitmix(&state);
}

/* -limit … limit */
int64_t job_drawn(const struct job *job, uint64_t what, uint64_t a, uint64_t b, uint64_t limit)
{
	return (int64_t)(job_draw(job, what, a, b) % (2 * limit + 1)) - (int64_t)limit;
}

uint64_t job_scaled(uint64_t ns, uint64_t millionths)
{
	return ns / 1000 * millionths / 1000 + ns % 1000 * millionths / SIM_MILLION;
}

/* The fault of a part that is at work on a rank now, or NULL. */
const struct job_fault *job_fault_at(const struct job *job, enum job_part part, uint32_t rank,
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

bool job_captured(const struct job *job, const struct worker *worker)
{
	return job->events && worker->iteration >= job->options->after;
}

struct sim_event *job_emit(struct job *job, const struct worker *worker,
			   const struct sim_event *event)
{
	struct job_events *events = job->events;

	if (!job_captured(job, worker))
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

void job_operator_end(struct job *job, struct worker *worker)
{
	if (!worker->oper.operator_id)
		return;
	worker->host_ns += 300;
	worker->oper.end_ns = worker->host_ns;
	if (job->options->operators)
		job_emit(job, worker, &worker->oper);
	worker->oper.operator_id = 0;
}

void job_operator_begin(struct job *job, struct worker *worker, enum sim_operator oper,
			enum sim_thread thread)
{
	job_operator_end(job, worker);
	worker->oper = (struct sim_event){
		.kind = SIM_OPERATOR,
		.name = oper,
		.start_ns = worker->host_ns,
		.operator_id = ++worker->operators,
		.thread = (uint8_t)thread,
	};
}

/* A call of the runtime, after which what it launches may start. */
uint32_t job_call(struct job *job, struct worker *worker, enum sim_call kind,
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

	job_emit(job, worker, &event);
	return event.correlation;
}

uint64_t job_jittered(struct worker *worker, uint64_t ns, uint64_t millionths)
{
	return sim_rng_jitter(&worker->timing, ns, (uint32_t)millionths);
}
