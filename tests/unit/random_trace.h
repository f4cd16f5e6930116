/*
 * Random traces, and their metrics: operations of all kinds on several streams and devices, and
 * calls of several threads. And programs of a single stream, operation by operation.
 */
#ifndef DP_TEST_RANDOM_TRACE_H
#define DP_TEST_RANDOM_TRACE_H

#include "metric/metric.h"
#include "trace/builder.h"
#include "test.h"

#include <string.h>

enum { LENGTH = 4000, STREAMS = 3, OPS = 90, ITERATIONS = 6, THREADS = 2 };

static uint32_t state;
static uint32_t side_ns = 60; /* the longest operation of streams other than the main one */
static bool side_uploads;     /* which then upload only */

static uint32_t below(uint32_t limit)
{
	state = state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)state * limit >> 32);
}

struct fixture {
	struct dp_trace *trace;
	struct dp_trace_index index;
	struct dp_iteration iterations[ITERATIONS];
	uint32_t ops[OPS];
	struct dp_metric_input input;
	struct dp_metric_values values;
};

static const char *const kernel_names[] = { "gemm", "ncclDevKernel_AllReduce", "relu" };
static const char *const call_names[] = { "cudaLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync",
					  "cudaStreamSynchronize", "cudaEventQuery" };

static void add_call(struct dp_builder *builder, uint32_t thread, size_t name, int64_t start_ns,
		     int64_t end_ns, uint32_t correlation)
{
	struct dp_call call = { start_ns, end_ns,
				dp_builder__string(builder, call_names[name],
						   strlen(call_names[name])),
				thread, correlation };

	ck_assert_int_eq(dp_builder__add_call(builder, &call), DP_OK);
}

/* Another device works at the same time, and a thread of its own launches for it. */
static void add_other_device(struct dp_builder *builder, uint32_t process)
{
	uint32_t stream = dp_builder__stream(builder, process, 1, 2, 0);
	uint32_t thread = dp_builder__thread(builder, process, THREADS);
	int64_t at_ns = 0;

	for (uint32_t i = 0; i < OPS; i++) {
		struct dp_op op = { .start_ns = at_ns + below(40), .stream = stream };

		op.end_ns = at_ns = op.start_ns + below(60);
		op.correlation = OPS + 1 + i;
		op.kind = below(4) ? DP_OP_KERNEL : DP_OP_COPY;
		op.copy_kind = op.kind == DP_OP_COPY ? DP_COPY_HTOD : DP_COPY_UNKNOWN;
		op.bytes = op.kind == DP_OP_COPY ? below(1000) : 0;
		op.name = op.kind == DP_OP_COPY
				  ? dp_builder__set_name(builder)
				  : dp_builder__kernel_name(builder, "other", strlen("other"));
		ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
		add_call(builder, thread, op.kind == DP_OP_KERNEL ? 0 : 1, op.start_ns - 9,
			 op.start_ns - 1, op.correlation);
	}
}

/* Operations of all kinds on several streams of which each is in order; calls before most. */
static struct dp_trace *random_trace(bool calls, bool other)
{
	static const enum dp_copy_kind copies[] = { DP_COPY_HTOD, DP_COPY_DTOH, DP_COPY_DTOD };
	struct dp_error error = DP_ERROR_INIT;
	uint32_t streams[STREAMS], threads[THREADS], process;
	int64_t at_ns[STREAMS] = { 0 };
	struct dp_builder *builder;
	struct dp_trace *trace;

	ck_assert_int_eq(dp_builder__new(&builder, &error), DP_OK);
	process = dp_builder__process(builder, 1);
	for (int i = 0; i < STREAMS; i++)
		streams[i] = dp_builder__stream(builder, process, 0, 1, i);
	for (int i = 0; i < THREADS; i++)
		threads[i] = dp_builder__thread(builder, process, i);
	for (uint32_t i = 0; i < OPS; i++) {
		uint32_t stream = i < OPS / 2 ? 0 : below(STREAMS), kind = below(4);
		int64_t start_ns = at_ns[stream] + (below(3) ? below(20) : below(90));
		bool upload = stream && side_uploads;
		struct dp_op op = { .start_ns = start_ns, .end_ns = start_ns };

		op.end_ns += below(stream ? side_ns : 60);
		at_ns[stream] = op.end_ns;
		op.stream = streams[stream];
		op.correlation = i + 1;
		op.kind = upload		    ? DP_OP_COPY
			  : i < OPS / 2 || kind < 2 ? DP_OP_KERNEL
			  : kind == 2		    ? DP_OP_COPY
						    : DP_OP_MEMSET;
		if (op.kind == DP_OP_KERNEL) {
			const char *name = kernel_names[below(3)];

			op.name = dp_builder__kernel_name(builder, name, strlen(name));
		} else {
			op.copy_kind = upload		       ? DP_COPY_HTOD
				       : op.kind == DP_OP_COPY ? copies[below(3)]
							       : DP_COPY_UNKNOWN;
			op.name = dp_builder__set_name(builder);
			op.bytes = below(1000);
		}
		ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
		if (calls && below(10)) {
			int64_t call_ns = start_ns - below(120);

			add_call(builder, threads[below(THREADS)],
				 op.kind == DP_OP_KERNEL ? 0
				 : op.kind == DP_OP_COPY ? 1
							 : 2,
				 call_ns, call_ns + 1 + below(30), i + 1);
		}
	}
	for (uint32_t i = 0; calls && i < 30; i++) {
		int64_t start_ns = below(LENGTH);

		add_call(builder, threads[below(THREADS)], 3 + below(2), start_ns,
			 start_ns + below(150), 0);
	}
	if (other)
		add_other_device(builder, process);
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	return trace;
}

