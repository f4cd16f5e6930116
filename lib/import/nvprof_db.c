/*
 * The databases of nvprof -o and of the Visual Profiler (.nvvp), versions 8 to 18.
 *
 * They hold CUPTI's records of one process as they are: times are nanoseconds of the epoch, names
 * are mangled and lie in StringTable, API calls have CUPTI's callback ids instead of names, and
 * markers come as a start and an end under one id.
 */
#include "import/cbid.h"
#include "import/database.h"
#include "import/lookup.h"

#include <stdio.h>
#include <string.h>

/* CUpti_ActivityFlag, CUpti_ActivityObjectKind, CUpti_ActivityUnifiedMemoryCounterKind. */
enum { MARKER_IS_START = 1 << 1, MARKER_IS_END = 1 << 2 };
enum { OBJECT_PROCESS = 1, OBJECT_THREAD = 2 };
enum { UNIFIED_HTOD = 1, UNIFIED_DTOH = 2, UNIFIED_DTOD = 8 };

/* A marker whose end did not come yet. */
struct open_range {
	int64_t start_ns;
	uint32_t name;
	uint32_t thread;
	bool open;
};

struct nvprof {
	const struct dp_import *import;
	struct dp_database *database;
	struct dp_names *names;
	struct dp_places places;
	struct dp_gpus gpus;
	struct dp_lookup calls;	  /* domain, cbid: the name's string */
	struct dp_lookup markers; /* id: index of an open range */
	struct open_range *ranges;
	size_t range_count;
	size_t range_room;
	int64_t pid;		    /* of the one process, -1 until it is known */
	enum dp_cbid_domain domain; /* of the calls being read */
};

static int failed(const struct nvprof *nvprof)
{
	return nvprof->import->error->status;
}

static int nomem(const struct nvprof *nvprof)
{
	return dp_error__nomem(nvprof->import->error, 0);
}

/* The columns that all operations have. */
enum { START, END, DEVICE, CONTEXT, STREAM, CORRELATION, OP_COLUMNS };

#define OP_COLUMN_NAMES                                                                         \
	[START] = { "start", true }, [END] = { "end", true }, [DEVICE] = { "deviceId", false }, \
	[CONTEXT] = { "contextId", false }, [STREAM] = { "streamId", false },                   \
	[CORRELATION] = { "correlationId", false }

/* 1, 0 where the row cannot be used, or a status. */
static int read_common(struct nvprof *nvprof, struct dp_rows *rows, struct dp_op *op)
{
	memset(op, 0, sizeof(*op));
	if (!dp_rows__time(rows, START, &op->start_ns) || !dp_rows__time(rows, END, &op->end_ns)) {
		dp_rows__skip(rows, "no valid time");
		return 0;
	}
	/* CUPTI's way to say that it has no times (cupti_activity.h, CUpti_ActivityKernel). */
	if (!op->start_ns && !op->end_ns) {
		dp_rows__skip(rows, "its times were not collected");
		return 0;
	}
	op->correlation = dp_rows__correlation(rows, CORRELATION);
	op->stream = dp_places__stream(&nvprof->places, nvprof->pid, dp_rows__id(rows, DEVICE),
				       dp_rows__id(rows, CONTEXT), dp_rows__id(rows, STREAM));
	return op->stream == DP_NONE ? failed(nvprof) : 1;
}

enum { KERNEL_NAME = OP_COLUMNS, KERNEL_COLUMNS };

static int read_kernel(struct nvprof *nvprof, struct dp_rows *rows)
{
	struct dp_op op;
	int status = read_common(nvprof, rows, &op);

	if (status != 1)
		return status;
	op.kind = DP_OP_KERNEL;
	op.name = dp_names__get(nvprof->names, dp_rows__id(rows, KERNEL_NAME), true);
	if (op.name == DP_NONE)
		return failed(nvprof);
	return dp_builder__op(nvprof->import->builder, &op);
}

static enum dp_memory_kind memory_kind(struct dp_rows *rows, size_t column)
{
	return (enum dp_memory_kind)dp_rows__integer(rows, column, 0, DP_MEMORY_MANAGED_STATIC,
						     DP_MEMORY_UNKNOWN);
}

