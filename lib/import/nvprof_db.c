/*
 * The databases of nvprof -o and of the Visual Profiler (.nvvp), versions 8 to 28.
 *
 * They hold CUPTI's records of one process unchanged: times are nanoseconds since the epoch, names
 * are mangled and stored in StringTable, API calls have CUPTI's callback ids instead of names, and
 * a marker is a start and an end with the same id.
 */
#include "import/cupti.h"

#include <stdio.h>

/* CUpti_ActivityFlag, CUpti_ActivityObjectKind, CUpti_ActivityUnifiedMemoryCounterKind. */
enum { MARKER_IS_START = 1 << 1, MARKER_IS_END = 1 << 2 };
enum { OBJECT_PROCESS = 1, OBJECT_THREAD = 2 };
enum { UNIFIED_HTOD = 1, UNIFIED_DTOH = 2, UNIFIED_DTOD = 8 };

/* A marker that has not ended yet. */
struct open_range {
	int64_t start_ns;
	uint32_t name;
	uint32_t thread;
	enum dp_range_kind kind;
	bool open;
};

struct nvprof {
	struct dp_cupti cupti;
	struct dp_lookup markers; /* from id to the index of an open range */
	struct open_range *ranges;
	size_t range_count;
	size_t range_room;
	int64_t pid;		    /* of the one process, -1 until known */
	int64_t version;
	enum dp_cbid_domain domain; /* of the calls being read */
};

static struct nvprof *nvprof_of(struct dp_cupti *cupti)
{
	return (struct nvprof *)cupti;
}

/* Operations do not record their process, and there is only one. */
static int64_t pid_of_row(const struct dp_cupti *cupti, struct dp_rows *rows)
{
	return ((const struct nvprof *)cupti)->pid;
}

/* threadId is the low half of a pthread_t; markers have all of it. */
static uint32_t thread_of(struct dp_cupti *cupti, int64_t pid, int64_t tid)
{
	return dp_places__thread(&cupti->places, pid, tid & INT64_C(0xffffffff));
}

static int thread_of_row(struct dp_cupti *cupti, struct dp_rows *rows, uint32_t *thread)
{
	*thread = thread_of(cupti, dp_rows__id(rows, DP_CUPTI_PROCESS),
			    dp_rows__id(rows, DP_CUPTI_THREAD));
	return *thread == DP_NONE ? dp_cupti__failed(cupti) : DP_OK;
}

static uint32_t call_name(struct dp_cupti *cupti, struct dp_rows *rows)
{
	return dp_cupti__call_name(cupti, nvprof_of(cupti)->domain,
				   dp_rows__id(rows, DP_CUPTI_KIND));
}

static int read_runtime(struct dp_cupti *cupti, struct dp_rows *rows)
{
	nvprof_of(cupti)->domain = DP_CBID_RUNTIME;
	return dp_cupti__read_call(cupti, rows);
}

static int read_driver(struct dp_cupti *cupti, struct dp_rows *rows)
{
	nvprof_of(cupti)->domain = DP_CBID_DRIVER;
	return dp_cupti__read_call(cupti, rows);
}

/* Page migrations are copies; the other counters (faults, thrashing) are not operations. */
static int read_unified(struct dp_cupti *cupti, struct dp_rows *rows)
{
	int64_t kind = dp_rows__id(rows, DP_CUPTI_KIND), device;
	struct dp_op op = { .kind = DP_OP_COPY };

	if (kind != UNIFIED_HTOD && kind != UNIFIED_DTOH && kind != UNIFIED_DTOD)
		return DP_OK;
	if (!dp_cupti__times(cupti, rows, &op.start_ns, &op.end_ns))
		return DP_OK;
	device = dp_rows__id(rows, kind == UNIFIED_DTOH ? DP_CUPTI_SOURCE : DP_CUPTI_TARGET);
	op.stream = dp_places__stream(&cupti->places, pid_of_row(cupti, rows), device, -1,
				      dp_rows__id(rows, DP_CUPTI_STREAM));
	if (op.stream == DP_NONE)
		return dp_cupti__failed(cupti);
	op.bytes = dp_rows__bytes(rows, DP_CUPTI_BYTES);
	op.copy_kind = kind == UNIFIED_HTOD   ? DP_COPY_UM_HTOD
		       : kind == UNIFIED_DTOH ? DP_COPY_UM_DTOH
					      : DP_COPY_UM_DTOD;
	op.src_kind = op.dst_kind = DP_MEMORY_MANAGED;
	return dp_cupti__add_copy(cupti, &op);
}