/* Finds the kernels of the first stream. */
static void list_kernels(struct fixture *at)
{
	size_t count;
	const uint32_t *rows = dp_trace_stream_ops(at->trace, 0, &count);

	at->input.op_count = 0;
	for (size_t i = 0; i < count; i++)
		if (dp_op_is_kernel(dp_trace_ops(at->trace)->kind[rows[i]]))
			at->ops[at->input.op_count++] = rows[i];
}

static void measure(struct fixture *at)
{
	at->input.trace = at->trace;
	at->input.ops = at->ops;
	at->input.iterations = at->iterations;
	at->input.count = ITERATIONS;
	ck_assert_int_eq(dp_trace_index__init(&at->index, at->trace, NULL), DP_OK);
	ck_assert_int_eq(dp_metric__compute_all(&at->values, &at->input, NULL), DP_OK);
}

static void start_with(struct fixture *at, bool calls, bool other)
{
	size_t kernels;
	uint32_t seed = state;

	memset(at, 0, sizeof(*at));
	at->trace = random_trace(calls, other);
	state = seed;
	list_kernels(at);
	kernels = at->input.op_count / ITERATIONS;
	for (size_t k = 0; k < ITERATIONS; k++) {
		struct dp_iteration *it = &at->iterations[k];

		it->index = k;
		it->first_kernel = k * kernels;
		it->kernels = kernels - below(3);
		it->start_ns = dp_trace_ops(at->trace)->start_ns[at->ops[it->first_kernel]];
		it->end_ns = dp_trace_ops(at->trace)
				     ->end_ns[at->ops[it->first_kernel + it->kernels - 1]];
	}
	measure(at);
}

static void start(struct fixture *at, bool calls)
{
	start_with(at, calls, false);
}

static void finish(struct fixture *at)
{
	dp_metric_values__fini(&at->values);
	dp_trace_index__fini(&at->index);
	dp_trace_free(at->trace);
}

/* A program of one stream that is written operation by operation. */
struct program {
	struct dp_builder *builder;
	uint32_t stream, threads[2];
	uint32_t id; /* of the next call */
};

static void start_program(struct program *program, struct fixture *at)
{
	uint32_t process;

	memset(at, 0, sizeof(*at));
	ck_assert_int_eq(dp_builder__new(&program->builder, NULL), DP_OK);
	process = dp_builder__process(program->builder, 1);
	program->stream = dp_builder__stream(program->builder, process, 0, 1, 0);
	for (int i = 0; i < 2; i++)
		program->threads[i] = dp_builder__thread(program->builder, process, i);
	program->id = 1;
}

static void call(struct program *program, size_t name, int64_t start_ns, int64_t end_ns)
{
	add_call(program->builder, program->threads[0], name, start_ns, end_ns, program->id++);
}

/* Adds an operation of the next call. */
static void run(struct program *program, struct dp_op op)
{
	op.stream = program->stream;
	op.correlation = program->id;
	op.name = op.kind == DP_OP_KERNEL ? dp_builder__kernel_name(program->builder, "gemm", 4)
					  : dp_builder__copy_name(program->builder, op.copy_kind);
	ck_assert_int_eq(dp_builder__op(program->builder, &op), DP_OK);
}

/* Measures iterations of a number of kernels, which begin and end with these. */
static void measure_program(struct program *program, struct fixture *at, size_t kernels)
{
	const struct dp_ops *ops;

	ck_assert_int_eq(dp_builder__finish(program->builder, &at->trace, "t", "test", false),
			 DP_OK);
	list_kernels(at);
	ops = dp_trace_ops(at->trace);
	for (size_t k = 0; k < ITERATIONS; k++)
		at->iterations[k] = (struct dp_iteration){
			.index = k,
			.first_kernel = k * kernels,
			.kernels = kernels,
			.start_ns = ops->start_ns[at->ops[k * kernels]],
			.end_ns = ops->end_ns[at->ops[(k + 1) * kernels - 1]]
		};
	measure(at);
}

#endif
