/* Sorts rows stably: natural merge sort, linear if the input is a few sorted runs. */
#ifndef DP_TRACE_SORT_H
#define DP_TRACE_SORT_H

#include "base/base.h"

/*
 * Rows are sorted by key, those with equal keys by compare: less than zero if row a comes before
 * row b, 0 if either may. One of the two may be NULL.
 */
struct dp_row_order {
	const int64_t *key; /* by row */
	int (*compare)(const void *ctx, uint32_t a, uint32_t b);
	const void *ctx;
};

/*
 * Sets *order to the rows 0 … count - 1 sorted stably, or to NULL if they are in order already; the
 * caller frees it. Cost: O(count · log runs) comparisons, 8 bytes per row.
 */
int dp_rows__sort(uint32_t **order, size_t count, const struct dp_row_order *by,
		  struct dp_error *error);

/* Copies count elements of size bytes in that order. */
void dp_rows__permute(void *to, const void *from, size_t size, const uint32_t *order, size_t count);

#endif
