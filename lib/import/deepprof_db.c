/*
 * deepprof's own trace file (deepprof-trace(5)). Columns are looked up by name and all that older
 * schemas lack are optional; later schemas only add, so those are read too.
 *
 * A graph_launch is there where graphs were recorded as graphs, kernels with a graph_node where
 * they were recorded by node: graph_mode is one of both per process, so nothing counts twice.
 */
#include "base/strings.h"
#include "import/cbid.h"
#include "import/database.h"
#include "import/deepprof_schema.h"
#include "import/lookup.h"

#include <stdio.h>
#include <string.h>

/* GPUs that carry one UUID: one, or one per process. Beyond this it is damage. */
#define UUID_DEVICES_MOST 64

struct deepprof {
	const struct dp_import *import;
	struct dp_database *database;
	struct dp_names *names;
	struct dp_places places;
	struct dp_gpus gpus;
	struct dp_lookup processes; /* process: the pid */
	struct dp_lookup calls;	    /* domain, cbid: the name's string */
	struct dp_strings uuids;
	struct dp_lookup uuid_devices; /* UUID's number, 0 …: the builder's device */
};

static int failed(const struct deepprof *deepprof)
{
	return deepprof->import->error->status;
}

static int nomem(const struct deepprof *deepprof)
{
	return dp_error__nomem(deepprof->import->error, 0);
}

/* The pid of a process's id; -1 where the file does not have that process. */
static int64_t pid_of(const struct deepprof *deepprof, int64_t process)
{
	struct dp_key key = { { process } };
	uint32_t pid = dp_lookup__get(&deepprof->processes, &key);

	return pid == DP_NONE ? -1 : (int64_t)pid;
}

/* start, and start + dur_ns; an unknown length is 0 and *incomplete. False: no valid time. */
static bool read_times(struct dp_rows *rows, size_t start, size_t duration, int64_t *start_ns,
		       int64_t *end_ns, bool *incomplete)
{
	int64_t dur_ns = 0;

	*incomplete = dp_rows__is_null(rows, duration);
	if (!dp_rows__time(rows, start, start_ns) ||
	    (!*incomplete && !dp_rows__time(rows, duration, &dur_ns))) {
		dp_rows__skip(rows, "no valid time");
		return false;
	}
	*end_ns = *start_ns + dur_ns;
	return true;
}

enum { PROCESS, DEVICE, CONTEXT, STREAM, START, DUR, CORR, OP_COLUMNS };

#define OP_COLUMN_NAMES                                                   \
	[PROCESS] = { "process", true }, [DEVICE] = { "device", false },  \
	[CONTEXT] = { "context", false }, [STREAM] = { "stream", false }, \
	[START] = { "start", true }, [DUR] = { "dur_ns", true }, [CORR] = { "corr", false }

/* 1, 0 where the row cannot be used, or a status. */
static int read_common(struct deepprof *deepprof, struct dp_rows *rows, struct dp_op *op)
{
	bool incomplete;

	memset(op, 0, sizeof(*op));
	if (!read_times(rows, START, DUR, &op->start_ns, &op->end_ns, &incomplete))
		return 0;
	if (incomplete &&
	    dp_builder__loss(deepprof->import->builder,
			     "ends of operations that ran on after the recording", 1, 0))
		return failed(deepprof);
	op->correlation = dp_rows__correlation(rows, CORR);
	op->stream = dp_places__stream(
		&deepprof->places, pid_of(deepprof, dp_rows__id(rows, PROCESS)),
		dp_rows__id(rows, DEVICE), dp_rows__id(rows, CONTEXT), dp_rows__id(rows, STREAM));
	return op->stream == DP_NONE ? failed(deepprof) : 1;
}

enum { KERNEL_NAME = OP_COLUMNS, KERNEL_COLUMNS };

static int read_kernel(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_op op;
	int status = read_common(deepprof, rows, &op);

	if (status != 1)
		return status;
	op.kind = DP_OP_KERNEL;
	op.name = dp_names__get(deepprof->names, dp_rows__id(rows, KERNEL_NAME), true);
	if (op.name == DP_NONE)
		return failed(deepprof);
	return dp_builder__op(deepprof->import->builder, &op);
}

