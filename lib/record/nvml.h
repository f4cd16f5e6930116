/*
 * The state of the GPUs by NVML (libnvidia-ml), loaded at run time: a separate thread reads them in
 * turn into a file of the recording.
 */
#ifndef DP_RECORD_NVML_H
#define DP_RECORD_NVML_H

#include "base/base.h"
#include "record/db.h"

enum { DP_NVML_UUID_SIZE = 80 };

/* A bit of has for each value that the GPU reported. */
enum {
	DP_NVML_POWER,
	DP_NVML_ENERGY,
	DP_NVML_SM,
	DP_NVML_MEM,
	DP_NVML_USED,
	DP_NVML_SM_CLOCK,
	DP_NVML_MEM_CLOCK,
	DP_NVML_TEMPERATURE,
	DP_NVML_THROTTLE,
	DP_NVML_VALUES
};

/* A sample as stored in the file. */
struct dp_nvml_sample {
	int64_t monotonic_ns; /* halfway through the reading */
	int64_t took_ns;
	uint32_t gpu;
	uint32_t has;
	uint64_t values[DP_NVML_VALUES];
};

struct dp_nvml;

/* The name of the file of samples in the recording's folder. */
#define DP_NVML_FILE "samples"

/*
 * Starts sampling into a file created in an open folder; library may be NULL. Without NVML or a
 * GPU, there are no samples. Errors: DP_ERR_NOMEM, DP_ERR_IO.
 */
int dp_nvml__start(struct dp_nvml **out, const char *library, int folder, uint32_t every_ms);

/* Opens samples of another process; *out is NULL if there is no file. Same errors. */
int dp_nvml__open(struct dp_nvml **out, int folder);

/* Stops the thread; its samples can then be read. NULL is allowed. */
void dp_nvml__stop(struct dp_nvml *nvml);
void dp_nvml__free(struct dp_nvml *nvml);

/*
 * Writes rows of gpu_sample, with times from zero, only for GPUs whose UUID is in the file's table
 * of devices, or for all if none is.
 */
int dp_nvml__write(struct dp_nvml *nvml, struct dp_db *db, int64_t zero, uint64_t *rows);

#endif
