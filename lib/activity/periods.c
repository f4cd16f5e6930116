/*
 * A span that covers many whole periods can be stored by its two ends alone: then any number of
 * such spans cost as much as one.
 */
#include "activity/periods.h"
#include "base/search.h"
#include "stats/stat.h"

#include <math.h>

double dp_period__ns(const struct dp_iteration *iterations, size_t count, size_t k)
{
	/* no time passes between starts that the trace does not tell apart */
	return k + 1 < count && !iterations[k].partial && !iterations[k + 1].resumed &&
			       iterations[k + 1].start_ns > iterations[k].start_ns
		       ? (double)(iterations[k + 1].start_ns - iterations[k].start_ns)
		       : (double)NAN;
}

bool dp_period__is_steady(const struct dp_iteration *iterations, size_t count, size_t k)
{
	bool interrupted = k + 1 < count && iterations[k + 1].foreign_kernels;

	return !interrupted && !iterations[k].warmup;
}

double dp_period__steady_ns(const struct dp_iteration *iterations, size_t count, size_t k)
{
	return dp_period__is_steady(iterations, count, k) ? dp_period__ns(iterations, count, k)
							  : (double)NAN;
}

/* Collects the lengths of either the partial iterations or the whole ones. */
static size_t read_lengths(double *lengths_ns, const struct dp_iteration *iterations, size_t count,
			   bool partial)
{
	size_t used = 0;

	for (size_t k = 0; k < count; k++)
		if (iterations[k].partial == partial)
			lengths_ns[used++] =
				(double)(iterations[k].end_ns - iterations[k].start_ns);
	return used;
}

double dp_period__typical_ns(const struct dp_iteration *iterations, size_t count, double *scratch)
{
	double most_ns, sum_ns = 0;
	size_t used = 0;

	for (size_t k = 0; k < count; k++) {
		scratch[used] = dp_period__steady_ns(iterations, count, k);
		used += !isnan(scratch[used]);
	}
	/* nothing shows whether a single one contains an unusual pause */
	if (used < 2)
		used = read_lengths(scratch, iterations, count, false);
	if (!used)
		used = read_lengths(scratch, iterations, count, true);
	most_ns = dp_stat__p95(scratch, used);
	for (size_t k = 0; k < used; k++)
		sum_ns += fmin(scratch[k], most_ns);
	return sum_ns / (double)used;
}

/* The period that contains a time at or after that of `from`, or the number of periods. */
static size_t find(const struct dp_period_sums *sums, size_t from, int64_t time_ns)
{
	size_t low;

	DP_FIND(low, from, sums->count - 1, sums->iterations[low + 1].start_ns > time_ns);
	return low;
}

/* Searches for a period that is neither the current one nor a neighbour. */
bool dp_period_sums__seek_far(struct dp_period_sums *sums, int64_t time_ns)
{
	const struct dp_iteration *at = sums->iterations;

	if (!sums->count || at[0].start_ns > time_ns)
		return false;
	if (sums->at && at[sums->at].start_ns > time_ns)
		sums->at--;
	if (at[sums->at].start_ns > time_ns)
		sums->at = find(sums, 0, time_ns);
	else if (sums->at + 1 < sums->count && at[sums->at + 1].start_ns <= time_ns)
		sums->at++;
	if (sums->at + 1 < sums->count && at[sums->at + 1].start_ns <= time_ns)
		sums->at = find(sums, sums->at, time_ns);
	return sums->at + 1 < sums->count;
}

static void add_far(struct dp_period_sums *sums, int64_t start_ns, int64_t end_ns)
{
	const struct dp_iteration *at = sums->iterations;
	size_t first = sums->at, last = find(sums, first, end_ns);

	sums->row[first] += (double)(at[first + 1].start_ns - start_ns);
	sums->full[first + 1] += 1;
	sums->full[last] -= 1;
	if (last + 1 < sums->count)
		sums->row[last] += (double)(end_ns - at[last].start_ns);
}

void dp_period_sums__add_far(struct dp_period_sums *sums, int64_t start_ns, int64_t end_ns)
{
	const struct dp_iteration *at = sums->iterations;

	if (sums->count < 2 || end_ns <= start_ns)
		return;
	start_ns = DP_MAX(start_ns, at[0].start_ns);
	if (!dp_period_sums__seek(sums, start_ns))
		return;
	if (sums->full && end_ns > at[sums->at + 1].start_ns) {
		add_far(sums, start_ns, end_ns);
		return;
	}
	for (size_t k = sums->at; k + 1 < sums->count && at[k].start_ns < end_ns; k++)
		sums->row[k] += (double)(DP_MIN(end_ns, at[k + 1].start_ns) -
					 DP_MAX(start_ns, at[k].start_ns));
}

void dp_period_sums__finish(struct dp_period_sums *sums)
{
	const struct dp_iteration *at = sums->iterations;
	double covers = 0;

	for (size_t k = 0; k + 1 < sums->count; k++) {
		covers += sums->full[k];
		sums->row[k] += covers * (double)(at[k + 1].start_ns - at[k].start_ns);
	}
}

int dp_curve__reserve(struct dp_curve *curve, size_t room)
{
	curve->time_ns = dp_alloc__array(room, sizeof(*curve->time_ns));
	curve->sum = dp_alloc__array(room, sizeof(*curve->sum));
	return curve->time_ns && curve->sum ? DP_OK : DP_ERR_NOMEM;
}

void dp_curve__add(struct dp_curve *curve, int64_t time_ns, double more)
{
	curve->time_ns[curve->count] = time_ns;
	curve->sum[curve->count] = curve->count ? curve->sum[curve->count - 1] + more : 0;
	curve->count++;
}

void dp_curve__fini(struct dp_curve *curve)
{
	free(curve->time_ns);
	free(curve->sum);
}

/* The cumulative sum at a time inside the curve. */
static double up_to(const struct dp_curve *curve, size_t *at, int64_t time_ns)
{
	int64_t length_ns;

	while (*at + 2 < curve->count && curve->time_ns[*at + 1] <= time_ns)
		++*at;
	length_ns = curve->time_ns[*at + 1] - curve->time_ns[*at];
	if (length_ns <= 0)
		return curve->sum[*at + 1];
	return curve->sum[*at] +
	       (curve->sum[*at + 1] - curve->sum[*at]) *
		       fmin((double)(time_ns - curve->time_ns[*at]) / (double)length_ns, 1);
}

void dp_curve__periods(double *values, const struct dp_curve *curve,
		       const struct dp_iteration *iterations, size_t count)
{
	size_t from = 0, to = 0;

	for (size_t k = 0; k < count && curve->count > 1; k++) {
		int64_t start_ns = iterations[k].start_ns;
		double sum;

		if (!(dp_period__ns(iterations, count, k) > 0) || start_ns < curve->time_ns[0] ||
		    iterations[k + 1].start_ns > curve->time_ns[curve->count - 1])
			continue;
		sum = up_to(curve, &to, iterations[k + 1].start_ns);
		sum -= up_to(curve, &from, start_ns);
		values[k] = isnan(values[k]) ? sum : values[k] + sum;
	}
}
