/* Reads ahead on a thread of its own: bytes are made there while those before are used here. */
#ifndef DP_IMPORT_AHEAD_H
#define DP_IMPORT_AHEAD_H

#include "base/base.h"

struct dp_ahead;

/* Makes up to size bytes at buf; *got is 0 at the end. */
typedef int dp_ahead__make(void *ctx, char *buf, size_t size, size_t *got, struct dp_error *error);

/*
 * Starts. make is called on the thread only, until dp_ahead__free(). NULL where there is no memory
 * or no thread: then the caller goes on without.
 */
struct dp_ahead *dp_ahead__new(dp_ahead__make *make, void *ctx);

/* The next bytes, up to size; *got is 0 at the end. Errors: those of make. */
int dp_ahead__read(struct dp_ahead *ahead, char *buf, size_t size, size_t *got,
		   struct dp_error *error);

/* Ends the thread. NULL is nothing. */
void dp_ahead__free(struct dp_ahead *ahead);

#endif