static enum dp_memory_kind memory_kind(struct dp_rows *rows, size_t column)
{
	return (enum dp_memory_kind)dp_rows__integer(rows, column, 0, DP_MEMORY_MANAGED_STATIC,
						     DP_MEMORY_UNKNOWN);
}

enum { COPY_BYTES = OP_COLUMNS, COPY_KIND, COPY_SRC, COPY_DST, COPY_COLUMNS };

static int read_copy(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_op op;
	int status = read_common(deepprof, rows, &op);

	if (status != 1)
		return status;
	op.kind = DP_OP_COPY;
	op.bytes = dp_rows__bytes(rows, COPY_BYTES);
	op.copy_kind = (enum dp_copy_kind)dp_rows__integer(rows, COPY_KIND, 0, DP_COPY_UM_DTOD,
							   DP_COPY_UNKNOWN);
	op.src_kind = memory_kind(rows, COPY_SRC);
	op.dst_kind = memory_kind(rows, COPY_DST);
	op.name = dp_builder__copy_name(deepprof->import->builder, op.copy_kind);
	if (op.name == DP_NONE)
		return failed(deepprof);
	return dp_builder__op(deepprof->import->builder, &op);
}

enum { SET_BYTES = OP_COLUMNS, SET_KIND, SET_COLUMNS };

static int read_set(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_op op;
	int status = read_common(deepprof, rows, &op);

	if (status != 1)
		return status;
	op.kind = DP_OP_SET;
	op.bytes = dp_rows__bytes(rows, SET_BYTES);
	op.dst_kind = memory_kind(rows, SET_KIND);
	op.name = dp_builder__set_name(deepprof->import->builder);
	if (op.name == DP_NONE)
		return failed(deepprof);
	return dp_builder__op(deepprof->import->builder, &op);
}

enum { GRAPH_ID = OP_COLUMNS, GRAPH_COLUMNS };

static int read_graph(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_op op;
	int status = read_common(deepprof, rows, &op), n;
	char name[40];

	if (status != 1)
		return status;
	op.kind = DP_OP_GRAPH;
	n = snprintf(name, sizeof(name), "graph %lld", (long long)dp_rows__id(rows, GRAPH_ID));
	op.name = dp_builder__string(deepprof->import->builder, name, (size_t)n);
	if (op.name == DP_NONE)
		return failed(deepprof);
	return dp_builder__op(deepprof->import->builder, &op);
}

static int read_cbid(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_key key = { { dp_rows__id(rows, 0), dp_rows__id(rows, 1) } };
	uint32_t name = dp_names__get_call(deepprof->names, dp_rows__id(rows, 2));

	if (name == DP_NONE)
		return failed(deepprof);
	return dp_lookup__set(&deepprof->calls, &key, name) ? nomem(deepprof) : DP_OK;
}

/* The name that the file gives to a function, or else CUPTI's. */
static uint32_t call_name(struct deepprof *deepprof, int64_t domain, int64_t cbid)
{
	struct dp_key key = { { domain, cbid } };
	uint32_t string = dp_lookup__get(&deepprof->calls, &key);
	const char *name;
	char buf[48];

	if (string != DP_NONE)
		return string;
	name = dp_cbid__name(domain == DP_CBID_DRIVER ? DP_CBID_DRIVER : DP_CBID_RUNTIME, cbid, buf,
			     sizeof(buf));
	string = dp_builder__string(deepprof->import->builder, name, strlen(name));
	if (string != DP_NONE && dp_lookup__set(&deepprof->calls, &key, string)) {
		nomem(deepprof);
		return DP_NONE;
	}
	return string;
}

/* A row without a tid still has a process: its thread is number -1. */
static int read_thread(struct deepprof *deepprof, struct dp_rows *rows, size_t process, size_t tid,
		       uint32_t *thread)
{
	*thread = dp_places__thread(&deepprof->places, pid_of(deepprof, dp_rows__id(rows, process)),
				    dp_rows__id(rows, tid));
	return *thread == DP_NONE ? failed(deepprof) : DP_OK;
}

