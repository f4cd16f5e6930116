/* nsys's SQLite exports: all their forms, and what is none. */
#include "nsys_tables.h"
#include "test_database.h"
#include "test.h"

TEST(kernels)
{
	const struct dp_ops *ops;
	int64_t t0_ns;

	ops = good("nsys", STRINGS KERNELS
		   "INSERT INTO StringIds VALUES(1, 'void f<int>(int*)'), (2, 'f'), (3, '_Z1gv'),"
		   "(4, 'short'), (5, 'python'), (6, 'the thread');"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
		   "(9000000001, 9000000013, 2, 1, 7, 5, " PID_7 ", 1, 2, 3, 1, NULL),"
		   "(9000000020, 9000000021, 2, 1, 7, 6, " PID_7 ", NULL, 4, 3, 1, NULL),"
		   "(9000000030, 9000000032, 0, 3, 8, 7, " PID_7 ", NULL, NULL, 3, 1, NULL),"
		   "(9000000040, 9000000041, 2, 1, 7, 8, (9 << 24), 77, NULL, 78, 1, NULL);"
		   "CREATE TABLE META_DATA_EXPORT(name TEXT NOT NULL, value TEXT);"
		   "INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_NAME', 'x'),"
		   "('EXPORT_SCHEMA_VERSION', '3.25.0'), ('EXPORT_SCHEMA_VERSION_MAJOR', '3');"
		   "CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER);"
		   "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(1779782330176752435);"
		   "CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);"
		   "INSERT INTO PROCESSES VALUES((1 << 24), 1, 'init'), (" PID_7 ", 7, 'python');"
		   "CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT, totalMemory, uuid TEXT);"
		   "INSERT INTO TARGET_INFO_GPU VALUES(0, 'H100', 85, '60ac9fdc'), "
		   "(2, 'H200', 141, '0f203509');");
	ck_assert_uint_eq(ops->count, 4);
	ck_assert_int_eq(ops->start_ns[0], 0);
	ck_assert_int_eq(ops->end_ns[0], 12);
	ck_assert_int_eq(ops->start_ns[2], 29);
	ck_assert_str_eq(op_name(0), "void f<int>(int*)");
	ck_assert_str_eq(op_name(1), "short");
	ck_assert_str_eq(op_name(2), "g()");
	ck_assert_str_eq(op_name(3), "[name 77]");
	ck_assert_int_eq(lost("names that are not in StringIds"), 1);
	ck_assert_uint_eq(ops->correlation[2], 7);
	ck_assert(dp_trace_t0(trace, &t0_ns));
	ck_assert_int_eq(t0_ns, INT64_C(1779782330176752435) + 9000000001);
	ck_assert_str_eq(dp_trace_format_detail(trace), "schema 3.25.0");
	ck_assert_uint_eq(dp_trace_process_count(trace), 2);
	ck_assert_uint_eq(dp_trace_device_count(trace), 3);
	ck_assert_uint_eq(dp_trace_gpu_count(trace), 2);
	ck_assert_ptr_eq(dp_trace_need(trace, DP_NEED_MEMORY), dp_need(DP_NEED_MEMORY));
	ck_assert_uint_eq(dp_trace_stream_count(trace), 3);
	ck_assert_int_eq(op_stream(2)->context, 3);
	ck_assert_int_eq(op_stream(2)->stream, 8);
	ck_assert_str_eq(
		dp_trace_string(trace, dp_trace_process(trace, op_stream(0)->process)->name),
		"python");
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_device(trace, op_stream(0)->device)->name),
			 "H200");
	ck_assert_uint_eq(dp_trace_device(trace, op_stream(2)->device)->total_bytes, 85);
	done();
}

