/*
 * The facade through its public functions: errors, results, and that a device or stream without
 * loops does not affect others.
 */
#include "trace/builder.h"
#include "test.h"
#include <deepprof/deepprof.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEP_NS 1000
#define PIECES 5 /* kernels of a step */

static struct dp_builder *builder;
static uint32_t process, thread;
static char reported[4096]; /* warnings, a line each */

static void tell(void *ctx, enum dp_log_level level, const char *message)
{
	size_t used = strlen(reported);

	(void)ctx;
	if (level == DP_LOG_WARNING)
		snprintf(reported + used, sizeof(reported) - used, "%s\n", message);
}

static void start(void)
{
	reported[0] = '\0';
	ck_assert_int_eq(dp_builder__new(&builder, NULL), DP_OK);
	process = dp_builder__process(builder, 1);
	thread = dp_builder__thread(builder, process, 10);
}

static uint32_t stream_of(int64_t device, int64_t context, int64_t stream)
{
	return dp_builder__stream(builder, process, device, context, stream);
}

static void kernel(uint32_t stream, const char *name, int64_t start_ns)
{
	struct dp_op op = { .start_ns = start_ns, .end_ns = start_ns + 50, .stream = stream };

	op.name = dp_builder__kernel_name(builder, name, strlen(name));
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
}

/* Steps of kernels k0 … k4, beginning within the first; the last step has only some. */
static void steps_at(uint32_t stream, size_t count, int64_t at_ns, size_t first_piece,
		     size_t last_pieces)
{
	for (size_t k = 0; k < count; k++)
		for (size_t i = k ? 0 : first_piece; i < (k + 1 < count ? PIECES : last_pieces);
		     i++) {
			char name[24];

			snprintf(name, sizeof(name), "k%zu", i);
			kernel(stream, name, at_ns + (int64_t)(k * STEP_NS + i * 100));
		}
}

static void steps(uint32_t stream, size_t count, size_t first_piece, size_t last_pieces)
{
	steps_at(stream, count, 0, first_piece, last_pieces);
}

static void mark(const char *name, size_t step)
{
	struct dp_range range = { .start_ns = (int64_t)(step * STEP_NS),
				  .end_ns = (int64_t)((step + 1) * STEP_NS),
				  .thread = thread,
				  .kind = DP_RANGE_ANNOTATION };

	range.name = dp_builder__string(builder, name, strlen(name));
	ck_assert_int_eq(dp_builder__add_range(builder, &range), DP_OK);
}

static struct dp_trace *finish(void)
{
	struct dp_trace *trace = NULL;

	ck_assert_int_eq(dp_builder__finish(builder, &trace, "a", "test", false), DP_OK);
	return trace;
}

static struct dp_analysis_options options_of(const uint64_t *counts, size_t count)
{
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;

	options.iterations = counts;
	options.iterations_count = count;
	options.log.write = tell;
	return options;
}

static struct dp_analysis *run(const struct dp_trace *trace,
			       const struct dp_analysis_options *options)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_analysis *analysis = NULL;

	ck_assert_msg(dp_analysis_run(&analysis, trace, options, &error) == DP_OK, "%s",
		      error.message);
	return analysis;
}

static void refused(const struct dp_trace *trace, const struct dp_analysis_options *options,
		    const char *message)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_analysis *analysis = NULL;

	ck_assert_int_eq(dp_analysis_run(&analysis, trace, options, &error), DP_ERR_ARGUMENT);
	ck_assert_ptr_null(analysis);
	ck_assert_str_eq(error.message, message);
}

TEST(devices_have_a_limit)
{
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_error error = DP_ERROR_INIT;

	for (int64_t devices = 4096; devices <= 4097; devices++) {
		struct dp_trace *trace;

		start();
		for (int64_t d = 0; d < devices; d++)
			kernel(stream_of(d, 1, 7), "k", d * STEP_NS);
		trace = finish();
		ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, &error),
				 devices == 4096 ? DP_OK : DP_ERR_LIMIT);
		if (devices == 4096)
			dp_analysis_free(analysis);
		dp_trace_free(trace);
	}
	ck_assert_str_eq(error.message,
			 "4097 devices have kernels: at most 4096 are analyzed at once");
}

