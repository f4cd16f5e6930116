/* Reads what the records of a rocpd database refer to. Cost: linear in the rows, expected. */
#include "import/json_scan.h"
#include "base/text.h"
#include "import/rocpd.h"

#include <stdio.h>
#include <string.h>

int dp_rocpd__failed(const struct dp_rocpd *rocpd)
{
	return rocpd->import->error->status;
}

int dp_rocpd__nomem(const struct dp_rocpd *rocpd)
{
	return dp_error__nomem(rocpd->import->error, 0);
}

const char *dp_rocpd__table(const struct dp_rocpd *rocpd, const char *base)
{
	char name[128];

	snprintf(name, sizeof(name), "rocpd_%s%s", base, rocpd->suffix);
	return dp_database__table(rocpd->database, name);
}

int dp_rocpd__scan(struct dp_rocpd *rocpd, const char *base, const struct dp_column *columns,
		   size_t count, int (*read)(struct dp_rocpd *rocpd, struct dp_rows *rows))
{
	struct dp_rows rows;
	int status =
		dp_rows__open(&rows, rocpd->database, dp_rocpd__table(rocpd, base), columns, count);

	while (status == 1 && (status = dp_rows__next(&rows)) == 1) {
		if (read(rocpd, &rows) < 0) {
			status = dp_rocpd__failed(rocpd);
			break;
		}
	}
	dp_rows__close(&rows);
	return status;
}

static int add_number(struct dp_rocpd *rocpd, struct dp_rocpd_numbers *numbers, int64_t id,
		      int64_t value)
{
	struct dp_key key = { { id } };

	if (dp_array__reserve(&numbers->list, &numbers->room, numbers->count + 1,
			      sizeof(*numbers->list)) ||
	    dp_lookup__set(&numbers->ids, &key, (uint32_t)numbers->count))
		return dp_rocpd__nomem(rocpd);
	numbers->list[numbers->count++] = value;
	return DP_OK;
}

static void free_numbers(struct dp_rocpd_numbers *numbers)
{
	dp_lookup__fini(&numbers->ids);
	free(numbers->list);
}

enum { PROCESS_ID, PROCESS_PID, PROCESS_CONFIG, PROCESS_COLUMNS };

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

static int read_process(struct dp_rocpd *rocpd, struct dp_rows *rows)
{
	size_t length;
	const char *config = dp_rows__text(rows, PROCESS_CONFIG, &length);
	int64_t key;

	if (config && is_by_queue(config, length))
		rocpd->by_queue = true;
	if (dp_rocm__add_process(rocpd->rocm, dp_rows__id(rows, PROCESS_PID), &key))
		return dp_rocpd__failed(rocpd);
	return add_number(rocpd, &rocpd->processes, dp_rows__id(rows, PROCESS_ID), key);
}

int dp_rocpd__process(struct dp_rocpd *rocpd, int64_t id, int64_t *process)
{
	struct dp_key key = { { id } };
	uint32_t index;

	if (!rocpd->process.known || rocpd->process.id != id) {
		index = dp_lookup__get(&rocpd->processes.ids, &key);
		if (index == DP_NONE) {
			index = (uint32_t)rocpd->processes.count;
			if (dp_rocm__add_process(rocpd->rocm, id, process) ||
			    add_number(rocpd, &rocpd->processes, id, *process))
				return dp_rocpd__failed(rocpd);
		}
		rocpd->process = (struct dp_rocpd_last){ id, rocpd->processes.list[index], true };
	}
	*process = rocpd->process.value;
	return DP_OK;
}

static int read_thread(struct dp_rocpd *rocpd, struct dp_rows *rows)
{
	return add_number(rocpd, &rocpd->threads, dp_rows__id(rows, 0), dp_rows__id(rows, 1));
}

int64_t dp_rocpd__tid(const struct dp_rocpd *rocpd, int64_t id)
{
	struct dp_key key = { { id } };
	uint32_t index = dp_lookup__get(&rocpd->threads.ids, &key);

	return index == DP_NONE ? id : rocpd->threads.list[index];
}

enum { AGENT_ID, AGENT_PID, AGENT_TYPE, AGENT_INDEX, AGENT_NAME, AGENT_COLUMNS };

