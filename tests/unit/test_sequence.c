/* From traces to symbols: families, evidence, marks. */
#include "sequence/family.h"
#include "sequence/marks.h"
#include "trace/builder.h"
#include "test.h"

#include <deepprof/analysis.h>

#include <stdio.h>
#include <string.h>

static struct dp_builder *builder;
static uint32_t process, stream, thread;
static uint64_t upload_bytes; /* 0: not known */
static enum dp_copy_kind copy_kind = DP_COPY_HTOD;

static void start(void)
{
	ck_assert_int_eq(dp_builder__new(&builder, NULL), DP_OK);
	process = dp_builder__process(builder, 1);
	thread = dp_builder__thread(builder, process, 10);
	stream = dp_builder__stream(builder, process, 0, 1, 7);
}

static void op(enum dp_op_kind kind, const char *name, int64_t start_ns, int64_t end_ns,
	       uint32_t correlation)
{
	struct dp_op one = { .start_ns = start_ns,
			     .end_ns = end_ns,
			     .stream = stream,
			     .kind = kind,
			     .correlation = correlation };

	one.name = dp_builder__kernel_name(builder, name, strlen(name));
	if (kind == DP_OP_COPY) {
		one.copy_kind = copy_kind;
		one.bytes = upload_bytes;
	}
	ck_assert_int_eq(dp_builder__op(builder, &one), DP_OK);
}

static void call(const char *name, int64_t start_ns, int64_t end_ns, uint32_t correlation)
{
	struct dp_call one = { start_ns, end_ns, 0, thread, correlation };

	one.name = dp_builder__string(builder, name, strlen(name));
	ck_assert_int_eq(dp_builder__add_call(builder, &one), DP_OK);
}

static void range(const char *name, int64_t start_ns, int64_t end_ns)
{
	struct dp_range one = { start_ns, end_ns, 0, thread, DP_RANGE_ANNOTATION };

	one.name = dp_builder__string(builder, name, strlen(name));
	ck_assert_int_eq(dp_builder__add_range(builder, &one), DP_OK);
}

static struct dp_trace *finish(void)
{
	struct dp_trace *trace = NULL;

	ck_assert_int_eq(dp_builder__finish(builder, &trace, "a", "test", false), DP_OK);
	return trace;
}

/* The first stream's kernels that start in a time range. */
static void read_kernels(struct dp_sequence *sequence, const struct dp_trace *trace,
			 int64_t start_ns, int64_t end_ns)
{
	struct dp_stream_group group;

	dp_stream_group__single(&group, trace, 0);
	ck_assert_int_eq(
		dp_sequence__init(sequence, trace, &group, DP_SYMBOLS_OF_KERNELS, start_ns, end_ns),
		0);
}

/* Two steps of two kernels each, an upload before the first, a wait between them. */
static struct dp_trace *two_steps(void)
{
	start();
	op(DP_OP_KERNEL, "early", 0, 10, 1);
	call("cudaMemcpyAsync", 20, 25, 2);
	op(DP_OP_COPY, "copy", 30, 40, 2);
	call("cudaLaunchKernel", 26, 28, 3);
	op(DP_OP_KERNEL, "forward", 45, 60, 3);
	call("cudaLaunchKernel", 29, 31, 4);
	op(DP_OP_KERNEL, "adam_step", 60, 70, 4);
	call("cudaStreamSynchronize", 50, 70, 5);
	call("cudaLaunchKernel", 90, 92, 6);
	op(DP_OP_KERNEL, "forward", 95, 99, 6);
	call("cudaLaunchKernel", 93, 94, 7);
	op(DP_OP_KERNEL, "adam_step", 99, 110, 7);
	range("ProfilerStep#1", 15, 80);
	range("ProfilerStep#2", 80, 100);
	range("inner ProfilerStep", 81, 99);
	return finish();
}

