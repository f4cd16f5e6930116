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
static void bind_head(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_db *db = &((struct state *)sink->state)->db;
	const struct sim_run *run = sink->run;

	sim_db_int(db, (int64_t)event->start_ns);
	sim_db_int(db, (int64_t)event->end_ns);
	sim_db_int(db, sim_run_device(run, event->rank));
	sim_db_int(db, sim_run_context(run, event->rank));
	sim_db_int(db, sim_run_stream(run, event->stream));
	sim_db_int(db, event->correlation);
	sim_db_int(db, global_pid(run, event->rank));
}

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
	struct sim_db *db = &state->db;
	const struct sim_kernel *kernel = &sink->run->catalogue->kernels[event->name];
	int64_t id = ID_KERNEL + 3 * (int64_t)event->name;

	if (make(sink, KERNEL) ||
	    sim_db_row(db, sink, KERNEL, insert[sink->writer->variant == NEW]))
		return -1;
	state->kernels[event->name] = true;
	bind_head(sink, event);
	sim_db_int(db, id);
	sim_db_int(db, id + 1);
	if (sink->writer->variant == OLD && kernel->mangled[0] != '_')
		sim_db_null(db);
	else
		sim_db_int(db, id + 2);
	sim_db_int(db, kernel->registers);
	sim_db_int(db, event->grid);
	sim_db_int(db, kernel->block);
	sim_db_int(db, kernel->shared_memory);
	sim_db_int(db, (int64_t)sink->events);
	if (event->node)
		sim_db_int(db, ID_NODE + (int64_t)event->grid);
	else
		sim_db_null(db);
	return sim_db_done(db, sink);
}

/* nsys's numbers: 0 pageable, 1 pinned, 2 device. */
static int64_t memory_kind(const struct sim_event *event, bool source)
{
	bool host = event->copy_kind == (source ? SIM_HTOD : SIM_DTOH);

	if (!host)
		return 2;
	return event->memory == SIM_PINNED ? 1 : 0;
}

static int put_memcpy(struct sim_sink *sink, const struct sim_event *event)
{
	static const int64_t kinds[] = { [SIM_HTOD] = 1, [SIM_DTOH] = 2, [SIM_DTOD] = 8 };
	struct sim_db *db = &((struct state *)sink->state)->db;

	if (make(sink, MEMCPY) ||
	    sim_db_row(db, sink, MEMCPY,
		       "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, contextId, "
		       "streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind) "
		       "VALUES(?,?,?,?,?,?,?,?,?,?,?)"))
		return -1;
	bind_head(sink, event);
	sim_db_int(db, (int64_t)event->bytes);
	sim_db_int(db, kinds[event->copy_kind]);
	sim_db_int(db, memory_kind(event, true));
	sim_db_int(db, memory_kind(event, false));
	return sim_db_done(db, sink);
}

static int put_memset(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_db *db = &((struct state *)sink->state)->db;

	if (make(sink, MEMSET) ||
	    sim_db_row(db, sink, MEMSET,
		       "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET(start, end, deviceId, contextId, "
		       "streamId, correlationId, globalPid, value, bytes, memKind) "
		       "VALUES(?,?,?,?,?,?,?,0,?,2)"))
		return -1;
	bind_head(sink, event);
	sim_db_int(db, (int64_t)event->bytes);
	return sim_db_done(db, sink);
}

static int put_graph(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_db *db = &((struct state *)sink->state)->db;

	if (make(sink, GRAPH) ||
	    sim_db_row(
		    db, sink, GRAPH,
		    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start, end, deviceId, contextId, "
		    "streamId, correlationId, globalPid, graphId, graphExecId) "
		    "VALUES(?,?,?,?,?,?,?,?,?)"))
		return -1;
	bind_head(sink, event);
	sim_db_int(db, event->name + 1);
	sim_db_int(db, 100 + event->name);
	return sim_db_done(db, sink);
}

