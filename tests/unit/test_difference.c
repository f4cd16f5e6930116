/*
 * The difference of two samples: ranks, quantiles and Welch's interval against tables, and how
 * often the intervals contain the truth.
 */
#include "../sanitized.h"
#include "compare/difference.h"
#include "stats/shift.h"
#include "test.h"

#include <math.h>
#include <string.h>

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
	double copies[2][MOST], scratch[2][MOST];
	const struct dp_values both[2] = { { copies[0], scratch[0], n },
					   { copies[1], scratch[1], m } };

	memcpy(copies[0], a, n * sizeof(*a));
	memcpy(copies[1], b, m * sizeof(*b));
	return dp_difference__medians(both, 0.95);
}

static struct dp_difference means(const double *a, size_t n, const double *b, size_t m)
{
	const struct dp_estimate both[2] = { dp_estimate__mean(a, n), dp_estimate__mean(b, m) };

	return dp_difference__of(both, dp_normal__deviations(0.95));
}

/* How often the interval of two samples of the same kind contains the true difference, 0. */
static double coverage(enum family family, size_t n, size_t m, bool of_medians)
{
	enum { TURNS = 1000 };
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

/* sanitizers are slow and know nothing of shares: up to 20 values */
TEST_LOOP(intervals_hold_the_truth, DP_SANITIZED ? 12 : 24)
{
	static const size_t counts[] = { 5, 8, 20, 30, 50, 400 };
	static const enum family families[] = { NORMAL, EXPONENTIAL, OUTLIERS, TWO_KINDS };
	size_t f = (size_t)_i % DP_COUNT(families), i = (size_t)_i / DP_COUNT(families);
	double held = coverage(families[f], counts[i], counts[i], true);

	/*
	 * No narrower than stated and not much wider: .968 with 5 values, .95 with many. A thousand
	 * pairs determine it to .007.
	 */
	ck_assert_double_ge(held, 0.935);
	ck_assert_double_le(held, 0.98);
	if (f)
		return;
	ck_assert_double_ge(coverage(EXPONENTIAL, 10, counts[i], true), 0.935);
	held = coverage(NORMAL, counts[i], counts[i], false);
	ck_assert_double_ge(held, 0.935);
	ck_assert_double_le(held, 0.98);
}

/*
 * A run that scatters six times as much as the other: ignoring that would give .89 to .90; 20 values
 * against 5 that scatter had .81.
 */
TEST(spreads_may_differ)
{
	static const size_t counts[][2] = { { 12, 12 }, { 30, 30 }, { 60, 60 },
					    { 20, 5 },	{ 40, 10 }, { 60, 15 } };
	enum { TURNS = 1500 };
	double a[60], b[60];

	for (size_t i = 0; i < DP_COUNT(counts); i++) {
		int held = 0;

		seed = 17 + i;
		for (int turn = 0; turn < TURNS; turn++) {
			struct dp_difference at;

			for (size_t k = 0; k < counts[i][0]; k++)
				a[k] = 100 + normal();
			for (size_t k = 0; k < counts[i][1]; k++)
				b[k] = 100 + 6 * normal();
			at = medians(a, counts[i][0], b, counts[i][1]);
			held += at.low <= 0 && at.high >= 0;
		}
		ck_assert_int_ge(held, TURNS * 94 / 100);
	}
}

/* Equal values, and those whose median is between two kinds, may be determined better. */
TEST_LOOP(medians_between_two_kinds, !DP_SANITIZED)
{
	static const size_t counts[] = { 5, 8, 19, 20, 60, 61 };

	for (size_t i = 0; i < DP_COUNT(counts); i++) {
		ck_assert_double_ge(coverage(TAKING_TURNS, counts[i], counts[i], true), 0.94);
		ck_assert_double_ge(coverage(COARSE, counts[i], counts[i], true), 0.94);
	}
}

/*
 * U's critical values of tables: at 5%, two-sided, values up to it reject; the limit is the next.
 */
TEST(ranks_are_those_of_tables)
{
	static const struct {
		size_t n, m, critical;
	} table[] = { { 4, 4, 0 },    { 5, 5, 2 },   { 6, 6, 5 },    { 7, 7, 8 },    { 8, 8, 13 },
		      { 10, 10, 23 }, { 5, 12, 11 }, { 15, 20, 90 }, { 20, 20, 127 } };
	const double deviations = dp_normal__deviations(0.95);

	for (size_t i = 0; i < DP_COUNT(table); i++) {
		struct dp_shift_sample sample[2] = { { NULL, table[i].n, 1 },
						     { NULL, table[i].m, 1 } };

		ck_assert_uint_eq(dp_shift__rank(sample, 0.95, deviations), table[i].critical + 1);
		sample[0] = (struct dp_shift_sample){ NULL, table[i].m, 1 };
		sample[1] = (struct dp_shift_sample){ NULL, table[i].n, 1 };
		ck_assert_uint_eq(dp_shift__rank(sample, 0.95, deviations), table[i].critical + 1);
	}
	/* Beyond exact counting, the normal approximation is used. */
	for (size_t n = 60; n < 70; n++) {
		const struct dp_shift_sample sample[2] = { { NULL, n, 1 }, { NULL, n, 1 } };
		double rank = (double)dp_shift__rank(sample, 0.95, deviations);
		double pairs = (double)(n * n);

		ck_assert_double_eq_tol(
			rank, pairs / 2 - deviations * sqrt(pairs * (2.0 * (double)n + 1) / 12),
			1.5);
	}
	ck_assert_uint_eq(dp_difference__least(0.95), 4);
	ck_assert_uint_eq(dp_difference__least(0.99), 5);
	ck_assert_uint_eq(dp_difference__least(0.999), 7);
}

/* All sorted differences of two values: the limits are among them, and never outside. */
TEST(limits_are_differences_of_values)
{
	const double a[] = { 12, 10, 11, 14 }, b[] = { 21, 19.5, 24, 20, 22 };
	struct dp_difference at = medians(a, 4, b, 5);

	/* The second of twenty at either end. */
	ck_assert_double_eq(at.low, 20 - 14);
	ck_assert_double_eq(at.high, 24 - 11);
	ck_assert_double_eq(at.change, 21 - 11.5);
	ck_assert_double_eq(at.ratio_low, 20.0 / 14);
	ck_assert_double_eq(at.ratio_high, 22.0 / 10);
	ck_assert(dp_difference_is_significant(&at));
}

/* Four against four are enough where they do not overlap, whatever their order and scatter. */
TEST(few_that_do_not_overlap_differ)
{
	const double a[] = { 176, 180, 168, 179 }, b[] = { 161, 128, 124, 139 },
		     c[] = { 161, 128, 124, 169 };
	struct dp_difference at = medians(a, 4, b, 4);

	ck_assert(dp_difference_is_significant(&at));
	ck_assert_double_eq(at.low, 124 - 180);
	ck_assert_double_eq(at.high, 161 - 168);
	at = medians(a, 4, c, 4);
	ck_assert(!dp_difference_is_significant(&at));
}

/*
 * A tenth more and 2% more at 3% noise: how many of 1,500 pairs are called? No unbiased test of 50
 * against 50 normal values calls more than 91.5% of the latter (Neyman and Pearson's lemma, with a
 * known variance), and 95% take 59. Of equal pairs few are called, and hardly any is beyond 2%.
 */
TEST_LOOP(power_and_false_alarms, 6)
{
	static const struct {
		size_t count;
		double more; /* in units of the noise, 3 of 100 */
		double least, most;
	} cases[] = { { 6, 10, .95, 1 },   { 50, 2, .88, .915 }, { 4, 0, .02, .045 },
		      { 6, 0, .025, .06 }, { 20, 0, .03, .06 },	 { 50, 0, .03, .06 } };
	enum { TURNS = 1500 };
	double a[50], b[50];
	int called = 0, beyond = 0;

	seed = 11 + (uint64_t)_i;
	for (int turn = 0; turn < TURNS; turn++) {
		struct dp_difference at;

		draw(a, cases[_i].count, NORMAL);
		draw(b, cases[_i].count, NORMAL);
		for (size_t i = 0; i < cases[_i].count; i++)
			b[i] += cases[_i].more;
		at = medians(a, cases[_i].count, b, cases[_i].count);
		called += at.low > 0 || at.high < 0;
		beyond += at.ratio_low > 1.02;
	}
	ck_assert_int_ge(called, (int)(cases[_i].least * TURNS));
	ck_assert_int_le(called, (int)(cases[_i].most * TURNS));
	if (!(cases[_i].more > 0))
		ck_assert_int_lt(beyond, TURNS / 100);
}

/* 10% more is detected in values that scatter by 3%. */
TEST(changes_are_seen)
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
		seen += dp_difference_is_significant(&at);
		wrong += (at.low > 0) != (at.ratio_low > 1);
	}
	ck_assert_int_ge(seen, TURNS * 95 / 100);
	ck_assert_int_eq(wrong, 0);
}

