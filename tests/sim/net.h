/* Networks as lists of kernels: what a forward pass, a backward pass and an update launch. */
#ifndef SIM_NET_H
#define SIM_NET_H

#include "kernels.h"
#include "program.h"

/* The framework's operators, as it names them. */
enum sim_operator {
	SIM_OP_CONV,
	SIM_OP_CONV_BACKWARD,
	SIM_OP_BN,
	SIM_OP_BN_BACKWARD,
	SIM_OP_RELU,
	SIM_OP_RELU_BACKWARD,
	SIM_OP_ADD,
	SIM_OP_LINEAR,
	SIM_OP_LINEAR_BACKWARD,
	SIM_OP_LN,
	SIM_OP_LN_BACKWARD,
	SIM_OP_GELU,
	SIM_OP_ATTENTION,
	SIM_OP_ATTENTION_BACKWARD,
	SIM_OP_DROPOUT,
	SIM_OP_POOL,
	SIM_OP_POOL_BACKWARD,
	SIM_OP_EMBEDDING,
	SIM_OP_RNN,
	SIM_OP_RNN_BACKWARD,
	SIM_OP_FUSED,
	SIM_OP_LOSS,
	SIM_OP_LOSS_BACKWARD,
	SIM_OP_ZERO,
	SIM_OP_OPTIMIZER,
	SIM_OP_STATISTICS,
	SIM_OP_COPY,
	SIM_OP_REDUCE,
	SIM_OP_COMMUNICATE, /* those of jobs */
	SIM_OP_INPUT,
	SIM_OP_READ,
	SIM_OP_METRICS,
	SIM_OPERATORS
};

const char *sim_operator_name(enum sim_operator oper, bool tensorflow);

/* One launch. */
struct sim_op {
	uint32_t kernel; /* id in the catalogue */
	uint32_t gpu_ns;
	uint32_t host_ns; /* the framework's time before the launch call */
	uint32_t grid;
	uint8_t oper;
	bool begins;   /* the operator's first kernel */
	bool backward; /* on the framework's other thread */
	bool keeps;    /* the same in every shape: no tile size to vary */
};

struct sim_ops {
	struct sim_op *ops;
	size_t count, room;
};

struct sim_passes {
	struct sim_ops forward, backward, zero, optimize, graph;
};

struct sim_nets {
	struct sim_passes *passes; /* one per net of the program */
	size_t count;
	struct sim_ops loss;	   /* with its gradient */
	struct sim_ops statistics; /* of which actions use this many, from the first */
};

/* Returns 0, or -1 without memory. */
int sim_nets_init(struct sim_nets *nets, const struct sim_program *program,
		  const struct sim_catalogue *catalogue, uint64_t seed);
void sim_nets_fini(struct sim_nets *nets);

#endif
