/* Between model.c, which runs the program, and device.c, which runs what it launches. */
#ifndef SIM_RANK_H
#define SIM_RANK_H

#include "model.h"
#include "rng.h"
#include "truth.h"

enum { MAX_DEPTH = 16, MAX_ASYNC = 16, SOURCES = SIM_STREAMS + 1, HOST = SIM_STREAMS };

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
	bool random, foreign; /* ops are chosen again each time; not part of the pattern */
};

struct stream {
	uint64_t end_ns;
	uint64_t ready_ns; /* nothing starts before: a dependency on another stream */
	uint64_t *starts;  /* of the last operations, as many as fit the queue */
	uint64_t launched;
};

/* Counts per process. */
struct ids {
	uint32_t correlation;
	uint32_t operators;
};

struct rank {
	struct model *model;
	uint32_t number;
	struct sim_rng control, timing;
	uint64_t clock_ns;
	uint32_t slow;	     /* millionths; factor of the host's times */
	uint32_t heat;	     /* factor of the device's times */
	uint64_t sampled_ns; /* when the next sample is taken; 0: at the first operation */
	uint64_t millijoules;
	struct ids *ids;       /* of its process */
	struct sim_event oper; /* the one that is running, if it has an id */
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
	struct ids *ids;   /* per process */
	uint32_t *nominal; /* kernels of one iteration, per loop */
	struct sim_rng loss;
	bool open; /* the capture has begun */
	uint64_t open_ns;
	uint32_t main_kernels; /* of the first rank, before the capture */
	int status;
};

static inline struct frame *sim_rank_top(struct rank *rank)
{
	return &rank->frames[rank->depth - 1];
}

static inline uint32_t sim_rank_instance(struct rank *rank)
{
	return rank->depth ? sim_rank_top(rank)->instance : SIM_NONE;
}

/* Queues an event for delivery. Sets the model's status if memory runs out. */
void sim_rank_emit(struct rank *rank, const struct sim_event *event);

/* A time of the host while it warms up. */
uint64_t sim_rank_slowed(const struct rank *rank, uint64_t ns);

/* Begins the range that contains an action, if any. */
void sim_rank_within(struct rank *rank, enum sim_within within);

/* Ends the framework's operator that is running, if there is one. */
void sim_rank_operator_end(struct rank *rank);

/* Launches a kernel that takes length_ns; op has the rest. */
void sim_rank_launch(struct rank *rank, const struct sim_op *op, uint32_t kernel,
		     enum sim_thread thread, enum sim_stream stream, uint64_t length_ns);

/* The host waits for the stream, or for all of them. */
void sim_rank_stall(struct rank *rank, const struct sim_action *action);
void sim_rank_synchronize(struct rank *rank, enum sim_call kind, enum sim_stream stream);

/* The names of actions. */
void sim_rank_copy(struct rank *rank, const struct sim_action *action, enum sim_copy_kind kind);
void sim_rank_set(struct rank *rank, const struct sim_action *action);
void sim_rank_memory(struct rank *rank, const struct sim_action *action);
void sim_rank_reduce(struct rank *rank, const struct sim_action *action);
void sim_rank_replay(struct rank *rank, const struct sim_action *action);

#endif
