/* Opens a trace by the name of its file, and prints all messages on the way. */
#ifndef DP_CLI_SOURCE_H
#define DP_CLI_SOURCE_H

#include <deepprof/trace.h>
#include <stdbool.h>

struct source_options {
	const char *verb; /* for suggestions */
	const char *input_format;
	bool allow_no_gpu;
	bool quiet;
};

/*
 * Opens a trace; nsys recordings are exported first. Progress, warnings about losses and errors go
 * to standard error. Returns NULL if it cannot be read. The caller frees the trace.
 */
struct dp_trace *source_open(const char *path, const struct source_options *options);

/* The input of a command without a FILE. */
#define SOURCE_DEFAULT "deepprof.db"

/* For opt.choice: returns the names of importers. */
const char *source_format_name(size_t index);

#endif
