/* Benchmarks: programs that run single kernels many times in a row, each of which is a loop. */
#include "program_trace.h"

static void expect_loop_each(const char *form, size_t kernels)
{
	struct dp_analysis *analysis;
	unsigned seen = 0;

	begin();
	for (int k = 0; k < (int)kernels; k++) {
		run("clear_%d", 0);
		for (int i = 0; i < 40 + k; i++)
			run(form, k);
	}
	analysis = finish_and_analyze();
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), kernels);
	for (size_t k = 0; k < kernels; k++) {
		const struct dp_loop *loop = dp_analysis_loop(analysis, k);

		ck_assert_uint_eq(loop->length, 1);
		ck_assert(loop->complete >= 40 && loop->complete < 40 + kernels);
		seen |= 1u << (loop->complete - 40);
		ck_assert(loop->selected);
	}
	ck_assert_uint_eq(seen, (1u << kernels) - 1);
	dp_analysis_free(analysis);
}

/*
 * A benchmark runs one kernel after another, each many times: that many loops, numbered as shown.
 * Matrix multiplications, too: so few names are no network.
 */
TEST(kernels_have_loops_of_their_own)
{
	expect_loop_each("transpose_%d", 6);
	expect_loop_each("tiled_gemm_v%d", 3);
}

/* TensorFlow names kernels by their operator, of which each launches many in a single pass. */
TEST(operators_of_a_pass_are_no_loops)
{
	struct dp_analysis *analysis;

	begin();
	for (int k = 0; k < 6; k++)
		for (int i = 0; i < 40 + k; i++)
			run("Validation/Conv2D_%d", k);
	analysis = finish_and_analyze();
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 0);
	dp_analysis_free(analysis);
}

/* Rows of two kernels, among set-up and checks that do not repeat. */
static size_t loops_of_rows(const char *first, int first_times, const char *second,
			    int second_times, int others)
{
	struct dp_analysis *analysis;
	size_t count;

	begin();
	for (int i = 0; i < others; i++)
		run("random_gemm_%d", i);
	for (int i = 0; i < first_times; i++)
		run(first, 0);
	for (int i = 0; i < others; i++)
		run("compare_gemm_%d", i);
	for (int i = 0; i < second_times; i++)
		run(second, 0);
	analysis = finish_and_analyze();
	count = dp_analysis_loop_count(analysis);
	if (count)
		ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, (size_t)first_times);
	dp_analysis_free(analysis);
	return count;
}

/* A benchmark repeats each of its kernels as often as the others, most of the time. */
TEST(rows_of_one_length_are_loops)
{
	ck_assert_uint_eq(loops_of_rows("own_gemm_%d", 23, "other_gemm_%d", 23, 20), 2);
	ck_assert_uint_eq(loops_of_rows("own_gemm_%d", 23, "other_gemm_%d", 24, 20), 0);
	ck_assert_uint_eq(loops_of_rows("own_gemm_%d", 23, "own_gemm_%d", 23, 20), 0);
	ck_assert_uint_eq(loops_of_rows("own_gemm_%d", 23, "other_gemm_%d", 23, 24), 0);
	ck_assert_uint_eq(loops_of_rows("net/Conv_%d", 23, "net/MatMul_%d", 23, 20), 0);
}

/* The loops of a run in which `rows` kernels run 20 times each, then `again`, the one of a row. */
static size_t loops_of_all(int rows, int again, const char *between)
{
	struct dp_analysis *analysis;
	size_t count;

	begin();
	for (int k = 0; k < rows; k++) {
		for (int i = 0; i < 20; i++)
			run("own_gemm_%d", k);
		for (int i = 0; between && i < 20; i++)
			run(between, 0);
		run("check_gemm_%d", k);
	}
	for (int i = 0; i < 20 && again >= 0; i++)
		run("own_gemm_%d", again);
	analysis = finish_and_analyze();
	count = dp_analysis_loop_count(analysis);
	dp_analysis_free(analysis);
	return count;
}

/* Whichever row recurs, it is a network's; fills between rows are none. */
TEST(rows_that_recur_are_no_loops)
{
	ck_assert_uint_eq(loops_of_all(6, -1, NULL), 6);
	ck_assert_uint_eq(loops_of_all(6, 0, NULL), 0);
	ck_assert_uint_eq(loops_of_all(6, 3, NULL), 0);
	ck_assert_uint_eq(loops_of_all(6, -1, "vectorized_elementwise_kernel<FillFunctor>_%d"), 6);
}

/* A pass or an optimizer runs a kernel for each of a few tensors. */
TEST(short_rows_are_no_loops)
{
	struct dp_analysis *analysis;

	begin();
	for (int k = 0; k < 72; k++)
		run("forward_%d", k);
	for (int k = 0; k < 24; k++)
		for (int i = 0; i < 12; i++)
			run("functor_%d", k);
	analysis = finish_and_analyze();
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 0);
	dp_analysis_free(analysis);
}
