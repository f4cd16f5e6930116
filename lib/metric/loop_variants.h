/* What the iterations of each variant have in common. */
#ifndef DP_METRIC_LOOP_VARIANTS_H
#define DP_METRIC_LOOP_VARIANTS_H

#include "base/base.h"
#include <deepprof/analysis.h>

/*
 * Sets *variants to loop->variants elements, which the caller frees. Errors: DP_ERR_NOMEM. Cost:
 * linear in iterations and variants.
 */
int dp_loop_variants__make(struct dp_variant **variants, const struct dp_loop *loop,
			   const struct dp_iteration *iterations, struct dp_error *error);

#endif
