/*
 * What the host's processors did with the recorded processes' threads, and for how long threads
 * waited for them: read from /proc by a thread of its own, into a file of the recording's.
 */
#ifndef DP_RECORD_HOST_H
#define DP_RECORD_HOST_H

#include "base/base.h"
#include "record/db.h"

#include <sys/types.h>

struct dp_host;

/* The file, in the recording's folder. */
#define DP_HOST_FILE "host"

/* Starts the thread; switches: note when threads are off a processor, too. Errors: DP_ERR_NOMEM,
 * DP_ERR_IO. */
int dp_host__start(struct dp_host **out, int folder_fd, uint32_t every_ms, bool switches);

/* Opens what another process has sampled; *out is NULL where there is no file. Same errors. */
int dp_host__open(struct dp_host **out, int folder_fd);

/* One more process to sample: pid as the kernel has it here, own_pid as the process has it. */
void dp_host__add(struct dp_host *host, pid_t pid, uint32_t own_pid);

/* errno, where no thread's switches could be followed; 0. Of a host that was stopped. */
int dp_host__refused(const struct dp_host *host);

/* Stops the thread; what was sampled can be read now. NULL is allowed. */
void dp_host__stop(struct dp_host *host);
void dp_host__free(struct dp_host *host);

/* Whose samples they are: the process of that pid in the file, from a time on, ns from zero. */
struct dp_host_process {
	uint32_t pid;
	int64_t id;
	int64_t start_ns;
};

/*
 * host_write.c: writes rows of host_sample, host_load and off_cpu, times from zero. Errors:
 * DP_ERR_IO, DP_ERR_NOMEM.
 */
int dp_host__write(struct dp_host *host, struct dp_db *db, int64_t zero,
		   const struct dp_host_process *processes, size_t count);

#endif