enum { COPY_BYTES = OP_COLUMNS, COPY_KIND, COPY_SRC, COPY_DST, COPY_COLUMNS };

static int push_copy(struct nvprof *nvprof, struct dp_op *op)
{
	op->kind = DP_OP_COPY;
	op->name = dp_builder__copy_name(nvprof->import->builder, op->copy_kind);
	if (op->name == DP_NONE)
		return failed(nvprof);
	return dp_builder__op(nvprof->import->builder, op);
}

static int read_copy(struct nvprof *nvprof, struct dp_rows *rows)
{
	struct dp_op op;
	int status = read_common(nvprof, rows, &op);

	if (status != 1)
		return status;
	op.bytes = dp_rows__bytes(rows, COPY_BYTES);
	op.copy_kind = (enum dp_copy_kind)dp_rows__integer(rows, COPY_KIND, 0, DP_COPY_UM_DTOD,
							   DP_COPY_UNKNOWN);
	op.src_kind = memory_kind(rows, COPY_SRC);
	op.dst_kind = memory_kind(rows, COPY_DST);
	return push_copy(nvprof, &op);
}

enum { SET_BYTES = OP_COLUMNS, SET_KIND, SET_COLUMNS };

static int read_set(struct nvprof *nvprof, struct dp_rows *rows)
{
	struct dp_op op;
	int status = read_common(nvprof, rows, &op);

	if (status != 1)
		return status;
	op.kind = DP_OP_SET;
	op.bytes = dp_rows__bytes(rows, SET_BYTES);
	op.dst_kind = memory_kind(rows, SET_KIND);
	op.name = dp_builder__set_name(nvprof->import->builder);
	if (op.name == DP_NONE)
		return failed(nvprof);
	return dp_builder__op(nvprof->import->builder, &op);
}

enum {
	UNIFIED_START,
	UNIFIED_END,
	UNIFIED_KIND,
	UNIFIED_VALUE,
	UNIFIED_SRC,
	UNIFIED_DST,
	UNIFIED_STREAM,
	UNIFIED_COLUMNS
};

/* Page migrations are copies; the other counters (faults, thrashing) are no operations. */
static int read_unified(struct nvprof *nvprof, struct dp_rows *rows)
{
	int64_t kind = dp_rows__id(rows, UNIFIED_KIND), device;
	struct dp_op op = { 0 };

	if (kind != UNIFIED_HTOD && kind != UNIFIED_DTOH && kind != UNIFIED_DTOD)
		return DP_OK;
	if (!dp_rows__time(rows, UNIFIED_START, &op.start_ns) ||
	    !dp_rows__time(rows, UNIFIED_END, &op.end_ns))
		return dp_rows__skip(rows, "no valid time");
	device = dp_rows__id(rows, kind == UNIFIED_DTOH ? UNIFIED_SRC : UNIFIED_DST);
	op.stream = dp_places__stream(&nvprof->places, nvprof->pid, device, -1,
				      dp_rows__id(rows, UNIFIED_STREAM));
	if (op.stream == DP_NONE)
		return failed(nvprof);
	op.bytes = dp_rows__bytes(rows, UNIFIED_VALUE);
	op.copy_kind = kind == UNIFIED_HTOD   ? DP_COPY_UM_HTOD
		       : kind == UNIFIED_DTOH ? DP_COPY_UM_DTOH
					      : DP_COPY_UM_DTOD;
	op.src_kind = op.dst_kind = DP_MEMORY_MANAGED;
	return push_copy(nvprof, &op);
}

enum { CALL_START, CALL_END, CALL_CBID, CALL_PID, CALL_TID, CALL_CORRELATION, CALL_COLUMNS };

static uint32_t call_name(struct nvprof *nvprof, int64_t cbid)
{
	struct dp_key key = { { nvprof->domain, cbid } };
	uint32_t string = dp_lookup__get(&nvprof->calls, &key);
	const char *name;
	char buf[48];

	if (string != DP_NONE)
		return string;
	name = dp_cbid__name(nvprof->domain, cbid, buf, sizeof(buf));
	string = dp_builder__string(nvprof->import->builder, name, strlen(name));
	if (string != DP_NONE && dp_lookup__set(&nvprof->calls, &key, string)) {
		nomem(nvprof);
		return DP_NONE;
	}
	return string;
}

