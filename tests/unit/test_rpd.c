/* RPD, rocmProfileData's database: its two schemas, several processes, and damaged ones. */
#include "test_database.h"
#include "test.h"

#define ID "\"id\" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "

#define COMMON_TABLES                                                                             \
	"CREATE TABLE rocpd_metadata(" ID "tag varchar(4096), value varchar(4096));"              \
	"CREATE TABLE rocpd_string(" ID "string varchar(4096) NOT NULL);"                         \
	"CREATE TABLE rocpd_op(" ID "gpuId integer NOT NULL, queueId integer NOT NULL, "          \
	"sequenceId integer NOT NULL, start integer NOT NULL, \"end\" integer NOT NULL, "         \
	"description_id integer NOT NULL, opType_id integer NOT NULL);"                           \
	"CREATE TABLE rocpd_api_ops(" ID "api_id integer NOT NULL, op_id integer NOT NULL);"      \
	"CREATE TABLE rocpd_copyapi(api_ptr_id bigint NOT NULL PRIMARY KEY, stream varchar(18), " \
	"size integer NOT NULL, width integer NOT NULL, height integer NOT NULL, kind integer, "  \
	"dstDevice integer NOT NULL, srcDevice integer NOT NULL);"

#define STRINGS                                                                                   \
	"INSERT INTO rocpd_string(id, string) VALUES(1, ''), (2, 'hipLaunchKernel'), "            \
	"(3, 'hipMemcpyAsync'), (4, 'UserMarker'), (5, 'KernelExecution'), (6, 'Task'), "         \
	"(7, 'CopyHostToDevice'), (8, 'FillBuffer'), (9, '_Z3addPfi'), (10, 'mul(float*)'), "     \
	"(11, 'step 1'), (12, 'OpTable::writeRows'), (13, 'forward'), (14, 'ConcurrentKernel'), " \
	"(15, 'Memcpy'), (16, 'Memset'), (17, 'cudaLaunchKernel'), (18, 'CopyDeviceToDevice');"

/* Schema 2, where arguments are in rocpd_string. */
#define SCHEMA_2                                                                                  \
	COMMON_TABLES                                                                             \
	"CREATE TABLE rocpd_api(" ID "pid integer NOT NULL, tid integer NOT NULL, start integer " \
	"NOT NULL, \"end\" integer NOT NULL, apiName_id integer NOT NULL, args_id integer NOT "   \
	"NULL); INSERT INTO rocpd_metadata(tag, value) VALUES('schema_version', '2');" STRINGS

/* A kernel, a graph's kernel, copies, a memset; calls, a range, a mark, the tracer's own row. */
#define ROWS_2                                                                              \
	"INSERT INTO rocpd_api VALUES(4294967297, 42, 43, 90, 95, 2, 1), "                  \
	"(4294967298, 42, 43, 100, 105, 3, 1), (4294967299, 42, 43, 106, 108, 3, 1), "      \
	"(6442450945, 42, 43, 80, 400, 4, 11), (6442450946, 42, 43, 85, 85, 4, 11), "       \
	"(6442450947, 42, 44, 500, 600, 12, 1), (6442450948, 42, 43, 81, 300, 13, 1);"      \
	"INSERT INTO rocpd_op VALUES(1, 2, 3, 0, 200, 210, 9, 5), "                         \
	"(2, 2, 4, 0, 220, 230, 10, 6), (3, 2, 3, 0, 240, 250, 1, 7), "                     \
	"(4, 2, 3, 0, 260, 270, 1, 8), (5, 2, 3, 0, 280, 290, 1, 18), "                     \
	"(6, 2, 3, 0, 300, 310, 1, 7);"                                                     \
	"INSERT INTO rocpd_api_ops(api_id, op_id) VALUES(4294967299, 5), (4294967297, 1), " \
	"(4294967297, 2), (4294967298, 3);"                                                 \
	"INSERT INTO rocpd_copyapi VALUES(4294967299, '0x0', '', 16, 8, 3, 1, 0), "         \
	"(4294967298, '0x0', 64, '', '', 1, 0, 0);"

