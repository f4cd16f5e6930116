/* Sorting of numbers. */
#ifndef DP_BASE_SORT_H
#define DP_BASE_SORT_H

#include "base/base.h"

/*
 * Sorts values upwards, by radix: four passes at the most, one less for each byte in which all are
 * the same. Of short arrays too, costs are linear: 256 steps and count for each pass. scratch has
 * room for count.
 */
void dp_sort__u32(uint32_t *values, uint32_t *scratch, size_t count);

/* Sort a few values upwards, as qsort() does. No double is a NaN. */
void dp_sort__i64(int64_t *values, size_t count);
void dp_sort__size(size_t *values, size_t count);
void dp_sort__double(double *values, size_t count);

#endif
