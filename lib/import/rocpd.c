/*
 * rocpd, the database that rocprofv3 (its default since ROCm 7) and rocprof-sys write; schema 3.
 * Each process has tables of its own, whose names end with its uuid, and files may be merged of
 * several. Times are nanoseconds of the host's monotonic clock.
 *
 * Host calls and what they launched share rocpd_event.stack_id, rocprofiler's internal correlation
 * id. (Its column correlation_id is the external one, which programs set, and mostly 0.)
 */
#include "import/database.h"
#include "import/json_scan.h"
#include "import/rocm.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct event {
	uint32_t stack;
	uint32_t message; /* of a range: the builder's string + 1; 0: none */
	uint8_t region;	  /* enum dp_rocm_region */
};

/* One set of tables. */
struct rocpd {
	const struct dp_import *import;
	struct dp_database *database;
	const char *suffix;
	struct dp_rocm *rocm;
	struct dp_names *strings, *kernels;
	struct dp_lookup processes; /* id: index in keys */
	int64_t *keys;
	size_t process_count, process_room;
	struct dp_lookup threads; /* id: index in tids */
	int64_t *tids;
	size_t thread_count, thread_room;
	bool by_queue;
	/* Those of the last row: the next one mostly has the same. */
	struct last {
		int64_t id;
		int64_t value;
		bool known;
	} process, agent;
	int64_t agent_process;
	struct event *events; /* by id */
	size_t event_count, event_room;
	struct dp_lookup categories; /* id of the name: enum dp_rocm_region */
	int64_t last_category;
	uint32_t last_region;
};

static int failed(const struct rocpd *rocpd)
{
	return rocpd->import->error->status;
}

static int nomem(const struct rocpd *rocpd)
{
	return dp_error__nomem(rocpd->import->error, 0);
}

/* The set's own table of that name, or NULL. */
static const char *table_of(const struct rocpd *rocpd, const char *base)
{
	char name[128];

	snprintf(name, sizeof(name), "rocpd_%s%s", base, rocpd->suffix);
	return dp_database__table(rocpd->database, name);
}

static int scan(struct rocpd *rocpd, const char *base, const struct dp_column *columns,
		size_t count, int (*read)(struct rocpd *rocpd, struct dp_rows *rows))
{
	struct dp_rows rows;
	int status = dp_rows__open(&rows, rocpd->database, table_of(rocpd, base), columns, count);

	while (status == 1 && (status = dp_rows__next(&rows)) == 1) {
		if (read(rocpd, &rows) < 0) {
			status = failed(rocpd);
			break;
		}
	}
	dp_rows__close(&rows);
	return status;
}

/* Adds a number to a list, by an id of the file. */
static int add_number(struct rocpd *rocpd, struct dp_lookup *ids, int64_t id, int64_t **list,
		      size_t *count, size_t *room, int64_t value)
{
	struct dp_key key = { { id } };

	if (dp_array__reserve(list, room, *count + 1, sizeof(**list)) ||
	    dp_lookup__set(ids, &key, (uint32_t)*count))
		return nomem(rocpd);
	(*list)[(*count)++] = value;
	return DP_OK;
}

enum { PROCESS_ID, PROCESS_PID, PROCESS_CONFIG, PROCESS_COLUMNS };

/* --group-by-queue: streams are not recorded. */
static bool is_by_queue(const char *config, size_t length)
{
	static const char key[] = "\"group_by_queue\"";
	size_t at = 0, n = sizeof(key) - 1;

	while (at + n < length && memcmp(config + at, key, n) != 0)
		at++;
	for (at += n; at < length && (config[at] == ':' || config[at] == ' ');)
		at++;
	return at < length && config[at] == 't';
}

static int read_process(struct rocpd *rocpd, struct dp_rows *rows)
{
	size_t length;
	const char *config = dp_rows__text(rows, PROCESS_CONFIG, &length);
	int64_t key;

	if (config && is_by_queue(config, length))
		rocpd->by_queue = true;
	if (dp_rocm__add_process(rocpd->rocm, dp_rows__id(rows, PROCESS_PID), &key))
		return failed(rocpd);
	return add_number(rocpd, &rocpd->processes, dp_rows__id(rows, PROCESS_ID), &rocpd->keys,
			  &rocpd->process_count, &rocpd->process_room, key);
}

