/*
 * Programs that set up, run time steps and finish. A network's single pass has the same form (an
 * embedding, its layers and a head): names show which it is.
 */
#include "program_trace.h"

#include <string.h>

static uint64_t copy_bytes; /* 0: unknown */

static void copy(enum dp_copy_kind kind)
{
	struct dp_op op = { .start_ns = now_ns,
			    .end_ns = now_ns + 5000,
			    .stream = stream,
			    .kind = DP_OP_COPY,
			    .copy_kind = kind,
			    .bytes = copy_bytes };

	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
	now_ns = op.end_ns + 1000;
}

/* The analysis of a program whose steps have length kernels, with names of a form. */
static struct dp_analysis *analyze(const char *form, int setup, int length, int steps, int finish)
{
	begin();
	for (int i = 0; i < setup; i++)
		run("setup_%d", i);
	for (int i = 0; i < steps * length; i++)
		run(form, i % length);
	for (int i = 0; i < finish; i++)
		run("finish_%d", i);
	return finish_and_analyze();
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

TEST(time_steps_are_iterations)
{
	expect_steps("advance_%d", 20, 15, 100, 3);
	expect_steps("heat_diffusion_%d", 5, 6, 150, 2);
	expect_steps("sweep_%d", 3, 30, 60, 1);
}

TEST(layers_are_none)
{
	struct dp_analysis *analysis = analyze("ampere_sgemm_nn_v%d", 20, 15, 100, 3);

	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 0);
	dp_analysis_free(analysis);
}

/* A layer's kernels, with a copy before some. */
static void run_with_copies(int kernels, enum dp_copy_kind kind, unsigned before)
{
	for (int i = 0; i < kernels; i++) {
		if (before >> i & 1)
			copy(kind);
		run("cudnn_%c_kernel", 'a' + i);
	}
}

static void expect_copied(int startup, int kernels, enum dp_copy_kind kind, unsigned before,
			  size_t loops)
{
	struct dp_analysis *analysis;
	uint32_t random = 1;

	begin();
	for (int i = 0; i < startup; i++) {
		random = random * 1664525 + 1013904223;
		run("cublas_%c_kernel", 'a' + (int)(random >> 24) % 20);
	}
	for (int i = 0; i < 35; i++)
		run_with_copies(kernels, kind, before);
	analysis = finish_and_analyze();
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), loops);
	if (loops) {
		ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->length, (size_t)kernels);
		ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, 35);
		ck_assert_uint_eq(dp_analysis_loop_iteration(analysis, 0, 0)->first_kernel,
				  (size_t)startup);
	}
	dp_analysis_free(analysis);
}

/* Two uploads in a row are one input, even in an iteration of a few kernels. */
TEST(an_input_of_two_parts_begins_a_step)
{
	expect_copied(40, 7, DP_COPY_HTOD, 0, 0);
	expect_copied(40, 7, DP_COPY_HTOD, 1, 1);
	expect_copied(40, 7, DP_COPY_HTOD, 3, 1);
}

/* Layers with experts fetch how many tokens go to each; no layer fetches results. */
TEST(large_results_are_of_a_step)
{
	copy_bytes = 2048;
	expect_copied(40, 7, DP_COPY_DTOH, 1 | 1 << 3, 0);
	copy_bytes = 8192;
	expect_copied(40, 7, DP_COPY_DTOH, 1 | 1 << 3, 1);
	copy_bytes = 0;
}

/* A start-up that repeats nothing, however long, hides no loop. */
TEST(a_long_startup_hides_no_loop)
{
	expect_copied(800, 7, DP_COPY_HTOD, 0, 0);
	expect_copied(800, 7, DP_COPY_HTOD, 1, 1);
	expect_copied(1600, 7, DP_COPY_HTOD, 1, 1);
}

/* A function that is called several times within a pass reads back how much it found. */
TEST(counts_make_no_steps_of_a_small_part)
{
	copy_bytes = 8;
	expect_copied(800, 4, DP_COPY_DTOH, 1, 0);
	expect_copied(0, 4, DP_COPY_DTOH, 1, 1);
	copy_bytes = 8192;
	expect_copied(800, 4, DP_COPY_DTOH, 1, 1);
	copy_bytes = 0;
}

