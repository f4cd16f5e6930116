/* Calls that keep the host from launching: how long the device waits for them, and which they are.
 */
#include "alloc_fail.h"
#include "metric_trace.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

enum { ITERATIONS = 4, PERIOD_NS = 1000000 };

struct fixture {
	struct dp_trace *trace;
	struct dp_iteration iterations[ITERATIONS];
	uint32_t ops[ITERATIONS];
	struct dp_metric_input input;
	struct dp_metric_values values;
};

static struct dp_builder *builder;
static uint32_t thread, loader;

static void add_call(const char *name, uint32_t on, int64_t start_ns, int64_t end_ns, uint32_t id)
{
	struct dp_call call = { start_ns, end_ns, dp_builder__string(builder, name, strlen(name)),
				on, id };

	ck_assert_int_eq(dp_builder__add_call(builder, &call), DP_OK);
}

/* A kernel of 100 us begins each period, launched 10 us before; 900 us are idle. */
static void begin(void)
{
	uint32_t process, stream;

	ck_assert_int_eq(dp_builder__new(&builder, NULL), DP_OK);
	process = dp_builder__process(builder, 1);
	stream = dp_builder__stream(builder, process, 0, 1, 7);
	thread = dp_builder__thread(builder, process, 1);
	loader = dp_builder__thread(builder, process, 2);
	for (int64_t k = 0; k < ITERATIONS; k++) {
		struct dp_op op = { .start_ns = k * PERIOD_NS,
				    .end_ns = k * PERIOD_NS + 100000,
				    .stream = stream,
				    .correlation = (uint32_t)k + 1 };

		op.name = dp_builder__kernel_name(builder, "A", 1);
		ck_assert_int_eq(dp_builder__op(builder, &op), DP_OK);
		add_call("cudaLaunchKernel", thread, op.start_ns - 10000, op.start_ns - 5000,
			 op.correlation);
	}
}

static void end(struct fixture *at)
{
	memset(at, 0, sizeof(*at));
	ck_assert_int_eq(dp_builder__finish(builder, &at->trace, "t", "test", false), DP_OK);
	at->input = (struct dp_metric_input){ .trace = at->trace,
					      .ops = at->ops,
					      .op_count = metric_kernels(at->trace, 0, at->ops),
					      .iterations = at->iterations,
					      .count = ITERATIONS };
	for (size_t k = 0; k < ITERATIONS; k++)
		at->iterations[k] =
			(struct dp_iteration){ .index = k,
					       .start_ns = (int64_t)k * PERIOD_NS,
					       .end_ns = (int64_t)k * PERIOD_NS + 100000,
					       .first_kernel = k,
					       .kernels = 1 };
	ck_assert_int_eq(dp_metric__compute_all(&at->values, &at->input, NULL), DP_OK);
}

static void finish(struct fixture *at)
{
	dp_metric_values__fini(&at->values);
	dp_trace_free(at->trace);
}

static double value(const struct fixture *at, const char *name, size_t k)
{
	for (size_t i = 0; dp_metric(i); i++)
		if (!strcmp(dp_metric(i)->name, name))
			return at->values.values[i * ITERATIONS + k];
	ck_abort_msg("no metric %s", name);
	return 0;
}

static const struct dp_stall *stall(const struct fixture *at, const char *name, size_t k)
{
	for (size_t i = 0; i < at->values.stalls.count; i++)
		if (!strcmp(at->values.stalls.stalls[i].name, name) &&
		    at->values.stalls.stalls[i].iteration == k)
			return &at->values.stalls.stalls[i];
	return NULL;
}

/* Only what lies in the gap counts; short queries, other threads and waits don't. */
TEST(calls_in_gaps)
{
	struct fixture at;

	begin();
	add_call("cudaFree", thread, 50000, 300000, 11);
	add_call("cudaMalloc", thread, 300000, 304000, 12);
	add_call("cudaMalloc", thread, 305000, 306000, 13);
	add_call("cudaEventQuery", thread, 310000, 319000, 14);
	add_call("cudaHostRegister", thread, 320000, 420000, 15);
	add_call("cudaMalloc", loader, 500000, 600000, 16);
	add_call("cudaDeviceSynchronize", thread, 600000, 700000, 17);
	add_call("cuEventCreate", thread, 610000, 690000, 18);
	add_call("cudaFree", thread, PERIOD_NS + 10000, PERIOD_NS + 90000, 19);
	end(&at);
	ck_assert_double_eq(value(&at, "call_stall_ns", 0), 200000 + 4000 + 1000 + 100000);
	ck_assert_double_eq(value(&at, "call_stall_ns", 1), 0);
	ck_assert(isnan(value(&at, "call_stall_ns", ITERATIONS - 1)));
	ck_assert_double_eq(value(&at, "idle_host_ns", 0), 800000);
	ck_assert_uint_eq(at.values.stalls.count, 3);
	ck_assert_double_eq(stall(&at, "cudaFree", 0)->idle_ns, 200000);
	ck_assert_double_eq(stall(&at, "cudaFree", 0)->calls, 1);
	ck_assert_double_eq(stall(&at, "cudaMalloc", 0)->idle_ns, 5000);
	ck_assert_double_eq(stall(&at, "cudaMalloc", 0)->calls, 2);
	ck_assert_int_eq(stall(&at, "cudaHostRegister", 0)->purpose, DP_PURPOSE_HOST_MEMORY);
	finish(&at);
}