static int put_sync(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_db *db = &((struct state *)sink->state)->db;
	bool device = event->name == SIM_CALL_DEVICE_SYNC;

	if (make(sink, SYNC) ||
	    sim_db_row(
		    db, sink, SYNC,
		    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start, end, deviceId, contextId, "
		    "streamId, correlationId, globalPid, syncType, eventId) "
		    "VALUES(?,?,?,?,?,?,?,?,4294967295)"))
		return -1;
	bind_head(sink, event);
	sim_db_int(db, device ? 4 : 3);
	return sim_db_done(db, sink);
}

static int put_call(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_db *db = &((struct state *)sink->state)->db;
	uint32_t tid = sim_run_tid(sink->run, event->rank, event->thread);

	if (make(sink, RUNTIME) ||
	    sim_db_row(db, sink, RUNTIME,
		       "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid, "
		       "correlationId, nameId, returnValue) VALUES(?,?,0,?,?,?,0)"))
		return -1;
	sim_db_int(db, (int64_t)event->start_ns);
	sim_db_int(db, (int64_t)event->end_ns);
	sim_db_int(db, global_pid(sink->run, event->rank) + tid);
	sim_db_int(db, event->correlation);
	sim_db_int(db, ID_CALL + (int64_t)event->name);
	if (sim_db_done(db, sink))
		return -1;
	if (event->name == SIM_CALL_STREAM_SYNC || event->name == SIM_CALL_DEVICE_SYNC)
		return put_sync(sink, event);
	return 0;
}

/* A range of NCCL's with what it says: numbers of 64 and twice 32 bits. */
static int put_payload(struct sim_sink *sink, const struct sim_event *event, const char *name,
		       int64_t schema, uint64_t comm, uint64_t second, uint32_t third)
{
	struct sim_db *db = &((struct state *)sink->state)->db;
	uint64_t blob[7] = { NCCL_DOMAIN, (uint64_t)schema, 24, 32, comm, second, third };

	if (make(sink, NVTX) ||
	    sim_db_row(db, sink, OTHER + 6,
		       "INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid, domainId, "
		       "binaryData) VALUES(?,?,59,?,?,1,?)"))
		return -1;
	sim_db_int(db, (int64_t)event->start_ns);
	sim_db_int(db, (int64_t)event->end_ns);
	sim_db_text(db, name);
	sim_db_int(db, global_pid(sink->run, event->rank) +
			       sim_run_tid(sink->run, event->rank, event->thread));
	sim_db_blob(db, blob, sizeof(blob));
	return sim_db_done(db, sink);
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
	struct sim_db *db = &state->db;
	uint32_t tid = sim_run_tid(sink->run, event->rank, event->thread);
	char text[64];

	if (event->collective)
		return put_collective(sink, event);
	if (make(sink, NVTX) ||
	    sim_db_row(db, sink, NVTX,
		       "INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid, textId, "
		       "domainId) VALUES(?,?,59,?,?,?,0)"))
		return -1;
	sim_db_int(db, (int64_t)event->start_ns);
	sim_db_int(db, (int64_t)event->end_ns);
	if (event->kind == SIM_MARK) {
		snprintf(text, sizeof(text), "%s#%u", sink->run->program->loops[event->name].mark,
			 (unsigned)event->number);
		sim_db_text(db, text);
	} else {
		sim_db_null(db);
	}
	sim_db_int(db, global_pid(sink->run, event->rank) + tid);
	if (event->kind == SIM_MARK) {
		sim_db_null(db);
	} else {
		state->operators[event->name] = true;
		sim_db_int(db, ID_OPERATOR + (int64_t)event->name);
	}
	return sim_db_done(db, sink);
}