/* Reads a CUpti_ActivityObjectKindId: pid in 4 bytes, tid in 8, little endian. */
static bool read_object(struct dp_rows *rows, size_t column, int64_t *pid, int64_t *tid)
{
	size_t length;
	const unsigned char *b = (const unsigned char *)dp_rows__text(rows, column, &length);
	uint64_t value = 0;

	if (!b || length < 4)
		return false;
	*pid = (int64_t)(b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24);
	for (size_t i = 0; i < 8 && i + 4 < length; i++)
		value |= (uint64_t)b[4 + i] << 8 * i;
	*tid = (int64_t)(value & 0xffffffff);
	return true;
}

enum {
	MARKER_FLAGS,
	MARKER_TIME,
	MARKER_ID,
	MARKER_OBJECT_KIND,
	MARKER_OBJECT,
	MARKER_NAME,
	MARKER_DOMAIN,
};

static int open_marker(struct nvprof *nvprof, struct dp_rows *rows, const struct dp_key *key,
		       int64_t time_ns)
{
	struct open_range *range;
	enum dp_range_kind kind;
	int64_t pid, tid;
	uint32_t thread = DP_NONE, name;

	if (dp_rows__id(rows, MARKER_OBJECT_KIND) == OBJECT_THREAD &&
	    read_object(rows, MARKER_OBJECT, &pid, &tid)) {
		thread = thread_of(&nvprof->cupti, pid, tid);
		if (thread == DP_NONE)
			return dp_cupti__failed(&nvprof->cupti);
	}
	name = dp_names__get(nvprof->cupti.names, dp_rows__id(rows, MARKER_NAME), false);
	name = dp_cupti__plain_name(&nvprof->cupti, name);
	if (name == DP_NONE)
		return dp_cupti__failed(&nvprof->cupti);
	if (dp_cupti__named_domain(&nvprof->cupti, dp_rows__id(rows, MARKER_DOMAIN), &kind))
		return dp_cupti__failed(&nvprof->cupti);
	if (nvprof->range_count >= DP_NONE ||
	    dp_array__reserve(&nvprof->ranges, &nvprof->range_room, nvprof->range_count + 1,
			      sizeof(*nvprof->ranges)) ||
	    dp_lookup__set(&nvprof->markers, key, (uint32_t)nvprof->range_count))
		return dp_cupti__nomem(&nvprof->cupti);
	range = &nvprof->ranges[nvprof->range_count++];
	range->start_ns = time_ns;
	range->name = name;
	range->thread = thread;
	range->kind = kind;
	range->open = true;
	return DP_OK;
}

static int close_marker(struct nvprof *nvprof, const struct dp_key *key, int64_t time_ns)
{
	uint32_t index = dp_lookup__get(&nvprof->markers, key);
	struct dp_range range = { .end_ns = time_ns };
	struct open_range *open = index == DP_NONE ? NULL : &nvprof->ranges[index];

	if (!open)
		return dp_builder__loss(nvprof->cupti.import->builder,
					"markers that end and never began", 1, 0);
	open->open = false;
	dp_lookup__remove(&nvprof->markers, key);
	range.start_ns = open->start_ns;
	range.name = open->name;
	range.thread = open->thread;
	range.kind = open->kind;
	/* The range opened last is mostly closed first: frees its place. */
	while (nvprof->range_count && !nvprof->ranges[nvprof->range_count - 1].open)
		nvprof->range_count--;
	return dp_builder__add_range(nvprof->cupti.import->builder, &range);
}

static int read_marker(struct dp_cupti *cupti, struct dp_rows *rows)
{
	int64_t flags = dp_rows__id(rows, MARKER_FLAGS), time_ns;
	struct dp_key key = { { dp_rows__id(rows, MARKER_ID) } };

	if (!(flags & (MARKER_IS_START | MARKER_IS_END)))
		return DP_OK;
	if (!dp_rows__time(rows, MARKER_TIME, &time_ns))
		return dp_rows__skip(rows, "no valid time");
	if (flags & MARKER_IS_START)
		return open_marker(nvprof_of(cupti), rows, &key, time_ns);
	return close_marker(nvprof_of(cupti), &key, time_ns);
}

static int lose_open_markers(struct nvprof *nvprof)
{
	uint64_t open = 0;

	for (size_t i = 0; i < nvprof->range_count; i++)
		open += nvprof->ranges[i].open;
	if (!open)
		return DP_OK;
	return dp_builder__loss(nvprof->cupti.import->builder, "NVTX ranges that never ended", open,
				0);
}

