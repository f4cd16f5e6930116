/* Iterations whose parts vary in number: micro-batches of an update, sweeps until convergence. */
#include "base/base.h"
#include "trace/builder.h"
#include "test.h"
#include <deepprof/deepprof.h>
#include <stdio.h>
#include <string.h>

enum { PROGRAM, LIBRARY, STREAMS };

static struct dp_builder *builder;
static uint32_t streams[STREAMS];
static int64_t now_ns;

/* A kernel that starts now; the next one starts 10 µs after it. */
static void run(const char *form, int number, int stream, int64_t duration_ns)
{
	char name[64];
	int length = snprintf(name, sizeof(name), form, number);
	struct dp_op op = { .start_ns = now_ns,
			    .end_ns = now_ns + duration_ns,
			    .stream = streams[stream] };

	op.name = dp_builder__kernel_name(builder, name, (size_t)length);
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
	now_ns = op.end_ns + 10000;
}

static void run_all(const char *form, int kernels)
{
	for (int i = 0; i < kernels; i++)
		run(form, i, PROGRAM, 1000);
}

static void upload(void)
{
	struct dp_op op = { .start_ns = now_ns,
			    .end_ns = now_ns + 5000,
			    .stream = streams[PROGRAM],
			    .kind = DP_OP_COPY,
			    .copy_kind = DP_COPY_HTOD };

	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
	now_ns = op.end_ns + 10000;
}

static void begin(void)
{
	uint32_t process;

	ck_assert_int_eq(dp_builder__new(&builder, NULL), DP_OK);
	process = dp_builder__process(builder, 1);
	for (int i = 0; i < STREAMS; i++)
		streams[i] = dp_builder__stream(builder, process, 0, 1, 7 + 13 * (uint32_t)i);
	now_ns = 0;
}

/*
 * Expects a loop of that many iterations at the top, with at least that many kernels each, if a
 * number of iterations is known; 0: it is not.
 */
static void expect_known(uint64_t known, size_t iterations, size_t kernels, int64_t stream)
{
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = NULL;
	const struct dp_loop *loop;

	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	options.iterations = &known;
	options.iterations_count = known > 0;
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_OK);
	loop = dp_analysis_loop(analysis, 0);
	ck_assert_ptr_nonnull(loop);
	ck_assert(loop->selected);
	ck_assert_uint_eq(loop->complete, iterations);
	ck_assert_uint_ge(loop->length, kernels);
	ck_assert_int_eq(dp_trace_stream(trace, loop->stream)->stream, stream);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

static void expect(size_t iterations, size_t kernels, int64_t stream)
{
	expect_known(0, iterations, kernels, stream);
}

/* Gradients of some micro-batches, 8 to 20, are accumulated before each update. */
static const int micro_batches[] = { 9, 14, 8, 17, 11, 20, 10, 13, 16, 8, 19, 12, 15, 9 };

static void accumulate(bool with_library)
{
	begin();
	for (size_t i = 0; i < DP_COUNT(micro_batches); i++) {
		for (int k = 0; k < micro_batches[i]; k++) {
			upload();
			run_all("forward_%d", 80);
		}
		for (int k = 0; with_library && k < 8; k++)
			run("recurrent_%d", k, LIBRARY, 200000);
		run_all("clip_%d", 64);
		run("multi_tensor_apply_kernel_adam_%d", 0, PROGRAM, 1000);
	}
}

TEST(micro_batches_are_parts_of_an_update)
{
	accumulate(false);
	expect(DP_COUNT(micro_batches), 80, 7);
}

/* A library has a stream of its own, with most of the time and as many iterations. */
TEST(a_library_hides_no_updates)
{
	accumulate(true);
	expect(DP_COUNT(micro_batches), 80, 7);
}

/* A short solver takes 5 to 16 sweeps in each time step. */
TEST(sweeps_are_parts_of_a_step)
{
	uint32_t random = 1;

	begin();
	for (int i = 0; i < 80; i++) {
		run_all("advect_%d", 3);
		random = random * 1664525 + 1013904223;
		for (uint32_t k = 0; k < 5 + (random >> 16) % 12; k++)
			run("sweep_%d", 0, PROGRAM, 1000);
	}
	expect(80, 4, 7);
}

/* A number from `least` on, of which there are `most` different ones. */
static uint32_t draw(uint32_t *random, uint32_t least, uint32_t most)
{
	*random = *random * 1664525 + 1013904223;
	return least + (*random >> 16) % most;
}

