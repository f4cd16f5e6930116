/*
 * Medians are compared by ranks (shift.c), more carefully if one run scatters more; means by
 * Welch's interval, and their ratio with limits by Donner and Zou, "Closed-form confidence
 * intervals for functions of the normal mean and standard deviation" (2012). If the autocorrelation
 * r is significant, both are widened like the variance of a mean under autocorrelation that decays
 * from one value to the next (an AR(1) process): by (1 + r) / (1 - r). Widening for every r above 0
 * would hide 4 in 100 of the differences between independent values, and give 30 of them intervals
 * of 98%.
 */
#include "compare/difference.h"
#include "base/search.h"
#include "stats/shift.h"
#include "stats/stat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A smaller change, as a share of the value, is not reported, however certain. */
#define LEAST_CHANGE 0.01

/* Above this, values are so dependent that widening is not enough. */
#define MOST_CORRELATION 0.95

/* With fewer values, r is off by a fifth or more: intervals would be wide by chance. */
#define CORRELATED_LEAST 30

/*
 * The r of n independent values has a standard deviation of 1 / sqrt(n); one in twenty exceeds this
 * many.
 */
#define CORRELATED_DEVIATIONS 1.645

/*
 * Of more values, one of each block is compared: 2,048 values determine a median to a fortieth of
 * their standard deviation.
 */
#define VALUES_MOST 2048

#define LEAST_FREEDOM 2

/* With fewer values, spreads are too uncertain to be compared. */
#define SPREAD_LEAST 10

/* From this ratio of the numbers of values, a wrong variance costs more than an uncertain one. */
#define UNEVEN 2

static const double third_of_half_pi = 0.52359877559829887308;

/*
 * The widening, from the sums of products of adjacent deviations and of their squares. A few values
 * underestimate r (Kendall 1954).
 */
static double widening_of(double r, size_t count)
{
	r += (1 + 3 * r) / (double)count;
	if (r < CORRELATED_DEVIATIONS / sqrt((double)count))
		return 1;
	r = DP_MIN(r, MOST_CORRELATION);
	return (1 + r) / (1 - r);
}

double dp_estimate__widening(const double *values, size_t count)
{
	double products = 0, squares = 0, mean = dp_stat__mean(values, count);

	if (count < CORRELATED_LEAST)
		return 1;
	for (size_t i = 0; i < count; i++) {
		squares += (values[i] - mean) * (values[i] - mean);
		if (i + 1 < count)
			products += (values[i] - mean) * (values[i + 1] - mean);
	}
	return squares > 0 ? widening_of(products / squares, count) : 1;
}

/* The number of sorted values below a value or, if or_equal, not above it. */
static size_t count_below(const double *sorted, size_t count, double value, bool or_equal)
{
	size_t at;

	DP_FIND(at, 0, count, !(sorted[at] < value || (or_equal && sorted[at] <= value)));
	return at;
}

/* Twice the distance of a value's rank from the middle rank. */
static double rank_of(const double *sorted, size_t count, double value)
{
	return (double)(count_below(sorted, count, value, false) +
			count_below(sorted, count, value, true)) -
	       (double)count;
}

/* The same for ranks: the r of a normal process whose ranks have this correlation. */
static double rank_widening(const double *values, const double *sorted, size_t count)
{
	double products = 0, squares = 0, last = 0;

	if (count < CORRELATED_LEAST)
		return 1;
	for (size_t i = 0; i < count; i++) {
		double rank = rank_of(sorted, count, values[i]);

		squares += rank * rank;
		products += rank * last;
		last = rank;
	}
	return squares > 0 ? widening_of(2 * sin(third_of_half_pi * products / squares), count) : 1;
}

/* The variance of one sample's placements in the other one, which is shifted. */
static double place_variance(const struct dp_shift_sample *of, const struct dp_shift_sample *in,
			     double shift)
{
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < of->count; i++) {
		double place = rank_of(in->sorted, in->count, of->sorted[i] + shift) /
			       (2 * (double)in->count);

		sum += place;
		squares += place * place;
	}
	mean = sum / (double)of->count;
	return squares / (double)of->count - mean * mean;
}

