/* What the files of a job are reduced to, several at a time. */
#ifndef DP_CLI_RANKS_READ_H
#define DP_CLI_RANKS_READ_H

#include "ranks_files.h"
#include "analyze_options.h"

struct ranks_reading {
	const struct analyze_options *args; /* how to analyze; its log is not used */
	char *settings;		 /* the same in words, for summaries */
	unsigned threads;
};

/* threads of 0 is one per core. Returns false after printing the error. */
bool ranks_reading_init(struct ranks_reading *reading, const struct analyze_options *args,
			uint64_t threads);
void ranks_reading_fini(struct ranks_reading *reading);

/*
 * Calls each() for every file, in order, on as many threads at once as there are; label stands
 * before the progress.
 */
void ranks_each(const struct ranks_reading *reading, size_t count, const char *label,
		void (*each)(void *ctx, size_t index), void *ctx);

/* Around messages, files and results of each(): one thread at a time. */
void ranks_lock(void);
void ranks_unlock(void);

/*
 * Analyzes a trace and reduces it. Where that fails *why is the reason, to be freed; NULL where
 * memory is short. Returns a status of the library.
 */
int ranks_summarize(struct dp_summary **summary, const struct ranks_reading *reading,
		    const char *path, char **why);

/* A trace's summary, from a file; NULL where it does not exist or is not up to date. */
struct dp_summary *ranks_find_summary(const struct ranks_reading *reading, const char *path,
				      const char *summary);

/* The name of the summary next to a trace, to be freed; NULL if memory is short. */
char *ranks_summary_name(const char *path);

/* What files were reduced to. */
struct ranks_summaries {
	struct dp_summary **summaries;
	size_t count;
	struct dp_left_out *left_out; /* files that could not be read */
	int *statuses; /* why, as the library's; DP_OK: an old summary, its traces are read */
	size_t left_out_count;
	char **why; /* per file; what left_out borrows */
	size_t files;
};

/*
 * Reads summaries, and analyzes traces that none of them is of, as many at once as there are
 * threads: memory is that of the traces under way and of all summaries. The result does not depend
 * on the number of threads. Returns false after printing the error.
 */
bool ranks_read(struct ranks_summaries *out, const struct ranks_files *files,
		const struct ranks_reading *reading, const char *label);
void ranks_summaries_free(struct ranks_summaries *summaries);

#endif
