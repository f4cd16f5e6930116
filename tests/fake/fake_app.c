/*
 * The program under test. Its words are done in order:
 *
 *   open=PATH       loads a library
 *   init            cuInit()
 *   find=PATH       the fake libcupti is this one, which is loaded already
 *   launch=N        N launches, of five kernels in turn
 *   threads=T,N     T threads, N launches each
 *   loop=N,US       N iterations, US microseconds each: three layers of two kernels, four more
 *                   kernels that a second thread launches
 *   busy=N,US       N iterations of ten kernels of US microseconds each, one iteration ahead of
 *                   the GPU: something is always under way
 *   calls           cudaGetDeviceCount, cudaGetLastError, cuCtxGetCurrent, cuLaunchKernel
 *   queries=N       N records of events that were not ready when they were asked
 *   nodes=N         N kernels of a graph
 *   bind            the thread binds itself to one processor
 *   spin=MS         works for so long; idle=N: N threads that sleep
 *   processors      exits with 94 if a thread of the collector's is bound to that one
 *   facts           a record each of a device, a context, a stream and a name
 *   takeover        the program's own profiler registers for CUPTI's buffers
 *   kinds=N         N records of each kind that is decoded
 *   odd             a record of a new kind, a kernel without times
 *   unwalkable      a record of a size that nobody knows
 *   twice=MS        the buffer is given back, and again so much later
 *   foreign         a buffer is given back that is nobody's
 *   aside           the buffer is given back with the next flush, after later ones
 *   drop=N names wrap; gone: a kernel whose name is nowhere any more
 *   nvtx=N          N pushes and pops, marks; schema: a payload as NCCL makes it
 *   shortlived=N    N threads, one after the other, with NVTX's events
 *   range           cudaProfilerStart, 100 launches, cudaProfilerStop, 100 launches
 *   fork=N          N children, each doing nothing; forkinit=N: each starting CUDA, 100 launches
 *   clone=N         N children of the bare system call, each with NVTX's events
 *   vfork=N         N children that end as those do that can't find their program
 *   leave=MS        a child that does nothing for so long, and is not waited for
 *   ranks=N         N children at once, 1,000 launches each
 *   exec            goes on as the rest of its words in a new image
 *   --              what follows are arguments that mean nothing
 *   race=T          T threads that launch while the process ends
 *   daemon          goes on as one: the process that was started ends
 *   spawn=N         N programs by posix_spawn()
 *   inherited       what a program that is started has open
 *   masks           no thread of the collector's takes the program's signals, or it is left
 *   own=FILE        opens a file by all numbers from 3 on, whatever had them
 *   close=N         closes the first N descriptors
 *   until=FILE      waits for a file to be there
 *   say             a line to stdout; sleep=MS; forever: launches until it is killed
 *   exit=N _exit=N quick=N abort kill term segv
 */
#include "fake_app.h"
#include "cupti/cupti_abi.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/mman.h>
#include <sys/wait.h>
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

/* What autograd does: the other half of each iteration comes from a thread of its own. */
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
		for (size_t k = 0; app_fake && k < 8; k++)
			app_fake->launch(loop_names[k], atomic_fetch_add(&correlation, 1), 7, 0);
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
	static const uint32_t all[] = { 1, 2, 4, 8, 9, 11, 17, 22, 37, 38, 39, 49, 50, 51, 52 };

	for (uint64_t i = 0; i < count; i++)
		for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
			app_fake->record(all[k], 1000 * i + k);
}

static void take_over(void)
{
	if (app_fake)
		app_fake->take_over();
}

/* Four calls; two of them say nothing. The number of a call is the record's second word. */
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

static void nodes(uint64_t count)
{
	struct cupti_kernel kernel = { .kind = CUPTI_KERNEL, .start = 1000, .end = 2000 };

	kernel.name = (uint64_t)(uintptr_t)names[0];
	kernel.context = 1;
	kernel.stream = 7;
	kernel.graph = 5;
	for (uint64_t i = 0; app_fake && i < count; i++) {
		kernel.graph_node = i + 1;
		kernel.start += 1000;
		kernel.end += 1000;
		app_fake->append(&kernel, sizeof(kernel));
	}
}

