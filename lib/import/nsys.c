/*
 * NVIDIA Nsight Systems' SQLite export (nsys export --type sqlite), schemas 2.x and 3.x.
 *
 * Times are nanoseconds from the session's start. Tables are there only where they have rows. A
 * process and a thread are parts of a "serialized global id": 24 bits of pid above 24 bits of tid.
 *
 * CUDA graphs: traced as graphs, a replay is a row of GRAPH_TRACE and becomes one operation; traced
 * by node, its kernels, copies and sets are rows of their own with a graphNodeId. Reports can
 * hold both (merged ones, and a change of mode): a replay whose launch has operations with a
 * graphNodeId under the same process and correlation id is left out, since they are its parts.
 */
#include "import/database.h"
#include "import/lookup.h"
#include "import/nsys_diagnostics.h"

#include <stdio.h>
#include <string.h>

enum nvtx_type {
	NVTX_PUSH_POP = 59,
	NVTX_START_END = 60,
	NVTXT_PUSH_POP = 70, /* of the text protocol */
	NVTXT_START_END = 71,
};

struct nsys {
	const struct dp_import *import;
	struct dp_database *database;
	struct dp_names *names;
	struct dp_places places;
	struct dp_gpus gpus;
	struct dp_lookup expanded; /* pid, correlation: a graph launch whose nodes were traced */
	int64_t default_pid;	   /* of operations whose row does not tell */
	bool has_graphs;
};

/* Columns that all operations have. */
enum { START, END, DEVICE, CONTEXT, STREAM, CORRELATION, PID, NODE, OP_COLUMNS };

#define OP_COLUMN_NAMES                                                                         \
	[START] = { "start", true }, [END] = { "end", true }, [DEVICE] = { "deviceId", false }, \
	[CONTEXT] = { "contextId", false }, [STREAM] = { "streamId", false },                   \
	[CORRELATION] = { "correlationId", false }, [PID] = { "globalPid", false }

static const char *const table_names[] = {
	"CUPTI_ACTIVITY_KIND_KERNEL",
	"CUPTI_ACTIVITY_KIND_MEMCPY",
	"CUPTI_ACTIVITY_KIND_MEMCPY2",
	"CUPTI_ACTIVITY_KIND_MEMSET",
	"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
	"CUPTI_ACTIVITY_KIND_RUNTIME",
	"CUPTI_ACTIVITY_KIND_DRIVER",
	"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
	"NVTX_EVENTS",
};

static int64_t pid_of(int64_t global_id)
{
	return global_id == -1 ? -1 : (int64_t)((uint64_t)global_id >> 24 & 0xffffff);
}

static int64_t tid_of(int64_t global_id)
{
	return global_id == -1 ? -1 : (int64_t)((uint64_t)global_id & 0xffffff);
}

/* nsys counts kinds of memory from 0, and unknown is 7; CUPTI counts from 1, and unknown is 0. */
static enum dp_memory_kind memory_kind(struct dp_rows *rows, size_t column)
{
	int64_t kind = dp_rows__integer(rows, column, 0, 7, 7);

	return kind == 7 ? DP_MEMORY_UNKNOWN : (enum dp_memory_kind)(kind + 1);
}

static int failed(const struct nsys *nsys)
{
	return nsys->import->error->status;
}

/* Remembers the launch of an operation that is a graph's node. */
static int note_node(struct nsys *nsys, struct dp_rows *rows, int64_t pid, uint32_t correlation)
{
	struct dp_key key = { { pid, correlation } };

	if (!nsys->has_graphs || dp_rows__is_null(rows, NODE) || dp_rows__id(rows, NODE) == 0)
		return DP_OK;
	if (dp_lookup__set(&nsys->expanded, &key, 1))
		return dp_error__nomem(nsys->import->error, 0);
	return DP_OK;
}

static int64_t pid_of_op(const struct nsys *nsys, struct dp_rows *rows)
{
	int64_t id = dp_rows__id(rows, PID);

	return id == -1 ? nsys->default_pid : pid_of(id);
}

