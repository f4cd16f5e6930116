/* SQLite files written quickly and to the same bytes each time. */
#ifndef SIM_DB_H
#define SIM_DB_H

#include "writer.h"

#include <sqlite3.h>

enum { SIM_DB_STATEMENTS = 24 };

struct sim_db {
	sqlite3 *handle;
	sqlite3_stmt *statements[SIM_DB_STATEMENTS];
	sqlite3_stmt *current;
	int column;
};

/* Each returns 0, or -1 with sink->error set. */
int sim_db_open(struct sim_db *db, struct sim_sink *sink, unsigned page_bytes);
int sim_db_run(struct sim_db *db, struct sim_sink *sink, const char *sql);
/* Prepares statement number i once; begins a row for it. */
int sim_db_row(struct sim_db *db, struct sim_sink *sink, int i, const char *sql);
int sim_db_done(struct sim_db *db, struct sim_sink *sink);
int sim_db_close(struct sim_db *db, struct sim_sink *sink, bool complete);

/* The row's next column. */
void sim_db_int(struct sim_db *db, int64_t value);
void sim_db_text(struct sim_db *db, const char *text);
void sim_db_blob(struct sim_db *db, const void *data, size_t length);
void sim_db_null(struct sim_db *db);

#endif
