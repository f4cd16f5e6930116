/* Programs that deepprof runs for the user: nsys, which alone reads its own recordings. */
#ifndef DP_CLI_SPAWN_H
#define DP_CLI_SPAWN_H

#include "folder.h"

#include <stdbool.h>
#include <stddef.h>

/* True where PATH has an executable of that name; its path goes into buf (which may be NULL). */
bool spawn_find(const char *name, char *buf, size_t size);

/* True for files that are named as Nsight Systems' own recordings, which are a closed format. */
bool spawn_is_nsys_recording(const char *path);

/* A recording exported to a database that lasts as long as this. */
struct spawn_export {
	struct folder folder;
	char *database; /* what to open */
};

#define SPAWN_EXPORT_INIT         \
	{                         \
		FOLDER_INIT, NULL \
	}

/* Runs nsys. Returns false after printing the error and what to do. */
bool spawn_export_nsys(struct spawn_export *export, const char *path);

/* Removes the files. */
void spawn_export_close(struct spawn_export *export);

#endif
