/* A row of bars, one per value or per group of values: the shape of a series in one line. */
#ifndef DP_REPORT_SPARK_H
#define DP_REPORT_SPARK_H

#include "report/report.h"

#define DP_SPARK_COLUMNS 160

struct dp_spark {
	size_t columns; /* at most DP_SPARK_COLUMNS */
	size_t group;	/* values per column; 1: each has its own */
	double most[DP_SPARK_COLUMNS]; /* what it shows: a slow iteration must not drown */
	size_t count[DP_SPARK_COLUMNS];
	bool broken[DP_SPARK_COLUMNS]; /* something else happened there */
};

/* For count values in at most room columns. */
void dp_spark__init(struct dp_spark *spark, size_t count, size_t room);

/* Adds value index; NaN is none. broken ones are not drawn, but marked where they are alone. */
void dp_spark__add(struct dp_spark *spark, size_t index, double value, bool broken);

/* Smallest and largest column: false where there is none. */
bool dp_spark__range(const struct dp_spark *spark, double *low, double *high);

/*
 * Draws it. The scale begins at the smallest value or at nine tenths of the largest, whatever is
 * less, so that noise does not look like a mountain range.
 */
void dp_spark__draw(struct dp_render *render, const struct dp_spark *spark);

/* The same on a scale from low to high, which several share. */
void dp_spark__draw_within(struct dp_render *render, const struct dp_spark *spark, double low,
			   double high);

#endif
