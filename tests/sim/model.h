/* Runs a program: host threads, launch queues and streams, and what a profiler sees of them. */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include "net.h"

enum sim_event_kind {
	SIM_KERNEL,
	SIM_COPY,
	SIM_SET,
	SIM_GRAPH,    /* the replay of a graph, as one operation */
	SIM_CALL,     /* of the CUDA runtime */
	SIM_OPERATOR, /* of the framework */
	SIM_MARK,     /* an annotation */
	SIM_MEMORY,   /* device memory allocated or freed: bytes */
	SIM_SAMPLE,   /* the device's state: bytes are millijoules */
};

enum sim_call {
	SIM_CALL_LAUNCH,
	SIM_CALL_COPY,
	SIM_CALL_SET,
	SIM_CALL_STREAM_SYNC,
	SIM_CALL_DEVICE_SYNC,
	SIM_CALL_GRAPH,
	SIM_CALL_MALLOC, /* these in the order of enum sim_api */
	SIM_CALL_FREE,
	SIM_CALL_HOST_ALLOC,
	SIM_CALLS
};

struct sim_call_name {
	const char *name;
	uint32_t cbid; /* of CUPTI's runtime callbacks */
};

extern const struct sim_call_name sim_call_names[SIM_CALLS];

enum sim_copy_kind { SIM_HTOD, SIM_DTOH, SIM_DTOD };

enum sim_thread { SIM_THREAD_MAIN, SIM_THREAD_BACKWARD, SIM_THREAD_ASYNC, SIM_THREADS };

enum sim_stream {
	SIM_STREAM_MAIN,
	SIM_STREAM_UPLOAD,
	SIM_STREAM_DOWNLOAD,
	SIM_STREAM_COMM,
	SIM_STREAM_ASSIST,
	SIM_STREAMS
};

#define SIM_NONE UINT32_MAX

struct sim_event {
	uint64_t start_ns; /* since the simulation's beginning */
	uint64_t end_ns;
	uint64_t bytes;
	uint32_t kind;	      /* enum sim_event_kind */
	uint32_t name;	      /* kernel id, net, enum sim_call, enum sim_operator or loop */
	uint32_t number;      /* a mark's iteration; a graph's node count */
	uint32_t correlation; /* 0: none */
	uint32_t operator_id; /* of the operator that is running; 0: none */
	uint32_t rank;
	uint32_t instance; /* the innermost iteration, or SIM_NONE */
	uint32_t grid;
	uint8_t thread;	   /* enum sim_thread */
	uint8_t stream;	   /* enum sim_stream: of operations and of the calls for them */
	uint8_t copy_kind; /* enum sim_copy_kind */
	uint8_t memory;	   /* enum sim_memory: the host's side of a copy */
	bool node;	   /* a kernel that a graph launched */
	bool freed;	   /* memory */
	uint32_t power_mw; /* samples */
	uint32_t clock_mhz;
	bool hot;
	uint32_t collective; /* number in the run's collectives, from 1; 0: none */
};

static inline bool sim_event_on_gpu(const struct sim_event *event)
{
	return event->kind <= SIM_GRAPH;
}

/* A process group, as one of its ranks knows it. */
struct sim_group {
	uint32_t number; /* its name */
	const char *description;
	uint32_t size, rank; /* rank within the group, of the rank that writes */
	uint32_t *ranks;     /* of the job */
};

enum { SIM_GROUPS = 5 };

/* The rank of a job whose profiler writes. */
struct sim_rank_info {
	uint32_t rank, world, local, pid;
	bool named; /* the file states its rank */
	char host[32];
	struct sim_group groups[SIM_GROUPS];
};

/* What a library is asked to do, as it is logged. */
struct sim_collective {
	const char *name; /* its name in torch.distributed */
	uint32_t kind;
	uint32_t axis;	/* number of the group among its rank's */
	uint32_t group; /* which of the axis's groups */
	uint32_t sequence;
	uint64_t in_elements, out_elements; /* floats */
	uint32_t peer;			    /* of sends and receives; SIM_NONE otherwise */
};

/* What is simulated, and how it is recorded. Borrowed by everything below. */
struct sim_run {
	const struct sim_program *program;
	const struct sim_catalogue *catalogue;
	const struct sim_nets *nets;
	uint64_t seed;
	uint64_t start_quantum_ns; /* resolution of the format, 1 or more */
	uint64_t length_quantum_ns;
	bool graphs;	   /* replays are one operation */
	bool state;	   /* memory and samples are recorded */
	bool no_sets;	   /* memsets are left out */
	uint64_t epoch_ns; /* the simulation's beginning, since 1970 */
	/*
	 * Of a job: the ranks that one file holds, and the collectives of the one whose events come;
	 * else NULL.
	 */
	const struct sim_rank_info *ranks;
	const struct sim_collective *collectives;
};

static inline uint32_t sim_run_ranks(const struct sim_run *run)
{
	return run->program->processes * run->program->devices;
}

/* Numbers as a profiler would show them. */
uint32_t sim_run_pid(const struct sim_run *run, uint32_t rank);
uint32_t sim_run_tid(const struct sim_run *run, uint32_t rank, uint32_t thread);
uint32_t sim_run_device(const struct sim_run *run, uint32_t rank);
uint32_t sim_run_context(const struct sim_run *run, uint32_t rank);
uint32_t sim_run_stream(const struct sim_run *run, uint32_t stream);

struct sim_truth;

/*
 * Runs the program. Every event that the profiler sees goes to event(): those of one stream in
 * order, operations of all streams in order of their start. Returns 0, -1 without memory, or what
 * event() returned if that was not 0.
 */
int sim_model_run(const struct sim_run *run, struct sim_truth *truth,
		  int (*event)(void *context, const struct sim_event *event), void *context);

/* The kernels of one undisturbed iteration on the main stream. Returns 0, or -1 without memory. */
struct sim_pattern {
	uint32_t *kernels; /* ids; a graph is the catalogue's count plus the net */
	size_t count, room;
	bool varies; /* a part of it has a random length: this is a typical one */
};
int sim_pattern_init(struct sim_pattern *pattern, const struct sim_run *run,
		     const struct sim_loop *loop);
void sim_pattern_fini(struct sim_pattern *pattern);

#endif
