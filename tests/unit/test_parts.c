/*
 * The parts of periods against a map of every nanosecond, on random traces; and sums that must
 * match.
 */
#include "activity/gaps.h"
#include "activity/periods.h"
#include "random_trace.h"

#include <math.h>

static double value(const struct fixture *at, const char *name, size_t k)
{
	for (size_t i = 0; dp_metric(i); i++)
		if (!strcmp(dp_metric(i)->name, name))
			return at->values.values[i * ITERATIONS + k];
	ck_abort_msg("no metric %s", name);
	return 0;
}

enum { COMPUTE = 1, COMM = 2, COPY = 4, UPLOAD = 8, MOVE = 16 };

static void check_unions(const struct fixture *at, const uint8_t *map, size_t k)
{
	int64_t from_ns = at->iterations[k].start_ns, to_ns = at->iterations[k + 1].start_ns;
	double busy = 0, compute = 0, comm = 0, both = 0, copy = 0, alone = 0, uploads = 0,
	       moves = 0;

	for (int64_t t = from_ns; t < to_ns; t++) {
		busy += map[t] != 0;
		compute += (map[t] & COMPUTE) != 0;
		comm += (map[t] & COMM) != 0;
		both += (map[t] & COMPUTE) && (map[t] & COMM);
		copy += (map[t] & COPY) != 0;
		alone += map[t] && !(map[t] & (COMPUTE | COMM));
		uploads += (map[t] & UPLOAD) && !(map[t] & (COMPUTE | COMM));
		moves += (map[t] & MOVE) && !(map[t] & (COMPUTE | COMM));
	}
	ck_assert_double_eq(value(at, "busy_ns", k), busy);
	ck_assert_double_eq(value(at, "idle_ns", k), (double)(to_ns - from_ns) - busy);
	ck_assert_double_eq(value(at, "compute_ns", k), compute);
	ck_assert_double_eq(value(at, "comm_ns", k), comm);
	ck_assert_double_eq(value(at, "copy_ns", k), copy);
	ck_assert_double_eq(value(at, "copy_exposed_ns", k), alone);
	ck_assert_double_eq(value(at, "upload_exposed_ns", k), uploads);
	ck_assert_double_eq(value(at, "d2d_exposed_ns", k), moves);
	ck_assert_double_eq(value(at, "comm_exposed_ns", k), comm - both);
	if (comm > 0)
		ck_assert_double_eq_tol(value(at, "comm_overlap", k), both / comm, 1e-12);
	else
		ck_assert(isnan(value(at, "comm_overlap", k)));
}

static void fill_map(uint8_t *map, const struct dp_ops *ops, const struct dp_trace *trace)
{
	for (size_t i = 0; i < ops->count; i++) {
		bool comm = !strncmp(dp_trace_string(trace, ops->name[i]), "nccl", 4);
		uint8_t bit = !dp_op_is_kernel(ops->kind[i]) ? COPY : comm ? COMM : COMPUTE;

		if (ops->copy_kind[i] == DP_COPY_HTOD)
			bit |= UPLOAD;
		if (ops->copy_kind[i] == DP_COPY_DTOD)
			bit |= MOVE;
		for (int64_t t = ops->start_ns[i]; t < ops->end_ns[i]; t++)
			map[t] |= bit;
	}
}

/* Causes sum to the idle time; parts to the period; all to the nanosecond. */
static void check_sums(const struct fixture *at, size_t k)
{
	double period = value(at, "period_ns", k), idle = value(at, "idle_ns", k);
	double causes = value(at, "idle_host_ns", k) + value(at, "idle_sync_ns", k) +
			value(at, "idle_copy_ns", k) + value(at, "idle_launch_ns", k) +
			value(at, "idle_other_ns", k);

	ck_assert_double_eq(causes, idle);
	ck_assert_double_eq(value(at, "compute_ns", k) + value(at, "comm_exposed_ns", k) +
				    value(at, "copy_exposed_ns", k) + idle,
			    period);
	ck_assert_double_ge(value(at, "idle_host_ns", k), 0);
	ck_assert_double_ge(value(at, "idle_sync_ns", k), 0);
	ck_assert_double_ge(value(at, "idle_copy_ns", k), 0);
	ck_assert_double_le(value(at, "longest_gap_ns", k), idle);
	ck_assert_double_le(value(at, "short_gaps_ns", k), idle);
	ck_assert_double_le(value(at, "input_wait_ns", k) + value(at, "call_stall_ns", k),
			    value(at, "idle_host_ns", k));
	ck_assert_double_le(value(at, "sync_lost_ns", k), idle);
	ck_assert_double_ge(value(at, "idle_after_sync_ns", k), 0);
	ck_assert_double_le(value(at, "idle_after_sync_ns", k), value(at, "idle_host_ns", k));
}

