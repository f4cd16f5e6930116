/*
 * Numbers of processes, threads and streams in a timeline: the trace's own, where a viewer takes
 * them and nothing else has them; others are given one that is free.
 */
#ifndef DP_REPORT_UNIQUE_IDS_H
#define DP_REPORT_UNIQUE_IDS_H

#include "base/base.h"

/* Of one group only one may have a number. */
struct dp_id_request {
	int64_t group;
	int64_t number;
	size_t index;
};

/* Zeroed storage has no requests. */
struct dp_unique_ids {
	struct dp_id_request *sorted; /* by number, group and index */
	size_t count, room;
	int64_t next;	     /* the first number that may be free */
	int64_t least, most; /* what may be requested */
};

void dp_unique_ids__fini(struct dp_unique_ids *ids);

int dp_unique_ids__request(struct dp_unique_ids *ids, int64_t group, int64_t number);

/*
 * numbers[i], of the i-th request: what it asks for, for the first of its group, else one from
 * next on that nobody asks for. Cost: that of sorting them.
 */
void dp_unique_ids__assign(struct dp_unique_ids *ids, int64_t *numbers);

/* One more that nobody asks for. Cost: logarithmic, and the numbers that were passed over. */
int64_t dp_unique_ids__next(struct dp_unique_ids *ids);

#endif
