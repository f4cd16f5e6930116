/* Chrome traces of other devices and tools: which events are kernels, and of which device. */
#include "kineto_text.h"
#include "test.h"

#include <stdio.h>

#define META(kind, pid, tid, name)                                                \
	"{\"ph\": \"M\", \"name\": \"" kind "\", \"pid\": " pid ", \"tid\": " tid \
	", \"args\": {\"name\": \"" name "\"}},\n"
#define X(name, pid, tid, ts, dur, more)                                                          \
	"{\"ph\": \"X\", \"name\": \"" name "\", \"pid\": " pid ", \"tid\": " tid ", \"ts\": " ts \
	", \"dur\": " dur more "},\n"
#define ARGS(text) ", \"args\": {" text "}"
#define CAT(text) ", \"cat\": \"" text "\""
#define DOCUMENT(events) "{\"traceEvents\": [\n" events "{}]}"

static struct dp_trace *read_as(const char *text, const char *format)
{
	struct dp_error error;
	struct dp_trace *trace = read_bytes(text, strlen(text), &error, NULL);

	ck_assert_msg(trace != NULL, "%s", error.message);
	ck_assert_str_eq(dp_trace_format(trace), format);
	return trace;
}

static struct dp_trace *read_text(const char *text)
{
	return read_as(text, "kineto");
}

static int64_t device_of(const struct dp_trace *trace, size_t op)
{
	return dp_trace_device(trace, op_stream(trace, op)->device)->id;
}

/* rocprof: rows by their names, numbers as texts, calls and kernels by Index. */
TEST(rocprof)
{
	struct dp_trace *trace = read_as(
		DOCUMENT(META("process_name", "2", "0", "CPU HIP API") META(
			"process_name", "3", "0",
			"CPU HSA API") META("process_name", "1", "0",
					    "COPY") META("process_name", "7", "0",
							 "GPU1") META("process_name", "0", "0",
								      "Markers and Ranges")
				 X("hipLaunchKernel", "\"2\"", "\"77\"", "\"10.500\"", "\"2.250\"",
				   ARGS("\"BeginNs\": \"10500\", \"Index\": \"0\""))
					 X("hsa_signal_wait", "3", "77", "11", "1",
					   ARGS("\"Index\": \"0\""))
						 X("_Z3addPfi", "7", "5", "\"14.125\"", "\"3.000\"",
						   ARGS("\"dev-id\": \"1\", \"Index\": \"0\""))
							 X("Unknown command type", "7", "5", "17",
							   "0", ARGS("\"Index\": \"1\""))
								 X("<barrier packet>", "7", "5",
								   "18", "1",
								   ARGS("\"Index\": \"1\""))
									 X("CopyHostToDevice", "1",
									   "0", "20", "1",
									   ARGS("\"dev-id\": 1, "
										"\"Index\": 3"))
										 X("step", "0",
										   "77", "9", "20",
										   "")),
		"rocprof");
	const struct dp_ops *ops = dp_trace_ops(trace);
	const struct dp_calls *calls = dp_trace_calls(trace);

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_str_eq(op_name(trace, 0), "add(float*, int)");
	ck_assert_int_eq(ops->end_ns[0] - ops->start_ns[0], 3000);
	ck_assert_int_eq(device_of(trace, 0), 1);
	ck_assert_int_eq(op_stream(trace, 0)->stream, 5);
	ck_assert_int_eq(ops->kind[1], DP_OP_COPY);
	ck_assert_int_eq(ops->copy_kind[1], DP_COPY_HTOD);
	ck_assert_int_eq(device_of(trace, 1), 1);
	ck_assert_uint_eq(calls->count, 2);
	ck_assert_str_eq(dp_trace_string(trace, calls->name[ops->call[0]]), "hipLaunchKernel");
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 1);
	ck_assert_int_eq(dp_trace_ranges(trace)->kind[0], DP_RANGE_NVTX);
	dp_trace_free(trace);
}

#define ROWS META("process_name", "2", "0", "CPU HIP API") META("process_name", "7", "0", "GPU1")
#define EXACT(ts, dur, args) \
	X("k", "\"7\"", "\"5\"", "\"" ts "\"", "\"" dur "\"", ARGS("\"dev-id\": \"1\"" args))
