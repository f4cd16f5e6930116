/* What a device and its launching threads did, made once for all loops on the device. */
#ifndef DP_ACTIVITY_DEVICE_TIMELINE_H
#define DP_ACTIVITY_DEVICE_TIMELINE_H

#include "activity/spans.h"
#include "activity/trace_index.h"
#include <deepprof/trace.h>

struct dp_device_timeline {
	const struct dp_trace *trace;
	const struct dp_trace_index *index;
	uint32_t device;
	const uint32_t *rows; /* operations of the device, in order of start */
	size_t count;
	const uint32_t *calls; /* of the threads that launch kernels on it, in order of start */
	size_t call_count;
	uint32_t *gathered; /* the same rows, if there are several threads */
	uint32_t *copies;   /* H2D copies among them */
	size_t copy_count;
	struct dp_spans uploads; /* their union */
	bool known;		 /* operations of the device have calls */
	uint32_t *launchers;	 /* threads that launched kernels on the device, ascending */
	size_t launcher_count;
	uint8_t *inside;	 /* per call: DP_WAITED_INSIDE if it waited for its copy, or 0 */
	struct dp_spans syncs;	 /* a launching thread is in a synchronizing call */
	struct dp_spans any;	 /* or in that of a copy */
	struct dp_spans waits;	 /* or in the call of a copy, and returned after the copy */
	struct dp_spans stalls;	 /* in another long call; not united, */
	uint32_t *stall_calls;	 /* for each has its call */
	struct dp_spans loaders; /* a launching thread is in a range that fetches input */
};

static inline size_t dp_device_timeline__op(const struct dp_device_timeline *timeline, size_t i)
{
	return timeline->rows[i];
}

/* Returns where the caller of a copy's call waited for the copy, or 0. */
static inline unsigned dp_device_timeline__waited(const struct dp_device_timeline *timeline,
						  size_t call)
{
	return timeline->inside[call] | timeline->index->waited[call];
}

/* A copy to the device. */
bool dp_op__is_upload(const struct dp_ops *ops, size_t op);

/* The memory on the host's side of a copy between host and device; unknown for others. */
uint8_t dp_op__host_memory(const struct dp_ops *ops, size_t op);

/*
 * Copies of fewer bytes, such as flags and scalars, take as long from pinned memory. Returns true
 * for others, also if their size is not recorded.
 */
#define DP_PINNED_LEAST 4096
static inline bool dp_op__gains_from_pinned(const struct dp_ops *ops, size_t op)
{
	return !ops->bytes[op] || ops->bytes[op] >= DP_PINNED_LEAST;
}

/*
 * The caller releases timeline with fini, also after a failure. Borrows the index. Errors:
 * DP_ERR_NOMEM. Cost: linear in the device's operations, the calls of the threads that launch on
 * it, and the input that they fetch; sorting the calls if there are several such threads.
 */
int dp_device_timeline__init(struct dp_device_timeline *timeline,
			     const struct dp_trace_index *index, uint32_t device,
			     struct dp_error *error);
void dp_device_timeline__fini(struct dp_device_timeline *timeline);

#endif
