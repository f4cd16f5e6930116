/* Reads files of /proc: a thread's values, and what delays its process. */
#ifndef DP_RECORD_HOST_PROC_H
#define DP_RECORD_HOST_PROC_H

#include "base/base.h"

#include <sys/types.h>

/* Sums since the thread started. */
struct dp_host_thread {
	uint64_t run_ns;		 /* time on a processor */
	uint64_t wait_ns;		 /* time ready to run, but not on a processor */
	uint64_t voluntary, involuntary; /* switches to another thread */
	uint64_t major_faults;
	int32_t processor; /* where it ran last */
	bool has_wait, has_switches, has_stat;
};

/* Sums since the machine, the cgroup or the process started. */
enum {
	DP_HOST_READ_BYTES,  /* by the process, from disks */
	DP_HOST_WRITE_BYTES, /* to disks */
	DP_HOST_THROTTLED,   /* ns: its cgroup had used up its quota */
	DP_HOST_CPU,	     /* ns: something on the machine waited for a processor */
	DP_HOST_MEMORY,	     /* ns: … for memory */
	DP_HOST_IO,	     /* ns: … for I/O */
	DP_HOST_LOADS
};

struct dp_host_load {
	uint32_t has; /* a bit for each value */
	uint64_t values[DP_HOST_LOADS];
};

/* Opens the file of dp_host_proc__times(), which is half of its cost. Returns -1 on failure. */
int dp_host_proc__open(pid_t pid, pid_t tid);

/*
 * Reads how long a thread of the process ran and waited, in ticks if the kernel has no schedstat.
 * fd may be -1. Returns false if the thread is gone.
 */
bool dp_host_proc__times(pid_t pid, pid_t tid, int fd, struct dp_host_thread *out);

/* Reads the rest. */
void dp_host_proc__more(pid_t pid, pid_t tid, struct dp_host_thread *out);

/* Reads the load of a process. with_machine: and of the machine. */
void dp_host_proc__load(pid_t pid, bool with_machine, struct dp_host_load *out);

#endif
