/* The builder and its traces: order, links, streams, times. */
#include "builder_trace.h"
#include "trace/builder_model.h"
#include "trace/call_kind.h"
#include "trace/sort.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static void add_call(struct dp_builder *builder, uint32_t thread, const char *name,
		     int64_t start_ns, int64_t end_ns, uint32_t correlation)
{
	struct dp_call call = { start_ns, end_ns, 0, thread, correlation };

	call.name = dp_builder__string(builder, name, strlen(name));
	ck_assert_int_eq(dp_builder__add_call(builder, &call), DP_OK);
}

TEST(times_start_at_the_first_operation)
{
	struct dp_builder *builder = start();
	uint32_t process = dp_builder__process(builder, 42);
	uint32_t stream = dp_builder__stream(builder, process, 0, 1, 7);
	struct dp_trace *trace;
	int64_t t0_ns = 0;

	dp_builder__epoch(builder, 1000000);
	add_op(builder, stream, DP_OP_KERNEL, 700, 900, 0);
	add_op(builder, stream, DP_OP_KERNEL, 500, 601, 0);
	add_call(builder, dp_builder__thread(builder, process, 43), "cudaFree", 400, 450, 1);
	trace = finish(builder);
	ck_assert_int_eq(dp_trace_ops(trace)->start_ns[0], 0);
	ck_assert_int_eq(dp_trace_ops(trace)->end_ns[1], 400);
	ck_assert_int_eq(dp_trace_calls(trace)->start_ns[0], -100);
	ck_assert_int_eq(dp_trace_calls(trace)->kind[0], DP_CALL_MEMORY);
	ck_assert(dp_trace_t0(trace, &t0_ns));
	ck_assert_int_eq(t0_ns, 1000500);
	ck_assert_int_eq(dp_trace_duration_ns(trace), 400);
	ck_assert_int_eq(dp_trace_resolution_ns(trace), 1);
	ck_assert_int_eq(dp_trace_stream(trace, 0)->busy_ns, 301);
	ck_assert_str_eq(dp_trace_path(trace), "a.db");
	dp_trace_free(trace);
}

/*
 * Ten kernels whose calls start at 10000, 20000, … ns, and which start that much before them: the
 * first of them, and the others.
 */
static struct dp_trace *skewed(int64_t by_ns, size_t first, int64_t others_ns)
{
	struct dp_builder *builder = start();
	uint32_t process = dp_builder__process(builder, 42);
	uint32_t stream = dp_builder__stream(builder, process, 0, 1, 7);
	uint32_t thread = dp_builder__thread(builder, process, 43);
	struct dp_range range = { 1000, 9000, 0, thread, DP_RANGE_NVTX };

	range.name = dp_builder__string(builder, "step", 4);
	ck_assert_int_eq(dp_builder__add_range(builder, &range), DP_OK);
	for (uint32_t i = 1; i <= 10; i++) {
		int64_t call_ns = 10000 * i, start_ns = call_ns - (i <= first ? by_ns : others_ns);

		add_call(builder, thread, "cudaLaunchKernel", call_ns, call_ns + 40, i);
		add_op(builder, stream, DP_OP_KERNEL, start_ns, start_ns + 1, i);
	}
	return finish(builder);
}

TEST(clocks_that_differ_are_corrected)
{
	struct dp_trace *trace = skewed(3001, 9, -50);

	/* the first kernel starts with its call, and is time 0 */
	ck_assert_int_eq(dp_trace_calls(trace)->start_ns[0], 0);
	ck_assert_int_eq(dp_trace_calls(trace)->start_ns[9], 90000);
	ck_assert_int_eq(dp_trace_ops(trace)->start_ns[9], 90000 + 3001 + 50);
	ck_assert_int_eq(dp_trace_ranges(trace)->start_ns[0], -9000);
	ck_assert_str_eq(dp_trace_fact(trace, 0)->name, DP_FACT_CLOCKS);
	ck_assert(strstr(dp_trace_fact(trace, 0)->value, "9 of 10 operations start before"));
	ck_assert(strstr(dp_trace_fact(trace, 0)->value, "moved 3 us earlier"));
	dp_trace_free(trace);
	/* no kernel starts early, or ids mean other calls */
	for (int i = 0; i < 2; i++) {
		trace = skewed(20000001, i ? 1 : 0, -50);
		ck_assert_ptr_null(dp_trace_fact(trace, 0));
		dp_trace_free(trace);
	}
}

