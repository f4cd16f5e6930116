/*
 * Memory and samples of a device, and uploads that repeat, with numbers that were computed by hand;
 * allocations that fail.
 */
#include "alloc_fail.h"
#include "metric_trace.h"
#include "test.h"

#include <math.h>

enum { ITERATIONS = 5, PERIOD_NS = 1000 };

struct fixture {
	struct dp_trace *trace;
	struct dp_iteration iterations[ITERATIONS];
	uint32_t ops[ITERATIONS];
	struct dp_metric_input input;
	struct dp_metric_values values;
};

/* Iterations of a kernel each, every microsecond from 0 on, 400 ns long. */
static struct dp_builder *begin(uint32_t *device, uint32_t *other)
{
	static struct dp_error error;
	struct dp_builder *builder;
	uint32_t process, stream;

	error = (struct dp_error)DP_ERROR_INIT;
	ck_assert_int_eq(dp_builder__new(&builder, &error), DP_OK);
	process = dp_builder__process(builder, 1);
	/* Devices are put in the order of their numbers. */
	*other = dp_builder__device(builder, process, 1);
	*device = dp_builder__device(builder, process, 0);
	stream = dp_builder__stream(builder, process, 0, 1, 7);
	for (int k = 0; k < ITERATIONS; k++)
		metric_trace_op(builder, stream, "A", k * PERIOD_NS, k * PERIOD_NS + 400);
	return builder;
}

/* The trace's pause, if there is one, is in the period before. */
static bool is_resumed(const struct dp_trace *trace, size_t k)
{
	const struct dp_pause *pause = dp_trace_pause(trace, 0);

	return pause && (size_t)(pause->start_ns / PERIOD_NS) + 1 == k;
}

static void end(struct fixture *at, struct dp_builder *builder)
{
	memset(at, 0, sizeof(*at));
	ck_assert_int_eq(dp_builder__finish(builder, &at->trace, "t", "test", false), DP_OK);
	at->input = (struct dp_metric_input){ .trace = at->trace,
					      .ops = at->ops,
					      .op_count = metric_kernels(at->trace, 0, at->ops),
					      .iterations = at->iterations,
					      .count = ITERATIONS };
	ck_assert_uint_eq(at->input.op_count, ITERATIONS);
	for (size_t k = 0; k < ITERATIONS; k++)
		at->iterations[k] = (struct dp_iteration){ .index = k,
							   .start_ns = (int64_t)k * PERIOD_NS,
							   .end_ns = (int64_t)k * PERIOD_NS + 400,
							   .first_kernel = k,
							   .kernels = 1,
							   .resumed = is_resumed(at->trace, k) };
	ck_assert_int_eq(dp_metric__compute_all(&at->values, &at->input, NULL), DP_OK);
}

static void finish(struct fixture *at)
{
	dp_metric_values__fini(&at->values);
	dp_trace_free(at->trace);
}

/* NaN in want stands for no value. */
static void check(const struct fixture *at, const char *name, const double want[ITERATIONS])
{
	size_t m = 0;

	while (dp_metric(m) && strcmp(dp_metric(m)->name, name))
		m++;
	ck_assert_msg(dp_metric(m) != NULL, "no metric %s", name);
	for (size_t k = 0; k < ITERATIONS; k++) {
		double have = dp_metric_values__row(&at->values, m)[k];

		ck_assert_msg(isnan(want[k]) ? isnan(have)
					     : fabs(have - want[k]) <= 1e-6 * fabs(want[k]),
			      "%s of iteration %zu is %g", name, k, have);
	}
}

#define NONE ((double)NAN)

