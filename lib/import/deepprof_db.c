/*
 * deepprof's own trace file (deepprof-trace(5)). Columns are looked up by name, and all that older
 * schemas lack are optional. Later schemas only add to it, so they can be read too.
 *
 * Graphs recorded as graphs have a graph_launch, graphs recorded by node have kernels with a
 * graph_node. graph_mode selects one of them per process, so nothing counts twice.
 */
#include "import/deepprof_private.h"
#include "format/schema.h"

int64_t dp_deepprof__pid(const struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_key key = { { dp_rows__id(rows, DP_CUPTI_PROCESS) } };
	uint32_t pid = dp_lookup__get(&((const struct deepprof *)cupti)->processes, &key);

	return pid == DP_NONE ? -1 : (int64_t)pid;
}

/* A row without a tid still has a process: its thread is number -1. */
static int thread_of_row(struct dp_cupti *cupti, struct dp_rows *rows, uint32_t *thread)
{
	*thread = dp_places__thread(&cupti->places, dp_deepprof__pid(cupti, rows),
				    dp_rows__id(rows, DP_CUPTI_THREAD));
	return *thread == DP_NONE ? dp_cupti__failed(cupti) : DP_OK;
}

enum { DOMAIN = DP_CUPTI_OWN };

static uint32_t call_name(struct dp_cupti *cupti, struct dp_rows *rows)
{
	return dp_cupti__call_name(cupti, dp_rows__id(rows, DOMAIN),
				   dp_rows__id(rows, DP_CUPTI_KIND));
}

static int read_cbid(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_key key = { { dp_rows__id(rows, 0), dp_rows__id(rows, 1) } };
	uint32_t name = dp_names__get_call(cupti->names, dp_rows__id(rows, 2));

	if (name == DP_NONE)
		return dp_cupti__failed(cupti);
	return dp_lookup__set(&cupti->calls, &key, name) ? dp_cupti__nomem(cupti) : DP_OK;
}

enum { EPOCH = DP_CUPTI_OWN, EVENT, EVENT_SYNC };

static void link_wait(struct dp_cupti *cupti, struct dp_rows *rows, struct dp_sync *sync)
{
	struct deepprof_event wait = {
		.pid = dp_deepprof__pid(cupti, rows),
		.context = dp_rows__id(rows, DP_CUPTI_CONTEXT),
		.event = dp_rows__id(rows, EVENT),
		.sync = dp_rows__is_null(rows, EVENT_SYNC) ? 0 : dp_rows__id(rows, EVENT_SYNC),
		.cause = dp_rows__integer(rows, EPOCH, 0, INT32_MAX, 0) << 32 | sync->correlation,
	};

	if (sync->kind == DP_SYNC_STREAM_WAIT_EVENT && !dp_rows__is_null(rows, EVENT))
		dp_deepprof__link_wait(dp_deepprof__of(cupti), &wait, sync);
}

static int read_sync(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct dp_sync sync = { 0 };
	int status = dp_cupti__get_sync(cupti, rows, &sync);

	if (status != 1)
		return status;
	link_wait(cupti, rows, &sync);
	return dp_builder__add_sync(cupti->import->builder, &sync);
}

enum { ID = DP_CUPTI_OWN, RANGE_DOMAIN };

static int read_range(struct dp_cupti *cupti, struct dp_rows *rows)
{
	int64_t type = dp_rows__id(rows, DP_CUPTI_KIND);
	struct dp_range range;
	int status;

	if (type != DP_SCHEMA_NVTX_PUSH_POP && type != DP_SCHEMA_NVTX_START_END)
		return DP_OK;
	status = dp_cupti__get_range(cupti, rows, &range);
	if (status != 1)
		return status;
	if (dp_cupti__named_domain(cupti, dp_rows__id(rows, RANGE_DOMAIN), &range.kind))
		return dp_cupti__failed(cupti);
	if (dp_rows__has(rows, ID) &&
	    dp_deepprof__add_nccl(dp_deepprof__of(cupti), dp_rows__id(rows, ID), &range))
		return dp_cupti__failed(cupti);
	return dp_builder__add_range(cupti->import->builder, &range);
}

#define TIMES                                                                           \
	[DP_CUPTI_PROCESS] = { "process", true }, [DP_CUPTI_START] = { "start", true }, \
	[DP_CUPTI_END] = { "dur_ns", true }
