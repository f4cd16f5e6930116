/* Which calls keep the host from launching while the device is idle, per iteration and name. */
#ifndef DP_ACTIVITY_CALL_STALLS_H
#define DP_ACTIVITY_CALL_STALLS_H

#include "activity/device_timeline.h"

/* The purpose of a call that is no launch, wait or copy. */
enum dp_purpose {
	DP_PURPOSE_OTHER,
	DP_PURPOSE_ALLOCATE, /* device memory */
	DP_PURPOSE_FREE,
	DP_PURPOSE_HOST_MEMORY, /* pinned memory: allocated, freed, registered */
	DP_PURPOSE_CODE,	/* modules and libraries: loaded, unloaded */
	DP_PURPOSE_GRAPH	/* graphs: captured, instantiated; not launched */
};

enum dp_purpose dp_purpose__of(const char *call);

/* All calls of one name in one iteration. */
struct dp_stall {
	const char *name; /* the trace's */
	uint32_t name_id;
	enum dp_purpose purpose;
	size_t iteration;
	double calls;	/* how many */
	double idle_ns; /* idle time of the device meanwhile */
};

/* In order of name, then iteration. */
struct dp_stalls {
	struct dp_stall *stalls;
	size_t count;
	/* While they are made: */
	size_t room;
	size_t *latest; /* per name: the index of its latest entry, plus one */
	const struct dp_device_timeline *timeline;
	size_t at;	/* the first of the timeline's stalls that may extend into the next gap */
	size_t counted; /* how many of them were counted as calls */
};

/*
 * Gaps are added in order of time, then sort() is called. The caller releases *stalls with fini,
 * also after a failure. It borrows timeline until it is sorted, and the trace's names permanently.
 * Errors: DP_ERR_NOMEM. Cost: linear in the trace's names and the calls, n log n to sort.
 */
int dp_stalls__init(struct dp_stalls *stalls, const struct dp_device_timeline *timeline);
int dp_stalls__add(struct dp_stalls *stalls, size_t iteration, int64_t start_ns, int64_t end_ns);
void dp_stalls__sort(struct dp_stalls *stalls);
void dp_stalls__fini(struct dp_stalls *stalls);

#endif
