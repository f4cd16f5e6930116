/* Scans of a table's rows, and strings by id: see database.h. */
#include "import/database_private.h"

#include "import/lookup.h"

#include <stdio.h>
#include <string.h>

enum { GAPS_MAX = 1000 };

static sqlite3_stmt *statement_of(const struct dp_rows *rows)
{
	return rows->statement;
}

/* Appends ", value" for the first of a column's names that is not NULL; false if none exists. */
static bool append_column(struct dp_rows *rows, sqlite3_str *sql, const char *names)
{
	sqlite3_str *list = sqlite3_str_new(rows->database->sqlite);
	unsigned found = 0;
	char name[64], *text;

	while (names && *names) {
		size_t length = strcspn(names, ",");

		snprintf(name, sizeof(name), "%.*s", (int)DP_MIN(length, sizeof(name) - 1), names);
		if (dp_database__has_column(rows->database, rows->table, name))
			sqlite3_str_appendf(list, "%s\"%w\"", found++ ? ", " : "", name);
		names += length + (names[length] == ',');
	}
	text = sqlite3_str_finish(list);
	if (found && !text)
		dp_database__nomem(rows->database);
	if (found > 1)
		sqlite3_str_appendf(sql, ", COALESCE(%s)", text ? text : "NULL, NULL");
	else if (found)
		sqlite3_str_appendf(sql, ", %s", text ? text : "NULL");
	sqlite3_free(text);
	return found > 0;
}

static int no_row_numbers(struct dp_rows *rows)
{
	const struct dp_error *error = rows->database->import->error;

	if (error && error->status)
		return error->status;
	dp_database__damage(rows->database, rows->table, "columns hide the row numbers");
	dp_builder__loss(rows->database->import->builder, "tables whose columns hide row numbers",
			 0, 0);
	return 0;
}

static int missing(struct dp_rows *rows, const char *names)
{
	struct dp_error *error = rows->database->import->error;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(names, ","), names);
	if (error && error->status)
		return error->status;
	dp_database__damage(rows->database, rows->table, "the table has no column %s", name);
	dp_builder__loss(rows->database->import->builder, "tables without a column that is needed",
			 0, 0);
	return 0;
}

/* Makes "SELECT rowid, … FROM table WHERE rowid >= ?1". Returns 1, or 0 if a column is missing. */
static int make_sql(struct dp_rows *rows, char **text)
{
	const char *rowid = dp_database__rowid_name(rows->database, rows->table);
	const struct dp_error *error = rows->database->import->error;
	const char *lacks = NULL;
	sqlite3_str *sql;
	uint8_t selected = 0;

	if (!rowid)
		return no_row_numbers(rows);
	sql = sqlite3_str_new(rows->database->sqlite);
	sqlite3_str_appendf(sql, "SELECT \"%w\"", rowid);
	for (size_t i = 0; i < rows->count; i++) {
		if (append_column(rows, sql, rows->columns[i].names))
			rows->at[i] = ++selected;
		else if (rows->columns[i].required && !lacks)
			lacks = rows->columns[i].names;
	}
	sqlite3_str_appendf(sql, " FROM \"%w\" NOT INDEXED WHERE \"%w\" >= ?1", rows->table, rowid);
	*text = sqlite3_str_finish(sql);
	if (!*text)
		return dp_database__nomem(rows->database);
	if (error && error->status)
		return error->status;
	return lacks ? missing(rows, lacks) : 1;
}

int dp_rows__open(struct dp_rows *rows, struct dp_database *database, const char *table,
		  const struct dp_column *columns, size_t count)
{
	struct dp_error *error = database->import->error;
	char *sql = NULL;
	int status;

	memset(rows, 0, sizeof(*rows));
	if (!table)
		return 0;
	rows->database = database;
	rows->columns = columns;
	rows->count = DP_MIN(count, (size_t)DP_ROWS_COLUMNS_MAX);
	rows->table = table;
	status = make_sql(rows, &sql);
	if (status == 1) {
		rows->statement = dp_database__prepare(database, sql);
		if (!rows->statement)
			status = error && error->status ? error->status : 0;
		else
			sqlite3_bind_int64(rows->statement, 1, INT64_MIN);
	}
	sqlite3_free(sql);
	return status;
}