TEST(options_are_checked)
{
	const uint64_t none = 0;
	const struct dp_threshold nameless = { NULL, 0.5 };
	struct dp_analysis_options options = options_of(NULL, 1);
	struct dp_trace *trace;

	start();
	steps(stream_of(0, 1, 7), 6, 0, PIECES);
	trace = finish();
	refused(trace, &options, "1 numbers of iterations, but no array of them");
	options = options_of(NULL, 0);
	options.thresholds_count = 1;
	refused(trace, &options, "1 thresholds, but no array of them");
	options.thresholds = &nameless;
	refused(trace, &options, "a threshold without a rule");
	options = options_of(&none, 1);
	refused(trace, &options, "a number of iterations must be 1 or more");
	options = options_of(NULL, 0);
	options.paper = true;
	refused(trace, &options, "the paper's algorithm needs the number of iterations");
	options = options_of(NULL, 0);
	options.epsilon = 0;
	refused(trace, &options, "epsilon must be 1 or more");
	options = options_of(NULL, 0);
	options.level = (enum dp_level)3;
	refused(trace, &options, "no level of loops has number 3");
	options = options_of(NULL, 0);
	options.range_start_ns = options.range_end_ns = 5;
	refused(trace, &options, "the range is empty");
	options = options_of(NULL, 0);
	options.marks = "(";
	refused(trace, &options, "marks '(': Unmatched ( or \\(");
	options = options_of(NULL, 0);
	options.device = 3;
	refused(trace, &options, "no kernels on device 3: the only device with kernels is 0");
	options.stream = 4;
	refused(trace, &options,
		"no kernels on stream 4 of device 3: the only device with kernels is 0");
	options.device = 0;
	refused(trace, &options,
		"no kernels on stream 4 of device 0: the only stream with kernels is 7");
	dp_trace_free(trace);
}

/* A caller of an earlier version has a shorter struct: missing members have their defaults. */
TEST(shorter_options_are_taken)
{
	struct dp_analysis_options options = options_of(NULL, 0);
	struct dp_detector_options feed = DP_DETECTOR_OPTIONS_INIT;
	struct dp_detector *detector = NULL;
	struct dp_trace *trace;

	start();
	steps(stream_of(0, 1, 7), 6, 0, PIECES);
	trace = finish();
	options.size = offsetof(struct dp_analysis_options, epsilon);
	options.epsilon = 0;
	dp_analysis_free(run(trace, &options));
	dp_trace_free(trace);
	feed.size = offsetof(struct dp_detector_options, ctx);
	ck_assert_int_eq(dp_detector_new(&detector, &feed, NULL), DP_OK);
	dp_detector_free(detector);
}

/* Epsilon has no upper limit, so a pattern may occur arbitrarily rarely. */
TEST(epsilon_has_no_limit)
{
	const uint64_t six = 6;
	struct dp_analysis_options options = options_of(&six, 1);
	struct dp_analysis *analysis;
	struct dp_trace *trace;

	start();
	steps(stream_of(0, 1, 7), 6, 0, PIECES);
	trace = finish();
	options.paper = true;
	options.epsilon = UINT64_MAX;
	options.max_unmatched = UINT64_MAX;
	analysis = run(trace, &options);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 1);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* The published algorithm's main stream has most kernels, wherever most of the time is spent. */
TEST(the_paper_takes_most_kernels)
{
	const uint64_t six = 6;
	struct dp_analysis_options options = options_of(&six, 1);
	struct dp_op op = { .start_ns = 0, .end_ns = 5000 };
	struct dp_analysis *analysis;
	struct dp_trace *trace;

	start();
	steps(stream_of(0, 1, 7), 6, 0, PIECES);
	op.stream = stream_of(0, 1, 9);
	op.name = dp_builder__kernel_name(builder, "long", 4);
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
	trace = finish();
	options.paper = true;
	analysis = run(trace, &options);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 1);
	ck_assert_int_eq(dp_trace_stream(trace, dp_analysis_loop(analysis, 0)->stream)->stream, 7);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

