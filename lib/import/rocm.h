/* What the traces of ROCm's profilers have in common: agents, queues and streams, names, memory. */
#ifndef DP_IMPORT_ROCM_H
#define DP_IMPORT_ROCM_H

#include "import/import.h"
#include "import/lookup.h"

struct dp_rocm_block {
	uint32_t device; /* the builder's */
	uint64_t bytes;
};

/* Zero it, then dp_rocm__init(). */
struct dp_rocm {
	const struct dp_import *import;
	struct dp_places places; /* by the processes' keys */
	struct dp_gpus gpus;
	struct dp_lookup agents; /* process, agent: device */
	struct dp_lookup blocks; /* process, address: index in list */
	struct dp_rocm_block *list;
	size_t block_count, block_room;
	int64_t *pids; /* by process */
	size_t process_count, process_room;
	size_t gpu_count;
};

void dp_rocm__init(struct dp_rocm *rocm, const struct dp_import *import);
void dp_rocm__fini(struct dp_rocm *rocm);

/*
 * A process of the file: *key is what it is called in places and below, as processes of several
 * machines may have one pid. Errors: DP_ERR_NOMEM.
 */
int dp_rocm__add_process(struct dp_rocm *rocm, int64_t pid, int64_t *key);

/* To be called when all is read: gives processes their pids and devices their names. */
void dp_rocm__finish(struct dp_rocm *rocm);

/* An agent of a process is a GPU, with the number that HIP gives it. Errors: DP_ERR_NOMEM. */
int dp_rocm__add_gpu(struct dp_rocm *rocm, int64_t process, int64_t agent, int64_t device,
		     const struct dp_gpu *gpu);

/* The number of an agent's device; the agent's own where the source does not list it. */
int64_t dp_rocm__device(const struct dp_rocm *rocm, int64_t process, int64_t agent);

/* Makes an operation a copy from and to memory of GPUs or the host; peers: of two GPUs. */
void dp_rocm__set_copy(struct dp_op *op, bool from, bool to, bool peers);

/*
 * Sets kind, memory and name of a copy between two agents, of which those that are no GPU are the
 * host; *agent is the one that it belongs to: its source, or its target where the host is that.
 * Errors: the builder's.
 */
int dp_rocm__copy(struct dp_rocm *rocm, struct dp_op *op, int64_t process, int64_t src, int64_t dst,
		  int64_t *agent);

/* Memory of a device that has operations. Errors: DP_ERR_NOMEM and the builder's. */
int dp_rocm__allocate(struct dp_rocm *rocm, int64_t time_ns, int64_t process, int64_t agent,
		      int64_t address, int64_t bytes);

/* What was allocated at an address is freed. */
int dp_rocm__free(struct dp_rocm *rocm, int64_t time_ns, int64_t process, int64_t address);

/* Whether a text contains a word, in upper or lower case. */
bool dp_rocm__contains(const char *text, size_t length, const char *word);

enum dp_rocm_region {
	DP_ROCM_OTHER,	  /* nothing that is read */
	DP_ROCM_CALL,	  /* of HIP or HSA */
	DP_ROCM_MARKER,	  /* of roctx */
	DP_ROCM_OPERATOR, /* of a library above them: RCCL, MIOpen */
};

/* What a region of the host is, by its category: HIP_RUNTIME_API, rocm_hip_api. */
enum dp_rocm_region dp_rocm__region(const char *category, size_t length);

#endif
