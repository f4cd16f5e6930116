/*
 * RPD, the database of rocmProfileData, schema 3. The ids of each process begin at a multiple of
 * 2^32; a call's is its correlation.
 */
#include "db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OP, API, LINK, COPY, STRING, USTRING };

/* Ids in rocpd_string. */
enum {
	ID_EMPTY = 1,
	ID_KERNEL,
	ID_FILL,
	ID_MARKER,
	ID_HIP,
	ID_COPY = 6,  /* and the kind */
	ID_CALL = 16, /* and its number */
	ID_NAME = 64, /* and that of a kernel */
};

#define KEY "(id integer NOT NULL PRIMARY KEY AUTOINCREMENT, "

static const char tables[] =
	"CREATE TABLE rocpd_metadata" KEY
	"tag varchar(4096) NOT NULL, value varchar(4096) NOT NULL);"
	"CREATE TABLE rocpd_string" KEY "string varchar(4096) NOT NULL);"
	"CREATE TABLE rocpd_ustring" KEY "string varchar(4096) NOT NULL);"
	"CREATE TABLE rocpd_api" KEY
	"pid integer NOT NULL, tid integer NOT NULL, start integer NOT "
	"NULL, \"end\" integer NOT NULL, apiName_id bigint NOT NULL, category_id bigint NOT NULL, "
	"domain_id bigint NOT NULL, args_id bigint NOT NULL);"
	"CREATE TABLE rocpd_op" KEY "gpuId integer NOT NULL, queueId integer NOT NULL, sequenceId "
	"integer NOT NULL, start integer NOT NULL, \"end\" integer NOT NULL, description_id bigint NOT "
	"NULL, opType_id bigint NOT NULL);"
	"CREATE TABLE rocpd_api_ops" KEY "api_id bigint NOT NULL, op_id bigint NOT NULL);"
	"CREATE TABLE rocpd_copyapi(api_ptr_id bigint NOT NULL PRIMARY KEY, stream varchar(18) NOT "
	"NULL, size integer NOT NULL, width integer NOT NULL, height integer NOT NULL, kind integer "
	"NOT NULL, dst varchar(18) NOT NULL, src varchar(18) NOT NULL, dstDevice integer NOT NULL, "
	"srcDevice integer NOT NULL, sync bool NOT NULL, pinned bool NOT NULL);"
	"INSERT INTO rocpd_metadata(tag, value) VALUES('gpu_stride', '1000'), ('schema_version', '3');"
	"INSERT INTO rocpd_ustring(id, string) VALUES(1, '')";

struct state {
	struct sim_db db;
	uint64_t ops, ranges;
};

static int64_t first_id(const struct sim_sink *sink, const struct sim_event *event)
{
	return (int64_t)(1 + event->rank / sink->run->program->devices) << 32;
}

static int put_op(struct sim_sink *sink, const struct sim_event *event)
{
	struct state *state = sink->state;
	const struct sim_run *run = sink->run;
	int64_t id = first_id(sink, event) + (int64_t)++state->ops;
	int64_t api = first_id(sink, event) + event->correlation;
	int type = event->kind == SIM_KERNEL ? ID_KERNEL
		   : event->kind == SIM_COPY ? ID_COPY + (int)event->copy_kind
					     : ID_FILL;

	if (sim_db_insert(sink, OP, "INSERT INTO rocpd_op VALUES(?,?,?,0,?,?,?,?)", V(id),
			  V(sim_run_device(run, event->rank)),
			  V(sim_run_stream(run, event->stream)), V(event->start_ns),
			  V(event->end_ns),
			  V(event->kind == SIM_KERNEL ? ID_NAME + (int64_t)event->name : ID_EMPTY),
			  V(type)) ||
	    sim_db_insert(sink, LINK, "INSERT INTO rocpd_api_ops(api_id, op_id) VALUES(?,?)",
			  V(api), V(id)))
		return -1;
	if (event->kind != SIM_COPY)
		return 0;
	return sim_db_insert(sink, COPY,
			     "INSERT INTO rocpd_copyapi VALUES(?,'0x0',?,'','',?,'','',0,0,0,0)",
			     V(api), V(event->bytes), V(1 + (int64_t)event->copy_kind));
}

