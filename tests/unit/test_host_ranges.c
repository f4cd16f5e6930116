/* What the host did while the GPU was idle, on a program whose timeline is known. */
#include "activity/host_ranges.h"
#include "trace/builder.h"
#include "test.h"
#include <deepprof/deepprof.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 20, SLOW = 12, SAMPLE_NS = 1000 };

/* A period in microseconds; the slow one prepares for twice as long again. */
#define PERIOD 100
#define LONGER 100

static struct dp_builder *builder;
static uint32_t thread, other_thread, stream;
static bool numbered; /* names of ranges have numbers */

static uint32_t name_of(const char *text)
{
	return dp_builder__string(builder, text, strlen(text));
}

static void add_range(const char *name, enum dp_range_kind kind, uint32_t of, int64_t start_us,
		      int64_t end_us)
{
	const struct dp_range range = { .start_ns = start_us * 1000,
					.end_ns = end_us * 1000,
					.name = name_of(name),
					.thread = of,
					.kind = kind };

	ck_assert_int_eq(dp_builder__add_range(builder, &range), DP_OK);
}

static void add_call(const char *name, int64_t start_us, int64_t end_us, uint32_t correlation)
{
	const struct dp_call call = { start_us * 1000, end_us * 1000, name_of(name), thread,
				      correlation };

	ck_assert_int_eq(dp_builder__add_call(builder, &call), DP_OK);
}

static void add_kernel(const char *name, int64_t start_us, int64_t end_us, uint32_t correlation)
{
	struct dp_op op = { .start_ns = start_us * 1000,
			    .end_ns = end_us * 1000,
			    .stream = stream,
			    .correlation = correlation };

	op.name = dp_builder__kernel_name(builder, name, strlen(name));
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
}

static void add_sample(const char *function, uint32_t of, int64_t time_us)
{
	const struct dp_function_sample sample = { time_us * 1000, SAMPLE_NS, name_of(function),
						   of };

	ck_assert_int_eq(dp_builder__add_function_sample(builder, &sample), DP_OK);
}

/* Of functions: two of three in load(); in the slow iteration all that is more is in swap(). */
static void add_samples(int64_t t, int64_t at, size_t k)
{
	add_sample("load", thread, t + 12);
	add_sample("load", thread, t + 22);
	add_sample("parse", thread, at + 45);
	/* the device is busy, or it waits for another thread */
	add_sample("busy", thread, at + 66);
	add_sample("elsewhere", other_thread, at + 50);
	for (int i = 0; k == SLOW && i < 30; i++)
		add_sample("swap", thread, t + 50 + i);
}

/*
 *  0 step ------------------------------------------------------------ 99 (the iteration itself)
 * 10 prepare ---------------------- 50    60 launches 63   80 item ------ 95
 *        20 inner -- 30                   64 kernels  80   81 sync --- 94
 */
static int64_t add_iteration(int64_t t, size_t k, bool ranges)
{
	static const char *const names[] = { "gemm", "relu", "adam" };
	int64_t more = k == SLOW ? LONGER : 0, at = t + more;
	char prepare[64] = "prepare", inner[64] = "inner";

	if (numbered) {
		snprintf(prepare, sizeof(prepare), "prepare_%zu of 20", k);
		snprintf(inner, sizeof(inner), "aten::conv%zud", 1 + k % 2);
	}
	if (ranges) {
		add_range("ProfilerStep", DP_RANGE_ANNOTATION, thread, t, at + 99);
		add_range(prepare, DP_RANGE_ANNOTATION, thread, t + 10, at + 50);
		add_range(inner, DP_RANGE_NVTX, thread, t + 20, t + 30);
		add_range("item", DP_RANGE_OPERATOR, thread, at + 80, at + 95);
		/* Another thread launches nothing: nobody waits for it. */
		add_range("elsewhere", DP_RANGE_OPERATOR, other_thread, t, at + 60);
	}
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t correlation = (uint32_t)(3 * k + i + 1);

		add_call("cudaLaunchKernel", at + 60 + i, at + 61 + i, correlation);
		add_kernel(names[i], at + 64 + 6 * i, at + 68 + 6 * i, correlation);
	}
	add_samples(t, at, k);
	add_call("cudaStreamSynchronize", at + 81, at + 94, 10000 + (uint32_t)k);
	return at + PERIOD;
}

static struct dp_analysis *analyze(struct dp_trace **trace, bool ranges)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_analysis *analysis = NULL;
	int64_t t = 0;
	uint32_t process;

	ck_assert_int_eq(dp_builder__new(&builder, &error), DP_OK);
	process = dp_builder__process(builder, 1);
	thread = dp_builder__thread(builder, process, 1);
	other_thread = dp_builder__thread(builder, process, 2);
	stream = dp_builder__stream(builder, process, 0, 1, 7);
	for (size_t k = 0; k < ITERATIONS; k++)
		t = add_iteration(t, k, ranges);
	ck_assert_int_eq(dp_builder__finish(builder, trace, "t", "test", false), DP_OK);
	ck_assert_msg(!dp_analysis_run(&analysis, *trace, NULL, &error), "%s", error.message);
	ck_assert_uint_ge(dp_analysis_loop_count(analysis), 1);
	return analysis;
}

