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
	bool gzip;    /* compressed, as RFC 1952 has it */
	bool kineto;  /* "chrome": what Kineto writes, for tools that need its ProfilerStep */
	bool follows; /* another trace's report stands before it in the same output */
	/* "text": lines of a screen that it should fit; 0: 24; UINT_MAX: there is no screen, and
	 * findings are shown with all their evidence */
	unsigned height;
	bool all; /* "text", verbose: tables have all their rows */
	bool brief; /* "json": at most 20,000 bytes, without iterations */
};

#define DP_REPORT_OPTIONS_INIT                                                                    \
	{                                                                                         \
		sizeof(struct dp_report_options), 80, false, false, false, NULL, 0, false, false, \
			false, 0, false, false                                                    \
	}

/* A renderer. */
struct dp_report_format {
	const char *name;
	const char *extension; /* "json" */
	const char *help;      /* one line */
	bool binary;	       /* not for a terminal */
	bool single;	       /* the reports of several traces can't be one output */
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

/*
 * A name from a trace as one line for a terminal: control characters, escape sequences, marks that
 * turn the direction of writing and characters without a width are shown as '?', as is all beyond
 * ASCII where ascii is set. Where it is wider than columns its middle is left out. At most size
 * bytes are written, the terminating zero included; a column may take four. Returns buf. Cost: the
 * text's length.
 */
DP_API char *dp_label_text(char *buf, size_t size, const char *text, size_t columns, bool ascii);

/*
 * The same for a kernel's name, but before the middle is left out, what says least goes, step by
 * step until it fits: the return type and the parameters of a C++ function, all namespaces, then
 * template arguments, the innermost first and the last before the first.
 */
DP_API char *dp_label_kernel(char *buf, size_t size, const char *name, size_t columns, bool ascii);

/* Columns that such a line takes: wide East Asian characters take two. */
DP_API size_t dp_label_width(const char *text);

#ifdef __cplusplus
}
#endif

#endif
