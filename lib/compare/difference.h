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
	/* Its variance, not that of the values: to either side, as far as it may be off there. */
	double below;
	double above;
	double freedom; /* degrees of it, that the variance was made with */
	size_t count;	/* of the values */
};

/* The median. No value is NaN; scratch has room for count. Cost: linear. */
struct dp_estimate dp_estimate__median(const double *values, double *scratch, size_t count);

/* The mean. Cost: linear. */
struct dp_estimate dp_estimate__mean(const double *values, size_t count);

/* How many times the variance that independent values would give their mean. Cost: linear. */
double dp_estimate__widening(const double *values, size_t count);

/* Two-sided: the normal distribution has that share of itself within so many deviations. */
double dp_normal__deviations(double confidence);

/* The difference of two estimates; deviations are those of the confidence of its intervals. */
struct dp_difference dp_difference__of(const struct dp_estimate estimate[2], double deviations);

#endif