enum {
	CALL_PROCESS,
	CALL_TID,
	CALL_START,
	CALL_DUR,
	CALL_DOMAIN,
	CALL_CBID,
	CALL_CORR,
	CALL_COLUMNS
};

static int read_call(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_call call = { 0 };
	bool incomplete;

	if (!read_times(rows, CALL_START, CALL_DUR, &call.start_ns, &call.end_ns, &incomplete))
		return DP_OK;
	if (read_thread(deepprof, rows, CALL_PROCESS, CALL_TID, &call.thread))
		return failed(deepprof);
	call.correlation = dp_rows__correlation(rows, CALL_CORR);
	call.name =
		call_name(deepprof, dp_rows__id(rows, CALL_DOMAIN), dp_rows__id(rows, CALL_CBID));
	if (call.name == DP_NONE)
		return failed(deepprof);
	return dp_builder__add_call(deepprof->import->builder, &call);
}

enum {
	SYNC_PROCESS,
	SYNC_CONTEXT,
	SYNC_STREAM,
	SYNC_START,
	SYNC_DUR,
	SYNC_KIND,
	SYNC_CORR,
	SYNC_COLUMNS
};

static int read_sync(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_sync sync = { 0 };
	bool incomplete;

	if (!read_times(rows, SYNC_START, SYNC_DUR, &sync.start_ns, &sync.end_ns, &incomplete))
		return DP_OK;
	sync.correlation = dp_rows__correlation(rows, SYNC_CORR);
	sync.kind = (enum dp_sync_kind)dp_rows__integer(rows, SYNC_KIND, 0, DP_SYNC_CONTEXT,
							DP_SYNC_UNKNOWN);
	sync.stream = dp_places__find_queue(
		&deepprof->places, pid_of(deepprof, dp_rows__id(rows, SYNC_PROCESS)),
		dp_rows__id(rows, SYNC_CONTEXT), dp_rows__id(rows, SYNC_STREAM));
	return dp_builder__add_sync(deepprof->import->builder, &sync);
}

enum { NVTX_PROCESS, NVTX_TID, NVTX_NAME, NVTX_TYPE, NVTX_START, NVTX_DUR, NVTX_COLUMNS };

static int read_range(struct deepprof *deepprof, struct dp_rows *rows)
{
	int64_t type = dp_rows__id(rows, NVTX_TYPE);
	struct dp_range range = { .kind = DP_RANGE_NVTX };
	bool incomplete;

	if (type != DP_SCHEMA_NVTX_PUSH_POP && type != DP_SCHEMA_NVTX_START_END)
		return DP_OK;
	if (!read_times(rows, NVTX_START, NVTX_DUR, &range.start_ns, &range.end_ns, &incomplete))
		return DP_OK;
	if (incomplete)
		return dp_builder__loss(deepprof->import->builder, "NVTX ranges that never ended",
					1, 0);
	if (read_thread(deepprof, rows, NVTX_PROCESS, NVTX_TID, &range.thread))
		return failed(deepprof);
	range.name = dp_rows__is_null(rows, NVTX_NAME)
			     ? dp_builder__string(deepprof->import->builder, "", 0)
			     : dp_names__get(deepprof->names, dp_rows__id(rows, NVTX_NAME), false);
	if (range.name == DP_NONE)
		return failed(deepprof);
	return dp_builder__add_range(deepprof->import->builder, &range);
}

enum { MEMORY_PROCESS, MEMORY_TIME, MEMORY_OP, MEMORY_KIND, MEMORY_BYTES, MEMORY_DEVICE };

/* CUPTI's CUpti_ActivityMemoryOperationType. */
enum { MEMORY_ALLOCATED = 1, MEMORY_RELEASED = 2 };

/* What was allocated on devices without operations is nobody's. */
static int read_memory(struct deepprof *deepprof, struct dp_rows *rows)
{
	uint32_t device = dp_places__find_device(
		&deepprof->places, pid_of(deepprof, dp_rows__id(rows, MEMORY_PROCESS)),
		dp_rows__id(rows, MEMORY_DEVICE));
	int64_t op = dp_rows__id(rows, MEMORY_OP), time_ns;
	int64_t bytes = dp_rows__integer(rows, MEMORY_BYTES, 0, INT64_MAX, 0);

	if (memory_kind(rows, MEMORY_KIND) != DP_MEMORY_DEVICE || device == DP_NONE ||
	    (op != MEMORY_ALLOCATED && op != MEMORY_RELEASED))
		return DP_OK;
	if (!dp_rows__time(rows, MEMORY_TIME, &time_ns))
		return dp_rows__skip(rows, "no valid time");
	return dp_builder__add_memory(deepprof->import->builder, time_ns, device,
				      op == MEMORY_ALLOCATED ? bytes : -bytes);
}