TEST(marks_of_one_device_do)
{
	struct dp_analysis_options options = options_of(NULL, 0);
	struct dp_analysis *analysis;
	struct dp_trace *trace;

	start();
	steps(stream_of(0, 1, 7), 6, 0, PIECES);
	for (size_t k = 0; k < 6; k++)
		mark("step", k);
	process = dp_builder__process(builder, 2);
	steps(stream_of(1, 1, 9), 6, 0, PIECES);
	trace = finish();
	options.marks = "^step$";
	analysis = run(trace, &options);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 1);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->device, 0);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->iterations, 6);
	ck_assert(!dp_analysis_candidate(analysis, 0));
	ck_assert(dp_analysis_candidate(analysis, 1));
	ck_assert_str_eq(reported, "device 1, stream 9: no range with kernels matches the marks "
				   "'^step$'\n");
	dp_analysis_free(analysis);
	options.marks = "^stop$";
	refused(trace, &options,
		"no range with kernels matches the marks '^stop$': there are, for example, 'step' (6 times)");
	options.marks = "^step$";
	options.device = 1;
	refused(trace, &options,
		"no range with kernels matches the marks '^step$': there are, for example, 'step' (6 times)");
	dp_trace_free(trace);
}

/* What exists instead: names without numbers, longest first, once each. */
TEST(marks_that_repeat_are_named)
{
	static const char *const names[] = { "1st", "train step 0", "train step 1", "once" };
	struct dp_analysis_options options = options_of(NULL, 0);
	struct dp_trace *trace;

	start();
	steps(stream_of(0, 1, 7), 4, 0, PIECES);
	trace = finish();
	options.marks = "none";
	refused(trace, &options,
		"no range with kernels matches the marks 'none': the trace has no annotations");
	dp_trace_free(trace);
	start();
	steps(stream_of(0, 1, 7), 4, 0, PIECES);
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		mark(names[k], k);
	trace = finish();
	refused(trace, &options,
		"no range with kernels matches the marks 'none': there are, for example, 'train step ' (2 times)");
	dp_trace_free(trace);
}

/* The expression that a message suggests finds the ranges that it counts, and no others. */
TEST(suggested_marks_find_what_they_name)
{
	static const char *const names[] = { "Opt.zero#1", "Opt.step", "load 'it' a", "Opt.step",
					     "Opt.zero#2", "load 'it' a" };
	struct dp_analysis_options options = options_of(NULL, 0);
	struct dp_trace *trace;

	start();
	steps(stream_of(0, 1, 7), 7, 0, PIECES);
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		mark(names[k], k);
	mark("Opt.step.2", 6);
	trace = finish();
	options.marks = "none";
	refused(trace, &options,
		"no range with kernels matches the marks 'none': there are, for example, 'Opt\\.zero#' (2 times), "
		"'^Opt\\.step$' (2 times), 'load .it. a' (2 times)");
	dp_trace_free(trace);
}

/* A known number of iterations that exceeds the kernels of a second device. */
TEST(an_idle_device_does_not_fail_the_others)
{
	const uint64_t twelve = 12;
	struct dp_analysis_options options = options_of(&twelve, 1);
	struct dp_analysis *analysis;
	struct dp_trace *trace;

	start();
	steps(stream_of(0, 1, 7), 12, 0, PIECES);
	kernel(stream_of(1, 1, 9), "lonely", 10);
	trace = finish();
	analysis = run(trace, &options);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 1);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, 12);
	ck_assert_str_eq(reported, "stream 9 has no loop of 12 iterations\n");
	dp_analysis_free(analysis);
	options.device = 1;
	refused(trace, &options, "12 iterations are impossible: the stream has only 1 kernel");
	dp_trace_free(trace);
}