/* threadId is the low half of a pthread_t; markers have all of it. */
static uint32_t thread_of(struct nvprof *nvprof, int64_t pid, int64_t tid)
{
	return dp_places__thread(&nvprof->places, pid, tid & INT64_C(0xffffffff));
}

static int read_call(struct nvprof *nvprof, struct dp_rows *rows)
{
	struct dp_call call = { 0 };

	if (!dp_rows__time(rows, CALL_START, &call.start_ns) ||
	    !dp_rows__time(rows, CALL_END, &call.end_ns))
		return dp_rows__skip(rows, "no valid time");
	call.correlation = dp_rows__correlation(rows, CALL_CORRELATION);
	call.thread = thread_of(nvprof, dp_rows__id(rows, CALL_PID), dp_rows__id(rows, CALL_TID));
	if (call.thread == DP_NONE)
		return failed(nvprof);
	call.name = call_name(nvprof, dp_rows__id(rows, CALL_CBID));
	if (call.name == DP_NONE)
		return failed(nvprof);
	return dp_builder__add_call(nvprof->import->builder, &call);
}

enum { SYNC_START, SYNC_END, SYNC_TYPE, SYNC_CONTEXT, SYNC_STREAM, SYNC_CORRELATION, SYNC_COLUMNS };

static int read_sync(struct nvprof *nvprof, struct dp_rows *rows)
{
	struct dp_sync sync = { 0 };

	if (!dp_rows__time(rows, SYNC_START, &sync.start_ns) ||
	    !dp_rows__time(rows, SYNC_END, &sync.end_ns))
		return dp_rows__skip(rows, "no valid time");
	sync.correlation = dp_rows__correlation(rows, SYNC_CORRELATION);
	sync.kind = (enum dp_sync_kind)dp_rows__integer(rows, SYNC_TYPE, 0, DP_SYNC_CONTEXT,
							DP_SYNC_UNKNOWN);
	sync.stream =
		dp_places__find_queue(&nvprof->places, nvprof->pid, dp_rows__id(rows, SYNC_CONTEXT),
				      dp_rows__id(rows, SYNC_STREAM));
	return dp_builder__add_sync(nvprof->import->builder, &sync);
}

/* CUpti_ActivityObjectKindId as nvprof stores it: pid in 4 bytes, tid in 8, little endian. */
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
	MARKER_COLUMNS
};

static int open_marker(struct nvprof *nvprof, struct dp_rows *rows, const struct dp_key *key,
		       int64_t time_ns)
{
	struct open_range *range;
	int64_t pid, tid;
	uint32_t thread = DP_NONE, name;

	if (dp_rows__id(rows, MARKER_OBJECT_KIND) == OBJECT_THREAD &&
	    read_object(rows, MARKER_OBJECT, &pid, &tid)) {
		thread = thread_of(nvprof, pid, tid);
		if (thread == DP_NONE)
			return failed(nvprof);
	}
	name = dp_names__get(nvprof->names, dp_rows__id(rows, MARKER_NAME), false);
	if (name == DP_NONE)
		return failed(nvprof);
	if (nvprof->range_count >= DP_NONE ||
	    dp_array__reserve(&nvprof->ranges, &nvprof->range_room, nvprof->range_count + 1,
			      sizeof(*nvprof->ranges)) ||
	    dp_lookup__set(&nvprof->markers, key, (uint32_t)nvprof->range_count))
		return nomem(nvprof);
	range = &nvprof->ranges[nvprof->range_count++];
	range->start_ns = time_ns;
	range->name = name;
	range->thread = thread;
	range->open = true;
	return DP_OK;
}

