/*
 * The interface of the renderers. A renderer is one file with one struct dp_renderer named
 * dp_renderer__<word>, and its word in the list in lib/report/meson.build. Renderers read the
 * finished analysis only through the public accessors.
 */
#ifndef DP_REPORT_REPORT_H
#define DP_REPORT_REPORT_H

#include "base/base.h"
#include <deepprof/report.h>

#define DP_RENDER_BUFFER 65536

/* One rendering under way. */
struct dp_render {
	const struct dp_analysis *analysis;
	const struct dp_report_options *options; /* complete */
	const struct dp_sink *sink;
	struct dp_error *error;
	int status;   /* the first failure, after which output stops */
	void *state;  /* the renderer's own: begin allocates it, end frees it */
	char *buffer; /* collects small writes: DP_RENDER_BUFFER bytes */
	size_t used;
	size_t lines; /* written so far */
	size_t bytes;
	bool counts; /* only counts lines; output is discarded */
};

/*
 * Output functions. They keep a failure in render->status, so that renderers need not check each
 * call.
 */
void dp_render__write(struct dp_render *render, const char *text, size_t length);
void dp_render__text(struct dp_render *render, const char *text);
void dp_render__format(struct dp_render *render, const char *format, ...) DP_PRINTF(2, 3);

void dp_render__integer(struct dp_render *render, int64_t value);

/*
 * A renderer of a comparison or of ranks, which writes everything in one call. Each is one file
 * with one of these named dp_comparison_renderer__<word> or dp_ranks_renderer__<word>, and its word
 * in the list in lib/report/meson.build. They read the comparison and its analyses, or the result
 * for the ranks, only through the public accessors.
 */
struct dp_whole_renderer {
	struct dp_report_format info;
	void (*write)(struct dp_render *render, const void *what);
};

/*
 * What to write in which format, with one of count renderers. analysis is render->analysis, which
 * may be NULL.
 */
struct dp_whole {
	const struct dp_whole_renderer *const *renderers;
	size_t count;
	const void *what;
	const struct dp_analysis *analysis;
};
int dp_whole__write(const struct dp_whole *whole, const char *format,
		    const struct dp_report_options *options, const struct dp_sink *sink,
		    struct dp_error *error);

/*
 * Calls write, and buffers its output, compressed if the options require it. The first four members
 * of render must be set. Returns the first failure.
 */
int dp_render__run(struct dp_render *render,
		   void (*write)(struct dp_render *render, const void *what), const void *what);

/* Returns DP_ERR_ARGUMENT if the options name an unknown metric. */
int dp_render__check(const struct dp_report_options *options, struct dp_error *error);

/*
 * Returns true if the options show a metric or a summary: a chosen one, or a chosen metric's
 * summary.
 */
bool dp_render__shows(const struct dp_render *render, const struct dp_metric_info *info);

/* Returns true if it is known which iterations of a loop are slow. */
bool dp_render__knows_slow(const struct dp_render *render, size_t loop);

/* Returns true for the first number about the API call of a finding: the call is named there. */
bool dp_render__names_call(const struct dp_finding *finding, size_t evidence);

/*
 * The callbacks of a renderer, called in order: begin; for each loop, loop, then iteration for each
 * of its iterations; finding for each finding; end. Those in between may be NULL. end is called if
 * begin succeeded.
 */
struct dp_renderer {
	struct dp_report_format info;
	int (*begin)(struct dp_render *render);
	int (*loop)(struct dp_render *render, size_t loop);
	int (*iteration)(struct dp_render *render, size_t loop, size_t iteration);
	int (*finding)(struct dp_render *render, size_t finding);
	int (*end)(struct dp_render *render);
};

/* Replaces "json" if the options request the brief form. */
extern const struct dp_renderer dp_renderer__json_brief;

/* The renderer at an index, or NULL beyond the end. */
const struct dp_renderer *dp_renderer__at(size_t index);

#endif
