/* The catalogue of kernels: names as compilers and libraries make them, by what they do. */
#ifndef SIM_KERNELS_H
#define SIM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum sim_role {
	SIM_CONV_FWD,
	SIM_CONV_DGRAD,
	SIM_CONV_WGRAD,
	SIM_CONV_HELP, /* offsets, layout changes: what a convolution needs besides itself */
	SIM_GEMM_TN,
	SIM_GEMM_NN,
	SIM_GEMM_NT,
	SIM_GEMM_HELP,
	SIM_BN_FWD,
	SIM_BN_BWD,
	SIM_LN_FWD,
	SIM_LN_BWD,
	SIM_ACT_FWD,
	SIM_ACT_BWD,
	SIM_ADD,
	SIM_ELEMENT, /* any element-wise kernel */
	SIM_CAST,
	SIM_REDUCE,
	SIM_SOFTMAX_FWD,
	SIM_SOFTMAX_BWD,
	SIM_ATTENTION_FWD,
	SIM_ATTENTION_BWD,
	SIM_EMBED_FWD,
	SIM_EMBED_BWD,
	SIM_POOL_FWD,
	SIM_POOL_BWD,
	SIM_DROPOUT,
	SIM_RNN_FWD,
	SIM_RNN_BWD,
	SIM_LOSS_FWD,
	SIM_LOSS_BWD,
	SIM_FILL,
	SIM_SGD,
	SIM_ADAM,
	SIM_FOREACH,
	SIM_STATISTICS, /* what logging and metrics run */
	SIM_FUSED,	/* of a compiler, one per call site */
	SIM_FUSED_NEW,	/* the same after a recompilation */
	SIM_TUNE,	/* candidates that an autotuner tries */
	SIM_COLLECTIVE,
	SIM_ROLES
};

struct sim_kernel {
	char *mangled;	 /* as in the binary; for a C name the same as name */
	char *name;	 /* demangled */
	char *base;	 /* the function alone: no template arguments, no parameters */
	uint16_t role;	 /* enum sim_role */
	uint16_t family; /* kernels of one family differ in tile sizes only */
	uint32_t first;	 /* id of the first one of its family */
	uint16_t tiles;	 /* how many the family has */
	uint16_t registers;
	uint32_t shared_memory;
	uint32_t block; /* threads */
};

struct sim_catalogue {
	struct sim_kernel *kernels; /* by id, those of one role together */
	size_t count;
	uint32_t first[SIM_ROLES + 1]; /* kernels of role r: ids first[r] … first[r + 1] - 1 */
};

/* Builds the catalogue. Returns 0, or -1 where memory ends or a name does not demangle. */
int sim_catalogue_init(struct sim_catalogue *catalogue);
void sim_catalogue_fini(struct sim_catalogue *catalogue);

#endif
