/* Reads Kineto's JSON, and that of tools whose files are Chrome traces too. */
#ifndef DP_IMPORT_KINETO_H
#define DP_IMPORT_KINETO_H

#include "import/import.h"

/* Like the read() of an importer. */
int dp_kineto__read(struct dp_import *import);

/* Kineto enables both, so what launches launched was lost (pytorch/kineto issue 762). */
#define DP_KINETO_GET_KERNELS                                                                \
	"the profiler recorded launches but not what they launched: see its messages about " \
	"CUPTI (permission: ERR_NVGPUCTRPERM; WSL), and wait for the GPU before it ends"

#endif