TEST(kernels_become_symbols)
{
	static const uint32_t expected[] = { 0, 1, 2, 1, 2 };
	struct dp_trace *trace = two_steps();
	struct dp_sequence sequence;

	read_kernels(&sequence, trace, INT64_MIN, INT64_MAX);
	ck_assert_uint_eq(sequence.count, 5);
	ck_assert_uint_eq(sequence.alphabet, 3);
	ck_assert_mem_eq(sequence.symbols, expected, sizeof(expected));
	ck_assert_str_eq(dp_trace_string(trace, sequence.names[2]), "adam_step");
	dp_sequence__fini(&sequence);
	read_kernels(&sequence, trace, 45, 99);
	ck_assert_uint_eq(sequence.count, 3);
	dp_sequence__fini(&sequence);
	dp_trace_free(trace);
}

TEST(evidence_is_found)
{
	struct dp_trace *trace = two_steps();
	struct dp_sequence sequence;
	struct dp_evidence evidence;
	struct dp_evidence_at at[5];

	read_kernels(&sequence, trace, INT64_MIN, INT64_MAX);
	evidence = dp_sequence__evidence(&sequence);
	ck_assert(evidence.launches_recorded);
	for (size_t i = 0; i < 5; i++)
		evidence.at(evidence.ctx, i, &at[i]);
	ck_assert(!at[0].has_launch && at[0].launch_gap_ns == -1 && at[0].kernel_gap_ns == -1);
	ck_assert(at[1].has_launch && at[1].after_upload && !at[1].after_sync);
	ck_assert_int_eq(at[1].kernel_gap_ns, 35);
	ck_assert_int_eq(at[1].launch_gap_ns, -1);
	ck_assert_int_eq(at[2].launch_gap_ns, 1);
	ck_assert(at[2].kind == DP_KERNEL_FINISHES && !at[2].after_upload);
	ck_assert(at[3].after_sync && at[3].kind != DP_KERNEL_FINISHES);
	ck_assert_int_eq(at[3].kernel_gap_ns, 25);
	ck_assert_int_eq(at[3].launch_gap_ns, 39);
	ck_assert(!at[4].after_sync);
	ck_assert_int_eq(at[1].launch_interval_ns, -1);
	ck_assert_int_eq(at[2].launch_interval_ns, 3);
	ck_assert_int_eq(at[3].launch_interval_ns, 61);
	dp_sequence__fini(&sequence);
	dp_trace_free(trace);
}

/* One call launches the kernels of a graph: the host does nothing between them. */
TEST(kernels_of_a_graph_follow_each_other)
{
	struct dp_sequence sequence;
	struct dp_evidence evidence;
	struct dp_evidence_at at[3];
	struct dp_trace *trace;

	start();
	call("cudaStreamSynchronize", 0, 100, 1);
	call("cudaGraphLaunch", 200, 210, 2);
	for (int64_t k = 0; k < 3; k++)
		op(DP_OP_KERNEL, "gemm", 300 + 20 * k, 310 + 20 * k, 2);
	trace = finish();
	read_kernels(&sequence, trace, INT64_MIN, INT64_MAX);
	evidence = dp_sequence__evidence(&sequence);
	for (size_t i = 0; i < 3; i++)
		evidence.at(evidence.ctx, i, &at[i]);
	ck_assert(at[0].after_sync && at[0].launch_gap_ns == -1);
	for (size_t i = 1; i < 3; i++) {
		ck_assert(at[i].has_launch && !at[i].after_sync);
		ck_assert_int_eq(at[i].launch_gap_ns, 0);
		ck_assert_int_eq(at[i].launch_interval_ns, 0);
	}
	dp_sequence__fini(&sequence);
	dp_trace_free(trace);
}

