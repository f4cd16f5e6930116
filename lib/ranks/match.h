/* Matches two ranks' calls in one process group. Pure. */
#ifndef DP_RANKS_MATCH_H
#define DP_RANKS_MATCH_H

#include "base/base.h"

struct dp_match_call {
	uint64_t symbol;  /* content: kind and size */
	int64_t end_ns;	  /* ascending, on the rank's own clock */
	int64_t sequence; /* of the group's calls; -1: not recorded */
};

/* What is known of the second rank's clock. */
struct dp_match_clock {
	bool known;
	int64_t offset_ns; /* of the second rank's times, minus those of the first */
};

/* The calls of one rank, which those of others are matched against. */
struct dp_match_reference {
	const struct dp_match_call *calls;
	size_t count;
	bool numbered;	     /* by ascending numbers */
	double tolerance_ns; /* how far times may differ */
};

/* Looks at the calls, which are borrowed. Cost: linear. */
void dp_match__reference(struct dp_match_reference *reference, const struct dp_match_call *calls,
			 size_t count);

/*
 * Sets, for each of a rank's m calls, its counterpart's index in the reference, or DP_NONE:
 * counterparts are equal symbols, in the same order in both.
 *
 * Calls are matched by their numbers if all are recorded. Otherwise, since iterations look alike,
 * content alone allows many shifts of one sequence against the other. The shift is chosen at which
 * the times between calls agree best, as members of a group end a call together. From there the
 * calls are merged in order of time, which finds calls that only one rank has.
 *
 * Cost: O(m log n) for n calls of the reference, and for each of 2 * DP_MATCH_SHIFTS shifts at most
 * a few comparisons of calls. Of the reference's calls that differ from one of the rank's, though
 * their times may be the same, at most DP_MATCH_SHIFTS in a row are passed.
 */
#define DP_MATCH_SHIFTS 4096

void dp_match__run(uint32_t *partner, const struct dp_match_reference *reference,
		   const struct dp_match_call *calls, size_t m, const struct dp_match_clock *clock);

#endif