static int read_agent(struct dp_rocpd *rocpd, struct dp_rows *rows)
{
	struct dp_gpu gpu = { DP_NONE, DP_NONE, 0 };
	int64_t process;
	size_t length;
	const char *text = dp_rows__text(rows, AGENT_TYPE, &length);

	if (!dp_text__is(text, length, "GPU"))
		return DP_OK;
	if (dp_rocpd__process(rocpd, dp_rows__id(rows, AGENT_PID), &process))
		return dp_rocpd__failed(rocpd);
	text = dp_rows__text(rows, AGENT_NAME, &length);
	if (length) {
		gpu.name = dp_builder__string(rocpd->import->builder, text, length);
		if (gpu.name == DP_NONE)
			return dp_rocpd__failed(rocpd);
	}
	return dp_rocm__add_gpu(rocpd->rocm, process, dp_rows__id(rows, AGENT_ID),
				dp_rows__id(rows, AGENT_INDEX), &gpu);
}

static int read_metadata(struct dp_rocpd *rocpd, struct dp_rows *rows)
{
	size_t length;
	const char *tag = dp_rows__text(rows, 0, &length), *value;

	if (!dp_text__is(tag, length, "schema_version"))
		return DP_OK;
	value = dp_rows__text(rows, 1, &length);
	if (value)
		dp_builder__detail(rocpd->import->builder, "schema %.*s",
				   (int)DP_MIN(length, (size_t)32), value);
	return DP_OK;
}

enum { TRACK_ID = DP_ROCPD_PARTS, TRACK_COLUMNS };

static int read_track(struct dp_rocpd *rocpd, struct dp_rows *rows)
{
	struct dp_key key = { { dp_rows__id(rows, TRACK_ID) } };
	struct dp_rocpd_track track;

	for (size_t i = 0; i < DP_ROCPD_PARTS; i++)
		track.part[i] = dp_rows__id(rows, i);
	if (dp_array__reserve(&rocpd->tracks, &rocpd->track_room, rocpd->track_count + 1,
			      sizeof(*rocpd->tracks)) ||
	    dp_lookup__set(&rocpd->track_ids, &key, (uint32_t)rocpd->track_count))
		return dp_rocpd__nomem(rocpd);
	rocpd->tracks[rocpd->track_count++] = track;
	return DP_OK;
}

const struct dp_rocpd_track *dp_rocpd__track(struct dp_rocpd *rocpd, int64_t id)
{
	static const struct dp_rocpd_track none = { { -1, -1, -1, -1, -1 } };
	struct dp_key key = { { id } };
	uint32_t index;

	if (!rocpd->last_track.known || rocpd->last_track.id != id) {
		index = dp_lookup__get(&rocpd->track_ids, &key);
		rocpd->last_track =
			(struct dp_rocpd_last){ id, index == DP_NONE ? -1 : (int64_t)index, true };
	}
	return rocpd->last_track.value < 0 ? &none : &rocpd->tracks[rocpd->last_track.value];
}

/*
 * Ids count from 1, so events and times are stored by id. In a damaged or filtered file ids may be
 * far apart: those that would need more than a few bytes per row are ignored.
 */
static bool has_place(const struct dp_rows *rows)
{
	return rows->rowid >= 0 && (uint64_t)rows->rowid <= 65536 + 4 * rows->read;
}

static int read_time(struct dp_rocpd *rocpd, struct dp_rows *rows)
{
	size_t count = (size_t)rows->rowid + 1;
	int64_t time_ns;

	if (!has_place(rows))
		return DP_OK;
	if (dp_array__reserve(&rocpd->times, &rocpd->time_room, count, sizeof(*rocpd->times)))
		return dp_rocpd__nomem(rocpd);
	while (rocpd->time_count < count)
		rocpd->times[rocpd->time_count++] = DP_ROCPD_NO_TIME;
	if (dp_rows__time(rows, 0, &time_ns))
		rocpd->times[rows->rowid] = time_ns;
	return DP_OK;
}

enum { EVENT_CATEGORY, EVENT_STACK, EVENT_MESSAGE, EVENT_COLUMNS };

