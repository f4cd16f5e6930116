/*
 * Pettitt, A non-parametric approach to the change-point problem (Applied Statistics 28, 1979): the
 * two-sided cumulative sum of ranks, which a few outliers do not change. A trend bends that sum as
 * well: a step must fit the values better than a line does. Both the place where the sum is
 * farthest below its mean and the one above are tried: a small change of many values may hide a
 * large one of few.
 */
#include "stats/change.h"
#include "base/search.h"
#include "base/sort.h"
#include "stats/stat.h"

#include <math.h>
#include <string.h>

#define POINTS 512
#define FEWEST 10
#define FEWEST_PER_SIDE 4
#define CHANCE 0.001
#define ANY_CHANCE 2 /* more than any p-value */

/* Of the rise of a series with a jump, the largest share that is not the jump. */
#define REST_SHARE 0.25

/* Returns twice the rank of a value in sorted, from 1; equal values share their mean rank. */
static double rank_of(const double *sorted, size_t n, double value)
{
	size_t below, upto;

	DP_FIND(below, 0, n, sorted[below] >= value);
	DP_FIND(upto, below, n, sorted[upto] > value);
	return (double)(below + 1 + upto);
}

/*
 * Finds where the sum of ranks is farthest below its mean without a change, and farthest above:
 * what a step up and a step down would do. Returns in far how far.
 */
static void farthest(size_t at[2], double far[2], const double *points, size_t n)
{
	double sorted[POINTS], sum = 0;

	memcpy(sorted, points, n * sizeof(*points));
	dp_sort__double(sorted, n);
	at[0] = at[1] = 0;
	far[0] = far[1] = 0;
	for (size_t i = 0; i + 1 < n; i++) {
		bool down;

		sum += rank_of(sorted, n, points[i]) - (double)(n + 1);
		down = sum > 0;
		if (!(fabs(sum) > far[down]))
			continue;
		far[down] = fabs(sum);
		at[down] = i + 1;
	}
}

static double median_of(const double *points, size_t n)
{
	double copy[POINTS];

	memcpy(copy, points, n * sizeof(*points));
	return dp_stat__median(copy, n);
}

/* Returns the sum of the points' distances from a level. */
static double around(const double *points, size_t n, double level)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fabs(points[i] - level);
	return sum;
}

/* Returns the sum of their distances from the least-squares line. */
static double around_line(const double *points, size_t n)
{
	double middle = (double)(n - 1) / 2, mean = dp_stat__mean(points, n);
	double xy = 0, xx = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		xy += ((double)i - middle) * (points[i] - mean);
		xx += ((double)i - middle) * ((double)i - middle);
	}
	for (size_t i = 0; i < n; i++)
		sum += fabs(points[i] - mean - xy / xx * ((double)i - middle));
	return sum;
}

/* The p-value of a sum of ranks that is so far from its mean. */
static double p_of(double far, size_t n)
{
	double cube = (double)n * (double)n * (double)n;

	return fmin(1, 2 * exp(-6 * far * far / (cube + (double)n * (double)n)));
}

/*
 * Finds the step in a series that is not too long: of one up and one down, if their p-values are
 * less than that given, the one that fits better, if it fits better than a line. Returns the first
 * point of the new level; 0 if there is none.
 */
static size_t find_step(struct dp_change *change, const double *points, size_t n, double chance)
{
	double least = around_line(points, n), far[2];
	size_t at[2], best = 0;

	farthest(at, far, points, n);
	for (int down = 0; down < 2; down++) {
		double before, after, distance, p = p_of(far[down], n);

		if (at[down] < FEWEST_PER_SIDE || n - at[down] < FEWEST_PER_SIDE || !(p < chance))
			continue;
		before = median_of(points, at[down]);
		after = median_of(points + at[down], n - at[down]);
		distance = around(points, at[down], before) +
			   around(points + at[down], n - at[down], after);
		if (!(distance < least))
			continue;
		least = distance;
		best = at[down];
		change->before = before;
		change->after = after;
		change->p = p;
	}
	return best;
}

/*
 * Returns the first value of the new level, which blocks only show roughly: of the places in the
 * blocks around it, the one with most values on the right side of the middle between both levels.
 */
static size_t refine(const struct dp_change *change, const double *values, size_t from, size_t end)
{
	double middle = (change->before + change->after) / 2;
	bool up = change->after > change->before;
	size_t best = from;
	long score = 0, most = 0;

	for (size_t i = from; i < end; i++) {
		score += (values[i] > middle) == up ? -1 : 1;
		if (score > most) {
			most = score;
			best = i + 1;
		}
	}
	return best;
}

bool dp_change__find(struct dp_change *change, const double *values, size_t count)
{
	double points[POINTS];
	size_t n, at;

	if (count < FEWEST)
		return false;
	n = dp_stat__shorten(points, POINTS, values, count);
	at = find_step(change, points, n, CHANCE);
	if (!at)
		return false;
	change->at = n == count ? at
				: refine(change, values, dp_stat__block(at - 1, n, count),
					 dp_stat__block(at + 1, n, count));
	return true;
}

/* By how much a line through the halves' medians rises. */
static double rise_of(const double *points, size_t n)
{
	return 2 * (median_of(points + n / 2, n - n / 2) - median_of(points, (n + 1) / 2));
}

bool dp_change__is_jump(const double *values, size_t count)
{
	struct dp_change change;
	double points[POINTS], step, rest;
	size_t n = dp_stat__shorten(points, POINTS, values, count);
	size_t at = n < 2 * FEWEST_PER_SIDE ? 0 : find_step(&change, points, n, ANY_CHANCE);

	if (!at)
		return false;
	step = change.after - change.before;
	rest = rise_of(points, at) + rise_of(points + at, n - at);
	return rest / step < REST_SHARE / (1 - REST_SHARE);
}
