/*
 * Loops of families of programs: boundaries with and without known numbers of iterations, no false
 * claims, captures that are cut.
 */
#include "loop_checks.h"
#include "test.h"

enum { FAMILY_SEEDS = 3 };

static struct dp_loops *find_family(const struct family *f, const uint64_t *counts, size_t n,
				    bool evidence)
{
	struct dp_loops_request r = {
		.symbols = f->symbols,
		.count = f->n,
		.alphabet = f->alphabet,
		.counts = counts,
		.counts_count = n,
		.epsilon = 1,
		.evidence = { evidence ? family_evidence : NULL, (void *)(uintptr_t)f, evidence },
	};
	struct dp_loops *loops = NULL;

	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	return loops;
}

static double f_of(const struct dp_sequence_loop *loop, const struct family_loop *truth)
{
	size_t hit = 0, found = 0, j = 0;

	for (size_t i = 0; i < loop->count; i++) {
		if (loop->iterations[i].partial)
			continue;
		found++;
		while (j < truth->count && truth->starts[j] < loop->iterations[i].first)
			j++;
		hit += j < truth->count && truth->starts[j] == loop->iterations[i].first;
	}
	return 2.0 * (double)hit / (double)(found + truth->count);
}

static double best_f(const struct dp_loops *loops, const struct family_loop *truth)
{
	double best = 0;

	for (size_t k = 0; k < loops->count; k++)
		best = DP_MAX(best, f_of(&loops->loops[k], truth));
	return best;
}

TEST(several_counts)
{
	for (uint64_t seed = 1; seed < 2 + FAMILY_SEEDS; seed++) {
		struct family f;
		uint64_t counts[2];
		struct dp_loops *loops;

		family_make(&f, FAMILY_EVALUATION, seed, false, 0);
		counts[0] = f.loops[1].count;
		counts[1] = f.loops[0].count;
		loops = find_family(&f, counts, 2, false);
		check_loops(loops, f.symbols, f.n);
		ck_assert_uint_eq(loops->count, 2);
		ck_assert(best_f(loops, &f.loops[0]) > 0.99);
		ck_assert(best_f(loops, &f.loops[1]) > 0.95);
		dp_loops__free(loops);
		family_free(&f);
	}
}

/* Families whose iterations can be reported, with the capture's beginning an iteration's. */
static void check_family(enum family_kind kind, double least, bool counted)
{
	double sum[FAMILY_LOOPS_MAX] = { 0 };
	bool main[FAMILY_LOOPS_MAX] = { false };
	size_t loop_count = 0;

	for (uint64_t seed = 2000; seed < 2000 + FAMILY_SEEDS; seed++) {
		struct family f;
		struct dp_loops *loops = NULL;

		family_make(&f, kind, seed, false, 0);
		loop_count = f.loop_count;
		for (size_t k = 0; k < loop_count; k++) {
			uint64_t count = f.loops[k].count;

			if (counted || k == 0) {
				dp_loops__free(loops);
				loops = find_family(&f, &count, counted, false);
				check_loops(loops, f.symbols, f.n);
			}
			sum[k] += best_f(loops, &f.loops[k]);
			main[k] = f.loops[k].main;
		}
		dp_loops__free(loops);
		family_free(&f);
	}
	/* names alone may put the other level's beginning elsewhere */
	for (size_t k = 0; k < loop_count; k++)
		ck_assert_msg(sum[k] / FAMILY_SEEDS >= least - (main[k] ? 0 : 0.4),
			      "%s, loop %zu: F %.4f", family_name(kind), k, sum[k] / FAMILY_SEEDS);
}

static const struct {
	enum family_kind kind;
	double least;
} reported[] = {
	{ FAMILY_CLEAN, 0.99 },	       { FAMILY_STATISTICS, 0.95 }, { FAMILY_ASYNC, 0.98 },
	{ FAMILY_SHAPES, 0.95 },       { FAMILY_JITTER, 0.99 },	    { FAMILY_LOSS, 0.98 },
	{ FAMILY_GAN, 0.99 },	       { FAMILY_AUTOTUNE, 0.98 },   { FAMILY_GRAPH, 0.99 },
	{ FAMILY_DECODE, 0.98 },       { FAMILY_RECURRENT, 0.98 },  { FAMILY_FEW, 0.99 },
	{ FAMILY_ACCUMULATION, 0.95 }, { FAMILY_EVALUATION, 0.95 }, { FAMILY_RECOMPILE, 0.95 },
	{ FAMILY_SUPERSTEP, 0.95 },
};

