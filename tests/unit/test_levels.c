/* Levels of loops: what repeats what, and which of them is the iteration. */
#include "known_loop.h"
#include "loops/loops.h"
#include "test.h"

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

static const struct dp_sequence_loop *chosen(const struct dp_loops *loops)
{
	for (size_t i = 0; i < loops->count; i++)
		if (loops->loops[i].chosen)
			return &loops->loops[i];
	ck_abort_msg("no loop is chosen");
	return NULL;
}

static void check_starts(const struct dp_sequence_loop *loop, const size_t *starts, size_t n)
{
	ck_assert_uint_eq(loop->count, n);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(loop->iterations[i].first, starts[i]);
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

TEST_LOOP(requests_of_any_length_are_a_loop, 2)
{
	/* a prefill that is another network, and one that is nearly the same */
	static const uint32_t prefill[] = { 40, 20 }, changed[] = { 0, 40 };
	size_t starts[DP_COUNT(steps)], n = requests(starts, prefill[_i], changed[_i]);
	struct dp_loops *loops = find(128);
	const struct dp_sequence_loop *decode = chosen(loops);

	ck_assert_uint_eq(decode->length, 3 + 12 * 7 + 4);
	ck_assert_uint_eq(decode->count, n);
	ck_assert_uint_ne(decode->parent, DP_NONE);
	check_starts(&loops->loops[decode->parent], starts, DP_COUNT(steps));
	ck_assert(!loops->loops[decode->parent].chosen);
	dp_loops__free(loops);
}

/* Kernels for each of many parameters finish a step, whatever their names. */
TEST(micro_batches_are_inside_a_step)
{
	size_t starts[20];
	struct dp_loops *loops;
	const struct dp_sequence_loop *step;
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

/*
 * A few kernels per parameter end a step, even if the capture begins and ends within one; clearing
 * gradients, with one kernel for each, does not.
 */
TEST(updates_of_parameters_end_a_step)
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
	const struct dp_sequence_loop *loop = chosen(loops);

	ck_assert_int_eq(loop->phase_by, DP_PHASE_FINISH_KERNEL);
	ck_assert_uint_eq(loop->length, length);
	ck_assert(loop->iterations[0].partial && loop->iterations[STEPS - 1].partial);
	ck_assert_uint_eq(loop->count, STEPS);
	for (size_t i = 1; i < STEPS; i++)
		ck_assert_uint_eq(loop->iterations[i].first, starts[i - 1]);
	dp_loops__free(loops);
}

/* The first iteration's first kernels and the last one's last ones have other names. */
TEST(iterations_with_other_ends_are_whole)
{
	struct dp_loops *loops;
	const struct dp_sequence_loop *loop;

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
	ck_assert_uint_eq(loop->iterations[0].first, 0);
	ck_assert_uint_eq(loop->iterations[11].end, count);
	ck_assert(!loop->iterations[0].partial && !loop->iterations[11].partial);
	ck_assert_uint_eq(loop->iterations[0].substituted, 2);
	ck_assert_uint_eq(loop->iterations[11].substituted, 1);
	dp_loops__free(loops);
}

/* Two loops that take turns and begin with the same kernels: each has all its iterations. */
TEST(loops_that_begin_alike_are_distinguished)
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

/* A marked loop gets the loops inside, around and next to it, but no copy of itself. */
TEST(marks_are_part_of_a_tree)
{
	enum { EPOCHS = 5, TRAIN = 10, EVAL = 5, MARKS = EPOCHS * TRAIN };
	size_t starts[MARKS], ends[MARKS], eval[EPOCHS * EVAL], epochs[EPOCHS],
		trained = 0, evaluated = 0, layers = 0;
	struct dp_loops *tree, *loops;

	count = 0;
	for (size_t epoch = 0; epoch < EPOCHS; epoch++) {
		epochs[epoch] = count;
		for (size_t i = 0; i < TRAIN; i++) {
			starts[trained] = count;
			network(0, 6);
			network(14, 6);
			ends[trained++] = count;
		}
		for (size_t i = 0; i < EVAL; i++) {
			eval[evaluated++] = count;
			network(0, 6);
			kernels(28, 9);
		}
		kernels(40, 3);
	}
	tree = find(44);
	loops = mark(symbols, starts, ends, trained, SIZE_MAX);
	ck_assert_int_eq(dp_loops__add_adjacent(loops, tree), DP_OK);
	dp_loops__free(tree);

	ck_assert_uint_ge(loops->count, 4);
	check_starts(&loops->loops[0], epochs, EPOCHS);
	ck_assert(!loops->loops[0].chosen && loops->loops[0].parent == DP_NONE);
	check_starts(&loops->loops[1], starts, trained);
	ck_assert(loops->loops[1].chosen && loops->loops[1].found_by == DP_FOUND_BY_MARKS);
	ck_assert_uint_eq(loops->loops[1].parent, 0);
	check_starts(&loops->loops[2], eval, evaluated);
	ck_assert(loops->loops[2].chosen && loops->loops[2].found_by == DP_FOUND_BY_AUTO);
	ck_assert_uint_eq(loops->loops[2].parent, 0);
	for (size_t i = 3; i < loops->count; i++) {
		ck_assert(!loops->loops[i].chosen && loops->loops[i].length == 7);
		layers += loops->loops[i].parent == 1;
	}
	ck_assert_uint_eq(layers, 2);
	dp_loops__free(loops);
}

/* Launches that show nothing except the name of an optimizer's kernel. */
static void at_launch(void *ctx, size_t index, struct dp_evidence_at *out)
{
	*out = (struct dp_evidence_at){
		.kernel_gap_ns = 1000,
		.launch_gap_ns = 5000,
		.has_launch = true,
		.kind = symbols[index] == *(uint32_t *)ctx ? DP_KERNEL_FINISHES : 0,
	};
}

/* The confidence of the loop that is found, or 0. */
static double confidence_with(uint32_t alphabet, uint32_t finishing)
{
	struct dp_loops_request r = {
		.symbols = symbols, .count = count, .alphabet = alphabet, .epsilon = 1
	};
	struct dp_loops *loops = NULL;
	double confidence;

	r.evidence = (struct dp_evidence){ .at = at_launch,
					   .ctx = &finishing,
					   .launches_recorded = true };
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	confidence = loops->count ? dp_confidence__of(&loops->loops[0].confidence) : 0;
	dp_loops__free(loops);
	return confidence;
}

/* The end of one pass through a network, and a whole one: its layers are no loop of a program. */
TEST(a_pass_and_a_half_is_no_loop)
{
	enum { LAYER = 30, BETWEEN = 21, NONE = 99 };

	count = 0;
	kernels(14, 16);
	for (size_t i = 0; i < 10; i++)
		kernels(0, LAYER);
	kernels(LAYER, BETWEEN);
	for (size_t i = 0; i < 24; i++)
		kernels(0, LAYER);
	ck_assert_double_eq(confidence_with(LAYER + BETWEEN, NONE), 0);
	/* with an optimizer in each of them they are steps */
	ck_assert_double_gt(confidence_with(LAYER + BETWEEN, LAYER - 1), 0.8);
	/*
	 * and if nothing comes between, a loop is more likely, but less so than with an optimizer
	 */
	count = 0;
	for (size_t i = 0; i < 34; i++)
		kernels(0, LAYER);
	ck_assert_double_ge(confidence_with(LAYER, NONE), 0.5);
	ck_assert_double_lt(confidence_with(LAYER, NONE), confidence_with(LAYER, LAYER - 1));
}

/* Steps without layers, of which one in a few has a few kernels more, or one less. */
static void flat_steps(size_t n, uint32_t length, size_t every, int more)
{
	count = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t less = more < 0 && i % every == every - 1;

		kernels(0, length / 2);
		kernels(length / 2 + less, length - length / 2 - less);
		if (more > 0 && i % every == every - 1)
			kernels(length, (uint32_t)more);
	}
}

