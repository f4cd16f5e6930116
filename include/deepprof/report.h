/* Writes an analysis as text, JSON, CSV, HTML and in other formats, and what a trace holds. */
#ifndef DEEPPROF_REPORT_H
#define DEEPPROF_REPORT_H

#include <deepprof/analysis.h>
#include <deepprof/common.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Where output goes. write returns 0, or any other value to stop; the report then fails with
 * DP_ERR_IO.
 */
struct dp_sink {
	int (*write)(void *ctx, const void *data, size_t size);
	void *ctx;
};

/* Set to DP_REPORT_OPTIONS_INIT, then change members. Pointers are borrowed for the call. */
struct dp_report_options {
	size_t size;
	unsigned width; /* columns of a terminal */
	bool color;	/* ANSI escapes */
	bool ascii;	/* draw with ASCII characters only */
	bool verbose;
	const char *const *metrics; /* the names of those to show; NULL: all */
	size_t metrics_count;
	bool gzip;    /* compress the output (RFC 1952) */
	bool kineto;  /* "chrome": as Kineto writes it, for tools that need ProfilerStep */
	bool follows; /* another trace's report precedes it in the same output */
	/*
	 * "text": lines of the screen to fit; 0: 24; UINT_MAX: there is no screen, and findings
	 * are written in full
	 */
	unsigned height;
	bool all; /* "text", verbose: write all rows of tables */
	bool brief; /* "json": at most 20,000 bytes, without iterations */
	size_t top; /* dp_trace_info_write(): how many kernels to list */
};

#define DP_REPORT_OPTIONS_INIT                                                                    \
	{                                                                                         \
		sizeof(struct dp_report_options), 80, false, false, false, NULL, 0, false, false, \
			false, 0, false, false, 10                                                \
	}

/* A renderer. */
struct dp_report_format {
	const char *name;
	const char *extension; /* "json" */
	const char *help;      /* one line */
	bool binary;	       /* unsuitable for a terminal */
	bool single;	       /* one output holds one trace */
};

/* By index; NULL beyond the last. Static. */
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
 * Writes what a trace holds, without analyzing it: its format, processes, devices, streams and top
 * kernels. The formats are "text" and "json"; of the options, width, ascii, verbose, gzip and top
 * count. Errors: those of dp_report_write(). Cost: linear in the trace.
 */
DP_API int dp_trace_info_write(const struct dp_trace *trace, const char *format,
			       const struct dp_report_options *options, const struct dp_sink *sink,
			       struct dp_error *error);

/* Its formats by index; NULL beyond the last. Static. */
DP_API const struct dp_report_format *dp_trace_info_format(size_t index);

/*
 * Turns a name from a trace into one line that is safe on a terminal. Control characters, escape
 * sequences, bidirectional marks and characters without width become '?', and so do characters
 * beyond ASCII if ascii is set. A name wider than columns loses its middle. At most size bytes are
 * written, the NUL included; a column may take four. Returns buf. Cost: linear in the text.
 */
DP_API char *dp_label_text(char *buf, size_t size, const char *text, size_t columns, bool ascii);

/*
 * The same for a kernel's name, but before its middle, the least informative parts are dropped one
 * by one until it fits: the return type and parameters of a C++ function, all namespaces, then
 * template arguments, from the innermost and last.
 */
DP_API char *dp_label_kernel(char *buf, size_t size, const char *name, size_t columns, bool ascii);

/* The columns that such a line occupies: wide East Asian characters take two. */
DP_API size_t dp_label_width(const char *text);

/*
 * Numbers for people, the same in every locale: "1,234,567", "12.34 ms", "1.500 GiB". At most size
 * bytes are written, the NUL included; DP_LABEL_NUMBER_SIZE are enough. Return buf.
 */
#define DP_LABEL_NUMBER_SIZE 48
DP_API char *dp_label_count(char *buf, size_t size, uint64_t count);
DP_API char *dp_label_duration(char *buf, size_t size, double ns, bool ascii);
DP_API char *dp_label_bytes(char *buf, size_t size, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
