/*
 * NVIDIA Nsight Systems' SQLite export (nsys export --type sqlite), schemas 2.x and 3.x.
 *
 * Times are nanoseconds from the session's start. Only tables with rows exist. A process and a
 * thread are parts of a "serialized global id": 24 bits of pid above 24 bits of tid.
 *
 * CUDA graphs: a replay traced as a graph is a row of GRAPH_TRACE and becomes one operation; traced
 * by node, its kernels, copies and memsets are rows of their own with a graphNodeId. Reports can
 * hold both (if merged, or if the mode changed): a replay is omitted if its launch has operations
 * with a graphNodeId under the same process and correlation id, because they are its parts.
 */
#include "base/text.h"
#include "import/cupti.h"
#include "import/nsys_diagnostics.h"
#include "import/nsys_nccl.h"

#include <stdio.h>

enum nvtx_type {
	NVTX_PUSH_POP = 59,
	NVTX_START_END = 60,
	NVTXT_PUSH_POP = 70, /* in the text protocol */
	NVTXT_START_END = 71,
	NVTX_DOMAIN = 75, /* its name; before the ranges in it */
};

struct nsys {
	struct dp_cupti cupti;
	struct dp_nsys_nccl nccl;
	struct dp_lookup expanded; /* pid, correlation: a graph launch whose nodes were traced */
	int64_t default_pid;	   /* of operations whose row has none */
	bool has_graphs;
};

static struct nsys *nsys_of(struct dp_cupti *cupti)
{
	return (struct nsys *)cupti;
}

static int64_t pid_of(int64_t global_id)
{
	return global_id == -1 ? -1 : (int64_t)((uint64_t)global_id >> 24 & 0xffffff);
}

static int64_t tid_of(int64_t global_id)
{
	return global_id == -1 ? -1 : (int64_t)((uint64_t)global_id & 0xffffff);
}

static int64_t pid_of_row(const struct dp_cupti *cupti, struct dp_rows *rows)
{
	int64_t id = dp_rows__id(rows, DP_CUPTI_PROCESS);

	return id == -1 ? ((const struct nsys *)cupti)->default_pid : pid_of(id);
}

/* Sets *thread to that of a global id, DP_NONE if the row has none. */
static int thread_of_row(struct dp_cupti *cupti, struct dp_rows *rows, uint32_t *thread)
{
	int64_t id = dp_rows__id(rows, DP_CUPTI_THREAD);

	*thread = DP_NONE;
	if (id == -1)
		return DP_OK;
	*thread = dp_places__thread(&cupti->places, pid_of(id), tid_of(id));
	return *thread == DP_NONE ? dp_cupti__failed(cupti) : DP_OK;
}

static uint32_t call_name(struct dp_cupti *cupti, struct dp_rows *rows)
{
	return dp_names__get_call(cupti->names, dp_rows__id(rows, DP_CUPTI_NAME));
}

enum { NODE = DP_CUPTI_OWN, PAYLOAD, RANGE_DOMAIN };

/* Remembers the launch of an operation that is a node of a graph. */
static int note_node(struct dp_cupti *cupti, struct dp_rows *rows, const struct dp_op *op)
{
	struct nsys *nsys = nsys_of(cupti);
	struct dp_key key = { { 0, op->correlation } };

	if (!nsys->has_graphs || dp_rows__is_null(rows, NODE) || dp_rows__id(rows, NODE) == 0)
		return DP_OK;
	key.part[0] = pid_of_row(cupti, rows);
	return dp_lookup__set(&nsys->expanded, &key, 1) ? dp_cupti__nomem(cupti) : DP_OK;
}

static int read_graph(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_key key = { { pid_of_row(cupti, rows),
				dp_rows__correlation(rows, DP_CUPTI_CORRELATION) } };

	if (key.part[1] && dp_lookup__get(&nsys_of(cupti)->expanded, &key) != DP_NONE)
		return DP_OK;
	return dp_cupti__read_graph(cupti, rows);
}

static int read_domain(struct dp_cupti *cupti, struct dp_rows *rows)
{
	uint32_t name = dp_cupti__range_name(cupti, rows);

	if (name == DP_NONE)
		return dp_cupti__failed(cupti);
	return dp_cupti__note_domain(cupti, pid_of(dp_rows__id(rows, DP_CUPTI_THREAD)),
				     dp_rows__id(rows, RANGE_DOMAIN), name);
}

