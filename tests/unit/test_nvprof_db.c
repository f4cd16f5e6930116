/* nvprof's databases: versions, names, markers, kinds of memory. */
#include "base/base.h"
#include "test_database.h"
#include "test.h"

#define KIND(name) "CUPTI_ACTIVITY_KIND_" name
#define STRINGS                                                                                \
	"CREATE TABLE Version(version INTEGER); INSERT INTO Version VALUES(18);"               \
	"CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY AUTOINCREMENT, "                    \
	"value TEXT NOT NULL UNIQUE);"                                                         \
	"INSERT INTO StringTable VALUES(0, '-- null --'), (1, '_Z1fIiEvPT_'), (2, 'python'), " \
	"(3, 'Tesla V100'), (4, 'forward'), (5, 'worker'), (6, 'NCCL');"
#define PLACE "deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL, "
#define HEAD "(_id_ INTEGER PRIMARY KEY AUTOINCREMENT, "
#define KERNELS(table)                                                                      \
	"CREATE TABLE " KIND(table) HEAD "cacheConfig BLOB NOT NULL, start INT NOT NULL, "  \
					 "end INT NOT NULL, completed INT NOT NULL, " PLACE \
					 "gridX INT NOT NULL, correlationId INT NOT NULL, " \
					 "name INT NOT NULL);"
#define COPY                                                                                      \
	"copyKind INT NOT NULL, srcKind INT NOT NULL, dstKind INT NOT NULL, flags INT NOT NULL, " \
	"bytes INT NOT NULL, start INT NOT NULL, end INT NOT NULL, " PLACE
#define MEMCPYS                                                                            \
	"CREATE TABLE " KIND("MEMCPY") HEAD COPY "correlationId INT NOT NULL, "            \
						 "runtimeCorrelationId INT NOT NULL);"     \
						 "CREATE TABLE " KIND("MEMCPY2") HEAD COPY \
		"srcDeviceId INT NOT NULL, "                                               \
		"dstDeviceId INT NOT NULL, correlationId INT NOT NULL);"
#define CALLS(table)                                                                           \
	"CREATE TABLE " KIND(table) HEAD "cbid INT NOT NULL, start INT NOT NULL, "             \
					 "end INT NOT NULL, processId INT NOT NULL, "          \
					 "threadId INT NOT NULL, correlationId INT NOT NULL, " \
					 "returnValue INT NOT NULL);"
#define MARKERS                                                                            \
	"CREATE TABLE " KIND("MARKER") HEAD "flags INT NOT NULL, timestamp INT NOT NULL, " \
					    "id INT NOT NULL, objectKind INT NOT NULL, "   \
					    "objectId BLOB NOT NULL, name INT NOT NULL, "  \
					    "domain INT NOT NULL);"
#define ONE_KERNEL                                                             \
	STRINGS KERNELS("CONCURRENT_KERNEL") "INSERT INTO " KIND(              \
		"CONCURRENT_KERNEL") " VALUES(1, x'00', 1583975501698746387, " \
				     "1583975501698752147, 0, 0, 1, 7, 64, 9, 1);"

TEST(kernels)
{
	const struct dp_ops *ops;
	int64_t t0_ns;

	ops = good(
		"nvprof_db",
		ONE_KERNEL KERNELS("KERNEL") KERNELS("CDP_KERNEL") "INSERT INTO " KIND(
			"KERNEL") " VALUES"
				  "(1, x'00', 1583975501698746400, 1583975501698752500, 0, 0, 1, 7, 64, 10, 1);"
				  "INSERT INTO " KIND(
					  "CDP_KERNEL") " VALUES"
							"(1, x'00', 1583975501698746500, 1583975501698752600, 0, 0, 1, 7, 64, 10, 0),"
							"(2, x'00', 0, 0, 0, 0, 1, 7, 64, 10, 0);"
							"CREATE TABLE " KIND(
								"DEVICE") "(id INT, name INT, globalMemorySize INT);"
									  "INSERT INTO " KIND(
										  "DEVICE") " VALUES(0, 3, 16914055168), (1, 3, 5);"
											    "CREATE TABLE " KIND(
												    "NAME") "(objectKind INT, objectId BLOB, name INT);"
													    "INSERT INTO " KIND(
														    "NAME") " VALUES(1, x'7B7100000000000050DEBAED', 2);");
	ck_assert_uint_eq(ops->count, 3);
	ck_assert_str_eq(op_name(0), "void f<int>(int*)");
	ck_assert_str_eq(op_name(2), "-- null --");
	ck_assert_int_eq(ops->end_ns[0], 5760);
	ck_assert(dp_trace_t0(trace, &t0_ns));
	ck_assert_int_eq(t0_ns, INT64_C(1583975501698746387));
	ck_assert_str_eq(dp_trace_format_detail(trace), "version 18");
	ck_assert_int_eq(dp_trace_process(trace, 0)->pid, 29051);
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_process(trace, 0)->name), "python");
	ck_assert_uint_eq(dp_trace_device_count(trace), 1);
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_device(trace, 0)->name), "Tesla V100");
	ck_assert_int_eq(lost("could not be used"), 1);
	done();
}