TEST(clocks_that_are_far_apart_are_corrected)
{
	static const int64_t minute_ns = INT64_C(60000000000), day_ns = 1440 * minute_ns;
	struct dp_trace *trace = skewed(-day_ns - 3001, 9, -day_ns);

	/* the last kernel starts with its call */
	ck_assert_int_eq(dp_trace_calls(trace)->start_ns[9], dp_trace_ops(trace)->start_ns[9]);
	ck_assert_int_eq(dp_trace_calls(trace)->start_ns[0], -3001);
	ck_assert_int_eq(dp_trace_calls(trace)->end_ns[0], -3001 + 40);
	ck_assert_int_eq(dp_trace_ranges(trace)->start_ns[0], -3001 - 9000);
	ck_assert_str_eq(dp_trace_fact(trace, 0)->name, DP_FACT_CLOCKS);
	ck_assert_str_eq(dp_trace_fact(trace, 0)->value,
			 "all 10 operations start 24.0 h after the calls that launch them, as the "
			 "clocks of host and GPU differ: the host's times are moved 24.0 h later");
	dp_trace_free(trace);
	/* a queue explains one of them, or all of them, or ids mean other calls */
	for (int i = 0; i < 3; i++) {
		trace = i == 0	 ? skewed(-day_ns, 9, -50)
			: i == 1 ? skewed(-minute_ns, 10, 0)
				 : skewed(-day_ns, 9, -day_ns - minute_ns - 1);
		ck_assert_ptr_null(dp_trace_fact(trace, 0));
		dp_trace_free(trace);
	}
}

/* Times at the limit are not moved beyond it. */
TEST(clocks_beyond_the_limit_stay)
{
	static const int64_t half_ns = DP_TIME_LIMIT / 2;
	struct dp_builder *builder = start();
	uint32_t process = dp_builder__process(builder, 1);
	uint32_t thread = dp_builder__thread(builder, process, 10);
	uint32_t stream = dp_builder__stream(builder, process, 0, 1, 7);
	struct dp_range range = { half_ns, 2 * half_ns, 0, thread };
	struct dp_trace *trace;

	range.name = dp_builder__string(builder, "step", 4);
	ck_assert_int_eq(dp_builder__add_range(builder, &range), DP_OK);
	add_call(builder, thread, "cudaLaunchKernel", -half_ns, -half_ns + 40, 1);
	add_op(builder, stream, DP_OP_KERNEL, half_ns, half_ns + 1, 1);
	trace = finish(builder);
	ck_assert_ptr_null(dp_trace_fact(trace, 0));
	ck_assert_int_eq(dp_trace_calls(trace)->start_ns[0], -2 * half_ns);
	dp_trace_free(trace);
}

TEST(equal_times_keep_the_order_of_launch)
{
	struct dp_builder *builder = start();
	uint32_t stream = dp_builder__stream(builder, dp_builder__process(builder, 1), 0, 1, 7);
	struct dp_trace *trace;

	add_op(builder, stream, DP_OP_KERNEL, 1000, 2000, 9);
	add_op(builder, stream, DP_OP_KERNEL, 1000, 1000, 4);
	add_op(builder, stream, DP_OP_KERNEL, 1000, 2000, 8);
	trace = finish(builder);
	ck_assert_uint_eq(dp_trace_ops(trace)->correlation[0], 4);
	ck_assert_uint_eq(dp_trace_ops(trace)->correlation[1], 8);
	ck_assert_uint_eq(dp_trace_ops(trace)->correlation[2], 9);
	ck_assert_int_eq(dp_trace_resolution_ns(trace), 1000);
	dp_trace_free(trace);
}