/* The queue of stream 0, a nanosecond at a time. */
static void check_queue(const struct fixture *at, size_t k)
{
	const struct dp_calls *calls = dp_trace_calls(at->trace);
	const struct dp_ops *ops = dp_trace_ops(at->trace);
	double period = value(at, "period_ns", k), sum = 0, empty = 0;

	for (int64_t t = at->iterations[k].start_ns; t < at->iterations[k + 1].start_ns; t++) {
		unsigned depth = 0;

		for (size_t i = 0; i < ops->count; i++)
			depth += ops->stream[i] == 0 && ops->call[i] != DP_NONE &&
				 calls->end_ns[ops->call[i]] <= t && t < ops->start_ns[i];
		sum += depth;
		empty += !depth;
	}
	ck_assert_double_eq_tol(value(at, "queue_depth", k), sum / period, 1e-9);
	ck_assert_double_eq_tol(value(at, "queue_empty", k), empty / period, 1e-9);
}

/* What the threads do, a nanosecond at a time: of calls within calls the outermost counts. */
static void check_host(const struct fixture *at, size_t k)
{
	static const char *const names[] = { "host_launch_ns", "host_sync_ns", "host_copy_ns",
					     "host_other_ns" };
	const struct dp_calls *calls = dp_trace_calls(at->trace);
	double sum = 0, outside = 0, want = 0;

	for (int64_t t = at->iterations[k].start_ns; t < at->iterations[k + 1].start_ns; t++) {
		unsigned in[THREADS] = { 0 };

		for (size_t i = 0; i < calls->count; i++)
			if (calls->start_ns[i] <= t && t < calls->end_ns[i])
				in[calls->thread[i]] = 1;
		outside += !in[0] && !in[1];
		want += in[0] + in[1];
	}
	for (size_t i = 0; i < DP_COUNT(names); i++)
		sum += value(at, names[i], k);
	ck_assert_double_eq(sum, want);
	ck_assert_double_eq(value(at, "host_outside_ns", k), outside);
}

struct idle_sum {
	const uint8_t *map;
	struct dp_idle_window window;
	int64_t until_ns;
	double causes[5];
};

/* Pieces are in order, inside the window, and nothing runs in them. */
static int add_idle(void *ctx, const struct dp_idle *idle)
{
	struct idle_sum *sum = ctx;

	ck_assert_int_ge(idle->start_ns, DP_MAX(sum->until_ns, sum->window.start_ns));
	ck_assert_int_lt(idle->start_ns, idle->end_ns);
	ck_assert_int_le(idle->end_ns, sum->window.end_ns);
	ck_assert_int_ge(dp_trace_ops(sum->window.index->trace)->start_ns[idle->op], idle->end_ns);
	for (int64_t t = idle->start_ns; t < idle->end_ns; t++)
		ck_assert_uint_eq(sum->map[t], 0);
	sum->until_ns = idle->end_ns;
	sum->causes[idle->cause] += (double)(idle->end_ns - idle->start_ns);
	return 0;
}

/* The walk over idle time finds what the metrics sum. */
static void check_idle(const struct fixture *at, const uint8_t *map, size_t k)
{
	static const char *const names[] = { "idle_host_ns", "idle_sync_ns", "idle_copy_ns",
					     "idle_launch_ns", "idle_other_ns" };
	struct idle_sum sum = { map,
				{ &at->index, 0, at->iterations[k].start_ns,
				  at->iterations[k + 1].start_ns },
				INT64_MIN,
				{ 0 } };

	ck_assert_int_eq(dp_idle__foreach(&sum.window, add_idle, &sum, NULL), DP_OK);
	for (size_t i = 0; i < DP_COUNT(names); i++)
		ck_assert_double_eq(sum.causes[i], value(at, names[i], k));
}

