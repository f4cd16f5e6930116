/* Where the steady state begins. */
#ifndef DP_METRIC_WARMUP_H
#define DP_METRIC_WARMUP_H

#include "base/base.h"
#include <deepprof/analysis.h>

/*
 * Marks the iterations before the steady state as warm-up: those at the beginning, up to a half of
 * all, whose periods stand out from those of the second half; of five or fewer, the first where it
 * is much longer than all others. Errors: DP_ERR_NOMEM. Cost: linear.
 */
int dp_warmup__mark(struct dp_iteration *iterations, size_t count, struct dp_error *error);

#endif
