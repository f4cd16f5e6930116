/* Loops inside a pattern: iterations of them that another iteration of the pattern may lack. */
#ifndef DP_ITERATE_INNER_H
#define DP_ITERATE_INNER_H

#include "base/base.h"

/*
 * Are offsets [0, from) of pattern[0..m) nothing but iterations of an inner loop that goes on at
 * `from`? One that begins there then is one of the pattern with fewer of them. Cost: O(from) for
 * each divisor of `from`.
 */
bool dp_inner__at_begin(const uint32_t *pattern, size_t m, size_t from);

/*
 * The same behind `to`: nothing but iterations of the inner loop that the symbols in front of it
 * are of, and at the end *rest others. Of several inner loops the one with the fewest others.
 * Cost: O(m) for each possible length of the inner loop, of which few go beyond a symbol or two.
 */
bool dp_inner__at_end(const uint32_t *pattern, size_t m, size_t to, size_t *rest);

#endif
