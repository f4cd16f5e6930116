/*
 * The parts of a loop's periods: sums per iteration that several metrics share, from one pass over
 * the device's operations and one over the launching threads' calls. The period of iteration k is
 * from its start to the start of iteration k + 1; the last one has none.
 */
#ifndef DP_ACTIVITY_PARTS_H
#define DP_ACTIVITY_PARTS_H

#include "activity/host_ranges.h"
#include "activity/replay.h"
#include "activity/call_stalls.h"
#include "activity/device_timeline.h"
#include <deepprof/analysis.h>

enum dp_part {
	/* Lengths of unions on the device. */
	DP_PART_BUSY,
	DP_PART_KERNELS,
	DP_PART_COMPUTE, /* kernels that do not communicate */
	DP_PART_COMM,
	DP_PART_COPY,	    /* copies and sets */
	DP_PART_FED,	    /* kernels and uploads */
	DP_PART_MOVED,	    /* kernels and copies within the device */
	DP_PART_KERNEL_SUM, /* of durations, by their start */
	/* Idle times of the device, by cause (gaps.c): they sum up to period - busy. */
	DP_PART_IDLE_HOST,
	DP_PART_IDLE_SYNC,
	DP_PART_IDLE_COPY,
	DP_PART_IDLE_LAUNCH,
	DP_PART_IDLE_OTHER,
	DP_PART_SHORT_GAPS,  /* those under DP_SHORT_GAP_NS, whatever the cause */
	DP_PART_LONGEST_GAP, /* no sum */
	DP_PART_CALL_STALL,  /* of the host's part, in calls that keep it from launching */
	DP_PART_HOST_STALL,  /* the host's part of gaps of 1% of the period and more */
	DP_PART_INPUT_WAIT,  /* the host's part of gaps that an upload of input ends */
	DP_PART_SYNC_LOST,   /* gaps inside the iteration that begin where the host waits,
			      * up to the length of the wait */
	DP_PART_AFTER_SYNC,  /* the host's part of gaps after a wait, up to its length */
	/* Copies, by their start; bytes are NaN if the size of one is not recorded. */
	DP_PART_H2D_BYTES,
	DP_PART_H2D_NS,
	DP_PART_D2H_BYTES,
	DP_PART_D2H_NS,
	DP_PART_D2D_BYTES,
	DP_PART_D2D_NS,
	DP_PART_D2D_COPIES,	/* how many */
	DP_PART_HOST_BYTES,	/* to and from host memory of a known kind */
	DP_PART_PAGEABLE_BYTES, /* of these, pageable */
	DP_PART_PAGEABLE_NS,
	DP_PART_SLOW_PAGEABLE_NS, /* of these, copies that pinned memory makes faster */
	DP_PART_PINNED_BYTES,	  /* pinned */
	DP_PART_PINNED_NS,
	DP_PART_BLOCKING_NS, /* copies of other memory that the caller waited for */
	/* The queue of the stream: each operation from its call's end to its start. */
	DP_PART_QUEUE_SUM,
	DP_PART_QUEUED, /* the union */
	/* Calls of launching threads, summed over the threads; the union of all. */
	DP_PART_HOST_LAUNCH,
	DP_PART_HOST_SYNC,
	DP_PART_HOST_COPY,
	DP_PART_HOST_OTHER,
	DP_PART_HOST_CALLS,
	DP_PARTS
};

/*
 * Uploads before a kernel are input from this size on: a sequence of 512 tokens. Smaller ones are
 * mostly scalars and indices that the host computes from results (4 to 1,024 bytes in recorded
 * programs, whose inputs have 6 MB and more where they are waited for).
 */
#define DP_INPUT_BYTES UINT64_C(4096)

struct dp_parts {
	double *values;		      /* rows of count, one per part */
	size_t count;		      /* iterations */
	struct dp_stalls stalls;      /* the calls of DP_PART_CALL_STALL */
	struct dp_host_ranges ranges; /* and what the host did in its parts */
	bool launches; /* operations of the device have their calls, which some parts need */
};

/* A part of iteration k. */
static inline double dp_parts__get(const struct dp_parts *parts, enum dp_part part, size_t k)
{
	return parts->values[(size_t)part * parts->count + k];
}

/* Whose loop it is. */
struct dp_parts_input {
	const struct dp_device_timeline *timeline;
	const uint32_t *rows; /* operations of the loop's streams, in order */
	size_t row_count;
	const struct dp_iteration *iterations;
	size_t count;
	/* Receives the gaps of the iterations in [first, end); NULL: not needed. */
	struct dp_replay_gaps *gaps;
	size_t gaps_first;
	size_t gaps_end;
};

/*
 * The caller releases parts with fini. Errors: DP_ERR_NOMEM. Cost: linear in the device's
 * operations, the trace's calls and the iterations.
 */
int dp_parts__init(struct dp_parts *parts, const struct dp_parts_input *input,
		   struct dp_error *error);
void dp_parts__fini(struct dp_parts *parts);

#endif