/* Kernels whose metrics or events are collected run alone and several times. */
TEST(metrics)
{
	static const char *const rows[] = { "", "INSERT INTO " KIND("METRIC") " VALUES(1, 7, 9);",
					    "INSERT INTO " KIND("EVENT") " VALUES(1, 7, 9);" };
	static const char tables[] = ONE_KERNEL "CREATE TABLE " KIND("METRIC") HEAD
		"id INT NOT NULL, correlationId INT NOT NULL);"
		"CREATE TABLE " KIND("EVENT") HEAD "id INT NOT NULL, correlationId INT NOT NULL);";
	char script[sizeof(tables) + 100];

	for (size_t i = 0; i < DP_COUNT(rows); i++) {
		snprintf(script, sizeof(script), "%s%s", tables, rows[i]);
		good("nvprof_db", script);
		ck_assert_str_eq(dp_trace_format_detail(trace), "version 18");
		ck_assert_int_eq(dp_trace_fact(trace, 0) != NULL, i > 0);
		if (i)
			ck_assert_str_eq(dp_trace_fact(trace, 0)->name, DP_FACT_REPLAY);
		done();
	}
}

/* Memory kinds are CUPTI's own here; a set's memory came with version 11. */
TEST(copies_and_sets)
{
	const struct dp_ops *ops;

	ops = good(
		"nvprof_db",
		STRINGS MEMCPYS "INSERT INTO " KIND(
			"MEMCPY") " VALUES(1, 1, 2, 3, 1, 4, 100, 110, 0, 1, 14, "
				  "44, 0), (2, 2, 3, 1, 0, 128, 200, 210, 0, 1, 14, 45, 0);"
				  "INSERT INTO " KIND(
					  "MEMCPY2") " VALUES(1, 10, 3, 3, 0, 64, 300, 310, 0, 1, 7, "
						     "0, 1, 46);"
						     "CREATE TABLE " KIND("MEMSET") HEAD
		"value INT, bytes INT, start INT, end INT, " PLACE
		"correlationId INT, memoryKind INT);"
		"INSERT INTO " KIND("MEMSET") " VALUES(1, 0, 1028, 400, 410, 0, 1, 7, 40, 3);"
					      "CREATE TABLE " KIND("UNIFIED_MEMORY_COUNTER") HEAD
		"counterKind INT, value INT, start INT, end INT, address INT, srcId INT, "
		"dstId INT, streamId INT, processId INT, flags INT);"
		"INSERT INTO " KIND(
			"UNIFIED_MEMORY_COUNTER") " VALUES"
						  "(1, 1, 4096, 500, 510, 0, -1, 0, 0, 1, 0), (2, 2, 8192, 600, 610, 0, 0, -1, 0, "
						  "1, 0), (3, 3, 1, 700, 700, 0, 0, 0, 0, 1, 0);");
	ck_assert_uint_eq(ops->count, 6);
	ck_assert_uint_eq(ops->copy_kind[0], DP_COPY_HTOD);
	ck_assert_uint_eq(ops->src_kind[0], DP_MEMORY_PINNED);
	ck_assert_uint_eq(ops->dst_kind[0], DP_MEMORY_DEVICE);
	ck_assert_uint_eq(ops->dst_kind[1], DP_MEMORY_PAGEABLE);
	ck_assert_uint_eq(ops->copy_kind[2], DP_COPY_PTOP);
	ck_assert_uint_eq(ops->kind[3], DP_OP_MEMSET);
	ck_assert_uint_eq(ops->dst_kind[3], DP_MEMORY_DEVICE);
	ck_assert_uint_eq(ops->bytes[3], 1028);
	ck_assert_uint_eq(ops->copy_kind[4], DP_COPY_UM_HTOD);
	ck_assert_uint_eq(ops->bytes[5], 8192);
	ck_assert_uint_eq(ops->copy_kind[5], DP_COPY_UM_DTOH);
	ck_assert_int_eq(dp_trace_device(trace, op_stream(4)->device)->id, 0);
	done();
}