/* A number is no input, and waiting for its upload is no wait of the program. */
TEST(uploads_of_numbers_are_no_inputs)
{
	struct dp_sequence sequence;
	struct dp_evidence evidence;
	struct dp_evidence_at at;
	struct dp_trace *trace;

	start();
	call("cudaLaunchKernel", 0, 5, 1);
	op(DP_OP_KERNEL, "forward", 5, 10, 1);
	for (int k = 0; k < 2; k++) {
		upload_bytes = k ? 64 : 8;
		call("cudaMemcpyAsync", 20 + 100 * k, 25 + 100 * k, 2 + 3 * k);
		op(DP_OP_COPY, "copy", 30 + 100 * k, 40 + 100 * k, 2 + 3 * k);
		call("cudaStreamSynchronize", 26 + 100 * k, 40 + 100 * k, 3 + 3 * k);
		call("cudaLaunchKernel", 41 + 100 * k, 43 + 100 * k, 4 + 3 * k);
		op(DP_OP_KERNEL, "forward", 45 + 100 * k, 60 + 100 * k, 4 + 3 * k);
	}
	upload_bytes = 0;
	trace = finish();
	read_kernels(&sequence, trace, INT64_MIN, INT64_MAX);
	evidence = dp_sequence__evidence(&sequence);
	evidence.at(evidence.ctx, 1, &at);
	ck_assert(!at.after_upload && !at.after_sync);
	evidence.at(evidence.ctx, 2, &at);
	ck_assert(at.after_upload && !at.after_sync);
	dp_sequence__fini(&sequence);
	dp_trace_free(trace);
}

/* A download is one whether or not something is uploaded, too. */
TEST(downloads_are_seen)
{
	struct dp_sequence sequence;
	struct dp_evidence evidence;
	struct dp_evidence_at at[4];
	struct dp_trace *trace;

	start();
	for (int k = 0; k < 4; k++) {
		copy_kind = k == 3 ? DP_COPY_DTOD : DP_COPY_DTOH;
		if (k > 1)
			op(DP_OP_COPY, "copy", 100 * k - 50, 100 * k - 45, 1);
		copy_kind = DP_COPY_HTOD;
		if (k > 1)
			op(DP_OP_COPY, "copy", 100 * k - 40, 100 * k - 35, 1);
		op(DP_OP_KERNEL, "forward", 100 * k, 100 * k + 10, 1);
	}
	trace = finish();
	read_kernels(&sequence, trace, INT64_MIN, INT64_MAX);
	evidence = dp_sequence__evidence(&sequence);
	for (size_t i = 0; i < 4; i++)
		evidence.at(evidence.ctx, i, &at[i]);
	ck_assert(!at[0].after_download && !at[1].after_download);
	ck_assert(at[2].after_download && at[2].after_upload);
	ck_assert(!at[3].after_download && at[3].after_upload);
	dp_sequence__fini(&sequence);
	dp_trace_free(trace);
}

/* No copy lies between two kernels of which the one that was launched first starts last. */
TEST(copies_before_an_earlier_launch)
{
	static const int64_t starts_ns[] = { 100, 140, 120, 160 };
	struct dp_stream_group group;
	struct dp_sequence sequence;
	struct dp_evidence evidence;
	struct dp_evidence_at at;
	struct dp_trace *trace;
	uint32_t first, second;

	start();
	first = stream;
	second = dp_builder__stream(builder, process, 0, 1, 8);
	call("cudaMemcpyAsync", 0, 5, 1);
	op(DP_OP_COPY, "copy", 10, 20, 1);
	for (uint32_t k = 0; k < 4; k++) {
		stream = k % 2 ? second : first;
		call("cudaLaunchKernel", 30 + 10 * k, 35 + 10 * k, k + 2);
		op(DP_OP_KERNEL, k % 2 ? "forward" : "backward", starts_ns[k], starts_ns[k] + 10,
		   k + 2);
	}
	trace = finish();
	ck_assert_int_eq(dp_stream_group__all(&group, trace, 0), DP_OK);
	ck_assert(group.by_launch);
	ck_assert_int_eq(dp_sequence__init(&sequence, trace, &group, DP_SYMBOLS_OF_KERNELS,
					   INT64_MIN, INT64_MAX),
			 DP_OK);
	ck_assert_uint_eq(sequence.count, 4);
	evidence = dp_sequence__evidence(&sequence);
	for (size_t i = 0; i < 4; i++) {
		evidence.at(evidence.ctx, i, &at);
		ck_assert_int_eq(at.after_upload, i == 0);
	}
	dp_sequence__fini(&sequence);
	dp_stream_group__fini(&group);
	dp_trace_free(trace);
}