/* A UUID's number; -1 where there is none. */
static int uuid_number(struct deepprof *deepprof, struct dp_rows *rows, size_t column,
		       int64_t *number)
{
	size_t length;
	const char *text = dp_rows__text(rows, column, &length), *end;
	uint32_t id;

	*number = -1;
	if (!length)
		return DP_OK;
	end = memchr(text, '\0', length);
	id = dp_strings__intern(&deepprof->uuids, text, end ? (size_t)(end - text) : length);
	if (id == DP_NONE)
		return nomem(deepprof);
	*number = id;
	return DP_OK;
}

enum { SAMPLE_UUID, SAMPLE_TIME, SAMPLE_POWER, SAMPLE_ENERGY, SAMPLE_CLOCK, SAMPLE_THROTTLE };

static int read_sample(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_sample sample = {
		.energy_mj = dp_rows__bytes(rows, SAMPLE_ENERGY),
		.power_mw = (uint32_t)dp_rows__integer(rows, SAMPLE_POWER, 0, UINT32_MAX, 0),
		.clock_mhz = (uint32_t)dp_rows__integer(rows, SAMPLE_CLOCK, 0, UINT32_MAX, 0),
		.throttle = (uint32_t)dp_rows__integer(rows, SAMPLE_THROTTLE, 0, UINT32_MAX, 0),
	};
	struct dp_key key = { { 0 } };
	int status = DP_OK;

	if (!dp_rows__time(rows, SAMPLE_TIME, &sample.time_ns))
		return dp_rows__skip(rows, "no valid time");
	if (uuid_number(deepprof, rows, SAMPLE_UUID, &key.part[0]))
		return failed(deepprof);
	while (!status &&
	       (sample.device = dp_lookup__get(&deepprof->uuid_devices, &key)) != DP_NONE) {
		status = dp_builder__add_sample(deepprof->import->builder, &sample);
		key.part[1]++;
	}
	return status;
}

static int read_meta(struct deepprof *deepprof, struct dp_rows *rows)
{
	static const char key[] = "t0_realtime_ns";
	size_t length;
	const char *name = dp_rows__text(rows, 0, &length);
	int64_t epoch_ns;

	if (name && length == strlen(key) && !memcmp(name, key, length) &&
	    dp_rows__time(rows, 1, &epoch_ns))
		dp_builder__epoch(deepprof->import->builder, epoch_ns);
	return DP_OK;
}

static int read_process(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_key key = { { dp_rows__id(rows, 0) } };
	int64_t pid = dp_rows__integer(rows, 1, 0, UINT32_MAX - 1, -1);

	if (pid < 0)
		return dp_rows__skip(rows, "no valid pid");
	return dp_lookup__set(&deepprof->processes, &key, (uint32_t)pid) ? nomem(deepprof) : DP_OK;
}

/* Only processes that did something are in the trace; those have their names and ranks now. */
static int label_process(struct deepprof *deepprof, struct dp_rows *rows)
{
	int64_t pid = dp_rows__integer(rows, 1, 0, UINT32_MAX - 1, -1);
	uint32_t process = dp_places__find_process(&deepprof->places, pid), name = DP_NONE;
	size_t length;
	const char *text = dp_rows__text(rows, 3, &length);

	if (process == DP_NONE)
		return DP_OK;
	if (length) {
		name = dp_builder__string(deepprof->import->builder, text, length);
		if (name == DP_NONE)
			return failed(deepprof);
	}
	dp_builder__name_process(deepprof->import->builder, process, name,
				 dp_rows__integer(rows, 2, 0, INT32_MAX, -1));
	return DP_OK;
}

