/* deepprof's own trace file: all tables, its views, an older schema. */
#include "format/schema.h"
#include "test_database.h"
#include "test.h"

/* The database of the schema, with these rows, at path. */
static void make_trace(const char *rows)
{
	sqlite3 *db;

	make_folder("deepprof.db");
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	for (size_t i = 0; dp_schema__tables[i]; i++)
		run_sql(db, dp_schema__tables[i]);
	run_sql(db, rows);
	for (size_t i = 0; dp_schema__indexes[i]; i++)
		run_sql(db, dp_schema__indexes[i]);
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

#define ROWS                                                                                      \
	"INSERT INTO meta VALUES('schema', 2), ('t0_realtime_ns', 1779782330176752435);"          \
	"INSERT INTO meta VALUES('hostname', 'node7'), ('version', '0.1.0'), ('command', '');"    \
	"INSERT INTO process(id, pid, rank, cmdline, exit, driver, cupti_version) VALUES"         \
	"(1, 700, 3, 'python train.py', NULL, '12.8', 26), (2, 800, NULL, NULL, 139, '12.9', 27)" \
	", (3, 900, 5, 'idle', 0, NULL, NULL);"                                                   \
	"INSERT INTO thread VALUES(1, 701, 'loader'), (1, 999, 'idle');"                          \
	"INSERT INTO string VALUES(1, 'void f<int>(int*)', '_Z1fIiEvPT_'), (2, 'cudaNewCall', "   \
	"NULL), (3, 'step', NULL), (4, '_Z1gv', NULL);"                                           \
	"INSERT INTO device(process, device, name, mem_bytes, uuid) VALUES(1, 0, 'H100', 85, "    \
	"'GPU-00000000-0000'), (2, 0, 'H200', 141, 'GPU-7');"                                     \
	"INSERT INTO kernel(id, process, device, context, stream, start, dur_ns, name, corr, "    \
	"epoch) VALUES(1, 1, 0, 1, 7, 5000, 100, 1, 11, 0), (2, 2, 0, 1, 7, 5200, 50, 4, 11, 0)," \
	"(3, 1, 0, 1, 7, 9000, NULL, 1, 12, 0);"                                                  \
	"INSERT INTO memcpy(process, device, context, stream, start, dur_ns, kind, src_kind, "    \
	"dst_kind, bytes, corr) VALUES(1, 0, 1, 8, 5300, 40, 1, 1, 3, 4096, 13);"                 \
	"INSERT INTO memset(process, device, context, stream, start, dur_ns, bytes, value, "      \
	"mem_kind, corr) VALUES(1, 0, 1, 7, 5400, 4, 64, 0, 3, 14);"                              \
	"INSERT INTO graph_launch(process, device, context, stream, start, dur_ns, graph, corr) " \
	"VALUES(1, 0, 1, 7, 5500, 300, 6, 15);"                                                   \
	"INSERT INTO api(process, tid, start, dur_ns, domain, cbid, corr, ret) VALUES"            \
	"(1, 701, 4900, 20, 2, 211, 11, 0), (1, 701, 4950, 5, 2, 7777, 16, 0), "                  \
	"(2, NULL, 4960, 5, 1, 307, 11, 0);"                                                      \
	"INSERT INTO cbid VALUES(2, 7777, 2);"                                                    \
	"INSERT INTO sync(process, context, stream, start, dur_ns, kind, corr) VALUES"            \
	"(1, 1, 8, 5600, 10, 3, 16);"                                                             \
	"INSERT INTO nvtx(process, tid, name, type, start, dur_ns) VALUES"                        \
	"(1, 701, 3, 59, 4800, 1000), (1, 701, 3, 34, 4900, NULL), (1, NULL, NULL, 60, 4950, 1)," \
	"(1, 701, 3, 59, 6000, NULL);"                                                            \
	"INSERT INTO loss(process, reason, records) VALUES(1, 'buffers were full', 42);"          \
	"INSERT INTO pause VALUES(1, 5600, 3000), (1, 8700, NULL), (3, 5600, 3000), "             \
	"(9, 5600, 3000), (1, 5800, -5), (1, 4000, 100);"

static void check_operations(void)
{
	const struct dp_ops *ops = open_good("deepprof_db");

	ck_assert_uint_eq(ops->count, 6);
	ck_assert_str_eq(op_name(0), "void f<int>(int*)");
	ck_assert_str_eq(op_name(1), "g()");
	ck_assert_int_eq(ops->start_ns[1], 200);
	ck_assert_int_eq(ops->end_ns[1], 250);
	ck_assert_uint_eq(ops->kind[2], DP_OP_COPY);
	ck_assert_uint_eq(ops->bytes[2], 4096);
	ck_assert_uint_eq(ops->src_kind[2], DP_MEMORY_PAGEABLE);
	ck_assert_uint_eq(ops->kind[3], DP_OP_MEMSET);
	ck_assert_uint_eq(ops->kind[4], DP_OP_GRAPH);
	ck_assert_str_eq(op_name(4), "graph 6");
	ck_assert_int_eq(ops->end_ns[5], ops->start_ns[5]);
}

static void check_facts(const char *expected)
{
	const struct dp_fact *fact;
	char all[512] = "";

	for (size_t i = 0; (fact = dp_trace_fact(trace, i)); i++)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s=%s;", fact->name,
			 fact->value);
	ck_assert_str_eq(all, expected);
}

