/* The fake libcupti's functions; fake_buffers.c has its buffers. */
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

/* The driver with which several may subscribe: 610, which has CUDA 13.3. */
#define DRIVER_OF_MANY 13030
/* What a record takes of the device's buffers. */
#define DEVICE_RECORD_BYTES 32
/* Calls of an API. */
#define CALLS 900

#define SAME [4] = 40, [5] = 40, [11] = 32, [37] = 24, [39] = 24, [48] = 40, [61] = FAKE_NEW_BYTES

/* As measured on the real ones; from 13.2 on from their headers. */
static const struct fake_version versions[] = {
	{ "11.8",
	  18,
	  { SAME, [1] = 88, [2] = 88, [3] = 200, [10] = 200, [8] = 176, [9] = 16, [17] = 40,
	    [22] = 96, [36] = 24, [38] = 40, [49] = 120, [50] = 72, [51] = 48, [52] = 64 } },
	{ "12.0",
	  18,
	  { SAME, [1] = 88, [2] = 88, [3] = 208, [10] = 208, [8] = 176, [9] = 16, [17] = 40,
	    [22] = 96, [36] = 24, [38] = 40, [49] = 120, [50] = 72, [51] = 48, [52] = 64 } },
	{ "12.3",
	  21,
	  { SAME, [1] = 88, [2] = 88, [3] = 208, [10] = 208, [8] = 184, [9] = 16, [17] = 48,
	    [22] = 96, [36] = 24, [38] = 40, [49] = 120, [50] = 72, [51] = 56, [52] = 64 } },
	{ "12.4",
	  22,
	  { SAME, [1] = 88, [2] = 88, [3] = 208, [10] = 208, [8] = 184, [9] = 24, [17] = 56,
	    [22] = 96, [36] = 24, [38] = 40, [49] = 120, [50] = 72, [51] = 56, [52] = 72 } },
	{ "12.8",
	  26,
	  { SAME, [1] = 96, [2] = 88, [3] = 208, [10] = 208, [8] = 184, [9] = 32, [17] = 56,
	    [22] = 96, [36] = 56, [38] = 56, [49] = 128, [50] = 72, [51] = 56, [52] = 72 } },
	{ "13.0",
	  130001,
	  { SAME, [1] = 96, [2] = 88, [3] = 216, [10] = 216, [8] = 184, [9] = 32, [17] = 56,
	    [22] = 96, [36] = 56, [38] = 56, [49] = 128, [50] = 80, [51] = 56, [52] = 72 } },
	{ "13.1",
	  130100,
	  { SAME, [1] = 96, [2] = 88, [3] = 224, [10] = 224, [8] = 184, [9] = 40, [17] = 56,
	    [22] = 96, [36] = 56, [38] = 56, [49] = 128, [50] = 80, [51] = 56, [52] = 72 } },
	{ "13.2",
	  130200,
	  { SAME, [1] = 96, [2] = 88, [3] = 224, [10] = 224, [8] = 192, [9] = 40, [17] = 56,
	    [22] = 96, [36] = 56, [38] = 56, [49] = 128, [50] = 80, [51] = 56, [52] = 72 } },
	{ "13.3",
	  130300,
	  { SAME, [1] = 96, [2] = 88, [3] = 232, [10] = 232, [8] = 192, [9] = 40, [17] = 56,
	    [22] = 96, [36] = 56, [38] = 56, [49] = 128, [50] = 80, [51] = 56, [52] = 72 } },
	{ "13.4",
	  130400,
	  { SAME, [1] = 112, [2] = 104, [3] = 248, [10] = 248, [8] = 192, [9] = 40, [17] = 56,
	    [22] = 96, [36] = 56, [38] = 56, [49] = 128, [50] = 80, [51] = 56, [52] = 72 } },
};

