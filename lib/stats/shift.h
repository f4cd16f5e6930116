/* The interval of a shift between two samples (Hodges and Lehmann). */
#ifndef DP_STATS_SHIFT_H
#define DP_STATS_SHIFT_H

#include "base/base.h"

struct dp_shift_sample {
	const double *sorted; /* in ascending order, none NaN */
	size_t count;
	double widening; /* their variance by that of independent values; 1: independent */
};

/*
 * Returns which of the ordered differences, counted from either end, is a limit of the interval; 0
 * if the samples are too small for that confidence. deviations are the normal ones of the
 * confidence.
 */
size_t dp_shift__rank(const struct dp_shift_sample sample[2], double confidence, double deviations);

/*
 * Sets the limits of the differences after - before, and of the ratios after / before of values
 * that are not below 0: the second excludes 1 if the first excludes 0. The upper ratio is infinite
 * if too many first values are 0. The rank is 1 or more.
 */
void dp_shift__limits(const struct dp_shift_sample sample[2], size_t rank, double limits[2]);
void dp_shift__ratios(const struct dp_shift_sample sample[2], size_t rank, double limits[2]);

#endif
