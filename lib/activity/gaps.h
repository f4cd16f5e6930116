/* When a device is idle, and why. */
#ifndef DP_ACTIVITY_GAPS_H
#define DP_ACTIVITY_GAPS_H

#include "activity/device_timeline.h"
#include <deepprof/analysis.h>

/* Shorter gaps are launch overhead rather than a fault (XProf, HTA: 30 us). */
#define DP_SHORT_GAP_NS 30000

/* The parts of one gap, which sum up to its length. */
struct dp_gap {
	int64_t host_ns;   /* the operation that ends it was not launched yet */
	int64_t sync_ns;   /* the same, while the host waited for the device */
	int64_t copy_ns;   /* the same, while the host was in a copy's call, staging data */
	int64_t stall_ns;  /* part of host_ns: in calls that keep the thread from launching */
	int64_t launch_ns; /* launched, and the gap is short */
	int64_t other_ns;  /* launched for longer, and waiting for what the trace does not show */
	bool late;	   /* the launch began after the gap did */
	int64_t after_ns;  /* part of host_ns: by how much earlier the host would have launched
			    * without its last wait */
	int64_t host_end_ns; /* where the host's part ends: at the operation, or earlier */
	int64_t waited_ns; /* late, and the gap began in a wait of the host, of this length */
};

/* The state of the walk over the gaps, which come in order of time. */
struct dp_gap_walk {
	const struct dp_ops *ops;
	const struct dp_calls *calls;
	struct dp_spans_at syncs;
	struct dp_spans_at any;
	struct dp_spans_at waits;
	struct dp_spans_at stalls;
	size_t waited;	   /* waits that ended before the last launch */
	int64_t credit_ns; /* what remains of the last of them */
};

/* Borrows the timeline. */
struct dp_gap_walk dp_gap_walk__begin(const struct dp_device_timeline *timeline);
void dp_gap__split(struct dp_gap *gap, struct dp_gap_walk *walk, int64_t start_ns, size_t op);

/* A device of a trace, and a time range. */
struct dp_idle_window {
	const struct dp_trace_index *index;
	uint32_t device;
	int64_t start_ns;
	int64_t end_ns;
};

/*
 * Calls back for each piece of idle time: those that metrics such as idle_host_ns sum up. Like
 * dp_analysis_foreach_idle().
 */
int dp_idle__foreach(const struct dp_idle_window *window,
		     int (*each)(void *ctx, const struct dp_idle *idle), void *ctx,
		     struct dp_error *error);

#endif