const struct fake_version *fake_version;
struct fake_switches fake_switches;
static struct fake_truth nobody;
struct fake_truth *fake_truth = &nobody;
static void (*callback)(void *, uint32_t, uint32_t, const void *);
static void *callback_user;
static _Atomic uint64_t enabled[2];
static _Atomic bool called_back[CALLS]; /* the driver's calls that a callback is wanted for */
static _Atomic bool single[2][CALLS]; /* the driver's and runtime's calls that are recorded alone */
static _Atomic bool left_out[2][CALLS]; /* and those that are not, of a kind that is */
static _Atomic uint32_t singles;
static uint32_t attributes; /* that were set, whatever the answer was */
static uint32_t thread_ids;
static _Atomic uint64_t dropped;
static bool subscribed_v2;
static bool no_device;	    /* devices were asked for too early for CUPTI to tell of them */
static bool no_query_syncs; /* of queries, where what was asked for was not ready */
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

/* What FAKE_CUPTI_FAIL wants of the function. */
static int verdict(const char *function)
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

/* From 13.3 on who has subscribed in the one way can't call functions of the other. */
static int verdict_of(const char *function, bool is_v2)
{
	int result = verdict(function);

	if (is_v2 && fake_version->number < 130300)
		fake_fail("it does not have that function yet");
	if (!result && fake_version->number >= 130300 && is_v2 != subscribed_v2)
		return CUPTI_E_NOT_COMPATIBLE;
	return result;
}

