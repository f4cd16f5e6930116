/* Kernels that communicate, by their names. */
#ifndef DP_BASE_COMMUNICATION_H
#define DP_BASE_COMMUNICATION_H

#include <stdbool.h>

/*
 * True for kernels of NCCL, RCCL, oneCCL, NVSHMEM, MSCCL, DeepEP and the collectives of vLLM,
 * SGLang, TensorRT-LLM, FlashInfer and PyTorch. Cost: linear in the name.
 */
bool dp_communication__is_kernel(const char *name);

#endif
