/* PyTorch's allocator in Kineto's traces (profile_memory=True). */
#ifndef DP_IMPORT_KINETO_MEMORY_H
#define DP_IMPORT_KINETO_MEMORY_H

#include "import/chrome.h"

/* Allocations and frees, kept until the devices in use are known; zero it first. */
struct dp_kineto_memory {
	struct dp_kineto_change {
		int64_t time_ns, device, delta_bytes;
		uint32_t process; /* DP_NONE: the file's first */
	} * list;
	size_t count, room;
};

void dp_kineto_memory__fini(struct dp_kineto_memory *memory);

/* Returns true if an instant event reports a device's memory. */
bool dp_kineto_memory__is(const struct dp_chrome_event *event);

/* Keeps such an event. Errors: DP_ERR_NOMEM. */
int dp_kineto_memory__note(struct dp_kineto_memory *memory, const struct dp_chrome_event *event,
			   uint32_t process);

/* Passes changes of one device to the builder, whose device id is. Cost: linear. */
int dp_kineto_memory__push(const struct dp_kineto_memory *memory, struct dp_builder *builder,
			   int64_t device, uint32_t process, uint32_t id);

#endif
