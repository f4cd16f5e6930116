/* Converts an NCCL call, as its NVTX payload describes it, into a collective. */
#ifndef DP_IMPORT_NCCL_CALL_H
#define DP_IMPORT_NCCL_CALL_H

#include "trace/builder.h"

struct dp_nccl_call {
	const char *op; /* "AllReduce", also "ncclAllReduce" */
	size_t length;
	bool has_comm;
	uint64_t comm;
	uint64_t bytes;	    /* of one rank; 0: unknown */
	int64_t peer, rank; /* in the communicator; -1: unknown */
	uint32_t ranks;	    /* 0: unknown */
};

/* Sets everything but times and thread. Errors: DP_ERR_NOMEM. */
int dp_nccl_call__collective(struct dp_collective *made, struct dp_builder *builder,
			     const struct dp_nccl_call *call);

#endif
