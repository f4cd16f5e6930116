/*
 * Activity of the GPUs' units: deepprof-gpu-metrics (collectors/gpu_metrics) samples it in a process
 * of its own, into a file of the recording's.
 */
#ifndef DP_RECORD_GPU_SAMPLER_H
#define DP_RECORD_GPU_SAMPLER_H

#include "base/base.h"
#include "record/db.h"

#include <sys/types.h>

struct dp_gpu_sampler;

/*
 * Starts the program of a folder, for a process that is recorded. Errors: DP_ERR_NOMEM, DP_ERR_IO
 * with errno.
 */
int dp_gpu_sampler__start(struct dp_gpu_sampler **out, int folder_fd, const char *programs,
			  pid_t recorded, uint32_t every_us);

/* Opens what has been sampled; *out is NULL where there is no file. Same errors. */
int dp_gpu_sampler__open(struct dp_gpu_sampler **out, int folder_fd);

/* Ends the process, if there is one; what was sampled can be read now. NULL is allowed. */
void dp_gpu_sampler__stop(struct dp_gpu_sampler *sampler);
void dp_gpu_sampler__free(struct dp_gpu_sampler *sampler);

/* The process, a child of this one; 0: none. */
pid_t dp_gpu_sampler__pid(const struct dp_gpu_sampler *sampler);

/*
 * Writes rows of gpu_metric, times from zero, of GPUs that the program has used if any is known.
 * Returns why not all was sampled in failure, "" if it was.
 */
int dp_gpu_sampler__write(struct dp_gpu_sampler *sampler, struct dp_db *db, int64_t zero,
			  char failure[240]);

#endif
