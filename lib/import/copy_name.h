/* What the names of copies and memsets say about them. */
#ifndef DP_IMPORT_COPY_NAME_H
#define DP_IMPORT_COPY_NAME_H

#include <deepprof/trace.h>
#include <stdbool.h>

struct dp_copy_name {
	enum dp_op_kind op; /* DP_OP_COPY, DP_OP_MEMSET, or DP_OP_KERNEL for any other name */
	enum dp_copy_kind kind;
	enum dp_memory_kind src, dst;
};

/*
 * Reads "Memcpy HtoD (Pageable -> Device)" and "Memset (Device)" (Kineto), "[CUDA memcpy HtoD]"
 * (nvprof), "CopyHostToDevice" and "FillBuffer" (ROCm), "MEMCPYHtoD" (TensorFlow).
 */
struct dp_copy_name dp_copy_name__read(const char *name, size_t length);

#endif
