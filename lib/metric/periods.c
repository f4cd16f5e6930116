/* Metrics that are a part of the period, or a quotient of two. */
#include "metric/metric.h"

#include <math.h>

double dp_metric__period_ns(const struct dp_metric_input *input, size_t k)
{
	const struct dp_iteration *at = input->iterations;

	return k + 1 < input->count && !at[k].partial && !at[k + 1].resumed
		       ? (double)(at[k + 1].start_ns - at[k].start_ns)
		       : (double)NAN;
}

void dp_metric__part(const struct dp_metric_input *input, enum dp_part part, double *values)
{
	for (size_t k = 0; k < input->count; k++)
		values[k] = isnan(dp_metric__period_ns(input, k))
				    ? (double)NAN
				    : dp_parts__get(&input->parts, part, k);
}

void dp_metric__part_launched(const struct dp_metric_input *input, enum dp_part part,
			      double *values)
{
	dp_metric__part(input, part, values);
	for (size_t k = 0; k < input->count && !input->parts.launches; k++)
		values[k] = (double)NAN;
}

static double divide(double value, double by)
{
	return by > 0 ? value / by : (double)NAN;
}

void dp_metric__ratio(const struct dp_metric_input *input, enum dp_part part, enum dp_part of,
		      double *values)
{
	dp_metric__part(input, part, values);
	for (size_t k = 0; k < input->count; k++)
		values[k] = divide(values[k], dp_parts__get(&input->parts, of, k));
}

void dp_metric__share(const struct dp_metric_input *input, enum dp_part part, double *values)
{
	dp_metric__part(input, part, values);
	for (size_t k = 0; k < input->count; k++)
		values[k] = divide(values[k], dp_metric__period_ns(input, k));
}