/* A call, or a range, whose message is the argument. */
static int put_api(struct sim_sink *sink, const struct sim_event *event)
{
	struct state *state = sink->state;
	const struct sim_program *program = sink->run->program;
	bool call = event->kind == SIM_CALL,
	     tensorflow = strcmp(program->framework, "tensorflow") == 0;
	int64_t id = first_id(sink, event) + event->correlation, message = 1;
	char text[64];

	if (!call) {
		message = (int64_t)++state->ranges + 1;
		id = first_id(sink, event) + ((int64_t)1 << 31) + message;
		snprintf(text, sizeof(text), event->kind == SIM_MARK ? "%s#%u" : "%s",
			 event->kind == SIM_MARK ? program->loops[event->name].mark
						 : sim_operator_name(event->name, tensorflow),
			 (unsigned)event->number);
		if (sim_db_insert(sink, USTRING, "INSERT INTO rocpd_ustring VALUES(?,?)",
				  V(message), V((const char *)text)))
			return -1;
	}
	return sim_db_insert(sink, API, "INSERT INTO rocpd_api VALUES(?,?,?,?,?,?,1,?,?)", V(id),
			     V(sim_run_pid(sink->run, event->rank)),
			     V(sim_run_tid(sink->run, event->rank, event->thread)),
			     V(event->start_ns), V(event->end_ns),
			     V(call ? ID_CALL + (int64_t)event->name : ID_MARKER),
			     V(call ? ID_HIP : ID_MARKER), V(message));
}

static int put_string(struct sim_sink *sink, int64_t id, const char *text)
{
	return sim_db_insert(sink, STRING, "INSERT INTO rocpd_string VALUES(?,?)", V(id), V(text));
}

static int put_strings(struct sim_sink *sink)
{
	static const struct {
		int64_t id;
		const char *text;
	} strings[] = {
		{ ID_EMPTY, "" },
		{ ID_KERNEL, "KernelExecution" },
		{ ID_FILL, "FillBuffer" },
		{ ID_MARKER, "UserMarker" },
		{ ID_HIP, "hip" },
		{ ID_COPY + SIM_HTOD, "CopyHostToDevice" },
		{ ID_COPY + SIM_DTOH, "CopyDeviceToHost" },
		{ ID_COPY + SIM_DTOD, "CopyDeviceToDevice" },
	};
	const struct sim_catalogue *catalogue = sink->run->catalogue;
	int status = 0;

	for (size_t i = 0; !status && i < sizeof(strings) / sizeof(strings[0]); i++)
		status = put_string(sink, strings[i].id, strings[i].text);
	for (uint32_t i = 0; !status && i < SIM_CALLS; i++)
		status = put_string(sink, ID_CALL + (int64_t)i, sim_hip_name(i));
	for (size_t i = 0; !status && i < catalogue->count; i++)
		status = put_string(sink, ID_NAME + (int64_t)i, catalogue->kernels[i].name);
	return status;
}

static int rpd_open(struct sim_sink *sink)
{
	struct state *state = sink->state = calloc(1, sizeof(*state));

	if (!state)
		return sim_sink_fail(sink, sink->path, "out of memory");
	return sim_db_open(&state->db, sink, 4096) || sim_db_run(&state->db, sink, tables) ? -1 : 0;
}

static int rpd_event(struct sim_sink *sink, const struct sim_event *event)
{
	sink->events++;
	return sim_event_on_gpu(event) ? put_op(sink, event) : put_api(sink, event);
}

static int rpd_close(struct sim_sink *sink, bool complete)
{
	struct state *state = sink->state;
	int status = 0;

	if (!state)
		return 0;
	if (complete)
		status = put_strings(sink);
	if (sim_db_close(&state->db, sink, complete && status == 0))
		status = -1;
	free(state);
	return status;
}

const struct sim_writer sim_rpd_writers[] = {
	{ .name = "rpd",
	  .help = "rocmProfileData, SQLite (RPD), schema 3",
	  .extension = ".rpd",
	  .start_quantum_ns = 1,
	  .length_quantum_ns = 1,
	  .open = rpd_open,
	  .event = rpd_event,
	  .close = rpd_close },
	SIM_WRITERS_END,
};
