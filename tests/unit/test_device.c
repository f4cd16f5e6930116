/*
 * Iterations of a device rather than of one stream's kernels: programs that launch one kernel again
 * and again, identified by their copies.
 */
#include "device_trace.h"

static const int counts[] = { 3, 5, 10, 50, 400 };

/* Also by the number of its iterations. */
TEST_LOOP(one_kernel_by_its_number, DP_COUNT(counts))
{
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace;
	uint64_t number = (uint64_t)counts[_i];

	start(false);
	for (int i = 0; i < counts[_i]; i++)
		put_all("UUkD", 7, 0);
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	options.iterations = &number;
	options.iterations_count = 1;
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_OK);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 1);
	ck_assert_int_eq(dp_analysis_loop(analysis, 0)->found_by, DP_FOUND_BY_COUNT);
	ck_assert(dp_analysis_loop(analysis, 0)->matches_count);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, number);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

TEST_LOOP(one_kernel_with_its_copies, DP_COUNT(counts))
{
	for (int launched = 0; launched < 2; launched++)
		for (int64_t pause_ns = 0; pause_ns <= 200000; pause_ns += 100000) {
			start(launched);
			for (int i = 0; i < counts[_i]; i++)
				put_all("UUkD", 7, pause_ns);
			expect((size_t)counts[_i], 1, 3, 0);
			start(launched);
			for (int i = 0; i < counts[_i]; i++)
				put_all("USkD", 7, pause_ns);
			expect((size_t)counts[_i], 1, 2, 1);
		}
}

TEST_LOOP(copies_on_their_own_streams, DP_COUNT(counts))
{
	start(false);
	for (int i = 0; i < counts[_i]; i++) {
		put_all("UU", 14, 0);
		put_all("k", 13, 0);
		put_all("D", 15, 0);
	}
	expect((size_t)counts[_i], 1, 3, 0);
}

/* Two equal halves of kernels that are too few to show it without their copies. */
TEST(copies_of_few_kernels)
{
	start(false);
	for (int i = 0; i < 2; i++)
		put_all("UabacdUeeDUeeDUeeDD", 7, 0);
	expect(2, 11, 8, 0);
}

/* Uploads for the next iteration overlap with a kernel: the last one is whole without them. */
TEST_LOOP(copies_ahead, 2)
{
	struct dp_trace *trace;
	struct dp_analysis *analysis;

	start(_i);
	put_all("UkDUUkDUUkDUUkDUUkUDUkDUUkDUUkDUUkUDUkUDUkDUUkUDUkUDUkDUUkUDUkUDUkUDkD", 7, 0);
	analysis = analyze(&trace);
	ck_assert_ptr_nonnull(dp_analysis_loop(analysis, 0));
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, 18);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->copies, 3);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

TEST_LOOP(one_kernel_and_nothing_else, DP_COUNT(counts))
{
	for (int64_t pause_ns = 0; pause_ns <= 10000000; pause_ns = pause_ns * 100 + 10) {
		start(false);
		for (int i = 0; i < counts[_i]; i++)
			put_all("k", 7, pause_ns);
		expect((size_t)counts[_i], 1, 0, 0);
	}
}

/* Data goes up, a kernel runs again and again, results come down. */
TEST_LOOP(copies_around_the_loop_are_none_of_its, DP_COUNT(counts))
{
	start(false);
	put_all("UUUS", 7, 0);
	for (int i = 0; i < counts[_i]; i++)
		put_all("k", 7, 0);
	put_all("DD", 7, 0);
	expect((size_t)counts[_i], 1, 0, 0);
}

/* Another kernel prepares data before the loop. */
TEST_LOOP(one_kernel_behind_another, DP_COUNT(counts))
{
	if (counts[_i] < 10)
		return;
	start(false);
	put_all("i", 7, 0);
	for (int i = 0; i < counts[_i]; i++)
		put_all("UkD", 7, 0);
	expect((size_t)counts[_i], 1, 2, 0);
}

/* Copies show how many launches of a kernel are an iteration. */
TEST_LOOP(several_launches_of_one_kernel, DP_COUNT(counts))
{
	if (counts[_i] < 10)
		return;
	start(false);
	for (int i = 0; i < counts[_i]; i++)
		put_all("UkkkD", 7, 0);
	expect((size_t)counts[_i], 3, 2, 0);
}

/* Occasional copies belong to no iteration. */
TEST_LOOP(copies_now_and_then, DP_COUNT(counts))
{
	if (counts[_i] < 50)
		return;
	start(false);
	for (int i = 0; i < counts[_i]; i++)
		put_all(below(20) ? "k" : "kD", 7, 0);
	expect((size_t)counts[_i], 1, 0, 0);
}

TEST(too_few_are_no_loop)
{
	start(false);
	put_all("UkDUkD", 7, 0);
	expect(0, 0, 0, 0);
	start(false);
	put_all("UUaUbDcSdD", 7, 0);
	expect(0, 0, 0, 0);
	/* most of what runs is something else */
	start(false);
	put_all("abckkkdcbaacbdbdaa", 7, 0);
	expect(0, 0, 0, 0);
}
