/* nvprof's CSV: every form of it, its banners, its units, and damage. */
#include "test.h"

#include <deepprof/trace.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD_17                                                                       \
	"\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\","        \
	"\"Block Y\",\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic " \
	"SMem\",\"Size\",\"Throughput\",\"Device\",\"Context\",\"Stream\",\"Name\"\n"
#define HEAD_20                                                                       \
	"\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\","        \
	"\"Block Y\",\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic " \
	"SMem\",\"Size\",\"Throughput\",\"SrcMemType\",\"DstMemType\",\"Device\","    \
	"\"Context\",\"Stream\",\"Name\",\"Correlation_ID\"\n"
#define HEAD_22                                                                       \
	"\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\","        \
	"\"Block Y\",\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic " \
	"SMem\",\"Size\",\"Throughput\",\"SrcMemType\",\"DstMemType\",\"Device\","    \
	"\"Context\",\"Stream\",\"Unified Memory\",\"Virtual "                        \
	"Address\",\"Name\",\"Correlation_ID\"\n"
#define HEAD_PEER                                                                     \
	"\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\","        \
	"\"Block Y\",\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic " \
	"SMem\",\"Size\",\"Throughput\",\"SrcMemType\",\"DstMemType\",\"Device\","    \
	"\"Context\",\"Stream\",\"Src Dev\",\"Src Ctx\",\"Dst Dev\",\"Dst "           \
	"Ctx\",\"Name\"\n"
#define UNITS_17 "ms,us,,,,,,,,B,B,KB,GB/s,,,,\n"
#define UNITS_20 "ms,us,,,,,,,,B,B,KB,GB/s,,,,,,,\n"
#define KERNEL_20(start, name, id)                                                                 \
	start ",2.016000,40,1,1,256,1,1,8,0,0,,,,,\"Tesla V100 (0)\",\"1\",\"7\",\"" name "\"," id \
	      "\n"

static struct dp_trace *trace;
static struct dp_error error;
static char reported[1024];

static void tell(void *ctx, enum dp_log_level level, const char *message)
{
	size_t length = strlen(reported);

	snprintf(reported + length, sizeof(reported) - length, "%s\n", message);
}

/* Opens text as a file. */
static int open_bytes(const char *text, size_t length)
{
	struct dp_open_options options = DP_OPEN_OPTIONS_INIT;
	char path[] = "/tmp/deepprof-test-XXXXXX";
	int fd = mkstemp(path), status;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, length), (ssize_t)length);
	close(fd);
	reported[0] = '\0';
	memset(&error, 0, sizeof(error));
	options.log.write = tell;
	trace = NULL;
	status = dp_trace_open(&trace, path, &options, &error);
	unlink(path);
	return status;
}

static int open_text(const char *text)
{
	return open_bytes(text, strlen(text));
}

static const struct dp_ops *good(const char *text)
{
	int status = open_text(text);

	ck_assert_msg(status == DP_OK, "%s", error.message);
	ck_assert_str_eq(dp_trace_format(trace), "nvprof_csv");
	return dp_trace_ops(trace);
}

static const char *name_of(size_t op)
{
	return dp_trace_string(trace, dp_trace_ops(trace)->name[op]);
}

static const struct dp_stream *stream_of(size_t op)
{
	return dp_trace_stream(trace, dp_trace_ops(trace)->stream[op]);
}