/* A range of a trace ends at an arbitrary place, but what lies before it is known. */
TEST(evidence_reaches_beyond_a_range)
{
	struct dp_trace *trace = two_steps();
	struct dp_sequence sequence;
	struct dp_evidence evidence;
	struct dp_evidence_at at;

	read_kernels(&sequence, trace, INT64_MIN, INT64_MAX);
	evidence = dp_sequence__evidence(&sequence);
	ck_assert(!evidence.clipped_begin && !evidence.clipped_end);
	dp_sequence__fini(&sequence);
	read_kernels(&sequence, trace, 60, 99);
	evidence = dp_sequence__evidence(&sequence);
	ck_assert(evidence.clipped_begin && evidence.clipped_end);
	evidence.at(evidence.ctx, 0, &at);
	ck_assert_int_eq(at.launch_gap_ns, 1);
	ck_assert_int_eq(at.kernel_gap_ns, 0);
	dp_sequence__fini(&sequence);
	read_kernels(&sequence, trace, 0, 99);
	evidence = dp_sequence__evidence(&sequence);
	ck_assert(!evidence.clipped_begin && evidence.clipped_end);
	dp_sequence__fini(&sequence);
	dp_trace_free(trace);
}

TEST(marks_cut_by_launch)
{
	struct dp_trace *trace = two_steps();
	struct dp_annotations annotations = { NULL }, inner = { .regex = "^inner" };
	struct dp_annotations wrong = { .regex = "a(b" };
	struct dp_error error = DP_ERROR_INIT;
	struct dp_sequence sequence;
	struct dp_marks marks;

	read_kernels(&sequence, trace, INT64_MIN, INT64_MAX);
	ck_assert_int_eq(dp_sequence__marks(&marks, &sequence, &annotations, &error), DP_OK);
	ck_assert_uint_eq(marks.count, 2);
	ck_assert_uint_eq(marks.iterations[0].first, 1);
	ck_assert_uint_eq(marks.iterations[0].end, 3);
	ck_assert_uint_eq(marks.iterations[1].first, 3);
	ck_assert_uint_eq(marks.iterations[1].end, 5);
	dp_marks__fini(&marks);
	ck_assert_int_eq(dp_sequence__marks(&marks, &sequence, &inner, &error), DP_OK);
	ck_assert_uint_eq(marks.count, 1);
	ck_assert_uint_eq(marks.iterations[0].first, 3);
	dp_marks__fini(&marks);
	ck_assert_int_eq(dp_sequence__marks(&marks, &sequence, &wrong, &error), DP_ERR_ARGUMENT);
	dp_annotations__fini(&annotations);
	dp_annotations__fini(&inner);
	dp_annotations__fini(&wrong);
	dp_sequence__fini(&sequence);
	dp_trace_free(trace);
}

static const char *family(const char *name)
{
	static char texts[2][256];
	static int turn;
	char *text = texts[turn = !turn];

	dp_family__name(text, name);
	return text;
}

/* Two threads that each drive a device and mark its steps. */
TEST(marks_of_the_launching_thread_count)
{
	struct dp_annotations annotations = { NULL };
	struct dp_sequence sequence;
	struct dp_trace *trace;
	struct dp_marks marks;

	start();
	for (int i = 0; i < 4; i++) {
		call("cudaLaunchKernel", 10 + i * 100, 12 + i * 100, (uint32_t)i + 1);
		op(DP_OP_KERNEL, "kernel", 20 + i * 100, 30 + i * 100, (uint32_t)i + 1);
	}
	range("ProfilerStep#0", 0, 200);
	range("ProfilerStep#1", 200, 400);
	thread = dp_builder__thread(builder, process, 11);
	for (int i = 0; i < 4; i++)
		range("ProfilerStep#0", i * 100 + 50, i * 100 + 150);
	trace = finish();
	read_kernels(&sequence, trace, INT64_MIN, INT64_MAX);
	ck_assert_int_eq(dp_sequence__marks(&marks, &sequence, &annotations, NULL), DP_OK);
	ck_assert_uint_eq(marks.count, 2);
	ck_assert_uint_eq(marks.iterations[1].first, 2);
	dp_marks__fini(&marks);
	dp_annotations__fini(&annotations);
	dp_sequence__fini(&sequence);
	dp_trace_free(trace);
}

