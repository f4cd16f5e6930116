/* Finds a lasting change of a series' level. */
#ifndef DP_STATS_CHANGE_H
#define DP_STATS_CHANGE_H

#include "base/base.h"

struct dp_change {
	size_t at;     /* the first value of the new level */
	double before; /* medians */
	double after;
	double p; /* p-value: there is no change */
};

/*
 * Returns false if no single step describes the values better than a straight line, or if it is not
 * significant (p < 0.001). No value may be NaN. Cost: linear: a long series is first averaged in
 * blocks.
 */
bool dp_change__find(struct dp_change *change, const double *values, size_t count);

/*
 * Returns true if what values rise or fall by, which is no chance, is mostly one step: that fits
 * them better than a line, and without it less than a quarter remains. The rest as above.
 */
bool dp_change__is_jump(const double *values, size_t count);

#endif