TEST_LOOP(families_unaided, DP_COUNT(reported))
{
	check_family(reported[_i].kind, reported[_i].least, false);
}

TEST_LOOP(families_with_counts, DP_COUNT(reported))
{
	if (reported[_i].kind != FAMILY_RECOMPILE) /* two loops with one count */
		check_family(reported[_i].kind, reported[_i].least, true);
}

/*
 * A pattern of classes that describes everything is the iteration, although patterns of names, of
 * which each describes the iterations of one shape, take hardly more bits.
 */
TEST(classes_that_explain_everything_are_taken)
{
	struct family f;
	struct dp_loops *loops;

	family_make(&f, FAMILY_SHAPES, 336, false, 0);
	loops = find_family(&f, NULL, 0, false);
	ck_assert(best_f(loops, &f.loops[0]) > 0.99);
	dp_loops__free(loops);
	family_free(&f);
}

TEST(no_loop_is_found_where_there_is_none)
{
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct family f;
		struct dp_loops *loops;

		family_make(&f, seed % 2 ? FAMILY_RANDOM : FAMILY_SINGLE_PASS, 3000 + seed, false,
			    seed % 2 ? 500 + 97 * seed : 0);
		loops = find_family(&f, NULL, 0, seed % 3 == 0);
		ck_assert_msg(loops->count == 0, "%s, seed %llu", seed % 2 ? "random" : "pass",
			      (unsigned long long)seed);
		dp_loops__free(loops);
		family_free(&f);
	}
}

/* A trace that is cut anywhere keeps the iterations that it still holds, in number and length. */
TEST(cut_traces_keep_their_iterations)
{
	for (uint64_t seed = 1; seed < 2 + FAMILY_SEEDS; seed++) {
		struct family f;

		family_make(&f, FAMILY_CLEAN, 5000 + seed, false, 0);
		for (size_t part = 1; part < 7; part++) {
			size_t length = f.loops[0].ends[0] - f.loops[0].starts[0];
			size_t from = f.n * part / 29, to = f.n - f.n * part / 23;
			struct dp_loops *loops =
				find(f.symbols + from, to - from, f.alphabet, NULL, 0);

			check_loops(loops, f.symbols + from, to - from);
			ck_assert_uint_ge(loops->count, 1);
			ck_assert_uint_eq(loops->loops[0].length, length);
			ck_assert_uint_ge(complete(&loops->loops[0]) + 1, (to - from) / length);
			for (size_t i = 0; i < loops->loops[0].count; i++)
				ck_assert_uint_eq(loops->loops[0].iterations[i].variant, 0);
			dp_loops__free(loops);
		}
		family_free(&f);
	}
}

/* With launch records a partial head does not matter. */
TEST(launch_records_tell_the_phase)
{
	static const enum family_kind kinds[] = { FAMILY_CLEAN, FAMILY_ASYNC, FAMILY_GAN,
						  FAMILY_LOSS };

	for (size_t k = 0; k < DP_COUNT(kinds); k++)
		for (uint64_t seed = 6000; seed < 6000 + FAMILY_SEEDS; seed++) {
			struct family f;
			struct dp_loops *loops;

			family_make(&f, kinds[k], seed, true, 0);
			loops = find_family(&f, NULL, 0, true);
			check_loops(loops, f.symbols, f.n);
			ck_assert_uint_ge(loops->count, 1);
			ck_assert_msg(best_f(loops, &f.loops[0]) > 0.98, "%s, seed %llu",
				      family_name(kinds[k]), (unsigned long long)seed);
			dp_loops__free(loops);
			family_free(&f);
		}
}
