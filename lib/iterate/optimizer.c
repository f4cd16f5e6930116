/*
 * Optimizers. An optimizer that launches a few kernels per parameter is the longest run of its kind
 * in an iteration: clearing gradients takes one kernel per parameter, and layers have longer units.
 * Runs of copies or fills do not count: parameters are also cast or gathered before their use.
 *
 * Cost: a few comparisons for each symbol of two iterations, at most layer_long for each of one.
 */
#include "iterate/optimizer.h"
#include "iterate/offsets.h"
#include "base/parameters.h"

struct run {
	size_t first, length, period;
};

static bool only_moves(const struct run *run, size_t m, const bool *moves)
{
	for (size_t i = 0; moves && i < run->period; i++)
		if (!moves[(run->first + i) % m])
			return false;
	return moves;
}

/* Finds the next run of one period that ends at or after *at. Returns false if there is none. */
static bool next_run(struct run *run, size_t *at, const uint32_t *s, size_t m, size_t period)
{
	size_t same = 0, i = DP_MAX(*at, period);

	while (i < 2 * m && (same == 0 || s[i % m] == s[(i - period) % m])) {
		same = s[i % m] == s[(i - period) % m] ? same + 1 : 0;
		i++;
	}
	*run = (struct run){ (i - same - period) % m, same + period, period };
	*at = i;
	return same > 0;
}

static bool is_one_kernel(const struct run *run, const uint32_t *s, size_t m)
{
	for (size_t i = 1; i < run->period; i++)
		if (s[(run->first + i) % m] != s[run->first])
			return false;
	return true;
}

static double repetitions(const struct run *run)
{
	return (double)run->length / (double)run->period;
}

/* The longest run that may be an optimizer. */
static struct run longest_updates(const uint32_t *s, size_t m, const bool *moves)
{
	struct run best = { 0, 0, 1 }, run;

	for (size_t period = 1; period <= dp_param.update_period && period < m; period++)
		for (size_t at = 0; next_run(&run, &at, s, m, period);)
			if (run.length < m &&
			    repetitions(&run) >= (double)dp_param.update_parameters &&
			    run.length > best.length && !only_moves(&run, m, moves))
				best = run;
	return best;
}

/*
 * Returns true if other kernels repeat at least half as often. Then the run is one of several loops
 * in an iteration, as in numerical programs: in a training step only gradients are cleared that
 * way, with one kernel each.
 */
static bool has_rival(const struct run *best, const uint32_t *s, size_t m, const bool *moves)
{
	struct run run;

	for (size_t period = 2; period <= dp_param.rival_period && period < m; period++)
		for (size_t at = 0; next_run(&run, &at, s, m, period);) {
			size_t apart = (run.first + m - best->first) % m;

			if (apart >= best->length && apart + run.length <= m &&
			    2 * repetitions(&run) >= repetitions(best) &&
			    !is_one_kernel(&run, s, m) && !only_moves(&run, m, moves))
				return true;
		}
	return false;
}

/*
 * Returns true if what begins at an offset, more than a layer, also begins at another one, without
 * repeating up to there, as micro-batches do. A step of two networks, for example, has two
 * optimizers, and the same network runs after each: either may be the end of the step.
 */
static bool begins_twice(const uint32_t *s, size_t m, size_t offset)
{
	for (size_t by = 1; by < m; by++) {
		size_t same = 0;

		while (same < DP_MAX(dp_param.layer_long, by) &&
		       s[(offset + same) % m] == s[(offset + by + same) % m])
			same++;
		if (same >= dp_param.layer_long)
			return same < by;
	}
	return false;
}

void dp_optimizer__find(struct dp_optimizer *optimizer, const uint32_t *pattern, size_t m,
			const bool *at, const bool *moves)
{
	size_t count = 0, before, longest;
	struct run run;

	for (size_t o = 0; at && o < m; o++)
		count += at[o];
	*optimizer = (struct dp_optimizer){ .named = count > 0 };
	if (count) {
		longest = dp_offsets__longest_gap(&before, at, m);
		optimizer->found = count < m;
		optimizer->end = (before + 1) % m;
		optimizer->bookkeeping = DP_MIN(longest, dp_param.after_optimizer);
		return;
	}
	run = longest_updates(pattern, m, moves);
	optimizer->end = (run.first + run.length) % m;
	optimizer->found = run.length > 0 && !has_rival(&run, pattern, m, moves) &&
			   !begins_twice(pattern, m, optimizer->end);
	optimizer->bookkeeping = DP_MIN(run.length, dp_param.after_optimizer);
}
