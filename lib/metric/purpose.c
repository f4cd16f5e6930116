/* What calls of the CUDA and HIP APIs are for, by their names; suffixes don't matter. */
#include "metric/purpose.h"
#include "base/base.h"

#include <string.h>

static bool starts(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

enum dp_purpose dp_purpose__of(const char *name)
{
	static const struct {
		const char *prefix;
		enum dp_purpose purpose;
	} purposes[] = {
		/* In this order: what begins alike and is longer comes first. */
		{ "MallocHost", DP_PURPOSE_HOST_MEMORY },
		{ "FreeHost", DP_PURPOSE_HOST_MEMORY },
		{ "MemAllocHost", DP_PURPOSE_HOST_MEMORY },
		{ "MemFreeHost", DP_PURPOSE_HOST_MEMORY },
		{ "MemHost", DP_PURPOSE_HOST_MEMORY },
		{ "Host", DP_PURPOSE_HOST_MEMORY },
		{ "Malloc", DP_PURPOSE_ALLOCATE },
		{ "MemAlloc", DP_PURPOSE_ALLOCATE },
		{ "MemCreate", DP_PURPOSE_ALLOCATE },
		{ "Free", DP_PURPOSE_FREE },
		{ "MemFree", DP_PURPOSE_FREE },
		{ "MemRelease", DP_PURPOSE_FREE },
		{ "Module", DP_PURPOSE_CODE },
		{ "Library", DP_PURPOSE_CODE },
		{ "Link", DP_PURPOSE_CODE },
		{ "GraphInstantiate", DP_PURPOSE_GRAPH },
		{ "StreamBeginCapture", DP_PURPOSE_GRAPH },
		{ "StreamEndCapture", DP_PURPOSE_GRAPH },
	};
	static const char *const apis[] = { "cuda", "cu", "hip" };
	const char *rest = NULL;

	for (size_t i = 0; i < DP_COUNT(apis) && !rest; i++)
		if (starts(name, apis[i]))
			rest = name + strlen(apis[i]);

	for (size_t i = 0; rest && i < DP_COUNT(purposes); i++)
		if (starts(rest, purposes[i].prefix))
			return purposes[i].purpose;
	return DP_PURPOSE_OTHER;
}
