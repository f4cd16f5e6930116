/* Loops of iterations whose boundaries annotations give. */
#include "known_loop.h"
#include "loop_checks.h"
#include "test.h"

TEST(marks_give_loops)
{
	uint32_t s[] = { 9, 1, 2, 3, 4, 1, 2, 7, 3, 4, 8, 8, 1, 2, 4, 1, 2, 3, 4 };
	size_t starts[] = { 1, 5, 12, 15 }, ends[] = { 5, 10, 15, 19 };
	struct dp_loops *loops = mark(s, starts, ends, 4, SIZE_MAX);

	check_loops(loops, s, 19);
	ck_assert_uint_eq(loops->count, 1);
	ck_assert_uint_eq(loops->loops[0].length, 4);
	ck_assert_uint_eq(loops->loops[0].occurrences, 2);
	ck_assert_uint_eq(loops->loops[0].iterations[1].inserted, 1);
	ck_assert_uint_eq(loops->loops[0].iterations[2].deleted, 1);
	ck_assert_uint_eq(loops->loops[0].iterations[3].variant, 0);
	dp_loops__free(loops);
}

/* Others are not compared with an iteration that is known to be cut off, whatever its length. */
TEST(marks_that_are_cut_off)
{
	uint32_t s[] = { 1, 2, 3, 4, 5, 6, 1, 2, 3 };
	size_t starts[] = { 0, 6 }, ends[] = { 6, 9 };

	for (size_t split = 3; split <= 6; split += 3) {
		starts[1] = ends[0] = split;
		for (int first = 0; first < 2; first++) {
			struct dp_loops *loops = mark(s, starts, ends, 2, (size_t)!first);
			const struct dp_sequence_loop *loop = &loops->loops[0];

			ck_assert(loop->iterations[0].partial == first);
			ck_assert(loop->iterations[1].partial == !first);
			ck_assert_uint_eq(loop->length, ends[first] - starts[first]);
			ck_assert_uint_eq(loop->iterations[first].variant, 0);
			dp_loops__free(loops);
		}
	}
}

/* The cut may have been right behind its last kernel: then it lacks nothing. */
TEST(cut_off_without_a_loss)
{
	uint32_t s[] = { 1, 2, 3, 1, 2, 3, 1, 2, 3 };
	size_t starts[] = { 0, 3, 6 }, ends[] = { 3, 6, 9 };
	struct dp_loops *loops = mark(s, starts, ends, 3, 2);

	ck_assert(loops->loops[0].iterations[2].partial);
	ck_assert_uint_eq(loops->loops[0].iterations[2].deleted, 0);
	dp_loops__free(loops);
}