void dp_rows__close(struct dp_rows *rows)
{
	char reason[160];

	if (!rows->database)
		return;
	if (rows->skips) {
		snprintf(reason, sizeof(reason), "rows of %.80s that could not be used",
			 rows->table);
		dp_builder__loss(rows->database->import->builder, reason, rows->skips, 0);
	}
	if (rows->odd)
		dp_log__write(&rows->database->import->options->log, DP_LOG_WARNING,
			      "%s: %llu values out of range or of a wrong type were ignored",
			      rows->table, (unsigned long long)rows->odd);
	sqlite3_finalize(rows->statement);
	memset(rows, 0, sizeof(*rows));
}

int dp_rows__skip(struct dp_rows *rows, const char *why)
{
	if (!rows->skips++)
		dp_log__write(&rows->database->import->options->log, DP_LOG_WARNING,
			      "%s: row %lld was ignored: %s", rows->table, (long long)rows->rowid,
			      why);
	return DP_OK;
}

static void lose(struct dp_rows *rows, uint64_t count)
{
	char reason[160];

	snprintf(reason, sizeof(reason), "rows of %.80s in damaged pages", rows->table);
	dp_builder__loss(rows->database->import->builder, reason, count, 0);
}

/* Gives up the rest of the table. Its greatest rowid may show how much that is. */
static int lose_rest(struct dp_rows *rows, int64_t last)
{
	int64_t greatest = dp_database__last_rowid(rows->database, rows->table);

	rows->ended = true;
	lose(rows, greatest > last ? (uint64_t)greatest - (uint64_t)last : 0);
	return 0;
}

/* Finds the first readable row at or after rowid. Returns a SQLite code. */
static int seek(struct dp_rows *rows, int64_t rowid)
{
	dp_database__seek(rows->database);
	sqlite3_reset(rows->statement);
	sqlite3_bind_int64(rows->statement, 1, rowid);
	return sqlite3_step(rows->statement) & 0xff;
}

/* Counting pages costs as much as reading a short row, so it is not done for each. */
enum { ROWS_PER_CHECK = 16 };

static int take_row(struct dp_rows *rows, int64_t rowid)
{
	rows->rowid = rowid;
	rows->any = true;
	rows->read++;
	dp_database__row(rows->database);
	return 1;
}

/*
 * Skips damage in strides that double: at most as much again is lost beyond the damaged page. rc is
 * the SQLite code of the step that failed.
 */
static int step_over(struct dp_rows *rows, int rc)
{
	int64_t last = rows->any ? rows->rowid : 0, rowid;

	if (rc == SQLITE_NOMEM)
		return dp_database__nomem(rows->database);
	if (!rows->gaps)
		dp_database__damage(rows->database, rows->table, "damaged after row %lld: %s",
				    (long long)last,
				    rc == SQLITE_ROW ? "rows are out of order"
						     : sqlite3_errmsg(rows->database->sqlite));
	if (rows->gaps++ >= GAPS_MAX || rc == SQLITE_INTERRUPT)
		return lose_rest(rows, last);
	for (int64_t stride = 1; !__builtin_add_overflow(last, stride, &rowid); stride *= 2) {
		rc = seek(rows, rowid);
		if (rc == SQLITE_NOMEM)
			return dp_database__nomem(rows->database);
		if (rc == SQLITE_DONE || rc == SQLITE_INTERRUPT)
			break;
		if (rc == SQLITE_ROW && sqlite3_column_int64(rows->statement, 0) >= rowid) {
			rowid = sqlite3_column_int64(rows->statement, 0);
			lose(rows, (uint64_t)rowid - (uint64_t)last - 1);
			return take_row(rows, rowid);
		}
		if (stride > INT64_MAX / 2)
			break;
	}
	return lose_rest(rows, last);
}

