/*
 * A private folder for temporary files. It is created, opened, emptied and removed through
 * descriptors only: anyone who may write to the parent folder may rename it and replace it with a
 * symbolic link, and a path would then lead elsewhere.
 */
#ifndef DP_CLI_FOLDER_H
#define DP_CLI_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct folder {
	int above; /* descriptor of the parent folder */
	int fd;	   /* its own, -1: none */
	dev_t device;
	ino_t inode;
	char *path; /* for messages and the recorded program; never opened here */
};

#define FOLDER_INIT                \
	{                          \
		-1, -1, 0, 0, NULL \
	}

/* Returns the folder for temporary files that belong next to no other file: TMPDIR, or /tmp. */
const char *folder_for_temporary(void);

/*
 * A private name is a stem, a dot and this many letters. As names are limited to NAME_MAX bytes,
 * only the first bytes of a stem are used.
 */
enum { FOLDER_STEM_MAX = 200, FOLDER_TAIL = 6 };

/*
 * Creates "<above_path>/<stem>.XXXXXX", mode 0700; above is a descriptor of above_path and stays
 * the caller's. Returns false with errno.
 */
bool folder_make(struct folder *folder, int above, const char *above_path, const char *stem);

/*
 * Opens an existing folder. Rejects one that does not belong to the caller (EPERM) and symbolic
 * links (ENOTDIR, ELOOP). Returns false with errno.
 */
bool folder_open(struct folder *folder, int above, const char *above_path, const char *name);

/* Returns its name in the parent folder. */
const char *folder_name(const struct folder *folder);

/* Creates a file "<stem>.XXXXXX" and writes its name to name. Returns a descriptor, or -1. */
int folder_make_file(int above, const char *stem, char *name, size_t size);

/*
 * Gives a file of the folder from a name in the folder to, which must be free: no file is replaced
 * that appears meanwhile. Returns false with errno, EEXIST if the name is in use.
 */
bool folder_put_new(int from, const char *file, int to, const char *name);

/*
 * Removes the files of a recording, and the folder if it is empty then and still has its name.
 * Returns true if nothing has that name then.
 */
bool folder_remove(const struct folder *folder);

/* Closes the descriptors and frees the path; NULL members are allowed. */
void folder_close(struct folder *folder);

#endif