TEST(memory)
{
	struct fixture at;
	uint32_t device, other;
	struct dp_builder *builder = begin(&device, &other);

	dp_builder__add_memory(builder, 4200, device, -90);
	dp_builder__add_memory(builder, -50, device, 100);
	dp_builder__add_memory(builder, 100, device, 50);
	dp_builder__add_memory(builder, 600, device, 30); /* after the end, within the period */
	dp_builder__add_memory(builder, 700, other, 7000);
	dp_builder__add_memory(builder, 999, device, -30);
	dp_builder__add_memory(builder, 1000, device, 8);
	end(&at, builder);
	check(&at, "live_bytes", (double[]){ 150, 158, 158, 158, 68 });
	check(&at, "peak_bytes", (double[]){ 180, 158, 158, 158, NONE });
	check(&at, "allocations", (double[]){ 2, 1, 0, 0, NONE });
	check(&at, "frees", (double[]){ 1, 0, 0, 0, NONE });
	ck_assert(!dp_trace_lacks(at.trace, DP_NEED_MEMORY));
	finish(&at);
}

/* After a pause, allocated memory is unknown; a period with a pause has no sums. */
TEST(memory_unknown)
{
	struct fixture at;
	uint32_t device, other;
	struct dp_builder *builder = begin(&device, &other);

	for (int k = 0; k < ITERATIONS; k++)
		dp_builder__add_memory(builder, k * PERIOD_NS + 100, device, 50);
	dp_builder__add_pause(builder, dp_builder__process(builder, 1), 2500, 2900);
	end(&at, builder);
	check(&at, "live_bytes", (double[]){ 50, 100, 150, NONE, NONE });
	check(&at, "peak_bytes", (double[]){ 50, 100, NONE, NONE, NONE });
	check(&at, "allocations", (double[]){ 1, 1, NONE, 1, NONE });
	check(&at, "period_ns", (double[]){ 1000, 1000, NONE, 1000, NONE });
	check(&at, "busy_ns", (double[]){ 400, 400, NONE, 400, NONE });
	check(&at, "interval_ns", (double[]){ NONE, 600, 600, NONE, 600 });
	check(&at, "duration_ns", (double[]){ 400, 400, 400, 400, 400 });
	finish(&at);
}

static void add_sample(struct dp_builder *builder, uint32_t device, int64_t time_ns,
		       uint32_t power_mw, uint64_t energy_mj, uint32_t clock_mhz, uint32_t throttle)
{
	struct dp_sample sample = { time_ns, energy_mj, power_mw, clock_mhz, throttle, device };

	ck_assert_int_eq(dp_builder__add_sample(builder, &sample), DP_OK);
}

/* The last period begins within the samples and ends after them. */
TEST(samples)
{
	struct fixture at;
	uint32_t device, other;
	struct dp_builder *builder = begin(&device, &other);

	add_sample(builder, device, -1000, 100000, 0, 1000, 0);
	add_sample(builder, device, 500, 100000, 0, 1400, 1 | 4);
	add_sample(builder, other, 600, 900000, 0, 9, 0x40);
	add_sample(builder, device, 1000, 0, 0, 0, 0); /* tells nothing */
	add_sample(builder, device, 1500, 300000, 0, 1200, 1 | 0x10);
	add_sample(builder, device, 3200, 300000, 0, 1200, 0);
	end(&at, builder);
	/* 100 W to 500 ns, then as much as 200 W on average to 1500 ns, then 300 W. */
	check(&at, "energy_J", (double[]){ 150e-6, 250e-6, 300e-6, NONE, NONE });
	check(&at, "power_W", (double[]){ 150, 250, 300, NONE, NONE });
	check(&at, "clock_MHz", (double[]){ 1200, 1300, 1200, NONE, NONE });
	check(&at, "throttled", (double[]){ 0.5, 0.5, 0, NONE, NONE });
	finish(&at);
}

static void add_activity(struct dp_builder *builder, uint32_t device, int64_t start_ns,
			 int64_t end_ns, uint32_t sm, uint32_t tensor)
{
	struct dp_unit_activity activity = { start_ns, end_ns, sm, tensor, DP_ACTIVITY_UNKNOWN,
					     device };

	ck_assert_int_eq(dp_builder__add_activity(builder, &activity), DP_OK);
}

