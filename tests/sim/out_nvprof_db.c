/*
 * Databases of nvprof -o and nvvp, versions 12 and 8: CUPTI's activity records as tables. Times are
 * nanoseconds since 1970, names are mangled, and only callback ids tell which function a call was.
 */
#include "db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { V12, V8 };
enum { KERNEL, MEMCPY, MEMSET, RUNTIME, SYNC, MARKER, STRING, DEVICE, CONTEXT, VERSION };
enum { ID_KERNEL = 16, ID_OPERATOR = 8192, ID_MARK = 16384, MARKS_PER_LOOP = 1000000 };

struct state {
	struct sim_db db;
	bool *kernels;
	bool operators[SIM_OPERATORS];
	uint32_t ranges;
};

#define ID "_id_ INTEGER PRIMARY KEY AUTOINCREMENT, "
#define KERNEL_HEAD                                                                              \
	"(" ID "cacheConfig BLOB NOT NULL, sharedMemoryConfig INT NOT NULL, registersPerThread " \
	"INT NOT NULL, partitionedGlobalCacheRequested INT NOT NULL, "                           \
	"partitionedGlobalCacheExecuted INT NOT NULL, start INT NOT NULL, end INT NOT NULL, "    \
	"completed INT NOT NULL, deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT "   \
	"NOT NULL, gridX INT NOT NULL, gridY INT NOT NULL, gridZ INT NOT NULL, blockX INT NOT "  \
	"NULL, blockY INT NOT NULL, blockZ INT NOT NULL, staticSharedMemory INT NOT NULL, "      \
	"dynamicSharedMemory INT NOT NULL, localMemoryPerThread INT NOT NULL, "                  \
	"localMemoryTotal INT NOT NULL, correlationId INT NOT NULL, gridId INT NOT NULL, name "  \
	"INT NOT NULL"
#define KERNEL_12                                                                              \
	", queued INT NOT NULL, submitted INT NOT NULL, launchType INT NOT NULL, "             \
	"isSharedMemoryCarveoutRequested INT NOT NULL, sharedMemoryCarveoutRequested INT NOT " \
	"NULL, sharedMemoryExecuted INT NOT NULL"
#define CALLS                                                                                      \
	"(" ID "cbid INT NOT NULL, start INT NOT NULL, end INT NOT NULL, processId INT NOT NULL, " \
	"threadId INT NOT NULL, correlationId INT NOT NULL, returnValue INT NOT NULL);"
#define INDEX(kind) "CREATE INDEX INDEX_" kind " ON " kind "(correlationId);"

static const char common_tables[] =
	"CREATE TABLE StringTable(" ID "value TEXT NOT NULL UNIQUE );"
	"CREATE TABLE Version( version INTEGER);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(" ID
	"copyKind INT NOT NULL, srcKind INT NOT NULL, dstKind INT NOT NULL, flags INT NOT NULL, bytes "
	"INT NOT NULL, start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, contextId INT NOT "
	"NULL, streamId INT NOT NULL, correlationId INT NOT NULL, runtimeCorrelationId INT NOT NULL);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_DRIVER" CALLS
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME" CALLS
	"CREATE TABLE CUPTI_ACTIVITY_KIND_DEVICE(" ID
	"flags INT NOT NULL, globalMemoryBandwidth INT NOT NULL, globalMemorySize INT NOT NULL, "
	"numMultiprocessors INT NOT NULL, coreClockRate INT NOT NULL, computeCapabilityMajor INT NOT "
	"NULL, computeCapabilityMinor INT NOT NULL, id INT NOT NULL, uuid BLOB NOT NULL, name INT NOT "
	"NULL);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_CONTEXT(" ID
	"contextId INT NOT NULL, deviceId INT NOT NULL, computeApiKind INT NOT NULL, nullStreamId INT "
	"NOT NULL);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER(" ID
	"counterKind INT NOT NULL, value INT NOT NULL, start INT NOT NULL, end INT NOT NULL, address "
	"INT NOT NULL, srcId INT NOT NULL, dstId INT NOT NULL, streamId INT NOT NULL, processId INT "
	"NOT NULL);";

