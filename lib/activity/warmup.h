/* Where the steady state begins. */
#ifndef DP_ACTIVITY_WARMUP_H
#define DP_ACTIVITY_WARMUP_H

#include "base/base.h"
#include <deepprof/analysis.h>

/*
 * Marks the iterations before the steady state as warm-up: those at the beginning, at most five (or
 * a quarter, if that is less) or 5%, whose periods exceed those of the second half while all others
 * resemble these; else as many that are much longer than the next ones. Errors: DP_ERR_NOMEM. Cost:
 * linear.
 */
int dp_warmup__mark(struct dp_iteration *iterations, size_t count, struct dp_error *error);

#endif
