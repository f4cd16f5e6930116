/* Chrome traces: every variation that profilers write. */
#include "kineto_text.h"
#include "test.h"

#include <stdio.h>

static struct dp_trace *must_read(const char *text)
{
	struct dp_error error;
	struct dp_trace *trace = read_bytes(text, strlen(text), &error, NULL);

	ck_assert_msg(trace != NULL, "%s", error.message);
	return trace;
}

static void must_fail(const char *text, int status, const char *message, uint64_t line)
{
	struct dp_error error;
	struct dp_trace *trace = read_bytes(text, strlen(text), &error, NULL);

	ck_assert_ptr_null(trace);
	ck_assert_msg(error.status == status, "%d: %s", error.status, error.message);
	ck_assert_msg(strstr(error.message, message) != NULL, "%s", error.message);
	ck_assert_uint_eq(error.line, line);
}

/* Absolute start: t0 is known in most of these. */
static int64_t start_ns(const struct dp_trace *trace, size_t op)
{
	int64_t t0_ns = 0;

	dp_trace_t0(trace, &t0_ns);
	return t0_ns + dp_trace_ops(trace)->start_ns[op];
}

TEST(integer_microseconds_of_2021)
{
	struct dp_trace *trace = must_read(
		HEAD
		"{\"ph\": \"X\", \"cat\": \"Operator\", \"name\": \"aten::add\", \"pid\": 25738, "
		"\"tid\": \"25738\", \"ts\": 1623142623529000, \"dur\": 2022, \"args\": {"
		"\"Device\": 25738, \"External id\": 2, \"Input Dims\": [[], []]}},\n"
		"{\"ph\": \"X\", \"cat\": \"Runtime\", \"name\": \"cudaLaunchKernel\", "
		"\"pid\": 25738, \"tid\": \"25738\", \"ts\": 1623142623529088, \"dur\": 20, "
		"\"args\": {\"cbid\": 211, \"correlation\": 34441, \"external id\": 537, "
		"\"external ts\": 1623142623529071}},\n"
		"{\"ph\": \"X\", \"cat\": \"Kernel\", \"name\": \"volta_sgemm\", \"pid\": 0, "
		"\"tid\": \"stream 7\", \"ts\": 1623142623531625, \"dur\": 2, \"args\": {"
		"\"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, "
		"\"correlation\": 34441, \"external id\": 544, \"grid\": [50, 1, 1]}},\n"
		"{\"ph\": \"s\", \"id\": 34441, \"pid\": 25738, \"tid\": 25738, "
		"\"ts\": 1623142623529088, \"cat\": \"async\", \"name\": \"launch\"}]}");
	const struct dp_ops *ops = dp_trace_ops(trace);

	ck_assert_str_eq(dp_trace_format(trace), "kineto");
	ck_assert_uint_eq(ops->count, 1);
	ck_assert_int_eq(start_ns(trace, 0), INT64_C(1623142623531625000));
	ck_assert_int_eq(ops->end_ns[0], 2000);
	ck_assert_str_eq(op_name(trace, 0), "volta_sgemm");
	ck_assert_uint_eq(ops->correlation[0], 34441);
	ck_assert_int_eq(op_stream(trace, 0)->stream, 7);
	ck_assert_int_eq(op_stream(trace, 0)->context, 1);
	ck_assert_int_eq(dp_trace_process(trace, op_stream(trace, 0)->process)->pid, 25738);
	ck_assert_uint_eq(dp_trace_calls(trace)->count, 1);
	ck_assert_uint_eq(ops->call[0], 0);
	ck_assert_int_eq(dp_trace_calls(trace)->kind[0], DP_CALL_LAUNCH);
	ck_assert_int_eq(dp_trace_thread(trace, dp_trace_calls(trace)->thread[0])->tid, 25738);
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 1);
	ck_assert_int_eq(dp_trace_ranges(trace)->kind[0], DP_RANGE_OPERATOR);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	dp_trace_free(trace);
}

TEST(correlation_beyond_32_bits_is_none)
{
	static const char *const numbers[] = { "4294967297", "-1", "4294967295" };

	for (size_t i = 0; i < 3; i++) {
		char text[256];
		struct dp_trace *trace;

		snprintf(text, sizeof(text),
			 HEAD "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, "
			      "\"tid\": 7, \"ts\": 1, \"dur\": 2, \"args\": {\"device\": 0, "
			      "\"stream\": 7, \"correlation\": %s}}]}",
			 numbers[i]);
		trace = must_read(text);
		ck_assert_uint_eq(dp_trace_ops(trace)->correlation[0], i < 2 ? 0 : UINT32_MAX);
		dp_trace_free(trace);
	}
}

