/*
 * Inserts rows in chunks: a virtual table (SQLite's "The Virtual Table Mechanism Of SQLite") over
 * the gathered rows, and INSERT … SELECT from it.
 */
#include "record/bulk.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK_ROWS = 1024, CELL_COLUMNS_MAX = 32 };

static const struct {
	const char *table;
	unsigned int columns; /* except the id */
} tables[DP_BULK_COUNT] = {
	[DP_BULK_KERNEL] = { "kernel", 27 },
	[DP_BULK_MEMCPY] = { "memcpy", 17 },
	[DP_BULK_MEMSET] = { "memset", 13 },
	[DP_BULK_GRAPH] = { "graph_launch", 9 },
	[DP_BULK_API] = { "api", 9 },
	[DP_BULK_SYNC] = { "sync", 10 },
	[DP_BULK_MEM_OP] = { "mem_op", 10 },
	[DP_BULK_MEM_POOL] = { "mem_pool", 11 },
	[DP_BULK_EXT_CORR] = { "ext_corr", 5 },
	[DP_BULK_NVTX] = { "nvtx", 9 },
	[DP_BULK_OVERHEAD] = { "overhead", 5 },
	[DP_BULK_CLOCK] = { "clock_sync", 5 },
	[DP_BULK_UNTIMED] = { "untimed", 8 },
	[DP_BULK_HOST_SAMPLE] = { "host_sample", 9 },
	[DP_BULK_HOST_LOAD] = { "host_load", 8 },
	[DP_BULK_EVENT] = { "cuda_event", 7 },
	[DP_BULK_OFF_CPU] = { "off_cpu", 5 },
	[DP_BULK_CPU_SAMPLE] = { "cpu_sample", 5 },
};

struct table {
	sqlite3_vtab base;
	struct dp_bulk *bulk;
	unsigned int columns;
};

struct cursor {
	sqlite3_vtab_cursor base;
	size_t row;
};

