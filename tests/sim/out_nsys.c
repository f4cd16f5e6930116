/*
 * Exports of Nsight Systems to SQLite, in three of its schemas. Times are nanoseconds since the
 * session's start. Tables are made when their first row comes (nsys calls that lazy), except in
 * the oldest form.
 */
#include "db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLD, MIDDLE, NEW };
enum { KERNEL, MEMCPY, MEMSET, GRAPH, RUNTIME, SYNC, NVTX, TABLES, STRING = TABLES, OTHER };

/* Ids in StringIds. */
enum { ID_NODE = 8, ID_CALL = 16, ID_OPERATOR = 64, ID_KERNEL = 256 };

struct state {
	struct sim_db db;
	bool made[TABLES];
	bool *kernels; /* used */
	bool operators[SIM_OPERATORS];
	uint32_t *joined; /* per rank: a bit for each group whose communicator it has made */
	uint64_t last_ns;
};

#define GREEN "greenContextId INTEGER, "

static const char *const create[TABLES][3] = {
	[KERNEL] = {
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, "
		"deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, "
		"correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, "
		"shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, "
		"registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, "
		"gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, "
		"blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER "
		"NOT NULL, localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, "
		"gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, "
		"sharedMemoryLimitConfig INTEGER)",
		NULL,
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, "
		"deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, " GREEN
		"streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER "
		"NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig "
		"INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT "
		"NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ "
		"INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT "
		"NULL, localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId "
		"INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, "
		"sharedMemoryLimitConfig INTEGER, graphId INTEGER, clusterX INTEGER, clusterY INTEGER, "
		"clusterZ INTEGER, tensorSizeMinusOneElements TEXT NOT NULL)",
	},
	[MEMCPY] = {
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, "
		"deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, "
		"correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT "
		"NULL, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER, "
		"srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, graphNodeId INTEGER)",
		NULL,
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, "
		"deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, " GREEN
		"streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT "
		"NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, "
		"srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, "
		"migrationCause INTEGER, graphNodeId INTEGER, virtualAddress INTEGER, copyCount INTEGER)",
	},
	[MEMSET] = {
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, "
		"deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, "
		"correlationId INTEGER, globalPid INTEGER, value INTEGER NOT NULL, bytes INTEGER NOT NULL, "
		"graphNodeId INTEGER, memKind INTEGER)",
		NULL,
		"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, "
		"deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, " GREEN
		"streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, value INTEGER NOT "
		"NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER)",
	},
	[GRAPH] = {
		"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL, "
		"deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, "
		"correlationId INTEGER, globalPid INTEGER, graphId INTEGER NOT NULL, graphExecId INTEGER "
		"NOT NULL)",
		NULL,
		"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL, "
		"deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, " GREEN
		"streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, graphId INTEGER NOT "
		"NULL, graphExecId INTEGER NOT NULL)",
	},
	[RUNTIME] = {
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, "
		"eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT "
		"NULL, returnValue INTEGER NOT NULL, callchainId INTEGER)",
		NULL, NULL,
	},
	[SYNC] = {
		"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT "
		"NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, "
		"correlationId INTEGER, globalPid INTEGER, syncType INTEGER NOT NULL, eventId INTEGER NOT "
		"NULL)",
		NULL,
		"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT "
		"NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, " GREEN
		"streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, deprecatedSyncType "
		"INTEGER, syncType INTEGER NOT NULL, eventId INTEGER NOT NULL, eventSyncId INTEGER)",
	},
	[NVTX] = {
		"CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "
		"rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, "
		"endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER, int64Value "
		"INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, floatValue REAL, "
		"jsonTextId INTEGER, jsonText TEXT)",
		NULL,
		"CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "
		"rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, "
		"endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER, int64Value "
		"INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, floatValue REAL, "
		"jsonTextId INTEGER, jsonText TEXT, binaryData BLOB)",
	},
};

