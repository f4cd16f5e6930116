/*
 * The place of a file: a folder, held open, and a name in it. Another user may have put a symbolic
 * link there to have one of the caller's files overwritten, so links are followed one by one, and
 * only if the caller, or only root, can have made them.
 */
#ifndef DP_CLI_PLACE_H
#define DP_CLI_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

struct place {
	int folder; /* opened with O_PATH; -1: none */
	char *path; /* the name that links led to, for messages */
	bool taken; /* something has the name: */
	struct stat info;
	bool trusted; /* no other user can have put it there, or it is open already */
};

#define PLACE_INIT                                     \
	{                                              \
		.folder = -1, .path = NULL, .taken = 0 \
	}

/*
 * Finds the place of path. A link that is not followed is itself the place with keep_links,
 * otherwise it is rejected. Returns NULL, or why there is no place.
 */
const char *place_find(struct place *place, const char *path, bool keep_links);

/* The same in an open folder, which stays the caller's; path is relative to it. */
const char *place_find_in(struct place *place, int folder, const char *path, bool keep_links);

/* Returns the name in the folder. */
const char *place_name(const struct place *place);

/* Returns a path's folder, "." if it has none. The caller frees it; NULL without memory. */
char *place_above(const char *path);

/* Closes the folder and frees the path. */
void place_close(struct place *place);

#endif
