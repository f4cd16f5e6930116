/* Devices of a Kineto trace: those that operations ran on, and their deviceProperties. */
#ifndef DP_IMPORT_KINETO_DEVICES_H
#define DP_IMPORT_KINETO_DEVICES_H

#include "import/kineto_memory.h"

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
