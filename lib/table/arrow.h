/*
 * Rows of structs as Arrow arrays. The rows of a batch are at equal distances in memory, and a
 * column gives the place of its value in a row. Source: the Arrow C data interface.
 */
#ifndef DP_TABLE_ARROW_H
#define DP_TABLE_ARROW_H

#include "base/base.h"
#include <deepprof/table.h>

/* The type of a value in a row, and of its column. */
enum dp_cell {
	DP_CELL_INT64, /* or a size_t: int64 */
	DP_CELL_ID,    /* int64; below 0: null */
	DP_CELL_UINT32,
	DP_CELL_BOOL,	/* bool */
	DP_CELL_DOUBLE, /* float64; NaN: null */
	DP_CELL_TEXT,	/* const char *: text; NULL: null */
	DP_CELL_NAME,	/* uint32_t, of a string of the trace: a dictionary; DP_NONE: null */
};

/* A field of the schema. Strings are static. */
struct dp_field {
	const char *name;
	enum dp_cell cell;
	size_t offset;	  /* in a row; unused for a column with a place of its own */
	const char *unit; /* "ns"; NULL: none */
	const char *help;
};

/* The place of a column's values: at, at + stride, … A stride of 0 repeats one value. */
struct dp_arrow_column {
	const void *at;
	size_t stride;
	bool stays; /* valid as long as the analysis */
};

/* Writes the schema of a table: a struct with these fields. Errors: DP_ERR_NOMEM. */
int dp_arrow__schema(struct ArrowSchema *out, const struct dp_field *fields, size_t count);

/*
 * Writes a batch of rows: columns[i] is the place of fields[i]. A column that stays valid and has
 * Arrow's layout is borrowed, and the array holds the analysis; others are copied. The names of
 * DP_CELL_NAME are those of the analysis's trace; without such columns analysis may be NULL.
 * Errors: DP_ERR_NOMEM: nothing is written then. Cost: linear in rows times fields.
 */
int dp_arrow__batch(struct ArrowArray *out, const struct dp_field *fields,
		    const struct dp_arrow_column *columns, size_t count, size_t rows, bool nan,
		    const struct dp_analysis *analysis);

#endif