#define TIMES(begin, end) ", \"BeginNs\": \"" begin "\", \"EndNs\": \"" end "\""

/* rocprof: exact times in args, by the same clock or another, and times that are none. */
TEST(rocprof_exact_times)
{
	static const struct {
		const char *text;
		int64_t start_ns, end_ns; /* of the second kernel, from the start of the first */
	} cases[] = {
		{ DOCUMENT(ROWS EXACT("10", "5", TIMES("10287", "15407"))
				   EXACT("15", "5", TIMES("15407", "20999"))),
		  5120, 10712 },
		{ DOCUMENT(ROWS EXACT("10", "5", TIMES("8000010987", "8000016107"))
				   EXACT("16", "5", TIMES("8000016107", "8000021699"))),
		  5120, 10712 },
		{ DOCUMENT(ROWS EXACT("10", "5", "") EXACT("15", "5", "")), 5000, 10000 },
		{ DOCUMENT(ROWS EXACT("10", "5", TIMES("10000", "15100"))
				   EXACT("15", "5", ", \"BeginNs\": \"15100\"")),
		  5000, 10000 },
		/* not a number, the end before the start, another time, another length, too large
		 */
		{ DOCUMENT(ROWS EXACT("10", "5", TIMES("10000", "15100"))
				   EXACT("15", "5", TIMES("x", "20100"))),
		  5000, 10000 },
		{ DOCUMENT(ROWS EXACT("10", "5", TIMES("10000", "15100"))
				   EXACT("15", "5", TIMES("20100", "15100"))),
		  5000, 10000 },
		{ DOCUMENT(ROWS EXACT("10", "5", TIMES("10000", "15100"))
				   EXACT("15", "5", TIMES("25100", "30100"))),
		  5000, 10000 },
		{ DOCUMENT(ROWS EXACT("10", "5", TIMES("10000", "15100"))
				   EXACT("15", "5", TIMES("15100", "30100"))),
		  5000, 10000 },
		{ DOCUMENT(ROWS EXACT("10", "5", TIMES("10000", "15100")) EXACT(
			  "15", "5", TIMES("9223372036854775807", "9223372036854775807"))),
		  5000, 10000 },
		{ DOCUMENT(ROWS EXACT("10", "5", TIMES("10000", "15100"))
				   EXACT("15", "5", ", \"EndNs\": \"9223372036854775807\"")),
		  5000, 10000 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct dp_trace *trace = read_as(cases[i].text, "rocprof");
		const struct dp_ops *ops = dp_trace_ops(trace);

		ck_assert_uint_eq(ops->count, 2);
		ck_assert_int_eq(ops->start_ns[1] - ops->start_ns[0], cases[i].start_ns);
		ck_assert_int_eq(ops->end_ns[1] - ops->start_ns[0], cases[i].end_ns);
		dp_trace_free(trace);
	}
}

/* Without kernels, the advice is rocprof's. GPU rows alone are those of other converters, too. */
TEST(rocprof_without_kernels)
{
	static const char text[] = DOCUMENT(META("process_name", "1", "0", "COPY"));
	static const char other[] =
		DOCUMENT(META("process_name", "7", "0", "GPU1") X("k", "7", "5", "14", "3", ""));
	struct dp_error error;

	ck_assert_ptr_null(read_bytes(text, strlen(text), &error, NULL));
	ck_assert_int_eq(error.status, DP_ERR_NO_GPU);
	ck_assert_msg(strstr(error.message, "record with rocprof --hip-trace, or rocprofv3") !=
			      NULL,
		      "%s", error.message);
	dp_trace_free(read_text(other));
}

/* XPU, MLU, GCU: Kineto's words with the name of the device. */
TEST(categories_of_other_devices)
{
	struct dp_trace *trace = read_text(DOCUMENT(
		X("urEnqueueKernelLaunch", "42", "43", "1", "1",
		  CAT("xpu_runtime") ARGS("\"correlation\": 5"))
			X("gemm", "0", "7", "10", "2",
			  CAT("kernel") ARGS("\"device\": 0, \"stream\": 7, \"correlation\": 5"))
				X("Memcpy HtoD", "0", "7", "13", "1",
				  CAT("mlu_memcpy")
					  ARGS("\"device\": 0, \"stream\": 7, \"bytes\": 64"))
					X("Memset (Device)", "0", "7", "15", "1",
					  CAT("gcu_memset") ARGS("\"device\": 0, \"stream\": 7"))
						X("a", "0", "7", "1", "90",
						  CAT("mlu_user_annotation"))));
	const struct dp_ops *ops = dp_trace_ops(trace);

	ck_assert_uint_eq(ops->count, 3);
	ck_assert_int_eq(ops->kind[1], DP_OP_COPY);
	ck_assert_uint_eq(ops->bytes[1], 64);
	ck_assert_int_eq(ops->kind[2], DP_OP_MEMSET);
	ck_assert_uint_eq(dp_trace_calls(trace)->count, 1);
	ck_assert_uint_eq(ops->call[0], 0);
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 0);
	dp_trace_free(trace);
}

