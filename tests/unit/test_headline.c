/* Which of several loops is shown in full: loop 0. */
#include "device_trace.h"

#include <stdio.h>

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
	/* the end of a group and two more, with pauses between them, which need not be theirs */
	for (int whole = 2; whole < 4; whole++) {
		start(true);
		put_all("ABCEFGHIJK", 7, 0);
		for (int i = 0; i < whole; i++) {
			now_ns += 1000000;
			put_all("qrstuvwxyzABCEFGHIJK", 7, 0);
		}
		repeat(TRAINING, 50, 0);
		expect_headline(whole == 2 ? 50 : 3, whole == 2 ? 16 : 20, 7);
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

struct text {
	char bytes[30000];
	size_t size;
};

static int keep(void *ctx, const void *data, size_t size)
{
	struct text *text = ctx;

	ck_assert_uint_lt(text->size + size, sizeof(text->bytes));
	memcpy(text->bytes + text->size, data, size);
	text->size += size;
	return 0;
}

/* The iterations of the loop whose iterations the ranks of a job are compared by. */
static size_t iterations_of_rank(const struct dp_analysis *analysis)
{
	struct dp_summary_source source = DP_SUMMARY_SOURCE_INIT;
	struct dp_summary *summary;
	struct dp_ranks *ranks;
	size_t count;

	ck_assert_int_eq(dp_summary_run(&summary, analysis, &source, NULL), DP_OK);
	ck_assert_int_eq(dp_ranks_run(&ranks, &summary, 1, NULL, NULL), DP_OK);
	count = dp_ranks_iteration_count(ranks);
	dp_ranks_free(ranks);
	dp_summary_free(summary);
	return count;
}

/* The main loop is the same one for each command. */
TEST(one_main_loop)
{
	struct dp_report_options options = DP_REPORT_OPTIONS_INIT;
	struct text text = { .size = 0 };
	struct dp_sink sink = { keep, &text };
	struct dp_trace *trace;
	struct dp_analysis *analysis;
	struct dp_comparison *comparison;

	start(true);
	for (int i = 0; i < 2; i++) {
		repeat("Uqrstuvwx", 30, 0);
		now_ns += 10000000;
	}
	repeat(TRAINING, 30, 0);
	analysis = analyze(&trace);
	ck_assert_uint_ge(dp_analysis_loop_count(analysis), 2);
	ck_assert(dp_analysis_loop(analysis, 1)->selected);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->length, 16);
	ck_assert_uint_eq(dp_analysis_main_loop(analysis, DP_NONE), 0);
	ck_assert_uint_eq(dp_analysis_main_loop(analysis, 0), 0);
	ck_assert_uint_eq(dp_analysis_main_loop(analysis, 1), SIZE_MAX);
	/* the shorter loop takes little more time, without what it waited */
	ck_assert_double_gt(dp_analysis_loop_time(analysis, 1), dp_analysis_loop_time(analysis, 0));
	ck_assert_double_lt(dp_analysis_loop_time(analysis, 1),
			    dp_analysis_loop_time(analysis, 0) * 1.1);
	ck_assert(dp_analysis_loop_time(analysis, dp_analysis_loop_count(analysis)) == 0);

	ck_assert_int_eq(dp_comparison_run(&comparison, analysis, analysis, NULL, NULL), DP_OK);
	ck_assert_uint_eq(dp_comparison_pair(comparison, 0)->loop[0], 0);
	dp_comparison_free(comparison);
	ck_assert_uint_eq(iterations_of_rank(analysis), 30);
	options.brief = true;
	ck_assert_int_eq(dp_report_write(analysis, "json", &options, &sink, NULL), DP_OK);
	text.bytes[text.size] = '\0';
	ck_assert_ptr_nonnull(strstr(text.bytes, "\"loops\": [\n    { \"id\": 0"));
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/*
 * The first GPU's training takes nearly as much time as its evaluations, and has longer iterations,
 * but takes less than the second GPU's loop. The main loop of all is that of its GPU, too. Only
 * whole iterations have time.
 */
TEST(main_loops_of_devices)
{
	static const int64_t first_ns[] = { 1000, 5000 };
	struct dp_trace *trace;
	struct dp_analysis *analysis;
	const struct dp_loop *loop;
	size_t other;

	start(false);
	for (uint32_t device = 0; device < 2; device++) {
		uint32_t stream = dp_builder__stream(builder, process, device, 1, 7);
		int64_t at_ns = first_ns[device];

		for (int i = 0; i < (device ? 100 * 20 : 95 * 20 + 15 * 60 - 30); i++) {
			bool training = !device && i >= 95 * 20;
			struct dp_op op = { .stream = stream, .start_ns = at_ns };
			char name[16];

			snprintf(name, sizeof(name), "%c_%d", training ? 't' : 'e',
				 training ? (i - 95 * 20) % 60 : i % 20);
			op.end_ns = at_ns + 1000;
			op.name = dp_builder__kernel_name(builder, name, strlen(name));
			ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
			at_ns += training ? 2280 : 1100;
		}
	}
	analysis = analyze(&trace);
	loop = dp_analysis_loop(analysis, 0);
	ck_assert_uint_eq(dp_analysis_main_loop(analysis, DP_NONE), 0);
	ck_assert_uint_eq(dp_analysis_main_loop(analysis, loop->device), 0);
	other = dp_analysis_main_loop(analysis, !loop->device);
	ck_assert_uint_ne(other, SIZE_MAX);
	ck_assert_uint_eq(dp_analysis_loop(analysis, other)->device, !loop->device);
	for (size_t i = 0; i < dp_analysis_loop_count(analysis); i++) {
		loop = dp_analysis_loop(analysis, i);
		if (loop->selected && loop->length == 60)
			ck_assert_double_eq_tol(dp_analysis_loop_time(analysis, i),
						(double)loop->complete * 60 * 2280, 2500);
	}
	dp_analysis_free(analysis);
	dp_trace_free(trace);
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

/* Two versions of a kernel are checked, then each is timed: together they are most of what runs. */
TEST(kernels_one_after_another)
{
	struct dp_trace *trace;
	struct dp_analysis *analysis;

	start(false);
	put_all("abcadbeacfbcdfeahbdjcieafhbcjgdklklbjd", 7, 0);
	repeat("k", 250, 0);
	repeat("l", 250, 0);
	put_all("jbdacieafbhdgcjhabidfecgbjadhif", 7, 0);
	analysis = analyze(&trace);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 2);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(dp_analysis_loop(analysis, i)->length, 1);
		ck_assert_uint_ge(dp_analysis_loop(analysis, i)->complete, 250);
	}
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

static void put_noise(int count)
{
	for (int i = 0; i < count; i++) {
		put((char)('a' + below(10)), 7, now_ns, 1000);
		now_ns += 1100;
	}
}

/* Rows of as many launches as -n gives are loops, whatever else runs; of other numbers, none are.
 */
TEST(rows_of_a_known_number)
{
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	uint64_t number = 20;
	struct dp_trace *trace;
	struct dp_analysis *analysis;

	options.iterations = &number;
	options.iterations_count = 1;
	start(false);
	put_noise(100);
	repeat("y", 98, 0);
	repeat("k", 20, 0);
	put_noise(100);
	repeat("y", 147, 0);
	repeat("l", 20, 0);
	put_noise(100);
	analysis = analyze(&trace);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 0);
	dp_analysis_free(analysis);
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_OK);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 2);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(dp_analysis_loop(analysis, i)->length, 1);
		ck_assert_uint_eq(dp_analysis_loop(analysis, i)->complete, 20);
		ck_assert_int_eq(dp_analysis_loop(analysis, i)->found_by, DP_FOUND_BY_COUNT);
	}
	dp_analysis_free(analysis);
	number = 21;
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_OK);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 0);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}
