/* Trends, outliers and warm-up: what is found, and what must not be. */
#include "stats/change.h"
#include "stats/trend.h"
#include "activity/warmup.h"
#include "test.h"

#include <math.h>
#include <string.h>

static uint32_t state = 1;

/* -1 to 1. */
static double noise(void)
{
	state = state * 1664525 + 1013904223;
	return (double)(state >> 8) / 8388608.0 - 1;
}

/* Nearly normal: of mean 0 and variance 1. */
static double normal(void)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += noise() / 2;
	return sum;
}

TEST(trends_are_found_in_noise)
{
	static double values[5000];
	struct dp_trend trend;

	for (size_t n = 20; n <= 5000; n *= 5) {
		for (size_t i = 0; i < n; i++)
			values[i] = 100 + 30 * (double)i / (double)n + 10 * noise();
		values[n / 3] = 1e6; /* wild ones change little */
		ck_assert(dp_trend__init(&trend, values, n));
		ck_assert_double_lt(trend.p, 0.01);
		ck_assert_double_eq_tol(trend.slope * (double)n, 30, 12);
	}
	for (size_t i = 0; i < 40; i++)
		values[i] = -(double)i;
	ck_assert(dp_trend__init(&trend, values, 40));
	ck_assert_double_eq_tol(trend.slope, -1, 1e-12);
	ck_assert_double_eq_tol(trend.median, -19.5, 1e-12);
	ck_assert_double_lt(trend.p, 1e-9);
	ck_assert(!dp_trend__init(&trend, values, 7));
}

/* Of a hundred series without a trend, about one seems to have one. */
TEST(no_trend_is_none)
{
	double values[50];
	struct dp_trend trend;
	size_t taken = 0;

	for (int round = 0; round < 1000; round++) {
		for (size_t i = 0; i < DP_COUNT(values); i++)
			values[i] = noise();
		ck_assert(dp_trend__init(&trend, values, DP_COUNT(values)));
		taken += trend.p < 0.01;
	}
	ck_assert_uint_lt(taken, 30);
	for (size_t i = 0; i < DP_COUNT(values); i++)
		values[i] = 5;
	ck_assert(dp_trend__init(&trend, values, DP_COUNT(values)));
	ck_assert_double_eq(trend.p, 1);
	ck_assert_double_eq(trend.slope, 0);
}

TEST(steps_are_found)
{
	static double values[5000];
	struct dp_change change;

	for (size_t n = 40; n <= 5000; n *= 5) {
		for (size_t i = 0; i < n; i++)
			values[i] = (i < n / 4 ? 100 : 120) + 8 * noise();
		values[n / 2] = 1e5; /* a wild one in a long block */
		ck_assert(dp_change__find(&change, values, n));
		ck_assert_double_eq_tol((double)change.at, (double)n / 4, (double)n / 40 + 1);
		ck_assert_double_eq_tol(change.before, 100, 4);
		ck_assert_double_eq_tol(change.after, 120, 4);
		for (size_t i = 0; i < n; i++)
			values[i] = -values[i];
		ck_assert(dp_change__find(&change, values, n));
		ck_assert_double_lt(change.after, change.before - 10);
	}
}

/* A small change of many values may weigh as much in ranks as a large one of few, which fits
 * better. */
TEST(large_steps_win)
{
	static double values[2250];
	struct dp_change change;

	for (size_t i = 0; i < DP_COUNT(values); i++)
		values[i] = (i < 900 ? 309 : i < 1999 ? 304 : 912) + 2 * noise();
	ck_assert(dp_change__find(&change, values, DP_COUNT(values)));
	ck_assert_uint_eq(change.at, 1999);
	ck_assert_double_eq_tol(change.after - change.before, 605, 5);
	for (size_t i = 0; i < DP_COUNT(values); i++)
		values[i] = -values[i];
	ck_assert(dp_change__find(&change, values, DP_COUNT(values)));
	ck_assert_uint_eq(change.at, 1999);
}

/* A step of a few values, which chance explains, may fit better, but hides none that is real. */
TEST(steps_of_chance_hide_none)
{
	double values[200];
	struct dp_change change;

	for (size_t i = 0; i < DP_COUNT(values); i++)
		values[i] = i < 98 ? 110 : i < 196 ? 100 : 1000;
	ck_assert(dp_change__find(&change, values, DP_COUNT(values)));
	ck_assert_uint_eq(change.at, 98);
	ck_assert_double_eq(change.after, 100);
}

/* Noise, a slope and a constant are no steps, nor are a few values at an end. */
TEST(no_step_is_none)
{
	double values[200];
	struct dp_change change;
	size_t taken = 0;

	for (int round = 0; round < 1000; round++) {
		for (size_t i = 0; i < DP_COUNT(values); i++)
			values[i] = noise();
		taken += dp_change__find(&change, values, DP_COUNT(values));
	}
	ck_assert_uint_lt(taken, 5);
	for (size_t i = 0; i < DP_COUNT(values); i++)
		values[i] = (double)i + 3 * noise();
	ck_assert(!dp_change__find(&change, values, DP_COUNT(values)));
	for (size_t i = 0; i < DP_COUNT(values); i++)
		values[i] = 5;
	ck_assert(!dp_change__find(&change, values, DP_COUNT(values)));
	values[198] = values[199] = 50;
	ck_assert(!dp_change__find(&change, values, DP_COUNT(values)));
	ck_assert(!dp_change__find(&change, values, 9));
}

