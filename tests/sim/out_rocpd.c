/*
 * rocpd, the database of ROCm 7's rocprofv3, schema 3: each process has tables of its own, named by
 * its uuid. Every record has an event, whose stack id is what calls and launches share.
 */
#include "db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENT, KERNEL, COPY, REGION, STRING, SYMBOL, AGENT, OTHER, STATEMENTS };
enum { PROCESSES = SIM_DB_STATEMENTS / STATEMENTS };

/* Ids in rocpd_string. */
enum {
	ID_DISPATCH = 1, /* categories */
	ID_HIP,
	ID_MARKER,
	ID_COPY,
	ID_RANGE = 8, /* names of operations */
	ID_HTOD,
	ID_DTOH,
	ID_DTOD,
	ID_CALL = 16,
};

struct state {
	struct sim_db db;
	uint64_t events[PROCESSES];
};

#define OWNER "nid INTEGER NOT NULL, pid INTEGER NOT NULL, "
#define DATA "extdata JSONB DEFAULT '{}' NOT NULL"

/* What follows id, and guid if the table has one. */
static const struct {
	const char *name, *columns;
} tables[] = {
	{ "metadata", "tag TEXT NOT NULL, value TEXT NOT NULL" },
	{ "string", "string TEXT NOT NULL UNIQUE" },
	{ "info_node",
	  "hash BIGINT NOT NULL UNIQUE, machine_id TEXT NOT NULL UNIQUE, hostname TEXT" },
	{ "info_process",
	  "nid INTEGER NOT NULL, ppid INTEGER, pid INTEGER NOT NULL, init BIGINT, fini BIGINT, "
	  "start BIGINT, end BIGINT, command TEXT, environment JSONB DEFAULT '{}' NOT NULL, " DATA },
	{ "info_thread",
	  "nid INTEGER NOT NULL, ppid INTEGER, pid INTEGER NOT NULL, tid INTEGER NOT "
	  "NULL, name TEXT, start BIGINT, end BIGINT, " DATA },
	{ "info_agent", OWNER
	  "type TEXT CHECK(type IN ('CPU', 'GPU')), absolute_index INTEGER, logical_index "
	  "INTEGER, type_index INTEGER, uuid INTEGER, name TEXT, model_name TEXT, vendor_name "
	  "TEXT, product_name TEXT, user_name TEXT, " DATA },
	{ "info_kernel_symbol",
	  OWNER "code_object_id INTEGER NOT NULL, kernel_name TEXT, display_name TEXT, " DATA },
	{ "event",
	  "category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id "
	  "INTEGER, call_stack JSONB DEFAULT '{}' NOT NULL, line_info JSONB DEFAULT '{}' NOT "
	  "NULL, " DATA },
	{ "region",
	  OWNER "tid INTEGER NOT NULL, start BIGINT NOT NULL, end BIGINT NOT NULL, name_id "
		"INTEGER NOT NULL, event_id INTEGER, " DATA },
	{ "kernel_dispatch", OWNER
	  "tid INTEGER, agent_id INTEGER NOT NULL, kernel_id INTEGER NOT NULL, dispatch_id "
	  "INTEGER NOT NULL, queue_id INTEGER NOT NULL, stream_id INTEGER NOT NULL, start BIGINT "
	  "NOT NULL, end BIGINT NOT NULL, private_segment_size INTEGER, group_segment_size "
	  "INTEGER, workgroup_size_x INTEGER NOT NULL, workgroup_size_y INTEGER NOT NULL, "
	  "workgroup_size_z INTEGER NOT NULL, grid_size_x INTEGER NOT NULL, grid_size_y INTEGER "
	  "NOT NULL, grid_size_z INTEGER NOT NULL, region_name_id INTEGER, event_id INTEGER, " DATA },
	{ "memory_copy", OWNER
	  "tid INTEGER, start BIGINT NOT NULL, end BIGINT NOT NULL, name_id INTEGER NOT NULL, "
	  "dst_agent_id INTEGER, dst_address INTEGER, src_agent_id INTEGER, src_address INTEGER, "
	  "size INTEGER NOT NULL, queue_id INTEGER, stream_id INTEGER, region_name_id INTEGER, "
	  "event_id INTEGER, " DATA },
	{ "memory_allocate", OWNER
	  "tid INTEGER, agent_id INTEGER, type TEXT, level TEXT, start BIGINT NOT NULL, end "
	  "BIGINT NOT NULL, address INTEGER, size INTEGER NOT NULL, queue_id INTEGER, stream_id "
	  "INTEGER, event_id INTEGER, " DATA },
};