int dp_rows__next(struct dp_rows *rows)
{
	int rc;

	if (rows->ended || !rows->statement)
		return 0;
	if (rows->read % ROWS_PER_CHECK == 0 && dp_database__overspent(rows->database, rows->table))
		return lose_rest(rows, rows->any ? rows->rowid : 0);
	rc = sqlite3_step(rows->statement) & 0xff;
	if (rc == SQLITE_ROW) {
		int64_t rowid = sqlite3_column_int64(rows->statement, 0);

		/* A b-tree with a cycle returns the same rows again. */
		if (!rows->any || rowid > rows->rowid)
			return take_row(rows, rowid);
	} else if (rc == SQLITE_DONE) {
		rows->ended = true;
		return 0;
	}
	return step_over(rows, rc);
}

void dp_rows__from(struct dp_rows *rows, int64_t rowid)
{
	if (rows->statement)
		sqlite3_bind_int64(rows->statement, 1, rowid);
}

bool dp_rows__has(const struct dp_rows *rows, size_t column)
{
	return column < rows->count && rows->at[column];
}

bool dp_rows__is_null(const struct dp_rows *rows, size_t column)
{
	return !rows->at[column] ||
	       sqlite3_column_type(statement_of(rows), rows->at[column]) == SQLITE_NULL;
}

/* Returns 1 and sets *value, or returns 0 for NULL, -1 for anything but an integer. */
static int get_integer(const struct dp_rows *rows, size_t column, int64_t *value)
{
	sqlite3_value *cell;
	double real;
	int type;

	if (!rows->at[column])
		return 0;
	/* No other thread uses this connection (SQLITE_OPEN_NOMUTEX): the value may be read. */
	cell = sqlite3_column_value(statement_of(rows), rows->at[column]);
	type = sqlite3_value_type(cell);
	if (type == SQLITE_INTEGER) {
		*value = sqlite3_value_int64(cell);
		return 1;
	}
	if (type == SQLITE_NULL)
		return 0;
	if (type != SQLITE_FLOAT)
		return -1;
	real = sqlite3_value_double(cell);
	if (!(real >= -9007199254740992.0 && real <= 9007199254740992.0))
		return -1;
	*value = (int64_t)real;
	return (double)*value == real ? 1 : -1;
}

int64_t dp_rows__integer(struct dp_rows *rows, size_t column, int64_t low, int64_t high,
			 int64_t other)
{
	int64_t value;
	int got = get_integer(rows, column, &value);

	if (got == 1 && value >= low && value <= high)
		return value;
	rows->odd += got != 0;
	return other;
}

int64_t dp_rows__id(struct dp_rows *rows, size_t column)
{
	return dp_rows__integer(rows, column, INT64_MIN, INT64_MAX, -1);
}

uint32_t dp_rows__correlation(struct dp_rows *rows, size_t column)
{
	return (uint32_t)dp_rows__integer(rows, column, 0, UINT32_MAX, 0);
}

uint64_t dp_rows__bytes(struct dp_rows *rows, size_t column)
{
	return (uint64_t)dp_rows__integer(rows, column, 0, INT64_MAX, 0);
}

bool dp_rows__time(struct dp_rows *rows, size_t column, int64_t *time_ns)
{
	return get_integer(rows, column, time_ns) == 1 && *time_ns >= -DP_TIME_LIMIT &&
	       *time_ns <= DP_TIME_LIMIT;
}

const char *dp_rows__text(struct dp_rows *rows, size_t column, size_t *length)
{
	sqlite3_stmt *statement = statement_of(rows);
	const char *text = NULL;
	int type;

	*length = 0;
	if (!rows->at[column])
		return NULL;
	type = sqlite3_column_type(statement, rows->at[column]);
	if (type == SQLITE_TEXT)
		text = (const char *)sqlite3_column_text(statement, rows->at[column]);
	else if (type == SQLITE_BLOB)
		text = sqlite3_column_blob(statement, rows->at[column]);
	if (!text && (type == SQLITE_TEXT) &&
	    sqlite3_errcode(rows->database->sqlite) == SQLITE_NOMEM)
		dp_database__nomem(rows->database);
	if (text)
		*length = (size_t)sqlite3_column_bytes(statement, rows->at[column]);
	rows->database->value_bytes += *length;
	return text;
}

enum name_kind { NAME_PLAIN, NAME_KERNEL, NAME_CALL };