static void spin(uint64_t ms)
{
	uint64_t until = now_ns() + ms * 1000000;

	while (now_ns() < until)
		;
}

static void *sleep_on(void *unused)
{
	for (;;)
		pause();
	return NULL;
}

static void idle(uint64_t count)
{
	pthread_t thread;

	for (uint64_t i = 0; i < count; i++)
		if (pthread_create(&thread, NULL, sleep_on, NULL))
			abort();
}

static int first_processor(const cpu_set_t *set)
{
	int at = 0;

	while (at < CPU_SETSIZE && !CPU_ISSET(at, set))
		at++;
	return at;
}

static void bind_thread(void)
{
	cpu_set_t all, one;

	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof(all), &all))
		abort();
	CPU_SET(first_processor(&all), &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		abort();
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

/* Names whose memory goes, and comes back with another text: one kernel each. */
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
		usleep(2000);
	}
}

/* One of our threads: is every signal blocked there, but for those that can't be? */
static int is_deaf(const char *tid)
{
	static const uint64_t all = 0x7fffffff & ~(1u << (SIGKILL - 1)) & ~(1u << (SIGSTOP - 1));
	unsigned long long blocked = 0;
	char path[300], line[256];
	bool ours = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%.32s/status", tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		ours |= !strncmp(line, "Name:\tdeepprof", 14);
		sscanf(line, "SigBlk: %llx", &blocked);
	}
	if (file)
		fclose(file);
	return ours ? (blocked & all) == all : -1;
}

/* Those of our threads that are on one processor only. */
static void processors(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	cpu_set_t set;

	while (tasks && (entry = readdir(tasks)))
		if (is_deaf(entry->d_name) > 0 &&
		    !sched_getaffinity((pid_t)strtol(entry->d_name, NULL, 10), sizeof(set), &set) &&
		    CPU_COUNT(&set) == 1)
			exit(94);
	if (tasks)
		closedir(tasks);
}

static void masks(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	int found = 0;

	while (tasks && (entry = readdir(tasks))) {
		int deaf = is_deaf(entry->d_name);

		if (!deaf)
			exit(96);
		found += deaf > 0;
	}
	if (tasks)
		closedir(tasks);
	if (found != 2)
		exit(95);
}

/* What a word does, with what is behind its "=" as a number, or as it stands. */
struct word {
	const char *name;
	void (*of_number)(uint64_t number);
	void (*of_text)(const char *text);
	void (*plain)(void);
};

static void start_cuda(void)
{
	if (cuInit(0))
		exit(99);
	app_find_fake(getenv("DEEPPROF_CUPTI"));
}