static const struct dp_host_range *find(const struct dp_analysis *analysis,
					enum dp_host_activity activity, const char *outer,
					const char *inner)
{
	const struct dp_host_range *at;

	for (size_t i = 0; (at = dp_analysis_loop_host_range(analysis, 0, i)); i++)
		if (at->activity == activity && !strcmp(at->outer, outer) &&
		    !at->inner == !inner && (!inner || !strcmp(at->inner, inner)))
			return at;
	return NULL;
}

TEST(ranges_over_idle_time_are_summed)
{
	struct dp_trace *trace;
	struct dp_analysis *analysis = analyze(&trace, true);
	const struct dp_host_range *at = find(analysis, DP_HOST_WAIT, "prepare", NULL);
	const struct dp_finding *finding = dp_analysis_finding(analysis, 0);

	ck_assert_ptr_nonnull(at);
	ck_assert_double_eq_tol(at->typical_ns, 40e3, 1e-6);
	ck_assert_double_eq_tol(at->slow_ns, 140e3, 1e-6);
	at = find(analysis, DP_HOST_WAIT, "prepare", "prepare");
	ck_assert_double_eq_tol(at->typical_ns, 30e3, 1e-6);
	at = find(analysis, DP_HOST_WAIT, "prepare", "inner");
	ck_assert_double_eq_tol(at->typical_ns, 10e3, 1e-6);
	ck_assert_ptr_null(find(analysis, DP_HOST_WAIT, "ProfilerStep", NULL));
	ck_assert_ptr_null(find(analysis, DP_HOST_WAIT, "elsewhere", NULL));
	/* what it waits is no host wait */
	at = find(analysis, DP_HOST_WAIT, "item", NULL);
	ck_assert_ptr_nonnull(at);
	ck_assert_double_eq_tol(at->typical_ns, 2e3, 1e-6);
	at = find(analysis, DP_HOST_SYNC, "item", "cudaStreamSynchronize");
	ck_assert_ptr_nonnull(at);
	ck_assert_double_eq_tol(at->typical_ns, 13e3, 1e-6);
	ck_assert_double_eq_tol(at->calls, 1, 1e-6);
	/* The finding names them, and a name that is known has its advice. */
	for (size_t i = 0; (finding = dp_analysis_finding(analysis, i)); i++) {
		ck_assert_uint_ge(finding->range_count, 1);
		if (!strcmp(finding->rule, "slow-iterations"))
			ck_assert_str_eq(finding->ranges[0].name, "prepare");
		if (!strcmp(finding->rule, "host-bound") && finding->activity == DP_HOST_WAIT)
			ck_assert_str_eq(finding->ranges[0].name, "prepare");
	}
	ck_assert_uint_ge(dp_analysis_finding_count(analysis), 2);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* Annotations that differ in their numbers are one, functions are not, nor is one of its kind. */
TEST(numbered_ranges_are_added_up)
{
	struct dp_trace *trace;
	struct dp_analysis *analysis;
	const struct dp_host_range *at;

	numbered = true;
	analysis = analyze(&trace, true);
	numbered = false;
	at = find(analysis, DP_HOST_WAIT, "prepare_# of #", NULL);
	ck_assert_ptr_nonnull(at);
	ck_assert_double_eq_tol(at->typical_ns, 40e3, 1e-6);
	ck_assert_double_eq_tol(at->slow_ns, 140e3, 1e-6);
	at = find(analysis, DP_HOST_WAIT, "prepare_# of #", "aten::conv2d");
	ck_assert_ptr_nonnull(at);
	ck_assert_ptr_nonnull(find(analysis, DP_HOST_WAIT, "prepare_# of #", "aten::conv1d"));
	ck_assert_ptr_null(find(analysis, DP_HOST_WAIT, "prepare_1 of 20", NULL));
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* A number that never differs is a part of the name. */
TEST(names_are_joined_if_several_have_them)
{
	static const char *const names[] = {
		"epoch 1, step 2", "epoch 1, step 34", "gpt2",	     "x::y1",	   "x::y2",
		"step#5",	   "step#6",	       "['a.py:3']", "['a.py:4']", "while.5",
		"while.6",	   "m.layers.0",       "m.layers.1", "at:1",	   "at:2"
	};
	struct dp_error error = DP_ERROR_INIT;
	struct dp_range_names joined = { .joined = NULL };
	uint32_t ids[DP_COUNT(names)], process;
	struct dp_trace *trace;

	ck_assert_int_eq(dp_builder__new(&builder, &error), DP_OK);
	process = dp_builder__process(builder, 1);
	thread = dp_builder__thread(builder, process, 1);
	stream = dp_builder__stream(builder, process, 0, 1, 7);
	add_kernel("k", 1, 2, 0);
	for (size_t i = 0; i < DP_COUNT(names); i++)
		add_range(names[i], DP_RANGE_NVTX, thread, 1, 2);
	for (size_t i = 0; i < DP_COUNT(names); i++)
		ids[i] = name_of(names[i]);
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	ck_assert_str_eq(dp_range_names__text(&joined, trace, ids[0]), names[0]);
	ck_assert_uint_eq(dp_range_names__common(&joined, ids[1]), ids[1]);
	ck_assert_int_eq(dp_range_names__init(&joined, trace), DP_OK);
	ck_assert_uint_eq(dp_range_names__common(&joined, ids[1]), ids[0]);
	ck_assert_str_eq(dp_range_names__text(&joined, trace, ids[0]), "epoch #, step #");
	ck_assert_str_eq(dp_range_names__text(&joined, trace, ids[2]), "gpt2");
	ck_assert_uint_eq(dp_range_names__common(&joined, ids[4]), ids[4]);
	ck_assert_str_eq(dp_range_names__text(&joined, trace, ids[4]), "x::y2");
	ck_assert_str_eq(dp_range_names__text(&joined, trace, ids[6]), "step#");
	ck_assert_str_eq(dp_range_names__text(&joined, trace, ids[8]), "['a.py:4']");
	ck_assert_str_eq(dp_range_names__text(&joined, trace, ids[10]), "while.6");
	ck_assert_str_eq(dp_range_names__text(&joined, trace, ids[12]), "m.layers.#");
	ck_assert_str_eq(dp_range_names__text(&joined, trace, ids[14]), "at:#");
	ck_assert_uint_eq(dp_range_names__common(&joined, DP_NONE), DP_NONE);
	ck_assert_str_eq(dp_range_names__text(&joined, trace, DP_NONE), "");
	dp_range_names__fini(&joined);
	dp_trace_free(trace);
}

static void check_function(const struct dp_analysis *analysis, const char *rule,
			   const char *function, double share)
{
	const struct dp_finding *finding;

	for (size_t i = 0; (finding = dp_analysis_finding(analysis, i)); i++)
		for (size_t e = 0; !strcmp(finding->rule, rule) && e < finding->evidence_count;
		     e++)
			if (!strcmp(finding->evidence[e].name, "sampled_share")) {
				ck_assert_str_eq(finding->evidence[e].call, function);
				ck_assert_double_eq_tol(finding->evidence[e].value, share, 0.02);
				return;
			}
	ck_abort_msg("%s names no function", rule);
}

/* Functions that the launching thread ran in the time that a finding is about. */
TEST(functions_are_named)
{
	struct dp_trace *trace;
	struct dp_analysis *analysis = analyze(&trace, true);
	const struct dp_host_range *at = find(analysis, DP_HOST_WAIT_SAMPLED, "load", NULL);

	ck_assert_ptr_nonnull(at);
	ck_assert_double_eq_tol(at->typical_ns, 2 * SAMPLE_NS, 1e-6);
	at = find(analysis, DP_HOST_WAIT_SAMPLED, "swap", NULL);
	ck_assert_double_eq_tol(at->typical_ns, 0, 1e-6);
	ck_assert_double_eq_tol(at->slow_ns, 30 * SAMPLE_NS, 1e-6);
	ck_assert_double_eq_tol(at->calls, 30, 1e-6);
	ck_assert_ptr_null(find(analysis, DP_HOST_WAIT_SAMPLED, "busy", NULL));
	ck_assert_ptr_null(find(analysis, DP_HOST_WAIT_SAMPLED, "elsewhere", NULL));
	ck_assert_ptr_null(find(analysis, DP_HOST_WAIT_SAMPLED, "load", "load"));
	ck_assert_str_eq(dp_host_activity_name(DP_HOST_WAIT_SAMPLED), "wait_sampled");
	check_function(analysis, "host-bound", "load", 2.0 / 3);
	check_function(analysis, "slow-iterations", "swap", 1);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* Without annotations calls are what there is. */
TEST(calls_stand_for_ranges)
{
	struct dp_trace *trace;
	struct dp_analysis *analysis = analyze(&trace, false);
	const struct dp_host_range *at =
		find(analysis, DP_HOST_SYNC, "cudaStreamSynchronize", NULL);

	ck_assert_ptr_nonnull(at);
	ck_assert_double_eq_tol(at->typical_ns, 13e3, 1e-6);
	at = find(analysis, DP_HOST_WAIT, "", NULL);
	ck_assert_double_gt(at->typical_ns, 50e3);
	ck_assert_str_eq(dp_host_activity_name(DP_HOST_INPUT), "input");
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}