/* What all operations have: 1, 0 where the row cannot be used, or a status. */
static int read_common(struct nsys *nsys, struct dp_rows *rows, struct dp_op *op)
{
	int64_t pid = pid_of_op(nsys, rows);

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
	op->stream = dp_places__stream(&nsys->places, pid, dp_rows__id(rows, DEVICE),
				       dp_rows__id(rows, CONTEXT), dp_rows__id(rows, STREAM));
	if (op->stream == DP_NONE)
		return failed(nsys);
	if (note_node(nsys, rows, pid, op->correlation))
		return failed(nsys);
	return 1;
}

enum { KERNEL_NAME = OP_COLUMNS, KERNEL_COLUMNS };

static int read_kernel(struct nsys *nsys, struct dp_rows *rows)
{
	struct dp_op op;
	int status = read_common(nsys, rows, &op);

	if (status != 1)
		return status;
	op.kind = DP_OP_KERNEL;
	op.name = dp_names__get(nsys->names, dp_rows__id(rows, KERNEL_NAME), true);
	if (op.name == DP_NONE)
		return failed(nsys);
	return dp_builder__op(nsys->import->builder, &op);
}

enum { COPY_BYTES = OP_COLUMNS, COPY_KIND, COPY_SRC, COPY_DST, COPY_COLUMNS };

static int read_copy(struct nsys *nsys, struct dp_rows *rows)
{
	struct dp_op op;
	int status = read_common(nsys, rows, &op);

	if (status != 1)
		return status;
	op.kind = DP_OP_COPY;
	op.bytes = dp_rows__bytes(rows, COPY_BYTES);
	op.copy_kind = (enum dp_copy_kind)dp_rows__integer(rows, COPY_KIND, 0, DP_COPY_UM_DTOD,
							   DP_COPY_UNKNOWN);
	op.src_kind = memory_kind(rows, COPY_SRC);
	op.dst_kind = memory_kind(rows, COPY_DST);
	op.name = dp_builder__copy_name(nsys->import->builder, op.copy_kind);
	if (op.name == DP_NONE)
		return failed(nsys);
	return dp_builder__op(nsys->import->builder, &op);
}

enum { SET_BYTES = OP_COLUMNS, SET_KIND, SET_COLUMNS };

static int read_set(struct nsys *nsys, struct dp_rows *rows)
{
	struct dp_op op;
	int status = read_common(nsys, rows, &op);

	if (status != 1)
		return status;
	op.kind = DP_OP_SET;
	op.bytes = dp_rows__bytes(rows, SET_BYTES);
	op.dst_kind = memory_kind(rows, SET_KIND);
	op.name = dp_builder__set_name(nsys->import->builder);
	if (op.name == DP_NONE)
		return failed(nsys);
	return dp_builder__op(nsys->import->builder, &op);
}

enum { GRAPH_ID = OP_COLUMNS, GRAPH_COLUMNS };

static int read_graph(struct nsys *nsys, struct dp_rows *rows)
{
	struct dp_key key = { { pid_of_op(nsys, rows), dp_rows__correlation(rows, CORRELATION) } };
	struct dp_op op;
	char name[40];
	int status, n;

	if (key.part[1] && dp_lookup__get(&nsys->expanded, &key) != DP_NONE)
		return DP_OK;
	status = read_common(nsys, rows, &op);
	if (status != 1)
		return status;
	op.kind = DP_OP_GRAPH;
	n = snprintf(name, sizeof(name), "graph %lld", (long long)dp_rows__id(rows, GRAPH_ID));
	op.name = dp_builder__string(nsys->import->builder, name, (size_t)n);
	if (op.name == DP_NONE)
		return failed(nsys);
	return dp_builder__op(nsys->import->builder, &op);
}

enum { CALL_START, CALL_END, CALL_TID, CALL_CORRELATION, CALL_NAME, CALL_COLUMNS };

