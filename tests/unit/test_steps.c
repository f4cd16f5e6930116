/*
 * Programs that set up, run time steps and finish. A network's single pass has the same form, an
 * embedding, its layers and a head: names tell which of them it is.
 */
#include "trace/builder.h"
#include <check.h>
#include <deepprof/deepprof.h>
#include <stdio.h>
#include <string.h>

static struct dp_builder *builder;
static uint32_t stream;
static int64_t now_ns;

static void run(const char *form, int number)
{
	char name[64];
	int length = snprintf(name, sizeof(name), form, number);
	struct dp_op op = { .start_ns = now_ns, .end_ns = now_ns + 50000, .stream = stream };

	op.name = dp_builder__kernel_name(builder, name, (size_t)length);
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
	now_ns = op.end_ns + 1000;
}

/* The analysis of a program whose steps have length kernels, with names of a form. */
static struct dp_analysis *analyze(const char *form, int setup, int length, int steps, int finish)
{
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = NULL;
	uint32_t process;

	ck_assert_int_eq(dp_builder__new(&builder, NULL), DP_OK);
	process = dp_builder__process(builder, 1);
	stream = dp_builder__stream(builder, process, 0, 1, 7);
	now_ns = 0;
	for (int i = 0; i < setup; i++)
		run("setup_%d", i);
	for (int i = 0; i < steps * length; i++)
		run(form, i % length);
	for (int i = 0; i < finish; i++)
		run("finish_%d", i);
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, NULL, NULL), DP_OK);
	ck_assert_int_eq(dp_analysis_take_trace(analysis, trace, NULL), DP_OK);
	return analysis;
}

static void expect_steps(const char *form, int setup, int length, int steps, int finish)
{
	struct dp_analysis *analysis = analyze(form, setup, length, steps, finish);
	const struct dp_loop *loop;

	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 1);
	loop = dp_analysis_loop(analysis, 0);
	ck_assert_uint_eq(loop->length, (size_t)length);
	ck_assert_uint_eq(loop->complete, (size_t)steps);
	ck_assert_uint_eq(dp_analysis_loop_iteration(analysis, 0, 0)->first_kernel, (size_t)setup);
	dp_analysis_free(analysis);
}

START_TEST(time_steps_are_iterations)
{
	expect_steps("advance_%d", 20, 15, 100, 3);
	expect_steps("heat_diffusion_%d", 5, 6, 150, 2);
	expect_steps("sweep_%d", 3, 30, 60, 1);
}
END_TEST

START_TEST(layers_are_none)
{
	struct dp_analysis *analysis = analyze("ampere_sgemm_nn_v%d", 20, 15, 100, 3);

	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 0);
	dp_analysis_free(analysis);
}
END_TEST

/* One kernel again and again, whatever sets it up and follows. */
START_TEST(one_kernel_is_an_iteration)
{
	expect_steps("stencil_%d", 5, 1, 100, 1);
	expect_steps("stencil_%d", 0, 1, 100, 6);
}
END_TEST

/* Too few kernels to search. Of a network they are layers. */
START_TEST(a_few_kernels_repeat)
{
	struct dp_analysis *analysis = analyze("ampere_sgemm_nn_v%d", 0, 2, 6, 0);

	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 0);
	dp_analysis_free(analysis);
	expect_steps("red_black_%d", 0, 2, 6, 0);
	expect_steps("red_black_%d", 0, 2, 10, 2);
	expect_steps("sweep_%d", 0, 3, 3, 0);
	expect_steps("stage_%d", 0, 4, 4, 0);
}
END_TEST

static void fill(TCase *tests)
{
	tcase_add_test(tests, time_steps_are_iterations);
	tcase_add_test(tests, layers_are_none);
	tcase_add_test(tests, one_kernel_is_an_iteration);
	tcase_add_test(tests, a_few_kernels_repeat);
}

#include "test_main.h"