/* Values that resemble their predecessors: without the widening, coverage is .6. */
TEST(neighbours_say_less)
{
	static const size_t counts[] = { 30, 50, 150 };

	for (size_t i = 0; i < DP_COUNT(counts); i++) {
		double held = coverage(DRIFTING, counts[i], counts[i], true);

		ck_assert_double_ge(held, 0.93);
		ck_assert_double_le(held, 0.975);
		ck_assert_double_ge(coverage(DRIFTING, counts[i], counts[i], false), 0.93);
	}
}

TEST(quantiles_are_those_of_tables)
{
	ck_assert_double_eq_tol(dp_normal__deviations(0.9), 1.6448536, 1e-7);
	ck_assert_double_eq_tol(dp_normal__deviations(0.95), 1.9599640, 1e-7);
	ck_assert_double_eq_tol(dp_normal__deviations(0.99), 2.5758293, 1e-7);
}

/* Student's distribution: samples of one variance have n + m - 2 degrees of freedom. */
TEST(means_have_welchs_interval)
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

TEST(units_and_order_do_not_matter)
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
	ck_assert_double_eq_tol(other.low, at.low * 1e6, 1e-3);
	ck_assert_double_eq_tol(other.high, at.high * 1e6, 1e-3);
	ck_assert_double_eq_tol(other.ratio_low, at.ratio_low, 1e-9);
	other = medians(b, 40, a, 30);
	ck_assert_double_eq_tol(other.low, -at.high, 1e-9);
	ck_assert_double_eq_tol(other.ratio_low, 1 / at.ratio_high, 1e-9);
	ck_assert_uint_eq(other.count[0], 40);
	ck_assert_uint_eq(other.count[1], 30);
}