TEST(tid_alone_names_the_stream)
{
	struct dp_trace *trace =
		must_read(HEAD "{\"ph\": \"X\", \"cat\": \"Kernel\", \"name\": \"k\", \"pid\": 3, "
			       "\"tid\": \"stream 23\", \"ts\": 1623142623531625, \"dur\": 2}]}");

	ck_assert_int_eq(op_stream(trace, 0)->stream, 23);
	ck_assert_int_eq(op_stream(trace, 0)->context, -1);
	ck_assert_int_eq(dp_trace_device(trace, op_stream(trace, 0)->device)->id, 3);
	ck_assert_uint_eq(dp_trace_ops(trace)->correlation[0], 0);
	dp_trace_free(trace);
}

TEST(decimal_epoch_keeps_nanoseconds)
{
	struct dp_trace *trace =
		must_read(HEAD KERNEL("a", "1712195495519689.047", "4.928") ",\n" KERNEL(
			"b", "1712195495519694.001", "0.001") "\n]}");
	const struct dp_ops *ops = dp_trace_ops(trace);

	ck_assert_int_eq(start_ns(trace, 0), INT64_C(1712195495519689047));
	ck_assert_int_eq(ops->end_ns[0], 4928);
	ck_assert_int_eq(ops->start_ns[1], 4954);
	ck_assert_int_eq(ops->end_ns[1], 4955);
	ck_assert_int_eq(dp_trace_resolution_ns(trace), 1);
	dp_trace_free(trace);
}

TEST(mixed_integer_and_decimal)
{
	struct dp_trace *trace = must_read(HEAD KERNEL("a", "1712195495519689", "4.5") "]}");

	ck_assert_int_eq(start_ns(trace, 0), INT64_C(1712195495519689000));
	ck_assert_int_eq(dp_trace_ops(trace)->end_ns[0], 4500);
	dp_trace_free(trace);
}

TEST(times_relative_to_a_base)
{
	static const char before[] =
		"{\"baseTimeNanoseconds\": 1735632360000000000, "
		"\"traceEvents\": [" KERNEL("a", "4203669603454.206", "22.441") "]}";
	static const char after[] = "{\"traceEvents\": [" KERNEL(
		"a", "4203669603454.206",
		"22.441") "]"
			  ", \"traceName\": \"x\", \"baseTimeNanoseconds\": "
			  "1735632360000000000}";
	static const char none[] =
		"{\"traceEvents\": [" KERNEL("a", "4203669603454.206", "22.441") "]}";
	struct dp_trace *trace = must_read(before);
	int64_t t0_ns;

	ck_assert_int_eq(start_ns(trace, 0), INT64_C(1739836029603454206));
	dp_trace_free(trace);
	trace = must_read(after);
	ck_assert_int_eq(start_ns(trace, 0), INT64_C(1739836029603454206));
	dp_trace_free(trace);
	trace = must_read(none);
	ck_assert(!dp_trace_t0(trace, &t0_ns));
	dp_trace_free(trace);
}

TEST(keys_in_any_order)
{
	struct dp_trace *trace = must_read(
		"{\"traceName\": \"t\", \"traceEvents\": [{\"args\": {\"stream\": 20, "
		"\"correlation id\": 77, \"External id\": 1, \"external id\": 2, \"bytes\": 984, "
		"\"context\": 4, \"device\": 2}, \"dur\": 3, \"tid\": 20, \"pid\": 2, "
		"\"name\": \"Memcpy DtoH (Device -> Pageable)\", \"ts\": 1661203463062183, "
		"\"cat\": \"gpu_memcpy\", \"ph\": \"X\"}], \"schemaVersion\": 1}");
	const struct dp_ops *ops = dp_trace_ops(trace);

	ck_assert_uint_eq(ops->count, 1);
	ck_assert_uint_eq(ops->correlation[0], 77);
	ck_assert_uint_eq(ops->bytes[0], 984);
	ck_assert_int_eq(op_stream(trace, 0)->stream, 20);
	ck_assert_int_eq(op_stream(trace, 0)->context, 4);
	ck_assert_int_eq(ops->kind[0], DP_OP_COPY);
	ck_assert_int_eq(ops->copy_kind[0], DP_COPY_DTOH);
	ck_assert_int_eq(ops->src_kind[0], DP_MEMORY_DEVICE);
	ck_assert_int_eq(ops->dst_kind[0], DP_MEMORY_PAGEABLE);
	dp_trace_free(trace);
}