/* A window anywhere, not where operations begin. */
static void check_idle_window(const struct fixture *at, const uint8_t *map)
{
	int64_t length_ns = dp_trace_duration_ns(at->trace), from_ns = below((uint32_t)length_ns);
	struct idle_sum sum = { map,
				{ &at->index, 0, from_ns,
				  from_ns + below((uint32_t)(length_ns - from_ns)) },
				INT64_MIN,
				{ 0 } };
	double found = 0, want = 0;

	for (int64_t t = sum.window.start_ns; t < sum.window.end_ns; t++)
		want += !map[t];
	ck_assert_int_eq(dp_idle__foreach(&sum.window, add_idle, &sum, NULL), DP_OK);
	for (size_t i = 0; i < DP_COUNT(sum.causes); i++)
		found += sum.causes[i];
	ck_assert_double_eq(found, want);
}

static int stop_at_third(void *ctx, const struct dp_idle *idle)
{
	return ++*(int *)ctx == 3 ? 77 : 0;
}

TEST(idle_walk_stops)
{
	struct fixture at;
	int calls = 0;

	state = 3;
	start(&at, true);
	ck_assert_int_eq(
		dp_idle__foreach(&(struct dp_idle_window){ &at.index, 0, INT64_MIN, INT64_MAX },
				 stop_at_third, &calls, NULL),
		77);
	ck_assert_int_eq(calls, 3);
	finish(&at);
}

TEST(periods_in_parts)
{
	static uint8_t map[LENGTH * 4];

	for (uint32_t seed = 1; seed < 300; seed++) {
		struct fixture at;

		state = seed;
		start(&at, true);
		memset(map, 0, sizeof(map));
		ck_assert_int_lt(dp_trace_duration_ns(at.trace), (int64_t)sizeof(map));
		fill_map(map, dp_trace_ops(at.trace), at.trace);
		for (size_t k = 0; k + 1 < ITERATIONS; k++) {
			check_unions(&at, map, k);
			check_sums(&at, k);
			check_idle(&at, map, k);
			if (seed % 8)
				continue;
			check_queue(&at, k);
			check_host(&at, k);
		}
		check_idle_window(&at, map);
		ck_assert(isnan(value(&at, "busy_ns", ITERATIONS - 1)));
		finish(&at);
	}
}

/* Parts that need launches do not exist without them; the rest does. */
TEST(without_launches)
{
	static const char *const names[] = { "idle_host_ns", "idle_sync_ns",	"queue_depth",
					     "queue_empty",  "launch_delay_ns", "host_outside_ns",
					     "sync_lost_ns", "input_wait_ns" };
	struct fixture at;

	state = 5;
	start(&at, false);
	for (size_t i = 0; i < DP_COUNT(names); i++)
		for (size_t k = 0; k < ITERATIONS; k++)
			ck_assert(isnan(value(&at, names[i], k)));
	ck_assert(!isnan(value(&at, "idle_ns", 0)));
	ck_assert(!isnan(value(&at, "kernel_median_ns", 0)));
	ck_assert(isnan(value(&at, "throughput", 0)));
	finish(&at);
	at.input.batch_size = 0;
}

/*
 * Iterations of two kernels of 100 ns with 10 us between: the second is launched late, after a call
 * in which the first one ends. Returns the time lost in waiting, of iteration 0.
 */
