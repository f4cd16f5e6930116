/* The words of the program under test that make records, by the fake libcupti or by NVTX. */
#include "fake_app.h"
#include "cupti/cupti_abi.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef HAVE_NVTX
#include <nvtx3/nvToolsExt.h>
#ifdef HAVE_NVTX_PAYLOAD
#include <nvtx3/nvToolsExtPayload.h>
#endif
#endif

const struct fake_interface *app_fake;
static _Atomic uint32_t correlation = 1;
static const char *const names[] = {
	"_Z4gemmPfS_S_iii",
	"_Z4reluPf",
	"_Z7softmaxPfi",
	"_Z3addPfS_",
	"void_a_kernel_of_many_words",
};

void app_find_fake(const char *path)
{
	void *library = dlopen(path ? path : "", RTLD_NOW | RTLD_NOLOAD);

	app_fake = library ? dlsym(library, "fake_interface") : NULL;
}

void app_launch(uint64_t count)
{
	for (uint64_t i = 0; app_fake && i < count; i++) {
		uint32_t id = atomic_fetch_add(&correlation, 1);

		app_fake->launch(names[id % 5], id, 7 + id % 2, 0);
	}
}

static void *launch_thread(void *argument)
{
	app_launch((uint64_t)(uintptr_t)argument);
	return NULL;
}

static void threads(const char *value)
{
	unsigned long count = strtoul(value, NULL, 10),
		      each = strtoul(strchr(value, ',') + 1, NULL, 10);
	pthread_t made[256];

	for (unsigned long i = 0; i < count && i < 256; i++)
		if (pthread_create(&made[i], NULL, launch_thread, (void *)(uintptr_t)each))
			abort();
	for (unsigned long i = 0; i < count && i < 256; i++)
		pthread_join(made[i], NULL);
}

static const char *const loop_names[] = { "embed",   "layer_a", "layer_b", "layer_a",
					  "layer_b", "layer_a", "layer_b", "loss" };
static const char *const back_names[] = { "grad_b", "grad_a", "reduce", "adam" };

struct loop {
	uint64_t count;
	useconds_t pace;
	pthread_barrier_t barrier;
};

/* Like autograd: a second thread launches the other half of each iteration. */
static void *loop_thread(void *argument)
{
	struct loop *loop = argument;

	for (uint64_t i = 0; i < loop->count; i++) {
		pthread_barrier_wait(&loop->barrier);
		for (size_t k = 0; app_fake && k < 4; k++)
			app_fake->launch(back_names[k], atomic_fetch_add(&correlation, 1), 7, 0);
		pthread_barrier_wait(&loop->barrier);
	}
	return NULL;
}

void app_step(void)
{
	for (size_t k = 0; app_fake && k < 8; k++)
		app_fake->launch(loop_names[k], atomic_fetch_add(&correlation, 1), 7, 0);
}

/* Data parallel training: each step ends with a collective. */
static void steps(uint64_t count)
{
	for (uint64_t i = 0; app_fake && i < count; i++) {
		app_step();
		app_fake->launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL",
				 atomic_fetch_add(&correlation, 1), 9, 0);
	}
}

