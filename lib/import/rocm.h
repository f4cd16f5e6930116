/* What traces of ROCm's profilers have in common: agents, queues and streams, names, memory. */
#ifndef DP_IMPORT_ROCM_H
#define DP_IMPORT_ROCM_H

#include "import/import.h"
#include "import/lookup.h"

struct dp_rocm_block {
	uint32_t device; /* in the builder */
	uint64_t bytes;
};

/* Zero it first, then call dp_rocm__init(). */
struct dp_rocm {
	const struct dp_import *import;
	struct dp_places places; /* by the keys of processes */
	struct dp_gpus gpus;
	struct dp_lookup agents; /* from process and agent to device */
	struct dp_lookup blocks; /* from process and address to the index in list */
	struct dp_rocm_block *list;
	size_t block_count, block_room;
	int64_t *pids; /* by process */
	size_t process_count, process_room;
	size_t gpu_count;
};

void dp_rocm__init(struct dp_rocm *rocm, const struct dp_import *import);
void dp_rocm__fini(struct dp_rocm *rocm);

/*
 * Adds a process of the file. *key identifies it in places and below, because processes of several
 * machines may have the same pid. Errors: DP_ERR_NOMEM.
 */
int dp_rocm__add_process(struct dp_rocm *rocm, int64_t pid, int64_t *key);

/* Call when everything is read: sets the pids of processes and the names of devices. */
void dp_rocm__finish(struct dp_rocm *rocm);

/* Notes that an agent of a process is a GPU, with its number in HIP. Errors: DP_ERR_NOMEM. */
int dp_rocm__add_gpu(struct dp_rocm *rocm, int64_t process, int64_t agent, int64_t device,
		     const struct dp_gpu *gpu);

/* Returns the number of an agent's device; the agent's own if the source does not list it. */
int64_t dp_rocm__device(const struct dp_rocm *rocm, int64_t process, int64_t agent);

/* Makes an operation a copy from and to memory of GPUs or the host; peers: between two GPUs. */
void dp_rocm__set_copy(struct dp_op *op, bool from, bool to, bool peers);

/*
 * Sets kind, memory and name of a copy between two agents; agents that are not GPUs are the host.
 * *agent is the one that the copy belongs to: its source, or its target if the source is the host.
 * Errors: the builder's.
 */
int dp_rocm__copy(struct dp_rocm *rocm, struct dp_op *op, int64_t process, int64_t src, int64_t dst,
		  int64_t *agent);

/* Adds memory of a device that has operations. Errors: DP_ERR_NOMEM and the builder's. */
int dp_rocm__allocate(struct dp_rocm *rocm, int64_t time_ns, int64_t process, int64_t agent,
		      int64_t address, int64_t bytes);

/* Frees the memory that was allocated at an address. */
int dp_rocm__free(struct dp_rocm *rocm, int64_t time_ns, int64_t process, int64_t address);

/* Returns true if text contains a word, in upper or lower case. */
bool dp_rocm__contains(const char *text, size_t length, const char *word);

enum dp_rocm_region {
	DP_ROCM_OTHER,	  /* not read */
	DP_ROCM_CALL,	  /* of HIP or HSA */
	DP_ROCM_MARKER,	  /* of roctx */
	DP_ROCM_OPERATOR, /* of a library above HIP: RCCL, MIOpen */
};

/* Classifies a region of the host by its category: HIP_RUNTIME_API, rocm_hip_api. */
enum dp_rocm_region dp_rocm__region(const char *category, size_t length);

#endif