/* Waits for events: by the id of the event's record, or the last record before the wait. */
TEST(event_waits)
{
	const struct dp_syncs *syncs;
	static const int64_t sources[] = { 8, 9, 8, -1, -1 };
	static const uint32_t causes[] = { 3, 4, 2, 0, 0 };

	make_trace("INSERT INTO process(id, pid) VALUES(1, 700);"
		   "INSERT INTO string VALUES(1, 'f', NULL);"
		   "INSERT INTO kernel(process, device, context, stream, start, dur_ns, name, corr) "
		   "VALUES(1, 0, 1, 7, 0, 10, 1, 1), (1, 0, 1, 8, 0, 10, 1, 1), "
		   "(1, 0, 1, 9, 0, 10, 1, 1);"
		   "INSERT INTO cuda_event(process, context, stream, event, event_sync, corr, epoch) "
		   "VALUES(1, 1, 8, 5, 70, 3, 0), (1, 1, 9, 5, NULL, 4, 0), "
		   "(1, 1, 8, 5, NULL, 2, 0), (1, 1, 9, 5, NULL, 1, 1), (1, 1, 9, 6, 71, 9, 0);"
		   "INSERT INTO sync(process, context, stream, start, dur_ns, kind, event, corr, "
		   "epoch, event_sync) VALUES(1, 1, 7, 100, 0, 2, 5, 10, 0, 70), "
		   "(1, 1, 7, 200, 0, 2, 5, 11, 0, NULL), (1, 1, 7, 300, 0, 2, 5, 3, 0, NULL), "
		   "(1, 1, 7, 400, 0, 2, 4, 12, 0, NULL), (1, 1, 7, 500, 0, 1, 6, 12, 0, 71);");
	open_good("deepprof_db");
	syncs = dp_trace_syncs(trace);
	ck_assert_uint_eq(syncs->count, 5);
	for (size_t i = 0; i < syncs->count; i++) {
		const struct dp_stream *source = dp_trace_stream(trace, syncs->source[i]);

		ck_assert_int_eq(source ? source->stream : -1, sources[i]);
		ck_assert_uint_eq(syncs->source_correlation[i], causes[i]);
		ck_assert_uint_eq(syncs->event[i], source ? 5 : 0);
	}
	done();
}