/* The thread of a global id; *thread is DP_NONE where the row has none. */
static int read_thread(struct nsys *nsys, struct dp_rows *rows, size_t column, uint32_t *thread)
{
	int64_t id = dp_rows__id(rows, column);

	*thread = DP_NONE;
	if (id == -1)
		return DP_OK;
	*thread = dp_places__thread(&nsys->places, pid_of(id), tid_of(id));
	return *thread == DP_NONE ? failed(nsys) : DP_OK;
}

static int read_call(struct nsys *nsys, struct dp_rows *rows)
{
	struct dp_call call = { 0 };

	if (!dp_rows__time(rows, CALL_START, &call.start_ns) ||
	    !dp_rows__time(rows, CALL_END, &call.end_ns))
		return dp_rows__skip(rows, "no valid time");
	if (read_thread(nsys, rows, CALL_TID, &call.thread))
		return failed(nsys);
	call.correlation = dp_rows__correlation(rows, CALL_CORRELATION);
	call.name = dp_names__get_call(nsys->names, dp_rows__id(rows, CALL_NAME));
	if (call.name == DP_NONE)
		return failed(nsys);
	return dp_builder__add_call(nsys->import->builder, &call);
}

enum {
	SYNC_START,
	SYNC_END,
	SYNC_PID,
	SYNC_CONTEXT,
	SYNC_STREAM,
	SYNC_CORRELATION,
	SYNC_TYPE,
	SYNC_COLUMNS
};

/* Their device is not always right: the stream is found by process, context and number. */
static int read_sync(struct nsys *nsys, struct dp_rows *rows)
{
	struct dp_sync sync = { 0 };

	if (!dp_rows__time(rows, SYNC_START, &sync.start_ns) ||
	    !dp_rows__time(rows, SYNC_END, &sync.end_ns))
		return dp_rows__skip(rows, "no valid time");
	sync.correlation = dp_rows__correlation(rows, SYNC_CORRELATION);
	sync.kind = (enum dp_sync_kind)dp_rows__integer(rows, SYNC_TYPE, 0, DP_SYNC_CONTEXT,
							DP_SYNC_UNKNOWN);
	sync.stream = dp_places__find_queue(&nsys->places, pid_of(dp_rows__id(rows, SYNC_PID)),
					    dp_rows__id(rows, SYNC_CONTEXT),
					    dp_rows__id(rows, SYNC_STREAM));
	return dp_builder__add_sync(nsys->import->builder, &sync);
}

enum { NVTX_START, NVTX_END, NVTX_TYPE, NVTX_TEXT, NVTX_TEXT_ID, NVTX_TID, NVTX_COLUMNS };

static bool is_range(int64_t type)
{
	return type == NVTX_PUSH_POP || type == NVTX_START_END || type == NVTXT_PUSH_POP ||
	       type == NVTXT_START_END;
}

static uint32_t range_name(struct nsys *nsys, struct dp_rows *rows)
{
	size_t length;
	const char *text = dp_rows__text(rows, NVTX_TEXT, &length);

	if (!text && !dp_rows__is_null(rows, NVTX_TEXT_ID))
		return dp_names__get(nsys->names, dp_rows__id(rows, NVTX_TEXT_ID), false);
	return dp_builder__string(nsys->import->builder, text ? text : "", length);
}

static int read_range(struct nsys *nsys, struct dp_rows *rows)
{
	struct dp_range range = { .kind = DP_RANGE_NVTX };

	if (!is_range(dp_rows__id(rows, NVTX_TYPE)))
		return DP_OK;
	if (dp_rows__is_null(rows, NVTX_END))
		return dp_builder__loss(nsys->import->builder, "NVTX ranges that never ended", 1,
					0);
	if (!dp_rows__time(rows, NVTX_START, &range.start_ns) ||
	    !dp_rows__time(rows, NVTX_END, &range.end_ns))
		return dp_rows__skip(rows, "no valid time");
	if (read_thread(nsys, rows, NVTX_TID, &range.thread))
		return failed(nsys);
	range.name = range_name(nsys, rows);
	if (range.name == DP_NONE)
		return failed(nsys);
	return dp_builder__add_range(nsys->import->builder, &range);
}

