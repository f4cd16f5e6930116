/*
 * Records how the threads of recorded processes used the host's processors, and how long they
 * waited for them: a separate thread reads /proc into a file of the recording.
 */
#ifndef DP_RECORD_HOST_H
#define DP_RECORD_HOST_H

#include "base/base.h"
#include "record/db.h"

#include <sys/types.h>

struct dp_host;

/* The name of the file in the recording's folder. */
#define DP_HOST_FILE "host"

/* Starts the thread. switches: follow context switches and call stacks, too. Errors: DP_ERR_NOMEM,
 * DP_ERR_IO. */
int dp_host__start(struct dp_host **out, int folder_fd, uint32_t every_ms, bool switches);

/* Opens samples of another process; *out is NULL if there is no file. Same errors. */
int dp_host__open(struct dp_host **out, int folder_fd);

/* Adds a process to sample: pid is its number here, own_pid its number in its namespace. */
void dp_host__add(struct dp_host *host, pid_t pid, uint32_t own_pid);

/* Returns the errno if no thread's switches could be followed, or 0. Stop the host first. */
int dp_host__refused(const struct dp_host *host);

/* Returns the number of call stacks that had no room. Stop the host first. */
uint64_t dp_host__refused_stacks(const struct dp_host *host);

/* Stops the thread; its samples can then be read. NULL is allowed. */
void dp_host__stop(struct dp_host *host);
void dp_host__free(struct dp_host *host);

/* The process in the trace that has samples of pid from a time on, in ns from zero. */
struct dp_host_process {
	uint32_t pid;
	int64_t id;
	int64_t start_ns;
};

/*
 * host_write.c: writes rows of host_sample, host_load, off_cpu, call_stack and cpu_sample, with
 * times from zero. Errors: DP_ERR_IO, DP_ERR_NOMEM.
 */
int dp_host__write(struct dp_host *host, struct dp_db *db, int64_t zero,
		   const struct dp_host_process *processes, size_t count);

#endif
