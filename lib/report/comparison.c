/* dp_comparison_write(): which renderer, and what they share. */
#include "report/comparison.h"

#include <string.h>

#define DP_ENTRY(word) extern const struct dp_comparison_renderer dp_comparison_renderer__##word;
#include "report/comparison_table.h"
#undef DP_ENTRY

static const struct dp_comparison_renderer *const renderers[] = {
#define DP_ENTRY(word) &dp_comparison_renderer__##word,
#include "report/comparison_table.h"
#undef DP_ENTRY
};

const struct dp_report_format *dp_comparison_format(size_t index)
{
	return index < DP_COUNT(renderers) ? &renderers[index]->info : NULL;
}

/* A renderer, and what it is to write. */
struct job {
	const struct dp_comparison_renderer *renderer;
	const struct dp_comparison *comparison;
};

static void write_job(struct dp_render *render, const void *what)
{
	const struct job *job = what;

	job->renderer->write(render, job->comparison);
}

int dp_comparison_write(const struct dp_comparison *comparison, const char *format,
			const struct dp_report_options *options, const struct dp_sink *sink,
			struct dp_error *error)
{
	struct dp_report_options all = DP_REPORT_OPTIONS_INIT;
	struct dp_render render = {
		.analysis = dp_comparison_analysis(comparison, DP_RUN_BEFORE),
		.options = &all,
		.sink = sink,
		.error = error,
	};
	struct job job = { NULL, comparison };

	if (options)
		memcpy(&all, options, DP_MIN(options->size, sizeof(all)));
	if (dp_render__check(&all, error))
		return DP_ERR_ARGUMENT;
	for (size_t i = 0; i < DP_COUNT(renderers); i++)
		if (!strcmp(renderers[i]->info.name, format))
			job.renderer = renderers[i];
	if (!job.renderer)
		return dp_error__set(error, DP_ERR_ARGUMENT, "no format of comparisons '%s'",
				     format);
	return dp_render__run(&render, write_job, &job);
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