static const char tables_12[] =
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL" KERNEL_HEAD KERNEL_12 ");"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL" KERNEL_HEAD KERNEL_12 ");"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(" ID
	"value INT NOT NULL, bytes INT NOT NULL, start INT NOT NULL, end INT NOT NULL, deviceId INT "
	"NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL, correlationId INT NOT NULL, flags "
	"INT NOT NULL, memoryKind INT NOT NULL);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER(" ID
	"flags INT NOT NULL, timestamp INT NOT NULL, id INT NOT NULL, objectKind INT NOT NULL, objectId "
	"BLOB NOT NULL, name INT NOT NULL, domain INT NOT NULL);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(" ID
	"type INT NOT NULL, start INT NOT NULL, end INT NOT NULL, correlationId INT NOT NULL, contextId "
	"INT NOT NULL, streamId INT NOT NULL, cudaEventId INT NOT NULL);";

static const char tables_8[] =
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL" KERNEL_HEAD ");"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL" KERNEL_HEAD ");"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(" ID
	"value INT NOT NULL, bytes INT NOT NULL, start INT NOT NULL, end INT NOT NULL, deviceId INT "
	"NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL, correlationId INT NOT NULL, "
	"runtimeCorrelationId INT NOT NULL);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER(" ID
	"flags INT NOT NULL, timestamp INT NOT NULL, id INT NOT NULL, objectKind INT NOT NULL, objectId "
	"BLOB NOT NULL, name INT NOT NULL);";

/* Created last, since they would slow down every row. */
static const char indexes[] = INDEX("CUPTI_ACTIVITY_KIND_MEMCPY")
	INDEX("CUPTI_ACTIVITY_KIND_RUNTIME") INDEX("CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL");

static int64_t epoch(const struct sim_sink *sink, uint64_t ns)
{
	return (int64_t)(sink->run->epoch_ns + ns);
}

/* start, end, device, context, stream, correlation */
#define PLACE(sink, event)                                                  \
	V(epoch(sink, (event)->start_ns)), V(epoch(sink, (event)->end_ns)), \
		V(sim_run_device((sink)->run, (event)->rank)),              \
		V(sim_run_context((sink)->run, (event)->rank)),             \
		V(sim_run_stream((sink)->run, (event)->stream)), V((event)->correlation)

static int put_kernel(struct sim_sink *sink, const struct sim_event *event)
{
	static const char *const insert[] = {
		[V12] = "INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES(NULL, X'00', 0, ?7, 1, "
			"1, ?1, ?2, ?2, ?3, ?4, ?5, ?8, 1, 1, ?9, 1, 1, ?10, 0, 0, 193986560, ?6, ?11, "
			"?12, 0, 0, 0, 0, 0, 0)",
		[V8] = "INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES(NULL, X'00', 1, ?7, 2, "
		       "2, ?1, ?2, ?2, ?3, ?4, ?5, ?8, 1, 1, ?9, 1, 1, ?10, 0, 0, 62914560, ?6, ?11, "
		       "?12)",
	};
	struct state *state = sink->state;
	const struct sim_kernel *kernel = &sink->run->catalogue->kernels[event->name];

	state->kernels[event->name] = true;
	return sim_db_insert(sink, KERNEL, insert[sink->writer->variant], PLACE(sink, event),
			     V(kernel->registers), V(event->grid), V(kernel->block),
			     V(kernel->shared_memory), V(sink->events),
			     V(ID_KERNEL + (int64_t)event->name));
}

static int put_memcpy(struct sim_sink *sink, const struct sim_event *event)
{
	return sim_db_insert(
		sink, MEMCPY,
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(NULL, ?7, ?8, ?9, 1, ?10, ?1, ?2, "
		"?3, ?4, ?5, ?6, 0)",
		PLACE(sink, event), V(sim_copy_kind(event)), V(sim_memory_kind(event, true)),
		V(sim_memory_kind(event, false)), V(event->bytes));
}

static int put_memset(struct sim_sink *sink, const struct sim_event *event)
{
	return sim_db_insert(
		sink, MEMSET,
		sink->writer->variant == V12
			? "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(NULL, 0, ?7, ?1, ?2, ?3, "
			  "?4, ?5, ?6, 1, 3)"
			: "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(NULL, 0, ?7, ?1, ?2, ?3, "
			  "?4, ?5, ?6, 0)",
		PLACE(sink, event), V(event->bytes));
}

static int put_sync(struct sim_sink *sink, const struct sim_event *event)
{
	bool device = event->name == SIM_CALL_DEVICE_SYNC;

	return sim_db_insert(
		sink, SYNC,
		"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES(NULL,?,?,?,?,?,?,-1)",
		V(device ? 4 : 3), V(epoch(sink, event->start_ns)), V(epoch(sink, event->end_ns)),
		V(event->correlation), V(sim_run_context(sink->run, event->rank)),
		V(sim_run_stream(sink->run, event->stream)));
}

static int put_call(struct sim_sink *sink, const struct sim_event *event)
{
	if (sim_db_insert(sink, RUNTIME,
			  "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(NULL,?,?,?,?,?,?,0)",
			  V(sim_call_names[event->name].cbid), V(epoch(sink, event->start_ns)),
			  V(epoch(sink, event->end_ns)), V(sim_run_pid(sink->run, event->rank)),
			  V(sim_run_tid(sink->run, event->rank, event->thread)),
			  V(event->correlation)))
		return -1;
	if (sink->writer->variant == V12 &&
	    (event->name == SIM_CALL_STREAM_SYNC || event->name == SIM_CALL_DEVICE_SYNC))
		return put_sync(sink, event);
	return 0;
}

static int put_string(struct sim_sink *sink, int64_t id, const char *value)
{
	return sim_db_insert(sink, STRING,
			     "INSERT OR IGNORE INTO StringTable(_id_, value) VALUES(?,?)", V(id),
			     V(value));
}

/* A marker's object: the process in 4 bytes, the thread in 8, little endian. */
static void object_of(const struct sim_sink *sink, const struct sim_event *event,
		      unsigned char object[12])
{
	uint32_t pid = sim_run_pid(sink->run, event->rank);
	uint32_t tid = sim_run_tid(sink->run, event->rank, event->thread);

	memset(object, 0, 12);
	for (int i = 0; i < 4; i++) {
		object[i] = (unsigned char)(pid >> 8 * i);
		object[4 + i] = (unsigned char)(tid >> 8 * i);
	}
}

static int put_marker(struct sim_sink *sink, const struct sim_event *event, bool start,
		      int64_t name)
{
	struct state *state = sink->state;
	unsigned char object[12];

	object_of(sink, event, object);
	return sim_db_insert(
		sink, MARKER,
		sink->writer->variant == V12
			? "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER VALUES(NULL,?,?,?,2,?,?,0)"
			: "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER VALUES(NULL,?,?,?,2,?,?)",
		V(start ? 2 : 4), V(epoch(sink, start ? event->start_ns : event->end_ns)),
		V(state->ranges), sim_blob(object, sizeof(object)), V(start ? name : 0));
}

/* The first operator of the same name, since StringTable holds each name once. */
static uint32_t first_alike(uint32_t oper, bool tensorflow)
{
	const char *name = sim_operator_name((enum sim_operator)oper, tensorflow);

	for (uint32_t i = 0; i < oper; i++)
		if (strcmp(sim_operator_name((enum sim_operator)i, tensorflow), name) == 0)
			return i;
	return oper;
}

static int put_range(struct sim_sink *sink, const struct sim_event *event)
{
	struct state *state = sink->state;
	bool tensorflow = strcmp(sink->run->program->framework, "tensorflow") == 0;
	int64_t name = 0;
	char text[64];

	state->ranges++;
	if (event->kind == SIM_MARK) {
		name = ID_MARK + (int64_t)event->name * MARKS_PER_LOOP + event->number;
		snprintf(text, sizeof(text), "%s#%u", sink->run->program->loops[event->name].mark,
			 (unsigned)event->number);
		if (put_string(sink, name, text))
			return -1;
	} else {
		uint32_t oper = first_alike(event->name, tensorflow);

		state->operators[oper] = true;
		name = ID_OPERATOR + (int64_t)oper;
	}
	return put_marker(sink, event, true, name) || put_marker(sink, event, false, 0) ? -1 : 0;
}

static int put_device(struct sim_sink *sink, uint32_t rank)
{
	unsigned char uuid[16] = { 0x91, 0xed, 0x2e, 0xef, 0x98, 0x7b, 0x78, 0x2c, 0x7c, 0xfb };

	uuid[15] = (unsigned char)rank;
	if (sim_db_insert(
		    sink, DEVICE,
		    "INSERT INTO CUPTI_ACTIVITY_KIND_DEVICE VALUES(NULL, 31, 1555200000, 42297786368, "
		    "108, 1410000, 8, 0, ?, ?, 2)",
		    V(sim_run_device(sink->run, rank)), sim_blob(uuid, sizeof(uuid))))
		return -1;
	return sim_db_insert(
		sink, CONTEXT, "INSERT INTO CUPTI_ACTIVITY_KIND_CONTEXT VALUES(NULL, ?, ?, 1, 7)",
		V(sim_run_context(sink->run, rank)), V(sim_run_device(sink->run, rank)));
}

static int nvprof_open(struct sim_sink *sink)
{
	struct state *state = sink->state = calloc(1, sizeof(*state));
	bool v12 = sink->writer->variant == V12;

	if (!state)
		return sim_sink_fail(sink, sink->path, "out of memory");
	if (sink->run->program->processes > 1)
		return sim_sink_fail(sink, sink->writer->name, "holds one process only");
	state->kernels = calloc(sink->run->catalogue->count + 1, sizeof(bool));
	if (!state->kernels)
		return sim_sink_fail(sink, sink->path, "out of memory");
	state->ranges = 181129;
	if (sim_db_open(&state->db, sink, v12 ? 4096 : 1024) ||
	    sim_db_run(&state->db, sink, common_tables) ||
	    sim_db_run(&state->db, sink, v12 ? tables_12 : tables_8) ||
	    sim_db_run(&state->db, sink,
		       v12 ? "INSERT INTO Version VALUES(12)" : "INSERT INTO Version VALUES(8)") ||
	    put_string(sink, 0, "-- null --") || put_string(sink, 1, "python train.py") ||
	    put_string(sink, 2, sink->run->program->gpu))
		return -1;
	return 0;
}

static int nvprof_event(struct sim_sink *sink, const struct sim_event *event)
{
	sink->events++;
	switch (event->kind) {
	case SIM_KERNEL:
		return put_kernel(sink, event);
	case SIM_COPY:
		return put_memcpy(sink, event);
	case SIM_SET:
		return put_memset(sink, event);
	case SIM_CALL:
		return put_call(sink, event);
	default:
		return put_range(sink, event);
	}
}

static int complete_file(struct sim_sink *sink)
{
	struct state *state = sink->state;
	const struct sim_catalogue *catalogue = sink->run->catalogue;
	bool tensorflow = strcmp(sink->run->program->framework, "tensorflow") == 0;

	for (size_t i = 0; i < catalogue->count; i++)
		if (state->kernels[i] &&
		    put_string(sink, ID_KERNEL + (int64_t)i, catalogue->kernels[i].mangled))
			return -1;
	for (int i = 0; i < SIM_OPERATORS; i++)
		if (state->operators[i] &&
		    put_string(sink, ID_OPERATOR + i,
			       sim_operator_name((enum sim_operator)i, tensorflow)))
			return -1;
	for (uint32_t r = 0; r < sim_run_ranks(sink->run); r++)
		if (put_device(sink, r))
			return -1;
	return sim_db_run(&state->db, sink, indexes);
}

static int nvprof_close(struct sim_sink *sink, bool complete)
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
	free(state);
	return status;
}

#define NVPROF nvprof_open, nvprof_event, nvprof_close

const struct sim_writer sim_nvprof_writers[] = {
	{ "nvprof", "nvprof -o, version 12", ".sql", 1, 1, false, false, V12, NVPROF },
	{ "nvvp", "the Visual Profiler's, version 8", ".nvvp", 1, 1, false, false, V8, NVPROF },
	SIM_WRITERS_END,
};
