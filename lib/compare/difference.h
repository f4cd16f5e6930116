/*
 * How much two samples differ, and how sure that is. Values are those of iterations in their order;
 * as each resembles the one before, as times do that follow clocks and temperatures, they say less
 * than as many independent ones would.
 */
#ifndef DP_COMPARE_DIFFERENCE_H
#define DP_COMPARE_DIFFERENCE_H

#include "base/base.h"
#include <deepprof/compare.h>

/* An interval is made from so many values of each run at least. */
#define DP_DIFFERENCE_LEAST 4

/* A number that was estimated; NaN where there were no values. */
struct dp_estimate {
	double value;
	double variance; /* of the estimate, not of the values */
	size_t count;	 /* of the values */
};

/* The median and its variance. No value is NaN; scratch has room for count. Cost: linear. */
struct dp_estimate dp_estimate__median(const double *values, double *scratch, size_t count);

/* The mean and its variance. Cost: linear. */
struct dp_estimate dp_estimate__mean(const double *values, size_t count);

/* Two-sided: the normal distribution has that share of itself within so many deviations. */
double dp_normal__deviations(double confidence);

/* The difference of two estimates, with Welch's degrees of freedom; deviations are those of the
 * confidence that its intervals have. */
struct dp_difference dp_difference__of(const struct dp_estimate estimate[2], double deviations);

#endif
