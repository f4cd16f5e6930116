/* SQLite files written quickly and to the same bytes each time. */
#ifndef SIM_DB_H
#define SIM_DB_H

#include "writer.h"

#include <sqlite3.h>

enum { SIM_DB_STATEMENTS = 24 };

struct sim_db {
	sqlite3 *handle;
	sqlite3_stmt *statements[SIM_DB_STATEMENTS];
};

/* Each returns 0, or -1 with sink->error set. */
int sim_db_open(struct sim_db *db, struct sim_sink *sink, unsigned page_bytes);
int sim_db_run(struct sim_db *db, struct sim_sink *sink, const char *sql);
int sim_db_close(struct sim_db *db, struct sim_sink *sink, bool complete);

/* A column of a row; of a text, NULL is null. */
struct sim_value {
	enum { SIM_INT, SIM_TEXT, SIM_BLOB, SIM_NULL } kind;
	int64_t integer;
	const void *data;
	size_t length;
};

static inline struct sim_value sim_int(int64_t value)
{
	return (struct sim_value){ .kind = SIM_INT, .integer = value };
}

static inline struct sim_value sim_known(bool known, int64_t value)
{
	return known ? sim_int(value) : (struct sim_value){ .kind = SIM_NULL };
}

static inline struct sim_value sim_text(const char *text)
{
	return (struct sim_value){ .kind = text ? SIM_TEXT : SIM_NULL, .data = text };
}

static inline struct sim_value sim_blob(const void *data, size_t length)
{
	return (struct sim_value){ .kind = SIM_BLOB, .data = data, .length = length };
}

#define V(x) _Generic((x), char * : sim_text, const char * : sim_text, default : sim_int)(x)

/*
 * Runs statement number i, which is prepared once, with these values. sink->state begins with its
 * struct sim_db.
 */
#define sim_db_insert(sink, i, sql, ...)                                       \
	sim_db_values(sink, i, sql, (const struct sim_value[]){ __VA_ARGS__ }, \
		      sizeof((const struct sim_value[]){ __VA_ARGS__ }) /      \
			      sizeof(struct sim_value))
int sim_db_values(struct sim_sink *sink, int i, const char *sql, const struct sim_value *values,
		  size_t count);

/* CUPTI's numbers for a copy: of its kind, and of the memory at its source or its destination. */
int64_t sim_copy_kind(const struct sim_event *event);
int64_t sim_memory_kind(const struct sim_event *event, bool source);

#endif
