/* Loops as a whole: known and unknown numbers of iterations, patterns made by hand. */
#include "../sanitized.h"
#include "loop_checks.h"
#include "pattern/search.h"
#include "test.h"

#include <string.h>

/* A pattern with layers, all symbols below 64. */
static size_t simple(uint32_t *p)
{
	size_t n = 0;

	for (uint32_t i = 0; i < 12; i++)
		p[n++] = i;
	for (uint32_t layer = 0; layer < 6; layer++)
		for (uint32_t i = 0; i < 9; i++)
			p[n++] = 20 + i;
	for (uint32_t i = 0; i < 14; i++)
		p[n++] = 40 + i;
	return n;
}

TEST(known_count_clean)
{
	uint32_t p[128], s[128 * 40];
	size_t m = simple(p);

	for (uint64_t turns = 2; turns < 40; turns += 3) {
		struct dp_loops *loops;

		for (size_t i = 0; i < turns * m; i++)
			s[i] = p[i % m];
		loops = find(s, turns * m, 64, &turns, 1);
		check_loops(loops, s, turns * m);
		check_counted(loops);
		ck_assert_uint_eq(loops->loops[0].length, m);
		ck_assert_uint_eq(loops->loops[0].count, turns);
		ck_assert_uint_eq(loops->loops[0].occurrences, turns);
		ck_assert_uint_eq(loops->loops[0].iterations[0].first, 0);
		ck_assert_mem_eq(loops->loops[0].pattern, p, m * sizeof(*p));
		dp_loops__free(loops);
	}
}

/* Partial iterations at both ends: they are listed, and do not count. */
TEST(known_count_with_partial_ends)
{
	uint32_t p[128], s[128 * 12];
	size_t m = simple(p);
	uint64_t turns = 8;

	for (size_t head = 1; head < m; head += 5) {
		size_t tail = (m - head) / 2, n = 0;
		struct dp_loops *loops;

		for (size_t i = m - head; i < (turns + 1) * m + tail; i++)
			s[n++] = p[i % m];
		loops = find(s, n, 64, &turns, 1);
		check_loops(loops, s, n);
		check_counted(loops);
		ck_assert_uint_eq(loops->loops[0].length, m);
		ck_assert_uint_eq(complete(&loops->loops[0]), turns);
		ck_assert(loops->loops[0].iterations[0].first == 0);
		dp_loops__free(loops);
	}
}

/* One kernel more, one less, one other per iteration: count and boundaries stay. */
TEST(known_count_with_edits)
{
	static uint32_t p[128], s[200 * 64];

	for (int kind = 0; kind < 3; kind++) {
		size_t m = simple(p), n = 0, starts[60];
		struct dp_loops *loops;
		uint64_t turns = 50;

		for (size_t t = 0; t < turns; t++) {
			size_t where = 3 + (t * 31) % (m - 6);

			starts[t] = n;
			for (size_t i = 0; i < m; i++) {
				if (i == where && kind == 0)
					s[n++] = 60;
				if (i == where && kind == 1)
					continue;
				s[n++] = i == where && kind == 2 ? 61 : p[i];
			}
		}
		loops = find(s, n, 64, &turns, 1);
		check_loops(loops, s, n);
		check_counted(loops);
		ck_assert_uint_eq(loops->loops[0].length, m);
		ck_assert_uint_eq(loops->loops[0].count, turns);
		for (size_t t = 0; t < turns; t++) {
			const struct dp_sequence_iteration *x = &loops->loops[0].iterations[t];

			ck_assert_uint_eq(x->first, starts[t]);
			ck_assert_uint_le(x->inserted + x->deleted + x->substituted, 2);
		}
		dp_loops__free(loops);
	}
}

TEST(equal_scripts_share_a_variant)
{
	uint32_t p[128], s[128 * 44];
	size_t m = simple(p), n = 0;
	uint64_t turns = 40;
	struct dp_loops *loops;

	for (size_t t = 0; t < turns; t++) {
		memcpy(s + n, p, m * sizeof(*p));
		n += m;
		if (t % 10 == 9) {
			s[n++] = 60;
			s[n++] = 61;
		}
	}
	loops = find(s, n, 64, &turns, 1);
	check_loops(loops, s, n);
	ck_assert_uint_eq(loops->loops[0].count, turns);
	for (size_t t = 0; t < turns; t++) {
		const struct dp_sequence_iteration *x = &loops->loops[0].iterations[t];

		ck_assert_uint_eq(x->variant, t % 10 == 9);
		ck_assert_uint_eq(x->inserted, t % 10 == 9 ? 2 : 0);
	}
	dp_loops__free(loops);
}