/* Each row's first name that StringIds has; all rows without one are counted. */
TEST(names_by_row)
{
	good("nsys",
	     STRINGS KERNELS "INSERT INTO StringIds VALUES(1, 'f<int>'), (2, 'f'), (3, '_Z1gv');"
			     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
			     "(1000, 1100, 0, 1, 7, 1, " PID_7 ", 0, 2, 3, 1, NULL),"
			     "(1200, 1300, 0, 1, 7, 2, " PID_7 ", 1, 2, 3, 1, NULL),"
			     "(1400, 1500, 0, 1, 7, 3, " PID_7 ", 77, 78, 3, 1, NULL),"
			     "(1600, 1700, 0, 1, 7, 4, " PID_7 ", NULL, 0, NULL, 1, NULL),"
			     "(1800, 1900, 0, 1, 7, 5, " PID_7 ", 0, 2, 3, 1, NULL),"
			     "(2000, 2100, 0, 1, 7, 6, " PID_7 ", 0, 77, 78, 1, NULL),"
			     "(2200, 2300, 0, 1, 7, 7, " PID_7 ", 0, 77, 78, 1, NULL),"
			     "(2400, 2500, 0, 1, 7, 8, " PID_7 ", NULL, NULL, NULL, 1, NULL);");
	ck_assert_str_eq(op_name(0), "f");
	ck_assert_str_eq(op_name(1), "f<int>");
	ck_assert_str_eq(op_name(2), "g()");
	ck_assert_str_eq(op_name(3), "[name 0]");
	ck_assert_str_eq(op_name(4), "f");
	ck_assert_str_eq(op_name(5), "[name 0]");
	ck_assert_str_eq(op_name(7), "[name -1]");
	ck_assert_int_eq(lost("names that are not in StringIds"), 4);
	done();
}

TEST(old_exports)
{
	good("nsys", ONE_KERNEL "CREATE TABLE EXPORT_META_DATA(name TEXT NOT NULL, value TEXT);"
				"INSERT INTO EXPORT_META_DATA VALUES('EXPORT_SCHEMA_VERSION', "
				"'2.9.1');");
	ck_assert_str_eq(dp_trace_format_detail(trace), "schema 2.9.1");
	done();
	/* The oldest have no id of a GPU but CUDA's. */
	good("nsys", ONE_KERNEL "CREATE TABLE TARGET_INFO_GPU(vmId INTEGER NOT NULL, "
				"deviceId INTEGER NOT NULL, name TEXT, busLocation TEXT);"
				"INSERT INTO TARGET_INFO_GPU VALUES(1, 1, 'other', ''), "
				"(1, 0, 'A100', '');");
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_device(trace, 0)->name), "A100");
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	done();
	good("nsys", ONE_KERNEL "CREATE TABLE TARGET_INFO_CUDA_GPU(name TEXT NOT NULL, "
				"globalMemorySize INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
				"pid INTEGER);"
				"INSERT INTO TARGET_INFO_CUDA_GPU VALUES('V100', 32, 0, 7), "
				"('V100', 32, 0, 8);");
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_device(trace, 0)->name), "V100");
	ck_assert_uint_eq(dp_trace_device(trace, 0)->total_bytes, 32);
	ck_assert_uint_eq(dp_trace_gpu_count(trace), 1);
	done();
	/* Before that, no version; and ids that are a column like any other. */
	good("nsys", KERNELS "CREATE TABLE StringIds(id INT, value TEXT);"
			     "INSERT INTO StringIds VALUES(900, 'other'), (1, 'k');"
			     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
			     "(1, 2, 0, 1, 7, 5, NULL, 1, 1, NULL, 1, NULL),"
			     "(3, 4, 0, 1, 7, 5, NULL, 2, 2, NULL, 1, NULL);");
	ck_assert_str_eq(dp_trace_format_detail(trace), "");
	ck_assert_str_eq(op_name(0), "k");
	ck_assert_str_eq(op_name(1), "[name 2]");
	ck_assert_int_eq(dp_trace_process(trace, 0)->pid, -1);
	ck_assert(!dp_trace_t0(trace, &(int64_t){ 0 }));
	done();
}

