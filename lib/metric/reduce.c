/* Gathers the values that a summary is over. */
#include "metric/reduce.h"

#include <math.h>

size_t dp_reduce__all(const struct dp_metric_input *input, const double *values)
{
	size_t count = 0;

	for (size_t k = 0; k < input->count; k++)
		if (!isnan(values[k]))
			input->scratch[count++] = values[k];
	return count;
}

size_t dp_reduce__uninterrupted(const struct dp_metric_input *input, const double *values)
{
	size_t count = 0;

	for (size_t k = 0; k < input->count; k++)
		if (!isnan(values[k]) && dp_metric__uninterrupted(input, k))
			input->scratch[count++] = values[k];
	return count;
}

bool dp_reduce__is_steady(const struct dp_metric_input *input, const double *values, size_t k)
{
	bool interrupted = k + 1 < input->count && input->iterations[k + 1].foreign_kernels;

	return !isnan(values[k]) && !interrupted && !input->iterations[k].warmup;
}

size_t dp_reduce__steady(const struct dp_metric_input *input, const double *values)
{
	size_t count = 0;

	for (size_t k = 0; k < input->count; k++)
		if (dp_reduce__is_steady(input, values, k))
			input->scratch[count++] = values[k];
	return count;
}

double dp_reduce__steady_mean(const struct dp_metric_input *input, const double *values)
{
	return dp_stat__mean(input->scratch, dp_reduce__steady(input, values));
}

double dp_reduce__steady_median(const struct dp_metric_input *input, const double *values)
{
	return dp_stat__median(input->scratch, dp_reduce__steady(input, values));
}

double dp_reduce__steady_rate(const struct dp_metric_input *input, const double *values)
{
	size_t count = dp_reduce__steady(input, values);
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += 1 / input->scratch[i];
	return count ? (double)count / sum : (double)NAN;
}
