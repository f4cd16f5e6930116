/*
 * The fake libcupti's functions; fake_records.c makes its records, fake_buffers.c has its buffers.
 */
#include "fake_buffers.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* The driver from which on several tools may subscribe: 610, which has CUDA 13.3. */
#define DRIVER_OF_MANY 13030
/* How much of the device's buffers a record takes. */
#define DEVICE_RECORD_BYTES 32
const struct fake_version *fake_version;
struct fake_switches fake_switches;
static struct fake_truth nobody;
struct fake_truth *fake_truth = &nobody;
static uint32_t attributes; /* that were set, whatever the result */
static _Atomic uint64_t dropped;
static bool subscribed_v2;
static _Atomic bool ended;

uint64_t fake_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void fake_fail(const char *what)
{
	fprintf(stderr, "fake libcupti: %s\n", what);
	abort();
}

/* The result that FAKE_CUPTI_FAIL sets for the function. */
int fake_verdict(const char *function)
{
	const char *list = getenv("FAKE_CUPTI_FAIL"), *found;
	size_t length = strlen(function);

	if (fake_in_callback)
		fake_fail("called from within a callback");
	if (ended)
		fake_fail("called after its end");
#ifdef FAKE_13_2
	fake_fail("called without a driver");
#endif
	for (found = list ? strstr(list, function) : NULL; found;
	     found = strstr(found + 1, function))
		if (found[length] == '=')
			return atoi(found + length + 1);
	return 0;
}

/* From 13.3 on a tool that subscribed by one interface cannot call functions of the other. */
static int verdict_of(const char *function, bool is_v2)
{
	int result = fake_verdict(function);

	if (is_v2 && fake_version->number < 130300)
		fake_fail("it does not have that function yet");
	if (!result && fake_version->number >= 130300 && is_v2 != subscribed_v2)
		return CUPTI_E_NOT_COMPATIBLE;
	return result;
}

/* Like the real one's objects at exit: some are made when it is loaded, some at its first call. */
static void end(void)
{
	ended = true;
}

