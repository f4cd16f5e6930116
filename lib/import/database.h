/*
 * SQLite files as importers read them: read-only, without a trace on the disk, and hostile.
 *
 * A file is opened immutable (no lock, no journal, nothing is created next to it); where a
 * write-ahead log lies next to it, the log is read too, with its index in memory. Tables are
 * scanned in order of their rowids, by columns looked up by name. A damaged page costs the rows in
 * it: the scan goes on behind it and the loss is counted. Only tables are read: views, virtual
 * tables, generated columns, triggers and functions of the file are never run.
 *
 * The work is proportional to the file: reading stops, as at damage, where rows that share pages or
 * values make it more than a constant number of times the file's size, and a file whose schema has
 * more than about 3,500 entries is refused.
 */
#ifndef DP_IMPORT_DATABASE_H
#define DP_IMPORT_DATABASE_H

#include "import/import.h"

struct dp_database;

/* Opens import->path, which is borrowed, as import is. */
int dp_database__open(struct dp_database **database, const struct dp_import *import);
void dp_database__close(struct dp_database *database);

/*
 * For probes: how many of the named tables the SQLite file at the probe's path has, 0 where it is
 * none. A name that ends with * is the beginning of a table's name. Of a damaged file, how many its
 * beginning mentions. DP_ERR_NOMEM where memory runs out.
 */
int dp_database__probe(const struct dp_probe *probe, const char *const *tables, size_t count);

/* The application id in the header of a SQLite file, 0 where it is none. */
uint32_t dp_database__application_id(const char *head, size_t length);

/* user_version of the open file. */
int64_t dp_database__user_version(struct dp_database *database);

/* The file's own name for a table (case does not matter), or NULL. Borrowed. */
const char *dp_database__table(const struct dp_database *database, const char *name);

/* The file's tables in their order; NULL beyond the end. Borrowed. */
const char *dp_database__table_at(const struct dp_database *database, size_t index);

/* True where the table has the column (and the column is stored, not computed). */
bool dp_database__has_column(struct dp_database *database, const char *table, const char *column);

/* True where the table's column is its rowid: INTEGER PRIMARY KEY. */
bool dp_database__is_rowid(struct dp_database *database, const char *table, const char *column);

/* Counts a table's rows in for progress: its greatest rowid. Constant cost. */
void dp_database__expect(struct dp_database *database, const char *table);

/*
 * To be called when all is read: tells the builder what was lost. Where nothing was read and
 * something was lost, fails with DP_ERR_DAMAGED and the first damage as the message.
 */
int dp_database__finish(struct dp_database *database);

/* Counts records that cannot be used, by reason; logs the first of each table with its rowid. */
struct dp_rows;
int dp_rows__skip(struct dp_rows *rows, const char *why);

/*
 * A column to read: its name, or several, divided by commas: of those that the table has, the
 * first that is not NULL in the row. Without names it is NULL in all rows.
 */
struct dp_column {
	const char *names;
	bool required;
};

enum { DP_ROWS_COLUMNS_MAX = 24 };

/* A scan of a table under way; zero it. rowid is that of the current row. */
struct dp_rows {
	struct dp_database *database;
	void *statement; /* sqlite3_stmt */
	const struct dp_column *columns;
	size_t count;
	const char *table;
	int64_t rowid;
	uint8_t at[DP_ROWS_COLUMNS_MAX]; /* of a column in the result, 0: the table lacks it */
	bool any;			 /* rowid is valid */
	bool ended;			 /* the last step gave no row, or an error */
	unsigned gaps;			 /* damaged places that were stepped over */
	uint64_t read;			 /* rows so far */
	uint64_t odd;			 /* values of a wrong type or out of range */
	uint64_t skips;			 /* rows that could not be used */
};

/*
 * Starts to read. Returns 1, 0 where there is no such table (or NULL is given), or a status: a
 * required column is missing.
 */
int dp_rows__open(struct dp_rows *rows, struct dp_database *database, const char *table,
		  const struct dp_column *columns, size_t count);

/* Before the first row: starts at the first one whose rowid is not less than that. */
void dp_rows__from(struct dp_rows *rows, int64_t rowid);

/* Goes to the next row: 1, 0 at the end, or a status (DP_ERR_NOMEM). */
int dp_rows__next(struct dp_rows *rows);
void dp_rows__close(struct dp_rows *rows);

/* True where the table has the column. */
bool dp_rows__has(const struct dp_rows *rows, size_t column);

/* True where the value is NULL (or the column is not there). */
bool dp_rows__is_null(const struct dp_rows *rows, size_t column);

/* An integer; NULL, another type and a value out of low..high give other (and count as odd). */
int64_t dp_rows__integer(struct dp_rows *rows, size_t column, int64_t low, int64_t high,
			 int64_t other);

/* An id of any range; -1 for NULL and other types. */
int64_t dp_rows__id(struct dp_rows *rows, size_t column);

/* A correlation id; 0 for NULL and what no correlation id can be. */
uint32_t dp_rows__correlation(struct dp_rows *rows, size_t column);

/* A number of bytes; 0 for NULL, negative ones and other types. */
uint64_t dp_rows__bytes(struct dp_rows *rows, size_t column);

/* False where it is no time: not an integer, or beyond 146 years around the zero. */
bool dp_rows__time(struct dp_rows *rows, size_t column, int64_t *time_ns);

/*
 * Text or blob, valid until the next row; NULL where it is NULL or another type (*length 0). Where
 * memory ends it is NULL too, and the next dp_rows__next() fails.
 */
const char *dp_rows__text(struct dp_rows *rows, size_t column, size_t *length);

/*
 * A table of strings by id, read on demand: only names that are used are ever loaded. Missing
 * ones get a name of their own ("[name 17]") and count as a loss.
 */
struct dp_names;
int dp_names__new(struct dp_names **names, struct dp_database *database, const char *table,
		  const char *id_column, const char *text_column);
void dp_names__free(struct dp_names *names);

/* The builder's string of a name, DP_NONE on failure. kernel: demangle. */
uint32_t dp_names__get(struct dp_names *names, int64_t id, bool kernel);

/* The text of a name without its CUDA version suffix (cudaLaunchKernel_v7000). */
uint32_t dp_names__get_call(struct dp_names *names, int64_t id);

#endif
