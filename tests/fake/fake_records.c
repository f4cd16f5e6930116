/* The fake libcupti's records: which are requested, their content, when they have times. */
#include "fake_buffers.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct fake_wanted fake_wanted;

/* Where a record of the kind has its times; false if it is not of the GPU. */
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

bool fake_is_enabled(uint32_t kind)
{
	return kind == FAKE_NEW_KIND || kind >= FAKE_KINDS ||
	       (atomic_load_explicit(&fake_wanted.enabled[kind / 64], memory_order_relaxed) >>
			(kind % 64) &
		1);
}

/* The system's numbers, asked for once in each thread: a system call can take a microsecond. */
static _Thread_local uint32_t my_process, my_thread;

/* In a child of fork(), whose thread has others. */
static void forget_ids(void)
{
	my_process = my_thread = 0;
}

__attribute__((constructor)) static void start(void)
{
	if (pthread_atfork(NULL, NULL, forget_ids))
		fake_fail("no memory");
}

/* How threads are identified: by the thread library's number, unless the system's is asked for. */
static void set_ids(struct cupti_api *api)
{
	if (!my_process) {
		my_process = (uint32_t)getpid();
		my_thread = (uint32_t)syscall(SYS_gettid);
	}
	api->process = my_process;
	api->thread = fake_wanted.thread_ids == CUPTI_THREAD_ID_SYSTEM
			      ? my_thread
			      : (uint32_t)(uintptr_t)pthread_self();
}

/* Whether the kind, or this one call, is recorded. */
static bool is_wanted(const void *record, uint32_t kind)
{
	const struct cupti_sync *sync = record;
	const struct cupti_api *call = record;
	size_t domain = kind == CUPTI_RUNTIME;

	if (kind == CUPTI_DEVICE && fake_wanted.no_device)
		return false;
	if (kind == CUPTI_SYNC && sync->result == FAKE_NOT_READY && fake_wanted.no_query_syncs)
		return false;
	if ((kind != CUPTI_DRIVER && kind != CUPTI_RUNTIME) || call->cbid >= FAKE_CALLS)
		return fake_is_enabled(kind);
	/* A call that is asked for alone, when a context exists, is not recorded. */
	return fake_is_enabled(kind) && !atomic_load(&fake_wanted.left_out[domain][call->cbid]);
}

void fake_append(const void *record, size_t known)
{
	uint32_t kind;

	memcpy(&kind, record, 4);
	if (is_wanted(record, kind))
		fake_put(record, known);
}

/* Before a launch: runs the requested callback. */
void fake_call_back(uint32_t cbid)
{
	struct cupti_callback_data data = { .site = CUPTI_SITE_ENTER };

	if (cbid >= FAKE_CALLS ||
	    !atomic_load_explicit(&fake_wanted.called_back[cbid], memory_order_relaxed))
		return;
	fake_in_callback = true;
	fake_wanted.callback(fake_wanted.user, CUPTI_DOMAIN_DRIVER, cbid, &data);
	data.site = CUPTI_SITE_EXIT;
	fake_wanted.callback(fake_wanted.user, CUPTI_DOMAIN_DRIVER, cbid, &data);
	fake_in_callback = false;
}

/* Without a recorded call there are no numbers that link anything to it. */
uint32_t fake_number_of(uint32_t correlation)
{
	return fake_is_enabled(CUPTI_DRIVER) || fake_is_enabled(CUPTI_RUNTIME) ? correlation : 0;
}

/* By the runtime: the driver's call in it is called back, but not recorded. */
void fake_launch_at(const char *name, uint32_t correlation, uint32_t stream, uint64_t start,
		    uint64_t end_time)
{
	uint64_t time = fake_now();
	struct cupti_api api = { .kind = CUPTI_RUNTIME,
				 .cbid = FAKE_CUDA_LAUNCH,
				 .start = time,
				 .end = time + 900,
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
		.correlation = fake_number_of(correlation),
		.name = (uint64_t)(uintptr_t)name,
		.cluster = { 1, 1, 1 },
		.priority = -5,
	};

	fake_call_back(FAKE_CU_LAUNCH);
	set_ids(&api);
	fake_append(&kernel, sizeof(kernel));
	fake_append(&api, sizeof(api));
}

/* It begins a microsecond later and takes two; zero: it never ends. */
void fake_launch(const char *name, uint32_t correlation, uint32_t stream, int zero)
{
	uint64_t time = fake_now();

	fake_launch_at(name, correlation, stream, zero ? 0 : time + 1000, zero ? 0 : time + 3000);
}

/* An operation begins now. */
static void begin_now(uint64_t *words, uint32_t kind)
{
	size_t at = kind == CUPTI_MEMCPY    ? offsetof(struct cupti_memcpy, start) / 8
		    : kind == CUPTI_MEMCPY2 ? offsetof(struct cupti_memcpy2, start) / 8
		    : kind == CUPTI_MEMSET  ? offsetof(struct cupti_memset, start) / 8
		    : kind == CUPTI_GRAPH_TRACE
			    ? offsetof(struct cupti_graph_trace, start) / 8
			    : 0;

	for (size_t i = at; at && i < at + 2; i++)
		words[i] += fake_now();
}

void fake_record(uint32_t kind, uint64_t n)
{
	static const char text[] = "a name";
	uint64_t words[32];

	for (size_t i = 0; i < 32; i++)
		words[i] = n + i;
	memcpy(words, &kind, 4);
	/* A call that an analysis uses, if none is named. */
	if ((kind == CUPTI_DRIVER || kind == CUPTI_RUNTIME) && !(n >> 32))
		words[0] |= (uint64_t)(kind == CUPTI_DRIVER ? FAKE_CU_LAUNCH : FAKE_CUDA_LAUNCH)
			    << 32;
	/* If the record has an address, it must be valid. */
	if (kind == CUPTI_DEVICE)
		words[17] = (uint64_t)(uintptr_t)text;
	else if (kind == CUPTI_NAME)
		words[3] = (uint64_t)(uintptr_t)text;
	else if (kind == CUPTI_MEMORY2)
		words[8] = 0;
	else if (kind == CUPTI_JIT)
		words[7] = (uint64_t)(uintptr_t)text;
	begin_now(words, kind);
	fake_append(words, sizeof(words));
}

void fake_unload(void)
{
	fake_in_callback = true;
	fake_wanted.callback(NULL, CUPTI_DOMAIN_RESOURCE, CUPTI_RESOURCE_MODULE_UNLOAD, NULL);
	fake_in_callback = false;
}

void fake_context(uint32_t device)
{
	struct cupti_resource_data data = { .context = (void *)((uintptr_t)device + 1) };

	if (!fake_wanted.contexts)
		return;
	fake_in_callback = true;
	fake_wanted.callback(NULL, CUPTI_DOMAIN_RESOURCE, CUPTI_RESOURCE_CONTEXT_CREATED, &data);
	fake_in_callback = false;
}

void fake_profiler(int begin)
{
	struct cupti_callback_data data = { .site = CUPTI_SITE_ENTER };
	uint32_t cbid = begin ? CUPTI_CUDART_PROFILER_START : CUPTI_CUDART_PROFILER_STOP;

	fake_wanted.callback(NULL, CUPTI_DOMAIN_RUNTIME, cbid, &data);
	data.site = CUPTI_SITE_EXIT;
	fake_wanted.callback(NULL, CUPTI_DOMAIN_RUNTIME, cbid, &data);
}
