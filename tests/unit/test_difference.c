/*
 * How much two samples differ: quantiles and Welch's interval against tables, and how often the
 * intervals hold the truth.
 */
#include "compare/difference.h"

#include <check.h>
#include <math.h>

#define MOST 400

static uint64_t seed;

/* Uniform, above 0 and below 1. */
static double uniform(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ((double)(seed >> 12) + 0.5) / 0x1p52;
}

/* Box and Muller. */
static double normal(void)
{
	double radius = sqrt(-2 * log(uniform()));

	return radius * cos(2 * 3.14159265358979 * uniform());
}

enum family { NORMAL, EXPONENTIAL, OUTLIERS, DRIFTING, TWO_KINDS, TAKING_TURNS, COARSE };

static void draw(double *values, size_t count, enum family family)
{
	size_t turn = uniform() < 0.5;
	double last = normal();

	for (size_t i = 0; i < count; i++) {
		switch (family) {
		case TWO_KINDS:
			values[i] = (uniform() < 0.5 ? 12 : 24) + 0.1 * normal();
			break;
		case TAKING_TURNS:
			values[i] = ((i + turn) % 2 ? 12 : 24) + 0.1 * normal();
			break;
		case COARSE:
			values[i] = uniform() < 0.5 ? 10 : 11;
			break;
		case NORMAL:
			values[i] = 100 + 3 * normal();
			break;
		case EXPONENTIAL:
			values[i] = 100 - 5 * log(uniform());
			break;
		case OUTLIERS:
			values[i] = 100 + normal() + (uniform() < 0.1 ? 60 : 0);
			break;
		case DRIFTING:
			last = 0.7 * last + sqrt(1 - 0.49) * normal();
			values[i] = 100 + last;
			break;
		}
	}
}

static struct dp_difference medians(const double *a, size_t n, const double *b, size_t m)
{
	double scratch[MOST];
	const struct dp_estimate both[2] = { dp_estimate__median(a, scratch, n),
					     dp_estimate__median(b, scratch, m) };

	return dp_difference__of(both, dp_normal__deviations(0.95));
}

static struct dp_difference means(const double *a, size_t n, const double *b, size_t m)
{
	const struct dp_estimate both[2] = { dp_estimate__mean(a, n), dp_estimate__mean(b, m) };

	return dp_difference__of(both, dp_normal__deviations(0.95));
}

/* How often the interval of two samples of the same kind holds the difference that there is: 0. */
static double coverage(enum family family, size_t n, size_t m, bool of_medians)
{
	enum { TURNS = 2000 };
	double a[MOST], b[MOST];
	int held = 0;

	seed = (uint64_t)family * 1000 + n;
	for (int turn = 0; turn < TURNS; turn++) {
		struct dp_difference at;

		draw(a, n, family);
		draw(b, m, family);
		at = of_medians ? medians(a, n, b, m) : means(a, n, b, m);
		held += at.low <= 0 && at.high >= 0;
	}
	return (double)held / TURNS;
}

START_TEST(intervals_hold_the_truth)
{
	static const size_t counts[] = { 5, 8, 20, 50, 200, MOST };
	static const enum family families[] = { NORMAL, EXPONENTIAL, OUTLIERS };

	for (size_t f = 0; f < DP_COUNT(families); f++) {
		for (size_t i = 0; i < DP_COUNT(counts); i++) {
			double held = coverage(families[f], counts[i], counts[i], true);

			/* No narrower than it says, and not so wide that nothing is ever sure. */
			ck_assert_double_ge(held, 0.94);
			ck_assert_double_le(held, 0.999);
		}
		ck_assert_double_ge(coverage(families[f], 10, 40, true), 0.94);
	}
	for (size_t i = 0; i < DP_COUNT(counts); i++) {
		double held = coverage(NORMAL, counts[i], counts[i], false);

		ck_assert_double_ge(held, 0.94);
		ck_assert_double_le(held, 0.98);
	}
}
END_TEST

/* A median between two kinds of values may be with either: no interval of one width does there. */
START_TEST(medians_between_two_kinds)
{
	static const size_t counts[] = { 5, 8, 19, 20, 60, 61, 300 };

	for (size_t i = 0; i < DP_COUNT(counts); i++) {
		ck_assert_double_ge(coverage(TWO_KINDS, counts[i], counts[i], true), 0.94);
		ck_assert_double_ge(coverage(TAKING_TURNS, counts[i], counts[i], true), 0.94);
		ck_assert_double_ge(coverage(COARSE, counts[i], counts[i], true), 0.94);
	}
}
END_TEST

/* A tenth more is seen all the same, of values that scatter by 3%. */
START_TEST(changes_are_seen)
{
	enum { TURNS = 500 };
	double a[20], b[20];
	int seen = 0, wrong = 0;

	seed = 11;
	for (int turn = 0; turn < TURNS; turn++) {
		struct dp_difference at;

		draw(a, 20, NORMAL);
		draw(b, 20, NORMAL);
		for (size_t i = 0; i < 20; i++)
			b[i] += 10;
		at = medians(a, 20, b, 20);
		seen += dp_difference_is_sure(&at);
		wrong += (at.low > 0) != (at.ratio_low > 1);
	}
	ck_assert_int_ge(seen, TURNS * 95 / 100);
	ck_assert_int_eq(wrong, 0);
}
END_TEST

/* Values that resemble the ones before them: without the widening it is 0.66. */
START_TEST(neighbours_say_less)
{
	ck_assert_double_ge(coverage(DRIFTING, 50, 50, true), 0.92);
	ck_assert_double_ge(coverage(DRIFTING, 200, 200, true), 0.94);
	ck_assert_double_ge(coverage(DRIFTING, 200, 200, false), 0.92);
}
END_TEST