/* A step between two levels is a jump; with a slope on both sides, or several steps, it is not. */
TEST(jumps_are_no_growth)
{
	static double values[5000];

	for (size_t n = 40; n <= 5000; n *= 5) {
		for (size_t i = 0; i < n; i++)
			values[i] = (i < n / 3 ? 100 : 150) + 8 * noise();
		ck_assert(dp_change__is_jump(values, n));
		/* and back */
		for (size_t i = n * 5 / 6; i < n; i++)
			values[i] = 100 + 8 * noise();
		ck_assert(dp_change__is_jump(values, n));
		for (size_t i = 0; i < n; i++)
			values[i] = (i < n / 3 ? 100 : 120) + 30 * (double)i / (double)n + noise();
		ck_assert(!dp_change__is_jump(values, n));
		for (size_t i = 0; i < n; i++)
			values[i] = 100 + 20 * (double)(4 * i / n) + noise();
		ck_assert(!dp_change__is_jump(values, n));
		for (size_t i = 0; i < n; i++)
			values[i] = 100 + 100 * pow((double)i / (double)n, 4) + noise();
		ck_assert(!dp_change__is_jump(values, n));
	}
	ck_assert(!dp_change__is_jump(values, 7));
}

TEST(outliers_have_their_limit)
{
	double values[] = { 100, 102, 98, 101, 99, 100, 180, 100 };
	double same[] = { 100, 100, 100, 100, 109, 100 };
	double groups[] = { 1076, 115, 1030, 118 }, twice[] = { 100, 300, 101, 302, 301 };
	double limit = dp_outlier__limit(values, DP_COUNT(values));

	ck_assert_double_eq(limit, 110);
	ck_assert_double_gt(dp_outlier__limit(same, DP_COUNT(same)), 109);
	limit = dp_outlier__limit(groups, DP_COUNT(groups));
	ck_assert(limit > 118 && limit < 1030);
	/* The larger group is the typical one. */
	ck_assert_double_gt(dp_outlier__limit(twice, DP_COUNT(twice)), 302);
	ck_assert(isnan(dp_outlier__limit(values, 3)));
}

/* Iterations with these periods, the last one open; how many are warm-up. */
static size_t warm(const double *period_ns, size_t count, size_t partial, size_t foreign)
{
	struct dp_iteration iterations[32];
	int64_t at_ns = 0, last_ns = count ? (int64_t)(0.9 * period_ns[count - 1]) : 0;
	size_t marked = 0;

	memset(iterations, 0, sizeof(iterations));
	for (size_t k = 0; k <= count; k++) {
		iterations[k].start_ns = at_ns;
		iterations[k].partial = k < partial;
		iterations[k].foreign_kernels = k == foreign;
		iterations[k].warmup = true;
		at_ns += k < count ? (int64_t)period_ns[k] : 0;
		iterations[k].end_ns = k < count ? at_ns : at_ns + last_ns;
	}
	ck_assert_int_eq(dp_warmup__mark(iterations, count + 1, NULL), DP_OK);
	for (size_t k = 0; k <= count; k++)
		marked += iterations[k].warmup;
	for (size_t k = partial; k < partial + marked; k++)
		ck_assert(iterations[k].warmup);
	return marked;
}

TEST(warmup_is_what_comes_first)
{
	static const double two[] = { 300, 200, 100, 101, 99, 100, 100, 102, 98, 100 };
	static const double none[] = { 100, 105, 100, 101, 99, 100, 300, 102, 98, 100 };
	/* Half of it: then neither half is the steady one. */
	static const double falls[] = { 900, 900, 901, 902, 900, 100, 100, 100, 100, 100 };
	static const double later[] = { 100, 300, 100, 101, 99, 100, 100, 102, 98, 100 };
	/* 5 MAD above the median of the second half is 445. */
	static const double scattered[] = { 300, 240, 250, 245, 240, 205, 285, 205, 245, 283 };

	ck_assert_uint_eq(warm(two, 10, 0, 99), 2);
	ck_assert_uint_eq(warm(two, 10, 1, 99), 1);
	ck_assert_uint_eq(warm(two, 10, 2, 99), 0);
	/* Other kernels make a period long, not slow. */
	ck_assert_uint_eq(warm(two, 10, 0, 2), 1);
	ck_assert_uint_eq(warm(none, 10, 0, 99), 0);
	ck_assert_uint_eq(warm(falls, 10, 0, 99), 0);
	ck_assert_uint_eq(warm(later, 10, 0, 99), 0);
	ck_assert_uint_eq(warm(scattered, 10, 0, 99), 0);
	ck_assert_uint_eq(warm(two, 3, 0, 99), 0);
	ck_assert_uint_eq(warm(two, 0, 0, 99), 0);
}