static void check_copy(const char *category, const char *name, int op, int kind, int src, int dst)
{
	char text[512];
	struct dp_trace *trace;
	const struct dp_ops *ops;

	snprintf(text, sizeof(text),
		 HEAD "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":0,\"tid\":7,"
		      "\"ts\":100,\"dur\":5,\"args\":{\"bytes\": 16}}]}",
		 category, name);
	trace = must_read(text);
	ops = dp_trace_ops(trace);
	ck_assert_msg(ops->kind[0] == op, "%s", name);
	ck_assert_msg(ops->copy_kind[0] == kind, "%s: %d", name, ops->copy_kind[0]);
	ck_assert_msg(ops->src_kind[0] == src, "%s: %d", name, ops->src_kind[0]);
	ck_assert_msg(ops->dst_kind[0] == dst, "%s: %d", name, ops->dst_kind[0]);
	ck_assert_uint_eq(ops->bytes[0], (op == DP_OP_KERNEL ? 0 : 16));
	dp_trace_free(trace);
}

TEST(copies_and_sets_by_name)
{
	check_copy("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", DP_OP_COPY, DP_COPY_HTOD,
		   DP_MEMORY_PAGEABLE, DP_MEMORY_DEVICE);
	check_copy("Memcpy", "Memcpy HtoD (Pinned -> Device)", DP_OP_COPY, DP_COPY_HTOD,
		   DP_MEMORY_PINNED, DP_MEMORY_DEVICE);
	check_copy("gpu_memcpy", "Memcpy DtoD (Device -> Device)", DP_OP_COPY, DP_COPY_DTOD,
		   DP_MEMORY_DEVICE, DP_MEMORY_DEVICE);
	check_copy("gpu_memcpy", "Memcpy PtoP (Device -> Device)", DP_OP_COPY, DP_COPY_PTOP,
		   DP_MEMORY_DEVICE, DP_MEMORY_DEVICE);
	check_copy("gpu_memcpy", "Memcpy DtoH (Managed -> Unknown)", DP_OP_COPY, DP_COPY_DTOH,
		   DP_MEMORY_MANAGED, DP_MEMORY_UNKNOWN);
	check_copy("gpu_memcpy", "Memcpy HtoD (Host -> Device)", DP_OP_COPY, DP_COPY_HTOD,
		   DP_MEMORY_UNKNOWN, DP_MEMORY_DEVICE);
	check_copy("gpu_memcpy", "CopyHostToDevice", DP_OP_COPY, DP_COPY_HTOD, DP_MEMORY_UNKNOWN,
		   DP_MEMORY_UNKNOWN);
	check_copy("kernel", "CopyDeviceToDevice", DP_OP_COPY, DP_COPY_DTOD, DP_MEMORY_UNKNOWN,
		   DP_MEMORY_UNKNOWN);
	check_copy("kernel", "FillBuffer", DP_OP_MEMSET, DP_COPY_UNKNOWN, DP_MEMORY_UNKNOWN,
		   DP_MEMORY_UNKNOWN);
	check_copy("gpu_memcpy", "whatever", DP_OP_COPY, DP_COPY_UNKNOWN, DP_MEMORY_UNKNOWN,
		   DP_MEMORY_UNKNOWN);
	check_copy("gpu_memset", "Memset (Device)", DP_OP_MEMSET, DP_COPY_UNKNOWN,
		   DP_MEMORY_UNKNOWN, DP_MEMORY_DEVICE);
	check_copy("Memset", "Memset (Managed Static)", DP_OP_MEMSET, DP_COPY_UNKNOWN,
		   DP_MEMORY_UNKNOWN, DP_MEMORY_MANAGED_STATIC);
	check_copy("kernel", "copy_kernel(HtoD)", DP_OP_KERNEL, DP_COPY_UNKNOWN, DP_MEMORY_UNKNOWN,
		   DP_MEMORY_UNKNOWN);
}

TEST(rocm)
{
	struct dp_trace *trace = must_read(
		HEAD
		"{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Host -> Device)\","
		"\"pid\":2,\"tid\":0,\"ts\":100.5,\"dur\":5,\"args\":{\"device\":2,"
		"\"stream\":0,\"correlation\":117,\"kind\":\"HtoD\"}},"
		"{\"ph\":\"X\",\"cat\":\"gpu_memset\",\"name\":\"Memset (Device)\","
		"\"pid\":2,\"tid\":0,\"ts\":110,\"dur\":5,\"args\":{\"device\":2,"
		"\"stream\":0,\"correlation\":118,\"kind\":\"Device\"}},"
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipMemcpyWithStream\","
		"\"pid\":597,\"tid\":597,\"ts\":90,\"dur\":60.204,\"args\":{\"External id\":8,"
		"\"stream\":\"0x0\",\"correlation\":117,\"size\":\"2560\",\"kind\":\"1\"}},"
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipLaunchKernel\",\"pid\":597,"
		"\"tid\":597,\"ts\":91,\"dur\":6,\"args\":{\"kernel\":\"k\",\"cid\":153,"
		"\"correlation\":119}},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"_Z3addPfi\",\"pid\":2,\"tid\":0,"
		"\"ts\":120,\"dur\":5,\"args\":{\"device\":2,\"stream\":0,"
		"\"correlation\":119,\"kind\":\"Dispatch Kernel\"}}]}");
	const struct dp_ops *ops = dp_trace_ops(trace);

	ck_assert_uint_eq(ops->count, 3);
	ck_assert_uint_eq(ops->bytes[0], 2560);
	ck_assert_uint_eq(ops->bytes[1], 0);
	ck_assert_int_eq(ops->kind[1], DP_OP_MEMSET);
	ck_assert_uint_eq(dp_trace_stream_count(trace), 1);
	ck_assert_int_eq(op_stream(trace, 0)->context, -1);
	ck_assert_int_eq(op_stream(trace, 0)->stream, 0);
	ck_assert_str_eq(op_name(trace, 2), "add(float*, int)");
	ck_assert_int_eq(dp_trace_calls(trace)->kind[ops->call[2]], DP_CALL_LAUNCH);
	ck_assert_int_eq(dp_trace_calls(trace)->kind[ops->call[0]], DP_CALL_COPY);
	dp_trace_free(trace);
}

