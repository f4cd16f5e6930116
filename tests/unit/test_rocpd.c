/* rocpd: a set of tables per process, the results of its rows, and what remains of damaged ones. */
#include "test_database.h"
#include "test.h"

#define TABLE(name, columns)                                                  \
	"CREATE TABLE rocpd_" name "%s (\"id\" INTEGER NOT NULL PRIMARY KEY " \
	"AUTOINCREMENT, \"guid\" TEXT DEFAULT 'g' NOT NULL, " columns ");"
#define DATA "\"extdata\" JSONB DEFAULT '{}' NOT NULL"
#define OWNER "\"nid\" INTEGER NOT NULL, \"pid\" INTEGER NOT NULL, "
#define SPAN "\"start\" BIGINT NOT NULL, \"end\" BIGINT NOT NULL, "

/* The columns of the published schema that are read, among others. */
static const char *const tables[] = {
	"CREATE TABLE rocpd_metadata%s (\"id\" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "
	"\"tag\" TEXT NOT NULL, \"value\" TEXT NOT NULL);",
	TABLE("string", "\"string\" TEXT NOT NULL UNIQUE"),
	TABLE("info_process",
	      "\"nid\" INTEGER NOT NULL, \"ppid\" INTEGER, \"pid\" INTEGER NOT NULL, "
	      "\"command\" TEXT, " DATA),
	TABLE("info_thread", OWNER "\"tid\" INTEGER NOT NULL, \"name\" TEXT, " DATA),
	TABLE("info_agent",
	      OWNER "\"type\" TEXT, \"absolute_index\" INTEGER, \"logical_index\" "
		    "INTEGER, \"type_index\" INTEGER, \"name\" TEXT, \"product_name\" "
		    "TEXT, " DATA),
	TABLE("info_kernel_symbol",
	      OWNER "\"code_object_id\" INTEGER NOT NULL, \"kernel_name\" TEXT, "
		    "\"display_name\" TEXT, " DATA),
	TABLE("event",
	      "\"category_id\" INTEGER, \"stack_id\" INTEGER, \"parent_stack_id\" INTEGER, "
	      "\"correlation_id\" INTEGER, \"call_stack\" JSONB DEFAULT '{}' NOT NULL, " DATA),
	TABLE("region", OWNER "\"tid\" INTEGER NOT NULL, " SPAN
			      "\"name_id\" INTEGER NOT NULL, \"event_id\" INTEGER, " DATA),
	TABLE("kernel_dispatch",
	      OWNER "\"tid\" INTEGER, \"agent_id\" INTEGER NOT NULL, "
		    "\"kernel_id\" INTEGER NOT NULL, \"dispatch_id\" INTEGER NOT "
		    "NULL, \"queue_id\" INTEGER NOT NULL, \"stream_id\" INTEGER NOT "
		    "NULL, " SPAN "\"grid_size_x\" INTEGER NOT NULL, "
		    "\"region_name_id\" INTEGER, \"event_id\" INTEGER, " DATA),
	TABLE("memory_copy", OWNER "\"tid\" INTEGER, " SPAN "\"name_id\" INTEGER NOT NULL, "
				   "\"dst_agent_id\" INTEGER, \"src_agent_id\" INTEGER, \"size\" "
				   "INTEGER NOT NULL, \"queue_id\" INTEGER, \"stream_id\" INTEGER, "
				   "\"event_id\" INTEGER, " DATA),
	TABLE("memory_allocate",
	      OWNER "\"tid\" INTEGER, \"agent_id\" INTEGER, \"type\" TEXT, "
		    "\"level\" TEXT, " SPAN "\"address\" INTEGER, \"size\" INTEGER "
		    "NOT NULL, \"event_id\" INTEGER, " DATA),
};