/* The key of a process in rocm. One that is not listed has the number of the row as its pid. */
static int process_of(struct rocpd *rocpd, struct dp_rows *rows, size_t column, int64_t *process)
{
	int64_t id = dp_rows__id(rows, column);
	struct dp_key key = { { id } };
	uint32_t index;

	if (!rocpd->process.known || rocpd->process.id != id) {
		index = dp_lookup__get(&rocpd->processes, &key);
		if (index == DP_NONE) {
			index = (uint32_t)rocpd->process_count;
			if (dp_rocm__add_process(rocpd->rocm, id, process) ||
			    add_number(rocpd, &rocpd->processes, id, &rocpd->keys,
				       &rocpd->process_count, &rocpd->process_room, *process))
				return failed(rocpd);
		}
		rocpd->process = (struct last){ id, rocpd->keys[index], true };
	}
	*process = rocpd->process.value;
	return DP_OK;
}

/* The number of an agent's device. */
static int64_t device_of(struct rocpd *rocpd, int64_t process, int64_t agent)
{
	if (!rocpd->agent.known || rocpd->agent.id != agent || rocpd->agent_process != process) {
		rocpd->agent =
			(struct last){ agent, dp_rocm__device(rocpd->rocm, process, agent), true };
		rocpd->agent_process = process;
	}
	return rocpd->agent.value;
}

static int read_thread(struct rocpd *rocpd, struct dp_rows *rows)
{
	return add_number(rocpd, &rocpd->threads, dp_rows__id(rows, 0), &rocpd->tids,
			  &rocpd->thread_count, &rocpd->thread_room, dp_rows__id(rows, 1));
}

static bool is(const char *text, size_t length, const char *word)
{
	return text && length == strlen(word) && !memcmp(text, word, length);
}

enum { AGENT_ID, AGENT_PID, AGENT_TYPE, AGENT_INDEX, AGENT_NAME, AGENT_COLUMNS };

static int read_agent(struct rocpd *rocpd, struct dp_rows *rows)
{
	struct dp_gpu gpu = { DP_NONE, DP_NONE, 0 };
	int64_t process;
	size_t length;
	const char *text = dp_rows__text(rows, AGENT_TYPE, &length);

	if (!is(text, length, "GPU"))
		return DP_OK;
	if (process_of(rocpd, rows, AGENT_PID, &process))
		return failed(rocpd);
	text = dp_rows__text(rows, AGENT_NAME, &length);
	if (length) {
		gpu.name = dp_builder__string(rocpd->import->builder, text, length);
		if (gpu.name == DP_NONE)
			return failed(rocpd);
	}
	return dp_rocm__add_gpu(rocpd->rocm, process, dp_rows__id(rows, AGENT_ID),
				dp_rows__id(rows, AGENT_INDEX), &gpu);
}

static int read_metadata(struct rocpd *rocpd, struct dp_rows *rows)
{
	size_t length;
	const char *tag = dp_rows__text(rows, 0, &length), *value;

	if (!is(tag, length, "schema_version"))
		return DP_OK;
	value = dp_rows__text(rows, 1, &length);
	if (value)
		dp_builder__detail(rocpd->import->builder, "schema %.*s",
				   (int)DP_MIN(length, (size_t)32), value);
	return DP_OK;
}

static int scan_info(struct rocpd *rocpd)
{
	static const struct dp_column metadata[] = { { "tag", true }, { "value", true } };
	static const struct dp_column process[PROCESS_COLUMNS] = {
		[PROCESS_ID] = { "id", true },
		[PROCESS_PID] = { "pid", true },
		[PROCESS_CONFIG] = { "extdata", false },
	};
	static const struct dp_column thread[] = { { "id", true }, { "tid", true } };
	static const struct dp_column agent[AGENT_COLUMNS] = {
		[AGENT_ID] = { "id", true },
		[AGENT_PID] = { "pid", true },
		[AGENT_TYPE] = { "type", true },
		[AGENT_INDEX] = { "type_index,logical_index,absolute_index", false },
		[AGENT_NAME] = { "product_name,model_name,name", false },
	};
	int status = scan(rocpd, "metadata", metadata, DP_COUNT(metadata), read_metadata);

	if (!status)
		status = scan(rocpd, "info_process", process, PROCESS_COLUMNS, read_process);
	if (!status)
		status = scan(rocpd, "info_thread", thread, DP_COUNT(thread), read_thread);
	if (!status)
		status = scan(rocpd, "info_agent", agent, AGENT_COLUMNS, read_agent);
	return status;
}

enum { EVENT_CATEGORY, EVENT_STACK, EVENT_MESSAGE, EVENT_COLUMNS };

