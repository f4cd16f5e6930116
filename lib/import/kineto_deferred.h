/* What must wait until all events of a Kineto trace are read. */
#ifndef DP_IMPORT_KINETO_DEFERRED_H
#define DP_IMPORT_KINETO_DEFERRED_H

#include "import/chrome.h"
#include "import/lookup.h"

/* Zero it first. Errors: DP_ERR_NOMEM and the builder's. */
struct dp_kineto_deferred {
	struct dp_op *ops; /* copies and memsets without bytes: their calls may have them (ROCm) */
	size_t op_count, op_room;
	struct dp_kineto_size {
		uint32_t correlation;
		uint64_t bytes;
	} * sizes;
	size_t size_count, size_room;
	struct dp_kineto_sync {
		struct dp_sync sync;
		struct dp_key stream, source;
	} * syncs; /* of a stream that may never run operations */
	size_t sync_count, sync_room;
};

void dp_kineto_deferred__fini(struct dp_kineto_deferred *deferred);

int dp_kineto_deferred__op(struct dp_kineto_deferred *deferred, const struct dp_op *op);

/* Keeps the size of a copy or memset if this call has it. */
int dp_kineto_deferred__size(struct dp_kineto_deferred *deferred,
			     const struct dp_chrome_event *call);

/* The event may have the work that a stream's wait for an event is for. */
int dp_kineto_deferred__sync(struct dp_kineto_deferred *deferred, const struct dp_sync *sync,
			     const struct dp_key *stream, const struct dp_chrome_event *event);

/*
 * Passes everything to the builder. streams are those that operations ran on: a wait for any other
 * becomes a wait for no known stream. Cost: O(n log n) in the sizes.
 */
int dp_kineto_deferred__push(struct dp_kineto_deferred *deferred, struct dp_builder *builder,
			     const struct dp_lookup *streams);

#endif