static void loop(const char *value)
{
	struct loop loop = { strtoull(value, NULL, 10),
			     (useconds_t)strtoul(strchr(value, ',') + 1, NULL, 10),
			     { { 0 } } };
	pthread_t thread;

	pthread_barrier_init(&loop.barrier, NULL, 2);
	if (pthread_create(&thread, NULL, loop_thread, &loop))
		abort();
	for (uint64_t i = 0; i < loop.count; i++) {
		app_step();
		pthread_barrier_wait(&loop.barrier);
		pthread_barrier_wait(&loop.barrier);
		usleep(loop.pace);
	}
	pthread_join(thread, NULL);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void busy(const char *value)
{
	uint64_t count = strtoull(value, NULL, 10), us = strtoull(strchr(value, ',') + 1, NULL, 10);
	uint64_t until = 0;

	for (uint64_t i = 0; app_fake && i < count; i++) {
		for (size_t k = 0; k < 10; k++) {
			uint64_t start = now_ns() + 2000;

			if (start < until)
				start = until;
			until = start + us * 1000;
			app_fake->launch_at(k < 8 ? loop_names[k] : back_names[k - 8],
					    atomic_fetch_add(&correlation, 1), 7, start, until);
		}
		while (now_ns() + 10000 * us < until)
			usleep(100);
	}
}

static void kinds(uint64_t count)
{
	static const uint32_t all[] = { 1, 2, 4, 8, 9, 11, 17, 22, 36, 37, 38, 39, 49, 50, 51, 52 };

	for (uint64_t i = 0; i < count; i++)
		for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
			app_fake->record(all[k], 1000 * i + k);
}

static void take_over(void)
{
	if (app_fake)
		app_fake->take_over();
}

/* Four calls, two of them uninformative. The number of a call is the record's second word. */
static void calls(void)
{
	if (!app_fake)
		return;
	app_fake->record(5, (uint64_t)3 << 32);
	app_fake->record(5, (uint64_t)10 << 32);
	app_fake->record(4, (uint64_t)304 << 32);
	app_fake->record(4, (uint64_t)307 << 32);
}

static void queries(uint64_t count)
{
	struct cupti_sync sync = { .kind = CUPTI_SYNC, .type = 1, .start = 1000, .end = 2000 };

	sync.result = FAKE_NOT_READY;
	for (uint64_t i = 0; app_fake && i < count; i++)
		app_fake->append(&sync, sizeof(sync));
}

/* Launches, each followed by an event: its record, and the call that recorded it. */
static void events(uint64_t count)
{
	struct cupti_api runtime = { .kind = CUPTI_RUNTIME, .cbid = FAKE_CUDA_EVENT_RECORD };
	struct cupti_event event = { .kind = CUPTI_EVENT, .context = 1, .stream = 7, .event = 1 };

	runtime.process = (uint32_t)getpid();
	runtime.thread = (uint32_t)gettid();
	for (uint64_t i = 0; app_fake && i < count; i++) {
		app_launch(1);
		runtime.start = now_ns();
		runtime.end = runtime.start + 900;
		runtime.correlation = atomic_fetch_add(&correlation, 1);
		event.correlation = app_fake->number_of(runtime.correlation);
		event.event_sync = i + 1;
		app_fake->append(&event, sizeof(event));
		app_fake->append(&runtime, sizeof(runtime));
	}
}

/* An event is recorded in stream 20, and stream 7 waits for it. */
static void wait_for_event(uint64_t number)
{
	struct cupti_event event = { .kind = CUPTI_EVENT, .context = 1, .stream = 20, .event = 3 };
	struct cupti_sync sync = { .kind = CUPTI_SYNC, .type = 2, .context = 1, .stream = 7 };

	event.event_sync = sync.event_sync = number;
	event.correlation = app_fake->number_of(atomic_fetch_add(&correlation, 1));
	app_fake->append(&event, sizeof(event));
	sync.start = now_ns();
	sync.end = sync.start + 500;
	sync.event = event.event;
	sync.correlation = app_fake->number_of(atomic_fetch_add(&correlation, 1));
	app_fake->append(&sync, sizeof(sync));
}

/* Iterations of three kernels, and of a fourth that waits for another stream's: US microseconds. */
static void waits(const char *value)
{
	uint64_t count = strtoull(value, NULL, 10);
	const char *us = strchr(value, ',') + 1, *name = strchr(us, ',');
	uint64_t ns = strtoull(us, NULL, 10) * 1000;

	for (uint64_t i = 0; app_fake && i < count; i++) {
		uint64_t start = now_ns() + 20000, at = start;

		for (size_t k = 0; k < 3; k++, at += 20000)
			app_fake->launch_at(loop_names[k], atomic_fetch_add(&correlation, 1), 7, at,
					    at + 20000);
		app_fake->launch_at(name ? name + 1 : "gather", atomic_fetch_add(&correlation, 1),
				    20, start, start + ns);
		wait_for_event(i + 1);
		app_fake->launch_at("loss", atomic_fetch_add(&correlation, 1), 7, start + ns + 2000,
				    start + ns + 22000);
		while (now_ns() < start + ns + 22000)
			usleep(50);
	}
}

static void nodes(uint64_t count)
{
	struct cupti_kernel kernel = { .kind = CUPTI_KERNEL };

	kernel.name = (uint64_t)(uintptr_t)names[0];
	kernel.context = 1;
	kernel.stream = 7;
	kernel.graph = 5;
	for (uint64_t i = 0; app_fake && i < count; i++) {
		kernel.graph_node = i + 1;
		kernel.end = now_ns();
		kernel.start = kernel.end - 1000;
		app_fake->append(&kernel, sizeof(kernel));
	}
}

/* Copies of a CUDA graph whose launch failed, and the call that says so. */
static void failed(uint64_t count)
{
	struct cupti_api call = { .kind = CUPTI_DRIVER, .cbid = 307, .result = 719 };
	struct cupti_memcpy copy = { .kind = CUPTI_MEMCPY, .context = 1 };

	copy.stream = 7;
	copy.graph = 5;
	for (uint64_t i = 0; app_fake && i < count; i++) {
		copy.start = i % 2 ? UINT64_MAX - 319 : 320;
		copy.end = i % 4 < 2 ? 0 : 200;
		app_fake->append(&copy, sizeof(copy));
	}
	call.start = call.end = now_ns();
	if (app_fake)
		app_fake->append(&call, sizeof(call));
}

static void spin(uint64_t ms)
{
	uint64_t until = now_ns() + ms * 1000000;

	while (now_ns() < until)
		;
}

static void profiler(uint64_t start)
{
	app_fake->profiler(start != 0);
}

static void devices(uint64_t count)
{
	for (uint64_t i = 0; app_fake && i < count; i++)
		app_fake->context((uint32_t)i);
}

static void facts(void)
{
	static const uint32_t all[] = { 8, 9, 37, 11 };

	for (size_t k = 0; app_fake && k < sizeof(all) / sizeof(all[0]); k++)
		app_fake->record(all[k], k);
}

void app_nvtx(uint64_t count)
{
#ifdef HAVE_NVTX
	nvtxDomainHandle_t domain = nvtxDomainCreateA("a domain");
	nvtxStringHandle_t string = nvtxDomainRegisterStringA(domain, "a registered string");
	nvtxEventAttributes_t event = { 0 };

	event.version = NVTX_VERSION;
	event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	event.message.registered = string;
	errno = 123;
	for (uint64_t i = 0; i < count; i++) {
		nvtxRangePushA("step");
		nvtxDomainMarkEx(domain, &event);
		nvtxRangePop();
		if (errno != 123)
			abort();
		if (app_fake)
			atomic_fetch_add(&app_fake->truth()->nvtx, 3);
	}
#endif
}

static void schema(void)
{
#ifdef HAVE_NVTX_PAYLOAD
	static const nvtxPayloadSchemaEntry_t entries[] = {
		{ 0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "NCCL communicator ID", NULL, 0, 0, NULL,
		  NULL },
		{ 0, NVTX_PAYLOAD_ENTRY_TYPE_INT, "Root", NULL, 0, 0, NULL, NULL },
		{ 0, NVTX_PAYLOAD_ENTRY_TYPE_SIZE, "Message size [bytes]", NULL, 0, 0, NULL, NULL },
		{ 0, NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 11, "Reduction operation", NULL, 0, 0,
		  NULL, NULL },
	};
	static const nvtxPayloadEnum_t reductions[] = { { "Sum", 0, 0 }, { "Product", 1, 0 } };
	const nvtxPayloadEnumAttr_t reduction = {
		.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
			     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
			     NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE |
			     NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID,
		.entries = reductions,
		.numEntries = 2,
		.sizeOfEnum = sizeof(int),
		.schemaId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 11,
	};
	struct {
		uint64_t communicator;
		int root;
		size_t bytes;
		int reduction;
	} payload = { 0x1234567890abcdef, 3, 1 << 20, 1 };
	nvtxDomainHandle_t domain = nvtxDomainCreateA("NCCL");
	nvtxPayloadSchemaAttr_t attributes = { 0 };
	nvtxEventAttributes_t event = { 0 };
	nvtxPayloadData_t data;

	attributes.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME |
			       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
			       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
			       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
	attributes.name = "AllReduce";
	attributes.entries = entries;
	attributes.numEntries = 4;
	attributes.schemaId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 5;
	nvtxPayloadEnumRegister(domain, &reduction);
	nvtxPayloadSchemaRegister(domain, &attributes);
	data.schemaId = attributes.schemaId;
	data.size = sizeof(payload);
	data.payload = &payload;
	event.version = NVTX_VERSION;
	event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	event.messageType = NVTX_MESSAGE_TYPE_ASCII;
	event.message.ascii = "ncclAllReduce";
	event.payloadType = NVTX_PAYLOAD_TYPE_EXT;
	event.reserved0 = 1;
	event.payload.ullValue = (uint64_t)(uintptr_t)&data;
	nvtxDomainRangePushEx(domain, &event);
	nvtxRangePopPayload(domain, &data, 1);
#endif
}

/* Two kernels whose names lie in the same memory, one after the other. */
static void reuse_names(void)
{
	char *name = malloc(70000);

	if (!name)
		abort();
	memset(name, 'x', 69999);
	name[69999] = 0;
	app_fake->launch(name, atomic_fetch_add(&correlation, 1), 7, 0);
	usleep(1500000);
	app_fake->unload();
	strcpy(name, "_Z6secondv");
	usleep(200000);
	app_fake->launch(name, atomic_fetch_add(&correlation, 1), 7, 0);
	usleep(1500000);
	free(name);
}

static void *launch_forever(void *unused)
{
	for (;;)
		app_launch(100);
	return NULL;
}

static void race(uint64_t count)
{
	pthread_t thread;

	for (uint64_t i = 0; i < count; i++)
		if (pthread_create(&thread, NULL, launch_forever, NULL))
			abort();
	usleep(100000);
}

static void *one_event(void *unused)
{
	app_nvtx(1);
	return NULL;
}

static void shortlived(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, one_event, NULL))
			abort();
		pthread_join(thread, NULL);
		/* Then other threads can reuse their rings. */
		if (i % 100 == 99)
			app_looked();
	}
}