TEST(seventeen_columns)
{
	const struct dp_ops *ops =
		good("==21610== NVPROF is profiling process 21610, command: ./contention 2 0\n"
		     "==21610== Profiling application: ./contention 2 0\n"
		     "==21610== Profiling result:\n" HEAD_17 UNITS_17
		     "215.481427,8.256000,,,,,,,,,,39.062500,4.512222,\"GeForce GTX 950 "
		     "(0)\",\"1\",\"13\",\"[CUDA memcpy HtoD]\"\n"
		     "215.521107,2.016000,40,1,1,256,1,1,8,0,0,,,\"GeForce GTX 950 "
		     "(0)\",\"1\",\"14\",\"add(float const *, int) [218]\"\n");
	const struct dp_process *process;

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_int_eq(ops->start_ns[0], 0);
	ck_assert_int_eq(ops->end_ns[0], 8256);
	ck_assert_int_eq(ops->start_ns[1], 39680);
	ck_assert_int_eq(ops->end_ns[1], 41696);
	ck_assert_uint_eq(ops->bytes[0], 40000);
	ck_assert_uint_eq(ops->copy_kind[0], DP_COPY_HTOD);
	ck_assert_uint_eq(ops->kind[1], DP_OP_KERNEL);
	ck_assert_uint_eq(ops->correlation[1], 218);
	ck_assert_str_eq(name_of(1), "add(float const *, int)");
	ck_assert_int_eq(stream_of(0)->stream, 13);
	ck_assert_int_eq(stream_of(1)->stream, 14);
	ck_assert_int_eq(stream_of(1)->context, 1);
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_device(trace, 0)->name),
			 "GeForce GTX 950");
	ck_assert_int_eq(dp_trace_device(trace, 0)->id, 0);
	process = dp_trace_process(trace, 0);
	ck_assert_int_eq(process->pid, 21610);
	ck_assert_str_eq(dp_trace_string(trace, process->name), "./contention 2 0");
	ck_assert_int_eq(dp_trace_resolution_ns(trace), 1);
	ck_assert_uint_eq(dp_trace_lost(trace), 0);
	dp_trace_free(trace);
}

TEST(twenty_columns)
{
	const struct dp_ops *ops = good(
		"======== Profiling result:\n" HEAD_20 UNITS_20
		"0.000000,1.568000,,,,,,,,,,1.003906,0.610586,\"Device\",,\"Tesla V100 "
		"(1)\",\"1\",\"7\",\"[CUDA memset]\",274\n"
		"1.000000,1.568000,,,,,,,,,,2,0.610586,\"Pinned\",\"Device\",\"Tesla V100 "
		"(1)\",\"1\",\"22\",\"[CUDA memcpy HtoD]\",275\n"
		"2.000000,1.5,,,,,,,,,,1,0.6,\"Device\",\"Device\",\"Tesla V100 "
		"(1)\",\"1\",\"22\",\"[CUDA memcpy DtoD]\",276\n" KERNEL_20("3", "k [12]", "12")
			KERNEL_20("4", "k<int [3]> [13]", "14") KERNEL_20("5", "_Z3addPfi", "15")
				KERNEL_20("6", "say \"\"hi\"\", x", "16"));

	ck_assert_uint_eq(ops->count, 7);
	ck_assert_uint_eq(ops->kind[0], DP_OP_MEMSET);
	ck_assert_uint_eq(ops->bytes[0], 1028);
	ck_assert_uint_eq(ops->dst_kind[0], DP_MEMORY_DEVICE);
	ck_assert_uint_eq(ops->src_kind[0], DP_MEMORY_UNKNOWN);
	ck_assert_uint_eq(ops->correlation[0], 274);
	ck_assert_uint_eq(ops->src_kind[1], DP_MEMORY_PINNED);
	ck_assert_uint_eq(ops->dst_kind[1], DP_MEMORY_DEVICE);
	ck_assert_uint_eq(ops->bytes[1], 2048);
	ck_assert_uint_eq(ops->copy_kind[2], DP_COPY_DTOD);
	ck_assert_str_eq(name_of(3), "k");
	ck_assert_uint_eq(ops->correlation[3], 12);
	ck_assert_str_eq(name_of(4), "k<int [3]> [13]");
	ck_assert_str_eq(name_of(5), "add(float*, int)");
	ck_assert_str_eq(name_of(6), "say \"hi\", x");
	ck_assert_int_eq(stream_of(0)->stream, 7);
	ck_assert_uint_eq(dp_trace_device_count(trace), 2);
	ck_assert_int_eq(dp_trace_process(trace, 0)->pid, -1);
	dp_trace_free(trace);
}

