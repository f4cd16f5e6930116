/*
 * Choose a renderer, run it, and buffer its output: dp_report_write(), dp_comparison_write() and
 * dp_ranks_write().
 */
#include "report/report.h"
#include "base/options.h"
#include "report/gzip.h"
#include "report/number.h"

#include <deepprof/compare.h>
#include <deepprof/ranks.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DP_ENTRY(word) extern const struct dp_renderer dp_renderer__##word;
#include "report/report_table.h"
#undef DP_ENTRY

static const struct dp_renderer *const renderers[] = {
#define DP_ENTRY(word) &dp_renderer__##word,
#include "report/report_table.h"
#undef DP_ENTRY
	NULL
};

const struct dp_renderer *dp_renderer__at(size_t index)
{
	return index < DP_COUNT(renderers) ? renderers[index] : NULL;
}

const struct dp_report_format *dp_report_format(size_t index)
{
	const struct dp_renderer *renderer = dp_renderer__at(index);

	return renderer ? &renderer->info : NULL;
}

bool dp_render__knows_slow(const struct dp_render *render, size_t loop)
{
	return dp_analysis_is_diagnosed(render->analysis) &&
	       dp_analysis_loop(render->analysis, loop)->selected;
}

bool dp_render__names_call(const struct dp_finding *finding, size_t evidence)
{
	for (size_t i = 0; i < evidence; i++)
		if (finding->evidence[i].call)
			return false;
	return finding->evidence[evidence].call;
}

static int cannot_write(struct dp_error *error)
{
	return dp_error__set(error, DP_ERR_IO, "the report could not be written");
}

static void sink_write(struct dp_render *render, const char *data, size_t size)
{
	if (render->status || !size)
		return;
	if (render->sink->write(render->sink->ctx, data, size))
		render->status = cannot_write(render->error);
}

static void flush(struct dp_render *render)
{
	sink_write(render, render->buffer, render->used);
	render->used = 0;
}

void dp_render__write(struct dp_render *render, const char *text, size_t length)
{
	for (const char *at = text; (at = memchr(at, '\n', length - (size_t)(at - text))); at++)
		render->lines++;
	if (render->counts)
		return;
	render->bytes += length;
	if (length > DP_RENDER_BUFFER - render->used)
		flush(render);
	if (length > DP_RENDER_BUFFER) {
		sink_write(render, text, length);
		return;
	}
	memcpy(render->buffer + render->used, text, length);
	render->used += length;
}

void dp_render__text(struct dp_render *render, const char *text)
{
	dp_render__write(render, text, strlen(text));
}

void dp_render__integer(struct dp_render *render, int64_t value)
{
	char buf[DP_NUMBER_SIZE];

	dp_render__write(render, buf, dp_number__integer(buf, value));
}

void dp_render__format(struct dp_render *render, const char *format, ...)
{
	char text[512], *longer = NULL;
	va_list args, again;
	int n;

	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(text, sizeof(text), format, args);
	if (n >= (int)sizeof(text)) {
		longer = malloc((size_t)n + 1);
		if (longer)
			vsnprintf(longer, (size_t)n + 1, format, again);
		else if (!render->status)
			render->status = dp_error__nomem(render->error, (size_t)n + 1);
	}
	va_end(again);
	va_end(args);
	if (n > 0 && !render->status)
		dp_render__write(render, longer ? longer : text, (size_t)n);
	free(longer);
}

static bool is_chosen(const struct dp_report_options *options, const char *name)
{
	for (size_t i = 0; i < options->metrics_count; i++)
		if (!strcmp(options->metrics[i], name))
			return true;
	return false;
}

bool dp_render__shows(const struct dp_render *render, const struct dp_metric_info *info)
{
	return !render->options->metrics || is_chosen(render->options, info->name) ||
	       (info->of && is_chosen(render->options, info->of));
}

static const char *metric_name(size_t index, const void *ctx)
{
	return dp_metric_name(index);
}

int dp_render__check(const struct dp_report_options *options, struct dp_error *error)
{
	for (size_t i = 0; options->metrics && i < options->metrics_count; i++)
		if (dp_metric_find(options->metrics[i]) == SIZE_MAX &&
		    dp_summary_metric_find(options->metrics[i]) == SIZE_MAX)
			return dp_error__unknown(error, "metric", options->metrics[i], metric_name,
						 NULL);
	return DP_OK;
}

static const char *format_name(size_t index, const void *ctx)
{
	const struct dp_renderer *renderer = dp_renderer__at(index);

	return renderer ? renderer->info.name : NULL;
}

/* The renderer of a format, if it supports the options. */
static const struct dp_renderer *choose(const char *format, const struct dp_report_options *options,
					struct dp_error *error)
{
	if (dp_render__check(options, error))
		return NULL;
	if (options->brief && !strcmp(format, dp_renderer__json_brief.info.name))
		return &dp_renderer__json_brief;
	for (size_t i = 0; renderers[i]; i++)
		if (!strcmp(renderers[i]->info.name, format))
			return renderers[i];
	dp_error__unknown(error, "format", format, format_name, NULL);
	return NULL;
}

/* Keeps the first failure of the callbacks. Returns false after one. */
static bool goes_on(struct dp_render *render, int status)
{
	if (!render->status)
		render->status = status;
	return !render->status;
}

