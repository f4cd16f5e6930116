/* CUPTI's times on the monotonic clock, where CUPTI's runs apart from it, and where it is set. */
#include "record/clock.h"
#include "test.h"

#define SECOND INT64_C(1000000000)
#define HOUR (3600 * SECOND)

/* A point per second, from 100 s on; CUPTI's clock begins at 5,000 s and is set by step after 5. */
static void fill_clock(struct dp_clock *clock, int64_t points, int64_t step)
{
	for (int64_t i = 0; i < points; i++)
		ck_assert_int_eq(dp_clock__add(clock, (5000 + i) * SECOND + (i > 5 ? step : 0),
					       (100 + i) * SECOND),
				 DP_OK);
}

static int64_t ask(struct dp_clock *clock, int64_t cupti)
{
	return dp_clock__time(clock, (uint64_t)cupti);
}

TEST(drifts_evenly)
{
	struct dp_clock clock = { 0 };

	ck_assert_int_eq(dp_clock__add(&clock, 0, 0), DP_OK);
	ck_assert_int_eq(dp_clock__add(&clock, SECOND, SECOND + 1000), DP_OK);
	ck_assert_int_eq(ask(&clock, SECOND / 2), SECOND / 2 + 500);
	ck_assert_int_eq(ask(&clock, 2 * SECOND), 2 * SECOND + 1000);
	ck_assert_int_eq(ask(&clock, -SECOND), -SECOND);
	dp_clock__fini(&clock);
}

/* Points in close succession, as at the start: small errors of each must not reorder times. */
TEST(is_read_inexactly)
{
	static const int64_t points[][2] = { { 0, 1553 },
					     { 37937, 37937 },
					     { 62864, 62834 },
					     { 50000000, 50002000 },
					     { SECOND, SECOND },
					     { SECOND + 20000, SECOND + 99000 },
					     { 2 * SECOND, 2 * SECOND } };
	struct dp_clock clock = { 0 };
	int64_t last = -SECOND, now;

	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
		ck_assert_int_eq(dp_clock__add(&clock, points[i][0], points[i][1]), DP_OK);
	for (int64_t at = -100000; at < 2 * SECOND + 100000; at += at < 100000 ? 100 : 9999) {
		now = ask(&clock, at);
		ck_assert_int_gt(now, last);
		ck_assert_int_lt(now > at ? now - at : at - now, 2000);
		last = now;
	}
	dp_clock__fini(&clock);
}

static const int64_t steps[] = { HOUR, -HOUR, 10 * SECOND, -10 * SECOND };

/* The clock is set between points 5 and 6, 0.4 s after the former: times from either side. */
TEST_LOOP(is_set, sizeof(steps) / sizeof(steps[0]))
{
	struct dp_clock clock = { 0 };
	int64_t step = steps[_i], at;

	fill_clock(&clock, 12, step);
	for (int64_t ms = 0; ms < 11000; ms += 100) {
		clock.seen = (size_t)(ms / 1000);
		at = (5000 * 1000 + ms) * (SECOND / 1000) + (ms > 5500 ? step : 0);
		ck_assert_int_eq(ask(&clock, at), (100 * 1000 + ms) * (SECOND / 1000));
	}
	dp_clock__fini(&clock);
}

/*
 * Set back soon after the start; records from before are read when all points are known, as from a
 * buffer that filled up late.
 */
TEST(is_read_late)
{
	struct dp_clock clock = { 0 };

	ck_assert_int_eq(dp_clock__add(&clock, HOUR, 0), DP_OK);
	ck_assert_int_eq(dp_clock__add(&clock, SECOND, SECOND), DP_OK);
	for (clock.seen = 0; clock.seen <= 2; clock.seen++)
		ck_assert_int_eq(ask(&clock, HOUR + SECOND / 10), SECOND / 10);
	/* Made before the first point was taken. */
	for (clock.seen = 0; clock.seen <= 2; clock.seen++)
		ck_assert_int_eq(ask(&clock, HOUR - SECOND / 10), -SECOND / 10);
	ck_assert_int_eq(ask(&clock, SECOND * 9 / 10), SECOND * 9 / 10);
	ck_assert_int_eq(ask(&clock, 2 * SECOND), 2 * SECOND);
	dp_clock__fini(&clock);
}

/* Two hours on: set back by one, the times of an hour ago come again. */
TEST(comes_again)
{
	struct dp_clock clock = { 0 };
	const int64_t count = 7200;

	for (int64_t i = 0; i < count + 10; i++)
		ck_assert_int_eq(
			dp_clock__add(&clock, i * SECOND - (i >= count ? HOUR : 0), i * SECOND),
			DP_OK);
	for (int64_t ms = (count - 1) * 1000 + 600; ms < (count + 5) * 1000; ms += 100) {
		clock.seen = (size_t)(ms / 1000);
		ck_assert_int_eq(ask(&clock, ms * (SECOND / 1000) - HOUR), ms * (SECOND / 1000));
	}
	/* read back then, it was an hour ago */
	clock.seen = (size_t)(count / 2 + 3);
	ck_assert_int_eq(ask(&clock, count / 2 * SECOND + 5), count / 2 * SECOND + 5);
	dp_clock__fini(&clock);
}