static void end_at_exit(void)
{
	if (atexit(end))
		fake_fail("no memory");
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void start(void)
{
	const char *wanted = getenv("FAKE_CUPTI_VERSION"), *path = getenv("FAKE_CUPTI_TRUTH");
	int fd;

	fake_version = fake_version_named(wanted ? wanted : "12.8");
	if (!fake_version)
		fake_fail("no such version");
	fake_switches = (struct fake_switches){
		.withhold = number("FAKE_CUPTI_WITHHOLD", 1),
		.late_times = number("FAKE_CUPTI_LATE_TIMES", 1),
		.reuses = number("FAKE_CUPTI_REUSES", 0),
		.devices = number("FAKE_CUPTI_DEVICES", 0),
		.delay_ns = number("FAKE_CUPTI_DELAY_MS", 10) * 1000000,
		.device_records = number("FAKE_CUPTI_DEVICE_RECORDS", 0),
	};
	end_at_exit();
	fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	fake_truth = mmap(NULL, sizeof(*fake_truth), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (fake_truth == MAP_FAILED)
		fake_fail("no memory for the truth");
	atomic_fetch_add(&fake_truth->constructed, 1);
}

__attribute__((destructor)) static void stop(void)
{
	atomic_fetch_add(&fake_truth->destructed, 1);
}

EXPORT int cuptiActivityFlushAll(uint32_t flag);

static void take_request(uint8_t **buffer, size_t *bytes, size_t *most_records)
{
	*bytes = 1 << 16;
	*buffer = calloc(*bytes, 1); /* several may be handed out at once */
	*most_records = 0;
	if (!*buffer)
		fake_fail("no memory for a buffer");
}

static void take_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
			  size_t valid)
{
	/* They may be the previous client's: none is freed. */
}

static void fake_take_over(void)
{
	/* All launched work has ended: nothing is withheld. */
	usleep(1000);
	fake_register((void *)(uintptr_t)take_request, (void *)(uintptr_t)take_complete, false);
	(void)cuptiActivityFlushAll(0);
	fake_truth = &nobody;
}

static void fake_drop(uint64_t records)
{
	atomic_fetch_add(&dropped, records);
}

static struct fake_truth *get_truth(void)
{
	return fake_truth;
}

/* In a child of a bare clone(), which ThreadSanitizer takes for a process with all its threads. */
__attribute__((no_sanitize("thread"))) static void fake_pretend(void)
{
	fake_truth = &nobody;
}

EXPORT extern const struct fake_interface fake_interface;
const struct fake_interface fake_interface = {
	fake_launch,	  fake_record,	   fake_complete_twice, fake_complete_foreign,
	fake_hold_buffer, fake_drop,	   fake_unload,		fake_context,
	fake_profiler,	  get_truth,	   fake_gives_back,	fake_pretend,
	fake_append,	  fake_is_enabled, fake_take_over,	fake_call_back,
	fake_number_of,	  fake_launch_at,
};

typedef void (*callback_fn)(void *, uint32_t, uint32_t, const void *);

EXPORT int cuptiGetVersion(uint32_t *out);
EXPORT int cuptiGetTimestamp(uint64_t *out);
EXPORT int cuptiGetResultString(int result, const char **text);
EXPORT int cuptiSubscribe(void **out, callback_fn function, void *user);
EXPORT int cuptiSubscribe_v2(void **out, callback_fn function, void *user,
			     struct cupti_subscriber_params *params);
EXPORT int cuptiUnsubscribe(void *subscriber);
EXPORT int cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t cbid);
EXPORT int cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name);
EXPORT int cuptiSetThreadIdType(uint32_t type);
EXPORT int cuptiGetDeviceId(void *context, uint32_t *device);
EXPORT int cuptiActivityEnable(uint32_t kind);
EXPORT int cuptiActivityDisable(uint32_t kind);
EXPORT int cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t enable);
EXPORT int cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t enable);
EXPORT int cuptiActivityEnableAllSyncRecords(uint8_t enable);
EXPORT int cuptiActivitySetAttribute(uint32_t attribute, size_t *bytes, void *value);
EXPORT int cuptiActivityRegisterCallbacks(void *ask, void *done);
EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record);
EXPORT int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *out);
EXPORT int cuptiActivityEnable_v2(void *subscriber, uint32_t kind, void *config);
#ifndef FAKE_13_2
EXPORT int cuptiGetTimestamp_v2(void *subscriber, uint64_t *out);
EXPORT int cuptiActivityDisable_v2(void *subscriber, uint32_t kind, void *config);
EXPORT int cuptiActivityEnableDriverApi_v2(void *subscriber, uint32_t cbid, uint8_t enable);
EXPORT int cuptiActivityEnableRuntimeApi_v2(void *subscriber, uint32_t cbid, uint8_t enable);
EXPORT int cuptiActivitySetAttribute_v2(void *subscriber, uint32_t attribute, size_t *bytes,
					void *value);
EXPORT int cuptiActivityRegisterCallbacks_v2(void *subscriber, void *ask, void *done);
EXPORT int cuptiActivityGetNextRecord_v2(void *subscriber, uint8_t *buffer, size_t valid,
					 void **record);
EXPORT int cuptiActivityGetNumDroppedRecords_v2(void *subscriber, void *context, uint32_t stream,
						size_t *out);
#endif

int cuptiGetVersion(uint32_t *out)
{
	*out = fake_version->number;
	return fake_verdict("GetVersion");
}

int cuptiGetTimestamp(uint64_t *out)
{
	*out = fake_now();
	return verdict_of("GetTimestamp", false);
}

int cuptiGetResultString(int result, const char **text)
{
	*text = "a reason";
	return 0;
}

static int subscribe(void **out, callback_fn function, void *user, bool is_v2)
{
	static int asked;

	end_at_exit();
	fake_wanted.callback = function;
	fake_wanted.user = user;
	*out = &fake_wanted;
	subscribed_v2 = is_v2;
	/* The previous subscriber is removed. */
	if (getenv("FAKE_CUPTI_LEAVES") && !asked++)
		return CUPTI_E_MULTIPLE_SUBSCRIBERS;
	return 0;
}

int cuptiSubscribe(void **out, callback_fn function, void *user)
{
	int result = subscribe(out, function, user, false);

	return result ? result : fake_verdict("Subscribe");
}

