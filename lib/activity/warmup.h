/* Where the steady state begins. */
#ifndef DP_ACTIVITY_WARMUP_H
#define DP_ACTIVITY_WARMUP_H

#include "base/base.h"
#include <deepprof/analysis.h>

/*
 * Marks the iterations before the steady state as warm-up: those at the beginning, five (no more
 * than a quarter) or 5% at most, whose periods stand out from those of the second half where all
 * others are like these; else as many that are much longer than the next ones. Errors:
 * DP_ERR_NOMEM. Cost: linear.
 */
int dp_warmup__mark(struct dp_iteration *iterations, size_t count, struct dp_error *error);

#endif
