/* Between db.c and bulk.c. */
#ifndef DP_RECORD_BULK_H
#define DP_RECORD_BULK_H

#include "record/db.h"

/* Says what the database says went wrong. */
int dp_db__fail(struct dp_db *db);

/* Makes the virtual tables known. */
int dp_bulk__register(struct dp_db *db);

/* Hands all that is gathered over. */
int dp_bulk__flush(struct dp_db *db);

void dp_bulk__fini(struct dp_db *db);

#endif
