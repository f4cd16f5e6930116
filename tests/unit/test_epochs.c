/* Steps in epochs with an evaluation after each: the loop with the optimizer is the iteration. */
#include "loops/loops.h"
#include "test.h"

#include <string.h>

enum { ROOM = 1 << 16 };

/* A program. At regular places of a step one of two is taken, as shapes are. */
static const struct program {
	uint32_t steps, epochs, kernels, evaluation, choice, more; /* steps of an epoch, at most */
	uint64_t seed;
} programs[] = {
	{ 8, 8, 10, 10, 2, 4, 1 },
	{ 12, 8, 40, 10, 3, 9, 2 },
	{ 12, 8, 25, 30, 1000, 3, 4 },
	{ 31, 8, 40, 60, 3, 4, 2 },
};

static uint32_t symbols[ROOM], update;
static size_t count, step_count;

static uint32_t below(uint64_t *rng, uint32_t n)
{
	*rng = *rng * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*rng >> 33) % n;
}

static void put(uint32_t symbol)
{
	ck_assert_uint_lt(count, ROOM);
	symbols[count++] = symbol;
}

static uint32_t make(const struct program *p)
{
	uint64_t rng = p->seed;

	count = step_count = 0;
	update = 2 * p->kernels;
	for (uint32_t e = 0; e < p->epochs; e++) {
		uint32_t steps = p->steps + below(&rng, p->more);

		for (uint32_t t = 0; t < steps; t++) {
			for (uint32_t k = 0; k < p->kernels; k++)
				put(2 * k + (k % p->choice ? 0 : below(&rng, 2)));
			put(update);
		}
		step_count += steps;
		for (uint32_t k = 0; k < p->evaluation; k++)
			put(update + 1 + k);
	}
	return update + 1 + p->evaluation;
}

static void at_update(void *ctx, size_t index, struct dp_evidence_at *out)
{
	(void)ctx;
	*out = (struct dp_evidence_at){
		.kernel_gap_ns = -1,
		.launch_gap_ns = -1,
		.launch_interval_ns = -1,
		.kind = symbols[index] == update ? DP_KERNEL_FINISHES : 0,
	};
}

TEST_LOOP(a_step_is_chosen_and_nothing_around_it, DP_COUNT(programs))
{
	const struct program *p = &programs[_i];
	struct dp_loops_request r = { .symbols = symbols, .epsilon = 1 };
	struct dp_loops *loops;
	size_t chosen = 0;

	r.alphabet = make(p);
	r.count = count;
	r.evidence.at = at_update;
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	for (size_t i = 0; i < loops->count; i++) {
		if (!loops->loops[i].chosen)
			continue;
		chosen++;
		ck_assert_uint_eq(loops->loops[i].length, p->kernels + 1);
		ck_assert_uint_eq(loops->loops[i].count, step_count);
	}
	ck_assert_uint_eq(chosen, 1);
	dp_loops__free(loops);
}