/* Scans one table; read returns 0 or a status. */
static int scan(struct nsys *nsys, const char *table, const struct dp_column *columns, size_t count,
		int (*read)(struct nsys *nsys, struct dp_rows *rows))
{
	struct dp_rows rows;
	int status = dp_rows__open(&rows, nsys->database, table, columns, count);

	while (status == 1 && (status = dp_rows__next(&rows)) == 1) {
		if (read(nsys, &rows) < 0) {
			status = failed(nsys);
			break;
		}
	}
	dp_rows__close(&rows);
	return status;
}

/* Calls scan() for a table and its later forms (_V2, _V3, …), of which several may be there. */
static int scan_all(struct nsys *nsys, const char *base, const struct dp_column *columns,
		    size_t count, int (*read)(struct nsys *nsys, struct dp_rows *rows))
{
	char name[64];
	int status = scan(nsys, dp_database__table(nsys->database, base), columns, count, read);

	for (int version = 2; status == 0 && version <= 9; version++) {
		snprintf(name, sizeof(name), "%s_V%d", base, version);
		status = scan(nsys, dp_database__table(nsys->database, name), columns, count, read);
	}
	return status;
}

/* graphNodeId lies far back in a row: it is read only where there are replays to tell apart. */
static int scan_operations(struct nsys *nsys)
{
	const struct dp_column node = { nsys->has_graphs ? "graphNodeId" : "", false };
	const struct dp_column kernel[KERNEL_COLUMNS] = {
		OP_COLUMN_NAMES,
		[NODE] = node,
		[KERNEL_NAME] = { "demangledName,shortName,mangledName", false },
	};
	const struct dp_column copy[COPY_COLUMNS] = {
		OP_COLUMN_NAMES,
		[NODE] = node,
		[COPY_BYTES] = { "bytes", false },
		[COPY_KIND] = { "copyKind", false },
		[COPY_SRC] = { "srcKind", false },
		[COPY_DST] = { "dstKind", false },
	};
	const struct dp_column set[SET_COLUMNS] = {
		OP_COLUMN_NAMES,
		[NODE] = node,
		[SET_BYTES] = { "bytes", false },
		[SET_KIND] = { "memKind", false },
	};
	static const struct dp_column graph[GRAPH_COLUMNS] = {
		OP_COLUMN_NAMES,
		[NODE] = { "", false },
		[GRAPH_ID] = { "graphId,graphExecId", false },
	};
	int status = scan_all(nsys, table_names[0], kernel, KERNEL_COLUMNS, read_kernel);

	if (!status)
		status = scan_all(nsys, table_names[1], copy, COPY_COLUMNS, read_copy);
	if (!status)
		status = scan_all(nsys, table_names[2], copy, COPY_COLUMNS, read_copy);
	if (!status)
		status = scan_all(nsys, table_names[3], set, SET_COLUMNS, read_set);
	if (!status)
		status = scan_all(nsys, table_names[4], graph, GRAPH_COLUMNS, read_graph);
	return status;
}

enum { MEMORY_START, MEMORY_PID, MEMORY_DEVICE, MEMORY_BYTES, MEMORY_KIND, MEMORY_OPERATION };

/* ENUM_CUDA_DEV_MEM_EVENT_OPER */
enum { MEMORY_ALLOCATION = 0, MEMORY_DEALLOCATION = 1 };

/* What was allocated on devices without operations is nobody's. */
static int read_memory(struct nsys *nsys, struct dp_rows *rows)
{
	int64_t pid = dp_rows__is_null(rows, MEMORY_PID) ? nsys->default_pid
							 : pid_of(dp_rows__id(rows, MEMORY_PID));
	uint32_t device =
		dp_places__find_device(&nsys->places, pid, dp_rows__id(rows, MEMORY_DEVICE));
	int64_t operation = dp_rows__id(rows, MEMORY_OPERATION), time_ns;
	int64_t bytes = dp_rows__integer(rows, MEMORY_BYTES, 0, INT64_MAX, 0);

	if (memory_kind(rows, MEMORY_KIND) != DP_MEMORY_DEVICE || device == DP_NONE ||
	    (operation != MEMORY_ALLOCATION && operation != MEMORY_DEALLOCATION))
		return DP_OK;
	if (!dp_rows__time(rows, MEMORY_START, &time_ns))
		return dp_rows__skip(rows, "no valid time");
	return dp_builder__add_memory(nsys->import->builder, time_ns, device,
				      operation == MEMORY_ALLOCATION ? bytes : -bytes);
}

