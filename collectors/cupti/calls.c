/*
 * Selects which calls of the CUDA APIs are recorded.
 *
 * An analysis uses the calls that launch, copy, set, wait, allocate, free or load code: in an eager
 * PyTorch loop one of seventeen. Both APIs are needed: PyTorch calls the runtime, Triton and cuBLAS
 * call the driver, and of a launch by the runtime CUPTI records no driver call.
 *
 * From 12.5 on single calls can be left out of a kind that is on. (The opposite, single calls
 * without their kind, records nothing if it is asked for when a context exists, as after a pause.)
 * Before 12.5, and between the two steps, the writer leaves them out (dp_calls__is_used).
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

/* Tells CUPTI to leave out the calls of a domain that no analysis uses. */
static void leave_out(uint32_t domain)
{
	const struct cupti *cupti = &dp_collector.cupti;
	const char *name = NULL;
	bool any = false;

	for (uint32_t cbid = 1; cbid < CALLS_MOST; cbid++) {
		if (cupti->GetCallbackName(domain, cbid, &name) || !name || matters(name))
			continue;
		any |= !dp_cupti__leave_out(domain, cbid);
		/* A version that rejects the first call rejects all. */
		if (!any)
			return;
	}
}

void dp_calls__enable(bool enable)
{
	const struct options *o = &dp_collector.options;

	if (!o->api)
		return;
	dp_cupti__kind(CUPTI_RUNTIME, enable);
	dp_cupti__kind(CUPTI_DRIVER, enable);
	if (enable && !o->all_calls) {
		leave_out(CUPTI_DOMAIN_RUNTIME);
		leave_out(CUPTI_DOMAIN_DRIVER);
	}
}
