/*
 * Optimizers. One that launches a few kernels for each parameter is the longest run of its kind in
 * an iteration: clearing gradients takes one kernel for each parameter, and layers have more. It is
 * no small part of the iteration, since each parameter is there for a few other kernels. A run of
 * copies or fills is none: parameters are cast or gathered in front of what uses them, too.
 *
 * Cost: DP_UPDATE_PERIOD comparisons for each symbol of two iterations.
 */
#include "iterate/optimizer.h"
#include "iterate/parameters.h"

struct run {
	size_t first, length;
};

/* Do two runs have a symbol in common? Both are shorter than m. */
static bool overlap(const struct run *a, const struct run *b, size_t m)
{
	return (b->first + m - a->first) % m < a->length ||
	       (a->first + m - b->first) % m < b->length;
}

static bool only_moves(const struct run *run, size_t m, const bool *moves, size_t period)
{
	for (size_t i = 0; moves && i < period; i++)
		if (!moves[(run->first + i) % m])
			return false;
	return moves;
}

/* The longest run of one period, if it is longer than *best; none that overlaps other. */
static void longest_run(const uint32_t *s, size_t m, const bool *moves, size_t period,
			const struct run *other, struct run *best)
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
		if (run.length < m && run.length >= DP_PARAMETERS_MIN * period &&
		    run.length > best->length && !only_moves(&run, m, moves, period) &&
		    !(other && overlap(&run, other, m)))
			*best = run;
	}
}

/* A run of updates that no other one is nearly as long as. */
static void find_run(struct dp_optimizer *optimizer, const uint32_t *pattern, const bool *moves)
{
	struct run best = { 0, 0 }, next = { 0, 0 };
	size_t m = optimizer->m;

	for (size_t period = 1; period <= DP_UPDATE_PERIOD && period < m; period++)
		longest_run(pattern, m, moves, period, NULL, &best);
	if (best.length * DP_UPDATE_SHARE < m)
		return;
	for (size_t period = 1; period <= DP_UPDATE_PERIOD; period++)
		longest_run(pattern, m, moves, period, &best, &next);
	if (best.length * 2 < next.length * 3)
		return;
	optimizer->length = best.length;
	optimizer->end = (best.first + best.length) % m;
	optimizer->room = DP_MIN(best.length, (size_t)DP_AFTER_OPTIMIZER);
}

void dp_optimizer__find(struct dp_optimizer *optimizer, const uint32_t *pattern, size_t m,
			const bool *at, const bool *moves)
{
	size_t last = SIZE_MAX, longest = 0, count = 0, after = 0;

	*optimizer = (struct dp_optimizer){ .at = at, .m = m };
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
	optimizer->named = count > 0;
	optimizer->everywhere = count == m;
	if (!count) {
		find_run(optimizer, pattern, moves);
	} else if (count < m && longest * 4 >= m) {
		optimizer->length = count;
		optimizer->end = after;
		optimizer->room = DP_MIN(longest, DP_MAX(m / 16, 4));
	}
}

bool dp_optimizer__has(const struct dp_optimizer *optimizer, size_t offset)
{
	size_t back = (optimizer->end + optimizer->m - 1 - offset) % optimizer->m;

	return optimizer->named ? optimizer->at[offset] : back < optimizer->length;
}
