/*
 * deepprof's own trace file (deepprof-trace(5)). Columns are looked up by name and all that older
 * schemas lack are optional; later schemas only add, so those are read too.
 *
 * A graph_launch is there where graphs were recorded as graphs, kernels with a graph_node where
 * they were recorded by node: graph_mode is one of both per process, so nothing counts twice.
 */
#include "import/cbid.h"
#include "import/deepprof_private.h"
#include "import/deepprof_schema.h"

#include <stdio.h>
#include <string.h>

bool dp_deepprof__times(struct dp_rows *rows, size_t start, size_t duration, int64_t *start_ns,
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

int dp_deepprof__scan(struct deepprof *deepprof, const char *table, const struct dp_column *columns,
		      size_t count, int (*read)(struct deepprof *deepprof, struct dp_rows *rows))
{
	struct dp_rows rows;
	int status = dp_rows__open(&rows, deepprof->database,
				   dp_database__table(deepprof->database, table), columns, count);

	while (status == 1 && (status = dp_rows__next(&rows)) == 1) {
		if (read(deepprof, &rows) < 0) {
			status = dp_deepprof__failed(deepprof);
			break;
		}
	}
	dp_rows__close(&rows);
	return status;
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
	if (!dp_deepprof__times(rows, START, DUR, &op->start_ns, &op->end_ns, &incomplete))
		return 0;
	if (incomplete &&
	    dp_builder__loss(deepprof->import->builder,
			     "ends of operations that ran on after the recording", 1, 0))
		return dp_deepprof__failed(deepprof);
	op->correlation = dp_rows__correlation(rows, CORR);
	op->stream = dp_places__stream(
		&deepprof->places, dp_deepprof__pid(deepprof, dp_rows__id(rows, PROCESS)),
		dp_rows__id(rows, DEVICE), dp_rows__id(rows, CONTEXT), dp_rows__id(rows, STREAM));
	return op->stream == DP_NONE ? dp_deepprof__failed(deepprof) : 1;
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
		return dp_deepprof__failed(deepprof);
	return dp_builder__op(deepprof->import->builder, &op);
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
	op.src_kind = dp_deepprof__memory(rows, COPY_SRC);
	op.dst_kind = dp_deepprof__memory(rows, COPY_DST);
	op.name = dp_builder__copy_name(deepprof->import->builder, op.copy_kind);
	if (op.name == DP_NONE)
		return dp_deepprof__failed(deepprof);
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
	op.dst_kind = dp_deepprof__memory(rows, SET_KIND);
	op.name = dp_builder__set_name(deepprof->import->builder);
	if (op.name == DP_NONE)
		return dp_deepprof__failed(deepprof);
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
		return dp_deepprof__failed(deepprof);
	return dp_builder__op(deepprof->import->builder, &op);
}

static int read_cbid(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_key key = { { dp_rows__id(rows, 0), dp_rows__id(rows, 1) } };
	uint32_t name = dp_names__get_call(deepprof->names, dp_rows__id(rows, 2));

	if (name == DP_NONE)
		return dp_deepprof__failed(deepprof);
	return dp_lookup__set(&deepprof->calls, &key, name) ? dp_deepprof__nomem(deepprof) : DP_OK;
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
		dp_deepprof__nomem(deepprof);
		return DP_NONE;
	}
	return string;
}

/* A row without a tid still has a process: its thread is number -1. */
static int read_thread(struct deepprof *deepprof, struct dp_rows *rows, size_t process, size_t tid,
		       uint32_t *thread)
{
	*thread = dp_places__thread(&deepprof->places,
				    dp_deepprof__pid(deepprof, dp_rows__id(rows, process)),
				    dp_rows__id(rows, tid));
	return *thread == DP_NONE ? dp_deepprof__failed(deepprof) : DP_OK;
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

	if (!dp_deepprof__times(rows, CALL_START, CALL_DUR, &call.start_ns, &call.end_ns,
				&incomplete))
		return DP_OK;
	if (read_thread(deepprof, rows, CALL_PROCESS, CALL_TID, &call.thread))
		return dp_deepprof__failed(deepprof);
	call.correlation = dp_rows__correlation(rows, CALL_CORR);
	call.name =
		call_name(deepprof, dp_rows__id(rows, CALL_DOMAIN), dp_rows__id(rows, CALL_CBID));
	if (call.name == DP_NONE)
		return dp_deepprof__failed(deepprof);
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
	SYNC_EPOCH,
	SYNC_EVENT,
	SYNC_EVENT_SYNC,
	SYNC_COLUMNS
};

static void link_wait(struct deepprof *deepprof, struct dp_rows *rows, struct dp_sync *sync)
{
	struct deepprof_event wait = {
		.pid = dp_deepprof__pid(deepprof, dp_rows__id(rows, SYNC_PROCESS)),
		.context = dp_rows__id(rows, SYNC_CONTEXT),
		.event = dp_rows__id(rows, SYNC_EVENT),
		.sync = dp_rows__is_null(rows, SYNC_EVENT_SYNC)
				? 0
				: dp_rows__id(rows, SYNC_EVENT_SYNC),
		.cause = dp_rows__integer(rows, SYNC_EPOCH, 0, INT32_MAX, 0) << 32 |
			 sync->correlation,
	};

	if (sync->kind == DP_SYNC_STREAM_WAIT_EVENT && !dp_rows__is_null(rows, SYNC_EVENT))
		dp_deepprof__link_wait(deepprof, &wait, sync);
}

