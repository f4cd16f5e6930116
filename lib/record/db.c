/* The trace file: opens it, writes rows, and finishes it. */
#include "record/db.h"
#include "format/schema.h"
#include "record/bulk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *table;
	int columns;
} row_tables[DP_ROW_COUNT_OF_TABLES] = {
	[DP_ROW_META] = { "meta", 2 },		[DP_ROW_PROCESS] = { "process", 14 },
	[DP_ROW_THREAD] = { "thread", 3 },	[DP_ROW_STRING] = { "string", 3 },
	[DP_ROW_DEVICE] = { "device", 9 },	[DP_ROW_CONTEXT] = { "context", 4 },
	[DP_ROW_STREAM] = { "stream", 6 },	[DP_ROW_CBID] = { "cbid", 3 },
	[DP_ROW_NCCL] = { "nccl", 10 },		[DP_ROW_JIT] = { "jit", 11 },
	[DP_ROW_SAMPLE] = { "gpu_sample", 11 }, [DP_ROW_LOSS] = { "loss", 5 },
	[DP_ROW_COUNT] = { "count", 5 },	[DP_ROW_MESSAGE] = { "message", 5 },
	[DP_ROW_PAUSE] = { "pause", 3 },	[DP_ROW_GPU_METRIC] = { "gpu_metric", 14 },
	[DP_ROW_CALL_STACK] = { "call_stack", 4 },
};

static int run(struct dp_db *db, const char *sql)
{
	return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) ? dp_db__fail(db) : DP_OK;
}

static int run_all(struct dp_db *db, const char *const *statements)
{
	int status = DP_OK;

	for (; *statements && !status; statements++)
		status = run(db, *statements);
	return status;
}

/* SQLite would let everybody read it whom the umask does not exclude. */
static int make_file(struct dp_db *db)
{
	int fd = open(db->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0) {
		dp_error__system(db->error, NULL);
		dp_error__where(db->error, db->path, NULL, 0, 0);
		return DP_ERR_IO;
	}
	close(fd);
	return DP_OK;
}

int dp_db__open(struct dp_db *db, const char *path, struct dp_error *error)
{
	/* Nobody reads the file before it is complete, so nothing needs to be rolled back. */
	static const char *const settings[] = {
		"PRAGMA journal_mode = OFF",
		"PRAGMA synchronous = OFF",
		"PRAGMA locking_mode = EXCLUSIVE",
		"PRAGMA cache_size = -65536",
		NULL,
	};
	int status;

	memset(db, 0, sizeof(*db));
	db->path = path;
	db->error = error;
	status = make_file(db);
	if (status)
		return status;
	/* The path may be in /proc/self/fd. */
	if (dp_plain__open(&db->handle, &db->vfs, path,
			   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX))
		status = dp_db__fail(db);
	/* The page size is the first statement of the schema and must come first. */
	if (!status)
		status = run(db, dp_schema__tables[0]);
	if (!status)
		status = run_all(db, settings);
	if (!status)
		status = run(db, "BEGIN");
	if (!status)
		status = run_all(db, dp_schema__tables + 1);
	if (!status)
		status = dp_bulk__register(db);
	if (status)
		unlink(path);
	return status;
}

static int sync_file(struct dp_db *db)
{
	int fd = open(db->path, O_RDONLY | O_CLOEXEC);

	/* Some file systems cannot sync, but all report a full disk. */
	if (fd < 0 || (fsync(fd) && errno != EINVAL)) {
		dp_error__system(db->error, NULL);
		dp_error__where(db->error, db->path, NULL, 0, 0);
		if (fd >= 0)
			close(fd);
		return DP_ERR_IO;
	}
	close(fd);
	return DP_OK;
}

static int close_handle(struct dp_db *db)
{
	for (int i = 0; i < DP_ROW_COUNT_OF_TABLES; i++) {
		sqlite3_finalize(db->rows[i]);
		db->rows[i] = NULL;
	}
	dp_bulk__fini(db);
	if (sqlite3_close(db->handle))
		return dp_db__fail(db);
	db->handle = NULL;
	return DP_OK;
}

int dp_db__finish(struct dp_db *db)
{
	int status = dp_bulk__flush(db);

	if (!status)
		status = run_all(db, dp_schema__indexes);
	if (!status)
		status = run(db, "COMMIT");
	if (!status)
		status = run(db, "PRAGMA optimize");
	if (!status)
		status = close_handle(db);
	return status ? status : sync_file(db);
}

void dp_db__fini(struct dp_db *db)
{
	if (db->handle)
		close_handle(db);
	/* Only if statements were left open, which is a bug. */
	if (db->handle)
		sqlite3_close_v2(db->handle);
	db->handle = NULL;
}

int dp_db__row(struct dp_db *db, enum dp_row_table table)
{
	char sql[160];
	int used;

	db->row = db->rows[table];
	db->column = 0;
	if (db->row)
		return DP_OK;
	used = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?", row_tables[table].table);
	for (int i = 1; i < row_tables[table].columns; i++)
		used += snprintf(sql + used, sizeof(sql) - (size_t)used, ",?");
	snprintf(sql + used, sizeof(sql) - (size_t)used, ")");
	if (sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &db->rows[table],
			       NULL))
		return dp_db__fail(db);
	db->row = db->rows[table];
	return DP_OK;
}

void dp_db__int(struct dp_db *db, int64_t value)
{
	sqlite3_bind_int64(db->row, ++db->column, value);
}

void dp_db__known(struct dp_db *db, bool known, int64_t value)
{
	if (known)
		dp_db__int(db, value);
	else
		dp_db__null(db);
}

void dp_db__text(struct dp_db *db, const char *text)
{
	db->column++;
	if (text)
		sqlite3_bind_text(db->row, db->column, text, -1, SQLITE_STATIC);
	else
		sqlite3_bind_null(db->row, db->column);
}

void dp_db__null(struct dp_db *db)
{
	sqlite3_bind_null(db->row, ++db->column);
}

int dp_db__done(struct dp_db *db)
{
	int status = sqlite3_step(db->row) == SQLITE_DONE ? DP_OK : dp_db__fail(db);

	sqlite3_reset(db->row);
	sqlite3_clear_bindings(db->row);
	return status;
}