TEST(unified_memory)
{
	const struct dp_ops *ops = good(
		"==7== Profiling result:\n" HEAD_22 "ms,us,,,,,,,,B,B,MB,GB/s,,,,,,KB,,,\n"
		"0.1,,,,,,,,,,,,,,,,,,\"PC 0x46de\",\"0x7612\",\"[Unified Memory CPU page faults]\",\n"
		"0.2,5.000000,,,,,,,,,,,,,,\"Tesla T4 (0)\",,,64.000000,\"0x7b55\","
		"\"[Unified Memory Memcpy HtoD]\",\n"
		"0.3,5.000000,,,,,,,,,,,,,,\"Tesla T4 (0)\",,,2,\"0x7b55\",\"[Unified Memory GPU page "
		"faults]\",\n"
		"0.4,5.000000,,,,,,,,,,,,,,\"Tesla T4 (0)\",\"Tesla T4 (1)\",,,4,\"0x7b55\","
		"\"[Unified Memory Memcpy DtoD]\",\n"
		"0.5,9.000000,64,1,1,1024,1,1,16,0,0,,,,,\"Tesla T4 (0)\",\"1\",\"7\",,,\"add(int)\",128\n"
		"0.6,,,,,,,,,,,,,,,,,,4,\"0x7b55\",\"[Unified Memory Memcpy DtoH]\",\n");

	ck_assert_uint_eq(ops->count, 4);
	ck_assert_uint_eq(ops->copy_kind[0], DP_COPY_UM_HTOD);
	ck_assert_uint_eq(ops->bytes[0], 65536);
	ck_assert_int_eq(stream_of(0)->stream, -1);
	ck_assert_int_eq(dp_trace_device(trace, stream_of(0)->device)->id, 0);
	ck_assert_uint_eq(ops->copy_kind[1], DP_COPY_UM_DTOD);
	ck_assert_uint_eq(ops->bytes[1], 4096);
	ck_assert_uint_eq(ops->kind[2], DP_OP_KERNEL);
	ck_assert_uint_eq(ops->copy_kind[3], DP_COPY_UM_DTOH);
	ck_assert_int_eq(ops->end_ns[3], ops->start_ns[3]);
	ck_assert_int_eq(dp_trace_device(trace, stream_of(3)->device)->id, -1);
	ck_assert_uint_eq(dp_trace_lost(trace), 0);
	ck_assert_ptr_nonnull(strstr(reported, "2 unified-memory faults"));
	dp_trace_free(trace);
}

/* Page faults of the CPU have no device, and none is made up for them. */
TEST(faults_have_no_place)
{
	const struct dp_ops *ops = good(
		"==7== Profiling result:\n" HEAD_22 "ms,us,,,,,,,,B,B,MB,GB/s,,,,,,KB,,,\n"
		"0.1,,,,,,,,,,,,,,,,,,\"PC 0x46de\",\"0x7612\",\"[Unified Memory CPU page faults]\",\n"
		"0.2,,,,,,,,,,,,,,,,,,,\"0x7612\",\"[Unified Memory page throttle]\",\n"
		"0.5,9.000000,64,1,1,1024,1,1,16,0,0,,,,,\"Tesla T4 (0)\",\"1\",\"7\",,,\"add(int)\",128\n");

	ck_assert_uint_eq(ops->count, 1);
	ck_assert_uint_eq(dp_trace_device_count(trace), 1);
	ck_assert_uint_eq(dp_trace_stream_count(trace), 1);
	ck_assert_uint_eq(dp_trace_lost(trace), 0);
	ck_assert_ptr_nonnull(strstr(reported, "2 unified-memory faults"));
	dp_trace_free(trace);
}

TEST(peer_copies)
{
	const struct dp_ops *ops =
		good(HEAD_PEER
		     "ms,us,,,,,,,,B,B,MB,GB/s,,,,,,,,,,\n"
		     "1,10.000000,,,,,,,,,,1,4,\"Device\",\"Device\",\"Tesla (2)\",\"1\",\"7\","
		     "\"Tesla (2)\",\"1\",\"Tesla (3)\",\"2\",\"[CUDA memcpy PtoP]\"\n"
		     "2,10.000000,,,,,,,,,,1,4,\"Device\",\"Device\",,,\"7\","
		     "\"Tesla (3)\",\"2\",\"Tesla (2)\",\"1\",\"[CUDA memcpy PtoP]\"\n");

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_uint_eq(ops->copy_kind[0], DP_COPY_PTOP);
	ck_assert_uint_eq(ops->bytes[0], 1048576);
	ck_assert_int_eq(dp_trace_device(trace, stream_of(0)->device)->id, 2);
	ck_assert_int_eq(dp_trace_device(trace, stream_of(1)->device)->id, 3);
	ck_assert_int_eq(stream_of(1)->context, 2);
	dp_trace_free(trace);
}

