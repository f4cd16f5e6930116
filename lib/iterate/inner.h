/* Loops inside a pattern, of which an iteration may have fewer repetitions. */
#ifndef DP_ITERATE_INNER_H
#define DP_ITERATE_INNER_H

#include "base/base.h"

/*
 * Returns true if offsets [to, m) are nothing but iterations of the inner loop that ends at `to`,
 * followed by *rest other symbols. Of several inner loops, the one with the fewest others counts.
 * Cost: O(m) for each possible length of the inner loop; most fail after a symbol or two.
 */
bool dp_inner__at_end(const uint32_t *pattern, size_t m, size_t to, size_t *rest);

#endif
