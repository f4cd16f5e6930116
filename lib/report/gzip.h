/*
 * A sink that compresses (RFC 1952) and passes on to another one. It stores no time and no name, so
 * that the same input gives the same bytes.
 */
#ifndef DP_REPORT_GZIP_H
#define DP_REPORT_GZIP_H

#include "base/base.h"
#include <deepprof/report.h>

struct dp_gzip;

/* Makes such a sink, which the caller frees; sink is borrowed until then. Errors: DP_ERR_NOMEM. */
int dp_gzip__new(struct dp_gzip **gzip, const struct dp_sink *sink, struct dp_error *error);

/* Where to write. Borrowed. */
const struct dp_sink *dp_gzip__sink(struct dp_gzip *gzip);

/* Writes the rest. Returns nonzero if the sink stopped. */
int dp_gzip__finish(struct dp_gzip *gzip);

/* Frees it; NULL is allowed. */
void dp_gzip__free(struct dp_gzip *gzip);

#endif