TEST(operations_find_their_calls)
{
	struct dp_builder *builder = start();
	uint32_t one = dp_builder__process(builder, 1), two = dp_builder__process(builder, 2);
	uint32_t stream = dp_builder__stream(builder, one, 0, 1, 7);
	const struct dp_ops *ops;
	struct dp_trace *trace;

	/* A wrapped id: the later call is the later operation's. */
	add_call(builder, dp_builder__thread(builder, one, 1), "cudaLaunchKernel", 100, 110, 5);
	add_call(builder, dp_builder__thread(builder, one, 1), "cudaLaunchKernel", 300, 310, 5);
	/* Another process has the same id: not meant. */
	add_call(builder, dp_builder__thread(builder, two, 1), "cudaLaunchKernel", 120, 130, 5);
	/* a driver call inside the runtime's */
	add_call(builder, dp_builder__thread(builder, one, 1), "cudaLaunchKernel", 500, 540, 6);
	add_call(builder, dp_builder__thread(builder, one, 1), "cuLaunchKernel", 510, 530, 6);
	/* clocks that differ: the call seems to come after its operation, and all move by 100 */
	add_call(builder, dp_builder__thread(builder, one, 1), "cudaLaunchKernel", 900, 910, 7);
	add_op(builder, stream, DP_OP_KERNEL, 200, 250, 5);
	add_op(builder, stream, DP_OP_KERNEL, 400, 450, 5);
	add_op(builder, stream, DP_OP_KERNEL, 600, 650, 6);
	add_op(builder, stream, DP_OP_KERNEL, 800, 850, 7);
	add_op(builder, stream, DP_OP_KERNEL, 950, 951, 99);
	trace = finish(builder);
	ops = dp_trace_ops(trace);
	ck_assert_int_eq(dp_trace_calls(trace)->start_ns[ops->call[0]], -200);
	ck_assert_int_eq(dp_trace_calls(trace)->start_ns[ops->call[1]], 0);
	ck_assert_int_eq(dp_trace_calls(trace)->start_ns[ops->call[2]], 200);
	ck_assert_int_eq(dp_trace_calls(trace)->start_ns[ops->call[3]], 600);
	ck_assert_uint_eq(ops->call[4], DP_NONE);
	dp_trace_free(trace);
}

TEST(streams_are_classified_per_device)
{
	struct dp_builder *builder = start();
	uint32_t process = dp_builder__process(builder, 1);
	uint32_t copies = dp_builder__stream(builder, process, 1, 1, 20);
	uint32_t assist = dp_builder__stream(builder, process, 1, 1, 16);
	uint32_t most = dp_builder__stream(builder, process, 1, 1, 13);
	uint32_t other = dp_builder__stream(builder, process, 0, 1, 7);
	struct dp_trace *trace;
	size_t count;

	add_op(builder, copies, DP_OP_COPY, 10, 20, 0);
	add_op(builder, assist, DP_OP_KERNEL, 20, 40, 0);
	add_op(builder, most, DP_OP_KERNEL, 20, 30, 0);
	add_op(builder, most, DP_OP_GRAPH, 30, 41, 0);
	add_op(builder, other, DP_OP_KERNEL, 5, 6, 0);
	trace = finish(builder);
	ck_assert_uint_eq(dp_trace_stream_count(trace), 4);
	ck_assert_int_eq(dp_trace_stream(trace, 0)->stream, 7);
	ck_assert_int_eq(dp_trace_stream(trace, 0)->stream_class, DP_STREAM_MAIN);
	ck_assert_int_eq(dp_trace_stream(trace, 1)->stream, 13);
	ck_assert_int_eq(dp_trace_stream(trace, 1)->stream_class, DP_STREAM_MAIN);
	ck_assert_int_eq(dp_trace_stream(trace, 2)->stream_class, DP_STREAM_ASSIST);
	ck_assert_int_eq(dp_trace_stream(trace, 3)->stream_class, DP_STREAM_COPY);
	ck_assert_ptr_nonnull(dp_trace_stream_ops(trace, 1, &count));
	ck_assert_uint_eq(count, 2);
	ck_assert_ptr_null(dp_trace_stream_ops(trace, 4, &count));
	ck_assert_int_eq(dp_trace_device(trace, dp_trace_stream(trace, 0)->device)->id, 0);
	ck_assert_uint_eq(dp_trace_ops(trace)->stream[0], 0);
	dp_trace_free(trace);
}

static void add_kernel(struct dp_builder *builder, uint32_t stream, const char *name,
		       int64_t start_ns, int64_t end_ns)
{
	struct dp_op op = { .start_ns = start_ns, .end_ns = end_ns, .stream = stream };

	op.name = dp_builder__string(builder, name, strlen(name));
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
}

