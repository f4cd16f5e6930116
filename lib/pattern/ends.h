/* The ends of an enclosing iteration: what it has before and after its inner iterations. */
#ifndef DP_PATTERN_ENDS_H
#define DP_PATTERN_ENDS_H

#include "pattern/search.h"

struct dp_ends {
	size_t head, tail; /* symbols before the first span, and after the last one */
};

/*
 * Sets *found to true if what patterns leave between iterations begins with the tail and ends with
 * the head at least loop_least times: the sequence begins and ends with an iteration of a loop
 * around them, which repeats them any number of times. Errors: DP_ERR_NOMEM. Cost: linear, and an
 * alignment.
 */
int dp_ends__find(struct dp_ends *ends, bool *found, const struct dp_patterns *patterns,
		  struct dp_search_sequence *sequence);

/* Returns true if symbols [begin, end) begin with those of the tail and end with the head's. */
bool dp_ends__separate(const struct dp_ends *ends, const struct dp_search_sequence *sequence,
		       size_t begin, size_t end);

#endif
