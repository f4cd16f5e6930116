/*
 * The numbers of an analysis' loops: the one that reports show in full is loop 0, the other loops
 * at the requested level follow, then those around and inside them. Cost: linear in the iterations.
 */
#include "analysis_model.h"
#include "activity/periods.h"

/*
 * Times that differ by a smaller share are equal. Of loops that take equally long, the one with the
 * longest period is shown, as training is before the evaluations and generations next to it; of
 * several such loops, on several GPUs for example, the first.
 */
#define ALIKE 0.1

/* Returns true for a whole loop at the requested level. */
static bool may_be_primary(const struct dp_loop *loop)
{
	return loop->selected && loop->iterations;
}

/* A loop's typical period, and the time that all its whole iterations take at that. */
struct typical {
	double period_ns;
	double time_ns;
};

static struct typical typical_of(const struct dp_loop_data *loop, double *scratch)
{
	size_t whole = 0;
	struct typical typical;

	for (size_t i = 0; i < loop->info.iterations; i++)
		whole += !loop->iterations[i].partial;
	typical.period_ns = dp_period__typical_ns(loop->iterations, loop->info.iterations, scratch);
	typical.time_ns = typical.period_ns * (double)whole;
	return typical;
}

/*
 * The loop at the requested level that takes most of the trace's time if each of its iterations
 * takes its typical time: a loop is not the main one because a few iterations of it waited for code
 * to be compiled or loaded. `typical` has room for each loop.
 */
static size_t find_primary(const struct dp_analysis *analysis, struct typical *typical,
			   double *scratch)
{
	double most_ns = 0, longest_ns = -1;
	size_t best = 0;

	for (size_t i = 0; i < analysis->loop_count; i++) {
		if (!may_be_primary(&analysis->loops[i].info))
			continue;
		typical[i] = typical_of(&analysis->loops[i], scratch);
		most_ns = DP_MAX(most_ns, typical[i].time_ns);
	}
	for (size_t i = 0; i < analysis->loop_count; i++) {
		if (!may_be_primary(&analysis->loops[i].info) ||
		    typical[i].time_ns * (1 + ALIKE) < most_ns ||
		    typical[i].period_ns <= longest_ns * (1 + ALIKE))
			continue;
		longest_ns = typical[i].period_ns;
		best = i;
	}
	return best;
}

/* Sorts the loops into the order of their numbers. */
static void renumber(struct dp_analysis *analysis, struct dp_loop_data *sorted, uint32_t *made,
		     size_t primary)
{
	size_t count = analysis->loop_count, used = 0;

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
}

int dp_analysis__number_loops(struct dp_analysis *analysis)
{
	size_t count = analysis->loop_count, most = 0;
	struct dp_loop_data *sorted = dp_alloc__array(count, sizeof(*sorted));
	uint32_t *made = dp_alloc__array(count, sizeof(*made));
	struct typical *typical = dp_alloc__array(count, sizeof(*typical));
	double *scratch;
	int status = DP_ERR_NOMEM;

	for (size_t i = 0; i < count; i++)
		most = DP_MAX(most, analysis->loops[i].info.iterations);
	scratch = dp_alloc__array(most, sizeof(*scratch));
	if (sorted && made && typical && scratch) {
		renumber(analysis, sorted, made, find_primary(analysis, typical, scratch));
		free(analysis->loops);
		analysis->loops = sorted;
		analysis->loop_room = count;
		sorted = NULL;
		status = DP_OK;
	}
	free(scratch);
	free(typical);
	free(made);
	free(sorted);
	return status;
}
