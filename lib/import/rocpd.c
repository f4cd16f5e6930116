/*
 * rocpd, the database that rocprofv3 (its default since ROCm 7) and rocprof-sys write; schemas 3
 * and 4. Each process has tables of its own, whose names end with its uuid, and a file may be
 * merged from several. Times are nanoseconds of the host's monotonic clock.
 *
 * A host call and its operation share rocpd_event.stack_id, rocprofiler's internal correlation id.
 * (Its column correlation_id is the external one, which programs set; it is mostly 0.)
 */
#include "base/text.h"
#include "import/rocpd.h"

#include <string.h>
#include <strings.h>

/* The columns of all records. */
enum { START, END, OWNER, EVENT, RECORD_COLUMNS };

#define RECORD_COLUMN_NAMES                                                   \
	[START] = { "start,start_id", true }, [END] = { "end,end_id", true }, \
	[OWNER] = { "track_id,pid", true }, [EVENT] = { "event_id", false }

/* Reads the records of a table, after finding where it has their times and places. */
static int scan(struct dp_rocpd *rocpd, const char *base, const struct dp_column *columns,
		size_t count, int (*read)(struct dp_rocpd *rocpd, struct dp_rows *rows))
{
	const char *table = dp_rocpd__table(rocpd, base);
	struct dp_database *database = rocpd->database;

	rocpd->by_track = table && dp_database__has_column(database, table, "track_id");
	rocpd->by_timestamp = table && !dp_database__has_column(database, table, "start") &&
			      dp_database__has_column(database, table, "start_id");
	return dp_rocpd__scan(rocpd, base, columns, count, read);
}

/* Sets *process to the key of the row's process in rocm, and the row's track. */
static int process_of(struct dp_rocpd *rocpd, struct dp_rows *rows, int64_t *process)
{
	int64_t id = dp_rows__id(rows, OWNER);

	if (rocpd->by_track) {
		rocpd->track = dp_rocpd__track(rocpd, id);
		id = rocpd->track->part[DP_ROCPD_PROCESS];
	}
	return dp_rocpd__process(rocpd, id, process);
}

/* Returns a part of the row's place: from its track or, without tracks, from a column. */
static int64_t place_of(const struct dp_rocpd *rocpd, struct dp_rows *rows, size_t part,
			size_t column)
{
	return rocpd->by_track ? rocpd->track->part[part] : dp_rows__id(rows, column);
}

/* Returns false if a time is missing; the row is then skipped. */
static bool read_times(const struct dp_rocpd *rocpd, struct dp_rows *rows, int64_t *start_ns,
		       int64_t *end_ns)
{
	bool valid;

	if (rocpd->by_timestamp) {
		*start_ns = dp_rocpd__time(rocpd, dp_rows__id(rows, START));
		*end_ns = dp_rocpd__time(rocpd, dp_rows__id(rows, END));
		valid = *start_ns != DP_ROCPD_NO_TIME && *end_ns != DP_ROCPD_NO_TIME;
	} else {
		valid = dp_rows__time(rows, START, start_ns) && dp_rows__time(rows, END, end_ns);
	}
	if (!valid)
		dp_rows__skip(rows, "no valid time");
	return valid;
}

/* Returns the number of an agent's device. */
static int64_t device_of(struct dp_rocpd *rocpd, int64_t process, int64_t agent)
{
	if (!rocpd->agent.known || rocpd->agent.id != agent || rocpd->agent_process != process) {
		rocpd->agent =
			(struct dp_rocpd_last){ agent, dp_rocm__device(rocpd->rocm, process, agent),
						true };
		rocpd->agent_process = process;
	}
	return rocpd->agent.value;
}

/* The columns of kernels and copies. */
enum { QUEUE = RECORD_COLUMNS, STREAM, OP_COLUMNS };

#define OP_COLUMN_NAMES \
	RECORD_COLUMN_NAMES, [QUEUE] = { "queue_id", false }, [STREAM] = { "stream_id", false }

/* Reads what kernels and copies share. Returns 1, 0 if the row cannot be used, or a status. */
static int read_common(struct dp_rocpd *rocpd, struct dp_rows *rows, struct dp_op *op,
		       int64_t process, int64_t agent)
{
	int64_t stream = -1;

	if (!read_times(rocpd, rows, &op->start_ns, &op->end_ns))
		return 0;
	if (!rocpd->by_queue && (rocpd->by_track || dp_rows__has(rows, STREAM)))
		stream = place_of(rocpd, rows, DP_ROCPD_STREAM, STREAM);
	else
		stream = place_of(rocpd, rows, DP_ROCPD_QUEUE, QUEUE);
	op->correlation = dp_rocpd__event(rocpd, dp_rows__id(rows, EVENT)).stack;
	op->stream = dp_places__stream(&rocpd->rocm->places, process,
				       device_of(rocpd, process, agent), -1, stream);
	return op->stream == DP_NONE ? dp_rocpd__failed(rocpd) : 1;
}

