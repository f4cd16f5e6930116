/* A trace of a program that runs kernels one after another, on one stream of a GPU. */
#ifndef DP_TEST_PROGRAM_TRACE_H
#define DP_TEST_PROGRAM_TRACE_H

#include "trace/builder.h"
#include "test.h"
#include <deepprof/deepprof.h>
#include <stdio.h>

static struct dp_builder *builder;
static uint32_t stream;
static int64_t now_ns;

/* What follows runs on this GPU, from the start of the trace on. */
static inline void use_gpu(int64_t device)
{
	stream = dp_builder__stream(builder, dp_builder__process(builder, 1), device, 1, 7);
	now_ns = 0;
}

static inline void begin(void)
{
	ck_assert_int_eq(dp_builder__new(&builder, NULL), DP_OK);
	use_gpu(0);
}

static inline void run(const char *form, int number)
{
	char name[64];
	int length = snprintf(name, sizeof(name), form, number);
	struct dp_op op = { .start_ns = now_ns, .end_ns = now_ns + 50000, .stream = stream };

	op.name = dp_builder__kernel_name(builder, name, (size_t)length);
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
	now_ns = op.end_ns + 1000;
}

static inline struct dp_analysis *
finish_and_analyze_as(const struct dp_analysis_options *options)
{
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = NULL;

	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, options, NULL), DP_OK);
	dp_trace_free(trace);
	return analysis;
}

static inline struct dp_analysis *finish_and_analyze(void)
{
	return finish_and_analyze_as(NULL);
}

#endif
