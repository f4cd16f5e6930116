/*
 * Declarations shared by the families. A row is a name, a unit, which direction is better, what it
 * needs, a line of help, its summaries, and the function that computes it, with its arguments.
 */
#ifndef DP_METRIC_FAMILY_H
#define DP_METRIC_FAMILY_H

#include "metric/metric.h"
#include "stats/stat.h"

/*
 * A row's info and its summaries, if any: a statistic of the values of iterations, or their steady
 * mean.
 */
#define DP_SUMMARIZED(name, unit, better, need, help, summary, summary_help, over, stat) \
	{ name, unit, better, help, NULL, need }, (const struct dp_metric_summary[])     \
	{                                                                                \
		{ { summary, unit, better, summary_help, name, need }, over, stat },     \
		{                                                                        \
			{                                                                \
				NULL                                                     \
			}                                                                \
		}                                                                        \
	}
#define DP_AVERAGED(name, unit, better, need, help)                \
	DP_SUMMARIZED(name, unit, better, need, help, "avg_" name, \
		      "mean of " name " in the steady state", DP_OVER_STEADY, dp_metric__mean)

/* dp_stat__mean() and others, with the type of summaries. */
double dp_metric__mean(double *values, size_t count);
double dp_metric__min(double *values, size_t count);
double dp_metric__max(double *values, size_t count);

/*
 * Computes rows that follow from parts of periods. A part is null if the row needs launch records
 * and there are none; a quotient is null if the divisor is 0.
 */
int dp_metric__parts(double *values, const struct dp_metric_input *input,
		     const struct dp_metric *row, struct dp_error *error);

/* The time of uploads that repeat, see repeated_upload.c. */
int dp_metric__repeated_upload(double *values, const struct dp_metric_input *input,
			       const struct dp_metric *row, struct dp_error *error);

#endif