static int label_thread(struct deepprof *deepprof, struct dp_rows *rows)
{
	uint32_t thread = dp_places__find_thread(
		&deepprof->places, pid_of(deepprof, dp_rows__id(rows, 0)), dp_rows__id(rows, 1));
	size_t length;
	const char *text = dp_rows__text(rows, 2, &length);
	uint32_t name;

	if (thread == DP_NONE || !length)
		return DP_OK;
	name = dp_builder__string(deepprof->import->builder, text, length);
	if (name == DP_NONE)
		return failed(deepprof);
	dp_builder__name_thread(deepprof->import->builder, thread, name);
	return DP_OK;
}

/* Remembers which device a UUID is, for the samples. */
static int note_uuid(struct deepprof *deepprof, struct dp_rows *rows, uint32_t device)
{
	struct dp_key key = { { 0 } };

	if (uuid_number(deepprof, rows, 4, &key.part[0]))
		return failed(deepprof);
	if (key.part[0] < 0 || device == DP_NONE)
		return DP_OK;
	while (key.part[1] < UUID_DEVICES_MOST &&
	       dp_lookup__get(&deepprof->uuid_devices, &key) != DP_NONE)
		key.part[1]++;
	if (key.part[1] < UUID_DEVICES_MOST &&
	    dp_lookup__set(&deepprof->uuid_devices, &key, device))
		return nomem(deepprof);
	return DP_OK;
}

static int label_device(struct deepprof *deepprof, struct dp_rows *rows)
{
	int64_t pid = pid_of(deepprof, dp_rows__id(rows, 0));
	int64_t id = (int64_t)deepprof->gpus.count, device = dp_rows__id(rows, 1);
	size_t length;
	const char *text = dp_rows__text(rows, 2, &length);
	struct dp_gpu gpu = { DP_NONE, DP_NONE, dp_rows__bytes(rows, 3) };

	if (length) {
		gpu.name = dp_builder__string(deepprof->import->builder, text, length);
		if (gpu.name == DP_NONE)
			return failed(deepprof);
	}
	text = dp_rows__text(rows, 4, &length);
	gpu.uuid = dp_builder__uuid(deepprof->import->builder, text, length);
	if (note_uuid(deepprof, rows, dp_places__find_device(&deepprof->places, pid, device)))
		return failed(deepprof);
	if (dp_gpus__add(&deepprof->gpus, id, device, &gpu) ||
	    dp_gpus__map(&deepprof->gpus, pid, device, id))
		return nomem(deepprof);
	return DP_OK;
}

/* What the recording itself lost. */
static int read_loss(struct deepprof *deepprof, struct dp_rows *rows)
{
	char reason[128];
	size_t length;
	const char *text = dp_rows__text(rows, 0, &length);

	snprintf(reason, sizeof(reason), "while recording: %.*s", (int)DP_MIN(length, (size_t)96),
		 text ? text : "");
	return dp_builder__loss(deepprof->import->builder, reason,
				(uint64_t)dp_rows__integer(rows, 1, 0, INT64_MAX, 0), 0);
}

enum { PAUSE_PROCESS, PAUSE_START, PAUSE_DUR };

/* One that never ended has nothing after it. */
static int read_pause(struct deepprof *deepprof, struct dp_rows *rows)
{
	uint32_t process = dp_places__find_process(
		&deepprof->places, pid_of(deepprof, dp_rows__id(rows, PAUSE_PROCESS)));
	int64_t start_ns, end_ns;
	bool open;

	if (!read_times(rows, PAUSE_START, PAUSE_DUR, &start_ns, &end_ns, &open) || open ||
	    process == DP_NONE)
		return DP_OK;
	return dp_builder__add_pause(deepprof->import->builder, process, start_ns, end_ns);
}

/* Scans one table; read returns 0 or a status. */
static int scan(struct deepprof *deepprof, const char *table, const struct dp_column *columns,
		size_t count, int (*read)(struct deepprof *deepprof, struct dp_rows *rows))
{
	struct dp_rows rows;
	int status = dp_rows__open(&rows, deepprof->database,
				   dp_database__table(deepprof->database, table), columns, count);

	while (status == 1 && (status = dp_rows__next(&rows)) == 1) {
		if (read(deepprof, &rows) < 0) {
			status = failed(deepprof);
			break;
		}
	}
	dp_rows__close(&rows);
	return status;
}