TEST(tables_with_suffixes)
{
	const struct dp_ops *ops;

	ops = good("nsys", ONE_KERNEL MEMCPYS
		   "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V2" KERNEL_COLUMNS
		   "CREATE TABLE cupti_activity_kind_kernel_v3" KERNEL_COLUMNS
		   "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY2" MEMCPY_COLUMNS
		   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL_V2 "
		   "VALUES(2000, 2001, 0, 1, 7, 6, " PID_7 ", 1, 1, NULL, 1, NULL);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL_V3 "
		   "VALUES(3000, 3001, 0, 1, 7, 6, " PID_7 ", 1, 1, NULL, 1, NULL);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY2 "
		   "VALUES(4000, 4001, 0, 1, 7, 6, " PID_7 ", 64, 10, 2, 2, NULL);");
	ck_assert_uint_eq(ops->count, 4);
	ck_assert_uint_eq(ops->kind[2], DP_OP_KERNEL);
	ck_assert_uint_eq(ops->kind[3], DP_OP_COPY);
	ck_assert_uint_eq(ops->copy_kind[3], DP_COPY_PTOP);
	ck_assert_uint_eq(ops->bytes[3], 64);
	done();
}

TEST(copies_and_sets)
{
	static const uint8_t memory[] = { DP_MEMORY_PAGEABLE,	    DP_MEMORY_PINNED,
					  DP_MEMORY_DEVICE,	    DP_MEMORY_ARRAY,
					  DP_MEMORY_MANAGED,	    DP_MEMORY_DEVICE_STATIC,
					  DP_MEMORY_MANAGED_STATIC, DP_MEMORY_UNKNOWN };
	const struct dp_ops *ops;

	ops = good(
		"nsys", STRINGS MEMCPYS MEMSETS
		"WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 13) "
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT 1000 + i, 1000 + i, 0, 1, 7, i, " PID_7
		", i * 5000000000, i, i % 8, 7 - i % 8, NULL FROM c;"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
		"(1050, 1051, 0, 1, 7, 1, " PID_7 ", -1, 99, NULL, -3, NULL);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES"
		"(1100, 1105, 0, 1, 7, 1, " PID_7 ", 255, 77, NULL, 2);");
	ck_assert_uint_eq(ops->count, 16);
	for (size_t i = 0; i < 14; i++) {
		ck_assert_uint_eq(ops->kind[i], DP_OP_COPY);
		ck_assert_uint_eq(ops->copy_kind[i], i);
		ck_assert_uint_eq(ops->bytes[i], i * UINT64_C(5000000000));
		ck_assert_uint_eq(ops->src_kind[i], memory[i % 8]);
		ck_assert_uint_eq(ops->dst_kind[i], memory[7 - i % 8]);
	}
	ck_assert_str_eq(op_name(1), "[CUDA memcpy HtoD]");
	ck_assert_uint_eq(ops->copy_kind[14], DP_COPY_UNKNOWN);
	ck_assert_uint_eq(ops->bytes[14], 0);
	ck_assert_ptr_nonnull(
		strstr(reported, "CUPTI_ACTIVITY_KIND_MEMCPY: 3 values out of range"));
	ck_assert_uint_eq(ops->kind[15], DP_OP_MEMSET);
	ck_assert_uint_eq(ops->bytes[15], 77);
	ck_assert_uint_eq(ops->dst_kind[15], DP_MEMORY_DEVICE);
	ck_assert_str_eq(op_name(15), "[CUDA memset]");
	done();
}

