/*
 * The second half of a run is steady or nothing is. What stands out from it by 5 MAD and 10%, from
 * the first complete iteration on without a break, is warm-up; where that does not end before the
 * half, the periods fall all the time and there is no steady state to speak of.
 *
 * A few periods have no median to stand out from: there a cold first one is told from noise by how
 * far it lies above the longest of all others, half as much again and three times their range.
 * Periods that vary by 10% stay so in all but some of 10,000 runs.
 */
#include "metric/warmup.h"
#include "metric/stat.h"

#include <math.h>

#define FEWEST 5
#define MADS 5
#define SHARE 0.10

#define FEW_LEAST 2
#define FEW_RANGES 3
#define FEW_SHARE 0.5

/* NaN where other kernels run in it, or it has no end that was recorded. */
static double period_ns(const struct dp_iteration *iterations, size_t count, size_t k)
{
	if (k + 1 >= count || iterations[k].partial || iterations[k + 1].foreign_kernels ||
	    iterations[k + 1].resumed)
		return (double)NAN;
	return (double)(iterations[k + 1].start_ns - iterations[k].start_ns);
}

/* What a steady period is at most. */
static double steady_limit(const struct dp_iteration *iterations, size_t count, double *scratch)
{
	size_t used = 0;
	double median, mad;

	for (size_t k = count / 2; k < count; k++) {
		double value = period_ns(iterations, count, k);

		if (!isnan(value))
			scratch[used++] = value;
	}
	if (used < 2)
		return (double)NAN;
	median = dp_stat__median(scratch, used);
	mad = dp_stat__mad(scratch, used);
	return median + DP_MAX(MADS * mad, SHARE * median);
}

/*
 * The first of few is cold; begin is its number. The last iteration has no period: its duration, of
 * which that would be a little more, stands in for it where there is one other alone.
 */
static bool first_is_cold(const struct dp_iteration *iterations, size_t count, size_t begin)
{
	double least = (double)INFINITY, most = 0, value;
	size_t used = 0;

	for (size_t k = begin + 1; k < count; k++) {
		value = period_ns(iterations, count, k);
		if (k + 1 == count && used == 1 && !iterations[k].partial)
			value = (double)(iterations[k].end_ns - iterations[k].start_ns);
		if (isnan(value))
			continue;
		least = fmin(least, value);
		most = fmax(most, value);
		used++;
	}
	return used >= FEW_LEAST &&
	       period_ns(iterations, count, begin) >
		       most + fmax(FEW_RANGES * (most - least), FEW_SHARE * most);
}

int dp_warmup__mark(struct dp_iteration *iterations, size_t count, struct dp_error *error)
{
	double *scratch, limit;
	size_t first = 0, end;

	for (size_t k = 0; k < count; k++)
		iterations[k].warmup = false;
	while (first < count && iterations[first].partial)
		first++;
	if (count < first + FEWEST + 1) {
		if (first < count)
			iterations[first].warmup = first_is_cold(iterations, count, first);
		return DP_OK;
	}
	scratch = dp_alloc__array(count, sizeof(*scratch));
	if (!scratch)
		return dp_error__nomem(error, dp_size__mul(count, sizeof(*scratch)));
	limit = steady_limit(iterations, count, scratch);
	free(scratch);
	for (end = first; end < count / 2; end++)
		if (!(period_ns(iterations, count, end) > limit))
			break;
	for (size_t k = first; k < end && end < count / 2; k++)
		iterations[k].warmup = true;
	return DP_OK;
}
