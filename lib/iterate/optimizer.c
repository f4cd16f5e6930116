/*
 * Optimizers. One that launches a few kernels for each parameter is the longest run of its kind in
 * an iteration: clearing gradients takes one kernel for each parameter, and layers have more. It is
 * no small part of the iteration, since each parameter is there for a few other kernels. A run of
 * copies or fills is none: parameters are cast or gathered in front of what uses them, too.
 *
 * Cost: a few comparisons for each symbol of two iterations.
 */
#include "iterate/optimizer.h"
#include "base/parameters.h"

struct run {
	size_t first, length;
};

static bool only_moves(const struct run *run, size_t m, const bool *moves, size_t period)
{
	for (size_t i = 0; moves && i < period; i++)
		if (!moves[(run->first + i) % m])
			return false;
	return moves;
}

/* The longest run of one period, if it is longer than *best. */
static void longest_run(const uint32_t *s, size_t m, const bool *moves, size_t period,
			struct run *best)
{
	size_t same = 0;

	for (size_t i = period; i <= 2 * m; i++) {
		struct run run;

		if (i < 2 * m && s[i % m] == s[(i - period) % m]) {
			same++;
			continue;
		}
		run = (struct run){ (i - same - period) % m, same + period };
		same = 0;
		if (run.length < m && run.length >= dp_param.update_parameters * period &&
		    run.length > best->length && !only_moves(&run, m, moves, period))
			*best = run;
	}
}

void dp_optimizer__find(struct dp_optimizer *optimizer, const uint32_t *pattern, size_t m,
			const bool *at, const bool *moves)
{
	size_t last = SIZE_MAX, longest = 0, count = 0, after = 0;
	struct run run = { 0, 0 };

	for (size_t o = 0; at && o < 2 * m; o++) {
		if (!at[o % m])
			continue;
		count += o < m;
		if (last != SIZE_MAX && o - last > longest) {
			longest = o - last;
			after = (last + 1) % m;
		}
		last = o;
	}
	*optimizer = (struct dp_optimizer){ .named = count > 0, .everywhere = count == m };
	if (count) {
		optimizer->known = count < m && longest * 4 >= m;
		optimizer->end = after;
		optimizer->room = DP_MIN(longest, DP_MAX(m / 16, 4));
		return;
	}
	for (size_t period = 1; period <= dp_param.update_period && period < m; period++)
		longest_run(pattern, m, moves, period, &run);
	optimizer->known = run.length > 0 && run.length * dp_param.update_share >= m;
	optimizer->end = (run.first + run.length) % m;
	optimizer->room = DP_MIN(run.length, dp_param.after_optimizer);
}
