/* Corrects the difference between the clocks of host and device. */
#ifndef DP_TRACE_CLOCK_H
#define DP_TRACE_CLOCK_H

#include "trace/builder_model.h"

/*
 * If operations start before the calls that launch them, moves all that the host did earlier; if
 * all start longer after them than a queue explains, moves it later. Notes it as a fact. Operations
 * must be linked to their calls. Sets *moved; collectives may then be out of order. Errors:
 * DP_ERR_NOMEM.
 */
int dp_builder__correct_clocks(struct dp_builder *builder, int64_t resolution_ns, bool *moved);

#endif
