/* What the threads that launch on a device did on the host's processors, per iteration. */
#ifndef DP_ACTIVITY_CPU_TIME_H
#define DP_ACTIVITY_CPU_TIME_H

#include "activity/device_timeline.h"
#include <deepprof/analysis.h>

enum dp_cpu_state {
	DP_CPU_RUN,	 /* on a processor */
	DP_CPU_WAIT,	 /* runnable, but not on one */
	DP_CPU_FAULT,	 /* waiting for a page that is read from disk */
	DP_CPU_THROTTLED /* their cgroup had exhausted its quota */
};

/*
 * Computes the time in the state, summed over the launching threads; NaN for periods outside the
 * samples of all threads, and if the state was not recorded. Errors: DP_ERR_NOMEM. Cost: linear in
 * the samples and intervals of these threads, and in the iterations times these threads.
 */
int dp_cpu__fill(double *values, const struct dp_device_timeline *timeline,
		 const struct dp_iteration *iterations, size_t count, enum dp_cpu_state state,
		 struct dp_error *error);

#endif