/* One kernel again and again, whatever precedes and follows it. */
TEST(one_kernel_is_an_iteration)
{
	struct dp_analysis *analysis;

	expect_steps("stencil_%d", 5, 1, 100, 1);
	expect_steps("stencil_%d", 0, 1, 100, 6);
	/* a lot of setting up for a short run, but not as much as the run itself */
	expect_steps("stencil_%d", 9, 1, 50, 1);
	analysis = analyze("stencil_%d", 30, 1, 50, 0);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 0);
	dp_analysis_free(analysis);
}

/* Two parts; in the second, every fifth place has another kernel. */
static size_t loops_of_two_parts(int every)
{
	struct dp_analysis *analysis;
	size_t count;

	begin();
	for (int i = 0; i < 40; i++)
		run("first_gemm_%c", '0' + i);
	for (int i = 0; i < 40; i++)
		run(i % every == every / 2 ? "other_gemm_%c" : "first_gemm_%c", '0' + i);
	analysis = finish_and_analyze();
	count = dp_analysis_loop_count(analysis);
	dp_analysis_free(analysis);
	return count;
}

/* Convolutions for which cuDNN tries algorithms are alike, but are not two iterations. */
TEST(two_iterations_are_alike)
{
	ck_assert_uint_eq(loops_of_two_parts(80), 1);
	ck_assert_uint_eq(loops_of_two_parts(10), 1);
	ck_assert_uint_eq(loops_of_two_parts(5), 0);
}

/* Of hundreds of kernels that run one after the other, loops are those that run most often. */
TEST(loops_of_one_kernel_are_limited)
{
	struct dp_analysis *analysis;
	size_t most = 0;

	begin();
	for (int k = 0; k < 400; k++)
		for (int i = 0; i < (k % 20 == 7 ? 9 : 5); i++)
			run("transpose_%d", k);
	analysis = finish_and_analyze();
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 32);
	for (size_t k = 0; k < 32; k++)
		most += dp_analysis_loop(analysis, k)->complete == 9;
	ck_assert_uint_eq(most, 20);
	dp_analysis_free(analysis);
}

/* The same kernel, ever less often, with another one before it: its runs are no iterations. */
TEST(runs_of_one_kernel_are_one_loop)
{
	static const int times[] = { 400, 90, 41, 17, 8, 5, 3, 2, 1 };
	struct dp_analysis *analysis;
	size_t all = 0;

	begin();
	for (size_t k = 0; k < sizeof(times) / sizeof(*times); k++) {
		run("first_touch_%d", 0);
		for (int i = 0; i < times[k]; i++)
			run("triad_%d", 0);
		copy(DP_COPY_DTOH);
		all += (size_t)times[k];
	}
	analysis = finish_and_analyze();
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 1);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, all);
	dp_analysis_free(analysis);
}

/* Copies with a kernel vary now and then: it is an iteration nonetheless. */
TEST(copies_may_differ)
{
	struct dp_analysis *analysis;
	const struct dp_loop *loop;

	begin();
	for (int i = 0; i < 60; i++) {
		int table = i == 0 || i == 22 || i == 24 || i == 33 || i == 36;

		for (int k = 0; k < (table ? 4 : 2); k++)
			copy(table && k % 2 ? DP_COPY_DTOD : DP_COPY_HTOD);
		run("insert_%d", 0);
		copy(DP_COPY_DTOH);
	}
	analysis = finish_and_analyze();
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 1);
	loop = dp_analysis_loop(analysis, 0);
	ck_assert_uint_eq(loop->length, 1);
	ck_assert_uint_eq(loop->complete, 60);
	ck_assert_uint_eq(loop->copies, 3);
	dp_analysis_free(analysis);
}

/* Returns the GPU of loop 0. runs: the steps of each GPU, and the kernels of each step. */
static int64_t gpu_of_headline(const int (*runs)[2], int gpus)
{
	const struct dp_trace *trace;
	struct dp_analysis *analysis;
	int64_t gpu;

	begin();
	for (int g = 0; g < gpus; g++) {
		use_gpu(g);
		for (int i = 0; i < runs[g][0]; i++)
			for (int k = 0; k < runs[g][1]; k++)
				run("train_%d", k);
	}
	analysis = finish_and_analyze();
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), (size_t)gpus);
	trace = dp_analysis_trace(analysis);
	gpu = dp_trace_stream(trace, dp_analysis_loop(analysis, 0)->stream)->device;
	dp_analysis_free(analysis);
	return gpu;
}

