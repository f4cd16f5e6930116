/* Subscribes to CUPTI and enables what is requested, in the order that its versions need. */
#include "cupti/collector.h"

#include <stdio.h>
#include <string.h>

/*
 * CUPTI keeps the times of operations that it has not read yet on the GPU, 32 bytes each, in
 * buffers that it allocates as needed (three at once) and reuses. By default it may have 250 of 3.2
 * MB; Kineto allows it 20. The collector's are larger, because each is allocated in a thread of the
 * program, and 256 MB in all: eight times what a million operations per second take in a second.
 *
 * CUPTI 13.0 does not reuse the space of graph nodes (github.com/parca-dev/parcagpu issue 23). If
 * graphs are recorded node by node, it may have as much as by default, 800 MB: 26 million nodes.
 * Operations beyond that have no times.
 */
#define DEVICE_BUFFER_BYTES ((size_t)8 << 20)
#define DEVICE_BUFFERS ((size_t)32)
#define DEVICE_BUFFERS_OF_NODES ((size_t)100)

static const char *why(int result)
{
	const char *text = NULL;

	if (dp_collector.cupti.GetResultString &&
	    !dp_collector.cupti.GetResultString(result, &text) && text)
		return text;
	return "unknown error";
}

static void tell(int result, const char *holder)
{
	switch (result) {
	case CUPTI_E_MULTIPLE_SUBSCRIBERS:
	case CUPTI_E_MAX_LIMIT_REACHED:
		dp_message__say(
			DP_SPOOL_ERROR, "subscriber-taken",
			"another profiler holds CUPTI in this program%s%s%s: end it, because only "
			"one can; only NVTX and the state of the GPUs are recorded",
			*holder ? " (" : "", holder, *holder ? ")" : "");
		break;
	case CUPTI_E_PRIVILEGES:
	case CUPTI_E_VIRTUAL_PRIVILEGES:
		dp_message__say(DP_SPOOL_ERROR, "not-permitted",
				"the driver does not permit profiling here (%s): a container needs "
				"--cap-add=SYS_ADMIN; a user needs the driver's option "
				"NVreg_RestrictProfilingToAdminUsers=0",
				why(result));
		break;
	case CUPTI_E_NOT_INITIALIZED:
	case CUPTI_E_UNKNOWN:
		dp_message__say(DP_SPOOL_ERROR, "no-driver",
				"CUPTI finds no driver it can use (%s)", why(result));
		break;
	default:
		dp_message__say(DP_SPOOL_ERROR, "cupti-refused", "CUPTI refuses: %s (%d)",
				why(result), result);
	}
}

/* Subscribes alone or, if CUPTI can have several subscribers, as one of many. */
static int subscribe_as(struct cupti *cupti, bool many, char *holder, size_t holder_bytes)
{
	struct cupti_subscriber_params params = {
		/* The size in 13.0, unless more is needed. */
		.bytes = many ? sizeof(params) : offsetof(struct cupti_subscriber_params, many),
		.name = "deepprof",
		.old_name = holder,
		.old_name_bytes = holder_bytes,
		.many = many,
	};

	return cupti->Subscribe_v2(&cupti->subscriber, dp_buffers__callback, NULL, &params);
}

/*
 * If only one tool can subscribe, cuptiSubscribe_v2() is avoided, because it would require
 * functions of its kind throughout. But it names the current subscriber; if that has left
 * meanwhile, this subscribes as before.
 */
static bool subscribe(struct cupti *cupti)
{
	char holder[256] = "";
	int result;

	cupti->many =
		dp_cupti__takes_many(cupti) && !subscribe_as(cupti, true, holder, sizeof(holder));
	if (cupti->many)
		return true;
	result = cupti->Subscribe(&cupti->subscriber, dp_buffers__callback, NULL);
	if (result && cupti->Subscribe_v2) {
		result = subscribe_as(cupti, false, holder, sizeof(holder));
		if (!result) {
			(void)cupti->Unsubscribe(cupti->subscriber);
			result = cupti->Subscribe(&cupti->subscriber, dp_buffers__callback, NULL);
		}
	}
	holder[sizeof(holder) - 1] = 0;
	/* A tool that subscribed without a name is "CUPTI for <not provided>". */
	if (strstr(holder, "<not provided>"))
		holder[0] = 0;
	if (result)
		tell(result, holder);
	return !result;
}