/* Adds count kernels of one name, each ns long, one every 1000. */
static void add_kernels(struct dp_builder *builder, uint32_t stream, const char *name, int count,
			int64_t ns)
{
	for (int i = 0; i < count; i++)
		add_kernel(builder, stream, name, 1000 * i, 1000 * i + ns);
}

/* The main stream's number, of a device that has streams 7 and 9. */
static int64_t main_of(const char *name7, int count7, int64_t ns7, const char *name9, int count9,
		       int64_t ns9)
{
	struct dp_builder *builder = start();
	uint32_t process = dp_builder__process(builder, 1);
	struct dp_trace *trace;
	int64_t main_stream = -1;
	size_t mains = 0;

	add_kernels(builder, dp_builder__stream(builder, process, 0, 1, 7), name7, count7, ns7);
	add_kernels(builder, dp_builder__stream(builder, process, 0, 1, 9), name9, count9, ns9);
	trace = finish(builder);
	for (size_t s = 0; s < 2; s++)
		if (dp_trace_stream(trace, s)->stream_class == DP_STREAM_MAIN) {
			main_stream = dp_trace_stream(trace, s)->stream;
			mains++;
		}
	ck_assert_uint_eq(mains, 1);
	dp_trace_free(trace);
	return main_stream;
}

TEST(the_main_stream_computes_most_of_the_time)
{
	/* a pipeline stage: twice as many sends and receives, longer or shorter */
	ck_assert_int_eq(main_of("gemm", 10, 500, "ncclDevKernel_SendRecv(x)", 20, 1), 7);
	ck_assert_int_eq(main_of("ncclDevKernel_SendRecv(x)", 20, 900, "gemm", 10, 100), 9);
	ck_assert_int_eq(main_of("void ncclKernel<1>", 20, 900, "gemm", 10, 100), 9);
	ck_assert_int_eq(main_of("rcclGenericKernel", 20, 900, "gemm", 10, 100), 9);
	/* many small kernels next to those that take the time */
	ck_assert_int_eq(main_of("fill", 40, 10, "gemm", 10, 900), 9);
	/* of equal time the one with more kernels, and of equals the first */
	ck_assert_int_eq(main_of("a", 10, 100, "b", 20, 50), 9);
	ck_assert_int_eq(main_of("a", 10, 100, "b", 10, 100), 7);
	/* a device that only communicates */
	ck_assert_int_eq(main_of("ncclDevKernel_A", 10, 100, "ncclDevKernel_B", 20, 100), 9);
}

/* Process and device numbers, and ranks, in the order of a file. */
static void check_device_order(const int64_t (*found)[2], const int64_t (*expected)[2])
{
	struct dp_builder *builder = start();
	struct dp_trace *trace;

	for (size_t i = 0; i < 3; i++) {
		uint32_t process = dp_builder__process(builder, (int64_t)i);

		dp_builder__name_process(builder, process, DP_NONE, found[i][0]);
		add_op(builder, dp_builder__stream(builder, process, found[i][1], 1, 7),
		       DP_OP_KERNEL, 10, 20, 0);
	}
	trace = finish(builder);
	for (size_t i = 0; i < 3; i++) {
		const struct dp_device *device = dp_trace_device(trace, i);

		ck_assert_int_eq(dp_trace_process(trace, device->process)->rank, expected[i][0]);
		ck_assert_int_eq(device->id, expected[i][1]);
		ck_assert_uint_eq(dp_trace_stream(trace, i)->device, i);
	}
	dp_trace_free(trace);
}

TEST(devices_are_in_order)
{
	static const int64_t numbers[][2] = { { -1, 2 }, { -1, 0 }, { -1, 1 } };
	static const int64_t in_order[][2] = { { -1, 0 }, { -1, 1 }, { -1, 2 } };
	static const int64_t ranks[][2] = { { -1, 0 }, { 1, 0 }, { 0, 3 } };
	static const int64_t by_rank[][2] = { { 0, 3 }, { 1, 0 }, { -1, 0 } };

	check_device_order(numbers, in_order);
	check_device_order(ranks, by_rank);
}