/* NCCL's payload schemas, each with its fields at offsets 0, 8 and 12 or 16. */
enum { INIT_SCHEMA = 16777218, CALL_SCHEMA = 16777220, SEND_SCHEMA = 16777226, NCCL_DOMAIN = 1 };

static const char nccl_schemas[] =
	"CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER NOT NULL, schemaId INTEGER NOT "
	"NULL, idx INTEGER NOT NULL, flags INTEGER, type INTEGER, name TEXT, description TEXT, "
	"arrayOrUnionDetail INTEGER, offset INTEGER);"
	"INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId, schemaId, idx, type, name, offset) VALUES"
	"(1,16777218,0,18,'NCCL communicator ID',NULL),(1,16777218,1,5,'No. of ranks',8),"
	"(1,16777218,2,5,'Rank',12),(1,16777218,3,5,'CUDA device',16),"
	"(1,16777220,0,18,'NCCL communicator ID',NULL),(1,16777220,1,22,'Message size [bytes]',8),"
	"(1,16777226,0,18,'NCCL communicator ID',NULL),(1,16777226,1,22,'Message size [bytes]',8),"
	"(1,16777226,2,5,'Peer rank',16);";

/* The newest text that is not newer than the variant. */
static const char *schema(int table, int variant)
{
	while (!create[table][variant])
		variant--;
	return create[table][variant];
}

static int make(struct sim_sink *sink, int table)
{
	struct state *state = sink->state;

	if (state->made[table])
		return 0;
	state->made[table] = true;
	return sim_db_run(&state->db, sink, schema(table, sink->writer->variant));
}

static int64_t global_pid(const struct sim_run *run, uint32_t rank)
{
	return ((int64_t)1 << 48) + ((int64_t)sim_run_pid(run, rank) << 24);
}

/* The columns that every operation begins with, up to globalPid. */
#define HEAD(sink, event)                                                                        \
	V((event)->start_ns), V((event)->end_ns), V(sim_run_device((sink)->run, (event)->rank)), \
		V(sim_run_context((sink)->run, (event)->rank)),                                  \
		V(sim_run_stream((sink)->run, (event)->stream)), V((event)->correlation),        \
		V(global_pid((sink)->run, (event)->rank))

static int put_kernel(struct sim_sink *sink, const struct sim_event *event)
{
	static const char *const insert[2] = {
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId, "
		"correlationId, globalPid, demangledName, shortName, mangledName, launchType, cacheConfig, "
		"registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, "
		"dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, gridId, "
		"sharedMemoryExecuted, graphNodeId, sharedMemoryLimitConfig) "
		"VALUES(?,?,?,?,?,?,?,?,?,?,1,0,?,?,1,1,?,1,1,?,0,0,127401984,?,32768,?,0)",
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId, "
		"correlationId, globalPid, demangledName, shortName, mangledName, launchType, cacheConfig, "
		"registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, "
		"dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, gridId, "
		"sharedMemoryExecuted, graphNodeId, sharedMemoryLimitConfig, greenContextId, clusterX, "
		"clusterY, clusterZ, tensorSizeMinusOneElements) "
		"VALUES(?,?,?,?,?,?,?,?,?,?,1,0,?,?,1,1,?,1,1,?,0,0,127401984,?,32768,?,0,0,1,0,0,'[]')",
	};
	struct state *state = sink->state;
	const struct sim_kernel *kernel = &sink->run->catalogue->kernels[event->name];
	int64_t id = ID_KERNEL + 3 * (int64_t)event->name;

	if (make(sink, KERNEL))
		return -1;
	state->kernels[event->name] = true;
	return sim_db_insert(
		sink, KERNEL, insert[sink->writer->variant == NEW], HEAD(sink, event), V(id),
		V(id + 1),
		sim_known(sink->writer->variant != OLD || kernel->mangled[0] == '_', id + 2),
		V(kernel->registers), V(event->grid), V(kernel->block), V(kernel->shared_memory),
		V(sink->events), sim_known(event->node, ID_NODE + (int64_t)event->grid));
}

