/* One event of an XSpace. */
#ifndef DP_IMPORT_XPLANE_EVENT_H
#define DP_IMPORT_XPLANE_EVENT_H

#include "import/xplane.h"

/* The members that are read; texts are valid as long as the event's bytes and the space. */
struct dp_xevent {
	int64_t id, start_ns, end_ns;
	uint32_t correlation;
	uint32_t tf_op, op_name, hlo_op; /* in stat_names, or DP_NONE */
	const char *details;		 /* of a copy, a memset, an allocation: xla_details.h */
	size_t details_length;
	enum dp_xstat details_kind;
	int64_t step; /* -1: none */
	bool graph, aggregated;
};

/*
 * Reads an event of a line that begins at start_ns. Returns false if it cannot be used: it is
 * broken, or a sum of several (aggregated).
 */
bool dp_xevent__read(struct dp_xevent *event, const struct dp_xspace *space,
		     const struct dp_xplane *plane, int64_t start_ns, const unsigned char *bytes,
		     size_t length);

#endif
