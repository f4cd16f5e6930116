/*
 * Statistics in linear time. Those of order change the order of the values. A metric's missing
 * values (NaN) are left out before, see reduce.h.
 */
#ifndef DP_METRIC_STAT_H
#define DP_METRIC_STAT_H

#include "base/base.h"

/* NaN where there are no values. */
double dp_stat__mean(const double *values, size_t count);
double dp_stat__min(const double *values, size_t count);
double dp_stat__max(const double *values, size_t count);

/* The value at rank (from 0) in ascending order; count > rank, no value is NaN. */
double dp_stat__select(double *values, size_t count, size_t rank);

/* The mean of the two in the middle where count is even. */
double dp_stat__median(double *values, size_t count);

/* The smallest value that at least 95% of all are not above (nearest rank). */
double dp_stat__p95(double *values, size_t count);

/* Median absolute deviation from the median, not scaled. Overwrites values. */
double dp_stat__mad(double *values, size_t count);

#endif