TEST(autograd_export)
{
	struct dp_trace *trace = must_read(
		"[{\"name\": \"aten::mm\", \"ph\": \"X\", \"ts\": 10.5, \"dur\": 20.25, \"tid\": 1, "
		"\"pid\": \"CPU functions\", \"args\": {}}, "
		"{\"name\": \"aten::mm\", \"ph\": \"s\", \"ts\": 10.5, \"tid\": 1, \"pid\": \"CPU "
		"functions\", \"id\": 0, \"cat\": \"cpu_to_cuda\", \"args\": {}}, "
		"{\"name\": \"volta_sgemm\", \"ph\": \"f\", \"ts\": 15.75, \"tid\": 0, \"pid\": \"CUDA "
		"functions\", \"id\": 0, \"cat\": \"cpu_to_cuda\", \"args\": {}}, "
		"{\"name\": \"volta_sgemm\", \"ph\": \"X\", \"ts\": 15.75, \"dur\": 8, \"tid\": 0, "
		"\"pid\": \"CUDA functions\", \"args\": {}}, "
		"{\"name\": \"Memcpy HtoD (Pageable -> Device)\", \"ph\": \"X\", \"ts\": 30, \"dur\": 2, "
		"\"tid\": 1, \"pid\": \"CUDA functions\", \"args\": {}}]");
	const struct dp_ops *ops = dp_trace_ops(trace);
	int64_t t0_ns;

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_str_eq(op_name(trace, 0), "volta_sgemm");
	ck_assert_int_eq(ops->end_ns[0], 8000);
	ck_assert_int_eq(dp_trace_device(trace, op_stream(trace, 0)->device)->id, 0);
	ck_assert_int_eq(dp_trace_device(trace, op_stream(trace, 1)->device)->id, 1);
	ck_assert_int_eq(op_stream(trace, 0)->stream, -1);
	ck_assert_int_eq(ops->kind[1], DP_OP_COPY);
	ck_assert_int_eq(ops->copy_kind[1], DP_COPY_HTOD);
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 1);
	ck_assert_int_eq(dp_trace_ranges(trace)->start_ns[0], -5250);
	ck_assert(!dp_trace_t0(trace, &t0_ns));
	dp_trace_free(trace);
}

TEST(rows_that_labels_call_a_gpu)
{
	struct dp_trace *trace = must_read(
		"[{\"name\":\"process_labels\",\"ph\":\"M\",\"pid\":8,\"args\":{\"labels\":\"GPU 0\"}},"
		"{\"name\":\"k\",\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":8,\"tid\":14},"
		"{\"name\":\"k2\",\"ph\":\"X\",\"ts\":3,\"dur\":1,\"pid\":4,\"tid\":\"stream 9\"},"
		"{\"name\":\"host\",\"ph\":\"X\",\"ts\":2,\"dur\":1,\"pid\":9,\"tid\":9}]");

	ck_assert_uint_eq(dp_trace_ops(trace)->count, 2);
	ck_assert_int_eq(op_stream(trace, 0)->stream, 14);
	ck_assert_int_eq(op_stream(trace, 1)->stream, 9);
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 1);
	dp_trace_free(trace);
}

