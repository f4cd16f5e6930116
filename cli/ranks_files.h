/* The files of a job: which are meant. */
#ifndef DP_CLI_RANKS_FILES_H
#define DP_CLI_RANKS_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* What the name of a summary ends with: that of its trace stands before it. */
#define RANKS_SUMMARY_ENDING ".dpsum"

bool ranks_is_summary_name(const char *path);

/* Files in order of their names, each once. */
struct ranks_files {
	char **paths;
	size_t count, room;
};

/*
 * The files that operands name: files themselves, folders' traces (and those of folders in them),
 * and patterns that the shell left alone. Of a trace and its summary only the trace is in the list.
 * Returns false after printing the error.
 */
bool ranks_files_find(struct ranks_files *files, int argc, char *const *argv);
void ranks_files_free(struct ranks_files *files);

#endif