/* Steps of four kernels; ranges around all, each step, half a step and each kernel. */
static struct dp_trace *annotated(bool with_steps)
{
	start();
	range("epoch 1", 0, 6400);
	for (int i = 0; i < 24; i++) {
		int64_t at = i * 100;
		char name[32];

		if (with_steps && i % 4 == 0) {
			snprintf(name, sizeof(name), "step %d", i / 4);
			range(name, at, at + 400);
		}
		if (i % 4 == 0)
			range("forward", at, at + 200);
		range("layer", at, at + 90);
		call("cudaLaunchKernel", at + 10, at + 12, (uint32_t)i + 1);
		op(DP_OP_KERNEL, "kernel", at + 1020, at + 1030, (uint32_t)i + 1);
	}
	return finish();
}

/* The range that repeats as the iterations do is found, whatever begins where. */
TEST(ranges_that_repeat_as_iterations_do)
{
	for (size_t shift = 0; shift < 4; shift++) {
		struct dp_annotations annotations = { NULL };
		struct dp_sequence_iteration iterations[6] = { 0 };
		struct dp_sequence sequence;
		struct dp_trace *trace = annotated(true);
		struct dp_marks marks;
		size_t count = shift ? 5 : 6;

		for (size_t i = 0; i < count; i++) {
			iterations[i].first = shift + 4 * i;
			iterations[i].end = shift + 4 * i + 4;
		}
		read_kernels(&sequence, trace, INT64_MIN, INT64_MAX);
		ck_assert_int_eq(dp_sequence__repeated(&marks, &sequence, &annotations, iterations,
						       count),
				 DP_OK);
		ck_assert_uint_eq(marks.count, 6);
		for (size_t i = 0; i < 6; i++) {
			ck_assert_uint_eq(marks.iterations[i].first, 4 * i);
			ck_assert_uint_eq(marks.iterations[i].end, 4 * i + 4);
		}
		dp_marks__fini(&marks);
		/* two iterations at a time are no step */
		for (size_t i = 0; i < 3; i++) {
			iterations[i].first = 8 * i;
			iterations[i].end = 8 * i + 8;
		}
		ck_assert_int_eq(
			dp_sequence__repeated(&marks, &sequence, &annotations, iterations, 3),
			DP_OK);
		ck_assert_uint_eq(marks.count, 0);
		dp_annotations__fini(&annotations);
		dp_sequence__fini(&sequence);
		dp_trace_free(trace);
	}
}

/* The ranges around several iterations: none that cuts one, or holds one each, or half of them. */
TEST(ranges_around_iterations)
{
	struct dp_trace *trace = annotated(true);

	for (size_t length = 1; length <= 4; length++) {
		struct dp_annotations annotations = { NULL };
		struct dp_sequence_iteration iterations[24] = { 0 };
		struct dp_sequence sequence;
		struct dp_marks marks;

		for (size_t i = 0; i < 24 / length; i++) {
			iterations[i].first = length * i;
			iterations[i].end = length * (i + 1);
		}
		read_kernels(&sequence, trace, INT64_MIN, INT64_MAX);
		ck_assert_int_eq(dp_sequence__around(&marks, &sequence, &annotations, iterations,
						     24 / length),
				 DP_OK);
		ck_assert_uint_eq(marks.count, length < 3 ? 6 : 0);
		for (size_t i = 0; i < marks.count; i++) {
			ck_assert_uint_eq(marks.iterations[i].first, 4 * i);
			ck_assert_uint_eq(marks.iterations[i].end, 4 * i + 4);
		}
		dp_marks__fini(&marks);
		dp_annotations__fini(&annotations);
		dp_sequence__fini(&sequence);
	}
	dp_trace_free(trace);
}

