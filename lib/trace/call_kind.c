/*
 * Classifies API calls by name. The names are those of the CUDA runtime and driver APIs and of HIP;
 * suffixes (_v2, _ptsz, _ptds, _v3020) and "Async" do not matter.
 */
#include "trace/call_kind.h"

#include <string.h>

static bool starts(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/* Returns the name without its API's prefix, or NULL if it has none. */
static const char *bare(const char *name)
{
	static const char *const prefixes[] = { "cuda", "cu", "hip" };

	for (size_t i = 0; i < DP_COUNT(prefixes); i++)
		if (starts(name, prefixes[i]))
			return name + strlen(prefixes[i]);
	return NULL;
}

/* oneAPI: Unified Runtime ("ur"), its predecessor's plugins ("pi"), Level Zero ("ze"). */
static enum dp_call_kind oneapi_kind(const char *name)
{
	static const struct {
		const char *part;
		enum dp_call_kind kind;
	} parts[] = {
		{ "KernelLaunch", DP_CALL_LAUNCH },
		{ "AppendLaunch", DP_CALL_LAUNCH },
		{ "EnqueueCommandBuffer", DP_CALL_LAUNCH },
		{ "QueueFinish", DP_CALL_SYNC },
		{ "EventWait", DP_CALL_SYNC },
		{ "EventsWait", DP_CALL_SYNC },
		{ "Synchronize", DP_CALL_SYNC },
		{ "USMMemcpy", DP_CALL_COPY },
		{ "USMEnqueueMemcpy", DP_CALL_COPY },
		{ "EnqueueMemBuffer", DP_CALL_COPY },
		{ "AppendMemoryCopy", DP_CALL_COPY },
		{ "USMFill", DP_CALL_SET },
		{ "USMEnqueueMemset", DP_CALL_SET },
		{ "AppendMemoryFill", DP_CALL_SET },
		{ "USMDeviceAlloc", DP_CALL_MEMORY },
		{ "USMHostAlloc", DP_CALL_MEMORY },
		{ "USMSharedAlloc", DP_CALL_MEMORY },
		{ "USMFree", DP_CALL_MEMORY },
		{ "zeMemAlloc", DP_CALL_MEMORY },
		{ "zeMemFree", DP_CALL_MEMORY },
	};

	/* A wait that is enqueued does not block the host: urEnqueueEventsWait. */
	if (strstr(name, "EnqueueEventsWait"))
		return DP_CALL_OTHER;
	for (size_t i = 0; i < DP_COUNT(parts); i++)
		if (strstr(name, parts[i].part))
			return parts[i].kind;
	return DP_CALL_OTHER;
}

static bool is_oneapi(const char *name)
{
	return (starts(name, "ur") || starts(name, "ze") || starts(name, "pi")) &&
	       ((name[2] >= 'A' && name[2] <= 'Z') || starts(name, "piext"));
}

enum dp_call_kind dp_call__kind(const char *name)
{
	static const char *const memory[] = { "Malloc",	    "Free",	    "MemAlloc",
					      "MemFree",    "HostAlloc",    "HostFree",
					      "HostMalloc", "MemHostAlloc", "MemFreeHost",
					      "MemPool",    "MemCreate",    "MemMap" };
	const char *rest = bare(name);

	if (!rest)
		return is_oneapi(name) ? oneapi_kind(name) : DP_CALL_OTHER;
	if (starts(rest, "Launch") || starts(rest, "GraphLaunch") || starts(rest, "ExtLaunch") ||
	    starts(rest, "ModuleLaunch") || starts(rest, "ExtModuleLaunch"))
		return starts(rest, "LaunchHostFunc") ? DP_CALL_OTHER : DP_CALL_LAUNCH;
	if (strstr(rest, "Synchronize"))
		return DP_CALL_SYNC;
	if (starts(rest, "StreamBeginCapture") || starts(rest, "StreamEndCapture"))
		return DP_CALL_CAPTURE;
	if (starts(rest, "ModuleLoad") || starts(rest, "LibraryLoad"))
		return DP_CALL_LOAD;
	if (starts(rest, "Memcpy"))
		return DP_CALL_COPY;
	if (starts(rest, "Memset"))
		return DP_CALL_SET;
	for (size_t i = 0; i < DP_COUNT(memory); i++)
		if (starts(rest, memory[i]))
			return DP_CALL_MEMORY;
	return DP_CALL_OTHER;
}