TEST(equal_values_have_no_doubt)
{
	double a[6] = { 5, 5, 5, 5, 5, 5 }, b[6] = { 6, 6, 6, 6, 6, 6 };
	struct dp_difference at = medians(a, 6, a, 6);

	ck_assert_double_eq(at.change, 0);
	ck_assert_double_eq(at.low, 0);
	ck_assert_double_eq(at.high, 0);
	ck_assert(!dp_difference_is_significant(&at));
	at = medians(a, 6, b, 6);
	ck_assert_double_eq(at.low, 1);
	ck_assert_double_eq_tol(at.ratio_high, 1.2, 1e-12);
	ck_assert(dp_difference_is_significant(&at));
	at = means(b, 6, a, 6);
	ck_assert_double_eq(at.high, -1);
	ck_assert(dp_difference_is_significant(&at));
}

/* Three values are too few, and a small change is not reported, however certain. */
TEST(little_is_not_sure)
{
	double a[6] = { 5, 5, 5, 5, 5, 5 }, b[6] = { 9, 9, 9, 9, 9, 9 }, c[6], zero[6] = { 0 };
	struct dp_difference at = medians(a, 6, b, 3);

	ck_assert_double_eq(at.change, 4);
	ck_assert_double_nan(at.low);
	ck_assert_double_nan(at.ratio_high);
	ck_assert(!dp_difference_is_significant(&at));
	at = medians(a, 6, b, 0);
	ck_assert_double_nan(at.change);
	for (size_t i = 0; i < 6; i++)
		c[i] = 5.04;
	at = medians(a, 6, c, 6);
	ck_assert_double_gt(at.low, 0);
	ck_assert(!dp_difference_is_significant(&at));
	at = medians(zero, 6, zero, 6);
	ck_assert_double_eq(at.high, 0);
	at = medians(zero, 6, c, 6);
	ck_assert_double_nan(at.ratio_low);
	ck_assert(dp_difference_is_significant(&at));
}

/* Of many values one of each block is compared: the interval is as wide as theirs is. */
TEST(thousands_are_thinned)
{
	enum { MANY = 50000 };
	struct dp_values both[2];
	struct dp_difference at;

	seed = 5;
	for (int run = 0; run < 2; run++) {
		double *values = calloc(MANY, sizeof(*values));

		ck_assert_ptr_nonnull(values);
		/* Each hundredth is another kind, which blocks must not all meet or miss. */
		for (size_t i = 0; i < MANY; i++)
			values[i] = 100 + 3 * normal() + (i % 100 ? 0 : 50) + 2 * run;
		both[run] = (struct dp_values){ values, calloc(MANY, sizeof(double)), MANY };
		ck_assert_ptr_nonnull(both[run].scratch);
	}
	at = dp_difference__medians(both, 0.95);
	ck_assert_uint_eq(at.count[0], MANY);
	ck_assert_double_eq_tol(at.change, 2, 0.1);
	ck_assert_double_gt(at.low, 1.5);
	ck_assert_double_lt(at.high, 2.5);
	for (int run = 0; run < 2; run++) {
		free(both[run].values);
		free(both[run].scratch);
	}
}
