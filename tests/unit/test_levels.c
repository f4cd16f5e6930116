/* Levels of loops: what goes round what, and which of them is the iteration. */
#include "segment/loops.h"

#include <check.h>
#include <string.h>

enum { ROOM = 1 << 16 };

static uint32_t symbols[ROOM];
static size_t count;

static void put(uint32_t symbol)
{
	ck_assert_uint_lt(count, ROOM);
	symbols[count++] = symbol;
}

/* Kernels [first, first + n), after each other. */
static void kernels(uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		put(first + i);
}

/* Layers of equal kernels, between others. */
static void network(uint32_t first, size_t layers)
{
	kernels(first, 3);
	for (size_t i = 0; i < layers; i++)
		kernels(first + 3, 7);
	kernels(first + 10, 4);
}

static struct dp_loops *find(uint32_t alphabet)
{
	struct dp_loops_request r = {
		.symbols = symbols, .count = count, .alphabet = alphabet, .epsilon = 1
	};
	struct dp_loops *loops = NULL;

	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	return loops;
}

static const struct dp_segmented_loop *chosen(const struct dp_loops *loops)
{
	for (size_t i = 0; i < loops->count; i++)
		if (loops->loops[i].chosen)
			return &loops->loops[i];
	ck_abort_msg("no loop is chosen");
	return NULL;
}

static void check_starts(const struct dp_segmented_loop *loop, const size_t *starts, size_t n)
{
	ck_assert_uint_eq(loop->count, n);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(loop->segments[i].first, starts[i]);
}

/* Decoding steps, and how many come after each prefill. */
static const size_t steps[] = { 9, 14, 6, 21, 11, 8, 17, 12 };

static size_t requests(size_t *starts, uint32_t prefill, uint32_t changed)
{
	size_t n = 0;

	count = 0;
	for (size_t i = 0; i < DP_COUNT(steps); i++) {
		size_t from = count;

		starts[i] = count;
		network(prefill, 12);
		/* the prefill is the same network, but for its ends and some kernels of layers */
		for (size_t k = from; changed && k < count; k++)
			if (symbols[k] == prefill + 4 || symbols[k] == prefill + 6 || k == from ||
			    k + 1 == count)
				symbols[k] += changed;
		for (size_t k = 0; k < steps[i]; k++, n++)
			network(20, 12);
	}
	return n;
}

START_TEST(requests_of_any_length_are_a_loop)
{
	/* a prefill that is another network, and one that is nearly the same */
	static const uint32_t prefill[] = { 40, 20 }, changed[] = { 0, 40 };
	size_t starts[DP_COUNT(steps)], n = requests(starts, prefill[_i], changed[_i]);
	struct dp_loops *loops = find(128);
	const struct dp_segmented_loop *decode = chosen(loops);

	ck_assert_uint_eq(decode->length, 3 + 12 * 7 + 4);
	ck_assert_uint_eq(decode->count, n);
	ck_assert_uint_ne(decode->parent, DP_NONE);
	check_starts(&loops->loops[decode->parent], starts, DP_COUNT(steps));
	ck_assert(!loops->loops[decode->parent].chosen);
	dp_loops__free(loops);
}
END_TEST

/* Kernels for each of many parameters finish a step, by whatever names. */
START_TEST(micro_batches_are_inside_a_step)
{
	size_t starts[20];
	struct dp_loops *loops;
	const struct dp_segmented_loop *step;
	bool inside = false;

	count = 0;
	for (size_t i = 0; i < DP_COUNT(starts); i++) {
		starts[i] = count;
		for (size_t k = 0; k < 5; k++)
			network(0, 12);
		for (size_t k = 0; k < 60; k++)
			kernels(20, 2);
	}
	loops = find(22);
	step = chosen(loops);
	check_starts(step, starts, DP_COUNT(starts));
	for (size_t i = 0; i < loops->count; i++)
		inside |= loops->loops[i].length == 91 && loops->loops[i].count == 100 &&
			  loops->loops[loops->loops[i].parent].length == step->length;
	ck_assert(inside);
	dp_loops__free(loops);
}
END_TEST

/*
 * What a few kernels do for each parameter ends a step, though the capture begins and ends within
 * one: gradients that are cleared, one kernel for each, do not.
 */
