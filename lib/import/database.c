/*
 * Opens untrusted SQLite files. The measures are those of "Defense Against The Dark Arts"
 * (sqlite.org/security.html), without memory mapping: a file that shrinks while it is mapped would
 * kill the process.
 */
#include "import/database_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum {
	GUARD_OPERATIONS = 1000, /* of SQLite's virtual machine, per callback */
	GUARD_CALLBACKS = 2000,	 /* without a row: a tenth of a second */
	/* While the schema is read, each of whose rows SQLite parses: some 3,500 rows. */
	GUARD_SCHEMA_CALLBACKS = 50,
	LENGTH_MAX = 64 << 20, /* of one row or text */
	TABLES_MAX = 4096,
	/*
	 * Each importer reads a table once or twice, so the pages of an intact file are touched a
	 * few times. Finding one row by its number touches the depth of the tree, at most 20 pages
	 * (BTCURSOR_MAX_DEPTH), and a row may occupy some pages of its own.
	 */
	TOUCHES_PER_PAGE = 16,
	TOUCHES_PER_ROW = 32,
	TOUCHES_FREE = 4096, /* for the schema of a small file, which is read several times */
	VALUES_PER_BYTE = 16,
	VALUES_FREE = 1 << 20,
};

int dp_database__nomem(struct dp_database *database)
{
	return dp_error__nomem(database->import->error, 0);
}

static void warn(const struct dp_database *database, const char *table, const char *text)
{
	const struct dp_open_options *options = database->import->options;

	dp_log__write(options ? &options->log : NULL, DP_LOG_WARNING, "%s%s%s", table,
		      table[0] ? ": " : "", text);
}

