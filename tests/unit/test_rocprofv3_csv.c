/* rocprofv3's CSV: the columns of its versions and options, joined tables, and damage. */
#include "test.h"

#include <deepprof/trace.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KERNELS                                                                                  \
	"\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\","        \
	"\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"" \
	",\"LDS_Block_Size\"\n"
#define ROW(agent, stream, name, start, end) \
	"\"KERNEL_DISPATCH\"," agent ",1," stream ",77,5,9," name ",7," start "," end ",0\n"
#define GOOD ROW("\"Agent 4\"", "0", "\"add(float*, int)\"", "1000", "1500")
#define COPIES                                                                              \
	"\"Kind\",\"Direction\",\"Stream_Id\",\"Source_Agent_Id\",\"Destination_Agent_Id\"" \
	",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
#define COPY(direction, from, to, start, end) \
	"\"MEMORY_COPY\",\"" direction "\",3," from "," to ",7," start "," end "\n"

static struct dp_trace *trace;
static struct dp_error error;

static int open_text(const char *text)
{
	struct dp_open_options options = DP_OPEN_OPTIONS_INIT;
	char path[] = "/tmp/deepprof-test-XXXXXX";
	int fd = mkstemp(path), status;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	memset(&error, 0, sizeof(error));
	options.label = "kernel_trace.csv";
	trace = NULL;
	status = dp_trace_open(&trace, path, &options, &error);
	unlink(path);
	return status;
}

static const struct dp_ops *good(const char *text)
{
	int status = open_text(text);

	ck_assert_msg(status == DP_OK, "%s", error.message);
	ck_assert_str_eq(dp_trace_format(trace), "rocprofv3_csv");
	return dp_trace_ops(trace);
}

/* The text is refused with one line that contains the words. */
static void refused(const char *text, int status, const char *words)
{
	ck_assert_int_eq(open_text(text), status);
	ck_assert_ptr_null(trace);
	ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
	ck_assert_ptr_null(strchr(error.message, '\n'));
}

static const char *name_of(size_t op)
{
	return dp_trace_string(trace, dp_trace_ops(trace)->name[op]);
}

static const struct dp_stream *stream_of(size_t op)
{
	return dp_trace_stream(trace, dp_trace_ops(trace)->stream[op]);
}

static int64_t device_of(size_t op)
{
	return dp_trace_device(trace, stream_of(op)->device)->id;
}

TEST(kernels)
{
	const struct dp_ops *ops =
		good(KERNELS ROW("\"GPU 4\"", "2", "\"mul<float, 4>(float*)\"", "90754858099371",
				 "90754858101375") ROW("\"GPU 1\"", "0", "_Z3addPfi.kd",
						       "90754858086907", "90754858096927"));

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_str_eq(name_of(0), "add(float*, int)");
	ck_assert_str_eq(name_of(1), "mul<float, 4>(float*)");
	ck_assert_int_eq(ops->end_ns[0], 10020);
	ck_assert_int_eq(ops->start_ns[1], 12464);
	ck_assert_int_eq(device_of(0), 1);
	ck_assert_int_eq(device_of(1), 4);
	ck_assert_int_eq(stream_of(1)->stream, 2);
	ck_assert_uint_eq(dp_trace_lost(trace), 0);
	ck_assert_ptr_nonnull(strstr(dp_trace_need(trace, DP_NEED_LAUNCHES)->record, "rocpd"));
	dp_trace_free(trace);
}

/* ROCm 6.2 has a queue only; rocpd's converter puts a Guid in front, and pandas a number. */
TEST(other_columns)
{
	static const char *const texts[] = {
		"\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Name\",\"Start_Timestamp\","
		"\"End_Timestamp\"\r\n\"KERNEL_DISPATCH\",2,5,\"k\",10,20\r\n",
		"\xef\xbb\xbfGuid,Kind,Agent_Id,Queue_Id,Stream_Id,Kernel_Name,Start_Timestamp,"
		"End_Timestamp\n00006409-00d1,KERNEL_DISPATCH,Agent 2,1,5,k,10,20",
		",Kind,End_Timestamp,Start_Timestamp,Kernel_Name,Stream_Id,Agent_Id\n"
		"0,KERNEL_DISPATCH,20,10,k,5,Agent-2\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const struct dp_ops *ops = good(texts[i]);

		ck_assert_uint_eq(ops->count, 1);
		ck_assert_int_eq(ops->end_ns[0], 10);
		ck_assert_int_eq(device_of(0), 0);
		ck_assert_int_eq(stream_of(0)->stream, 5);
		dp_trace_free(trace);
	}
}