/* As the real one's objects end: some are made when it is loaded, some when it is first called. */
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

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (!strcmp(versions[i].name, wanted ? wanted : "12.8"))
			fake_version = &versions[i];
	if (!fake_version)
		fake_fail("no such version");
	fake_switches = (struct fake_switches){
		.withhold = number("FAKE_CUPTI_WITHHOLD", 1),
		.late_times = number("FAKE_CUPTI_LATE_TIMES", 1),
		.nested = number("FAKE_CUPTI_NESTED", 1),
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

/* Where a record of the kind has its times; false for what is not of the GPU. */
static bool find_times(uint32_t kind, size_t *start, size_t *end_at)
{
	static const struct {
		uint32_t kind;
		size_t start, end;
	} places[] = {
		{ CUPTI_KERNEL, offsetof(struct cupti_kernel, start),
		  offsetof(struct cupti_kernel, end) },
		{ CUPTI_MEMCPY, offsetof(struct cupti_memcpy, start),
		  offsetof(struct cupti_memcpy, end) },
		{ CUPTI_MEMCPY2, offsetof(struct cupti_memcpy2, start),
		  offsetof(struct cupti_memcpy2, end) },
		{ CUPTI_MEMSET, offsetof(struct cupti_memset, start),
		  offsetof(struct cupti_memset, end) },
		{ CUPTI_GRAPH_TRACE, offsetof(struct cupti_graph_trace, start),
		  offsetof(struct cupti_graph_trace, end) },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (places[i].kind != kind)
			continue;
		*start = places[i].start;
		*end_at = places[i].end;
		return true;
	}
	return false;
}

bool fake_take_times(uint8_t *record, uint32_t kind, struct fake_times *out)
{
	uint64_t node = 0;
	size_t start, end_at;

	if (!find_times(kind, &start, &end_at))
		return false;
	memcpy(&out->start, record + start, 8);
	memcpy(&out->end, record + end_at, 8);
	if (kind == CUPTI_KERNEL)
		memcpy(&node, record + offsetof(struct cupti_kernel, graph_node), 8);
	out->in_graph = node && !fake_switches.reuses;
	/* A kernel that never ends. */
	if (!out->end)
		out->end = UINT64_MAX;
	if (!fake_switches.late_times)
		return false;
	memset(record + start, 0, 8);
	memset(record + end_at, 0, 8);
	return true;
}

void fake_set_times(uint8_t *record, uint32_t kind, uint64_t start, uint64_t end_time)
{
	size_t start_at, end_at;

	if (!find_times(kind, &start_at, &end_at))
		return;
	memcpy(record + start_at, &start, 8);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(record + end_at, &end_time, 8);
}

static bool is_enabled(uint32_t kind)
{
	return kind == FAKE_NEW_KIND || kind >= FAKE_KINDS ||
	       (atomic_load_explicit(&enabled[kind / 64], memory_order_relaxed) >> (kind % 64) & 1);
}

/* As threads are told of: by a number of their library's, until the system's are asked for. */
static uint32_t thread_id(void)
{
	return thread_ids == CUPTI_THREAD_ID_SYSTEM ? (uint32_t)syscall(SYS_gettid)
						    : (uint32_t)(uintptr_t)pthread_self();
}

/* The kind is recorded, or the one call is. */
static bool is_wanted(const void *record, uint32_t kind)
{
	const struct cupti_sync *sync = record;
	const struct cupti_api *call = record;
	size_t domain = kind == CUPTI_RUNTIME;

	if (kind == CUPTI_DEVICE && no_device)
		return false;
	if (kind == CUPTI_SYNC && sync->result == FAKE_NOT_READY && no_query_syncs)
		return false;
	if ((kind != CUPTI_DRIVER && kind != CUPTI_RUNTIME) || call->cbid >= CALLS)
		return is_enabled(kind);
	return is_enabled(kind) ? !atomic_load(&left_out[domain][call->cbid])
				: atomic_load(&single[domain][call->cbid]);
}

static void append(const void *record, size_t known)
{
	uint32_t kind;

	memcpy(&kind, record, 4);
	if (is_wanted(record, kind))
		fake_put(record, known);
}

/* Before a launch: who asked for it is called. */
static void call_back(uint32_t cbid)
{
	struct cupti_callback_data data = { .site = CUPTI_SITE_ENTER };

	if (cbid >= CALLS || !atomic_load_explicit(&called_back[cbid], memory_order_relaxed))
		return;
	fake_in_callback = true;
	callback(callback_user, CUPTI_DOMAIN_DRIVER, cbid, &data);
	data.site = CUPTI_SITE_EXIT;
	callback(callback_user, CUPTI_DOMAIN_DRIVER, cbid, &data);
	fake_in_callback = false;
}

/* Without a call that is recorded there are no numbers that tie anything to it. */
static uint32_t number_of(uint32_t correlation)
{
	bool any = is_enabled(CUPTI_DRIVER) || is_enabled(CUPTI_RUNTIME) || atomic_load(&singles);

	return any ? correlation : 0;
}

/* The runtime's call has the driver's inside of it, by the same number. */
static void fake_launch_at(const char *name, uint32_t correlation, uint32_t stream, uint64_t start,
			   uint64_t end_time)
{
	uint64_t time = fake_now();
	struct cupti_api api = { .kind = CUPTI_DRIVER,
				 .cbid = FAKE_CU_LAUNCH,
				 .start = time + 100,
				 .end = time + 800,
				 .process = (uint32_t)getpid(),
				 .correlation = correlation };
	struct cupti_kernel kernel = {
		.kind = CUPTI_KERNEL,
		.registers = 32,
		.start = start,
		.end = end_time,
		.context = 1,
		.stream = stream,
		.grid = { (int32_t)(correlation & 3) + 1, 2, 1 },
		.block = { 128, 1, 1 },
		.correlation = number_of(correlation),
		.name = (uint64_t)(uintptr_t)name,
		.cluster = { 1, 1, 1 },
		.priority = -5,
	};

	call_back(FAKE_CU_LAUNCH);
	api.thread = thread_id();
	if (fake_switches.nested)
		append(&api, sizeof(api));
	append(&kernel, sizeof(kernel));
	api.kind = CUPTI_RUNTIME;
	api.cbid = FAKE_CUDA_LAUNCH;
	api.start = time;
	api.end = time + 900;
	append(&api, sizeof(api));
}

/* It begins a microsecond later and takes two; zero: it never ends. */
static void fake_launch(const char *name, uint32_t correlation, uint32_t stream, int zero)
{
	uint64_t time = fake_now();

	fake_launch_at(name, correlation, stream, zero ? 0 : time + 1000, zero ? 0 : time + 3000);
}

static void fake_record(uint32_t kind, uint64_t n)
{
	static const char text[] = "a name";
	uint64_t words[32];

	for (size_t i = 0; i < 32; i++)
		words[i] = n + i;
	memcpy(words, &kind, 4);
	/* A call that matters, where none is named. */
	if ((kind == CUPTI_DRIVER || kind == CUPTI_RUNTIME) && !(n >> 32))
		words[0] |= (uint64_t)(kind == CUPTI_DRIVER ? FAKE_CU_LAUNCH : FAKE_CUDA_LAUNCH)
			    << 32;
	/* Where the record has an address, it must be one. */
	if (kind == CUPTI_DEVICE)
		words[17] = (uint64_t)(uintptr_t)text;
	else if (kind == CUPTI_NAME)
		words[3] = (uint64_t)(uintptr_t)text;
	else if (kind == CUPTI_MEMORY2)
		words[8] = 0;
	else if (kind == CUPTI_JIT)
		words[7] = (uint64_t)(uintptr_t)text;
	append(words, sizeof(words));
}

EXPORT int cuptiActivityFlushAll(uint32_t flag);

static void take_request(uint8_t **buffer, size_t *bytes, size_t *most_records)
{
	static uint8_t other[1 << 16] __attribute__((aligned(8)));

	*buffer = memset(other, 0, sizeof(other));
	*bytes = sizeof(other);
	*most_records = 0;
}

static void take_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
			  size_t valid)
{
}

