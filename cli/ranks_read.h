/* Reduces the files of a job to summaries, several at a time. */
#ifndef DP_CLI_RANKS_READ_H
#define DP_CLI_RANKS_READ_H

#include "ranks_files.h"
#include "analyze_options.h"

struct ranks_reading {
	const struct analyze_options *args; /* how to analyze; its log is not used */
	char *settings;			    /* the same as text, for summaries */
	unsigned threads;
};

/* threads 0: one per core. Returns false after printing the error. */
bool ranks_reading_init(struct ranks_reading *reading, const struct analyze_options *args,
			uint64_t threads);
void ranks_reading_fini(struct ranks_reading *reading);

/* Calls each() for every file, in order, on all threads at once; label precedes the progress. */
void ranks_each(const struct ranks_reading *reading, size_t count, const char *label,
		void (*each)(void *ctx, size_t index), void *ctx);

/* Protects messages, files and results of each(): one thread at a time. */
void ranks_lock(void);
void ranks_unlock(void);

/*
 * Analyzes and reduces a trace. On failure, sets *why to the reason, which the caller frees, or to
 * NULL if memory runs out. If -n is given, sets *warning to the analysis' first warning, which the
 * caller frees, too; the pointer may be NULL. Returns a status of the library.
 */
int ranks_summarize(struct dp_summary **summary, const struct ranks_reading *reading,
		    const char *path, char **why, char **warning);

/* Reads a trace's summary from a file. Returns NULL if it is missing or out of date. */
struct dp_summary *ranks_find_summary(const struct ranks_reading *reading, const char *path,
				      const char *summary);

/* Returns the name of the summary next to a trace; the caller frees it. NULL if memory runs out. */
char *ranks_summary_name(const char *path);

/* The summaries of files. */
struct ranks_summaries {
	struct dp_summary **summaries;
	size_t count;
	struct dp_left_out *left_out; /* files that could not be read */
	int *statuses; /* the library's; DP_OK: an old summary whose traces are read */
	size_t left_out_count;
	char **why; /* per file; left_out borrows them */
	size_t files;
};

/*
 * Reads summaries, and analyzes traces that none of them covers, on all threads at once: memory is
 * that of the traces in progress and of all summaries. The result does not depend on the number of
 * threads. Returns false after printing the error.
 */
bool ranks_read(struct ranks_summaries *out, const struct ranks_files *files,
		const struct ranks_reading *reading, const char *label);
void ranks_summaries_free(struct ranks_summaries *summaries);

#endif
