/*
 * What a file says about devices is used only where operations ran. About their memory it has
 * events named "[memory]", one for each allocation and, with negative bytes, each free.
 */
#include "import/kineto_devices.h"

#include <string.h>

/* Devices beyond this number are damage and get no names. */
#define MOST_DEVICES 1024

/* c10's device type of CUDA, and of ROCm, which takes its place. */
#define DEVICE_CUDA 1

void dp_kineto_devices__fini(struct dp_kineto_devices *devices)
{
	free(devices->used);
	free(devices->properties);
	*devices = (struct dp_kineto_devices){ 0 };
}

int dp_kineto_devices__use(struct dp_kineto_devices *devices, uint32_t process, int64_t number)
{
	for (size_t i = devices->count; i-- > 0;)
		if (devices->used[i].process == process && devices->used[i].number == number)
			return DP_OK;
	if (devices->count >= MOST_DEVICES)
		return DP_OK;
	if (dp_array__reserve(&devices->used, &devices->room, devices->count + 1,
			      sizeof(*devices->used)))
		return DP_ERR_NOMEM;
	devices->used[devices->count++] = (struct dp_kineto_used){ process, number };
	return DP_OK;
}

int dp_kineto_devices__describe(struct dp_kineto_devices *devices,
				const struct dp_chrome_device *device, uint32_t name)
{
	uint64_t bytes = device->bytes > 0 ? (uint64_t)device->bytes : 0;

	if (devices->property_count >= MOST_DEVICES || device->id < 0)
		return DP_OK;
	if (dp_array__reserve(&devices->properties, &devices->property_room,
			      devices->property_count + 1, sizeof(*devices->properties)))
		return DP_ERR_NOMEM;
	devices->properties[devices->property_count++] =
		(struct dp_kineto_property){ device->id, bytes, name };
	return DP_OK;
}

void dp_kineto_memory__fini(struct dp_kineto_memory *memory)
{
	free(memory->list);
	*memory = (struct dp_kineto_memory){ 0 };
}

bool dp_kineto_memory__is(const struct dp_chrome_event *event)
{
	static const char name[] = "[memory]";
	uint32_t need = DP_CHROME_NAME | DP_CHROME_START | DP_CHROME_DEVICE |
			DP_CHROME_DEVICE_TYPE | DP_CHROME_BYTES;

	return (event->has & need) == need && event->device_type == DEVICE_CUDA &&
	       event->name.length == sizeof(name) - 1 &&
	       !memcmp(event->name.at, name, sizeof(name) - 1);
}

int dp_kineto_memory__note(struct dp_kineto_memory *memory, const struct dp_chrome_event *event,
			   uint32_t process)
{
	if (dp_array__reserve(&memory->list, &memory->room, memory->count + 1,
			      sizeof(*memory->list)))
		return DP_ERR_NOMEM;
	memory->list[memory->count++] =
		(struct dp_kineto_change){ event->start_ns, event->device, event->bytes, process };
	return DP_OK;
}

/* Passes changes of one device to the builder, whose device id is. */
static int push_memory(const struct dp_kineto_memory *memory, struct dp_builder *builder,
		       int64_t device, uint32_t process, uint32_t id)
{
	int status = DP_OK;

	for (size_t i = 0; i < memory->count && !status; i++)
		if (memory->list[i].device == device && memory->list[i].process == process)
			status = dp_builder__add_memory(builder, memory->list[i].time_ns, id,
							memory->list[i].delta_bytes);
	return status;
}

int dp_kineto_devices__push(const struct dp_kineto_devices *devices, struct dp_builder *builder,
			    const struct dp_kineto_memory *memory, uint32_t first)
{
	int status = DP_OK;

	for (size_t i = 0; i < devices->count && !status; i++) {
		const struct dp_kineto_used *used = &devices->used[i];
		uint32_t id = dp_builder__device(builder, used->process, used->number);

		for (size_t k = 0; k < devices->property_count; k++) {
			const struct dp_kineto_property *property = &devices->properties[k];
			const struct dp_gpu gpu = { property->name, DP_NONE, property->bytes };

			if (property->number == used->number)
				dp_builder__name_device(builder, id, &gpu);
		}
		status = push_memory(memory, builder, used->number,
				     used->process == first ? DP_NONE : used->process, id);
	}
	return status;
}
