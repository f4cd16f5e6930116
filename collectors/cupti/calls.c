/*
 * Selects which calls of the CUDA APIs are recorded.
 *
 * An analysis uses the calls that launch, copy, set, wait, allocate, free or load code. CUPTI makes
 * no record of a driver call that the runtime makes, so both APIs' calls are enabled: PyTorch calls
 * the runtime, Triton and cuBLAS call the driver. From 12.5 on CUPTI records single calls without
 * the whole kind; before, it records all calls, and the writer omits the others
 * (dp_calls__is_used).
 */
#include "cupti/collector.h"

#include <string.h>

/* Per domain; 13.5 has 877 for the driver. */
#define CALLS_MOST 1200u

static bool starts(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static bool matters(const char *name)
{
	/* After "cu" or "cuda". */
	static const char *const used[] = {
		"Launch",      "Memcpy",       "Memset",     "GraphLaunch", "GraphInstantiate",
		"GraphUpload", "GraphExec",    "Malloc",     "Free",	    "MemAlloc",
		"MemFree",     "MemHost",      "HostAlloc",  "HostReg",	    "HostUnreg",
		"MemPool",     "MemCreate",    "MemRelease", "MemMap",	    "MemUnmap",
		"MemSet",      "MemPrefetch",  "ModuleLoad", "LibraryLoad", "Link",
		"ModuleGet",   "ModuleUnload",
	};
	const char *rest = starts(name, "cuda") ? name + 4 : starts(name, "cu") ? name + 2 : "";

	for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++)
		if (starts(rest, used[i]))
			return true;
	return strstr(rest, "Synchronize") != NULL;
}

bool dp_calls__is_used(uint32_t domain, uint32_t cbid)
{
	/* 2 bits per call: looked up, and used. */
	static uint8_t known[3][CALLS_MOST];
	struct collector *c = &dp_collector;
	const char *name = NULL;

	if (domain > 2 || cbid >= CALLS_MOST || !cupti_answers())
		return true;
	if (!known[domain][cbid])
		known[domain][cbid] =
			c->cupti.GetCallbackName(domain, cbid, &name) || !name || matters(name) ? 2
												: 1;
	return known[domain][cbid] == 2;
}

/* Enables or disables the used calls of a domain. Returns false if CUPTI cannot do that. */
static bool enable_single(uint32_t domain, bool enable)
{
	const struct cupti *cupti = &dp_collector.cupti;
	const char *name;
	bool any = false;

	for (uint32_t cbid = 1; cbid < CALLS_MOST; cbid++) {
		name = NULL;
		if (cupti->GetCallbackName(domain, cbid, &name) || !name || !matters(name))
			continue;
		any |= !dp_cupti__call(domain, cbid, enable);
		/* A version that rejects the first call rejects all. */
		if (!any && enable)
			return false;
	}
	return any;
}

void dp_calls__enable(bool enable)
{
	static const uint32_t kinds[] = { [CUPTI_DOMAIN_DRIVER] = CUPTI_DRIVER,
					  [CUPTI_DOMAIN_RUNTIME] = CUPTI_RUNTIME };
	struct collector *c = &dp_collector;

	if (!c->options.api)
		return;
	for (uint32_t domain = CUPTI_DOMAIN_DRIVER; domain <= CUPTI_DOMAIN_RUNTIME; domain++) {
		bool whole = c->options.all_calls || c->filters_calls;

		if (!whole && !enable_single(domain, enable) && enable)
			whole = c->filters_calls = true;
		if (whole)
			dp_cupti__kind(kinds[domain], enable);
	}
}