static const struct {
	const char *start, *duration, *size;
	const char *values; /* start, duration, size of the second row; the first starts at 0 */
	int64_t start_ns, end_ns;
	uint64_t bytes;
	int64_t resolution_ns;
} unit_rows[] = {
	{ "s", "ms", "MB", "1.234567,0.001999,,,,,,,,,,0.000019", 1234567000, 1234568999, 20,
	  1000 },
	{ "s", "s", "GB", "0.000001234,1,,,,,,,,,,1.5", 1234, 1000001234, 1610612736, 1 },
	{ "ms", "ns", "B", "1234567.123456,17,,,,,,,,,,17", 1234567123456, 1234567123473, 17, 1 },
	{ "us", "us", "KB", "0.5,0.25,,,,,,,,,,0.5", 500, 750, 512, 100 },
	{ "us", "us", "KB", "123456789012.345,.001,,,,,,,,,,0.0005", 123456789012345,
	  123456789012346, 1, 1 },
	{ "ns", "us", "B", "123456789012345678,1,,,,,,,,,,0", 123456789012345678,
	  123456789012346678, 0, 1 },
	{ "s", "us", "B", "9007199.254740993,0.0004999,,,,,,,,,,0", 9007199254740993,
	  9007199254740993, 0, 1 },
	/* As nvprof prints what is below 0.01. */
	{ "s", "ms", "MB", "1.493617,8.960000e-04,,,,,,,,,,1.907349e-06", 1493617000, 1493617896, 2,
	  1000 },
	{ "s", "ms", "GB", "8.960004e-04,1.024000E-03,,,,,,,,,,1.5E+00", 896000, 897024, 1610612736,
	  1000 },
	{ "ms", "ns", "B", "1.234567123456e+06,1.7e+1,,,,,,,,,,17e0", 1234567123456, 1234567123473,
	  17, 1 },
	{ "us", "s", "B", "1.5e0,1e-50,,,,,,,,,,1.e1", 1500, 1500, 10, 100 },
	{ "ns", "ns", "B", "1.234567890123456e+17,.1e1,,,,,,,,,,0e0", 123456789012345600,
	  123456789012345601, 0, 1 },
};

TEST_LOOP(units_are_exact, sizeof(unit_rows) / sizeof(unit_rows[0]))
{
	const char *rest = ",,\"D (0)\",\"1\",\"7\",\"[CUDA memcpy HtoD]\"\n";
	const struct dp_ops *ops;
	char text[2048];

	snprintf(text, sizeof(text), HEAD_17 "%s,%s,,,,,,,,B,B,%s,GB/s,,,,\n0,0,,,,,,,,,,0%s%s%s",
		 unit_rows[_i].start, unit_rows[_i].duration, unit_rows[_i].size, rest,
		 unit_rows[_i].values, rest);
	ops = good(text);
	ck_assert_uint_eq(ops->count, 2);
	ck_assert_int_eq(ops->start_ns[1], unit_rows[_i].start_ns);
	ck_assert_int_eq(ops->end_ns[1], unit_rows[_i].end_ns);
	ck_assert_uint_eq(ops->bytes[1], unit_rows[_i].bytes);
	ck_assert_int_eq(dp_trace_resolution_ns(trace), unit_rows[_i].resolution_ns);
	dp_trace_free(trace);
}

