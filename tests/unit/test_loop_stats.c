/* Tables of kernels, operators and places in the pattern, against numbers computed by hand. */
#include "alloc_fail.h"
#include "metric/loop_stats.h"
#include "trace/builder.h"
#include "test.h"

#include <math.h>
#include <string.h>

/*
 * Three iterations of the pattern A B C, the last one cut off. Of the second, B is missing, an X is
 * inserted before A, and C is an other kernel D.
 */
static const struct {
	const char *name;
	int length_ns;
	int thread; /* of the launch; -1: no call */
} kernels[] = {
	{ "A", 10, 0 }, { "B", 20, 0 },	 { "C", 30, 1 }, { "X", 7, 0 },
	{ "A", 14, 0 }, { "D", 50, -1 }, { "A", 99, 0 },
};

static struct dp_trace *trace;
static uint32_t pattern[3];

/* Of the device's units; U: unknown. */
#define U DP_ACTIVITY_UNKNOWN
static const struct dp_unit_activity samples[] = {
	{ 900, 1005, 900000, 900000, 900000, 0 },  /* A ran for a twentieth of it */
	{ 1002, 1012, 200000, 0, U, 0 },	   /* for 5 of the 7 that are left of it */
	{ 1100, 1120, 600000, 300000, 0, 0 },	   /* B */
	{ 1200, 1260, 900000, 900000, 900000, 0 }, /* C ran for half of it, not for more */
	{ 1495, 1545, 1000000, U, 800000, 0 },	   /* D */
	{ 1545, 1640, 900000, 900000, 900000, 0 }, /* the end of D, and less than half of A */
	{ 1640, 1690, 500000, 100000, U, 0 },	   /* A, that began before */
	{ 1800, 1900, 900000, 900000, 900000, 0 }, /* nothing */
};

static void add_range(struct dp_builder *builder, const char *name, int64_t start_ns,
		      int64_t end_ns, uint32_t thread, enum dp_range_kind kind)
{
	struct dp_range range = { start_ns, end_ns, dp_builder__string(builder, name, strlen(name)),
				  thread, kind };

	ck_assert_int_eq(dp_builder__add_range(builder, &range), DP_OK);
}

static void make(void)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_builder *builder;
	uint32_t process, stream, threads[2], call;

	ck_assert_int_eq(dp_builder__new(&builder, &error), DP_OK);
	process = dp_builder__process(builder, 1);
	stream = dp_builder__stream(builder, process, 0, 1, 7);
	threads[0] = dp_builder__thread(builder, process, 10);
	threads[1] = dp_builder__thread(builder, process, 11);
	call = dp_builder__string(builder, "cudaLaunchKernel", 16);
	for (uint32_t i = 0; i < DP_COUNT(kernels); i++) {
		struct dp_op op = { .start_ns = 1000 + i * 100,
				    .end_ns = 1000 + i * 100 + kernels[i].length_ns,
				    .stream = stream,
				    .correlation = kernels[i].thread < 0 ? 0 : i + 1 };
		struct dp_call launch = { 900 + i * 100, 910 + i * 100, call,
					  threads[kernels[i].thread > 0], i + 1 };

		op.name = dp_builder__kernel_name(builder, kernels[i].name, 1);
		ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
		if (kernels[i].thread >= 0)
			ck_assert_int_eq(dp_builder__add_call(builder, &launch), DP_OK);
	}
	/* Of A: outer; of B: inner inside it; C's thread has none open; X: outer again. */
	add_range(builder, "step", 800, 5000, threads[0], DP_RANGE_ANNOTATION);
	add_range(builder, "outer", 890, 1250, threads[0], DP_RANGE_OPERATOR);
	add_range(builder, "inner", 990, 1005, threads[0], DP_RANGE_NVTX);
	add_range(builder, "over", 890, 1100, threads[1], DP_RANGE_OPERATOR);
	for (size_t i = 0; i < DP_COUNT(samples); i++)
		ck_assert_int_eq(dp_builder__add_activity(builder, &samples[i]), DP_OK);
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
}

static const struct dp_iteration iterations[] = {
	{ .kernels = 3 },
	{ .first_kernel = 3, .kernels = 3, .inserted = 1, .deleted = 1, .substituted = 1 },
	{ .first_kernel = 6, .kernels = 1, .partial = true, .edits = 3 },
};
static const struct dp_edit edits[] = {
	{ 3, 0, DP_EDIT_INSERTED },
	{ 5, 1, DP_EDIT_DELETED },
	{ 5, 2, DP_EDIT_SUBSTITUTED },
};