TEST(api_calls)
{
	const struct dp_calls *calls;
	const struct dp_ops *ops;

	ops = good("nsys", ONE_KERNEL RUNTIMES
		   "INSERT INTO StringIds VALUES(20, 'cudaLaunchKernel_v7000'),"
		   "(21, 'cuMemcpyHtoD_v2'), (22, 'worker');"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
		   "(900, 950, 0, " TID_7_70 ", 5, 20), (960, 970, 1, " TID_7_70 ", 6, 21),"
		   "(980, 990, 1, NULL, 0, 21);"
		   "CREATE TABLE ThreadNames(nameId INTEGER, priority INTEGER, globalTid INTEGER);"
		   "INSERT INTO ThreadNames VALUES(1, 0, 8 << 24), (22, 0, " TID_7_70 ");");
	calls = dp_trace_calls(trace);
	ck_assert_uint_eq(calls->count, 3);
	ck_assert_int_eq(calls->start_ns[0], -100);
	ck_assert_str_eq(dp_trace_string(trace, calls->name[0]), "cudaLaunchKernel");
	ck_assert_str_eq(dp_trace_string(trace, calls->name[1]), "cuMemcpyHtoD_v2");
	ck_assert_uint_eq(calls->kind[0], DP_CALL_LAUNCH);
	ck_assert_uint_eq(ops->call[0], 0);
	ck_assert_uint_eq(dp_trace_thread_count(trace), 1);
	ck_assert_int_eq(dp_trace_thread(trace, calls->thread[0])->tid, 70);
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_thread(trace, 0)->name), "worker");
	ck_assert_uint_eq(calls->thread[2], DP_NONE);
	done();
}

TEST(synchronizations)
{
	const struct dp_syncs *syncs;

	good("nsys", ONE_KERNEL SYNCS "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
				      "(1000, 1200, 3, 1, 7, 9, " PID_7
				      ", 3), (1001, 1200, 0, 1, 99, 9, " PID_7 ", 4),"
				      "(1002, 1200, 0, 1, 4294967295, 9, " PID_7 ", 77);");
	syncs = dp_trace_syncs(trace);
	ck_assert_uint_eq(syncs->count, 3);
	ck_assert_uint_eq(syncs->kind[0], DP_SYNC_STREAM);
	ck_assert_uint_eq(syncs->kind[1], DP_SYNC_CONTEXT);
	ck_assert_uint_eq(syncs->kind[2], DP_SYNC_UNKNOWN);
	ck_assert_uint_eq(syncs->stream[0], dp_trace_ops(trace)->stream[0]);
	ck_assert_uint_eq(syncs->stream[1], DP_NONE);
	ck_assert_uint_eq(dp_trace_stream_count(trace), 1);
	done();
}

TEST(device_memory)
{
	const struct dp_memory *memory;

	good("nsys", ONE_KERNEL
	     "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start INTEGER, globalPid INTEGER,"
	     "deviceId INTEGER, bytes INTEGER, memKind INTEGER, "
	     "memoryOperationType INTEGER);"
	     "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES"
	     "(1500, " PID_7 ", 0, 64, 2, 1), (900, " PID_7 ", 0, 64, 2, 0),"
	     "(950, " PID_7 ", 0, 32, 1, 0), (950, " PID_7 ", 3, 32, 2, 0),"
	     "(NULL, " PID_7 ", 0, 32, 2, 0), (960, " PID_7 ", 0, -5, 2, 0);");
	memory = dp_trace_memory(trace);
	ck_assert_uint_eq(memory->count, 3);
	ck_assert_int_eq(memory->time_ns[0], -100);
	ck_assert_int_eq(memory->delta_bytes[0], 64);
	ck_assert_int_eq(memory->delta_bytes[1], 0);
	ck_assert_int_eq(memory->time_ns[2], 500);
	ck_assert_int_eq(memory->delta_bytes[2], -64);
	done();
}

TEST(graph_replays)
{
	const struct dp_ops *ops;

	ops = good(
		"nsys", ONE_KERNEL GRAPHS
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
		"(2000, 2100, 0, 1, 7, 50, " PID_7 ", 1, 1, NULL, 1, 4294967301),"
		"(2200, 2300, 0, 1, 7, 50, " PID_7 ", 1, 1, NULL, 1, 4294967302),"
		"(2400, 2500, 0, 1, 7, 51, " PID_7 ", 1, 1, NULL, 1, 0);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES"
		/* The nodes of correlation 50 were traced; 51 is no node; process 9 is another. */
		"(2000, 2300, 0, 1, 7, 50, " PID_7 ", 12, 3),"
		"(3000, 3300, 0, 1, 7, 51, " PID_7 ", 12, 3),"
		"(4000, 4300, 0, 1, 7, 50, (9 << 24), NULL, 3);");
	ck_assert_uint_eq(ops->count, 6);
	ck_assert_uint_eq(ops->kind[1], DP_OP_KERNEL);
	ck_assert_uint_eq(ops->kind[4], DP_OP_GRAPH);
	ck_assert_int_eq(ops->start_ns[4], 2000);
	ck_assert_str_eq(op_name(4), "graph 12");
	ck_assert_str_eq(op_name(5), "graph 3");
	ck_assert_uint_eq(op_stream(4)->kernels, 5);
	done();
}