/* Rows that summarize others are left out, and the name decides about kernels of unknown type. */
TEST(ascend_rows)
{
	struct dp_trace *trace = read_text(
		"[\n" META("process_name", "900", "0",
			   "Ascend Hardware") META("process_name", "901", "0", "Overlap Analysis")
			META("process_name", "902", "0",
			     "CANN") X("aclnnAdd_AddAiCore_Add", "900", "3", "\"10.100\"", "2",
				       ARGS("\"Task Type\": \"Other\", \"Stream Id\": 3"))
				X("MEMCPY_ASYNC", "900", "3", "\"12.500\"", "0.4",
				  ARGS("\"Task Type\": \"Other\""))
					X("EVENT_WAIT", "900", "3", "\"13.100\"", "2",
					  ARGS("\"Task Type\": \"Other\""))
						X("Computing", "901", "0", "\"10.100\"", "2", "")
							X("AscendCL@aclnnAdd", "902", "7",
							  "\"9.100\"", "1", "") "{}]");

	ck_assert_uint_eq(dp_trace_ops(trace)->count, 2);
	ck_assert_str_eq(op_name(trace, 0), "aclnnAdd_AddAiCore_Add");
	ck_assert_int_eq(dp_trace_ops(trace)->kind[1], DP_OP_COPY);
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 1);
	dp_trace_free(trace);
}

#define LABEL(pid, label)                                             \
	"{\"ph\": \"M\", \"name\": \"process_labels\", \"pid\": " pid \
	", \"tid\": 0, \"args\": {\"labels\": \"" label "\"}},\n"

/* Of the NPU's rows only tasks are read, and copies have a direction and a size. */
TEST(ascend_labels)
{
	struct dp_trace *trace = read_text(
		"[\n" META("process_name", "902", "0", "CANN") LABEL("902", "CPU") META(
			"process_name", "903", "0",
			"Communication") LABEL("903",
					       "NPU 3") X("hcom_allReduce__1_0", "903", "0",
							  "\"10.100\"", "5",
							  ARGS("\"rank_size\": 8, \"count\": 4"))
			X("Memcpy", "903", "1", "\"10.100\"", "4",
			  ARGS("\"task type\": \"SDMA\", \"size(Byte)\": 64"))
				X("MEMCPY_ASYNC", "900", "3", "\"12.500\"", "0.4",
				  ARGS("\"Task Type\": \"PCIE_DMA_SQE\", \"Physic Stream Id\": 3, "
				       "\"size(B)\": 4096, \"operation\": \"host to device ex\""))
					X("SDMA_SQE", "900", "3", "\"14.500\"", "0.4",
					  ARGS("\"Task Type\": \"SDMA_SQE\""))
						X("AscendCL@aclnnAdd", "902", "7", "\"9.100\"", "1",
						  "") META("process_name", "900", "0",
							   "Ascend Hardware")
							LABEL("900", "NPU 3") "{}]");
	const struct dp_ops *ops = dp_trace_ops(trace);

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_int_eq(ops->copy_kind[0], DP_COPY_HTOD);
	ck_assert_uint_eq(ops->bytes[0], 4096);
	ck_assert_str_eq(op_name(trace, 0), "Memcpy HtoD");
	ck_assert_int_eq(ops->copy_kind[1], DP_COPY_UNKNOWN);
	ck_assert_str_eq(op_name(trace, 1), "SDMA_SQE");
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 1);
	ck_assert_uint_eq(dp_trace_process_count(trace), 1);
	dp_trace_free(trace);
}