struct dp_names {
	struct dp_database *database;
	const char *table;
	sqlite3_stmt *statement;
	struct dp_lookup known;	       /* from id and kind to the builder's string */
	struct dp_lookup placeholders; /* the same for what the table lacks */
	struct dp_lookup rowids;       /* from id to rowid, if the id is not the rowid */
	bool by_rowid;
	struct dp_key last_key;
	uint32_t last;
	uint64_t missing; /* uses of placeholders */
};

/* Maps the ids of strings to rowids if they are a common column: an index may be missing. */
static int map_ids(struct dp_names *names, const char *id_column)
{
	const struct dp_column columns[] = { { id_column, true } };
	struct dp_rows rows;
	int status = dp_rows__open(&rows, names->database, names->table, columns, 1);

	while (status == 1 && (status = dp_rows__next(&rows)) == 1) {
		struct dp_key key = { { dp_rows__id(&rows, 0) } };

		if (rows.rowid < 0 || rows.rowid >= DP_NONE)
			continue;
		if (dp_lookup__set(&names->rowids, &key, (uint32_t)rows.rowid))
			status = dp_database__nomem(names->database);
	}
	dp_rows__close(&rows);
	return status;
}

static int prepare_names(struct dp_names *names, const char *id_column, const char *text_column)
{
	struct dp_database *database = names->database;
	const char *rowid;
	char *sql;

	if (!names->table || !dp_database__has_column(database, names->table, text_column))
		return DP_OK;
	rowid = dp_database__rowid_name(database, names->table);
	names->by_rowid = dp_database__is_rowid(database, names->table, id_column);
	if (!names->by_rowid && map_ids(names, id_column))
		return DP_ERR_NOMEM;
	if (!rowid)
		return DP_OK;
	sql = sqlite3_mprintf("SELECT \"%w\" FROM \"%w\" NOT INDEXED WHERE \"%w\" = ?1",
			      text_column, names->table, rowid);
	names->statement = dp_database__prepare(database, sql);
	sqlite3_free(sql);
	return DP_OK;
}

int dp_names__new(struct dp_names **names, struct dp_database *database, const char *table,
		  const char *id_column, const char *text_column)
{
	struct dp_error *error = database->import->error;
	struct dp_names *made = dp_alloc__zeroed(1, sizeof(*made));

	if (!made)
		return dp_database__nomem(database);
	made->database = database;
	made->table = table;
	made->last = DP_NONE;
	prepare_names(made, id_column, text_column);
	if (error && error->status) {
		dp_names__free(made);
		return error->status;
	}
	*names = made;
	return DP_OK;
}

void dp_names__free(struct dp_names *names)
{
	char reason[160];

	if (!names)
		return;
	if (names->missing) {
		snprintf(reason, sizeof(reason), "names that are not in %.80s",
			 names->table ? names->table : "the file");
		dp_builder__loss(names->database->import->builder, reason, names->missing, 0);
	}
	sqlite3_finalize(names->statement);
	dp_lookup__fini(&names->known);
	dp_lookup__fini(&names->placeholders);
	dp_lookup__fini(&names->rowids);
	free(names);
}

/* Returns the length without a suffix like _v7000: the CUDA version that changed the function. */
static size_t unversioned(const char *text, size_t length)
{
	size_t digits = 0;

	while (digits < length && text[length - 1 - digits] >= '0' &&
	       text[length - 1 - digits] <= '9')
		digits++;
	if (digits < 4 || length < digits + 3 || memcmp(text + length - digits - 2, "_v", 2) != 0)
		return length;
	return length - digits - 2;
}

static uint32_t intern(struct dp_builder *builder, const char *text, size_t length,
		       enum name_kind kind)
{
	if (kind == NAME_KERNEL)
		return dp_builder__kernel_name(builder, text, length);
	if (kind == NAME_CALL)
		length = unversioned(text, length);
	return dp_builder__string(builder, text, length);
}

static uint32_t placeholder(struct dp_names *names, int64_t id)
{
	char text[40];
	int n = snprintf(text, sizeof(text), "[name %lld]", (long long)id);

	return dp_builder__string(names->database->import->builder, text, (size_t)n);
}

