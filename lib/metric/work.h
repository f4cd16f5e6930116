/* What a device and its launching threads did, made once for all loops on the device. */
#ifndef DP_METRIC_WORK_H
#define DP_METRIC_WORK_H

#include "base/base.h"
#include "metric/groups.h"
#include "metric/spans.h"
#include <deepprof/trace.h>

/* A copy's caller waited for it in the copy's call, or in a synchronizing one that follows it. */
enum { DP_WAITED_INSIDE = 1, DP_WAITED_AFTER = 2 };

/* What all devices share, so that each costs what it has itself: made once for a trace. */
struct dp_work_index {
	const struct dp_trace *trace;
	struct dp_groups ops;	  /* by device */
	struct dp_groups calls;	  /* by thread */
	struct dp_groups ranges;  /* by thread */
	struct dp_groups loaders; /* ranges that fetch input, by thread */
	struct dp_groups samples; /* by device */
	struct dp_groups memory;  /* by device */
	struct dp_groups activity; /* by device */
	struct dp_groups cpu_samples; /* by thread */
	struct dp_groups off_cpu; /* by thread */
	uint8_t *is_comm;	  /* per string: it names a kernel that communicates */
	uint8_t *waited;	  /* per call: DP_WAITED_AFTER or 0 */
};

/* *index is the caller's, to be released with fini, on failure too. Borrows the trace. Errors:
 * DP_ERR_NOMEM. Cost: linear in all that the trace has. */
int dp_work_index__init(struct dp_work_index *index, const struct dp_trace *trace,
			struct dp_error *error);
void dp_work_index__fini(struct dp_work_index *index);

struct dp_work {
	const struct dp_trace *trace;
	const struct dp_work_index *index;
	uint32_t device;
	const uint32_t *rows; /* operations of the device, in order of start */
	size_t count;
	const uint32_t *calls; /* of the threads that launch kernels on it, in order of start */
	size_t call_count;
	uint32_t *gathered; /* these, where there are several threads */
	uint32_t *copies; /* H2D copies among them */
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

static inline size_t dp_work__op(const struct dp_work *work, size_t i)
{
	return work->rows[i];
}

/* Was a call a copy's that its caller waited for, and where? */
static inline unsigned dp_work__waited(const struct dp_work *work, size_t call)
{
	return work->inside[call] | work->index->waited[call];
}

/* A copy to the device. */
bool dp_work__is_upload(const struct dp_ops *ops, size_t op);

/*
 * *work is the caller's, to be released with fini, on failure too. Borrows the index. Errors:
 * DP_ERR_NOMEM. Cost: linear in the device's operations, the calls of the threads that launch on
 * it, and what they fetch; sorting the calls where there are several such threads among many.
 */
int dp_work__init(struct dp_work *work, const struct dp_work_index *index, uint32_t device,
		  struct dp_error *error);
void dp_work__fini(struct dp_work *work);

#endif