/* Weighted by time; of another device, before the end of the one before, and unknown: nothing. */
TEST(activity)
{
	struct fixture at;
	uint32_t device, other;
	struct dp_builder *builder = begin(&device, &other);

	add_activity(builder, device, -500, 500, 200000, 100000);
	add_activity(builder, other, 0, 4000, 1000000, 1000000);
	add_activity(builder, device, 500, 1500, 600000, DP_ACTIVITY_UNKNOWN);
	add_activity(builder, device, 700, 1400, 1000000, 1000000);
	add_activity(builder, device, 1500, 3200, 1000000, 300000);
	end(&at, builder);
	check(&at, "sm_active", (double[]){ 0.4, 0.8, 1, NONE, NONE });
	check(&at, "dram_active", (double[]){ NONE, NONE, NONE, NONE, NONE });
	ck_assert(!dp_trace_lacks(at.trace, DP_NEED_ACTIVITY));
	finish(&at);
}

/* A device's energy counter takes precedence; if it fell, it began again. */
TEST(energy_counter)
{
	struct fixture at;
	uint32_t device, other;
	struct dp_builder *builder = begin(&device, &other);

	add_sample(builder, device, 0, 1, 5000, 0, 0);
	add_sample(builder, device, 2000, 1, 9000, 0, 0);
	add_sample(builder, device, 4000, 1, 10, 0, 0);
	end(&at, builder);
	check(&at, "energy_J", (double[]){ 2, 2, 1e-9, 1e-9, NONE });
	check(&at, "clock_MHz", (double[]){ NONE, NONE, NONE, NONE, NONE });
	check(&at, "throttled", (double[]){ NONE, NONE, NONE, NONE, NONE });
	finish(&at);
}

/* A call, and the kernel that it launches. */
static void add_launch(struct dp_builder *builder, uint32_t thread, int64_t start_ns,
		       uint32_t correlation)
{
	struct dp_call call = { .start_ns = start_ns,
				.end_ns = start_ns + 10,
				.thread = thread,
				.correlation = correlation };
	struct dp_op op = { .start_ns = start_ns + 420,
			    .end_ns = start_ns + 430,
			    .correlation = correlation,
			    .kind = DP_OP_KERNEL };

	call.name = dp_builder__string(builder, "cuLaunchKernel", 14);
	ck_assert_int_eq(dp_builder__add_call(builder, &call), DP_OK);
	op.name = dp_builder__kernel_name(builder, "B", 1);
	op.stream = dp_builder__stream(builder, 0, 0, 1, 8);
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
}

static uint32_t begin_host(struct dp_builder **builder, uint32_t *idle)
{
	uint32_t device, other, thread;

	*builder = begin(&device, &other);
	thread = dp_builder__thread(*builder, 0, 11);
	*idle = dp_builder__thread(*builder, 0, 12);
	for (int k = 0; k < ITERATIONS; k++)
		add_launch(*builder, thread, k * PERIOD_NS - 20, (uint32_t)k + 1);
	return thread;
}

static void add_cpu(struct dp_builder *builder, uint32_t thread, int64_t time_ns, int64_t run_ns,
		    int64_t wait_ns)
{
	struct dp_cpu_sample sample = { time_ns, run_ns, wait_ns, -1, thread };

	ck_assert_int_eq(dp_builder__add_cpu_sample(builder, &sample), DP_OK);
}

static void add_off(struct dp_builder *builder, uint32_t thread, int64_t start_ns, int64_t end_ns,
		    enum dp_off_kind kind)
{
	struct dp_off off = { start_ns, end_ns, thread, kind };

	ck_assert_int_eq(dp_builder__add_off_cpu(builder, &off), DP_OK);
}