TEST(api_calls)
{
	const struct dp_calls *calls;
	const struct dp_ops *ops;

	ops = good(
		"nvprof_db",
		ONE_KERNEL CALLS("RUNTIME") CALLS("DRIVER") "INSERT INTO " KIND(
			"RUNTIME") " VALUES"
				   "(1, 211, 1583975501698740000, 1583975501698741000, 29051, -704661760, 9, 0),"
				   "(2, 165, 1583975501698742000, 1583975501698743000, 29051, -704661760, 10, 0),"
				   "(3, 9999, 1583975501698744000, 1583975501698745000, 29051, 1290573632, 11, 0);"
				   "INSERT INTO " KIND(
					   "DRIVER") " VALUES"
						     "(1, 307, 1583975501698746000, 1583975501698747000, 29051, 1290573632, 12, 0),"
						     "(2, 4, 1583975501698748000, 1583975501698749000, 29051, 1290573632, 13, 0);");
	calls = dp_trace_calls(trace);
	ck_assert_uint_eq(calls->count, 5);
	ck_assert_str_eq(dp_trace_string(trace, calls->name[0]), "cudaLaunchKernel");
	ck_assert_str_eq(dp_trace_string(trace, calls->name[1]), "cudaDeviceSynchronize");
	ck_assert_str_eq(dp_trace_string(trace, calls->name[2]), "runtime cbid 9999");
	ck_assert_str_eq(dp_trace_string(trace, calls->name[3]), "cuLaunchKernel");
	ck_assert_str_eq(dp_trace_string(trace, calls->name[4]), "driver cbid 4");
	ck_assert_uint_eq(calls->kind[0], DP_CALL_LAUNCH);
	ck_assert_uint_eq(calls->kind[1], DP_CALL_SYNC);
	/* Kernels have no process of their own: it is that of the calls. */
	ck_assert_uint_eq(ops->call[0], 0);
	ck_assert_uint_eq(dp_trace_thread_count(trace), 2);
	ck_assert_int_eq(dp_trace_thread(trace, calls->thread[0])->tid, INT64_C(3590305536));
	done();
}

TEST(markers)
{
	const struct dp_ranges *ranges;

	good("nvprof_db",
	     ONE_KERNEL CALLS("RUNTIME") MARKERS "INSERT INTO " KIND(
		     "RUNTIME") " VALUES(1, 211, 1583975501698746000, 1583975501698746001, 29051, -322249136, 9, 0);"
				"INSERT INTO " KIND(
					"MARKER") " VALUES"
						  "(1, 2, 1583975501698746387, 50, 2, x'7B71000050DECAEC11000000', 4, 0),"
						  "(2, 2, 1583975501698746487, 51, 2, x'7B71000050DECAEC11000000', 2, 0),"
						  "(3, 4, 1583975501698746587, 51, 2, x'7B71000050DECAEC11000000', 0, 0),"
						  "(4, 4, 1583975501698746687, 50, 2, x'7B71000050DECAEC11000000', 0, 0),"
						  "(5, 1, 1583975501698746700, 52, 2, x'7B71000050DECAEC11000000', 4, 0),"
						  "(6, 2, 1583975501698746800, 53, 1, x'7B', 5, 6),"
						  "(7, 4, 1583975501698746900, 53, 1, x'7B', 0, 0),"
						  "(8, 4, 1583975501698747000, 77, 2, x'', 0, 0),"
						  "(9, 2, 1583975501698747000, 78, 2, x'', 4, 0);"
						  "CREATE TABLE " KIND(
							  "NAME") "(objectKind INT, objectId BLOB, name INT);"
								  "INSERT INTO " KIND(
									  "NAME") " VALUES(2, x'7B71000050DECAEC11000000', 5);");
	ranges = dp_trace_ranges(trace);
	ck_assert_uint_eq(ranges->count, 3);
	ck_assert_str_eq(dp_trace_string(trace, ranges->name[0]), "forward");
	ck_assert_int_eq(ranges->start_ns[0], 0);
	ck_assert_int_eq(ranges->end_ns[0], 300);
	ck_assert_str_eq(dp_trace_string(trace, ranges->name[1]), "python");
	ck_assert_int_eq(ranges->end_ns[1], 200);
	ck_assert_str_eq(dp_trace_string(trace, ranges->name[2]), "worker");
	ck_assert_uint_eq(ranges->kind[0], DP_RANGE_NVTX);
	ck_assert_uint_eq(ranges->kind[2], DP_RANGE_OPERATOR); /* of domain NCCL */
	ck_assert_uint_eq(ranges->thread[2], DP_NONE);
	/* The low half of the marker's tid is the thread id of the calls. */
	ck_assert_uint_eq(dp_trace_thread_count(trace), 1);
	ck_assert_uint_eq(ranges->thread[0], 0);
	ck_assert_uint_eq(dp_trace_calls(trace)->thread[0], 0);
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_thread(trace, 0)->name), "worker");
	ck_assert_int_eq(lost("markers that end and never began"), 1);
	ck_assert_int_eq(lost("NVTX ranges that never ended"), 1);
	done();
}

