/* Checks options, and reports what is wrong with them. */
#include "analysis_model.h"

/* The rules that have a threshold, by index. */
static const char *threshold_rule(size_t index, const void *ctx)
{
	const struct dp_rule_info *rule;

	for (size_t i = 0; (rule = dp_rule(i)); i++)
		if (rule->threshold > 0 && !index--)
			return rule->id;
	return NULL;
}

static int check_thresholds(const struct dp_analysis_options *options, struct dp_error *error)
{
	for (size_t i = 0; i < options->thresholds_count; i++) {
		const struct dp_threshold *threshold = &options->thresholds[i];
		const struct dp_rule_info *rule;

		if (!threshold->rule)
			return dp_error__set(error, DP_ERR_ARGUMENT, "a threshold without a rule");
		rule = dp_rule(dp_rule_find(threshold->rule));
		if (!rule || !(rule->threshold > 0))
			return dp_error__unknown(error, "rule with a threshold", threshold->rule,
						 threshold_rule, NULL);
		if (!(threshold->share > 0) || !(threshold->share <= 1))
			return dp_error__set(error, DP_ERR_ARGUMENT,
					     "the threshold of %s is a share above 0, at most 1",
					     threshold->rule);
	}
	return DP_OK;
}

int dp_analysis__check_options(const struct dp_analysis_options *options, struct dp_error *error)
{
	if (options->iterations_count && !options->iterations)
		return dp_error__set(error, DP_ERR_ARGUMENT,
				     "%zu numbers of iterations, but no array of them",
				     options->iterations_count);
	if (options->thresholds_count && !options->thresholds)
		return dp_error__set(error, DP_ERR_ARGUMENT, "%zu thresholds, but no array of them",
				     options->thresholds_count);
	if ((unsigned)options->level > DP_LEVEL_INNERMOST)
		return dp_error__set(error, DP_ERR_ARGUMENT, "no level of loops has number %u",
				     (unsigned)options->level);
	for (size_t i = 0; i < options->iterations_count; i++)
		if (!options->iterations[i])
			return dp_error__set(error, DP_ERR_ARGUMENT,
					     "a number of iterations must be 1 or more");
	if (options->paper && !options->iterations_count)
		return dp_error__set(error, DP_ERR_ARGUMENT,
				     "the paper's algorithm needs the number of iterations");
	if (!options->epsilon)
		return dp_error__set(error, DP_ERR_ARGUMENT, "epsilon must be 1 or more");
	if (options->range_start_ns >= options->range_end_ns)
		return dp_error__set(error, DP_ERR_ARGUMENT, "the range is empty");
	return check_thresholds(options, error);
}

bool dp_analysis__is_requested(const struct dp_analysis_options *options, size_t iterations)
{
	for (size_t i = 0; i < options->iterations_count; i++)
		if (options->iterations[i] == iterations)
			return true;
	return false;
}

int dp_analysis__set_threshold(struct dp_analysis *analysis, size_t rule, double share)
{
	size_t count = dp_rule_count();

	if (!analysis->thresholds) {
		analysis->thresholds = dp_alloc__array(count, sizeof(*analysis->thresholds));
		for (size_t i = 0; analysis->thresholds && i < count; i++)
			analysis->thresholds[i] = dp_rule(i)->threshold;
	}
	if (!analysis->thresholds)
		return DP_ERR_NOMEM;
	analysis->thresholds[rule] = share;
	return DP_OK;
}

static const char *metric_name(size_t index, const void *ctx)
{
	return dp_metric_name(index);
}

int dp_analysis__choose_metrics(struct dp_analysis *analysis,
				const struct dp_analysis_options *options, struct dp_error *error)
{
	size_t count = dp_metric_count();
	uint8_t *asked;

	if (!options->metrics)
		return DP_OK;
	analysis->asked = asked = dp_alloc__zeroed(count, sizeof(*asked));
	if (!asked)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < options->metrics_count; i++) {
		const char *name = options->metrics[i];
		size_t summary = dp_summary_metric_find(name);
		size_t m = dp_metric_find(summary < SIZE_MAX ? dp_summary_metric(summary)->of
							     : name);

		if (m == SIZE_MAX)
			return dp_error__unknown(error, "metric", name, metric_name, NULL);
		asked[m] = 1;
	}
	return DP_OK;
}
