/* Whether values rise, which of them stand out. Robust: a few wild ones change nothing. */
#ifndef DP_STATS_TREND_H
#define DP_STATS_TREND_H

#include "base/base.h"

struct dp_trend {
	double slope;  /* per value: Theil and Sen's estimate */
	double median; /* of the values that it was made from */
	double p;      /* two-sided, of no trend at all: Mann and Kendall's test */
};

/* False with fewer than 8 values. No value is NaN. Cost: linear; long series are first averaged
 * in blocks. */
bool dp_trend__init(struct dp_trend *trend, const double *values, size_t count);

/*
 * The value above which others stand out: median + 5 MAD and 10%. Where nothing does and the values
 * fall into two groups, half as far apart as the lower group is from 0 or more and the upper one
 * not the larger, it lies between them. NaN with fewer than 4. Sorts nothing, but changes the
 * order of values. Cost: linear, n log n for two groups.
 */
double dp_outlier__limit(double *values, size_t count);

#endif
