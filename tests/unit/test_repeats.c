/* Iterations that repeat something a different number of times each: recurrent networks. */
#include "segment/loops.h"

#include <check.h>
#include <string.h>

enum {
	ROOM = 1 << 17,
	STEPS = 40,
	CELL = 7,
	BACK = 11,
	FILL, /* names from here on */
	FORWARD = FILL + 1,
	BACKWARD = FORWARD + CELL,
	LOSS = BACKWARD + BACK,
	LOSSES = 14,
	HEAD = LOSS + LOSSES,
	HEADS = 14,
	UPDATE = HEAD + HEADS,
	ALPHABET,
};

static uint32_t symbols[ROOM];
static size_t count, starts[STEPS + 1];

static void kernels(uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		ck_assert_uint_lt(count, ROOM);
		symbols[count++] = first + i;
	}
}

/*
 * Steps of a recurrent network over sequences of any length. Of the fills of
 * gradients, the same kernel over and over, `before` are the last of a step and `after` the first
 * of the next.
 */
static void recurrent(uint64_t seed, uint32_t before, uint32_t after)
{
	uint64_t rng = seed;

	count = 0;
	for (size_t i = 0; i < STEPS; i++) {
		size_t length;

		rng = rng * 6364136223846793005u + 1442695040888963407u;
		length = 10 + (size_t)(rng >> 33) % 41;
		starts[i] = count;
		for (uint32_t k = 0; k < after; k++)
			kernels(FILL, 1);
		kernels(HEAD, HEADS);
		for (size_t k = 0; k < length; k++)
			kernels(FORWARD, CELL);
		kernels(LOSS, LOSSES);
		for (size_t k = 0; k < length; k++)
			kernels(BACKWARD, BACK);
		kernels(UPDATE, 1);
		for (uint32_t k = 0; k < before; k++)
			kernels(FILL, 1);
	}
	starts[STEPS] = count;
}

static bool is_start(size_t index)
{
	for (size_t i = 0; i < STEPS; i++)
		if (starts[i] == index)
			return true;
	return false;
}

static void at_launch(void *ctx, size_t index, struct dp_evidence_at *out)
{
	(void)ctx;
	*out = (struct dp_evidence_at){
		.has_launch = true,
		.launch_gap_ns = is_start(index) ? 200000 : 4000,
		.launch_wait_ns = is_start(index) ? 205000 : 9000,
		.finishes_step = symbols[index] == UPDATE,
	};
}

static struct dp_loops *find(bool launches)
{
	struct dp_loops_request r = {
		.symbols = symbols, .count = count, .alphabet = ALPHABET, .epsilon = 1
	};
	struct dp_loops *loops = NULL;

	if (launches)
		r.evidence = (struct dp_evidence){ .at = at_launch, .launches_recorded = true };
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	return loops;
}

static void check_steps(bool launches)
{
	struct dp_loops *loops = find(launches);
	size_t chosen = 0;

	for (size_t i = 0; i < loops->count; i++) {
		const struct dp_segmented_loop *l = &loops->loops[i];

		if (!l->chosen)
			continue;
		chosen++;
		ck_assert_uint_eq(l->count, STEPS);
		for (size_t k = 0; k < STEPS; k++) {
			ck_assert_uint_eq(l->segments[k].first, starts[k]);
			ck_assert_uint_eq(l->segments[k].end, starts[k + 1]);
		}
	}
	ck_assert_uint_eq(chosen, 1);
	dp_loops__free(loops);
}

/* What ends a step and what begins the next are one repetition, and the boundary inside it. */
START_TEST(a_boundary_may_be_inside_a_repetition)
{
	static const struct {
		uint32_t before, after;
		bool names_tell;
	} cases[] = {
		{ 0, 0, true }, { 5, 0, true },	 { 7, 1, true },
		{ 9, 2, true }, { 1, 5, false }, { 0, 6, true },
	};

	recurrent(1, cases[_i].before, cases[_i].after);
	check_steps(true);
	if (cases[_i].names_tell)
		check_steps(false);
}
END_TEST

/* Cells that go round more often than steps do may be nearly all there is. */
START_TEST(the_step_is_what_has_the_update)
{
	recurrent(2, 0, 0);
	check_steps(true);
}
END_TEST

static void fill(TCase *tests)
{
	tcase_add_loop_test(tests, a_boundary_may_be_inside_a_repetition, 0, 6);
	tcase_add_test(tests, the_step_is_what_has_the_update);
}

#include "test_main.h"
