/* Subscribes to CUPTI and turns on what is wanted, in the order that its versions need. */
#include "cupti/collector.h"

#include <string.h>

/*
 * On the GPU CUPTI keeps the times of operations that it has not told of, 32 bytes each, in buffers
 * that it makes as it needs them (three at once) and uses again. It may have 250 of 3.2 MB, each
 * program's memory permitting; Kineto gives it 20. Ours are larger, for each is made in a thread of
 * the program's, and 256 MB in all: eight times what a million operations a second take from one
 * flush to the next. Beyond that operations come without their times, which is told as a loss; a
 * program that finds no memory would fail.
 */
#define DEVICE_BUFFER_BYTES ((size_t)8 << 20)
#define DEVICE_BUFFERS ((size_t)32)

/* Of a domain; 13.5 has 877 of the driver. */
#define CALLS_MOST 1200u

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
			"another profiler holds CUPTI in this program%s%s%s: end it, as only "
			"one can; NVTX and the state of the GPUs are all that is recorded",
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

/*
 * Not by cuptiSubscribe_v2(): from 13.3 on who has subscribed so has to use functions of that kind
 * throughout, for CUPTI's clock, say. But it names who is in the way; where that one has gone
 * meanwhile, it is subscribed to as before.
 */
static bool subscribe(struct cupti *cupti)
{
	char holder[256] = "";
	struct cupti_subscriber_params params = {
		.bytes = sizeof(params),
		.name = "deepprof",
		.old_name = holder,
		.old_name_bytes = sizeof(holder),
	};
	int result;

	result = cupti->Subscribe(&cupti->subscriber, dp_buffers__callback, NULL);
	if (result && cupti->Subscribe_v2) {
		result = cupti->Subscribe_v2(&cupti->subscriber, dp_buffers__callback, NULL,
					     &params);
		if (!result) {
			(void)cupti->Unsubscribe(cupti->subscriber);
			result = cupti->Subscribe(&cupti->subscriber, dp_buffers__callback, NULL);
		}
	}
	holder[sizeof(holder) - 1] = 0;
	if (result)
		tell(result, holder);
	return !result;
}

static void set_attribute(struct cupti *cupti, uint32_t attribute, void *value, size_t bytes)
{
	/* Older versions lack some: they do without. */
	(void)cupti->ActivitySetAttribute(attribute, &bytes, value);
}

static void set_attributes(struct cupti *cupti)
{
	size_t bytes = DEVICE_BUFFER_BYTES, limit = DEVICE_BUFFERS;
	uint8_t yes = 1;

	set_attribute(cupti, CUPTI_ATTR_PER_THREAD_BUFFER, &yes, sizeof(yes));
	set_attribute(cupti, CUPTI_ATTR_ZEROED_BUFFER, &yes, sizeof(yes));
	set_attribute(cupti, CUPTI_ATTR_DEVICE_BUFFER_SIZE, &bytes, sizeof(bytes));
	set_attribute(cupti, CUPTI_ATTR_DEVICE_BUFFER_POOL_LIMIT, &limit, sizeof(limit));
	if (cupti->SetThreadIdType)
		(void)cupti->SetThreadIdType(CUPTI_THREAD_ID_SYSTEM);
}

/*
 * Calls that programs and their libraries make by the million and that say nothing; torch.profiler
 * leaves some of them out as well.
 */
static const char *const noisy[] = {
	"cudaGetDevice",
	"cudaGetLastError",
	"cudaPeekAtLastError",
	"cudaSetDevice",
	"cudaStreamIsCapturing",
	"cuCtxGetCurrent",
	"cuDevicePrimaryCtxGetState",
	"cuKernelGetAttribute",
	"cuPointerGetAttribute",
	"cuPointerGetAttributes",
};

/* With or without the version that CUPTI puts after it. */
static bool is_noisy(const char *name)
{
	for (size_t i = 0; i < sizeof(noisy) / sizeof(noisy[0]); i++) {
		size_t length = strlen(noisy[i]);

		if (!strncmp(name, noisy[i], length) && (!name[length] || name[length] == '_'))
			return true;
	}
	return false;
}