TEST(names_and_devices)
{
	struct dp_trace *trace = must_read(
		"{\"deviceProperties\": [{\"id\": 0, \"name\": \"A\", \"totalGlobalMem\": 42505273344, "
		"\"numSms\": 108}, {\"id\": 1, \"name\": \"B \\\"x\\\"\", \"totalGlobalMem\": 5}],\n"
		"\"distributedInfo\": {\"backend\": \"nccl\", \"pg_config\": [{\"ranks\": [0, 1], "
		"\"rank\": 9}], \"rank\": 3, \"world_size\": 8},\n\"traceEvents\": ["
		"{\"name\":\"process_name\",\"ph\":\"M\",\"ts\":1,\"pid\":1,\"tid\":0,\"args\":{\"name\":"
		"\"python3\"}},"
		"{\"name\":\"thread_name\",\"ph\":\"M\",\"ts\":1,\"pid\":1,\"tid\":44,\"args\":{\"name\":"
		"\"pt_main\"}},"
		"{\"name\":\"thread_name\",\"ph\":\"M\",\"ts\":1,\"pid\":1,\"tid\":7,\"args\":{\"name\":"
		"\"stream 7\"}},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":1,\"tid\":7,\"ts\":10,\"dur\":1,"
		"\"args\":{\"device\":1,\"context\":1,\"stream\":7,\"correlation\":9}},"
		"{\"ph\":\"X\",\"cat\":\"cuda_driver\",\"name\":\"cuLaunchKernel\",\"pid\":1,\"tid\":44,"
		"\"ts\":5,\"dur\":2,\"args\":{\"correlation\":9}}]}");
	const struct dp_stream *stream = op_stream(trace, 0);
	const struct dp_device *device = dp_trace_device(trace, stream->device);
	const struct dp_process *process = dp_trace_process(trace, stream->process);

	ck_assert_uint_eq(dp_trace_device_count(trace), 1);
	ck_assert_str_eq(dp_trace_string(trace, device->name), "B \"x\"");
	ck_assert_uint_eq(device->total_bytes, 5);
	ck_assert_int_eq(process->pid, 1);
	ck_assert_int_eq(process->rank, 3);
	ck_assert_str_eq(dp_trace_string(trace, process->name), "python3");
	ck_assert_uint_eq(dp_trace_thread_count(trace), 1);
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_thread(trace, 0)->name), "pt_main");
	ck_assert_uint_eq(dp_trace_ops(trace)->call[0], 0);
	dp_trace_free(trace);
}

#define CALL(pid, correlation)                                                               \
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":" #pid \
	",\"tid\":" #pid ",\"ts\":1,\"dur\":1,\"args\":{\"correlation\":" #correlation "}},"
#define ON_DEVICE(device, correlation)                                     \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":" #device \
	",\"tid\":7,\"ts\":9,\"dur\":1,\"args\":{\"device\":" #device      \
	",\"context\":1,\"stream\":7,\"correlation\":" #correlation "}}"

/* Merged files: the ids of two processes overlap. */
TEST(devices_of_two_processes)
{
	struct dp_trace *trace = must_read(
		HEAD CALL(41, 1) CALL(41, 2) CALL(41, 3) CALL(52, 2) CALL(52, 3) CALL(52, 4)
			ON_DEVICE(0, 2) "," ON_DEVICE(0, 3) "," ON_DEVICE(0, 4) "," ON_DEVICE(
				1, 1) "," ON_DEVICE(1, 2) "," ON_DEVICE(1, 3) "]}");
	const struct dp_ops *ops = dp_trace_ops(trace);

	ck_assert_uint_eq(dp_trace_process_count(trace), 2);
	for (size_t i = 0; i < ops->count; i++) {
		const struct dp_stream *stream = op_stream(trace, i);
		const struct dp_device *device = dp_trace_device(trace, stream->device);
		const struct dp_calls *calls = dp_trace_calls(trace);

		ck_assert_int_eq(dp_trace_process(trace, stream->process)->pid,
				 device->id ? 41 : 52);
		ck_assert_uint_eq(device->process, stream->process);
		ck_assert_uint_ne(ops->call[i], DP_NONE);
		ck_assert_uint_eq(dp_trace_thread(trace, calls->thread[ops->call[i]])->process,
				  stream->process);
	}
	dp_trace_free(trace);
}

