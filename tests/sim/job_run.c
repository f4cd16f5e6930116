/*
 * The event simulation of a job. Each rank executes its plan: its host's clock advances from launch
 * to launch, and its streams work in order. If a stream's end depends on a collective whose other
 * members have not arrived, the rank is suspended until they have. Cost: constant time per step;
 * memory for the times of the collectives, so that a rank can be run again alone, to write its
 * file.
 */
#include "job_model.h"

#include <stdlib.h>
#include <string.h>

static void set_clocks(struct job *job)
{
	const struct job_options *options = job->options;

	for (uint32_t i = 1; i < options->hosts; i++) {
		job->offsets[i] = job_drawn(job, DRAW_OFFSET, i, 0, options->offset_ns);
		job->drifts[i] = job_drawn(job, DRAW_DRIFT, i, 0, options->drift_ppb);
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
	/* Offsets are at most 5 s, so that 5 s later no time is negative. */
	int64_t local = (int64_t)true_ns + 6000000000 + job->offsets[host] + drifted;

	return local > 0 ? (uint64_t)local : 0;
}

/* Kernels, copies and the host. */

/* The duration of the rank's kernels relative to an undisturbed one. */
static uint64_t compute_factor(const struct job *job, const struct worker *worker,
			       const struct job_step *step)
{
	const struct job_options *options = job->options;
	const struct job_fault *clock =
		job_fault_at(job, JOB_CLOCK, worker->rank, worker->iteration);
	const struct job_fault *compute =
		job_fault_at(job, JOB_COMPUTE, worker->rank, worker->iteration);
	uint64_t factor = worker->noise;

	if (worker->place.stage == options->slow_stage)
		factor = job_scaled(factor, options->stage_factor);
	if (options->sequence)
		factor = job_scaled(factor, SIM_MILLION + (uint64_t)job_drawn(job, DRAW_SEQUENCE,
									      worker->place.data,
									      worker->iteration,
									      options->sequence));
	if (clock)
		factor = job_scaled(factor, clock->factor);
	if (compute && (compute->oper == SIM_NONE || compute->oper == step->op->oper) &&
	    (compute->layer == SIM_NONE || compute->layer == step->layer))
		factor = job_scaled(factor, compute->factor);
	return factor;
}

static void sample(struct job *job, struct worker *worker, uint64_t until_ns)
{
	bool hot = job_fault_at(job, JOB_CLOCK, worker->rank, worker->iteration);

	if (!job->options->sample_ns || !job_captured(job, worker))
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

		job_emit(job, worker, &event);
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
	job_emit(job, worker, &event);
}

static bool compute(struct job *job, struct worker *worker, const struct job_step *step)
{
	const struct sim_op *op = step->op;
	const struct job_fault *slow = job_fault_at(job, JOB_HOST, worker->rank, worker->iteration);
	uint64_t factor = compute_factor(job, worker, step);
	uint64_t host_ns = job_jittered(worker, op->host_ns, 300000);
	struct sim_event event = { .kind = SIM_KERNEL, .name = op->kernel, .grid = op->grid };

	if (op->begins || !worker->oper.operator_id)
		job_operator_begin(job, worker, op->oper,
				   op->backward ? SIM_THREAD_BACKWARD : SIM_THREAD_MAIN);
	worker->host_ns += slow ? job_scaled(host_ns, slow->factor) : host_ns;
	/* A pause lies in the forward pass, where it cannot be mistaken for input wait. */
	worker->host_ns += worker->pause_ns;
	worker->pause_ns = 0;
	event.correlation = job_call(job, worker, SIM_CALL_LAUNCH, JOB_STREAM_MAIN,
				     job_jittered(worker, LAUNCH_NS, 300000));
	execute(job, worker, event,
		job_scaled(job_jittered(worker, op->gpu_ns, job->options->jitter), factor));
	return true;
}

/* Waits for the next batch, and for whatever else delays the host. */
static bool fetch(struct job *job, struct worker *worker)
{
	const struct job_fault *input =
		job_fault_at(job, JOB_INPUT, worker->rank, worker->iteration);

	job_operator_begin(job, worker, SIM_OP_INPUT, SIM_THREAD_MAIN);
	worker->host_ns += job_jittered(worker, job->options->input_ns, 300000);
	if (input)
		worker->host_ns += input->time_ns;
	job_operator_end(job, worker);
	return true;
}

static bool upload(struct job *job, struct worker *worker, const struct job_step *step)
{
	struct sim_event event = {
		.kind = SIM_COPY, .bytes = step->bytes, .copy_kind = SIM_HTOD, .memory = SIM_PINNED
	};

	job_operator_begin(job, worker, SIM_OP_COPY, SIM_THREAD_MAIN);
	event.correlation = job_call(job, worker, SIM_CALL_COPY, JOB_STREAM_MAIN, 6000);
	execute(job, worker, event, job_jittered(worker, step->bytes * 1000 / 24000, 30000));
	job_operator_end(job, worker);
	return true;
}

/* loss.item(): the host waits for the GPU. */
static bool read_loss(struct job *job, struct worker *worker)
{
	struct sim_event event = {
		.kind = SIM_COPY, .bytes = 4, .copy_kind = SIM_DTOH, .memory = SIM_PAGEABLE
	};
	uint64_t wait_ns;

	job_operator_begin(job, worker, SIM_OP_READ, SIM_THREAD_MAIN);
	event.correlation = job_call(job, worker, SIM_CALL_COPY, JOB_STREAM_MAIN, 6000);
	execute(job, worker, event, 1500);
	wait_ns = worker->streams[JOB_STREAM_MAIN] > worker->host_ns
			  ? worker->streams[JOB_STREAM_MAIN] - worker->host_ns
			  : 0;
	job_call(job, worker, SIM_CALL_STREAM_SYNC, JOB_STREAM_MAIN, wait_ns + 5000);
	job_operator_end(job, worker);
	return true;
}

/* False if the rank has to wait. */
static bool do_step(struct job *job, struct worker *worker, const struct job_step *step)
{
	if (step->every > 1 && (worker->iteration + 1) % step->every)
		return true;
	switch (step->kind) {
	case JOB_KERNEL:
		return compute(job, worker, step);
	case JOB_MEET:
		return job_meet(job, worker, step);
	case JOB_JOIN:
		if (!job_resolve(job, worker, step->stream))
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
	const struct job_fault *pause =
		job_fault_at(job, JOB_HOST, worker->rank, worker->iteration);
	int64_t spread = job_drawn(job, DRAW_SPREAD, worker->rank, 0, options->spread);

	worker->noise =
		(uint32_t)(sim_rng_jitter(&worker->timing, SIM_MILLION, (uint32_t)options->noise) +
			   (uint64_t)spread);
	worker->host_ns += job_jittered(worker, 20000, 500000);
	worker->pause_ns = pause ? pause->time_ns : 0;
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

	job_operator_end(job, worker);
	mark.end_ns = worker->host_ns;
	mark.operator_id = ++worker->operators;
	job_emit(job, worker, &mark);
	if (*end < worker->streams[JOB_STREAM_MAIN])
		*end = worker->streams[JOB_STREAM_MAIN];
	worker->iteration++;
	worker->step = 0;
}

/* Continues until the job ends for this rank or it has to wait for others. */
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
		if (!job_resolve(job, worker, (enum job_stream)i)) {
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
	/* Processes do not start at the same moment. */
	worker->host_ns = START_NS + job_draw(job, DRAW_RANK, rank, 0) % 3000000;
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