/* Of each stack the innermost function of Python counts, or else one outside of system libraries. */
TEST(call_stacks)
{
	static const char *const functions[] = {
		"train (train.py)",	  "Net.forward (net.py)",   "Net.forward (net.py)",
		"the Python interpreter", "at::add(at::Tensor)",    "libcuda.so.1",
		"libtorch_cpu.so",
	};
	const struct dp_function_samples *samples;

	make_trace("INSERT INTO process(id, pid) VALUES(1, 700);"
		   "INSERT INTO string VALUES(1, 'f', NULL);"
		   "INSERT INTO kernel(process, device, context, stream, start, dur_ns, name, corr) "
		   "VALUES(1, 0, 1, 7, 0, 10, 1, 1);"
		   "INSERT INTO api(process, tid, start, dur_ns, domain, cbid, corr) "
		   "VALUES(1, 700, 0, 5, 1, 1, 1);"
		   "INSERT INTO call_stack VALUES(1, NULL, 'py::train:/home/me/train.py', NULL), "
		   "(2, 1, 'py::Net.forward:net.py', NULL), "
		   "(3, 2, 'at::add(at::Tensor)', 'libtorch_cpu.so'), "
		   "(4, NULL, '_PyEval_EvalFrameDefault', 'python3.12'), "
		   "(5, 4, 'at::add(at::Tensor)', 'libtorch_cpu.so'), "
		   "(6, NULL, NULL, 'libcuda.so.1'), "
		   "(7, NULL, NULL, 'libtorch_cpu.so'), (8, 7, 'memcpy', 'libc.so.6'), "
		   "(9, 4, 'malloc', 'libc.so.6'), (10, 11, NULL, NULL), (11, 10, NULL, NULL);"
		   "INSERT INTO cpu_sample(process, tid, ts, dur_ns, stack) VALUES"
		   "(1, 700, 1, 10, 1), (1, 700, 2, 10, 2), (1, 700, 3, 10, 3), "
		   "(1, 700, 4, 10, 9), (1, 700, 5, 10, 5), (1, 700, 6, 10, 6), "
		   "(1, 700, 7, 10, 8), (1, 700, 8, 10, 10), (1, 700, 9, 10, 99), "
		   "(1, 701, 9, 10, 1);");
	open_good("deepprof_db");
	samples = dp_trace_function_samples(trace);
	ck_assert_uint_eq(samples->count, sizeof(functions) / sizeof(*functions));
	for (size_t i = 0; i < samples->count; i++) {
		ck_assert_int_eq(samples->time_ns[i], (int64_t)i + 1);
		ck_assert_uint_eq(samples->length_ns[i], 10);
		ck_assert_str_eq(dp_trace_string(trace, samples->function[i]), functions[i]);
	}
	done();
}

TEST(operations)
{
	int64_t t0_ns;

	make_trace(ROWS);
	check_operations();
	ck_assert(dp_trace_t0(trace, &t0_ns));
	ck_assert_int_eq(t0_ns, INT64_C(1779782330176757435));
	ck_assert_str_eq(dp_trace_format_detail(trace), "schema 6");
	check_facts("host=node7;recorder=deepprof 0.1.0;driver=12.8;cupti=26;exit_status=139;");
	ck_assert_uint_eq(dp_trace_pause_count(trace), 1);
	ck_assert_int_eq(dp_trace_pause(trace, 0)->start_ns, 600);
	ck_assert_int_eq(dp_trace_pause(trace, 0)->end_ns, 3600);
	ck_assert_int_eq(lost("still running when the recording ended"), 1);
	ck_assert_int_eq(lost("while recording: buffers were full"), 42);
	ck_assert_uint_eq(dp_trace_process_count(trace), 2);
	ck_assert_int_eq(dp_trace_process(trace, 0)->rank, 3);
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_process(trace, 0)->name),
			 "python train.py");
	ck_assert_int_eq(dp_trace_process(trace, 1)->pid, 800);
	ck_assert_int_eq(dp_trace_process(trace, 1)->rank, -1);
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_device(trace, 0)->name), "H100");
	ck_assert_uint_eq(dp_trace_device(trace, 1)->total_bytes, 141);
	ck_assert_uint_eq(dp_trace_device(trace, 0)->uuid, DP_NONE);
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_device(trace, 1)->uuid), "GPU-7");
	ck_assert_uint_eq(dp_trace_gpu_count(trace), 2);
	ck_assert(dp_trace_lacks(trace, DP_NEED_MEMORY));
	ck_assert_str_eq(dp_trace_need(trace, DP_NEED_MEMORY)->what, dp_need(DP_NEED_MEMORY)->what);
	ck_assert_ptr_nonnull(strstr(dp_trace_need(trace, DP_NEED_MEMORY)->record, "--memory=off"));
	ck_assert_ptr_null(dp_trace_need(trace, DP_NEED_NOTHING));
	ck_assert_ptr_null(dp_trace_need(trace, DP_NEEDS));
	done();
}

