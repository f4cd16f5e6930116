/* The traces of a job: which files are meant, and what each is reduced to, several at a time. */
#ifndef DP_CLI_RANKS_FILES_H
#define DP_CLI_RANKS_FILES_H

#include <deepprof/deepprof.h>
#include <stdbool.h>
#include <stddef.h>

/* Files in order of their names, each once. */
struct ranks_files {
	char **paths;
	size_t count, room;
};

/*
 * The files that operands name: files themselves, folders' traces (and those of folders in them), and
 * patterns that the shell left alone. Returns false after printing the error.
 */
bool ranks_files_find(struct ranks_files *files, int argc, char *const *argv);
void ranks_files_free(struct ranks_files *files);

/* What files were reduced to. */
struct ranks_summaries {
	struct dp_summary **summaries;
	size_t count;
	struct dp_left_out *left_out; /* files that could not be read */
	size_t left_out_count;
	char **why; /* per file; what left_out borrows */
	size_t files;
};

struct ranks_reading {
	const struct dp_analysis_options *analysis; /* its log is not used */
	const char *input_format;		    /* or NULL */
	unsigned threads;
	bool quiet;
};

/*
 * Analyzes files, as many at once as there are threads: memory is that of the traces under way and
 * of all summaries. The result does not depend on the number of threads. Returns false after
 * printing the error.
 */
bool ranks_files_read(struct ranks_summaries *out, const struct ranks_files *files,
		      const struct ranks_reading *reading);
void ranks_summaries_free(struct ranks_summaries *summaries);

#endif
