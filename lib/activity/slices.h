/* A stretch of time in equal slices: how busy a device is in each. */
#ifndef DP_ACTIVITY_SLICES_H
#define DP_ACTIVITY_SLICES_H

#include "activity/device_timeline.h"

/*
 * Computes how long the device is busy in each of count slices of [start, end). Cost: linear in the
 * device's operations and the slices.
 */
void dp_slices__busy(double *busy_ns, size_t count, const struct dp_device_timeline *timeline,
		     int64_t start_ns, int64_t end_ns);

/* Idle times of a device that have at least a given length. */
struct dp_long_gaps {
	size_t count;
	double all_ns;
	double longest_ns;	  /* of all gaps, whatever their length, */
	int64_t longest_start_ns; /* and when it begins */
	size_t longest_before;	  /* the operation that ends it; SIZE_MAX: none */
};

void dp_slices__gaps(struct dp_long_gaps *gaps, const struct dp_device_timeline *timeline,
		     int64_t start_ns, int64_t end_ns, double least_ns);

#endif
