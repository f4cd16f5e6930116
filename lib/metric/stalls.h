/* Which calls keep the host from launching while the device does nothing, per iteration and name.
 */
#ifndef DP_METRIC_STALLS_H
#define DP_METRIC_STALLS_H

#include "metric/purpose.h"
#include "metric/work.h"

/* All calls of one name in one iteration. */
struct dp_stall {
	const char *name; /* the trace's */
	uint32_t name_id;
	enum dp_purpose purpose;
	size_t iteration;
	double calls;	/* how many */
	double idle_ns; /* what the device was idle meanwhile */
};

/* In order of name, then iteration. */
struct dp_stalls {
	struct dp_stall *stalls;
	size_t count;
	/* While they are made: */
	size_t room;
	size_t *latest; /* per name: the place of its latest, plus one */
	const struct dp_work *work;
	size_t at;	/* the first of the work's stalls that may reach into the next gap */
	size_t counted; /* how many of them were counted as calls */
};

/*
 * To be filled by gaps in order of time, and then sorted. *stalls is the caller's, to be released
 * with fini, on failure too; borrows work until it is sorted, the trace's names for good. Errors:
 * DP_ERR_NOMEM. Cost: linear in the trace's names and the calls, n log n to sort.
 */
int dp_stalls__init(struct dp_stalls *stalls, const struct dp_work *work);
int dp_stalls__add(struct dp_stalls *stalls, size_t iteration, int64_t start_ns, int64_t end_ns);
void dp_stalls__sort(struct dp_stalls *stalls);
void dp_stalls__fini(struct dp_stalls *stalls);

#endif
