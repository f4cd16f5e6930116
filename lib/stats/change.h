/* Where a series changes its level, once and for good. */
#ifndef DP_STATS_CHANGE_H
#define DP_STATS_CHANGE_H

#include "base/base.h"

struct dp_change {
	size_t at;     /* the first value of the new level */
	double before; /* medians */
	double after;
	double p; /* of no change at all */
};

/*
 * False where no one step says more about the values than a straight line does, or where it is not
 * sure (p < 0.001). No value is NaN. Cost: linear; long series are first averaged in blocks, whose
 * boundary a step then is.
 */
bool dp_change__find(struct dp_change *change, const double *values, size_t count);

#endif