static void fake_take_over(void)
{
	/* What was launched has ended: nothing is withheld. */
	usleep(1000);
	fake_register((void *)(uintptr_t)take_request, (void *)(uintptr_t)take_complete, false);
	(void)cuptiActivityFlushAll(0);
	fake_truth = &nobody;
}

static void fake_drop(uint64_t records)
{
	atomic_fetch_add(&dropped, records);
}

static void fake_unload(void)
{
	fake_in_callback = true;
	callback(NULL, CUPTI_DOMAIN_RESOURCE, CUPTI_RESOURCE_MODULE_UNLOAD, NULL);
	fake_in_callback = false;
}

static void fake_profiler(int begin)
{
	struct cupti_callback_data data = { .site = CUPTI_SITE_ENTER };
	uint32_t cbid = begin ? CUPTI_CUDART_PROFILER_START : CUPTI_CUDART_PROFILER_STOP;

	callback(NULL, CUPTI_DOMAIN_RUNTIME, cbid, &data);
	data.site = CUPTI_SITE_EXIT;
	callback(NULL, CUPTI_DOMAIN_RUNTIME, cbid, &data);
}

static struct fake_truth *get_truth(void)
{
	return fake_truth;
}

static void fake_pretend(void)
{
	fake_truth = &nobody;
}

EXPORT extern const struct fake_interface fake_interface;
const struct fake_interface fake_interface = {
	fake_launch,	       fake_record,    fake_complete_twice,
	fake_complete_foreign, fake_put_aside, fake_drop,
	fake_unload,	       fake_profiler,  get_truth,
	fake_pretend,	       append,	       is_enabled,
	fake_take_over,	       call_back,      number_of,
	fake_launch_at,
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
	return verdict("GetVersion");
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
	callback = function;
	callback_user = user;
	*out = &callback;
	subscribed_v2 = is_v2;
	/* Who had subscribed goes. */
	if (getenv("FAKE_CUPTI_LEAVES") && !asked++)
		return CUPTI_E_MULTIPLE_SUBSCRIBERS;
	return 0;
}

int cuptiSubscribe(void **out, callback_fn function, void *user)
{
	int result = subscribe(out, function, user, false);

	return result ? result : verdict("Subscribe");
}

static int driver_version(void)
{
	int (*function)(int *) =
		(int (*)(int *))(uintptr_t)dlsym(RTLD_DEFAULT, "cuDriverGetVersion");
	int driver = 0;

	return function && !function(&driver) ? driver : 0;
}