static const struct dp_column process_columns[] = {
	{ "id", true },
	{ "pid", true },
	{ "rank", false },
	{ "cmdline", false },
};

static int scan_first(struct deepprof *deepprof)
{
	static const struct dp_column meta[] = { { "key", true }, { "value", true } };
	static const struct dp_column cbid[] = {
		{ "domain", true },
		{ "cbid", true },
		{ "name", true },
	};
	int status = scan(deepprof, "meta", meta, DP_COUNT(meta), read_meta);

	if (!status)
		status = scan(deepprof, "process", process_columns, DP_COUNT(process_columns),
			      read_process);
	if (!status)
		status = scan(deepprof, "cbid", cbid, DP_COUNT(cbid), read_cbid);
	return status;
}

static int scan_operations(struct deepprof *deepprof)
{
	static const struct dp_column kernel[KERNEL_COLUMNS] = {
		OP_COLUMN_NAMES,
		[KERNEL_NAME] = { "name", true },
	};
	static const struct dp_column copy[COPY_COLUMNS] = {
		OP_COLUMN_NAMES,
		[COPY_BYTES] = { "bytes", false },
		[COPY_KIND] = { "kind", false },
		[COPY_SRC] = { "src_kind", false },
		[COPY_DST] = { "dst_kind", false },
	};
	static const struct dp_column set[SET_COLUMNS] = {
		OP_COLUMN_NAMES,
		[SET_BYTES] = { "bytes", false },
		[SET_KIND] = { "mem_kind", false },
	};
	static const struct dp_column graph[GRAPH_COLUMNS] = {
		OP_COLUMN_NAMES,
		[GRAPH_ID] = { "graph", false },
	};
	int status = scan(deepprof, "kernel", kernel, KERNEL_COLUMNS, read_kernel);

	if (!status)
		status = scan(deepprof, "memcpy", copy, COPY_COLUMNS, read_copy);
	if (!status)
		status = scan(deepprof, "memset", set, SET_COLUMNS, read_set);
	if (!status)
		status = scan(deepprof, "graph_launch", graph, GRAPH_COLUMNS, read_graph);
	return status;
}

static int scan_host(struct deepprof *deepprof)
{
	static const struct dp_column call[CALL_COLUMNS] = {
		[CALL_PROCESS] = { "process", true }, [CALL_TID] = { "tid", false },
		[CALL_START] = { "start", true },     [CALL_DUR] = { "dur_ns", true },
		[CALL_DOMAIN] = { "domain", true },   [CALL_CBID] = { "cbid", true },
		[CALL_CORR] = { "corr", false },
	};
	static const struct dp_column sync[SYNC_COLUMNS] = {
		[SYNC_PROCESS] = { "process", true }, [SYNC_CONTEXT] = { "context", false },
		[SYNC_STREAM] = { "stream", false },  [SYNC_START] = { "start", true },
		[SYNC_DUR] = { "dur_ns", true },      [SYNC_KIND] = { "kind", false },
		[SYNC_CORR] = { "corr", false },
	};
	static const struct dp_column range[NVTX_COLUMNS] = {
		[NVTX_PROCESS] = { "process", true }, [NVTX_TID] = { "tid", false },
		[NVTX_NAME] = { "name", true },	      [NVTX_TYPE] = { "type", true },
		[NVTX_START] = { "start", true },     [NVTX_DUR] = { "dur_ns", true },
	};
	int status = scan(deepprof, "api", call, CALL_COLUMNS, read_call);

	if (!status)
		status = scan(deepprof, "sync", sync, SYNC_COLUMNS, read_sync);
	if (!status)
		status = scan(deepprof, "nvtx", range, NVTX_COLUMNS, read_range);
	return status;
}

