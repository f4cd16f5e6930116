/*
 * What must hold for any sequence: names mean nothing, and where a capture begins or ends changes
 * no iteration that is far enough from there. On families of programs with seeds that no
 * threshold was tuned by.
 */
#include "../sim/families.h"

#include <check.h>
#include <deepprof/detector.h>
#include <string.h>

enum { SEEDS = 2, FIRST_SEED = 7100 };

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
		const struct dp_segmented_loop *x = &a->loops[k], *y = &b->loops[k];

		ck_assert_msg(x->length == y->length && x->count == y->count,
			      "%s: loop %zu of %zu, %zu times, and of %zu, %zu times", what, k,
			      x->length, x->count, y->length, y->count);
		ck_assert_uint_eq(x->parent, y->parent);
		ck_assert_int_eq(x->chosen, y->chosen);
		for (size_t i = 0; i < x->length; i++)
			ck_assert_uint_eq(map[x->pattern[i]], y->pattern[i]);
		for (size_t i = 0; i < x->count; i++) {
			ck_assert_uint_eq(x->segments[i].first, y->segments[i].first);
			ck_assert_uint_eq(x->segments[i].end, y->segments[i].end);
			ck_assert_uint_eq(x->segments[i].variant, y->segments[i].variant);
		}
	}
}

/*
 * Renaming changes nothing. Where repetitions are folded the order of numbers decides ties; the
 * sequences of a trace are numbered as names appear, as the detector numbers what it searches.
 */
START_TEST(names_mean_nothing)
{
	enum family_kind kind = (enum family_kind)_i;

	if (kind == FAMILY_RECURRENT)
		return;

	for (uint64_t seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
		struct family f;
		struct dp_loops *before, *after;
		uint32_t *map;

		family_make(&f, kind, seed, seed % 2, 0);
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
END_TEST

/* What a detector told of. */
struct told {
	struct dp_detector_iteration items[4096];
	size_t count;
};

static void on_iteration(void *ctx, const struct dp_detector_iteration *it)
{
	struct told *told = ctx;

	if (told->count < DP_COUNT(told->items))
		told->items[told->count++] = *it;
}

static void detect(struct told *told, const uint32_t *symbols, size_t n)
{
	struct dp_detector_options o = DP_DETECTOR_OPTIONS_INIT;
	struct dp_detector *d = NULL;

	memset(told, 0, sizeof(*told));
	o.ctx = told;
	o.iteration = on_iteration;
	ck_assert_int_eq(dp_detector_new(&d, &o, NULL), DP_OK);
	ck_assert_int_eq(dp_detector_feed(d, symbols, n, NULL), DP_OK);
	ck_assert_int_eq(dp_detector_finish(d, NULL), DP_OK);
	dp_detector_free(d);
}

/* Nor does it change what a detector tells, which takes any numbers. */
START_TEST(numbers_mean_nothing)
{
	static struct told before, after;
	enum family_kind kind = (enum family_kind)_i;
	struct family f;
	uint32_t *map;

	family_make(&f, kind, FIRST_SEED + 1, true, 0);
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
END_TEST

/* Of the chosen loops' complete iterations in [from, to), ends and all, how many are b's, too. */
static void count_common(const struct dp_loops *a, const struct dp_loops *b, size_t cut,
			 size_t from, size_t to, size_t *common, size_t *all)
{
	for (size_t k = 0; k < a->count; k++)
		for (size_t i = 0; a->loops[k].chosen && i < a->loops[k].count; i++) {
			const struct dp_segment *s = &a->loops[k].segments[i];
			bool found = false;

			if (s->partial || s->first < from || s->end > to)
				continue;
			(*all)++;
			for (size_t j = 0; j < b->count && !found; j++) {
				const struct dp_segmented_loop *l = &b->loops[j];
				size_t low = 0, high = l->count;

				while (low < high) {
					size_t middle = low + (high - low) / 2;

					if (l->segments[middle].first + cut < s->first)
						low = middle + 1;
					else
						high = middle;
				}
				found = low < l->count && !l->segments[low].partial &&
					l->segments[low].first + cut == s->first &&
					l->segments[low].end + cut == s->end;
			}
			*common += found;
		}
}

static size_t longest_of(const struct dp_loops *loops)
{
	size_t longest = 0;

	for (size_t k = 0; k < loops->count; k++)
		longest = DP_MAX(longest, loops->loops[k].length);
	return longest;
}

/* A part of a family's capture. */
struct part {
	const struct family *family;
	size_t cut;
};

static void part_evidence(void *ctx, size_t index, struct dp_evidence_at *out)
{
	const struct part *part = ctx;

	family_evidence((void *)(uintptr_t)part->family, index + part->cut, out);
}

static struct dp_loops *find_part(const struct family *f, size_t from, size_t to)
{
	struct part part = { f, from };
	struct dp_loops_request r = {
		.symbols = f->symbols + from,
		.count = to - from,
		.alphabet = f->alphabet,
		.epsilon = 1,
		.evidence = { .at = part_evidence, .ctx = &part, .launches_recorded = true },
	};
	struct dp_loops *loops = NULL;

	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	return loops;
}

/*
 * The share of iterations that stays. Of eight shapes a part may lack one, and its kernels are not
 * known to stand for others then.
 */
static const struct {
	enum family_kind kind;
	double least;
} steady[] = {
	{ FAMILY_CLEAN, 1 },	    { FAMILY_STATISTICS, 1 }, { FAMILY_ASYNC, 1 },
	{ FAMILY_SHAPES, 0.95 },    { FAMILY_JITTER, 1 },     { FAMILY_LOSS, 1 },
	{ FAMILY_EVALUATION, 1 },   { FAMILY_GAN, 1 },	      { FAMILY_SUPERSTEP, 1 },
	{ FAMILY_AUTOTUNE, 1 },	    { FAMILY_GRAPH, 1 },      { FAMILY_DECODE, 1 },
	{ FAMILY_RECURRENT, 1 },    { FAMILY_RECOMPILE, 1 },  { FAMILY_DENSE, 1 },
	{ FAMILY_ACCUMULATION, 1 },
};

/*
 * A capture that begins and ends anywhere else keeps the iterations that are one iteration or more
 * from its ends.
 */
START_TEST(cutting_keeps_iterations)
{
	size_t common = 0, all = 0;
	uint64_t rng = (uint64_t)_i + 1;

	for (uint64_t seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
		struct family f;
		struct dp_loops *whole, *part;
		size_t from, to, far;

		family_make(&f, steady[_i].kind, seed, false, 0);
		from = below(&rng, f.n / 3);
		to = f.n - below(&rng, f.n / 3);
		whole = find_part(&f, 0, f.n);
		part = find_part(&f, from, to);
		ck_assert_uint_gt(whole->count, 0);
		far = longest_of(whole);
		count_common(whole, part, from, from + far, to - DP_MIN(far, to), &common, &all);
		dp_loops__free(whole);
		dp_loops__free(part);
		family_free(&f);
	}
	ck_assert_uint_gt(all, 0);
	ck_assert_msg((double)common >= steady[_i].least * (double)all,
		      "%s: %zu of %zu iterations are left", family_name(steady[_i].kind), common,
		      all);
}
END_TEST

static void fill(TCase *tests)
{
	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, names_mean_nothing, 0, FAMILY_COUNT);
	tcase_add_loop_test(tests, numbers_mean_nothing, 0, FAMILY_COUNT);
	tcase_add_loop_test(tests, cutting_keeps_iterations, 0, DP_COUNT(steady));
}

#include "test_main.h"
