/* Kernels that communicate, by their names. */
#ifndef DP_BASE_COMMUNICATION_H
#define DP_BASE_COMMUNICATION_H

#include <stdbool.h>

/* True for kernels of NCCL and its relatives: ncclDevKernel_…, void ncclKernel_…, rccl…, hccl…. */
bool dp_communication__is_kernel(const char *name);

#endif
