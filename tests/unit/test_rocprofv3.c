/* rocprofv3's JSON: the result of each record, several processes, and the effect of damage. */
#include "kineto_text.h"
#include "test.h"

#include <stdio.h>

#define AGENTS                                                                         \
	"\"agents\":[{\"size\":312,\"id\":{\"handle\":90},\"type\":1},"                \
	"{\"size\":312,\"id\":{\"handle\":91},\"type\":2,\"product_name\":\"MI300X\"," \
	"\"logical_node_type_id\":0},{\"size\":312,\"id\":{\"handle\":92},\"type\":2," \
	"\"product_name\":\"MI300X \\u00e9\",\"logical_node_type_id\":1}],"
#define STRINGS                                                                                   \
	"\"strings\":{\"callback_records\":[{\"kind\":\"HIP_RUNTIME_API\",\"operations\":"        \
	"[\"wrong\",\"wrong\"]}],\"buffer_records\":[{\"kind\":\"NONE\",\"operations\":[]},"      \
	"{\"kind\":\"HIP_RUNTIME_API_EXT\",\"operations\":[\"hipApiName\",\"hipLaunchKernel\"]}," \
	"{\"kind\":\"MARKER_CORE_RANGE_API\",\"operations\":[\"roctxMarkA\","                     \
	"\"roctxThreadRangeA\"]},{\"kind\":\"RCCL_API\",\"operations\":[\"ncclAllReduce\"]},"     \
	"{\"kind\":\"MEMORY_COPY\",\"operations\":[\"MEMORY_COPY_NONE\","                         \
	"\"MEMORY_COPY_HOST_TO_DEVICE\",\"MEMORY_COPY_DEVICE_TO_HOST\"]},"                        \
	"{\"kind\":\"MEMORY_ALLOCATION\",\"operations\":[\"MEMORY_ALLOCATION_ALLOCATE\","         \
	"\"MEMORY_ALLOCATION_FREE\"]},{\"kind\":\"SCRATCH_MEMORY\",\"operations\":[\"S\"]}],"     \
	"\"marker_api\":[{\"key\":77,\"value\":\"step \\\"1\\\"\"}]},"
#define SYMBOLS                                                                              \
	"\"kernel_symbols\":[{\"size\":88,\"kernel_id\":1,\"kernel_name\":\"_Z3addPfi.kd\"," \
	"\"demangled_kernel_name\":\"add(float*, int) [clone .kd]\"},"                       \
	"{\"size\":88,\"kernel_id\":2,\"kernel_name\":\"_Z3mulPfi.kd\"}],"
#define TIMES(kind, operation, id, start, end)                                                     \
	"{\"size\":96,\"kind\":" kind ",\"operation\":" operation ",\"correlation_id\":{"          \
	"\"internal\":" id ",\"external\":0},\"start_timestamp\":" start ",\"end_timestamp\":" end \
	",\"thread_id\":43"
#define KERNEL_ON(id, kernel, agent, queue, stream, start, end)           \
	TIMES("9", "2", id, start, end)                                   \
	",\"dispatch_info\":{\"size\":72,\"agent_id\":{\"handle\":" agent \
	"},\"queue_id\":{\"handle\":" queue "},\"kernel_id\":" kernel     \
	",\"dispatch_id\":1,\"grid_size\":{\"x\":1,\"y\":1,\"z\":1}}" stream "}"
