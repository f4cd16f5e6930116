/*
 * CUPTI's records as databases store them: operations, calls, synchronizations and ranges. An
 * importer lists its tables, each with the function that reads a row and the columns that this
 * function needs, and describes how its format differs.
 */
#ifndef DP_IMPORT_CUPTI_H
#define DP_IMPORT_CUPTI_H

#include "import/cbid.h"
#include "import/database.h"
#include "import/lookup.h"

/* Columns of records. Each kind of record has some of them. */
enum {
	DP_CUPTI_START,
	DP_CUPTI_END, /* or the duration */
	DP_CUPTI_PROCESS,
	DP_CUPTI_DEVICE,
	DP_CUPTI_CONTEXT,
	DP_CUPTI_STREAM,
	DP_CUPTI_CORRELATION,
	DP_CUPTI_NAME,	       /* an id in the table of names */
	DP_CUPTI_SHORT_NAME,   /* of a kernel that lacks the first */
	DP_CUPTI_MANGLED_NAME, /* and of one that lacks both */
	DP_CUPTI_BYTES,
	DP_CUPTI_KIND,
	DP_CUPTI_SOURCE,
	DP_CUPTI_TARGET, /* of copies and memsets: the kind of memory written */
	DP_CUPTI_THREAD,
	DP_CUPTI_TEXT, /* a range's name itself instead of its id */
	DP_CUPTI_OWN   /* the format's own columns start here */
};

struct dp_cupti;

/* read returns DP_OK, 1 to end the scan, or a status. Columns without names are absent. */
struct dp_cupti_table {
	const char *name;
	int (*read)(struct dp_cupti *cupti, struct dp_rows *rows);
	struct dp_column columns[DP_ROWS_COLUMNS_MAX];
};

struct dp_cupti_format {
	const char *names, *id, *text; /* the table of names and its columns */
	bool has_durations;	       /* NULL if still running at the end */
	bool memory_from_0; /* kinds of memory and of allocation are counted from 0, as nsys does */
	/* The process of a row as a pid; its thread in the builder, or DP_NONE. */
	int64_t (*pid)(const struct dp_cupti *cupti, struct dp_rows *rows);
	int (*thread)(struct dp_cupti *cupti, struct dp_rows *rows, uint32_t *thread);
	/* Returns the name of a call, DP_NONE on failure. */
	uint32_t (*call_name)(struct dp_cupti *cupti, struct dp_rows *rows);
	/* Called for each operation; may be NULL. Returns a status. */
	int (*operation)(struct dp_cupti *cupti, struct dp_rows *rows, const struct dp_op *op);
};

/* An import; the first member of each importer's own struct. */
struct dp_cupti {
	const struct dp_import *import;
	const struct dp_cupti_format *format;
	struct dp_database *database;
	struct dp_names *names;
	struct dp_places places;
	struct dp_gpus gpus;
	struct dp_lookup calls; /* from domain and cbid to the name's string */
	struct dp_lookup nvtx_domains; /* from pid and number to an enum dp_range_kind */
	struct dp_lookup plain_names;  /* from XLA's encoded names to plain ones */
};

/* Opens the database. Call dp_cupti__close() even if this fails; it passes status on. */
int dp_cupti__open(struct dp_cupti *cupti, const struct dp_import *import,
		   const struct dp_cupti_format *format);
int dp_cupti__close(struct dp_cupti *cupti, int status);

/* Reads a table by its name in the file; NULL means that the file lacks the table. */
int dp_cupti__scan_as(struct dp_cupti *cupti, const struct dp_cupti_table *table, const char *name);

/* Reads tables in order; the last entry has no name. */
int dp_cupti__scan(struct dp_cupti *cupti, const struct dp_cupti_table *tables);

/* Adds the rows of all these tables to the total for progress. */
void dp_cupti__expect(struct dp_cupti *cupti, const struct dp_cupti_table *tables);

int dp_cupti__read_kernel(struct dp_cupti *cupti, struct dp_rows *rows);
int dp_cupti__read_copy(struct dp_cupti *cupti, struct dp_rows *rows);
int dp_cupti__read_set(struct dp_cupti *cupti, struct dp_rows *rows);
int dp_cupti__read_graph(struct dp_cupti *cupti, struct dp_rows *rows); /* NAME is its id */
int dp_cupti__read_call(struct dp_cupti *cupti, struct dp_rows *rows);
int dp_cupti__read_sync(struct dp_cupti *cupti, struct dp_rows *rows);

/* START is the time, KIND allocated or released, TARGET the kind of memory. */
int dp_cupti__read_memory(struct dp_cupti *cupti, struct dp_rows *rows);

/* These do not add the record. They return 1, 0 if the row cannot be used, or a status. */
int dp_cupti__get_sync(struct dp_cupti *cupti, struct dp_rows *rows, struct dp_sync *sync);
int dp_cupti__get_range(struct dp_cupti *cupti, struct dp_rows *rows, struct dp_range *range);

/* Returns the name of a range or a domain: TEXT, or else that with the id NAME. DP_NONE on failure.
 */
uint32_t dp_cupti__range_name(struct dp_cupti *cupti, struct dp_rows *rows);

/*
 * Returns the plain name of a range if XLA named it (xla_name.h), else the same name. Names are
 * strings of the builder. Returns DP_NONE on failure, and for DP_NONE.
 */
uint32_t dp_cupti__plain_name(struct dp_cupti *cupti, uint32_t name);

/*
 * NVTX domains. Ranges in those of libraries (NCCL, cuBLAS) are calls of a function, as operators
 * of frameworks are; those in other domains, and in none, are the program's annotations.
 * Notes the name of a domain, a string of the builder, by its number in a process. Errors:
 * DP_ERR_NOMEM.
 */
int dp_cupti__note_domain(struct dp_cupti *cupti, int64_t pid, int64_t domain, uint32_t name);

/* Returns the kind of the ranges in a domain that was noted, or DP_RANGE_NVTX. */
enum dp_range_kind dp_cupti__range_kind(const struct dp_cupti *cupti, int64_t pid, int64_t domain);

/* Sets *kind to that of the ranges in a domain that has its number in the table of names. */
int dp_cupti__named_domain(struct dp_cupti *cupti, int64_t domain, enum dp_range_kind *kind);

/* Names a copy by its kind and adds it. */
int dp_cupti__add_copy(struct dp_cupti *cupti, struct dp_op *op);

/* Returns false if the row has no valid time. If the duration is unknown, end_ns is start_ns. */
bool dp_cupti__times(const struct dp_cupti *cupti, struct dp_rows *rows, int64_t *start_ns,
		     int64_t *end_ns);

/* Returns CUPTI's name of a function, unless the file gave it another name (in calls). */
uint32_t dp_cupti__call_name(struct dp_cupti *cupti, int64_t domain, int64_t cbid);

/* Sets *string to the column's text, or to DP_NONE if it is empty. Returns a status. */
int dp_cupti__string(struct dp_cupti *cupti, struct dp_rows *rows, size_t column, uint32_t *string);

static inline int dp_cupti__failed(const struct dp_cupti *cupti)
{
	return cupti->import->error->status;
}

static inline int dp_cupti__nomem(const struct dp_cupti *cupti)
{
	return dp_error__nomem(cupti->import->error, 0);
}

#endif
