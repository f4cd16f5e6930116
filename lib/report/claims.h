/*
 * Numbers of processes, threads and streams in a timeline: the trace's own, where a viewer takes
 * them and nothing else has them; others are given one that is free.
 */
#ifndef DP_REPORT_CLAIMS_H
#define DP_REPORT_CLAIMS_H

#include "base/base.h"

/* Of one group only one may have a number. */
struct dp_claim {
	int64_t group;
	int64_t number;
	size_t index;
};

/* Zeroed storage is one without claims. */
struct dp_claims {
	struct dp_claim *sorted; /* by number, group and index */
	size_t count, room;
	int64_t next;	     /* the first number that may be free */
	int64_t least, most; /* what may be claimed */
};

void dp_claims__fini(struct dp_claims *claims);

int dp_claims__add(struct dp_claims *claims, int64_t group, int64_t number);

/*
 * numbers[i], of the claim that was added as the i-th: what it claims, for the first of its group,
 * else one from next on that nobody claims. Cost: that of sorting them.
 */
void dp_claims__resolve(struct dp_claims *claims, int64_t *numbers);

/* One more that nobody claims. Cost: logarithmic, and the claims that were passed over. */
int64_t dp_claims__spare(struct dp_claims *claims);

#endif