TEST(numbers_that_do_not_fit_are_reported)
{
	const uint64_t many[] = { 5, 25 };
	struct dp_analysis_options options = options_of(&many[1], 1);
	struct dp_analysis *analysis;
	struct dp_trace *trace;

	start();
	steps(stream_of(0, 1, 7), 5, 0, PIECES);
	trace = finish();
	dp_analysis_free(run(trace, &options));
	ck_assert_ptr_nonnull(strstr(reported, "stream 7 has no loop of 25 iterations"));
	reported[0] = '\0';
	options.iterations = many;
	analysis = run(trace, &options);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, 5);
	ck_assert_str_eq(reported, "");
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* Two steps count as one to match the number, although the kernels show single steps. */
TEST(numbers_that_fit_by_chance_are_reported)
{
	const uint64_t numbers[] = { 20, 40, 1 };
	struct dp_analysis_options options = options_of(numbers, 1);
	struct dp_analysis *analysis;
	struct dp_trace *trace;

	start();
	steps(stream_of(0, 1, 7), 40, 0, PIECES);
	trace = finish();
	analysis = run(trace, &options);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, 20);
	ck_assert_ptr_nonnull(strstr(reported,
				     "stream 7: found 20 iterations; without -n, "
				     "40 iterations of "));
	dp_analysis_free(analysis);
	for (size_t i = 1; i < 3; i++) {
		reported[0] = '\0';
		options.iterations = &numbers[i];
		analysis = run(trace, &options);
		if (numbers[i] > 1)
			ck_assert_str_eq(reported, "");
		else
			ck_assert_ptr_nonnull(strstr(reported, "stream 7: found 1 iteration; "
							       "without -n, 40 iterations of "));
		ck_assert(isnan(dp_analysis_loop(analysis, 0)->confidence) == (numbers[i] == 1));
		dp_analysis_free(analysis);
	}
	dp_trace_free(trace);
}

TEST(a_range_needs_kernels)
{
	struct dp_analysis_options options = options_of(NULL, 0);
	struct dp_trace *trace;

	start();
	steps(stream_of(0, 1, 7), 6, 0, PIECES);
	trace = finish();
	options.range_start_ns = 100 * STEP_NS;
	refused(trace, &options, "no kernels in the range; the capture is 0.000005 s long");
	dp_trace_free(trace);
}

/* Marked iterations that the capture cuts at its ends are in no average. */
TEST(cut_marks_are_partial)
{
	struct dp_analysis_options options = options_of(NULL, 0);
	struct dp_analysis *analysis;
	struct dp_trace *trace;

	start();
	steps(stream_of(0, 1, 7), 6, 2, 3);
	for (size_t k = 0; k < 6; k++)
		mark("step", k);
	trace = finish();
	options.marks = "step";
	analysis = run(trace, &options);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->iterations, 6);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, 4);
	for (size_t k = 0; k < 6; k++)
		ck_assert_int_eq(dp_analysis_loop_iteration(analysis, 0, k)->partial,
				 k == 0 || k == 5);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

static double metric(const struct dp_analysis *analysis, const char *name, size_t iteration)
{
	return dp_analysis_loop_metric(analysis, 0, dp_metric_find(name), iteration);
}

#define PAUSE_NS INT64_C(3000000000)

/* Two times ten steps with three seconds between them, with and without a recorded pause. */
static struct dp_trace *pause_trace(bool paused, size_t first_piece, size_t last_pieces)
{
	uint32_t stream;

	start();
	stream = stream_of(0, 1, 7);
	steps_at(stream, 10, 0, 0, last_pieces);
	steps_at(stream, 10, PAUSE_NS, first_piece, PIECES);
	if (paused)
		ck_assert_int_eq(dp_builder__add_pause(builder, process, 9900, PAUSE_NS - 10),
				 DP_OK);
	return finish();
}

static bool finds(const struct dp_analysis *analysis, const char *rule)
{
	const struct dp_finding *finding;

	for (size_t i = 0; (finding = dp_analysis_finding(analysis, i)); i++)
		if (!strcmp(finding->rule, rule))
			return true;
	return false;
}

/* What ran in a pause is unknown: no period or interval includes it, and it causes no findings. */
TEST(pauses_are_no_periods)
{
	struct dp_analysis *analysis;
	struct dp_trace *trace;

	for (int paused = 0; paused < 2; paused++) {
		trace = pause_trace(paused, 0, PIECES);
		analysis = run(trace, NULL);
		ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, 20);
		ck_assert_int_eq(finds(analysis, "starved"), !paused);
		ck_assert_int_eq(finds(analysis, "slow-iterations"), !paused);
		for (size_t k = 0; k < 20; k++) {
			bool resumed = paused && k == 10, open = k == 19 || (paused && k == 9);

			ck_assert_int_eq(dp_analysis_loop_iteration(analysis, 0, k)->resumed,
					 resumed);
			ck_assert_int_eq(dp_analysis_loop_iteration(analysis, 0, k)->partial,
					 false);
			ck_assert_int_eq(isnan(metric(analysis, "period_ns", k)), open);
			ck_assert_int_eq(isnan(metric(analysis, "idle_ns", k)), open);
			ck_assert_int_eq(isnan(metric(analysis, "interval_ns", k)), !k || resumed);
			ck_assert_int_eq(isnan(metric(analysis, "h2d_bytes", k)), resumed);
		}
		dp_analysis_free(analysis);
		dp_trace_free(trace);
	}
}