static int read_range(struct dp_cupti *cupti, struct dp_rows *rows)
{
	int64_t type = dp_rows__id(rows, DP_CUPTI_KIND);
	int64_t pid = pid_of(dp_rows__id(rows, DP_CUPTI_THREAD));
	struct dp_range range;
	const char *payload;
	size_t length;
	int status;

	if (type == NVTX_DOMAIN)
		return read_domain(cupti, rows);
	if (type != NVTX_PUSH_POP && type != NVTX_START_END && type != NVTXT_PUSH_POP &&
	    type != NVTXT_START_END)
		return DP_OK;
	status = dp_cupti__get_range(cupti, rows, &range);
	if (status != 1)
		return status;
	range.kind = dp_cupti__range_kind(cupti, pid, dp_rows__id(rows, RANGE_DOMAIN));
	status = dp_builder__add_range(cupti->import->builder, &range);
	payload = dp_rows__text(rows, PAYLOAD, &length);
	if (!status && payload &&
	    dp_nsys_nccl__add(&nsys_of(cupti)->nccl, cupti->import->builder, pid, &range, payload,
			      length))
		status = dp_cupti__nomem(cupti);
	return status;
}

static int read_payload_entry(struct dp_cupti *cupti, struct dp_rows *rows)
{
	return dp_nsys_nccl__read_entry(&nsys_of(cupti)->nccl, rows) ? dp_cupti__nomem(cupti)
								     : DP_OK;
}

#define RUNTIME "CUPTI_ACTIVITY_KIND_RUNTIME"

#define TIMES [DP_CUPTI_START] = { "start", true }, [DP_CUPTI_END] = { "end", true }
#define CORRELATION [DP_CUPTI_CORRELATION] = { "correlationId", false }
#define PLACE                                                                                     \
	[DP_CUPTI_PROCESS] = { "globalPid", false }, [DP_CUPTI_CONTEXT] = { "contextId", false }, \
	[DP_CUPTI_STREAM] = { "streamId", false }
#define OPERATION TIMES, PLACE, CORRELATION, [DP_CUPTI_DEVICE] = { "deviceId", false }
#define COPY                                                                                 \
	OPERATION, [NODE] = { "graphNodeId", false }, [DP_CUPTI_BYTES] = { "bytes", false }, \
		   [DP_CUPTI_KIND] = { "copyKind", false },                                  \
		   [DP_CUPTI_SOURCE] = { "srcKind", false },                                 \
		   [DP_CUPTI_TARGET] = { "dstKind", false }
#define CALL                                                            \
	TIMES, CORRELATION, [DP_CUPTI_THREAD] = { "globalTid", false }, \
			    [DP_CUPTI_NAME] = { "nameId", false }

static const struct dp_cupti_table record_tables[] = {
	{ "CUPTI_ACTIVITY_KIND_KERNEL",
	  dp_cupti__read_kernel,
	  { OPERATION, [NODE] = { "graphNodeId", false },
	    [DP_CUPTI_NAME] = { "demangledName", false },
	    [DP_CUPTI_SHORT_NAME] = { "shortName", false },
	    [DP_CUPTI_MANGLED_NAME] = { "mangledName", false } } },
	{ "CUPTI_ACTIVITY_KIND_MEMCPY", dp_cupti__read_copy, { COPY } },
	{ "CUPTI_ACTIVITY_KIND_MEMCPY2", dp_cupti__read_copy, { COPY } },
	{ "CUPTI_ACTIVITY_KIND_MEMSET",
	  dp_cupti__read_set,
	  { OPERATION, [NODE] = { "graphNodeId", false }, [DP_CUPTI_BYTES] = { "bytes", false },
	    [DP_CUPTI_TARGET] = { "memKind", false } } },
	{ "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
	  read_graph,
	  { OPERATION, [DP_CUPTI_NAME] = { "graphId,graphExecId", false } } },
	{ RUNTIME, dp_cupti__read_call, { CALL } },
	{ "CUPTI_ACTIVITY_KIND_DRIVER", dp_cupti__read_call, { CALL } },
	{ "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
	  dp_cupti__read_sync,
	  { TIMES, PLACE, CORRELATION, [DP_CUPTI_KIND] = { "syncType", false } } },
	{ "NVTX_EVENTS",
	  read_range,
	  { TIMES, [DP_CUPTI_KIND] = { "eventType", true }, [DP_CUPTI_TEXT] = { "text", false },
	    [DP_CUPTI_NAME] = { "textId", false }, [DP_CUPTI_THREAD] = { "globalTid", false },
	    [PAYLOAD] = { "binaryData", false }, [RANGE_DOMAIN] = { "domainId", false } } },
	{ NULL },
};

/*
 * Reads each table and its later versions (_V2, _V3, ...), of which there may be several.
 * graphNodeId lies far back in a row: it is read only if there are replays to distinguish.
 */
