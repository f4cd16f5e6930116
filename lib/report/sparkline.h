/* A row of bars, one per value or per group of values: the shape of a series in one line. */
#ifndef DP_REPORT_SPARKLINE_H
#define DP_REPORT_SPARKLINE_H

#include "report/report.h"

#define DP_SPARKLINE_COLUMNS 160

struct dp_sparkline {
	size_t columns;			   /* at most DP_SPARKLINE_COLUMNS */
	size_t group;			   /* values per column; 1: each has its own */
	double most[DP_SPARKLINE_COLUMNS]; /* what it shows: a slow iteration must not drown */
	size_t count[DP_SPARKLINE_COLUMNS];
	bool broken[DP_SPARKLINE_COLUMNS]; /* something else happened there */
};

/* For count values in at most room columns. */
void dp_sparkline__init(struct dp_sparkline *bars, size_t count, size_t room);

/* Adds value index; NaN is none. broken ones are not drawn, but marked where they are alone. */
void dp_sparkline__add(struct dp_sparkline *bars, size_t index, double value, bool broken);

/* Smallest and largest column: false where there is none. */
bool dp_sparkline__range(const struct dp_sparkline *bars, double *low, double *high);

/*
 * Draws it. The scale begins at the smallest value or at nine tenths of the largest, whatever is
 * less, so that noise does not look like a mountain range.
 */
void dp_sparkline__draw(struct dp_render *render, const struct dp_sparkline *bars);

/* The same on a scale from low to high, which several share. */
void dp_sparkline__draw_within(struct dp_render *render, const struct dp_sparkline *bars,
			       double low, double high);

#endif
