/*
 * The database importers survive the failure of every allocation, SQLite's own included.
 */
#include "../sanitized.h"
#include "alloc_fail_sqlite.h"
#include "format/schema.h"
#include "test_database.h"
#include "test.h"

/* Every allocation fails; with sanitizers, each of the first ones and every third of the others. */
static const size_t each = 200, stride = DP_SANITIZED ? 3 : 1;

/*
 * SQLite can do without some of its memory (caches): then the trace is the same. Whatever else
 * happens, it is reported as "out of memory", and never as damage of the file.
 */
static void sweep(const char *format)
{
	size_t more = 1, operations, calls, ranges, strings;

	open_good(format);
	operations = dp_trace_ops(trace)->count;
	calls = dp_trace_calls(trace)->count;
	ranges = dp_trace_ranges(trace)->count;
	strings = dp_trace_string_count(trace);
	dp_trace_free(trace);
	forced_format = format;
	for (size_t k = 0; more; k += k < each ? 1 : stride) {
		int status;

		alloc_fail_after(k);
		status = open_trace(false);
		more = alloc_fail_stop();
		ck_assert_msg(status == DP_OK || status == DP_ERR_NOMEM, "%zu: %d %s: %s", k,
			      status, error.table, error.message);
		ck_assert_int_eq(error.status, status);
		if (status) {
			ck_assert_ptr_null(trace);
			continue;
		}
		ck_assert_uint_eq(dp_trace_ops(trace)->count, operations);
		ck_assert_uint_eq(dp_trace_calls(trace)->count, calls);
		ck_assert_uint_eq(dp_trace_ranges(trace)->count, ranges);
		ck_assert_uint_eq(dp_trace_string_count(trace), strings);
		ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
		dp_trace_free(trace);
		trace = NULL;
	}
	done();
}

TEST(nsys)
{
	take_over_sqlite();
	make_folder("trace.sqlite");
	make_database(
		"CREATE TABLE StringIds(id INTEGER NOT NULL, value TEXT NOT NULL);"
		"INSERT INTO StringIds VALUES(5, '_Z1fIiEvPT_'), (6, 'cudaLaunchKernel_v7000');"
		"CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
		"INSERT INTO META_DATA_EXPORT VALUES('EXPORT_SCHEMA_VERSION', '3.1.0');"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId, "
		"correlationId, globalPid, demangledName, shortName, graphNodeId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(10, 20, 0, 1, 7, 5, 7 << 24, 5, 5, 1),"
		"(30, 40, 0, 1, 7, 6, 7 << 24, 5, 5, NULL);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start, end, streamId, correlationId, "
		"graphId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(50, 60, 7, 9, 4);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, globalTid, correlationId, "
		"nameId); INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1, 2, 7 << 24 | 7, 5, 6);"
		"CREATE TABLE NVTX_EVENTS(start, end, eventType, text, textId, globalTid);"
		"INSERT INTO NVTX_EVENTS VALUES(1, 2, 59, 'text', NULL, 7 << 24 | 7);"
		"CREATE TABLE TARGET_INFO_GPU(id, name, totalMemory);"
		"INSERT INTO TARGET_INFO_GPU VALUES(0, 'H100', 5);"
		"CREATE TABLE PROCESSES(globalPid, name);"
		"INSERT INTO PROCESSES VALUES(7 << 24, 'python');"
		"CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start, globalPid, deviceId, bytes, "
		"memKind, memoryOperationType);"
		"INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES(12, 7 << 24, 0, 64, 2, 0);");
	sweep("nsys");
}

TEST(nvprof)
{
	take_over_sqlite();
	make_folder("trace.nvprof");
	make_database(
		"CREATE TABLE Version(version INT); INSERT INTO Version VALUES(12);"
		"CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY, value TEXT);"
		"INSERT INTO StringTable VALUES(1, '_Z1fIiEvPT_'), (2, 'range');"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL(start, end, deviceId, contextId, "
		"streamId, correlationId, name);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES(10, 20, 0, 1, 7, 5, 1);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(cbid, start, end, processId, threadId, "
		"correlationId); INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(211, 1, 2, 3, 4, 5);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER(flags, timestamp, id, objectKind, objectId, "
		"name);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MARKER VALUES(2, 1, 9, 2, x'0300000004', 2),"
		"(4, 2, 9, 2, x'0300000004', 0);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_DEVICE(id, name, globalMemorySize);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_DEVICE VALUES(0, 2, 5);");
	sweep("nvprof_db");
}

TEST(deepprof)
{
	sqlite3 *db;

	take_over_sqlite();
	make_folder("deepprof.db");
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	for (size_t i = 0; dp_schema__tables[i]; i++)
		run_sql(db, dp_schema__tables[i]);
	run_sql(db, "INSERT INTO process(id, pid, cmdline) VALUES(1, 7, 'python');"
		    "INSERT INTO string(id, value) VALUES(1, 'k');"
		    "INSERT INTO device(process, device, name, uuid) VALUES(1, 0, 'H100', 'G');"
		    "INSERT INTO mem_op(process, ts, op, kind, bytes, device) "
		    "VALUES(1, 15, 1, 3, 64, 0);"
		    "INSERT INTO gpu_sample(device_uuid, ts, sm_clk) VALUES('G', 15, 1410), "
		    "('H', 16, 1410);"
		    "INSERT INTO kernel(process, device, context, stream, start, dur_ns, name) "
		    "VALUES(1, 0, 1, 7, 10, 5, 1);"
		    "INSERT INTO api(process, tid, start, dur_ns, domain, cbid) "
		    "VALUES(1, 7, 1, 2, 2, 211);"
		    "INSERT INTO nvtx(process, tid, name, type, start, dur_ns) "
		    "VALUES(1, 7, 1, 59, 1, 2);");
	sqlite3_close(db);
	sweep("deepprof_db");
}
