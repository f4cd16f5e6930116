/* Periods of iterations: their lengths, and distributing spans of time over them. */
#ifndef DP_ACTIVITY_PERIODS_H
#define DP_ACTIVITY_PERIODS_H

#include "base/base.h"
#include <deepprof/analysis.h>

/*
 * The time from the start of iteration k to that of the next; NaN if k is partial, if no next one
 * was recorded with it, or if the two start at the same time.
 */
double dp_period__ns(const struct dp_iteration *iterations, size_t count, size_t k);

/* Returns true if the iteration is no warm-up, and no other kernels run in its period. */
bool dp_period__is_steady(const struct dp_iteration *iterations, size_t count, size_t k);

/* NaN where it is not. */
double dp_period__steady_ns(const struct dp_iteration *iterations, size_t count, size_t k);

/*
 * The mean of the steady periods, those above the 95th percentile counted as that: what takes long
 * in more iterations counts, and what delays a few of them does not. If there are fewer than two
 * steady periods, the mean length of the whole iterations, or else of all; there is at least one.
 * scratch has room for a value of each.
 */
double dp_period__typical_ns(const struct dp_iteration *iterations, size_t count, double *scratch);

/* Periods of iterations, and a cursor that moves with the time. */
struct dp_period_sums {
	const struct dp_iteration *iterations;
	size_t count;
	size_t at;
	double *row;  /* one value per iteration */
	double *full; /* for overlapping spans: how many cover a whole period, as differences */
};

/*
 * Moves to the period that contains a time. Returns false if there is none. Cost: constant for
 * neighbours, logarithmic for others.
 */
bool dp_period_sums__seek_far(struct dp_period_sums *sums, int64_t time_ns);

/* Returns true if the cursor's period contains a time. */
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
 * Adds [start, end) to the row. Without full, spans must be disjoint and in ascending or descending
 * order for the cost to be linear in spans and periods; with full, they may overlap, and finish()
 * must be called.
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

/*
 * A cumulative sum over time that is known at some times, and interpolated between them. Zero it
 * first; release it with fini.
 */
struct dp_curve {
	int64_t *time_ns;
	double *sum;
	size_t count;
};

/* Reserves room for this many knots. Errors: DP_ERR_NOMEM. */
int dp_curve__reserve(struct dp_curve *curve, size_t room);

/* Adds the amount since the last knot; the first knot only sets the begin. Times must ascend. */
void dp_curve__add(struct dp_curve *curve, int64_t time_ns, double more);
void dp_curve__fini(struct dp_curve *curve);

/*
 * Adds to each period's value what the curve grows by in it, if the curve spans the period; a value
 * of NaN is replaced. Cost: linear.
 */
void dp_curve__periods(double *values, const struct dp_curve *curve,
		       const struct dp_iteration *iterations, size_t count);

#endif