static int scan_memory(struct nsys *nsys)
{
	static const struct dp_column memory[] = {
		[MEMORY_START] = { "start", true },
		[MEMORY_PID] = { "globalPid", false },
		[MEMORY_DEVICE] = { "deviceId", true },
		[MEMORY_BYTES] = { "bytes", true },
		[MEMORY_KIND] = { "memKind", true },
		[MEMORY_OPERATION] = { "memoryOperationType", true },
	};

	return scan(nsys, dp_database__table(nsys->database, "CUDA_GPU_MEMORY_USAGE_EVENTS"),
		    memory, DP_COUNT(memory), read_memory);
}

static int scan_host(struct nsys *nsys)
{
	static const struct dp_column call[CALL_COLUMNS] = {
		[CALL_START] = { "start", true },
		[CALL_END] = { "end", true },
		[CALL_TID] = { "globalTid", false },
		[CALL_CORRELATION] = { "correlationId", false },
		[CALL_NAME] = { "nameId", false },
	};
	static const struct dp_column sync[SYNC_COLUMNS] = {
		[SYNC_START] = { "start", true },
		[SYNC_END] = { "end", true },
		[SYNC_PID] = { "globalPid", false },
		[SYNC_CONTEXT] = { "contextId", false },
		[SYNC_STREAM] = { "streamId", false },
		[SYNC_CORRELATION] = { "correlationId", false },
		[SYNC_TYPE] = { "syncType", false },
	};
	static const struct dp_column range[NVTX_COLUMNS] = {
		[NVTX_START] = { "start", true },     [NVTX_END] = { "end", true },
		[NVTX_TYPE] = { "eventType", true },  [NVTX_TEXT] = { "text", false },
		[NVTX_TEXT_ID] = { "textId", false }, [NVTX_TID] = { "globalTid", false },
	};
	int status = scan_all(nsys, table_names[5], call, CALL_COLUMNS, read_call);

	if (!status)
		status = scan_all(nsys, table_names[6], call, CALL_COLUMNS, read_call);
	if (!status)
		status = scan_all(nsys, table_names[7], sync, SYNC_COLUMNS, read_sync);
	if (!status)
		status = scan_all(nsys, table_names[8], range, NVTX_COLUMNS, read_range);
	return status;
}

static int read_meta(struct nsys *nsys, struct dp_rows *rows)
{
	static const char key[] = "EXPORT_SCHEMA_VERSION";
	size_t name_length, length;
	const char *name = dp_rows__text(rows, 0, &name_length);

	if (name && name_length == strlen(key) && !memcmp(name, key, name_length)) {
		const char *value = dp_rows__text(rows, 1, &length);

		if (value)
			dp_builder__detail(nsys->import->builder, "schema %.*s",
					   (int)DP_MIN(length, (size_t)32), value);
	}
	return DP_OK;
}

static int read_epoch(struct nsys *nsys, struct dp_rows *rows)
{
	int64_t epoch_ns;

	if (dp_rows__time(rows, 0, &epoch_ns))
		dp_builder__epoch(nsys->import->builder, epoch_ns);
	return DP_OK;
}

/* The name was in META_DATA_EXPORT's place until 2023.2, and was not there at all before. */
static int scan_meta(struct nsys *nsys)
{
	static const struct dp_column meta[] = { { "name", true }, { "value", true } };
	static const struct dp_column epoch[] = { { "utcEpochNs", false } };
	int status = scan(nsys, dp_database__table(nsys->database, "EXPORT_META_DATA"), meta,
			  DP_COUNT(meta), read_meta);

	if (!status)
		status = scan(nsys, dp_database__table(nsys->database, "META_DATA_EXPORT"), meta,
			      DP_COUNT(meta), read_meta);
	if (!status)
		status = scan(nsys,
			      dp_database__table(nsys->database, "TARGET_INFO_SESSION_START_TIME"),
			      epoch, DP_COUNT(epoch), read_epoch);
	return status;
}