/* nsys counts kinds of memory from 0, CUPTI from 1. */
static int put_memcpy(struct sim_sink *sink, const struct sim_event *event)
{
	if (make(sink, MEMCPY))
		return -1;
	return sim_db_insert(
		sink, MEMCPY,
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, contextId, "
		"streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind) "
		"VALUES(?,?,?,?,?,?,?,?,?,?,?)",
		HEAD(sink, event), V(event->bytes), V(sim_copy_kind(event)),
		V(sim_memory_kind(event, true) - 1), V(sim_memory_kind(event, false) - 1));
}

static int put_memset(struct sim_sink *sink, const struct sim_event *event)
{
	if (make(sink, MEMSET))
		return -1;
	return sim_db_insert(
		sink, MEMSET,
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET(start, end, deviceId, contextId, "
		"streamId, correlationId, globalPid, value, bytes, memKind) "
		"VALUES(?,?,?,?,?,?,?,0,?,2)",
		HEAD(sink, event), V(event->bytes));
}

static int put_graph(struct sim_sink *sink, const struct sim_event *event)
{
	if (make(sink, GRAPH))
		return -1;
	return sim_db_insert(
		sink, GRAPH,
		"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start, end, deviceId, contextId, "
		"streamId, correlationId, globalPid, graphId, graphExecId) "
		"VALUES(?,?,?,?,?,?,?,?,?)",
		HEAD(sink, event), V(event->name + 1), V(100 + event->name));
}

static int put_sync(struct sim_sink *sink, const struct sim_event *event)
{
	bool device = event->name == SIM_CALL_DEVICE_SYNC;

	if (make(sink, SYNC))
		return -1;
	return sim_db_insert(
		sink, SYNC,
		"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start, end, deviceId, contextId, "
		"streamId, correlationId, globalPid, syncType, eventId) "
		"VALUES(?,?,?,?,?,?,?,?,4294967295)",
		HEAD(sink, event), V(device ? 4 : 3));
}

static int put_call(struct sim_sink *sink, const struct sim_event *event)
{
	uint32_t tid = sim_run_tid(sink->run, event->rank, event->thread);

	if (make(sink, RUNTIME))
		return -1;
	if (sim_db_insert(
		    sink, RUNTIME,
		    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid, "
		    "correlationId, nameId, returnValue) VALUES(?,?,0,?,?,?,0)",
		    V(event->start_ns), V(event->end_ns),
		    V(global_pid(sink->run, event->rank) + tid), V(event->correlation),
		    V(ID_CALL + (int64_t)event->name)))
		return -1;
	if (event->name == SIM_CALL_STREAM_SYNC || event->name == SIM_CALL_DEVICE_SYNC)
		return put_sync(sink, event);
	return 0;
}

/* A range of NCCL with its payload: numbers of 64 and twice 32 bits. */
static int put_payload(struct sim_sink *sink, const struct sim_event *event, const char *name,
		       int64_t schema, uint64_t comm, uint64_t second, uint32_t third)
{
	uint64_t blob[7] = { NCCL_DOMAIN, (uint64_t)schema, 24, 32, comm, second, third };

	if (make(sink, NVTX))
		return -1;
	return sim_db_insert(
		sink, OTHER + 6,
		"INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid, domainId, "
		"binaryData) VALUES(?,?,59,?,?,1,?)",
		V(event->start_ns), V(event->end_ns), V(name),
		V(global_pid(sink->run, event->rank) +
		  sim_run_tid(sink->run, event->rank, event->thread)),
		sim_blob(blob, sizeof(blob)));
}

static int put_collective(struct sim_sink *sink, const struct sim_event *event)
{
	struct state *state = sink->state;
	const struct sim_collective *collective = &sink->run->collectives[event->collective - 1];
	const struct sim_group *group = &sink->run->ranks[event->rank].groups[collective->axis];
	uint64_t comm = 0x51ed270b9f1 * (group->number + 1ull);
	uint64_t bytes = collective->in_elements * 4;
	uint32_t peer = sim_group_peer(group, collective);

	if (!(state->joined[event->rank] & 1u << collective->axis)) {
		state->joined[event->rank] |= 1u << collective->axis;
		if (put_payload(sink, event, "ncclCommInitRankConfig", INIT_SCHEMA, comm,
				group->size | (uint64_t)group->rank << 32, 0))
			return -1;
	}
	return put_payload(sink, event, sim_nccl_name(collective),
			   peer == SIM_NONE ? CALL_SCHEMA : SEND_SCHEMA, comm, bytes, peer);
}

static int put_nvtx(struct sim_sink *sink, const struct sim_event *event)
{
	struct state *state = sink->state;
	uint32_t tid = sim_run_tid(sink->run, event->rank, event->thread);
	bool mark = event->kind == SIM_MARK;
	char text[64];

	if (event->collective)
		return put_collective(sink, event);
	if (make(sink, NVTX))
		return -1;
	if (mark)
		snprintf(text, sizeof(text), "%s#%u", sink->run->program->loops[event->name].mark,
			 (unsigned)event->number);
	else
		state->operators[event->name] = true;
	return sim_db_insert(
		sink, NVTX,
		"INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid, textId, "
		"domainId) VALUES(?,?,59,?,?,?,0)",
		V(event->start_ns), V(event->end_ns), V(mark ? text : NULL),
		V(global_pid(sink->run, event->rank) + tid),
		sim_known(!mark, ID_OPERATOR + (int64_t)event->name));
}

static int put_string(struct sim_sink *sink, int64_t id, const char *value)
{
	return sim_db_insert(sink, STRING, "INSERT INTO StringIds(id, value) VALUES(?,?)", V(id),
			     V(value));
}

static int put_strings(struct sim_sink *sink)
{
	static const char *const calls[SIM_CALLS] = { "cudaLaunchKernel_v7000",
						      "cudaMemcpyAsync_v3020",
						      "cudaMemsetAsync_v3020",
						      "cudaStreamSynchronize_v3020",
						      "cudaDeviceSynchronize_v3020",
						      "cudaGraphLaunch_v10000",
						      "cudaMalloc_v3020",
						      "cudaFree_v3020",
						      "cudaHostAlloc_v3020" };
	struct state *state = sink->state;
	const struct sim_catalogue *catalogue = sink->run->catalogue;
	bool tensorflow = strcmp(sink->run->program->framework, "tensorflow") == 0;

	if (put_string(sink, 0, "[Unknown]") || put_string(sink, 1, "python"))
		return -1;
	for (int i = 0; i < SIM_CALLS; i++)
		if (put_string(sink, ID_CALL + i, calls[i]))
			return -1;
	for (int i = 0; i < SIM_OPERATORS; i++)
		if (state->operators[i] &&
		    put_string(sink, ID_OPERATOR + i,
			       sim_operator_name((enum sim_operator)i, tensorflow)))
			return -1;
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct sim_kernel *kernel = &catalogue->kernels[i];
		int64_t id = ID_KERNEL + 3 * (int64_t)i;

		if (state->kernels[i] &&
		    (put_string(sink, id, kernel->name) || put_string(sink, id + 1, kernel->base) ||
		     put_string(sink, id + 2, kernel->mangled)))
			return -1;
	}
	return 0;
}