/* Several live together where all of them want it, and the driver is new enough. */
int cuptiSubscribe_v2(void **out, callback_fn function, void *user,
		      struct cupti_subscriber_params *params)
{
	const char *holder = getenv("FAKE_CUPTI_HOLDER");
	bool many = params->bytes > offsetof(struct cupti_subscriber_params, many) && params->many;
	int result;

	if (holder && params->old_name)
		snprintf(params->old_name, params->old_name_bytes, "%s", holder);
	if (many && driver_version() < DRIVER_OF_MANY)
		return CUPTI_E_MULTIPLE_SUBSCRIBERS;
	result = subscribe(out, function, user, true);
	if (!many && !result)
		result = verdict("Subscribe");
	fake_truth->v2 = !result;
	return result;
}

int cuptiUnsubscribe(void *subscriber)
{
	subscribed_v2 = false;
	fake_truth->v2 = 0;
	return verdict("Unsubscribe");
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t cbid)
{
	int result = verdict("EnableCallback");

	if (!result && domain == CUPTI_DOMAIN_DRIVER && cbid < CALLS)
		atomic_store(&called_back[cbid], enable);
	return result;
}

int cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name)
{
	static const struct {
		uint32_t domain, cbid;
		const char *name;
	} names[] = {
		{ CUPTI_DOMAIN_RUNTIME, FAKE_CUDA_LAUNCH, "cudaLaunchKernel_v7000" },
		{ CUPTI_DOMAIN_RUNTIME, 10, "cudaGetLastError_v3020" },
		{ CUPTI_DOMAIN_RUNTIME, 3, "cudaGetDeviceCount_v3020" },
		{ CUPTI_DOMAIN_DRIVER, 304, "cuCtxGetCurrent" },
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
	return *name ? verdict("GetCallbackName") : CUPTI_E_INVALID_PARAMETER;
}

int cuptiSetThreadIdType(uint32_t type)
{
	int result = verdict("SetThreadIdType");

	if (!result)
		thread_ids = type;
	return result;
}

/* Devices are told of where that is asked for after cuInit() has gone further than its tools. */
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

	/* The benches subscribe to nothing where they measure what is without the collector. */
	if (callback && (attributes & first) != first)
		fake_fail("attributes come first");
	if (!enable) {
		atomic_fetch_and(&enabled[kind / 64], ~((uint64_t)1 << (kind % 64)));
		return 0;
	}
	no_device |= kind == CUPTI_DEVICE && in_cu_init() && !fake_switches.devices;
	atomic_fetch_or(&enabled[kind / 64], (uint64_t)1 << (kind % 64));
	/* That comes before what is said of single calls. */
	for (size_t i = 0; i < CALLS && (kind == CUPTI_DRIVER || kind == CUPTI_RUNTIME); i++)
		atomic_store(&left_out[kind == CUPTI_RUNTIME][i], false);
	return 0;
}

/* FAKE_CUPTI_FAIL=Kind_N=result refuses one kind. */
static int kind_verdict(const char *function, uint32_t kind, bool is_v2)
{
	char name[32];
	int result = verdict_of(function, is_v2);

	snprintf(name, sizeof(name), "Kind_%u", (unsigned int)kind);
	return result ? result : verdict(name);
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
	if (fake_version->number < 23 || cbid >= CALLS)
		return CUPTI_E_NOT_SUPPORTED;
	atomic_store(&left_out[domain][cbid], !enable);
	if (atomic_exchange(&single[domain][cbid], enable) != (bool)enable)
		atomic_fetch_add(&singles, enable ? 1u : UINT32_MAX);
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
	no_query_syncs = !enable;
	return verdict("ActivityEnableAllSyncRecords");
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
	int result = verdict("ActivityFlushAll");

	if (!fake_has_asked())
		fake_fail("flushed before a buffer was asked for");
	if (flag && (enabled[0] || enabled[1]))
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
	if (verdict("ActivityGetNextRecord"))
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

	/* With several, whole graphs have to be asked for before anything is. */
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
