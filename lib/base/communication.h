/* Recognizes kernels that communicate by their names. */
#ifndef DP_BASE_COMMUNICATION_H
#define DP_BASE_COMMUNICATION_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns true for kernels of NCCL, RCCL, oneCCL, NVSHMEM, MSCCL, DeepEP and the collectives of
 * vLLM, SGLang, TensorRT-LLM, FlashInfer and PyTorch. Cost: linear in the name.
 */
bool dp_communication__is_kernel(const char *name);

/* What NCCL's NVTX payloads say about a call. */
enum dp_nccl_field {
	DP_NCCL_COMM,
	DP_NCCL_BYTES,
	DP_NCCL_REDUCTION,
	DP_NCCL_ROOT,
	DP_NCCL_PEER,
	DP_NCCL_RANK,
	DP_NCCL_RANKS,
	DP_NCCL_FIELDS
};

/*
 * Returns the field with this name in a schema, DP_NCCL_FIELDS for others. Schemas name fields in
 * plain words ("Message size [bytes]"), so that versions of NCCL may order them differently.
 */
enum dp_nccl_field dp_communication__nccl_field(const char *name, size_t length);

#endif
