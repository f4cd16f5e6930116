/*
 * What a process has recorded, as rows: a spool with one of everything, and its rows according to
 * deepprof-trace(5).
 */
#include "spool_maker.h"
#include "test_database.h"
#include "test.h"

#include <deepprof/record.h>
#include <errno.h>
#include <sys/stat.h>

static struct dp_record_result result = DP_RECORD_RESULT_INIT;

static int try_convert_folder(void)
{
	struct dp_record_about about = DP_RECORD_ABOUT_INIT;
	struct dp_recording *recording;
	int status;

	about.command = "python train.py";
	about.hostname = "host";
	about.pid = MAKER_PID;
	about.exit_status = 3;
	error = (struct dp_error)DP_ERROR_INIT;
	ck_assert_int_eq(dp_recording_recover(&recording, folder, NULL, &error), DP_OK);
	status = dp_recording_write(recording, path, &about, &result, &error);
	dp_recording_free(recording);
	return status;
}

static void convert_folder(void)
{
	ck_assert_int_eq(try_convert_folder(), DP_OK);
}

static void convert(bool ended)
{
	make_folder("trace.db");
	spool_make(folder, ended);
	convert_folder();
}

/* Rows of a query, columns separated by '|', rows by ';', "-" for NULL. */
static void check_rows(const char *sql, const char *expected)
{
	static char got[8192];
	size_t used = 0;
	sqlite3_stmt *rows;
	sqlite3 *db;
	int code;

	ck_assert_int_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	code = sqlite3_prepare_v2(db, sql, -1, &rows, NULL);
	ck_assert_msg(code == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
	got[0] = '\0';
	while (sqlite3_step(rows) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(rows); i++) {
			const char *text = (const char *)sqlite3_column_text(rows, i);

			used += (size_t)snprintf(got + used, sizeof(got) - used, "%s%s",
						 i	? "|"
						 : used ? ";"
							: "",
						 text ? text : "-");
			ck_assert_uint_lt(used, sizeof(got));
		}
	}
	sqlite3_finalize(rows);
	sqlite3_close(db);
	ck_assert_msg(!strcmp(got, expected), "%s\n     got %s\nexpected %s", sql, got, expected);
}

/* A name instead of its id. */
#define NAMED(id) "(SELECT value FROM string AS s WHERE s.id = " id ")"

TEST(facts)
{
	convert(true);
	check_rows("SELECT key, value FROM meta WHERE key != 'version' ORDER BY key",
		   "command|python train.py;hostname|host;schema|6;"
		   "t0_realtime_ns|1700000000000000000");
	check_rows("SELECT * FROM process", "1|4242|4000|0|2000000000|3|3|1|8|python train.py|"
					    "RANK=3\nLOCAL_RANK=1\nWORLD_SIZE=8|130001|13.1|graph");
	check_rows("SELECT * FROM thread ORDER BY tid", "1|77|python;1|78|loader");
	check_rows("SELECT * FROM device",
		   "1|0|GPU-deadbeef-0100-0000-0000-000000000000|NVIDIA H100|9.0|132|85899345920|"
		   "1980000|3352320000");
	check_rows("SELECT * FROM context", "1|1|0|7");
	check_rows("SELECT * FROM stream", "1|1|7|-5|2|compute");
	check_rows("SELECT domain, cbid, " NAMED("name") " FROM cbid",
		   "2|211|cudaLaunchKernel_v7000");
	/* paused twice, it resumes once; a second pause lasts to the end */
	check_rows("SELECT * FROM pause", "1|3000|2000;1|1500000000|500000000");
	check_rows("SELECT * FROM message", "1|42|1|attached|CUPTI 130001 from somewhere");
	check_rows("SELECT process, cupti, realtime, monotonic, monotonic_raw FROM clock_sync",
		   "1|1005000000000|1700000000000000000|5000000000|5000000007;"
		   "1|1006000000000|1700000001000000000|6000000000|6000000007");
	remove_folder();
}

