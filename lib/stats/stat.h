/*
 * Statistics in linear time. Order statistics change the order of the values. A metric's missing
 * values (NaN) must be removed first, see reduce.h.
 */
#ifndef DP_STATS_STAT_H
#define DP_STATS_STAT_H

#include "base/base.h"

/* Returns NaN if there are no values. */
double dp_stat__mean(const double *values, size_t count);
double dp_stat__min(const double *values, size_t count);
double dp_stat__max(const double *values, size_t count);

/*
 * Shortens values to at most `most` points: means of blocks of equal length. Returns their number.
 * Point i is the mean of the values from dp_stat__block(i, points, count) on.
 */
size_t dp_stat__shorten(double *points, size_t most, const double *values, size_t count);
size_t dp_stat__block(size_t point, size_t points, size_t count);

/* Returns the value at rank (from 0) in ascending order; count > rank, no value is NaN. */
double dp_stat__select(double *values, size_t count, size_t rank);

/*
 * The fewest values whose sum is at least a share of the sum of all, which are not negative; 0 if
 * that is 0. Sorts them, the largest first.
 */
size_t dp_stat__holders(double *values, size_t count, double share);

/* Returns the mean of the middle two if count is even. */
double dp_stat__median(double *values, size_t count);

/* Returns the smallest value that at least 95% of all do not exceed (nearest rank). */
double dp_stat__p95(double *values, size_t count);

/* Returns the median absolute deviation from the median, not scaled. Overwrites values. */
double dp_stat__mad(double *values, size_t count);

#endif
