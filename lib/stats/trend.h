/* Whether values rise, and which are outliers. Robust: a few outliers change nothing. */
#ifndef DP_STATS_TREND_H
#define DP_STATS_TREND_H

#include "base/base.h"

struct dp_trend {
	double slope;  /* per value: Theil and Sen's estimate */
	double median; /* of the values used */
	double p;      /* two-sided p-value of Mann and Kendall's test: there is no trend */
};

/*
 * Returns false with fewer than 8 values. None may be NaN. Cost: linear; long series are first
 * averaged in blocks.
 */
bool dp_trend__init(struct dp_trend *trend, const double *values, size_t count);

/*
 * Returns the limit of outliers: median + 5 MAD and 10%. If no value exceeds it and the values fall
 * into two groups, the upper one not the larger, and their distance is at least half the lower
 * group's distance from 0, returns a limit between the groups. Returns NaN with fewer than 4
 * values. Changes the order of values. Cost: linear, n log n for two groups.
 */
double dp_outlier__limit(double *values, size_t count);

#endif
