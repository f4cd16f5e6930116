/* Metrics survive the failure of every one of their allocations. */
#include "alloc_fail.h"
#include "metric/loop_stats.h"
#include "metric/loop_variants.h"
#include "activity/warmup.h"
#include "metric_trace.h"
#include "test.h"

#include <math.h>

TEST(compute)
{
	struct dp_trace *trace = metric_trace();
	struct dp_iteration iterations[METRIC_ITERATIONS];
	uint32_t ops[16];
	struct dp_metric_input input = { .trace = trace, .ops = ops, .count = METRIC_ITERATIONS };
	bool more = true;

	input.op_count = metric_kernels(trace, 0, ops);
	input.iterations = iterations;
	metric_iterations(iterations, trace, ops);
	for (size_t k = 0; more; k++) {
		struct dp_metric_values values = { NULL, NULL };
		struct dp_error error = DP_ERROR_INIT;
		int status;

		alloc_fail_after(k);
		status = dp_metric__compute_all(&values, &input, &error);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
		ck_assert_int_eq(error.status, status);
		ck_assert_int_eq(values.values == NULL, more);
		dp_metric_values__fini(&values);
		ck_assert_uint_lt(k, 1000);
	}
	dp_trace_free(trace);
}

TEST(variants)
{
	struct dp_iteration iterations[8] = { { 0 } };
	struct dp_loop loop = { .iterations = 8, .variants = 2 };
	bool more = true;

	iterations[3].variant = 1;
	for (size_t k = 0; more; k++) {
		struct dp_error error = DP_ERROR_INIT;
		struct dp_variant *made = NULL;
		int status;

		alloc_fail_after(k);
		status = dp_loop_variants__make(&made, &loop, iterations, &error);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
		ck_assert_int_eq(error.status, status);
		ck_assert_int_eq(made == NULL, more);
		free(made);
		ck_assert_uint_lt(k, 100);
	}
}

TEST(stats_and_warmup)
{
	struct dp_trace *trace = metric_trace();
	struct dp_iteration iterations[METRIC_ITERATIONS], many[12] = { { 0 } };
	uint32_t ops[16], pattern[] = { 0, 1 };
	struct dp_loop_kernels input = { .trace = trace,
					 .ops = ops,
					 .iterations = iterations,
					 .count = METRIC_ITERATIONS,
					 .pattern = pattern,
					 .length = 2 };
	struct dp_attribution attribution = { NULL };
	bool more = true;

	input.op_count = metric_kernels(trace, 0, ops);
	metric_iterations(iterations, trace, ops);
	for (size_t k = 0; more; k++) {
		struct dp_error error = DP_ERROR_INIT;
		struct dp_loop_stats stats = { { 0 }, { 0 }, { 0 } };
		int status;

		alloc_fail_after(k);
		status = dp_attribution__init(&attribution, trace, &error);
		if (!status)
			status = dp_loop_stats__init(&stats, &input, &attribution, &error);
		if (!status)
			status = dp_warmup__mark(many, 12, &error);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
		ck_assert_int_eq(error.status, status);
		dp_attribution__fini(&attribution);
		dp_loop_stats__fini(&stats);
		ck_assert_uint_lt(k, 1000);
	}
	dp_trace_free(trace);
}
