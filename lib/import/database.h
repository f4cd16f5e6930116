/*
 * Reads SQLite files without changing anything on disk, and expects them to be hostile.
 *
 * A file is opened immutable (no lock, no journal, nothing is created next to it). If a write-ahead
 * log lies next to it, the log is read too, with its index in memory. Tables are scanned in rowid
 * order, with columns looked up by name. A damaged page costs the rows in it: the scan continues
 * after it and counts the loss. Only tables are read: views, virtual tables, generated columns,
 * triggers and functions of the file are never run.
 *
 * The work is proportional to the file. If rows share pages or values so that the work exceeds a
 * constant multiple of the file's size, reading stops as at damage. A file whose schema has more
 * than about 3,500 entries is rejected.
 */
#ifndef DP_IMPORT_DATABASE_H
#define DP_IMPORT_DATABASE_H

#include "import/import.h"

struct dp_database;

/* Opens import->path. Both import and the path are borrowed. */
int dp_database__open(struct dp_database **database, const struct dp_import *import);
void dp_database__close(struct dp_database *database);

/*
 * For probes: returns how many of the named tables the SQLite file at the probe's path has, 0 if it
 * is not a SQLite file. A name that ends with * is the beginning of a table's name. For a damaged
 * file, returns how many of them its beginning mentions. Returns DP_ERR_NOMEM if memory runs out.
 */
int dp_database__probe(const struct dp_probe *probe, const char *const *tables, size_t count);

/* Returns the application id in the header of a SQLite file, 0 for any other file. */
uint32_t dp_database__application_id(const char *head, size_t length);

/* Returns user_version of the open file. */
int64_t dp_database__user_version(struct dp_database *database);

/* Returns the file's own name for a table, ignoring case, or NULL. Borrowed. */
const char *dp_database__table(const struct dp_database *database, const char *name);

/* Returns the file's tables in order, NULL beyond the end. Borrowed. */
const char *dp_database__table_at(const struct dp_database *database, size_t index);

/* Returns true if the table has the column and stores it (it is not computed). */
bool dp_database__has_column(struct dp_database *database, const char *table, const char *column);

/* Returns true if the column is the table's rowid: INTEGER PRIMARY KEY. */
bool dp_database__is_rowid(struct dp_database *database, const char *table, const char *column);

/* Adds a table's greatest rowid to the total for progress. Constant cost. */
void dp_database__expect(struct dp_database *database, const char *table);

/*
 * Call after everything is read. If nothing was read and something was lost, fails with
 * DP_ERR_DAMAGED and the first damage as the message.
 */
int dp_database__finish(struct dp_database *database);

/* Counts a row that cannot be used, by reason; logs the first of each table with its rowid. */
struct dp_rows;
int dp_rows__skip(struct dp_rows *rows, const char *why);

/*
 * A column to read: one name, or several separated by commas. Of those that the table has, the
 * first that is not NULL in the row is read. Without names it is NULL in all rows.
 */
struct dp_column {
	const char *names;
	bool required;
};

enum { DP_ROWS_COLUMNS_MAX = 24 };

/* A scan of a table in progress; zero it first. rowid is that of the current row. */
struct dp_rows {
	struct dp_database *database;
	void *statement; /* sqlite3_stmt */
	const struct dp_column *columns;
	size_t count;
	const char *table;
	int64_t rowid;
	uint8_t at[DP_ROWS_COLUMNS_MAX]; /* the column's index in the result, 0: not there */
	bool any;			 /* rowid is valid */
	bool ended;			 /* the last step returned no row, or an error */
	unsigned gaps;			 /* damaged places that were skipped */
	uint64_t read;			 /* rows so far */
	uint64_t odd;			 /* values of a wrong type or out of range */
	uint64_t skips;			 /* rows that could not be used */
};

/*
 * Starts a scan. Returns 1, 0 if there is no such table (or table is NULL), or a status if a
 * required column is missing.
 */
int dp_rows__open(struct dp_rows *rows, struct dp_database *database, const char *table,
		  const struct dp_column *columns, size_t count);

/* Starts at the first rowid that is not less than rowid. Call before the first row. */
void dp_rows__from(struct dp_rows *rows, int64_t rowid);

/* Moves to the next row. Returns 1, 0 at the end, or a status (DP_ERR_NOMEM). */
int dp_rows__next(struct dp_rows *rows);
void dp_rows__close(struct dp_rows *rows);

/* Returns true if the table has the column. */
bool dp_rows__has(const struct dp_rows *rows, size_t column);

/* Returns true if the value is NULL (or the column is missing). */
bool dp_rows__is_null(const struct dp_rows *rows, size_t column);

/* Returns an integer, or other: for NULL, and (counted as odd) for what is not in low..high. */
int64_t dp_rows__integer(struct dp_rows *rows, size_t column, int64_t low, int64_t high,
			 int64_t other);

/* Returns an id of any range, or -1 for NULL and other types. */
int64_t dp_rows__id(struct dp_rows *rows, size_t column);

/* Returns a correlation id, or 0 for NULL and values that cannot be one. */
uint32_t dp_rows__correlation(struct dp_rows *rows, size_t column);

/* Returns a number of bytes, or 0 for NULL, negative values and other types. */
uint64_t dp_rows__bytes(struct dp_rows *rows, size_t column);

/* Returns false if the value is not a time: not an integer, or more than 73 years from 0. */
bool dp_rows__time(struct dp_rows *rows, size_t column, int64_t *time_ns);

/*
 * Returns a text or blob, valid until the next row, or NULL for NULL and other types (*length is 0
 * then). If memory runs out it also returns NULL, and the next dp_rows__next() fails.
 */
const char *dp_rows__text(struct dp_rows *rows, size_t column, size_t *length);

/*
 * A table of strings by id, read on demand: only names that are used are loaded. A missing name is
 * replaced by its id ("[name 17]"), and each use of it counts as a loss.
 */
struct dp_names;
int dp_names__new(struct dp_names **names, struct dp_database *database, const char *table,
		  const char *id_column, const char *text_column);
void dp_names__free(struct dp_names *names);

/* Returns the builder's string of a name, DP_NONE on failure. kernel: demangle the name. */
uint32_t dp_names__get(struct dp_names *names, int64_t id, bool kernel);

/* Returns a kernel's first name that is not missing; columns have the ids. DP_NONE on failure. */
uint32_t dp_names__get_kernel(struct dp_names *names, struct dp_rows *rows, const size_t *columns,
			      size_t count);

/* Returns the text of a name without its CUDA version suffix (cudaLaunchKernel_v7000). */
uint32_t dp_names__get_call(struct dp_names *names, int64_t id);

#endif
