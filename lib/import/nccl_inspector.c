/*
 * Logs of the NCCL Inspector, the profiler plugin of NCCL (2.28 on): one file for each process,
 * with one JSON object per line for each collective, send or receive that has ended.
 *
 * Up to version 4.2 each line names its communicator (header) and its process (metadata); from 4.3
 * on a line with dump_stats does so for the lines that follow. Lines that are not operations
 * (proxy_trace) are skipped.
 *
 * Each operation becomes a kernel, as it was on the GPU, and a collective. Kernels have their size
 * in their name, so that the order of names shows iterations. The log does not say on which streams
 * they ran, so they are all on one. With NCCL_INSPECTOR_DUMP_VERBOSE=1 a line has the time at which
 * each channel of the kernel stopped. Otherwise it has the duration and the time at which the line
 * was written, some time later: the operations of a communicator then end when they were written,
 * or one after the other.
 *
 * Cost: linear in the file; memory for the communicators, not for the lines.
 */
#include "import/json_stream.h"
#include "import/lookup.h"

#include <stdio.h>
#include <string.h>

#define OPERATION_BYTES 96 /* of a name: "ncclReduceScatter (18446744073709551615 bytes)" */

enum field {
	RANK,
	RANKS,
	PID,
	DUMPED_US,
	SEQUENCE,
	BYTES,
	DURATION_NS, /* the log has µs, with or without a fraction */
	PEER,
	STOPPED_US,
	LOST_COLLECTIVES,
	LOST_PAIRS,
	NUMBERS,
	ID = NUMBERS,
	COMMUNICATOR,
	HOST,
	OPERATION,
	VERSION,
	FIELDS,
	IGNORED = FIELDS
};

struct record {
	uint32_t has;
	int64_t number[NUMBERS];
	struct dp_json_text text[FIELDS - NUMBERS];
};

struct communicator {
	int64_t rank, ranks;
	uint32_t process; /* in the builder */
	int64_t pid;
	int64_t device; /* communicators with one id in one process use different GPUs */
	uint32_t stream, group;
	int64_t end_ns; /* of its last operation */
	bool is_world;
};

struct reader {
	const struct dp_import *import;
	struct dp_json_stream stream;
	struct dp_places places;
	struct record record;
	struct communicator *communicators;
	size_t count, room;
	struct dp_lookup found;	  /* from id, rank and pid to the communicator */
	struct dp_lookup devices; /* from id and pid to the number of communicators */
	uint32_t current;	  /* of lines that name none; DP_NONE: unknown */
	int64_t dumped_us;
	uint64_t operations, untimed, broken, broken_at, homeless, lost;
	bool truncated;
	char version[16]; /* "v4.2" */
	int status;
};

static const struct {
	const char *object, *name;
	enum field field;
} members[] = {
	{ "header", "id", ID },
	{ "header", "comm_name", COMMUNICATOR },
	{ "header", "rank", RANK },
	{ "header", "n_ranks", RANKS },
	{ "metadata", "pid", PID },
	{ "metadata", "hostname", HOST },
	{ "metadata", "dump_timestamp_us", DUMPED_US },
	{ "metadata", "inspector_output_format_version", VERSION },
	{ "coll_perf", "coll", OPERATION },
	{ "coll_perf", "coll_sn", SEQUENCE },
	{ "coll_perf", "coll_msg_size_bytes", BYTES },
	{ "coll_perf", "coll_exec_time_us", DURATION_NS },
	{ "p2p_perf", "p2p", OPERATION },
	{ "p2p_perf", "p2p_sn", SEQUENCE },
	{ "p2p_perf", "p2p_peer", PEER },
	{ "p2p_perf", "p2p_msg_size_bytes", BYTES },
	{ "p2p_perf", "p2p_exec_time_us", DURATION_NS },
	{ "kernel_events", "kernel_stop_ts", STOPPED_US },
	{ "dump_stats", "coll_dropped_since_last_dump", LOST_COLLECTIVES },
	{ "dump_stats", "p2p_dropped_since_last_dump", LOST_PAIRS },
};

static bool has(const struct record *record, enum field field)
{
	return record->has >> field & 1;
}

/* Returns the field of a key in an object with this name. */
static enum field field_of(const char *object, const struct dp_json_text *key)
{
	for (size_t i = 0; i < DP_COUNT(members); i++)
		if (!strcmp(members[i].object, object) && dp_json__is(key, members[i].name))
			return members[i].field;
	return IGNORED;
}

