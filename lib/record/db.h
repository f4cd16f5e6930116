/*
 * Writes the trace file: rows of the large tables in chunks, others one by one.
 *
 * Binding and stepping each row costs SQLite most, so rows of numbers are gathered and passed to it
 * as a virtual table that one INSERT … SELECT reads.
 */
#ifndef DP_RECORD_DB_H
#define DP_RECORD_DB_H

#include "base/base.h"
#include "import/plain_open.h"

#include <sqlite3.h>

enum dp_bulk_table {
	DP_BULK_KERNEL,
	DP_BULK_MEMCPY,
	DP_BULK_MEMSET,
	DP_BULK_GRAPH,
	DP_BULK_API,
	DP_BULK_SYNC,
	DP_BULK_MEM_OP,
	DP_BULK_MEM_POOL,
	DP_BULK_EXT_CORR,
	DP_BULK_NVTX,
	DP_BULK_OVERHEAD,
	DP_BULK_CLOCK,
	DP_BULK_UNTIMED,
	DP_BULK_HOST_SAMPLE,
	DP_BULK_HOST_LOAD,
	DP_BULK_OFF_CPU,
	DP_BULK_CPU_SAMPLE,
	DP_BULK_EVENT,
	DP_BULK_COUNT
};

enum dp_row_table {
	DP_ROW_META,
	DP_ROW_PROCESS,
	DP_ROW_THREAD,
	DP_ROW_STRING,
	DP_ROW_DEVICE,
	DP_ROW_CONTEXT,
	DP_ROW_STREAM,
	DP_ROW_CBID,
	DP_ROW_NCCL,
	DP_ROW_JIT,
	DP_ROW_SAMPLE,
	DP_ROW_LOSS,
	DP_ROW_COUNT,
	DP_ROW_MESSAGE,
	DP_ROW_PAUSE,
	DP_ROW_GPU_METRIC,
	DP_ROW_CALL_STACK,
	DP_ROW_COUNT_OF_TABLES
};

/* Rows of one table that SQLite does not have yet. */
struct dp_bulk {
	int64_t *cells;
	uint32_t *nulls; /* by row, a bit for each column */
	uint32_t *reals; /* for the others: the cell is a double's bits */
	size_t rows;
	int64_t last_id;
	sqlite3_stmt *insert;
};

struct dp_db {
	sqlite3 *handle;
	struct dp_plain_vfs vfs;
	const char *path;
	struct dp_error *error;
	struct dp_bulk bulk[DP_BULK_COUNT];
	sqlite3_stmt *rows[DP_ROW_COUNT_OF_TABLES];
	sqlite3_stmt *row; /* the current one */
	int column;
};

/* Creates the file with the schema's tables. Errors of all functions: DP_ERR_IO, DP_ERR_NOMEM. */
int dp_db__open(struct dp_db *db, const char *path, struct dp_error *error);

/* Writes gathered rows, creates indexes and views, closes and syncs the file. */
int dp_db__finish(struct dp_db *db);

/* Closes what is open. */
void dp_db__fini(struct dp_db *db);

/* A row of a large table: set the values of all columns except the id, in order. */
struct dp_bulk_row {
	int64_t *next;
	uint32_t *nulls;
	uint32_t *reals;
	uint32_t bit;
};

int dp_db__bulk(struct dp_db *db, enum dp_bulk_table table, struct dp_bulk_row *row);

/* Returns the id of the last row that dp_db__bulk() started. */
int64_t dp_db__last_id(const struct dp_db *db, enum dp_bulk_table table);

static inline void dp_bulk__put(struct dp_bulk_row *row, int64_t value)
{
	*row->next++ = value;
	row->bit <<= 1;
}

static inline void dp_bulk__null(struct dp_bulk_row *row)
{
	*row->nulls |= row->bit;
	dp_bulk__put(row, 0);
}

/* Stores NULL if the value is unknown. */
static inline void dp_bulk__known(struct dp_bulk_row *row, bool known, int64_t value)
{
	if (known)
		dp_bulk__put(row, value);
	else
		dp_bulk__null(row);
}

void dp_bulk__real(struct dp_bulk_row *row, double value);

/* Starts a row of a small table: set all columns in order, then call dp_db__done(). */
int dp_db__row(struct dp_db *db, enum dp_row_table table);
void dp_db__int(struct dp_db *db, int64_t value);
void dp_db__known(struct dp_db *db, bool known, int64_t value);
void dp_db__text(struct dp_db *db, const char *text); /* NULL is stored as NULL; borrowed */
void dp_db__null(struct dp_db *db);
int dp_db__done(struct dp_db *db);

#endif