/* The table follows from the module's name, argv[0]. */
static int connect_table(sqlite3 *handle, void *aux, int argc, const char *const *argv,
			 sqlite3_vtab **out, char **message)
{
	struct dp_db *db = aux;
	struct table *table;
	char sql[512];
	int used = snprintf(sql, sizeof(sql), "CREATE TABLE x(c0");
	unsigned int which = 0;
	int code;

	while (which + 1 < DP_BULK_COUNT &&
	       strcmp(argv[0] + strlen("dp_bulk_"), tables[which].table))
		which++;
	for (unsigned int i = 1; i < tables[which].columns; i++)
		used += snprintf(sql + used, sizeof(sql) - (size_t)used, ",c%u", i);
	snprintf(sql + used, sizeof(sql) - (size_t)used, ")");
	code = sqlite3_declare_vtab(handle, sql);
	if (code)
		return code;
	table = sqlite3_malloc((int)sizeof(*table));
	if (!table)
		return SQLITE_NOMEM;
	memset(table, 0, sizeof(*table));
	table->bulk = &db->bulk[which];
	table->columns = tables[which].columns;
	*out = &table->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base)
{
	sqlite3_free(base);
	return SQLITE_OK;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	info->estimatedCost = CHUNK_ROWS;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct cursor *cursor = sqlite3_malloc((int)sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	memset(cursor, 0, sizeof(*cursor));
	*out = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	sqlite3_free(base);
	return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
		  sqlite3_value **argv)
{
	((struct cursor *)base)->row = 0;
	return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->row++;
	return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
	return ((struct cursor *)base)->row >= ((struct table *)base->pVtab)->bulk->rows;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index)
{
	const struct table *table = (struct table *)base->pVtab;
	const struct dp_bulk *bulk = table->bulk;
	size_t row = ((struct cursor *)base)->row;
	int64_t cell = bulk->cells[row * table->columns + (unsigned int)index];
	uint32_t bit = (uint32_t)1 << index;
	double real;

	if (bulk->nulls[row] & bit)
		return SQLITE_OK;
	if (bulk->reals[row] & bit) {
		memcpy(&real, &cell, sizeof(real));
		sqlite3_result_double(context, real);
	} else {
		sqlite3_result_int64(context, cell);
	}
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = (sqlite3_int64)((struct cursor *)base)->row;
	return SQLITE_OK;
}

/* Eponymous: without xCreate, the module's name is the table's. */
static const sqlite3_module module = {
	.xConnect = connect_table,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next_row,
	.xEof = at_end,
	.xColumn = column,
	.xRowid = row_id,
};

int dp_bulk__register(struct dp_db *db)
{
	char name[40];

	for (int i = 0; i < DP_BULK_COUNT; i++) {
		snprintf(name, sizeof(name), "dp_bulk_%s", tables[i].table);
		if (sqlite3_create_module_v2(db->handle, name, &module, db, NULL))
			return dp_db__fail(db);
	}
	return DP_OK;
}

/*
 * Lists the table's columns except its id: SQLite numbers rows itself, also from 1, and then
 * appends instead of searching for the id.
 */
static int name_columns(struct dp_db *db, const char *table, char *list, size_t size)
{
	sqlite3_stmt *names;
	int code, status = DP_OK;
	size_t used = 0;

	if (sqlite3_prepare_v2(db->handle, "SELECT name FROM pragma_table_info(?) WHERE pk = 0", -1,
			       &names, NULL))
		return dp_db__fail(db);
	sqlite3_bind_text(names, 1, table, -1, SQLITE_STATIC);
	while ((code = sqlite3_step(names)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(names, 0);

		if (!name)
			break;
		used += (size_t)snprintf(list + used, size - used, "%s%s", used ? "," : "", name);
		assert(used < size);
	}
	if (code != SQLITE_DONE)
		status = dp_db__fail(db);
	sqlite3_finalize(names);
	return status;
}

static int allocate(struct dp_db *db, enum dp_bulk_table table)
{
	struct dp_bulk *bulk = &db->bulk[table];
	size_t columns = tables[table].columns;
	char names[512], sql[640];
	int status = name_columns(db, tables[table].table, names, sizeof(names));

	assert(columns <= CELL_COLUMNS_MAX);
	if (status)
		return status;
	bulk->cells = dp_alloc__array(CHUNK_ROWS * columns, sizeof(*bulk->cells));
	bulk->nulls = dp_alloc__array(CHUNK_ROWS, sizeof(*bulk->nulls));
	bulk->reals = dp_alloc__array(CHUNK_ROWS, sizeof(*bulk->reals));
	if (!bulk->cells || !bulk->nulls || !bulk->reals)
		return dp_error__nomem(db->error, CHUNK_ROWS * columns * sizeof(*bulk->cells));
	snprintf(sql, sizeof(sql), "INSERT INTO %s(%s) SELECT * FROM dp_bulk_%s",
		 tables[table].table, names, tables[table].table);
	if (sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &bulk->insert, NULL))
		return dp_db__fail(db);
	return DP_OK;
}

static int flush(struct dp_db *db, struct dp_bulk *bulk)
{
	int status = DP_OK;

	if (!bulk->rows)
		return DP_OK;
	if (sqlite3_step(bulk->insert) != SQLITE_DONE)
		status = dp_db__fail(db);
	sqlite3_reset(bulk->insert);
	bulk->rows = 0;
	return status;
}

int dp_bulk__flush(struct dp_db *db)
{
	int status = DP_OK;

	for (int i = 0; i < DP_BULK_COUNT && !status; i++)
		status = flush(db, &db->bulk[i]);
	return status;
}

int dp_db__bulk(struct dp_db *db, enum dp_bulk_table table, struct dp_bulk_row *row)
{
	struct dp_bulk *bulk = &db->bulk[table];
	int status = DP_OK;

	if (!bulk->insert)
		status = allocate(db, table);
	else if (bulk->rows == CHUNK_ROWS)
		status = flush(db, bulk);
	if (status)
		return status;
	row->next = bulk->cells + bulk->rows * tables[table].columns;
	row->nulls = &bulk->nulls[bulk->rows];
	row->reals = &bulk->reals[bulk->rows];
	row->bit = 1;
	*row->nulls = *row->reals = 0;
	bulk->rows++;
	bulk->last_id++;
	return DP_OK;
}

int64_t dp_db__last_id(const struct dp_db *db, enum dp_bulk_table table)
{
	return db->bulk[table].last_id;
}

void dp_bulk__real(struct dp_bulk_row *row, double value)
{
	int64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	*row->reals |= row->bit;
	dp_bulk__put(row, bits);
}

void dp_bulk__fini(struct dp_db *db)
{
	for (int i = 0; i < DP_BULK_COUNT; i++) {
		struct dp_bulk *bulk = &db->bulk[i];

		sqlite3_finalize(bulk->insert);
		free(bulk->cells);
		free(bulk->nulls);
		free(bulk->reals);
		memset(bulk, 0, sizeof(*bulk));
	}
}