static enum dp_json_result take_number(struct dp_json *json, struct record *record,
				       enum field field)
{
	int scale = field == DURATION_NS ? 3 : 0;
	int64_t value;
	bool known;
	enum dp_json_result result =
		dp_json__number(json, DP_JSON_IN_OBJECT, scale, &value, &known);

	/* A kernel ends with its last channel. */
	if (result != DP_JSON_OK || !known ||
	    (field == STOPPED_US && has(record, field) && record->number[field] >= value))
		return result;
	record->number[field] = value;
	record->has |= 1u << field;
	return DP_JSON_OK;
}

static enum dp_json_result take_member(struct dp_json *json, struct record *record,
				       enum field field)
{
	enum dp_json_result result;

	if (field < NUMBERS)
		return take_number(json, record, field);
	if (field == IGNORED || *json->at != '"')
		return dp_json__skip(json, DP_JSON_IN_OBJECT);
	result = dp_json__string(json, DP_JSON_IN_OBJECT, &record->text[field - NUMBERS]);
	record->has |= 1u << field;
	return result;
}

/* Parses the members of an object with this name, up to its end. */
static enum dp_json_result parse_members(struct dp_json *json, struct record *record,
					 const char *object)
{
	enum dp_json_result result;
	struct dp_json_text key;

	for (;;) {
		result = dp_json__member(json, &key);
		if (result != DP_JSON_OK || !key.at)
			return result;
		result = take_member(json, record, field_of(object, &key));
		if (result != DP_JSON_OK)
			return result;
	}
}

/* Parses [{channel}, …] from behind the bracket. */
static enum dp_json_result parse_channels(struct dp_json *json, struct record *record)
{
	enum dp_json_result result;

	for (;;) {
		char c = dp_json__peek(json);

		if (!c)
			return json->at < json->end ? DP_JSON_BROKEN : DP_JSON_MORE;
		json->at += c == '{' || c == ',' || c == ']';
		if (c == ']')
			return DP_JSON_OK;
		if (c == ',')
			continue;
		result = c == '{' ? parse_members(json, record, "kernel_events")
				  : dp_json__skip(json, DP_JSON_IN_ARRAY);
		if (result != DP_JSON_OK)
			return result;
	}
}

static enum dp_json_result parse_times(struct dp_json *json, struct record *record)
{
	enum dp_json_result result;
	struct dp_json_text key;

	for (;;) {
		result = dp_json__member(json, &key);
		if (result != DP_JSON_OK || !key.at)
			return result;
		if (dp_json__is(&key, "kernel_events") && *json->at == '[') {
			json->at++;
			result = parse_channels(json, record);
		} else {
			result = dp_json__skip(json, DP_JSON_IN_OBJECT);
		}
		if (result != DP_JSON_OK)
			return result;
	}
}

/* Parses an operation's object, whose times are in an object of their own. */
static enum dp_json_result parse_operation(struct dp_json *json, struct record *record,
					   const char *object)
{
	enum dp_json_result result;
	struct dp_json_text key;

	for (;;) {
		result = dp_json__member(json, &key);
		if (result != DP_JSON_OK || !key.at)
			return result;
		if (dp_json__is(&key, "event_trace_ts") && *json->at == '{') {
			json->at++;
			result = parse_times(json, record);
		} else {
			result = take_member(json, record, field_of(object, &key));
		}
		if (result != DP_JSON_OK)
			return result;
	}
}

/* Parses the object of one line. */
static enum dp_json_result parse(void *ctx, struct dp_json *json)
{
	static const char *const objects[] = { "header", "metadata", "dump_stats", "coll_perf",
					       "p2p_perf" };
	struct record *record = ctx;
	enum dp_json_result result;
	struct dp_json_text key;

	record->has = 0;
	json->at++;
	for (;;) {
		const char *object = NULL;

		result = dp_json__member(json, &key);
		if (result != DP_JSON_OK || !key.at)
			return result;
		for (size_t i = 0; i < DP_COUNT(objects); i++)
			if (dp_json__is(&key, objects[i]) && *json->at == '{')
				object = objects[i];
		if (!object) {
			result = dp_json__skip(json, DP_JSON_IN_OBJECT);
		} else {
			json->at++;
			result = parse_operation(json, record, object);
		}
		if (result != DP_JSON_OK)
			return result;
	}
}