static int put_pair(struct sim_sink *sink, const char *name, const char *value)
{
	return sim_db_insert(sink, OTHER,
			     sink->writer->variant == OLD
				     ? "INSERT INTO EXPORT_META_DATA(name, value) VALUES(?,?)"
				     : "INSERT INTO META_DATA_EXPORT(name, value) VALUES(?,?)",
			     V(name), V(value));
}

static int put_versions(struct sim_sink *sink)
{
	static const char *const versions[3][5] = {
		{ "2022.4.2.50", "2.9.1", "2", "9", "1" },
		{ "2024.2.1.106", "3.11.1", "3", "11", "1" },
		{ "2026.2.1.210", "3.25.0", "3", "25", "0" },
	};
	const char *const *v = versions[sink->writer->variant];

	return put_pair(sink, "EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems") ||
			       put_pair(sink, "EXPORT_PRODUCT_VERSION", v[0]) ||
			       put_pair(sink, "EXPORT_SCHEMA_VERSION", v[1]) ||
			       put_pair(sink, "EXPORT_SCHEMA_VERSION_MAJOR", v[2]) ||
			       put_pair(sink, "EXPORT_SCHEMA_VERSION_MINOR", v[3]) ||
			       put_pair(sink, "EXPORT_SCHEMA_VERSION_MICRO", v[4]) ||
			       put_pair(sink, "EXPORT_PLATFORM", "linux-desktop") ||
			       put_pair(sink, "EXPORT_PARAM_LAZY",
					sink->writer->variant == OLD ? "false" : "true")
		       ? -1
		       : 0;
}