TEST(host)
{
	const struct dp_calls *calls;
	const struct dp_ranges *ranges;

	make_trace(ROWS);
	open_good("deepprof_db");
	calls = dp_trace_calls(trace);
	ck_assert_uint_eq(calls->count, 3);
	ck_assert_str_eq(dp_trace_string(trace, calls->name[0]), "cudaLaunchKernel");
	ck_assert_str_eq(dp_trace_string(trace, calls->name[1]), "cudaNewCall");
	ck_assert_str_eq(dp_trace_string(trace, calls->name[2]), "cuLaunchKernel");
	ck_assert_int_eq(dp_trace_thread(trace, calls->thread[2])->tid, -1);
	/* The same correlation id in two processes. */
	ck_assert_uint_eq(dp_trace_ops(trace)->call[0], 0);
	ck_assert_uint_eq(dp_trace_syncs(trace)->count, 1);
	ck_assert_uint_eq(dp_trace_syncs(trace)->stream[0], dp_trace_ops(trace)->stream[2]);
	ranges = dp_trace_ranges(trace);
	ck_assert_uint_eq(ranges->count, 2);
	ck_assert_str_eq(dp_trace_string(trace, ranges->name[0]), "step");
	ck_assert_int_eq(ranges->end_ns[0], 800);
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_thread(trace, ranges->thread[0])->name),
			 "loader");
	ck_assert_int_eq(lost("NVTX ranges that never ended"), 1);
	done();
}

/* A call of a library is not an annotation of the program. */
TEST(domains)
{
	const struct dp_ranges *ranges;

	make_trace(ROWS "INSERT INTO string VALUES(7, 'NCCL', NULL), (8, 'mine', NULL);"
			"INSERT INTO nvtx(process, tid, domain, name, type, start, dur_ns) VALUES"
			"(1, 701, 7, 3, 59, 6100, 10), (1, 701, 8, 3, 59, 6200, 10);");
	open_good("deepprof_db");
	ranges = dp_trace_ranges(trace);
	ck_assert_uint_eq(ranges->count, 4);
	ck_assert_uint_eq(ranges->kind[0], DP_RANGE_NVTX);
	ck_assert_uint_eq(ranges->kind[2], DP_RANGE_OPERATOR);
	ck_assert_uint_eq(ranges->kind[3], DP_RANGE_NVTX);
	done();
}

/* Two processes share one GPU's samples; nobody used a second GPU. */
TEST(state)
{
	const struct dp_memory *memory;
	const struct dp_samples *samples;

	make_trace(ROWS "UPDATE device SET uuid = 'GPU-1' WHERE device = 0;"
			"INSERT INTO mem_op(process, ts, op, kind, bytes, device) VALUES"
			"(1, 900, 2, 3, 64, 0), (1, 300, 1, 3, 64, 0), (1, 400, 1, 2, 32, 0),"
			"(1, 400, 1, 3, 32, 9), (1, 500, 7, 3, 1, 0);"
			"INSERT INTO gpu_sample(device_uuid, ts, power_mW, energy_mJ, sm_clk, "
			"throttle) VALUES('GPU-1', 2000, 300000, 77, 1980, 4), "
			"('GPU-1', 1000, NULL, NULL, NULL, NULL), ('GPU-2', 1000, 1, 1, 1, 1);");
	open_good("deepprof_db");
	memory = dp_trace_memory(trace);
	ck_assert_uint_eq(memory->count, 2);
	ck_assert_int_eq(memory->delta_bytes[0], 64);
	ck_assert_int_eq(memory->delta_bytes[1], -64);
	ck_assert_int_eq(memory->time_ns[1] - memory->time_ns[0], 600);
	samples = dp_trace_samples(trace);
	ck_assert_uint_eq(samples->count, 4);
	ck_assert_uint_eq(samples->power_mw[0], 0);
	ck_assert_uint_eq(samples->power_mw[2], 300000);
	ck_assert_uint_eq(samples->energy_mj[2], 77);
	ck_assert_uint_eq(samples->clock_mhz[2], 1980);
	ck_assert_uint_eq(samples->throttle[3] & DP_THROTTLE_SLOW, 4);
	ck_assert_uint_ne(samples->device[0], samples->device[1]);
	ck_assert_int_eq(samples->time_ns[2] - samples->time_ns[0], 1000);
	done();
}

