/* Tasks of Ascend's NPUs, by their type. */
#include "import/kineto_npu.h"
#include "base/base.h"

#include <string.h>

void dp_kineto_npu__fini(struct dp_kineto_npu *npu)
{
	dp_lookup__fini(&npu->devices);
	dp_lookup__fini(&npu->pids);
}

static bool starts(const struct dp_json_text *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return text->length >= length && !memcmp(text->at, prefix, length);
}

static bool begins(const struct dp_json_text *text, const char *const *words)
{
	for (; *words; words++)
		if (starts(text, *words))
			return true;
	return false;
}

/* Processes of the host have the label "CPU"; older files have no labels. */
int dp_kineto_npu__note(struct dp_kineto_npu *npu, const struct dp_chrome_event *event)
{
	struct dp_key key = { { event->pid } };

	if (starts(&event->name, "process_labels")
		    ? event->has & DP_CHROME_LABELS && starts(&event->labels, "NPU")
		    : starts(&event->name, "process_name") && event->has & DP_CHROME_ARG_NAME &&
			      starts(&event->arg_name, "Overlap Analysis"))
		return dp_lookup__set(&npu->pids, &key, 0);
	return DP_OK;
}

static bool has_lower(const struct dp_json_text *text)
{
	for (size_t i = 0; i < text->length; i++)
		if (text->at[i] >= 'a' && text->at[i] <= 'z')
			return true;
	return false;
}

/*
 * Tasks that only wait or signal are not operations. In older versions all tasks but the CPU's have
 * the type "Other": there, a kernel has its operator's name (aclnnMm_CastAiCore_Cast, Conv2D1), and
 * every other task has that of its own type (EVENT_WAIT, MEMCPY_ASYNC, PLACE_HOLDER_SQE).
 */
static enum dp_kineto_class class_of(const struct dp_chrome_event *event)
{
	static const char *const kernels[] = { "AI_", "MIX_", "KERNEL_", "HCCL_", "FFTS", NULL };
	static const char *const copies[] = { "SDMA", "PCIE_DMA", "MEMCPY", "PCIEDMA", NULL };
	bool other = starts(&event->task, "Other") && event->has & DP_CHROME_NAME;

	if (begins(other ? &event->name : &event->task, copies))
		return DP_KINETO_COPY;
	return (other ? has_lower(&event->name) : begins(&event->task, kernels)) ? DP_KINETO_KERNEL
										 : DP_KINETO_SKIP;
}

/* Names a copy of memory by its direction: "host to device", "host to device ex". */
static void name_copy(struct dp_chrome_event *event)
{
	static const char *const directions[][2] = { { "host to device", "Memcpy HtoD" },
						     { "device to host", "Memcpy DtoH" },
						     { "device to device", "Memcpy DtoD" },
						     { "addr device to device", "Memcpy DtoD" } };

	for (size_t i = 0; event->has & DP_CHROME_OP && i < DP_COUNT(directions); i++)
		if (starts(&event->op, directions[i][0]))
			event->name = (struct dp_json_text){ .at = directions[i][1],
							     .length = strlen(directions[i][1]) };
}

int dp_kineto_npu__read(struct dp_kineto_npu *npu, struct dp_chrome_event *event,
			enum dp_kineto_class *class)
{
	struct dp_key key = { { event->has & DP_CHROME_PID ? event->pid : -1 } };
	uint32_t device;

	*class = DP_KINETO_NONE;
	if (!(event->has & DP_CHROME_TASK)) {
		if (npu->pids.count && dp_lookup__get(&npu->pids, &key) != DP_NONE)
			*class = DP_KINETO_SKIP;
		return DP_OK;
	}
	*class = class_of(event);
	if (*class == DP_KINETO_SKIP)
		return DP_OK;
	if (*class == DP_KINETO_COPY)
		name_copy(event);
	device = dp_lookup__get(&npu->devices, &key);
	if (device == DP_NONE) {
		device = (uint32_t)npu->devices.count;
		if (dp_lookup__set(&npu->devices, &key, device))
			return DP_ERR_NOMEM;
	}
	event->device = device;
	event->has |= DP_CHROME_DEVICE;
	return DP_OK;
}
