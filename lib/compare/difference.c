/*
 * The interval of a median is that between two order statistics, as in Price and Bonett,
 * "Distribution-free confidence intervals for difference and ratio of medians" (2002); that of a
 * mean is made from the variance. Two of them give the interval of the difference and of the ratio
 * by Zou and Donner's MOVER ("Construction of confidence limits about effect measures", 2008;
 * Donner and Zou, "Closed-form confidence intervals for functions of the normal mean and standard
 * deviation", 2012), which keeps either side of each as wide as it is: where a program has two
 * kinds of iterations, a median that lies with one of them may be off by all that is between them,
 * to one side. Both intervals are widened as the variance of a mean is under autocorrelation that
 * decays from one value to the next (an AR(1) process): by (1 + r) / (1 - r).
 */
#include "compare/difference.h"
#include "metric/stat.h"

#include <math.h>
#include <string.h>

/* A change that is less of the value than this is none, however sure. */
#define LEAST_CHANGE 0.01

/* Beyond this, values say nothing any more that widening could mend. */
#define MOST_CORRELATION 0.95

#define LEAST_FREEDOM 2

static const double half_pi = 1.57079632679489661923;

/* The sign of a value's deviation, or the deviation itself: what is compared with its neighbour. */
static double deviation(double value, double centre, bool sign)
{
	double away = value - centre;

	return sign ? (away > 0) - (away < 0) : away;
}

/* How much more variance the estimate has than of independent values; of signs, as they would have
 * that come from a normal process. What few values say of r is too small (Kendall 1954). */
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
	r += (1 + 3 * r) / (double)count;
	r = DP_MIN(DP_MAX(r, 0), MOST_CORRELATION);
	return (1 + r) / (1 - r);
}

double dp_estimate__widening(const double *values, size_t count)
{
	return widening(values, count, dp_stat__mean(values, count), false);
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

/* lgamma() would write to a variable that all threads share, signgam. */
static double log_factorial(double n)
{
	int sign;

	return lgamma_r(n + 1, &sign);
}

/* The chance that fewer than rank of count values are below their median. */
static double chance_below(size_t rank, size_t count)
{
	double chance = 0, n = (double)count;

	for (size_t i = 0; i < rank; i++) {
		double k = (double)i;

		chance += exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) -
			      n * log(2));
	}
	return chance;
}

/* So many standard errors of the median are between it and the order statistic of that rank; above
 * a thousand values as the normal distribution has it. */
static double errors_of_rank(size_t rank, size_t count)
{
	if (count <= 1000)
		return upper_quantile(chance_below(rank, count));
	return ((double)count / 2 - (double)rank + 0.5) / (sqrt((double)count) / 2);
}

static double square(double x)
{
	return x * x;
}

/* Of n values that are as good as n / wider independent ones. */
static double freedom_of(size_t count, double wider)
{
	return DP_MAX((double)count / wider - 1, LEAST_FREEDOM);
}

struct dp_estimate dp_estimate__median(const double *values, double *scratch, size_t count)
{
	double place = ((double)count + 1) / 2 - sqrt((double)count), errors, wider;
	size_t rank = place >= 1.5 ? (size_t)(place + 0.5) : 1;
	struct dp_estimate made = {
		.value = (double)NAN, .below = (double)NAN, .above = (double)NAN, .count = count
	};

	if (!count)
		return made;
	memcpy(scratch, values, count * sizeof(*values));
	made.value = dp_stat__median(scratch, count);
	errors = errors_of_rank(rank, count);
	wider = widening(values, count, made.value, true);
	made.below = square((made.value - dp_stat__select(scratch, count, rank - 1)) / errors);
	made.above = square((dp_stat__select(scratch, count, count - rank) - made.value) / errors);
	made.below *= wider;
	made.above *= wider;
	made.freedom = freedom_of(count, wider);
	return made;
}

struct dp_estimate dp_estimate__mean(const double *values, size_t count)
{
	struct dp_estimate made = { .value = dp_stat__mean(values, count), .count = count };
	double squares = 0, wider = widening(values, count, made.value, false);

	for (size_t i = 0; i < count; i++)
		squares += square(values[i] - made.value);
	made.below = made.above = squares / ((double)count - 1) / (double)count * wider;
	made.freedom = freedom_of(count, wider);
	return made;
}

/* Student's quantile from the normal one (Abramowitz and Stegun 26.7.5). */
static double student(double z, double n)
{
	double z2 = z * z;

	return z + z * (z2 + 1) / (4 * n) + z * ((5 * z2 + 16) * z2 + 3) / (96 * n * n) +
	       z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n);
}

/* Welch and Satterthwaite's degrees of freedom. */
static double freedom_of_both(const struct dp_estimate estimate[2])
{
	double sum = 0, parts = 0;

	for (int run = 0; run < 2; run++) {
		double variance = (estimate[run].below + estimate[run].above) / 2;

		sum += variance;
		parts += square(variance) / estimate[run].freedom;
	}
	return parts > 0 ? square(sum) / parts : HUGE_VAL;
}

/* Of what is never below 0 but for rounding. */
static double root(double x)
{
	return sqrt(DP_MAX(x, 0));
}

/*
 * Limits of a / b: what has to be multiplied with b for the interval of the difference to begin, or
 * to end, with 0. One passes 1 where that of the difference passes 0.
 */
static void set_ratio(struct dp_difference *made, const struct dp_estimate *b,
		      const struct dp_estimate *a, double times)
{
	double product = a->value * b->value, most = square(times);
	/* The squares of how far a and b are off, to the side that counts. */
	double a_below = a->below * most, b_above = b->above * most;
	double a_above = a->above * most, b_below = b->below * most;
	double rest = square(a->value) - a_below;

	made->ratio_low = 0;
	if (rest > 0)
		made->ratio_low =
			rest /
			(product + root(square(product) - (square(b->value) - b_above) * rest));
	rest = square(b->value) - b_below;
	made->ratio_high = HUGE_VAL;
	if (rest > 0)
		made->ratio_high =
			(product + root(square(product) - rest * (square(a->value) - a_above))) /
			rest;
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
	double times;

	if (before->count < DP_DIFFERENCE_LEAST || after->count < DP_DIFFERENCE_LEAST ||
	    !isfinite(before->below + before->above + after->below + after->above))
		return made;
	times = student(deviations, freedom_of_both(estimate));
	made.low = made.change - times * sqrt(after->below + before->above);
	made.high = made.change + times * sqrt(after->above + before->below);
	if (before->value > 0 && after->value > 0)
		set_ratio(&made, before, after, times);
	return made;
}

bool dp_difference_is_sure(const struct dp_difference *difference)
{
	double least = LEAST_CHANGE * fabs(difference->value[0]);

	return (difference->low > 0 && difference->change >= least) ||
	       (difference->high < 0 && difference->change <= -least);
}