TEST(nothing_on_the_gpu_is_reported)
{
	struct dp_builder *builder = start();
	struct dp_range range = { 0, 1, 0, DP_NONE, DP_RANGE_NVTX };
	struct dp_trace *trace;

	for (int i = 0; i < 21998; i++)
		dp_builder__add_range(builder, &range);
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "a", "b", false), DP_ERR_NO_GPU);
	ck_assert_str_eq(error.message, "no GPU activity: 21,998 NVTX ranges, no kernels");
	builder = start();
	add_call(builder, dp_builder__thread(builder, dp_builder__process(builder, 1), 1),
		 "cudaLaunchKernel", 1, 2, 1);
	dp_builder__advise_recording(builder, "an option");
	dp_builder__advise_kernels(builder, "look for errors");
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "a", "b", false), DP_ERR_NO_GPU);
	ck_assert_str_eq(error.message, "no GPU activity: 1 API call, no kernels; look for errors");
	builder = start();
	dp_builder__add_range(builder, &range);
	dp_builder__loss(builder, "the file ends early", 0, 0);
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "a", "b", false), DP_ERR_NO_GPU);
	ck_assert_str_eq(error.message, "no GPU activity: 1 NVTX range, no kernels in what is left "
					"(the file ends early); what was lost may include some");
	/* neither would recording in another way help */
	builder = start();
	add_call(builder, dp_builder__thread(builder, dp_builder__process(builder, 1), 1),
		 "cudaLaunchKernel", 1, 2, 1);
	dp_builder__advise_recording(builder, "an option");
	dp_builder__advise_kernels(builder, "look for errors");
	dp_builder__truncated(builder, "compressed data ends early", 0, 0);
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "a", "b", false), DP_ERR_NO_GPU);
	ck_assert_str_eq(error.message, "no GPU activity: 1 API call, no kernels in what is left "
					"(compressed data ends early); copy the file again");
}

TEST(impossible_times_are_lost_and_negative_ones_clamped)
{
	struct dp_builder *builder = start();
	uint32_t stream = dp_builder__stream(builder, dp_builder__process(builder, 1), 0, 1, 7);
	struct dp_trace *trace;

	add_op(builder, stream, DP_OP_KERNEL, INT64_MAX, INT64_MAX, 0);
	add_op(builder, stream, DP_OP_KERNEL, INT64_MIN, 0, 0);
	add_op(builder, stream, DP_OP_KERNEL, 50, 40, 0);
	trace = finish(builder);
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 1);
	ck_assert_int_eq(dp_trace_ops(trace)->end_ns[0], 0);
	ck_assert_uint_eq(dp_trace_lost(trace), 2);
	ck_assert_uint_eq(dp_trace_clamped(trace), 1);
	dp_trace_free(trace);
}

static uint64_t lost(const struct dp_trace *trace, const char *reason)
{
	const struct dp_loss *loss;

	for (size_t i = 0; (loss = dp_trace_loss(trace, i)); i++)
		if (!strcmp(loss->reason, reason))
			return loss->records;
	return 0;
}

/* Of times and durations, from the file's zero and from the trace's, and of bytes: last and next.
 */