START_TEST(updates_of_parameters_end_a_step)
{
	enum { PARAMETERS = 20, STEPS = 10, HEAD = 47, TAIL = 31 };
	size_t length, starts[STEPS];

	count = 0;
	for (size_t step = 0; step < STEPS; step++) {
		network(0, 4);
		for (size_t i = 0; i < PARAMETERS; i++)
			put(20);
		network(30, 4);
		for (size_t i = 0; i < PARAMETERS; i++)
			kernels(50, 3);
	}
	length = count / STEPS;
	memmove(symbols, symbols + HEAD, (count - HEAD) * sizeof(*symbols));
	count -= HEAD + TAIL;
	for (size_t i = 0; i + 1 < STEPS; i++)
		starts[i] = (i + 1) * length - HEAD;

	struct dp_loops *loops = find(53);
	const struct dp_segmented_loop *loop = chosen(loops);

	ck_assert_int_eq(loop->phase, DP_PHASE_FINISH_KERNEL);
	ck_assert_uint_eq(loop->length, length);
	ck_assert(loop->segments[0].partial && loop->segments[STEPS - 1].partial);
	ck_assert_uint_eq(loop->count, STEPS);
	for (size_t i = 1; i < STEPS; i++)
		ck_assert_uint_eq(loop->segments[i].first, starts[i - 1]);
	dp_loops__free(loops);
}
END_TEST

/* The first iteration's first kernels and the last one's last ones have other names. */
START_TEST(iterations_with_other_ends_are_whole)
{
	struct dp_loops *loops;
	const struct dp_segmented_loop *loop;

	count = 0;
	for (size_t i = 0; i < 12; i++) {
		network(0, 8);
		network(20, 6);
	}
	symbols[0] = symbols[1] = 40;
	symbols[count - 1] = 41;
	loops = find(42);
	loop = chosen(loops);
	ck_assert_uint_eq(loop->count, 12);
	ck_assert_uint_eq(loop->segments[0].first, 0);
	ck_assert_uint_eq(loop->segments[11].end, count);
	ck_assert(!loop->segments[0].partial && !loop->segments[11].partial);
	ck_assert_uint_eq(loop->segments[0].substituted, 2);
	ck_assert_uint_eq(loop->segments[11].substituted, 1);
	dp_loops__free(loops);
}
END_TEST

/* Two loops that take turns and begin with the same kernels: each has all its iterations. */
START_TEST(loops_that_begin_alike_are_told_apart)
{
	enum { EPOCHS = 5, TRAIN = 10, EVAL = 5 };
	size_t train[EPOCHS * TRAIN], eval[EPOCHS * EVAL], epochs[EPOCHS], trained = 0,
									   evaluated = 0;
	struct dp_loops *loops;

	count = 0;
	for (size_t epoch = 0; epoch < EPOCHS; epoch++) {
		epochs[epoch] = count;
		for (size_t i = 0; i < TRAIN; i++) {
			train[trained++] = count;
			network(0, 4);
			network(20, 4);
		}
		for (size_t i = 0; i < EVAL; i++) {
			eval[evaluated++] = count;
			network(0, 4);
		}
	}
	loops = find(34);
	ck_assert_uint_ge(loops->count, 3);
	check_starts(&loops->loops[0], epochs, EPOCHS);
	check_starts(&loops->loops[1], train, trained);
	check_starts(&loops->loops[2], eval, evaluated);
	ck_assert(!loops->loops[0].chosen && loops->loops[1].chosen && loops->loops[2].chosen);
	ck_assert_uint_eq(loops->loops[1].parent, 0);
	ck_assert_uint_eq(loops->loops[2].parent, 0);
	dp_loops__free(loops);
}
END_TEST

static void fill(TCase *tests)
{
	tcase_add_loop_test(tests, requests_of_any_length_are_a_loop, 0, 2);
	tcase_add_test(tests, micro_batches_are_inside_a_step);
	tcase_add_test(tests, iterations_with_other_ends_are_whole);
	tcase_add_test(tests, updates_of_parameters_end_a_step);
	tcase_add_test(tests, loops_that_begin_alike_are_told_apart);
}

#include "test_main.h"