TEST(copies)
{
	const struct dp_ops *ops = good(
		COPIES COPY("MEMORY_COPY_HOST_TO_DEVICE", "\"Agent 0\"", "\"Agent 4\"", "10",
			    "20") COPY("DEVICE_TO_HOST", "5", "0", "30", "40")
			COPY("MEMORY_COPY_DEVICE_TO_DEVICE", "4", "4", "50", "60")
				COPY("MEMORY_COPY_DEVICE_TO_DEVICE", "4", "5", "70", "80")
					COPY("MEMORY_COPY_HOST_TO_HOST", "0", "1", "80", "90"));

	ck_assert_uint_eq(ops->count, 4);
	for (size_t i = 0; i < ops->count; i++)
		ck_assert_uint_eq(ops->kind[i], DP_OP_COPY);
	ck_assert_int_eq(ops->copy_kind[0], DP_COPY_HTOD);
	ck_assert_int_eq(ops->copy_kind[1], DP_COPY_DTOH);
	ck_assert_int_eq(ops->copy_kind[2], DP_COPY_DTOD);
	ck_assert_int_eq(ops->copy_kind[3], DP_COPY_PTOP);
	ck_assert_int_eq(device_of(0), 0);
	ck_assert_int_eq(device_of(1), 1);
	ck_assert_int_eq(stream_of(0)->stream, 3);
	dp_trace_free(trace);
}

#define AGENTS                                                              \
	"\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Product_Name\"\n" \
	"0,0,\"CPU\",\"Milan\"\n1,1,\"CPU\",\"Milan\"\n"                    \
	"2,2,\"GPU\",\"MI250X\"\n3,3,\"GPU\",\"MI250X\"\n"

