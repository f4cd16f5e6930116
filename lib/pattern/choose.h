/* The best pattern of a sequence: the one that describes it with the fewest bits. */
#ifndef DP_PATTERN_CHOOSE_H
#define DP_PATTERN_CHOOSE_H

#include "pattern/search.h"

/*
 * Finds the best pattern of a sequence whose tree and bits are known, judged on parts of it.
 * Symbols beyond the alphabet separate stretches, and are in no pattern. The caller frees
 * best->symbols; it is NULL if there is no pattern. If limits->known is not 0, a number of
 * iterations near it makes a pattern better. Errors: DP_ERR_NOMEM. Cost: see choose.c.
 */
int dp_choose__pattern(struct dp_pattern *best, const struct dp_search_sequence *sequence,
		       const struct dp_search_limits *limits);

/*
 * Returns NULL if the pattern repeats about twice in a row, and as often as the limits require;
 * else what it lacks, with the facts of an explanation in it.
 */
const char *dp_choose__fault(const struct dp_pattern *p, const struct dp_search_limits *limits);

/* How far a pattern is from a known count: 0 if it matches, allowing for a partial iteration. */
double dp_choose__count_error(const struct dp_pattern *p, uint64_t known);

#endif
