/*
 * SQLite on a path as it stands. SQLite replaces the links of a path by what they lead to, opens
 * that, and follows none: but what lies below /proc/self/fd is what a descriptor means, whatever
 * has its name now, or though nothing has.
 */
#ifndef DP_IMPORT_PLAIN_OPEN_H
#define DP_IMPORT_PLAIN_OPEN_H

#include <sqlite3.h>

/* Used by the handle until that is closed. */
struct dp_plain_vfs {
	sqlite3_vfs vfs;
	sqlite3_vfs *normal;
	char name[40];
};

/*
 * As sqlite3_open_v2(); name may be a URI. Returns SQLite's code. What is opened to be read only
 * must not change meanwhile: there are no locks on it. What is opened to be written may be a file
 * in /proc/self/fd/N of a folder, but not that itself.
 */
int dp_plain__open(sqlite3 **handle, struct dp_plain_vfs *own, const char *name, int flags);

#endif