/*
 * Of GPUs that do the same, the first one is shown, also if a later one is a little slower; else
 * the one whose loop takes more time, and of such the one with longer iterations.
 */
TEST(first_of_equal_gpus_is_the_headline)
{
	const int equal[][2] = { { 30, 20 }, { 30, 20 }, { 30, 20 } };
	const int slower[][2] = { { 30, 20 }, { 30, 21 }, { 30, 20 } };
	const int more[][2] = { { 30, 20 }, { 30, 27 }, { 30, 20 } };
	const int longer[][2] = { { 30, 20 }, { 30, 20 }, { 15, 40 } };
	const int less[][2] = { { 30, 20 }, { 8, 40 }, { 30, 20 } };

	ck_assert_int_eq(gpu_of_headline(equal, 3), 0);
	ck_assert_int_eq(gpu_of_headline(slower, 3), 0);
	ck_assert_int_eq(gpu_of_headline(more, 3), 1);
	ck_assert_int_eq(gpu_of_headline(longer, 3), 2);
	ck_assert_int_eq(gpu_of_headline(less, 3), 0);
}

/* The iterations of the headline of groups of steps, each group with 24 kernels of its own. */
static size_t iterations_of_groups(int groups, int steps, int length, bool uploads)
{
	struct dp_analysis *analysis;
	size_t count;

	begin();
	for (int i = 0; i < groups; i++) {
		for (int k = 0; k < steps; k++) {
			if (uploads)
				copy(DP_COPY_HTOD);
			for (int j = 0; j < length; j++)
				run("ampere_sgemm_%c", 'A' + j);
		}
		for (int j = 0; j < 24; j++)
			run("evaluate_gemm_%c", 'A' + j);
	}
	analysis = finish_and_analyze();
	ck_assert_uint_gt(dp_analysis_loop_count(analysis), 0);
	count = dp_analysis_loop(analysis, 0)->complete;
	dp_analysis_free(analysis);
	return count;
}

/* What uploads its input is a step, also with an evaluation after some of them, and no layer. */
TEST(steps_between_evaluations)
{
	ck_assert_uint_eq(iterations_of_groups(6, 30, 36, false), 6);
	ck_assert_uint_eq(iterations_of_groups(6, 30, 36, true), 180);
}

/* Networks have fewer layers. */
TEST(more_repetitions_than_layers)
{
	ck_assert_uint_eq(iterations_of_groups(8, 60, 22, false), 8);
	ck_assert_uint_eq(iterations_of_groups(8, 96, 22, false), 8);
	ck_assert_uint_eq(iterations_of_groups(8, 97, 22, false), 776);
	ck_assert_uint_eq(iterations_of_groups(8, 100, 22, false), 800);
}

/* Layers of a network copy nothing: three repetitions that upload something are iterations. */
TEST(a_few_kernels_with_uploads_repeat)
{
	for (int upload = 0; upload < 2; upload++) {
		struct dp_analysis *analysis;

		begin();
		for (int i = 0; i < 3; i++) {
			if (upload)
				copy(DP_COPY_HTOD);
			run("vectorized_elementwise_kernel_%d", 0);
			run("ampere_sgemm_nn_v%d", 0);
		}
		analysis = finish_and_analyze();
		ck_assert_uint_eq(dp_analysis_loop_count(analysis), (size_t)upload);
		if (upload) {
			ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, 3);
			ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->length, 2);
			ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->copies, 1);
		}
		dp_analysis_free(analysis);
	}
}

/* Too few kernels to search. In a network they are layers. */
TEST(a_few_kernels_repeat)
{
	struct dp_analysis *analysis = analyze("ampere_sgemm_nn_v%d", 0, 2, 6, 0);
	const struct dp_stream_candidate *candidate = dp_analysis_candidate(analysis, 0);

	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 0);
	ck_assert_uint_eq(candidate->length, 2);
	ck_assert_uint_eq(candidate->iterations, 6);
	ck_assert_double_nan(candidate->confidence);
	dp_analysis_free(analysis);
	expect_steps("red_black_%d", 0, 2, 6, 0);
	expect_steps("red_black_%d", 0, 2, 10, 2);
	expect_steps("sweep_%d", 0, 3, 3, 0);
	expect_steps("stage_%d", 0, 4, 4, 0);
}

