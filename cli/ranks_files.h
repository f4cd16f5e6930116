/* Finds the files of a job. */
#ifndef DP_CLI_RANKS_FILES_H
#define DP_CLI_RANKS_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* The suffix of a summary's name, after that of its trace. */
#define RANKS_SUMMARY_ENDING ".dpsum"

bool ranks_is_summary_name(const char *path);

/* Files sorted by name, each once. */
struct ranks_files {
	char **paths;
	size_t count, room;
};

/*
 * Finds the files of operands: files, the traces in folders (and in folders inside them), and
 * patterns that the shell did not expand. Of a trace and its summary, only the trace is listed.
 * Returns false after printing the error.
 */
bool ranks_files_find(struct ranks_files *files, int argc, char *const *argv);
void ranks_files_free(struct ranks_files *files);

#endif
