#include "fake.h"
#include "cupti/cupti_abi.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

struct version {
	const char *name;
	uint32_t number;
	uint16_t sizes[FAKE_KINDS];
};

#define SAME [4] = 40, [5] = 40, [11] = 32, [37] = 24, [39] = 24, [48] = 40, [61] = FAKE_NEW_BYTES

/* As measured on the real ones; 13.4 from its headers. */
static const struct version versions[] = {
	{ "11.8",
	  18,
	  { SAME, [1] = 88, [2] = 88, [3] = 200, [10] = 200, [8] = 176, [9] = 16, [17] = 40,
	    [22] = 96, [38] = 40, [49] = 120, [50] = 72, [51] = 48, [52] = 64 } },
	{ "12.0",
	  18,
	  { SAME, [1] = 88, [2] = 88, [3] = 208, [10] = 208, [8] = 176, [9] = 16, [17] = 40,
	    [22] = 96, [38] = 40, [49] = 120, [50] = 72, [51] = 48, [52] = 64 } },
	{ "12.3",
	  21,
	  { SAME, [1] = 88, [2] = 88, [3] = 208, [10] = 208, [8] = 184, [9] = 16, [17] = 48,
	    [22] = 96, [38] = 40, [49] = 120, [50] = 72, [51] = 56, [52] = 64 } },
	{ "12.4",
	  22,
	  { SAME, [1] = 88, [2] = 88, [3] = 208, [10] = 208, [8] = 184, [9] = 24, [17] = 56,
	    [22] = 96, [38] = 40, [49] = 120, [50] = 72, [51] = 56, [52] = 72 } },
	{ "12.8",
	  26,
	  { SAME, [1] = 96, [2] = 88, [3] = 208, [10] = 208, [8] = 184, [9] = 32, [17] = 56,
	    [22] = 96, [38] = 56, [49] = 128, [50] = 72, [51] = 56, [52] = 72 } },
	{ "13.0",
	  130001,
	  { SAME, [1] = 96, [2] = 88, [3] = 216, [10] = 216, [8] = 184, [9] = 32, [17] = 56,
	    [22] = 96, [38] = 56, [49] = 128, [50] = 80, [51] = 56, [52] = 72 } },
	{ "13.1",
	  130100,
	  { SAME, [1] = 96, [2] = 88, [3] = 224, [10] = 224, [8] = 184, [9] = 40, [17] = 56,
	    [22] = 96, [38] = 56, [49] = 128, [50] = 80, [51] = 56, [52] = 72 } },
	{ "13.4",
	  130400,
	  { SAME, [1] = 112, [2] = 104, [3] = 248, [10] = 248, [8] = 192, [9] = 40, [17] = 56,
	    [22] = 96, [38] = 56, [49] = 128, [50] = 80, [51] = 56, [52] = 72 } },
};

struct buffer {
	struct buffer *next;
	atomic_flag lock;
	uint8_t *data;
	size_t bytes, used, most, records;
};

static const struct version *version;
static void (*request)(uint8_t **, size_t *, size_t *);
static void (*complete)(void *, uint32_t, uint8_t *, size_t, size_t);
static void (*callback)(void *, uint32_t, uint32_t, const void *);
static _Atomic(struct buffer *) buffers;
static _Atomic uint64_t enabled[2];
static uint32_t attributes; /* that were set, whatever the answer was */
static uint32_t thread_ids;
static _Atomic uint64_t dropped;
static struct fake_truth nobody, *truth = &nobody;
static _Atomic bool has_asked; /* for a buffer */
static bool subscribed_v2;
static _Atomic bool ended;
static _Atomic bool left_out[2][600]; /* driver's and runtime's calls that are not recorded */
static __thread struct buffer *mine;
static __thread bool in_callback;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void fail(const char *what)
{
	fprintf(stderr, "fake libcupti: %s\n", what);
	abort();
}

