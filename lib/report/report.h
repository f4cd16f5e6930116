/*
 * The seam of the renderers. A renderer is one file with one struct dp_renderer named
 * dp_renderer__<word>, and its word in the list in lib/report/meson.build. Renderers read the
 * finished analysis through the public accessors only.
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
	int status;   /* the first failure; output stops then */
	void *state;  /* the renderer's own: begin makes it, end frees it */
	char *buffer; /* gathers small writes: DP_RENDER_BUFFER bytes */
	size_t used;
	size_t lines; /* written so far */
	size_t bytes;
	bool counts; /* lines only: what is written goes nowhere */
};

/* Output; failures are kept in render->status, so that renderers need not look each time. */
void dp_render__write(struct dp_render *render, const char *text, size_t length);
void dp_render__text(struct dp_render *render, const char *text);
void dp_render__format(struct dp_render *render, const char *format, ...) DP_PRINTF(2, 3);

void dp_render__integer(struct dp_render *render, int64_t value);

/* A renderer of a comparison or of ranks: writes all of it. */
struct dp_whole_renderer {
	struct dp_report_format info;
	void (*write)(struct dp_render *render, const void *what);
};

/*
 * Writes what in a format, one of count renderers. analysis is render->analysis, which may be NULL.
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

/* Has write called, and what it writes buffered, and compressed where the options say so. render
 * has its first four members. Returns the first failure. */
int dp_render__run(struct dp_render *render,
		   void (*write)(struct dp_render *render, const void *what), const void *what);

/* DP_ERR_ARGUMENT if the options name an unknown metric. */
int dp_render__check(const struct dp_report_options *options, struct dp_error *error);

/* True where the options show a metric or a summary: one chosen, or a chosen metric's summary. */
bool dp_render__shows(const struct dp_render *render, const struct dp_metric_info *info);

/* Is this the first number of the API call that a finding is about, so that it be named there? */
bool dp_render__names_call(const struct dp_finding *finding, size_t evidence);

/*
 * Called in order: begin; per loop: loop, then iteration for each of its iterations; finding for
 * each finding; end. Any of the middle ones may be NULL. end is called whenever begin succeeded.
 */
struct dp_renderer {
	struct dp_report_format info;
	int (*begin)(struct dp_render *render);
	int (*loop)(struct dp_render *render, size_t loop);
	int (*iteration)(struct dp_render *render, size_t loop, size_t iteration);
	int (*finding)(struct dp_render *render, size_t finding);
	int (*end)(struct dp_render *render);
};

/* "json" where the options ask for it in brief. */
extern const struct dp_renderer dp_renderer__json_brief;

/* The table; NULL beyond the end. */
const struct dp_renderer *dp_renderer__at(size_t index);

#endif
