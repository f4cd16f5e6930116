/*
 * Warm-up is a prefix: few iterations that exceed the second half of the run by 5 MAD and 10%,
 * after which periods are those of the second half. If periods continue to fall, that is a trend:
 * iterations with less and less work.
 *
 * In a trend, and among a few periods, which have no reliable median, cold first iterations are
 * distinguished by how far they exceed the longest of the next ones: by half of it and three times
 * their range. Of runs whose periods vary by 10%, all but some of 10,000 stay without warm-up.
 */
#include "activity/warmup.h"
#include "activity/periods.h"
#include "stats/stat.h"

#include <math.h>

#define FEWEST 5
#define MADS 5
#define SHARE 0.10
#define MOST_LEAST 5	/* iterations that may be warm-up, but no more than a … */
#define MOST_PART 4	/* … quarter of all; … */
#define MOST_SHARE 0.05 /* … of many this share */
#define LEVEL 1.25	/* times the second half's: what comes after warm-up is not more */

#define FEW_LEAST 2
#define FEW_MOST 16 /* periods that a cold one is compared with */
#define FEW_RANGES 3
#define FEW_SHARE 0.5

/* Collects the existing periods of [from, to) in values; returns their number. */
static size_t gather(double *values, const struct dp_iteration *iterations, size_t count,
		     size_t from, size_t to)
{
	size_t used = 0;

	for (size_t k = from; k < to; k++) {
		double value = dp_period__steady_ns(iterations, count, k);

		if (!isnan(value))
			values[used++] = value;
	}
	return used;
}

/*
 * The end of the iterations from first on that are slower than the second half of the run; first if
 * there are none, or if what follows them is not steady.
 */
static size_t slow_prefix(const struct dp_iteration *iterations, size_t count, size_t first,
			  double *scratch)
{
	size_t most =
		DP_MAX(DP_MIN(MOST_LEAST, count / MOST_PART), (size_t)(MOST_SHARE * (double)count));
	size_t used = gather(scratch, iterations, count, count / 2, count), end = first;
	double median, mad, limit;

	if (used < 2)
		return first;
	median = dp_stat__median(scratch, used);
	mad = dp_stat__mad(scratch, used);
	limit = median + DP_MAX(MADS * mad, SHARE * median);
	while (end < count / 2 && dp_period__steady_ns(iterations, count, end) > limit)
		end++;
	used = gather(scratch, iterations, count, end, count / 2);
	if (end - first > most || !used || dp_stat__median(scratch, used) > LEVEL * median)
		return first;
	return end;
}

/*
 * The longest period that does not count as cold next to those from begin on. The last iteration
 * has no period; if there is only one other, its duration, which is slightly shorter, stands in for
 * it. Infinite if there are too few.
 */
static double cold_limit(const struct dp_iteration *iterations, size_t count, size_t begin)
{
	double least = (double)INFINITY, most = 0, value;
	size_t used = 0;

	for (size_t k = begin; k < count && used < FEW_MOST; k++) {
		value = dp_period__steady_ns(iterations, count, k);
		if (k + 1 == count && used == 1 && !iterations[k].partial)
			value = (double)(iterations[k].end_ns - iterations[k].start_ns);
		if (isnan(value))
			continue;
		least = fmin(least, value);
		most = fmax(most, value);
		used++;
	}
	return used < FEW_LEAST ? (double)INFINITY
				: most + fmax(FEW_RANGES * (most - least), FEW_SHARE * most);
}

/* The end of the cold iterations from first on; first if there are none. */
static size_t cold_prefix(const struct dp_iteration *iterations, size_t count, size_t first)
{
	size_t last = first + DP_MAX(DP_MIN(MOST_LEAST, count / MOST_PART), 1);
	double least = (double)INFINITY;

	for (size_t end = first; end < DP_MIN(last, count);) {
		double value = dp_period__steady_ns(iterations, count, end++);

		if (isnan(value))
			break;
		least = fmin(least, value);
		if (least > cold_limit(iterations, count, end))
			return end;
	}
	return first;
}

int dp_warmup__mark(struct dp_iteration *iterations, size_t count, struct dp_error *error)
{
	double *scratch;
	size_t first = 0, end;

	for (size_t k = 0; k < count; k++)
		iterations[k].warmup = false;
	while (first < count && iterations[first].partial)
		first++;
	end = first;
	if (count >= first + FEWEST + 1) {
		scratch = dp_alloc__array(count, sizeof(*scratch));
		if (!scratch)
			return dp_error__nomem(error, dp_size__mul(count, sizeof(*scratch)));
		end = slow_prefix(iterations, count, first, scratch);
		free(scratch);
	}
	if (end == first)
		end = cold_prefix(iterations, count, first);
	for (size_t k = first; k < end; k++)
		iterations[k].warmup = true;
	return DP_OK;
}
