/* TensorFlow 1's timelines: which rows count, however they are named. */
#include "test.h"

#include <deepprof/deepprof.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *file;
static char path[64];
static bool first;

static void start(void)
{
	strcpy(path, "/tmp/deepprof-timeline-XXXXXX");
	file = fdopen(mkstemp(path), "w");
	ck_assert_ptr_nonnull(file);
	fputs("{\"traceEvents\": [", file);
	first = true;
}

/* The name of a row. */
static void row(int pid, const char *name)
{
	fprintf(file,
		"%s{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": %d, \"args\": "
		"{\"name\": \"%s\"}}",
		first ? "" : ",\n", pid, name);
	first = false;
}

static void op(int pid, int64_t ts, const char *type, const char *node)
{
	fprintf(file,
		"%s{\"ph\": \"X\", \"cat\": \"Op\", \"name\": \"%s\", \"pid\": %d, \"tid\": 0, "
		"\"ts\": %lld, \"dur\": 5, \"args\": {\"name\": \"%s\", \"op\": \"%s\"}}",
		first ? "" : ",\n", type, pid, (long long)ts, node, type);
	first = false;
}

static struct dp_trace *open_timeline(struct dp_error *error)
{
	struct dp_trace *trace = NULL;

	fputs("]}", file);
	fclose(file);
	dp_trace_open(&trace, path, NULL, error);
	unlink(path);
	return trace;
}

static struct dp_trace *finish(void)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_trace *trace = open_timeline(&error);

	ck_assert_msg(trace != NULL, "%s", error.message);
	ck_assert_str_eq(dp_trace_format(trace), "tf_timeline");
	return trace;
}

static const char *op_name(const struct dp_trace *trace, size_t index)
{
	return dp_trace_string(trace, dp_trace_ops(trace)->name[index]);
}

static const struct dp_stream *op_stream(const struct dp_trace *trace, size_t index)
{
	return dp_trace_stream(trace, dp_trace_ops(trace)->stream[index]);
}

TEST(rows_of_streams_are_taken)
{
	const struct dp_ops *ops;
	struct dp_trace *trace;
	int64_t t0_ns = 0;

	start();
	row(0, "Allocators");
	row(1, "/job:localhost/replica:0/task:0/device:GPU:0 Compute");
	row(2, "/device:GPU:0/stream:all Compute");
	row(3, "/device:GPU:0/stream:13 Compute");
	row(4, "/device:GPU:0/stream:14 Compute");
	row(5, "/device:GPU:0/memcpy Compute");
	row(6, "/gpu:1/stream:all Compute");
	op(1, 1563253055453800, "MatMul", "dense/MatMul");
	op(2, 1563253055453811, "MatMul", "dense/MatMul");
	op(3, 1563253055453811, "MatMul", "dense/MatMul");
	op(4, 1563253055453820, "MEMCPYHtoD", "edge_1_x");
	op(5, 1563253055453820, "MEMCPYHtoD", "edge_1_x");
	op(3, 1563253055453830, "ConcatV2", "concat");
	op(5, 1563253055453830, "ConcatV2", "concat");
	op(6, 1563253055453840, "Relu", "relu");
	trace = finish();
	ops = dp_trace_ops(trace);
	ck_assert_uint_eq(ops->count, 4);
	ck_assert_str_eq(op_name(trace, 0), "dense/MatMul");
	ck_assert(dp_trace_t0(trace, &t0_ns));
	ck_assert_int_eq(t0_ns + ops->start_ns[0], INT64_C(1563253055453811000));
	ck_assert_int_eq(op_stream(trace, 0)->stream, 13);
	ck_assert_int_eq(ops->kind[0], DP_OP_KERNEL);
	ck_assert_str_eq(op_name(trace, 1), "MEMCPYHtoD");
	ck_assert_int_eq(ops->copy_kind[1], DP_COPY_HTOD);
	ck_assert_int_eq(ops->kind[2], DP_OP_COPY);
	ck_assert_int_eq(ops->copy_kind[2], DP_COPY_UNKNOWN);
	/* A device with only the sum over its streams. */
	ck_assert_int_eq(dp_trace_device(trace, op_stream(trace, 3)->device)->id, 1);
	ck_assert_int_eq(op_stream(trace, 3)->stream, -1);
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 1);
	dp_trace_free(trace);
}

/* Names of rows may come after the events. */
TEST(names_come_late)
{
	struct dp_trace *trace;

	start();
	op(3, 100, "Relu", "relu");
	row(3, "/gpu:0/stream:1 Compute");
	trace = finish();
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 1);
	ck_assert_int_eq(op_stream(trace, 0)->stream, 1);
	dp_trace_free(trace);
}

/* A step that used the GPU lacks CUPTI, another one the GPU. */
TEST_LOOP(without_kernels, 2)
{
	struct dp_error error = DP_ERROR_INIT;

	start();
	row(3, _i ? "/job:localhost/task:0/gpu:7 Compute" : "/job:localhost/task:0/cpu:0 Compute");
	op(3, 100, "Relu", "relu");
	ck_assert_ptr_null(open_timeline(&error));
	ck_assert_int_eq(error.status, DP_ERR_NO_GPU);
	ck_assert_int_eq(strstr(error.message, "operators ran on GPU 7") != NULL, _i);
	ck_assert_int_eq(strstr(error.message, "record with libcupti") != NULL, _i);
	ck_assert_int_eq(strstr(error.message, "FULL_TRACE") != NULL, !_i);
}

/* Of several names of a row the most specific one counts, in any order. */
TEST(order_of_names_is_nothing)
{
	static const char *const names[] = { "/device:GPU:0/stream:7 Compute",
					     "/device:GPU:0/stream:all Compute",
					     "/device:GPU:0/stream:9 Compute", "Allocators" };

	for (size_t turn = 0; turn < 24; turn++) {
		struct dp_trace *trace;
		size_t left[] = { 0, 1, 2, 3 }, rest = turn;

		start();
		row(1, "/device:GPU:0 Compute");
		row(2, "/device:GPU:0/stream:all Compute");
		for (size_t n = 4; n > 0; n--) {
			size_t chosen = rest % n;

			rest /= n;
			row(3, names[left[chosen]]);
			left[chosen] = left[n - 1];
		}
		op(1, 90, "Relu", "relu");
		op(2, 100, "Relu", "relu");
		op(3, 100, "Relu", "relu");
		trace = finish();
		ck_assert_uint_eq(dp_trace_ops(trace)->count, 1);
		ck_assert_int_eq(op_stream(trace, 0)->stream, 7);
		dp_trace_free(trace);
	}
}

/* More rows than any machine has: those beyond are reported. */
TEST(rows_have_a_limit)
{
	struct dp_trace *trace;

	start();
	row(0, "/device:GPU:0/stream:7 Compute");
	op(0, 100, "Relu", "relu");
	for (int i = 1; i < 5000; i++)
		row(i, "/device:GPU:0/stream:8 Compute");
	trace = finish();
	ck_assert_uint_eq(dp_trace_loss_count(trace), 1);
	ck_assert_str_eq(dp_trace_loss(trace, 0)->reason, "names of rows beyond 4096");
	ck_assert_uint_eq(dp_trace_loss(trace, 0)->records, 5000 - 4096);
	dp_trace_free(trace);
}