/* A pause that begins and ends in an iteration leaves two that are cut off, or one of both. */
TEST(pauses_cut_iterations)
{
	struct dp_analysis *analysis;
	struct dp_trace *trace;
	size_t cut = 0;

	trace = pause_trace(true, 2, 3);
	analysis = run(trace, NULL);
	for (size_t k = 0; k < dp_analysis_loop(analysis, 0)->iterations; k++) {
		const struct dp_iteration *at = dp_analysis_loop_iteration(analysis, 0, k);

		cut += at->partial;
		ck_assert_int_eq(at->partial, at->end_ns >= 9000 && at->start_ns <= PAUSE_NS + 999);
		ck_assert(at->partial || at->end_ns - at->start_ns == 450);
	}
	ck_assert(cut == 1 || cut == 2);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, 18);
	ck_assert(!finds(analysis, "starved") && !finds(analysis, "slow-iterations"));
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* Work launched before a pause runs in it: launches decide where the pause is. */
TEST(pauses_split_launches)
{
	struct dp_analysis *analysis;
	struct dp_trace *trace;
	uint32_t stream;

	start();
	stream = stream_of(0, 1, 7);
	for (uint32_t i = 0; i < 100; i++) {
		/* launched and run one after another, but late */
		struct dp_call call = { i * 10 + (i < 60 ? 0 : 1000), 0, 0, thread, i + 1 };
		struct dp_op op = { .start_ns = 5000 + i * 100,
				    .end_ns = 5050 + i * 100,
				    .stream = stream,
				    .correlation = i + 1 };
		char name[8];

		snprintf(name, sizeof(name), "k%u", i % PIECES);
		call.end_ns = call.start_ns + 5;
		call.name = dp_builder__string(builder, "cudaLaunchKernel", 16);
		op.name = dp_builder__kernel_name(builder, name, strlen(name));
		ck_assert_int_eq(dp_builder__add_call(builder, &call), DP_OK);
		ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
	}
	ck_assert_int_eq(dp_builder__add_pause(builder, process, 600, 1590), DP_OK);
	trace = finish();
	analysis = run(trace, NULL);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, 20);
	for (size_t k = 0; k < 20; k++)
		ck_assert_int_eq(dp_analysis_loop_iteration(analysis, 0, k)->resumed, k == 12);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/*
 * A single marked step contains a loop: that is reported, unless the marks were requested. As few
 * iterations as a network has layers are no layers if they are all there is.
 */
static void report_inside(size_t count)
{
	struct dp_analysis_options options = options_of(NULL, 0);
	struct dp_range whole = { .end_ns = (int64_t)count * STEP_NS, .kind = DP_RANGE_ANNOTATION };
	struct dp_analysis *analysis;
	struct dp_trace *trace;

	start();
	steps(stream_of(0, 1, 7), count, 0, PIECES);
	whole.thread = thread;
	whole.name = dp_builder__string(builder, "ProfilerStep#3", 14);
	ck_assert_int_eq(dp_builder__add_range(builder, &whole), DP_OK);
	trace = finish();
	analysis = run(trace, &options);
	ck_assert_int_eq(dp_analysis_loop(analysis, 0)->found_by, DP_FOUND_BY_AUTO);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, count);
	dp_analysis_free(analysis);
	options.marks = "ProfilerStep";
	analysis = run(trace, &options);
	ck_assert_int_eq(dp_analysis_loop(analysis, 0)->found_by, DP_FOUND_BY_MARKS);
	ck_assert_str_eq(dp_analysis_loop(analysis, 0)->annotation, "ProfilerStep#3");
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->iterations, 1);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

