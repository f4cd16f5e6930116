/* What a device and its launching threads did, made once for all loops on the device. */
#ifndef DP_METRIC_WORK_H
#define DP_METRIC_WORK_H

#include "base/base.h"
#include "metric/spans.h"
#include <deepprof/trace.h>

/* A copy's caller waited for it in the copy's call, or in a synchronizing one that follows it. */
enum { DP_WAITED_INSIDE = 1, DP_WAITED_AFTER = 2 };

struct dp_work {
	const struct dp_trace *trace;
	uint32_t device;
	uint32_t *rows; /* operations of the device, in order of start; NULL: all there are */
	size_t count;
	uint32_t *copies; /* H2D copies among them */
	size_t copy_count;
	struct dp_spans uploads; /* their union */
	uint8_t *is_comm;	 /* per string: it names a kernel that communicates */
	bool known;		 /* operations of the device have calls */
	bool *launches;		 /* per thread: it launched kernels on the device */
	uint8_t *waited;	 /* per call: a copy that the caller waited for, and where */
	struct dp_spans syncs;	 /* a launching thread is in a synchronizing call */
	struct dp_spans any;	 /* or in that of a copy */
	struct dp_spans waits;	 /* or in that of a copy which returned after it */
	struct dp_spans stalls;	 /* in a call of another kind that keeps it for long; not united, */
	uint32_t *stall_calls;	 /* for each has its call */
	struct dp_spans loaders; /* a launching thread is in a range that fetches input */
};

static inline size_t dp_work__op(const struct dp_work *work, size_t i)
{
	return work->rows ? work->rows[i] : i;
}

/* A copy to the device. */
bool dp_work__is_upload(const struct dp_ops *ops, size_t op);

/*
 * *work is the caller's, to be released with fini, on failure too. Borrows the trace. Errors:
 * DP_ERR_NOMEM. Cost: linear in the trace's operations, calls and names.
 */
int dp_work__init(struct dp_work *work, const struct dp_trace *trace, uint32_t device,
		  struct dp_error *error);
void dp_work__fini(struct dp_work *work);

#endif
