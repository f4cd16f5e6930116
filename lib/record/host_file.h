/* The file of the host's samples: records, each with a header. */
#ifndef DP_RECORD_HOST_FILE_H
#define DP_RECORD_HOST_FILE_H

#include "record/host_proc.h"
#include "record/switches.h"
#include "record/code.h"

#include <stdio.h>

/* A thread with 100 switches per second takes 100 MB in ten hours; the file ends at this size. */
#define DP_HOST_FILE_MOST ((uint64_t)256 << 20)

/* Kinds of records. Older builds had 2, intervals of 24 bytes, which are skipped. */
enum { DP_HOST_THREAD, DP_HOST_LOAD, DP_HOST_OFF = 3, DP_HOST_FUNCTION, DP_HOST_STACK };

struct dp_host_head {
	int64_t monotonic_ns;
	uint32_t pid; /* in the process's own namespace */
	uint32_t tid; /* 0: of the process and the machine */
	uint32_t kind;
	uint32_t bytes; /* that follow */
};

/* Intervals of a thread that are stored together, at most. */
#define DP_HOST_OFFS 64

/*
 * An interval, from the lowest bits on: its kind, the time since the previous interval of the record
 * ended, and its duration, in ns. The first interval starts at the record's time and uses all bits
 * but those of the kind for its duration. An interval that does not fit starts another record.
 */
enum { DP_HOST_KIND_BITS = 2, DP_HOST_GAP_BITS = 28 };

/* An entry of the tree of call stacks, numbered from 1 in the order of the file. */
struct dp_host_function {
	uint32_t parent; /* 0: none */
	char text[sizeof(struct dp_code_name)]; /* its module, a line break and its name; no NUL */
};

/* A sample of a call stack. */
struct dp_host_stack {
	uint32_t after_ns; /* since the record's time */
	uint32_t stack;	   /* number of the innermost entry */
};

/* Samples of a thread that are stored together, at most: a read has five. */
#define DP_HOST_STACKS 32

union dp_host_rest {
	struct dp_host_thread thread;
	struct dp_host_load load;
	uint64_t offs[DP_HOST_OFFS];
	struct dp_host_function function;
	struct dp_host_stack stacks[DP_HOST_STACKS];
};

struct dp_host;

/* host.c: returns the file, which host owns. */
FILE *dp_host__file(struct dp_host *host);

#endif
