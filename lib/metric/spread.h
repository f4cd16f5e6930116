/* Spans of time handed out to the periods that they lie in. */
#ifndef DP_METRIC_SPREAD_H
#define DP_METRIC_SPREAD_H

#include "base/base.h"
#include <deepprof/analysis.h>

/* Periods of iterations, and a place among them that moves with the time. */
struct dp_spread {
	const struct dp_iteration *iterations;
	size_t count;
	size_t at;
	double *row;  /* one value per iteration */
	double *full; /* for overlapping spans: how many cover a period whole, as differences */
};

/* Moves to the period that holds a time. False where none does. Constant cost
 * for neighbours, logarithmic for others. */
bool dp_spread__seek_far(struct dp_spread *spread, int64_t time_ns);

/* Is a time in the period where the spread is already? */
static inline bool dp_spread__holds(const struct dp_spread *spread, int64_t time_ns)
{
	const struct dp_iteration *at = spread->iterations + spread->at;

	return spread->at + 1 < spread->count && at[0].start_ns <= time_ns &&
	       time_ns < at[1].start_ns;
}

static inline bool dp_spread__seek(struct dp_spread *spread, int64_t time_ns)
{
	return dp_spread__holds(spread, time_ns) || dp_spread__seek_far(spread, time_ns);
}

/*
 * Adds [start, end) to the row. Without full, spans come in order and disjoint, up or down, for the
 * cost to be linear in spans and periods; with full, they may overlap, and finish() is due.
 */
void dp_spread__add_far(struct dp_spread *spread, int64_t start_ns, int64_t end_ns);

static inline void dp_spread__add(struct dp_spread *spread, int64_t start_ns, int64_t end_ns)
{
	if (start_ns < end_ns && dp_spread__holds(spread, start_ns) &&
	    end_ns <= spread->iterations[spread->at + 1].start_ns)
		spread->row[spread->at] += (double)(end_ns - start_ns);
	else
		dp_spread__add_far(spread, start_ns, end_ns);
}

void dp_spread__finish(struct dp_spread *spread);

#endif