static uint32_t process_of(const struct sim_sink *sink, uint32_t rank)
{
	return rank / sink->run->program->devices;
}

static const char *suffix_of(uint32_t process)
{
	static char text[64];

	snprintf(text, sizeof(text), "_01979000_0000_7000_8000_%012u", (unsigned)process + 1);
	return text;
}

/* Adds a row to one of the process's tables; columns is what follows its name. */
#define insert(sink, process, statement, table, columns, ...) \
	insert_row(sink, process, statement, table, columns,  \
		   (const struct sim_value[]){ __VA_ARGS__ }, \
		   sizeof((const struct sim_value[]){ __VA_ARGS__ }) / sizeof(struct sim_value))
static int insert_row(struct sim_sink *sink, uint32_t process, int statement, const char *table,
		      const char *columns, const struct sim_value *values, size_t count)
{
	char sql[512];

	snprintf(sql, sizeof(sql), "INSERT INTO rocpd_%s%s%s", table, suffix_of(process), columns);
	return sim_db_values(sink, (int)process * STATEMENTS + statement, sql, values, count);
}

/* The event of a record; 0 on failure. */
static uint64_t put_event(struct sim_sink *sink, uint32_t process, int category, uint64_t stack,
			  const char *data)
{
	struct state *state = sink->state;
	uint64_t id = ++state->events[process];

	return insert(sink, process, EVENT, "event",
		      "(id, category_id, stack_id, parent_stack_id, correlation_id, extdata) "
		      "VALUES(?,?,?,0,0,?)",
		      V(id), V(category), V(stack), V(data))
		       ? 0
		       : id;
}

#define THREAD(run, event) \
	V(sim_run_pid(run, (event)->rank)), V(sim_run_tid(run, (event)->rank, (event)->thread))

static int put_kernel(struct sim_sink *sink, const struct sim_event *event)
{
	const struct sim_run *run = sink->run;
	const struct sim_kernel *kernel = &run->catalogue->kernels[event->name];
	uint32_t process = process_of(sink, event->rank);
	uint64_t id = put_event(sink, process, ID_DISPATCH, event->correlation, "{}");

	if (!id)
		return -1;
	return insert(
		sink, process, KERNEL, "kernel_dispatch",
		"(nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, "
		"end, private_segment_size, group_segment_size, workgroup_size_x, "
		"workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, "
		"region_name_id, event_id) VALUES(1,?,?,?,?,?,?,?,?,?,0,0,?,1,1,?,1,1,NULL,?)",
		THREAD(run, event), V(1 + (int64_t)sim_run_device(run, event->rank)),
		V(1 + (int64_t)event->name), V(id), V(1 + event->stream % 4),
		V(sim_run_stream(run, event->stream)), V(event->start_ns), V(event->end_ns),
		V(kernel->block), V((int64_t)event->grid * kernel->block), V(id));
}

static int put_copy(struct sim_sink *sink, const struct sim_event *event)
{
	static const int names[] = {
		[SIM_HTOD] = ID_HTOD, [SIM_DTOH] = ID_DTOH, [SIM_DTOD] = ID_DTOD
	};
	const struct sim_run *run = sink->run;
	uint32_t process = process_of(sink, event->rank);
	int64_t agent = 1 + (int64_t)sim_run_device(run, event->rank);
	uint64_t id = put_event(sink, process, ID_COPY, event->correlation, "{}");

	if (!id)
		return -1;
	return insert(sink, process, COPY, "memory_copy",
		      "(nid, pid, tid, start, end, name_id, dst_agent_id, src_agent_id, size, "
		      "stream_id, event_id) VALUES(1,?,?,?,?,?,?,?,?,?,?)",
		      THREAD(run, event), V(event->start_ns), V(event->end_ns),
		      V(names[event->copy_kind]), V(event->copy_kind == SIM_DTOH ? 0 : agent),
		      V(event->copy_kind == SIM_HTOD ? 0 : agent), V(event->bytes),
		      V(sim_run_stream(run, event->stream)), V(id));
}

