/* Which iterations' values a summary is over; they are gathered in input->scratch. */
#ifndef DP_METRIC_REDUCE_H
#define DP_METRIC_REDUCE_H

#include "metric/metric.h"
#include "metric/stat.h"

/* All that exist: the paper's averages of what lies inside iterations. */
size_t dp_reduce__all(const struct dp_metric_input *input, const double *values);

/* Those of intervals that no other kernels interrupt: the paper's averages of intervals. */
size_t dp_reduce__uninterrupted(const struct dp_metric_input *input, const double *values);

/* Those of the steady state: neither warm-up nor a period with other kernels in it. */
size_t dp_reduce__steady(const struct dp_metric_input *input, const double *values);

/* Is iteration k one of these? */
bool dp_reduce__is_steady(const struct dp_metric_input *input, const double *values, size_t k);

/* Summaries that many metrics have: of the steady state, without periods that are interrupted. */
double dp_reduce__steady_mean(const struct dp_metric_input *input, const double *values);
/* Of rates per period: all that was done by all the time, which is the harmonic mean. */
double dp_reduce__steady_rate(const struct dp_metric_input *input, const double *values);
double dp_reduce__steady_median(const struct dp_metric_input *input, const double *values);

#endif
