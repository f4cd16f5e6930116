/* Parts of a pattern that are iterations each, although they differ. */
#ifndef DP_PATTERN_ALTERNATION_H
#define DP_PATTERN_ALTERNATION_H

#include "pattern/search.h"

/*
 * If a pattern consists of parts that are alike except for symbols that replace each other,
 * shortens it to the first. Errors: DP_ERR_NOMEM. Cost: a few alignments; the pattern is compared
 * with itself once for each length of a layer.
 */
int dp_alternation__take_one(struct dp_pattern *pattern, const struct dp_search_sequence *sequence);

/*
 * Returns the number of equal-length parts of a pattern that have the same symbols in another
 * order; 1 if there are none. Cost: linear.
 */
size_t dp_alternation__reordered(const struct dp_pattern *pattern);

#endif
