/* From the name of a file to a trace, with all messages on the way. */
#ifndef DP_CLI_SOURCE_H
#define DP_CLI_SOURCE_H

#include <deepprof/trace.h>
#include <stdbool.h>

struct source_options {
	const char *verb; /* for what is suggested */
	const char *input_format;
	bool allow_no_gpu;
	bool quiet;
};

/*
 * Opens a trace; nsys recordings are exported first. Progress, warnings about losses and errors
 * go to standard error. Returns NULL where it can't be read. The caller frees the trace.
 */
struct dp_trace *source_open(const char *path, const struct source_options *options);

/* What a command reads that got no FILE. */
#define SOURCE_DEFAULT "deepprof.db"

/* For opt.choice: the importers. */
const char *source_format_name(size_t index);

#endif