TEST(values_have_limits)
{
	const int64_t limit = INT64_C(1) << 61;
	struct dp_builder *builder = start();
	uint32_t process = dp_builder__process(builder, 1);
	uint32_t stream = dp_builder__stream(builder, process, 0, 1, 7);
	uint32_t device = dp_builder__device(builder, process, 0);
	struct dp_op copy = { .stream = stream, .kind = DP_OP_COPY, .start_ns = 5, .end_ns = 6 };
	struct dp_trace *trace;

	add_op(builder, stream, DP_OP_KERNEL, -1, limit - 2, 1);
	/* Longer than a duration may be, though both ends are times. */
	add_op(builder, stream, DP_OP_KERNEL, -1, limit - 1, 2);
	/* farther from the first operation than a time may be, but not from the file's 0 */
	add_op(builder, stream, DP_OP_KERNEL, limit, limit, 3);
	add_op(builder, stream, DP_OP_KERNEL, limit - 1, limit - 1, 4);
	add_call(builder, DP_NONE, "a", -limit, -limit + 5, 5);
	add_call(builder, DP_NONE, "b", -limit - 1, 0, 6);
	add_call(builder, DP_NONE, "c", 7, limit, 7);
	copy.bytes = (uint64_t)limit - 1;
	ck_assert_int_eq(dp_builder__op(builder, &copy), DP_OK);
	copy.bytes++;
	ck_assert_int_eq(dp_builder__op(builder, &copy), DP_OK);
	ck_assert_int_eq(dp_builder__add_memory(builder, 8, device, 1 - limit), DP_OK);
	ck_assert_int_eq(dp_builder__add_memory(builder, 8, device, -limit), DP_OK);
	ck_assert_int_eq(dp_builder__add_memory(builder, limit, device, 1), DP_OK);
	trace = finish(builder);
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 3);
	ck_assert_int_eq(dp_trace_duration_ns(trace), limit);
	ck_assert_int_eq(dp_trace_ops(trace)->start_ns[2], limit);
	ck_assert_uint_eq(dp_trace_ops(trace)->correlation[2], 4);
	ck_assert_uint_eq(dp_trace_calls(trace)->count, 1);
	ck_assert_uint_eq(dp_trace_calls(trace)->correlation[0], 5);
	ck_assert_uint_eq(dp_trace_memory(trace)->count, 1);
	ck_assert_uint_eq(lost(trace, "events with impossible times"), 5);
	ck_assert_uint_eq(lost(trace, "events with impossible sizes"), 2);
	dp_trace_free(trace);
}

/* However many reasons a file makes up, 64 are distinguished. */
TEST(what_is_lost_besides_the_unknown)
{
	struct dp_builder *builder = start();
	struct dp_trace *trace;

	for (uint64_t i = 0; i < 3; i++) {
		dp_builder__loss(builder, "known", 2, 0);
		dp_builder__loss(builder, "unknown in the midst", i != 1, 0);
	}
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "a.db", "test", true), DP_OK);
	ck_assert_uint_eq(dp_trace_loss(trace, 0)->records, 6);
	ck_assert_uint_eq(dp_trace_loss(trace, 1)->records, 0);
	dp_trace_free(trace);
}

TEST(losses_have_a_limit)
{
	struct dp_builder *builder = start();
	uint32_t stream = dp_builder__stream(builder, dp_builder__process(builder, 1), 0, 1, 7);
	struct dp_trace *trace;
	char reason[32];

	add_op(builder, stream, DP_OP_KERNEL, 1, 2, 0);
	for (int i = 0; i < 200; i++) {
		snprintf(reason, sizeof(reason), "reason %d", i);
		ck_assert_int_eq(dp_builder__loss(builder, reason, 1, 0), DP_OK);
	}
	trace = finish(builder);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 65);
	ck_assert_str_eq(dp_trace_loss(trace, 63)->reason, "reason 63");
	ck_assert_str_eq(dp_trace_loss(trace, 64)->reason, "other losses");
	ck_assert_uint_eq(dp_trace_loss(trace, 64)->records, 136);
	ck_assert_uint_eq(dp_trace_lost(trace), 200);
	dp_trace_free(trace);
}

static int by_last_digit(const void *ctx, uint32_t a, uint32_t b)
{
	const int64_t *values = ctx;

	return (values[a] % 4 > values[b] % 4) - (values[a] % 4 < values[b] % 4);
}

/* Sorts by a key, by a function, and by both, the function deciding between equal keys. */
TEST(sort_is_stable)
{
	int64_t values[500], keys[500], before, now;
	const struct dp_row_order by[] = { { keys, NULL, NULL },
					   { NULL, by_last_digit, values },
					   { keys, by_last_digit, values } };
	uint32_t seed = 1, *order;

	for (size_t i = 0; i < DP_COUNT(values); i++) {
		seed = seed * 1664525 + 1013904223;
		values[i] = (int64_t)(seed >> 28);
		keys[i] = values[i] / 4;
	}
	for (size_t way = 0; way < DP_COUNT(by); way++) {
		ck_assert_int_eq(dp_rows__sort(&order, DP_COUNT(values), &by[way], NULL), DP_OK);
		for (size_t i = 1; i < DP_COUNT(values); i++) {
			before = values[order[i - 1]];
			now = values[order[i]];
			before = way == 0 ? before / 4 : way == 1 ? before % 4 : before;
			now = way == 0 ? now / 4 : way == 1 ? now % 4 : now;
			ck_assert_int_le(before, now);
			if (before == now)
				ck_assert_uint_lt(order[i - 1], order[i]);
		}
		free(order);
	}
}