/* What regions of a category are, by the category's name: of them there are some twenty. */
static int find_region(struct rocpd *rocpd, int64_t category, uint32_t *region)
{
	static const struct dp_column name[] = { { "string", true } };
	struct dp_key key = { { category } };
	struct dp_rows rows;
	const char *text = NULL;
	size_t length;
	int status = dp_rows__open(&rows, rocpd->database, table_of(rocpd, "string"), name, 1);

	*region = DP_ROCM_OTHER;
	if (status == 1) {
		dp_rows__from(&rows, category);
		status = dp_rows__next(&rows);
	}
	if (status == 1 && rows.rowid == category)
		text = dp_rows__text(&rows, 0, &length);
	if (text)
		*region = dp_rocm__region(text, length);
	dp_rows__close(&rows);
	if (status >= 0 && dp_lookup__set(&rocpd->categories, &key, *region))
		return nomem(rocpd);
	return failed(rocpd);
}

static int region_of(struct rocpd *rocpd, int64_t category, uint32_t *region)
{
	struct dp_key key = { { category } };
	int status = DP_OK;

	if (category != rocpd->last_category || !rocpd->categories.count) {
		rocpd->last_region = dp_lookup__get(&rocpd->categories, &key);
		if (rocpd->last_region == DP_NONE)
			status = find_region(rocpd, category, &rocpd->last_region);
		rocpd->last_category = category;
	}
	*region = rocpd->last_region;
	return status;
}

/* {"message": "…"} of a range. */
static int keep_message(struct rocpd *rocpd, struct dp_rows *rows)
{
	char text[1024 + DP_JSON_PAD] = "", plain[1024];
	struct dp_json_text key, value;
	struct dp_json json = { text + 1, text };
	size_t length;
	const char *data = dp_rows__text(rows, EVENT_MESSAGE, &length);
	uint32_t name;

	if (!data || length < 2 || length > sizeof(plain) || *data != '{')
		return DP_OK;
	memcpy(text, data, length);
	json.end = text + length;
	while (dp_json__member(&json, &key) == DP_JSON_OK && key.at) {
		if (key.length != 7 || memcmp(key.at, "message", 7) != 0 || *json.at != '"') {
			if (dp_json__skip(&json, DP_JSON_IN_OBJECT) != DP_JSON_OK)
				break;
			continue;
		}
		if (dp_json__string(&json, DP_JSON_IN_OBJECT, &value) != DP_JSON_OK)
			break;
		length = dp_json__unescape(&value, plain);
		name = dp_builder__string(rocpd->import->builder, plain, length);
		if (name == DP_NONE)
			return failed(rocpd);
		rocpd->events[rows->rowid].message = name + 1;
		return DP_OK;
	}
	return DP_OK;
}

/*
 * Ids count from 1, so events are found by their place. In a damaged or filtered file ids may be
 * far apart: those that would need more than some bytes for each row are not kept.
 */
static int read_event(struct rocpd *rocpd, struct dp_rows *rows)
{
	int64_t id = rows->rowid, stack = dp_rows__id(rows, EVENT_STACK);
	size_t before = rocpd->event_count;
	uint32_t region;

	if (id < 0 || (uint64_t)id > 65536 + 4 * rows->read)
		return DP_OK;
	if (dp_array__reserve(&rocpd->events, &rocpd->event_room, (size_t)id + 1,
			      sizeof(*rocpd->events)))
		return nomem(rocpd);
	memset(rocpd->events + before, 0, ((size_t)id + 1 - before) * sizeof(*rocpd->events));
	rocpd->event_count = (size_t)id + 1;
	if (region_of(rocpd, dp_rows__id(rows, EVENT_CATEGORY), &region))
		return failed(rocpd);
	rocpd->events[id] = (struct event){
		.stack = stack > 0 && stack <= UINT32_MAX ? (uint32_t)stack : 0,
		.region = (uint8_t)region,
	};
	return region == DP_ROCM_MARKER ? keep_message(rocpd, rows) : DP_OK;
}

static struct event event_of(const struct rocpd *rocpd, int64_t id)
{
	if (id < 0 || (uint64_t)id >= rocpd->event_count)
		return (struct event){ 0 };
	return rocpd->events[id];
}

/* Columns that kernels and copies have. */
enum { START, END, PID, QUEUE, STREAM, EVENT, OP_COLUMNS };

#define OP_COLUMN_NAMES                                                                \
	[START] = { "start", true }, [END] = { "end", true }, [PID] = { "pid", true }, \
	[QUEUE] = { "queue_id", false }, [STREAM] = { "stream_id", false },            \
	[EVENT] = { "event_id", false }