/* NAME has the command line as the process's name, and the names of threads. */
static int read_name(struct dp_cupti *cupti, struct dp_rows *rows)
{
	int64_t kind = dp_rows__id(rows, 0), pid, tid;
	uint32_t name, thread;

	if ((kind != OBJECT_PROCESS && kind != OBJECT_THREAD) || !read_object(rows, 1, &pid, &tid))
		return DP_OK;
	name = dp_names__get(cupti->names, dp_rows__id(rows, 2), false);
	if (name == DP_NONE)
		return dp_cupti__failed(cupti);
	if (kind == OBJECT_PROCESS && dp_places__find_process(&cupti->places, pid) != DP_NONE)
		dp_builder__name_process(cupti->import->builder,
					 dp_places__find_process(&cupti->places, pid), name, -1);
	thread = dp_places__find_thread(&cupti->places, pid, tid);
	if (kind == OBJECT_THREAD && thread != DP_NONE)
		dp_builder__name_thread(cupti->import->builder, thread, name);
	return DP_OK;
}

static int read_device(struct dp_cupti *cupti, struct dp_rows *rows)
{
	int64_t id = dp_rows__id(rows, 0);
	struct dp_gpu gpu = { dp_names__get(cupti->names, dp_rows__id(rows, 1), false), DP_NONE,
			      dp_rows__bytes(rows, 2) };

	if (gpu.name == DP_NONE)
		return dp_cupti__failed(cupti);
	if (dp_gpus__add(&cupti->gpus, id, id, &gpu))
		return dp_cupti__nomem(cupti);
	return DP_OK;
}

/* Kernels do not record their process; it is that of the first call, or else the named one. */
static int find_pid(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct nvprof *nvprof = nvprof_of(cupti);
	int64_t pid, tid;

	if (nvprof->pid >= 0)
		return 1;
	if (rows->count == 1)
		nvprof->pid = dp_rows__integer(rows, 0, 0, UINT32_MAX, -1);
	else if (dp_rows__id(rows, 0) == OBJECT_PROCESS && read_object(rows, 1, &pid, &tid))
		nvprof->pid = pid;
	return DP_OK;
}

static int read_version(struct dp_cupti *cupti, struct dp_rows *rows)
{
	nvprof_of(cupti)->version = dp_rows__id(rows, 0);
	dp_builder__detail(cupti->import->builder, "version %lld",
			   (long long)nvprof_of(cupti)->version);
	return 1;
}

/*
 * To collect metrics or events, nvprof runs each kernel alone, and again until it has all of them:
 * the gaps between kernels are its own. It keeps the time of one run.
 */
static int read_metric(struct dp_cupti *cupti, struct dp_rows *rows)
{
	return dp_builder__replayed(cupti->import->builder) ? dp_cupti__failed(cupti) : 1;
}

#define TABLE(name) "CUPTI_ACTIVITY_KIND_" name
#define TIMES [DP_CUPTI_START] = { "start", true }, [DP_CUPTI_END] = { "end", true }
#define QUEUE                                                                                   \
	[DP_CUPTI_CONTEXT] = { "contextId", false }, [DP_CUPTI_STREAM] = { "streamId", false }, \
	[DP_CUPTI_CORRELATION] = { "correlationId", false }
#define OPERATION TIMES, QUEUE, [DP_CUPTI_DEVICE] = { "deviceId", false }
#define KERNEL OPERATION, [DP_CUPTI_NAME] = { "name", false }
#define COPY                                                                                       \
	OPERATION, [DP_CUPTI_BYTES] = { "bytes", false }, [DP_CUPTI_KIND] = { "copyKind", false }, \
		   [DP_CUPTI_SOURCE] = { "srcKind", false },                                       \
		   [DP_CUPTI_TARGET] = { "dstKind", false }
#define CALL                                                                                     \
	TIMES, [DP_CUPTI_KIND] = { "cbid", false }, [DP_CUPTI_PROCESS] = { "processId", false }, \
	       [DP_CUPTI_THREAD] = { "threadId", false },                                        \
	       [DP_CUPTI_CORRELATION] = { "correlationId", false }

static const struct dp_cupti_table first_tables[] = {
	{ "Version", read_version, { { "version", true } } },
	{ TABLE("METRIC"), read_metric, { { "correlationId", false } } },
	{ TABLE("EVENT"), read_metric, { { "correlationId", false } } },
	{ TABLE("RUNTIME"), find_pid, { { "processId", true } } },
	{ TABLE("DRIVER"), find_pid, { { "processId", true } } },
	{ TABLE("NAME"), find_pid, { { "objectKind", true }, { "objectId", true } } },
	{ NULL },
};

