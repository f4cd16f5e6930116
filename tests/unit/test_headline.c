/* Which of several loops is shown in full: loop 0. */
#include "device_trace.h"

#define TRAINING "Uabcdefghijklmnop"

/* A loop of another part of the program, each iteration of which ends with a pause. */
static void repeat(const char *letters, int times, int64_t pause_ns)
{
	for (int i = 0; i < times; i++) {
		put_all(letters, 7, 0);
		now_ns += pause_ns;
	}
}

/* As much time in evaluations as in training, whose steps are longer. */
TEST(longest_of_equals)
{
	start(true);
	repeat("Uqrstuvwx", 38, 0);
	repeat(TRAINING, 20, 0);
	expect_headline(20, 16, 7);
}

/* Trials before training take more time, but only because code is compiled between a few. */
TEST(few_long_iterations_do_not_count)
{
	for (int compiled = 0; compiled < 2; compiled++) {
		start(true);
		for (int i = 0; i < 2; i++) {
			repeat("Uqrstuvwx", 25, 0);
			now_ns += compiled ? 1000000 : 0;
		}
		repeat(TRAINING, 50, 0);
		expect_headline(50, 16, 7);
	}
	/* all of them are long */
	start(true);
	repeat("Uqrstuvwx", 20, 200000);
	repeat(TRAINING, 20, 0);
	expect_headline(20, 8, 7);
	/* the input of every fifth step is late */
	start(true);
	for (int i = 0; i < 20; i++) {
		repeat(TRAINING, 4, 0);
		repeat(TRAINING, 1, 100000);
	}
	repeat("Uqrstuvwxy", 200, 0);
	expect_headline(100, 16, 7);
}

/* Puts two kernels `times` times next to a long loop, and returns whether they are iterations. */
static bool are_iterations(int times)
{
	struct dp_trace *trace;
	struct dp_analysis *analysis;
	bool selected = false;

	start(true);
	repeat("abcdefghijklmnopqrstuvwx", 10, 0);
	repeat("yz", times, 0);
	analysis = analyze(&trace);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 2);
	for (size_t i = 0; i < 2; i++)
		if (dp_analysis_loop(analysis, i)->length == 2)
			selected = dp_analysis_loop(analysis, i)->selected;
	dp_analysis_free(analysis);
	dp_trace_free(trace);
	return selected;
}

/* Short repetitions next to a long loop may be layers of a single pass, but not that many. */
TEST(many_short_repetitions_are_iterations)
{
	ck_assert(!are_iterations(150));
	ck_assert(are_iterations(250));
}

/* The loops of a trace that begins and ends with other kernels than k. */
static size_t loops_of_one_kernel(int runs, int times)
{
	struct dp_trace *trace;
	struct dp_analysis *analysis;
	size_t count;

	start(false);
	put_all("abcadbeacfbcdfeahbdjcieafhbcjgd", 7, 0);
	for (int i = 0; i < runs; i++) {
		repeat("k", times, 0);
		put((char)('a' + below(10)), 7, now_ns, 1000);
		now_ns += 1100;
	}
	put_all("jbdacieafbhdgcjhabidfecgbjadhif", 7, 0);
	analysis = analyze(&trace);
	count = dp_analysis_loop_count(analysis);
	for (size_t i = 0; i < count; i++) {
		const struct dp_loop *loop = dp_analysis_loop(analysis, i);

		ck_assert_uint_eq(loop->length, 1);
		ck_assert_uint_ge(loop->complete, (size_t)(runs * times));
		ck_assert_uint_le(loop->complete, (size_t)(runs * (times + 1)));
	}
	dp_analysis_free(analysis);
	dp_trace_free(trace);
	return count;
}

/* One kernel is most of what runs, more often in a row than a network has layers. */
TEST(one_kernel_among_others)
{
	ck_assert_uint_eq(loops_of_one_kernel(1, 250), 1);
	ck_assert_uint_eq(loops_of_one_kernel(2, 250), 1);
	ck_assert_uint_eq(loops_of_one_kernel(1, 150), 0);
	ck_assert_uint_eq(loops_of_one_kernel(4, 60), 0);
	ck_assert_uint_eq(loops_of_one_kernel(400, 3), 0);
}
