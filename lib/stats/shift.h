/* The interval of a shift between two samples (Hodges and Lehmann). */
#ifndef DP_STATS_SHIFT_H
#define DP_STATS_SHIFT_H

#include "base/base.h"

struct dp_shift_sample {
	const double *sorted; /* in ascending order, none NaN */
	size_t count;
	double widening; /* how many times the variance of independent values; 1: they are */
};

/*
 * Which of the ordered differences, counted from either end, is a limit of the interval: 0 where
 * the samples are too small for that confidence. deviations are the normal ones of the confidence.
 */
size_t dp_shift__rank(const struct dp_shift_sample sample[2], double confidence, double deviations);

/*
 * The limits of the differences after - before, and of the ratios after / before of values that are
 * not below 0: one leaves 1 out where the other leaves 0 out. An upper ratio is infinite where too
 * many first values are 0. The rank is 1 or more.
 */
void dp_shift__limits(const struct dp_shift_sample sample[2], size_t rank, double limits[2]);
void dp_shift__ratios(const struct dp_shift_sample sample[2], size_t rank, double limits[2]);

#endif