TEST(one_iteration_is_the_whole)
{
	uint32_t s[] = { 3, 1, 4, 1, 5, 9, 2, 6 };
	uint64_t one = 1;
	struct dp_loops *loops = find(s, 8, 10, &one, 1);

	check_loops(loops, s, 8);
	ck_assert_uint_eq(loops->count, 1);
	ck_assert_uint_eq(loops->loops[0].length, 8);
	ck_assert_uint_eq(loops->loops[0].count, 1);
	dp_loops__free(loops);
}

/* One kernel all along, and a known number: equal parts. */
TEST(one_kernel_in_equal_parts)
{
	static uint32_t s[10000];

	for (uint64_t turns = 2; turns <= 100; turns += 7) {
		struct dp_loops *loops = find(s, 100 * turns, 1, &turns, 1);

		check_loops(loops, s, 100 * turns);
		ck_assert_uint_eq(loops->count, 1);
		ck_assert_uint_eq(loops->loops[0].length, 100);
		ck_assert_uint_eq(complete(&loops->loops[0]), turns);
		dp_loops__free(loops);
	}
}

/* Two equal halves of kernels that are too few to find without their number. */
TEST(known_count_of_a_short_sequence)
{
	const uint32_t half[] = { 0, 1, 0, 2, 3, 4, 4, 4, 4, 4, 4 };
	enum { HALF = 11 };
	uint32_t s[2 * HALF];
	uint64_t turns = 2;
	struct dp_loops *loops;

	for (size_t i = 0; i < 2 * HALF; i++)
		s[i] = half[i % HALF];
	loops = find(s, 2 * HALF, 5, &turns, 1);
	ck_assert_uint_eq(loops->count, 1);
	ck_assert_uint_eq(complete(&loops->loops[0]), 2);
	ck_assert_uint_eq(loops->loops[0].length, HALF);
	dp_loops__free(loops);
}

/*
 * A number far below or above that of the only loop: the loop is taken nevertheless, but first for
 * the number that it has.
 */
TEST(known_count_far_off)
{
	enum { TURNS = 8 };
	uint32_t p[128], s[128 * TURNS];
	const uint64_t counts[][2] = { { 3, TURNS }, { TURNS, 3 }, { 399, TURNS },
				       { 3, 0 },     { 1, 0 },	   { 399, 0 } };
	size_t m = simple(p);

	for (size_t i = 0; i < TURNS * m; i++)
		s[i] = p[i % m];
	for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
		struct dp_loops *loops = find(s, TURNS * m, 64, counts[c], counts[c][1] ? 2 : 1);
		size_t found = 0;

		check_loops(loops, s, TURNS * m);
		for (size_t l = 0; l < loops->count; l++)
			found += loops->loops[l].chosen && loops->loops[l].length == m;
		ck_assert_uint_eq(found, counts[c][0] == 1 ? 0 : 1);
		dp_loops__free(loops);
	}
}

TEST(bad_requests)
{
	uint32_t s[] = { 1, 2, 1, 2 };
	uint64_t zero = 0, many = 5;
	struct dp_loops_request r = { .symbols = s, .count = 4, .alphabet = 3, .epsilon = 1 };
	struct dp_loops *loops = NULL;
	struct dp_error error = DP_ERROR_INIT;

	r.counts = &zero;
	r.counts_count = 1;
	ck_assert_int_eq(dp_loops__find(&loops, &r, &error), DP_ERR_ARGUMENT);
	ck_assert_int_eq(error.status, DP_ERR_ARGUMENT);
	r.counts = &many;
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_ERR_ARGUMENT);
	r.counts_count = 0;
	r.paper = true;
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_ERR_ARGUMENT);
	ck_assert_ptr_null(loops);
	r.paper = false;
	for (r.count = 0; r.count <= 4; r.count++) {
		ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
		ck_assert_uint_eq(loops->count, 0);
		dp_loops__free(loops);
	}
	dp_loops__free(NULL);
}

