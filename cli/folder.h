/*
 * A private folder for temporary files. It is made, opened, emptied and removed through descriptors
 * only: whoever may write to the folder around it may rename it and put a symbolic link in its
 * place, and a path would then lead elsewhere.
 */
#ifndef DP_CLI_FOLDER_H
#define DP_CLI_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct folder {
	int above; /* descriptor of the folder around it */
	int fd;	   /* its own, -1: none */
	dev_t device;
	ino_t inode;
	char *path; /* for people and for the recorded program; never opened here */
};

#define FOLDER_INIT                \
	{                          \
		-1, -1, 0, 0, NULL \
	}

/* Where temporary files go that belong next to no other file: TMPDIR, or /tmp. */
const char *folder_for_temporary(void);

/*
 * A private name is a stem, a dot and this many letters. A name of NAME_MAX bytes leaves no room
 * for more, so only the first bytes of a stem are used.
 */
enum { FOLDER_STEM_MAX = 200, FOLDER_TAIL = 6 };

/*
 * Makes "<above_path>/<stem>.XXXXXX", mode 0700; above is a descriptor of above_path and stays the
 * caller's. False with errno.
 */
bool folder_make(struct folder *folder, int above, const char *above_path, const char *stem);

/*
 * Opens one that exists. It is refused (EPERM) unless it belongs to the caller, and a symbolic link
 * is not followed (ENOTDIR, ELOOP). False with errno.
 */
bool folder_open(struct folder *folder, int above, const char *above_path, const char *name);

/* Its name in the folder around it. */
const char *folder_name(const struct folder *folder);

/* Makes a file of a free name "<stem>.XXXXXX", which is written to name. A descriptor, or -1. */
int folder_make_file(int above, const char *stem, char *name, size_t size);

/*
 * Removes the files that a recording makes, and the folder where nothing else is in it and it still
 * has its name. True where nothing has that name then.
 */
bool folder_remove(const struct folder *folder);

/* The descriptors and the path; NULL members are allowed. */
void folder_close(struct folder *folder);

#endif