static void check_steps(const struct dp_loops *loops, size_t n, size_t length)
{
	const struct dp_sequence_loop *step = chosen(loops);

	ck_assert_uint_eq(step->length, length);
	ck_assert_uint_eq(step->count, n);
}

/* A difference every tenth time does not make ten iterations one. */
TEST_LOOP(steps_that_differ_every_so_often_stay_steps, 9)
{
	static const struct {
		uint32_t length;
		size_t every;
		int more;
	} cases[] = {
		{ 179, 100, 1 }, { 179, 10, 3 },  { 50, 37, 1 }, { 400, 12, 9 }, { 50, 10, -1 },
		{ 120, 5, -1 },	 { 90, 100, -1 }, { 60, 3, 1 },	 { 9, 40, 1 },
	};
	size_t n = cases[_i].every * 3;
	struct dp_loops *loops;

	n = DP_MAX(n, (size_t)60) + 7;
	flat_steps(n, cases[_i].length, cases[_i].every, cases[_i].more);
	loops = find(cases[_i].length + 10);
	check_steps(loops, n, cases[_i].length);
	dp_loops__free(loops);
}

/* A capture from within the first iteration to kernels that are added to every 5th. */
TEST(kernels_added_to_the_last_step_move_no_boundary)
{
	const struct dp_sequence_loop *loop;
	struct dp_loops *loops;

	flat_steps(30, 100, 5, 4);
	count -= 20;
	memmove(symbols, symbols + 20, count * sizeof(*symbols));
	loops = find(104);
	loop = chosen(loops);
	ck_assert_uint_eq(loop->length, 100);
	ck_assert_uint_eq(loop->iterations[loop->count - 1].first, count - 104);
	dp_loops__free(loops);
}