/* Finds the rowid of a string. Returns false if there is none. */
static bool locate(const struct dp_names *names, int64_t id, int64_t *rowid)
{
	struct dp_key key = { { id } };
	uint32_t found;

	*rowid = id;
	if (names->by_rowid)
		return true;
	found = dp_lookup__get(&names->rowids, &key);
	*rowid = found;
	return found != DP_NONE;
}

/* Sets *missing if the table lacks the name. Returns DP_NONE then, and on failure. */
static uint32_t load(struct dp_names *names, int64_t id, enum name_kind kind, bool *missing)
{
	struct dp_builder *builder = names->database->import->builder;
	uint32_t string = DP_NONE;
	const char *text = NULL;
	int64_t rowid;
	int rc;

	*missing = !names->statement || !locate(names, id, &rowid) ||
		   dp_database__overspent(names->database, names->table);
	if (*missing)
		return DP_NONE;
	dp_database__seek(names->database);
	sqlite3_bind_int64(names->statement, 1, rowid);
	rc = sqlite3_step(names->statement) & 0xff;
	if (rc == SQLITE_ROW && sqlite3_column_type(names->statement, 0) != SQLITE_NULL)
		text = (const char *)sqlite3_column_text(names->statement, 0);
	if (text) {
		size_t length = (size_t)sqlite3_column_bytes(names->statement, 0);

		names->database->value_bytes += length;
		string = intern(builder, text, length, kind);
	} else if (sqlite3_errcode(names->database->sqlite) == SQLITE_NOMEM) {
		dp_database__nomem(names->database);
	} else {
		if (rc != SQLITE_ROW && rc != SQLITE_DONE)
			dp_database__damage(names->database, names->table, "row %lld: %s",
					    (long long)rowid,
					    sqlite3_errmsg(names->database->sqlite));
		*missing = true;
	}
	sqlite3_reset(names->statement);
	return string;
}

/* Loads a name, or makes a placeholder, and keeps it. Returns DP_NONE on failure. */
static uint32_t keep(struct dp_names *names, const struct dp_key *key, int64_t id,
		     enum name_kind kind, bool *missing)
{
	uint32_t string = load(names, id, kind, missing);

	if (*missing)
		string = placeholder(names, id);
	if (string != DP_NONE &&
	    dp_lookup__set(*missing ? &names->placeholders : &names->known, key, string)) {
		dp_database__nomem(names->database);
		string = DP_NONE;
	}
	return string;
}

/* Returns a name, or a placeholder and sets *missing. Returns DP_NONE on failure. */
static uint32_t find(struct dp_names *names, int64_t id, enum name_kind kind, bool *missing)
{
	struct dp_key key = { { id, kind } };
	uint32_t string;

	*missing = false;
	if (names->last != DP_NONE && !memcmp(&names->last_key, &key, sizeof(key)))
		return names->last;
	string = dp_lookup__get(&names->known, &key);
	if (string == DP_NONE) {
		string = dp_lookup__get(&names->placeholders, &key);
		*missing = string != DP_NONE;
	}
	if (string == DP_NONE)
		string = keep(names, &key, id, kind, missing);
	if (*missing)
		return string;
	names->last_key = key;
	names->last = string;
	return string;
}

static uint32_t get(struct dp_names *names, int64_t id, enum name_kind kind)
{
	bool missing;
	uint32_t string = find(names, id, kind, &missing);

	names->missing += missing;
	return string;
}

uint32_t dp_names__get(struct dp_names *names, int64_t id, bool kernel)
{
	return get(names, id, kernel ? NAME_KERNEL : NAME_PLAIN);
}

uint32_t dp_names__get_kernel(struct dp_names *names, struct dp_rows *rows, const size_t *columns,
			      size_t count)
{
	int64_t first = -1;
	bool missing;

	for (size_t i = 0; i < count; i++) {
		int64_t id = dp_rows__id(rows, columns[i]);
		uint32_t string;

		if (id == -1)
			continue;
		string = find(names, id, NAME_KERNEL, &missing);
		if (!missing || string == DP_NONE)
			return string;
		if (first == -1)
			first = id;
	}
	return get(names, first, NAME_KERNEL);
}

uint32_t dp_names__get_call(struct dp_names *names, int64_t id)
{
	return get(names, id, NAME_CALL);
}