TEST(ranges)
{
	const struct dp_ranges *got;

	good("nsys", ONE_KERNEL NVTX
	     "INSERT INTO StringIds VALUES(30, 'registered');"
	     "INSERT INTO NVTX_EVENTS VALUES"
	     "(1000, 2000, 59, 'step', " TID_7_70 ", NULL), (1100, 1200, 60, NULL, NULL, 30),"
	     "(1150, 1160, 59, NULL, " TID_7_70 ", NULL), (1170, NULL, 34, 'mark', NULL, NULL),"
	     "(1180, NULL, 75, 'domain', NULL, NULL), (1190, NULL, 59, 'open', NULL, NULL),"
	     "(1195, 1199, 70, 'text protocol', NULL, 30);");
	got = dp_trace_ranges(trace);
	ck_assert_uint_eq(got->count, 4);
	ck_assert_str_eq(dp_trace_string(trace, got->name[0]), "step");
	ck_assert_int_eq(got->end_ns[0], 1000);
	ck_assert_uint_eq(got->kind[0], DP_RANGE_NVTX);
	ck_assert_str_eq(dp_trace_string(trace, got->name[1]), "registered");
	ck_assert_uint_eq(got->thread[1], DP_NONE);
	ck_assert_str_eq(dp_trace_string(trace, got->name[2]), "");
	ck_assert_str_eq(dp_trace_string(trace, got->name[3]), "text protocol");
	ck_assert_int_eq(lost("NVTX ranges that never ended"), 1);
	done();
}

/* Ranges in domains of libraries are calls of functions, not the program's annotations. */
TEST(domains)
{
	static const enum dp_range_kind kinds[] = {
		DP_RANGE_OPERATOR, /* NCCL of process 7 */
		DP_RANGE_NVTX,	   /* the program's domain */
		DP_RANGE_NVTX,	   /* TensorRT's */
		DP_RANGE_NVTX,	   /* no domain */
		DP_RANGE_OPERATOR, /* its name is in StringIds, and in lower case */
		DP_RANGE_NVTX,	   /* the same number in process 8 */
		DP_RANGE_NVTX,	   /* a number without a name */
	};
	const struct dp_ranges *got;

	good("nsys", ONE_KERNEL
	     "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
	     "textId INTEGER, globalTid INTEGER, domainId INTEGER);"
	     "INSERT INTO StringIds VALUES(30, 'cublas');"
	     "INSERT INTO NVTX_EVENTS VALUES"
	     "(1, NULL, 75, 'NCCL', NULL, (7 << 24) + 1, 1),"
	     "(1, NULL, 75, 'NCCL of mine', NULL, (7 << 24) + 1, 2),"
	     "(1, NULL, 75, 'TensorRT', NULL, (7 << 24) + 1, 3),"
	     "(1, NULL, 75, NULL, 30, (7 << 24) + 1, 4),"
	     "(1, NULL, 75, 'app', NULL, (8 << 24) + 1, 1),"
	     "(1000, 1010, 59, 'ncclAllReduce', NULL, (7 << 24) + 1, 1),"
	     "(1020, 1030, 59, 'step', NULL, (7 << 24) + 1, 2),"
	     "(1040, 1050, 59, 'ExecutionContext::enqueue', NULL, (7 << 24) + 1, 3),"
	     "(1060, 1070, 59, 'step', NULL, (7 << 24) + 1, 0),"
	     "(1080, 1090, 60, 'cublasCreate_v2', NULL, (7 << 24) + 2, 4),"
	     "(1100, 1110, 59, 'step', NULL, (8 << 24) + 1, 1),"
	     "(1120, 1130, 59, 'step', NULL, (7 << 24) + 1, 9);");
	got = dp_trace_ranges(trace);
	ck_assert_uint_eq(got->count, sizeof(kinds) / sizeof(kinds[0]));
	for (size_t i = 0; i < got->count; i++)
		ck_assert_msg(got->kind[i] == kinds[i], "range %zu", i);
	done();
}