/* Samples alone: the time between two of them is distributed evenly. */
TEST(processors_sampled)
{
	struct fixture at;
	struct dp_builder *builder;
	uint32_t idle, thread = begin_host(&builder, &idle);

	add_cpu(builder, thread, -1000, 50, 7);
	add_cpu(builder, idle, -1000, 0, 0);
	add_cpu(builder, thread, 1000, 1050, 407);
	add_cpu(builder, thread, 3000, 1050, 407);
	add_cpu(builder, idle, 4000, 5000, 0);
	dp_builder__add_throttling(builder, 0, 0, 500);
	dp_builder__add_throttling(builder, 2000, 0, 900);
	end(&at, builder);
	check(&at, "cpu_run_ns", (double[]){ 500, 0, 0, NONE, NONE });
	check(&at, "cpu_wait_ns", (double[]){ 200, 0, 0, NONE, NONE });
	check(&at, "cpu_blocked_ns", (double[]){ 300, 1000, 1000, NONE, NONE });
	check(&at, "cpu_fault_ns", (double[]){ NONE, NONE, NONE, NONE, NONE });
	check(&at, "cpu_throttled_ns", (double[]){ 200, 200, NONE, NONE, NONE });
	ck_assert(!dp_trace_lacks(at.trace, DP_NEED_HOST));
	finish(&at);
}

/* A thread that launches in the third iteration is not sampled: what threads did then is unknown.
 */
TEST(launching_thread_without_samples)
{
	struct fixture at;
	struct dp_builder *builder;
	uint32_t idle, thread = begin_host(&builder, &idle);

	add_launch(builder, idle, 2 * PERIOD_NS + 100, 100);
	add_cpu(builder, thread, 0, 0, 0);
	add_cpu(builder, thread, 4000, 2000, 800);
	end(&at, builder);
	check(&at, "cpu_run_ns", (double[]){ 500, 500, NONE, 500, NONE });
	check(&at, "cpu_wait_ns", (double[]){ 200, 200, NONE, 200, NONE });
	finish(&at);
}

/*
 * With switches: preempted in the first period and blocked over the next boundary, half of that
 * for a processor, as the samples say; then the intervals miss what the samples have.
 */
TEST(processors_switched)
{
	struct fixture at;
	struct dp_builder *builder;
	uint32_t idle, thread = begin_host(&builder, &idle);

	add_cpu(builder, thread, 0, 0, 0);
	add_cpu(builder, thread, 2000, 1000, 550);
	add_cpu(builder, thread, 4000, 2000, 850);
	add_off(builder, thread, 100, 400, DP_OFF_PREEMPTED);
	add_off(builder, thread, 900, 1400, DP_OFF_BLOCKED);
	add_off(builder, thread, 1500, 1700, DP_OFF_FAULT);
	add_off(builder, thread, 3900, 3950, DP_OFF_PREEMPTED);
	end(&at, builder);
	check(&at, "cpu_run_ns", (double[]){ 600, 400, 500, 500, NONE });
	check(&at, "cpu_wait_ns", (double[]){ 350, 200, 150, 150, NONE });
	check(&at, "cpu_fault_ns", (double[]){ 0, 200, 0, 0, NONE });
	check(&at, "cpu_blocked_ns", (double[]){ 50, 200, 350, 350, NONE });
	finish(&at);
}

/* An operation of a stream, launched by the call of that number. */
static void add_op(struct dp_builder *builder, int64_t stream, const char *name, int64_t start_ns,
		   int64_t end_ns, uint32_t correlation)
{
	struct dp_op op = { .start_ns = start_ns, .end_ns = end_ns, .correlation = correlation };

	op.name = dp_builder__kernel_name(builder, name, strlen(name));
	op.stream = dp_builder__stream(builder, 0, 0, 1, stream);
	ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
}

static void add_wait(struct dp_builder *builder, int64_t source, uint32_t source_correlation,
		     uint32_t correlation)
{
	struct dp_sync sync = { .start_ns = correlation,
				.end_ns = correlation,
				.correlation = correlation,
				.kind = DP_SYNC_STREAM_WAIT_EVENT,
				.linked = true,
				.source_correlation = source_correlation,
				.event = 3 };

	sync.stream = dp_builder__stream(builder, 0, 0, 1, 7);
	sync.source = dp_builder__stream(builder, 0, 0, 1, source);
	ck_assert_int_eq(dp_builder__add_sync(builder, &sync), DP_OK);
}

/*
 * Iterations of 10 us, two kernels each on stream 7. In the first the second kernel waits for a
 * gather of stream 20, which ends at 6 us, and for a copy of stream 21 that ends before; what runs
 * on stream 20 behind the event does not count. In the second the gather was over in time.
 */
