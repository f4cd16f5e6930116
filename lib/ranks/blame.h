/* Finds which of many similar ranks is slower than the others, and since when. Pure. */
#ifndef DP_RANKS_BLAME_H
#define DP_RANKS_BLAME_H

#include "base/base.h"

/*
 * The own time of each rank in a sequence of units, own[unit * ranks + rank]; NaN if unknown.
 * Several units may belong to one iteration. Ranks are compared within their class.
 */
struct dp_blame_times {
	const double *own;
	size_t units;
	size_t ranks;
	const uint32_t *classes;   /* per rank, below ranks */
	const uint32_t *iteration; /* per unit, ascending */
};

struct dp_blame {
	uint32_t rank;	     /* DP_NONE: no verdict is possible */
	double p;	     /* probability of this among equal ranks */
	uint32_t since;	     /* the iteration from which on it is slow; the first: always */
	size_t every;	     /* the period of the slow iterations; 0: all since are slow */
	uint32_t slowest;    /* the iteration in which it is slowest */
	double gain;	     /* mean gain of a unit from then on if it were not slow */
	double typical_gain; /* the same, but in no unit far more than it usually takes longer */
	double gain_p; /* how often any of equal ranks delays the others by as much in total */
	double least_p;	     /* what p is at least if one of the ranks is always the slowest */
};

/*
 * Finds the rank whose excess over the median of its class, summed from any unit to the last or
 * periodically, is the largest relative to its standard error, and how often a rank reaches that
 * when the ranks of each class trade places at random in each block of units (1,999 to 19,999
 * times; equal input gives equal p).
 *
 * That a rank is often a little late does not make it the cause of a few long delays, which may
 * hit any rank: gain_p tests what its delays sum up to, with the slowest rank of each block drawn
 * at random.
 *
 * Errors: DP_ERR_NOMEM. Cost: O(ranks · units), and at most 20,000 times ranks · 64 · 16.
 */
int dp_blame__run(struct dp_blame *blame, const struct dp_blame_times *times);

/*
 * Sets each rank's mean own time in the units from an iteration on, its mean excess there over the
 * lower median of its class (both NaN if unknown), and the share of iterations with any.
 * Errors: DP_ERR_NOMEM.
 */
int dp_blame__excess(double *own, double *excess, double *often, const struct dp_blame_times *times,
		     uint32_t since);

/* The index from which on a series is higher; 0: from the beginning. */
size_t dp_blame__since(const double *values, size_t count);

/* The period at which values stand out; 0 for none. NaN: unknown. */
size_t dp_blame__every(const double *values, size_t count);

#endif
