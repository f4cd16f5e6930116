/*
 * Iterations of a device whose streams share the work: work that moves between streams, and streams
 * of libraries.
 */
#include "../sanitized.h"
#include "alloc_fail.h"
#include "device_trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* How the next iteration's stream follows from its number. */
static int64_t stream_of(int how, int i)
{
	switch (how) {
	case 0: /* two buffers */
		return 7 + i % 2;
	case 1: /* round-robin */
		return 7 + i % 4;
	case 2: /* a graph that is recorded again every other time */
		return i % 2 ? 7 : 20 + i;
	default: /* a new stream each time */
		return 20 + i;
	}
}

static const char step[] = "abcadaebfgahgibcjakl";

static void expect_on_streams(size_t count, size_t streams)
{
	struct dp_trace *trace;
	struct dp_analysis *analysis = analyze(&trace);
	const struct dp_loop *loop = dp_analysis_loop(analysis, 0);
	size_t members = 0;

	ck_assert_ptr_nonnull(loop);
	ck_assert_uint_eq(loop->complete, count);
	ck_assert_uint_eq(loop->length, strlen(step));
	for (size_t s = 0; s < dp_trace_stream_count(trace); s++)
		members += dp_analysis_loop_has_stream(analysis, loop->id, s);
	ck_assert_uint_eq(members, streams);
	for (size_t k = 1; k < loop->iterations; k++)
		ck_assert_int_eq(dp_analysis_loop_iteration(analysis, loop->id, k)->start_ns,
				 dp_analysis_loop_iteration(analysis, loop->id, k - 1)->end_ns +
					 100);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

TEST_LOOP(iterations_on_changing_streams, 4)
{
	static const size_t streams[] = { 2, 4, 11, 20 };

	for (int launched = 0; launched < 2; launched++) {
		start(launched);
		for (int i = 0; i < 20; i++)
			put_all(step, stream_of(_i, i), 0);
		expect_on_streams(20, streams[_i]);
	}
}

/* Others of the device: small kernels of another kind, and copies. */
TEST_LOOP(helpers_stay_apart, 4)
{
	static const size_t streams[] = { 2, 4, 11, 20 };

	start(true);
	for (int i = 0; i < 20; i++) {
		put('z', 100, now_ns + 500, 100);
		put('a', 101, now_ns + 2500, 100);
		put('U', 100, now_ns + 3500, 100);
		put_all(step, stream_of(_i, i), 0);
	}
	expect_on_streams(20, streams[_i]);
}

TEST_LOOP(one_kernel_on_changing_streams, 4)
{
	start(false);
	for (int i = 0; i < 40; i++)
		put_all("UkD", stream_of(_i, i), 0);
	expect(40, 1, 2, 0);
}

/* Launches a kernel now, which runs later. */
static void put_launched(char letter, int64_t stream, int64_t start_ns, int64_t end_ns)
{
	struct dp_op op = { .start_ns = start_ns, .end_ns = end_ns };
	struct dp_call call = { now_ns, now_ns + 5, 0, thread, ++launches };
	char name[] = "kernel_x";

	name[7] = letter;
	op.stream = dp_builder__stream(builder, process, 0, 1, stream);
	op.name = dp_builder__kernel_name(builder, name, strlen(name));
	op.correlation = launches;
	call.name = dp_builder__string(builder, "cudaLaunchKernel", 16);
	ck_assert_int_eq(dp_builder__add_call(builder, &call), DP_OK);
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
	now_ns += 1000;
}

/*
 * Iterations that are launched one after the other, and run on several streams at once. From _i 3
 * on each stream has a thread of its own: if threads take turns, launches are in order, too.
 */
TEST_LOOP(iterations_at_once, 6)
{
	const int on = _i % 3 + 2; /* streams */
	int64_t free_ns[4] = { 0 };
	struct dp_analysis *analysis;
	const struct dp_loop *loop;
	struct dp_trace *trace;
	uint32_t *ops;
	size_t count;

	start(true);
	for (int i = 0; i < 24; i++) {
		int64_t *stream_ns = &free_ns[i % on];

		if (_i >= 3)
			thread = dp_builder__thread(builder, process, 10 + i % on);
		for (size_t k = 0; k < strlen(step); k++) {
			int64_t start_ns = DP_MAX(now_ns + 50, *stream_ns);

			*stream_ns = start_ns + 2000 + below(1000);
			put_launched(step[k], i % on, start_ns, *stream_ns);
		}
	}
	analysis = analyze(&trace);
	loop = dp_analysis_loop(analysis, 0);
	ck_assert_ptr_nonnull(loop);
	ck_assert_uint_eq(loop->complete, 24);
	ck_assert_uint_eq(loop->length, strlen(step));
	ck_assert_int_eq(dp_analysis_loop_operations(analysis, loop->id, &ops, &count, NULL),
			 DP_OK);
	ck_assert_uint_eq(count, 24 * strlen(step));
	for (size_t k = 0; k < 24; k++) {
		const struct dp_iteration *at = dp_analysis_loop_iteration(analysis, loop->id, k);

		for (size_t i = 0; i < at->kernels; i++)
			ck_assert_uint_eq(dp_trace_ops(trace)->stream[ops[at->first_kernel + i]],
					  k % (size_t)on);
		ck_assert_int_eq(dp_trace_ops(trace)->start_ns[ops[at->first_kernel]],
				 at->start_ns);
	}
	free(ops);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* Launches 24 iterations round-robin on four streams, of which each starts lag_ns after the one
 * before. */
static struct dp_analysis *analyze_lagging(struct dp_trace **trace, int64_t lag_ns)
{
	start(true);
	for (int i = 0; i < 24; i++)
		for (int k = 0; step[k]; k++) {
			int64_t start_ns =
				2000000 + i % 4 * lag_ns + (i / 4 * 20 + k) * (int64_t)5000;

			put_launched(step[k], i % 4, start_ns, start_ns + 4000);
		}
	return analyze(trace);
}

/* Streams overtake each other: iterations are in the order of their starts, and no period is 0. */
TEST(starts_out_of_order)
{
	struct dp_trace *trace;
	struct dp_analysis *analysis = analyze_lagging(&trace, 210000);
	const struct dp_loop *loop = dp_analysis_loop(analysis, 0);
	uint32_t *ops;
	size_t count;

	ck_assert_ptr_nonnull(loop);
	ck_assert_uint_eq(loop->complete, 24);
	ck_assert_int_eq(dp_analysis_loop_operations(analysis, loop->id, &ops, &count, NULL),
			 DP_OK);
	for (size_t k = 0; k < 24; k++) {
		const struct dp_iteration *at = dp_analysis_loop_iteration(analysis, loop->id, k);
		int64_t start_ns = dp_trace_ops(trace)->start_ns[ops[at->first_kernel]];

		ck_assert_uint_eq(at->index, k);
		ck_assert_int_eq(at->start_ns, start_ns);
		ck_assert_int_eq(at->end_ns, start_ns + 19 * 5000 + 4000);
		ck_assert_uint_eq(at->foreign_kernels, 0);
		ck_assert(k == 23 || at->warmup ||
			  dp_analysis_loop_is_steady(analysis, loop->id, k));
		if (k)
			ck_assert_int_gt(start_ns, at[-1].start_ns);
	}
	ck_assert_double_eq(dp_analysis_loop_summary(analysis, loop->id,
						     dp_summary_metric_find("min_period_ns")),
			    10000);
	free(ops);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* Of iterations that start together, only the last has a period. */
TEST(starts_together)
{
	struct dp_trace *trace;
	struct dp_analysis *analysis = analyze_lagging(&trace, 0);
	const struct dp_loop *loop = dp_analysis_loop(analysis, 0);
	size_t period = dp_metric_find("period_ns");

	ck_assert_ptr_nonnull(loop);
	ck_assert_uint_eq(loop->complete, 24);
	for (size_t k = 0; k < 23; k++) {
		double ns = dp_analysis_loop_metric(analysis, loop->id, period, k);

		if (k % 4 == 3)
			ck_assert_double_eq(ns, 100000);
		else
			ck_assert(isnan(ns));
	}
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* Streams with a kernel each have not as many iterations as their number says: that is no error. */
TEST(a_number_of_streams_at_once)
{
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace;
	uint64_t number = 24;

	start(true);
	for (int i = 0; i < 108; i++) {
		put('k', i, now_ns, 5000);
		now_ns += 1000;
	}
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	options.iterations = &number;
	options.iterations_count = 1;
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_OK);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 0);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* More streams than one, each with little of the work, and one that is busier with other things. */
TEST(work_spread_thin)
{
	start(false);
	for (int i = 0; i < 24; i++)
		put_all(step, 10 + i % 12, 0);
	for (int i = 0; i < 60; i++)
		put_all((char[]){ (char)('m' + below(8)), '\0' }, 7, 0);
	expect_on_streams(24, 12);
}

/* On two streams at random, half of them late: the launches are in the order of the program. */
TEST(late_starts)
{
	start(true);
	for (int i = 0; i < 40; i++)
		for (size_t k = 0; k < strlen(step); k++, now_ns += 1000) {
			ahead_ns = 50 + 3000 * below(2);
			put(step[k], 7 + below(2), now_ns + ahead_ns, 900);
		}
	expect_headline(40, strlen(step), -1);
}

/*
 * Two threads launch at once, each on a stream of its own, and the streams take turns: the order of
 * launches is that of chance, and the kernels' own is that of the program.
 */
TEST(threads_that_launch_at_once)
{
	const int64_t step_ns = 1100 * (int64_t)strlen(step);

	start(true);
	for (int i = 0; i < 20; i++) {
		thread = dp_builder__thread(builder, process, 10 + i % 2);
		for (int k = 0; step[k]; k++, now_ns += 1100) {
			/* two steps in a row, kernel by kernel, before the first of them begins */
			ahead_ns = (i % 2) * step_ns + 1100 * k + 1000 - 20 * k - 10 * (i % 2);
			put(step[k], 7 + i % 2, now_ns, 1000);
		}
	}
	expect_on_streams(20, 2);
}

/* Two concurrent programs do not take turns: iterations are those of one. */
TEST(streams_at_once_are_not_one)
{
	start(false);
	for (int i = 0; i < 20; i++) {
		for (size_t k = 0; k < strlen(step); k++)
			put(step[k], 8, now_ns + (int64_t)k * 1087 + 300, 900);
		put_all(step, 7, 0);
	}
	expect_on_streams(20, 1);
}

static void mark(const char *text, int64_t start_ns, int64_t end_ns)
{
	struct dp_range range = { .start_ns = start_ns - 60,
				  .end_ns = end_ns - 60,
				  .thread = thread,
				  .kind = DP_RANGE_ANNOTATION };

	range.name = dp_builder__string(builder, text, strlen(text));
	ck_assert_int_eq(dp_builder__add_range(builder, &range), DP_OK);
}

/* Steps that are marked count on whatever stream they run. */
TEST_LOOP(marks_of_changing_streams, 4)
{
	start(true);
	for (int i = 0; i < 6; i++) {
		int64_t begin_ns = now_ns;
		char name[32];

		put_all(step, stream_of(_i, i), 0);
		snprintf(name, sizeof(name), "ProfilerStep#%d", i);
		mark(name, begin_ns, now_ns);
	}
	expect_on_streams(6, (size_t[]){ 2, 4, 4, 6 }[_i]);
}

/* Other work on another stream in every second step, and what runs there is not the same. */
TEST(marks_of_different_work)
{
	struct dp_analysis *analysis;
	const struct dp_loop *loop;
	struct dp_trace *trace;

	start(true);
	for (int i = 0; i < 7; i++) {
		int64_t begin_ns = now_ns;
		char name[32];

		put_all(i % 2 ? "pqrqps" : step, 7 + i % 2, 0);
		snprintf(name, sizeof(name), "ProfilerStep#%d", i);
		mark(name, begin_ns, now_ns);
	}
	analysis = analyze(&trace);
	loop = dp_analysis_loop(analysis, 0);
	ck_assert_ptr_nonnull(loop);
	ck_assert_int_eq(loop->found_by, DP_FOUND_BY_MARKS);
	ck_assert_uint_eq(loop->complete, 7);
	ck_assert(dp_analysis_loop_has_stream(analysis, loop->id, 0));
	ck_assert(dp_analysis_loop_has_stream(analysis, loop->id, 1));
	ck_assert(!dp_analysis_loop_has_stream(analysis, loop->id, 2));
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/*
 * A profiler's step around everything, annotations inside it that leave out what each iteration
 * begins and ends with: the kernels show the iterations, beginnings and ends included.
 */
TEST_LOOP(marks_that_leave_work, 9)
{
	static const char *const heads[] = { "", "x", "xyx" }, *const tails[] = { "z", "", "zww" };
	const char *head = heads[_i % 3], *tail = tails[_i / 3];
	int64_t begin_ns, first_ns;
	struct dp_analysis *analysis;
	struct dp_trace *trace;
	const struct dp_loop *loop;

	start(true);
	begin_ns = now_ns;
	put_all("pqrsptqqrstpr", 7, 0);
	first_ns = now_ns;
	for (int i = 0; i < 6; i++) {
		int64_t model_ns;

		put_all(head, 7, 0);
		model_ns = now_ns;
		for (int k = 0; k < 10; k++)
			put_all(step, 7, 0);
		put_all("vu", 7, 0);
		mark("model", model_ns, now_ns);
		put_all(tail, 7, 0);
	}
	mark("ProfilerStep#3", begin_ns, now_ns);
	analysis = analyze(&trace);
	loop = dp_analysis_loop(analysis, 0);
	ck_assert_ptr_nonnull(loop);
	ck_assert_uint_eq(loop->complete, 6);
	ck_assert_uint_eq(loop->length, 10 * strlen(step) + 2 + strlen(head) + strlen(tail));
	ck_assert_int_eq(dp_analysis_loop_iteration(analysis, loop->id, 0)->start_ns,
			 first_ns - 1000);
	ck_assert_double_ge(loop->confidence, 0.8);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* The time steps of an iteration, on several streams of a library, of which two run at a time. */
static void put_time_steps(int iteration)
{
	for (int k = 0; k < 35; k++) {
		int64_t stream = 20 + k % 4;

		put('p', stream, now_ns, 2500);
		put('q', stream, now_ns + 2600, 2500);
		if (k % 9 == 8 || (k + iteration) % 11 == 0)
			put('r', stream, now_ns + 5200, 1000);
		now_ns += 3000;
	}
}

static void put_iteration(int i)
{
	put_all("Uabcdefgh", 7, 300);
	put_time_steps(i);
	put_all("ijkkllmno", 7, 300);
}

/*
 * Streams of a library do most of the work, in steps; the program's own has the iterations, which
 * it may annotate.
 */
TEST_LOOP(library_streams, 2)
{
	start(true);
	for (int i = 0; i < 40; i++) {
		int64_t begin_ns = now_ns;

		put_iteration(i);
		if (_i)
			mark("step", begin_ns - 100, now_ns);
	}
	expect_headline(40, 17, 7);
}

/* The program's own streams have little of a step each, a library's have most of the time. */
static void put_on_many_streams(void)
{
	put_all("U", 7, 300);
	for (int k = 0; k < 72; k++)
		put_all((char[]){ (char)('a' + k % 12), '\0' }, 40 + k % 12, 0);
	for (int k = 0; k < 30; k++, now_ns += 5400) {
		put('p', 20 + k % 2, now_ns, 2500);
		put('q', 20 + k % 2, now_ns + 2600, 2500);
	}
}

/*
 * Only all streams together show steps. Without launches their order is unknown, and the steps of
 * the library are shown.
 */
TEST_LOOP(library_among_many_streams, 2)
{
	start(_i == 0);
	for (int i = 0; i < 40; i++)
		put_on_many_streams();
	if (_i == 0)
		expect_headline(40, 132, -1);
	else
		expect_headline(1200, 2, -1);
}

/* A set-up of many short kernels is no reason to show a library's steps instead of the program's.
 */
TEST(set_up_on_a_librarys_stream)
{
	start(true);
	for (int i = 0; i < 2000; i++, now_ns += 110)
		put('z', 20, now_ns, 100);
	for (int i = 0; i < 40; i++) {
		put_all("UabcdefghD", 7, 300);
		for (int k = 0; k < 3; k++, now_ns += 22000) {
			put('p', 20, now_ns, 10000);
			put('q', 20, now_ns + 11000, 10000);
		}
	}
	expect_headline(40, 8, 7);
}

/* Half of the kernels of an iteration, before the first one, are none: a fill of the first buffer.
 */
TEST(half_of_an_iteration)
{
	start(false);
	put_all("z", 7, 0);
	now_ns += 1000000;
	for (int i = 0; i < 50; i++)
		put_all("zm", 7, 0);
	expect_headline(50, 2, 7);
}

/* What others add after every tenth step, a report for example, makes no group of steps. */
TEST(few_kernels_on_others)
{
	start(true);
	for (int i = 0; i < 60; i++) {
		put_all(step, 7, 0);
		now_ns += 3000;
		if (i % 10 == 9)
			put_all("zD", 30, 0);
	}
	expect_headline(60, strlen(step), 7);
}

/* A library's stream has most of the time, but four kernels a step, which differ in every other. */
TEST(library_of_few_kernels)
{
	start(true);
	for (int i = 0; i < 60; i++) {
		put_all("Uabcdefghijklm", 7, 300);
		for (const char *name = i % 2 ? "pqrs" : "pqrt"; *name; name++, now_ns += 10500)
			put(*name, 20, now_ns, 10000);
		put_all("nop", 7, 300);
	}
	expect_headline(60, 16, 7);
}

/*
 * One algorithm after another, each on a stream of its own: both loops are shown, if the second one
 * does not begin during the first (1), and not if the second stream has no steps (2). A chosen
 * stream is alone (3).
 */
TEST_LOOP(streams_one_after_another, 4)
{
	const bool both = _i == 0;
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	const struct dp_loop *first, *second;
	struct dp_analysis *analysis;
	struct dp_trace *trace;
	int64_t second_ns;

	options.stream = _i == 3 ? 7 : -1;
	start(true);
	if (_i == 1)
		put('z', 9, now_ns, 100);
	for (int i = 0; i < 12; i++, now_ns += 5000)
		put_all("UabcdefghiD", 7, 300);
	second_ns = now_ns;
	for (int i = 0; i < 10; i++, now_ns += 3000)
		put_all(_i == 2 ? "pqrst" : "UpqrstD", 9, 300);
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_OK);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), both ? 2 : 1);
	first = dp_analysis_loop(analysis, 0);
	ck_assert_uint_eq(first->complete, 12);
	ck_assert_uint_eq(first->length, 9);
	if (both) {
		second = dp_analysis_loop(analysis, 1);
		ck_assert(second->selected);
		ck_assert_uint_eq(second->parent, DP_NONE);
		ck_assert_uint_eq(second->complete, 10);
		ck_assert_uint_eq(second->length, 5);
		ck_assert_double_eq(second->coverage, 1);
		ck_assert(dp_analysis_loop_has_stream(analysis, 1, second->stream));
		ck_assert(!dp_analysis_loop_has_stream(analysis, 1, first->stream));
		ck_assert_int_ge(dp_analysis_loop_iteration(analysis, 1, 0)->start_ns, second_ns);
	}
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* The first iteration of all waits for code to be loaded, which says nothing of its loop. */
TEST(warm_up_makes_no_headline)
{
	start(true);
	for (int i = 0; i < 12; i++) {
		put_all("Uabcdefgh", 7, 300);
		now_ns += i ? 1000 : 50000000;
	}
	for (int i = 0; i < 30; i++) {
		put_all("Uklmnopqrstuv", 7, 300);
		now_ns += 1000;
	}
	expect_headline(30, 12, -1);
}

/*
 * Every allocation may fail: for a loop of one kernel, and for work that moves between streams,
 * runs concurrently, has a loop around it, is that of all streams together or goes on elsewhere.
 * Nothing is leaked.
 */
TEST_LOOP(memory_is_short, 7)
{
	static const char *const none[] = { "interval_ns" };
	static const struct dp_threshold threshold = { "host-bound", 0.1 };
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_trace *trace = NULL;
	/* with sanitizers every third allocation; each trace starts at another one */
	enum { STEP = DP_SANITIZED ? 3 : 1 };
	size_t failed = 0, held;
	bool more = true;

	options.metrics = none;
	options.metrics_count = 1;
	options.explain = _i == 0 || _i >= 4;
	options.thresholds = &threshold;
	options.thresholds_count = 1;
	start(true);
	for (int i = 0; i < (_i == 5 ? 5 : 12); i++) {
		int64_t begin_ns = now_ns;

		if (_i == 5)
			put_on_many_streams();
		else if (_i == 6)
			put_all(i < 6 ? "UabcdefD" : "UpqrstD", i < 6 ? 7 : 9, 0);
		else if (_i == 4)
			put_iteration(i);
		else if (_i < 2)
			put_all(_i ? "UkkD" : "UkD", 7, 0);
		else
			put_all(_i == 2 ? "abcadaebf" : "abc", 7 + i % 2, 0);
		now_ns -= _i == 3 ? 2000 : 0;
		if (_i == 2)
			mark("ProfilerStep#1", begin_ns, now_ns);
	}
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	held = alloc_held();
	for (size_t k = (size_t)(_i % STEP); more; k += STEP) {
		struct dp_error error = DP_ERROR_INIT;
		struct dp_analysis *analysis = NULL;
		uint32_t *ops = NULL;
		size_t count = 0;
		int status;

		alloc_fail_after(k);
		status = dp_analysis_run(&analysis, trace, &options, &error);
		if (!status)
			status = dp_analysis_loop_operations(analysis, 0, &ops, &count, &error);
		more = alloc_fail_stop();
		ck_assert(_i != 4 || status || dp_analysis_loop(analysis, 0)->length == 17);
		ck_assert(_i != 5 || status || dp_analysis_loop(analysis, 0)->length == 132);
		/* an array that cannot be shrunk stays as it is */
		ck_assert(!status || (more && status == DP_ERR_NOMEM));
		failed += status == DP_ERR_NOMEM;
		ck_assert_int_eq(error.status, status);
		free(ops);
		dp_analysis_free(analysis);
		ck_assert_uint_eq(alloc_held(), held);
		ck_assert_uint_lt(k, 20000);
	}
	ck_assert_uint_gt(failed, 50);
	dp_trace_free(trace);
}