/* Whoever gives their number, or one next to it, knows that they are no layers. */
TEST(a_given_number_of_a_few_kernels_is_found)
{
	for (uint64_t given = 9; given <= 10; given++) {
		struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
		struct dp_analysis *analysis;

		options.iterations = &given;
		options.iterations_count = 1;
		begin();
		run("vectorized_elementwise_kernel_fill_%d", 0);
		for (int i = 0; i < 20; i++)
			run(i % 2 ? "reduce_kernel_%d" : "vectorized_elementwise_kernel_abs_%d", 0);
		analysis = finish_and_analyze_as(&options);
		ck_assert_uint_eq(dp_analysis_loop_count(analysis), 1);
		ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, 10);
		ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->length, 2);
		ck_assert_int_eq(dp_analysis_loop(analysis, 0)->matches_count, given == 10);
		dp_analysis_free(analysis);
	}
}

/* As many kernels, of names that differ in more than numbers. */
static void run_all(const char *what, int count)
{
	for (int k = 0; k < count; k++) {
		char form[64];

		snprintf(form, sizeof(form), "%s_%c%c_gemm", what, 'a' + k % 26, 'a' + k / 26);
		run(form, 0);
	}
}

/* Denoising steps behind an encoder are no layers of a pass, though they contain some. */
TEST(steps_behind_an_encoder)
{
	struct dp_analysis *analysis;
	bool found = false;

	begin();
	run_all("embed", 2);
	for (int layer = 0; layer < 64; layer++)
		run_all("encode", 13);
	for (int step = 0; step < 4; step++) {
		run_all("condition", 80);
		for (int block = 0; block < 18; block++)
			run_all("denoise", 57);
	}
	run_all("decode", 9);
	analysis = finish_and_analyze();
	for (size_t i = 0; i < dp_analysis_loop_count(analysis); i++) {
		const struct dp_loop *loop = dp_analysis_loop(analysis, i);

		found |= loop->selected && loop->complete == 4 && loop->length == 80 + 18 * 57;
	}
	ck_assert(found);
	dp_analysis_free(analysis);
}

static bool other_loads; /* by another process */
static bool overlaps;	 /* a trial begins while the one before it runs */

static void load_code(void)
{
	struct dp_call call = { .start_ns = now_ns, .end_ns = now_ns + 20000 };

	call.name = dp_builder__string(builder, "cuModuleLoadData", 16);
	call.thread =
		dp_builder__thread(builder, dp_builder__process(builder, other_loads ? 2 : 1), 1);
	ck_assert_int_eq(dp_builder__add_call(builder, &call), DP_OK);
	now_ns = call.end_ns + 1000;
}

enum { TRIALS = 80, STEPS = 30 };

/*
 * A compiler tries kernels, each of them ten times and with others around it, and loads it from
 * memory; then steps of some kernels run. Some code may be loaded within the first step.
 */
static struct dp_analysis *analyze_compiled(bool loads, int kernels, bool first_step_loads)
{
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;

	options.explain = true;
	begin();
	for (int i = 0; i < TRIALS; i++) {
		if (loads)
			load_code();
		run("allocate_%d", 0);
		for (int k = 0; k < 10; k++)
			run("candidate_%d", i / 20);
		run("compare_%d", 0);
		if (overlaps)
			now_ns -= 30000;
	}
	for (int i = 0; i < STEPS; i++) {
		copy(DP_COPY_HTOD);
		for (int k = 0; k < kernels; k++) {
			if (first_step_loads && !i && k == 1)
				load_code();
			run("gemm_%c_fusion", 'A' + k);
		}
		copy(DP_COPY_DTOH);
	}
	return finish_and_analyze_as(&options);
}

static void expect_compiled(bool loads, int kernels, bool first_step_loads, size_t length,
			    size_t complete, size_t first)
{
	struct dp_analysis *analysis = analyze_compiled(loads, kernels, first_step_loads);
	const struct dp_loop *loop = dp_analysis_loop(analysis, 0);
	const struct dp_iteration *iteration = dp_analysis_loop_iteration(analysis, 0, 0);

	ck_assert_uint_eq(loop->length, length);
	ck_assert_uint_eq(loop->complete, complete);
	if (iteration->partial)
		iteration = dp_analysis_loop_iteration(analysis, 0, 1);
	ck_assert_uint_eq(iteration->first_kernel, first);
	ck_assert_str_eq(dp_analysis_loop_kernel(analysis, 0, 0),
			 length != 12 ? "gemm_A_fusion" : "allocate_0");
	dp_analysis_free(analysis);
}