/* Calls always tell their process: the first one's is that of operations which do not. */
static int find_default_pid(struct nsys *nsys)
{
	static const struct dp_column tid[] = { { "globalTid", true } };
	struct dp_rows rows;
	int status = dp_rows__open(&rows, nsys->database,
				   dp_database__table(nsys->database, table_names[5]), tid, 1);

	if (status == 1)
		status = dp_rows__next(&rows);
	if (status == 1)
		nsys->default_pid = pid_of(dp_rows__id(&rows, 0));
	dp_rows__close(&rows);
	return status < 0 ? status : DP_OK;
}

/* Of all processes and threads of the machine only those that did something are in the trace. */
static int read_process(struct nsys *nsys, struct dp_rows *rows)
{
	uint32_t process = dp_places__find_process(&nsys->places, pid_of(dp_rows__id(rows, 0)));
	size_t length;
	const char *text = dp_rows__text(rows, 1, &length);
	uint32_t name;

	if (process == DP_NONE || !length)
		return DP_OK;
	name = dp_builder__string(nsys->import->builder, text, length);
	if (name == DP_NONE)
		return failed(nsys);
	dp_builder__name_process(nsys->import->builder, process, name, -1);
	return DP_OK;
}

static int read_thread_name(struct nsys *nsys, struct dp_rows *rows)
{
	int64_t id = dp_rows__id(rows, 1);
	uint32_t thread = dp_places__find_thread(&nsys->places, pid_of(id), tid_of(id));
	uint32_t name;

	if (thread == DP_NONE)
		return DP_OK;
	name = dp_names__get(nsys->names, dp_rows__id(rows, 0), false);
	if (name == DP_NONE)
		return failed(nsys);
	dp_builder__name_thread(nsys->import->builder, thread, name);
	return DP_OK;
}

/* A GPU's id is nsys's own; cuDevice is the number that CUDA gives it, and kernels have that. */
enum { GPU_ID, GPU_CUDA_ID, GPU_NAME, GPU_MEMORY, GPU_UUID, GPU_COLUMNS };

static int read_gpu(struct nsys *nsys, struct dp_rows *rows)
{
	bool by_cuda = !dp_rows__is_null(rows, GPU_CUDA_ID);
	size_t length;
	const char *text = dp_rows__text(rows, GPU_NAME, &length);
	struct dp_gpu gpu = { DP_NONE, DP_NONE, dp_rows__bytes(rows, GPU_MEMORY) };

	if (length) {
		gpu.name = dp_builder__string(nsys->import->builder, text, length);
		if (gpu.name == DP_NONE)
			return failed(nsys);
	}
	text = dp_rows__text(rows, GPU_UUID, &length);
	gpu.uuid = dp_builder__uuid(nsys->import->builder, text, length);
	if (dp_gpus__add(&nsys->gpus, dp_rows__id(rows, GPU_ID),
			 dp_rows__id(rows, by_cuda ? GPU_CUDA_ID : GPU_ID), &gpu))
		return dp_error__nomem(nsys->import->error, 0);
	return DP_OK;
}

static const struct dp_column gpu_columns[GPU_COLUMNS] = {
	[GPU_ID] = { "id", true },	[GPU_CUDA_ID] = { "cuDevice", false },
	[GPU_NAME] = { "name", false }, [GPU_MEMORY] = { "totalMemory", false },
	[GPU_UUID] = { "uuid", false },
};

