/* SQLite output: no journal, one transaction, statements prepared once. */
#include "db.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(struct sim_db *db, struct sim_sink *sink)
{
	return sim_sink_fail(sink, sink->path,
			     db->handle ? sqlite3_errmsg(db->handle) : "out of memory");
}

int sim_db_run(struct sim_db *db, struct sim_sink *sink, const char *sql)
{
	if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		return fail(db, sink);
	return 0;
}

int sim_db_open(struct sim_db *db, struct sim_sink *sink, unsigned page_bytes)
{
	char pragmas[160];
	struct stat status;

	memset(db, 0, sizeof(*db));
	if (lstat(sink->path, &status) == 0) {
		if (!S_ISREG(status.st_mode))
			return sim_sink_fail(sink, sink->path, "not a file");
		if (unlink(sink->path))
			return sim_sink_fail(sink, sink->path, strerror(errno));
	}
	if (sqlite3_open(sink->path, &db->handle) != SQLITE_OK)
		return fail(db, sink);
	snprintf(pragmas, sizeof(pragmas),
		 "PRAGMA page_size=%u; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; "
		 "PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-65536; BEGIN",
		 page_bytes);
	return sim_db_run(db, sink, pragmas);
}

int sim_db_row(struct sim_db *db, struct sim_sink *sink, int i, const char *sql)
{
	if (!db->statements[i] &&
	    sqlite3_prepare_v2(db->handle, sql, -1, &db->statements[i], NULL) != SQLITE_OK)
		return fail(db, sink);
	db->current = db->statements[i];
	db->column = 0;
	return 0;
}

int sim_db_done(struct sim_db *db, struct sim_sink *sink)
{
	if (sqlite3_step(db->current) != SQLITE_DONE)
		return fail(db, sink);
	sqlite3_reset(db->current);
	return 0;
}

int sim_db_close(struct sim_db *db, struct sim_sink *sink, bool complete)
{
	int status = 0;

	for (int i = 0; i < SIM_DB_STATEMENTS; i++)
		sqlite3_finalize(db->statements[i]);
	if (db->handle && complete)
		status = sim_db_run(db, sink, "COMMIT");
	sqlite3_close(db->handle);
	db->handle = NULL;
	return status;
}

void sim_db_int(struct sim_db *db, int64_t value)
{
	sqlite3_bind_int64(db->current, ++db->column, value);
}

void sim_db_text(struct sim_db *db, const char *text)
{
	sqlite3_bind_text(db->current, ++db->column, text, -1, SQLITE_TRANSIENT);
}

void sim_db_blob(struct sim_db *db, const void *data, size_t length)
{
	sqlite3_bind_blob(db->current, ++db->column, data, (int)length, SQLITE_TRANSIENT);
}

void sim_db_null(struct sim_db *db)
{
	sqlite3_bind_null(db->current, ++db->column);
}
