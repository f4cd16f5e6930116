/* What happens once in each layer or part of an iteration, and not once per iteration. */
#include "trace/builder.h"
#include "test.h"
#include <deepprof/deepprof.h>
#include <stdio.h>
#include <string.h>

static struct dp_builder *builder;
static uint32_t process, stream, thread;
static int64_t now_ns;
static uint32_t launches;

static void begin(void)
{
	ck_assert_int_eq(dp_builder__new(&builder, NULL), DP_OK);
	process = dp_builder__process(builder, 1);
	stream = dp_builder__stream(builder, process, 0, 1, 7);
	thread = dp_builder__thread(builder, process, 10);
	now_ns = 0;
	launches = 0;
}

/* A kernel that the current thread launches; %c%c in its name are a number in letters. */
static void run(const char *form, int number)
{
	struct dp_call call = { now_ns, now_ns + 2000, 0, thread, ++launches };
	struct dp_op op = { .start_ns = now_ns + 3000,
			    .end_ns = now_ns + 50000,
			    .stream = stream,
			    .correlation = launches };
	char name[64];
	int length = snprintf(name, sizeof(name), form, 'a' + number / 26, 'a' + number % 26);

	op.name = dp_builder__kernel_name(builder, name, (size_t)length);
	call.name = dp_builder__string(builder, "cudaLaunchKernel", 16);
	ck_assert_int_eq(dp_builder__add_call(builder, &call), DP_OK);
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
	now_ns = op.end_ns + 1000;
}

static void upload(void)
{
	struct dp_op op = { .start_ns = now_ns,
			    .end_ns = now_ns + 5000,
			    .stream = stream,
			    .kind = DP_OP_COPY,
			    .copy_kind = DP_COPY_HTOD,
			    .bytes = 9000 };

	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
	now_ns = op.end_ns + 1000;
}

static struct dp_analysis *finish_and_analyze(void)
{
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = NULL;

	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, NULL, NULL), DP_OK);
	dp_trace_free(trace);
	return analysis;
}

enum { LAYERS = 12, BACKWARD = 70 };

/* Who launches the backward pass of a training step, and within which ranges. */
struct backward {
	const char *thread; /* NULL: the same thread as before */
	const char *range;  /* around every few kernels; NULL: none */
	int last;	    /* every layer's last kernels that the first thread launches */
};

static void run_backward(const struct backward *by)
{
	uint32_t main_thread = thread, other = thread;

	if (by->thread) {
		other = dp_builder__thread(builder, process, 11);
		dp_builder__name_thread(
			builder, other,
			dp_builder__string(builder, by->thread, strlen(by->thread)));
	}
	for (int i = 0; i < LAYERS * BACKWARD; i++) {
		struct dp_range range = { now_ns - 500, now_ns + 2500, 0, other,
					  DP_RANGE_OPERATOR };

		thread = i % BACKWARD < BACKWARD - by->last ? other : main_thread;
		if (by->range && thread == other) {
			range.name = dp_builder__string(builder, by->range, strlen(by->range));
			ck_assert_int_eq(dp_builder__add_range(builder, &range), DP_OK);
		}
		run("ampere_sgemm_backward_%c%c", i % BACKWARD);
	}
	thread = main_thread;
}

/* The loops of one step: other work, then the backward pass of the layers. */
static void expect_backward(size_t loops, const char *by_thread, const char *range, int last)
{
	const struct backward by = { by_thread, range, last };
	struct dp_analysis *analysis;

	begin();
	for (int i = 0; i < 50; i++)
		run("ampere_sgemm_forward_%c%c", i);
	run_backward(&by);
	analysis = finish_and_analyze();
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), loops);
	dp_analysis_free(analysis);
}

/* A step also has kernels that are not of its backward pass: a loop of none such are layers. */
TEST(layers_of_a_backward_pass)
{
	expect_backward(0, "pt_autograd_0", NULL, 0);
	expect_backward(0, NULL, "autograd::engine::evaluate_function: MmBackward0", 0);
	expect_backward(0, "python", "autograd::engine::evaluate_function: MmBackward0", 0);
}