static void write_loop(struct dp_render *render, const struct dp_renderer *renderer, size_t loop)
{
	size_t count = dp_analysis_loop(render->analysis, loop)->iterations;

	if (renderer->loop && !goes_on(render, renderer->loop(render, loop)))
		return;
	for (size_t k = 0; renderer->iteration && k < count; k++)
		if (!goes_on(render, renderer->iteration(render, loop, k)))
			return;
}

static void write_all(struct dp_render *render, const void *what)
{
	const struct dp_renderer *renderer = what;
	int status = renderer->begin(render);

	goes_on(render, status);
	if (status)
		return;
	for (size_t i = 0; !render->status && i < dp_analysis_loop_count(render->analysis); i++)
		write_loop(render, renderer, i);
	for (size_t i = 0; renderer->finding && !render->status &&
			   i < dp_analysis_finding_count(render->analysis);
	     i++)
		goes_on(render, renderer->finding(render, i));
	goes_on(render, renderer->end(render));
}

int dp_render__run(struct dp_render *render,
		   void (*write)(struct dp_render *render, const void *what), const void *what)
{
	struct dp_gzip *gzip = NULL;

	render->buffer = malloc(DP_RENDER_BUFFER);
	if (!render->buffer)
		return dp_error__nomem(render->error, DP_RENDER_BUFFER);
	if (render->options->gzip)
		render->status = dp_gzip__new(&gzip, render->sink, render->error);
	if (gzip)
		render->sink = dp_gzip__sink(gzip);
	if (!render->status)
		write(render, what);
	if (!render->status)
		flush(render);
	if (gzip && !render->status && dp_gzip__finish(gzip))
		render->status = cannot_write(render->error);
	dp_gzip__free(gzip);
	free(render->buffer);
	return render->status;
}

int dp_report_write(const struct dp_analysis *analysis, const char *format,
		    const struct dp_report_options *options, const struct dp_sink *sink,
		    struct dp_error *error)
{
	struct dp_report_options all = DP_REPORT_OPTIONS_INIT;
	struct dp_render render = {
		.analysis = analysis, .options = &all, .sink = sink, .error = error
	};
	const struct dp_renderer *renderer;

	if (dp_options__take(&all, sizeof(all), options, error))
		return DP_ERR_ARGUMENT;
	renderer = choose(format, &all, error);
	if (!renderer)
		return DP_ERR_ARGUMENT;
	return dp_render__run(&render, write_all, renderer);
}

struct job {
	const struct dp_whole_renderer *renderer;
	const void *what;
};

static void write_job(struct dp_render *render, const void *what)
{
	const struct job *job = what;

	job->renderer->write(render, job->what);
}

static const char *whole_format_name(size_t index, const void *ctx)
{
	const struct dp_whole *whole = ctx;

	return index < whole->count ? whole->renderers[index]->info.name : NULL;
}

int dp_whole__write(const struct dp_whole *whole, const char *format,
		    const struct dp_report_options *options, const struct dp_sink *sink,
		    struct dp_error *error)
{
	struct dp_report_options all = DP_REPORT_OPTIONS_INIT;
	struct dp_render render = {
		.analysis = whole->analysis, .options = &all, .sink = sink, .error = error
	};
	struct job job = { NULL, whole->what };

	if (dp_options__take(&all, sizeof(all), options, error) || dp_render__check(&all, error))
		return DP_ERR_ARGUMENT;
	for (size_t i = 0; i < whole->count; i++)
		if (!strcmp(whole->renderers[i]->info.name, format))
			job.renderer = whole->renderers[i];
	if (!job.renderer)
		return dp_error__unknown(error, "format", format, whole_format_name, whole);
	return dp_render__run(&render, write_job, &job);
}

#define DP_ENTRY(word) extern const struct dp_whole_renderer dp_comparison_renderer__##word;
#include "report/comparison_table.h"
#undef DP_ENTRY

static const struct dp_whole_renderer *const comparison_renderers[] = {
#define DP_ENTRY(word) &dp_comparison_renderer__##word,
#include "report/comparison_table.h"
#undef DP_ENTRY
};

const struct dp_report_format *dp_comparison_format(size_t index)
{
	return index < DP_COUNT(comparison_renderers) ? &comparison_renderers[index]->info : NULL;
}

int dp_comparison_write(const struct dp_comparison *comparison, const char *format,
			const struct dp_report_options *options, const struct dp_sink *sink,
			struct dp_error *error)
{
	struct dp_whole whole = {
		.renderers = comparison_renderers,
		.count = DP_COUNT(comparison_renderers),
		.what = comparison,
		.analysis = dp_comparison_analysis(comparison, DP_RUN_BEFORE),
	};

	return dp_whole__write(&whole, format, options, sink, error);
}

#define DP_ENTRY(word) extern const struct dp_whole_renderer dp_ranks_renderer__##word;
#include "report/ranks_table.h"
#undef DP_ENTRY

static const struct dp_whole_renderer *const ranks_renderers[] = {
#define DP_ENTRY(word) &dp_ranks_renderer__##word,
#include "report/ranks_table.h"
#undef DP_ENTRY
};

const struct dp_report_format *dp_ranks_format(size_t index)
{
	return index < DP_COUNT(ranks_renderers) ? &ranks_renderers[index]->info : NULL;
}

int dp_ranks_write(const struct dp_ranks *ranks, const char *format,
		   const struct dp_report_options *options, const struct dp_sink *sink,
		   struct dp_error *error)
{
	struct dp_whole whole = {
		.renderers = ranks_renderers,
		.count = DP_COUNT(ranks_renderers),
		.what = ranks,
	};

	return dp_whole__write(&whole, format, options, sink, error);
}