/* What FAKE_CUPTI_FAIL wants of the function. */
static int verdict(const char *function)
{
	const char *list = getenv("FAKE_CUPTI_FAIL"), *found;
	size_t length = strlen(function);

	if (in_callback)
		fail("called from within a callback");
	if (ended)
		fail("called after its end");
#ifdef FAKE_13_2
	fail("called without a driver");
#endif
	for (found = list ? strstr(list, function) : NULL; found;
	     found = strstr(found + 1, function))
		if (found[length] == '=')
			return atoi(found + length + 1);
	return 0;
}

/* As the real one's objects end: some are made when it is loaded, some when it is first called. */
static void end(void)
{
	ended = true;
}

static void end_at_exit(void)
{
	if (atexit(end))
		fail("no memory");
}

/* In a child of fork(): who held one is not there any more. */
static void free_locks(void)
{
	for (struct buffer *b = atomic_load(&buffers); b; b = b->next)
		atomic_flag_clear(&b->lock);
}

__attribute__((constructor)) static void start(void)
{
	const char *wanted = getenv("FAKE_CUPTI_VERSION"), *path = getenv("FAKE_CUPTI_TRUTH");
	int fd;

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (!strcmp(versions[i].name, wanted ? wanted : "12.8"))
			version = &versions[i];
	if (!version)
		fail("no such version");
	if (pthread_atfork(NULL, NULL, free_locks))
		fail("no memory");
	end_at_exit();
	fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (truth == MAP_FAILED)
		fail("no memory for the truth");
	atomic_fetch_add(&truth->constructed, 1);
}

__attribute__((destructor)) static void stop(void)
{
	atomic_fetch_add(&truth->destructed, 1);
}

static void lock(struct buffer *b)
{
	while (atomic_flag_test_and_set_explicit(&b->lock, memory_order_acquire))
		;
}

static void unlock(struct buffer *b)
{
	atomic_flag_clear_explicit(&b->lock, memory_order_release);
}

static void give_back(struct buffer *b)
{
	uint8_t *data = b->data;

	if (!data)
		return;
	b->data = NULL;
	in_callback = true;
	complete(NULL, 0, data, b->bytes, b->used);
	in_callback = false;
}

static void get_buffer(struct buffer *b)
{
	atomic_store(&has_asked, true);
	in_callback = true;
	request(&b->data, &b->bytes, &b->most);
	in_callback = false;
	if (!b->data)
		fail("no buffer: before 12.9 that is a crash");
	b->used = b->records = 0;
	atomic_fetch_add(&truth->buffers, 1);
	for (size_t i = 0; !b->most && i < b->bytes; i += 512)
		if (b->data[i])
			fail("a buffer is not zeroed");
}