TEST(schema_2)
{
	const struct dp_ops *ops = good("rpd", SCHEMA_2 ROWS_2);

	ck_assert_str_eq(dp_trace_format_detail(trace), "schema 2");
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	ck_assert_uint_eq(ops->count, 6);
	ck_assert_str_eq(op_name(0), "add(float*, int)");
	ck_assert_str_eq(op_name(1), "mul(float*)");
	ck_assert_int_eq(ops->kind[0], DP_OP_KERNEL);
	ck_assert_int_eq(ops->copy_kind[2], DP_COPY_HTOD);
	ck_assert_uint_eq(ops->bytes[2], 64);
	ck_assert_int_eq(ops->kind[3], DP_OP_MEMSET);
	/* Of two dimensions, between two GPUs. */
	ck_assert_int_eq(ops->copy_kind[4], DP_COPY_PTOP);
	ck_assert_uint_eq(ops->bytes[4], 128);
	ck_assert_uint_eq(ops->bytes[5], 0);
	ck_assert_int_eq(op_stream(0)->stream, 3);
	ck_assert_int_eq(op_stream(1)->stream, 4);
	ck_assert_int_eq(dp_trace_device(trace, op_stream(0)->device)->id, 2);
	/* Without a call, the process is the first one. */
	ck_assert_uint_eq(dp_trace_process_count(trace), 1);
	ck_assert_int_eq(dp_trace_process(trace, 0)->pid, 42);
	done();
}

TEST(calls_and_ranges)
{
	const struct dp_ops *ops = good("rpd", SCHEMA_2 ROWS_2);
	const struct dp_calls *calls = dp_trace_calls(trace);
	const struct dp_ranges *ranges = dp_trace_ranges(trace);

	ck_assert_uint_eq(calls->count, 3);
	ck_assert_str_eq(dp_trace_string(trace, calls->name[0]), "hipLaunchKernel");
	ck_assert_int_eq(dp_trace_thread(trace, calls->thread[0])->tid, 43);
	ck_assert_uint_eq(ops->call[0], 0);
	ck_assert_uint_eq(ops->call[1], 0);
	ck_assert_uint_eq(ops->call[2], 1);
	ck_assert_uint_eq(ops->call[3], DP_NONE);
	ck_assert_uint_eq(ops->call[4], 2);
	ck_assert_uint_eq(ranges->count, 2);
	ck_assert_str_eq(dp_trace_string(trace, ranges->name[0]), "step 1");
	ck_assert_int_eq(ranges->kind[0], DP_RANGE_NVTX);
	ck_assert_str_eq(dp_trace_string(trace, ranges->name[1]), "forward");
	ck_assert_int_eq(ranges->kind[1], DP_RANGE_OPERATOR);
	done();
}

/* A call's bytes are those of all its copies. */
TEST(a_call_of_several_copies)
{
	const struct dp_ops *ops = good(
		"rpd", SCHEMA_2 ROWS_2
		"INSERT INTO rocpd_op SELECT 7, gpuId, queueId, sequenceId, 400, 410, "
		"description_id, opType_id FROM rocpd_op WHERE id = 3;"
		"INSERT INTO rocpd_api_ops(api_id, op_id) VALUES(4294967298, 7), (4294967298, 1);");

	ck_assert_int_eq(ops->kind[6], DP_OP_COPY);
	ck_assert_uint_eq(ops->bytes[2], 32);
	ck_assert_uint_eq(ops->bytes[6], 32);
	done();
}

/* Schema 3 has arguments in a table of their own; here of a program on CUDA. */
TEST(schema_3)
{
	const struct dp_ops *ops = good(
		"rpd", COMMON_TABLES STRINGS
		"CREATE TABLE rocpd_ustring(" ID "string varchar(4096) NOT NULL);"
		"CREATE TABLE rocpd_api(" ID "pid integer, tid integer, start integer, \"end\" "
		"integer, apiName_id bigint, category_id bigint, domain_id bigint, args_id bigint);"
		"INSERT INTO rocpd_metadata(tag, value) VALUES('gpu_stride', '1000'), "
		"('schema_version', '3');"
		"INSERT INTO rocpd_ustring VALUES(11, 'train');"
		"INSERT INTO rocpd_api VALUES(1, 42, 43, 90, 95, 17, 1, 1, 11), "
		"(2, 42, 43, 80, 400, 4, 1, 4, 11);"
		"INSERT INTO rocpd_op VALUES(1, 0, 1, 7, 200, 210, 10, 14), "
		"(2, 0, 1, 13, 220, 230, 1, 15), (3, 0, 1, 13, 240, 250, 1, 16);"
		"INSERT INTO rocpd_api_ops(api_id, op_id) VALUES(1, 1), (1, 2);"
		"INSERT INTO rocpd_copyapi VALUES(1, '', 64, 0, 0, 2, 0, 0);");

	ck_assert_str_eq(dp_trace_format_detail(trace), "schema 3");
	ck_assert_str_eq(op_name(0), "mul(float*)");
	ck_assert_int_eq(op_stream(0)->context, 1);
	ck_assert_int_eq(op_stream(0)->stream, 7);
	ck_assert_int_eq(op_stream(1)->stream, 13);
	ck_assert_int_eq(ops->copy_kind[1], DP_COPY_DTOH);
	ck_assert_uint_eq(ops->bytes[1], 64);
	ck_assert_int_eq(ops->kind[2], DP_OP_MEMSET);
	ck_assert_uint_eq(ops->call[0], 0);
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_ranges(trace)->name[0]), "train");
	done();
}