TEST(what_is_not_counted)
{
	struct dp_trace *trace = must_read(HEAD KERNEL(
		"k", "10",
		"5") ","
		     "{\"ph\":\"X\",\"cat\":\"gpu_user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":0,"
		     "\"tid\":7,\"ts\":9,\"dur\":100,\"args\":{}},"
		     "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f\",\"pid\":1,\"tid\":1,\"ts\":0,"
		     "\"dur\":100,\"args\":{\"Python id\":1,\"Python parent id\":null}},"
		     "{\"ph\":\"X\",\"cat\":\"overhead\",\"name\":\"x\",\"pid\":-1,\"tid\":0,\"ts\":9,\"dur\":1},"
		     "{\"ph\":\"s\",\"id\":5,\"pid\":1,\"tid\":1,\"ts\":9,\"cat\":\"ac2g\",\"name\":\"ac2g\"},"
		     "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":2,"
		     "\"args\":{\"Bytes\":4}},"
		     "{\"ph\":\"X\",\"cat\":\"Trace\",\"ts\":0,\"dur\":9,\"pid\":\"Spans\",\"tid\":"
		     "\"PyTorch Profiler\",\"name\":\"PyTorch Profiler (0)\",\"args\":{\"Op count\":0}},"
		     "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":1,"
		     "\"tid\":1,\"ts\":8,\"dur\":100,\"args\":{}},"
		     "{\"ph\":\"X\",\"cat\":\"Operator\",\"name\":\"ProfilerStep#2\",\"pid\":1,\"tid\":1,"
		     "\"ts\":108,\"dur\":9,\"args\":{}}]}");
	const struct dp_ranges *ranges = dp_trace_ranges(trace);

	ck_assert_uint_eq(dp_trace_ops(trace)->count, 1);
	ck_assert_uint_eq(ranges->count, 2);
	ck_assert_int_eq(ranges->kind[0], DP_RANGE_ANNOTATION);
	ck_assert_int_eq(ranges->kind[1], DP_RANGE_ANNOTATION);
	ck_assert_int_eq(ranges->start_ns[0], -2000);
	dp_trace_free(trace);
}

TEST(synchronizations)
{
	struct dp_trace *trace = must_read(HEAD KERNEL(
		"k", "10",
		"5") ","
		     "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Wait Event\",\"pid\":0,\"tid\":7,"
		     "\"ts\":20,\"dur\":1,\"args\":{\"wait_on_stream\":20,\"stream\":7,\"correlation\":8,"
		     "\"device\":0,\"context\":1}},"
		     "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Context Sync\",\"pid\":0,\"tid\":-1,"
		     "\"ts\":30,\"dur\":2,\"args\":{\"stream\":-1,\"correlation\":9,\"device\":0,"
		     "\"context\":1}},"
		     "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Sync\",\"pid\":3,\"tid\":7,"
		     "\"ts\":40,\"dur\":2,\"args\":{\"stream\":7,\"correlation\":10,\"device\":3,"
		     "\"context\":4}}]}");
	const struct dp_syncs *syncs = dp_trace_syncs(trace);

	ck_assert_uint_eq(syncs->count, 3);
	ck_assert_int_eq(syncs->kind[0], DP_SYNC_STREAM_WAIT_EVENT);
	ck_assert_uint_eq(syncs->stream[0], dp_trace_ops(trace)->stream[0]);
	ck_assert_int_eq(syncs->kind[1], DP_SYNC_CONTEXT);
	ck_assert_uint_eq(syncs->stream[1], DP_NONE);
	/* Nothing ran on device 3: a wait for it does not add it to the trace. */
	ck_assert_uint_eq(syncs->stream[2], DP_NONE);
	ck_assert_uint_eq(dp_trace_stream_count(trace), 1);
	ck_assert_uint_eq(dp_trace_device_count(trace), 1);
	dp_trace_free(trace);
}

#define MEMORY(more, ts, type, device, bytes)                                          \
	"{\"ph\":\"i\"," more "\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1," \
	"\"ts\":" ts ",\"args\":{\"Device Type\":" type ",\"Device Id\":" device       \
	",\"Bytes\":" bytes "}}"

TEST(device_memory)
{
	struct dp_trace *trace = must_read(HEAD KERNEL("k", "10", "5") "," MEMORY(
		"\"cat\":\"cpu_instant_event\",", "20", "1", "0",
		"-512") "," MEMORY("", "8.5", "1", "0",
				   "512") "," MEMORY("", "9", "0", "-1",
						     "7") "," MEMORY("", "9", "1", "5",
								     "8") ","
									  "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"other\",\"pid\":1,\"tid\":1,"
									  "\"ts\":9,\"args\":{\"Device Type\":1,\"Device Id\":0,\"Bytes\":3}}]}");
	const struct dp_memory *memory = dp_trace_memory(trace);

	/* neither the host's memory, nor that of an idle device, nor what is no memory event */
	ck_assert_uint_eq(memory->count, 2);
	ck_assert_int_eq(memory->time_ns[0], -1500);
	ck_assert_int_eq(memory->delta_bytes[0], 512);
	ck_assert_int_eq(memory->time_ns[1], 10000);
	ck_assert_int_eq(memory->delta_bytes[1], -512);
	ck_assert_uint_eq(memory->device[1], 0);
	ck_assert_uint_eq(dp_trace_device_count(trace), 1);
	dp_trace_free(trace);
}