static int close_marker(struct nvprof *nvprof, const struct dp_key *key, int64_t time_ns)
{
	uint32_t index = dp_lookup__get(&nvprof->markers, key);
	struct dp_range range = { .kind = DP_RANGE_NVTX, .end_ns = time_ns };
	struct open_range *open = index == DP_NONE ? NULL : &nvprof->ranges[index];

	if (!open)
		return dp_builder__loss(nvprof->import->builder, "markers that end and never began",
					1, 0);
	open->open = false;
	dp_lookup__remove(&nvprof->markers, key);
	range.start_ns = open->start_ns;
	range.name = open->name;
	range.thread = open->thread;
	/* The last one opened is mostly the first one closed: its place is free again. */
	while (nvprof->range_count && !nvprof->ranges[nvprof->range_count - 1].open)
		nvprof->range_count--;
	return dp_builder__add_range(nvprof->import->builder, &range);
}

static int read_marker(struct nvprof *nvprof, struct dp_rows *rows)
{
	int64_t flags = dp_rows__id(rows, MARKER_FLAGS), time_ns;
	struct dp_key key = { { dp_rows__id(rows, MARKER_ID) } };

	if (!(flags & (MARKER_IS_START | MARKER_IS_END)))
		return DP_OK;
	if (!dp_rows__time(rows, MARKER_TIME, &time_ns))
		return dp_rows__skip(rows, "no valid time");
	if (flags & MARKER_IS_START)
		return open_marker(nvprof, rows, &key, time_ns);
	return close_marker(nvprof, &key, time_ns);
}

static int lose_open_markers(struct nvprof *nvprof)
{
	uint64_t open = 0;

	for (size_t i = 0; i < nvprof->range_count; i++)
		open += nvprof->ranges[i].open;
	if (!open)
		return DP_OK;
	return dp_builder__loss(nvprof->import->builder, "NVTX ranges that never ended", open, 0);
}

/* NAME has the command line as the process's name, and threads' names. */
static int read_name(struct nvprof *nvprof, struct dp_rows *rows)
{
	int64_t kind = dp_rows__id(rows, 0), pid, tid;
	uint32_t name, thread;

	if ((kind != OBJECT_PROCESS && kind != OBJECT_THREAD) || !read_object(rows, 1, &pid, &tid))
		return DP_OK;
	name = dp_names__get(nvprof->names, dp_rows__id(rows, 2), false);
	if (name == DP_NONE)
		return failed(nvprof);
	if (kind == OBJECT_PROCESS && dp_places__find_process(&nvprof->places, pid) != DP_NONE)
		dp_builder__name_process(nvprof->import->builder,
					 dp_places__find_process(&nvprof->places, pid), name, -1);
	thread = dp_places__find_thread(&nvprof->places, pid, tid);
	if (kind == OBJECT_THREAD && thread != DP_NONE)
		dp_builder__name_thread(nvprof->import->builder, thread, name);
	return DP_OK;
}

static int read_device(struct nvprof *nvprof, struct dp_rows *rows)
{
	int64_t id = dp_rows__id(rows, 0);
	struct dp_gpu gpu = { dp_names__get(nvprof->names, dp_rows__id(rows, 1), false), DP_NONE,
			      dp_rows__bytes(rows, 2) };

	if (gpu.name == DP_NONE)
		return failed(nvprof);
	if (dp_gpus__add(&nvprof->gpus, id, id, &gpu))
		return nomem(nvprof);
	return DP_OK;
}

/* Kernels do not tell their process; the first call's is theirs, or else the named one. */
static int find_pid(struct nvprof *nvprof, struct dp_rows *rows)
{
	int64_t pid, tid;

	if (nvprof->pid >= 0)
		return 1;
	if (rows->count == 1)
		nvprof->pid = dp_rows__integer(rows, 0, 0, UINT32_MAX, -1);
	else if (dp_rows__id(rows, 0) == OBJECT_PROCESS && read_object(rows, 1, &pid, &tid))
		nvprof->pid = pid;
	return DP_OK;
}

