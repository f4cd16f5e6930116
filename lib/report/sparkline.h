/* A row of bars, one per value or per group of values: the shape of a series in one line. */
#ifndef DP_REPORT_SPARKLINE_H
#define DP_REPORT_SPARKLINE_H

#include "report/report.h"

#define DP_SPARKLINE_COLUMNS 160

struct dp_sparkline {
	size_t columns;			   /* at most DP_SPARKLINE_COLUMNS */
	size_t group;			   /* values per column; 1: each has its own */
	double most[DP_SPARKLINE_COLUMNS]; /* maximum per column: keeps outliers visible */
	size_t count[DP_SPARKLINE_COLUMNS];
	char mark[DP_SPARKLINE_COLUMNS]; /* of values left out; 0: none */
};

/* Prepares bars for count values in at most room columns. */
void dp_sparkline__init(struct dp_sparkline *bars, size_t count, size_t room);

/*
 * Adds a value by index; NaN for none. One with a mark is left out: the mark is drawn if the column
 * has no other value.
 */
void dp_sparkline__add(struct dp_sparkline *bars, size_t index, double value, char mark);

/*
 * Drops the columns at both ends that have neither values nor marks. Call this after all values are
 * added: columns move.
 */
void dp_sparkline__trim(struct dp_sparkline *bars);

/* The range of the columns. Returns false if there is none. */
bool dp_sparkline__range(const struct dp_sparkline *bars, double *low, double *high);

/*
 * Draws the bars. The scale begins at the smallest value or at nine tenths of the largest,
 * whichever is smaller, so that noise does not look large.
 */
void dp_sparkline__draw(struct dp_render *render, const struct dp_sparkline *bars);

/* Draws them on a scale from low to high, for several rows with the same scale. */
void dp_sparkline__draw_within(struct dp_render *render, const struct dp_sparkline *bars,
			       double low, double high);

#endif