static struct dp_loop_kernels input(uint32_t ops[DP_COUNT(kernels)])
{
	for (uint32_t i = 0; i < DP_COUNT(kernels); i++)
		ops[i] = i;
	for (int i = 0; i < 3; i++)
		pattern[i] = dp_trace_ops(trace)->name[i];
	return (struct dp_loop_kernels){ .trace = trace,
					 .ops = ops,
					 .op_count = DP_COUNT(kernels),
					 .iterations = iterations,
					 .count = DP_COUNT(iterations),
					 .pattern = pattern,
					 .length = 3,
					 .edits = edits,
					 .edit_count = DP_COUNT(edits) };
}

static void same(const struct dp_time_stat *stat, const char *name, size_t count, double total,
		 double min, double max, double stddev)
{
	ck_assert_str_eq(stat->name, name);
	ck_assert_uint_eq(stat->count, count);
	ck_assert_double_eq(stat->total_ns, total);
	ck_assert_double_eq_tol(stat->mean_ns, total / (double)count, 1e-9);
	ck_assert_double_eq(stat->min_ns, min);
	ck_assert_double_eq(stat->max_ns, max);
	ck_assert_double_eq_tol(stat->stddev_ns, stddev, 1e-9);
}

TEST(by_name_operator_and_place)
{
	uint32_t ops[DP_COUNT(kernels)];
	struct dp_loop_stats stats;
	struct dp_attribution attribution;
	struct dp_loop_kernels in;

	make();
	in = input(ops);
	ck_assert_int_eq(dp_attribution__init(&attribution, trace, NULL), DP_OK);
	ck_assert_int_eq(dp_loop_stats__init(&stats, &in, &attribution, NULL), DP_OK);
	ck_assert_uint_eq(stats.kernels.count, 5);
	same(&stats.kernels.stats[0], "D", 1, 50, 50, 50, 0);
	same(&stats.kernels.stats[1], "C", 1, 30, 30, 30, 0);
	same(&stats.kernels.stats[2], "A", 2, 24, 10, 14, 2);
	same(&stats.kernels.stats[3], "B", 1, 20, 20, 20, 0);
	same(&stats.kernels.stats[4], "X", 1, 7, 7, 7, 0);
	ck_assert_double_eq_tol(stats.kernels.stats[0].share, 50.0 / 131, 1e-12);
	ck_assert_uint_eq(stats.operators.count, 3);
	same(&stats.operators.stats[0], "", 3, 94, 14, 50, sqrt(1952.0 / 9));
	same(&stats.operators.stats[1], "inner", 1, 20, 20, 20, 0);
	same(&stats.operators.stats[2], "outer", 2, 17, 7, 10, 1.5);
	ck_assert_uint_eq(stats.positions.count, 3);
	same(&stats.positions.stats[0], "A", 2, 24, 10, 14, 2);
	same(&stats.positions.stats[1], "B", 1, 20, 20, 20, 0);
	same(&stats.positions.stats[2], "C", 1, 30, 30, 30, 0);
	dp_loop_stats__fini(&stats);
	dp_attribution__fini(&attribution);
	dp_trace_free(trace);
}

/* Edits that do not match, as for a loop without its edits; no operators; nothing at all. */
TEST(what_is_missing)
{
	uint32_t ops[DP_COUNT(kernels)];
	struct dp_attribution none = { NULL };
	struct dp_loop_stats stats;
	struct dp_loop_kernels in;

	make();
	in = input(ops);
	in.edit_count = 0;
	ck_assert_int_eq(dp_loop_stats__init(&stats, &in, &none, NULL), DP_OK);
	ck_assert_uint_eq(stats.operators.count, 1);
	ck_assert_double_eq(stats.operators.stats[0].total_ns, 131);
	ck_assert_double_eq(stats.operators.stats[0].share, 1);
	dp_loop_stats__fini(&stats);
	in.count = 0;
	ck_assert_int_eq(dp_loop_stats__init(&stats, &in, &none, NULL), DP_OK);
	ck_assert_uint_eq(stats.kernels.count, 0);
	ck_assert_uint_eq(stats.positions.count, 3);
	ck_assert_uint_eq(stats.positions.stats[1].count, 0);
	ck_assert(isnan(stats.positions.stats[1].mean_ns));
	dp_loop_stats__fini(&stats);
	dp_trace_free(trace);
}