TEST(stream_waits)
{
	static struct dp_error error;
	struct dp_iteration iterations[3];
	struct dp_stream_waits waits = { 0 };
	struct dp_stream_waits_input input = { .iterations = iterations, .count = 3 };
	struct dp_builder *builder;
	struct dp_trace *trace;

	error = (struct dp_error)DP_ERROR_INIT;
	ck_assert_int_eq(dp_builder__new(&builder, &error), DP_OK);
	dp_builder__process(builder, 1);
	for (uint32_t k = 0; k < 3; k++) {
		int64_t at_ns = 10000 * (int64_t)k;
		uint32_t first = 100 * k + 1;

		iterations[k] = (struct dp_iteration){ .index = k,
						       .start_ns = at_ns,
						       .end_ns = at_ns + 8000 };
		add_op(builder, 7, "A", at_ns, at_ns + 1000, first);
		add_op(builder, 20, "gather", at_ns, at_ns + (k ? 900 : 6000), first + 1);
		add_op(builder, 21, "copy", at_ns, at_ns + 5000, first + 2);
		add_wait(builder, 20, first + 3, first + 5);
		if (!k)
			add_wait(builder, 21, first + 4, first + 6);
		add_op(builder, 20, "late", at_ns + 6000, at_ns + 7500, first + 7);
		add_op(builder, 7, "B", at_ns + 6500, at_ns + 8000, first + 8);
	}
	ck_assert_int_eq(dp_builder__finish(builder, &trace, "t", "test", false), DP_OK);
	input.trace = trace;
	ck_assert_int_eq(dp_stream_waits__find(&waits, &input), DP_OK);
	ck_assert_uint_eq(waits.count, 1);
	ck_assert_str_eq(waits.waits[0].text, "gather on stream 20 (event 3)");
	ck_assert_double_eq(waits.waits[0].info.ns, 2500); /* two periods */
	ck_assert(waits.ns[0] == 5000 && waits.ns[1] == 0 && waits.ns[2] == 0);
	dp_stream_waits__fini(&waits);
	dp_trace_free(trace);
}

TEST(nothing_sampled)
{
	struct fixture at;
	uint32_t device, other;

	end(&at, begin(&device, &other));
	check(&at, "live_bytes", (double[]){ NONE, NONE, NONE, NONE, NONE });
	check(&at, "energy_J", (double[]){ NONE, NONE, NONE, NONE, NONE });
	ck_assert(dp_trace_lacks(at.trace, DP_NEED_MEMORY));
	ck_assert(dp_trace_lacks(at.trace, DP_NEED_SAMPLES));
	ck_assert(dp_trace_lacks(at.trace, DP_NEED_LAUNCHES));
	ck_assert(!dp_trace_lacks(at.trace, DP_NEED_KINDS)); /* there are no copies */
	ck_assert(!dp_trace_lacks(at.trace, DP_NEED_NOTHING));
	ck_assert_ptr_null(dp_need(DP_NEED_NOTHING));
	ck_assert_ptr_null(dp_need(DP_NEEDS));
	for (int need = DP_NEED_NOTHING + 1; need < DP_NEEDS; need++)
		ck_assert_ptr_nonnull(dp_need((enum dp_need)need));
	finish(&at);
}

/*
 * Of two sizes that every iteration has the shorter one is free; another that only one iteration
 * has, and one too short to matter, do not count.
 */
TEST(repeated_uploads)
{
	struct fixture at;
	uint32_t device, other, copies;
	struct dp_builder *builder = begin(&device, &other);

	copies = dp_builder__stream(builder, dp_builder__process(builder, 1), 0, 1, 14);
	for (int k = 0; k < ITERATIONS; k++) {
		int64_t at_ns = k * PERIOD_NS + 450;

		metric_trace_copy(builder, copies, DP_COPY_HTOD, at_ns, at_ns + 200 + k, 4096);
		metric_trace_copy(builder, copies, DP_COPY_HTOD, at_ns + 210, at_ns + 270, 512);
		metric_trace_copy(builder, copies, DP_COPY_HTOD, at_ns + 280, at_ns + 284, 64);
		metric_trace_copy(builder, copies, DP_COPY_HTOD, at_ns + 290, at_ns + 350,
				  1000 + (uint64_t)k);
	}
	end(&at, builder);
	check(&at, "repeated_upload_ns", (double[]){ 200, 201, 202, 203, NONE });
	finish(&at);
}

