/*
 * A table in CSV whose columns are found by the names in its header: versions of a tool name, order
 * and omit them differently.
 */
#ifndef DP_IMPORT_CSV_TABLE_H
#define DP_IMPORT_CSV_TABLE_H

#include "import/csv_lines.h"

enum { DP_CSV_TABLE_COLUMNS = 16 };

/* Zero it, and set csv. */
struct dp_csv_table {
	struct dp_csv_lines *csv;
	int index[DP_CSV_TABLE_COLUMNS]; /* of the field, or -1 */
	size_t columns;			 /* in the header; 0 above it */
};

/*
 * Reads the row as the header. names has the columns to find, at most DP_CSV_TABLE_COLUMNS; several
 * names of one column are separated by commas. Of equal columns, the first counts.
 */
void dp_csv_table__header(struct dp_csv_table *table, const char *const *names, size_t count);

static inline bool dp_csv_table__has(const struct dp_csv_table *table, size_t column)
{
	return table->index[column] >= 0;
}

/* Returns a field of the row, "" if the table lacks the column. */
struct dp_slice dp_csv_table__cell(const struct dp_csv_table *table, size_t column);

/* Counts the row as one that cannot be used, because of a field. */
void dp_csv_table__bad_cell(struct dp_csv_table *table, size_t column, const char *message);

/* Returns true if the row has as many fields as the header; counts it as a bad row otherwise. */
bool dp_csv_table__check_length(struct dp_csv_table *table);

/*
 * Read a number, *value if the table lacks the column, and the times of an operation. Return false
 * after counting the row as bad.
 */
bool dp_csv_table__number(struct dp_csv_table *table, size_t column, int64_t *value);
bool dp_csv_table__times(struct dp_csv_table *table, size_t start, size_t end, int64_t *start_ns,
			 int64_t *end_ns);

#endif
