/*
 * The numbers of an analysis' loops: the one that reports show in full is loop 0, the other loops
 * at the requested level follow, then those around and inside them. Cost: linear in the loops.
 */
#include "analysis_model.h"

/*
 * Times that differ by a smaller share are equal. Of loops that take equally long, the one with the
 * longest iterations is shown, as training is before the evaluations and generations next to it; of
 * several such loops, on several GPUs for example, the first.
 */
#define ALIKE 0.1

/* Returns true for a whole loop at the requested level. */
static bool may_be_primary(const struct dp_loop *loop)
{
	return loop->selected && loop->iterations;
}

/* The iterations without warm-up, at least 1. */
static size_t count_steady(const struct dp_loop_data *loop)
{
	size_t count = 0;

	for (size_t i = 0; i < loop->info.iterations; i++)
		count += !loop->iterations[i].warmup;
	return DP_MAX(count, 1);
}

/*
 * The loop at the requested level that took most of the trace's time. Warm-up does not count: the
 * loop that comes first waits for code to be loaded.
 */
static size_t find_primary(const struct dp_analysis *analysis)
{
	double most_ns = 0, longest_ns = -1;
	size_t best = 0;

	for (size_t i = 0; i < analysis->loop_count; i++)
		if (may_be_primary(&analysis->loops[i].info))
			most_ns = DP_MAX(most_ns, dp_analysis__steady_time(analysis, i));
	for (size_t i = 0; i < analysis->loop_count; i++) {
		const struct dp_loop *loop = &analysis->loops[i].info;
		double time_ns = dp_analysis__steady_time(analysis, i);
		double mean_ns = time_ns / (double)count_steady(&analysis->loops[i]);

		if (!may_be_primary(loop) || time_ns * (1 + ALIKE) < most_ns ||
		    mean_ns <= longest_ns * (1 + ALIKE))
			continue;
		longest_ns = mean_ns;
		best = i;
	}
	return best;
}

int dp_analysis__number_loops(struct dp_analysis *analysis)
{
	size_t count = analysis->loop_count, used = 0, primary = find_primary(analysis);
	struct dp_loop_data *sorted = dp_alloc__array(count, sizeof(*sorted));
	uint32_t *made = dp_alloc__array(count, sizeof(*made));

	if (!sorted || !made) {
		free(sorted);
		free(made);
		return DP_ERR_NOMEM;
	}
	for (int rank = 0; rank < 3; rank++)
		for (size_t i = 0; i < count; i++)
			if (rank == (i == primary ? 0 : analysis->loops[i].info.selected ? 1 : 2))
				made[i] = (uint32_t)used++;
	for (size_t i = 0; i < count; i++) {
		struct dp_loop *info = &analysis->loops[i].info;

		info->id = made[i];
		if (info->parent != DP_NONE)
			info->parent = made[info->parent];
		sorted[made[i]] = analysis->loops[i];
	}
	free(made);
	free(analysis->loops);
	analysis->loops = sorted;
	analysis->loop_room = count;
	return DP_OK;
}
