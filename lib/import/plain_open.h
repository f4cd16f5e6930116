/*
 * Opens SQLite on a path as given. SQLite resolves the links of a path, opens the result, and
 * follows no link. But a path below /proc/self/fd means the descriptor's file, even if its name now
 * belongs to another file or is gone.
 */
#ifndef DP_IMPORT_PLAIN_OPEN_H
#define DP_IMPORT_PLAIN_OPEN_H

#include <sqlite3.h>

/* Used by the handle until it is closed. */
struct dp_plain_vfs {
	sqlite3_vfs vfs;
	sqlite3_vfs *normal;
	char name[40];
};

/*
 * Like sqlite3_open_v2(); name may be a URI. Returns SQLite's code. A file opened for reading must
 * not change meanwhile: it is not locked. A file opened for writing may lie in /proc/self/fd/N of a
 * folder, but not be such a descriptor itself.
 */
int dp_plain__open(sqlite3 **handle, struct dp_plain_vfs *own, const char *name, int flags);

#endif
