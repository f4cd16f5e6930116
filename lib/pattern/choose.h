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

/* What a pattern may lack: to repeat about twice in a row, or as often as the limits require. */
enum dp_fault { DP_FAULT_NONE, DP_FAULT_IN_ROW, DP_FAULT_SELDOM };

enum dp_fault dp_choose__fault(const struct dp_pattern *p, const struct dp_search_limits *limits);

/* What an explanation says of a fault, NULL for none, and the facts that it says it with. */
extern const char *const dp_fault_texts[];
/* clang-format off */
#define DP_FAULT_FACTS(p, limits) \
	{ "in_row", "number", (p)->tandem }, \
	{ "row_least", "number", dp_param.tandem }, \
	{ "least", "count", (double)(limits)->least }
/* clang-format on */

/* How far a pattern is from a known count: 0 if it matches, allowing for a partial iteration. */
double dp_choose__count_error(const struct dp_pattern *p, uint64_t known);

#endif