static int read_sync(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct dp_sync sync = { 0 };
	bool incomplete;

	if (!dp_deepprof__times(rows, SYNC_START, SYNC_DUR, &sync.start_ns, &sync.end_ns,
				&incomplete))
		return DP_OK;
	sync.correlation = dp_rows__correlation(rows, SYNC_CORR);
	sync.kind = (enum dp_sync_kind)dp_rows__integer(rows, SYNC_KIND, 0, DP_SYNC_CONTEXT,
							DP_SYNC_UNKNOWN);
	sync.stream = dp_places__find_queue(
		&deepprof->places, dp_deepprof__pid(deepprof, dp_rows__id(rows, SYNC_PROCESS)),
		dp_rows__id(rows, SYNC_CONTEXT), dp_rows__id(rows, SYNC_STREAM));
	link_wait(deepprof, rows, &sync);
	return dp_builder__add_sync(deepprof->import->builder, &sync);
}

enum { NVTX_PROCESS, NVTX_TID, NVTX_NAME, NVTX_TYPE, NVTX_START, NVTX_DUR, NVTX_ID, NVTX_COLUMNS };

static int read_range(struct deepprof *deepprof, struct dp_rows *rows)
{
	int64_t type = dp_rows__id(rows, NVTX_TYPE);
	struct dp_range range = { .kind = DP_RANGE_NVTX };
	bool incomplete;

	if (type != DP_SCHEMA_NVTX_PUSH_POP && type != DP_SCHEMA_NVTX_START_END)
		return DP_OK;
	if (!dp_deepprof__times(rows, NVTX_START, NVTX_DUR, &range.start_ns, &range.end_ns,
				&incomplete))
		return DP_OK;
	if (incomplete)
		return dp_builder__loss(deepprof->import->builder, "NVTX ranges that never ended",
					1, 0);
	if (read_thread(deepprof, rows, NVTX_PROCESS, NVTX_TID, &range.thread))
		return dp_deepprof__failed(deepprof);
	range.name = dp_rows__is_null(rows, NVTX_NAME)
			     ? dp_builder__string(deepprof->import->builder, "", 0)
			     : dp_names__get(deepprof->names, dp_rows__id(rows, NVTX_NAME), false);
	if (range.name == DP_NONE)
		return dp_deepprof__failed(deepprof);
	if (dp_rows__has(rows, NVTX_ID) &&
	    dp_deepprof__add_nccl(deepprof, dp_rows__id(rows, NVTX_ID), &range))
		return dp_deepprof__failed(deepprof);
	return dp_builder__add_range(deepprof->import->builder, &range);
}

static int scan_first(struct deepprof *deepprof)
{
	static const struct dp_column cbid[] = {
		{ "domain", true },
		{ "cbid", true },
		{ "name", true },
	};
	int status = dp_deepprof__begin(deepprof);

	if (!status)
		status = dp_deepprof__scan(deepprof, "cbid", cbid, DP_COUNT(cbid), read_cbid);
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
	int status = dp_deepprof__scan(deepprof, "kernel", kernel, KERNEL_COLUMNS, read_kernel);

	if (!status)
		status = dp_deepprof__scan(deepprof, "memcpy", copy, COPY_COLUMNS, read_copy);
	if (!status)
		status = dp_deepprof__scan(deepprof, "memset", set, SET_COLUMNS, read_set);
	if (!status)
		status = dp_deepprof__scan(deepprof, "graph_launch", graph, GRAPH_COLUMNS,
					   read_graph);
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
		[SYNC_CORR] = { "corr", false },      [SYNC_EPOCH] = { "epoch", false },
		[SYNC_EVENT] = { "event", false },
		[SYNC_EVENT_SYNC] = { "event_sync", false },
	};
	static const struct dp_column range[NVTX_COLUMNS] = {
		[NVTX_PROCESS] = { "process", true }, [NVTX_TID] = { "tid", false },
		[NVTX_NAME] = { "name", true },	      [NVTX_TYPE] = { "type", true },
		[NVTX_START] = { "start", true },     [NVTX_DUR] = { "dur_ns", true },
		[NVTX_ID] = { "id", false },
	};
	int status = dp_deepprof__scan(deepprof, "api", call, CALL_COLUMNS, read_call);

	if (!status)
		status = dp_deepprof__scan_events(deepprof);
	if (!status)
		status = dp_deepprof__scan(deepprof, "sync", sync, SYNC_COLUMNS, read_sync);
	if (!status)
		status = dp_deepprof__scan_nccl(deepprof);
	if (!status)
		status = dp_deepprof__scan(deepprof, "nvtx", range, NVTX_COLUMNS, read_range);
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
		status = dp_deepprof__label(deepprof);
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
	dp_lookup__fini(&deepprof.nccl_rows);
	free(deepprof.nccl);
	free(deepprof.events);
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
	.how_to_record = "deepprof record around a program that uses the GPU",
	.probe = deepprof_probe,
	.read = deepprof_read,
};
