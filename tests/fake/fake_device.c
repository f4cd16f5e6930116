/*
 * The part of libcuda that tests/gpu/work.c calls, of a device that computes nothing: kernels take
 * as long as their first argument says, at 1 GHz, streams run in order, whoever waits does wait,
 * copies take as long as a bus would, calls as long as a driver's. What happens goes to the fake
 * libcupti as CUPTI has it.
 */
#include "fake.h"
#include "cupti/cupti_abi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CALL_NS 1500
#define LAUNCH_NS 2000
#define PINNED_BYTES_PER_NS 24
#define PAGEABLE_BYTES_PER_NS 8
#define NODES 4096
#define STREAMS 512
#define PINNED 1024

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_FOUND = 500 };
enum { TO_DEVICE = 1, TO_HOST = 2, PAGEABLE = 1, PINNED_MEMORY = 2, DEVICE_MEMORY = 3 };
enum { DO_LAUNCH = 307, DO_UPLOAD = 277, DO_DOWNLOAD = 279, DO_SET = 220, DO_GRAPH = 514 };
enum { DO_WAIT = 126, STREAM_WAIT = 3 };

struct operation {
	uint32_t kind;
	uint32_t grid[3], block[3];
	char *name;
	uint64_t ns;
	uint64_t bytes;
	uint8_t copy_kind, src_kind, dst_kind;
};

struct graph {
	uint32_t id;
	size_t count;
	struct operation nodes[NODES];
};

struct stream {
	uint32_t id;
	uint64_t busy_until;
	struct graph *captured;
};