TEST(paper_as_a_whole)
{
	uint32_t s[60];
	uint64_t six = 6;
	struct dp_loops_request r = { .symbols = s,
				      .count = 60,
				      .alphabet = 10,
				      .counts = &six,
				      .counts_count = 1,
				      .paper = true,
				      .epsilon = 1,
				      .max_unmatched = 0 };
	struct dp_loops *loops;

	for (uint32_t i = 0; i < 60; i++)
		s[i] = i % 10;
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	ck_assert_uint_eq(loops->count, 1);
	ck_assert_uint_eq(loops->loops[0].length, 9);
	ck_assert_uint_eq(loops->loops[0].occurrences, 6);
	ck_assert_uint_eq(loops->loops[0].count, 6);
	dp_loops__free(loops);
}

/*
 * Iterations of 20 kernels by families of two names each. In the first 300 another family stands in
 * the middle than in the 500 that follow: the pattern has the names of these, none of the names
 * below 100, which stand for nothing.
 */
TEST(patterns_have_names_of_the_sequence)
{
	enum { FAMILIES = 30, M = 20, TURNS = 800, FIRST = 300 };
	static uint32_t symbols[M * TURNS], family[100 + 2 * FAMILIES];
	struct dp_loops_request r = { .symbols = symbols,
				      .count = M * TURNS,
				      .alphabet = 100 + 2 * FAMILIES,
				      .family = family,
				      .epsilon = 1 };
	struct dp_loops *loops = NULL;

	for (uint32_t i = 0; i < 100 + 2 * FAMILIES; i++)
		family[i] = i < 100 ? i : (i - 100) / 2;
	for (uint32_t i = 0; i < M * TURNS; i++) {
		uint32_t other = i % M == M / 2 && i / M < FIRST ? 5 : 0;

		symbols[i] = 100 + 2 * (i % M + other) + (i * 7 / 3) % 2;
	}
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	ck_assert_uint_gt(loops->count, 0);
	for (size_t k = 0; k < loops->count; k++)
		for (size_t i = 0; i < loops->loops[k].length; i++)
			ck_assert_uint_ge(loops->loops[k].pattern[i], 100);
	dp_loops__free(loops);
}

/* Families: names with a suffix that varies, recognized as one kernel. */
TEST(families_of_names_are_one_kernel)
{
	static uint32_t s[128 * 40], family[256];
	uint32_t p[128];
	size_t m = simple(p), n = 0;
	uint64_t turns = 30;
	struct dp_loops_request r = { .symbols = s,
				      .alphabet = 256,
				      .family = family,
				      .counts = &turns,
				      .counts_count = 1,
				      .epsilon = 1 };
	struct dp_loops *loops;

	for (uint32_t i = 0; i < 256; i++)
		family[i] = i % 64;
	for (size_t i = 0; i < turns * m; i++)
		s[n++] = p[i % m] + 64 * (uint32_t)(i / m % 10 == 9 && i % 3 == 0);
	r.count = n;
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	check_loops(loops, s, n);
	ck_assert_uint_eq(loops->loops[0].count, turns);
	ck_assert_uint_eq(loops->loops[0].length, m);
	for (size_t i = 0; i < turns; i++)
		ck_assert_uint_eq(loops->loops[0].iterations[i].substituted > 0, i % 10 == 9);
	ck_assert_double_gt(dp_confidence__of(&loops->loops[0].confidence), 0.7);
	dp_loops__free(loops);
}

/* Names of one family can be cut into any number of pieces: their repetition is weak evidence. */
TEST(pieces_that_are_unlike_each_other)
{
	static uint32_t s[720], family[512];

	for (size_t i = 0; i < 720; i++)
		s[i] = (uint32_t)(i * i * 7919 % 509);
	family[511] = 1; /* all that occur are one, but it is not the only one */
	for (uint64_t turns = 2; turns <= 360; turns++) {
		struct dp_loops_request r = { .symbols = s,
					      .count = 720,
					      .alphabet = 512,
					      .family = family,
					      .counts = &turns,
					      .counts_count = 1,
					      .epsilon = 1 };
		struct dp_loops *loops;

		if (720 % turns)
			continue;
		ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
		check_loops(loops, s, 720);
		check_counted(loops);
		ck_assert_uint_eq(loops->loops[0].count, turns);
		ck_assert_double_lt(dp_confidence__of(&loops->loops[0].confidence), 0.5);
		dp_loops__free(loops);
	}
}

