/* Iterations that repeat something a different number of times each: recurrent networks. */
#include "loops/loops.h"
#include "test.h"

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
	EVALUATION,
	EVALUATIONS = 20,
	ALPHABET = EVALUATION + EVALUATIONS,
};

static uint32_t symbols[ROOM];
static size_t count, starts[STEPS], ends[STEPS];

/* How steps follow each other. */
struct steps {
	uint64_t seed;
	uint32_t before, after; /* fills of gradients that end a step, and that begin the next */
};

static void kernels(uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		ck_assert_uint_lt(count, ROOM);
		symbols[count++] = first + i;
	}
}

/* Steps of a recurrent network over sequences of any length. */
static void recurrent(const struct steps *steps)
{
	uint64_t rng = steps->seed;

	count = 0;
	for (size_t i = 0; i < STEPS; i++) {
		size_t length;

		rng = rng * 6364136223846793005u + 1442695040888963407u;
		length = 10 + (size_t)(rng >> 33) % 41;
		starts[i] = count;
		for (uint32_t k = 0; k < steps->after; k++)
			kernels(FILL, 1);
		kernels(HEAD, HEADS);
		for (size_t k = 0; k < length; k++)
			kernels(FORWARD, CELL);
		kernels(LOSS, LOSSES);
		for (size_t k = 0; k < length; k++)
			kernels(BACKWARD, BACK);
		kernels(UPDATE, 1);
		for (uint32_t k = 0; k < steps->before; k++)
			kernels(FILL, 1);
		ends[i] = count;
	}
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
		.launch_interval_ns = is_start(index) ? 205000 : 9000,
		.kind = symbols[index] == UPDATE ? DP_KERNEL_FINISHES : 0,
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

/* Next to no other step, one may lack what it begins or ends with of one kind. */
static bool is_step(const struct steps *steps, const struct dp_sequence_iteration *s, size_t k)
{
	bool alone_before = k == 0 || ends[k - 1] != starts[k];
	bool alone_behind = k + 1 == STEPS || ends[k] != starts[k + 1];

	return s->first >= starts[k] && s->first - starts[k] <= (alone_before ? steps->after : 0) &&
	       s->end <= ends[k] && ends[k] - s->end <= (alone_behind ? steps->before : 0);
}

static void check_steps(const struct steps *steps, bool launches)
{
	struct dp_loops *loops = find(launches);
	size_t chosen = 0;

	for (size_t i = 0; i < loops->count; i++) {
		const struct dp_sequence_loop *l = &loops->loops[i];

		if (!l->chosen)
			continue;
		chosen++;
		ck_assert_msg(l->count == STEPS, "%u before, %u after: %zu steps", steps->before,
			      steps->after, l->count);
		for (size_t k = 0; k < STEPS; k++)
			ck_assert_msg(is_step(steps, &l->iterations[k], k),
				      "%u before, %u after: step %zu is [%zu, %zu), not [%zu, %zu)",
				      steps->before, steps->after, k, l->iterations[k].first,
				      l->iterations[k].end, starts[k], ends[k]);
	}
	ck_assert_uint_eq(chosen, 1);
	dp_loops__free(loops);
}

/* Names tell a boundary next to a repetition, but not one inside it. */
TEST_LOOP(names_tell_a_boundary_next_to_a_repetition, 3)
{
	static const struct steps cases[] = {
		{ .seed = 1, .before = 0, .after = 0 }, { .seed = 1, .before = 5, .after = 0 },
		{ .seed = 1, .before = 0, .after = 6 },
	};

	recurrent(&cases[_i]);
	check_steps(&cases[_i], false);
}

/* If a sequence begins at an arbitrary place, fills before the first step belong to another one. */
TEST_LOOP(a_beginning_by_chance_tells_nothing, 2)
{
	for (uint32_t left = 1; left <= 3; left++) {
		struct steps steps = { .seed = 1, .before = 5 + 4 * (uint32_t)_i };
		struct dp_loops_request r = { .alphabet = ALPHABET, .epsilon = 1 };
		struct dp_loops *loops;
		size_t cut;

		recurrent(&steps);
		cut = ends[0] - left;
		r.symbols = symbols + cut;
		r.count = count - cut;
		r.evidence.open_begin = r.evidence.open_end = true;
		ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
		ck_assert_uint_ge(loops->count, 1);
		for (size_t k = 0; k < loops->loops[0].count; k++) {
			const struct dp_sequence_iteration *s = &loops->loops[0].iterations[k];

			ck_assert(s->partial || is_start(s->first + cut));
		}
		dp_loops__free(loops);
	}
}

/* Cells that repeat more often than steps do may be nearly all there is. */
TEST(the_step_is_what_has_the_update)
{
	struct steps steps = { .seed = 2 };

	recurrent(&steps);
	check_steps(&steps, true);
}

/* Batches that each contain a long loop with a varying number of repetitions. */
TEST(long_repetitions_are_no_differences)
{
	enum { BATCHES = 16 };
	struct dp_loops_request r = { .symbols = symbols, .alphabet = 300, .epsilon = 1 };
	const struct dp_sequence_loop *loop = NULL;
	struct dp_loops *loops = NULL;

	count = 0;
	for (uint32_t i = 0; i < BATCHES; i++) {
		starts[i] = count;
		kernels(0, 150);
		for (uint32_t k = 0; k < 70 + i * 7919 % 31; k++)
			kernels(200, 10);
		kernels(250, 50);
	}
	r.count = count;
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	for (size_t i = 0; i < loops->count; i++)
		if (loops->loops[i].chosen)
			loop = &loops->loops[i];
	ck_assert_ptr_nonnull(loop);
	ck_assert_uint_eq(loop->count, BATCHES);
	for (size_t i = 0; i < BATCHES; i++)
		ck_assert_uint_eq(loop->iterations[i].first, starts[i]);
	dp_loops__free(loops);
}

/*
 * Batches of the same size except for the last, which is whole. One that the capture cuts off
 * inside either loop is not.
 */
TEST_LOOP(a_smaller_last_batch_is_whole, 3)
{
	enum { BATCHES = 12, ITEMS = 60, LAST = 20 };
	struct dp_loops *loops;
	size_t batch, whole = 0, partial = 0;

	count = 0;
	kernels(EVALUATION, EVALUATIONS);
	for (size_t i = 0; i < BATCHES; i++) {
		size_t items = i + 1 < BATCHES ? ITEMS : LAST;

		starts[i] = count;
		for (size_t k = 0; k < items; k++)
			kernels(FORWARD, CELL);
		kernels(LOSS, LOSSES);
		for (size_t k = 0; k < items; k++)
			kernels(BACKWARD, BACK);
		kernels(UPDATE, 1);
		ends[i] = count;
	}
	batch = ends[0] - starts[0];
	kernels(HEAD, HEADS);
	if (_i > 0)
		count = ends[BATCHES - 1] - (_i == 1 ? 5 * BACK : 30 * BACK);
	loops = find(false);
	for (size_t i = 0; i < loops->count; i++) {
		const struct dp_sequence_loop *l = &loops->loops[i];

		for (size_t k = 0; k < l->count && l->length == batch; k++) {
			ck_assert_uint_lt(k, BATCHES);
			ck_assert_uint_eq(l->iterations[k].first, starts[k]);
			if (!l->iterations[k].partial)
				ck_assert_uint_eq(l->iterations[k].end, ends[k]);
			whole += !l->iterations[k].partial;
			partial += l->iterations[k].partial;
		}
	}
	dp_loops__free(loops);
	ck_assert_uint_eq(whole, _i ? BATCHES - 1 : BATCHES);
	ck_assert_uint_le(partial, _i > 0);
}

/*
 * Names alone: micro-batches, and an update of three kernels for each parameter. What follows the
 * update begins once per micro-batch, and the step ends with the update nevertheless.
 */
TEST_LOOP(micro_batches_hide_no_update, 3)
{
	enum { PARAMETERS = 60, LENGTH = 600, CUT = 333, TURNS = 12 };
	size_t batches = (size_t)_i + 1, length = LENGTH + 3 * PARAMETERS, hits = 0;
	struct dp_loops_request r = { .symbols = symbols, .alphabet = LENGTH + 3 };
	const struct dp_sequence_loop *loop;
	struct dp_loops *loops;

	count = 0;
	for (size_t turn = 0; turn < TURNS; turn++) {
		for (size_t k = 0; k < batches; k++)
			kernels(3, (uint32_t)(LENGTH / batches));
		for (size_t k = 0; k < PARAMETERS; k++)
			kernels(0, 3);
	}
	/* from within one */
	count -= CUT;
	memmove(symbols, symbols + CUT, count * sizeof(*symbols));
	r.count = count;
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	loop = dp_loops__main(loops);
	ck_assert_ptr_nonnull(loop);
	for (size_t i = 0; i < loop->count; i++)
		hits += (loop->iterations[i].first + CUT) % length == 0;
	ck_assert_uint_ge(hits, TURNS - 1);
	dp_loops__free(loops);
}