/* What they have in common, agent known: 1, 0 where the row cannot be used, or a status. */
static int read_common(struct rocpd *rocpd, struct dp_rows *rows, struct dp_op *op, int64_t process,
		       int64_t agent)
{
	bool by_queue = rocpd->by_queue || !dp_rows__has(rows, STREAM);

	if (!dp_rows__time(rows, START, &op->start_ns) || !dp_rows__time(rows, END, &op->end_ns)) {
		dp_rows__skip(rows, "no valid time");
		return 0;
	}
	op->correlation = event_of(rocpd, dp_rows__id(rows, EVENT)).stack;
	op->stream =
		dp_places__stream(&rocpd->rocm->places, process, device_of(rocpd, process, agent),
				  -1, dp_rows__id(rows, by_queue ? QUEUE : STREAM));
	return op->stream == DP_NONE ? failed(rocpd) : 1;
}

enum { KERNEL_AGENT = OP_COLUMNS, KERNEL_ID, KERNEL_COLUMNS };

static int read_kernel(struct rocpd *rocpd, struct dp_rows *rows)
{
	struct dp_op op = { .kind = DP_OP_KERNEL };
	int64_t process;
	int status = process_of(rocpd, rows, PID, &process);

	if (!status)
		status = read_common(rocpd, rows, &op, process, dp_rows__id(rows, KERNEL_AGENT));
	if (status != 1)
		return status;
	op.name = dp_names__get(rocpd->kernels, dp_rows__id(rows, KERNEL_ID), true);
	if (op.name == DP_NONE)
		return failed(rocpd);
	return dp_builder__op(rocpd->import->builder, &op);
}

enum { COPY_SRC = OP_COLUMNS, COPY_DST, COPY_BYTES, COPY_COLUMNS };

