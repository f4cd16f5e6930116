/* Which of many alike is slower than the others, and since when. Pure. */
#ifndef DP_RANKS_BLAME_H
#define DP_RANKS_BLAME_H

#include "base/base.h"

/* What each rank took by itself in each of a row of times, own[unit * ranks + rank]; NaN where it is
 * not known. Ranks are compared with those of their own class. */
struct dp_blame_times {
	const double *own;
	size_t units;
	size_t ranks;
	const uint32_t *classes; /* per rank, below ranks */
};

struct dp_blame {
	uint32_t rank;	     /* DP_NONE: nothing can be said */
	double p;	     /* that ranks which are alike show this */
	size_t since;	     /* the first unit from which on it is slow */
	size_t every;	     /* it is slow in every so many units; 0: in all since */
	double excess;	     /* mean of what it took more than its class's median, from there on */
	double gain;	     /* mean of what a unit would be shorter if it did not */
};

/*
 * Finds the rank whose excess over the median of its class, summed from any unit to the last, is
 * the largest by its standard error, and how often a rank does as well when the ranks of each class
 * trade places at random in each unit (2000 times; the same numbers give the same p).
 *
 * Errors: DP_ERR_NOMEM. Cost: O(ranks · units), and 2000 times ranks · 64.
 */
int dp_blame__run(struct dp_blame *blame, const struct dp_blame_times *times);

/* The value from which on a series is higher: index of the first one, 0: from the beginning on. */
size_t dp_blame__since(const double *values, size_t count);

/* Values that stand out come every so many: that number, 0 for none. */
size_t dp_blame__every(const double *values, size_t count);

#endif
