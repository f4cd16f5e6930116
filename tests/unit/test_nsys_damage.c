/* nsys's SQLite exports that are damaged, locked, still being written, or none. */
#include "nsys_tables.h"
#include "test_database.h"
#include "test.h"

#include <time.h>

TEST(interrupted_export)
{
	unsigned char *bytes;
	size_t size;

	make_folder("trace.db");
	make_database(ONE_KERNEL);
	bytes = read_file(&size);
	memset(bytes, 0, 512);
	write_file(bytes, size);
	ck_assert_int_eq(open_trace(false), DP_ERR_DAMAGED);
	ck_assert_ptr_nonnull(strstr(error.message, "interrupted"));
	free(bytes);
	done();
}

/* cut off so far that not even the tables' names remain */
TEST(cut_short)
{
	unsigned char *bytes;
	size_t size;

	make_folder("trace.db");
	make_database(ONE_KERNEL);
	bytes = read_file(&size);
	write_file(bytes, 512);
	ck_assert_int_eq(open_trace(false), DP_ERR_DAMAGED);
	ck_assert_ptr_nonnull(strstr(error.message, "a truncated SQLite database: it has 512 of "));
	free(bytes);
	done();
}

/* The schema is there and the rows are not: the error says why, and no warning repeats it. */
TEST(cut_behind_the_schema)
{
	unsigned char *bytes;
	size_t size;

	make_folder("trace.db");
	make_database("PRAGMA page_size = 4096;" ONE_KERNEL);
	bytes = read_file(&size);
	write_file(bytes, 4096);
	ck_assert_int_eq(open_trace(false), DP_ERR_DAMAGED);
	ck_assert_ptr_nonnull(strstr(error.message, "the file is truncated: it has 1 of "));
	ck_assert_ptr_null(strstr(reported, "the file is truncated"));
	free(bytes);
	done();
}

TEST(odd_paths)
{
	static const char *const names[] = { "a?mode=rwc&vfs=x#y%41.db", "\x01\xff b.db",
					     ":memory:" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		make_folder(names[i]);
		make_database(ONE_KERNEL);
		open_good("nsys");
		ck_assert_uint_eq(dp_trace_ops(trace)->count, 1);
		ck_assert_int_eq(count_files(), 1);
		done();
	}
}

/* Leaves the file as a running writer does: with rows only in the log. */
TEST(write_ahead_log)
{
	sqlite3 *db;

	make_folder("trace.db");
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	run_sql(db, "PRAGMA journal_mode = wal;" ONE_KERNEL);
	ck_assert_int_eq(count_files(), 3);
	chmod(path, 0400);
	open_good("nsys");
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 1);
	dp_trace_free(trace);
	trace = NULL;
	run_sql(db, "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM "
		    "CUPTI_ACTIVITY_KIND_KERNEL");
	ck_assert_int_eq(count_files(), 3);
	sqlite3_close(db);
	/* The log is gone, the mode is still in the header. */
	ck_assert_int_eq(count_files(), 1);
	open_good("nsys");
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 2);
	ck_assert_int_eq(count_files(), 1);
	done();
}

TEST(locked_and_journaled)
{
	unsigned char zeros[512] = { 0xd9, 0xd5, 0x05, 0xf9 };
	sqlite3 *db;
	FILE *file;
	char name[300];

	make_folder("trace.db");
	make_database(ONE_KERNEL);
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	run_sql(db, "BEGIN EXCLUSIVE");
	open_good("nsys");
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 1);
	dp_trace_free(trace);
	sqlite3_close(db);
	snprintf(name, sizeof(name), "%s-journal", path);
	file = fopen(name, "wb");
	ck_assert_ptr_nonnull(file);
	fwrite(zeros, 1, sizeof(zeros), file);
	fclose(file);
	open_good("nsys");
	ck_assert_ptr_nonnull(strstr(reported, "-journal"));
	ck_assert_int_eq(count_files(), 2);
	done();
}

#define MANY                                                                                            \
	STRINGS KERNELS MEMCPYS RUNTIMES NVTX                                                           \
		"INSERT INTO StringIds VALUES(1, 'k'), (2, 'cudaLaunchKernel_v7000');"                  \
		"WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 5999) "       \
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1000 + i * 10, 1005 + i * 10, 0, 1, 7, " \
		"i, " PID_7 ", 1, 1, NULL, 1, NULL FROM c;"                                             \
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT start, end, 0, 1, 8, 1, globalPid, 64, " \
		"1, 0, 2, NULL FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 100;"                              \
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start - 5, end - 5, 0, "                \
		"globalPid | 70, correlationId, 2 FROM CUPTI_ACTIVITY_KIND_KERNEL;"                     \
		"INSERT INTO NVTX_EVENTS SELECT start, end, 59, 'r', globalPid | 70, NULL FROM "        \
		"CUPTI_ACTIVITY_KIND_KERNEL LIMIT 200;"