TEST(kernels)
{
	convert(true);
	check_rows("SELECT id, process, device, context, stream, start, dur_ns, corr, epoch, "
		   "cluster_x, cluster_y, cluster_z, graph, graph_node, queued, submitted, "
		   "complete FROM kernel",
		   "1|1|0|1|7|1000|2000|5|0|-|-|-|-|-|-|-|1;"
		   "2|1|0|1|7|4000|1000|6|1|2|1|1|9|33|3500|3700|1;"
		   "3|1|0|1|7|6000|-|7|1|-|-|-|-|-|-|-|0;"
		   "4|1|0|1|7|8000|-|8|1|-|-|-|-|-|-|-|0");
	check_rows("SELECT DISTINCT grid_x, grid_y, grid_z, block_x, block_y, block_z, regs, "
		   "smem_static, smem_dyn, local, " NAMED("name") " FROM kernel",
		   "4|2|1|128|1|1|40|1024|2048|0|gemm(float*, float*, int)");
	check_rows("SELECT value FROM string WHERE mangled = '_Z4gemmPfS_i'",
		   "gemm(float*, float*, int)");
	check_rows("SELECT * FROM ext_corr", "1|5|0|2|123456789012");
	/* The call of the first; that of the second has the same number in another epoch. */
	check_rows("SELECT kernel.id, api.id FROM kernel JOIN api USING (process, epoch, corr)",
		   "1|1");
	remove_folder();
}

TEST(operations)
{
	convert(true);
	check_rows("SELECT * FROM memcpy", "1|1|0|1|7|100|200|1|2|3|4096|-|-|1|3|0|-|-;"
					   "2|1|0|1|7|400|50|10|3|3|64|1|0|0|-|-|-|-");
	check_rows("SELECT * FROM memset", "1|1|0|1|7|500|10|256|171|3|4|0|-|-");
	check_rows("SELECT * FROM graph_launch", "1|1|0|1|7|7000|2000|9|10|0");
	check_rows("SELECT * FROM api", "1|1|77|900|50|2|211|5|0|0;2|1|77|960|30|1|307|9|0|700");
	check_rows("SELECT * FROM sync", "1|1|1|7|3000|100|3|-|11|0|-;2|1|-|-|3200|100|1|12|-|-|-");
	check_rows("SELECT * FROM mem_op", "1|50|1|3|139637976727552|1048576|0|-|-|2;"
					   "1|60|2|3|139637977776128|512|0|7|138538465099776|-");
	check_rows("SELECT * FROM mem_pool", "1|40|1|1|138538465099776|33554432|0|1|2|3|1");
	check_rows("SELECT * FROM overhead", "1|77|9500|100|65536;1|-|9700|100|262144");
	check_rows("SELECT * FROM jit", "1|77|0|20|10|1|3|777|/cache|1|0");
	remove_folder();
}

TEST(ranges)
{
	convert(true);
	check_rows("SELECT tid, " NAMED("domain") ", " NAMED(
			   "name") ", type, start, dur_ns, "
				   "depth, payload, typeof(payload) FROM nvtx ORDER BY start",
		   "77|-|step|59|1000|1000|0|-|null;"
		   "77|a domain|inner|59|1100|200|1|-|null;"
		   "77|-|forward|59|1200|200|2|-|null;"
		   "77|-|async|60|2100|500|-|-3|integer;"
		   "78|-|mark|34|2700|-|-|1.5|real;"
		   "78|-|single|34|2800|-|-|0.25|real;"
		   "77|NCCL|ncclAllReduce|59|5000|500|0|-|null;"
		   "77|NCCL|ncclCommInitRank|59|6000|500|0|-|null;"
		   "77|-|open|59|9000|-|0|-|null");
	check_rows("SELECT " NAMED(
			   "n.name") ", c.comm_hash, c.op, c.bytes, c.reduction, c.root, c.ranks "
				     "FROM nccl AS c JOIN nvtx AS n ON n.id = c.nvtx",
		   "ncclAllReduce|1311768467294899695|AllReduce|4194304|max|-|-;"
		   "ncclCommInitRank|1311768467294899695|CommInitRank|-|-|-|4194304");
	remove_folder();
}

