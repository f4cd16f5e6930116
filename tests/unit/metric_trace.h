/*
 * A small trace whose numbers are computed by hand, for tests of metrics: times in ns from the
 * first operation, an upload at 0. Device 0 has the main stream 7 and the copy stream 14, device 1
 * a copy that must not count.
 *
 * iteration    0           1                       2            3            4 (partial)
 * kernels      A  50–150   A 450–550, B 650–750    A  950–1050  A 1140–1250  A 1450–1550
 *              B 200–250   (copy D2D 530–610)      B 1040–1150  B 1250–1350
 * uploads      0–40 (7)    270–330, 310–350        1100 (100)
 *                          (1000, 24), 740–760 (5)
 */
#ifndef DP_TEST_METRIC_TRACE_H
#define DP_TEST_METRIC_TRACE_H

#include "metric/metric.h"
#include "trace/builder.h"

#include <check.h>
#include <string.h>

#define METRIC_ITERATIONS 5

static void metric_trace_op(struct dp_builder *builder, uint32_t stream, const char *name,
			    int64_t start_ns, int64_t end_ns)
{
	struct dp_op op = { .start_ns = start_ns, .end_ns = end_ns, .stream = stream };

	op.name = dp_builder__kernel_name(builder, name, strlen(name));
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
}

static void metric_trace_copy(struct dp_builder *builder, uint32_t stream, enum dp_copy_kind kind,
			      int64_t start_ns, int64_t end_ns, uint64_t bytes)
{
	struct dp_op op = { .start_ns = start_ns,
			    .end_ns = end_ns,
			    .stream = stream,
			    .kind = DP_OP_COPY,
			    .copy_kind = kind,
			    .bytes = bytes };

	op.name = dp_builder__copy_name(builder, kind);
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
}

static inline struct dp_trace *metric_trace(void)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_builder *builder;
	struct dp_trace *trace = NULL;
	uint32_t process, main_stream, copies, other;

	ck_assert_int_eq(dp_builder__new(&builder, &error), DP_OK);
	process = dp_builder__process(builder, 1);
	main_stream = dp_builder__stream(builder, process, 0, 1, 7);
	copies = dp_builder__stream(builder, process, 0, 1, 14);
	other = dp_builder__stream(builder, process, 1, 1, 14);
	metric_trace_copy(builder, main_stream, DP_COPY_HTOD, 0, 40, 7);
	metric_trace_op(builder, main_stream, "A", 50, 150);
	metric_trace_op(builder, main_stream, "B", 200, 250);
	metric_trace_copy(builder, copies, DP_COPY_HTOD, 270, 330, 1000);
	metric_trace_copy(builder, copies, DP_COPY_HTOD, 310, 350, 24);
	metric_trace_copy(builder, copies, DP_COPY_DTOH, 360, 440, 4096);
	metric_trace_copy(builder, other, DP_COPY_HTOD, 250, 450, 8192);
	metric_trace_op(builder, main_stream, "A", 450, 550);
	metric_trace_copy(builder, main_stream, DP_COPY_DTOD, 530, 610, 64);
	metric_trace_op(builder, main_stream, "B", 650, 750);
	metric_trace_copy(builder, copies, DP_COPY_HTOA, 740, 760, 5);
	metric_trace_op(builder, main_stream, "E", 800, 810);
	metric_trace_op(builder, main_stream, "A", 950, 1050);
	metric_trace_op(builder, main_stream, "B", 1040, 1150);
	metric_trace_copy(builder, copies, DP_COPY_UM_HTOD, 1100, 1110, 100);
	metric_trace_op(builder, main_stream, "A", 1140, 1250);
	metric_trace_op(builder, main_stream, "B", 1250, 1350);
	metric_trace_op(builder, main_stream, "A", 1450, 1550);
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	return trace;
}

/* Kernels of stream 7, as a sequence has them; room for 16. */
static inline size_t metric_kernels(const struct dp_trace *trace, uint32_t stream, uint32_t *ops)
{
	size_t count, n = 0;
	const uint32_t *rows = dp_trace_stream_ops(trace, stream, &count);

	for (size_t i = 0; i < count; i++)
		if (dp_op_is_kernel(dp_trace_ops(trace)->kind[rows[i]]))
			ops[n++] = rows[i];
	return n;
}

/* Iterations as written above. */
static inline void metric_iterations(struct dp_iteration *iterations, const struct dp_trace *trace,
			      const uint32_t *ops)
{
	static const size_t first[METRIC_ITERATIONS] = { 0, 2, 5, 7, 9 };

	memset(iterations, 0, METRIC_ITERATIONS * sizeof(*iterations));
	for (size_t k = 0; k < METRIC_ITERATIONS; k++) {
		iterations[k].index = k;
		iterations[k].first_kernel = first[k];
		iterations[k].kernels = k < 4 ? 2 : 1;
		iterations[k].partial = k == 4;
		iterations[k].foreign_kernels = k == 2;
		iterations[k].start_ns = dp_trace_ops(trace)->start_ns[ops[first[k]]];
		iterations[k].end_ns =
			dp_trace_ops(trace)->end_ns[ops[first[k] + iterations[k].kernels - 1]];
	}
}

#endif