/* Rows of a process, whose pid is the one parameter next to the tables' suffix. */
static const struct {
	const char *table, *columns, *rows;
} rows[] = {
	{ "metadata", "tag, value", "('schema_version', '3')" },
	{ "string", "id, string",
	  "(1, 'KERNEL_DISPATCH'), (2, 'HIP_RUNTIME_API_EXT'), (3, 'MARKER_CORE_RANGE_API'), "
	  "(4, 'RCCL_API'), (5, 'hipLaunchKernel'), (6, 'roctxThreadRangeA'), (7, 'ncclAllReduce'), "
	  "(8, 'MEMORY_COPY_HOST_TO_DEVICE'), (9, 'HIP_STREAM')" },
	{ "info_thread", "id, nid, pid, tid", "(1, 1, 900, 43)" },
	{ "info_agent", "id, nid, pid, type, absolute_index, type_index, product_name",
	  "(0, 1, 900, 'CPU', 0, 0, 'EPYC'), (4, 1, 900, 'GPU', 4, 0, 'MI300X'), "
	  "(5, 1, 900, 'GPU', 5, 1, 'MI300X')" },
	{ "info_kernel_symbol", "id, nid, pid, code_object_id, kernel_name, display_name",
	  "(1, 1, 900, 1, '_Z3addPfi.kd', 'add(float*, int)'), (2, 1, 900, 1, 'x', '_Z3mulPfi.kd')" },
	{ "event", "id, category_id, stack_id, correlation_id, extdata",
	  "(1, 2, 70, 0, '{}'), (2, 1, 70, 0, '{}'), (3, 1, 71, 0, '{}'), "
	  "(4, 3, 72, 0, '{\"a\": [1], \"message\": \"step \\\"1\\\"\"}'), (5, 4, 73, 0, '{}'), "
	  "(6, 4, 74, 0, '{}'), (7, 9, 75, 0, '{}')" },
	{ "region", "id, nid, pid, tid, start, end, name_id, event_id",
	  "(70, 1, 900, 1, 90, 95, 5, 1), (72, 1, 900, 1, 80, 400, 6, 4), "
	  "(73, 1, 900, 1, 82, 83, 7, 5), (75, 1, 900, 1, 84, 85, 5, 7)" },
	{ "kernel_dispatch",
	  "id, nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, end, "
	  "grid_size_x, event_id",
	  "(1, 1, 900, 1, 4, 1, 1, 3, 7, 100, 105, 1, 2), (2, 1, 900, 1, 4, 2, 2, 4, 7, 106, 109, 1, 3)" },
	{ "memory_copy",
	  "nid, pid, tid, start, end, name_id, dst_agent_id, src_agent_id, size, stream_id, event_id",
	  "(1, 900, 1, 110, 120, 8, 5, 0, 64, 8, 6), (1, 900, 1, 130, 140, 8, 4, 5, 32, 7, 6)" },
	{ "memory_allocate", "nid, pid, agent_id, type, level, start, end, address, size",
	  "(1, 900, 4, 'ALLOC', 'REAL', 85, 86, 4096, 1000), "
	  "(1, 900, 4, 'ALLOC', 'SCRATCH', 87, 88, 8192, 7), "
	  "(1, 900, NULL, 'FREE', 'REAL', 300, 301, 4096, 0)" },
};

/* Adds a process's tables and rows to the database at path. */
static void add_process(const char *suffix, int pid, const char *config)
{
	char sql[2048];
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	run_sql(db, "PRAGMA page_size = 512; PRAGMA journal_mode = off; PRAGMA synchronous = off");
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		snprintf(sql, sizeof(sql), tables[i], suffix);
		run_sql(db, sql);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(sql, sizeof(sql), "INSERT INTO rocpd_%s%s(%s) VALUES%s", rows[i].table,
			 suffix, rows[i].columns, rows[i].rows);
		run_sql(db, sql);
	}
	snprintf(sql, sizeof(sql),
		 "INSERT INTO rocpd_info_process%s(id, nid, pid, extdata) VALUES(900, 1, %d, '%s')",
		 suffix, pid, config);
	run_sql(db, sql);
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

static const struct dp_ops *whole(void)
{
	return open_good("rocpd");
}

TEST(rows_become_operations)
{
	const struct dp_ops *ops;

	make_folder("a.db");
	add_process("_0197", 42, "{}");
	ops = whole();
	ck_assert_uint_eq(ops->count, 4);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	ck_assert_str_eq(dp_trace_format_detail(trace), "schema 3");
	ck_assert_ptr_nonnull(strstr(dp_trace_need(trace, DP_NEED_MEMORY)->record, "rocprofv3"));
	ck_assert_str_eq(op_name(0), "add(float*, int)");
	ck_assert_str_eq(op_name(1), "mul(float*, int)");
	ck_assert_uint_eq(ops->stream[0], ops->stream[1]);
	ck_assert_int_eq(op_stream(0)->stream, 7);
	ck_assert_int_eq(ops->copy_kind[2], DP_COPY_HTOD);
	ck_assert_int_eq(ops->src_kind[2], DP_MEMORY_UNKNOWN);
	ck_assert_int_eq(ops->dst_kind[2], DP_MEMORY_DEVICE);
	ck_assert_uint_eq(ops->bytes[2], 64);
	ck_assert_int_eq(dp_trace_device(trace, op_stream(2)->device)->id, 1);
	/* From one GPU to another: it is its source's. */
	ck_assert_int_eq(ops->copy_kind[3], DP_COPY_PTOP);
	ck_assert_int_eq(dp_trace_device(trace, op_stream(3)->device)->id, 1);
	ck_assert_int_eq(dp_trace_process(trace, 0)->pid, 42);
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_device(trace, 0)->name), "MI300X");
	done();
}