static double lost_after(size_t call_name, enum dp_copy_kind kind, int64_t call_ns)
{
	struct program program;
	struct fixture at;
	double lost;

	start_program(&program, &at);
	for (int64_t at_ns = 1000; at_ns < 20000 * ITERATIONS; at_ns += 20000) {
		run(&program, (struct dp_op){ .start_ns = at_ns, .end_ns = at_ns + 100 });
		call(&program, 0, at_ns - 20, at_ns - 10);
		if (kind != DP_COPY_UNKNOWN)
			run(&program, (struct dp_op){ .start_ns = at_ns + 100,
						      .end_ns = at_ns + 150,
						      .kind = DP_OP_COPY,
						      .copy_kind = kind });
		call(&program, call_name, at_ns, at_ns + call_ns);
		run(&program, (struct dp_op){ .start_ns = at_ns + 10100, .end_ns = at_ns + 10200 });
		call(&program, 0, at_ns + 10000, at_ns + 10010);
	}
	measure_program(&program, &at, 2);
	lost = value(&at, "sync_lost_ns", 0);
	finish(&at);
	return lost;
}

/* A wait cannot cost more than it took, and an asynchronous copy's call is no wait. */
TEST(lost_is_what_was_waited)
{
	enum { COPY_CALL = 1, SYNC_CALL = 3, QUERY_CALL = 4 };

	ck_assert_double_eq(lost_after(SYNC_CALL, DP_COPY_UNKNOWN, 160), 160);
	ck_assert_double_eq(lost_after(SYNC_CALL, DP_COPY_UNKNOWN, 9990), 9990);
	ck_assert_double_eq(lost_after(QUERY_CALL, DP_COPY_UNKNOWN, 160), 0);
	ck_assert_double_eq(lost_after(COPY_CALL, DP_COPY_DTOH, 160), 160);
	ck_assert_double_eq(lost_after(COPY_CALL, DP_COPY_DTOH, 140), 0);
	ck_assert_double_eq(lost_after(COPY_CALL, DP_COPY_DTOD, 160), 0);
}

/*
 * Iterations of 20 us whose kernel of 100 ns comes after two uploads, launched 5 us late, while a
 * thread is in a range for 2 us of them. Returns what iteration 0 waited for input.
 */
static double waited_for(uint64_t bytes, uint64_t more_bytes, const char *range, int64_t in_thread)
{
	struct program program;
	struct fixture at;
	double waited;

	start_program(&program, &at);
	for (int64_t at_ns = 1000; at_ns < 20000 * ITERATIONS; at_ns += 20000) {
		for (int i = at_ns > 1000 ? 0 : 2; i < 3; i++) {
			int64_t start_ns = at_ns + (i < 2 ? 200 * i - 10000 : 0);

			run(&program,
			    (struct dp_op){ .start_ns = start_ns,
					    .end_ns = start_ns + 100,
					    .kind = i < 2 ? DP_OP_COPY : DP_OP_KERNEL,
					    .copy_kind = i < 2 ? DP_COPY_HTOD : DP_COPY_UNKNOWN,
					    .bytes = i == 0   ? bytes
						     : i == 1 ? more_bytes
							      : 0 });
			call(&program, i < 2 ? 1 : 0, start_ns - 10, start_ns - 5);
		}
		if (range) {
			struct dp_range loads = { .start_ns = at_ns + 2000,
						  .end_ns = at_ns + 4000 };

			loads.name = dp_builder__string(program.builder, range, strlen(range));
			loads.thread = program.threads[in_thread];
			ck_assert_int_eq(dp_builder__add_range(program.builder, &loads), DP_OK);
		}
	}
	measure_program(&program, &at, 1);
	waited = value(&at, "input_wait_ns", 0);
	ck_assert_double_le(waited, value(&at, "idle_host_ns", 0));
	finish(&at);
	return waited;
}

/* Small uploads are made by the host from results, unless it fetched them as input. */
TEST(input_is_not_what_is_small)
{
	double all = waited_for(1 << 20, 256, NULL, 0);

	ck_assert_double_gt(all, 9800);
	ck_assert_double_eq(waited_for(256, 1 << 20, NULL, 0), all);
	ck_assert_double_eq(waited_for(2048, 2048, NULL, 0), all);
	ck_assert_double_eq(waited_for(UINT64_C(1) << 60, UINT64_C(1) << 60, NULL, 0), all);
	/* not known */
	ck_assert_double_eq(waited_for(0, 8, NULL, 0), all);
	ck_assert_double_eq(waited_for(1024, 64, NULL, 0), 0);
	ck_assert_double_eq(waited_for(1024, 64, "enumerate(DataLoader)#_Iter.__next__", 0), 2000);
	ck_assert_double_eq(waited_for(1024, 64, "Data loading", 0), 2000);
	ck_assert_double_eq(waited_for(1024, 64, "get_batch", 0), 2000);
	ck_assert_double_eq(waited_for(1024, 64, "sample the next token", 0), 0);
	/* a thread that launches nothing */
	ck_assert_double_eq(waited_for(1024, 64, "DataLoader", 1), 0);
	ck_assert_double_eq(waited_for(1 << 20, 64, "DataLoader", 0), all);
}