TEST(synchronizations)
{
	good("nvprof_db", ONE_KERNEL "CREATE TABLE " KIND("SYNCHRONIZATION") HEAD
	     "type INT, start INT, end INT, correlationId INT, contextId INT, streamId INT, "
	     "cudaEventId INT);"
	     "INSERT INTO " KIND(
		     "SYNCHRONIZATION") " VALUES"
					"(1, 3, 1583975501698746387, 1583975501698746487, 4447, 1, 7, -1),"
					"(2, 4, 1583975501698746388, 1583975501698746487, 4447, 1, -1, -1);");
	ck_assert_uint_eq(dp_trace_syncs(trace)->count, 2);
	ck_assert_uint_eq(dp_trace_syncs(trace)->stream[0], 0);
	ck_assert_uint_eq(dp_trace_syncs(trace)->stream[1], DP_NONE);
	ck_assert_uint_eq(dp_trace_syncs(trace)->kind[1], DP_SYNC_CONTEXT);
	done();
}

TEST(empty)
{
	make_folder("trace.nvvp");
	make_database(STRINGS KERNELS("CONCURRENT_KERNEL") CALLS("RUNTIME") MEMCPYS);
	ck_assert_int_eq(open_trace(false), DP_ERR_NO_GPU);
	ck_assert_str_eq(error.message, "no GPU activity: no records; record with nvprof "
					"--profile-child-processes -o %p.nvprof");
	ck_assert_int_eq(open_trace(true), DP_OK);
	done();
	/* Calls, but no operation: not empty, still nothing to analyse. */
	make_folder("trace.nvvp");
	make_database(STRINGS KERNELS("CONCURRENT_KERNEL") CALLS("RUNTIME") "INSERT INTO " KIND(
		"RUNTIME") " VALUES(1, 211, 1, 2, 3, 4, 5, 0);");
	ck_assert_int_eq(open_trace(false), DP_ERR_NO_GPU);
	ck_assert_ptr_nonnull(strstr(error.message, "1 API call, no kernels"));
	done();
}

TEST(damage)
{
	make_folder("trace.nvprof");
	make_database(
		ONE_KERNEL CALLS("RUNTIME") MARKERS MEMCPYS
		"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3000) "
		"INSERT INTO " KIND(
			"CONCURRENT_KERNEL") "(cacheConfig, start, end, "
					     "completed, deviceId, contextId, streamId, gridX, correlationId, name) SELECT "
					     "x'00', 1583975501698746387 + i * 100, 1583975501698746437 + i * 100, 0, 0, "
					     "1, 7, 64, i, 1 FROM c;"
					     "INSERT INTO " KIND(
						     "RUNTIME") "(cbid, start, end, processId, threadId, "
								"correlationId, returnValue) SELECT 211, start - 40, start - 30, 29051, 7, "
								"correlationId, 0 FROM " KIND(
									"CONCURRENT_KERNEL") ";"
											     "INSERT INTO " KIND(
												     "MARKER") "(flags, timestamp, id, objectKind, objectId, "
													       "name, domain) SELECT 2 << (_id_ % 2), start, _id_ / 2, 2, "
													       "x'7B71000050DECAEC11000000', 4, 0 FROM " KIND(
														       "CONCURRENT_KERNEL") ";");
	open_good("nvprof_db");
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 3001);
	dp_trace_free(trace);
	hurt(300, 3001);
	done();
}