/* Processors are agents, too: what is a GPU says agent_info.csv or, without it, the operations. */
TEST(agents)
{
	static const struct {
		const char *text;
		int64_t first, second;
	} cases[] = {
		{ KERNELS ROW("Agent 9", "0", "k", "5", "9") ROW("Agent 4", "0", "k", "1", "3"), 0,
		  1 },
		{ KERNELS ROW("9", "0", "k", "5", "9") ROW("3", "0", "k", "1", "3"), 0, 1 },
		{ AGENTS KERNELS ROW("Agent 3", "0", "k", "1", "9")
			  COPIES COPY("HOST_TO_DEVICE", "Agent 0", "Agent 2", "10", "20"),
		  1, 0 },
		{ KERNELS ROW("Agent 3", "0", "k", "1", "9") AGENTS, 0, 0 },
		{ AGENTS KERNELS ROW("Agent 3", "0", "k", "1", "3")
			  ROW("Agent 1", "0", "k", "5", "9"),
		  1, 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t last = good(cases[i].text)->count - 1;

		ck_assert_int_eq(device_of(0), cases[i].first);
		ck_assert_int_eq(device_of(last), cases[i].second);
		ck_assert_uint_eq(dp_trace_lost(trace), 0);
		dp_trace_free(trace);
	}
	refused(AGENTS, DP_ERR_NO_GPU, "kernels are in the kernel_trace.csv of the same run");
}

#define CALLS                                                                      \
	"\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\"," \
	"\"Start_Timestamp\",\"End_Timestamp\"\n"                                  \
	"\"HIP_RUNTIME_API_EXT\",\"hipLaunchKernel\",42,43,7,900,950\n"            \
	"\"MARKER_CORE_RANGE_API\",\"step\",42,43,8,800,2000\n"                    \
	"\"MARKER_CORE_API\",\"mark\",42,43,9,800,800\n"                           \
	"\"MARKER_CONTROL_API\",\"roctxProfilerPause\",42,43,10,800,900\n"         \
	"\"RCCL_API\",\"ncclAllReduce\",42,43,11,800,900\n"

/* Several tables of a process in one file. */
TEST(joined_tables)
{
	const struct dp_ops *ops =
		good(KERNELS GOOD CALLS COPIES COPY("HOST_TO_DEVICE", "0", "4", "400", "500")
			     KERNELS GOOD "\"Kind\",\"Operation\",\"Agent_Id\"\n"
					  "\"SCRATCH_MEMORY\",\"ALLOC\",4\n");
	const struct dp_calls *calls = dp_trace_calls(trace);
	const struct dp_ranges *ranges = dp_trace_ranges(trace);

	ck_assert_uint_eq(ops->count, 3);
	ck_assert_uint_eq(ops->kind[0], DP_OP_COPY);
	ck_assert_uint_eq(ops->call[1], 0);
	ck_assert_uint_eq(calls->count, 1);
	ck_assert_str_eq(dp_trace_string(trace, calls->name[0]), "hipLaunchKernel");
	ck_assert_int_eq(dp_trace_thread(trace, calls->thread[0])->tid, 43);
	ck_assert_uint_eq(ranges->count, 2);
	ck_assert_str_eq(dp_trace_string(trace, ranges->name[0]), "step");
	ck_assert_int_eq(ranges->kind[0], DP_RANGE_NVTX);
	ck_assert_int_eq(ranges->kind[1], DP_RANGE_OPERATOR);
	ck_assert_uint_eq(dp_trace_process_count(trace), 1);
	ck_assert_int_eq(dp_trace_process(trace, 0)->pid, 42);
	ck_assert_uint_eq(dp_trace_lost(trace), 0);
	dp_trace_free(trace);
}

/* Calls come first in alphabetical order of the files. */
TEST(calls_before_kernels)
{
	ck_assert_uint_eq(good(CALLS KERNELS GOOD)->call[0], 0);
	dp_trace_free(trace);
}

TEST(other_tables)
{
	refused("\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Kernel_Name\",\"Counter_Name\","
		"\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\n",
		DP_ERR_UNSUPPORTED, "record without counters, with rocprofv3 --kernel-trace");
	refused(CALLS, DP_ERR_NO_GPU, "kernels are in the kernel_trace.csv of the same run");
	refused("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n",
		DP_ERR_UNSUPPORTED, "analyze results.csv or kernel_trace.csv");
	refused(KERNELS, DP_ERR_NO_GPU, "rocprofv3 --sys-trace");
	refused("\"Kind\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\n" GOOD,
		DP_ERR_DAMAGED, "without a header row");
}

/* What no operation can be read from is an error with its place. */
TEST(damaged_rows)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ KERNELS "\"KERNEL_DISPATCH\",\"Agent 4\",1",
		  "row of 3 fields under a header of 12" },
		{ KERNELS "\"KERNEL_DISPATCH\",\"Agent 4,1\n", "quote that is not closed" },
		{ KERNELS ROW("4", "0", "k", "2000", "1999"),
		  "the operation ends before it begins: '1999'" },
		{ KERNELS ROW("4", "0", "k", "1000", "0"), "not a time: '0'" },
		{ KERNELS ROW("4", "0", "k", "1000", "9223372036854775807"), "not a time: '92" },
		{ KERNELS ROW("4", "0", "k", "18446744073709551616", "1"), "not a time: '184" },
		{ KERNELS ROW("4", "0", "k", "-5", "9"), "not a time: '-5'" },
		{ KERNELS ROW("Agent", "0", "k", "5", "9"), "not an agent: 'Agent'" },
		{ KERNELS ROW("-4", "0", "k", "5", "9"), "not an agent: '-4'" },
		{ KERNELS ROW("", "0", "k", "5", "9"), "empty field" },
		{ KERNELS ROW("4", "0x7f", "k", "5", "9"), "not a number: '0x7f'" },
		{ KERNELS ROW("4", "0", "", "5", "9"), "empty field" },
		{ COPIES COPY("SIDEWAYS", "0", "4", "5", "9"),
		  "not the direction of a copy: 'SIDEWAYS'" },
		{ COPIES COPY("HOST_TO_DEVICE", "0", "x", "5", "9"), "not an agent: 'x'" },
		{ KERNELS "\"KERNEL_DISPATCH\",4,1,0,77,5,9,k,-7,5,9,0\n", "not a number: '-7'" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		refused(cases[i].text, DP_ERR_DAMAGED, cases[i].words);
		ck_assert_uint_eq(error.line, 2);
	}
}

/* Where others can be read, it is a loss. */
TEST(partly_damaged)
{
	const struct dp_ops *ops =
		good(KERNELS GOOD ROW("4", "0", "k", "2000", "1999") GOOD "\"KERNEL_DISPATCH\",4");

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_uint_eq(dp_trace_lost(trace), 2);
	dp_trace_free(trace);
}
