/*
 * Where a file is to be: a folder, held open, and a name in it. A name may be a symbolic link that
 * another user has put there to have a file of the caller's overwritten, so links are followed one
 * by one, and only those that the caller, or nobody but root, can have made.
 */
#ifndef DP_CLI_PLACE_H
#define DP_CLI_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

struct place {
	int folder; /* opened with O_PATH; -1: none */
	char *path; /* the name that links led to, for people */
	bool taken; /* something has the name: */
	struct stat info;
	bool trusted; /* which no other user can have put there, or which is open already */
};

#define PLACE_INIT                                     \
	{                                              \
		.folder = -1, .path = NULL, .taken = 0 \
	}

/*
 * Finds the place of path. Links that are not followed: with keep_links the link itself is the
 * place, else it is refused. NULL, or why there is no place.
 */
const char *place_find(struct place *place, const char *path, bool keep_links);

/* The name in the folder. */
const char *place_name(const struct place *place);

/* The folder's part of a path, "." where it has none. The caller's; NULL without memory. */
char *place_above(const char *path);

/* Closes the folder, frees the path. */
void place_close(struct place *place);

#endif
