/*
 * Counts the iterations of a process while it runs: reads its spool as it grows, and searches the
 * kernels of each of its streams for loops with a detector (deepprof/detector.h).
 */
#ifndef DP_RECORD_FOLLOW_H
#define DP_RECORD_FOLLOW_H

#include "base/base.h"

struct dp_follow;

/* How often followed processes flush what CUPTI holds. */
enum { DP_FOLLOW_FLUSH_MS = 250 };

/*
 * Follows the spool open as fd, which the caller keeps, until the wanted number of complete
 * iterations was seen, and a few more, as an analysis may count them differently. Errors:
 * DP_ERR_NOMEM, and DP_ERR_UNSUPPORTED if fd is not a spool (yet).
 */
int dp_follow__new(struct dp_follow **out, int fd, uint64_t wanted);
void dp_follow__free(struct dp_follow *follow);

/*
 * Reads what was added, until until_ns of the monotonic clock at most. last: nothing more will be
 * added. Errors: DP_ERR_NOMEM, DP_ERR_IO, after which it must not be used again.
 */
int dp_follow__read(struct dp_follow *follow, int64_t until_ns, bool last);

/* The state of the loop of the busiest stream. */
struct dp_follow_state {
	bool looping;	     /* there is a loop now */
	bool enough;	     /* it has or had as many iterations as wanted */
	uint64_t iterations; /* complete ones */
	int64_t cut_ns;	     /* omit what began from then on, on CUPTI's clock; 0: nothing */
};
struct dp_follow_state dp_follow__state(const struct dp_follow *follow);

#endif
