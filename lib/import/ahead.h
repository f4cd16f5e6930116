/* Reads ahead: a thread produces bytes while the caller consumes earlier ones. */
#ifndef DP_IMPORT_AHEAD_H
#define DP_IMPORT_AHEAD_H

#include "base/base.h"

struct dp_ahead;

/* Writes up to size bytes to buf, and their number to *got: 0 at the end. */
typedef int dp_ahead__make(void *ctx, char *buf, size_t size, size_t *got, struct dp_error *error);

/*
 * Starts the thread. Until dp_ahead__free(), make is called on that thread only. Returns NULL if
 * memory or threads run out; the caller then reads without it.
 */
struct dp_ahead *dp_ahead__new(dp_ahead__make *make, void *ctx);

/* Copies the next bytes, up to size; *got is 0 at the end. Returns the errors of make. */
int dp_ahead__read(struct dp_ahead *ahead, char *buf, size_t size, size_t *got,
		   struct dp_error *error);

/* Ends the thread. Does nothing if ahead is NULL. */
void dp_ahead__free(struct dp_ahead *ahead);

#endif
