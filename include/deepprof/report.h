/* An analysis as text, JSON, CSV and whatever else has a renderer. */
#ifndef DEEPPROF_REPORT_H
#define DEEPPROF_REPORT_H

#include <deepprof/analysis.h>
#include <deepprof/common.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where output goes. write returns 0, or anything else to stop: then the report fails with
 * DP_ERR_IO. */
struct dp_sink {
	int (*write)(void *ctx, const void *data, size_t size);
	void *ctx;
};

/* How it looks. Set to DP_REPORT_OPTIONS_INIT first. Pointers are borrowed for the call. */
struct dp_report_options {
	size_t size;
	unsigned width; /* columns of a terminal */
	bool color;	/* ANSI escapes */
	bool ascii;	/* no characters beyond ASCII in what is drawn */
	bool verbose;
	const char *const *metrics; /* names of those to show; NULL: all */
	size_t metrics_count;
	bool gzip;   /* compressed, as RFC 1952 has it */
	bool kineto; /* "chrome": what Kineto writes, for tools that need its ProfilerStep */
};

#define DP_REPORT_OPTIONS_INIT                                                                   \
	{                                                                                        \
		sizeof(struct dp_report_options), 80, false, false, false, NULL, 0, false, false \
	}

/* A renderer. */
struct dp_report_format {
	const char *name;
	const char *extension; /* "json" */
	const char *help;      /* one line */
	bool binary;	       /* not for a terminal */
};

/* By index, NULL beyond the end. Static. */
DP_API const struct dp_report_format *dp_report_format(size_t index);

/*
 * Writes an analysis in a format. options may be NULL. The same analysis gives the same bytes.
 * Errors: DP_ERR_ARGUMENT (no such format or metric), DP_ERR_IO (the sink stopped), DP_ERR_NOMEM.
 * Cost: linear in iterations; of formats that hold the whole trace (chrome, sqlite) in its events.
 */
DP_API int dp_report_write(const struct dp_analysis *analysis, const char *format,
			   const struct dp_report_options *options, const struct dp_sink *sink,
			   struct dp_error *error);

#ifdef __cplusplus
}
#endif

#endif
