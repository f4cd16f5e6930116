#include "base/sort.h"

#include <string.h>

/* Sorts by the byte at shift, in one pass. Returns false if all values have the same byte there. */
static bool sort_by_byte(const uint32_t *from, uint32_t *to, size_t count, unsigned shift)
{
	size_t place[256] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		place[from[i] >> shift & 0xff]++;
	if (place[from[0] >> shift & 0xff] == count)
		return false;
	for (size_t b = 0; b < 256; b++) {
		size_t here = place[b];

		place[b] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[place[from[i] >> shift & 0xff]++] = from[i];
	return true;
}

void dp_sort__u32(uint32_t *values, uint32_t *scratch, size_t count)
{
	uint32_t *from = values, *to = scratch;

	if (count < 2)
		return;
	for (unsigned shift = 0; shift < 32; shift += 8) {
		if (sort_by_byte(from, to, count, shift)) {
			uint32_t *swap = from;

			from = to;
			to = swap;
		}
	}
	if (from != values)
		memcpy(values, from, count * sizeof(*values));
}

static int by_i64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static int by_size(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

static int by_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

void dp_sort__i64(int64_t *values, size_t count)
{
	if (count > 1)
		qsort(values, count, sizeof(*values), by_i64);
}

void dp_sort__size(size_t *values, size_t count)
{
	if (count > 1)
		qsort(values, count, sizeof(*values), by_size);
}

void dp_sort__double(double *values, size_t count)
{
	if (count > 1)
		qsort(values, count, sizeof(*values), by_double);
}
