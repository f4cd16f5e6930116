/* Which of many alike is slower than the others, and since when. Pure. */
#ifndef DP_RANKS_BLAME_H
#define DP_RANKS_BLAME_H

#include "base/base.h"

/*
 * What each rank took by itself in each of a row of times, own[unit * ranks + rank]; NaN where it
 * is not known. Several units may be of one iteration. Ranks are compared with those of their own
 * class.
 */
struct dp_blame_times {
	const double *own;
	size_t units;
	size_t ranks;
	const uint32_t *classes;   /* per rank, below ranks */
	const uint32_t *iteration; /* per unit, ascending */
};

struct dp_blame {
	uint32_t rank;	     /* DP_NONE: nothing can be said */
	double p;	     /* that ranks which are alike show this */
	uint32_t since;	     /* the iteration from which on it is slow; the first: always was */
	size_t every;	     /* the period of the slow iterations; 0: all since are slow */
	uint32_t slowest;    /* the iteration in which it is slowest */
	double gain;	     /* mean of what a unit would be shorter from then on if it were not */
};

/*
 * Finds the rank whose excess over the median of its class, summed from any unit to the last, is
 * the largest by its standard error, or periodically, and how often a rank does as
 * well when the ranks of each class trade places at random in each block of units (1999 times; the
 * same numbers give the same p).
 *
 * Errors: DP_ERR_NOMEM. Cost: O(ranks · units), and 2000 times ranks · 64 · 16 at most.
 */
int dp_blame__run(struct dp_blame *blame, const struct dp_blame_times *times);

/* The value from which on a series is higher: index of the first one, 0: from the beginning on. */
size_t dp_blame__since(const double *values, size_t count);

/* The period at which values stand out; 0 for none. */
size_t dp_blame__every(const double *values, size_t count);

#endif
