/* Inner loops of a pattern by comparison with itself, shifted by one of their iterations. */
#include "iterate/inner.h"

/* How many symbols from `at` on are equal to those `period` in front of them. */
static size_t repeats(const uint32_t *pattern, size_t m, size_t at, size_t period)
{
	size_t n = 0;

	while (at + n < m && pattern[at + n] == pattern[at + n - period])
		n++;
	return n;
}

bool dp_inner__at_begin(const uint32_t *pattern, size_t m, size_t from)
{
	for (size_t period = 1; period <= from && from + period <= m; period++)
		if (from % period == 0 && repeats(pattern, m, period, period) >= from)
			return true;
	return false;
}

bool dp_inner__at_end(const uint32_t *pattern, size_t m, size_t to, size_t *rest)
{
	size_t most = 0;

	for (size_t period = 1; period <= to && period <= m - to; period++)
		most = DP_MAX(most, repeats(pattern, m, to, period) / period * period);
	*rest = m - to - most;
	return most > 0;
}
