/*
 * Order statistics by radix selection on the bits of the doubles, in place: eight bits at a time,
 * from the highest bit in which the remaining values differ. This takes at most eight passes for
 * any values, so no input makes it slow.
 */
#include "stats/stat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double dp_stat__mean(const double *values, size_t count)
{
	double sum = 0, lost = 0;

	/* Kahan's sum: the mean of 10^8 values is as exact as that of ten. */
	for (size_t i = 0; i < count; i++) {
		double add = values[i] - lost, next = sum + add;

		lost = (next - sum) - add;
		sum = next;
	}
	return count ? sum / (double)count : (double)NAN;
}

double dp_stat__min(const double *values, size_t count)
{
	double least = count ? values[0] : (double)NAN;

	for (size_t i = 1; i < count; i++)
		least = DP_MIN(least, values[i]);
	return least;
}

double dp_stat__max(const double *values, size_t count)
{
	double most = count ? values[0] : (double)NAN;

	for (size_t i = 1; i < count; i++)
		most = DP_MAX(most, values[i]);
	return most;
}

size_t dp_stat__block(size_t point, size_t points, size_t count)
{
	return (size_t)((double)count * (double)point / (double)points);
}

size_t dp_stat__shorten(double *points, size_t most, const double *values, size_t count)
{
	size_t n = DP_MIN(count, most);

	for (size_t i = 0; i < n; i++) {
		size_t from = dp_stat__block(i, n, count), to = dp_stat__block(i + 1, n, count);

		points[i] = dp_stat__mean(values + from, DP_MAX(to, from + 1) - from);
	}
	return n;
}

/* Maps a double's bits to the order of the values: IEEE 754, with negative ones reversed. */
static uint64_t key_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* Moves the values with this byte to the front; returns how many there are. */
static size_t keep(double *values, size_t count, int shift, unsigned byte)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		double value = values[i];

		if ((key_of(value) >> shift & 0xff) != byte)
			continue;
		values[i] = values[kept];
		values[kept++] = value;
	}
	return kept;
}

/* Returns where the eight bits end that begin with the highest differing bit; -1: none differs. */
static int differing_byte(const double *values, size_t count)
{
	uint64_t first = key_of(values[0]), differ = 0;
	int highest = 63;

	for (size_t i = 1; i < count; i++)
		differ |= key_of(values[i]) ^ first;
	if (!differ)
		return -1;
	while (!(differ >> highest))
		highest--;
	return DP_MAX(highest - 7, 0);
}

double dp_stat__select(double *values, size_t count, size_t rank)
{
	int shift;

	while (count > 1 && (shift = differing_byte(values, count)) >= 0) {
		size_t buckets[256] = { 0 };
		unsigned byte = 0;

		for (size_t i = 0; i < count; i++)
			buckets[key_of(values[i]) >> shift & 0xff]++;
		while (rank >= buckets[byte])
			rank -= buckets[byte++];
		if (buckets[byte] < count)
			count = keep(values, count, shift, byte);
	}
	return values[0];
}

static int largest_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

size_t dp_stat__holders(double *values, size_t count, double share)
{
	double sum = 0, held = 0;
	size_t holders = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	qsort(values, count, sizeof(*values), largest_first);
	while (holders < count && held < share * sum)
		held += values[holders++];
	return holders;
}

double dp_stat__median(double *values, size_t count)
{
	if (!count)
		return (double)NAN;
	if (count % 2)
		return dp_stat__select(values, count, count / 2);
	return (dp_stat__select(values, count, count / 2 - 1) +
		dp_stat__select(values, count, count / 2)) /
	       2;
}

double dp_stat__p95(double *values, size_t count)
{
	return count ? dp_stat__select(values, count, count - 1 - count / 20) : (double)NAN;
}

double dp_stat__mad(double *values, size_t count)
{
	double median = dp_stat__median(values, count);

	for (size_t i = 0; i < count; i++)
		values[i] = fabs(values[i] - median);
	return dp_stat__median(values, count);
}
