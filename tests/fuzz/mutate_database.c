/*
 * SQLite databases: their schema and rows by SQL, their pages by the file format
 * (sqlite.org/fileformat2.html), and the log or journal that may lie next to them.
 */
#define _GNU_SOURCE
#include "mutate.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 100, SQL_MOST = 4096 };

/* A damaged header may have SQLite grow a database to as much as it may hold. */
#define MEMORY_MOST ((sqlite3_int64)16 << 20)

/* Parts of a mutation by SQL. */
struct subject {
	struct fuzz_input *input;
	sqlite3 *db;
	char table[128], other[128], column[128];
};

static void put_32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * (3 - i));
}

static uint32_t get_32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static size_t page_size(const struct fuzz_input *input)
{
	size_t size = (size_t)input->data[16] << 8 | input->data[17];

	return size == 1 ? 65536 : size;
}

/* A cell of a query's only column, chosen among its rows; empty if there is none. */
static void pick(char out[128], struct subject *at, const char *sql, const char *argument)
{
	sqlite3_stmt *statement = NULL;
	unsigned seen = 0;

	out[0] = '\0';
	if (sqlite3_prepare_v2(at->db, sql, -1, &statement, NULL))
		return;
	if (argument)
		sqlite3_bind_text(statement, 1, argument, -1, SQLITE_STATIC);
	while (sqlite3_step(statement) == SQLITE_ROW && seen < 500)
		if (!fuzz_below(at->input, ++seen) && sqlite3_column_text(statement, 0))
			snprintf(out, 128, "%s", (const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
}

static void run(struct subject *at, char *sql)
{
	if (sql)
		sqlite3_exec(at->db, sql, NULL, NULL, NULL);
	sqlite3_free(sql);
}

static const char *odd_value(struct subject *at, char buf[64])
{
	static const char *const values[] = { "NULL",
					      "''",
					      "'x'",
					      "x'00ff'",
					      "9e999",
					      "-9e999",
					      "1.5",
					      "zeroblob(70000)",
					      "'1'",
					      "randomblob(300)",
					      "rowid",
					      "-rowid",
					      "hex(zeroblob(3000))",
					      "char(0x202e, 0x9b)",
					      "cast(x'ff80' as text)",
					      "'a' || char(0)" };

	if (fuzz_below(at->input, 2))
		return values[fuzz_below(at->input, sizeof(values) / sizeof(values[0]))];
	snprintf(buf, 64, "%lld", (long long)fuzz_number(at->input));
	return buf;
}

static void change_values(struct subject *at)
{
	char buf[64];
	const char *value = odd_value(at, buf);

	run(at, sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = %s WHERE rowid %% %d = 0", at->table,
				at->column, value, 1 + (int)fuzz_below(at->input, 5)));
}

static void change_rowids(struct subject *at)
{
	run(at, sqlite3_mprintf("UPDATE OR IGNORE \"%w\" SET rowid = rowid %s %lld", at->table,
				fuzz_below(at->input, 2) ? "+" : "*",
				(long long)fuzz_number(at->input)));
}

static void change_rows(struct subject *at)
{
	int n = 1 + (int)fuzz_below(at->input, 300);

	if (fuzz_below(at->input, 3))
		run(at, sqlite3_mprintf(
				"INSERT OR IGNORE INTO \"%w\" SELECT * FROM \"%w\" LIMIT %d",
				at->table, fuzz_below(at->input, 4) ? at->table : at->other, n));
	else
		run(at, sqlite3_mprintf("DELETE FROM \"%w\" WHERE rowid %% %d = 0", at->table,
					1 + n % 4));
}

static void rename_things(struct subject *at)
{
	switch (fuzz_below(at->input, 3)) {
	case 0:
		run(at,
		    sqlite3_mprintf("ALTER TABLE \"%w\" RENAME TO \"%w_\"", at->table, at->table));
		break;
	case 1:
		run(at, sqlite3_mprintf("ALTER TABLE \"%w\" RENAME COLUMN \"%w\" TO \"x%d\"",
					at->table, at->column, (int)fuzz_below(at->input, 3)));
		break;
	default:
		run(at, sqlite3_mprintf("ALTER TABLE \"%w\" DROP COLUMN \"%w\"", at->table,
					at->column));
	}
}

/* Plain, with defaults, generated; with names that hide the rowid or that readers look for. */
static void add_column(struct subject *at)
{
	static const char *const names[] = { "rowid", "_rowid_", "oid", "id", "value", "x" };
	static const char *const types[] = {
		"",
		"INTEGER",
		"TEXT DEFAULT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'",
		"BLOB DEFAULT x'00'",
		"REAL DEFAULT 9e999",
		"INTEGER AS (rowid) VIRTUAL",
		"INTEGER AS (1 + 1) VIRTUAL",
		"TEXT COLLATE nowhere",
		"INTEGER CHECK (0)",
		"INTEGER REFERENCES nowhere(a)",
		"DEFAULT (random())"
	};

	run(at, sqlite3_mprintf("ALTER TABLE \"%w\" ADD COLUMN \"%w\" %s", at->table,
				names[fuzz_below(at->input, sizeof(names) / sizeof(names[0]))],
				types[fuzz_below(at->input, sizeof(types) / sizeof(types[0]))]));
}

/* A table is a view, a virtual one, one without rowids, or one of another's kind instead. */
static void replace_table(struct subject *at)
{
	static const char *const ways[] = {
		"CREATE VIEW \"%w\" AS SELECT * FROM \"%w_old\"",
		"CREATE VIEW \"%w\" AS SELECT a.* FROM \"%w_old\" AS a, \"%w_old\" AS b, \"%w_old\" AS c",
		"CREATE TABLE \"%w\"(id INTEGER PRIMARY KEY, value TEXT) WITHOUT ROWID",
		"CREATE TABLE \"%w\" AS SELECT * FROM \"%w_old\"",
		"CREATE TABLE \"%w\" AS SELECT *, 1 AS rowid, 2 AS oid, 3 AS _rowid_ FROM \"%w_old\"",
		"CREATE VIEW \"%w\" AS WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
		"CREATE TABLE \"%w\"(id INTEGER PRIMARY KEY DESC, value TEXT)",
	};
	size_t way = fuzz_below(at->input, sizeof(ways) / sizeof(ways[0]));

	run(at, sqlite3_mprintf("ALTER TABLE \"%w\" RENAME TO \"%w_old\"", at->table, at->table));
	run(at, sqlite3_mprintf(ways[way], at->table, at->table, at->table, at->table));
}

static void add_thing(struct subject *at)
{
	static const char *const ways[] = {
		"CREATE INDEX \"i_%w\" ON \"%w\"(\"%w\")",
		"CREATE UNIQUE INDEX \"u_%w\" ON \"%w\"(\"%w\" DESC)",
		"CREATE INDEX \"e_%w\" ON \"%w\"(abs(\"%w\")) WHERE 1",
		"CREATE TRIGGER \"t_%w\" AFTER INSERT ON \"%w\" BEGIN SELECT \"%w\"; END",
		"CREATE VIEW \"v_%w\" AS SELECT * FROM \"%w\" ORDER BY \"%w\"",
		"CREATE TABLE \"n_%w\" AS SELECT * FROM \"%w\" WHERE \"%w\"",
		"ANALYZE",
		"REINDEX",
	};

	run(at, sqlite3_mprintf(ways[fuzz_below(at->input, sizeof(ways) / sizeof(ways[0]))],
				at->table, at->table, at->column));
}

/* Values that no statement would leave there. */
static void spoil_schema(struct subject *at)
{
	static const char *const ways[] = {
		"rootpage = %d",
		"rootpage = -%d",
		"rootpage = 1",
		"rootpage = 0 AND %d",
		"sql = NULL",
		"sql = 'CREATE TABLE x(' || %d",
		"name = NULL",
		"type = 'view'",
		"type = 'table'",
		"tbl_name = 'x%d'",
		"sql = replace(sql, 'INTEGER', 'TEXT')",
		"sql = replace(sql, ')', ', rowid AS (1))')",
		"sql = sql || ' STRICT'",
		"sql = replace(sql, 'CREATE TABLE', 'CREATE VIRTUAL TABLE')",
		"name = 'sqlite_stat%d'",
	};
	char *set = sqlite3_mprintf(ways[fuzz_below(at->input, sizeof(ways) / sizeof(ways[0]))],
				    (int)fuzz_below(at->input, 12));

	sqlite3_exec(at->db, "PRAGMA writable_schema = ON", NULL, NULL, NULL);
	if (fuzz_below(at->input, 8) == 0)
		run(at, sqlite3_mprintf(
				"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
				"FROM n LIMIT 300) INSERT INTO sqlite_master SELECT 'table', "
				"'b' || i, 'b' || i, 2, 'CREATE TABLE b' || i || '(a)' FROM n"));
	run(at, sqlite3_mprintf("UPDATE sqlite_master SET %s WHERE name = %Q", set, at->table));
	sqlite3_free(set);
}

static void change_pragmas(struct subject *at)
{
	static const char *const ways[] = {
		"page_size = 512; VACUUM",    "page_size = 65536; VACUUM",
		"auto_vacuum = 1; VACUUM",    "user_version = %d",
		"application_id = %d",	      "schema_version = %d",
		"encoding = 'UTF-16'; VACUUM"
	};
	char *sql = sqlite3_mprintf(ways[fuzz_below(at->input, sizeof(ways) / sizeof(ways[0]))],
				    (int)fuzz_number(at->input));

	run(at, sqlite3_mprintf("PRAGMA %s", sql));
	sqlite3_free(sql);
}

/* Runs one way on the database in memory; its bytes replace those of the input. */
static bool by_sql(struct fuzz_input *input, size_t size)
{
	static void (*const ways[])(
		struct subject *) = { change_values, change_values, change_values, change_rowids,
				      change_rows,   change_rows,   rename_things, add_column,
				      replace_table, add_thing,	    spoil_schema,  change_pragmas };
	struct subject at = { .input = input };
	unsigned char *bytes = sqlite3_malloc64(size + 1);
	sqlite3_int64 length = 0, most = MEMORY_MOST;

	if (!bytes || sqlite3_open(":memory:", &at.db)) {
		sqlite3_free(bytes);
		sqlite3_close(at.db);
		return false;
	}
	memcpy(bytes, input->data, size);
	bytes[18] = bytes[19] = 1; /* no log of its own: memory has none */
	sqlite3_deserialize(at.db, "main", bytes, (sqlite3_int64)size, (sqlite3_int64)size,
			    SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
	sqlite3_file_control(at.db, "main", SQLITE_FCNTL_SIZE_LIMIT, &most);
	sqlite3_limit(at.db, SQLITE_LIMIT_LENGTH, 1 << 20);
	pick(at.table, &at, "SELECT name FROM sqlite_master WHERE type = 'table'", NULL);
	pick(at.other, &at, "SELECT name FROM sqlite_master", NULL);
	pick(at.column, &at, "SELECT name FROM pragma_table_xinfo(?1)", at.table);
	ways[fuzz_below(input, sizeof(ways) / sizeof(ways[0]))](&at);
	bytes = sqlite3_serialize(at.db, "main", &length, 0);
	if (bytes && length > 0)
		fuzz_splice(input, 0, size, bytes, (size_t)length);
	sqlite3_free(bytes);
	sqlite3_close(at.db);
	return true;
}

/* The parts of a page that SQLite relies on: its kind, counts, pointers and cells. */
static void spoil_page(struct fuzz_input *input, size_t size)
{
	size_t page = page_size(input), pages = page ? size / page : 0, number, at, cells;
	uint8_t *head;

	if (page < 512 || !pages)
		return;
	number = fuzz_below(input, pages);
	at = number * page + (number ? 0 : HEADER);
	head = input->data + at;
	cells = (size_t)head[3] << 8 | head[4];
	switch (fuzz_below(input, 8)) {
	case 0:
		head[0] = (uint8_t[]){ 2, 5, 10, 13, 0, 255 }[fuzz_below(input, 6)];
		break;
	case 1:
		head[3 + fuzz_below(input, 5)] = (uint8_t)fuzz_number(input);
		break;
	case 2: /* the right-most child, or the first pointers */
		put_32(head + 8, (uint32_t)fuzz_below(input, pages + 2));
		break;
	case 3: /* a cell's place */
		head[8 + fuzz_below(input, 2 * cells + 4) % (page - 12 - HEADER)] =
			(uint8_t)fuzz_next(input);
		break;
	case 4: /* a page of the free list or of a chain */
		put_32(input->data + number * page, (uint32_t)fuzz_below(input, pages + 2));
		break;
	case 5: /* one page is another: trees and chains that share */
		memmove(input->data + number * page, input->data + fuzz_below(input, pages) * page,
			page);
		break;
	case 6: /* within a cell: lengths, rowids, types, and the number of an overflow page */
		number = number * page + page / 2 + fuzz_below(input, page / 2);
		input->data[number] = (uint8_t)fuzz_number(input);
		break;
	default: /* a chain's page at a cell's end */
		number = number * page + page / 2 + fuzz_below(input, page / 2 - 4);
		put_32(input->data + number, (uint32_t)fuzz_below(input, pages + 2));
	}
}

static void spoil_header(struct fuzz_input *input, size_t size)
{
	static const uint8_t places[] = {
		16, 18, 19, 20, 21, 24, 28, 32, 36, 40, 44, 52, 56, 64, 92
	};
	size_t at = places[fuzz_below(input, sizeof(places))];

	if (at < 24)
		input->data[at] = (uint8_t)fuzz_number(input);
	else
		put_32(input->data + at, (uint32_t)fuzz_number(input));
	if (fuzz_below(input, 2))
		put_32(input->data + 28,
		       (uint32_t)(size / (page_size(input) ? page_size(input) : 1)));
	if (fuzz_below(input, 2))
		memcpy(input->data + 92, input->data + 24, 4);
}

/* fileformat2, 4.2: sums of words in the order that the magic says; here big endian. */
static void add_sum(uint32_t sum[2], const uint8_t *data, size_t size)
{
	for (size_t i = 0; i + 8 <= size; i += 8) {
		sum[0] += get_32(data + i) + sum[1];
		sum[1] += get_32(data + i + 4) + sum[0];
	}
}

/* A log with new forms of some of the pages, and frames that are not quite right. */
static void add_log(struct fuzz_input *input, size_t size)
{
	size_t page = page_size(input), pages = page ? size / page : 0;
	size_t frames = 1 + fuzz_below(input, 4), from;
	uint8_t head[32] = { 0 }, frame[24] = { 0 };
	uint32_t sum[2] = { 0, 0 };

	if (page < 512 || page > 4096 || !pages)
		return;
	input->data[18] = input->data[19] = 2;
	put_32(head, 0x377f0683);
	put_32(head + 4, 3007000);
	put_32(head + 8, fuzz_below(input, 8) ? (uint32_t)page : (uint32_t)fuzz_number(input));
	put_32(head + 16, 0x01020304);
	add_sum(sum, head, 24);
	put_32(head + 24, sum[0]);
	put_32(head + 28, sum[1]);
	fuzz_splice(input, input->size, 0, FUZZ_WAL, sizeof(FUZZ_WAL) - 1);
	fuzz_splice(input, input->size, 0, head, sizeof(head));
	for (size_t i = 0; i < frames; i++) {
		size_t number = fuzz_below(input, pages);

		from = fuzz_below(input, 2) ? number : fuzz_below(input, pages);
		put_32(frame, (uint32_t)number + 1);
		put_32(frame + 4, i + 1 == frames ? (uint32_t)pages : 0);
		put_32(frame + 8, 0x01020304);
		if (fuzz_below(input, 8) == 0)
			put_32(frame + 4 * fuzz_below(input, 3), (uint32_t)fuzz_number(input));
		add_sum(sum, frame, 8);
		add_sum(sum, input->data + from * page, page);
		put_32(frame + 16, sum[0]);
		put_32(frame + 20, sum[1]);
		fuzz_splice(input, input->size, 0, frame, sizeof(frame));
		fuzz_splice(input, input->size, 0, input->data + from * page, page);
	}
}

/* fileformat2, 3: a header, and pages as they were. */
static void add_journal(struct fuzz_input *input, size_t size)
{
	static const uint8_t magic[8] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
	size_t page = page_size(input);
	uint8_t head[512] = { 0 };

	if (page < 512 || size < page)
		return;
	memcpy(head, magic, sizeof(magic));
	put_32(head + 8, (uint32_t)fuzz_number(input));
	put_32(head + 16, (uint32_t)fuzz_below(input, size / page + 3));
	put_32(head + 20, 512);
	put_32(head + 24, (uint32_t)page);
	fuzz_splice(input, input->size, 0, FUZZ_JOURNAL, sizeof(FUZZ_JOURNAL) - 1);
	fuzz_splice(input, input->size, 0, head, sizeof(head));
	put_32(head, 1);
	fuzz_splice(input, input->size, 0, head, 4);
	fuzz_splice(input, input->size, 0, input->data, page);
}

/* Bytes of the database itself, without the file next to it. */
static size_t database_size(const struct fuzz_input *input)
{
	const uint8_t *wal = memmem(input->data, input->size, FUZZ_WAL, sizeof(FUZZ_WAL) - 1);
	const uint8_t *journal =
		memmem(input->data, input->size, FUZZ_JOURNAL, sizeof(FUZZ_JOURNAL) - 1);
	const uint8_t *end = wal ? wal : journal;

	return end ? (size_t)(end - input->data) : input->size;
}

void fuzz_grammar(struct fuzz_input *input)
{
	size_t size = database_size(input), way = fuzz_below(input, 16);

	if (size < 512)
		return;
	if (way < 9) {
		by_sql(input, size);
	} else if (way < 12) {
		spoil_page(input, size);
	} else if (way == 12) {
		spoil_header(input, size);
	} else if (size < input->size) {
		if (way == 13)
			input->size = size;
		else
			input->data[size + fuzz_below(input, input->size - size)] ^=
				1 << fuzz_below(input, 8);
	} else if (way == 13) {
		add_journal(input, size);
	} else {
		add_log(input, size);
	}
}