static int put_process(struct sim_sink *sink, uint32_t rank)
{
	const struct sim_run *run = sink->run;

	if (rank % run->program->devices)
		return 0;
	return sim_db_insert(sink, OTHER + 1,
			     "INSERT INTO PROCESSES(globalPid, pid, name) VALUES(?,?,'python')",
			     V(global_pid(run, rank)), V(sim_run_pid(run, rank)));
}

static int put_threads(struct sim_sink *sink, uint32_t rank)
{
	const struct sim_run *run = sink->run;

	for (uint32_t i = 0; i < SIM_THREADS; i++) {
		if (sim_db_insert(
			    sink, OTHER + 2,
			    "INSERT INTO ThreadNames(nameId, priority, globalTid) VALUES(1,20,?)",
			    V(global_pid(run, rank) + sim_run_tid(run, rank, i))))
			return -1;
	}
	return 0;
}

static int put_gpu(struct sim_sink *sink, uint32_t rank)
{
	uint32_t device = sim_run_device(sink->run, rank);
	char uuid[40];

	snprintf(uuid, sizeof(uuid), "60ac9fdc-1bab-f0b0-fc93-%012u", (unsigned)device);
	return sim_db_insert(
		sink, OTHER + 3,
		"INSERT INTO TARGET_INFO_GPU(vmId, id, name, busLocation, isDiscrete, "
		"l2CacheSize, totalMemory, memoryBandwidth, clockRate, smCount, uuid, chipName, "
		"cuDevice) VALUES(281474976710656,?,?,'0000:81:00.0',1,41943040,42297786368,"
		"1555200000000,1410000000,108,?,'GA100',?)",
		V(device), V(sink->run->program->gpu), V(uuid), V(device));
}

static int put_session(struct sim_sink *sink)
{
	char text[32];

	sim_time_text(text, sink->run->epoch_ns);
	if (sim_db_insert(
		    sink, OTHER + 4,
		    "INSERT INTO TARGET_INFO_SESSION_START_TIME(utcEpochNs, utcTime, localTime) "
		    "VALUES(?,?,?)",
		    V(sink->run->epoch_ns), V(text), V(text)))
		return -1;
	return sim_db_insert(
		sink, OTHER + 5,
		"INSERT INTO ANALYSIS_DETAILS(globalVid, duration, startTime, stopTime) "
		"VALUES(281474976710656,?,0,?)",
		V(((struct state *)sink->state)->last_ns),
		V(((struct state *)sink->state)->last_ns));
}

