/* Rows stored as columns: one array per member, all with the same capacity. */
#ifndef DP_TRACE_COLUMNS_H
#define DP_TRACE_COLUMNS_H

#include "base/base.h"

#define DP_COLUMNS_MOST 12

struct dp_columns {
	const uint8_t *widths; /* bytes of an element of each column */
	size_t column_count;
	void *data[DP_COLUMNS_MOST];
	size_t count;
	size_t room;
};

void dp_columns__init(struct dp_columns *columns, const uint8_t *widths, size_t column_count);
void dp_columns__fini(struct dp_columns *columns);

/* Appends a row, whose elements are not set. */
int dp_columns__push(struct dp_columns *columns);

/* Puts all rows in order (NULL: they are in order already). */
int dp_columns__permute(struct dp_columns *columns, const uint32_t *order);

/* Removes the rows for which keep returns false; keeps the order of the others. Cost: linear. */
void dp_columns__filter(struct dp_columns *columns,
			bool (*keep)(const struct dp_columns *columns, size_t row, void *ctx),
			void *ctx);

void dp_columns__shrink(struct dp_columns *columns);

/* Subtracts from the times in the first column or, for spans, in the first two. */
void dp_columns__shift(struct dp_columns *columns, int64_t by_ns, bool spans);

/* The elements of a column, and row `row` of it. */
#define DP_COLUMN(columns, type, column) ((type *)(columns)->data[column])
#define DP_CELL(columns, type, column, row) (DP_COLUMN(columns, type, column)[row])

#endif
