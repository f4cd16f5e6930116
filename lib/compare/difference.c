/*
 * Medians: Price and Bonett, "Estimating the variance of the sample median" (2001) and
 * "Distribution-free confidence intervals for difference and ratio of medians" (2002). Means:
 * Welch (1947). Both are widened as the variance of a mean is under autocorrelation that decays
 * from one value to the next (an AR(1) process): by (1 + r) / (1 - r).
 */
#include "compare/difference.h"
#include "metric/stat.h"

#include <math.h>
#include <string.h>

/* A change that is less of the value than this is none, however sure. */
#define LEAST_CHANGE 0.01

/* Beyond this, values say nothing any more that widening could mend. */
#define MOST_CORRELATION 0.95

static const double half_pi = 1.57079632679489661923;

/* The sign of a value's deviation, or the deviation itself: what is compared with its neighbour. */
static double deviation(double value, double centre, bool sign)
{
	double away = value - centre;

	return sign ? (away > 0) - (away < 0) : away;
}

/* How much more variance the estimate has than of independent values; of signs, as they would have
 * that come from a normal process. */
static double widening(const double *values, size_t count, double centre, bool sign)
{
	double products = 0, squares = 0, r;

	for (size_t i = 0; i < count; i++) {
		double now = deviation(values[i], centre, sign);

		squares += now * now;
		if (i + 1 < count)
			products += now * deviation(values[i + 1], centre, sign);
	}
	if (!(squares > 0))
		return 1;
	r = products / squares;
	if (sign)
		r = sin(half_pi * r);
	r = DP_MIN(DP_MAX(r, 0), MOST_CORRELATION);
	return (1 + r) / (1 - r);
}

/* The normal quantile that leaves p above it, p below one half: by bisection. */
static double upper_quantile(double p)
{
	double low = 0, high = 40;

	for (int i = 0; i < 64; i++) {
		double middle = (low + high) / 2;

		*(erfc(middle / sqrt(2)) / 2 > p ? &low : &high) = middle;
	}
	return high;
}

double dp_normal__deviations(double confidence)
{
	return upper_quantile((1 - confidence) / 2);
}

/* The chance that fewer than rank of count values are below their median. */
static double chance_below(size_t rank, size_t count)
{
	double chance = 0, n = (double)count;

	for (size_t i = 0; i < rank; i++) {
		double k = (double)i;

		chance += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2));
	}
	return chance;
}

/* The interval between two order statistics is so many standard errors of the median wide, to
 * either side; above a thousand values as the normal distribution has it. */
static double errors_of_rank(size_t rank, size_t count)
{
	if (count <= 1000)
		return upper_quantile(chance_below(rank, count));
	return ((double)count / 2 - (double)rank + 0.5) / (sqrt((double)count) / 2);
}

struct dp_estimate dp_estimate__median(const double *values, double *scratch, size_t count)
{
	struct dp_estimate made = { .value = (double)NAN, .variance = (double)NAN, .count = count };
	double place = ((double)count + 1) / 2 - sqrt((double)count), error;
	size_t rank = place >= 1.5 ? (size_t)(place + 0.5) : 1;

	if (!count)
		return made;
	memcpy(scratch, values, count * sizeof(*values));
	made.value = dp_stat__median(scratch, count);
	error = (dp_stat__select(scratch, count, count - rank) -
		 dp_stat__select(scratch, count, rank - 1)) /
		(2 * errors_of_rank(rank, count));
	made.variance = error * error * widening(values, count, made.value, true);
	return made;
}

struct dp_estimate dp_estimate__mean(const double *values, size_t count)
{
	struct dp_estimate made = { .value = dp_stat__mean(values, count), .count = count };
	double squares = 0;

	for (size_t i = 0; i < count; i++)
		squares += (values[i] - made.value) * (values[i] - made.value);
	made.variance = squares / ((double)count - 1) / (double)count *
			widening(values, count, made.value, false);
	return made;
}

/* Student's quantile from the normal one (Abramowitz and Stegun 26.7.5). */
static double student(double z, double freedom)
{
	double z2 = z * z, n = freedom;

	return z + z * (z2 + 1) / (4 * n) + z * ((5 * z2 + 16) * z2 + 3) / (96 * n * n) +
	       z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n);
}

/* Welch and Satterthwaite's degrees of freedom. */
static double freedom_of(const struct dp_estimate estimate[2])
{
	double sum = estimate[0].variance + estimate[1].variance, parts = 0;

	for (int run = 0; run < 2; run++)
		parts += estimate[run].variance * estimate[run].variance /
			 ((double)estimate[run].count - 1);
	return parts > 0 ? sum * sum / parts : HUGE_VAL;
}

static double relative_variance(const struct dp_estimate *estimate)
{
	return estimate->variance / (estimate->value * estimate->value);
}

struct dp_difference dp_difference__of(const struct dp_estimate estimate[2], double deviations)
{
	const struct dp_estimate *before = &estimate[0], *after = &estimate[1];
	struct dp_difference made = {
		.value = { before->value, after->value },
		.change = after->value - before->value,
		.low = (double)NAN,
		.high = (double)NAN,
		.ratio_low = (double)NAN,
		.ratio_high = (double)NAN,
		.count = { before->count, after->count },
	};
	double times, wide, ratio = after->value / before->value;

	if (before->count < DP_DIFFERENCE_LEAST || after->count < DP_DIFFERENCE_LEAST ||
	    !isfinite(before->variance + after->variance))
		return made;
	times = student(deviations, freedom_of(estimate));
	wide = times * sqrt(before->variance + after->variance);
	made.low = made.change - wide;
	made.high = made.change + wide;
	if (before->value > 0 && after->value > 0) {
		wide = times * sqrt(relative_variance(before) + relative_variance(after));
		made.ratio_low = ratio * exp(-wide);
		made.ratio_high = ratio * exp(wide);
	}
	return made;
}

bool dp_difference_is_sure(const struct dp_difference *difference)
{
	double least = LEAST_CHANGE * fabs(difference->value[0]);

	return (difference->low > 0 && difference->change >= least) ||
	       (difference->high < 0 && difference->change <= -least);
}
