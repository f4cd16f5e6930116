/*
 * Finds inner loops of a pattern by comparing it with itself, shifted by one of their iterations.
 * Cost: a comparison of the pattern with itself for each period up to a limit.
 */
#include "iterate/inner.h"
#include "base/parameters.h"

/* The number of symbols from `at` on that equal those `period` before them. */
static size_t repeats(const uint32_t *pattern, size_t m, size_t at, size_t period)
{
	size_t n = 0;

	while (at + n < m && pattern[at + n] == pattern[at + n - period])
		n++;
	return n;
}

bool dp_inner__at_end(const uint32_t *pattern, size_t m, size_t to, size_t *rest)
{
	size_t longest = DP_MIN(DP_MIN(to, m - to), dp_param.inner_period), most = 0;

	for (size_t period = 1; period <= longest && most < m - to; period++) {
		size_t whole = repeats(pattern, m, to, period) / period * period;

		most = DP_MAX(most, whole);
	}
	*rest = m - to - most;
	return most > 0;
}