static int driver_version(void)
{
	int (*function)(int *) =
		(int (*)(int *))(uintptr_t)dlsym(RTLD_DEFAULT, "cuDriverGetVersion");
	int driver = 0;

	return function && !function(&driver) ? driver : 0;
}

/* Several subscribers coexist if all of them ask for it and the driver is new enough. */
int cuptiSubscribe_v2(void **out, callback_fn function, void *user,
		      struct cupti_subscriber_params *params)
{
	const char *holder = getenv("FAKE_CUPTI_HOLDER");
	bool many = params->bytes > offsetof(struct cupti_subscriber_params, many) && params->many;
	int result;

	if (params->old_name)
		snprintf(params->old_name, params->old_name_bytes, "%s",
			 holder ? holder : "CUPTI for <not provided>");
	if (many && driver_version() < DRIVER_OF_MANY)
		return CUPTI_E_MULTIPLE_SUBSCRIBERS;
	result = subscribe(out, function, user, true);
	if (!many && !result)
		result = fake_verdict("Subscribe");
	fake_truth->v2 = !result;
	return result;
}

int cuptiUnsubscribe(void *subscriber)
{
	subscribed_v2 = false;
	fake_truth->v2 = 0;
	return fake_verdict("Unsubscribe");
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t cbid)
{
	int result = fake_verdict("EnableCallback");

	if (!result && domain == CUPTI_DOMAIN_DRIVER && cbid < FAKE_CALLS)
		atomic_store(&fake_wanted.called_back[cbid], enable);
	if (!result && domain == CUPTI_DOMAIN_RESOURCE && cbid == CUPTI_RESOURCE_CONTEXT_CREATED)
		fake_wanted.contexts = enable;
	return result;
}

int cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name)
{
	static const struct {
		uint32_t domain, cbid;
		const char *name;
	} names[] = {
		{ CUPTI_DOMAIN_RUNTIME, FAKE_CUDA_LAUNCH, "cudaLaunchKernel_v7000" },
		{ CUPTI_DOMAIN_RUNTIME, FAKE_CUDA_EVENT_RECORD, "cudaEventRecord_v3020" },
		{ CUPTI_DOMAIN_RUNTIME, 10, "cudaGetLastError_v3020" },
		{ CUPTI_DOMAIN_RUNTIME, 3, "cudaGetDeviceCount_v3020" },
		{ CUPTI_DOMAIN_DRIVER, 304, "cuCtxGetCurrent" },
		{ CUPTI_DOMAIN_DRIVER, FAKE_CU_EVENT_RECORD, "cuEventRecord" },
		{ CUPTI_DOMAIN_DRIVER, 119, "cuEventQuery" },
		{ CUPTI_DOMAIN_DRIVER, 126, "cuStreamSynchronize" },
		{ CUPTI_DOMAIN_DRIVER, 220, "cuMemsetD32Async" },
		{ CUPTI_DOMAIN_DRIVER, 277, "cuMemcpyHtoDAsync_v2" },
		{ CUPTI_DOMAIN_DRIVER, 279, "cuMemcpyDtoHAsync_v2" },
		{ CUPTI_DOMAIN_DRIVER, FAKE_CU_LAUNCH, "cuLaunchKernel" },
		{ CUPTI_DOMAIN_DRIVER, 514, "cuGraphLaunch" },
	};

	*name = NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].domain == domain && names[i].cbid == cbid)
			*name = names[i].name;
	return *name ? fake_verdict("GetCallbackName") : CUPTI_E_INVALID_PARAMETER;
}

/* A context of the fake is the number of its device, plus one. */
int cuptiGetDeviceId(void *context, uint32_t *device)
{
	bool within = fake_in_callback;
	int result;

	/* It may be called from within a callback. */
	fake_in_callback = false;
	result = fake_verdict("GetDeviceId");
	fake_in_callback = within;
	*device = (uint32_t)(uintptr_t)context - 1;
	return result;
}

int cuptiSetThreadIdType(uint32_t type)
{
	int result = fake_verdict("SetThreadIdType");

	if (!result)
		fake_wanted.thread_ids = type;
	return result;
}

/* Devices are reported only if requested after cuInit() has loaded its tools. */
static bool in_cu_init(void)
{
	const _Atomic int *in = dlsym(RTLD_DEFAULT, "fake_cuda_initializing");

	return in && atomic_load(in);
}