/* But layers are no iterations, however little is around them, without other evidence. */
TEST(layers_stay_inside)
{
	struct dp_loops *loops;

	count = 0;
	for (size_t i = 0; i < 60; i++) {
		for (size_t k = 0; k < 30; k++)
			kernels(0, 13);
		kernels(13, 2);
	}
	loops = find(15);
	check_steps(loops, 60, 30 * 13 + 2);
	dp_loops__free(loops);
}

/* An upload before each kernel 0. */
static void at_upload(void *ctx, size_t index, struct dp_evidence_at *out)
{
	(void)ctx;
	*out = (struct dp_evidence_at){ .kernel_gap_ns = -1, .launch_gap_ns = -1 };
	out->after_upload = symbols[index] == 0;
}

/* Nor are they if one upload comes for all of them. */
TEST(layers_share_an_upload)
{
	struct dp_loops_request r = { .symbols = symbols, .alphabet = 102, .epsilon = 1 };
	struct dp_loops *loops = NULL;

	count = 0;
	for (size_t i = 0; i < 20; i++) {
		kernels(0, 1);
		for (size_t k = 0; k < 24; k++)
			kernels(1, 100);
		kernels(101, 1);
	}
	r.count = count;
	r.evidence.at = at_upload;
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	check_steps(loops, 20, 24 * 100 + 2);
	dp_loops__free(loops);
}

TEST(what_has_its_own_upload_is_a_step)
{
	struct dp_loops_request r = { .symbols = symbols, .alphabet = 73, .epsilon = 1 };
	struct dp_loops *loops = NULL;

	flat_steps(100, 60, 10, 12);
	r.count = count;
	r.evidence.at = at_upload;
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	check_steps(loops, 100, 60);
	dp_loops__free(loops);
}

/*
 * The pipeline of an image generator: an encoder, four denoising steps, a decoder. Queries and keys
 * are treated alike in each layer of a step, which is no structure that would make a step of it.
 */
TEST(few_long_steps_between_others)
{
	enum { STEPS = 4, LAYERS = 18 };
	size_t starts[STEPS], step = 40 + LAYERS * 29 + LAYERS * 11 + 30;
	struct dp_loops *loops;

	count = 0;
	for (size_t k = 0; k < 24; k++)
		kernels(0, 41);
	for (size_t i = 0; i < STEPS; i++) {
		starts[i] = count;
		kernels(50, 40);
		for (size_t k = 0; k < LAYERS; k++) {
			kernels(90, 6);
			kernels(96, 5);
			kernels(96, 5);
			kernels(101, 13);
		}
		for (size_t k = 0; k < LAYERS; k++)
			kernels(120, 11);
		kernels(140, 30);
	}
	for (uint32_t k = 0; k < 300; k++)
		put(170 + k * k % 61);
	loops = find(231);
	check_starts(chosen(loops), starts, STEPS);
	ck_assert_uint_eq(chosen(loops)->length, step);
	dp_loops__free(loops);
}