#define STREAM(id) ",\"stream_id\":{\"handle\":" id "}"
#define PROCESS(pid, config, kernels)                                                                                                                                                                                                                                                                                                                                                              \
	"{\"metadata\":{\"node\":{\"id\":0,\"pid\":5},\"pid\":" pid ",\"config\":{" config                                                                                                                                                                                                                                                                                                         \
	"},\"command\":[\"a\"]}," AGENTS STRINGS "\"code_objects\":[{\"size\":1}]," SYMBOLS                                                                                                                                                                                                                                                                                                        \
	"\"callback_records\":{\"counter_collection\":[{\"kernel_id\":1}]},"                                                                                                                                                                                                                                                                                                                       \
	"\"buffer_records\":{\"kernel_dispatch\":[" kernels "],"                                                                                                                                                                                                                                                                                                                                   \
	"\"hip_api\":[" TIMES(                                                                                                                                                                                                                                                                                                                                                                     \
		"1", "1", "5", "90",                                                                                                                                                                                                                                                                                                                                                               \
		"95") ",\"args\":{}}],"                                                                                                                                                                                                                                                                                                                                                            \
		      "\"marker_api\":[" TIMES("2", "1", "77", "80",                                                                                                                                                                                                                                                                                                                               \
					       "400") "}," TIMES("2", "0", "78", "81",                                                                                                                                                                                                                                                                                                             \
								 "81") "}],"                                                                                                                                                                                                                                                                                                                       \
								       "\"rccl_api\":[" TIMES(                                                                                                                                                                                                                                                                                                     \
									       "3", "0", "79", "82", "83") "}],"                                                                                                                                                                                                                                                                                   \
													   "\"memory_copy\":[" TIMES("4", "1", "9", "110", "120") ",\"dst_agent_id\":{\"handle\":92},\"src_agent_id\":{\"handle\":90},\"bytes\":64" STREAM("8") "}," TIMES("4", "2", "10", "130", "140") ",\"dst_agent_id\":{\"handle\":90},\"src_agent_id\":{\"handle\":91},\"bytes\":32" STREAM( \
														   "7") "}],\"memory_allocation\":[" TIMES("5",                                                                                                                                                                                                                                    \
																			   "0",                                                                                                                                                                                                                                    \
																			   "11",                                                                                                                                                                                                                                   \
																			   "85",                                                                                                                                                                                                                                   \
																			   "86") ",\"agent_id\":{\"handle\":91},\"address\":{\"value\":4096},\"allocation_size\":1000}," TIMES("5",                                                                                                                                \
																															       "1",                                                                                                                                \
																															       "12",                                                                                                                               \
																															       "300",                                                                                                                              \
																															       "301") ",\"agent_id\":{\"handle\":0},\"address\":{\"value\":4096},\"allocation_size\":0}]}}"
#define DOCUMENT(processes) "{\"rocprofiler-sdk-tool\":[" processes "]}"
#define KERNELS                                                   \
	KERNEL_ON("5", "1", "91", "3", STREAM("7"), "100", "105") \
	"," KERNEL_ON("6", "2", "91", "4", STREAM("7"), "106",    \
		      "109") "," KERNEL_ON("7", "1", "91", "3", STREAM("0"), "150", "155")

/* A document of two processes: one literal must not be that long. */
static const char *both(const char *one, const char *other)
{
	static char text[16384];

	snprintf(text, sizeof(text), "{\"rocprofiler-sdk-tool\":[%s,%s]}", one, other);
	return text;
}

static struct dp_trace *read_text(const char *text)
{
	struct dp_error error;
	struct dp_trace *trace = read_bytes(text, strlen(text), &error, NULL);

	ck_assert_msg(trace != NULL, "%s", error.message);
	ck_assert_str_eq(dp_trace_format(trace), "rocprofv3");
	return trace;
}

TEST(records_become_operations)
{
	struct dp_trace *trace = read_text(DOCUMENT(PROCESS("42", "", KERNELS)));
	const struct dp_ops *ops = dp_trace_ops(trace);

	ck_assert_uint_eq(ops->count, 5);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	ck_assert_str_eq(op_name(trace, 0), "add(float*, int)");
	ck_assert_str_eq(op_name(trace, 1), "mul(float*, int)");
	/* Two queues, but one HIP stream. */
	ck_assert_uint_eq(ops->stream[0], ops->stream[1]);
	ck_assert_int_eq(op_stream(trace, 0)->stream, 7);
	ck_assert_int_eq(op_stream(trace, 4)->stream, 0);
	ck_assert_int_eq(ops->end_ns[0] - ops->start_ns[0], 5);
	ck_assert_int_eq(ops->copy_kind[2], DP_COPY_HTOD);
	ck_assert_int_eq(dp_trace_device(trace, op_stream(trace, 2)->device)->id, 1);
	ck_assert_uint_eq(ops->bytes[2], 64);
	ck_assert_int_eq(ops->copy_kind[3], DP_COPY_DTOH);
	ck_assert_uint_eq(ops->stream[3], ops->stream[0]);
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_device(trace, 1)->name),
			 "MI300X \xc3\xa9");
	ck_assert_int_eq(dp_trace_process(trace, 0)->pid, 42);
	dp_trace_free(trace);
}

