/* Shared by database.c, database_file.c and rows.c. */
#ifndef DP_IMPORT_DATABASE_PRIVATE_H
#define DP_IMPORT_DATABASE_PRIVATE_H

#include "import/database.h"
#include "import/plain_open.h"

#include <sqlite3.h>

struct dp_table_column {
	char *name;
	int key; /* its position in the primary key, from 1; 0: not part of it */
	bool is_integer;
	bool is_stored; /* not generated, not hidden */
};

struct dp_database {
	sqlite3 *sqlite;
	struct dp_plain_vfs vfs; /* for a path below /proc/self/fd */
	const struct dp_import *import;
	char **tables; /* names of the tables except virtual ones */
	size_t table_count;
	size_t table_room;
	struct dp_table_column *columns; /* of the table described */
	size_t column_count;
	size_t column_room;
	const char *described;	/* that table; NULL: none */
	unsigned idle;		/* callbacks since the last row: a hostile file may yield none */
	bool has_schema;	/* the schema was read */
	uint64_t file_bytes;	/* for progress */
	uint64_t stored_bytes;	/* with the write-ahead log */
	uint64_t pages;		/* in stored_bytes */
	uint64_t touches;	/* accesses to pages so far */
	uint64_t value_bytes;	/* bytes of texts and blobs read so far */
	uint64_t lookups;	/* rows looked up by number */
	uint64_t rows_expected; /* sum over the tables to be read */
	uint64_t rows_read;
	bool overspent;
	bool damaged;
	bool failed; /* the first damage became the error */
	char damage_table[64];
	char damage[200]; /* the first damage */
};

/* Prepares an importer's statement. On failure returns NULL; nomem is set, or damage noted. */
sqlite3_stmt *dp_database__prepare(struct dp_database *database, const char *sql);

/* Warns of damage; of the first when the file is closed, unless it became the error. */
void dp_database__damage(struct dp_database *database, const char *table, const char *format, ...)
	DP_PRINTF(3, 4);

/* Sets "out of memory" and returns its status. */
int dp_database__nomem(struct dp_database *database);

/* Counts a row: resets the guard, and reports progress now and then. */
void dp_database__row(struct dp_database *database);

/* Call before looking up a row by its number: resets the guard. */
void dp_database__seek(struct dp_database *database);

/*
 * Returns true if more was read than the file can hold, because rows share pages or values
 * (database.c has the limits). Notes it as damage, once.
 */
bool dp_database__overspent(struct dp_database *database, const char *table);

/* Returns the greatest rowid, 0 if the table is empty or cannot be read. */
int64_t dp_database__last_rowid(struct dp_database *database, const char *table);

/* Returns the name by which the table's rowid can be read (columns may shadow names), or NULL. */
const char *dp_database__rowid_name(struct dp_database *database, const char *table);

/* The file (database_file.c). */

bool dp_database__is_sqlite(const char *head, size_t length);

/* Returns at least SQLite's smallest page size, whatever the file says. */
uint64_t dp_database__page_bytes(const char *path);

/*
 * Returns the size of the file named path plus suffix, or 0 if there is none. SQLite gives it the
 * database's owner: one of another owner, or a link, anybody may have put there, and is foreign.
 */
uint64_t dp_database__companion(const char *path, const char *suffix, bool *foreign);

/* Refuses a file whose first page was never written. Errors: DP_ERR_DAMAGED. */
int dp_database__check_head(struct dp_database *database, const char *path);

/* Notes that the file is shorter than its header says (SQLite's file format, 1.3.8). */
void dp_database__check_length(struct dp_database *database, const char *path);

#endif