/* Any spans, overlapping or not, in any order. */
TEST(spans_are_spread)
{
	struct dp_iteration iterations[8];

	for (state = 1; state < 200; state++) {
		double row[8] = { 0 }, full[8] = { 0 }, want[8] = { 0 };
		struct dp_period_sums spread = { iterations, 8, 0, row, full };
		uint32_t seed = state;
		int64_t at_ns = below(20);

		for (size_t k = 0; k < 8; k++, at_ns += below(30))
			iterations[k].start_ns = at_ns;
		for (int i = 0; i < 40; i++) {
			int64_t from_ns = below(260), to_ns = from_ns + below(120);

			dp_period_sums__add(&spread, from_ns, to_ns);
			for (size_t k = 0; k < 7; k++)
				for (int64_t t = from_ns; t < to_ns; t++)
					want[k] += t >= iterations[k].start_ns &&
						   t < iterations[k + 1].start_ns;
		}
		dp_period_sums__finish(&spread);
		for (size_t k = 0; k < 8; k++)
			ck_assert_double_eq(row[k], want[k]);
		state = seed;
	}
}

static bool same(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b;
}

/* Another device changes nothing, whether its work is prepared beforehand or not. */
TEST(devices_are_apart)
{
	for (uint32_t seed = 1; seed < 20; seed++) {
		struct fixture alone, with_other;
		struct dp_metric_values again;
		struct dp_trace_index index;
		struct dp_device_timeline timeline;

		state = seed;
		start(&alone, true);
		state = seed;
		start_with(&with_other, true, true);
		ck_assert_uint_eq(dp_trace_device_count(with_other.trace), 2);
		ck_assert_int_eq(dp_trace_index__init(&index, with_other.trace, NULL), DP_OK);
		ck_assert_int_eq(dp_device_timeline__init(&timeline, &index, 0, NULL), DP_OK);
		with_other.input.timeline = &timeline;
		ck_assert_int_eq(dp_metric__compute_all(&again, &with_other.input, NULL), DP_OK);
		for (size_t i = 0; dp_metric(i); i++)
			for (size_t k = i * ITERATIONS; k < (i + 1) * ITERATIONS; k++)
				ck_assert_msg(
					same(alone.values.values[k], with_other.values.values[k]) &&
						same(alone.values.values[k], again.values[k]),
					"%s of seed %u", dp_metric(i)->name, seed);
		dp_device_timeline__fini(&timeline);
		dp_trace_index__fini(&index);
		dp_metric_values__fini(&again);
		finish(&alone);
		finish(&with_other);
	}
}

/* The rows of a brief run are those of the full one. */
TEST(brief_rows_are_the_same)
{
	struct dp_metric_values brief;
	struct fixture at;
	size_t had = 0;

	state = 3;
	start(&at, true);
	at.input.brief = true;
	ck_assert_int_eq(dp_metric__compute_all(&brief, &at.input, NULL), DP_OK);
	for (size_t i = 0; dp_metric(i); i++) {
		const double *row = dp_metric_values__row(&brief, i);

		for (size_t k = 0; row && k < ITERATIONS; k++)
			ck_assert(same(row[k], at.values.values[i * ITERATIONS + k]));
		had += row != NULL;
	}
	ck_assert_uint_eq(had, 3);
	for (size_t i = 0; dp_summary_metric(i); i++)
		ck_assert(isnan(brief.summary[i]) || same(brief.summary[i], at.values.summary[i]));
	ck_assert_ptr_null(dp_metric_values__row(&brief, 1));
	dp_metric_values__fini(&brief);
	finish(&at);
}