/* Starts in whole microseconds, durations in ns: nothing overlaps, no duration changes. */
TEST(coarse_starts_do_not_overlap)
{
	const struct dp_ops *ops = good(
		HEAD_20 "s,us,,,,,,,,B,B,KB,GB/s,,,,,,,\n"
			"0.000010,1.700000,1,1,1,1,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",1\n"
			"0.000011,1.700000,1,1,1,1,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",2\n"
			"0.000012,1.000000,1,1,1,1,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"8\",\"a\",3\n"
			"0.000013,1.700000,1,1,1,1,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",4\n"
			"0.000013,9.700000,1,1,1,1,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",5\n");

	ck_assert_int_eq(dp_trace_resolution_ns(trace), 1000);
	ck_assert_int_eq(ops->end_ns[0], 1700);
	ck_assert_int_eq(ops->start_ns[1], 1700);
	ck_assert_int_eq(ops->end_ns[1], 3400);
	ck_assert_int_eq(ops->start_ns[2], 2000);
	ck_assert_int_eq(ops->start_ns[4], 3400);
	/* More than a step: a real overlap, left as it is. */
	ck_assert_uint_eq(ops->correlation[3], 5);
	ck_assert_int_eq(ops->start_ns[3], 3000);
	dp_trace_free(trace);
}

TEST(banners_anywhere)
{
	const struct dp_ops *ops = good(
		"some words of the program, \"with a quote\n"
		"==9== NVPROF is profiling process 9, command: python -c \"print('a, b\n"
		"==9== Profiling result:\n" HEAD_20
		"==9== Warning: between, \"the header lines\n" UNITS_20
		"======== Warning: no PID, \"here\n" KERNEL_20(
			"1", "a",
			"1") "======== Warning: 376746 records have invalid timestamps due to "
			     "insufficient device buffer space.\n"
			     "==9== Warning: Found 5 invalid records in the result.\n" KERNEL_20(
				     "2", "b", "2"));

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_uint_eq(dp_trace_lost(trace), 376751);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 2);
	ck_assert_int_eq(dp_trace_process(trace, 0)->pid, 9);
	ck_assert_ptr_nonnull(strstr(reported, "no PID"));
	dp_trace_free(trace);
}

TEST(sections_and_processes)
{
	const struct dp_ops *ops = good(
		"==1== NVPROF is profiling process 1, command: a\n"
		"==2== NVPROF is profiling process 2, command: b\n"
		"==2== Profiling result:\n" HEAD_20 UNITS_20 KERNEL_20(
			"5.000000", "b",
			"1") "==1== Profiling result:\n" HEAD_17 "s,us,,,,,,,,B,B,KB,GB/s,,,,\n"
			     "0.001000,2.0,40,1,1,256,1,1,8,0,0,,,\"X (0)\",\"1\",\"7\",\"a [3]\"\n"
			     "==1== API calls:\n"
			     "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
			     ",%,ms,,us,us,us,\n"
			     "\"API calls\",99.9,1,2,3,4,5,\"cudaMalloc\"\n");

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_int_eq(ops->start_ns[1], 4000000);
	ck_assert_str_eq(name_of(0), "a");
	ck_assert_int_eq(dp_trace_process(trace, stream_of(0)->process)->pid, 1);
	ck_assert_int_eq(dp_trace_process(trace, stream_of(1)->process)->pid, 2);
	ck_assert_uint_eq(dp_trace_device_count(trace), 2);
	ck_assert_int_eq(dp_trace_resolution_ns(trace), 1000);
	ck_assert_uint_eq(dp_trace_lost(trace), 0);
	dp_trace_free(trace);
}

TEST(api_calls_between)
{
	const struct dp_ops *ops =
		good(HEAD_20 UNITS_20
		     "0.5,10.000000,,,,,,,,,,,,,,,,,\"cudaLaunchKernel\",77\n" KERNEL_20("1", "a",
											 "77"));
	const struct dp_calls *calls = dp_trace_calls(trace);

	ck_assert_uint_eq(ops->count, 1);
	ck_assert_uint_eq(calls->count, 1);
	ck_assert_uint_eq(calls->kind[0], DP_CALL_LAUNCH);
	ck_assert_int_eq(calls->start_ns[0], -500000);
	ck_assert_uint_eq(ops->call[0], 0);
	dp_trace_free(trace);
}

TEST(marks_and_line_ends)
{
	const struct dp_ops *ops = good(
		"\xef\xbb\xbf\"Start\",\"Duration\",\"Device\",\"Context\",\"Stream\",\"Name\"\r\n"
		"ms,us,,,,\r\n\r\n1,2,\"D (0)\",1,7,\"a\"\r\n2,2, D (0) ,1,7,b");

	ck_assert_uint_eq(ops->count, 2);
	ck_assert_str_eq(name_of(0), "a");
	ck_assert_str_eq(name_of(1), "b");
	ck_assert_uint_eq(dp_trace_device_count(trace), 1);
	dp_trace_free(trace);
}

