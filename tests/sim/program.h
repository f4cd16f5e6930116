/*
 * The description of a program to simulate: which networks it has, what its loops do, and what
 * disturbs them. A text of sections and keys:
 *
 *	[program]               what the whole program has
 *	do = loop train; sync
 *	[net resnet]            a network: kernels of a forward and a backward pass
 *	kind = conv
 *	layers = 16
 *	[loop train]            what one iteration does
 *	count = 50
 *	do = wait time=2ms; upload bytes=18M; forward resnet; loss; backward resnet
 *	do = optimize resnet; statistics count=14 every=10
 *
 * `deepprof-sim --help-program` lists every key and verb from the tables in program.c.
 */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_range {
	uint32_t low, high; /* both included */
};

enum sim_verb {
	SIM_DO_LOOP,
	SIM_DO_WAIT,
	SIM_DO_STALL,
	SIM_DO_SYNC,
	SIM_DO_UPLOAD,
	SIM_DO_DOWNLOAD,
	SIM_DO_COPY,
	SIM_DO_SET,
	SIM_DO_FORWARD,
	SIM_DO_BACKWARD,
	SIM_DO_ZERO,
	SIM_DO_OPTIMIZE,
	SIM_DO_LOSS,
	SIM_DO_STATISTICS,
	SIM_DO_RANDOM,
	SIM_DO_TUNE,
	SIM_DO_REDUCE,
	SIM_DO_GRAPH,
	SIM_DO_ALLOCATE,
	SIM_DO_FREE,
};

enum sim_api { SIM_API_MALLOC, SIM_API_FREE, SIM_API_HOST_ALLOC };

/* The range, of the framework or the program, that contains an action. */
enum sim_within { SIM_WITHIN_NOTHING, SIM_WITHIN_LOADER, SIM_WITHIN_ITEM, SIM_WITHIN_METRICS };

enum sim_memory { SIM_PAGEABLE, SIM_PINNED, SIM_DEVICE };

struct sim_action {
	enum sim_verb verb;
	char name[32];	    /* of the net or loop */
	uint32_t target;    /* index of that net or loop */
	uint64_t time_ns;   /* wait, stall */
	uint32_t jitter;    /* millionths: of time and bytes */
	uint64_t bytes;	    /* copies and collectives */
	uint64_t bandwidth; /* bytes per µs; 0: of the memory kind */
	enum sim_memory memory;
	enum sim_api api; /* stall */
	enum sim_within within; /* wait, stall and copies; else a copy has its own */
	uint64_t grow_ns;	/* wait: more with every iteration */
	bool on_copy_stream;
	bool ahead; /* nothing waits for this copy, a prefetch */
	bool block; /* wait for the result */
	struct sim_range count;
	struct sim_range times; /* repetitions of a net */
	bool times_length;	/* as many as the loop's length of this iteration */
	uint32_t every, offset; /* iterations i with i % every == offset % every */
	uint32_t chance;	/* millionths; SIM_MILLION: always */
	uint32_t from, until;	/* iterations from <= i < until */
};

enum sim_net_kind {
	SIM_NET_CONV,
	SIM_NET_TRANSFORMER,
	SIM_NET_RNN,
	SIM_NET_MLP,
	SIM_NET_FUSED,
};

struct sim_net {
	char name[32];
	enum sim_net_kind kind;
	uint32_t layers;
	uint64_t kernel_ns; /* duration of an ordinary kernel on the device */
	uint64_t host_ns;   /* the framework's time per launch, without the launch */
	uint32_t seed;
	char optimizer[16]; /* sgd, adam, foreach */
};

struct sim_loop {
	char name[32];
	struct sim_range count;
	struct sim_range length;
	char mark[32];	      /* an annotation per iteration; "" for none */
	bool is_default;      /* the level a user means by "iteration" */
	bool plain;	      /* a subroutine, which is not a loop of the truth */
	uint32_t buckets;     /* shapes, each with kernels of its own */
	uint32_t gemm_jitter; /* millionths of the matrix kernels of another tile size */
	uint32_t insert, erase, substitute; /* millionths of the kernels */
	uint32_t async;	      /* kernels of another thread, at random places of an iteration */
	uint32_t warmup;      /* first iterations that are slow */
	uint32_t slow;	      /* how many times as slow, in millionths */
	uint64_t swell_ns;    /* additional time of its first kernel: a tensor that grows */
	struct sim_range hot; /* iterations in which heat reduces the clocks; 0..0: none */
	uint32_t heat;	      /* how many times as long kernels take then, in millionths */
	uint32_t recompile;   /* iteration from which fused kernels have new names; 0: never */
	struct sim_action *actions;
	size_t action_count, action_room;
};

struct sim_program {
	char title[64];
	char gpu[64];
	char framework[16]; /* pytorch or tensorflow: which streams copies use, operator names */
	uint32_t processes, devices; /* devices per process */
	bool launches;		     /* launch calls are recorded */
	bool operators;		     /* framework operators are recorded */
	bool marks;		     /* annotations are recorded */
	bool flows;		     /* Chrome traces have arrows from launches to operations */
	bool graphs;	       /* graph replays are one operation if the format can express it */
	uint32_t jitter;       /* millionths of every kernel's time */
	uint32_t loss;	       /* millionths of the operations that the profiler drops */
	uint32_t head;	       /* millionths of an iteration that pass before the capture starts */
	uint32_t tail;	       /* millionths of the last iteration that are not captured */
	uint32_t after;	       /* iterations of the default loop before the capture starts */
	uint32_t head_kernels; /* kernels on the main stream before the capture starts */
	uint32_t queue;	       /* launches that fit the queue */
	uint64_t launch_ns;
	uint64_t sample_ns;   /* between samples of the device's state; 0: no samples */
	struct sim_loop root; /* its actions are the program */
	struct sim_net *nets;
	size_t net_count, net_room;
	struct sim_loop *loops;
	size_t loop_count, loop_room;
	char error[200];
};

void sim_program_init(struct sim_program *program);
void sim_program_fini(struct sim_program *program);

/* Each returns 0, or -1 with program->error set. */
int sim_program_parse(struct sim_program *program, const char *text);
int sim_program_set(struct sim_program *program, const char *section_key, const char *value);
/* Sets the number of iterations of the default loop. */
int sim_program_set_count(struct sim_program *program, const char *value);
/* Resolves names and checks; call once, after all keys are set. */
int sim_program_finish(struct sim_program *program);

/* Whether it is left out of some iterations. */
bool sim_action_conditional(const struct sim_action *action);

/* The key and verb tables as text, for --help-program. */
void sim_program_help(void (*line)(const char *text));

struct sim_preset {
	const char *name;
	const char *help;
	const char *text;
};

extern const struct sim_preset sim_presets[];
extern const size_t sim_preset_count;
const struct sim_preset *sim_preset_get(const char *name);

#endif
