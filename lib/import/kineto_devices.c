#include "import/kineto_devices.h"

/* Devices beyond this number are damage and get no names. */
#define MOST_DEVICES 1024

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
		status = dp_kineto_memory__push(memory, builder, used->number,
						used->process == first ? DP_NONE : used->process,
						id);
	}
	return status;
}