static void set_attributes(struct cupti *cupti)
{
	bool nodes = dp_collector.options.graph_nodes;
	size_t bytes = DEVICE_BUFFER_BYTES,
	       limit = nodes ? DEVICE_BUFFERS_OF_NODES : DEVICE_BUFFERS;
	uint8_t yes = 1;

	/* Older versions lack some of these, which does no harm. */
	(void)dp_cupti__attribute(CUPTI_ATTR_PER_THREAD_BUFFER, &yes, sizeof(yes));
	(void)dp_cupti__attribute(CUPTI_ATTR_ZEROED_BUFFER, &yes, sizeof(yes));
	(void)dp_cupti__attribute(CUPTI_ATTR_DEVICE_BUFFER_SIZE, &bytes, sizeof(bytes));
	(void)dp_cupti__attribute(CUPTI_ATTR_DEVICE_BUFFER_POOL_LIMIT, &limit, sizeof(limit));
	/* Applies to all subscribers permanently; without it, whole graphs are rejected. */
	if (cupti->many && !nodes)
		(void)dp_cupti__attribute(CUPTI_ATTR_MANY_WHOLE_GRAPHS, &yes, sizeof(yes));
	if (cupti->SetThreadIdType)
		(void)cupti->SetThreadIdType(CUPTI_THREAD_ID_SYSTEM);
	/* From 12.8 on, each query of an event that is not ready would otherwise be a record. */
	if (cupti->ActivityEnableAllSyncRecords)
		(void)cupti->ActivityEnableAllSyncRecords(0);
}

static const char *name_of(uint32_t kind)
{
	static const struct {
		uint32_t kind;
		const char *name;
	} names[] = {
		{ CUPTI_DEVICE, "devices" },
		{ CUPTI_CONTEXT, "contexts" },
		{ CUPTI_STREAM, "streams" },
		{ CUPTI_NAME, "names" },
		{ CUPTI_OVERHEAD, "its own overhead" },
		{ CUPTI_JIT, "compilation" },
		{ CUPTI_MEMCPY, "copies" },
		{ CUPTI_MEMCPY2, "copies between devices" },
		{ CUPTI_MEMSET, "memsets" },
		{ CUPTI_RUNTIME, "runtime calls" },
		{ CUPTI_DRIVER, "driver calls" },
		{ CUPTI_EXT_CORR, "correlation ids of other tools" },
		{ CUPTI_EVENT, "events" },
		{ CUPTI_SYNC, "synchronization" },
		{ CUPTI_MEMORY2, "allocations" },
		{ CUPTI_MEMORY_POOL, "memory pools" },
		{ CUPTI_GRAPH_TRACE, "CUDA graphs" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].kind == kind)
			return names[i].name;
	return "kernels";
}

/* Without kernels nothing else matters; old versions do not know some kinds. */
static void report_refused(void)
{
	uint64_t kinds = dp_collector.refused.kinds & ~dp_collector.refused.reported;
	char list[512] = "";
	size_t used = 0;

	dp_collector.refused.reported |= kinds;
	if (kinds >> CUPTI_KERNEL & 1) {
		tell(dp_collector.refused.result, "");
		return;
	}
	for (uint32_t kind = 0; kind < 64; kind++)
		if (kinds >> kind & 1 && used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", name_of(kind));
	if (kinds)
		dp_message__say(dp_collector.refused.result == CUPTI_E_INVALID_KIND ? DP_SPOOL_NOTE
								       : DP_SPOOL_WARNING,
				"kind-refused", "CUPTI does not record %s here: %s (%d)", list,
				why(dp_collector.refused.result), dp_collector.refused.result);
}

/*
 * Devices, contexts and streams are described only when they are created: these kinds are enabled
 * throughout, even if recording starts later or pauses.
 */
static const uint32_t facts[] = { CUPTI_DEVICE, CUPTI_CONTEXT, CUPTI_STREAM, CUPTI_NAME };

void dp_attach__facts(bool enable)
{
	if (!cupti_answers())
		return;
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		dp_cupti__kind(facts[i], enable);
}

/*
 * Copies between devices are recorded once the program uses a second device. With CUPTI 13.0, if
 * both kinds of copies are recorded while times are read from the GPU, launches of some CUDA graphs
 * with copies in them fail (tests/gpu/RESULTS.md). Programs of one device, like most, are safe so.
 */
static bool several_devices(void)
{
	uint64_t devices = atomic_load(&dp_collector.devices);

	return devices & (devices - 1);
}

static bool peers; /* they are recorded, or were refused */

void dp_attach__peers(void)
{
	if (peers || !cupti_answers() || !several_devices())
		return;
	peers = true;
	dp_cupti__kind(CUPTI_MEMCPY2, true);
	report_refused();
}

void dp_attach__kinds(bool enable)
{
	const struct options *o = &dp_collector.options;
	const struct {
		uint32_t kind;
		bool wanted;
	} kinds[] = {
		{ CUPTI_OVERHEAD, o->overhead },
		{ CUPTI_JIT, o->jit },
		{ CUPTI_KERNEL, true },
		{ CUPTI_MEMCPY, true },
		{ CUPTI_MEMSET, true },
		{ CUPTI_EXT_CORR, o->api },
		{ CUPTI_SYNC, o->sync },
		/* Needed to know which work a wait for an event is for. */
		{ CUPTI_EVENT, o->sync },
		{ CUPTI_MEMORY2, o->memory },
		{ CUPTI_MEMORY_POOL, o->memory },
		{ CUPTI_GRAPH_TRACE, !o->graph_nodes },
	};

	if (!cupti_answers())
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].wanted)
			dp_cupti__kind(kinds[i].kind, enable);
	if (enable) {
		dp_attach__peers();
	} else if (peers) {
		dp_cupti__kind(CUPTI_MEMCPY2, false);
		peers = false;
	}
	if (!(dp_collector.refused.kinds >> CUPTI_KERNEL & 1))
		dp_calls__enable(enable);
	report_refused();
}