static int scan_labels(struct deepprof *deepprof)
{
	static const struct dp_column thread[] = {
		{ "process", true },
		{ "tid", true },
		{ "name", true },
	};
	static const struct dp_column device[] = {
		{ "process", true },	{ "device", true }, { "name", false },
		{ "mem_bytes", false }, { "uuid", false },
	};
	static const struct dp_column loss[] = { { "reason", true }, { "records", false } };
	static const struct dp_column pause[] = {
		[PAUSE_PROCESS] = { "process", true },
		[PAUSE_START] = { "start", true },
		[PAUSE_DUR] = { "dur_ns", true },
	};
	int status = scan(deepprof, "process", process_columns, DP_COUNT(process_columns),
			  label_process);

	if (!status)
		status = scan(deepprof, "thread", thread, DP_COUNT(thread), label_thread);
	if (!status)
		status = scan(deepprof, "device", device, DP_COUNT(device), label_device);
	if (!status)
		dp_places__name_devices(&deepprof->places, &deepprof->gpus);
	if (!status)
		status = scan(deepprof, "loss", loss, DP_COUNT(loss), read_loss);
	if (!status)
		status = scan(deepprof, "pause", pause, DP_COUNT(pause), read_pause);
	return status;
}

static int scan_state(struct deepprof *deepprof)
{
	static const struct dp_column memory[] = {
		[MEMORY_PROCESS] = { "process", true }, [MEMORY_TIME] = { "ts", true },
		[MEMORY_OP] = { "op", true },		[MEMORY_KIND] = { "kind", true },
		[MEMORY_BYTES] = { "bytes", true },	[MEMORY_DEVICE] = { "device", true },
	};
	static const struct dp_column sample[] = {
		[SAMPLE_UUID] = { "device_uuid", true }, [SAMPLE_TIME] = { "ts", true },
		[SAMPLE_POWER] = { "power_mW", false },	 [SAMPLE_ENERGY] = { "energy_mJ", false },
		[SAMPLE_CLOCK] = { "sm_clk", false },	 [SAMPLE_THROTTLE] = { "throttle", false },
	};
	int status = scan(deepprof, "mem_op", memory, DP_COUNT(memory), read_memory);

	if (!status)
		status = scan(deepprof, "gpu_sample", sample, DP_COUNT(sample), read_sample);
	return status;
}

static int read_all(struct deepprof *deepprof)
{
	static const char *const big[] = { "kernel", "memcpy", "memset", "graph_launch",
					   "api",    "sync",   "nvtx" };
	int status;

	for (size_t i = 0; i < DP_COUNT(big); i++)
		dp_database__expect(deepprof->database,
				    dp_database__table(deepprof->database, big[i]));
	dp_builder__detail(deepprof->import->builder, "schema %lld",
			   (long long)dp_database__user_version(deepprof->database));
	status = scan_first(deepprof);
	if (!status)
		status = scan_operations(deepprof);
	if (!status)
		status = scan_host(deepprof);
	if (!status)
		status = scan_labels(deepprof);
	if (!status)
		status = scan_state(deepprof);
	return status;
}

static int deepprof_read(struct dp_import *import)
{
	struct deepprof deepprof = { .import = import };
	int status;

	dp_places__init(&deepprof.places, import->builder, import->error);
	status = dp_database__open(&deepprof.database, import);
	if (!status)
		status = dp_names__new(&deepprof.names, deepprof.database,
				       dp_database__table(deepprof.database, "string"), "id",
				       "value");
	if (!status)
		status = read_all(&deepprof);
	dp_names__free(deepprof.names);
	if (!status)
		status = dp_database__finish(deepprof.database);
	dp_places__fini(&deepprof.places);
	dp_gpus__fini(&deepprof.gpus);
	dp_lookup__fini(&deepprof.processes);
	dp_lookup__fini(&deepprof.calls);
	dp_strings__fini(&deepprof.uuids);
	dp_lookup__fini(&deepprof.uuid_devices);
	dp_database__close(deepprof.database);
	return status;
}

/* Its views are named like nsys's tables: the application id tells both apart. */
static int deepprof_probe(const struct dp_probe *probe)
{
	uint32_t id = dp_database__application_id(probe->head, probe->length);

	return id == DP_SCHEMA_APPLICATION_ID ? 100 : 0;
}

const struct dp_importer dp_importer__deepprof_db = {
	.info = { "deepprof_db", "deepprof's own trace file" },
	.database = true,
	.probe = deepprof_probe,
	.read = deepprof_read,
};