static int read_copy(struct rocpd *rocpd, struct dp_rows *rows)
{
	struct dp_op op = { 0 };
	int64_t process, agent;
	int status = process_of(rocpd, rows, PID, &process);

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

enum {
	REGION_START,
	REGION_END,
	REGION_PID,
	REGION_TID,
	REGION_NAME,
	REGION_EVENT,
	REGION_COLUMNS
};

static int thread_of(struct rocpd *rocpd, struct dp_rows *rows, uint32_t *thread)
{
	struct dp_key key = { { dp_rows__id(rows, REGION_TID) } };
	uint32_t index = dp_lookup__get(&rocpd->threads, &key);
	int64_t process;

	if (process_of(rocpd, rows, REGION_PID, &process))
		return failed(rocpd);
	*thread = dp_places__thread(&rocpd->rocm->places, process,
				    index == DP_NONE ? key.part[0] : rocpd->tids[index]);
	return *thread == DP_NONE ? failed(rocpd) : DP_OK;
}

static int read_region(struct rocpd *rocpd, struct dp_rows *rows)
{
	struct event event = event_of(rocpd, dp_rows__id(rows, REGION_EVENT));
	struct dp_call call = { .correlation = event.stack };
	struct dp_range range;

	if (event.region == DP_ROCM_OTHER)
		return DP_OK;
	if (!dp_rows__time(rows, REGION_START, &call.start_ns) ||
	    !dp_rows__time(rows, REGION_END, &call.end_ns))
		return dp_rows__skip(rows, "no valid time");
	/* A range by its message, anything else by its name. */
	call.name = event.message
			    ? event.message - 1
			    : dp_names__get(rocpd->strings, dp_rows__id(rows, REGION_NAME), false);
	if (call.name == DP_NONE || thread_of(rocpd, rows, &call.thread))
		return failed(rocpd);
	if (event.region == DP_ROCM_CALL)
		return dp_builder__add_call(rocpd->import->builder, &call);
	range = (struct dp_range){ call.start_ns, call.end_ns, call.name, call.thread,
				   event.region == DP_ROCM_MARKER ? DP_RANGE_NVTX
								  : DP_RANGE_OPERATOR };
	return dp_builder__add_range(rocpd->import->builder, &range);
}

enum {
	MEMORY_START,
	MEMORY_PID,
	MEMORY_AGENT,
	MEMORY_TYPE,
	MEMORY_LEVEL,
	MEMORY_ADDRESS,
	MEMORY_SIZE,
	MEMORY_COLUMNS
};

static int read_memory(struct rocpd *rocpd, struct dp_rows *rows)
{
	int64_t address = dp_rows__id(rows, MEMORY_ADDRESS), time_ns, process;
	size_t length;
	const char *text = dp_rows__text(rows, MEMORY_LEVEL, &length);

	if (!is(text, length, "REAL"))
		return DP_OK;
	if (!dp_rows__time(rows, MEMORY_START, &time_ns))
		return dp_rows__skip(rows, "no valid time");
	if (process_of(rocpd, rows, MEMORY_PID, &process))
		return failed(rocpd);
	text = dp_rows__text(rows, MEMORY_TYPE, &length);
	if (is(text, length, "FREE"))
		return dp_rocm__free(rocpd->rocm, time_ns, process, address);
	if (!is(text, length, "ALLOC"))
		return DP_OK;
	return dp_rocm__allocate(rocpd->rocm, time_ns, process, dp_rows__id(rows, MEMORY_AGENT),
				 address, (int64_t)dp_rows__bytes(rows, MEMORY_SIZE));
}

static int scan_records(struct rocpd *rocpd)
{
	static const struct dp_column event[EVENT_COLUMNS] = {
		[EVENT_CATEGORY] = { "category_id", false },
		[EVENT_STACK] = { "stack_id", false },
		[EVENT_MESSAGE] = { "extdata", false },
	};
	static const struct dp_column kernel[KERNEL_COLUMNS] = {
		OP_COLUMN_NAMES,
		[KERNEL_AGENT] = { "agent_id", true },
		[KERNEL_ID] = { "kernel_id", true },
	};
	static const struct dp_column copy[COPY_COLUMNS] = {
		OP_COLUMN_NAMES,
		[COPY_SRC] = { "src_agent_id", false },
		[COPY_DST] = { "dst_agent_id", false },
		[COPY_BYTES] = { "size", false },
	};
	static const struct dp_column region[REGION_COLUMNS] = {
		[REGION_START] = { "start", true },   [REGION_END] = { "end", true },
		[REGION_PID] = { "pid", true },	      [REGION_TID] = { "tid", false },
		[REGION_NAME] = { "name_id", false }, [REGION_EVENT] = { "event_id", true },
	};
	static const struct dp_column memory[MEMORY_COLUMNS] = {
		[MEMORY_START] = { "start", true },	[MEMORY_PID] = { "pid", true },
		[MEMORY_AGENT] = { "agent_id", false }, [MEMORY_TYPE] = { "type", true },
		[MEMORY_LEVEL] = { "level", true },	[MEMORY_ADDRESS] = { "address", true },
		[MEMORY_SIZE] = { "size", true },
	};
	int status = scan(rocpd, "event", event, EVENT_COLUMNS, read_event);

	if (!status)
		status = scan(rocpd, "kernel_dispatch", kernel, KERNEL_COLUMNS, read_kernel);
	if (!status)
		status = scan(rocpd, "memory_copy", copy, COPY_COLUMNS, read_copy);
	if (!status)
		status = scan(rocpd, "region", region, REGION_COLUMNS, read_region);
	if (!status)
		status = scan(rocpd, "memory_allocate", memory, MEMORY_COLUMNS, read_memory);
	return status;
}

static int read_set(struct rocpd *rocpd)
{
	const char *symbols = table_of(rocpd, "info_kernel_symbol");
	bool display = symbols && dp_database__has_column(rocpd->database, symbols, "display_name");
	int status = dp_names__new(&rocpd->strings, rocpd->database, table_of(rocpd, "string"),
				   "id", "string");

	if (!status)
		status = dp_names__new(&rocpd->kernels, rocpd->database, symbols, "id",
				       display ? "display_name" : "kernel_name");
	if (!status)
		status = scan_info(rocpd);
	if (!status)
		status = scan_records(rocpd);
	dp_names__free(rocpd->strings);
	dp_names__free(rocpd->kernels);
	dp_lookup__fini(&rocpd->processes);
	dp_lookup__fini(&rocpd->threads);
	dp_lookup__fini(&rocpd->categories);
	free(rocpd->keys);
	free(rocpd->tids);
	free(rocpd->events);
	return status;
}

/* The sets of tables: by the end of a name that each has. */
static int read_sets(struct dp_import *import, struct dp_database *database, struct dp_rocm *rocm)
{
	static const char base[] = "rocpd_kernel_dispatch";
	static const char *const tables[] = { "rocpd_event", "rocpd_kernel_dispatch",
					      "rocpd_memory_copy", "rocpd_region",
					      "rocpd_memory_allocate" };
	const char *name;
	int status = DP_OK;

	for (size_t i = 0; (name = dp_database__table_at(database, i)); i++)
		for (size_t j = 0; j < DP_COUNT(tables); j++)
			if (!strncasecmp(name, tables[j], strlen(tables[j])))
				dp_database__expect(database, name);
	for (size_t i = 0; !status && (name = dp_database__table_at(database, i)); i++) {
		struct rocpd set = { .import = import,
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