TEST(the_first_of_few_may_be_cold)
{
	static const double cold[] = { 1405, 841.5, 841.1, 840 };
	static const double slowing[] = { 547, 41, 32, 30 }, little[] = { 140, 101, 100, 102 };
	static const double later[] = { 100, 900, 100, 100 }, uneven[] = { 300, 200, 100, 150 };

	for (size_t count = 2; count <= 4; count++) {
		ck_assert_uint_eq(warm(cold, count, 0, 99), 1);
		ck_assert_uint_eq(warm(little, count, 0, 99), 0);
		ck_assert_uint_eq(warm(later, count, 0, 99), 0);
		ck_assert_uint_eq(warm(uneven, count, 0, 99), 0);
	}
	ck_assert_uint_eq(warm(slowing, 4, 0, 99), 1);
	/* Nothing to compare with: two iterations, or two that are whole, or interrupted. */
	ck_assert_uint_eq(warm(cold, 1, 0, 99), 0);
	ck_assert_uint_eq(warm(cold, 3, 1, 99), 0);
	ck_assert_uint_eq(warm(cold, 4, 0, 1), 0);
	ck_assert_uint_eq(warm(cold, 2, 0, 2), 0);
}

/* How many of 4,096 or fewer iterations are warm-up whose periods fall from 570 to 60 us. */
static size_t warm_in_trend(size_t count, double power, double first)
{
	struct dp_iteration *iterations = calloc(count, sizeof(*iterations));
	double at_ns = 0, part;
	size_t marked = 0;

	ck_assert_ptr_nonnull(iterations);
	for (size_t k = 0; k < count; k++) {
		iterations[k].start_ns = (int64_t)at_ns;
		part = 1 - (double)k / (double)count;
		at_ns += (k ? 1 : first) * (60e3 + 510e3 * pow(part, power));
		iterations[k].end_ns = (int64_t)at_ns;
	}
	ck_assert_int_eq(dp_warmup__mark(iterations, count, NULL), DP_OK);
	for (size_t k = 0; k < count; k++)
		marked += iterations[k].warmup;
	free(iterations);
	return marked;
}

TEST(a_trend_is_no_warmup)
{
	static const size_t counts[] = { 6, 10, 20, 60, 200, 4095 };
	/* Falling still after the first, which took a hundred times as long. */
	static const double loads[] = { 116.8, 1.96, 1.05, 1.22, 1.11, 1.04, 0.76, 0.72, 0.68 };
	static const double two[] = { 50, 40, 1.96, 1.05, 1.22, 1.11, 1.04, 0.76, 0.72, 0.68 };
	double periods_ns[DP_COUNT(two)];

	for (size_t i = 0; i < DP_COUNT(counts); i++)
		for (double power = 0.5; power <= 2; power *= 2) {
			ck_assert_uint_eq(warm_in_trend(counts[i], power, 1), 0);
			ck_assert_uint_eq(warm_in_trend(counts[i], power, 100), 1);
		}
	for (size_t k = 0; k < DP_COUNT(loads); k++)
		periods_ns[k] = 1e6 * loads[k];
	ck_assert_uint_eq(warm(periods_ns, DP_COUNT(loads), 0, 99), 1);
	for (size_t k = 0; k < DP_COUNT(two); k++)
		periods_ns[k] = 1e6 * two[k];
	ck_assert_uint_eq(warm(periods_ns, DP_COUNT(two), 0, 99), 2);
}

TEST(warmup_is_a_few_iterations)
{
	double periods_ns[31];

	for (size_t slow = 0; slow <= 9; slow++) {
		for (size_t k = 0; k < 31; k++)
			periods_ns[k] = k < slow ? 2e6 : 1e6 + 1e3 * (double)(k % 3);
		ck_assert_uint_eq(warm(periods_ns, 31, 0, 99), slow <= 5 ? slow : 0);
		ck_assert_uint_eq(warm(periods_ns, 11, 0, 99), slow <= 3 ? slow : 0);
	}
}

/* Of steady runs the first iteration stays, however few there are. */
TEST(few_steady_ones_stay)
{
	static const double spreads[] = { 0.02, 0.05, 0.1 };
	size_t marked[3] = { 0 };
	double periods_ns[4];

	state = 7;
	for (size_t run = 0; run < 30000; run++)
		for (size_t s = 0; s < DP_COUNT(spreads); s++) {
			for (size_t k = 0; k < 4; k++)
				periods_ns[k] = 1e6 * (1 + spreads[s] * normal());
			marked[s] += warm(periods_ns, 2 + run % 3, 0, 99);
		}
	ck_assert_uint_eq(marked[0], 0);
	ck_assert_uint_eq(marked[1], 0);
	/* One of 1,000 at most. */
	ck_assert_uint_le(marked[2], 30);
}