static int nomem(struct reader *reader)
{
	return reader->status = dp_error__nomem(reader->import->error, 0);
}

static int failed(struct reader *reader)
{
	return reader->status = reader->import->error->status;
}

static const struct dp_json_text *text_of(const struct reader *reader, enum field field)
{
	return &reader->record.text[field - NUMBERS];
}

static int64_t number_of(const struct reader *reader, enum field field, int64_t other)
{
	return has(&reader->record, field) ? reader->record.number[field] : other;
}

/* Returns "Data parallel 0x7f8c496ae9f661"; a communicator without a name is "unknown". */
static uint32_t group_of(struct reader *reader)
{
	const struct dp_json_text *id = text_of(reader, ID), *name = text_of(reader, COMMUNICATOR);
	bool named =
		has(&reader->record, COMMUNICATOR) && name->length && !dp_json__is(name, "unknown");
	char text[1024];
	int length = snprintf(text, sizeof(text), "%.*s%s%.*s",
			      named ? (int)DP_MIN(name->length, 500) : 0, named ? name->at : "",
			      named ? " " : "", (int)DP_MIN(id->length, 500), id->at);

	return dp_builder__string(reader->import->builder, text, (size_t)length);
}

static int describe(struct reader *reader, struct communicator *made)
{
	const struct dp_json_text *host = text_of(reader, HOST);
	const struct dp_json_text *name = text_of(reader, COMMUNICATOR);

	made->rank = number_of(reader, RANK, -1);
	made->ranks = number_of(reader, RANKS, 0);
	made->process = dp_places__process(&reader->places, made->pid);
	made->stream = dp_places__stream(&reader->places, made->pid, made->device, -1, -1);
	made->group = group_of(reader);
	/* torch.distributed's name for the communicator of all ranks. */
	made->is_world = has(&reader->record, COMMUNICATOR) && dp_json__is(name, "default_pg");
	if (made->process == DP_NONE || made->stream == DP_NONE || made->group == DP_NONE)
		return failed(reader);
	if (has(&reader->record, HOST))
		return reader->status = dp_builder__fact(reader->import->builder, "host", host->at,
							 host->length);
	return DP_OK;
}

static int add_communicator(struct reader *reader, const struct dp_key *key)
{
	struct dp_key same = { { key->part[0], key->part[2] } };
	uint32_t before = dp_lookup__get(&reader->devices, &same);
	struct communicator made = { .pid = key->part[2],
				     .device = before == DP_NONE ? 0 : before };

	if (describe(reader, &made))
		return reader->status;
	if (reader->count >= DP_NONE - 1 ||
	    dp_array__reserve(&reader->communicators, &reader->room, reader->count + 1,
			      sizeof(*reader->communicators)) ||
	    dp_lookup__set(&reader->devices, &same, (uint32_t)made.device + 1) ||
	    dp_lookup__set(&reader->found, key, (uint32_t)reader->count))
		return nomem(reader);
	reader->current = (uint32_t)reader->count;
	reader->communicators[reader->count++] = made;
	return DP_OK;
}

/* Finds or adds the communicator that the line names. */
static int enter(struct reader *reader)
{
	const struct dp_json_text *id = text_of(reader, ID);
	uint32_t string = dp_builder__string(reader->import->builder, id->at, id->length);
	struct dp_key key = { { string, number_of(reader, RANK, -1), number_of(reader, PID, -1) } };

	if (string == DP_NONE)
		return failed(reader);
	reader->dumped_us = number_of(reader, DUMPED_US, reader->dumped_us);
	reader->current = dp_lookup__get(&reader->found, &key);
	if (reader->current == DP_NONE && add_communicator(reader, &key))
		return reader->status;
	return DP_OK;
}

/* Sets when the operation ended: a guess if the line has no time. Returns false on overflow. */
static bool end_of(struct reader *reader, const struct communicator *communicator,
		   int64_t duration_ns, int64_t *end_ns)
{
	int64_t us = number_of(reader, STOPPED_US, 0), earliest_ns;

	if (us > 0)
		return !__builtin_mul_overflow(us, 1000, end_ns);
	reader->untimed++;
	if (__builtin_mul_overflow(reader->dumped_us, 1000, end_ns) ||
	    __builtin_add_overflow(communicator->end_ns, duration_ns, &earliest_ns))
		return false;
	*end_ns = DP_MAX(*end_ns, earliest_ns);
	return true;
}