START_TEST(quantiles_are_those_of_tables)
{
	ck_assert_double_eq_tol(dp_normal__deviations(0.9), 1.6448536, 1e-7);
	ck_assert_double_eq_tol(dp_normal__deviations(0.95), 1.9599640, 1e-7);
	ck_assert_double_eq_tol(dp_normal__deviations(0.99), 2.5758293, 1e-7);
}
END_TEST

/* Student's distribution: samples of one variance have n + m - 2 degrees of freedom. */
START_TEST(means_have_welchs_interval)
{
	static const struct {
		size_t count;
		double quantile;
	} table[] = { { 4, 2.446912 }, { 6, 2.228139 }, { 16, 2.042272 }, { 61, 1.979930 } };
	double a[MOST], b[MOST];

	for (size_t t = 0; t < DP_COUNT(table); t++) {
		double n = (double)table[t].count, squares = 0, error;
		struct dp_difference at;

		/* In this order a neighbour is never like the one before. */
		for (size_t i = 0; i < table[t].count; i++) {
			a[i] = 10 + (i % 2 ? 1.0 : -1.0) * (double)(i / 2 + 1);
			b[i] = a[i] + 5;
		}
		for (size_t i = 0; i < table[t].count; i++)
			squares += (a[i] - dp_estimate__mean(a, table[t].count).value) *
				   (a[i] - dp_estimate__mean(a, table[t].count).value);
		error = sqrt(2 * squares / (n - 1) / n);
		at = means(a, table[t].count, b, table[t].count);
		ck_assert_double_eq_tol(at.change, 5, 1e-12);
		ck_assert_double_eq_tol((at.high - at.change) / error, table[t].quantile, 6e-3);
	}
}
END_TEST

START_TEST(units_and_order_do_not_matter)
{
	double a[30], b[40], scaled[2][40];
	struct dp_difference at, other;

	seed = 7;
	draw(a, 30, NORMAL);
	draw(b, 40, EXPONENTIAL);
	for (size_t i = 0; i < 40; i++) {
		scaled[0][i] = i < 30 ? a[i] * 1e6 : 0;
		scaled[1][i] = b[i] * 1e6;
	}
	at = medians(a, 30, b, 40);
	other = medians(scaled[0], 30, scaled[1], 40);
	ck_assert_double_eq_tol(other.low, at.low * 1e6, 1);
	ck_assert_double_eq_tol(other.high, at.high * 1e6, 1);
	ck_assert_double_eq_tol(other.ratio_low, at.ratio_low, 1e-9);
	other = medians(b, 40, a, 30);
	ck_assert_double_eq_tol(other.low, -at.high, 1e-9);
	ck_assert_double_eq_tol(other.ratio_low, 1 / at.ratio_high, 1e-9);
	ck_assert_uint_eq(other.count[0], 40);
	ck_assert_uint_eq(other.count[1], 30);
}
END_TEST

START_TEST(equal_values_have_no_doubt)
{
	double a[6] = { 5, 5, 5, 5, 5, 5 }, b[6] = { 6, 6, 6, 6, 6, 6 };
	struct dp_difference at = medians(a, 6, a, 6);

	ck_assert_double_eq(at.change, 0);
	ck_assert_double_eq(at.low, 0);
	ck_assert_double_eq(at.high, 0);
	ck_assert(!dp_difference_is_sure(&at));
	at = medians(a, 6, b, 6);
	ck_assert_double_eq(at.low, 1);
	ck_assert_double_eq_tol(at.ratio_high, 1.2, 1e-12);
	ck_assert(dp_difference_is_sure(&at));
	at = means(b, 6, a, 6);
	ck_assert_double_eq(at.high, -1);
	ck_assert(dp_difference_is_sure(&at));
}
END_TEST

/* Three values are too few, and a change that is small is none, however sure. */
START_TEST(little_is_not_sure)
{
	double a[6] = { 5, 5, 5, 5, 5, 5 }, b[6] = { 9, 9, 9, 9, 9, 9 }, c[6], zero[6] = { 0 };
	struct dp_difference at = medians(a, 6, b, 3);

	ck_assert_double_eq(at.change, 4);
	ck_assert_double_nan(at.low);
	ck_assert_double_nan(at.ratio_high);
	ck_assert(!dp_difference_is_sure(&at));
	at = medians(a, 6, b, 0);
	ck_assert_double_nan(at.change);
	for (size_t i = 0; i < 6; i++)
		c[i] = 5.04;
	at = medians(a, 6, c, 6);
	ck_assert_double_gt(at.low, 0);
	ck_assert(!dp_difference_is_sure(&at));
	at = medians(zero, 6, c, 6);
	ck_assert_double_nan(at.ratio_low);
	ck_assert(dp_difference_is_sure(&at));
}
END_TEST

static void fill(TCase *tests)
{
	tcase_add_test(tests, intervals_hold_the_truth);
	tcase_add_test(tests, medians_between_two_kinds);
	tcase_add_test(tests, changes_are_seen);
	tcase_add_test(tests, neighbours_say_less);
	tcase_add_test(tests, quantiles_are_those_of_tables);
	tcase_add_test(tests, means_have_welchs_interval);
	tcase_add_test(tests, units_and_order_do_not_matter);
	tcase_add_test(tests, equal_values_have_no_doubt);
	tcase_add_test(tests, little_is_not_sure);
}

#include "test_main.h"