/*
 * Chunks go to the device and back on two streams in turn; what comes back on one stream only, or
 * from some of the chunks, does not make uploads a pipeline.
 */
TEST(uploads_of_chunks)
{
	for (int back = 0; back < 3; back++) {
		struct dp_builder *builder;
		uint32_t device, other, copies[2];
		struct fixture at;
		double ns;

		builder = begin(&device, &other);
		for (int i = 0; i < 2; i++)
			copies[i] = dp_builder__stream(builder, dp_builder__process(builder, 1), 0,
						       1, 14 + i);
		for (int k = 0; k < ITERATIONS; k++)
			for (int i = 0; i < 2; i++) {
				int64_t at_ns = k * PERIOD_NS + 450 + 100 * i;

				metric_trace_copy(builder, copies[i], DP_COPY_HTOD, at_ns,
						  at_ns + 60, 4096);
				if (i < back)
					metric_trace_copy(builder, copies[i], DP_COPY_DTOH,
							  at_ns + 70, at_ns + 90, 4096);
			}
		end(&at, builder);
		ns = back == 2 ? 0 : 60;
		check(&at, "repeated_upload_ns", (double[]){ ns, ns, ns, ns, NONE });
		finish(&at);
	}
}

/* the middle one has no period: another one provides the sizes */
TEST(paused_uploads)
{
	struct fixture at;
	uint32_t device, other, copies;
	struct dp_builder *builder = begin(&device, &other);

	copies = dp_builder__stream(builder, dp_builder__process(builder, 1), 0, 1, 14);
	for (int k = 0; k < ITERATIONS; k++) {
		int64_t at_ns = k * PERIOD_NS + 450;

		metric_trace_copy(builder, copies, DP_COPY_HTOD, at_ns, at_ns + 200, 4096);
		metric_trace_copy(builder, copies, DP_COPY_HTOD, at_ns + 210, at_ns + 270, 512);
	}
	dp_builder__add_pause(builder, dp_builder__process(builder, 1), 1800, 1900);
	end(&at, builder);
	check(&at, "repeated_upload_ns", (double[]){ 200, NONE, 200, 200, NONE });
	finish(&at);
}

/* One upload in an iteration is its input. */
TEST(one_upload)
{
	struct fixture at;
	uint32_t device, other, copies;
	struct dp_builder *builder = begin(&device, &other);

	copies = dp_builder__stream(builder, dp_builder__process(builder, 1), 0, 1, 14);
	for (int k = 0; k < ITERATIONS; k++)
		metric_trace_copy(builder, copies, DP_COPY_HTOD, k * PERIOD_NS + 450,
				  k * PERIOD_NS + 800, 4096);
	end(&at, builder);
	check(&at, "repeated_upload_ns", (double[]){ 0, 0, 0, 0, NONE });
	finish(&at);
}

TEST(allocations_fail)
{
	struct fixture at;
	uint32_t device, other;
	struct dp_builder *builder = begin(&device, &other);
	bool more = true;

	add_sample(builder, device, 0, 1, 5000, 1, 0);
	add_sample(builder, device, 2000, 1, 9000, 1, 0);
	dp_builder__add_memory(builder, 100, device, 50);
	end(&at, builder);
	dp_metric_values__fini(&at.values);
	for (size_t k = 0; more; k++) {
		int status;

		alloc_fail_after(k);
		status = dp_metric__compute_all(&at.values, &at.input, NULL);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
		dp_metric_values__fini(&at.values);
		ck_assert_uint_lt(k, 1000);
	}
	finish(&at);
}
