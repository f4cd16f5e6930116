/* What database.c and rows.c share. */
#ifndef DP_IMPORT_DATABASE_PRIVATE_H
#define DP_IMPORT_DATABASE_PRIVATE_H

#include "import/database.h"
#include "import/plain_open.h"

#include <sqlite3.h>

struct dp_table_column {
	char *name;
	int key; /* its place in the primary key, from 1; 0: it is not in that */
	bool is_integer;
	bool is_stored; /* not generated, not hidden */
};

struct dp_database {
	sqlite3 *sqlite;
	struct dp_plain_vfs vfs; /* of a path below /proc/self/fd */
	const struct dp_import *import;
	char **tables; /* names of the tables, virtual ones left out */
	size_t table_count;
	size_t table_room;
	struct dp_table_column *columns; /* of one table */
	size_t column_count;
	size_t column_room;
	const char *described;	/* of which; NULL: of none */
	unsigned idle;		/* callbacks since the last row: a hostile file may give none */
	bool has_schema;	/* it was read */
	uint64_t file_bytes;	/* for progress */
	uint64_t stored_bytes;	/* with the write-ahead log */
	uint64_t pages;		/* in those */
	uint64_t touches;	/* of pages, so far */
	uint64_t value_bytes;	/* texts and blobs read, so far */
	uint64_t lookups;	/* rows looked for by number */
	uint64_t rows_expected; /* sum over the tables that will be read */
	uint64_t rows_read;
	bool overspent;
	bool damaged;
	bool failed; /* the first damage is the error */
	char damage_table[64];
	char damage[200]; /* the first damage */
};

/* Prepares a statement of our own; NULL and a set error (nomem) or a noted damage on failure. */
sqlite3_stmt *dp_database__prepare(struct dp_database *database, const char *sql);

/* Warns of damage; of the first when the file is closed, unless it became the error. */
void dp_database__damage(struct dp_database *database, const char *table, const char *format, ...)
	DP_PRINTF(3, 4);

/* Sets "out of memory" and returns its status. */
int dp_database__nomem(struct dp_database *database);

/* One more row was read: rearms the guard, reports progress now and then. */
void dp_database__row(struct dp_database *database);

/* To be called before a row is looked for by its number: rearms the guard. */
void dp_database__seek(struct dp_database *database);

/*
 * True where more was read than the file can hold, since rows share pages or values (database.c
 * has the bounds). Notes it as damage, once.
 */
bool dp_database__overspent(struct dp_database *database, const char *table);

/* The greatest rowid, 0 for an empty table or where it cannot be read. */
int64_t dp_database__last_rowid(struct dp_database *database, const char *table);

/* The name by which the table's rowid can be read (a column may shadow one), or NULL. */
const char *dp_database__rowid_name(struct dp_database *database, const char *table);

#endif
