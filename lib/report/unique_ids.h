/*
 * Ids of processes, threads and streams in a timeline: the trace's own if a viewer accepts them and
 * no other request has them; otherwise a free one.
 */
#ifndef DP_REPORT_UNIQUE_IDS_H
#define DP_REPORT_UNIQUE_IDS_H

#include "base/base.h"

/* Each id is used at most once in a group. */
struct dp_id_request {
	int64_t group;
	int64_t number;
	size_t index;
};

/* Zeroed storage is valid and has no requests. */
struct dp_unique_ids {
	struct dp_id_request *sorted; /* by id, group and index */
	size_t count, room;
	int64_t next;	     /* the first id that may be free */
	int64_t least, most; /* what may be requested */
};

void dp_unique_ids__fini(struct dp_unique_ids *ids);

int dp_unique_ids__request(struct dp_unique_ids *ids, int64_t group, int64_t number);

/*
 * Sets numbers[i] to the id of request i: the requested one for the first of its group, else an
 * unrequested one from `next` on. Cost: that of sorting the requests.
 */
void dp_unique_ids__assign(struct dp_unique_ids *ids, int64_t *numbers);

/* Another id that no request has. Cost: logarithmic, plus the ids that are skipped. */
int64_t dp_unique_ids__next(struct dp_unique_ids *ids);

#endif
