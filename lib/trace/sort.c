/*
 * Natural merge sort (Knuth, TAOCP 3, 5.2.4, algorithm N) of row numbers. Traces consist of a few
 * sorted runs (one per table or stream), which it merges in O(n log runs).
 */
#include "trace/sort.h"

#include <string.h>

static inline bool is_before(uint32_t a, uint32_t b, const struct dp_row_order *by)
{
	if (by->key && by->key[a] != by->key[b])
		return by->key[a] < by->key[b];
	return by->compare && by->compare(by->ctx, a, b) < 0;
}

static size_t run_end(const uint32_t *rows, size_t from, size_t count,
		      const struct dp_row_order *by)
{
	size_t i = from + 1;

	while (i < count && !is_before(rows[i], rows[i - 1], by))
		i++;
	return DP_MIN(i, count);
}

static void merge(uint32_t *out, const uint32_t *a, size_t na, const uint32_t *b, size_t nb,
		  const struct dp_row_order *by)
{
	size_t i = 0, j = 0;

	while (i < na && j < nb) {
		if (is_before(b[j], a[i], by))
			*out++ = b[j++];
		else
			*out++ = a[i++];
	}
	memcpy(out, a + i, (na - i) * sizeof(*a));
	memcpy(out + (na - i), b + j, (nb - j) * sizeof(*b));
}

/* Merges neighboring runs of from into to; returns how many runs there were. */
static size_t merge_pass(uint32_t *to, const uint32_t *from, size_t count,
			 const struct dp_row_order *by)
{
	size_t runs = 0;

	for (size_t at = 0; at < count;) {
		size_t middle = run_end(from, at, count, by), end = middle;

		runs++;
		if (middle < count) {
			end = run_end(from, middle, count, by);
			runs++;
		}
		merge(to + at, from + at, middle - at, from + middle, end - middle, by);
		at = end;
	}
	return runs;
}

static bool is_sorted(size_t count, const struct dp_row_order *by)
{
	for (size_t i = 1; i < count; i++)
		if (is_before((uint32_t)i, (uint32_t)i - 1, by))
			return false;
	return true;
}

int dp_rows__sort(uint32_t **order, size_t count, const struct dp_row_order *by,
		  struct dp_error *error)
{
	uint32_t *from = NULL, *to = NULL, *swap;

	*order = NULL;
	if (is_sorted(count, by))
		return DP_OK;
	from = dp_alloc__array(count, sizeof(*from));
	to = dp_alloc__array(count, sizeof(*to));
	if (!from || !to) {
		free(from);
		free(to);
		return dp_error__nomem(error, count * sizeof(*from));
	}
	for (size_t i = 0; i < count; i++)
		from[i] = (uint32_t)i;
	while (merge_pass(to, from, count, by) > 1) {
		swap = from;
		from = to;
		to = swap;
	}
	free(from);
	*order = to;
	return DP_OK;
}

void dp_rows__permute(void *to, const void *from, size_t size, const uint32_t *order, size_t count)
{
	const char *old = from;
	char *new = to;

	switch (size) {
	case 8:
		for (size_t i = 0; i < count; i++)
			memcpy(new + i * 8, old + (size_t)order[i] * 8, 8);
		break;
	case 4:
		for (size_t i = 0; i < count; i++)
			memcpy(new + i * 4, old + (size_t)order[i] * 4, 4);
		break;
	case 1:
		for (size_t i = 0; i < count; i++)
			new[i] = old[order[i]];
		break;
	default:
		for (size_t i = 0; i < count; i++)
			memcpy(new + i * size, old + (size_t)order[i] * size, size);
	}
}