TEST(host_records_are_read)
{
	struct dp_trace *trace = read_text(DOCUMENT(PROCESS("42", "", KERNELS)));
	const struct dp_calls *calls = dp_trace_calls(trace);
	const struct dp_ranges *ranges = dp_trace_ranges(trace);

	ck_assert_uint_eq(calls->count, 1);
	ck_assert_str_eq(dp_trace_string(trace, calls->name[0]), "hipLaunchKernel");
	ck_assert_int_eq(dp_trace_thread(trace, calls->thread[0])->tid, 43);
	ck_assert_uint_eq(dp_trace_ops(trace)->call[0], 0);
	ck_assert_uint_eq(dp_trace_ops(trace)->call[1], DP_NONE);
	/* The mark at 81 is a moment. */
	ck_assert_uint_eq(ranges->count, 2);
	ck_assert_str_eq(dp_trace_string(trace, ranges->name[0]), "step \"1\"");
	ck_assert_int_eq(ranges->kind[0], DP_RANGE_NVTX);
	ck_assert_str_eq(dp_trace_string(trace, ranges->name[1]), "ncclAllReduce");
	ck_assert_int_eq(ranges->kind[1], DP_RANGE_OPERATOR);
	dp_trace_free(trace);
}

TEST(memory_is_freed_by_address)
{
	struct dp_trace *trace = read_text(DOCUMENT(PROCESS("42", "", KERNELS)));
	const struct dp_memory *memory = dp_trace_memory(trace);

	ck_assert_uint_eq(memory->count, 2);
	ck_assert_int_eq(memory->delta_bytes[0], 1000);
	ck_assert_int_eq(memory->delta_bytes[1], -1000);
	dp_trace_free(trace);
}

TEST(queues_stand_for_streams)
{
	struct dp_trace *trace =
		read_text(DOCUMENT(PROCESS("42", "\"group_by_queue\":true", KERNELS)));

	ck_assert_int_eq(op_stream(trace, 0)->stream, 3);
	ck_assert_int_eq(op_stream(trace, 1)->stream, 4);
	dp_trace_free(trace);
	trace = read_text(
		DOCUMENT(PROCESS("42", "", KERNEL_ON("5", "1", "91", "6", "", "100", "105"))));
	ck_assert_int_eq(op_stream(trace, 0)->stream, 6);
	dp_trace_free(trace);
}

TEST(processes_have_numbers_of_their_own)
{
	struct dp_trace *trace = read_text(both(PROCESS("42", "", KERNELS),
						PROCESS("43", "\"group_by_queue\":true", KERNELS)));
	const struct dp_ops *ops = dp_trace_ops(trace);

	ck_assert_uint_eq(ops->count, 10);
	ck_assert_uint_eq(dp_trace_process_count(trace), 2);
	ck_assert_uint_ne(op_stream(trace, 0)->process, op_stream(trace, 1)->process);
	/* Each is launched by its own process's call. */
	ck_assert_uint_ne(ops->call[0], ops->call[1]);
	ck_assert_uint_ne(ops->call[0], DP_NONE);
	dp_trace_free(trace);
}

TEST(a_kernel_without_symbol_is_a_loss)
{
	struct dp_trace *trace = read_text(DOCUMENT(
		PROCESS("42", "", KERNEL_ON("5", "1234", "93", "3", STREAM("7"), "1", "2"))));

	ck_assert_str_eq(op_name(trace, 0), "[kernel 1234]");
	ck_assert_uint_eq(dp_trace_loss_count(trace), 1);
	ck_assert_uint_eq(dp_trace_loss(trace, 0)->records, 1);
	ck_assert_int_eq(dp_trace_device(trace, op_stream(trace, 0)->device)->id, 93);
	dp_trace_free(trace);
}

/* What remains of a document that breaks at the first occurrence of what. */
static struct dp_trace *broken_at(const char *what, char with)
{
	const char *text = both(PROCESS("42", "", KERNELS), PROCESS("43", "", KERNELS));
	static char copy[16384];
	char *at;