static int set_kind(uint32_t kind, bool enable)
{
	static const uint32_t first =
		1u << CUPTI_ATTR_DEVICE_BUFFER_SIZE | 1u << CUPTI_ATTR_DEVICE_BUFFER_POOL_LIMIT |
		1u << CUPTI_ATTR_ZEROED_BUFFER | 1u << CUPTI_ATTR_PER_THREAD_BUFFER;

	/* Benchmarks without a subscriber measure the cost without the collector. */
	if (fake_wanted.callback && (attributes & first) != first)
		fake_fail("attributes come first");
	if (!enable) {
		atomic_fetch_and(&fake_wanted.enabled[kind / 64], ~((uint64_t)1 << (kind % 64)));
		return 0;
	}
	fake_wanted.no_device |= kind == CUPTI_DEVICE && in_cu_init() && !fake_switches.devices;
	atomic_fetch_or(&fake_wanted.enabled[kind / 64], (uint64_t)1 << (kind % 64));
	/* Enabling a kind enables all of its calls. */
	for (size_t i = 0; i < FAKE_CALLS && (kind == CUPTI_DRIVER || kind == CUPTI_RUNTIME); i++)
		atomic_store(&fake_wanted.left_out[kind == CUPTI_RUNTIME][i], false);
	return 0;
}

/* FAKE_CUPTI_FAIL=Kind_N=result refuses one kind. */
static int kind_verdict(const char *function, uint32_t kind, bool is_v2)
{
	char name[32];
	int result = verdict_of(function, is_v2);

	snprintf(name, sizeof(name), "Kind_%u", (unsigned int)kind);
	return result ? result : fake_verdict(name);
}

int cuptiActivityEnable(uint32_t kind)
{
	int result = kind_verdict("ActivityEnable", kind, false);

	return result ? result : set_kind(kind, true);
}

int cuptiActivityDisable(uint32_t kind)
{
	int result = verdict_of("ActivityDisable", false);

	return result ? result : set_kind(kind, false);
}

static int enable_call(size_t domain, uint32_t cbid, uint8_t enable)
{
	/* From 12.5 on. */
	if (fake_version->number < 23 || cbid >= FAKE_CALLS)
		return CUPTI_E_NOT_SUPPORTED;
	atomic_store(&fake_wanted.left_out[domain][cbid], !enable);
	return 0;
}

int cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t enable)
{
	int result = verdict_of("ActivityEnableDriverApi", false);

	return result ? result : enable_call(0, cbid, enable);
}

int cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t enable)
{
	int result = verdict_of("ActivityEnableRuntimeApi", false);

	return result ? result : enable_call(1, cbid, enable);
}

/* From 12.8 on; before, there are no such records. */
int cuptiActivityEnableAllSyncRecords(uint8_t enable)
{
	fake_wanted.no_query_syncs = !enable;
	return fake_verdict("ActivityEnableAllSyncRecords");
}

static void set_attribute(uint32_t attribute, const size_t *bytes, const void *value)
{
	static size_t each = 3200000, most = 250;
	bool is_flag = attribute != CUPTI_ATTR_DEVICE_BUFFER_SIZE &&
		       attribute != CUPTI_ATTR_DEVICE_BUFFER_POOL_LIMIT;

	if (*bytes != (is_flag ? sizeof(uint8_t) : sizeof(size_t)))
		fake_fail("an attribute of another size");
	if (attribute < 32)
		attributes |= 1u << attribute;
	if (attribute == CUPTI_ATTR_DEVICE_BUFFER_SIZE)
		memcpy(&each, value, sizeof(each));
	if (attribute == CUPTI_ATTR_DEVICE_BUFFER_POOL_LIMIT)
		memcpy(&most, value, sizeof(most));
	fake_truth->device_records = each * most / DEVICE_RECORD_BYTES;
	fake_set_device_records(fake_switches.device_records ? fake_switches.device_records
							     : fake_truth->device_records);
}

int cuptiActivitySetAttribute(uint32_t attribute, size_t *bytes, void *value)
{
	int result = verdict_of("ActivitySetAttribute", false);

	set_attribute(attribute, bytes, value);
	return result;
}