/* Bad rows after a good one are lost, each by itself; the first is reported. */
static const char *const bad_rows[] = {
	"x,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",3\n",
	"1e,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",3\n",
	"1e-,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",3\n",
	"1e3.5,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",3\n",
	"1e3e3,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",3\n",
	"e3,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",3\n",
	"1e99,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",3\n",
	"1e19,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",3\n",
	"0.00000000000000000000000000000000000000001e1,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",3\n",
	"1e99999999999999999999,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",3\n",
	"1,2.0.0,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",3\n",
	"99999999999999999999,1,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",3\n",
	"999999999999999999,1,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",3\n",
	"1,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D\",\"1\",\"7\",\"a\",3\n",
	"1,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"one\",\"7\",\"a\",3\n",
	"1,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"-7\",\"a\",3\n",
	"1,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",,3\n",
	"1,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\n",
	"1,2.016000,40,1,1\n",
	"1,2.016000,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\",\"1\",\"7\",\"a\",3,4,5\n",
	"epoch 7: loss 0.1\n",
};

TEST_LOOP(bad_row_is_a_loss, sizeof(bad_rows) / sizeof(bad_rows[0]))
{
	const struct dp_ops *ops;
	char text[2048], where[32];

	snprintf(text, sizeof(text), "%s%s%s", HEAD_20 UNITS_20 KERNEL_20("1", "a", "1"),
		 bad_rows[_i], KERNEL_20("2", "b", "2"));
	ops = good(text);
	ck_assert_uint_eq(ops->count, 2);
	ck_assert_str_eq(name_of(1), "b");
	ck_assert_uint_eq(dp_trace_lost(trace), 1);
	ck_assert_uint_eq(dp_trace_loss(trace, 0)->offset,
			  strlen(HEAD_20 UNITS_20 KERNEL_20("1", "a", "1")));
	snprintf(where, sizeof(where), "line 4:");
	ck_assert_ptr_nonnull(strstr(reported, where));
	dp_trace_free(trace);
}

/* A start and a duration that fit 63 bits, but not their sum. */
TEST(times_do_not_overflow)
{
	static const char far[] = "4611686018.999999999";
	char row[512], text[2048];

	snprintf(row, sizeof(row),
		 "%s,%s,40,1,1,256,1,1,8,0,0,,,,,\"Tesla V100 (0)\",\"1\",\"7\",\"b\",2\n", far,
		 far);
	snprintf(text, sizeof(text), "%s%s%s",
		 HEAD_20 "s,s,,,,,,,,B,B,KB,GB/s,,,,,,,\n" KERNEL_20("1", "a", "1"), row,
		 KERNEL_20("9", "c", "3"));
	ck_assert_uint_eq(good(text)->count, 2);
	ck_assert_str_eq(name_of(1), "c");
	ck_assert_uint_eq(dp_trace_lost(trace), 1);
	dp_trace_free(trace);
}

