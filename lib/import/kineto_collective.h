/* What Kineto writes about the collective of a communication kernel. */
#ifndef DP_IMPORT_KINETO_COLLECTIVE_H
#define DP_IMPORT_KINETO_COLLECTIVE_H

#include "import/chrome.h"

/* Adds the collective of a kernel that was read from event. Errors: those of dp_builder. */
int dp_kineto_collective__add(struct dp_builder *builder, const struct dp_chrome_event *event,
			      const struct dp_op *op);

#endif