/* Scans one table; read returns 0, 1 to end the scan, or a status. */
static int scan(struct nvprof *nvprof, const char *table, const struct dp_column *columns,
		size_t count, int (*read)(struct nvprof *nvprof, struct dp_rows *rows))
{
	struct dp_rows rows;
	char name[80];
	int status, done = 0;

	snprintf(name, sizeof(name), "CUPTI_ACTIVITY_KIND_%s", table);
	status = dp_rows__open(&rows, nvprof->database, dp_database__table(nvprof->database, name),
			       columns, count);
	while (!done && status == 1 && (status = dp_rows__next(&rows)) == 1)
		done = read(nvprof, &rows);
	dp_rows__close(&rows);
	if (done < 0)
		return failed(nvprof);
	return status == 1 ? DP_OK : status;
}

static int scan_pid(struct nvprof *nvprof)
{
	static const struct dp_column call[] = { { "processId", true } };
	static const struct dp_column name[] = { { "objectKind", true }, { "objectId", true } };
	int status = scan(nvprof, "RUNTIME", call, DP_COUNT(call), find_pid);

	if (!status)
		status = scan(nvprof, "DRIVER", call, DP_COUNT(call), find_pid);
	if (!status)
		status = scan(nvprof, "NAME", name, DP_COUNT(name), find_pid);
	return status;
}

static int scan_copies(struct nvprof *nvprof)
{
	static const struct dp_column copy[COPY_COLUMNS] = {
		OP_COLUMN_NAMES,
		[COPY_BYTES] = { "bytes", false },
		[COPY_KIND] = { "copyKind", false },
		[COPY_SRC] = { "srcKind", false },
		[COPY_DST] = { "dstKind", false },
	};
	static const struct dp_column set[SET_COLUMNS] = {
		OP_COLUMN_NAMES,
		[SET_BYTES] = { "bytes", false },
		[SET_KIND] = { "memoryKind", false },
	};
	static const struct dp_column unified[UNIFIED_COLUMNS] = {
		[UNIFIED_START] = { "start,timestamp", true },
		[UNIFIED_END] = { "end", true },
		[UNIFIED_KIND] = { "counterKind", true },
		[UNIFIED_VALUE] = { "value", false },
		[UNIFIED_SRC] = { "srcId", false },
		[UNIFIED_DST] = { "dstId", false },
		[UNIFIED_STREAM] = { "streamId", false },
	};
	int status = scan(nvprof, "MEMCPY", copy, COPY_COLUMNS, read_copy);

	if (!status)
		status = scan(nvprof, "MEMCPY2", copy, COPY_COLUMNS, read_copy);
	if (!status)
		status = scan(nvprof, "MEMSET", set, SET_COLUMNS, read_set);
	if (!status)
		status = scan(nvprof, "UNIFIED_MEMORY_COUNTER", unified, UNIFIED_COLUMNS,
			      read_unified);
	return status;
}

/* Kernels that kernels launched (CDP) run on the GPU as any other. */
static int scan_operations(struct nvprof *nvprof)
{
	static const char *const tables[] = { "KERNEL", "CONCURRENT_KERNEL", "CDP_KERNEL" };
	static const struct dp_column kernel[KERNEL_COLUMNS] = {
		OP_COLUMN_NAMES,
		[KERNEL_NAME] = { "name", false },
	};
	int status = DP_OK;

	for (size_t i = 0; !status && i < DP_COUNT(tables); i++)
		status = scan(nvprof, tables[i], kernel, KERNEL_COLUMNS, read_kernel);
	return status ? status : scan_copies(nvprof);
}