/* trace_view.json: a task's type tells what it is. */
TEST(ascend)
{
	struct dp_trace *trace = read_text(
		"[\n" META("process_name", "900", "0", "Ascend Hardware")
			X("MatMulV2", "900", "4", "\"1699529623106750.100\"", "31.92",
			  ARGS("\"Task Type\": \"AI_CORE\", \"Stream Id\": 4, \"Task Id\": 3"))
				X("Add", "900", "4", "\"1699529623106790.100\"", "2",
				  ARGS("\"Task Type\": \"AI_VECTOR_CORE\", \"Stream Id\": 4"))
					X("EVENT_WAIT", "900", "4", "\"1699529623106795.100\"", "9",
					  ARGS("\"Task Type\": \"EVENT_WAIT\", \"Stream Id\": 4"))
						X("MEMCPY_ASYNC", "901", "6",
						  "\"1699529623106799.100\"", "1",
						  ARGS("\"Task Type\": \"SDMA_SQE\", "
						       "\"Stream Id\": 6"))
							X("aten::mm", "42", "43",
							  "\"1699529623106700.100\"", "9",
							  CAT("cpu_op")) "{}]");
	const struct dp_ops *ops = dp_trace_ops(trace);
	int64_t t0_ns;

	ck_assert_uint_eq(ops->count, 3);
	ck_assert_str_eq(op_name(trace, 0), "MatMulV2");
	ck_assert_int_eq(op_stream(trace, 0)->stream, 4);
	ck_assert_int_eq(device_of(trace, 0), 0);
	ck_assert_int_eq(ops->kind[2], DP_OP_COPY);
	ck_assert_int_eq(device_of(trace, 2), 1);
	ck_assert(dp_trace_t0(trace, &t0_ns));
	ck_assert_int_eq(t0_ns, INT64_C(1699529623106750100));
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 1);
	dp_trace_free(trace);
}

/* Events on a grid are kernels; waits, signals and packets are not. */
TEST(mtia)
{
	struct dp_trace *trace = read_text(DOCUMENT(
		X("fc-dtype_Float", "9", "408", "20.5", "40",
		  CAT("mtia_ccp_events")
			  ARGS("\"correlation\": 5, \"stream\": 102, \"column\": \"0\", "
			       "\"row\": \"0\", \"packet_ptr\": 1"))
			X("dma_request", "9", "408", "12", "4",
			  CAT("mtia_ccp_events")
				  ARGS("\"stream\": 102, \"direction\": \"DEVICE_TO_HOST\", "
				       "\"size\": 64, \"sqid\": 1"))
				X("event_wait", "9", "408", "16", "4",
				  CAT("mtia_ccp_events") ARGS("\"stream\": 102, \"sqid\": 1"))
					X("event_record", "9", "408", "61", "1",
					  CAT("mtia_ccp_events") ARGS("\"stream\": 102"))
						X("runFunction", "42", "43", "10", "1",
						  CAT("mtia_runtime") ARGS("\"correlation\": 5"))));
	const struct dp_ops *ops = dp_trace_ops(trace);

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_int_eq(ops->kind[0], DP_OP_COPY);
	ck_assert_int_eq(ops->copy_kind[0], DP_COPY_DTOH);
	ck_assert_uint_eq(ops->bytes[0], 64);
	ck_assert_str_eq(op_name(trace, 1), "fc-dtype_Float");
	ck_assert_int_eq(device_of(trace, 1), 9);
	ck_assert_int_eq(op_stream(trace, 1)->stream, 102);
	ck_assert_uint_eq(ops->call[1], 0);
	ck_assert_uint_eq(dp_trace_syncs(trace)->count, 1);
	ck_assert_int_eq(dp_trace_syncs(trace)->kind[0], DP_SYNC_STREAM_WAIT_EVENT);
	dp_trace_free(trace);
}