static double square(double x)
{
	return x * x;
}

/* Student's quantile from the normal one (Abramowitz and Stegun 26.7.5). */
static double student(double z, double n)
{
	double z2 = z * z;

	return z + z * (z2 + 1) / (4 * n) + z * ((5 * z2 + 16) * z2 + 3) / (96 * n * n) +
	       z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n);
}

/*
 * By how much the variance of Mann and Whitney's statistic exceeds that of samples with the same
 * shape, estimated from their placements in each other (Brunner and Munzel 2000). At least 1, as
 * samples of the same shape may show less by chance. Between samples of about the same size it is
 * up to half more, which fewer than SPREAD_LEAST values cannot show; if the smaller one scatters
 * more, it is several times as much: then the estimate counts as one of few values, as in Welch's
 * test.
 */
static double spread_widening(const struct dp_shift_sample sample[2], double shift,
			      double deviations)
{
	const struct dp_shift_sample *a = &sample[0], *b = &sample[1];
	double n = (double)a->count, m = (double)b->count, of_a, of_b, wider, freedom;
	size_t least = DP_MIN(a->count, b->count);
	bool uneven = DP_MAX(a->count, b->count) >= UNEVEN * least;

	if (least < (uneven ? DP_DIFFERENCE_LEAST : SPREAD_LEAST))
		return 1;
	of_a = place_variance(a, b, shift) / n;
	of_b = place_variance(b, a, -shift) / m;
	wider = 12 * (of_a + of_b) / (1 / n + 1 / m);
	if (!uneven || !(wider > 1))
		return DP_MAX(1, wider);
	freedom = square(of_a + of_b) / (square(of_a) / (n - 1) + square(of_b) / (m - 1));
	return wider * square(student(deviations, freedom) / deviations);
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Keeps one value of each of VALUES_MOST blocks, at positions that are in step with no period of
 * the program.
 */
static size_t thin(double *values, size_t count)
{
	uint64_t state = 1;
	size_t begin = 0;

	if (count <= VALUES_MOST)
		return count;
	for (size_t i = 0; i < VALUES_MOST; i++) {
		size_t end = begin + (count - begin) / (VALUES_MOST - i);

		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		values[i] = values[begin + (size_t)(state >> 33) % (end - begin)];
		begin = end;
	}
	return VALUES_MOST;
}

/*
 * Extends an interval to include the estimate: the difference of medians may be outside that of the
 * shift.
 */
static void hold(double *low, double *high, double value)
{
	*low = DP_MIN(*low, value);
	*high = DP_MAX(*high, value);
}

struct dp_difference dp_difference__medians(const struct dp_values values[2], double confidence)
{
	struct dp_shift_sample sample[2];
	struct dp_difference made;
	double deviations = dp_normal__deviations(confidence), limits[2];
	double wider;
	size_t rank;

	for (int run = 0; run < 2; run++) {
		const struct dp_values *at = &values[run];
		size_t count = at->count;

		memcpy(at->scratch, at->values, count * sizeof(*at->values));
		made.value[run] = count ? dp_stat__median(at->scratch, count) : (double)NAN;
		made.count[run] = count;
		count = thin(at->values, count);
		memcpy(at->scratch, at->values, count * sizeof(*at->values));
		qsort(at->scratch, count, sizeof(*at->scratch), ascending);
		sample[run] =
			(struct dp_shift_sample){ at->scratch, count,
						  rank_widening(at->values, at->scratch, count) };
	}
	made.change = made.value[1] - made.value[0];
	made.low = made.high = made.ratio_low = made.ratio_high = (double)NAN;
	wider = spread_widening(sample, made.change, deviations);
	sample[0].widening *= wider;
	sample[1].widening *= wider;
	rank = dp_shift__rank(sample, confidence, deviations);
	if (DP_MIN(made.count[0], made.count[1]) < DP_DIFFERENCE_LEAST || !rank)
		return made;
	dp_shift__limits(sample, rank, limits);
	made.low = limits[0];
	made.high = limits[1];
	hold(&made.low, &made.high, made.change);
	if (!(made.value[0] > 0 && made.value[1] > 0 && sample[0].sorted[0] >= 0 &&
	      sample[1].sorted[0] >= 0))
		return made;
	dp_shift__ratios(sample, rank, limits);
	made.ratio_low = limits[0];
	made.ratio_high = limits[1];
	hold(&made.ratio_low, &made.ratio_high, made.value[1] / made.value[0]);
	return made;
}

size_t dp_difference__least(double confidence)
{
	size_t count = DP_DIFFERENCE_LEAST;
	double deviations = dp_normal__deviations(confidence);

	for (;; count++) {
		const struct dp_shift_sample sample[2] = { { NULL, count, 1 }, { NULL, count, 1 } };

		if (dp_shift__rank(sample, confidence, deviations))
			return count;
	}
}

/* The normal quantile with probability p above it, p below one half, by bisection. */
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

/* The degrees of freedom of n values that are worth n / wider independent ones. */
static double freedom_of(size_t count, double wider)
{
	return DP_MAX((double)count / wider - 1, LEAST_FREEDOM);
}

struct dp_estimate dp_estimate__mean(const double *values, size_t count)
{
	struct dp_estimate made = { .value = dp_stat__mean(values, count),
				    .least = dp_stat__min(values, count),
				    .most = dp_stat__max(values, count),
				    .count = count };
	double squares = 0, wider = dp_estimate__widening(values, count);

	for (size_t i = 0; i < count; i++)
		squares += square(values[i] - made.value);
	made.variance = squares / ((double)count - 1) / (double)count * wider;
	made.freedom = freedom_of(count, wider);
	return made;
}

/* Welch and Satterthwaite's degrees of freedom. */
static double freedom_of_both(const struct dp_estimate estimate[2])
{
	double sum = 0, parts = 0;

	for (int run = 0; run < 2; run++) {
		sum += estimate[run].variance;
		parts += square(estimate[run].variance) / estimate[run].freedom;
	}
	return parts > 0 ? square(sum) / parts : HUGE_VAL;
}

/* The square root of a value that only rounding makes negative. */
static double root(double x)
{
	return sqrt(DP_MAX(x, 0));
}

/*
 * Limits of a / b: the factors of b with which the interval of the difference begins, or ends, at
 * 0. One passes 1 exactly when that of the difference passes 0.
 */
static void set_ratio(struct dp_difference *made, const struct dp_estimate *b,
		      const struct dp_estimate *a, double times)
{
	double product = a->value * b->value;
	double rest_a = square(a->value) - a->variance * square(times);
	double rest_b = square(b->value) - b->variance * square(times);
	double apart = root(square(product) - rest_a * rest_b);

	made->ratio_low = rest_a > 0 ? rest_a / (product + apart) : 0;
	made->ratio_high = rest_b > 0 ? (product + apart) / rest_b : HUGE_VAL;
	if (b->most > 0)
		made->ratio_low = DP_MAX(made->ratio_low, a->least / b->most);
	if (b->least > 0)
		made->ratio_high = DP_MIN(made->ratio_high, a->most / b->least);
	hold(&made->ratio_low, &made->ratio_high, a->value / b->value);
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
	double times, wide;

	if (before->count < DP_DIFFERENCE_LEAST || after->count < DP_DIFFERENCE_LEAST ||
	    !isfinite(before->variance + after->variance))
		return made;
	times = student(deviations, freedom_of_both(estimate));
	wide = times * sqrt(after->variance + before->variance);
	made.low = DP_MAX(made.change - wide, after->least - before->most);
	made.high = DP_MIN(made.change + wide, after->most - before->least);
	hold(&made.low, &made.high, made.change);
	if (before->value > 0 && after->value > 0)
		set_ratio(&made, before, after, times);
	return made;
}

bool dp_difference_is_significant(const struct dp_difference *difference)
{
	double least = LEAST_CHANGE * fabs(difference->value[0]);

	return (difference->low > 0 && difference->change >= least) ||
	       (difference->high < 0 && difference->change <= -least);
}