/* Each frame has 1 to 4 samples, and each of these 3 to 8 bounces. */
TEST(bounces_and_samples_are_parts_of_a_frame)
{
	uint32_t random = 1;

	begin();
	for (int i = 0; i < 40; i++) {
		run("clear_%d", 0, PROGRAM, 1000);
		for (uint32_t s = draw(&random, 1, 4); s > 0; s--) {
			run("generate_%d", 0, PROGRAM, 1000);
			for (uint32_t b = draw(&random, 3, 6); b > 0; b--)
				run_all("bounce_%d", 4);
			run("accumulate_%d", 0, PROGRAM, 1000);
		}
		run_all("show_%d", 3);
	}
	expect(40, 5, 7);
}

/* In each time step are Newton iterations, in these Krylov ones, each a projection longer. */
TEST(iterations_within_iterations_are_parts_of_a_step)
{
	uint32_t random = 1;

	begin();
	for (int i = 0; i < 24; i++) {
		run("predict_%d", 0, PROGRAM, 1000);
		for (uint32_t s = draw(&random, 2, 3); s > 0; s--) {
			run_all("linearize_%d", 3);
			for (uint32_t k = 0, end = draw(&random, 5, 11); k < end; k++) {
				run_all("multiply_%d", 2);
				for (uint32_t j = 0; j <= k; j++)
					run("project_%d", 0, PROGRAM, 1000);
				run_all("normalize_%d", 2);
			}
			run_all("update_%d", 2);
		}
		run_all("accept_%d", 2);
	}
	expect(24, 5, 7);
}

/* A blocked factorization has one tile less to update after each panel. */
TEST(panels_may_shrink)
{
	begin();
	for (int panel = 0; panel < 24; panel++) {
		run_all("factor_%d", 3);
		for (int tile = panel; tile < 28; tile++)
			run("update_%d", 0, PROGRAM, 1000);
	}
	expect(24, 4, 7);
}

/* A bitonic sort has one pass more in each stage, beginning with one. */
TEST(stages_may_grow)
{
	begin();
	run("generate_%d", 0, PROGRAM, 1000);
	for (int stage = 0; stage < 16; stage++) {
		for (int pass = 0; pass <= stage; pass++)
			run("exchange_%d", 0, PROGRAM, 1000);
		run("merge_%d", 0, PROGRAM, 1000);
	}
	expect(16, 2, 7);
}

/* Results are written after every tenth step, so the capture ends between two of these. */
TEST(a_capture_ends_with_a_whole_step)
{
	begin();
	for (int i = 0; i < 75; i++) {
		run_all("step_%d", 14);
		if (i % 10 == 9)
			run_all("write_%d", 4);
	}
	expect(75, 14, 7);
}

/* If it ends with a part of one, nothing says that steps are not layers. */
TEST(what_is_cut_off_anywhere_shows_no_step)
{
	begin();
	for (int i = 0; i < 75; i++) {
		run_all("step_%d", i == 74 ? 5 : 14);
		if (i % 10 == 9)
			run_all("write_%d", 4);
	}
	expect(7, 144, 7);
}

/* Each step begins with two kernels and ends with one, and so does the capture. */
static void solve(int steps, bool writes)
{
	uint32_t random = 1;

	begin();
	for (int i = 0; i < steps; i++) {
		run_all("set_up_%d", 2);
		for (uint32_t k = draw(&random, 2, 4); k > 0; k--)
			run_all("cycle_%d", 37);
		run("finish_%d", 0, PROGRAM, 1000);
		if (writes && i % 5 == 4)
			run_all("write_%d", 3);
	}
}

TEST(cycles_are_parts_of_a_step_that_the_ends_show)
{
	solve(30, false);
	expect(30, 40, 7);
}

TEST(results_between_steps_do_not_join_them)
{
	solve(33, true);
	expect(33, 40, 7);
}

/* Cycles alone are steps: what follows some of them may be anything. */
TEST(cycles_are_steps_unless_the_ends_show_others)
{
	uint32_t random = 1;
	size_t steps = 0;

	begin();
	for (int i = 0; i < 30; i++) {
		for (uint32_t k = draw(&random, 2, 4); k > 0; k--, steps++)
			run_all("cycle_%d", 37);
		if (i < 29)
			run_all("between_%d", 3);
	}
	expect(steps, 37, 7);
}