/* Every record is in a table, or in the losses; and the sums say so. */
TEST(sums)
{
	convert(true);
	ck_assert_uint_eq(result.processes, 1);
	ck_assert_uint_eq(result.operations, 4 + 2 + 1 + 1);
	ck_assert_uint_eq(result.events, 8 + 2 + 2 + 2 + 1 + 1 + 2 + 1 + 9);
	ck_assert_uint_eq(result.lost, 17 + 1);
	ck_assert_uint_eq(result.untimed, 1);
	ck_assert_uint_eq(result.graph_launches, 1);
	ck_assert_uint_eq(result.lost_buffers, 17);
	ck_assert_uint_eq(result.lost_disk + result.lost_limit + result.lost_cupti, 0);
	ck_assert_uint_eq(result.unsalvaged, 0);
	ck_assert_uint_eq(result.unbalanced, 0);
	ck_assert_uint_eq(result.duration_ns, 9700);
	ck_assert(result.cupti);
	check_rows("SELECT kind, completed, stored, lost FROM count ORDER BY kind",
		   "1|1|1|0;2|1|1|0;4|1|1|0;5|1|1|0;8|1|1|0;9|1|1|0;10|22|5|17;11|2|2|0;"
		   "17|2|2|0;22|1|1|0;37|1|1|0;38|2|2|0;39|1|1|0;49|2|2|0;50|1|1|0;51|1|1|0;"
		   "52|1|1|0;61|1|0|1;112|16|16|0");
	check_rows("SELECT reason, records, bytes FROM loss ORDER BY reason",
		   "pool-full|17|3400;unknown-kind|1|-");
	check_rows("SELECT kind, device, context, stream FROM untimed", "10|0|1|7");
	remove_folder();
}

/* Its process is dead, and its memory gone. */
TEST(unsalvaged)
{
	convert(false);
	ck_assert_uint_eq(result.unsalvaged, 1);
	check_rows("SELECT count(*) FROM kernel", "4");
	check_rows("SELECT count(*) FROM count", "0");
	check_rows("SELECT reason, records, bytes FROM loss WHERE records IS NULL", "died|-|-");
	/* It ended when its last event did, as far as is known. */
	check_rows("SELECT start, dur_ns FROM process", "0|9800");
	remove_folder();
}

/* The contents of a damaged chunk are lost; the damage and its size are reported. */
TEST(damaged)
{
	char name[400];
	FILE *file;

	make_folder("trace.db");
	spool_make(folder, true);
	snprintf(name, sizeof(name), "%s/4242.0.spool", folder);
	file = fopen(name, "r+e");
	ck_assert_ptr_nonnull(file);
	ck_assert(!fseek(file, 200, SEEK_SET));
	ck_assert_int_ne(fputc(0xa5, file), EOF);
	ck_assert(!fclose(file));
	convert_folder();
	check_rows("SELECT count(*) FROM kernel", "0");
	check_rows("SELECT reason, records, bytes > 1000 FROM loss WHERE records IS NULL",
		   "damaged-spool|-|1");
	remove_folder();
}

/* A stream and a thread per request: a linear search for each would take until the limit. */
TEST(many)
{
	make_folder("trace.db");
	spool_make_many(folder, 500000);
	convert_folder();
	check_rows("SELECT count(*), min(stream), max(stream) FROM stream", "500000|1|500000");
	check_rows("SELECT count(*), count(DISTINCT tid), max(depth) FROM nvtx", "500000|500000|0");
	ck_assert_uint_eq(result.unbalanced, 0);
	remove_folder();
}

/* A linear search of the open ranges, or the schemas, at each event would take until the limit. */
TEST(many_open)
{
	make_folder("trace.db");
	spool_make_open(folder, 200000);
	convert_folder();
	check_rows("SELECT type, count(*), count(dur_ns), min(depth), max(depth) FROM nvtx "
		   "GROUP BY type",
		   "59|200000|200000|0|199999;60|200000|200000|-|-");
	check_rows("SELECT min(dur_ns), max(dur_ns) FROM nvtx WHERE type = 60", "200000|200000");
	check_rows("SELECT count(*), min(root), max(root) FROM nccl", "100000|5|5");
	remove_folder();
}

/* Of variables in an older collector's spool, only those with a listed name are stored. */
TEST(variables)
{
	make_folder("trace.db");
	spool_make_variables(folder);
	convert_folder();
	check_rows("SELECT replace(env, char(10), ' '), rank, cupti_version, driver, graph_mode "
		   "FROM process",
		   "CUDA_VISIBLE_DEVICES=0,1 RANK=5|5|130001|13.1|graph");
	remove_folder();
}

/* Whatever the umask allows, only its owner can read the file; and no file is overwritten. */
TEST(private)
{
	struct stat info, later;

	umask(0);
	make_folder("trace.db");
	spool_make_variables(folder);
	convert_folder();
	ck_assert(!stat(path, &info));
	ck_assert_uint_eq(info.st_mode & 07777, 0600);
	ck_assert_int_eq(try_convert_folder(), DP_ERR_IO);
	ck_assert_str_eq(error.message, strerror(EEXIST));
	ck_assert(!stat(path, &later));
	ck_assert_uint_eq(info.st_ino, later.st_ino);
	ck_assert_int_eq(info.st_size, later.st_size);
	remove_folder();
}
