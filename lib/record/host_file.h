/* The file of the host's samples: records, each with a head. */
#ifndef DP_RECORD_HOST_FILE_H
#define DP_RECORD_HOST_FILE_H

#include "record/host_proc.h"
#include "record/switches.h"

#include <stdio.h>

/* Ten hours of one thread that switches 100 times a second take 100 MB; then it has an end. */
#define DP_HOST_FILE_MOST ((uint64_t)256 << 20)

enum { DP_HOST_THREAD, DP_HOST_LOAD, DP_HOST_OFF };

struct dp_host_head {
	int64_t monotonic_ns;
	uint32_t pid; /* as the process has it */
	uint32_t tid; /* 0: of the process, and of the machine */
	uint32_t kind;
	uint32_t bytes; /* that follow */
};

/* A thread's intervals come together, as many as there are up to this. */
#define DP_HOST_OFFS 64

/*
 * An interval: its kind, the time that passed since the last one of the same record ended, and how
 * long it took, in ns, from the lowest bits on. The first begins at the record's time, and has all
 * bits but its kind's for how long it took. What does not fit begins a record of its own.
 */
enum { DP_HOST_KIND_BITS = 2, DP_HOST_GAP_BITS = 28 };

union dp_host_rest {
	struct dp_host_thread thread;
	struct dp_host_load load;
	uint64_t offs[DP_HOST_OFFS];
};

struct dp_host;

/* host.c: the file, the host's. */
FILE *dp_host__file(struct dp_host *host);

#endif