/* A file without the application id, and without what a first schema may lack, as nsys's views. */
TEST(views_are_nsys)
{
	static const char *const tables[] = { "KERNEL",	     "MEMCPY",	"MEMSET",
					      "GRAPH_TRACE", "RUNTIME", "SYNCHRONIZATION" };
	sqlite3 *db;
	char sql[256];

	make_trace(ROWS);
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	snprintf(sql, sizeof(sql), "ATTACH '%s/copy.sqlite' AS x", folder);
	run_sql(db, sql);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		snprintf(sql, sizeof(sql),
			 "CREATE TABLE x.CUPTI_ACTIVITY_KIND_%s AS "
			 "SELECT * FROM main.CUPTI_ACTIVITY_KIND_%s",
			 tables[i], tables[i]);
		run_sql(db, sql);
	}
	run_sql(db, "CREATE TABLE x.StringIds AS SELECT * FROM main.StringIds;"
		    "CREATE TABLE x.NVTX_EVENTS AS SELECT * FROM main.NVTX_EVENTS;"
		    "CREATE TABLE x.PROCESSES AS SELECT * FROM main.PROCESSES;"
		    "CREATE TABLE x.TARGET_INFO_GPU AS SELECT * FROM main.TARGET_INFO_GPU;"
		    "CREATE TABLE x.TARGET_INFO_SESSION_START_TIME AS SELECT * FROM "
		    "main.TARGET_INFO_SESSION_START_TIME");
	sqlite3_close(db);
	snprintf(path, sizeof(path), "%s/copy.sqlite", folder);
	open_good("nsys");
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 6);
	ck_assert_uint_eq(dp_trace_calls(trace)->count, 3);
	ck_assert_uint_eq(dp_trace_ranges(trace)->count, 2);
	ck_assert_uint_eq(dp_trace_syncs(trace)->count, 1);
	ck_assert_uint_eq(dp_trace_ops(trace)->src_kind[2], DP_MEMORY_PAGEABLE);
	ck_assert_uint_eq(dp_trace_ops(trace)->dst_kind[3], DP_MEMORY_DEVICE);
	ck_assert_str_eq(op_name(0), "void f<int>(int*)");
	ck_assert_str_eq(op_name(4), "graph 6");
	ck_assert_str_eq(dp_trace_string(trace, dp_trace_calls(trace)->name[1]), "cudaNewCall");
	ck_assert_int_eq(dp_trace_process(trace, 0)->pid, 700);
	done();
}

/* Optional parts may be missing: a file of an older schema, and one of a newer. */
TEST(other_schemas)
{
	make_folder("deepprof.db");
	make_database("PRAGMA application_id = 0x44507472; PRAGMA user_version = 7;"
		      "CREATE TABLE process(id INTEGER PRIMARY KEY, pid INTEGER, new INTEGER);"
		      "INSERT INTO process VALUES(1, 5, 9);"
		      "CREATE TABLE string(id INTEGER PRIMARY KEY, value TEXT);"
		      "INSERT INTO string VALUES(1, 'k');"
		      "CREATE TABLE kernel(new TEXT, process INTEGER, start INTEGER, "
		      "dur_ns INTEGER, name INTEGER);"
		      "INSERT INTO kernel VALUES('x', 1, 10, 5, 1);"
		      "CREATE TABLE what_is_new(x);");
	open_good("deepprof_db");
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 1);
	ck_assert_str_eq(op_name(0), "k");
	ck_assert_int_eq(op_stream(0)->stream, -1);
	ck_assert_str_eq(dp_trace_format_detail(trace), "schema 7");
	done();
}

/* A GPU used by several processes is one device; without a UUID that is unknown. */
TEST(shared_gpus)
{
	sqlite3 *db;

	make_trace(ROWS);
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	run_sql(db, "UPDATE device SET uuid = 'GPU-7'");
	sqlite3_close(db);
	open_good("deepprof_db");
	ck_assert_uint_eq(dp_trace_device_count(trace), 2);
	ck_assert_uint_eq(dp_trace_gpu_count(trace), 1);
	done();
	make_trace(ROWS);
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	run_sql(db, "UPDATE device SET uuid = NULL");
	sqlite3_close(db);
	open_good("deepprof_db");
	ck_assert_uint_eq(dp_trace_gpu_count(trace), 2);
	done();
}

