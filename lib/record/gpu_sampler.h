/*
 * Activity of the GPUs' units: deepprof-gpu-metrics (collectors/gpu_metrics) samples it in a
 * process of its own, into a file in the recording's folder.
 */
#ifndef DP_RECORD_GPU_SAMPLER_H
#define DP_RECORD_GPU_SAMPLER_H

#include "base/base.h"
#include "record/db.h"

#include <sys/types.h>

struct dp_gpu_sampler;

/*
 * Starts the program, which is in the folder programs, for a recorded process. Errors:
 * DP_ERR_NOMEM, DP_ERR_IO with errno.
 */
int dp_gpu_sampler__start(struct dp_gpu_sampler **out, int folder_fd, const char *programs,
			  pid_t recorded, uint32_t every_us);

/* Opens existing samples; *out is NULL if there is no file. Same errors. */
int dp_gpu_sampler__open(struct dp_gpu_sampler **out, int folder_fd);

/* Ends the process, if there is one; its samples can then be read. NULL is allowed. */
void dp_gpu_sampler__stop(struct dp_gpu_sampler *sampler);
void dp_gpu_sampler__free(struct dp_gpu_sampler *sampler);

/* Returns the process, a child of this one; 0: none. */
pid_t dp_gpu_sampler__pid(const struct dp_gpu_sampler *sampler);

/*
 * Writes rows of gpu_metric, with times from zero, for GPUs that the program has used (all if none
 * is known). failure says why not everything was sampled; "" if it was.
 */
int dp_gpu_sampler__write(struct dp_gpu_sampler *sampler, struct dp_db *db, int64_t zero,
			  char failure[240]);

#endif
