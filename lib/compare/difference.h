/*
 * By how much two samples differ, with confidence intervals. Values are those of iterations in
 * their order; where each resembles the one before, as times do that follow clocks and
 * temperatures, they say less than as many independent ones would.
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
 * the difference of the medians where shapes differ; NaN where there are too few values for the
 * confidence. Cost: linear in the values, of which at most 2,048 of each run are compared.
 */
struct dp_difference dp_difference__medians(const struct dp_values values[2], double confidence);

/* How many values of each run an interval of that confidence needs. */
size_t dp_difference__least(double confidence);

/* A mean that was estimated; NaN where there were no values. */
struct dp_estimate {
	double value;
	double variance; /* not that of the values */
	double freedom;	 /* degrees of it, that the variance was made with */
	double least;	 /* what any iteration had */
	double most;
	size_t count; /* of the values */
};

/* The mean. Cost: linear. */
struct dp_estimate dp_estimate__mean(const double *values, size_t count);

/* How many times the variance that independent values would give their mean; 1 for fewer than 30
 * values, which are too few to estimate it. Cost: linear. */
double dp_estimate__widening(const double *values, size_t count);

/* Two-sided: the normal distribution has that share within this many deviations. */
double dp_normal__deviations(double confidence);

/* The difference of two means, by no more than two values differ; deviations are those of the
 * confidence of its intervals. */
struct dp_difference dp_difference__of(const struct dp_estimate estimate[2], double deviations);

#endif