/* Equal iterations of a known number are a loop, even among other kernels. */
TEST(a_number_for_a_part)
{
	static uint32_t s[8000];
	uint32_t p[128];
	size_t m = simple(p);

	for (uint64_t turns = 5; turns <= 20; turns += 15) {
		for (size_t others = 0; others <= 2 * turns * m; others += turns * m) {
			size_t n = others + turns * m;
			struct dp_loops *loops;

			for (size_t i = 0; i < others; i++)
				s[i] = 64 + (uint32_t)(i * i * 7919 % 509);
			for (size_t i = 0; i < turns * m; i++)
				s[others + i] = p[i % m];
			ck_assert_uint_le(n, sizeof(s) / sizeof(s[0]));
			loops = find(s, n, 64 + 509, &turns, 1);
			check_loops(loops, s, n);
			ck_assert_uint_eq(loops->count, 1);
			ck_assert_uint_eq(complete(&loops->loops[0]), turns);
			ck_assert_double_ge(dp_confidence__of(&loops->loops[0].confidence), 0.9);
			dp_loops__free(loops);
		}
	}
}

/*
 * A few short repetitions are a loop if they are a good part of the sequence: else they may be what
 * an optimizer does for each parameter. Long ones are a loop all the same.
 */
TEST(short_repetitions_in_a_part)
{
	static const struct {
		size_t length, times, others, loops;
	} rows[] = { { 3, 200, 6000, 0 }, { 3, 200, 1200, 1 }, { 12, 200, 12000, 1 } };
	static uint32_t s[16000];
	uint32_t random = 1;

	for (size_t k = 0; k < DP_COUNT(rows); k++) {
		size_t n = rows[k].others + rows[k].length * rows[k].times;
		struct dp_loops *loops;

		for (size_t i = 0; i < n; i++) {
			random = random * 1664525 + 1013904223;
			s[i] = i < rows[k].others ? 64 + (random >> 20)
						  : (uint32_t)(i % rows[k].length);
		}
		loops = find(s, n, 64 + 4096, NULL, 0);
		check_loops(loops, s, n);
		ck_assert_uint_eq(loops->count, rows[k].loops);
		if (loops->count)
			ck_assert_uint_eq(loops->loops[0].length, rows[k].length);
		dp_loops__free(loops);
	}
}

/* Equal parts can be grouped into any number, so a number of groups proves nothing. */
TEST(a_number_of_groups)
{
	enum { PARTS = 36 };
	uint32_t p[128], s[128 * PARTS];
	const uint64_t parts = PARTS, groups = 7;
	size_t m = simple(p);
	struct dp_loops *all, *grouped;

	for (size_t i = 0; i < PARTS * m; i++)
		s[i] = p[i % m];
	all = find(s, PARTS * m, 64, &parts, 1);
	grouped = find(s, PARTS * m, 64, &groups, 1);
	ck_assert_uint_eq(complete(&all->loops[0]), parts);
	ck_assert_uint_eq(complete(&grouped->loops[0]), groups);
	ck_assert_double_ge(all->loops[0].confidence.feature[DP_FEATURE_COUNT_GIVEN], 0.9);
	ck_assert(grouped->loops[0].confidence.feature[DP_FEATURE_COUNT_GIVEN] == 0);
	dp_loops__free(grouped);
	dp_loops__free(all);
}

/* A program that is compiled again midway is two loops; its number is of both. */
TEST(a_number_for_loops_in_a_row)
{
	static uint32_t s[16000];
	uint32_t p[128];
	uint64_t turns = 50, fewer = 49;
	size_t m = simple(p), n = 0;
	struct dp_loops *loops;

	for (size_t i = 0; i < turns; i++)
		for (size_t k = 0; k < m; k++)
			if (i < 20 || k % 3)
				s[n++] = p[k] + (i < 20 ? 0 : 64);
	loops = find(s, n, 128, &turns, 1);
	check_loops(loops, s, n);
	ck_assert_uint_ge(loops->count, 2);
	for (size_t i = 0; i < 2; i++) {
		ck_assert(loops->loops[i].chosen);
		ck_assert(loops->loops[i].matches_in_sequence);
		ck_assert_int_eq(loops->loops[i].found_by, DP_FOUND_BY_COUNT);
		ck_assert_uint_eq(complete(&loops->loops[i]), i ? 30 : 20);
		ck_assert_double_gt(dp_confidence__of(&loops->loops[i].confidence), 0.8);
	}
	/* layers inside of them are reported, and are not the iterations */
	for (size_t i = 2; i < loops->count; i++) {
		ck_assert(!loops->loops[i].chosen);
		ck_assert_uint_lt(loops->loops[i].parent, 2);
	}
	dp_loops__free(loops);
	loops = find(s, n, 128, &fewer, 1);
	for (size_t i = 0; i < loops->count; i++)
		ck_assert(!loops->loops[i].matches_in_sequence);
	dp_loops__free(loops);
}