/* The first schema did not report pauses. */
TEST(first_schema)
{
	sqlite3 *db;

	make_trace(ROWS);
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	run_sql(db, "DROP TABLE pause; PRAGMA user_version = 1");
	sqlite3_close(db);
	check_operations();
	ck_assert_str_eq(dp_trace_format_detail(trace), "schema 1");
	ck_assert_uint_eq(dp_trace_pause_count(trace), 0);
	done();
}

static FILE *open_page(void)
{
	FILE *page = fopen(DP_SOURCE_ROOT "/man/deepprof-trace.5", "r");

	ck_assert_ptr_nonnull(page);
	return page;
}

/* Appends "table.column" for each column that the page reports, in its order. */
static void list_page(char *list, size_t size)
{
	FILE *page = open_page();
	char line[512], table[512] = "";
	bool tables = false, term = false;

	while (fgets(line, sizeof(line), page)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, ".SH ", 4))
			tables = !strcmp(line, ".SH TABLES");
		if (tables && !strncmp(line, ".SS ", 4))
			snprintf(table, sizeof(table), "%s", line + 4);
		if (tables && term && !strncmp(line, ".B ", 3))
			snprintf(list + strlen(list), size - strlen(list), "%s.%.*s\n", table,
				 (int)strcspn(line + 3, "*"), line + 3);
		term = !strcmp(line, ".TP");
	}
	fclose(page);
}

/* The page is the schema: the same tables and columns in the same order. */
TEST(page_tells_all)
{
	char page[16384] = "", file[16384] = "";
	sqlite3_stmt *statement;
	sqlite3 *db;

	make_trace("SELECT 1");
	list_page(page, sizeof(page));
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	ck_assert_int_eq(
		sqlite3_prepare_v2(db,
				   "SELECT m.name || '.' || c.name FROM sqlite_master AS m "
				   "JOIN pragma_table_info(m.name) AS c WHERE m.type = "
				   "'table' ORDER BY m.rowid, c.cid",
				   -1, &statement, NULL),
		SQLITE_OK);
	while (sqlite3_step(statement) == SQLITE_ROW)
		snprintf(file + strlen(file), sizeof(file) - strlen(file), "%s\n",
			 (const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	sqlite3_close(db);
	ck_assert_str_eq(page, file);
	done();
}

TEST(page_examples)
{
	FILE *page = open_page();
	char line[512], sql[2048] = "";
	bool inside = false;
	sqlite3 *db;
	int runs = 0;

	make_trace(ROWS);
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	while (fgets(line, sizeof(line), page)) {
		if (!strcmp(line, ".fi\n")) {
			run_sql(db, sql);
			runs++;
			sql[0] = '\0';
		}
		inside = (inside || !strcmp(line, ".nf\n")) && strcmp(line, ".fi\n") != 0;
		if (inside && line[0] != '.')
			snprintf(sql + strlen(sql), sizeof(sql) - strlen(sql), "%s", line);
	}
	ck_assert_int_ge(runs, 3);
	fclose(page);
	sqlite3_close(db);
	done();
}

TEST(nothing_recorded)
{
	make_trace("INSERT INTO process(id, pid) VALUES(1, 5)");
	ck_assert_int_eq(open_trace(false), DP_ERR_NO_GPU);
	done();
}

/* A start and a duration of 2^62 ns each. */
TEST(times_do_not_overflow)
{
	make_trace(ROWS
		   "INSERT INTO kernel(process, device, context, stream, start, dur_ns, name, "
		   "corr) VALUES(1, 0, 1, 7, 4611686018427387904, 4611686018427387904, 1, 90);");
	ck_assert_uint_eq(open_good("deepprof_db")->count, 6);
	ck_assert_int_eq(dp_trace_duration_ns(trace), 4000);
	done();
}

TEST(damage)
{
	make_trace(ROWS "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < "
			"20000) INSERT INTO kernel(process, device, context, stream, start, "
			"dur_ns, name, corr) SELECT 1, 0, 1, 7, 10000 + i * 10, 5, 1, i FROM c;");
	open_good("deepprof_db");
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 20006);
	dp_trace_free(trace);
	hurt(150, 20006);
	done();
}