	strcpy(copy, text);
	at = strstr(copy, what);
	ck_assert_ptr_nonnull(at);
	*at = with;
	return read_text(copy);
}

TEST(records_after_damage_are_read)
{
	/* One record is lost with its brace; the lists after it and the other process are not. */
	struct dp_trace *trace =
		broken_at("{\"size\":96,\"kind\":9,\"operation\":2,\"correlation_id\":"
			  "{\"internal\":6",
			  'x');

	ck_assert_uint_eq(dp_trace_ops(trace)->count, 9);
	ck_assert_uint_eq(dp_trace_process_count(trace), 2);
	ck_assert_str_eq(op_name(trace, 0), "add(float*, int)");
	ck_assert_uint_gt(dp_trace_loss_count(trace), 0);
	dp_trace_free(trace);
	/* The first process's kernels lose their names with the list. */
	trace = broken_at("\"kernel_symbols\"", 'x');
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 10);
	dp_trace_free(trace);
}

TEST(what_was_read_before_the_end_stays)
{
	static const char text[] = DOCUMENT(PROCESS("42", "", KERNELS));
	struct dp_error error;
	struct dp_trace *trace;
	const char *end = strstr(text, "\"hip_api\"");

	trace = read_bytes(text, (size_t)(end - text), &error, NULL);
	ck_assert_ptr_nonnull(trace);
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 3);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 1);
	dp_trace_free(trace);
	/* Every prefix of it gives a trace, or an error. */
	for (size_t length = 0; length < sizeof(text) - 1; length += 7) {
		trace = read_bytes(text, length, &error, "rocprofv3");
		ck_assert(trace != NULL || error.message[0]);
		dp_trace_free(trace);
	}
}

TEST(what_is_none_of_it_is_refused)
{
	struct dp_error error;

	ck_assert_ptr_null(read_bytes("{\"a\":1}", 7, &error, "rocprofv3"));
	ck_assert_int_eq(error.status, DP_ERR_FORMAT);
	ck_assert_ptr_null(read_bytes("{\"rocprofiler-sdk-tool\":[{\"meta", 31, &error, NULL));
	ck_assert_int_eq(error.status, DP_ERR_DAMAGED);
	ck_assert_ptr_null(read_bytes(DOCUMENT(""), strlen(DOCUMENT("")), &error, NULL));
	ck_assert_int_ne(error.status, DP_OK);
}

/* Objects in objects cost no stack. */
TEST(deep_nesting_is_skipped)
{
	static char text[200000];
	size_t at = (size_t)sprintf(text, "{\"rocprofiler-sdk-tool\":[{\"metadata\":{\"pid\":1},"
					  "\"buffer_records\":{\"kernel_dispatch\":[{\"size\":1");
	struct dp_error error;
	struct dp_trace *trace;

	while (at < sizeof(text) - 100)
		at += (size_t)sprintf(text + at, ",\"dispatch_info\":{\"size\":1");
	trace = read_bytes(text, at, &error, NULL);
	ck_assert(trace != NULL || error.message[0]);
	dp_trace_free(trace);
}

/* The real trace: dispatches as Python's reader counts them, and the stream that trains. */
TEST(the_real_one_is_whole)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_trace *trace = NULL;
	const struct dp_stream *main_stream = NULL;
	const char *folder = getenv("DEEPPROF_TRACES");
	char file[512];

	snprintf(file, sizeof(file), "%s/rocprofv3-not-chrome.json.gz",
		 folder ? folder : DP_TRACES);
	if (access(file, R_OK))
		return;
	ck_assert_int_eq(dp_trace_open(&trace, file, NULL, &error), DP_OK);
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 43915);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	for (size_t i = 0; i < dp_trace_stream_count(trace); i++)
		if (dp_trace_stream(trace, i)->stream == 567)
			main_stream = dp_trace_stream(trace, i);
	ck_assert_ptr_nonnull(main_stream);
	ck_assert_uint_eq(main_stream->kernels, 37300);
	ck_assert_int_eq(main_stream->stream_class, DP_STREAM_MAIN);
	dp_trace_free(trace);
}
