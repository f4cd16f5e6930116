/* rocprof's results.csv: the columns of its versions and options, and damage. */
#include "test.h"

#include <deepprof/trace.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FULL                                                                                   \
	"\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"queue-index\",\"pid\",\"tid\","    \
	"\"grd\",\"wgr\",\"lds\",\"scr\",\"arch_vgpr\",\"accum_vgpr\",\"sgpr\",\"wave_size\"," \
	"\"sig\",\"obj\",\"DispatchNs\",\"BeginNs\",\"EndNs\",\"CompleteNs\",\"DurationNs\"\n"
#define ROW(index, name, gpu, queue, pid, begin, end)                                   \
	index "," name "," gpu "," queue ",0," pid "," pid ",155648,512,0,0,16,0,32,64" \
	      ",\"0x0\",\"0x7f50a7abb600\",5," begin "," end ",9,4\n"
#define GOOD ROW("0", "\"add(float*, int) [clone .kd]\"", "2", "1", "77", "1000", "1500")

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
	options.label = "results.csv";
	trace = NULL;
	status = dp_trace_open(&trace, path, &options, &error);
	unlink(path);
	return status;
}

static const struct dp_ops *good(const char *text)
{
	int status = open_text(text);

	ck_assert_msg(status == DP_OK, "%s", error.message);
	ck_assert_str_eq(dp_trace_format(trace), "rocprof");
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

TEST(all_columns)
{
	const struct dp_ops *ops = good(
		FULL ROW("1", "\"__amd_rocclr_copyBuffer.kd\"", "2", "0", "77", "3599977333897610",
			 "3599977334094740") ROW("0", "\"add(float*, int) [clone .kd]\"", "3", "1",
						 "78", "3599977333839958", "3599977333845531"));

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_str_eq(name_of(0), "add(float*, int)");
	ck_assert_str_eq(name_of(1), "__amd_rocclr_copyBuffer");
	ck_assert_int_eq(ops->start_ns[0], 0);
	ck_assert_int_eq(ops->end_ns[0], 5573);
	ck_assert_int_eq(ops->start_ns[1], 57652);
	ck_assert_uint_eq(ops->kind[1], DP_OP_KERNEL);
	ck_assert_int_eq(stream_of(0)->stream, 1);
	ck_assert_int_eq(dp_trace_device(trace, stream_of(0)->device)->id, 3);
	ck_assert_int_eq(dp_trace_device(trace, stream_of(1)->device)->id, 2);
	ck_assert_uint_eq(dp_trace_process_count(trace), 2);
	ck_assert_uint_eq(dp_trace_lost(trace), 0);
	dp_trace_free(trace);
}

/* The first versions, which end each row with a comma, and a column per counter. */
TEST(other_columns)
{
	const struct dp_ops *ops = good("\xef\xbb\xbfIndex,KernelName,SQ_WAVES,DispatchNs,BeginNs,"
					"EndNs,CompleteNs,\r\n"
					"0,\"_Z3addPfi.kd\",4096,5,1000,1500,9,\r\n"
					"1,\"add(float*, int)\",4096,5,2000,2000,9,");

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_uint_eq(ops->name[0], ops->name[1]);
	ck_assert_int_eq(ops->end_ns[1], 1000);
	ck_assert_int_eq(dp_trace_device(trace, stream_of(0)->device)->id, 0);
	ck_assert_int_eq(dp_trace_process(trace, 0)->pid, -1);
	dp_trace_free(trace);
}

/* rocprofv2's file plugin. */
TEST(version_2)
{
	const struct dp_ops *ops = good(
		"Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,"
		"Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,"
		"Start_Timestamp,End_Timestamp,Correlation_ID,SQ_WAVES\n\n"
		"1,64700,3,353,354,1048576,16,0,0,8,0,16,64,\"matrixTranspose(float*, float*, int) "
		"(.kd)\",140469300947216,140469300949216,0,65536.000000\n");

	ck_assert_uint_eq(ops->count, 1);
	ck_assert_str_eq(name_of(0), "matrixTranspose(float*, float*, int)");
	ck_assert_int_eq(ops->end_ns[0], 2000);
	ck_assert_int_eq(stream_of(0)->stream, 3);
	ck_assert_int_eq(dp_trace_device(trace, stream_of(0)->device)->id, 64700);
	ck_assert_int_eq(dp_trace_process(trace, 0)->pid, 353);
	ck_assert_uint_eq(dp_trace_lost(trace), 0);
	dp_trace_free(trace);
	/* The first versions wrote one of the times only. */
	refused("Dispatch_ID,GPU_ID,Queue_ID,PID,Kernel_Name,Start_Timestamp,End_Timestamp\n"
		"1,4,1,77,\"k (.kd)\",0,140469300947216\n",
		DP_ERR_DAMAGED, "not a time: '0'");
	refused("Dispatch_ID,GPU_ID,Queue_ID,PID,Kernel_Name,Counter\n1,4,1,77,\"k (.kd)\",0\n",
		DP_ERR_UNSUPPORTED, "which has no kernel times");
}

/* rocprof-compute's table of all counters, with the times of one run. */
TEST(counters_with_times)
{
	const struct dp_ops *ops =
		good("Dispatch_ID,Kernel_Name,GPU_ID,SQ_WAVES,Start_Timestamp,End_Timestamp\n"
		     "0,\"add(float*, int)\",2,4096,1000,1500\n3,b,2,64,2000,2700\n");

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_str_eq(name_of(0), "add(float*, int)");
	ck_assert_int_eq(ops->start_ns[1], 1000);
	ck_assert_int_eq(dp_trace_device(trace, stream_of(0)->device)->id, 2);
	dp_trace_free(trace);
}

/* As Python writes times it has read as floating point; a spreadsheet rounds them. */
TEST(converted_times)
{
	const struct dp_ops *ops =
		good(FULL GOOD ROW("1", "\"a\"", "2", "1", "77", "1.2345e+04", "12350.0"));

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_int_eq(ops->start_ns[1], 11345);
	ck_assert_int_eq(ops->end_ns[1], 11350);
	dp_trace_free(trace);
	ops = good(FULL GOOD ROW("1", "\"a\"", "2", "1", "77", "1.23457E+12", "1.23457E+12"));
	ck_assert_uint_eq(ops->count, 1);
	ck_assert_uint_eq(dp_trace_lost(trace), 1);
	dp_trace_free(trace);
}

/* Counters stand before the times. */
static const char *with_counters(int count)
{
	static char text[65536];
	size_t length = (size_t)sprintf(text, "Index,KernelName");

	for (int i = 0; i < count; i++)
		length += (size_t)sprintf(text + length, ",TCC_HIT[%d]", i);
	length += (size_t)sprintf(text + length, ",DispatchNs,BeginNs,EndNs,CompleteNs\n0,\"k\"");
	for (int i = 0; i < count; i++)
		length += (size_t)sprintf(text + length, ",%d", i);
	sprintf(text + length, ",5,1000,1500,9\n");
	return text;
}

TEST(many_counters)
{
	ck_assert_int_eq(good(with_counters(900))->end_ns[0], 500);
	dp_trace_free(trace);
	refused(with_counters(1100), DP_ERR_LIMIT,
		"1106 columns, and no kernel times in the first 1024");
}

TEST(counters_without_times)
{
	static const char words[] = "rocprof's table of counters, which has no kernel times: "
				    "record with rocprof --timestamp on";

	refused("Index,KernelName,gpu-id,queue-id,pid,tid,SQ_WAVES\n0,\"k\",0,0,7,7,4096\n",
		DP_ERR_UNSUPPORTED, words);
	refused("Index,KernelName,BeginNs,SQ_WAVES\n0,\"k\",5,4096\n", DP_ERR_UNSUPPORTED, words);
	/* results.stats.csv */
	refused("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n"
		"\"k\",2,2000,1000,100.0\n",
		DP_ERR_UNSUPPORTED, "without times of single kernels");
}

TEST(no_rows)
{
	refused(FULL, DP_ERR_NO_GPU, "record with rocprof --hip-trace");
	refused("\"Index\",\"KernelName\",\"gpu-id\n" GOOD, DP_ERR_DAMAGED,
		"without a header row of columns");
}

/* What no kernel can be read from is an error with its place. */
TEST(damaged_rows)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ FULL "0,\"k\",2,0", "row of 4 fields under a header of " },
		{ FULL "0,\"k,2,0,0,77,77\n", "quote that is not closed" },
		{ FULL ROW("0", "\"k\"", "2", "0", "77", "2000", "1999"),
		  "the operation ends before it begins: '1999'" },
		{ FULL ROW("0", "\"k\"", "2", "0", "77", "None", "1999"), "not a time: 'None'" },
		{ FULL ROW("0", "\"k\"", "2", "0", "77", "1000", "0"), "not a time: '0'" },
		{ FULL ROW("0", "\"k\"", "2", "0", "77", "1000", "9223372036854775807"),
		  "not a time: '9223372036854775807'" },
		{ FULL ROW("0", "\"k\"", "2", "0", "77", "1000", "18446744073709551616"),
		  "not a time: '18446744073709551616'" },
		{ FULL ROW("0", "\"k\"", "2", "0", "77", "-5", "9"), "not a time: '-5'" },
		{ FULL ROW("0", "\"k\"", "GPU", "0", "77", "5", "9"), "not a number: 'GPU'" },
		{ FULL ROW("0", "\"k\"", "2", "", "77", "5", "9"), "empty field" },
		{ FULL ROW("0", "\"k\"", "2", "0", "7.5", "5", "9"), "not a number: '7.5'" },
		{ FULL ROW("0", "", "2", "0", "77", "5", "9"), "empty field" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		refused(cases[i].text, DP_ERR_DAMAGED, cases[i].words);
		ck_assert_uint_eq(error.line, 2);
	}
}

/* Where other kernels can be read, it is a loss. */
TEST(partly_damaged)
{
	const struct dp_ops *ops =
		good(FULL GOOD ROW("1", "\"k\"", "2", "0", "77", "2000", "1999") GOOD "2,\"ad");

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_uint_eq(dp_trace_lost(trace), 2);
	dp_trace_free(trace);
}
