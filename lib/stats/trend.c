/*
 * Mann, Nonparametric tests against trend (Econometrica 13, 1945); Kendall, Rank correlation
 * methods (1948); Sen, Estimates of the regression coefficient based on Kendall's tau (JASA 63,
 * 1968). Both are quadratic, so they get at most POINTS values: means of blocks.
 */
#include "stats/trend.h"
#include "base/sort.h"
#include "stats/stat.h"

#include <math.h>

#define POINTS 96
#define FEWEST 8

#define OUTLIER_MADS 5
#define OUTLIER_SHARE 0.10
#define GROUPS_RATIO 1.5
#define GROUP_SPREAD 1.25

bool dp_trend__init(struct dp_trend *trend, const double *values, size_t count)
{
	double points[POINTS], slopes[POINTS * (POINTS - 1) / 2], score = 0, variance, z;
	size_t n = dp_stat__shorten(points, POINTS, values, count), used = 0;

	if (count < FEWEST)
		return false;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			score += (points[j] > points[i]) - (points[j] < points[i]);
			slopes[used++] = (points[j] - points[i]) / (double)(j - i);
		}
	variance = (double)n * (double)(n - 1) * (double)(2 * n + 5) / 18;
	z = fabs(score) > 1 ? (fabs(score) - 1) / sqrt(variance) : 0;
	trend->p = erfc(z / sqrt(2));
	trend->slope = dp_stat__median(slopes, used) * (double)n / (double)count;
	trend->median = dp_stat__median(points, n);
	return true;
}

/* Returns a limit between distant groups; the lower is compact and at least half of all. */
static double between_groups(double *values, size_t count)
{
	double limit = (double)NAN, widest = GROUPS_RATIO;

	dp_sort__double(values, count);
	for (size_t i = (count + 1) / 2; i < count; i++) {
		double low = values[i - 1], ratio = values[i] / low;

		if (!(low > 0) || low > GROUP_SPREAD * values[0] || !(ratio > widest))
			continue;
		widest = ratio;
		limit = (low + values[i]) / 2;
	}
	return limit;
}

double dp_outlier__limit(double *values, size_t count)
{
	double median, most, mad, limit, between;

	if (count < 4)
		return (double)NAN;
	between = between_groups(values, count);
	most = values[count - 1];
	median = dp_stat__median(values, count);
	mad = dp_stat__mad(values, count);
	limit = median + DP_MAX(OUTLIER_MADS * mad, OUTLIER_SHARE * fabs(median));
	return most <= limit && !isnan(between) ? between : limit;
}