static int scan_records(struct nsys *nsys)
{
	struct dp_cupti *cupti = &nsys->cupti;
	int status = DP_OK;

	for (size_t i = 0; record_tables[i].name; i++) {
		struct dp_cupti_table table = record_tables[i];
		const char *base = dp_database__table(cupti->database, table.name);
		char name[64];

		if (!nsys->has_graphs)
			table.columns[NODE].names = NULL;
		status = dp_cupti__scan_as(cupti, &table, base);
		for (int version = 2; !status && version <= 9; version++) {
			snprintf(name, sizeof(name), "%s_V%d", table.name, version);
			status = dp_cupti__scan_as(cupti, &table,
						   dp_database__table(cupti->database, name));
		}
		if (status)
			break;
	}
	return status;
}

static int read_meta(struct dp_cupti *cupti, struct dp_rows *rows)
{
	size_t length;
	const char *name = dp_rows__text(rows, 0, &length);

	if (dp_text__is(name, length, "EXPORT_SCHEMA_VERSION")) {
		const char *value = dp_rows__text(rows, 1, &length);

		if (value)
			dp_builder__detail(cupti->import->builder, "schema %.*s",
					   (int)DP_MIN(length, (size_t)32), value);
	}
	return DP_OK;
}

static int read_epoch(struct dp_cupti *cupti, struct dp_rows *rows)
{
	int64_t epoch_ns;

	if (dp_rows__time(rows, 0, &epoch_ns))
		dp_builder__epoch(cupti->import->builder, epoch_ns);
	return DP_OK;
}

/* Calls always have a process: operations without one get that of the first call. */
static int find_default_pid(struct dp_cupti *cupti, struct dp_rows *rows)
{
	nsys_of(cupti)->default_pid = pid_of(dp_rows__id(rows, 0));
	return 1;
}

/* Names a process if it is in the trace: most of the machine's are not. */
static int read_process(struct dp_cupti *cupti, struct dp_rows *rows)
{
	uint32_t process = dp_places__find_process(&cupti->places, pid_of(dp_rows__id(rows, 0)));
	uint32_t name;

	if (process == DP_NONE)
		return DP_OK;
	if (dp_cupti__string(cupti, rows, 1, &name))
		return dp_cupti__failed(cupti);
	if (name != DP_NONE)
		dp_builder__name_process(cupti->import->builder, process, name, -1);
	return DP_OK;
}

static int read_thread_name(struct dp_cupti *cupti, struct dp_rows *rows)
{
	int64_t id = dp_rows__id(rows, 1);
	uint32_t thread = dp_places__find_thread(&cupti->places, pid_of(id), tid_of(id));
	uint32_t name;

	if (thread == DP_NONE)
		return DP_OK;
	name = dp_names__get(cupti->names, dp_rows__id(rows, 0), false);
	if (name == DP_NONE)
		return dp_cupti__failed(cupti);
	dp_builder__name_thread(cupti->import->builder, thread, name);
	return DP_OK;
}

/*
 * A GPU's id is nsys's own; cuDevice is its number in CUDA, which kernels have. The
 * oldest exports have that number alone, as deviceId.
 */
enum { GPU_ID, GPU_OLD_ID, GPU_CUDA_ID, GPU_NAME, GPU_MEMORY, GPU_UUID };

static int read_gpu(struct dp_cupti *cupti, struct dp_rows *rows)
{
	int id = dp_rows__is_null(rows, GPU_ID) ? GPU_OLD_ID : GPU_ID;
	bool by_cuda = !dp_rows__is_null(rows, GPU_CUDA_ID);
	size_t length;
	const char *text;
	struct dp_gpu gpu = { .total_bytes = dp_rows__bytes(rows, GPU_MEMORY) };

	if (dp_cupti__string(cupti, rows, GPU_NAME, &gpu.name))
		return dp_cupti__failed(cupti);
	text = dp_rows__text(rows, GPU_UUID, &length);
	gpu.uuid = dp_builder__uuid(cupti->import->builder, text, length);
	if (dp_gpus__add(&cupti->gpus, dp_rows__id(rows, id),
			 dp_rows__id(rows, by_cuda ? GPU_CUDA_ID : id), &gpu))
		return dp_cupti__nomem(cupti);
	return DP_OK;
}

/* The oldest exports have a table of another name only, with a row for each process. */
static int read_old_gpu(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_key key = { { dp_rows__id(rows, GPU_OLD_ID) } };

	return dp_lookup__get(&cupti->gpus.by_device, &key) == DP_NONE ? read_gpu(cupti, rows)
								       : DP_OK;
}

