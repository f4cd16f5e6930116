/* Columns that grow together. */
#include "trace/columns.h"
#include "trace/sort.h"

#include <string.h>

void dp_columns__init(struct dp_columns *columns, const uint8_t *widths, size_t column_count)
{
	memset(columns, 0, sizeof(*columns));
	columns->widths = widths;
	columns->column_count = column_count;
}

void dp_columns__fini(struct dp_columns *columns)
{
	for (size_t i = 0; i < columns->column_count; i++)
		free(columns->data[i]);
	dp_columns__init(columns, columns->widths, columns->column_count);
}

static int grow(struct dp_columns *columns)
{
	size_t room = columns->room;
	int status;

	for (size_t i = 0; i < columns->column_count; i++) {
		room = columns->room;
		status = dp_array__reserve(&columns->data[i], &room, columns->count + 1,
					   columns->widths[i]);
		if (status)
			return status;
	}
	columns->room = room;
	return DP_OK;
}

int dp_columns__push(struct dp_columns *columns)
{
	/* Row numbers have 32 bits, and DP_NONE is not a row. */
	if (columns->count >= DP_NONE)
		return DP_ERR_LIMIT;
	if (columns->count == columns->room) {
		int status = grow(columns);

		if (status)
			return status;
	}
	columns->count++;
	return DP_OK;
}

int dp_columns__permute(struct dp_columns *columns, const uint32_t *order)
{
	size_t widest = 8;
	void *scratch, *old;

	if (!order)
		return DP_OK;
	scratch = dp_alloc__array(columns->count, widest);
	if (!scratch)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < columns->column_count; i++) {
		size_t width = columns->widths[i];

		old = columns->data[i];
		dp_rows__permute(scratch, old, width, order, columns->count);
		if (width == widest) {
			columns->data[i] = scratch;
			scratch = old;
		} else {
			memcpy(old, scratch, columns->count * width);
		}
	}
	free(scratch);
	return DP_OK;
}

static void move_row(struct dp_columns *columns, size_t to, size_t from)
{
	for (size_t i = 0; i < columns->column_count; i++) {
		char *column = columns->data[i];
		size_t width = columns->widths[i];

		memcpy(column + to * width, column + from * width, width);
	}
}

void dp_columns__filter(struct dp_columns *columns,
			bool (*keep)(const struct dp_columns *columns, size_t row, void *ctx),
			void *ctx)
{
	size_t kept = 0;

	for (size_t i = 0; i < columns->count; i++) {
		if (!keep(columns, i, ctx))
			continue;
		if (kept < i)
			move_row(columns, kept, i);
		kept++;
	}
	columns->count = kept;
}

void dp_columns__shrink(struct dp_columns *columns)
{
	size_t room;

	for (size_t i = 0; i < columns->column_count; i++) {
		room = columns->room;
		dp_array__shrink(&columns->data[i], &room, columns->count, columns->widths[i]);
	}
	columns->room = columns->count;
}

void dp_columns__shift(struct dp_columns *columns, int64_t by_ns, bool spans)
{
	for (size_t i = 0; i < columns->count; i++) {
		DP_CELL(columns, int64_t, 0, i) -= by_ns;
		if (spans)
			DP_CELL(columns, int64_t, 1, i) -= by_ns;
	}
}