TEST(one_mark_is_not_all)
{
	report_inside(40);
	report_inside(10);
}

/*
 * A few repetitions between an embedding and a head may be layers, and are not taken for iterations
 * of the single marked step.
 */
TEST(one_mark_is_more_than_layers)
{
	static const char *const layer[PIECES] = { "cudnn_conv_fprop_a", "cudnn_conv_fprop_b",
						   "cudnn_conv_fprop_c", "bn_fw_inf",
						   "relu_kernel" };
	struct dp_analysis_options options = options_of(NULL, 0);
	struct dp_range whole = { .end_ns = 14 * STEP_NS, .kind = DP_RANGE_ANNOTATION };
	const struct dp_stream_candidate *candidate;
	struct dp_analysis *analysis;
	struct dp_trace *trace;

	start();
	kernel(stream_of(0, 1, 7), "embedding", 0);
	for (int64_t k = 0; k < 12 * PIECES; k++)
		kernel(stream_of(0, 1, 7), layer[k % PIECES], STEP_NS + k * STEP_NS / PIECES);
	kernel(stream_of(0, 1, 7), "head", 13 * STEP_NS);
	whole.thread = thread;
	whole.name = dp_builder__string(builder, "ProfilerStep#3", 14);
	ck_assert_int_eq(dp_builder__add_range(builder, &whole), DP_OK);
	trace = finish();
	analysis = run(trace, &options);
	/* nor is it an iteration itself, around everything */
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 0);
	candidate = dp_analysis_candidate(analysis, 0);
	ck_assert_uint_eq(candidate->length, PIECES);
	ck_assert_uint_eq(candidate->iterations, 12);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* One step of several that ran is an iteration. */
TEST(one_mark_is_a_part)
{
	static const char *const names[] = { "k5", "k6", "k7", "k8", "k9", "k10", "k11" };
	struct dp_analysis_options options = options_of(NULL, 0);
	struct dp_analysis *analysis;
	struct dp_trace *trace;
	uint32_t stream;

	start();
	stream = stream_of(0, 1, 7);
	steps(stream, 1, 0, PIECES);
	mark("ProfilerStep#1", 0);
	for (int i = 0; i < 7; i++)
		kernel(stream, names[i], STEP_NS + i * 100);
	trace = finish();
	analysis = run(trace, &options);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 1);
	ck_assert_int_eq(dp_analysis_loop(analysis, 0)->found_by, DP_FOUND_BY_MARKS);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->length, PIECES);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* The last step runs other kernels in part, but as many as the others: it is whole. */
TEST(a_last_mark_with_other_kernels_is_whole)
{
	struct dp_analysis_options options = options_of(NULL, 0);
	struct dp_analysis *analysis;
	struct dp_trace *trace;

	for (int other = 0; other < 2; other++) {
		uint32_t stream;

		start();
		stream = stream_of(0, 1, 7);
		steps(stream, 5, 0, PIECES - 1);
		if (other)
			kernel(stream, "other", 4 * STEP_NS + 150);
		for (size_t k = 0; k < 5; k++)
			mark("ProfilerStep#1", k);
		trace = finish();
		analysis = run(trace, &options);
		ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->iterations, 5);
		ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, other ? 5 : 4);
		dp_analysis_free(analysis);
		dp_trace_free(trace);
	}
}

/* The same stream id in two contexts: each has its own answer. */
TEST(candidates_are_of_streams)
{
	struct dp_analysis_options options = options_of(NULL, 0);
	struct dp_analysis *analysis;
	struct dp_trace *trace;

	start();
	steps(stream_of(0, 1, 7), 30, 0, PIECES);
	kernel(stream_of(0, 2, 7), "lonely", 10);
	kernel(stream_of(0, 2, 8), "another", 20);
	trace = finish();
	options.stream = 7;
	analysis = run(trace, &options);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 1);
	ck_assert_ptr_null(dp_analysis_candidate(analysis, 0));
	ck_assert_uint_eq(dp_analysis_candidate(analysis, 1)->length, 0);
	ck_assert_ptr_null(dp_analysis_candidate(analysis, 2));
	ck_assert_ptr_null(dp_analysis_candidate(analysis, 3));
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}
