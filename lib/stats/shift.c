/*
 * The interval by which one sample exceeds another: Hodges and Lehmann (1963), by inverting Mann
 * and Whitney's test. Its limits are the k-th smallest and k-th largest of all differences of two
 * values, where k comes from the exact distribution of the test's statistic. For independent values
 * the confidence therefore holds whatever their distribution and however few they are, and no limit
 * exceeds the largest difference of two values.
 *
 * Cost: O((n + m) log(n + m)) for the sort, and 64 passes over n + m values per limit, as the
 * differences of sorted samples form a matrix with sorted rows and columns.
 */
#include "stats/shift.h"

#include <math.h>
#include <string.h>

/* Up to here the distribution is counted; beyond, it is normal to three digits. */
#define COUNTED_MOST 4096

/*
 * Returns the rank of the statistic U below which its values have at most the probability tail:
 * Mann and Whitney's recurrence (1947) as a product of polynomials. The sum is exact to many
 * digits, as the counts begin with 1, 1, 2, 3.
 */
static size_t exact_rank(size_t n, size_t m, double tail)
{
	static const double one = 1;
	double counts[COUNTED_MOST + 1] = { one }, all = 1, below = 0;
	size_t most = n * m, rank = 0;

	for (size_t i = 1; i <= n; i++) {
		for (size_t u = most; u >= m + i; u--)
			counts[u] -= counts[u - m - i];
		for (size_t u = i; u <= most; u++)
			counts[u] += counts[u - i];
		all *= (double)(m + i) / (double)i;
	}
	while (rank < most && below + counts[rank] <= tail * all)
		below += counts[rank++];
	return rank;
}

size_t dp_shift__rank(const struct dp_shift_sample sample[2], double confidence, double deviations)
{
	size_t n = sample[0].count, m = sample[1].count;
	double pairs = (double)n * (double)m, all = (double)n + (double)m, share, rank;

	if (!n || !m)
		return 0;
	if (sample[0].widening <= 1 && sample[1].widening <= 1 && pairs <= COUNTED_MOST)
		return exact_rank(n, m, (1 - confidence) / 2);
	/*
	 * U / nm has the variance (N + 1) / 12nm, slightly above (1/n + 1/m) / 12: each sample adds
	 * its part, widened if its values are correlated.
	 */
	share = sample[0].widening / (double)n + sample[1].widening / (double)m;
	rank = pairs / 2 + 0.5 - deviations * pairs * sqrt(share / 12 * (all + 1) / all);
	/* Dependent values may count as only one or two: then only their range is known. */
	return rank >= 1 ? (size_t)rank : 1;
}

/* Both rise with the second value and fall with the first. */
static double difference(double before, double after)
{
	return after - before;
}

static double ratio(double before, double after)
{
	if (before > 0)
		return after / before;
	return after > 0 ? HUGE_VAL : 1;
}

struct pairs {
	const struct dp_shift_sample *sample;
	double (*of)(double before, double after);
};

/* Counts the pairs whose value is at most a limit. */
static size_t count_up_to(const struct pairs *pairs, double limit)
{
	const struct dp_shift_sample *before = &pairs->sample[0], *after = &pairs->sample[1];
	size_t first = 0, count = 0;

	for (size_t j = 0; j < after->count; j++) {
		while (first < before->count &&
		       !(pairs->of(before->sorted[first], after->sorted[j]) <= limit))
			first++;
		count += before->count - first;
	}
	return count;
}

/* Maps doubles to integers in the same order, and back: neighbors differ by 1. */
static int64_t key_of(double value)
{
	int64_t key;

	memcpy(&key, &value, sizeof(key));
	return key < 0 ? INT64_MIN - key : key;
}

static double value_of(int64_t key)
{
	double value;

	key = key < 0 ? INT64_MIN - key : key;
	memcpy(&value, &key, sizeof(value));
	return value;
}

/* Returns the midpoint of two, rounded down. */
static int64_t between(int64_t low, int64_t high)
{
	return (low >> 1) + (high >> 1) + (low & high & 1);
}

/* Returns the value of a rank: the smallest double that at least this many pairs do not exceed. */
static double select_pair(const struct pairs *pairs, size_t rank)
{
	const struct dp_shift_sample *before = &pairs->sample[0], *after = &pairs->sample[1];
	int64_t low = key_of(pairs->of(before->sorted[before->count - 1], after->sorted[0]));
	int64_t high = key_of(pairs->of(before->sorted[0], after->sorted[after->count - 1]));

	while (low < high) {
		int64_t middle = between(low, high);

		if (count_up_to(pairs, value_of(middle)) >= rank)
			high = middle;
		else
			low = middle + 1;
	}
	return value_of(low);
}

void dp_shift__limits(const struct dp_shift_sample sample[2], size_t rank, double limits[2])
{
	const struct pairs pairs = { sample, difference };

	limits[0] = select_pair(&pairs, rank);
	limits[1] = select_pair(&pairs, sample[0].count * sample[1].count + 1 - rank);
}

void dp_shift__ratios(const struct dp_shift_sample sample[2], size_t rank, double limits[2])
{
	const struct pairs pairs = { sample, ratio };

	limits[0] = select_pair(&pairs, rank);
	limits[1] = select_pair(&pairs, sample[0].count * sample[1].count + 1 - rank);
}