/* Tokens of eight layers: the layers are a loop, and the tokens the one around it. */
TEST(annotations_show_the_loop_around)
{
	enum { TOKENS = 12, LAYERS = 8, KERNELS = 5 };
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_analysis *analysis;
	struct dp_trace *trace;
	const struct dp_loop *outer;

	start();
	for (int i = 0; i < TOKENS * LAYERS * KERNELS; i++) {
		int64_t at = i * 100;
		char name[32];

		if (i % (LAYERS * KERNELS) == 0) {
			snprintf(name, sizeof(name), "token %d", i / (LAYERS * KERNELS));
			range(name, at, at + (LAYERS * KERNELS) * 100);
		}
		snprintf(name, sizeof(name), "kernel_%c", 'a' + i % KERNELS);
		call("cudaLaunchKernel", at + 10, at + 12, (uint32_t)i + 1);
		op(DP_OP_KERNEL, name, at + 1020, at + 1070, (uint32_t)i + 1);
	}
	trace = finish();
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_OK);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 2);
	outer = dp_analysis_loop(analysis, 0);
	if (outer->parent != DP_NONE)
		outer = dp_analysis_loop(analysis, outer->parent);
	ck_assert_uint_eq(outer->complete, TOKENS);
	ck_assert_uint_eq(outer->length, LAYERS * KERNELS);
	ck_assert_int_eq(outer->found_by, DP_FOUND_BY_MARKS);
	ck_assert(!outer->selected);
	dp_analysis_free(analysis);
	options.ignore_marks = true;
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_OK);
	ck_assert_uint_eq(dp_analysis_loop_count(analysis), 1);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* The loops of 11 kernels of one name after four others. */
static size_t loops_after(const char *others, const char *name)
{
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_analysis *analysis;
	struct dp_trace *trace;
	size_t count;

	start();
	for (int i = 0; i < 15; i++)
		op(DP_OP_KERNEL, i < 4 ? others : name, i * 100, i * 100 + 50, 0);
	trace = finish();
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, &options, NULL), DP_OK);
	count = dp_analysis_loop_count(analysis);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
	return count;
}

/* Fills that run as kernels, as HIP's do, are no other work; nor are they a loop by themselves. */
TEST(fills_are_no_other_work)
{
	ck_assert_uint_eq(loops_after("prepare", "kernel_tsmm_dl"), 0);
	ck_assert_uint_eq(loops_after("__amd_rocclr_fillBufferAligned.kd", "kernel_tsmm_dl"), 1);
	ck_assert_uint_eq(loops_after("prepare", "__amd_rocclr_fillBufferAligned.kd"), 0);
}

/*
 * Steps of 40 kernels in ranges that leave out the first and the last of each: loops that begin
 * where steps do keep their boundaries, others get those of the ranges, without a gap.
 */
TEST(ranges_that_leave_kernels)
{
	enum { STEPS = 5, KERNELS = 40 };
	struct dp_annotations annotations = { NULL };
	struct dp_sequence sequence;
	struct dp_trace *trace;

	start();
	for (int i = 0; i < STEPS * KERNELS; i++) {
		if (i % KERNELS == 0)
			range("model", i * 100 + 105, i * 100 + (KERNELS - 1) * 100 + 5);
		call("cudaLaunchKernel", i * 100 + 10, i * 100 + 12, (uint32_t)i + 1);
		op(DP_OP_KERNEL, "kernel", i * 100 + 20, i * 100 + 30, (uint32_t)i + 1);
	}
	trace = finish();
	read_kernels(&sequence, trace, INT64_MIN, INT64_MAX);
	for (size_t shift = 0; shift < KERNELS; shift++) {
		struct dp_sequence_iteration iterations[STEPS] = { 0 };
		size_t count = shift ? STEPS - 1 : STEPS;
		struct dp_marks marks;

		for (size_t i = 0; i < count; i++) {
			iterations[i].first = shift + i * KERNELS;
			iterations[i].end = shift + (i + 1) * KERNELS;
		}
		ck_assert_int_eq(dp_sequence__repeated(&marks, &sequence, &annotations, iterations,
						       count),
				 DP_OK);
		ck_assert_uint_eq(marks.count, STEPS);
		ck_assert_int_eq(marks.inside, shift == 0);
		for (size_t i = 0; i < STEPS; i++) {
			size_t more = !shift || i == STEPS - 1 ? KERNELS - 1 : KERNELS + 1;

			/* the gap at the loop's beginning is not all of the loop */
			ck_assert_uint_eq(marks.iterations[i].first, i * KERNELS + 1);
			if (shift != KERNELS - 1 || i)
				ck_assert_uint_ge(marks.iterations[i].end, i * KERNELS + more);
		}
		dp_marks__fini(&marks);
	}
	dp_annotations__fini(&annotations);
	dp_sequence__fini(&sequence);
	dp_trace_free(trace);
}

