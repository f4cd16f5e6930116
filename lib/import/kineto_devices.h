/*
 * Devices of a Kineto trace: those that operations ran on, their deviceProperties, and PyTorch's
 * allocator on them (profile_memory=True).
 */
#ifndef DP_IMPORT_KINETO_DEVICES_H
#define DP_IMPORT_KINETO_DEVICES_H

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

/* Zero it first. Errors: DP_ERR_NOMEM and the builder's. */
struct dp_kineto_devices {
	struct dp_kineto_used {
		uint32_t process;
		int64_t number;
	} * used;
	size_t count, room;
	struct dp_kineto_property {
		int64_t number;
		uint64_t bytes;
		uint32_t name; /* DP_NONE if there is none */
	} * properties;
	size_t property_count, property_room;
};

void dp_kineto_devices__fini(struct dp_kineto_devices *devices);

/* Notes a device that an operation ran on. */
int dp_kineto_devices__use(struct dp_kineto_devices *devices, uint32_t process, int64_t number);

/* Keeps what the file says about a device. */
int dp_kineto_devices__describe(struct dp_kineto_devices *devices,
				const struct dp_chrome_device *device, uint32_t name);

/*
 * Passes on the names and memory of used devices; first is the file's first process. Cost: that of
 * the list of memory for each device.
 */
int dp_kineto_devices__push(const struct dp_kineto_devices *devices, struct dp_builder *builder,
			    const struct dp_kineto_memory *memory, uint32_t first);

#endif