/*
 * Two kinds of steps in turn: the first, five times in a row, is not sure enough to be listed, but
 * all of them together repeat exactly.
 */
static void alternate_steps(void)
{
	begin();
	for (int i = 0; i < 34; i++) {
		for (int k = 0; k < 5; k++) {
			run_all("at::native::generate_%d", 13);
			run_all("at::native::judge_%d", 9);
			run_all("at::native::judge_%d", 9);
			run_all("at::native::judge_back_%d", 11);
			run("at::native::adam_%d", 0, PROGRAM, 1000);
		}
		run_all("at::native::generate_%d", 13);
		run_all("at::native::judge_%d", 9);
		run_all("at::native::generate_back_%d", 21);
		run("at::native::adam_%d", 1, PROGRAM, 1000);
	}
}

TEST(a_loop_is_listed_if_that_inside_is_not)
{
	alternate_steps();
	expect(34, 259, 7);
}

/* The explanation says which loop is the iteration after all. */
TEST(a_loop_that_is_not_listed_is_explained)
{
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = NULL;
	const struct dp_explanation *entry, *last = NULL;

	alternate_steps();
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	options.explain = true;
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_OK);
	for (size_t i = 0; (entry = dp_analysis_explanation(analysis, i)); i++)
		if (!strcmp(entry->stage, "levels"))
			last = entry;
	ck_assert_ptr_nonnull(last);
	ck_assert_str_eq(last->text,
			 "no loop inside the loop of 259 kernels is likely enough to be "
			 "listed: it is the iteration");
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

TEST(a_number_that_no_loop_has_keeps_it)
{
	alternate_steps();
	expect_known(50, 34, 259, 7);
}

/* The first march of each frame begins with the kernel that ends each of its steps. */
TEST(the_first_frame_is_whole)
{
	uint32_t random = 1;

	begin();
	run("load_%d", 0, PROGRAM, 1000);
	for (int i = 0; i < 25; i++) {
		run_all("frame_%d", 2);
		run("march_%d", 10, PROGRAM, 1000);
		for (uint32_t k = draw(&random, 15, 10); k > 0; k--)
			run_all("march_%d", 11);
		run_all("show_%d", 4);
	}
	expect(25, 150, 7);
}

/* Dimensional splitting: the directions of the sweeps take turns in coming first. */
static void sweep_in_turn(int directions, int kernels, int more)
{
	begin();
	for (int i = 0; i < 40; i++) {
		run_all("time_step_%d", 2);
		for (int k = 0; k < directions; k++) {
			char form[] = "sweep_x_%d";
			int direction = (i + k) % directions;

			form[6] = (char)('a' + direction);
			run_all(form, kernels + direction * more);
		}
	}
}

TEST(steps_whose_sweeps_come_first_in_turn_are_steps)
{
	for (int directions = 2; directions <= 4; directions++) {
		sweep_in_turn(directions, 5, 0);
		expect(40, 2 + 5 * (size_t)directions, 7);
	}
}

TEST(sweeps_may_have_different_numbers_of_kernels)
{
	sweep_in_turn(2, 5, 3);
	expect(40, 15, 7);
}

/* Nothing occurs once per sweep to the other side: a pair of sweeps is an iteration. */
TEST(sweeps_to_and_fro_are_an_iteration)
{
	begin();
	for (int i = 0; i < 40; i++) {
		for (int color = 0; color < 8; color++)
			run("color_%d", color, PROGRAM, 1000);
		for (int color = 8; color-- > 0;)
			run("color_%d", color, PROGRAM, 1000);
	}
	expect(40, 16, 7);
}

/* Steps of four stages, with results after every tenth, also after the last one. */
TEST(what_has_stages_is_a_step_in_a_numerical_program)
{
	begin();
	for (int i = 0; i < 60; i++) {
		for (int stage = 0; stage < 4; stage++)
			run_all("flux_%d", 6);
		run("combine_%d", 0, PROGRAM, 1000);
		if (i % 10 == 9)
			run_all("energy_%d", 2);
	}
	expect(60, 25, 7);
}

/* Samples have bounces inside, as steps have stages; but a frame has 2, 4, 8 … of them. */
TEST(samples_are_parts_of_a_frame)
{
	begin();
	for (int i = 0; i < 25; i++) {
		run("clear_%d", 0, PROGRAM, 1000);
		for (int sample = 0; sample < 8; sample++) {
			run("generate_%d", 0, PROGRAM, 1000);
			for (int bounce = 0; bounce < 5; bounce++)
				run_all("shade_%d", 4);
			run("accumulate_%d", 0, PROGRAM, 1000);
		}
		run_all("denoise_%d", 3);
	}
	expect(25, 180, 7);
}