static void enable_callbacks(struct cupti *cupti)
{
	static const uint32_t ids[][2] = {
		{ CUPTI_DOMAIN_RUNTIME, CUPTI_CUDART_PROFILER_START },
		{ CUPTI_DOMAIN_RUNTIME, CUPTI_CUDART_PROFILER_STOP },
		{ CUPTI_DOMAIN_DRIVER, CUPTI_CU_PROFILER_START },
		{ CUPTI_DOMAIN_DRIVER, CUPTI_CU_PROFILER_STOP },
	};

	(void)cupti->EnableCallback(1, cupti->subscriber, CUPTI_DOMAIN_RESOURCE,
				    CUPTI_RESOURCE_MODULE_UNLOAD);
	(void)cupti->EnableCallback(1, cupti->subscriber, CUPTI_DOMAIN_RESOURCE,
				    CUPTI_RESOURCE_CONTEXT_CREATED);
	(void)cupti->EnableCallback(1, cupti->subscriber, CUPTI_DOMAIN_STATE,
				    CUPTI_STATE_FATAL_ERROR);
	for (size_t i = 0; dp_collector.options.capture_profiler && i < 4; i++)
		(void)cupti->EnableCallback(1, cupti->subscriber, ids[i][0], ids[i][1]);
}

static bool attach(struct cupti *cupti)
{
	int result;

	if (!dp_load__cupti(cupti))
		return false;
	result = cupti->GetVersion(&cupti->version);
	if (result) {
		tell(result, "");
		return false;
	}
	cupti->driver_version = dp_load__driver_version();
	if (!subscribe(cupti))
		return false;
	dp_collector.measured = dp_sizes__measure(cupti, dp_collector.strides);
	memcpy(dp_collector.pool->strides, dp_collector.strides, sizeof(dp_collector.strides));
	set_attributes(cupti);
	result = dp_cupti__register();
	if (result) {
		tell(result, "");
		(void)cupti->Unsubscribe(cupti->subscriber);
		return false;
	}
	cupti->attached = true;
	return true;
}

void dp_attach__cupti(void)
{
	struct collector *c = &dp_collector;

	if (c->cupti.attached)
		return;
	if (!attach(&c->cupti)) {
		/* No kernel will be launched that others could wait for. */
		atomic_store(&c->pool->first_launch_ns, clock_ns(CLOCK_MONOTONIC));
		return;
	}
	enable_callbacks(&c->cupti);
	if (c->options.first)
		dp_first__watch(true);
	dp_attach__facts(true);
	if (!c->options.start_paused && !c->options.capture_profiler)
		dp_attach__kinds(true);
	atomic_store(&c->handed_over, 1);
	dp_message__say(DP_SPOOL_NOTE, "attached", "recording with CUPTI from %s",
			c->cupti.path);
	dp_wake(&c->control_wake);
}
