/* Compares two analyses, and accesses the result. */
#include "compare/compare.h"
#include "base/options.h"

static int fill(struct dp_comparison *comparison, const struct dp_compare_options *options,
		struct dp_error *error)
{
	int status = dp_compare__pair(comparison, options->loops, error);

	for (size_t i = 0; !status && i < comparison->pair_count; i++) {
		struct dp_pair_data *pair = &comparison->pairs[i];

		if (dp_compare__numbers(comparison, pair) || dp_compare__places(comparison, pair) ||
		    dp_compare__kernels(comparison, pair) || dp_compare__findings(comparison, pair))
			status = dp_error__nomem(error, 0);
	}
	if (!status && dp_compare__elsewhere(comparison))
		status = dp_error__nomem(error, 0);
	return status;
}

int dp_comparison_run(struct dp_comparison **comparison, const struct dp_analysis *before,
		      const struct dp_analysis *after, const struct dp_compare_options *options,
		      struct dp_error *error)
{
	struct dp_compare_options all = DP_COMPARE_OPTIONS_INIT;
	struct dp_comparison *made;
	int status;

	if (dp_options__take(&all, sizeof(all), options, error))
		return DP_ERR_ARGUMENT;
	if (!(all.confidence > 0.5 && all.confidence < 1))
		return dp_error__set(error, DP_ERR_ARGUMENT,
				     "a confidence is above 50%% and below 100%%");
	made = dp_alloc__zeroed(1, sizeof(*made));
	if (!made)
		return dp_error__nomem(error, sizeof(*made));
	made->run[DP_RUN_BEFORE] = dp_analysis_retain(before);
	made->run[DP_RUN_AFTER] = dp_analysis_retain(after);
	made->confidence = all.confidence;
	made->deviations = dp_normal__deviations(all.confidence);
	status = fill(made, &all, error);
	if (status)
		dp_comparison_free(made);
	else
		*comparison = made;
	return status;
}

void dp_comparison_free(struct dp_comparison *comparison)
{
	if (!comparison || atomic_fetch_sub(&comparison->more_owners, 1))
		return;
	for (size_t i = 0; i < comparison->pair_count; i++) {
		free(comparison->pairs[i].metrics);
		free(comparison->pairs[i].parts);
		free(comparison->pairs[i].places);
		free(comparison->pairs[i].kernels);
		free(comparison->pairs[i].findings);
	}
	free(comparison->pairs);
	for (int i = 0; i < 2; i++)
		dp_analysis_free(comparison->run[i]);
	free(comparison);
}

struct dp_comparison *dp_comparison_retain(const struct dp_comparison *comparison)
{
	struct dp_comparison *owned = (struct dp_comparison *)comparison;

	atomic_fetch_add(&owned->more_owners, 1);
	return owned;
}

const struct dp_analysis *dp_comparison_analysis(const struct dp_comparison *comparison,
						 enum dp_run run)
{
	return comparison->run[run == DP_RUN_AFTER];
}

double dp_comparison_confidence(const struct dp_comparison *comparison)
{
	return comparison->confidence;
}

size_t dp_comparison_pair_count(const struct dp_comparison *comparison)
{
	return comparison->pair_count;
}

static const struct dp_pair_data *pair_at(const struct dp_comparison *comparison, size_t pair)
{
	return pair < comparison->pair_count ? &comparison->pairs[pair] : NULL;
}

const struct dp_loop_pair *dp_comparison_pair(const struct dp_comparison *comparison, size_t pair)
{
	const struct dp_pair_data *at = pair_at(comparison, pair);

	return at ? &at->info : NULL;
}

const struct dp_difference *dp_pair_metric(const struct dp_comparison *comparison, size_t pair,
					   size_t metric)
{
	const struct dp_pair_data *at = pair_at(comparison, pair);

	return at && dp_metric(metric) ? &at->metrics[metric] : NULL;
}

const struct dp_difference *dp_pair_time(const struct dp_comparison *comparison, size_t pair)
{
	const struct dp_pair_data *at = pair_at(comparison, pair);

	return at ? &at->metrics[at->time_metric] : NULL;
}

size_t dp_comparison_least(const struct dp_comparison *comparison)
{
	return dp_difference__least(comparison->confidence);
}

const struct dp_pair_part *dp_pair_part(const struct dp_comparison *comparison, size_t pair,
					size_t index)
{
	const struct dp_pair_data *at = pair_at(comparison, pair);

	return at && index < at->part_count ? &at->parts[index] : NULL;
}

const struct dp_pair_kernel *dp_pair_kernel(const struct dp_comparison *comparison, size_t pair,
					    size_t index)
{
	const struct dp_pair_data *at = pair_at(comparison, pair);

	return at && index < at->kernel_count ? &at->kernels[index] : NULL;
}

const struct dp_pair_place *dp_pair_place(const struct dp_comparison *comparison, size_t pair,
					  size_t index)
{
	const struct dp_pair_data *at = pair_at(comparison, pair);

	return at && index < at->place_count ? &at->places[index] : NULL;
}

const struct dp_pair_finding *dp_pair_finding(const struct dp_comparison *comparison, size_t pair,
					      size_t index)
{
	const struct dp_pair_data *at = pair_at(comparison, pair);

	return at && index < at->finding_count ? &at->findings[index] : NULL;
}

const char *dp_kernel_change_name(enum dp_kernel_change kind)
{
	static const char *const names[] = { "same",	"slower",   "faster", "added",
					     "removed", "replaced", "more",   "fewer" };

	return (size_t)kind < DP_COUNT(names) ? names[kind] : "unknown";
}
