/* A trace made of what a test passes to a builder. */
#ifndef DP_TEST_BUILDER_TRACE_H
#define DP_TEST_BUILDER_TRACE_H

#include "trace/builder.h"

#include <check.h>
#include <string.h>

static struct dp_error error;

static inline struct dp_builder *start(void)
{
	struct dp_builder *builder;

	memset(&error, 0, sizeof(error));
	ck_assert_int_eq(dp_builder__new(&builder, &error), DP_OK);
	return builder;
}

static inline struct dp_trace *finish(struct dp_builder *builder)
{
	struct dp_trace *trace = NULL;

	ck_assert_int_eq(dp_builder__finish(builder, &trace, "a.db", "test", false), DP_OK);
	return trace;
}

static inline void add_op(struct dp_builder *builder, uint32_t stream, enum dp_op_kind kind,
		   int64_t start_ns, int64_t end_ns, uint32_t correlation)
{
	struct dp_op op = { .start_ns = start_ns,
			    .end_ns = end_ns,
			    .stream = stream,
			    .kind = kind,
			    .correlation = correlation };

	op.name = dp_builder__kernel_name(builder, "kernel", 6);
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
}

#endif