/* Of two loops with the number, the likelier one is meant, whose number an unaided report has. */
TEST(a_number_of_two_loops)
{
	static uint32_t s[4000];
	uint32_t p[128];
	const uint64_t iterations = 6;
	size_t m = simple(p), n = 0, likely = 0;
	struct dp_loops *both, *one;

	for (size_t i = 0; i < iterations * m; i++)
		if (i / m % 2 || i % m < 20 || i % m >= 23 + i / m)
			s[n++] = p[i % m];
	for (size_t i = 0; i < iterations * m; i++)
		if (i % m < m - 3)
			s[n++] = 64 + p[i % m];
	both = find(s, n, 128, NULL, 0);
	one = find(s, n, 128, &iterations, 1);
	ck_assert_uint_eq(both->count, 2);
	for (size_t i = 0; i < both->count; i++) {
		ck_assert_uint_eq(complete(&both->loops[i]), iterations);
		if (dp_confidence__of(&both->loops[i].confidence) >
		    dp_confidence__of(&both->loops[likely].confidence))
			likely = i;
	}
	ck_assert_uint_eq(likely, 1);
	ck_assert_uint_eq(one->count, 1);
	ck_assert_uint_eq(one->loops[0].length, both->loops[likely].length);
	dp_loops__free(one);
	dp_loops__free(both);
}

/*
 * With more symbols than a tree has leaves: the number of a loop over the whole sequence, and of
 * one over a thousandth of it.
 */
TEST(a_number_beyond_a_tree)
{
	enum { LONG = 15000, RARE = 30, AT = 9000 };
	const uint64_t turns[] = { LONG, RARE };
	uint32_t p[128], *s;
	size_t m = simple(p), n = 0;

	s = malloc((LONG + RARE) * m * sizeof(*s));
	ck_assert_ptr_nonnull(s);
	for (size_t i = 0; i < LONG + RARE; i++)
		for (size_t k = 0; k < m; k++)
			s[n++] = p[k] + (i >= AT && i < AT + RARE ? 64 : 0);
	ck_assert_uint_gt(n, 1 << 20);
	for (size_t i = 0; i < 2; i++) {
		struct dp_loops *loops = find(s, n, 128, &turns[i], 1);

		ck_assert(loops->loops[0].chosen);
		ck_assert_int_eq(loops->loops[0].found_by, DP_FOUND_BY_COUNT);
		ck_assert_uint_eq(loops->loops[0].length, m);
		ck_assert_uint_eq(loops->loops[0].count, turns[i]);
		ck_assert_uint_eq(loops->loops[0].iterations[0].first, i ? AT * m : 0);
		ck_assert_uint_eq(loops->loops[0].iterations[turns[i] - 1].end,
				  i ? (AT + RARE) * m : n);
		dp_loops__free(loops);
	}
	free(s);
}

/*
 * What other loops leave is looked at in one piece, with separators where it was torn. A body that
 * comes a few times with one kernel behind it, and as often alone, may then get a separator for
 * that kernel when the majority is asked: no pattern has names that the sequence does not have.
 */
TEST(separators_are_no_kernels)
{
	uint32_t s[4000];

	for (size_t alone = 2; alone < 8; alone++) {
		for (size_t together = 2; together < 6; together++) {
			uint64_t counts[] = { 2 * (alone + 2), together + alone };
			struct dp_patterns patterns = { .count = 0 };
			struct dp_search_sequence sequence;
			size_t n = 0;

			for (size_t part = 0; part < alone + 2; part++) {
				size_t bodies = part == alone ? together : 1;

				for (uint32_t i = 0; i < 50; i++)
					s[n++] = i % 25;
				for (size_t k = 0; k < bodies && part <= alone; k++) {
					for (uint32_t i = 0; i < 10; i++)
						s[n++] = 30 + i;
					if (bodies > 1)
						s[n++] = 29;
				}
			}
			sequence = (struct dp_search_sequence){ s, n, 40, NULL, NULL };
			ck_assert_int_eq(dp_search__counts(&patterns, &sequence, counts, 2), DP_OK);
			dp_search_sequence__fini(&sequence);
			ck_assert_uint_gt(patterns.count, 0);
			for (size_t k = 0; k < patterns.count; k++)
				for (size_t i = 0; i < patterns.items[k].length; i++)
					ck_assert_uint_lt(patterns.items[k].symbols[i], 40);
			dp_patterns__fini(&patterns);
		}
	}
}

