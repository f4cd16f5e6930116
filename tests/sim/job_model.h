/*
 * Between job_run.c, which runs the ranks of a job, job_meet.c, in which they wait for each other,
 * and job_event.c, which records what they do.
 */
#ifndef SIM_JOB_MODEL_H
#define SIM_JOB_MODEL_H

#include "job.h"

enum { CHANNELS = JOB_AXES + 1 }; /* pairs of stages have one per direction */

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

/* A collective that a stream has started, and whose end is not known yet. */
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
	uint64_t pause_ns;
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

enum { DRAW_SEQUENCE = 1, DRAW_SPREAD, DRAW_OFFSET, DRAW_DRIFT, DRAW_TRANSFER, DRAW_RANK };

/* A random number of a place, the same in whatever order places are asked. */
uint64_t job_draw(const struct job *job, uint64_t what, uint64_t a, uint64_t b);
/* -limit … limit */
int64_t job_drawn(const struct job *job, uint64_t what, uint64_t a, uint64_t b, uint64_t limit);
uint64_t job_scaled(uint64_t ns, uint64_t millionths);
uint64_t job_jittered(struct worker *worker, uint64_t ns, uint64_t millionths);

/* The fault of a part that is at work on a rank now, or NULL. */
const struct job_fault *job_fault_at(const struct job *job, enum job_part part, uint32_t rank,
				     uint32_t iteration);

/* Whether what the rank does now is recorded. */
bool job_captured(const struct job *job, const struct worker *worker);
/* If so, records an event. Returns it, valid until the next one, or NULL. */
struct sim_event *job_emit(struct job *job, const struct worker *worker,
			   const struct sim_event *event);

/* The framework's operator that is open on the host; begin ends the one before. */
void job_operator_begin(struct job *job, struct worker *worker, enum sim_operator oper,
			enum sim_thread thread);
void job_operator_end(struct job *job, struct worker *worker);

/* A call of the runtime, after which what it launches may start. Returns its correlation id. */
uint32_t job_call(struct job *job, struct worker *worker, enum sim_call kind,
		  enum job_stream stream, uint64_t ns);

/* Starts a collective: the stream's end is unknown from here on. False if the rank has to wait. */
bool job_meet(struct job *job, struct worker *worker, const struct job_step *step);

/* Determines the stream's end. False if the rank has to wait for others. */
bool job_resolve(struct job *job, struct worker *worker, enum job_stream stream);

#endif
