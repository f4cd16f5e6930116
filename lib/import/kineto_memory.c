/* Events named "[memory]", one for each allocation and, with negative bytes, each free. */
#include "import/kineto_memory.h"

#include <string.h>

/* c10's device type of CUDA, and of ROCm, which takes its place. */
#define DEVICE_CUDA 1

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

int dp_kineto_memory__push(const struct dp_kineto_memory *memory, struct dp_builder *builder,
			   int64_t device, uint32_t process, uint32_t id)
{
	int status = DP_OK;

	for (size_t i = 0; i < memory->count && !status; i++)
		if (memory->list[i].device == device && memory->list[i].process == process)
			status = dp_builder__add_memory(builder, memory->list[i].time_ns, id,
							memory->list[i].delta_bytes);
	return status;
}
