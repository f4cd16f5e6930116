/* Idle time as it lies in time: the pieces that the metrics idle_host_ns and its like sum. */
#ifndef DP_METRIC_IDLE_WALK_H
#define DP_METRIC_IDLE_WALK_H

#include "metric/work.h"
#include <deepprof/analysis.h>

/* Which of a trace, and from when to when. */
struct dp_idle_window {
	const struct dp_work_index *index;
	uint32_t device;
	int64_t start_ns;
	int64_t end_ns;
};

/* As dp_analysis_foreach_idle(). */
int dp_idle__foreach(const struct dp_idle_window *window,
		     int (*each)(void *ctx, const struct dp_idle *idle), void *ctx,
		     struct dp_error *error);

#endif
