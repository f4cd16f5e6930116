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

static void bind(sqlite3_stmt *statement, int column, const struct sim_value *value)
{
	switch (value->kind) {
	case SIM_INT:
		sqlite3_bind_int64(statement, column, value->integer);
		break;
	case SIM_TEXT:
		sqlite3_bind_text(statement, column, value->data, -1, SQLITE_TRANSIENT);
		break;
	case SIM_BLOB:
		sqlite3_bind_blob(statement, column, value->data, (int)value->length,
				  SQLITE_TRANSIENT);
		break;
	case SIM_NULL:
		sqlite3_bind_null(statement, column);
	}
}

int sim_db_values(struct sim_sink *sink, int i, const char *sql, const struct sim_value *values,
		  size_t count)
{
	struct sim_db *db = sink->state;

	if (!db->statements[i] &&
	    sqlite3_prepare_v2(db->handle, sql, -1, &db->statements[i], NULL) != SQLITE_OK)
		return fail(db, sink);
	for (size_t k = 0; k < count; k++)
		bind(db->statements[i], (int)k + 1, &values[k]);
	if (sqlite3_step(db->statements[i]) != SQLITE_DONE)
		return fail(db, sink);
	sqlite3_reset(db->statements[i]);
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

int64_t sim_copy_kind(const struct sim_event *event)
{
	static const int64_t kinds[] = { [SIM_HTOD] = 1, [SIM_DTOH] = 2, [SIM_DTOD] = 8 };

	return kinds[event->copy_kind];
}

int64_t sim_memory_kind(const struct sim_event *event, bool source)
{
	enum { PAGEABLE = 1, PINNED, DEVICE };

	if (event->copy_kind != (source ? SIM_HTOD : SIM_DTOH))
		return DEVICE;
	return event->memory == SIM_PINNED ? PINNED : PAGEABLE;
}
