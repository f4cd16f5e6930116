/* A small trace of one device, an operation at a time, and the loops that are found in it. */
#ifndef DP_TEST_DEVICE_TRACE_H
#define DP_TEST_DEVICE_TRACE_H

#include "base/base.h"
#include "trace/builder.h"
#include "test.h"
#include <deepprof/deepprof.h>

#include <string.h>

static struct dp_builder *builder;
static uint32_t process, thread;
static int64_t now_ns;
static uint32_t launches; /* recorded so far; UINT32_MAX: none is */
static uint64_t rng;
static int64_t ahead_ns; /* by which an operation is launched before it starts */

static inline void start(bool with_launches)
{
	ck_assert_int_eq(dp_builder__new(&builder, NULL), DP_OK);
	process = dp_builder__process(builder, 1);
	thread = dp_builder__thread(builder, process, 10);
	now_ns = 1000;
	launches = with_launches ? 0 : UINT32_MAX;
	rng = 42;
	ahead_ns = 50;
}

static inline int64_t below(int64_t n)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((rng >> 33) % (uint64_t)n);
}

static inline void add_launch(struct dp_op *op)
{
	int64_t call_ns = op->start_ns - ahead_ns;
	struct dp_call call = { call_ns, call_ns + 5, 0, thread, ++launches };

	call.name = dp_builder__string(builder, "cudaLaunchKernel", 16);
	op->correlation = launches;
	ck_assert_int_eq(dp_builder__add_call(builder, &call), DP_OK);
}

/* U and D are uploads and downloads, S is a memset, any other letter a kernel of that name. */
static inline void put(char letter, int64_t stream, int64_t start_ns, int64_t length_ns)
{
	struct dp_op op = { .start_ns = start_ns, .end_ns = start_ns + length_ns };
	char name[] = "kernel_x";

	op.stream = dp_builder__stream(builder, process, 0, 1, stream);
	if (letter == 'U' || letter == 'D') {
		op.kind = DP_OP_COPY;
		op.copy_kind = letter == 'U' ? DP_COPY_HTOD : DP_COPY_DTOH;
		op.bytes = 1 << 20;
		op.name = dp_builder__copy_name(builder, op.copy_kind);
	} else if (letter == 'S') {
		op.kind = DP_OP_MEMSET;
		op.name = dp_builder__set_name(builder);
	} else {
		name[7] = letter;
		op.name = dp_builder__kernel_name(builder, name, strlen(name));
	}
	if (launches != UINT32_MAX)
		add_launch(&op);
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
}

/* One after another on a stream, with pauses between them of up to pause_ns. */
static inline void put_all(const char *letters, int64_t stream, int64_t pause_ns)
{
	for (; *letters; letters++) {
		put(*letters, stream, now_ns, 1000);
		now_ns += 1100 + (pause_ns ? below(pause_ns) : 0);
	}
}

static inline struct dp_analysis *analyze(struct dp_trace **trace)
{
	struct dp_analysis *analysis = NULL;

	ck_assert_int_eq(dp_builder__finish(builder, trace, "t", "test", false), DP_OK);
	ck_assert_int_eq(dp_analysis_run(&analysis, *trace, NULL, NULL), DP_OK);
	return analysis;
}

/* Checks the whole iterations of the headline, its kernels, and its stream, if that is not -1. */
static inline void expect_headline(size_t complete, size_t length, int64_t stream)
{
	struct dp_trace *trace;
	struct dp_analysis *analysis = analyze(&trace);
	const struct dp_loop *loop = dp_analysis_loop(analysis, 0);

	ck_assert_ptr_nonnull(loop);
	ck_assert_uint_eq(loop->complete, complete);
	ck_assert_uint_eq(loop->length, length);
	if (stream >= 0)
		ck_assert_int_eq(dp_trace_stream(trace, loop->stream)->stream, stream);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

/* Checks the number of whole iterations, and the kernels, copies and memsets of each. */
static inline void expect(size_t count, size_t kernels, size_t copies, size_t sets)
{
	struct dp_trace *trace;
	struct dp_analysis *analysis = analyze(&trace);
	const struct dp_loop *loop = dp_analysis_loop(analysis, 0);

	ck_assert_int_eq(count > 0, loop != NULL);
	if (loop) {
		ck_assert_uint_eq(loop->complete, count);
		ck_assert_uint_eq(loop->length, kernels);
		ck_assert_uint_eq(loop->copies, copies);
		ck_assert_uint_eq(loop->memsets, sets);
		ck_assert_double_gt(loop->confidence, 0.7);
	}
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

#endif