/* Random short sequences: no request breaks anything. */
TEST(anything_goes)
{
	uint64_t state = 11;

	for (int round = 0; round < (DP_SANITIZED ? 600 : 3000); round++) {
		uint32_t s[120], alphabet;
		size_t n;
		uint64_t counts[3];

		state = state * 6364136223846793005u + 1442695040888963407u;
		n = 1 + (state >> 40) % 119;
		alphabet = 1 + (state >> 20) % 5;
		for (size_t i = 0; i < n; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			s[i] = (uint32_t)(state >> 33) % alphabet;
			if (round % 2 && i >= 11)
				s[i] = s[i - 11];
		}
		for (size_t k = 0; k < 3; k++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			counts[k] = 1 + (state >> 33) % n;
		}
		for (size_t k = 0; k < 4; k++) {
			struct dp_loops *loops = find(s, n, alphabet, counts, k);

			check_loops(loops, s, n);
			dp_loops__free(loops);
		}
	}
}

/* Repeats symbols [first, first + length) `times` times. Returns the new count. */
static size_t repeat(uint32_t *s, size_t n, uint32_t first, uint32_t length, size_t times)
{
	for (size_t i = 0; i < times * length; i++)
		s[n++] = first + (uint32_t)(i % length);
	return n;
}

static void check_headline(const uint32_t *s, size_t n, size_t count, size_t length)
{
	struct dp_loops *loops = find(s, n, 64, NULL, 0);
	const struct dp_sequence_loop *loop = dp_loops__main(loops);

	check_loops(loops, s, n);
	ck_assert_ptr_nonnull(loop);
	ck_assert_uint_eq(loop->count, count);
	ck_assert_uint_eq(loop->length, length);
	dp_loops__free(loops);
}

/*
 * A kernel of every second step is another one, for example because its operand is not aligned: two
 * steps are no iteration, although their layers repeat at shorter distances.
 */
TEST(steps_that_alternate_in_a_kernel)
{
	static uint32_t s[160 * 93];
	size_t n = 0;

	for (uint32_t i = 0; i < 160; i++) {
		n = repeat(s, n, 0, 3, 1);
		n = repeat(s, n, 3, 7, 12);
		n = repeat(s, n, 10, 4, 1);
		s[n++] = 20 + i % 2;
		s[n++] = 22;
	}
	check_headline(s, n, 160, 93);
}

/* Half of a step's layers, and as many kernels as a few layers around them, are no half step. */
TEST(halves_of_layers_are_no_steps)
{
	static uint32_t s[80 * 350];
	size_t n = 0;

	for (size_t i = 0; i < 80; i++) {
		n = repeat(s, n, 0, 7, 48);
		n = repeat(s, n, 7, 14, 1);
	}
	check_headline(s, n, 80, 350);
}

/*
 * Few iterations with an inner loop of any length, found with runs collapsed, may be layers as much
 * as those of equal length.
 */
TEST(few_collapsed_iterations_may_be_layers)
{
	static const size_t times[] = { 9, 14, 6, 21, 11, 8, 17, 12 };
	const struct dp_sequence_loop *loop;
	struct dp_loops *loops;
	uint32_t s[2000];
	size_t n = 0;

	for (size_t i = 0; i < DP_COUNT(times); i++) {
		n = repeat(s, n, 0, 30, 1);
		n = repeat(s, n, 30, 2, times[i]);
		n = repeat(s, n, 32, 30, 1);
	}
	loops = find(s, n, 62, NULL, 0);
	check_loops(loops, s, n);
	loop = dp_loops__main(loops);
	ck_assert_ptr_nonnull(loop);
	ck_assert_uint_eq(loop->count, DP_COUNT(times));
	ck_assert(loop->may_be_pass);
	dp_loops__free(loops);
}

/*
 * A solver that sweeps more often from the middle of the run on: one length of its steps with few
 * edits explains all, but too many of them.
 */
TEST(steps_with_more_sweeps_are_as_many)
{
	static uint32_t s[80 * 280];
	size_t n = 0;

	for (size_t i = 0; i < 80; i++) {
		n = repeat(s, n, 0, 1, i < 40 ? 220 : 260);
		n = repeat(s, n, 1, 12, 1);
	}
	check_headline(s, n, 80, 232);
}
