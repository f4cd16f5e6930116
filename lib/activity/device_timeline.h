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
	uint32_t *gathered; /* these, where there are several threads */
	uint32_t *copies;   /* H2D copies among them */
	size_t copy_count;
	struct dp_spans uploads; /* their union */
	bool known;		 /* operations of the device have calls */
	bool *launches;		 /* per thread: it launched kernels on the device */
	uint8_t *inside;	 /* per call: DP_WAITED_INSIDE, of a copy of the device, or 0 */
	struct dp_spans syncs;	 /* a launching thread is in a synchronizing call */
	struct dp_spans any;	 /* or in that of a copy */
	struct dp_spans waits;	 /* or in that of a copy which returned after it */
	struct dp_spans stalls;	 /* in a call of another kind that keeps it for long; not united, */
	uint32_t *stall_calls;	 /* for each has its call */
	struct dp_spans loaders; /* a launching thread is in a range that fetches input */
};

static inline size_t dp_device_timeline__op(const struct dp_device_timeline *timeline, size_t i)
{
	return timeline->rows[i];
}

/* Was a call a copy's that its caller waited for, and where? */
static inline unsigned dp_device_timeline__waited(const struct dp_device_timeline *timeline,
						  size_t call)
{
	return timeline->inside[call] | timeline->index->waited[call];
}

/* A copy to the device. */
bool dp_op__is_upload(const struct dp_ops *ops, size_t op);

/*
 * *timeline is the caller's, to be released with fini, on failure too. Borrows the index. Errors:
 * DP_ERR_NOMEM. Cost: linear in the device's operations, the calls of the threads that launch on
 * it, and what they fetch; sorting the calls where there are several such threads among many.
 */
int dp_device_timeline__init(struct dp_device_timeline *timeline,
			     const struct dp_trace_index *index, uint32_t device,
			     struct dp_error *error);
void dp_device_timeline__fini(struct dp_device_timeline *timeline);

#endif
