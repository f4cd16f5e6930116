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
 * Returns true if a pattern, from some offset on, consists of that many parts, one or more, with
 * the same symbols in another order. Cost: linear.
 */
bool dp_alternation__is_reordered(const struct dp_pattern *pattern, size_t parts);

#endif