TEST(host_rows_are_read)
{
	const struct dp_calls *calls;
	const struct dp_ranges *ranges;
	const struct dp_memory *memory;

	make_folder("a.db");
	add_process("", 42, "{}");
	whole();
	calls = dp_trace_calls(trace);
	ck_assert_uint_eq(calls->count, 1);
	ck_assert_str_eq(dp_trace_string(trace, calls->name[0]), "hipLaunchKernel");
	ck_assert_int_eq(dp_trace_thread(trace, calls->thread[0])->tid, 43);
	/* By the stack id: the correlation id is 0 everywhere. */
	ck_assert_uint_eq(dp_trace_ops(trace)->call[0], 0);
	ck_assert_uint_eq(dp_trace_ops(trace)->call[1], DP_NONE);
	ranges = dp_trace_ranges(trace);
	ck_assert_uint_eq(ranges->count, 2);
	ck_assert_str_eq(dp_trace_string(trace, ranges->name[0]), "step \"1\"");
	ck_assert_int_eq(ranges->kind[0], DP_RANGE_NVTX);
	ck_assert_str_eq(dp_trace_string(trace, ranges->name[1]), "ncclAllReduce");
	ck_assert_int_eq(ranges->kind[1], DP_RANGE_OPERATOR);
	memory = dp_trace_memory(trace);
	ck_assert_uint_eq(memory->count, 2);
	ck_assert_int_eq(memory->delta_bytes[0], 1000);
	ck_assert_int_eq(memory->delta_bytes[1], -1000);
	done();
}

TEST(queues_stand_for_streams)
{
	make_folder("a.db");
	add_process("_0197", 42, "{\"group_by_queue\": true}");
	whole();
	ck_assert_int_eq(op_stream(0)->stream, 3);
	ck_assert_int_eq(op_stream(1)->stream, 4);
	done();
}

/* Of two machines: the same pid, but two processes. */
TEST(processes_are_apart)
{
	const struct dp_ops *ops;

	make_folder("a.db");
	add_process("_0197", 42, "{}");
	add_process("_0198", 42, "{}");
	ops = whole();
	ck_assert_uint_eq(ops->count, 8);
	ck_assert_uint_eq(dp_trace_process_count(trace), 2);
	ck_assert_uint_ne(op_stream(0)->process, op_stream(1)->process);
	ck_assert_int_eq(dp_trace_process(trace, 1)->pid, 42);
	ck_assert_uint_ne(ops->call[0], ops->call[1]);
	ck_assert_uint_ne(ops->call[1], DP_NONE);
	done();
}

/* Missing parts: tables, columns, rows that others refer to. */
TEST(what_is_missing_is_done_without)
{
	static const char *const without[] = {
		"DROP TABLE rocpd_event_0197",
		"DROP TABLE rocpd_info_agent_0197",
		"DROP TABLE rocpd_info_process_0197",
		"DROP TABLE rocpd_info_kernel_symbol_0197",
		"DROP TABLE rocpd_string_0197",
		"DROP TABLE rocpd_memory_copy_0197",
		"ALTER TABLE rocpd_kernel_dispatch_0197 DROP COLUMN stream_id",
		"ALTER TABLE rocpd_info_agent_0197 DROP COLUMN type_index",
		"UPDATE rocpd_kernel_dispatch_0197 SET pid = 7, event_id = 99999999999",
		"UPDATE rocpd_event_0197 SET id = id + 99999999999",
	};

	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		make_folder("a.db");
		add_process("_0197", 42, "{}");
		make_database(without[i]);
		ck_assert_uint_ge(whole()->count, 2);
		done();
	}
}

TEST(a_form_without_times_is_reported)
{
	make_folder("a.db");
	add_process("_0197", 42, "{}");
	make_database("DROP TABLE rocpd_memory_copy_0197;"
		      "ALTER TABLE rocpd_kernel_dispatch_0197 DROP COLUMN start");
	open_trace(false);
	ck_assert_ptr_null(trace);
	ck_assert_int_eq(error.status, DP_ERR_DAMAGED);
	ck_assert_ptr_nonnull(strstr(error.message, "no column start"));
	remove_folder();
}

TEST(damage_is_survived)
{
	make_folder("a.db");
	add_process("_0197", 42, "{}");
	add_process("_0198", 43, "{}");
	hurt(300, 8);
	done();
}