/*
 * The second iteration has an A of 14 ns and one of 99 ns: whichever the alignment calls inserted,
 * A takes 103 ns more than in the first, where it takes 10 ns, and X and D are new.
 */
TEST(extra_time_is_a_difference)
{
	static const struct dp_iteration both[] = {
		{ .kernels = 3 },
		{ .first_kernel = 3, .kernels = 4, .inserted = 2, .deleted = 1 },
	};
	static const uint32_t inserted[] = { 4, 6 };
	uint32_t ops[DP_COUNT(kernels)];
	struct dp_attribution none = { NULL };
	struct dp_loop_stats stats;
	struct dp_loop_kernels in;

	make();
	in = input(ops);
	in.iterations = both;
	in.count = DP_COUNT(both);
	for (size_t i = 0; i < DP_COUNT(inserted); i++) {
		const struct dp_edit made[] = { { 3, 0, DP_EDIT_INSERTED },
						{ inserted[i], 1, DP_EDIT_INSERTED },
						{ 6, 1, DP_EDIT_DELETED } };

		in.edits = made;
		ck_assert_int_eq(dp_loop_stats__init(&stats, &in, &none, NULL), DP_OK);
		ck_assert_uint_eq(stats.extra.count, 5);
		ck_assert_str_eq(stats.extra.stats[0].name, "A");
		ck_assert_double_eq(stats.extra.stats[0].total_ns, 14 + 99 - 10);
		ck_assert_double_eq(stats.extra.stats[1].total_ns, 50);
		ck_assert_double_eq(stats.extra.stats[2].total_ns, 7);
		ck_assert_double_eq(stats.extra.stats[4].total_ns, -30);
		/* A also rises most */
		ck_assert_str_eq(stats.growing.name, "A");
		ck_assert_double_eq(stats.growing.ns[0], 10);
		ck_assert_double_eq(stats.growing.ns[1], 14 + 99);
		ck_assert_double_eq(stats.growing.launches[0], 1);
		ck_assert_double_eq(stats.growing.launches[1], 2);
		dp_loop_stats__fini(&stats);
	}
	dp_trace_free(trace);
}

/* NaN stands for no value. */
static void same_units(const struct dp_time_stat *stat, const char *name, double sm, double tensor,
		       double dram)
{
	const double have[] = { stat->sm_active, stat->tensor_active, stat->dram_active };
	const double want[] = { sm, tensor, dram };

	ck_assert_str_eq(stat->name, name);
	for (size_t i = 0; i < DP_COUNT(want); i++)
		if (isnan(want[i]))
			ck_assert_msg(isnan(have[i]), "%s: %g", name, have[i]);
		else
			ck_assert_double_eq_tol(have[i], want[i], 1e-9);
}

TEST(units)
{
	uint32_t ops[DP_COUNT(kernels)];
	struct dp_attribution none = { NULL };
	struct dp_device_timeline timeline;
	struct dp_trace_index index;
	struct dp_loop_stats stats;
	struct dp_loop_kernels in;
	double no = (double)NAN;
	bool more = true;
	int status;

	make();
	in = input(ops);
	ck_assert_int_eq(dp_trace_index__init(&index, trace, NULL), DP_OK);
	ck_assert_int_eq(dp_device_timeline__init(&timeline, &index, 0, NULL), DP_OK);
	in.timeline = &timeline;
	for (size_t k = 0; more; k++) {
		alloc_fail_after(k);
		status = dp_loop_stats__init(&stats, &in, &none, NULL);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
	}
	same_units(&stats.kernels.stats[0], "D", 1, no, 0.8);
	same_units(&stats.kernels.stats[1], "C", no, no, no);
	same_units(&stats.kernels.stats[2], "A", (7 * 0.2 + 50 * 0.5) / 57, 50 * 0.1 / 57, no);
	same_units(&stats.kernels.stats[3], "B", 0.6, 0.3, 0);
	same_units(&stats.kernels.stats[4], "X", no, no, no);
	same_units(&stats.operators.stats[0], "", no, no, no);
	same_units(&stats.positions.stats[0], "A", no, no, no);
	dp_loop_stats__fini(&stats);
	dp_device_timeline__fini(&timeline);
	dp_trace_index__fini(&index);
	dp_trace_free(trace);
}