TEST(mtia_is_refused_by_name)
{
	static const char text[] = DOCUMENT(X("fc", "0", "7", "1", "2", CAT("mtia_ccp_events")) X(
		"mtiaLaunch", "42", "43", "1", "1", CAT("mtia_runtime")));
	struct dp_error error;

	ck_assert_ptr_null(read_bytes(text, strlen(text), &error, NULL));
	ck_assert_int_eq(error.status, DP_ERR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(error.message, "MTIA"));
}

#define XLA_ROWS                                             \
	META("process_name", "1", "0", "/device:GPU:0")      \
	META("thread_name", "1", "17", "Stream #17(Kernel)") \
	META("thread_name", "1", "90", "XLA Ops")            \
	META("thread_name", "1", "91", "XLA Modules")        \
	META("process_name", "701", "0", "/host:CPU")        \
	META("thread_name", "701", "5", "python")

TEST(xla)
{
	struct dp_trace *trace = read_as(
		DOCUMENT(
			XLA_ROWS X("fusion_1", "1", "17", "10.5", "2",
				   ARGS("\"correlation_id\": \"70\""))
				X("MemcpyD2H", "1", "17", "14", "1",
				  ARGS("\"memcpy_details\": \"kind_src:device kind_dst:pinned size:4096 "
				       "dest:0 async:1\", \"correlation_id\": \"71\""))
					X("fusion.1", "1", "90", "10.5", "2",
					  "") X("jit_f(1)", "1", "91", "10", "5",
						"") X("cuLaunchKernel", "701", "5", "8", "1",
						      ARGS("\"correlation_id\": \"70\""))
						X("PjitFunction(f)", "701", "5", "7", "4", "")
							X("$a.py:1 f", "701", "5", "7", "4", "")),
		"xla_json");
	const struct dp_ops *ops = dp_trace_ops(trace);

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_str_eq(op_name(trace, 0), "fusion_1");
	ck_assert_int_eq(op_stream(trace, 0)->stream, 17);
	ck_assert_int_eq(device_of(trace, 0), 0);
	ck_assert_int_eq(ops->copy_kind[1], DP_COPY_DTOH);
	ck_assert_int_eq(ops->dst_kind[1], DP_MEMORY_PINNED);
	ck_assert_uint_eq(ops->bytes[1], 4096);
	ck_assert_uint_eq(ops->call[0], 0);
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 2);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	dp_trace_free(trace);
}

/* Steps of the device are known as steps, as they are in XPlanes. */
TEST(xla_steps)
{
	struct dp_trace *trace =
		read_as(DOCUMENT(XLA_ROWS META("thread_name", "1", "92", "Steps")
					 X("train 3", "1", "92", "10", "5", "")
						 X("fusion_1", "1", "17", "10.5", "2", "")),
			"xla_json");
	const struct dp_ranges *ranges = dp_trace_ranges(trace);

	ck_assert_uint_eq(ranges->count, 1);
	ck_assert_int_eq(ranges->kind[0], DP_RANGE_ANNOTATION);
	ck_assert_str_eq(dp_trace_string(trace, ranges->name[0]), "Step#train 3");
	dp_trace_free(trace);
}

/* A long name of a step is cut between two characters. */
TEST(xla_step_with_a_long_name)
{
#define FIVE "\xe5\xad\xa6\xe5\xad\xa6\xe5\xad\xa6\xe5\xad\xa6\xe5\xad\xa6"
	struct dp_trace *trace =
		read_as(DOCUMENT(XLA_ROWS META("thread_name", "1", "92", "Steps")
					 X(FIVE FIVE FIVE FIVE FIVE FIVE FIVE, "1", "92", "10", "5",
					   "") X("fusion_1", "1", "17", "10.5", "2", "")),
			"xla_json");
	const char *name = dp_trace_string(trace, dp_trace_ranges(trace)->name[0]);

	ck_assert_uint_eq(strlen(name), strlen("Step#") + 78);
	ck_assert_str_eq(name + strlen(name) - 3, "\xe5\xad\xa6");
	dp_trace_free(trace);
}