static const struct {
	const char *text;
	int status;
	uint64_t line, column;
	const char *message;
} failures[] = {
	{ HEAD_20 "x,us,,,,,,,,B,B,KB,GB/s,,,,,,,\n", DP_ERR_DAMAGED, 2, 1, "unknown unit 'x'" },
	{ HEAD_20 "ms,us,,,,,,,,B,B,TB,GB/s,,,,,,,\n", DP_ERR_DAMAGED, 2, 18, "unknown unit 'TB'" },
	{ HEAD_20 "1.5,2,,,,,,,,,,,,,,,,,,\n", DP_ERR_DAMAGED, 2, 1, "unknown unit '1.5'" },
	{ HEAD_20 UNITS_20 "1,\"2\"\"\",3,\"D", DP_ERR_DAMAGED, 3, 11, "quote that is not closed" },
	{ HEAD_20 UNITS_20 "1,\"b,d\",3,\"D (0)\",1,7,a\n", DP_ERR_DAMAGED, 3, 0,
	  "row of 7 fields" },
	{ "==1== Profiling result:\n" HEAD_20, DP_ERR_DAMAGED, 2, 0, "ends behind its header" },
	{ "==1== NVPROF is profiling process 1, command: a\n", DP_ERR_DAMAGED, 1, 0, "header" },
	{ "==1== Profiling result:\nNo kernels were profiled.\n", DP_ERR_NO_GPU, 0, 0, "" },
	{ HEAD_20 UNITS_20, DP_ERR_NO_GPU, 0, 0, "" },
	{ "==1== Profiling result:\n   Start  Duration   Grid Size      Block Size     Regs*    "
	  "Device   Context    Stream  Name\n215.48ms  8.2560us   -  -  -  GeForce  1  13  [CUDA "
	  "memcpy HtoD]\n",
	  DP_ERR_UNSUPPORTED, 0, 0, "--csv" },
	{ "==1== Profiling result:\n            Type  Time(%)      Time     Calls       Avg   Min  "
	  "Max  Name\n GPU activities:  50.0%  2us  1  2us 2us 2us  [CUDA memcpy HtoD]\n",
	  DP_ERR_UNSUPPORTED, 0, 0, "--print-gpu-trace" },
	{ "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n",
	  DP_ERR_UNSUPPORTED, 0, 0, "summary" },
	{ "==1== Profiling result:\n\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n",
	  DP_ERR_UNSUPPORTED, 0, 0, "summary" },
	{ "==1== Profiling result:\n\"Start\",\"Duration\",\"Name\",\"Correlation_ID\"\nus,us,,\n0,2,"
	  "\"cuInit\",1\n",
	  DP_ERR_UNSUPPORTED, 0, 0, "API calls" },
	{ "==1== Profiling result:\n\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\"\n",
	  DP_ERR_UNSUPPORTED, 0, 0, "metrics" },
	{ "==1== Profiling result:\n==1== Metric result:\nInvocations           Metric Name       Metric "
	  "Description         Min\nDevice \"Tesla P100 (0)\"\n    Kernel: a<int, int>(int)\n          6 "
	  "   achieved_occupancy   Achieved Occupancy  0.498652\n",
	  DP_ERR_UNSUPPORTED, 0, 0, "metrics" },
	{ "==1== Profiling result:\n==1== Event result:\nInvocations           Event Name        Min      "
	  "   Max\nDevice \"Tesla P100 (0)\"\n",
	  DP_ERR_UNSUPPORTED, 0, 0, "nvprof -o FILE" },
};

TEST_LOOP(failure_names_its_place, sizeof(failures) / sizeof(failures[0]))
{
	ck_assert_int_eq(open_text(failures[_i].text), failures[_i].status);
	ck_assert_uint_eq(error.line, failures[_i].line);
	if (failures[_i].column)
		ck_assert_uint_eq(error.column, failures[_i].column);
	ck_assert_msg(strstr(error.message, failures[_i].message) != NULL, "%s", error.message);
}

TEST(overlong_line)
{
	const char *front = HEAD_20 UNITS_20 KERNEL_20("1", "a", "1");
	const char *back = "\n" KERNEL_20("2", "b", "2");
	size_t length = strlen(front), junk = 5 << 20;
	char *text = malloc(length + junk + strlen(back) + 1);

	memcpy(text, front, length);
	memset(text + length, 'x', junk);
	strcpy(text + length + junk, back);
	ck_assert_int_eq(open_text(text), DP_OK);
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 2);
	ck_assert_uint_eq(dp_trace_lost(trace), 1);
	ck_assert_ptr_nonnull(strstr(reported, "line 4:1: line of more than 1 MiB"));
	dp_trace_free(trace);
	free(text);
}

/* Rows across the borders of every buffer, and NUL bytes, which end a name. */
TEST(many_rows)
{
	size_t count = 30000, length = 0, room = count * 200;
	char *text = malloc(room);
	const struct dp_ops *ops;

	length += (size_t)snprintf(text, room, "%s", HEAD_20 UNITS_20);
	for (size_t i = 0; i < count; i++)
		length += (size_t)snprintf(text + length, room - length,
					   "%zu.%06zu,%zu.%03zu,40,1,1,256,1,1,8,0,0,,,,,\"D (0)\","
					   "\"1\",\"7\",\"kernel%zu\",%zu\n",
					   i, i, i % 7, i % 1000, i % 13, i);
	ops = good(text);
	ck_assert_uint_eq(ops->count, count);
	for (size_t i = 0; i < count; i++) {
		char name[32];

		snprintf(name, sizeof(name), "kernel%zu", i % 13);
		ck_assert_int_eq(ops->start_ns[i], (int64_t)i * 1000001);
		ck_assert_int_eq(ops->end_ns[i] - ops->start_ns[i],
				 (int64_t)(i % 7 * 1000 + i % 1000));
		ck_assert_uint_eq(ops->correlation[i], i);
		ck_assert_str_eq(name_of(i), name);
	}
	dp_trace_free(trace);
	free(text);
}