static const char common_tables[] =
	"CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
	"CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, "
	"localTime TEXT);"
	"CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER NOT NULL, duration INTEGER NOT NULL, "
	"startTime INTEGER NOT NULL, stopTime INTEGER NOT NULL);"
	"CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
	"CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);"
	"CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, "
	"busLocation TEXT, isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, "
	"memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, uuid TEXT, chipName TEXT, "
	"cuDevice INTEGER);"
	"CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
	"INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES(1,'CUDA_MEMCPY_KIND_HTOD','Host-to-Device'),"
	"(2,'CUDA_MEMCPY_KIND_DTOH','Device-to-Host'),(8,'CUDA_MEMCPY_KIND_DTOD','Device-to-Device');"
	"CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);"
	"INSERT INTO ENUM_CUDA_MEM_KIND VALUES"
	"(0,'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE','Pageable'),"
	"(1,'CUDA_MEMOPR_MEMORY_KIND_PINNED','Pinned'),"
	"(2,'CUDA_MEMOPR_MEMORY_KIND_DEVICE','Device');";

static int nsys_open(struct sim_sink *sink)
{
	struct state *state = sink->state = calloc(1, sizeof(*state));

	if (!state)
		return sim_sink_fail(sink, sink->path, "out of memory");
	state->kernels = calloc(sink->run->catalogue->count + 1, sizeof(bool));
	state->joined = calloc(sim_run_ranks(sink->run), sizeof(*state->joined));
	if (!state->kernels || !state->joined)
		return sim_sink_fail(sink, sink->path, "out of memory");
	if (sim_db_open(&state->db, sink, 4096) || sim_db_run(&state->db, sink, common_tables))
		return -1;
	if (sim_db_run(&state->db, sink,
		       sink->writer->variant == OLD
			       ? "CREATE TABLE EXPORT_META_DATA (name TEXT NOT NULL, value TEXT)"
			       : "CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT)"))
		return -1;
	if (sink->run->ranks && sim_db_run(&state->db, sink, nccl_schemas))
		return -1;
	for (int i = 0; i < TABLES && sink->writer->variant == OLD; i++)
		if (make(sink, i))
			return -1;
	return 0;
}

static int nsys_event(struct sim_sink *sink, const struct sim_event *event)
{
	struct state *state = sink->state;

	sink->events++;
	if (event->end_ns > state->last_ns)
		state->last_ns = event->end_ns;
	switch (event->kind) {
	case SIM_KERNEL:
		return put_kernel(sink, event);
	case SIM_COPY:
		return put_memcpy(sink, event);
	case SIM_SET:
		return put_memset(sink, event);
	case SIM_GRAPH:
		return put_graph(sink, event);
	case SIM_CALL:
		return put_call(sink, event);
	default:
		return put_nvtx(sink, event);
	}
}

static int complete_file(struct sim_sink *sink)
{
	if (put_strings(sink) || put_versions(sink) || put_session(sink))
		return -1;
	for (uint32_t r = 0; r < sim_run_ranks(sink->run); r++)
		if (put_process(sink, r) || put_threads(sink, r) || put_gpu(sink, r))
			return -1;
	return 0;
}

static int nsys_close(struct sim_sink *sink, bool complete)
{
	struct state *state = sink->state;
	int status = 0;

	if (!state)
		return 0;
	if (complete)
		status = complete_file(sink);
	if (sim_db_close(&state->db, sink, complete && status == 0))
		status = -1;
	free(state->kernels);
	free(state->joined);
	free(state);
	return status;
}

#define NSYS nsys_open, nsys_event, nsys_close

const struct sim_writer sim_nsys_writers[] = {
	{ "nsys", "Nsight Systems 2026, schema 3.25.0", ".sqlite", 1, 1, true, false, NEW, NSYS,
	  .jobs = true, .processes = true },
	{ "nsys-2024", "Nsight Systems 2024, schema 3.11.1", ".sqlite", 1, 1, true, false, MIDDLE,
	  NSYS },
	{ "nsys-2022", "Nsight Systems 2022, schema 2.9.1, empty tables too", ".sqlite", 1, 1, true,
	  false, OLD, NSYS },
	SIM_WRITERS_END,
};