#define QUEUE                                                                               \
	[DP_CUPTI_CONTEXT] = { "context", false }, [DP_CUPTI_STREAM] = { "stream", false }, \
	[DP_CUPTI_CORRELATION] = { "corr", false }
#define OPERATION TIMES, QUEUE, [DP_CUPTI_DEVICE] = { "device", false }
#define THREAD [DP_CUPTI_THREAD] = { "tid", false }

static const struct dp_cupti_table operations[] = {
	{ "kernel", dp_cupti__read_kernel, { OPERATION, [DP_CUPTI_NAME] = { "name", true } } },
	{ "memcpy",
	  dp_cupti__read_copy,
	  { OPERATION, [DP_CUPTI_BYTES] = { "bytes", false }, [DP_CUPTI_KIND] = { "kind", false },
	    [DP_CUPTI_SOURCE] = { "src_kind", false },
	    [DP_CUPTI_TARGET] = { "dst_kind", false } } },
	{ "memset",
	  dp_cupti__read_set,
	  { OPERATION, [DP_CUPTI_BYTES] = { "bytes", false },
	    [DP_CUPTI_TARGET] = { "mem_kind", false } } },
	{ "graph_launch",
	  dp_cupti__read_graph,
	  { OPERATION, [DP_CUPTI_NAME] = { "graph", false } } },
	{ "api",
	  dp_cupti__read_call,
	  { TIMES, THREAD, [DP_CUPTI_CORRELATION] = { "corr", false },
	    [DP_CUPTI_KIND] = { "cbid", true }, [DOMAIN] = { "domain", true } } },
	{ NULL },
};

static const struct dp_cupti_table host[] = {
	{ "sync",
	  read_sync,
	  { TIMES, QUEUE, [DP_CUPTI_KIND] = { "kind", false }, [EPOCH] = { "epoch", false },
	    [EVENT] = { "event", false }, [EVENT_SYNC] = { "event_sync", false } } },
	{ "nvtx",
	  read_range,
	  { TIMES, THREAD, [DP_CUPTI_NAME] = { "name", true }, [DP_CUPTI_KIND] = { "type", true },
	    [ID] = { "id", false }, [RANGE_DOMAIN] = { "domain", false } } },
	{ NULL },
};

static const struct dp_cupti_table names[] = {
	{ "cbid", read_cbid, { { "domain", true }, { "cbid", true }, { "name", true } } },
	{ NULL },
};

static int read_all(struct dp_cupti *cupti)
{
	static const struct dp_cupti_table *const order[] = {
		dp_deepprof__first, names, operations,		dp_deepprof__events,
		dp_deepprof__nccl,  host,  dp_deepprof__labels, dp_deepprof__stacks,
	};
	int status = DP_OK;

	dp_cupti__expect(cupti, operations);
	dp_cupti__expect(cupti, host);
	dp_builder__detail(cupti->import->builder, "schema %lld",
			   (long long)dp_database__user_version(cupti->database));
	for (size_t i = 0; !status && i < DP_COUNT(order); i++)
		status = dp_cupti__scan(cupti, order[i]);
	dp_places__name_devices(&cupti->places, &cupti->gpus);
	return status;
}

static int deepprof_read(struct dp_import *import)
{
	static const struct dp_cupti_format format = {
		.names = "string",
		.id = "id",
		.text = "value",
		.has_durations = true,
		.pid = dp_deepprof__pid,
		.thread = thread_of_row,
		.call_name = call_name,
	};
	struct deepprof deepprof = { .processes = { 0 } };
	int status = dp_cupti__open(&deepprof.cupti, import, &format);

	if (!status)
		status = read_all(&deepprof.cupti);
	status = dp_cupti__close(&deepprof.cupti, status);
	dp_lookup__fini(&deepprof.processes);
	dp_lookup__fini(&deepprof.nccl_rows);
	free(deepprof.nccl);
	free(deepprof.events);
	dp_lookup__fini(&deepprof.stacks);
	free(deepprof.places);
	dp_strings__fini(&deepprof.uuids);
	dp_lookup__fini(&deepprof.uuid_devices);
	return status;
}

/* The file's views are named like nsys's tables: the application id distinguishes the two. */
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
