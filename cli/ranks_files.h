/* Finds the files of a job. */
#ifndef DP_CLI_RANKS_FILES_H
#define DP_CLI_RANKS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The suffix of a summary's name, after that of its trace. */
#define RANKS_SUMMARY_ENDING ".dpsum"

bool ranks_is_summary_name(const char *path);

/* A folder whose traces were listed. */
struct ranks_folder {
	char *path;
	dev_t device;
	ino_t inode;
};

/* Files sorted by name, each once. */
struct ranks_files {
	char **paths;
	size_t count, room;
	struct ranks_folder *folders; /* sorted by path */
	size_t folder_count, folder_room;
};

/*
 * Finds the files of operands: files, the traces in folders (and in folders inside them), and
 * patterns that the shell did not expand. Of a trace and its summary, only the trace is listed.
 * Returns false after printing the error.
 */
bool ranks_files_find(struct ranks_files *files, int argc, char *const *argv);

/*
 * Opens the folder of a path with O_PATH. Fails if it was listed as another one: whoever may write
 * to the folder around it could have a file made anywhere. Returns -1 after printing the error.
 */
int ranks_files_open_folder(const struct ranks_files *files, const char *path);

void ranks_files_free(struct ranks_files *files);

#endif