static struct buffer *my_buffer(void)
{
	if (!mine) {
		mine = calloc(1, sizeof(*mine));
		if (!mine)
			fail("no memory");
		mine->next = atomic_load(&buffers);
		while (!atomic_compare_exchange_weak(&buffers, &mine->next, mine))
			;
	}
	return mine;
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

static bool is_left_out(const struct cupti_api *call)
{
	return (call->kind == CUPTI_DRIVER || call->kind == CUPTI_RUNTIME) && call->cbid < 600 &&
	       atomic_load(&left_out[call->kind == CUPTI_RUNTIME][call->cbid]);
}

/* Appends a record, its kind last, as one who may be killed at any moment would see it. */
static void append(const void *record, size_t known)
{
	struct buffer *b = my_buffer();
	uint32_t kind;
	size_t bytes;

	memcpy(&kind, record, 4);
	if (!is_enabled(kind) || !request || is_left_out(record))
		return;
	bytes = kind < FAKE_KINDS ? version->sizes[kind] : 64;
	if (!bytes)
		return;
	lock(b);
	if (b->data && (b->bytes - b->used < bytes || (b->most && b->records >= b->most)))
		give_back(b);
	if (!b->data)
		get_buffer(b);
	if (b->data) {
		uint8_t *to = b->data + b->used;

		/* A buffer for one record is the scrap that several threads may have been given. */
		if (!b->most) {
			memcpy(to + 4, (const char *)record + 4,
			       (known < bytes ? known : bytes) - 4);
			__atomic_store_n((uint32_t *)(void *)to, kind, __ATOMIC_RELEASE);
		}
		b->used += bytes;
		b->records++;
		atomic_fetch_add_explicit(&truth->records[kind < FAKE_KINDS ? kind : 0], 1,
					  memory_order_relaxed);
	}
	unlock(b);
}

static void fake_launch(const char *name, uint32_t correlation, uint32_t stream, int zero)
{
	uint64_t time = now();
	struct cupti_api api = {
		.kind = CUPTI_RUNTIME, .cbid = 211, .start = time, .end = time + 900
	};
	struct cupti_kernel kernel = {
		.kind = CUPTI_KERNEL,
		.registers = 32,
		.start = zero ? 0 : time + 1000,
		.end = zero ? 0 : time + 3000,
		.context = 1,
		.stream = stream,
		.grid = { (int32_t)(correlation & 3) + 1, 2, 1 },
		.block = { 128, 1, 1 },
		.correlation = correlation,
		.name = (uint64_t)(uintptr_t)name,
		.cluster = { 1, 1, 1 },
		.priority = -5,
	};

	api.process = (uint32_t)getpid();
	api.thread = thread_id();
	api.correlation = correlation;
	append(&api, sizeof(api));
	append(&kernel, sizeof(kernel));
}

static void fake_record(uint32_t kind, uint64_t n)
{
	static const char text[] = "a name";
	uint64_t words[32];

	for (size_t i = 0; i < 32; i++)
		words[i] = n + i;
	memcpy(words, &kind, 4);
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

static void fake_complete_twice(uint64_t ms)
{
	struct buffer *b = my_buffer();
	uint8_t *data = b->data;

	if (!data)
		return;
	lock(b);
	give_back(b);
	usleep((useconds_t)ms * 1000);
	in_callback = true;
	complete(NULL, 0, data, b->bytes, b->used);
	in_callback = false;
	unlock(b);
}

static void fake_complete_foreign(void)
{
	static uint8_t other[4096];

	in_callback = true;
	complete(NULL, 0, other, sizeof(other), sizeof(other));
	in_callback = false;
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
	request = take_request;
	complete = take_complete;
	(void)cuptiActivityFlushAll(0);
	truth = &nobody;
}

static void fake_put_aside(void)
{
	mine = NULL;
}

static void fake_drop(uint64_t records)
{
	atomic_fetch_add(&dropped, records);
}

static void fake_unload(void)
{
	in_callback = true;
	callback(NULL, CUPTI_DOMAIN_RESOURCE, CUPTI_RESOURCE_MODULE_UNLOAD, NULL);
	in_callback = false;
}

static void fake_profiler(int begin)
{
	struct cupti_callback_data data = { .site = CUPTI_SITE_ENTER };
	uint32_t cbid = begin ? CUPTI_CUDART_PROFILER_START : CUPTI_CUDART_PROFILER_STOP;

	callback(NULL, CUPTI_DOMAIN_RUNTIME, cbid, &data);
	data.site = CUPTI_SITE_EXIT;
	callback(NULL, CUPTI_DOMAIN_RUNTIME, cbid, &data);
}

static struct fake_truth *fake_truth(void)
{
	return truth;
}

static void fake_pretend(void)
{
	truth = &nobody;
}

EXPORT extern const struct fake_interface fake_interface;
const struct fake_interface fake_interface = {
	fake_launch,	       fake_record,    fake_complete_twice,
	fake_complete_foreign, fake_put_aside, fake_drop,
	fake_unload,	       fake_profiler,  fake_truth,
	fake_pretend,	       append,	       is_enabled,
	fake_take_over,
};

EXPORT int cuptiGetVersion(uint32_t *out);
#ifdef FAKE_13_2
EXPORT int cuptiActivityEnable_v2(void *subscriber, uint32_t kind);
#endif
EXPORT int cuptiGetTimestamp(uint64_t *out);
EXPORT int cuptiGetResultString(int result, const char **text);
EXPORT int cuptiSubscribe(void **out, void (*function)(void *, uint32_t, uint32_t, const void *),
			  void *user);
EXPORT int cuptiSubscribe_v2(void **out, void (*function)(void *, uint32_t, uint32_t, const void *),
			     void *user, struct cupti_subscriber_params *params);
EXPORT int cuptiUnsubscribe(void *subscriber);
EXPORT int cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t cbid);
EXPORT int cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name);
EXPORT int cuptiSetThreadIdType(uint32_t type);
EXPORT int cuptiActivityEnable(uint32_t kind);
EXPORT int cuptiActivityDisable(uint32_t kind);
EXPORT int cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t enable);
EXPORT int cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t enable);
EXPORT int cuptiActivitySetAttribute(uint32_t attribute, size_t *bytes, void *value);
EXPORT int cuptiActivityRegisterCallbacks(void (*ask)(uint8_t **, size_t *, size_t *),
					  void (*done)(void *, uint32_t, uint8_t *, size_t,
						       size_t));
EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record);
EXPORT int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *out);

int cuptiGetVersion(uint32_t *out)
{
	*out = version->number;
	return verdict("GetVersion");
}

#ifdef FAKE_13_2
int cuptiActivityEnable_v2(void *subscriber, uint32_t kind)
{
	return verdict("ActivityEnable_v2");
}
#endif

int cuptiGetTimestamp(uint64_t *out)
{
	*out = now();
	if (subscribed_v2 && version->number >= 130300)
		return CUPTI_E_NOT_COMPATIBLE;
	return verdict("GetTimestamp");
}

int cuptiGetResultString(int result, const char **text)
{
	*text = "a reason";
	return 0;
}

int cuptiSubscribe(void **out, void (*function)(void *, uint32_t, uint32_t, const void *),
		   void *user)
{
	static int asked;

	end_at_exit();
	callback = function;
	*out = &callback;
	subscribed_v2 = false;
	/* Who had subscribed goes. */
	if (getenv("FAKE_CUPTI_LEAVES") && !asked++)
		return CUPTI_E_MULTIPLE_SUBSCRIBERS;
	return verdict("Subscribe");
}

int cuptiSubscribe_v2(void **out, void (*function)(void *, uint32_t, uint32_t, const void *),
		      void *user, struct cupti_subscriber_params *params)
{
	const char *holder = getenv("FAKE_CUPTI_HOLDER");

	int result = cuptiSubscribe(out, function, user);

	if (holder && params->old_name)
		snprintf(params->old_name, params->old_name_bytes, "%s", holder);
	subscribed_v2 = !result;
	return result;
}

int cuptiUnsubscribe(void *subscriber)
{
	return verdict("Unsubscribe");
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t cbid)
{
	return verdict("EnableCallback");
}

int cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name)
{
	static const struct {
		uint32_t domain, cbid;
		const char *name;
	} names[] = {
		{ CUPTI_DOMAIN_RUNTIME, 211, "cudaLaunchKernel_v7000" },
		{ CUPTI_DOMAIN_RUNTIME, 10, "cudaGetLastError_v3020" },
		{ CUPTI_DOMAIN_RUNTIME, 3, "cudaGetDeviceCount_v3020" },
		{ CUPTI_DOMAIN_DRIVER, 304, "cuCtxGetCurrent" },
		{ CUPTI_DOMAIN_DRIVER, 126, "cuStreamSynchronize" },
		{ CUPTI_DOMAIN_DRIVER, 220, "cuMemsetD32Async" },
		{ CUPTI_DOMAIN_DRIVER, 277, "cuMemcpyHtoDAsync_v2" },
		{ CUPTI_DOMAIN_DRIVER, 279, "cuMemcpyDtoHAsync_v2" },
		{ CUPTI_DOMAIN_DRIVER, 307, "cuLaunchKernel" },
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

int cuptiActivityEnable(uint32_t kind)
{
	static const uint32_t first =
		1u << CUPTI_ATTR_DEVICE_BUFFER_SIZE | 1u << CUPTI_ATTR_DEVICE_BUFFER_POOL_LIMIT |
		1u << CUPTI_ATTR_ZEROED_BUFFER | 1u << CUPTI_ATTR_PER_THREAD_BUFFER;
	int result = verdict("ActivityEnable");

	/* The benches subscribe to nothing where they measure what is without the collector. */
	if (callback && attributes != first)
		fail("attributes come first");
	if (!result)
		atomic_fetch_or(&enabled[kind / 64], (uint64_t)1 << (kind % 64));
	/* That comes before what is said of single calls. */
	for (size_t i = 0; i < 600 && (kind == CUPTI_DRIVER || kind == CUPTI_RUNTIME); i++)
		atomic_store(&left_out[kind == CUPTI_RUNTIME][i], false);
	return result;
}

static int enable_call(size_t domain, uint32_t cbid, uint8_t enable)
{
	/* From 12.5 on. */
	if (version->number < 23 || cbid >= 600)
		return CUPTI_E_NOT_SUPPORTED;
	atomic_store(&left_out[domain][cbid], !enable);
	return 0;
}

int cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t enable)
{
	int result = verdict("ActivityEnableDriverApi");

	return result ? result : enable_call(0, cbid, enable);
}

int cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t enable)
{
	int result = verdict("ActivityEnableRuntimeApi");

	return result ? result : enable_call(1, cbid, enable);
}