/* Returns "ncclAllReduce (25000000 bytes)". */
static uint32_t name_of(struct reader *reader)
{
	const struct dp_json_text *operation = text_of(reader, OPERATION);
	char text[OPERATION_BYTES];
	int length = snprintf(text, sizeof(text), "nccl%.*s (%llu bytes)",
			      (int)DP_MIN(operation->length, 40), operation->at,
			      (unsigned long long)number_of(reader, BYTES, 0));

	return dp_builder__string(reader->import->builder, text, (size_t)length);
}

static int add_operation(struct reader *reader, struct communicator *communicator, int64_t start_ns,
			 int64_t end_ns)
{
	struct dp_builder *builder = reader->import->builder;
	const struct dp_json_text *operation = text_of(reader, OPERATION);
	int64_t peer = number_of(reader, PEER, -1);
	struct dp_op op = { .start_ns = start_ns,
			    .end_ns = end_ns,
			    .kind = DP_OP_KERNEL,
			    .stream = communicator->stream,
			    .name = name_of(reader) };
	struct dp_collective collective = {
		.start_ns = start_ns,
		.end_ns = end_ns,
		.bytes = (uint64_t)DP_MAX(number_of(reader, BYTES, 0), 0),
		.sequence = number_of(reader, SEQUENCE, -1),
		.stream = communicator->stream,
		.thread = DP_NONE,
		.name = dp_builder__string(builder, operation->at, operation->length),
		.group = communicator->group,
		.group_size = communicator->ranks > 0 && communicator->ranks < UINT32_MAX
				      ? (uint32_t)communicator->ranks
				      : 0,
		.peer = peer >= 0 && peer <= INT32_MAX ? (int32_t)peer : -1,
		.self = communicator->rank >= 0 && communicator->rank <= INT32_MAX
				? (int32_t)communicator->rank
				: -1,
	};

	communicator->end_ns = end_ns;
	reader->operations++;
	if (op.name == DP_NONE || collective.name == DP_NONE)
		return failed(reader);
	reader->status = dp_builder__op(builder, &op);
	if (!reader->status)
		reader->status = dp_builder__add_collective(builder, &collective);
	return reader->status;
}

static int take_operation(struct reader *reader)
{
	int64_t duration_ns = number_of(reader, DURATION_NS, 0), start_ns, end_ns;
	struct communicator *communicator;

	if (reader->current == DP_NONE) {
		reader->homeless++;
		return DP_OK;
	}
	communicator = &reader->communicators[reader->current];
	if (duration_ns < 0 || !end_of(reader, communicator, duration_ns, &end_ns) ||
	    __builtin_sub_overflow(end_ns, duration_ns, &start_ns)) {
		reader->broken++;
		return DP_OK;
	}
	return add_operation(reader, communicator, start_ns, end_ns);
}

static int take(struct reader *reader)
{
	const struct dp_json_text *version = text_of(reader, VERSION);
	int64_t lost = dp_sum__i64(DP_MAX(number_of(reader, LOST_COLLECTIVES, 0), 0),
				   DP_MAX(number_of(reader, LOST_PAIRS, 0), 0));

	if (has(&reader->record, ID) && enter(reader))
		return reader->status;
	if (has(&reader->record, VERSION))
		snprintf(reader->version, sizeof(reader->version), "%.*s",
			 (int)DP_MIN(version->length, sizeof(reader->version) - 1), version->at);
	reader->lost = dp_sum__u64(reader->lost, (uint64_t)lost);
	return has(&reader->record, OPERATION) ? take_operation(reader) : DP_OK;
}

/* Moves to the next line, also from within a broken one. Returns false at the end. */
static bool next_line(struct dp_json_stream *stream)
{
	for (;;) {
		size_t length = (size_t)(stream->json.end - stream->json.at);
		const char *newline = memchr(stream->json.at, '\n', length);

		stream->json.at = newline ? newline + 1 : stream->json.end;
		if (newline)
			return true;
		if (dp_json_stream__more(stream) != DP_JSON_OK)
			return false;
	}
}

