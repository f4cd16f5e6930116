/* A stable order of rows: natural merge sort, linear where the input is a few sorted runs. */
#ifndef DP_TRACE_SORT_H
#define DP_TRACE_SORT_H

#include "base/base.h"

/* Less than zero where row a comes before row b, 0 where either may. */
struct dp_row_order {
	int (*compare)(const void *ctx, uint32_t a, uint32_t b);
	const void *ctx;
};

/*
 * *order is the caller's: the rows 0 … count - 1 sorted stably, or NULL where they are in order
 * already. Cost: O(count · log runs) comparisons, 8 bytes per row.
 */
int dp_rows__sort(uint32_t **order, size_t count, const struct dp_row_order *by,
		  struct dp_error *error);

/* Puts a column of count elements of size bytes (8 at the most) in order; scratch has count * 8
 * bytes. */
void dp_rows__permute(void *column, size_t size, const uint32_t *order, size_t count,
		      void *scratch);

#endif