int cuptiActivityDisable(uint32_t kind)
{
	int result = verdict("ActivityDisable");

	if (!result)
		atomic_fetch_and(&enabled[kind / 64], ~((uint64_t)1 << (kind % 64)));
	return result;
}

int cuptiActivitySetAttribute(uint32_t attribute, size_t *bytes, void *value)
{
	static size_t each = 3200000, most = 250;
	bool is_flag =
		attribute == CUPTI_ATTR_ZEROED_BUFFER || attribute == CUPTI_ATTR_PER_THREAD_BUFFER;

	if (*bytes != (is_flag ? sizeof(uint8_t) : sizeof(size_t)))
		fail("an attribute of another size");
	if (attribute < 32)
		attributes |= 1u << attribute;
	if (attribute == CUPTI_ATTR_DEVICE_BUFFER_SIZE)
		memcpy(&each, value, sizeof(each));
	if (attribute == CUPTI_ATTR_DEVICE_BUFFER_POOL_LIMIT)
		memcpy(&most, value, sizeof(most));
	if (attribute == CUPTI_ATTR_DEVICE_BUFFER_POOL_LIMIT && each * most > 256 << 20)
		fail("more memory of the GPU than the manual page says");
	return verdict("ActivitySetAttribute");
}

int cuptiActivityRegisterCallbacks(void (*ask)(uint8_t **, size_t *, size_t *),
				   void (*done)(void *, uint32_t, uint8_t *, size_t, size_t))
{
	int result = verdict("ActivityRegisterCallbacks");

	if (result)
		return result;
	request = ask;
	complete = done;
	return 0;
}

int cuptiActivityFlushAll(uint32_t flag)
{
	int result = verdict("ActivityFlushAll");

	if (!atomic_load(&has_asked))
		fail("flushed before a buffer was asked for");
	if (flag && (enabled[0] || enabled[1]))
		fail("flushed for good while it records");
	if (getenv("FAKE_CUPTI_HANG") && flag)
		for (;;)
			pause();
	for (struct buffer *b = atomic_load(&buffers); b; b = b->next) {
		lock(b);
		give_back(b);
		unlock(b);
	}
	return result;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record)
{
	uint8_t *at = *record ? *record : buffer;
	uint32_t kind;

	if (verdict("ActivityGetNextRecord"))
		return CUPTI_E_UNKNOWN;
	if (getenv("FAKE_CUPTI_LATE") && !atomic_load(&buffers))
		return CUPTI_E_NOT_INITIALIZED;
	memcpy(&kind, at, 4);
	if (!kind || kind >= FAKE_KINDS || !version->sizes[kind])
		return CUPTI_E_INVALID_KIND;
	if (*record)
		at += version->sizes[kind];
	if (at >= buffer + valid)
		return CUPTI_E_MAX_LIMIT_REACHED;
	*record = at;
	return 0;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *out)
{
	int result = verdict("ActivityGetNumDroppedRecords");

	*out = result ? 0 : atomic_exchange(&dropped, 0);
	return result;
}
