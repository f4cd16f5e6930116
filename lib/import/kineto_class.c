/* Kineto's categories. */
#include "import/kineto_class.h"
#include "base/base.h"

#include <string.h>

/* The same words prefixed with another device: xpu_runtime, mlu_memcpy, gcu_user_annotation. */
static enum dp_kineto_class class_of_device(const char *lower)
{
	static const struct {
		const char *end;
		enum dp_kineto_class class;
	} ends[] = {
		{ "_runtime", DP_KINETO_CALL },		{ "_driver", DP_KINETO_CALL },
		{ "_memcpy", DP_KINETO_COPY },		{ "_memset", DP_KINETO_MEMSET },
		{ "_user_annotation", DP_KINETO_SKIP }, { "_profiler_range", DP_KINETO_SKIP },
	};
	size_t length = strlen(lower), n;

	for (size_t i = 0; i < DP_COUNT(ends); i++) {
		n = strlen(ends[i].end);
		if (length > n && !strcmp(lower + length - n, ends[i].end))
			return ends[i].class;
	}
	return DP_KINETO_NONE;
}

/*
 * Categories in lower case. Flows are not needed: events carry the correlation ids.
 * gpu_user_annotation is the device's copy of a user_annotation, python_function is the
 * interpreter's stack.
 */
enum dp_kineto_class dp_kineto__class(const char *text, size_t length)
{
	static const struct {
		const char *name;
		enum dp_kineto_class class;
	} known[] = {
		{ "cpu_op", DP_KINETO_OPERATOR },
		{ "cuda_runtime", DP_KINETO_CALL },
		{ "kernel", DP_KINETO_KERNEL },
		{ "python_function", DP_KINETO_SKIP },
		{ "ac2g", DP_KINETO_SKIP },
		{ "gpu_memcpy", DP_KINETO_COPY },
		{ "gpu_memset", DP_KINETO_MEMSET },
		{ "cuda_driver", DP_KINETO_CALL },
		{ "cuda_sync", DP_KINETO_SYNC },
		{ "user_annotation", DP_KINETO_ANNOTATION },
		{ "gpu_user_annotation", DP_KINETO_SKIP },
		{ "fwdbwd", DP_KINETO_SKIP },
		{ "overhead", DP_KINETO_SKIP },
		{ "cuda_event", DP_KINETO_SKIP },
		{ "trace", DP_KINETO_SKIP },
		{ "async", DP_KINETO_SKIP },
		{ "async_cpu_to_gpu", DP_KINETO_SKIP },
		{ "cpu_instant_event", DP_KINETO_INSTANT },
		{ "cuda_profiler_range", DP_KINETO_SKIP },
		{ "operator", DP_KINETO_OPERATOR },
		{ "runtime", DP_KINETO_CALL },
		{ "memcpy", DP_KINETO_COPY },
		{ "memset", DP_KINETO_MEMSET },
		{ "driver", DP_KINETO_CALL },
		{ "hip_runtime", DP_KINETO_CALL },
		{ "hip_driver", DP_KINETO_CALL },
		{ "hpu_op", DP_KINETO_CALL },
		{ "mtia_ccp_events", DP_KINETO_MTIA },
		{ "mtia_insight", DP_KINETO_FOREIGN },
		{ "mtia_counters", DP_KINETO_SKIP },
		{ "nvtx", DP_KINETO_NVTX },
		{ "deepprof", DP_KINETO_SKIP }, /* from deepprof's own export */
	};
	char lower[40];

	if (length >= sizeof(lower))
		return DP_KINETO_NONE;
	for (size_t i = 0; i < length; i++)
		lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
	lower[length] = '\0';
	for (size_t i = 0; i < DP_COUNT(known); i++)
		if (known[i].name[0] == lower[0] && !strcmp(known[i].name, lower))
			return known[i].class;
	return class_of_device(lower);
}

enum dp_sync_kind dp_kineto__sync_kind(const char *name, size_t length)
{
	static const struct {
		const char *name;
		enum dp_sync_kind kind;
	} known[] = {
		{ "Stream Wait Event", DP_SYNC_STREAM_WAIT_EVENT },
		{ "Event Sync", DP_SYNC_EVENT },
		{ "Stream Sync", DP_SYNC_STREAM },
		{ "Context Sync", DP_SYNC_CONTEXT },
	};

	for (size_t i = 0; i < DP_COUNT(known); i++)
		if (length >= strlen(known[i].name) &&
		    !memcmp(name, known[i].name, strlen(known[i].name)))
			return known[i].kind;
	return DP_SYNC_UNKNOWN;
}
