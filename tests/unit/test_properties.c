/*
 * Properties for any sequence: names have no meaning. Uses families of programs with seeds that no
 * threshold was tuned on.
 */
#include "../sim/families.h"
#include "test.h"

#include <deepprof/detector.h>
#include <string.h>

enum { SEEDS = 1, FIRST_SEED = 7100, SIZE = 6000 };

static struct dp_loops *find(const uint32_t *symbols, size_t n, uint32_t alphabet)
{
	struct dp_loops_request r = {
		.symbols = symbols, .count = n, .alphabet = alphabet, .epsilon = 1
	};
	struct dp_loops *loops = NULL;

	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	return loops;
}

static size_t below(uint64_t *rng, size_t n)
{
	*rng = *rng * 6364136223846793005u + 1442695040888963407u;
	return (size_t)((*rng >> 33) % n);
}

/* Other numbers for the names, in another order. */
static uint32_t *shuffle(uint32_t alphabet, uint64_t seed)
{
	uint32_t *map = dp_alloc__array(alphabet, sizeof(*map));

	ck_assert_ptr_nonnull(map);
	for (uint32_t i = 0; i < alphabet; i++) {
		size_t j = below(&seed, i + 1);

		map[i] = map[j];
		map[j] = i;
	}
	return map;
}

static void expect_equal(const struct dp_loops *a, const struct dp_loops *b, const uint32_t *map,
			 const char *what)
{
	ck_assert_msg(a->count == b->count, "%s: %zu and %zu loops", what, a->count, b->count);
	for (size_t k = 0; k < a->count; k++) {
		const struct dp_sequence_loop *x = &a->loops[k], *y = &b->loops[k];

		ck_assert_msg(x->length == y->length && x->count == y->count,
			      "%s: loop %zu of %zu, %zu times, and of %zu, %zu times", what, k,
			      x->length, x->count, y->length, y->count);
		ck_assert_uint_eq(x->parent, y->parent);
		ck_assert_int_eq(x->chosen, y->chosen);
		for (size_t i = 0; i < x->length; i++)
			ck_assert_uint_eq(map[x->pattern[i]], y->pattern[i]);
		for (size_t i = 0; i < x->count; i++) {
			ck_assert_uint_eq(x->iterations[i].first, y->iterations[i].first);
			ck_assert_uint_eq(x->iterations[i].end, y->iterations[i].end);
			ck_assert_uint_eq(x->iterations[i].variant, y->iterations[i].variant);
		}
	}
}

/* Renaming changes nothing. */
TEST_LOOP(names_mean_nothing, FAMILY_COUNT)
{
	enum family_kind kind = (enum family_kind)_i;

	for (uint64_t seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
		struct family f;
		struct dp_loops *before, *after;
		uint32_t *map;

		family_make(&f, kind, seed, seed % 2, SIZE);
		map = shuffle(f.alphabet, seed);
		before = find(f.symbols, f.n, f.alphabet);
		for (size_t i = 0; i < f.n; i++)
			f.symbols[i] = map[f.symbols[i]];
		after = find(f.symbols, f.n, f.alphabet);
		expect_equal(before, after, map, family_name(kind));
		dp_loops__free(before);
		dp_loops__free(after);
		free(map);
		family_free(&f);
	}
}

/* What a detector reported. */
struct reported {
	struct dp_detector_iteration items[4096];
	size_t count;
};

static void on_iteration(void *ctx, const struct dp_detector_iteration *it)
{
	struct reported *reported = ctx;

	if (reported->count < DP_COUNT(reported->items))
		reported->items[reported->count++] = *it;
}

static void detect(struct reported *reported, const uint32_t *symbols, size_t n)
{
	struct dp_detector_options o = DP_DETECTOR_OPTIONS_INIT;
	struct dp_detector *d = NULL;

	memset(reported, 0, sizeof(*reported));
	o.ctx = reported;
	o.iteration = on_iteration;
	ck_assert_int_eq(dp_detector_new(&d, &o, NULL), DP_OK);
	ck_assert_int_eq(dp_detector_feed(d, symbols, n, NULL), DP_OK);
	ck_assert_int_eq(dp_detector_finish(d, NULL), DP_OK);
	dp_detector_free(d);
}

/* Nor does it change the detector's results, which takes any numbers. */
TEST_LOOP(numbers_mean_nothing, FAMILY_COUNT)
{
	static struct reported before, after;
	enum family_kind kind = (enum family_kind)_i;
	struct family f;
	uint32_t *map;

	family_make(&f, kind, FIRST_SEED + 1, true, SIZE);
	map = shuffle(f.alphabet, 1);
	detect(&before, f.symbols, f.n);
	for (size_t i = 0; i < f.n; i++)
		f.symbols[i] = 0xfffffffe - 77777 * map[f.symbols[i]];
	detect(&after, f.symbols, f.n);
	ck_assert_uint_eq(before.count, after.count);
	ck_assert(kind == FAMILY_RANDOM || kind == FAMILY_SINGLE_PASS || before.count > 0);
	for (size_t i = 0; i < before.count; i++) {
		ck_assert_uint_eq(before.items[i].loop, after.items[i].loop);
		ck_assert_uint_eq(before.items[i].first, after.items[i].first);
		ck_assert_uint_eq(before.items[i].count, after.items[i].count);
		ck_assert_uint_eq(before.items[i].inserted, after.items[i].inserted);
	}
	free(map);
	family_free(&f);
}
