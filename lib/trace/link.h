/* Which call launched which operation. */
#ifndef DP_TRACE_LINK_H
#define DP_TRACE_LINK_H

#include "trace/builder_model.h"

/* Fills the operations' call column; operations and calls are in order of start. */
int dp_builder__link_calls(struct dp_builder *builder);

#endif