struct range {
	const char *data;
	size_t bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stream streams[STREAMS] = { { .id = 7 } };
static size_t stream_count = 1;
static struct range pinned[PINNED];
static size_t pinned_count;
static _Atomic uint32_t correlation, graphs;
static const struct fake_interface *fake;

#define EXPORTED(name, ...)    \
	int name(__VA_ARGS__); \
	int name(__VA_ARGS__)

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void wait_until(uint64_t until)
{
	uint64_t time;

	while ((time = now()) < until) {
		struct timespec rest = { 0, 20000 };

		if (until - time > 80000)
			nanosleep(&rest, NULL);
	}
}

static struct stream *stream_of(void *handle)
{
	return handle ? handle : &streams[0];
}

static void emit(const void *record, size_t bytes)
{
	if (fake)
		fake->append(record, bytes);
}

static void emit_call(uint32_t cbid, uint64_t start, uint32_t id)
{
	struct cupti_api api = { .kind = CUPTI_DRIVER, .cbid = cbid, .start = start, .end = now() };

	api.process = (uint32_t)getpid();
	api.thread = (uint32_t)syscall(SYS_gettid);
	api.correlation = id;
	emit(&api, sizeof(api));
}

static void call_back(uint32_t cbid)
{
	if (fake)
		fake->call_back(cbid);
}

/* The number that links an operation to its call, if calls are recorded. */
static uint32_t number_of(uint32_t id)
{
	return fake ? fake->number_of(id) : id;
}

static void emit_operation(const struct operation *op, const struct stream *stream, uint64_t start,
			   uint32_t id, uint32_t graph, size_t node)
{
	uint64_t end = start + op->ns;

	id = number_of(id);

	if (op->kind == CUPTI_KERNEL) {
		struct cupti_kernel kernel = {
			.kind = CUPTI_KERNEL,
			.registers = 16,
			.start = start,
			.end = end,
			.context = 1,
			.stream = stream->id,
			.correlation = id,
			.cluster = { 1, 1, 1 },
			.graph = graph,
		};

		memcpy(kernel.grid, op->grid, sizeof(kernel.grid));
		memcpy(kernel.block, op->block, sizeof(kernel.block));
		kernel.name = (uint64_t)(uintptr_t)op->name;
		kernel.graph_node = graph ? node + 1 : 0;
		emit(&kernel, sizeof(kernel));
	} else if (op->kind == CUPTI_MEMCPY) {
		struct cupti_memcpy copy = {
			.kind = CUPTI_MEMCPY,
			.copy_kind = op->copy_kind,
			.src_kind = op->src_kind,
			.dst_kind = op->dst_kind,
			.flags = 1,
			.bytes = op->bytes,
			.start = start,
			.end = end,
			.context = 1,
			.stream = stream->id,
			.correlation = id,
			.graph = graph,
			.count = 1,
		};

		emit(&copy, sizeof(copy));
	} else {
		struct cupti_memset set = { .kind = CUPTI_MEMSET,
					    .bytes = op->bytes,
					    .start = start,
					    .end = end,
					    .context = 1,
					    .stream = stream->id,
					    .correlation = id,
					    .memory_kind = DEVICE_MEMORY };

		emit(&set, sizeof(set));
	}
}

/* When the stream finishes work that takes ns and is issued now. */
static uint64_t book(struct stream *stream, uint64_t ns)
{
	uint64_t start = now() + LAUNCH_NS;

	if (start < stream->busy_until)
		start = stream->busy_until;
	stream->busy_until = start + ns;
	return start;
}

static int issue(struct stream *stream, struct operation *op, uint32_t cbid)
{
	uint64_t called = now(), start;
	uint32_t id = atomic_fetch_add(&correlation, 1) + 1;

	pthread_mutex_lock(&lock);
	if (stream->captured) {
		struct graph *graph = stream->captured;
		bool room = graph->count < NODES;

		if (room)
			graph->nodes[graph->count++] = *op;
		pthread_mutex_unlock(&lock);
		return room ? 0 : OUT_OF_MEMORY;
	}
	start = book(stream, op->ns);
	pthread_mutex_unlock(&lock);
	/* A copy from pageable memory returns only then. */
	if (op->src_kind == PAGEABLE || op->dst_kind == PAGEABLE)
		wait_until(start + op->ns);
	else
		wait_until(called + CALL_NS);
	emit_call(cbid, called, id);
	emit_operation(op, stream, start, id, 0, 0);
	return 0;
}

/* The records of a replay: one for the whole or one for each node, as requested. */
static void replay(const struct graph *graph, struct stream *stream, uint64_t start, uint64_t end,
		   uint32_t id)
{
	struct cupti_graph_trace trace = {
		.kind = CUPTI_GRAPH_TRACE,
		.correlation = number_of(id),
		.start = start,
		.end = end,
		.graph = graph->id,
		.context = 1,
		.stream = stream->id,
	};

	if (fake && fake->wanted(CUPTI_GRAPH_TRACE)) {
		emit(&trace, sizeof(trace));
		return;
	}
	for (size_t i = 0; i < graph->count; i++) {
		emit_operation(&graph->nodes[i], stream, start, id, graph->id, i);
		start += graph->nodes[i].ns;
	}
}

/* In cuInit(), after the injected library is loaded. */
void fake_device_find(void);
void fake_device_find(void)
{
	const char *path = getenv("DEEPPROF_CUPTI");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;

	fake = library ? dlsym(library, "fake_interface") : NULL;
}

EXPORTED(cuDeviceGetCount, int *count)
{
	*count = 1;
	return 0;
}

EXPORTED(cuDeviceGet, int *device, int ordinal)
{
	*device = ordinal;
	return ordinal ? INVALID_VALUE : 0;
}

EXPORTED(cuDeviceGetName, char *name, int room, int device)
{
	snprintf(name, (size_t)room, "no device");
	return 0;
}

EXPORTED(cuDeviceGetUuid_v2, uint8_t *uuid, int device)
{
	for (uint8_t i = 0; i < 16; i++)
		uuid[i] = (uint8_t)(0xa0 + i);
	return 0;
}

EXPORTED(cuDeviceTotalMem_v2, size_t *bytes, int device)
{
	*bytes = (size_t)1 << 37;
	return 0;
}

/* The numbers are CUdevice_attribute's. */
EXPORTED(cuDeviceGetAttribute, int *value, int attribute, int device)
{
	static const int values[77] = {
		[13] = 1000000, [16] = 132, [36] = 2619000, [37] = 5120,
		[38] = 1 << 20, [40] = 3,   [75] = 9,
	};

	*value = attribute >= 0 && attribute < 77 ? values[attribute] : 0;
	return 0;
}

EXPORTED(cuDevicePrimaryCtxRetain, void **context, int device)
{
	struct cupti_context record = { .kind = CUPTI_CONTEXT, .context = 1, .null_stream = 7 };
	struct cupti_device about = {
		.kind = CUPTI_DEVICE,
		.sms = 1,
		.cc_major = 9,
		.clock_khz = 1000000,
	};

	about.name = (uint64_t)(uintptr_t) "no device";
	cuDeviceGetUuid_v2(about.uuid, device);
	emit(&about, sizeof(about));
	emit(&record, sizeof(record));
	*context = &streams;
	return 0;
}

EXPORTED(cuCtxSetCurrent, void *context)
{
	return 0;
}

EXPORTED(cuModuleLoadData, void **module, const void *image)
{
	*module = strdup(image);
	return *module ? 0 : OUT_OF_MEMORY;
}

EXPORTED(cuModuleGetFunction, void **function, void *module, const char *name)
{
	if (!strstr(module, name))
		return NOT_FOUND;
	*function = strdup(name);
	return *function ? 0 : OUT_OF_MEMORY;
}

EXPORTED(cuStreamCreate, void **stream, unsigned int flags)
{
	int status = 0;

	pthread_mutex_lock(&lock);
	if (stream_count == STREAMS) {
		status = OUT_OF_MEMORY;
	} else {
		streams[stream_count].id = (uint32_t)(12 + stream_count);
		*stream = &streams[stream_count++];
	}
	pthread_mutex_unlock(&lock);
	return status;
}

EXPORTED(cuMemAlloc_v2, uint64_t *address, size_t bytes)
{
	*address = 0x7f0000000000u;
	return bytes ? 0 : INVALID_VALUE;
}

EXPORTED(cuMemAllocHost_v2, void **out, size_t bytes)
{
	int status = OUT_OF_MEMORY;

	pthread_mutex_lock(&lock);
	*out = pinned_count < PINNED ? malloc(bytes) : NULL;
	if (*out) {
		pinned[pinned_count++] = (struct range){ *out, bytes };
		status = 0;
	}
	pthread_mutex_unlock(&lock);
	return status;
}

static bool is_pinned(const void *at)
{
	const char *p = at;

	for (size_t i = 0; i < pinned_count; i++)
		if (p >= pinned[i].data && p < pinned[i].data + pinned[i].bytes)
			return true;
	return false;
}

static int copy(void *stream, const void *host, size_t bytes, uint8_t kind)
{
	bool is_fast = is_pinned(host);
	uint8_t memory = is_fast ? PINNED_MEMORY : PAGEABLE;
	struct operation op = {
		.kind = CUPTI_MEMCPY,
		.bytes = bytes,
		.ns = 1000 + bytes / (is_fast ? PINNED_BYTES_PER_NS : PAGEABLE_BYTES_PER_NS),
		.copy_kind = kind,
		.src_kind = kind == TO_DEVICE ? memory : DEVICE_MEMORY,
		.dst_kind = kind == TO_DEVICE ? DEVICE_MEMORY : memory,
	};

	return issue(stream_of(stream), &op, kind == TO_DEVICE ? DO_UPLOAD : DO_DOWNLOAD);
}

EXPORTED(cuMemcpyHtoDAsync_v2, uint64_t to, const void *from, size_t bytes, void *stream)
{
	return copy(stream, from, bytes, TO_DEVICE);
}

EXPORTED(cuMemcpyDtoHAsync_v2, void *to, uint64_t from, size_t bytes, void *stream)
{
	return copy(stream, to, bytes, TO_HOST);
}

EXPORTED(cuMemsetD32Async, uint64_t address, unsigned int value, size_t count, void *stream)
{
	struct operation op = { .kind = CUPTI_MEMSET,
				.bytes = 4 * count,
				.ns = 1000 + count / 256 };

	return issue(stream_of(stream), &op, DO_SET);
}

EXPORTED(cuLaunchKernel, void *function, unsigned int grid_x, unsigned int grid_y,
	 unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z,
	 unsigned int shared, void *stream, void **parameters, void **extra)
{
	struct operation op = {
		.kind = CUPTI_KERNEL,
		.name = function,
		.grid = { grid_x, grid_y, grid_z },
		.block = { block_x, block_y, block_z },
	};

	call_back(DO_LAUNCH);
	memcpy(&op.ns, parameters[0], sizeof(op.ns));
	op.ns += 500;
	return issue(stream_of(stream), &op, DO_LAUNCH);
}

EXPORTED(cuStreamSynchronize, void *handle)
{
	struct stream *stream = stream_of(handle);
	struct cupti_sync sync = { .kind = CUPTI_SYNC, .type = STREAM_WAIT, .context = 1 };
	uint64_t until;

	sync.start = now();
	sync.stream = stream->id;
	sync.correlation = atomic_fetch_add(&correlation, 1) + 1;
	pthread_mutex_lock(&lock);
	until = stream->busy_until;
	pthread_mutex_unlock(&lock);
	wait_until(until);
	sync.end = now();
	emit_call(DO_WAIT, sync.start, sync.correlation);
	emit(&sync, sizeof(sync));
	return 0;
}

EXPORTED(cuStreamBeginCapture_v2, void *handle, int mode)
{
	struct stream *stream = stream_of(handle);

	stream->captured = calloc(1, sizeof(*stream->captured));
	if (stream->captured)
		stream->captured->id = atomic_fetch_add(&graphs, 1) + 1;
	return stream->captured ? 0 : OUT_OF_MEMORY;
}

EXPORTED(cuStreamEndCapture, void *handle, void **graph)
{
	struct stream *stream = stream_of(handle);

	*graph = stream->captured;
	stream->captured = NULL;
	return *graph ? 0 : INVALID_VALUE;
}

EXPORTED(cuGraphInstantiateWithFlags, void **executable, void *graph, unsigned long long flags)
{
	*executable = graph;
	return 0;
}

EXPORTED(cuGraphLaunch, void *executable, void *handle)
{
	const struct graph *graph = executable;
	struct stream *stream = stream_of(handle);
	uint32_t id = atomic_fetch_add(&correlation, 1) + 1;
	uint64_t called = now(), ns = 0, start;

	call_back(DO_GRAPH);
	for (size_t i = 0; i < graph->count; i++)
		ns += graph->nodes[i].ns;
	pthread_mutex_lock(&lock);
	start = book(stream, ns);
	pthread_mutex_unlock(&lock);
	emit_call(DO_GRAPH, called, id);
	replay(graph, stream, start, start + ns, id);
	return 0;
}

EXPORTED(cuProfilerStart, void)
{
	if (fake)
		fake->profiler(1);
	return 0;
}

EXPORTED(cuProfilerStop, void)
{
	if (fake)
		fake->profiler(0);
	return 0;
}