/* What follows some steps has kernels that a step begins with, in their order. */
TEST(what_comes_between_is_no_beginning)
{
	static const uint32_t between[] = { 50, 51, 0, 52, 53, 1, 54 };
	size_t starts[40];
	struct dp_loops *loops;

	count = 0;
	for (size_t i = 0; i < DP_COUNT(starts); i++) {
		starts[i] = count;
		kernels(0, 45);
		for (size_t k = 0; i * 7919 % 31 < 6 && k < DP_COUNT(between); k++)
			put(between[k]);
	}
	loops = find(60);
	check_starts(chosen(loops), starts, DP_COUNT(starts));
	dp_loops__free(loops);
}

/*
 * One pass through layers that have two norms alike, with an embedding that is seen once in front
 * and with a last norm that looks like the beginning of one more layer.
 */
TEST(an_embedding_is_no_end_of_the_capture)
{
	struct dp_loops *loops;

	count = 0;
	kernels(0, 1);
	for (size_t k = 0; k < 12; k++) {
		kernels(10, 7);
		kernels(20, 19);
		kernels(10, 7);
		kernels(40, 19);
	}
	kernels(10, 7);
	loops = find(60);
	for (size_t k = 0; k < loops->count; k++)
		ck_assert(!loops->loops[k].chosen);
	dp_loops__free(loops);
}

/* A single pass through layers of cells, or of a few experts. */
TEST_LOOP(a_pass_through_loops_is_no_loop, 2)
{
	struct dp_loops *loops;

	count = 0;
	kernels(0, 3);
	for (size_t k = 0; k < 24; k++) {
		kernels(10, 14);
		for (size_t i = 0; i < (_i == 0 ? 64 : 8); i++)
			kernels(30, 8);
		kernels(40, 2);
	}
	kernels(50, 4);
	loops = find(54);
	for (size_t k = 0; k < loops->count; k++)
		ck_assert(!loops->loops[k].chosen);
	dp_loops__free(loops);
}

/*
 * What repeats more often than any network is deep is a loop, whatever comes once before and after.
 */
TEST_LOOP(more_than_layers, 6)
{
	static const struct {
		uint32_t first, layers, turns, before, after;
	} cases[] = {
		{ 60, 0, 150, 1, 0 },  /* one kernel to make the input */
		{ 60, 0, 150, 1, 1 },  /* and one to sum up */
		{ 14, 20, 100, 1, 1 }, /* the same with layers inside */
		{ 14, 20, 100, 2, 3 }, { 90, 0, 60, 1, 1 },
		{ 190, 0, 12, 1, 1 }, /* nor has a layer this many kernels */
	};
	struct dp_loops *loops;

	count = 0;
	kernels(210, cases[_i].before);
	for (uint32_t i = 0; i < cases[_i].turns; i++) {
		kernels(0, cases[_i].first);
		for (uint32_t k = 0; k < cases[_i].layers; k++)
			kernels(100, 8);
	}
	kernels(220, cases[_i].after);
	loops = find(230);
	ck_assert_uint_eq(chosen(loops)->count, cases[_i].turns);
	ck_assert_uint_eq(chosen(loops)->length, cases[_i].first + 8 * cases[_i].layers);
	dp_loops__free(loops);
}

static void at_nothing(void *ctx, size_t index, struct dp_evidence_at *out)
{
	(void)ctx;
	(void)index;
	*out = (struct dp_evidence_at){ .kernel_gap_ns = -1, .launch_gap_ns = -1 };
}

