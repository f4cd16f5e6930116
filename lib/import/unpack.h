/* Compressed databases: SQLite needs a file, so the content is unpacked into a temporary one. */
#ifndef DP_IMPORT_UNPACK_H
#define DP_IMPORT_UNPACK_H

#include "import/import.h"

struct dp_unpacked {
	int fd;	       /* of a file without a name: nothing remains, however the process ends */
	char path[32]; /* the name to open: /proc/self/fd/N */
};

#define DP_UNPACKED_INIT \
	{                \
		-1, ""   \
	}

bool dp_unpack__is_database(const struct dp_probe *probe);

/*
 * Unpacks input into a new temporary file in a folder, NULL for /tmp. Errors: DP_ERR_NOMEM,
 * DP_ERR_IO, and DP_ERR_LIMIT if a file of more than 64 MiB would take more than half of
 * the space that was free.
 */
int dp_unpack__open(struct dp_unpacked *unpacked, struct dp_input *input, const char *folder,
		    struct dp_error *error);

/* Removes the file. */
void dp_unpack__close(struct dp_unpacked *unpacked);

#endif