TEST(negative_and_missing_durations)
{
	struct dp_trace *trace = must_read(HEAD KERNEL("a", "10", "-5") "," KERNEL(
		"b", "20", "NaN") "," KERNEL("c", "Infinity", "1") "]}");

	ck_assert_uint_eq(dp_trace_ops(trace)->count, 2);
	ck_assert_uint_eq(dp_trace_clamped(trace), 1);
	ck_assert_int_eq(dp_trace_ops(trace)->end_ns[0], 0);
	ck_assert_uint_eq(dp_trace_lost(trace), 1);
	ck_assert(dp_trace_lost_known(trace));
	ck_assert_str_eq(dp_trace_loss(trace, 0)->reason, "GPU events without a start");
	dp_trace_free(trace);
}

TEST(names_are_decoded)
{
	struct dp_trace *trace =
		must_read(HEAD KERNEL("a\\u00e9\\ud83d\\ude00\\\"<\\\\>", "10", "1") "," KERNEL(
			"say \"hi\" twice", "20",
			"1") "," KERNEL("raw\ttab\nline", "30",
					"1") "," KERNEL("bad \xff utf8", "40",
							"1") "," KERNEL("nul\\u0000tail", "50",
									"1") "," KERNEL("a\\u00e9\\ud83d\\ude00\\\"<\\\\>",
											"60",
											"1") "]}");

	ck_assert_str_eq(op_name(trace, 0), "a\xc3\xa9\xf0\x9f\x98\x80\"<\\>");
	ck_assert_str_eq(op_name(trace, 1), "say \"hi\" twice");
	ck_assert_str_eq(op_name(trace, 2), "raw\ttab\nline");
	ck_assert_str_eq(op_name(trace, 3), "bad \xef\xbf\xbd utf8");
	ck_assert_str_eq(op_name(trace, 4), "nul");
	ck_assert_uint_eq(dp_trace_ops(trace)->name[5], dp_trace_ops(trace)->name[0]);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	dp_trace_free(trace);
}

TEST(broken_arguments_cost_nothing)
{
	struct dp_trace *trace = must_read(
		HEAD
		"{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::sum\", \"pid\": 1, \"tid\": 1, "
		"\"ts\": 1, \"dur\": 2, \"args\": {\"Concrete Inputs\": [\"\", \"\"mean\"\", "
		"\"[\"a\", 1]\"], \"bw\": inf, \"x\": -nan}}," KERNEL("k", "10", "1") "]}");

	ck_assert_uint_eq(dp_trace_ops(trace)->count, 1);
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 1);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	dp_trace_free(trace);
}

static void check_loss(const char *text, size_t ops, const char *reason, uint64_t records)
{
	struct dp_trace *trace = must_read(text);

	ck_assert_msg(dp_trace_ops(trace)->count == ops, "%zu operations of %zu: %s",
		      dp_trace_ops(trace)->count, ops, text);
	ck_assert_msg(dp_trace_loss_count(trace) == 1, "%s", text);
	ck_assert_str_eq(dp_trace_loss(trace, 0)->reason, reason);
	ck_assert_uint_eq(dp_trace_loss(trace, 0)->records, records);
	ck_assert(dp_trace_lost_known(trace) == (records > 0));
	ck_assert_uint_gt(dp_trace_loss(trace, 0)->offset, 0);
	dp_trace_free(trace);
}

TEST(cut_off)
{
	check_loss(HEAD KERNEL("a", "1", "1"), 1, "file ends before its JSON does", 0);
	check_loss(HEAD KERNEL("a", "1", "1") ",\n", 1, "file ends before its JSON does", 0);
	check_loss(HEAD KERNEL("a", "1", "1") "]", 1, "file ends before its JSON does", 0);
	check_loss(HEAD KERNEL("a", "1", "1") "], \"traceName\": \"/tm", 1,
		   "file ends before its JSON does", 0);
	check_loss(HEAD KERNEL("a", "1", "1") ",\n{\"ph\": \"X\", \"cat\": \"ker", 1,
		   "file ends inside an event", 1);
	check_loss(HEAD KERNEL("a", "1", "1") ",\n{\"ph\": \"X\", \"args\": {\"name\": [{\"ts", 1,
		   "file ends inside an event", 1);
	check_loss("[" KERNEL("a", "1", "1") ",", 1, "file ends before its JSON does", 0);
}