/* What loads code again and again is no program's loop. */
TEST(compilers_try_kernels_before_the_first_step)
{
	expect_compiled(true, 6, false, 6, STEPS, TRIALS * 12);
	expect_compiled(true, 1, false, 1, STEPS, TRIALS * 12);
	expect_compiled(true, 6, true, 6, STEPS, TRIALS * 12);
}

/* Nor is it a loop of the program if the steps have more kernels and are found anyway. */
TEST(what_a_compiler_tries_is_no_iteration)
{
	struct dp_analysis *analysis = analyze_compiled(true, 40, false);

	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 2);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 1)->length, 12);
	ck_assert(dp_analysis_loop(analysis, 0)->selected);
	ck_assert(!dp_analysis_loop(analysis, 1)->selected);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->length, 40);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, STEPS);
	dp_analysis_free(analysis);
}

/* Kernels that are loaded when they first run, as for each new shape, are a program's. */
TEST(a_first_loop_that_loads_new_kernels_stays)
{
	struct dp_analysis *analysis;

	begin();
	for (int i = 0; i < 10; i++) {
		for (int k = 0; k < 22; k++)
			run("validate_%d", k);
		load_code();
		run("shape_%d", i);
	}
	for (int i = 0; i < 40; i++)
		for (int k = 0; k < 20; k++)
			run("train_%d", k);
	analysis = finish_and_analyze();
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 2);
	for (size_t i = 0; i < 2; i++)
		ck_assert(dp_analysis_loop(analysis, i)->selected);
	dp_analysis_free(analysis);
}

/* Steps that each load code are a program's: what lies between two loads is a part of one. */
TEST(steps_that_load_code_stay)
{
	struct dp_analysis *analysis;

	begin();
	for (int i = 0; i < STEPS; i++) {
		load_code();
		for (int batch = 0; batch < 16; batch++) {
			copy(DP_COPY_HTOD);
			for (int k = 0; k < 8; k++)
				run("gemm_%c_fusion", 'a' + k);
		}
		for (int k = 0; k < 6; k++)
			run("adam_%c_kernel", 'a' + k);
	}
	analysis = finish_and_analyze();
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->length, 16 * 8 + 6);
	ck_assert_uint_eq(dp_analysis_loop(analysis, 0)->complete, STEPS);
	dp_analysis_free(analysis);
}

/* One step that loads its kernels when it first needs them: it is no start-up of its first kernels. */
TEST(a_step_that_loads_kernels_as_it_goes)
{
	struct dp_analysis *analysis;

	begin();
	load_code();
	for (int i = 0; i < 111; i++)
		run("broadcast_%c", 'a');
	for (int k = 0; k < 24; k++) {
		load_code();
		for (int i = 0; i < 1 + k % 3; i++)
			run("backward_%c", 'a' + k);
	}
	analysis = finish_and_analyze();
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 0);
	dp_analysis_free(analysis);
}

/* The kernel after a load may begin before the one before it has ended. */
TEST(trials_that_overlap)
{
	overlaps = true;
	expect_compiled(true, 6, false, 6, STEPS, TRIALS * 12);
	overlaps = false;
}

/* Explanations of the stretch name its kernels, not those at the same place in the whole sequence. */
TEST(the_search_after_a_startup_is_explained)
{
	struct dp_analysis *analysis = analyze_compiled(true, 2, false);
	const struct dp_explanation *entry;
	bool after = false, accepted = false;

	for (size_t i = 0; (entry = dp_analysis_explanation(analysis, i)); i++) {
		after |= !strcmp(entry->stage, "startup");
		if (!after || strcmp(entry->stage, "pattern") != 0)
			continue;
		accepted = true;
		ck_assert_msg(strstr(entry->text, "_fusion") != NULL, "%s", entry->text);
	}
	ck_assert(accepted);
	dp_analysis_free(analysis);
}

/* Another process's loads say nothing of this one. */
TEST(loads_of_other_processes)
{
	other_loads = true;
	expect_compiled(true, 1, false, 12, TRIALS, 0);
	other_loads = false;
}

/* The same kernels without loads are a loop like any other. */
TEST(a_loop_that_loads_no_code_stays)
{
	expect_compiled(false, 1, false, 12, TRIALS, 0);
}
