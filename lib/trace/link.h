/* Links operations to the calls that launched them. */
#ifndef DP_TRACE_LINK_H
#define DP_TRACE_LINK_H

#include "trace/builder_model.h"

/* Fills in the call column of operations; operations and calls must be sorted by start. */
int dp_builder__link_calls(struct dp_builder *builder);

#endif