/* Classifies the regions of a category by its name. There are some twenty categories. */
static int find_region(struct dp_rocpd *rocpd, int64_t category, uint32_t *region)
{
	static const struct dp_column name[] = { { "name,string", true } };
	const char *table = dp_rocpd__table(rocpd, "info_category");
	struct dp_key key = { { category } };
	struct dp_rows rows;
	const char *text = NULL;
	size_t length;
	int status;

	if (!table)
		table = dp_rocpd__table(rocpd, "string");
	status = dp_rows__open(&rows, rocpd->database, table, name, 1);
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
		return dp_rocpd__nomem(rocpd);
	return dp_rocpd__failed(rocpd);
}

static int region_of(struct dp_rocpd *rocpd, int64_t category, uint32_t *region)
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

/* Keeps the {"message": "…"} of a range. */
static int keep_message(struct dp_rocpd *rocpd, struct dp_rows *rows)
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
			return dp_rocpd__failed(rocpd);
		rocpd->events[rows->rowid].message = name + 1;
		return DP_OK;
	}
	return DP_OK;
}

static int read_event(struct dp_rocpd *rocpd, struct dp_rows *rows)
{
	int64_t id = rows->rowid, stack = dp_rows__id(rows, EVENT_STACK);
	size_t before = rocpd->event_count;
	uint32_t region;

	if (!has_place(rows))
		return DP_OK;
	if (dp_array__reserve(&rocpd->events, &rocpd->event_room, (size_t)id + 1,
			      sizeof(*rocpd->events)))
		return dp_rocpd__nomem(rocpd);
	memset(rocpd->events + before, 0, ((size_t)id + 1 - before) * sizeof(*rocpd->events));
	rocpd->event_count = (size_t)id + 1;
	if (region_of(rocpd, dp_rows__id(rows, EVENT_CATEGORY), &region))
		return dp_rocpd__failed(rocpd);
	rocpd->events[id] = (struct dp_rocpd_event){
		.stack = stack > 0 && stack <= UINT32_MAX ? (uint32_t)stack : 0,
		.region = (uint8_t)region,
	};
	return region == DP_ROCM_MARKER ? keep_message(rocpd, rows) : DP_OK;
}

int dp_rocpd__read_info(struct dp_rocpd *rocpd)
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
		[AGENT_NAME] = { "product_name,model_name,generic_name,name", false },
	};
	static const struct dp_column track[TRACK_COLUMNS] = {
		[DP_ROCPD_PROCESS] = { "pid", false },
		[DP_ROCPD_THREAD] = { "tid", false },
		[DP_ROCPD_AGENT] = { "agent_id", false },
		[DP_ROCPD_QUEUE] = { "queue_id", false },
		[DP_ROCPD_STREAM] = { "stream_id", false },
		[TRACK_ID] = { "id", true },
	};
	static const struct dp_column time[] = { { "value", true } };
	static const struct dp_column event[EVENT_COLUMNS] = {
		[EVENT_CATEGORY] = { "category_id", false },
		[EVENT_STACK] = { "stack_id", false },
		[EVENT_MESSAGE] = { "extdata", false },
	};
	static const struct {
		const char *table;
		const struct dp_column *columns;
		size_t count;
		int (*read)(struct dp_rocpd *rocpd, struct dp_rows *rows);
	} tables[] = {
		{ "metadata", metadata, DP_COUNT(metadata), read_metadata },
		{ "info_process", process, PROCESS_COLUMNS, read_process },
		{ "info_thread", thread, DP_COUNT(thread), read_thread },
		{ "info_agent", agent, AGENT_COLUMNS, read_agent },
		{ "track", track, TRACK_COLUMNS, read_track },
		{ "timestamp", time, DP_COUNT(time), read_time },
		{ "event", event, EVENT_COLUMNS, read_event },
	};
	int status = DP_OK;

	for (size_t i = 0; !status && i < DP_COUNT(tables); i++)
		status = dp_rocpd__scan(rocpd, tables[i].table, tables[i].columns, tables[i].count,
					tables[i].read);
	return status;
}

void dp_rocpd__fini(struct dp_rocpd *rocpd)
{
	dp_names__free(rocpd->strings);
	dp_names__free(rocpd->kernels);
	free_numbers(&rocpd->processes);
	free_numbers(&rocpd->threads);
	dp_lookup__fini(&rocpd->track_ids);
	dp_lookup__fini(&rocpd->categories);
	free(rocpd->tracks);
	free(rocpd->times);
	free(rocpd->events);
}
