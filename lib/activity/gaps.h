/* When a device does nothing, and why. */
#ifndef DP_ACTIVITY_GAPS_H
#define DP_ACTIVITY_GAPS_H

#include "activity/device_timeline.h"
#include <deepprof/analysis.h>

/* Gaps under this are the launches' cost rather than anything's fault (XProf, HTA: 30 us). */
#define DP_SHORT_GAP_NS 30000

/* One gap, split: the causes sum to its length. */
struct dp_gap {
	int64_t host_ns;   /* the operation that ends it was not launched yet */
	int64_t sync_ns;   /* the same, and the host waited for the device */
	int64_t copy_ns;   /* the same, and the host was in a copy's call: staging its data */
	int64_t stall_ns;  /* a part of host_ns: in calls that keep the thread from launching */
	int64_t launch_ns; /* launched, and the gap is a short one */
	int64_t other_ns;  /* launched, and waiting for what the trace does not tell */
	bool late;	   /* the launch began after the gap did */
	int64_t after_ns;  /* a part of host_ns: had the host not waited before, it would have
			    * launched so much earlier */
	int64_t waited_ns; /* late, and it began where the host waited: for so long */
};

/* Where the walk over the gaps is; they come in order of time. */
struct dp_gap_walk {
	const struct dp_ops *ops;
	const struct dp_calls *calls;
	struct dp_spans_at syncs;
	struct dp_spans_at any;
	struct dp_spans_at waits;
	struct dp_spans_at stalls;
	size_t waited;	   /* waits that ended before the last launch */
	int64_t credit_ns; /* what is left of the last of them */
};

/* Borrows the timeline. */
struct dp_gap_walk dp_gap_walk__begin(const struct dp_device_timeline *timeline);
void dp_gap__split(struct dp_gap *gap, struct dp_gap_walk *walk, int64_t start_ns, size_t op);

/* Which of a trace, and from when to when. */
struct dp_idle_window {
	const struct dp_trace_index *index;
	uint32_t device;
	int64_t start_ns;
	int64_t end_ns;
};

/*
 * Idle time as it lies in time: the pieces that the metrics idle_host_ns and its like sum. As
 * dp_analysis_foreach_idle().
 */
int dp_idle__foreach(const struct dp_idle_window *window,
		     int (*each)(void *ctx, const struct dp_idle *idle), void *ctx,
		     struct dp_error *error);

#endif