void dp_database__damage(struct dp_database *database, const char *table, const char *format, ...)
{
	char text[sizeof(database->damage)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (database->damaged) {
		warn(database, table ? table : "", text);
		return;
	}
	database->damaged = true;
	snprintf(database->damage_table, sizeof(database->damage_table), "%s", table ? table : "");
	memcpy(database->damage, text, sizeof(text));
}

/* Allows only what the importers' own statements need: no file can make SQLite do more. */
static int authorize(void *ctx, int action, const char *a, const char *b, const char *c,
		     const char *d)
{
	if (action == SQLITE_SELECT || action == SQLITE_READ)
		return SQLITE_OK;
	if (action == SQLITE_PRAGMA && a &&
	    (!strcasecmp(a, "table_xinfo") || !strcasecmp(a, "user_version")))
		return SQLITE_OK;
	if (action == SQLITE_FUNCTION && b && (!strcasecmp(b, "coalesce") || !strcasecmp(b, "max")))
		return SQLITE_OK;
	return SQLITE_DENY;
}

/* Adds the cache accesses since the last call. Returns true if they are too many for the file. */
static bool is_overspent(struct dp_database *database)
{
	static const int counters[] = { SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS };
	uint64_t rows = database->rows_read + database->lookups;
	int count, most;

	for (size_t i = 0; i < DP_COUNT(counters); i++)
		if (!sqlite3_db_status(database->sqlite, counters[i], &count, &most, 1))
			database->touches += (uint64_t)count;
	return database->touches >
		       TOUCHES_PER_PAGE * database->pages + TOUCHES_PER_ROW * rows + TOUCHES_FREE ||
	       database->value_bytes > VALUES_PER_BYTE * database->stored_bytes + VALUES_FREE;
}

bool dp_database__overspent(struct dp_database *database, const char *table)
{
	if (!database->overspent) {
		if (!is_overspent(database))
			return false;
		database->overspent = true;
		dp_database__damage(database, table,
				    "rows share pages or values: reading stops at %d times the "
				    "file's size",
				    TOUCHES_PER_PAGE);
	}
	return true;
}

static int guard(void *ctx)
{
	struct dp_database *database = ctx;

	return ++database->idle >
		       (database->has_schema ? GUARD_CALLBACKS : GUARD_SCHEMA_CALLBACKS) ||
	       is_overspent(database);
}

void dp_database__seek(struct dp_database *database)
{
	database->idle = 0;
	database->lookups++;
}

void dp_database__row(struct dp_database *database)
{
	uint64_t expected = database->rows_expected, rows = ++database->rows_read;

	database->idle = 0;
	if (rows % 16384 || !database->import->options)
		return;
	rows = DP_MIN(rows, expected);
	dp_import__progress(database->import,
			    expected ? (uint64_t)((double)database->file_bytes * (double)rows /
						  (double)expected)
				     : 0,
			    database->file_bytes);
}

/* Returns the path as a file: URI, which carries SQLite's switches. The caller frees it. */
static char *make_uri(const char *path, const char *switches)
{
	size_t length = strlen(path), at = 0;
	char *uri = dp_alloc__array(length + 16 + strlen(switches), 3);

	if (!uri)
		return NULL;
	at = (size_t)sprintf(uri, "file:%s", path[0] == '/' ? "//" : "./");
	for (const char *p = path; *p; p++)
		if (strchr("%?#", *p) || (unsigned char)*p < 0x20)
			at += (size_t)sprintf(uri + at, "%%%02X", (unsigned char)*p);
		else
			uri[at++] = *p;
	sprintf(uri + at, "?%s", switches);
	return uri;
}

static void harden(sqlite3 *sqlite, struct dp_database *database)
{
	sqlite3_limit(sqlite, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
	sqlite3_limit(sqlite, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
	sqlite3_limit(sqlite, SQLITE_LIMIT_EXPR_DEPTH, 100);
	sqlite3_limit(sqlite, SQLITE_LIMIT_COMPOUND_SELECT, 3);
	sqlite3_limit(sqlite, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(sqlite, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
	sqlite3_limit(sqlite, SQLITE_LIMIT_WORKER_THREADS, 0);
	sqlite3_db_config(sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(sqlite, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(sqlite, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(sqlite, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(sqlite, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(sqlite, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_progress_handler(sqlite, GUARD_OPERATIONS, guard, database);
}

/*
 * Immutable: no locks, and no -journal or -wal is read or created. If a log lies next to the file,
 * its pages are part of the database: the file is then opened without locks (unix-none) in
 * exclusive mode, in which SQLite keeps the log's index in memory instead of in a -shm file.
 */
static int open_sqlite(struct dp_database *database, const char *path)
{
	const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
			  SQLITE_OPEN_PRIVATECACHE;
	bool plain = !strncmp(path, "/proc/self/fd/", 14);
	bool wal = !plain && database->stored_bytes > database->file_bytes, foreign;
	char *uri = make_uri(path, wal ? "mode=ro" : "mode=ro&immutable=1");
	int rc;

	if (!uri)
		return dp_database__nomem(database);
	if (plain)
		rc = dp_plain__open(&database->sqlite, &database->vfs, uri, flags);
	else
		rc = sqlite3_open_v2(uri, &database->sqlite, flags, wal ? "unix-none" : NULL);
	free(uri);
	if (rc == SQLITE_NOMEM || !database->sqlite)
		return dp_database__nomem(database);
	if (rc)
		return dp_error__set(database->import->error, DP_ERR_IO, "cannot open: %s",
				     sqlite3_errmsg(database->sqlite));
	harden(database->sqlite, database);
	sqlite3_exec(database->sqlite,
		     wal ? "PRAGMA locking_mode=EXCLUSIVE; PRAGMA mmap_size=0;"
			   "PRAGMA cell_size_check=1"
			 : "PRAGMA mmap_size=0; PRAGMA cell_size_check=1",
		     NULL, NULL, NULL);
	if (!wal && dp_database__companion(path, "-journal", &foreign))
		dp_log__write(&database->import->options->log, DP_LOG_WARNING,
			      "a -journal file next to the trace is ignored: an unfinished change "
			      "may be in the file");
	return DP_OK;
}

static int add_table(struct dp_database *database, const char *name)
{
	char *copy;

	if (database->table_count >= TABLES_MAX)
		return DP_OK;
	if (dp_array__reserve(&database->tables, &database->table_room, database->table_count + 1,
			      sizeof(*database->tables)))
		return dp_database__nomem(database);
	copy = strdup(name);
	if (!copy)
		return dp_database__nomem(database);
	database->tables[database->table_count++] = copy;
	return DP_OK;
}

/* Call after running a statement and reading its values, which are NULL if memory ran out. */
static void check_memory(struct dp_database *database)
{
	if (sqlite3_errcode(database->sqlite) == SQLITE_NOMEM)
		dp_database__nomem(database);
}

/* A hostile schema may contain a cycle of pages, so rowids must grow. Returns a SQLite code. */
static int list_tables(struct dp_database *database, sqlite3_stmt *statement)
{
	int64_t last = INT64_MIN;
	int rc;

	while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(statement, 1);
		const char *sql = (const char *)sqlite3_column_text(statement, 2);
		int64_t rowid = sqlite3_column_int64(statement, 0);

		if (rowid <= last)
			return SQLITE_CORRUPT;
		last = rowid;
		if (sqlite3_errcode(database->sqlite) == SQLITE_NOMEM)
			return SQLITE_NOMEM;
		if (name && sql && !strncasecmp(sql, "CREATE TABLE", 12) &&
		    add_table(database, name))
			return SQLITE_NOMEM;
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static void forget_columns(struct dp_database *database)
{
	while (database->column_count)
		free(database->columns[--database->column_count].name);
	database->described = NULL;
}

static void forget_tables(struct dp_database *database)
{
	forget_columns(database);
	while (database->table_count)
		free(database->tables[--database->table_count]);
}

static int load_tables(struct dp_database *database)
{
	sqlite3_stmt *statement = NULL;
	int rc;

	forget_tables(database);
	database->idle = 0;
	rc = sqlite3_prepare_v2(database->sqlite,
				"SELECT rowid, name, sql FROM sqlite_master WHERE type = 'table'",
				-1, &statement, NULL);
	if (rc == SQLITE_OK)
		rc = list_tables(database, statement);
	sqlite3_finalize(statement);
	return rc & 0xff;
}

/*
 * SQLite rejects a file that is truncated or whose schema is partly damaged. With a "writable"
 * schema (the file itself is not writable) it reads what is left. An endless schema is rejected:
 * SQLite's time grows with the square of its entries.
 */
static int read_schema(struct dp_database *database)
{
	int rc = load_tables(database);
	size_t found = database->table_count;

	if (rc == SQLITE_CORRUPT || rc == SQLITE_ERROR) {
		dp_database__damage(database, NULL, "%s", sqlite3_errmsg(database->sqlite));
		sqlite3_db_config(database->sqlite, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
		sqlite3_db_config(database->sqlite, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL);
		rc = load_tables(database);
		found = database->table_count;
		if (found && rc != SQLITE_NOMEM && rc != SQLITE_INTERRUPT)
			rc = SQLITE_OK;
		if (database->import->builder)
			dp_builder__loss(database->import->builder,
					 "the database's schema is damaged: tables may be missing",
					 0, 0);
	}
	if (rc == SQLITE_NOMEM)
		return dp_database__nomem(database);
	if (rc == SQLITE_INTERRUPT)
		return dp_error__set(database->import->error, DP_ERR_DAMAGED,
				     "the database's schema is too large: more than about 3,500 "
				     "tables, indexes, views and triggers, or a cycle of pages");
	if (rc == SQLITE_NOTADB)
		return dp_error__set(database->import->error, DP_ERR_FORMAT,
				     "not a SQLite database");
	if (rc) {
		database->failed = !strcmp(database->damage, sqlite3_errmsg(database->sqlite));
		return dp_error__set(database->import->error, DP_ERR_DAMAGED,
				     "the database's schema cannot be read: %s",
				     sqlite3_errmsg(database->sqlite));
	}
	sqlite3_set_authorizer(database->sqlite, authorize, NULL);
	database->has_schema = true;
	return DP_OK;
}

static int open_path(struct dp_database *database, const char *path)
{
	struct stat status;
	uint64_t log_bytes;
	bool foreign;

	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return dp_error__set(database->import->error, DP_ERR_IO, "not a regular file");
	log_bytes = dp_database__companion(path, "-wal", &foreign);
	if (foreign)
		dp_log__write(&database->import->options->log, DP_LOG_WARNING,
			      "a -wal file next to the trace is ignored: another user may have put "
			      "it there");
	database->file_bytes = (uint64_t)status.st_size;
	database->stored_bytes = database->file_bytes + (foreign ? 0 : log_bytes);
	database->pages = database->stored_bytes / dp_database__page_bytes(path) + 1;
	if (dp_database__check_head(database, path))
		return DP_ERR_DAMAGED;
	return open_sqlite(database, path);
}

int dp_database__open(struct dp_database **database, const struct dp_import *import)
{
	struct dp_database *made = dp_alloc__zeroed(1, sizeof(*made));
	int status;

	if (!made)
		return dp_error__nomem(import->error, sizeof(*made));
	made->import = import;
	status = open_path(made, import->path);
	if (!status)
		dp_database__check_length(made, import->path);
	if (!status)
		status = read_schema(made);
	if (status)
		dp_database__close(made);
	else
		*database = made;
	return status;
}

void dp_database__close(struct dp_database *database)
{
	if (!database)
		return;
	if (database->damaged && !database->failed)
		warn(database, database->damage_table, database->damage);
	forget_tables(database);
	free(database->tables);
	free(database->columns);
	sqlite3_close(database->sqlite);
	free(database);
}

/* In a damaged file, the text of the schema may still identify the format. */
static int count_names(const struct dp_probe *probe, const char *const *tables, size_t count)
{
	int found = 0;

	for (size_t i = 0; i < count; i++) {
		size_t n = strcspn(tables[i], "*"), at = 0;

		while (at + n <= probe->length && memcmp(probe->head + at, tables[i], n) != 0)
			at++;
		found += at + n <= probe->length;
	}
	return found;
}

/* Returns true if a table has this name or begins with the part of it before a *. */
static bool has_table(const struct dp_database *database, const char *name)
{
	size_t n = strcspn(name, "*");

	for (size_t i = 0; i < database->table_count; i++)
		if (!strncasecmp(database->tables[i], name, n) &&
		    (name[n] || !database->tables[i][n]))
			return true;
	return false;
}

int dp_database__probe(const struct dp_probe *probe, const char *const *tables, size_t count)
{
	static const struct dp_open_options options = DP_OPEN_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT;
	struct dp_import import = { .path = probe->path, .options = &options, .error = &error };
	struct dp_database *database = NULL;
	int found = 0;

	if (!dp_database__is_sqlite(probe->head, probe->length))
		return 0;
	if (dp_database__open(&database, &import))
		return error.status == DP_ERR_NOMEM ? DP_ERR_NOMEM
						    : count_names(probe, tables, count);
	for (size_t i = 0; i < count; i++)
		found += has_table(database, tables[i]);
	if (!found && database->damaged)
		found = count_names(probe, tables, count);
	dp_database__close(database);
	return found;
}

const char *dp_database__table_at(const struct dp_database *database, size_t index)
{
	return index < database->table_count ? database->tables[index] : NULL;
}

const char *dp_database__table(const struct dp_database *database, const char *name)
{
	for (size_t i = 0; i < database->table_count; i++)
		if (!strcasecmp(database->tables[i], name))
			return database->tables[i];
	return NULL;
}

sqlite3_stmt *dp_database__prepare(struct dp_database *database, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	int rc;

	if (!sql) {
		dp_database__nomem(database);
		return NULL;
	}
	database->idle = 0;
	rc = sqlite3_prepare_v2(database->sqlite, sql, -1, &statement, NULL);
	if (rc == SQLITE_NOMEM)
		dp_database__nomem(database);
	else if (rc)
		dp_database__damage(database, NULL, "%s", sqlite3_errmsg(database->sqlite));
	return rc ? NULL : statement;
}

static int add_column(struct dp_database *database, sqlite3_stmt *info)
{
	const char *name = (const char *)sqlite3_column_text(info, 1);
	const char *type = (const char *)sqlite3_column_text(info, 2);
	struct dp_table_column column = {
		.key = sqlite3_column_int(info, 5),
		.is_integer = type && !strcasecmp(type, "INTEGER"),
		.is_stored = !sqlite3_column_int(info, 6),
	};

	if (dp_array__reserve(&database->columns, &database->column_room,
			      database->column_count + 1, sizeof(column)))
		return dp_database__nomem(database);
	column.name = strdup(name ? name : "");
	if (!column.name)
		return dp_database__nomem(database);
	database->columns[database->column_count++] = column;
	return DP_OK;
}

/* Lists the columns of a table unless it is listed already: callers mostly ask for several. */
static void describe(struct dp_database *database, const char *table)
{
	const char *own = dp_database__table(database, table);
	sqlite3_stmt *info;
	int rc = SQLITE_OK;
	char *sql;

	if (own && own == database->described)
		return;
	forget_columns(database);
	sql = sqlite3_mprintf("PRAGMA table_xinfo(\"%w\")", table);
	info = dp_database__prepare(database, sql);
	sqlite3_free(sql);
	while (info && (rc = sqlite3_step(info)) == SQLITE_ROW)
		if (add_column(database, info))
			break;
	if (rc == SQLITE_DONE)
		database->described = own;
	check_memory(database);
	sqlite3_finalize(info);
}

static const struct dp_table_column *find_column(struct dp_database *database, const char *table,
						 const char *name)
{
	describe(database, table);
	for (size_t i = 0; i < database->column_count; i++)
		if (!strcasecmp(database->columns[i].name, name))
			return &database->columns[i];
	return NULL;
}

bool dp_database__has_column(struct dp_database *database, const char *table, const char *column)
{
	const struct dp_table_column *found = find_column(database, table, column);

	return found && found->is_stored;
}

/* True for the rowid's alias (sqlite.org/lang_createtable.html): INTEGER, the only primary key. */
bool dp_database__is_rowid(struct dp_database *database, const char *table, const char *column)
{
	const struct dp_table_column *found = find_column(database, table, column);

	if (!found || !found->is_stored || !found->is_integer || found->key != 1)
		return false;
	for (size_t i = 0; i < database->column_count; i++)
		if (database->columns[i].key == 2)
			return false;
	return true;
}

const char *dp_database__rowid_name(struct dp_database *database, const char *table)
{
	static const char *const names[] = { "rowid", "_rowid_", "oid" };

	for (size_t i = 0; i < DP_COUNT(names); i++)
		if (!find_column(database, table, names[i]))
			return names[i];
	return NULL;
}

/* Runs a statement that yields one integer. Returns other if it yields none. */
static int64_t ask(struct dp_database *database, const char *sql, int64_t other)
{
	sqlite3_stmt *statement = dp_database__prepare(database, sql);

	if (statement && sqlite3_step(statement) == SQLITE_ROW &&
	    sqlite3_column_type(statement, 0) == SQLITE_INTEGER)
		other = sqlite3_column_int64(statement, 0);
	check_memory(database);
	sqlite3_finalize(statement);
	return other;
}

int64_t dp_database__user_version(struct dp_database *database)
{
	return ask(database, "PRAGMA user_version", 0);
}

int64_t dp_database__last_rowid(struct dp_database *database, const char *table)
{
	const char *rowid = dp_database__rowid_name(database, table);
	char *sql;
	int64_t last;

	if (!rowid)
		return 0;
	sql = sqlite3_mprintf("SELECT max(\"%w\") FROM \"%w\" NOT INDEXED", rowid, table);
	last = ask(database, sql, 0);
	sqlite3_free(sql);
	return last;
}

void dp_database__expect(struct dp_database *database, const char *table)
{
	int64_t last = table ? dp_database__last_rowid(database, table) : 0;

	/* A row takes at least four bytes, whatever its number. */
	if (last > 0)
		database->rows_expected += DP_MIN((uint64_t)last, database->file_bytes / 4);
}

int dp_database__finish(struct dp_database *database)
{
	const struct dp_import *import = database->import;
	struct dp_builder *builder = import->builder;

	if (import->error && import->error->status)
		return import->error->status;
	if (!database->damaged || dp_builder__op_count(builder))
		return DP_OK;
	if (import->options->allow_no_gpu &&
	    (dp_builder__call_count(builder) || dp_builder__range_count(builder)))
		return DP_OK;
	database->failed = true;
	if (database->damage_table[0])
		dp_error__where(import->error, NULL, database->damage_table, 0, 0);
	return dp_error__set(import->error, DP_ERR_DAMAGED, "%s", database->damage);
}
