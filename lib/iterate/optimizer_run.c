/*
 * Optimizers that launch a few kernels for each parameter. Such a run is the longest of its kind in
 * an iteration: clearing gradients takes one kernel for each parameter, and layers have more. It is
 * no small part of it, since each parameter is there for a few other kernels. A run of copies or
 * fills is none: parameters are cast or gathered in front of what uses them, too.
 *
 * Cost: PERIOD_MAX comparisons for each symbol of two turns.
 */
#include "iterate/optimizer_run.h"

enum {
	PERIOD_MAX = 3,	     /* kernels for a parameter */
	PARAMETERS_MIN = 16, /* parameters of a model */
	SHARE_MIN = 10,	     /* of an iteration, one in so many kernels at least */
};

struct run {
	size_t first, length;
};

/* Do two runs have a symbol in common? Both are shorter than m. */
static bool overlap(const struct run *a, const struct run *b, size_t m)
{
	return (b->first + m - a->first) % m < a->length ||
	       (a->first + m - b->first) % m < b->length;
}

/* Does a run do nothing but move data? */
static bool only_moves(const struct run *run, size_t m, const bool *moves, size_t period)
{
	for (size_t i = 0; moves && i < period; i++)
		if (!moves[(run->first + i) % m])
			return false;
	return moves;
}

/* The longest run of one period, if it is longer than *best; none that overlaps other. */
static void longest(const uint32_t *s, size_t m, const bool *moves, size_t period,
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
		if (only_moves(&run, m, moves, period))
			continue;
		if (run.length < m && run.length >= PARAMETERS_MIN * period &&
		    run.length > best->length && !(other && overlap(&run, other, m)))
			*best = run;
	}
}

bool dp_optimizer_run__find(size_t *first, size_t *end, const uint32_t *pattern, size_t m,
		      const bool *moves)
{
	struct run best = { 0, 0 }, next = { 0, 0 };

	for (size_t period = 1; period <= PERIOD_MAX && period < m; period++)
		longest(pattern, m, moves, period, NULL, &best);
	if (best.length * SHARE_MIN < m)
		return false;
	for (size_t period = 1; period <= PERIOD_MAX; period++)
		longest(pattern, m, moves, period, &best, &next);
	if (best.length * 2 < next.length * 3)
		return false;
	*first = best.first;
	*end = (best.first + best.length) % m;
	return true;
}