TEST(goes_on_after_a_broken_event)
{
	static const char reason[] = "broken JSON events";

	/* A lost closing quote, brace, bracket; a stray one; garbage; a NUL cannot be in here. */
	check_loss(HEAD KERNEL("a", "1",
			       "1") ",\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"b, "
				    "\"pid\": 0, \"tid\": 7, \"ts\": 3, \"dur\": 1},\n" KERNEL(
					    "c", "5", "1") "," KERNEL("d", "7", "1") "]}",
		   3, reason, 1);
	check_loss(
		HEAD KERNEL(
			"a", "1",
			"1") ",\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"b\", "
			     "\"pid\": 0, \"tid\": 7, \"ts\": 3, \"dur\": 1, \"args\": {\"device\": 0,\n" KERNEL(
				     "c", "5", "1") "," KERNEL("d", "7", "1") "]}",
		3, reason, 1);
	check_loss(HEAD KERNEL("a", "1", "1") "\n]," KERNEL("c", "5", "1") "," KERNEL("d", "7",
										      "1") "]}",
		   3, reason, 1);
	check_loss(HEAD KERNEL("a", "1", "1") "}\n," KERNEL("c", "5", "1") "," KERNEL("d", "7",
										      "1") "]}",
		   3, reason, 1);
	check_loss(HEAD KERNEL("a", "1", "1") ", xyz " KERNEL("c", "5", "1") "," KERNEL("d", "7",
											"1") "]}",
		   2, reason, 1);
	check_loss(
		"{\"deviceProperties\": [{\"id\": 0, \"name\": \"A}],\n \"traceEvents\": [" KERNEL(
			"a", "1", "1") "," KERNEL("c", "5", "1") "]}",
		2, reason, 1);
	check_loss("{\"deviceProperties\": {{{{ , \"traceEvents\": [" KERNEL(
			   "a", "1", "1") "," KERNEL("c", "5", "1") "]}",
		   2, reason, 1);
}

TEST(trailing_things_are_no_loss)
{
	struct dp_trace *trace =
		must_read("\xef\xbb\xbf" HEAD KERNEL("a", "1", "1") ",]}\n\n extra");

	ck_assert_uint_eq(dp_trace_ops(trace)->count, 1);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	dp_trace_free(trace);
}

TEST(refusals)
{
	must_fail("{\"some\": \"config\", \"a\": [{\"name\": 1}]}", DP_ERR_FORMAT, "no traceEvents",
		  0);
	must_fail("{\"a\": [{\"name\": 1}, {\"name\" 2}], }}", DP_ERR_FORMAT, "no traceEvents", 1);
	must_fail("{}", DP_ERR_FORMAT, "no traceEvents", 0);
	must_fail("[]", DP_ERR_FORMAT, "an empty list; if a profiler wrote it", 0);
	must_fail("[1, 2, 3]", DP_ERR_DAMAGED, "no trace event", 1);
	must_fail("{\"schemaVersion\": 1,\n \"traceEv", DP_ERR_DAMAGED, "file ends before", 2);
	must_fail("{\"schemaVersion\": 1,\n\n \"traceEvents\": [ nonsense ]}", DP_ERR_DAMAGED,
		  "broken JSON", 3);
	must_fail(HEAD
		  "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::add\",\"pid\":1,\"tid\":1,"
		  "\"ts\":1,\"dur\":1}]}",
		  DP_ERR_NO_GPU, "1 operator", 0);
}

TEST(forced_on_something_else)
{
	static const char zeros[3];
	struct dp_error error;

	ck_assert_ptr_null(read_bytes("hello", 5, &error, "kineto"));
	ck_assert_int_eq(error.status, DP_ERR_FORMAT);
	ck_assert_str_eq(error.message, "not JSON: begins with neither { nor [");
	ck_assert_ptr_null(read_bytes("", 0, &error, "kineto"));
	ck_assert_int_eq(error.status, DP_ERR_FORMAT);
	ck_assert_ptr_null(read_bytes(zeros, sizeof(zeros), &error, "tf_timeline"));
	ck_assert_int_eq(error.status, DP_ERR_FORMAT);
}

/* traceEvents far behind the first 64 KiB, and events larger than the window. */
TEST(large_pieces)
{
	size_t size = (size_t)3 << 20, used;
	char *text = malloc(size + 4096);
	struct dp_error error;
	struct dp_trace *trace;

	used = (size_t)sprintf(text, "{\"INFO\": [\"");
	memset(text + used, 'x', (size_t)1 << 20);
	used += (size_t)1 << 20;
	used += (size_t)sprintf(text + used, "\"], \"traceEvents\": [" KERNEL("a", "1", "1"));
	used += (size_t)sprintf(text + used, ", {\"args\": {\"Call stack\": \"");
	memset(text + used, 'y', (size_t)1 << 20);
	used += (size_t)1 << 20;
	used += (size_t)sprintf(
		text + used,
		"\"}, \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"b\", "
		"\"pid\": 0, \"tid\": 7, \"ts\": 2, \"dur\": 1}, " KERNEL("c", "3", "1") "]}");
	trace = read_bytes(text, used, &error, NULL);
	ck_assert_msg(trace != NULL, "%s", error.message);
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 3);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	dp_trace_free(trace);
	free(text);
}
