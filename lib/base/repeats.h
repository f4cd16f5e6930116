/* Repetitions of a few symbols in a row. */
#ifndef DP_BASE_REPEATS_H
#define DP_BASE_REPEATS_H

#include "base/base.h"

/* The number of symbols from `at` on that equal those `period` before them. */
static inline size_t dp_repeats__same(const uint32_t *symbols, size_t n, size_t at, size_t period)
{
	size_t same = 0;

	while (at + same < n && symbols[at + same] == symbols[at + same - period])
		same++;
	return same;
}

/*
 * The most repetitions in a row of some `period` symbols, 1 if none repeat, or 0 if there are
 * fewer symbols. The first of them is at *first. Cost: linear.
 */
static inline size_t dp_repeats__most(size_t *first, const uint32_t *symbols, size_t n,
				      size_t period)
{
	size_t best = *first = 0, same;

	for (size_t i = period; i <= n; i += same + 1) {
		same = dp_repeats__same(symbols, n, i, period);
		if (same / period + 1 > best) {
			best = same / period + 1;
			*first = i - period;
		}
	}
	return best;
}

#endif
