/*
 * What launching threads did while the device was idle, and where they wait for it: by the open
 * operators and annotations or, without any of these, API calls.
 */
#ifndef DP_ACTIVITY_HOST_RANGES_H
#define DP_ACTIVITY_HOST_RANGES_H

#include "activity/device_timeline.h"
#include <deepprof/analysis.h>

/* Of one loop, the most expensive of each activity first. */
struct dp_host_ranges {
	struct dp_host_range *ranges;
	size_t count;
};

/* While they are gathered. */
struct dp_host_ranges_maker;

/*
 * iterations are those of the loop, with warm-up marked. The caller passes *maker to finish or
 * free. Errors: DP_ERR_NOMEM. Cost: linear in ranges and iterations.
 */
int dp_host_ranges__begin(struct dp_host_ranges_maker **maker,
			  const struct dp_device_timeline *timeline,
			  const struct dp_iteration *iterations, size_t count);

/*
 * Adds idle time in iteration k that the host causes, in the gap that an operation ends; in order
 * of time. Errors: DP_ERR_NOMEM.
 */
int dp_host_ranges__add(struct dp_host_ranges_maker *maker, enum dp_host_activity activity,
			size_t k, int64_t start_ns, int64_t end_ns, size_t op);

/* Adds the synchronizing calls, and makes the result. Always frees the maker. */
int dp_host_ranges__finish(struct dp_host_ranges *ranges, struct dp_host_ranges_maker *maker);
void dp_host_ranges__free(struct dp_host_ranges_maker *maker);

void dp_host_ranges__fini(struct dp_host_ranges *ranges);

#endif