static int put_string(struct sim_sink *sink, int64_t id, const char *value)
{
	struct sim_db *db = &((struct state *)sink->state)->db;

	if (sim_db_row(db, sink, STRING, "INSERT INTO StringIds(id, value) VALUES(?,?)"))
		return -1;
	sim_db_int(db, id);
	sim_db_text(db, value);
	return sim_db_done(db, sink);
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
	struct sim_db *db = &((struct state *)sink->state)->db;

	if (sim_db_row(db, sink, OTHER,
		       sink->writer->variant == OLD
			       ? "INSERT INTO EXPORT_META_DATA(name, value) VALUES(?,?)"
			       : "INSERT INTO META_DATA_EXPORT(name, value) VALUES(?,?)"))
		return -1;
	sim_db_text(db, name);
	sim_db_text(db, value);
	return sim_db_done(db, sink);
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
	struct sim_db *db = &((struct state *)sink->state)->db;
	const struct sim_run *run = sink->run;

	if (rank % run->program->devices)
		return 0;
	if (sim_db_row(db, sink, OTHER + 1,
		       "INSERT INTO PROCESSES(globalPid, pid, name) VALUES(?,?,'python')"))
		return -1;
	sim_db_int(db, global_pid(run, rank));
	sim_db_int(db, sim_run_pid(run, rank));
	return sim_db_done(db, sink);
}

static int put_threads(struct sim_sink *sink, uint32_t rank)
{
	struct sim_db *db = &((struct state *)sink->state)->db;
	const struct sim_run *run = sink->run;

	for (uint32_t i = 0; i < SIM_THREADS; i++) {
		if (sim_db_row(
			    db, sink, OTHER + 2,
			    "INSERT INTO ThreadNames(nameId, priority, globalTid) VALUES(1,20,?)"))
			return -1;
		sim_db_int(db, global_pid(run, rank) + sim_run_tid(run, rank, i));
		if (sim_db_done(db, sink))
			return -1;
	}
	return 0;
}

static int put_gpu(struct sim_sink *sink, uint32_t rank)
{
	struct sim_db *db = &((struct state *)sink->state)->db;
	uint32_t device = sim_run_device(sink->run, rank);
	char uuid[40];

	if (sim_db_row(
		    db, sink, OTHER + 3,
		    "INSERT INTO TARGET_INFO_GPU(vmId, id, name, busLocation, isDiscrete, "
		    "l2CacheSize, totalMemory, memoryBandwidth, clockRate, smCount, uuid, chipName, "
		    "cuDevice) VALUES(281474976710656,?,?,'0000:81:00.0',1,41943040,42297786368,"
		    "1555200000000,1410000000,108,?,'GA100',?)"))
		return -1;
	snprintf(uuid, sizeof(uuid), "60ac9fdc-1bab-f0b0-fc93-%012u", (unsigned)device);
	sim_db_int(db, device);
	sim_db_text(db, sink->run->program->gpu);
	sim_db_text(db, uuid);
	sim_db_int(db, device);
	return sim_db_done(db, sink);
}

static int put_session(struct sim_sink *sink)
{
	struct sim_db *db = &((struct state *)sink->state)->db;
	char text[32];

	if (sim_db_row(db, sink, OTHER + 4,
		       "INSERT INTO TARGET_INFO_SESSION_START_TIME(utcEpochNs, utcTime, localTime) "
		       "VALUES(?,?,?)"))
		return -1;
	sim_time_text(text, sink->run->epoch_ns);
	sim_db_int(db, (int64_t)sink->run->epoch_ns);
	sim_db_text(db, text);
	sim_db_text(db, text);
	if (sim_db_done(db, sink) ||
	    sim_db_row(db, sink, OTHER + 5,
		       "INSERT INTO ANALYSIS_DETAILS(globalVid, duration, startTime, stopTime) "
		       "VALUES(281474976710656,?,0,?)"))
		return -1;
	sim_db_int(db, (int64_t)((struct state *)sink->state)->last_ns);
	sim_db_int(db, (int64_t)((struct state *)sink->state)->last_ns);
	return sim_db_done(db, sink);
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