static void filter(const struct cupti *cupti, uint32_t domain, int (*enable)(uint32_t, uint8_t))
{
	const char *name;

	for (uint32_t cbid = 1; enable && cbid < CALLS_MOST; cbid++) {
		name = NULL;
		if (!cupti->GetCallbackName(domain, cbid, &name) && name && is_noisy(name))
			(void)enable(cbid, 0);
	}
}

/*
 * What describes the devices, contexts and streams is told as they come to be, and only then: it is
 * on from the beginning to the end, also where recording begins later, or pauses.
 */
static const uint32_t facts[] = { CUPTI_DEVICE, CUPTI_CONTEXT, CUPTI_STREAM, CUPTI_NAME };

void dp_attach__facts(bool enable)
{
	struct cupti *cupti = &dp_collector.cupti;

	if (!cupti_answers())
		return;
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		(void)(enable ? cupti->ActivityEnable(facts[i]) : cupti->ActivityDisable(facts[i]));
}

void dp_attach__kinds(bool enable)
{
	const struct options *o = &dp_collector.options;
	struct cupti *cupti = &dp_collector.cupti;
	const struct {
		uint32_t kind;
		bool wanted;
	} kinds[] = {
		{ CUPTI_OVERHEAD, o->overhead },
		{ CUPTI_JIT, o->jit },
		{ CUPTI_KERNEL, true },
		{ CUPTI_MEMCPY, true },
		{ CUPTI_MEMCPY2, true },
		{ CUPTI_MEMSET, true },
		{ CUPTI_RUNTIME, o->api },
		{ CUPTI_DRIVER, o->api },
		{ CUPTI_EXT_CORR, o->api },
		{ CUPTI_SYNC, o->sync },
		{ CUPTI_MEMORY2, o->memory },
		{ CUPTI_MEMORY_POOL, o->memory },
		{ CUPTI_GRAPH_TRACE, !o->graph_nodes },
	};
	int result;

	if (!cupti_answers())
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!kinds[i].wanted)
			continue;
		result = enable ? cupti->ActivityEnable(kinds[i].kind)
				: cupti->ActivityDisable(kinds[i].kind);
		if (result && enable && kinds[i].kind == CUPTI_KERNEL)
			tell(result, "");
	}
	if (!enable || !o->api)
		return;
	filter(cupti, CUPTI_DOMAIN_RUNTIME, cupti->ActivityEnableRuntimeApi);
	filter(cupti, CUPTI_DOMAIN_DRIVER, cupti->ActivityEnableDriverApi);
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
	(void)cupti->EnableCallback(1, cupti->subscriber, CUPTI_DOMAIN_STATE,
				    CUPTI_STATE_FATAL_ERROR);
	for (size_t i = 0; dp_collector.options.capture_profiler && i < 4; i++)
		(void)cupti->EnableCallback(1, cupti->subscriber, ids[i][0], ids[i][1]);
}

void dp_attach__cupti(void)
{
	struct cupti *cupti = &dp_collector.cupti;
	int result;

	if (cupti->attached || !dp_load__cupti(cupti))
		return;
	result = cupti->GetVersion(&cupti->version);
	if (result) {
		tell(result, "");
		return;
	}
	cupti->driver_version = dp_load__driver_version();
	dp_collector.measured = dp_sizes__measure(cupti, dp_collector.strides);
	memcpy(dp_collector.pool->strides, dp_collector.strides, sizeof(dp_collector.strides));
	if (!subscribe(cupti))
		return;
	set_attributes(cupti);
	result = cupti->ActivityRegisterCallbacks(dp_buffers__requested, dp_buffers__completed);
	if (result) {
		tell(result, "");
		(void)cupti->Unsubscribe(cupti->subscriber);
		return;
	}
	cupti->attached = true;
	enable_callbacks(cupti);
	dp_attach__facts(true);
	if (!dp_collector.options.start_paused && !dp_collector.options.capture_profiler)
		dp_attach__kinds(true);
	atomic_store(&dp_collector.handed_over, 1);
	dp_message__say(DP_SPOOL_NOTE, "attached", "CUPTI %u from %s", cupti->version, cupti->path);
	dp_wake(&dp_collector.control_wake);
}