TEST(device_numbers)
{
	good("nsys", ONE_KERNEL
	     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
	     "(2000, 2100, 0, 1, 7, 5, (9 << 24), 1, 1, NULL, 1, NULL),"
	     "(2000, 2100, 1, 1, 7, 5, (9 << 24), 1, 1, NULL, 1, NULL);"
	     "CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT, cuDevice INTEGER);"
	     "INSERT INTO TARGET_INFO_GPU VALUES(0, 'second', 1), (1, 'first', 0), (5, 'fifth', 5);"
	     "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
	     "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(5, 0, 9), (88, 1, 9);");
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_device(trace, 0)->name), "first");
	ck_assert_int_eq(dp_trace_device(trace, 1)->id, 0);
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_device(trace, 1)->name), "fifth");
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_device(trace, 2)->name), "second");
	done();
}

TEST(no_cuda)
{
	make_folder("trace.db");
	make_database(STRINGS NVTX "INSERT INTO NVTX_EVENTS VALUES"
				   "(1000, 2000, 59, 'step', NULL, NULL);");
	ck_assert_int_eq(open_trace(false), DP_ERR_NO_GPU);
	ck_assert_ptr_nonnull(strstr(error.message, "no GPU activity: 1 NVTX range"));
	ck_assert_int_eq(open_trace(true), DP_OK);
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 1);
	done();
}

/* The cause precedes errors that repeat its result, and errors of anything but CUDA. */
TEST(no_cuda_reason)
{
	make_folder("trace.db");
	make_database(STRINGS
		      "CREATE TABLE DIAGNOSTIC_EVENT(timestamp, severity, text);"
		      "INSERT INTO DIAGNOSTIC_EVENT VALUES"
		      "(9, 2, 'No CUDA events collected. Does the process use CUDA?'),"
		      "(8, 3, 'OpenGL failed'), (1, 1, 'CUDA is fine'), (2, 3, NULL),"
		      "(1, 4, 'CUDA injection is verbose'),"
		      "(3, 'x', 'CUDA'), (5, 2, 'CUDA profiling might have not been started'),"
		      "(4, 2, 'CUDA driver 13.2' || char(10) || 'is not supported. ')");
	ck_assert_int_eq(open_trace(false), DP_ERR_NO_GPU);
	ck_assert_str_eq(
		error.message,
		"no GPU activity: no records; nsys: CUDA driver 13.2 is not "
		"supported; record with nsys profile -t cuda,nvtx --cuda-graph-trace=node");
	make_database("DELETE FROM DIAGNOSTIC_EVENT WHERE timestamp < 9;");
	ck_assert_int_eq(open_trace(false), DP_ERR_NO_GPU);
	ck_assert_ptr_nonnull(strstr(error.message, "; nsys: No CUDA events collected. Does the "
						    "process use CUDA?; record with"));
	done();
}