TEST(damaged_pages)
{
	make_folder("trace.db");
	make_database(MANY);
	open_good("nsys");
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 6100);
	ck_assert_uint_eq(dp_trace_loss_count(trace), 0);
	dp_trace_free(trace);
	hurt(300, 6100);
	done();
}

/* The offset of a table's root page. */
static size_t root_of(const char *table, size_t page_size)
{
	sqlite3_stmt *statement;
	sqlite3 *db;
	int root;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_master WHERE name = ?", -1, &statement,
			   NULL);
	sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
	ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
	root = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return (size_t)(root - 1) * page_size;
}

TEST(one_lost_page)
{
	size_t size, root, child;
	unsigned char *bytes;
	int64_t rows;

	make_folder("trace.db");
	make_database(MANY);
	root = root_of("CUPTI_ACTIVITY_KIND_KERNEL", 512);
	bytes = read_file(&size);
	ck_assert_uint_eq(bytes[root], 5);
	/* The second child of the root: an interior page or a leaf; all under it is lost. */
	child = (size_t)(bytes[root + 14] << 8 | bytes[root + 15]);
	child = (size_t)bytes[root + child] << 24 | (size_t)bytes[root + child + 1] << 16 |
		(size_t)bytes[root + child + 2] << 8 | bytes[root + child + 3];
	memset(bytes + (child - 1) * 512, 0xff, 512);
	write_file(bytes, size);
	open_good("nsys");
	rows = lost("rows of CUPTI_ACTIVITY_KIND_KERNEL in damaged pages");
	ck_assert_int_gt(rows, 0);
	ck_assert_uint_eq(dp_trace_ops(trace)->count, 6100 - (size_t)rows);
	ck_assert_int_lt(rows, 2000);
	free(bytes);
	done();
}

/* Every child of the table's root is the root's first child: rows would come again and again. */
TEST(cyclic_tree)
{
	size_t size, root, first = 0;
	unsigned char *bytes;

	make_folder("trace.db");
	make_database(MANY);
	root = root_of("CUPTI_ACTIVITY_KIND_KERNEL", 512);
	for (int self = 0; self < 2; self++) {
		bytes = read_file(&size);
		for (size_t i = 0; i < (size_t)(bytes[root + 3] << 8 | bytes[root + 4]); i++) {
			size_t cell =
				(size_t)(bytes[root + 12 + 2 * i] << 8 | bytes[root + 13 + 2 * i]);
			uint32_t page = (uint32_t)(root / 512 + 1);

			if (self) {
				unsigned char number[4] = { 0, 0, (unsigned char)(page >> 8),
							    (unsigned char)page };

				memcpy(bytes + root + cell, number, 4);
			} else if (!i) {
				first = cell;
			} else {
				memcpy(bytes + root + cell, bytes + root + first, 4);
			}
		}
		write_file(bytes, size);
		free(bytes);
		open_good("nsys");
		ck_assert_uint_le(dp_trace_ops(trace)->count, 6100);
		ck_assert_uint_ge(dp_trace_ops(trace)->count, 100);
		ck_assert_int_ge(lost("rows of CUPTI_ACTIVITY_KIND_KERNEL in damaged pages"), 0);
		dp_trace_free(trace);
	}
	trace = NULL;
	done();
}

/*
 * Files of a few pages that name each other so that a walk would take 10^10 steps: through the
 * schema (which SQLite reads by itself), and through the kernels.
 */
TEST(endless_trees)
{
	static const char *const names[] = { "schema-loop", "schema-loop-2", "table-loop" };
	static const int statuses[] = { DP_ERR_DAMAGED, DP_ERR_FORMAT, DP_OK };

	for (int i = 0; i < 3; i++) {
		clock_t start = clock();

		snprintf(path, sizeof(path), "%s/tests/unit/data/%s.sqlite", DP_SOURCE_ROOT,
			 names[i]);
		ck_assert_int_eq(open_trace(false), statuses[i]);
		ck_assert_int_lt((clock() - start) / CLOCKS_PER_SEC, 5);
		if (trace) {
			ck_assert_uint_eq(dp_trace_ops(trace)->count, 2);
			ck_assert_int_ge(lost("KERNEL in damaged pages"), 0);
		}
		dp_trace_free(trace);
	}
}

TEST(other_databases)
{
	make_folder("trace.db");
	make_database("CREATE TABLE music(title TEXT); INSERT INTO music VALUES('x')");
	ck_assert_int_eq(open_trace(false), DP_ERR_FORMAT);
	done();
}
