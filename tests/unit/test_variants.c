/* Variants: periodic ones are recognized, others are not, and their cost. */
#include "metric/loop_variants.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { MOST = 400 };

/* A loop whose iteration k has variant of[k]; variant v has v kernels more and takes 10 v more. */
struct fixture {
	struct dp_iteration iterations[MOST];
	struct dp_loop loop;
	struct dp_variant *variants;
};

static void make(struct fixture *at, const uint32_t *of, size_t count)
{
	int64_t now_ns = 0;

	memset(at, 0, sizeof(*at));
	for (size_t k = 0; k < count; k++) {
		struct dp_iteration *it = &at->iterations[k];

		it->index = k;
		it->variant = of[k];
		it->inserted = of[k];
		it->start_ns = now_ns;
		now_ns += 1000 + 10 * (int64_t)of[k];
		at->loop.variants = DP_MAX(at->loop.variants, of[k] + (size_t)1);
	}
	at->loop.iterations = count;
	ck_assert_int_eq(dp_loop_variants__make(&at->variants, &at->loop, at->iterations, NULL),
			 DP_OK);
}

static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % below;
}

/* Every 10th iteration, wherever that begins, some of them missed or put off by one. */
TEST(periodic)
{
	for (uint32_t seed = 0; seed < 200; seed++) {
		uint32_t of[MOST] = { 0 }, period = 2 + seed % 12;
		uint64_t state = seed;
		size_t count = period * (6 + draw(&state, 15)), first = draw(&state, period);
		size_t times = 0, slip = 0;
		struct fixture at;

		count = DP_MIN(count, (size_t)MOST);
		for (size_t k = first; k + slip < count; k += period) {
			/* a miss, or an iteration that was lost */
			if (times >= 8 && times == 8 + draw(&state, 4))
				slip = seed % 3 == 2;
			of[k + slip] = times % 7 != 3 || seed % 3 != 1;
			times += 1;
		}
		make(&at, of, count);
		ck_assert_msg(at.variants[1].period == period, "%zu, not %u of %zu, seed %u",
			      at.variants[1].period, period, count, seed);
		ck_assert_uint_eq(at.variants[0].period, period == 2 ? at.variants[0].period : 0);
		ck_assert_uint_eq(at.variants[1].inserted, 1);
		ck_assert_uint_eq(at.variants[0].inserted, 0);
		ck_assert_uint_eq(at.variants[1].first, first);
		ck_assert_uint_eq(at.variants[0].count + at.variants[1].count, count);
		ck_assert_double_eq_tol(at.variants[1].extra_ns - at.variants[0].extra_ns, 10,
					1e-9);
		free(at.variants);
	}
}

/* Random variants, a few or many: of 1000 loops hardly one looks periodic. */
TEST(random_ones_are_not)
{
	size_t wrong = 0;

	for (uint32_t seed = 0; seed < 1000; seed++) {
		uint32_t of[MOST], kinds = 1 + seed % 8, rare = 2 + seed % 13;
		uint64_t state = seed * 977;
		size_t count = 10 + draw(&state, 120);
		struct fixture at;

		for (size_t k = 0; k < count; k++)
			of[k] = draw(&state, rare) ? 0 : 1 + draw(&state, kinds);
		make(&at, of, count);
		for (size_t v = 0; v < at.loop.variants; v++)
			wrong += at.variants[v].period != 0;
		free(at.variants);
	}
	ck_assert_msg(wrong <= 5, "%zu", wrong);
}

/* A pattern of only the beginning is not reported for the loop. */
TEST(beginnings_are_not)
{
	uint32_t of[MOST] = { 0 };
	struct fixture at;

	for (size_t k = 0; k < 100; k += 10)
		of[k] = 1;
	make(&at, of, 300);
	ck_assert_uint_eq(at.variants[1].period, 0);
	ck_assert_uint_eq(at.variants[1].count, 10);
	free(at.variants);
}

/* Medians exclude warm-up, partial iterations and those that other kernels interrupt. */
TEST(costs)
{
	static const int64_t starts_ns[8] = { 0, 900, 1000, 1130, 1230, 1420, 1520, 1670 };
	struct dp_iteration its[8] = { { 0 } };
	struct dp_loop loop = { .iterations = 8, .variants = 4 };
	struct dp_variant *v;

	for (size_t k = 0; k < 8; k++)
		its[k].start_ns = starts_ns[k];
	its[0].variant = its[2].variant = its[4].variant = its[6].variant = 1;
	its[0].warmup = true;
	its[5].foreign_kernels = 3;
	its[7].variant = 3;
	its[7].partial = true;
	its[1].partial = true;
	ck_assert_int_eq(dp_loop_variants__make(&v, &loop, its, NULL), DP_OK);
	ck_assert_uint_eq(v[0].count, 2);
	ck_assert_uint_eq(v[0].first, 1);
	ck_assert_uint_eq(v[1].count, 4);
	ck_assert_uint_eq(v[2].count, 0);
	ck_assert_uint_eq(v[3].count, 0);
	ck_assert_uint_eq(v[3].first, 7);
	ck_assert_double_eq_tol(v[1].extra_ns, 0, 1e-9);
	ck_assert_double_eq_tol(v[0].extra_ns, 100 - 140, 1e-9);
	ck_assert(isnan(v[2].extra_ns) && isnan(v[3].extra_ns));
	free(v);
}

/* Loops without iterations or with partial ones only have no numbers, and no failure. */
TEST(nothing)
{
	struct dp_iteration cut = { .partial = true };
	struct dp_loop loop = { .iterations = 1, .variants = 1 };
	struct dp_variant *v;

	ck_assert_int_eq(dp_loop_variants__make(&v, &loop, &cut, NULL), DP_OK);
	ck_assert_uint_eq(v[0].count, 0);
	ck_assert_uint_eq(v[0].period, 0);
	ck_assert(isnan(v[0].extra_ns));
	free(v);
	loop = (struct dp_loop){ .iterations = 0 };
	ck_assert_int_eq(dp_loop_variants__make(&v, &loop, &cut, NULL), DP_OK);
	free(v);
}
