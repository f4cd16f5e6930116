/* Compares the findings of two loops. */
#include "compare/compare.h"

#include <math.h>
#include <string.h>

/* Findings whose costs differ by a smaller share are the same, whichever rule reported them. */
#define SAME_COST 0.5

/*
 * The first row of a rule, among the second run's, that has no finding of the first run yet; NULL
 * if there is none.
 */
static struct dp_pair_finding *open_row(struct dp_pair_data *pair, size_t count, const char *rule)
{
	for (size_t i = 0; i < count; i++) {
		struct dp_pair_finding *row = &pair->findings[i];

		if (!row->finding[0] && !strcmp(row->finding[1]->rule, rule))
			return row;
	}
	return NULL;
}

/* The mean of a metric over the steady iterations; NaN if it has no value. */
static double mean_of(const struct dp_analysis *analysis, size_t loop, const char *name)
{
	size_t metric = dp_metric_find(name);
	double sum = 0, count = 0;

	for (size_t k = 0; dp_analysis_loop_iteration(analysis, loop, k); k++) {
		double value = dp_analysis_loop_metric(analysis, loop, metric, k);

		if (!isfinite(value) || !dp_analysis_loop_is_steady(analysis, loop, k))
			continue;
		sum += value;
		count++;
	}
	return count > 0 ? sum / count : (double)NAN;
}

/* Returns true if a metric takes the share of the period from which on a rule reports it. */
static bool is_reported(const struct dp_analysis *analysis, size_t loop, const char *rule,
			double metric_ns)
{
	return metric_ns >= dp_analysis_threshold(analysis, dp_rule_find(rule)) *
				    mean_of(analysis, loop, "period_ns");
}

/*
 * For a run without a finding of the rule: compares the whole metric that the finding of the other
 * run is a part of. The finding's cost is no measure of this run: it may leave some of the metric
 * to other findings, and excludes slow iterations.
 */
static int judge(const struct dp_comparison *comparison, const struct dp_pair_data *pair,
		 struct dp_pair_finding *row)
{
	const struct dp_finding *known = row->finding[row->finding[0] ? 0 : 1];
	int silent = row->finding[0] ? 1 : 0;

	row->change = silent ? DP_FINDING_GONE : DP_FINDING_NEW;
	row->metric = known->metric;
	if (!known->metric)
		return DP_OK;
	if (dp_compare__means(&row->metric_mean, comparison, pair, dp_metric_find(known->metric)))
		return DP_ERR_NOMEM;
	for (int run = 0; run < 2; run++)
		row->metric_ns[run] = row->metric_mean.value[run];
	if (row->metric_ns[silent] >= SAME_COST * row->metric_ns[!silent] ||
	    is_reported(comparison->run[silent], pair->info.loop[silent], known->rule,
			row->metric_ns[silent]))
		row->change = DP_FINDING_STILL;
	return DP_OK;
}

static int compare_row(const struct dp_comparison *comparison, const struct dp_pair_data *pair,
		       struct dp_pair_finding *row)
{
	row->change = DP_FINDING_STILL;
	for (int run = 0; run < 2; run++) {
		row->cost_ns[run] =
			row->finding[run]
				? dp_finding_cost(row->finding[run], (uint32_t)pair->info.loop[run])
				: (double)NAN;
		row->metric_ns[run] = (double)NAN;
	}
	row->metric_mean =
		(struct dp_difference){ { NAN, NAN }, NAN, NAN, NAN, NAN, NAN, { 0, 0 } };
	return row->finding[0] && row->finding[1] ? DP_OK : judge(comparison, pair, row);
}

/*
 * In the order of the second run, then of the first: the most severe of what is left to do is
 * first. If rules were run on only one run, a missing finding means nothing, and none is listed.
 */
int dp_compare__findings(struct dp_comparison *comparison, struct dp_pair_data *pair)
{
	size_t most = dp_analysis_finding_count(comparison->run[0]) +
		      dp_analysis_finding_count(comparison->run[1]);
	const struct dp_finding *finding;

	if (!dp_analysis_is_diagnosed(comparison->run[0]) ||
	    !dp_analysis_is_diagnosed(comparison->run[1]))
		return DP_OK;
	pair->findings = dp_alloc__zeroed(most, sizeof(*pair->findings));
	if (!pair->findings)
		return DP_ERR_NOMEM;
	for (size_t i = 0; (finding = dp_analysis_finding(comparison->run[1], i)); i++)
		if (dp_finding_concerns(finding, (uint32_t)pair->info.loop[1]))
			pair->findings[pair->finding_count++].finding[1] = finding;
	for (size_t i = 0, known = pair->finding_count;
	     (finding = dp_analysis_finding(comparison->run[0], i)); i++) {
		struct dp_pair_finding *row;

		if (!dp_finding_concerns(finding, (uint32_t)pair->info.loop[0]))
			continue;
		row = open_row(pair, known, finding->rule);
		if (!row)
			row = &pair->findings[pair->finding_count++];
		row->finding[0] = finding;
	}
	for (size_t i = 0; i < pair->finding_count; i++)
		if (compare_row(comparison, pair, &pair->findings[i]))
			return DP_ERR_NOMEM;
	return DP_OK;
}