/* Operations find the latest call with their id, whether ids are dense or sparse. */
TEST(calls_of_near_and_far_ids)
{
	for (uint32_t step = 1; step <= 10000019; step = step * 13 + 6) {
		struct dp_builder *builder = start();
		uint32_t process = dp_builder__process(builder, 1);
		uint32_t stream = dp_builder__stream(builder, process, 0, 1, 7);
		uint32_t thread = dp_builder__thread(builder, process, 1);
		struct dp_trace *trace;

		/* Operations from before the first id to behind the last, in another order. */
		for (uint32_t i = 0; i < 200; i++) {
			if (i >= 20 && i < 180)
				add_call(builder, thread, "a", i, i + 1, 7 + i * step);
			add_op(builder, stream, DP_OP_KERNEL, 1000 + i, 1001 + i,
			       7 + (i * 77 % 200) * step);
		}
		trace = finish(builder);
		for (size_t i = 0; i < 200; i++) {
			uint32_t id = dp_trace_ops(trace)->correlation[i];
			uint32_t call = dp_trace_ops(trace)->call[i], at = (id - 7) / step;

			if (at >= 20 && at < 180)
				ck_assert_uint_eq(dp_trace_calls(trace)->correlation[call], id);
			else
				ck_assert_uint_eq(call, DP_NONE);
		}
		dp_trace_free(trace);
	}
}

/* Launches around a pause; the pauses of a process are joined. */
TEST(pauses_lie_between_launches)
{
	struct dp_builder *builder = start();
	uint32_t one = dp_builder__process(builder, 1), two = dp_builder__process(builder, 2);
	struct dp_trace *trace;

	add_op(builder, dp_builder__stream(builder, one, 0, 1, 7), DP_OP_KERNEL, 1000, 1100, 1);
	/* Launched at 1,300, before the pause in which it runs. */
	add_op(builder, dp_builder__stream(builder, one, 0, 1, 7), DP_OP_KERNEL, 1600, 1700, 2);
	add_call(builder, dp_builder__thread(builder, one, 1), "cudaLaunchKernel", 1300, 1310, 2);
	add_op(builder, dp_builder__stream(builder, one, 0, 1, 7), DP_OP_KERNEL, 5000, 5100, 3);
	add_op(builder, dp_builder__stream(builder, two, 0, 1, 7), DP_OP_KERNEL, 2000, 2100, 4);
	ck_assert_int_eq(dp_builder__add_pause(builder, two, 1500, 1900), DP_OK); /* before */
	ck_assert_int_eq(dp_builder__add_pause(builder, one, 3200, 4000), DP_OK);
	ck_assert_int_eq(dp_builder__add_pause(builder, one, 1400, 1800), DP_OK);
	ck_assert_int_eq(dp_builder__add_pause(builder, one, 3000, 3300), DP_OK); /* overlaps */
	ck_assert_int_eq(dp_builder__add_pause(builder, one, 4500, 4500), DP_OK); /* nothing */
	ck_assert_int_eq(dp_builder__add_pause(builder, one, 4900, 9000), DP_OK); /* behind */
	ck_assert_int_eq(dp_builder__add_pause(builder, 77, 3000, 3300), DP_OK);  /* nobody's */
	trace = finish(builder);
	ck_assert_uint_eq(dp_trace_pause_count(trace), 2);
	ck_assert_ptr_null(dp_trace_pause(trace, 2));
	ck_assert_uint_eq(dp_trace_pause(trace, 0)->process, 0);
	ck_assert_int_eq(dp_trace_pause(trace, 0)->start_ns, 400);
	ck_assert_int_eq(dp_trace_pause(trace, 0)->end_ns, 800);
	ck_assert_int_eq(dp_trace_pause(trace, 1)->start_ns, 2000);
	ck_assert_int_eq(dp_trace_pause(trace, 1)->end_ns, 3000);
	ck_assert_int_eq(dp_trace_paused_ns(trace, 0), 1400);
	ck_assert_int_eq(dp_trace_paused_ns(trace, 1), 0);
	ck_assert_int_eq(dp_trace_paused_ns(trace, DP_NONE), 0);
	dp_trace_free(trace);
}