/* Ids of a process begin at a multiple of 2^32. */
TEST(processes_are_apart)
{
	const struct dp_ops *ops =
		good("rpd", SCHEMA_2
		     "INSERT INTO rocpd_api VALUES(4294967297, 42, 42, 90, 95, 2, 1), "
		     "(8589934593, 52, 52, 80, 85, 2, 1);"
		     "INSERT INTO rocpd_op VALUES(4294967297, 0, 0, 0, 100, 110, 9, 5), "
		     "(8589934593, 0, 0, 0, 120, 130, 9, 5);"
		     "INSERT INTO rocpd_api_ops(api_id, op_id) VALUES(4294967297, 4294967297), "
		     "(8589934593, 8589934593);");

	ck_assert_uint_eq(dp_trace_process_count(trace), 2);
	ck_assert_uint_ne(op_stream(0)->process, op_stream(1)->process);
	ck_assert_uint_ne(ops->call[0], ops->call[1]);
	ck_assert_uint_ne(ops->call[0], DP_NONE);
	ck_assert_uint_ne(ops->call[1], DP_NONE);
	done();
}

/* Missing parts: tables, columns, rows that others refer to; and values that cannot be. */
TEST(what_is_missing_is_done_without)
{
	static const char *const without[] = {
		"DROP TABLE rocpd_api_ops",
		"DROP TABLE rocpd_copyapi",
		"DROP TABLE rocpd_string",
		"DROP TABLE rocpd_metadata",
		"DROP TABLE rocpd_api",
		"ALTER TABLE rocpd_op DROP COLUMN gpuId",
		"ALTER TABLE rocpd_api DROP COLUMN pid",
		"ALTER TABLE rocpd_api DROP COLUMN args_id",
		"UPDATE rocpd_api SET start = 'x'",
		"UPDATE rocpd_api_ops SET api_id = api_id * 1000003, op_id = -op_id",
		"UPDATE rocpd_copyapi SET size = -1, width = 9223372036854775807, kind = 99",
		"UPDATE rocpd_op SET opType_id = 99, description_id = 'x'",
		"UPDATE rocpd_op SET \"end\" = 9223372036854775807 WHERE id > 2",
		"UPDATE rocpd_op SET start = 9e999, gpuId = -5 WHERE id > 2",
	};

	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		make_folder("a.rpd");
		make_database(SCHEMA_2 ROWS_2);
		make_database(without[i]);
		forced_format = "rpd";
		ck_assert_uint_ge(open_good("rpd")->count, 2);
		forced_format = NULL;
		done();
	}
}

static void refused(const char *sql, int status, const char *words)
{
	make_folder("a.rpd");
	make_database(SCHEMA_2 ROWS_2);
	make_database(sql);
	ck_assert_int_eq(open_trace(false), status);
	ck_assert_ptr_null(trace);
	ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
	remove_folder();
}

TEST(no_operations)
{
	refused("DELETE FROM rocpd_op", DP_ERR_NO_GPU, "3 API calls, no kernels");
	refused("ALTER TABLE rocpd_op DROP COLUMN start", DP_ERR_DAMAGED,
		"the table has no column start");
	refused("UPDATE rocpd_op SET start = 'x'", DP_ERR_NO_GPU, "no GPU activity");
}

TEST(damage_is_survived)
{
	make_folder("a.rpd");
	make_database(SCHEMA_2 ROWS_2);
	hurt(300, 6);
	done();
}