enum { KERNEL_AGENT = OP_COLUMNS, KERNEL_ID, KERNEL_COLUMNS };

static int read_kernel(struct dp_rocpd *rocpd, struct dp_rows *rows)
{
	struct dp_op op = { .kind = DP_OP_KERNEL };
	int64_t process;
	int status = process_of(rocpd, rows, &process);

	if (!status)
		status = read_common(rocpd, rows, &op, process,
				     place_of(rocpd, rows, DP_ROCPD_AGENT, KERNEL_AGENT));
	if (status != 1)
		return status;
	op.name = dp_names__get(rocpd->kernels, dp_rows__id(rows, KERNEL_ID), true);
	if (op.name == DP_NONE)
		return dp_rocpd__failed(rocpd);
	return dp_builder__op(rocpd->import->builder, &op);
}

enum { COPY_SRC = OP_COLUMNS, COPY_DST, COPY_BYTES, COPY_COLUMNS };

static int read_copy(struct dp_rocpd *rocpd, struct dp_rows *rows)
{
	struct dp_op op = { 0 };
	int64_t process, agent;
	int status = process_of(rocpd, rows, &process);

	if (!status)
		status = dp_rocm__copy(rocpd->rocm, &op, process, dp_rows__id(rows, COPY_SRC),
				       dp_rows__id(rows, COPY_DST), &agent);
	if (!status)
		status = read_common(rocpd, rows, &op, process, agent);
	if (status != 1)
		return status;
	op.bytes = dp_rows__bytes(rows, COPY_BYTES);
	return dp_builder__op(rocpd->import->builder, &op);
}

enum { REGION_TID = RECORD_COLUMNS, REGION_NAME, REGION_COLUMNS };

static int thread_of(struct dp_rocpd *rocpd, struct dp_rows *rows, uint32_t *thread)
{
	int64_t process;

	if (process_of(rocpd, rows, &process))
		return dp_rocpd__failed(rocpd);
	*thread = dp_places__thread(
		&rocpd->rocm->places, process,
		dp_rocpd__tid(rocpd, place_of(rocpd, rows, DP_ROCPD_THREAD, REGION_TID)));
	return *thread == DP_NONE ? dp_rocpd__failed(rocpd) : DP_OK;
}

static int read_region(struct dp_rocpd *rocpd, struct dp_rows *rows)
{
	struct dp_rocpd_event event = dp_rocpd__event(rocpd, dp_rows__id(rows, EVENT));
	struct dp_call call = { .correlation = event.stack };
	struct dp_range range;

	if (event.region == DP_ROCM_OTHER || !read_times(rocpd, rows, &call.start_ns, &call.end_ns))
		return DP_OK;
	/* A range is named by its message, anything else by its name. */
	call.name = event.message
			    ? event.message - 1
			    : dp_names__get(rocpd->strings, dp_rows__id(rows, REGION_NAME), false);
	if (call.name == DP_NONE || thread_of(rocpd, rows, &call.thread))
		return dp_rocpd__failed(rocpd);
	if (event.region == DP_ROCM_CALL)
		return dp_builder__add_call(rocpd->import->builder, &call);
	range = (struct dp_range){ call.start_ns, call.end_ns, call.name, call.thread,
				   event.region == DP_ROCM_MARKER ? DP_RANGE_NVTX
								  : DP_RANGE_OPERATOR };
	return dp_builder__add_range(rocpd->import->builder, &range);
}

enum {
	MEMORY_AGENT = RECORD_COLUMNS,
	MEMORY_TYPE,
	MEMORY_LEVEL,
	MEMORY_ADDRESS,
	MEMORY_SIZE,
	MEMORY_COLUMNS
};

static bool is(struct dp_rows *rows, size_t column, const char *word)
{
	size_t length;
	const char *text = dp_rows__text(rows, column, &length);

	return dp_text__is(text, length, word);
}

static int read_memory(struct dp_rocpd *rocpd, struct dp_rows *rows)
{
	int64_t address = dp_rows__id(rows, MEMORY_ADDRESS), time_ns, end_ns, process;

	if (!is(rows, MEMORY_LEVEL, "REAL") || !read_times(rocpd, rows, &time_ns, &end_ns))
		return DP_OK;
	if (process_of(rocpd, rows, &process))
		return dp_rocpd__failed(rocpd);
	if (is(rows, MEMORY_TYPE, "FREE"))
		return dp_rocm__free(rocpd->rocm, time_ns, process, address);
	if (!is(rows, MEMORY_TYPE, "ALLOC"))
		return DP_OK;
	return dp_rocm__allocate(rocpd->rocm, time_ns, process,
				 place_of(rocpd, rows, DP_ROCPD_AGENT, MEMORY_AGENT), address,
				 (int64_t)dp_rows__bytes(rows, MEMORY_SIZE));
}