/* Newer exports map each process's device numbers to GPUs (CUDA_VISIBLE_DEVICES renumbers). */
static int read_cuda_device(struct nsys *nsys, struct dp_rows *rows)
{
	if (dp_gpus__map(&nsys->gpus, dp_rows__id(rows, 2), dp_rows__id(rows, 1),
			 dp_rows__id(rows, 0)))
		return dp_error__nomem(nsys->import->error, 0);
	return DP_OK;
}

static int scan_labels(struct nsys *nsys)
{
	static const struct dp_column process[] = { { "globalPid", true }, { "name", true } };
	static const struct dp_column thread[] = { { "nameId", true }, { "globalTid", true } };
	static const struct dp_column device[] = {
		{ "gpuId", true },
		{ "cudaId", true },
		{ "pid", false },
	};
	struct dp_database *database = nsys->database;
	int status = scan(nsys, dp_database__table(database, "PROCESSES"), process,
			  DP_COUNT(process), read_process);

	if (!status)
		status = scan(nsys, dp_database__table(database, "ThreadNames"), thread,
			      DP_COUNT(thread), read_thread_name);
	if (!status)
		status = scan(nsys, dp_database__table(database, "TARGET_INFO_GPU"), gpu_columns,
			      GPU_COLUMNS, read_gpu);
	if (!status)
		status = scan(nsys, dp_database__table(database, "TARGET_INFO_CUDA_DEVICE"), device,
			      DP_COUNT(device), read_cuda_device);
	if (!status)
		dp_places__name_devices(&nsys->places, &nsys->gpus);
	return status;
}

static int read_all(struct nsys *nsys)
{
	struct dp_database *database = nsys->database;
	int status;

	for (size_t i = 0; i < DP_COUNT(table_names); i++)
		dp_database__expect(database, dp_database__table(database, table_names[i]));
	nsys->has_graphs = dp_database__table(database, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE") != NULL;
	status = scan_meta(nsys);
	if (!status)
		status = find_default_pid(nsys);
	if (!status)
		status = scan_operations(nsys);
	if (!status)
		status = scan_host(nsys);
	if (!status)
		status = scan_labels(nsys);
	if (!status)
		status = scan_memory(nsys);
	if (!status && !dp_builder__op_count(nsys->import->builder))
		status = dp_nsys__explain_no_gpu(database, nsys->import->builder);
	return status;
}

static int nsys_read(struct dp_import *import)
{
	struct nsys nsys = { .import = import, .default_pid = -1 };
	int status;

	dp_places__init(&nsys.places, import->builder, import->error);
	status = dp_database__open(&nsys.database, import);
	if (!status)
		status = dp_names__new(&nsys.names, nsys.database,
				       dp_database__table(nsys.database, "StringIds"), "id",
				       "value");
	if (!status)
		status = read_all(&nsys);
	dp_names__free(nsys.names);
	if (!status)
		status = dp_database__finish(nsys.database);
	dp_places__fini(&nsys.places);
	dp_gpus__fini(&nsys.gpus);
	dp_lookup__fini(&nsys.expanded);
	dp_database__close(nsys.database);
	return status;
}

static int nsys_probe(const struct dp_probe *probe)
{
	static const char *const own[] = { "StringIds" };
	static const char *const any[] = {
		"META_DATA_EXPORT",
		"EXPORT_META_DATA",
		"TARGET_INFO_SESSION_START_TIME",
		"NVTX_EVENTS",
		"CUPTI_ACTIVITY_KIND_KERNEL",
		"CUPTI_ACTIVITY_KIND_RUNTIME",
		"CUPTI_ACTIVITY_KIND_MEMCPY",
		"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
	};
	int sure;

	sure = dp_database__probe(probe, own, DP_COUNT(own));
	if (sure <= 0)
		return sure;
	sure = dp_database__probe(probe, any, DP_COUNT(any));
	return sure < 0 ? sure : sure > 0 ? 90 : 30;
}

const struct dp_importer dp_importer__nsys = {
	.info = { "nsys", "NVIDIA Nsight Systems, SQLite export" },
	.database = true,
	.how_to_record = "nsys profile --trace=cuda,nvtx --cuda-graph-trace=node",
	.probe = nsys_probe,
	.read = nsys_read,
};
