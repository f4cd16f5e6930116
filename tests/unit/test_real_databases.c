/*
 * Databases recorded by others: counts, bytes and times are those that plain SQL gives on the same
 * file. The folder is next to the project; a test without its file reports that.
 */
#include "test_database.h"
#include "test.h"

#define TRACES DP_SOURCE_ROOT "/../shared/traces/"

struct expected {
	const char *file;
	const char *format;
	const char *detail;
	size_t count[4]; /* by enum dp_op_kind */
	uint64_t bytes[4];
	uint64_t duration_ns[4];
	size_t calls;
	uint64_t call_ns;
	size_t syncs;
	size_t ranges;
	uint64_t range_ns;
};

static const struct expected files[] = {
	{ "nsys-2024-mmagic.sqlite",
	  "nsys",
	  "schema 3.11.1",
	  { 328, 0, 40, 7 },
	  { 0, 0, 34744000, 24576 },
	  { 4140952, 0, 1572787, 8863 },
	  2107,
	  994555885,
	  28,
	  1956,
	  UINT64_C(5230567089241) },
	{ "nsys-2026-mfu-after.sqlite",
	  "nsys",
	  "schema 3.25.0",
	  { 3587, 0, 904, 242 },
	  { 0, 0, UINT64_C(7195376896), 968 },
	  { 488835406, 0, 5086674, 187423 },
	  6682,
	  351580171,
	  334,
	  17113,
	  1376289628 },
	{ "nsys-2026-mfu-before.sqlite",
	  "nsys",
	  "schema 3.25.0",
	  { 4010, 0, 1020, 269 },
	  { 0, 0, UINT64_C(8046134544), 1076 },
	  { 535200650, 0, 5692087, 213408 },
	  7466,
	  370168989,
	  366,
	  19118,
	  1403779266 },
	{ "nvprof-lm-v12.sql",
	  "nvprof_db",
	  "version 12",
	  { 284, 0, 35, 12 },
	  { 0, 0, 156, 93180480 },
	  { 8270633, 0, 59775, 18432 },
	  3439,
	  UINT64_C(2354753932),
	  41,
	  1195,
	  UINT64_C(11871830832) },
	{ "nvvp-tf-v8.nvvp",
	  "nvprof_db",
	  "version 8",
	  { 25, 0, 48, 1 },
	  { 0, 0, 52557612, 1028 },
	  { 1230629, 0, 1813064, 3507 },
	  669,
	  UINT64_C(2595036611),
	  0,
	  0,
	  0 },
};

static bool is_there(const char *file)
{
	snprintf(path, sizeof(path), "%s%s", TRACES, file);
	if (access(path, R_OK) == 0)
		return true;
	printf("skipped: %s is not there\n", path);
	return false;
}

static void check_operations(const struct expected *expected)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	uint64_t bytes[4] = { 0 }, duration_ns[4] = { 0 };
	size_t count[4] = { 0 };

	for (size_t i = 0; i < ops->count; i++) {
		count[ops->kind[i]]++;
		bytes[ops->kind[i]] += ops->bytes[i];
		duration_ns[ops->kind[i]] += (uint64_t)(ops->end_ns[i] - ops->start_ns[i]);
	}
	for (int kind = 0; kind < 4; kind++) {
		ck_assert_uint_eq(count[kind], expected->count[kind]);
		ck_assert_uint_eq(bytes[kind], expected->bytes[kind]);
		ck_assert_uint_eq(duration_ns[kind], expected->duration_ns[kind]);
	}
}

TEST_LOOP(real_file, sizeof(files) / sizeof(files[0]))
{
	const struct expected *expected = &files[_i];
	const struct dp_calls *calls;
	const struct dp_ranges *ranges;
	uint64_t call_ns = 0, range_ns = 0;

	if (!is_there(expected->file))
		return;
	open_good(expected->format);
	ck_assert_str_eq(dp_trace_format_detail(trace), expected->detail);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	check_operations(expected);
	calls = dp_trace_calls(trace);
	for (size_t i = 0; i < calls->count; i++)
		call_ns += (uint64_t)(calls->end_ns[i] - calls->start_ns[i]);
	ranges = dp_trace_ranges(trace);
	for (size_t i = 0; i < ranges->count; i++)
		range_ns += (uint64_t)(ranges->end_ns[i] - ranges->start_ns[i]);
	ck_assert_uint_eq(calls->count, expected->calls);
	ck_assert_uint_eq(call_ns, expected->call_ns);
	ck_assert_uint_eq(dp_trace_syncs(trace)->count, expected->syncs);
	ck_assert_uint_eq(ranges->count, expected->ranges);
	ck_assert_uint_eq(range_ns, expected->range_ns);
	dp_trace_free(trace);
}

/* 21,998 rows of NVTX_EVENTS, two of which make domains. */
TEST(nothing_to_analyse)
{
	if (is_there("nsys-no-cuda.sqlite")) {
		ck_assert_int_eq(open_trace(false), DP_ERR_NO_GPU);
		ck_assert_ptr_nonnull(strstr(error.message,
					     "no GPU activity: 21,996 NVTX ranges, no "
					     "kernels; record with nsys profile"));
	}
	if (is_there("nvprof-lm-empty.sql")) {
		ck_assert_int_eq(open_trace(false), DP_ERR_NO_GPU);
		ck_assert_ptr_nonnull(strstr(error.message, "no GPU activity: no records; record "
							    "with nvprof --profile-child"));
	}
}