static int read_records(struct dp_rocpd *rocpd)
{
	static const struct dp_column kernel[KERNEL_COLUMNS] = {
		OP_COLUMN_NAMES,
		[KERNEL_AGENT] = { "agent_id", false },
		[KERNEL_ID] = { "kernel_id", true },
	};
	static const struct dp_column copy[COPY_COLUMNS] = {
		OP_COLUMN_NAMES,
		[COPY_SRC] = { "src_agent_id", false },
		[COPY_DST] = { "dst_agent_id", false },
		[COPY_BYTES] = { "size", false },
	};
	static const struct dp_column region[REGION_COLUMNS] = {
		RECORD_COLUMN_NAMES,
		[REGION_TID] = { "tid", false },
		[REGION_NAME] = { "name_id", false },
	};
	static const struct dp_column memory[MEMORY_COLUMNS] = {
		RECORD_COLUMN_NAMES,
		[MEMORY_AGENT] = { "agent_id", false },
		[MEMORY_TYPE] = { "type", true },
		[MEMORY_LEVEL] = { "level", true },
		[MEMORY_ADDRESS] = { "address", true },
		[MEMORY_SIZE] = { "size", true },
	};
	int status = scan(rocpd, "kernel_dispatch", kernel, KERNEL_COLUMNS, read_kernel);

	if (!status)
		status = scan(rocpd, "memory_copy", copy, COPY_COLUMNS, read_copy);
	if (!status)
		status = scan(rocpd, "region", region, REGION_COLUMNS, read_region);
	if (!status)
		status = scan(rocpd, "memory_allocate", memory, MEMORY_COLUMNS, read_memory);
	return status;
}

static int read_set(struct dp_rocpd *rocpd)
{
	const char *symbols = dp_rocpd__table(rocpd, "info_kernel_symbol");
	bool display = symbols && dp_database__has_column(rocpd->database, symbols, "display_name");
	int status = dp_names__new(&rocpd->strings, rocpd->database,
				   dp_rocpd__table(rocpd, "string"), "id", "string");

	if (!status)
		status = dp_names__new(&rocpd->kernels, rocpd->database, symbols, "id",
				       display ? "display_name" : "kernel_name");
	if (!status)
		status = dp_rocpd__read_info(rocpd);
	if (!status)
		status = read_records(rocpd);
	dp_rocpd__fini(rocpd);
	return status;
}

/* Reads each set of tables, identified by the suffix of their names. */
static int read_sets(struct dp_import *import, struct dp_database *database, struct dp_rocm *rocm)
{
	static const char base[] = "rocpd_kernel_dispatch";
	static const char *const tables[] = { "rocpd_timestamp",       "rocpd_event",
					      "rocpd_kernel_dispatch", "rocpd_memory_copy",
					      "rocpd_region",	       "rocpd_memory_allocate" };
	const char *name;
	int status = DP_OK;

	for (size_t i = 0; (name = dp_database__table_at(database, i)); i++)
		for (size_t j = 0; j < DP_COUNT(tables); j++)
			if (!strncasecmp(name, tables[j], strlen(tables[j])))
				dp_database__expect(database, name);
	for (size_t i = 0; !status && (name = dp_database__table_at(database, i)); i++) {
		struct dp_rocpd set = { .import = import,
					.database = database,
					.suffix = name + sizeof(base) - 1,
					.rocm = rocm };

		if (!strncasecmp(name, base, sizeof(base) - 1))
			status = read_set(&set);
	}
	return status;
}

static int read_rocpd(struct dp_import *import)
{
	struct dp_database *database = NULL;
	struct dp_rocm rocm;
	int status;

	dp_rocm__init(&rocm, import);
	status = dp_database__open(&database, import);
	if (!status)
		status = read_sets(import, database, &rocm);
	if (!status)
		status = dp_database__finish(database);
	if (!status)
		dp_rocm__finish(&rocm);
	dp_rocm__fini(&rocm);
	dp_database__close(database);
	return status;
}

static int probe_rocpd(const struct dp_probe *probe)
{
	static const char *const own[] = { "rocpd_kernel_dispatch*", "rocpd_info_agent*",
					   "rocpd_info_process*" };
	int found = dp_database__probe(probe, own, DP_COUNT(own));

	return found < 0 ? found : found * 30;
}

const struct dp_importer dp_importer__rocpd = {
	.info = { "rocpd", "ROCm rocprofv3 and rocprof-sys, SQLite (rocpd)" },
	.database = true,
	.how_to_record = "rocprofv3 --sys-trace --output-format rocpd",
	.probe = probe_rocpd,
	.read = read_rocpd,
};