static void open_library(const char *path)
{
	if (!dlopen(path, RTLD_NOW | RTLD_LOCAL))
		exit(97);
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

static void put_aside(void)
{
	app_fake->put_aside();
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

static void fork_plain(uint64_t count)
{
	app_children(count, 0);
}

static void fork_with_cuda(uint64_t count)
{
	app_children(count, 1);
}

static void own(const char *path)
{
	int file = open(path, O_RDWR | O_CLOEXEC);

	for (int fd = 3; fd < 600; fd++)
		if (fd != file && dup2(file, fd) != fd)
			exit(96);
}

static void close_first(uint64_t count)
{
	for (int fd = 0; fd < (int)count; fd++)
		close(fd);
}

static void say(void)
{
	printf("hello\n");
	fflush(stdout);
}

static void until(const char *path)
{
	while (access(path, F_OK))
		usleep(10000);
}

static void sleep_ms(uint64_t ms)
{
	usleep((useconds_t)ms * 1000);
}

static void forever(void)
{
	launch_forever(NULL);
}

static void end(uint64_t status)
{
	exit((int)status);
}

static void end_at_once(uint64_t status)
{
	_exit((int)status);
}

static void end_quick(uint64_t status)
{
	quick_exit((int)status);
}

static void kill_self(void)
{
	kill(getpid(), SIGKILL);
}

static void terminate_self(void)
{
	kill(getpid(), SIGTERM);
}

static void fault(void)
{
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}

static const struct word all_words[] = {
	{ "init", .plain = start_cuda },
	{ "open", .of_text = open_library },
	{ "find", .of_text = app_find_fake },
	{ "launch", .of_number = app_launch },
	{ "threads", .of_text = threads },
	{ "loop", .of_text = loop },
	{ "busy", .of_text = busy },
	{ "calls", .plain = calls },
	{ "facts", .plain = facts },
	{ "queries", .of_number = queries },
	{ "nodes", .of_number = nodes },
	{ "spin", .of_number = spin },
	{ "idle", .of_number = idle },
	{ "bind", .plain = bind_thread },
	{ "processors", .plain = processors },
	{ "takeover", .plain = take_over },
	{ "kinds", .of_number = kinds },
	{ "odd", .plain = odd },
	{ "unwalkable", .plain = unwalkable },
	{ "twice", .of_number = complete_twice },
	{ "foreign", .plain = complete_foreign },
	{ "aside", .plain = put_aside },
	{ "drop", .of_number = drop },
	{ "names", .plain = reuse_names },
	{ "wrap", .plain = wrap },
	{ "gone", .plain = gone },
	{ "nvtx", .of_number = app_nvtx },
	{ "schema", .plain = schema },
	{ "shortlived", .of_number = shortlived },
	{ "range", .plain = range },
	{ "fork", .of_number = fork_plain },
	{ "forkinit", .of_number = fork_with_cuda },
	{ "clone", .of_number = app_clones },
	{ "leave", .of_number = app_leave },
	{ "vfork", .of_number = app_vforks },
	{ "ranks", .of_number = app_ranks },
	{ "say", .plain = say },
	{ "own", .of_text = own },
	{ "close", .of_number = close_first },
	{ "until", .of_text = until },
	{ "sleep", .of_number = sleep_ms },
	{ "forever", .plain = forever },
	{ "exit", .of_number = end },
	{ "_exit", .of_number = end_at_once },
	{ "quick", .of_number = end_quick },
	{ "abort", .plain = abort },
	{ "kill", .plain = kill_self },
	{ "term", .plain = terminate_self },
	{ "segv", .plain = fault },
	{ "race", .of_number = race },
	{ "daemon", .plain = app_be_daemon },
	{ "spawn", .of_number = app_spawn },
	{ "inherited", .plain = app_inherited },
	{ "masks", .plain = masks },
};

static const struct word *find_word(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof(all_words) / sizeof(all_words[0]); i++)
		if (length == strlen(all_words[i].name) &&
		    !strncmp(all_words[i].name, text, length))
			return &all_words[i];
	fprintf(stderr, "fake_app: no word: %s\n", text);
	exit(98);
}

static void do_word(const char *text)
{
	size_t length = strcspn(text, "=");
	const char *value = text[length] ? text + length + 1 : "";
	const struct word *word = find_word(text, length);

	if (word->plain)
		word->plain();
	else if (word->of_text)
		word->of_text(value);
	else
		word->of_number(strtoull(value, NULL, 10));
}

/* The rest of the words are the new image's. */
static _Noreturn void go_on_anew(char **argv, int i)
{
	argv[i] = argv[0];
	execv("/proc/self/exe", argv + i);
	abort();
}

/*
 * Races that ThreadSanitizer is not to report. Where no memory is left, all threads are given one
 * buffer that nobody reads: records are written over each other in it and are only counted
 * (collectors/cupti/buffers.c).
 */
const char *__tsan_default_suppressions(void);

const char *__tsan_default_suppressions(void)
{
	return "race:complete_discard\n";
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (!strcmp(argv[i], "exec"))
			go_on_anew(argv, i);
		do_word(argv[i]);
	}
	return 0;
}
