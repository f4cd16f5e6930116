/*
 * Jobs of many ranks: what deepprof-sim job simulates. A job has ranks on hosts, laid out in
 * tensor, expert, data and pipeline parallel groups; each rank runs the plan of its pipeline stage
 * over and over. A collective starts on a rank when that rank reaches it and ends when all members
 * have, so that what one rank loses the others wait for.
 */
#ifndef SIM_JOB_H
#define SIM_JOB_H

#include "model.h"
#include "rng.h"

/* Who takes part in a collective. */
enum job_axis {
	JOB_TENSOR,   /* ranks that share every layer */
	JOB_EXPERT,   /* ranks that exchange tokens */
	JOB_DATA,     /* replicas of one shard */
	JOB_PIPELINE, /* the stages of one replica */
	JOB_WORLD,    /* all */
	JOB_AXES
};

enum job_collective {
	JOB_ALLREDUCE,
	JOB_ALLGATHER,
	JOB_REDUCE_SCATTER,
	JOB_ALL_TO_ALL,
	JOB_BROADCAST,
	JOB_BARRIER,
	JOB_SEND,
	JOB_RECEIVE,
	JOB_COLLECTIVES
};

enum job_stream {
	JOB_STREAM_MAIN,
	JOB_STREAM_TENSOR,
	JOB_STREAM_EXPERT,
	JOB_STREAM_DATA,
	JOB_STREAM_WORLD,
	JOB_STREAM_SEND_FORWARD,
	JOB_STREAM_RECEIVE_FORWARD,
	JOB_STREAM_SEND_BACKWARD,
	JOB_STREAM_RECEIVE_BACKWARD,
	JOB_STREAMS
};

/* What a fault slows: the parts that a report must name. */
enum job_part { JOB_COMPUTE, JOB_CLOCK, JOB_HOST, JOB_INPUT, JOB_LINK, JOB_PARTS };

enum { JOB_FAULTS = 4, JOB_RANKS = 16384 };

struct job_fault {
	enum job_part part;
	uint32_t rank;
	uint32_t first, every; /* iterations first, first + every, … */
	uint32_t factor;       /* millionths: kernels, launches or transfers take this many times */
	uint64_t time_ns;      /* additional time of input and host */
	uint32_t oper;	       /* enum sim_operator: these kernels only; SIM_NONE: all */
	uint32_t layer;	       /* SIM_NONE: all */
};

struct job_options {
	uint64_t ranks, hosts, tensor, expert, pipeline;
	uint64_t iterations, after, layers, microbatches, buckets;
	uint64_t sharded, buffers, barrier, norm, sync; /* sharded: reduce-scatter and all-gather */
	uint64_t kernel_ns, host_ns, input_ns, sample_ns;
	uint64_t jitter, noise, spread; /* millionths: per kernel, per iteration, per GPU */
	uint64_t offset_ns, drift_ppb;	/* the most by which clocks differ */
	uint64_t skew_ns;		/* the most by which ends of one collective differ */
	uint64_t intra, inter;		/* bytes per µs within and between hosts */
	uint64_t tensor_bytes, expert_bytes, data_bytes, pipeline_bytes;
	uint64_t sequence; /* millionths: sequence lengths vary by this share in either direction */
	uint64_t operators, info;
	uint32_t slow_stage, stage_factor; /* SIM_NONE: none */
	uint32_t late_rank, late_calls;	   /* its capture begins this many collectives later */
	uint32_t missing_rank, missing_iteration;
	char names[16];
	struct job_fault faults[JOB_FAULTS];
	uint32_t fault_count;
	char error[200];
};

void job_options_init(struct job_options *options);
/* "KEY=VALUE". Returns 0, or -1 with options->error set. */
int job_options_set(struct job_options *options, const char *setting);
int job_options_finish(struct job_options *options);
void job_options_help(void (*line)(const char *text));
extern const char *const job_part_names[JOB_PARTS];

/* One thing that a rank does in every iteration. */
enum job_step_kind { JOB_KERNEL, JOB_MEET, JOB_JOIN, JOB_FETCH, JOB_UPLOAD, JOB_READ };

struct job_step {
	enum job_step_kind kind;
	const struct sim_op *op; /* kernels */
	uint32_t layer;
	enum job_axis axis; /* meetings */
	enum job_collective collective;
	enum job_stream stream; /* of meetings and joins */
	bool forward;		/* activations; gradients otherwise */
	uint64_t bytes;
	uint32_t every; /* iterations; 1: all */
};

struct job_plan {
	struct job_step *steps;
	size_t count, room;
};

/* The plan of each pipeline stage. Returns 0, or -1 without memory. */
int job_plans_init(struct job_plan **plans, const struct job_options *options,
		   const struct sim_nets *nets);
void job_plans_fini(struct job_plan *plans, const struct job_options *options);

/* Where a rank is. */
struct job_place {
	uint32_t tensor, data, stage, host, local;
};

static inline uint64_t job_replicas(const struct job_options *options)
{
	return options->ranks / options->tensor / options->pipeline;
}

struct job_place job_place(const struct job_options *options, uint32_t rank);
/* Groups of an axis are numbered from 0. */
uint32_t job_group_count(const struct job_options *options, enum job_axis axis);
uint32_t job_group_of(const struct job_options *options, enum job_axis axis, uint32_t rank);
uint32_t job_group_size(const struct job_options *options, enum job_axis axis);
uint32_t job_group_member(const struct job_options *options, enum job_axis axis, uint32_t group,
			  uint32_t i);

/* The simulated job. */
struct job;

struct job *job_new(const struct job_options *options, const struct sim_catalogue *catalogue,
		    struct job_plan *plans, uint64_t seed);
void job_free(struct job *job);
/* Runs all ranks. Returns 0, -1 without memory, -2 where ranks wait for each other forever. */
int job_run(struct job *job);
/* Runs the job without the faults from number i on, to compute the cost of one. */
void job_ignore_fault(struct job *job, uint32_t i);
/* After job_run(): when an iteration began on a rank's GPU and when its last rank ended it. */
uint64_t job_iteration_start_ns(const struct job *job, uint32_t rank, uint32_t iteration);
uint64_t job_iteration_end_ns(const struct job *job, uint32_t iteration);

/* Runs one rank once more and hands over what its profiler sees, in true time, by start. */
struct job_events {
	struct sim_event *events;
	struct sim_collective *collectives; /* that events point to by number */
	size_t count, room, collective_count, collective_room;
};
int job_replay(struct job *job, uint32_t rank, struct job_events *events);
void job_events_fini(struct job_events *events);

/* What a host's clock shows at a true time. */
uint64_t job_clock_ns(const struct job *job, uint32_t host, uint64_t true_ns);
int64_t job_clock_offset_ns(const struct job *job, uint32_t host);
int64_t job_clock_drift_ppb(const struct job *job, uint32_t host);

bool job_fault_in(const struct job_fault *fault, uint32_t iteration);

#endif