/* A wait explains the gaps after it up to its length, until the next wait. */
TEST(gaps_after_waits)
{
	struct fixture at;

	begin();
	add_call("cudaStreamSynchronize", thread, -2000000, -800000, 11);
	end(&at);
	ck_assert_double_eq(value(&at, "idle_host_ns", 0), 900000);
	ck_assert_double_eq(value(&at, "idle_after_sync_ns", 0), 900000);
	ck_assert_double_eq(value(&at, "idle_after_sync_ns", 1), 300000);
	ck_assert_double_eq(value(&at, "idle_after_sync_ns", 2), 0);
	finish(&at);
	begin();
	add_call("cudaStreamSynchronize", thread, -2000000, -800000, 11);
	add_call("cudaStreamSynchronize", thread, 10000, 150000, 12);
	add_call("cudaStreamSynchronize", loader, 200000, 900000, 13);
	add_call("cudaStreamSynchronize", thread, 2 * PERIOD_NS + 500000, 3 * PERIOD_NS, 14);
	end(&at);
	ck_assert_double_eq(value(&at, "idle_sync_ns", 0), 50000);
	ck_assert_double_eq(value(&at, "idle_after_sync_ns", 0), 140000);
	ck_assert_double_eq(value(&at, "idle_after_sync_ns", 1), 0);
	/* It has not ended when the next kernel is launched. */
	ck_assert_double_eq(value(&at, "idle_after_sync_ns", 2), 0);
	finish(&at);
}

/* A call that lasts into the next period has a part in both, and is counted once. */
TEST(calls_over_gaps)
{
	struct fixture at;

	begin();
	add_call("cuModuleLoadData", thread, 500000, 2 * PERIOD_NS - 500000, 12);
	add_call("cuMemAlloc_v2", thread, 600000, 700000, 13);
	/* Code is loaded in the launch that needs it, which begins 10 us before its kernel. */
	add_call("cuLibraryLoadData", thread, 3 * PERIOD_NS - 9000, 3 * PERIOD_NS + 9000, 14);
	end(&at);
	ck_assert_double_eq(value(&at, "call_stall_ns", 2), 9000);
	ck_assert_double_eq(value(&at, "call_stall_ns", 0), 500000);
	ck_assert_double_eq(value(&at, "call_stall_ns", 1), 400000);
	ck_assert_uint_eq(at.values.stalls.count, 3);
	ck_assert_double_eq(stall(&at, "cuModuleLoadData", 0)->calls, 1);
	ck_assert_double_eq(stall(&at, "cuModuleLoadData", 1)->calls, 0);
	ck_assert_int_eq(stall(&at, "cuModuleLoadData", 1)->purpose, DP_PURPOSE_CODE);
	finish(&at);
}

/* Without records of memory its calls are counted: the runtime's, not the driver's inside. */
TEST(allocations_are_counted_by_calls)
{
	struct fixture at;

	begin();
	add_call("cudaMalloc", thread, 100, 900, 11);
	add_call("cuMemAlloc_v2", thread, 200, 800, 12);
	add_call("cudaMallocAsync_ptsz", thread, 1000, 1100, 13);
	add_call("cudaMallocHost", thread, 1200, 1300, 14);
	add_call("cudaFreeHost", thread, 1400, 1500, 15);
	add_call("cudaMalloc", loader, 1600, 1700, 16);
	add_call("cudaFree", thread, PERIOD_NS + 100, PERIOD_NS + 200, 17);
	end(&at);
	ck_assert_double_eq(value(&at, "allocations", 0), 2);
	ck_assert_double_eq(value(&at, "allocations", 1), 0);
	ck_assert_double_eq(value(&at, "frees", 0), 0);
	ck_assert_double_eq(value(&at, "frees", 1), 1);
	ck_assert(isnan(value(&at, "frees", ITERATIONS - 1)));
	ck_assert(isnan(value(&at, "live_bytes", 0)));
	finish(&at);
}

TEST(purposes)
{
	ck_assert_int_eq(dp_purpose__of("cudaMalloc_v3020"), DP_PURPOSE_ALLOCATE);
	ck_assert_int_eq(dp_purpose__of("hipMallocManaged"), DP_PURPOSE_ALLOCATE);
	ck_assert_int_eq(dp_purpose__of("cuMemFreeAsync"), DP_PURPOSE_FREE);
	ck_assert_int_eq(dp_purpose__of("cuMemFreeHost"), DP_PURPOSE_HOST_MEMORY);
	ck_assert_int_eq(dp_purpose__of("cudaHostAlloc"), DP_PURPOSE_HOST_MEMORY);
	ck_assert_int_eq(dp_purpose__of("hipHostMalloc"), DP_PURPOSE_HOST_MEMORY);
	ck_assert_int_eq(dp_purpose__of("cuMemHostRegister_v2"), DP_PURPOSE_HOST_MEMORY);
	ck_assert_int_eq(dp_purpose__of("cuLibraryLoadData"), DP_PURPOSE_CODE);
	ck_assert_int_eq(dp_purpose__of("cudaStreamCreate"), DP_PURPOSE_OTHER);
	ck_assert_int_eq(dp_purpose__of("cudaGraphInstantiateWithFlags"), DP_PURPOSE_GRAPH);
	ck_assert_int_eq(dp_purpose__of("cudaStreamBeginCapture_v10000"), DP_PURPOSE_GRAPH);
	ck_assert_int_eq(dp_purpose__of("cudaGraphLaunch"), DP_PURPOSE_OTHER);
	ck_assert_int_eq(dp_purpose__of("Malloc"), DP_PURPOSE_OTHER);
}

TEST(allocations_fail)
{
	struct fixture at;
	bool more = true;

	begin();
	for (int64_t i = 0; i < 20; i++) {
		char name[32];

		snprintf(name, sizeof(name), "cudaMalloc%d", (int)i);
		add_call(name, thread, 200000 + 1000 * i, 200500 + 1000 * i, 20 + (uint32_t)i);
	}
	end(&at);
	ck_assert_uint_eq(at.values.stalls.count, 20);
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