int cuptiActivityRegisterCallbacks(void *ask, void *done)
{
	int result = verdict_of("ActivityRegisterCallbacks", false);

	if (!result)
		fake_register(ask, done, false);
	return result;
}

int cuptiActivityFlushAll(uint32_t flag)
{
	int result = fake_verdict("ActivityFlushAll");

	if (!fake_has_asked())
		fake_fail("flushed before a buffer was asked for");
	if (flag && (fake_wanted.enabled[0] || fake_wanted.enabled[1]))
		fake_fail("flushed for good while it records");
	if (getenv("FAKE_CUPTI_HANG") && flag)
		for (;;)
			pause();
	fake_flush(flag);
	return result;
}

static int next_record(uint8_t *buffer, size_t valid, void **record)
{
	uint8_t *at = *record ? *record : buffer;
	uint32_t kind;

	if (getenv("FAKE_CUPTI_LATE") && !fake_has_asked())
		return CUPTI_E_NOT_INITIALIZED;
	memcpy(&kind, at, 4);
	if (!kind || kind >= FAKE_KINDS || !fake_version->sizes[kind])
		return CUPTI_E_INVALID_KIND;
	if (*record)
		at += fake_version->sizes[kind];
	if (at >= buffer + valid)
		return CUPTI_E_MAX_LIMIT_REACHED;
	*record = at;
	return 0;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record)
{
	if (fake_verdict("ActivityGetNextRecord"))
		return CUPTI_E_UNKNOWN;
	return next_record(buffer, valid, record);
}

static int take_dropped(int result, size_t *out)
{
	*out = result ? 0 : atomic_exchange(&dropped, 0);
	return result;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *out)
{
	return take_dropped(verdict_of("ActivityGetNumDroppedRecords", false), out);
}

int cuptiActivityEnable_v2(void *subscriber, uint32_t kind, void *config)
{
	int result = kind_verdict("ActivityEnable", kind, true);

	/* With several subscribers, whole graphs must be requested before anything else. */
	if (!result && kind == CUPTI_GRAPH_TRACE &&
	    !(attributes >> CUPTI_ATTR_MANY_WHOLE_GRAPHS & 1))
		result = CUPTI_E_NOT_COMPATIBLE;
	return result ? result : set_kind(kind, true);
}

#ifndef FAKE_13_2
int cuptiGetTimestamp_v2(void *subscriber, uint64_t *out)
{
	*out = fake_now();
	return verdict_of("GetTimestamp", true);
}

int cuptiActivityDisable_v2(void *subscriber, uint32_t kind, void *config)
{
	int result = verdict_of("ActivityDisable", true);

	return result ? result : set_kind(kind, false);
}

int cuptiActivityEnableDriverApi_v2(void *subscriber, uint32_t cbid, uint8_t enable)
{
	int result = verdict_of("ActivityEnableDriverApi", true);

	return result ? result : enable_call(0, cbid, enable);
}

int cuptiActivityEnableRuntimeApi_v2(void *subscriber, uint32_t cbid, uint8_t enable)
{
	int result = verdict_of("ActivityEnableRuntimeApi", true);

	return result ? result : enable_call(1, cbid, enable);
}

int cuptiActivitySetAttribute_v2(void *subscriber, uint32_t attribute, size_t *bytes, void *value)
{
	int result = verdict_of("ActivitySetAttribute", true);

	set_attribute(attribute, bytes, value);
	return result;
}

int cuptiActivityRegisterCallbacks_v2(void *subscriber, void *ask, void *done)
{
	int result = verdict_of("ActivityRegisterCallbacks", true);

	if (!result)
		fake_register(ask, done, true);
	return result;
}

int cuptiActivityGetNextRecord_v2(void *subscriber, uint8_t *buffer, size_t valid, void **record)
{
	if (verdict_of("ActivityGetNextRecord", true))
		return CUPTI_E_UNKNOWN;
	return next_record(buffer, valid, record);
}

int cuptiActivityGetNumDroppedRecords_v2(void *subscriber, void *context, uint32_t stream,
					 size_t *out)
{
	return take_dropped(verdict_of("ActivityGetNumDroppedRecords", true), out);
}
#endif