TEST(loops_that_are_not_of_a_backward_pass)
{
	expect_backward(1, NULL, NULL, 0);
	expect_backward(1, "worker", "aten::mm", 0);
	expect_backward(1, "pt_autograd_0", NULL, 1);
}

/* A benchmark of a backward pass has nothing else. */
TEST(backward_passes_alone)
{
	const struct backward by = { "pt_autograd_0", NULL, 0 };
	struct dp_analysis *analysis;

	begin();
	run_backward(&by);
	analysis = finish_and_analyze();
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 1);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, LAYERS);
	dp_analysis_free(analysis);
}

/* Blocks of a network, some of whose kernels differ with the shapes of a stage. */
static void run_blocks(int length, int inside)
{
	for (int block = 0; block < LAYERS; block++)
		for (int i = 0; i < length; i++) {
			if (i == 5)
				upload();
			if (i % 17 == 16)
				run("ampere_sgemm_stage_%c%c", (i + 17 * block) % 400);
			else
				run("ampere_sgemm_block_%c%c", i < inside ? i % 10 : i);
		}
}

static void expect_blocks(size_t iterations, int length, int inside)
{
	struct dp_analysis *analysis;
	const struct dp_loop *loop;

	begin();
	for (int i = 0; i < 30; i++)
		run("ampere_sgemm_patch_%c%c", i);
	run_blocks(length, inside);
	for (int i = 0; i < 30; i++)
		run("ampere_sgemm_head_%c%c", i);
	analysis = finish_and_analyze();
	loop = dp_analysis_loop(analysis, 0);
	ck_assert_uint_eq(loop ? loop->complete : 0, iterations);
	dp_analysis_free(analysis);
}

/* A constant that each block makes on the host is no input of a step. */
TEST(blocks_that_upload)
{
	expect_blocks(0, 50, 0);
}

/* With a loop inside, it is one: steps vary, too. */
TEST(steps_that_vary)
{
	expect_blocks(LAYERS, 68, 30);
}

/* The same four kernels repeat, with an upload before the first of `every` repetitions. */
static void expect_uploaded(size_t iterations, size_t length, int repetitions, int every)
{
	struct dp_analysis *analysis;
	const struct dp_loop *loop;

	begin();
	for (int i = 0; i < 4 * repetitions; i++) {
		if (i % (4 * every) == 0)
			upload();
		run("advance_%c%c", i % 4);
	}
	analysis = finish_and_analyze();
	loop = dp_analysis_loop(analysis, 0);
	ck_assert_ptr_nonnull(loop);
	ck_assert_uint_eq(loop->complete, iterations);
	ck_assert_uint_eq(loop->length, length);
	dp_analysis_free(analysis);
}

/* An input for every other repetition shows that two are an iteration; more may be steps. */
TEST(halves_of_iterations)
{
	expect_uploaded(8, 8, 16, 2);
	expect_uploaded(16, 4, 16, 1);
	expect_uploaded(16, 4, 16, 4);
	expect_uploaded(16, 4, 16, 16);
}

/*
 * After a set-up of many fills, a few calls of attention, of two kernels each, are a benchmark of
 * it; with products of matrices they may be layers.
 */
TEST_LOOP(attention_is_one_operator, 2)
{
	struct dp_analysis *analysis;
	const struct dp_loop *loop;

	begin();
	for (int i = 0; i < 10; i++)
		run("prepare_%c%c", i);
	for (int i = 0; i < 128; i++)
		run("FillFunctor_%c%c", 0);
	for (int i = 0; i < 8; i++) {
		for (int k = 0; k < 4; k++)
			run("FillFunctor_%c%c", 1);
		run(_i ? "gemm_%c%c" : "flash_fwd_splitkv_%c%c", 0);
		run("flash_fwd_combine_%c%c", 0);
	}
	analysis = finish_and_analyze();
	loop = dp_analysis_loop(analysis, 0);
	ck_assert_int_eq(loop != NULL, _i == 0);
	if (loop) {
		ck_assert_uint_eq(loop->complete, 8);
		ck_assert_uint_eq(loop->length, 6);
	}
	dp_analysis_free(analysis);
}
