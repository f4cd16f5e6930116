/*
 * Algorithm 1 of Gu, Liu, Zhou, Wang, "DeepProf: Performance Analysis for Deep Learning
 * Applications via Mining GPU Execution Patterns" (arXiv 1707.03750): at each start the pattern is
 * matched in order; symbols that do not match are skipped and counted. If more than k0 are skipped,
 * the next start is tried; else the search continues after the match.
 *
 * Skipped symbols count from the start on, so a match may begin with some. Cost: O(n · (m + k0)).
 */
#include "iterate/paper_match.h"

/* The end of the match from one start, or 0. */
static size_t match(const uint32_t *symbols, size_t n, size_t start, const uint32_t *pattern,
		    size_t m, uint64_t max_unmatched)
{
	uint64_t skipped = 0;
	size_t matched = 0, at = start;

	for (; at < n && matched < m; at++) {
		if (symbols[at] == pattern[matched])
			matched++;
		else if (++skipped > max_unmatched)
			return 0;
	}
	return matched == m ? at : 0;
}

static int put_match(struct dp_cut *cut, const uint32_t *symbols, size_t start, size_t end,
		     const uint32_t *pattern)
{
	struct dp_sequence_iteration iteration = { .first = start,
						   .end = end,
						   .edits = cut->edit_count };
	size_t matched = 0;
	int status = DP_OK;

	for (size_t at = start; at < end && !status; at++)
		if (symbols[at] == pattern[matched])
			matched++;
		else
			status = dp_cut__add_edit(cut, &iteration, at, matched, DP_EDIT_INSERTED);
	return status ? status : dp_cut__add_iteration(cut, &iteration);
}

int dp_paper__match(struct dp_cut *cut, const uint32_t *symbols, size_t n, const uint32_t *pattern,
		    size_t m, uint64_t max_unmatched)
{
	size_t start = 0, end;
	int status = DP_OK;

	if (m == 0)
		return DP_OK;
	while (start < n && !status) {
		end = match(symbols, n, start, pattern, m, max_unmatched);
		if (end == 0) {
			start++;
			continue;
		}
		status = put_match(cut, symbols, start, end, pattern);
		start = end;
	}
	return status;
}
