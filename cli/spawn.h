/* Runs programs for the user: nsys, the only reader of its own recordings. */
#ifndef DP_CLI_SPAWN_H
#define DP_CLI_SPAWN_H

#include "folder.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns true if PATH has an executable of that name; writes its path to buf (may be NULL). */
bool spawn_find(const char *name, char *buf, size_t size);

/* Returns true for names of Nsight Systems' own recordings, which are a closed format. */
bool spawn_is_nsys_recording(const char *path);

/* A recording exported to a database, which is removed with this. */
struct spawn_export {
	struct folder folder;
	char *database; /* to be opened: through the folder's descriptor */
	char *journal;	/* its name in the folder; an interrupted nsys may leave it */
};

#define SPAWN_EXPORT_INIT               \
	{                               \
		FOLDER_INIT, NULL, NULL \
	}

/* Runs nsys. Returns false after printing the error and what to do. */
bool spawn_export_nsys(struct spawn_export *export, const char *path);

/* Removes the files. */
void spawn_export_close(struct spawn_export *export);

#endif
