/* Periods of two kinds of iterations: no iteration has their median. */
#include "report/text.h"

#include <math.h>
#include <stdlib.h>

/* An iteration has the median if its period differs by a smaller share. */
#define NEAR 0.10
/* Periods make a group if all but this share of them differ from their median by a smaller share.
 */
#define LIKE 0.25
#define UNLIKE_MOST 0.25

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Returns true for the period of an iteration of the steady state; sets *value to it. */
static bool steady_period(double *value, const struct dp_render *render, size_t loop, size_t k)
{
	size_t metric;

	dp_text__find_metric("period_ns", &metric);
	*value = dp_analysis_loop_metric(render->analysis, loop, metric, k);
	return isfinite(*value) && dp_analysis_loop_is_steady(render->analysis, loop, k);
}

size_t dp_text__period_count(const struct dp_render *render, size_t loop)
{
	size_t iterations = dp_analysis_loop(render->analysis, loop)->iterations, count = 0;
	double value;

	for (size_t k = 0; k < iterations; k++)
		count += steady_period(&value, render, loop, k);
	return count;
}

const char *dp_text__period_name(const struct dp_render *render, size_t loop)
{
	return dp_text__period_count(render, loop) == 1 ? "one period of" : "median period";
}

/* The steady periods, sorted. NULL if memory runs out. */
static double *gather(struct dp_render *render, size_t loop, size_t *count)
{
	size_t iterations = dp_analysis_loop(render->analysis, loop)->iterations;
	double *values = dp_alloc__array(iterations, sizeof(*values)), value;

	*count = 0;
	if (!values) {
		render->status = dp_error__nomem(render->error, iterations);
		return NULL;
	}
	for (size_t k = 0; k < iterations; k++)
		if (steady_period(&value, render, loop, k))
			values[(*count)++] = value;
	if (*count)
		qsort(values, *count, sizeof(*values), ascending);
	return values;
}

static double mean_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

/* Returns true if sorted periods are so much alike that their mean describes them. */
static bool is_group(const double *values, size_t count)
{
	double median = (values[(count - 1) / 2] + values[count / 2]) / 2;
	size_t others = 0;

	for (size_t i = 0; i < count; i++)
		others += fabs(values[i] - median) > LIKE * median;
	return (double)others <= UNLIKE_MOST * (double)count;
}

bool dp_text__period_groups(struct dp_words *words, const char *before, struct dp_render *render,
			    size_t loop)
{
	char low[DP_NUMBER_SIZE], high[DP_NUMBER_SIZE], both[3 * DP_NUMBER_SIZE];
	bool ascii = render->options->ascii, apart, groups;
	size_t count, half;
	double *values = gather(render, loop, &count), median;

	half = count / 2;
	if (!values || count < 2 || count % 2) {
		free(values);
		return false;
	}
	/* with an odd number, the median is one of them */
	median = (values[half - 1] + values[half]) / 2;
	apart = values[half] - median > NEAR * median;
	groups = is_group(values, half) && is_group(values + half, half);
	if (apart && !groups)
		dp_words__add(words, "%s%s", before,
			      dp_human__range(both, values[0], values[count - 1], ascii));
	else if (apart)
		dp_words__add(words, "%s%s and %s", before,
			      dp_human__duration(low, mean_of(values, half), ascii),
			      dp_human__duration(high, mean_of(values + half, half), ascii));
	if (apart && count > 2 && groups)
		dp_words__add(words, " (%zu each)", half);
	free(values);
	return apart;
}