TEST(ranges_of_another_level_are_none)
{
	struct dp_annotations annotations = { NULL };
	struct dp_sequence_iteration iterations[6] = { 0 };
	struct dp_sequence sequence;
	struct dp_trace *trace = annotated(false);
	struct dp_marks marks;

	for (size_t i = 0; i < 6; i++) {
		iterations[i].first = 4 * i;
		iterations[i].end = 4 * i + 4;
	}
	read_kernels(&sequence, trace, INT64_MIN, INT64_MAX);
	ck_assert_int_eq(dp_sequence__repeated(&marks, &sequence, &annotations, iterations, 6),
			 DP_OK);
	ck_assert_uint_eq(marks.count, 0);
	dp_annotations__fini(&annotations);
	dp_sequence__fini(&sequence);
	dp_trace_free(trace);
}

TEST(families_forget_tiles)
{
	ck_assert_str_eq(family("ampere_sgemm_128x64_nn"), family("ampere_sgemm_64x32_nn"));
	ck_assert_str_ne(family("ampere_sgemm_128x64_nn"), family("ampere_sgemm_64x32_tn"));
	ck_assert_str_eq(family("triton_poi_fused_add_12"), "triton_poi_fused_add_12");
	ck_assert_int_eq(dp_family__kind("void multi_tensor_apply_kernel<Adam>()"),
			 DP_KERNEL_FINISHES);
	ck_assert_int_eq(dp_family__kind("fusedAdamKernel"), DP_KERNEL_FINISHES);
	ck_assert_int_eq(dp_family__kind("vectorized_elementwise_kernel"), DP_KERNEL_NETWORK);
	ck_assert_int_eq(dp_family__kind("input_reduce_fusion_4"), DP_KERNEL_NETWORK);
	ck_assert_int_eq(dp_family__kind("heat_diffusion_step"), DP_KERNEL_OTHER);
	ck_assert_int_eq(dp_family__kind("flash_fwd_splitkv_combine"), DP_KERNEL_ATTENTION);
	ck_assert_int_eq(dp_family__kind("bert/attention/output/MatMul"), DP_KERNEL_NETWORK);
	ck_assert_int_eq(dp_family__kind("layer.0.attention.self.query"), DP_KERNEL_NETWORK);
	ck_assert_int_eq(dp_family__kind("flashinfer::norm::RMSNormKernel"), DP_KERNEL_NETWORK);
	ck_assert_int_eq(dp_family__kind("convection_flux(double*)"), DP_KERNEL_OTHER);
	ck_assert_int_eq(dp_family__kind("void gemv2T_kernel_val<int, int, float, float>(cublas)"),
			 DP_KERNEL_NETWORK);
	ck_assert_int_eq(dp_family__kind("void dot_kernel<float, 128>(cublasDotParams<float>)"),
			 DP_KERNEL_OTHER);
	ck_assert_int_eq(
		dp_family__kind("void vectorized_elementwise_kernel<4, FillFunctor<float>>"),
		DP_KERNEL_MOVES);
	ck_assert_int_eq(dp_family__kind("at::native::bfloat16_copy_kernel_cuda(iter)"),
			 DP_KERNEL_MOVES);
}
