/*
 * Iterations of a process while it runs: its spool is read as it grows, and a detector
 * (deepprof/detector.h) looks for loops in the kernels of each of its streams.
 */
#ifndef DP_RECORD_FOLLOW_H
#define DP_RECORD_FOLLOW_H

#include "base/base.h"

struct dp_follow;

/* How often processes that are followed flush what CUPTI holds. */
enum { DP_FOLLOW_FLUSH_MS = 250 };

/*
 * Follows the spool that fd is, which stays the caller's, until as many complete iterations as are
 * wanted were seen, and one or some more, as others may count them otherwise. Errors: DP_ERR_NOMEM,
 * and DP_ERR_UNSUPPORTED where it is no spool (yet).
 */
int dp_follow__new(struct dp_follow **out, int fd, uint64_t wanted);
void dp_follow__free(struct dp_follow *follow);

/*
 * Reads what was added, but not beyond the time of the monotonic clock until_ns. last: nothing
 * will be added. Errors: DP_ERR_NOMEM, DP_ERR_IO; then it is of no use any more.
 */
int dp_follow__read(struct dp_follow *follow, int64_t until_ns, bool last);

/* What the loop of the busiest stream stands at. */
struct dp_follow_state {
	bool looping;	     /* there is a loop now */
	bool enough;	     /* it has, or had, as many iterations as were wanted */
	uint64_t iterations; /* complete ones */
	int64_t cut_ns; /* on CUPTI's clock: what began then or later is not wanted; 0: all is */
};
struct dp_follow_state dp_follow__state(const struct dp_follow *follow);

#endif