static void read_lines(struct reader *reader)
{
	struct dp_json_stream *stream = &reader->stream;

	while (!reader->status && dp_json_stream__peek(stream)) {
		uint64_t at = dp_json_stream__offset(stream, stream->json.at);
		enum dp_json_result result = DP_JSON_BROKEN;

		if (*stream->json.at == '{')
			result = dp_json_stream__piece(stream, parse, &reader->record);
		if (result == DP_JSON_OK) {
			take(reader);
			continue;
		}
		if (stream->status)
			return;
		reader->truncated = result == DP_JSON_MORE;
		if (!reader->truncated && !reader->broken++)
			reader->broken_at = at;
		dp_json_stream__pass(stream);
		if (!next_line(stream))
			return;
		reader->truncated = false;
	}
}

/* A process's rank is that in the communicator of all ranks, or in its only one. */
static void name_processes(struct reader *reader)
{
	const struct communicator *only = reader->communicators;

	for (size_t i = 0; i < reader->count; i++) {
		const struct communicator *communicator = &reader->communicators[i];

		if (communicator->is_world && !communicator->device)
			dp_builder__name_process(reader->import->builder, communicator->process,
						 DP_NONE, communicator->rank);
	}
	if (reader->count == 1 && !only->is_world)
		dp_builder__name_process(reader->import->builder, only->process, DP_NONE,
					 only->rank);
}

static int report(struct reader *reader)
{
	struct dp_builder *builder = reader->import->builder;
	int status = DP_OK;

	if (!reader->operations && !reader->count)
		return dp_error__set(
			reader->import->error, DP_ERR_DAMAGED,
			"not a log of the NCCL Inspector, or a truncated one: it has no "
			"complete record");
	name_processes(reader);
	/* Times are guessed where most operations have none. */
	if (reader->untimed > reader->operations / 2)
		status = dp_builder__fact(builder, "times", "not recorded", strlen("not recorded"));
	dp_builder__epoch(builder, 0);
	dp_builder__resolution(builder, 1000);
	dp_builder__detail(builder, "%s%s", reader->version,
			   reader->untimed ? ", durations without times" : "");
	if (!status && reader->broken)
		status = dp_builder__loss(builder, "broken lines", reader->broken,
					  reader->broken_at);
	if (!status && reader->truncated)
		status = dp_builder__truncated(
			builder, "file ends inside a line", 1,
			dp_json_stream__offset(&reader->stream, reader->stream.json.end));
	if (!status && reader->homeless)
		status = dp_builder__loss(builder,
					  "operations whose communicator is not in the file",
					  reader->homeless, 0);
	if (!status && reader->lost)
		status = dp_builder__loss(builder,
					  "the Inspector's buffer was full "
					  "(NCCL_INSPECTOR_DUMP_COLL_RING_SIZE gives more)",
					  reader->lost, 0);
	return status;
}

static void release(struct reader *reader)
{
	free(reader->communicators);
	dp_lookup__fini(&reader->found);
	dp_lookup__fini(&reader->devices);
	dp_places__fini(&reader->places);
	dp_json_stream__close(&reader->stream);
	free(reader);
}

static int read_inspector(struct dp_import *import)
{
	struct reader *reader = dp_alloc__zeroed(1, sizeof(*reader));
	int status;

	if (!reader)
		return dp_error__nomem(import->error, sizeof(*reader));
	reader->import = import;
	reader->current = DP_NONE;
	dp_places__init(&reader->places, import->builder, import->error);
	status = dp_json_stream__open(&reader->stream, import);
	if (!status)
		read_lines(reader);
	if (!status)
		status = reader->stream.status;
	if (!status)
		status = reader->status;
	if (!status)
		status = report(reader);
	release(reader);
	return status;
}

/* In versions up to 4.0 the first line may be that of any operation. */
static int probe_inspector(const struct dp_probe *probe)
{
	size_t i = 0;

	while (i < probe->length && dp_json__is_space(probe->head[i]))
		i++;
	if (i == probe->length || probe->head[i] != '{' ||
	    !dp_probe__contains(probe, "\"n_ranks\""))
		return 0;
	return dp_probe__contains(probe, "\"coll_perf\"") ||
			       dp_probe__contains(probe, "\"p2p_perf\"") ||
			       dp_probe__contains(probe, "\"dump_stats\"")
		       ? 90
		       : 0;
}

const struct dp_importer dp_importer__nccl_inspector = {
	.info = { "nccl_inspector", "NCCL Inspector log" },
	.probe = probe_inspector,
	.read = read_inspector,
};