/* Passes through such layers are the iterations, where no optimizer and no upload makes steps. */
TEST(layers_of_loops_stay_inside)
{
	struct dp_loops_request r = { .symbols = symbols, .alphabet = 54, .epsilon = 1 };
	struct dp_loops *loops = NULL;

	count = 0;
	for (size_t i = 0; i < 12; i++) {
		kernels(0, 3);
		for (size_t k = 0; k < 20; k++) {
			kernels(10, 14);
			for (size_t e = 0; e < 8; e++)
				kernels(30, 9);
			kernels(40, 2);
		}
		kernels(50, 4);
	}
	r.count = count;
	r.evidence.at = at_nothing;
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	check_steps(loops, 12, 3 + 20 * (14 + 8 * 9 + 2) + 4);
	dp_loops__free(loops);
}

/* Kernel 79 is an optimizer's. */
static void at_optimizer(void *ctx, size_t index, struct dp_evidence_at *out)
{
	at_nothing(ctx, index, out);
	out->kind = symbols[index] == 79 ? DP_KERNEL_FINISHES : DP_KERNEL_UNKNOWN;
}

/* Steps in groups, these in epochs, which are two levels above the steps. */
TEST(loops_around_loops_are_nested)
{
	struct dp_loops_request r = { .symbols = symbols, .alphabet = 200, .epsilon = 1 };
	struct dp_loops *loops = NULL;
	const struct dp_sequence_loop *step, *group;

	count = 0;
	for (size_t i = 0; i < 9; i++) {
		for (size_t k = 0; k < 6; k++) {
			for (size_t e = 0; e < 5; e++)
				kernels(0, 80);
			kernels(80, 30);
		}
		kernels(110, 90);
	}
	r.count = count;
	r.evidence.at = at_optimizer;
	ck_assert_int_eq(dp_loops__find(&loops, &r, NULL), DP_OK);
	step = chosen(loops);
	ck_assert_uint_eq(step->length, 80);
	ck_assert_uint_eq(step->count, 9 * 6 * 5);
	ck_assert_uint_ne(step->parent, DP_NONE);
	group = &loops->loops[step->parent];
	ck_assert_uint_eq(group->length, 5 * 80 + 30);
	ck_assert_uint_ne(group->parent, DP_NONE);
	ck_assert_uint_lt(group->parent, step->parent);
	ck_assert_uint_eq(loops->loops[group->parent].length, 6 * (5 * 80 + 30) + 90);
	ck_assert_uint_eq(loops->loops[group->parent].parent, DP_NONE);
	dp_loops__free(loops);
}

/* Part of a network: layers between others, 52 kernels. */
static void stage(uint32_t first)
{
	kernels(first, 5);
	for (size_t i = 0; i < 6; i++)
		kernels(first + 5, 7);
	kernels(first + 12, 5);
}

/* Two stages that are alike, and one that begins as they do, show no step. */
TEST(stages_stay_inside)
{
	size_t starts[8];
	struct dp_loops *loops;

	count = 0;
	for (size_t i = 0; i < 8; i++) {
		starts[i] = count;
		kernels(0, 4);
		stage(100);
		stage(100);
		stage(100);
		count -= 6;
		kernels(4, 4);
	}
	loops = find(200);
	check_starts(chosen(loops), starts, 8);
	dp_loops__free(loops);
}

/* Ray steps, solver steps: short, as many in each iteration as it takes, and work around them. */
TEST(short_steps_of_any_number_are_parts)
{
	size_t starts[24];
	struct dp_loops *loops;
	const struct dp_sequence_loop *frame;

	count = 0;
	for (size_t i = 0; i < DP_COUNT(starts); i++) {
		starts[i] = count;
		kernels(0, 4);
		for (size_t k = 0; k < 9 + i * i % 13; k++)
			kernels(10, 11);
		kernels(4, 5);
	}
	loops = find(40);
	frame = chosen(loops);
	check_starts(frame, starts, DP_COUNT(starts));
	for (size_t i = 0; i < loops->count; i++)
		ck_assert(&loops->loops[i] == frame || !loops->loops[i].chosen);
	dp_loops__free(loops);
}
