/* dp_comparison_write(): chooses the renderer, and what renderers share. */
#include "report/comparison.h"

#define DP_ENTRY(word) extern const struct dp_whole_renderer dp_comparison_renderer__##word;
#include "report/comparison_table.h"
#undef DP_ENTRY

static const struct dp_whole_renderer *const renderers[] = {
#define DP_ENTRY(word) &dp_comparison_renderer__##word,
#include "report/comparison_table.h"
#undef DP_ENTRY
};

const struct dp_report_format *dp_comparison_format(size_t index)
{
	return index < DP_COUNT(renderers) ? &renderers[index]->info : NULL;
}

int dp_comparison_write(const struct dp_comparison *comparison, const char *format,
			const struct dp_report_options *options, const struct dp_sink *sink,
			struct dp_error *error)
{
	struct dp_whole whole = {
		.renderers = renderers,
		.count = DP_COUNT(renderers),
		.what = comparison,
		.analysis = dp_comparison_analysis(comparison, DP_RUN_BEFORE),
	};

	return dp_whole__write(&whole, format, options, sink, error);
}

static bool is_paired(const struct dp_comparison *comparison, enum dp_run run, size_t loop)
{
	const struct dp_loop_pair *pair;

	for (size_t i = 0; (pair = dp_comparison_pair(comparison, i)); i++)
		if (pair->loop[run] == loop)
			return true;
	return false;
}

bool dp_comparison__next_alone(const struct dp_comparison *comparison, enum dp_run run,
			       size_t *loop)
{
	const struct dp_analysis *analysis = dp_comparison_analysis(comparison, run);
	const struct dp_loop *info;

	for (; (info = dp_analysis_loop(analysis, *loop)); ++*loop)
		if (info->selected && !is_paired(comparison, run, *loop))
			return true;
	return false;
}