static int scan_host(struct nvprof *nvprof)
{
	static const struct dp_column call[CALL_COLUMNS] = {
		[CALL_START] = { "start", true },   [CALL_END] = { "end", true },
		[CALL_CBID] = { "cbid", false },    [CALL_PID] = { "processId", false },
		[CALL_TID] = { "threadId", false }, [CALL_CORRELATION] = { "correlationId", false },
	};
	static const struct dp_column sync[SYNC_COLUMNS] = {
		[SYNC_START] = { "start", true },
		[SYNC_END] = { "end", true },
		[SYNC_TYPE] = { "type", false },
		[SYNC_CONTEXT] = { "contextId", false },
		[SYNC_STREAM] = { "streamId", false },
		[SYNC_CORRELATION] = { "correlationId", false },
	};
	static const struct dp_column marker[MARKER_COLUMNS] = {
		[MARKER_FLAGS] = { "flags", true },
		[MARKER_TIME] = { "timestamp", true },
		[MARKER_ID] = { "id", true },
		[MARKER_OBJECT_KIND] = { "objectKind", false },
		[MARKER_OBJECT] = { "objectId", false },
		[MARKER_NAME] = { "name", true },
	};
	int status;

	nvprof->domain = DP_CBID_RUNTIME;
	status = scan(nvprof, "RUNTIME", call, CALL_COLUMNS, read_call);
	nvprof->domain = DP_CBID_DRIVER;
	if (!status)
		status = scan(nvprof, "DRIVER", call, CALL_COLUMNS, read_call);
	if (!status)
		status = scan(nvprof, "SYNCHRONIZATION", sync, SYNC_COLUMNS, read_sync);
	if (!status)
		status = scan(nvprof, "MARKER", marker, MARKER_COLUMNS, read_marker);
	return status ? status : lose_open_markers(nvprof);
}

static int scan_labels(struct nvprof *nvprof)
{
	static const struct dp_column name[] = {
		{ "objectKind", true },
		{ "objectId", true },
		{ "name", true },
	};
	static const struct dp_column device[] = {
		{ "id", true },
		{ "name", true },
		{ "globalMemorySize", false },
	};
	int status = scan(nvprof, "NAME", name, DP_COUNT(name), read_name);

	if (!status)
		status = scan(nvprof, "DEVICE", device, DP_COUNT(device), read_device);
	if (!status)
		dp_places__name_devices(&nvprof->places, &nvprof->gpus);
	return status;
}

static int read_version(struct nvprof *nvprof)
{
	static const struct dp_column version[] = { { "version", true } };
	struct dp_rows rows;
	int status = dp_rows__open(&rows, nvprof->database,
				   dp_database__table(nvprof->database, "Version"), version, 1);

	if (status == 1)
		status = dp_rows__next(&rows);
	if (status == 1)
		dp_builder__detail(nvprof->import->builder, "version %lld",
				   (long long)dp_rows__id(&rows, 0));
	dp_rows__close(&rows);
	return status < 0 ? status : DP_OK;
}

static int read_all(struct nvprof *nvprof)
{
	static const char *const big[] = {
		"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL",
		"CUPTI_ACTIVITY_KIND_KERNEL",
		"CUPTI_ACTIVITY_KIND_MEMCPY",
		"CUPTI_ACTIVITY_KIND_MEMSET",
		"CUPTI_ACTIVITY_KIND_RUNTIME",
		"CUPTI_ACTIVITY_KIND_DRIVER",
		"CUPTI_ACTIVITY_KIND_MARKER",
	};
	int status;

	for (size_t i = 0; i < DP_COUNT(big); i++)
		dp_database__expect(nvprof->database, dp_database__table(nvprof->database, big[i]));
	dp_builder__epoch(nvprof->import->builder, 0);
	status = read_version(nvprof);
	if (!status)
		status = scan_pid(nvprof);
	if (!status)
		status = scan_operations(nvprof);
	if (!status)
		status = scan_host(nvprof);
	if (!status)
		status = scan_labels(nvprof);
	return status;
}

static int nvprof_read(struct dp_import *import)
{
	struct nvprof nvprof = { .import = import, .pid = -1 };
	int status;

	dp_places__init(&nvprof.places, import->builder, import->error);
	status = dp_database__open(&nvprof.database, import);
	if (!status)
		status = dp_names__new(&nvprof.names, nvprof.database,
				       dp_database__table(nvprof.database, "StringTable"), "_id_",
				       "value");
	if (!status)
		status = read_all(&nvprof);
	dp_names__free(nvprof.names);
	if (!status)
		status = dp_database__finish(nvprof.database);
	dp_places__fini(&nvprof.places);
	dp_gpus__fini(&nvprof.gpus);
	dp_lookup__fini(&nvprof.calls);
	dp_lookup__fini(&nvprof.markers);
	free(nvprof.ranges);
	dp_database__close(nvprof.database);
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