static void odd(void)
{
	app_fake->record(FAKE_NEW_KIND, 1);
	app_fake->launch("_Z4zerov", atomic_fetch_add(&correlation, 1), 7, 1);
}

static void unwalkable(void)
{
	app_fake->record(300, 1);
}

static void complete_twice(uint64_t ms_between)
{
	app_fake->complete_twice(ms_between);
}

static void complete_foreign(void)
{
	app_fake->complete_foreign();
}

static void hold_buffer(void)
{
	app_fake->hold_buffer();
}

static void drop(uint64_t count)
{
	app_fake->drop(count);
}

static void wrap(void)
{
	atomic_store(&correlation, 0xffffff00u);
}

static void range(void)
{
	app_fake->profiler(1);
	app_launch(100);
	app_fake->profiler(0);
	usleep(200000);
	app_launch(100);
}

static void gone(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		abort();
	strcpy(page, "gone");
	app_fake->launch(page, atomic_fetch_add(&correlation, 1), 7, 0);
	munmap(page, 4096);
}

static void forever(void)
{
	launch_forever(NULL);
}

const struct app_word app_record_words[] = {
	{ "launch", .of_number = app_launch },
	{ "threads", .of_text = threads },
	{ "loop", .of_text = loop },
	{ "steps", .of_number = steps },
	{ "busy", .of_text = busy },
	{ "calls", .plain = calls },
	{ "devices", .of_number = devices },
	{ "facts", .plain = facts },
	{ "failed", .of_number = failed },
	{ "queries", .of_number = queries },
	{ "events", .of_number = events },
	{ "waits", .of_text = waits },
	{ "nodes", .of_number = nodes },
	{ "spin", .of_number = spin },
	{ "takeover", .plain = take_over },
	{ "kinds", .of_number = kinds },
	{ "odd", .plain = odd },
	{ "unwalkable", .plain = unwalkable },
	{ "twice", .of_number = complete_twice },
	{ "foreign", .plain = complete_foreign },
	{ "hold", .plain = hold_buffer },
	{ "drop", .of_number = drop },
	{ "names", .plain = reuse_names },
	{ "wrap", .plain = wrap },
	{ "gone", .plain = gone },
	{ "nvtx", .of_number = app_nvtx },
	{ "schema", .plain = schema },
	{ "shortlived", .of_number = shortlived },
	{ "profiler", .of_number = profiler },
	{ "range", .plain = range },
	{ "forever", .plain = forever },
	{ "race", .of_number = race },
	{ 0 },
};
