/* How busy the device's units were while kernels of a name ran. */
#ifndef DP_ACTIVITY_UNIT_SHARES_H
#define DP_ACTIVITY_UNIT_SHARES_H

#include "activity/device_timeline.h"

enum dp_unit { DP_UNIT_SM, DP_UNIT_TENSOR, DP_UNIT_DRAM, DP_UNITS };

/* Sums over the samples that belong to kernels of one name. */
struct dp_unit_sums {
	double share_ns[DP_UNITS]; /* share of the peak, times duration */
	double known_ns[DP_UNITS];
	double inside_ns; /* of the current sample, if it is this one: */
	size_t sample;
};

/* The mean, weighted by time; NaN without samples. */
double dp_unit_sums__mean(const struct dp_unit_sums *sums, enum dp_unit unit);

/*
 * A sample of the hardware counters belongs to kernels of the name that ran for more than half of
 * it: kernels much shorter than the distance of samples have none, unless several of a name follow
 * each other. The caller frees *sums: a row per string of the trace, and one for unknown names;
 * NULL if the device has no samples. Errors: DP_ERR_NOMEM. Cost: linear in the device's operations
 * and samples.
 */
int dp_unit_sums__new(struct dp_unit_sums **sums, const struct dp_device_timeline *timeline,
		      struct dp_error *error);

#endif