TEST(odd_values)
{
	const struct dp_ops *ops;

	ops = good("nsys", ONE_KERNEL
		   "CREATE TABLE x(start, end, deviceId, contextId, streamId, correlationId,"
		   "globalPid, demangledName, shortName, mangledName, gridX, graphNodeId);"
		   "INSERT INTO x VALUES"
		   "('soon', 2, 0, 1, 7, 5, 0, 1, 1, NULL, 1, NULL),"
		   "(1, NULL, 0, 1, 7, 5, 0, 1, 1, NULL, 1, NULL),"
		   "(2000.0, 2500.0, 0, 1, 7, 5, " PID_7 ", 1, 1, NULL, 1, NULL),"
		   "(3000.5, 3500, 0, 1, 7, 5, " PID_7 ", 1, 1, NULL, 1, NULL),"
		   "(9223372036854775807, 1, 0, 1, 7, 5, " PID_7 ", 1, 1, NULL, 1, NULL),"
		   "(0, 0, 0, 1, 7, 5, " PID_7 ", 1, 1, NULL, 1, NULL),"
		   "(4000, 3990, 0, 1, 7, 4294967296, " PID_7 ", 1, 1, NULL, 1, NULL),"
		   "(5000, 5001, x'00', NULL, 'y', -1, 'z', 1, 1, NULL, 1, NULL);"
		   "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;"
		   "ALTER TABLE x RENAME TO CUPTI_ACTIVITY_KIND_KERNEL;");
	ck_assert_uint_eq(ops->count, 3);
	ck_assert_int_eq(ops->end_ns[0], 500);
	ck_assert_int_eq(ops->end_ns[1], ops->start_ns[1]);
	ck_assert_uint_eq(ops->correlation[1], 0);
	ck_assert_int_eq(op_stream(2)->stream, -1);
	ck_assert_int_eq(lost("rows of CUPTI_ACTIVITY_KIND_KERNEL that could not be used"), 5);
	ck_assert_ptr_nonnull(strstr(reported, "row 1 was ignored: no valid time"));
	done();
}

TEST(missing_columns)
{
	const struct dp_ops *ops;

	ops = good("nsys", STRINGS "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end);"
				   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1, 2);");
	ck_assert_uint_eq(ops->count, 1);
	ck_assert_str_eq(op_name(0), "[name -1]");
	ck_assert_int_eq(op_stream(0)->context, -1);
	done();
	/* The process of kernels without one is that of the calls. */
	ops = good("nsys", STRINGS RUNTIMES
		   "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, correlationId);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(10, 20, 5);"
		   "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1, 2, 0, " TID_7_70 ", 5, 1);");
	ck_assert_uint_eq(ops->call[0], 0);
	ck_assert_int_eq(dp_trace_process(trace, op_stream(0)->process)->pid, 7);
	done();
	make_folder("trace.db");
	make_database(STRINGS "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, finish);"
			      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1, 2);");
	ck_assert_int_eq(open_trace(false), DP_ERR_DAMAGED);
	ck_assert_str_eq(error.table, "CUPTI_ACTIVITY_KIND_KERNEL");
	ck_assert_str_eq(error.message, "the table has no column end");
	done();
}

/* A view could run forever, or read what it must not. */
TEST(hostile_schema)
{
	make_folder("trace.db");
	make_database(
		ONE_KERNEL
		"ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO k;"
		"CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE c(start) AS "
		"(SELECT 1 UNION ALL SELECT start + 1 FROM c) SELECT start, start AS end FROM c;");
	ck_assert_int_eq(open_trace(false), DP_ERR_NO_GPU);
	done();
	/* Computed columns are not read: only what is stored. */
	make_folder("trace.db");
	make_database(STRINGS "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, "
			      "end INTEGER AS (length(hex(zeroblob(start)))));"
			      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start) VALUES(30000000);");
	ck_assert_int_eq(open_trace(false), DP_ERR_DAMAGED);
	ck_assert_str_eq(error.message, "the table has no column end");
	done();
	/* A column that hides the rowid, and a table that has none. */
	good("nsys", STRINGS "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(rowid, _rowid_, start, end);"
			     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES('x', 'y', 1, 2), "
			     "('a', 'b', 3, 4);");
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 2);
	done();
	make_folder("trace.db");
	make_database(STRINGS
		      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start PRIMARY KEY, end) "
		      "WITHOUT ROWID; INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1, 2);");
	ck_assert_int_eq(open_trace(false), DP_ERR_DAMAGED);
	done();
}

/* A payload: domain 1, a schema (2 in hex), its size, where it begins, and its bytes, in hex. */
#define PAYLOAD(schema, bytes)                                                              \
	"x'0100000000000000" schema "00000000000000" "1800000000000000" "2000000000000000" \
	bytes "'"
