/*
 * Order statistics by radix selection on the bits of the doubles (most significant byte first):
 * eight passes at most, whatever the values are, so that no input makes it slow, and no copy.
 */
#include "metric/stat.h"

#include <math.h>
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

/* A double's bits in an order that is the values' order: IEEE 754, negative ones reversed. */
static uint64_t key_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double value_of(uint64_t key)
{
	uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

double dp_stat__select(const double *values, size_t count, size_t rank)
{
	uint64_t prefix = 0, mask = 0;

	for (int shift = 56; shift >= 0; shift -= 8) {
		size_t buckets[256] = { 0 };
		unsigned byte = 0;

		for (size_t i = 0; i < count; i++) {
			uint64_t key = key_of(values[i]);

			buckets[key >> shift & 0xff] += (key & mask) == prefix;
		}
		while (byte < 255 && rank >= buckets[byte])
			rank -= buckets[byte++];
		prefix |= (uint64_t)byte << shift;
		mask |= UINT64_C(0xff) << shift;
	}
	return value_of(prefix);
}

double dp_stat__median(const double *values, size_t count)
{
	if (!count)
		return (double)NAN;
	if (count % 2)
		return dp_stat__select(values, count, count / 2);
	return (dp_stat__select(values, count, count / 2 - 1) +
		dp_stat__select(values, count, count / 2)) /
	       2;
}

double dp_stat__p95(const double *values, size_t count)
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
