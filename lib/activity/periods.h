/* Periods of iterations: how long they are, and spans of time handed out to them. */
#ifndef DP_ACTIVITY_PERIODS_H
#define DP_ACTIVITY_PERIODS_H

#include "base/base.h"
#include <deepprof/analysis.h>

/*
 * From the start of iteration k to that of the next; NaN where k is partial, or has no next one
 * that was recorded with it.
 */
double dp_period__ns(const struct dp_iteration *iterations, size_t count, size_t k);

/* Neither warm-up, nor do other kernels run in it. */
bool dp_period__is_steady(const struct dp_iteration *iterations, size_t count, size_t k);

/* NaN where it is not. */
double dp_period__steady_ns(const struct dp_iteration *iterations, size_t count, size_t k);

/* Periods of iterations, and a place among them that moves with the time. */
struct dp_period_sums {
	const struct dp_iteration *iterations;
	size_t count;
	size_t at;
	double *row;  /* one value per iteration */
	double *full; /* for overlapping spans: how many cover a period whole, as differences */
};

/* Moves to the period that holds a time. False where none does. Constant cost
 * for neighbours, logarithmic for others. */
bool dp_period_sums__seek_far(struct dp_period_sums *sums, int64_t time_ns);

/* Is a time in the period where the place is already? */
static inline bool dp_period_sums__holds(const struct dp_period_sums *sums, int64_t time_ns)
{
	const struct dp_iteration *at = sums->iterations + sums->at;

	return sums->at + 1 < sums->count && at[0].start_ns <= time_ns && time_ns < at[1].start_ns;
}

static inline bool dp_period_sums__seek(struct dp_period_sums *sums, int64_t time_ns)
{
	return dp_period_sums__holds(sums, time_ns) || dp_period_sums__seek_far(sums, time_ns);
}

/*
 * Adds [start, end) to the row. Without full, spans come in order and disjoint, up or down, for the
 * cost to be linear in spans and periods; with full, they may overlap, and finish() is due.
 */
void dp_period_sums__add_far(struct dp_period_sums *sums, int64_t start_ns, int64_t end_ns);

static inline void dp_period_sums__add(struct dp_period_sums *sums, int64_t start_ns,
				       int64_t end_ns)
{
	if (start_ns < end_ns && dp_period_sums__holds(sums, start_ns) &&
	    end_ns <= sums->iterations[sums->at + 1].start_ns)
		sums->row[sums->at] += (double)(end_ns - start_ns);
	else
		dp_period_sums__add_far(sums, start_ns, end_ns);
}

void dp_period_sums__finish(struct dp_period_sums *sums);

/* A sum over time that is known at some times, and grows evenly between them. Zero it; to be
 * released with fini. */
struct dp_curve {
	int64_t *time_ns;
	double *sum;
	size_t count;
};

/* Room for that many knots. Errors: DP_ERR_NOMEM. */
int dp_curve__reserve(struct dp_curve *curve, size_t room);

/* What was added since the last knot; the first only begins. Times go up. */
void dp_curve__add(struct dp_curve *curve, int64_t time_ns, double more);
void dp_curve__fini(struct dp_curve *curve);

/*
 * Adds to each period's value what the curve grows by in it, where it spans the period; a value
 * that is NaN becomes that. Cost: linear.
 */
void dp_curve__periods(double *values, const struct dp_curve *curve,
		       const struct dp_iteration *iterations, size_t count);

#endif