/* Also where the limit is within a character, U+00E9, and not of a kernel's name. */
TEST(texts_have_a_limit)
{
	struct dp_builder *builder = start();
	size_t length = 20000;
	char *text = malloc(length);
	uint32_t id;

	ck_assert_ptr_nonnull(text);
	memset(text, 'a', length);
	id = dp_builder__string(builder, text, 4097);
	ck_assert_uint_eq(strlen(dp_builder__text(builder, id)), 4096);
	ck_assert_uint_eq(dp_builder__string(builder, text, length), id);
	memcpy(text + 4095, "\xc3\xa9", 2);
	id = dp_builder__string(builder, text, length);
	ck_assert_uint_eq(strlen(dp_builder__text(builder, id)), 4095);
	id = dp_builder__kernel_name(builder, text, length);
	ck_assert_uint_eq(strlen(dp_builder__text(builder, id)), 16384);
	dp_builder__free(builder);
	free(text);
}

TEST(calls_are_known_by_name)
{
	ck_assert_int_eq(dp_call__kind("cudaLaunchKernel_v7000"), DP_CALL_LAUNCH);
	ck_assert_int_eq(dp_call__kind("cuLaunchKernelEx"), DP_CALL_LAUNCH);
	ck_assert_int_eq(dp_call__kind("cudaGraphLaunch_v10000"), DP_CALL_LAUNCH);
	ck_assert_int_eq(dp_call__kind("hipExtModuleLaunchKernel"), DP_CALL_LAUNCH);
	ck_assert_int_eq(dp_call__kind("cudaLaunchHostFunc"), DP_CALL_OTHER);
	ck_assert_int_eq(dp_call__kind("cudaStreamSynchronize_v3020"), DP_CALL_SYNC);
	ck_assert_int_eq(dp_call__kind("cudaMemcpyAsync"), DP_CALL_COPY);
	ck_assert_int_eq(dp_call__kind("cuMemsetD8Async"), DP_CALL_SET);
	ck_assert_int_eq(dp_call__kind("cudaMallocAsync"), DP_CALL_MEMORY);
	ck_assert_int_eq(dp_call__kind("cuMemAlloc_v2"), DP_CALL_MEMORY);
	ck_assert_int_eq(dp_call__kind("cudaStreamBeginCapture"), DP_CALL_CAPTURE);
	ck_assert_int_eq(dp_call__kind("cuModuleLoadDataEx"), DP_CALL_LOAD);
	ck_assert_int_eq(dp_call__kind("cuLibraryLoadData"), DP_CALL_LOAD);
	ck_assert_int_eq(dp_call__kind("cuModuleUnload"), DP_CALL_OTHER);
	ck_assert_int_eq(dp_call__kind("cudaEventQuery"), DP_CALL_OTHER);
	ck_assert_int_eq(dp_call__kind("aten::add"), DP_CALL_OTHER);
	ck_assert_int_eq(dp_call__kind("urEnqueueKernelLaunch"), DP_CALL_LAUNCH);
	ck_assert_int_eq(dp_call__kind("zeCommandListAppendLaunchKernel"), DP_CALL_LAUNCH);
	ck_assert_int_eq(dp_call__kind("urQueueFinish"), DP_CALL_SYNC);
	ck_assert_int_eq(dp_call__kind("piEventsWait"), DP_CALL_SYNC);
	ck_assert_int_eq(dp_call__kind("zeEventHostSynchronize"), DP_CALL_SYNC);
	ck_assert_int_eq(dp_call__kind("urEnqueueEventsWait"), DP_CALL_OTHER);
	ck_assert_int_eq(dp_call__kind("piextUSMEnqueueMemcpy"), DP_CALL_COPY);
	ck_assert_int_eq(dp_call__kind("urEnqueueUSMFill"), DP_CALL_SET);
	ck_assert_int_eq(dp_call__kind("zeMemAllocDevice"), DP_CALL_MEMORY);
	ck_assert_int_eq(dp_call__kind("pipelineEventWait"), DP_CALL_OTHER);
}
