/* Sorts numbers. */
#ifndef DP_BASE_SORT_H
#define DP_BASE_SORT_H

#include "base/base.h"

/*
 * Sorts values in ascending order by radix: at most four passes, one less for each byte that all
 * have in common. Costs are linear for short arrays too: 256 steps and count for each pass. scratch
 * has room for count.
 */
void dp_sort__u32(uint32_t *values, uint32_t *scratch, size_t count);

/* Sort a few values in ascending order, as qsort() does. No double may be NaN. */
void dp_sort__i64(int64_t *values, size_t count);
void dp_sort__size(size_t *values, size_t count);
void dp_sort__double(double *values, size_t count);

#endif