/* A call, or a range: its text is in its event. */
static int put_region(struct sim_sink *sink, const struct sim_event *event)
{
	const struct sim_run *run = sink->run;
	const struct sim_program *program = run->program;
	bool call = event->kind == SIM_CALL,
	     tensorflow = strcmp(program->framework, "tensorflow") == 0;
	uint32_t process = process_of(sink, event->rank);
	char data[128] = "{}";
	uint64_t id;

	if (event->kind == SIM_MARK)
		snprintf(data, sizeof(data), "{\"message\":\"%s#%u\"}",
			 program->loops[event->name].mark, (unsigned)event->number);
	else if (!call)
		snprintf(data, sizeof(data), "{\"message\":\"%s\"}",
			 sim_operator_name(event->name, tensorflow));
	id = put_event(sink, process, call ? ID_HIP : ID_MARKER, event->correlation, data);
	if (!id)
		return -1;
	return insert(sink, process, REGION, "region",
		      "(nid, pid, tid, start, end, name_id, event_id) VALUES(1,?,?,?,?,?,?)",
		      THREAD(run, event), V(event->start_ns), V(event->end_ns),
		      V(call ? ID_CALL + (int64_t)event->name : ID_RANGE), V(id));
}

static int put_strings(struct sim_sink *sink, uint32_t process)
{
	static const struct {
		int64_t id;
		const char *text;
	} strings[] = {
		{ ID_DISPATCH, "KERNEL_DISPATCH" },
		{ ID_HIP, "HIP_RUNTIME_API_EXT" },
		{ ID_MARKER, "MARKER_CORE_RANGE_API" },
		{ ID_COPY, "MEMORY_COPY" },
		{ ID_RANGE, "roctxThreadRangeA" },
		{ ID_HTOD, "MEMORY_COPY_HOST_TO_DEVICE" },
		{ ID_DTOH, "MEMORY_COPY_DEVICE_TO_HOST" },
		{ ID_DTOD, "MEMORY_COPY_DEVICE_TO_DEVICE" },
		{ ID_CALL, "hipLaunchKernel" },
		{ ID_CALL + 1, "hipMemcpyAsync" },
		{ ID_CALL + 2, "hipMemsetAsync" },
		{ ID_CALL + 3, "hipStreamSynchronize" },
		{ ID_CALL + 4, "hipDeviceSynchronize" },
		{ ID_CALL + 5, "hipGraphLaunch" },
		{ ID_CALL + 6, "hipMalloc" },
		{ ID_CALL + 7, "hipFree" },
		{ ID_CALL + 8, "hipHostMalloc" },
	};

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		if (insert(sink, process, STRING, "string", "(id, string) VALUES(?,?)",
			   V(strings[i].id), V(strings[i].text)))
			return -1;
	return 0;
}

static int put_symbols(struct sim_sink *sink, uint32_t process)
{
	const struct sim_catalogue *catalogue = sink->run->catalogue;

	for (size_t i = 0; i < catalogue->count; i++)
		if (insert(sink, process, SYMBOL, "info_kernel_symbol",
			   "(id, nid, pid, code_object_id, kernel_name, display_name) "
			   "VALUES(?,1,?,1,?,?)",
			   V(1 + (int64_t)i),
			   V(sim_run_pid(sink->run, process * sink->run->program->devices)),
			   V(catalogue->kernels[i].mangled), V(catalogue->kernels[i].name)))
			return -1;
	return 0;
}

