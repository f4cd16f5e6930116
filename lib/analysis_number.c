/*
 * Which of an analysis' loops is the main one, and the loops' numbers: the main one, which reports
 * show in full, is loop 0, the other loops at the requested level follow, then those around and
 * inside them. Cost: linear in the iterations.
 */
#include "analysis_model.h"
#include "base/parameters.h"
#include "activity/periods.h"

/* A loop at the requested level that has an iteration. */
static bool may_be_main(const struct dp_loop_data *loop, uint32_t device)
{
	return loop->info.selected && loop->info.iterations &&
	       (device == DP_NONE || loop->info.device == device);
}

/*
 * The loop that is the main one of a device, or of all. Of loops that take equally long, the one
 * with the longest period is shown, as training is before the evaluations and generations next to
 * it; of several such loops, on several GPUs for example, the first.
 */
static size_t find_main(const struct dp_analysis *analysis, uint32_t device)
{
	double most_ns = 0, longest_ns = -1;
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < analysis->loop_count; i++)
		if (may_be_main(&analysis->loops[i], device))
			most_ns = DP_MAX(most_ns, analysis->loops[i].time_ns);
	for (size_t i = 0; i < analysis->loop_count; i++) {
		const struct dp_loop_data *loop = &analysis->loops[i];

		if (!may_be_main(loop, device) ||
		    loop->time_ns * (1 + dp_param.main_alike) < most_ns ||
		    loop->period_ns <= longest_ns * (1 + dp_param.main_alike))
			continue;
		longest_ns = loop->period_ns;
		best = i;
	}
	return best;
}

size_t dp_analysis_main_loop(const struct dp_analysis *analysis, uint32_t device)
{
	/* the main loop of all devices is that of its own device, too */
	if (analysis->loop_count && may_be_main(&analysis->loops[0], device))
		return 0;
	return find_main(analysis, device);
}

/*
 * Sets what a loop's iterations typically take: a loop is not the main one because a few iterations
 * of it waited for code to be compiled or loaded.
 */
static void set_time(struct dp_loop_data *loop, double *scratch)
{
	size_t whole = 0;

	if (!loop->info.iterations)
		return;
	for (size_t i = 0; i < loop->info.iterations; i++)
		whole += !loop->iterations[i].partial;
	loop->period_ns = dp_period__typical_ns(loop->iterations, loop->info.iterations, scratch);
	loop->time_ns = loop->period_ns * (double)whole;
}

double dp_analysis_loop_time(const struct dp_analysis *analysis, size_t loop)
{
	return loop < analysis->loop_count ? analysis->loops[loop].time_ns : 0;
}

/* Sorts the loops into the order of their numbers. */
static void renumber(struct dp_analysis *analysis, struct dp_loop_data *sorted, uint32_t *made,
		     size_t main)
{
	size_t count = analysis->loop_count, used = 0;

	for (int rank = 0; rank < 3; rank++)
		for (size_t i = 0; i < count; i++)
			if (rank == (i == main ? 0 : analysis->loops[i].info.selected ? 1 : 2))
				made[i] = (uint32_t)used++;
	for (size_t i = 0; i < count; i++) {
		struct dp_loop *info = &analysis->loops[i].info;

		info->id = made[i];
		if (info->parent != DP_NONE)
			info->parent = made[info->parent];
		sorted[made[i]] = analysis->loops[i];
	}
}

int dp_analysis__set_times(struct dp_analysis *analysis)
{
	size_t most = 0;
	double *scratch;

	for (size_t i = 0; i < analysis->loop_count; i++)
		most = DP_MAX(most, analysis->loops[i].info.iterations);
	scratch = dp_alloc__array(most, sizeof(*scratch));
	if (!scratch)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < analysis->loop_count; i++)
		set_time(&analysis->loops[i], scratch);
	free(scratch);
	return DP_OK;
}

int dp_analysis__number_loops(struct dp_analysis *analysis)
{
	size_t count = analysis->loop_count;
	struct dp_loop_data *sorted = dp_alloc__array(count, sizeof(*sorted));
	uint32_t *made = dp_alloc__array(count, sizeof(*made));
	int status = dp_analysis__set_times(analysis);

	if (!sorted || !made)
		status = DP_ERR_NOMEM;
	if (!status) {
		renumber(analysis, sorted, made, find_main(analysis, DP_NONE));
		free(analysis->loops);
		analysis->loops = sorted;
		analysis->loop_room = count;
		sorted = NULL;
	}
	free(made);
	free(sorted);
	return status;
}