/* The writer ends after a million events, which is reported; what has more was not cut there. */
TEST_LOOP(xla_is_capped, 2)
{
	static const char head[] = "{\"traceEvents\": [\n" XLA_ROWS;
	const int count = 1000000 + _i;
	char *text = malloc((size_t)count * 64 + 4096);
	struct dp_trace *trace;
	size_t at;

	ck_assert_ptr_nonnull(text);
	at = (size_t)sprintf(text, "%s", head);
	for (int i = 0; i < count; i++)
		at += (size_t)sprintf(text + at,
				      "{\"ph\":\"X\",\"pid\":1,\"tid\":17,\"ts\":%d,\"dur\":1,"
				      "\"name\":\"k\"},\n",
				      i * 2);
	sprintf(text + at, "{}]}");
	trace = read_as(text, "xla_json");
	ck_assert_uint_eq(dp_trace_ops(trace)->count, count);
	ck_assert_uint_eq(dp_trace_loss_count(trace), !_i);
	if (!_i)
		ck_assert_ptr_nonnull(strstr(dp_trace_loss(trace, 0)->reason, ".xplane.pb"));
	dp_trace_free(trace);
	free(text);
}

#define COMMUNICATION(name, ts, args)                                                                 \
	"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ncclDevKernel\", \"pid\": 0, \"tid\": 20, " \
	"\"ts\": " ts ", \"dur\": 5, \"args\": {\"device\": 0, \"context\": 1, \"stream\": 20, "      \
	"\"Collective name\": \"" name "\", \"Group size\": 2, \"Process Group Name\": \"3\", "       \
	"\"Process Group Ranks\": \"[1, 4]\", \"dtype\": \"BFloat16\"" args "}}"

/* PyTorch describes them on their kernels. */
TEST(collectives)
{
	struct dp_trace *trace = read_text(
		HEAD COMMUNICATION("send", "30", ", \"Seq\": 8, \"Src Rank\": 0, \"Dst Rank\": 1") "," COMMUNICATION(
			"allreduce", "10",
			", \"In msg nelems\": 6, \"Out msg nelems\": 4") "," KERNEL("add", "20",
										    "1") "]}");
	const struct dp_collectives *calls = dp_trace_collectives(trace);

	ck_assert_uint_eq(dp_trace_ops(trace)->count, 3);
	ck_assert_uint_eq(calls->count, 2);
	ck_assert_str_eq(dp_trace_string(trace, calls->name[0]), "allreduce");
	ck_assert_str_eq(dp_trace_string(trace, calls->group[0]), "3 [1, 4]");
	ck_assert_int_eq(calls->start_ns[0], 0);
	ck_assert_int_eq(calls->end_ns[0], 5000);
	ck_assert_uint_eq(calls->bytes[0], 12);
	ck_assert_uint_eq(calls->group_size[0], 2);
	ck_assert_int_eq(calls->sequence[0], -1);
	ck_assert_int_eq(calls->peer[0], -1);
	ck_assert_uint_eq(calls->stream[0], dp_trace_ops(trace)->stream[0]);
	ck_assert_int_eq(calls->sequence[1], 8);
	ck_assert_int_eq(calls->peer[1], 1);
	dp_trace_free(trace);
}

/* An estimate of 0 is none. */
TEST(occupancy)
{
	static const char *const numbers[] = { "37", "0", "100", "101", "-3", "\"9\"" };
	static const uint8_t expected[] = { 37, 0, 100, 0, 0, 9 };

	for (size_t i = 0; i < sizeof(expected); i++) {
		char text[320];
		struct dp_trace *trace;

		snprintf(text, sizeof(text),
			 DOCUMENT(X("k", "0", "7", "1", "2",
				    CAT("kernel")
					    ARGS("\"device\": 0, \"context\": 1, \"stream\": 7, "
						 "\"correlation\": 9, \"grid\": [1, 1, 1], "
						 "\"est. achieved occupancy %%\": %s"))),
			 numbers[i]);
		trace = read_text(text);
		ck_assert_uint_eq(dp_trace_ops(trace)->occupancy[0], expected[i]);
		dp_trace_free(trace);
	}
}