/* Agent 0 is the host. */
static int put_agents(struct sim_sink *sink, uint32_t process)
{
	const struct sim_run *run = sink->run;
	uint32_t first = process * run->program->devices;

	for (uint32_t i = 0; i <= run->program->devices; i++)
		if (insert(sink, process, AGENT, "info_agent",
			   "(id, nid, pid, type, absolute_index, type_index, name, product_name) "
			   "VALUES(?,1,?,?,?,?,?,?)",
			   V(i ? 1 + (int64_t)sim_run_device(run, first + i - 1) : 0),
			   V(sim_run_pid(run, first)), V(i ? "GPU" : "CPU"), V(i),
			   V(i ? sim_run_device(run, first + i - 1) : 0), V(i ? "gfx942" : "host"),
			   V(i ? run->program->gpu : "host")))
			return -1;
	return insert(sink, process, OTHER, "info_process",
		      "(id, nid, ppid, pid, command, extdata) VALUES(?,1,1,?,'python',"
		      "'{\"group_by_queue\":false}')",
		      V(sim_run_pid(run, first)), V(sim_run_pid(run, first)));
}

/*
 * A process's tables, and views by their plain names, which show the tables of the first process.
 */
static int make_tables(struct sim_sink *sink, uint32_t process)
{
	struct state *state = sink->state;
	const char *suffix = suffix_of(process);
	char sql[2048], guid[128];

	snprintf(guid, sizeof(guid), "guid TEXT DEFAULT '%s' NOT NULL, ", suffix + 1);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		snprintf(
			sql, sizeof(sql),
			"CREATE TABLE rocpd_%s%s(id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, %s%s);"
			"CREATE VIEW IF NOT EXISTS rocpd_%s AS SELECT * FROM rocpd_%s%s",
			tables[i].name, suffix, i ? guid : "", tables[i].columns, tables[i].name,
			tables[i].name, suffix);
		if (sim_db_run(&state->db, sink, sql))
			return -1;
	}
	snprintf(sql, sizeof(sql),
		 "INSERT INTO rocpd_metadata%s(tag, value) VALUES('schema_version', '3'), "
		 "('uuid', '%s'), ('guid', '%s');"
		 "INSERT INTO rocpd_info_node%s(id, hash, machine_id, hostname) "
		 "VALUES(1, 1, 'm', 'host')",
		 suffix, suffix, suffix + 1, suffix);
	return sim_db_run(&state->db, sink, sql);
}

static int rocpd_open(struct sim_sink *sink)
{
	struct state *state = sink->state = calloc(1, sizeof(*state));

	if (!state)
		return sim_sink_fail(sink, sink->path, "out of memory");
	if (sink->run->program->processes > PROCESSES)
		return sim_sink_fail(sink, sink->writer->name, "holds a few processes only");
	if (sim_db_open(&state->db, sink, 4096))
		return -1;
	for (uint32_t i = 0; i < sink->run->program->processes; i++)
		if (make_tables(sink, i))
			return -1;
	return 0;
}

static int rocpd_event(struct sim_sink *sink, const struct sim_event *event)
{
	sink->events++;
	if (event->kind == SIM_KERNEL)
		return put_kernel(sink, event);
	return event->kind == SIM_COPY ? put_copy(sink, event) : put_region(sink, event);
}

static int rocpd_close(struct sim_sink *sink, bool complete)
{
	struct state *state = sink->state;
	int status = 0;

	if (!state)
		return 0;
	for (uint32_t i = 0; complete && !status && i < sink->run->program->processes; i++)
		status = put_strings(sink, i) || put_symbols(sink, i) || put_agents(sink, i) ? -1
											     : 0;
	if (sim_db_close(&state->db, sink, complete && status == 0))
		status = -1;
	free(state);
	return status;
}

const struct sim_writer sim_rocpd_writers[] = {
	{ .name = "rocpd",
	  .help = "ROCm's rocprofv3, SQLite (rocpd), schema 3",
	  .extension = ".db",
	  .start_quantum_ns = 1,
	  .length_quantum_ns = 1,
	  .no_sets = true,
	  .open = rocpd_open,
	  .event = rocpd_event,
	  .close = rocpd_close },
	SIM_WRITERS_END,
};
