/*
 * Selects which calls of the CUDA APIs are recorded.
 *
 * An analysis uses the calls that launch, copy, set, wait, allocate, free or load code. A runtime
 * call contains a driver call with the same correlation id, so driver calls suffice, and are half
 * of the records. From 12.5 on CUPTI records single calls without the whole kind; before, it
 * records all driver calls, and the writer omits the others (dp_calls__is_used).
 *
 * If launches turn out to have no driver records, runtime calls are recorded as well.
 */
#include "cupti/collector.h"

#include <string.h>

/* Per domain; 13.5 has 877 for the driver. */
#define CALLS_MOST 1200u

/* Launches without a driver call that are needed as evidence. */
#define BELIEF 256

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

static void enable_runtime(bool enable)
{
	struct collector *c = &dp_collector;

	if (!c->filters_calls && !enable_single(CUPTI_DOMAIN_RUNTIME, enable) && enable)
		c->filters_calls = true;
	if (c->filters_calls)
		dp_cupti__kind(CUPTI_RUNTIME, enable);
}

void dp_calls__enable(bool enable)
{
	struct collector *c = &dp_collector;

	if (!c->options.api)
		return;
	if (c->options.all_calls) {
		dp_cupti__kind(CUPTI_RUNTIME, enable);
		dp_cupti__kind(CUPTI_DRIVER, enable);
		return;
	}
	if (!c->filters_calls && !enable_single(CUPTI_DOMAIN_DRIVER, enable) && enable)
		c->filters_calls = true;
	if (c->filters_calls)
		dp_cupti__kind(CUPTI_DRIVER, enable);
	if (atomic_load(&c->runtime_calls))
		enable_runtime(enable);
}

/* Called by the writer for each record that it stores. */
void dp_calls__saw(const struct dp_spool_record *record)
{
	static uint32_t launches;
	struct collector *c = &dp_collector;

	if (!c->options.api || c->options.all_calls || launches == BELIEF)
		return;
	if (record->type == DP_SPOOL_API)
		launches = BELIEF;
	else if (record->type == DP_SPOOL_KERNEL && !record->kernel.graph && ++launches == BELIEF)
		atomic_store(&c->want_runtime, 1);
}

/* Called by the control thread while calls are recorded. */
void dp_calls__look(void)
{
	struct collector *c = &dp_collector;

	if (!atomic_load(&c->want_runtime) || atomic_load(&c->runtime_calls))
		return;
	atomic_store(&c->runtime_calls, 1);
	enable_runtime(true);
	dp_message__say(DP_SPOOL_NOTE, "runtime-calls",
			"this CUDA runtime makes no driver calls that CUPTI records: the runtime's "
			"calls are recorded instead");
}
