/*
 * The difference of two samples, with confidence intervals. Values are those of iterations in their
 * order. Times that follow clocks and temperatures resemble their predecessors, and are worth fewer
 * independent values.
 */
#ifndef DP_COMPARE_DIFFERENCE_H
#define DP_COMPARE_DIFFERENCE_H

#include "base/base.h"
#include <deepprof/compare.h>

/* An interval needs at least this many values of each run. */
#define DP_DIFFERENCE_LEAST 4

/* Values of a run in the order of its iterations, none NaN. */
struct dp_values {
	double *values;	 /* lost by the comparison */
	double *scratch; /* room for as many */
	size_t count;
};

/*
 * The difference of two medians. The interval is that of the shift between the samples, extended to
 * the difference of the medians if shapes differ; NaN if there are too few values for the
 * confidence. Cost: linear in the values, of which at most 2,048 of each run are compared.
 */
struct dp_difference dp_difference__medians(const struct dp_values values[2], double confidence);

/* How many values of each run an interval with that confidence needs. */
size_t dp_difference__least(double confidence);

/* An estimated mean; NaN if there were no values. */
struct dp_estimate {
	double value;
	double variance; /* not that of the values */
	double freedom;	 /* degrees of freedom of the variance */
	double least;	 /* what any iteration had */
	double most;
	size_t count; /* of the values */
};

/* The mean. Cost: linear. */
struct dp_estimate dp_estimate__mean(const double *values, size_t count);

/*
 * The factor by which autocorrelation widens the variance of the mean; 1 for fewer than 30 values,
 * which are too few to estimate it. Cost: linear.
 */
double dp_estimate__widening(const double *values, size_t count);

/*
 * The number of standard deviations within which, on both sides, that share of a normal
 * distribution lies.
 */
double dp_normal__deviations(double confidence);

/*
 * The difference of two means, with an interval that is no wider than the extreme values allow;
 * deviations are those of the intervals' confidence.
 */
struct dp_difference dp_difference__of(const struct dp_estimate estimate[2], double deviations);

#endif