#define COMM_5 "0500000000000000"

TEST(nccl_payloads)
{
	const struct dp_collectives *calls;

	good("nsys",
	     ONE_KERNEL
	     "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId, schemaId, type, name, offset);"
	     "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES"
	     "(1, 2, 18, 'NCCL communicator ID', NULL), (1, 2, 5, 'No. of ranks', 8),"
	     "(1, 2, 5, 'Rank', 12), (1, 2, 19, 'Message size [bytes]', 16),"
	     "(1, 3, 18, 'NCCL communicator ID', NULL), (1, 3, 22, 'Message size [bytes]', 8),"
	     "(1, 3, 5, 'Peer rank', 16), (1, 3, 5, 'Rank', 70000),"
	     "(1, 4, 18, 'NCCL communicator ID', NULL), (1, 4, 22, 'Message size [bytes]', 8);"
	     "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
	     "textId INTEGER, globalTid INTEGER, domainId INTEGER, binaryData BLOB);"
	     "INSERT INTO NVTX_EVENTS VALUES"
	     /* Processes 7 and 8 are members 1 and 0 of communicator 5; 9 is two of them. */
	     "(1, 2, 59, 'ncclCommInitRank', NULL, (7 << 24) + 1, 1, "
	     PAYLOAD("02", COMM_5 "0200000001000000" "0000000000000000") "),"
	     "(1, 2, 59, 'ncclCommInitRank', NULL, (9 << 24) + 1, 1, "
	     PAYLOAD("02", COMM_5 "0200000001000000" "0000000000000000") "),"
	     "(1, 2, 59, 'ncclCommInitRank', NULL, (9 << 24) + 1, 1, "
	     PAYLOAD("02", COMM_5 "0200000000000000" "0000000000000000") "),"
	     "(10, 20, 59, 'ncclAllGather', NULL, (7 << 24) + 1, 1, "
	     PAYLOAD("04", COMM_5 "4000000000000000" "0000000000000000") "),"
	     "(11, 20, 59, 'ncclSend', NULL, (9 << 24) + 1, 1, "
	     PAYLOAD("03", COMM_5 "4000000000000000" "0100000000000000") "),"
	     "(12, 20, 59, 'ncclAllReduce', NULL, (8 << 24) + 1, 1, "
	     PAYLOAD("04", COMM_5 "4000000000000000" "0000000000000000") "),"
	     /* No call: another schema, and blobs that end early. */
	     "(13, 20, 59, 'ncclAllReduce', NULL, (8 << 24) + 1, 1, "
	     PAYLOAD("07", COMM_5 "4000000000000000" "0000000000000000") "),"
	     "(14, 20, 59, 'ncclAllReduce', NULL, (8 << 24) + 1, 1, "
	     PAYLOAD("04", COMM_5 "40") "),"
	     "(15, 20, 59, 'ncclAllReduce', NULL, (8 << 24) + 1, 1, x'01'),"
	     "(16, 20, 59, 'step', NULL, (8 << 24) + 1, 0, NULL);");
	calls = dp_trace_collectives(trace);
	ck_assert_uint_eq(calls->count, 3);
	ck_assert_str_eq(dp_trace_string(trace, calls->name[0]), "AllGather");
	ck_assert_str_eq(dp_trace_string(trace, calls->group[0]), "comm 0000000000000005");
	ck_assert_uint_eq(calls->bytes[0], 128);
	ck_assert_uint_eq(calls->group_size[0], 2);
	ck_assert_int_eq(calls->self[0], 1);
	ck_assert_int_eq(calls->peer[0], -1);
	ck_assert_int_eq(calls->peer[1], 1);
	ck_assert_int_eq(calls->self[1], -1);
	ck_assert_uint_eq(calls->bytes[2], 64);
	ck_assert_uint_eq(calls->group_size[2], 0);
	ck_assert_int_eq(calls->end_ns[2] - calls->start_ns[2], 8);
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 10);
	done();
}