/* A compiler's kernels for networks, in a loop of a varying number of sweeps, between others. */
static bool are_found(size_t iterations)
{
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = NULL;
	bool found = false;
	size_t mixed = 1;

	begin();
	for (int i = 0; i < 400; i++) {
		mixed = mixed * 48271 % 2147483647;
		run("gemm_fusion_dot_%d", 100 + (int)(mixed % 97), PROGRAM, 1000);
	}
	for (size_t i = 0; i < iterations; i++) {
		run_all("input_fusion_%d", 8);
		for (size_t k = 0; k < 3 + i * 7 % 6 && i != iterations / 2; k++)
			run_all("gemm_fusion_dot_%d", 6);
		run_all("output_fusion_%d", 4);
	}
	run_all("loop_broadcast_fusion_%d", 30);
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, NULL, NULL), DP_OK);
	for (size_t i = 0; i < dp_analysis_loop_count(analysis); i++)
		found |= dp_analysis_loop(analysis, i)->complete == iterations;
	dp_analysis_free(analysis);
	dp_trace_free(trace);
	return found;
}

/* No network has as many layers with loops inside. */
TEST(more_iterations_with_sweeps_than_layers)
{
	ck_assert(are_found(150));
	ck_assert(are_found(97));
	ck_assert(!are_found(96));
}

/*
 * With their sweeps collapsed, these iterations are all alike and follow each other, so that they
 * are one run themselves, which no pattern has.
 */
TEST(iterations_that_become_a_run_are_not_hidden)
{
	uint32_t random = 1;

	begin();
	run_all("load_%d", 40);
	for (int i = 0; i < 60; i++) {
		run_all("step_%d", 40);
		for (uint32_t k = draw(&random, 3, 4); k > 0; k--)
			run_all("sweep_%d", 4);
	}
	for (int i = 0; i < 10; i++) {
		run_all("evaluate_%d", 60);
		run("shape_%d", (int)draw(&random, 0, 5), PROGRAM, 1000);
	}
	run_all("store_%d", 20);
	expect(60, 45, 7);
}

/* A part of an iteration that does one thing or another, in any order. */
static void run_branch(uint32_t *random)
{
	for (uint32_t k = draw(random, 1, 4); k > 0; k--)
		run("search_%d", (int)draw(random, 0, 7), PROGRAM, 1000);
}

/*
 * What all iterations share is all that tells where they begin: no pattern describes more than
 * that.
 */
TEST(iterations_that_branch)
{
	uint32_t random = 1;

	begin();
	for (int i = 0; i < 250; i++) {
		run("reduce_%d", 0, PROGRAM, 1000);
		run_branch(&random);
		run("cover_%d", 0, PROGRAM, 1000);
		run_branch(&random);
		run("augment_%d", 0, PROGRAM, 1000);
		run_branch(&random);
	}
	expect(250, 3, 7);
}

/* Sweeps until convergence, then new bounds or the end of a path, and which is the best. */
static void run_assignment(uint32_t *random)
{
	bool bounds = draw(random, 0, 2) > 0;

	run("update_%d", 0, PROGRAM, 1000);
	for (uint32_t k = draw(random, 1, 14); k > 0; k--)
		run_all("sweep_%d", 2);
	run("check_%d", 0, PROGRAM, 1000);
	run_all(bounds ? "bound_%d" : "path_%d", bounds ? 6 : 1);
	if (draw(random, 0, 3) == 0)
		run("found_%d", 0, PROGRAM, 1000);
	run("most_%d", 0, PROGRAM, 1000);
	for (uint32_t k = draw(random, 1, 2); k > 0; k--)
		run("set_%d", 0, PROGRAM, 1000);
}

/*
 * What is found without a number has to match when it is given, or a number near it: loops of too
 * little confidence are then kept, in case one of them has the number, and must not hide the
 * iterations that branch.
 */
TEST(iterations_that_branch_match_their_number)
{
	static const uint64_t known[] = { 0, 250, 251, 240, 350 };

	for (size_t k = 0; k < DP_COUNT(known); k++) {
		uint32_t random = 77;

		begin();
		for (int i = 0; i < 250; i++)
			run_assignment(&random);
		expect_known(known[k], 250, 8, 7);
	}
}
