/*
 * Dense names: by a table over all values where they are small (they usually are numbers of
 * names already), else by radix sort and binary search.
 */
#include "suffix/symbols.h"
#include "base/search.h"
#include "base/sort.h"

#include <string.h>

/* Values up to here get a table, whatever the length of the text. */
#define SMALL_VALUE 0x10000

static uint32_t largest(const uint32_t *text, size_t count)
{
	uint32_t max = 0;

	for (size_t i = 0; i < count; i++)
		max = DP_MAX(max, text[i]);
	return max;
}

static bool fits_table(uint32_t max, size_t count)
{
	return max < SMALL_VALUE || max < count;
}

static int collect_by_table(struct dp_symbols *symbols, const uint32_t *text, size_t count,
			    uint32_t max)
{
	size_t room = (size_t)max + 1, distinct = 0;
	uint8_t *seen = dp_alloc__zeroed(room, sizeof(*seen));
	int status = DP_ERR_NOMEM;

	if (!seen)
		goto out;
	for (size_t i = 0; i < count; i++)
		seen[text[i]] = 1;
	for (size_t i = 0; i < room; i++)
		distinct += seen[i];
	symbols->values = dp_alloc__array(distinct, sizeof(*symbols->values));
	if (!symbols->values)
		goto out;
	for (size_t i = 0; i < room; i++)
		if (seen[i])
			symbols->values[symbols->count++] = (uint32_t)i;
	status = DP_OK;
out:
	free(seen);
	return status;
}

static int collect_by_sort(struct dp_symbols *symbols, const uint32_t *text, size_t count)
{
	uint32_t *values = symbols->values = dp_alloc__array(count, sizeof(*values));
	uint32_t *other = dp_alloc__array(count, sizeof(*other));
	size_t room = count;

	if (!values || !other) {
		free(other);
		return DP_ERR_NOMEM;
	}
	memcpy(values, text, count * sizeof(*values));
	dp_sort__u32(values, other, count);
	free(other);
	for (size_t i = 0; i < count; i++)
		if (!i || values[i] != values[i - 1])
			values[symbols->count++] = values[i];
	dp_array__shrink(&symbols->values, &room, symbols->count, sizeof(*values));
	return DP_OK;
}

int dp_symbols__init(struct dp_symbols *symbols, const uint32_t *text, size_t count)
{
	uint32_t max = largest(text, count);

	*symbols = (struct dp_symbols){ NULL, 0 };
	if (!count)
		return DP_OK;
	if (fits_table(max, count))
		return collect_by_table(symbols, text, count, max);
	return collect_by_sort(symbols, text, count);
}

void dp_symbols__fini(struct dp_symbols *symbols)
{
	free(symbols->values);
	*symbols = (struct dp_symbols){ NULL, 0 };
}

size_t dp_symbols__find(const struct dp_symbols *symbols, uint32_t value)
{
	size_t at;

	DP_FIND(at, 0, symbols->count, symbols->values[at] >= value);
	return at < symbols->count && symbols->values[at] == value ? at : SIZE_MAX;
}

static inline void put_name(void *out, bool narrow, size_t i, size_t name)
{
	if (narrow)
		((uint16_t *)out)[i] = (uint16_t)name;
	else
		((uint32_t *)out)[i] = (uint32_t)name;
}

int dp_symbols__rename(const struct dp_symbols *symbols, const uint32_t *text, size_t count,
		       void *out, bool narrow)
{
	uint32_t *table, max;

	if (!count)
		return DP_OK;
	max = symbols->values[symbols->count - 1];
	if (!fits_table(max, count)) {
		for (size_t i = 0; i < count; i++)
			put_name(out, narrow, i, dp_symbols__find(symbols, text[i]));
		return DP_OK;
	}
	table = dp_alloc__array((size_t)max + 1, sizeof(*table));
	if (!table)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < symbols->count; i++)
		table[symbols->values[i]] = (uint32_t)i;
	for (size_t i = 0; i < count; i++)
		put_name(out, narrow, i, table[text[i]]);
	free(table);
	return DP_OK;
}