/* Newer exports map each process's device numbers to GPUs (CUDA_VISIBLE_DEVICES renumbers them). */
static int read_cuda_device(struct dp_cupti *cupti, struct dp_rows *rows)
{
	if (dp_gpus__map(&cupti->gpus, dp_rows__id(rows, 2), dp_rows__id(rows, 1),
			 dp_rows__id(rows, 0)))
		return dp_cupti__nomem(cupti);
	return DP_OK;
}

/* EXPORT_META_DATA was renamed META_DATA_EXPORT after 2023.2; the oldest exports have neither. */
static const struct dp_cupti_table first_tables[] = {
	{ "EXPORT_META_DATA", read_meta, { { "name", true }, { "value", true } } },
	{ "META_DATA_EXPORT", read_meta, { { "name", true }, { "value", true } } },
	{ "TARGET_INFO_SESSION_START_TIME", read_epoch, { { "utcEpochNs", false } } },
	{ RUNTIME, find_default_pid, { { "globalTid", true } } },
	{ "NVTX_PAYLOAD_SCHEMA_ENTRIES",
	  read_payload_entry,
	  { [DP_NSYS_ENTRY_DOMAIN] = { "domainId", true },
	    [DP_NSYS_ENTRY_SCHEMA] = { "schemaId", true },
	    [DP_NSYS_ENTRY_TYPE] = { "type", true },
	    [DP_NSYS_ENTRY_NAME] = { "name", true },
	    [DP_NSYS_ENTRY_OFFSET] = { "offset", false } } },
	{ NULL },
};

static const struct dp_cupti_table label_tables[] = {
	{ "PROCESSES", read_process, { { "globalPid", true }, { "name", true } } },
	{ "ThreadNames", read_thread_name, { { "nameId", true }, { "globalTid", true } } },
	{ "TARGET_INFO_GPU",
	  read_gpu,
	  { [GPU_ID] = { "id", false },
	    [GPU_OLD_ID] = { "deviceId", false },
	    [GPU_CUDA_ID] = { "cuDevice", false },
	    [GPU_NAME] = { "name", false },
	    [GPU_MEMORY] = { "totalMemory", false },
	    [GPU_UUID] = { "uuid", false } } },
	{ "TARGET_INFO_CUDA_GPU",
	  read_old_gpu,
	  { [GPU_OLD_ID] = { "deviceId", true },
	    [GPU_NAME] = { "name", false },
	    [GPU_MEMORY] = { "globalMemorySize", false } } },
	{ "TARGET_INFO_CUDA_DEVICE",
	  read_cuda_device,
	  { { "gpuId", true }, { "cudaId", true }, { "pid", false } } },
	{ "CUDA_GPU_MEMORY_USAGE_EVENTS",
	  dp_cupti__read_memory,
	  { [DP_CUPTI_START] = { "start", true },
	    [DP_CUPTI_PROCESS] = { "globalPid", false },
	    [DP_CUPTI_DEVICE] = { "deviceId", true },
	    [DP_CUPTI_BYTES] = { "bytes", true },
	    [DP_CUPTI_TARGET] = { "memKind", true },
	    [DP_CUPTI_KIND] = { "memoryOperationType", true } } },
	{ NULL },
};

static int read_all(struct nsys *nsys)
{
	struct dp_cupti *cupti = &nsys->cupti;
	int status;

	dp_cupti__expect(cupti, record_tables);
	nsys->has_graphs =
		dp_database__table(cupti->database, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE") != NULL;
	status = dp_cupti__scan(cupti, first_tables);
	if (!status)
		status = scan_records(nsys);
	if (!status)
		status = dp_cupti__scan(cupti, label_tables);
	if (!status)
		dp_places__name_devices(&cupti->places, &cupti->gpus);
	if (!status && !dp_builder__op_count(cupti->import->builder))
		status = dp_nsys__explain_no_gpu(cupti->database, cupti->import->builder);
	return status;
}

static int nsys_read(struct dp_import *import)
{
	static const struct dp_cupti_format format = {
		.names = "StringIds",
		.id = "id",
		.text = "value",
		.memory_from_0 = true,
		.pid = pid_of_row,
		.thread = thread_of_row,
		.call_name = call_name,
		.operation = note_node,
	};
	struct nsys nsys = { .default_pid = -1 };
	int status = dp_cupti__open(&nsys.cupti, import, &format);

	if (!status)
		status = read_all(&nsys);
	status = dp_cupti__close(&nsys.cupti, status);
	dp_lookup__fini(&nsys.expanded);
	dp_nsys_nccl__fini(&nsys.nccl);
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
	.how_to_record = "nsys profile -t cuda,nvtx --cuda-graph-trace=node",
	.probe = nsys_probe,
	.read = nsys_read,
};
