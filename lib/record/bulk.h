/* Shared by db.c and bulk.c. */
#ifndef DP_RECORD_BULK_H
#define DP_RECORD_BULK_H

#include "record/db.h"

/* Sets the error that the database reports. */
static inline int dp_db__fail(struct dp_db *db)
{
	int code = db->handle ? sqlite3_errcode(db->handle) : SQLITE_NOMEM;

	if (code == SQLITE_NOMEM)
		return dp_error__nomem(db->error, 0);
	dp_error__set(db->error, DP_ERR_IO, "%s",
		      code == SQLITE_FULL ? "No space left on device" : sqlite3_errmsg(db->handle));
	dp_error__where(db->error, db->path, NULL, 0, 0);
	return DP_ERR_IO;
}

/* Registers the virtual tables. */
int dp_bulk__register(struct dp_db *db);

/* Passes all gathered rows to SQLite. */
int dp_bulk__flush(struct dp_db *db);

void dp_bulk__fini(struct dp_db *db);

#endif