/* Kernels launched by kernels (CDP) run on the GPU like any other. */
static const struct dp_cupti_table record_tables[] = {
	{ TABLE("KERNEL"), dp_cupti__read_kernel, { KERNEL } },
	{ TABLE("CONCURRENT_KERNEL"), dp_cupti__read_kernel, { KERNEL } },
	{ TABLE("CDP_KERNEL"), dp_cupti__read_kernel, { KERNEL } },
	{ TABLE("MEMCPY"), dp_cupti__read_copy, { COPY } },
	{ TABLE("MEMCPY2"), dp_cupti__read_copy, { COPY } },
	{ TABLE("MEMSET"),
	  dp_cupti__read_set,
	  { OPERATION, [DP_CUPTI_BYTES] = { "bytes", false },
	    [DP_CUPTI_TARGET] = { "memoryKind", false } } },
	{ TABLE("UNIFIED_MEMORY_COUNTER"),
	  read_unified,
	  { [DP_CUPTI_START] = { "start,timestamp", true },
	    [DP_CUPTI_END] = { "end", true },
	    [DP_CUPTI_KIND] = { "counterKind", true },
	    [DP_CUPTI_BYTES] = { "value", false },
	    [DP_CUPTI_SOURCE] = { "srcId", false },
	    [DP_CUPTI_TARGET] = { "dstId", false },
	    [DP_CUPTI_STREAM] = { "streamId", false } } },
	{ TABLE("RUNTIME"), read_runtime, { CALL } },
	{ TABLE("DRIVER"), read_driver, { CALL } },
	{ TABLE("SYNCHRONIZATION"),
	  dp_cupti__read_sync,
	  { TIMES, QUEUE, [DP_CUPTI_KIND] = { "type", false } } },
	{ TABLE("MARKER"),
	  read_marker,
	  { [MARKER_FLAGS] = { "flags", true },
	    [MARKER_TIME] = { "timestamp", true },
	    [MARKER_ID] = { "id", true },
	    [MARKER_OBJECT_KIND] = { "objectKind", false },
	    [MARKER_OBJECT] = { "objectId", false },
	    [MARKER_NAME] = { "name", true },
	    [MARKER_DOMAIN] = { "domain", false } } },
	{ NULL },
};

static const struct dp_cupti_table label_tables[] = {
	{ TABLE("NAME"),
	  read_name,
	  { { "objectKind", true }, { "objectId", true }, { "name", true } } },
	{ TABLE("DEVICE"),
	  read_device,
	  { { "id", true }, { "name", true }, { "globalMemorySize", false } } },
	{ NULL },
};

static int read_all(struct nvprof *nvprof)
{
	struct dp_cupti *cupti = &nvprof->cupti;
	int status;

	dp_cupti__expect(cupti, record_tables);
	dp_builder__epoch(cupti->import->builder, 0);
	status = dp_cupti__scan(cupti, first_tables);
	if (!status)
		status = dp_cupti__scan(cupti, record_tables);
	if (!status)
		status = lose_open_markers(nvprof);
	if (!status)
		status = dp_cupti__scan(cupti, label_tables);
	if (!status)
		dp_places__name_devices(&cupti->places, &cupti->gpus);
	return status;
}

static int nvprof_read(struct dp_import *import)
{
	static const struct dp_cupti_format format = {
		.names = "StringTable",
		.id = "_id_",
		.text = "value",
		.pid = pid_of_row,
		.thread = thread_of_row,
		.call_name = call_name,
	};
	struct nvprof nvprof = { .pid = -1 };
	int status = dp_cupti__open(&nvprof.cupti, import, &format);

	if (!status)
		status = read_all(&nvprof);
	status = dp_cupti__close(&nvprof.cupti, status);
	dp_lookup__fini(&nvprof.markers);
	free(nvprof.ranges);
	return status;
}

static int nvprof_probe(const struct dp_probe *probe)
{
	static const char *const tables[] = {
		"StringTable",
		"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL",
		"CUPTI_ACTIVITY_KIND_KERNEL",
		"CUPTI_ACTIVITY_KIND_RUNTIME",
		"CUPTI_ACTIVITY_KIND_DEVICE",
	};
	static const char *const own[] = { "StringTable" };
	int sure;

	sure = dp_database__probe(probe, own, 1);
	if (sure <= 0)
		return sure;
	sure = dp_database__probe(probe, tables, DP_COUNT(tables));
	return sure < 0 ? sure : sure > 1 ? 90 : 30;
}

const struct dp_importer dp_importer__nvprof_db = {
	.info = { "nvprof_db", "nvprof -o and Visual Profiler, SQLite database" },
	.database = true,
	.how_to_record = "nvprof --profile-child-processes -o %p.nvprof",
	.probe = nvprof_probe,
	.read = nvprof_read,
};
