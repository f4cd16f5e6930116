/*
 * rocprofv3's JSON (ROCm 6.2 on): {"rocprofiler-sdk-tool": [{process}, …]}, where a process has its
 * agents, the names of kernels and of calls, and then its records.
 *
 * The members of an object identify it, whatever list it is in. So after a broken place, reading
 * continues with the next object that begins like one of rocprofv3's.
 *
 * Streams are HIP's. With --group-by-queue, and before ROCm 6.4, records have none: queues then
 * take their place.
 */
#include "import/chrome.h"
#include "import/json_stream.h"
#include "import/lookup.h"
#include "import/rocm.h"
#include "import/rocprofv3_record.h"

#include <stdio.h>

/* First members of rocprofv3's objects. */
static const char *const object_keys[] = { "size", "metadata", NULL };

/* Kinds and operations beyond these numbers are damage. */
#define MOST_KINDS 1024
#define MOST_OPERATIONS 65536

struct kind {
	enum dp_rocm_region region;
	uint32_t *operations; /* in calls */
	size_t count, room;
};

struct reader {
	const struct dp_import *import;
	struct dp_json_stream stream;
	struct dp_rocprofv3_record record;
	struct dp_rocm rocm;
	struct dp_texts kernels, calls, markers;
	struct dp_lookup kernel_ids, marker_ids; /* from the process's numbers to the text */
	struct kind *kinds;
	size_t kind_count, kind_room;
	char *scratch;
	size_t scratch_room;
	int64_t process; /* its key in rocm */
	int64_t gpus;	 /* of the process, so far */
	bool by_queue;
	uint64_t records; /* objects that were used */
	uint64_t nameless;
	uint64_t broken;
	uint64_t broken_at;
	bool truncated;
	int status;
};

static int nomem(struct reader *reader)
{
	return reader->status = dp_error__nomem(reader->import->error, 0);
}

static int failed(struct reader *reader)
{
	return reader->status = reader->import->error->status;
}

static bool has(const struct reader *reader, enum dp_rocprofv3_field field)
{
	return dp_rocprofv3__has(&reader->record, field);
}

static int64_t number(const struct reader *reader, enum dp_rocprofv3_field field, int64_t other)
{
	return has(reader, field) ? reader->record.number[field] : other;
}

/* Returns the text without its escapes, NULL if memory runs out. */
static const char *plain(struct reader *reader, const struct dp_json_text *text, size_t *length)
{
	*length = text->length;
	if (!text->escaped)
		return text->at;
	if (dp_array__reserve(&reader->scratch, &reader->scratch_room, text->length + 1, 1))
		return NULL;
	*length = dp_json__unescape(text, reader->scratch);
	return reader->scratch;
}

/* Keeps a text. Returns DP_NONE if memory runs out. */
static uint32_t keep(struct reader *reader, struct dp_texts *texts, const struct dp_json_text *text)
{
	size_t length;
	const char *bytes = plain(reader, text, &length);
	uint32_t raw = bytes ? dp_texts__keep(texts, bytes, length) : DP_NONE;

	if (raw == DP_NONE)
		nomem(reader);
	return raw;
}

/* Returns the builder's string of a kept text. */
static uint32_t use(struct reader *reader, struct dp_texts *texts, uint32_t raw)
{
	return dp_texts__use(texts, reader->import->builder, raw);
}

static void forget_kinds(struct reader *reader)
{
	for (size_t i = 0; i < reader->kind_count; i++)
		free(reader->kinds[i].operations);
	reader->kind_count = 0;
}

/* Numbers of kernels, kinds and messages are valid in one process only. */
static void forget_process(struct reader *reader)
{
	forget_kinds(reader);
	dp_lookup__fini(&reader->kernel_ids);
	dp_lookup__fini(&reader->marker_ids);
	reader->kernel_ids = reader->marker_ids = (struct dp_lookup){ 0 };
	reader->gpus = 0;
	reader->process = -1;
	reader->by_queue = false;
}

/* Reads the description of the process. */
static int take_metadata(struct reader *reader)
{
	reader->by_queue = number(reader, DP_RV3_BY_QUEUE, 0) == 1;
	return dp_rocm__add_process(&reader->rocm, number(reader, DP_RV3_PID, -1), &reader->process)
		       ? failed(reader)
		       : DP_OK;
}

/* Reads an agent; those of type 2 are GPUs. Before ROCm 7, its number among them is missing. */
static int take_agent(struct reader *reader)
{
	struct dp_gpu gpu = { DP_NONE, DP_NONE, 0 };
	const struct dp_json_text *text = dp_rocprofv3__text(&reader->record, DP_RV3_PRODUCT);
	const char *name;
	size_t length;

	if (number(reader, DP_RV3_TYPE, 0) != 2)
		return DP_OK;
	if (has(reader, DP_RV3_PRODUCT) && text->length) {
		name = plain(reader, text, &length);
		if (!name)
			return nomem(reader);
		gpu.name = dp_builder__string(reader->import->builder, name, length);
		if (gpu.name == DP_NONE)
			return failed(reader);
	}
	if (dp_rocm__add_gpu(&reader->rocm, reader->process, reader->record.number[DP_RV3_ID],
			     number(reader, DP_RV3_TYPE_INDEX, reader->gpus), &gpu))
		return failed(reader);
	reader->gpus++;
	return DP_OK;
}

/* Keeps a text by its number in the process. */
static int take_text(struct reader *reader, struct dp_texts *texts, struct dp_lookup *ids,
		     int64_t id, enum dp_rocprofv3_field field)
{
	struct dp_key key = { { id } };
	uint32_t raw = keep(reader, texts, dp_rocprofv3__text(&reader->record, field));

	if (raw == DP_NONE)
		return reader->status;
	return dp_lookup__set(ids, &key, raw) ? nomem(reader) : DP_OK;
}

static int take_symbol(struct reader *reader)
{
	return take_text(reader, &reader->kernels, &reader->kernel_ids,
			 reader->record.number[DP_RV3_KERNEL],
			 has(reader, DP_RV3_DEMANGLED) ? DP_RV3_DEMANGLED : DP_RV3_MANGLED);
}

static int add_operation(struct reader *reader, struct kind *kind, const struct dp_json_text *text)
{
	uint32_t raw;

	if (kind->count >= MOST_OPERATIONS)
		return DP_OK;
	raw = keep(reader, &reader->calls, text);
	if (raw == DP_NONE)
		return reader->status;
	if (dp_array__reserve(&kind->operations, &kind->room, kind->count + 1,
			      sizeof(*kind->operations)))
		return nomem(reader);
	kind->operations[kind->count++] = raw;
	return DP_OK;
}

/*
 * Reads a kind of records and the names of its operations: their numbers are their positions in the
 * lists. A list of callbacks with the same first members precedes that of the records: the later
 * one counts.
 */
static int take_kind(struct reader *reader)
{
	const struct dp_json_text *name = dp_rocprofv3__text(&reader->record, DP_RV3_KIND_NAME);
	const struct dp_json_text *list = dp_rocprofv3__text(&reader->record, DP_RV3_OPERATIONS);
	struct dp_json json = { list->at + 1, list->at + list->length };
	struct dp_json_text text;
	struct kind *kind;

	if (reader->kind_count >= MOST_KINDS)
		return DP_OK;
	if (dp_array__reserve(&reader->kinds, &reader->kind_room, reader->kind_count + 1,
			      sizeof(*reader->kinds)))
		return nomem(reader);
	kind = &reader->kinds[reader->kind_count++];
	*kind = (struct kind){ .region = dp_rocm__region(name->at, name->length) };
	while (dp_json__peek(&json) == '"' || *json.at == ',') {
		if (*json.at == ',') {
			json.at++;
			continue;
		}
		if (dp_json__string(&json, DP_JSON_IN_ARRAY, &text) != DP_JSON_OK)
			break;
		if (add_operation(reader, kind, &text))
			return reader->status;
	}
	return DP_OK;
}

/* Returns the name of the record's operation: in calls, or DP_NONE. */
static uint32_t operation_of(const struct reader *reader, enum dp_rocm_region *region)
{
	int64_t kind = number(reader, DP_RV3_KIND, -1);
	int64_t operation = number(reader, DP_RV3_OPERATION, -1);

	*region = DP_ROCM_OTHER;
	if (kind < 0 || (uint64_t)kind >= reader->kind_count)
		return DP_NONE;
	*region = reader->kinds[kind].region;
	if (operation < 0 || (uint64_t)operation >= reader->kinds[kind].count)
		return DP_NONE;
	return reader->kinds[kind].operations[operation];
}

static uint32_t correlation_of(const struct reader *reader)
{
	int64_t id = number(reader, DP_RV3_CORRELATION, 0);

	return id > 0 && id <= UINT32_MAX ? (uint32_t)id : 0;
}

/* Reads what kernels and copies have in common. */
static int start_op(struct reader *reader, struct dp_op *op, int64_t agent)
{
	bool by_queue = reader->by_queue || !has(reader, DP_RV3_STREAM);
	int64_t stream = number(reader, by_queue ? DP_RV3_QUEUE : DP_RV3_STREAM, -1);

	*op = (struct dp_op){ .start_ns = reader->record.number[DP_RV3_START],
			      .end_ns = reader->record.number[DP_RV3_END],
			      .correlation = correlation_of(reader) };
	op->stream = dp_places__stream(&reader->rocm.places, reader->process,
				       dp_rocm__device(&reader->rocm, reader->process, agent), -1,
				       stream);
	return op->stream == DP_NONE ? failed(reader) : DP_OK;
}

static uint32_t unknown_kernel(struct reader *reader)
{
	char name[48];
	int n = snprintf(name, sizeof(name), "[kernel %lld]",
			 (long long)number(reader, DP_RV3_KERNEL, -1));

	reader->nameless++;
	return dp_builder__string(reader->import->builder, name, (size_t)n);
}

static int take_kernel(struct reader *reader)
{
	struct dp_key key = { { number(reader, DP_RV3_KERNEL, -1) } };
	uint32_t raw = dp_lookup__get(&reader->kernel_ids, &key);
	struct dp_op op;

	if (start_op(reader, &op, number(reader, DP_RV3_AGENT, -1)))
		return reader->status;
	op.name = raw == DP_NONE ? unknown_kernel(reader) : use(reader, &reader->kernels, raw);
	if (op.name == DP_NONE || dp_builder__op(reader->import->builder, &op))
		return failed(reader);
	return DP_OK;
}

static int take_copy(struct reader *reader)
{
	int64_t bytes = number(reader, DP_RV3_BYTES, 0), agent;
	struct dp_op op, copy = { 0 };

	if (dp_rocm__copy(&reader->rocm, &copy, reader->process,
			  number(reader, DP_RV3_SRC_AGENT, -1),
			  number(reader, DP_RV3_DST_AGENT, -1), &agent) ||
	    start_op(reader, &op, agent))
		return failed(reader);
	copy.start_ns = op.start_ns;
	copy.end_ns = op.end_ns;
	copy.correlation = op.correlation;
	copy.stream = op.stream;
	copy.bytes = (uint64_t)DP_MAX(bytes, 0);
	return dp_builder__op(reader->import->builder, &copy) ? failed(reader) : DP_OK;
}

static int take_memory(struct reader *reader)
{
	enum dp_rocm_region region;
	uint32_t raw = operation_of(reader, &region);
	const char *name = raw == DP_NONE ? "" : dp_texts__get(&reader->calls, raw);
	int64_t address = number(reader, DP_RV3_ADDRESS, 0);
	int64_t time_ns = reader->record.number[DP_RV3_START];
	size_t head = dp_texts__head(name);

	if (dp_rocm__contains(name, head, "FREE")
		    ? dp_rocm__free(&reader->rocm, time_ns, reader->process, address)
	    : dp_rocm__contains(name, head, "ALLOCATE")
		    ? dp_rocm__allocate(&reader->rocm, time_ns, reader->process,
					number(reader, DP_RV3_AGENT, -1), address,
					number(reader, DP_RV3_ALLOCATED, 0))
		    : DP_OK)
		return failed(reader);
	return DP_OK;
}

static int take_call(struct reader *reader, uint32_t name, uint32_t thread)
{
	const struct dp_call call = { .start_ns = reader->record.number[DP_RV3_START],
				      .end_ns = reader->record.number[DP_RV3_END],
				      .name = name,
				      .thread = thread,
				      .correlation = correlation_of(reader) };

	return dp_builder__add_call(reader->import->builder, &call) ? failed(reader) : DP_OK;
}

static int take_range(struct reader *reader, uint32_t name, uint32_t thread,
		      enum dp_rocm_region region)
{
	const struct dp_range range = { .start_ns = reader->record.number[DP_RV3_START],
					.end_ns = reader->record.number[DP_RV3_END],
					.name = name,
					.thread = thread,
					.kind = region == DP_ROCM_MARKER ? DP_RANGE_NVTX
									 : DP_RANGE_OPERATOR };

	/* Marks, and pushes and pops of ranges with a record of their own, have no duration. */
	if (region == DP_ROCM_MARKER && range.start_ns == range.end_ns)
		return DP_OK;
	return dp_builder__add_range(reader->import->builder, &range) ? failed(reader) : DP_OK;
}

/* Reads a call of a library on the host, or a range, which is named by its message. */
static int take_region(struct reader *reader)
{
	struct dp_key key = { { number(reader, DP_RV3_CORRELATION, 0) } };
	enum dp_rocm_region region;
	uint32_t raw = operation_of(reader, &region), message = DP_NONE, name, thread = DP_NONE;

	if (raw == DP_NONE || region == DP_ROCM_OTHER)
		return DP_OK;
	if (region == DP_ROCM_MARKER)
		message = dp_lookup__get(&reader->marker_ids, &key);
	name = message != DP_NONE ? use(reader, &reader->markers, message)
				  : use(reader, &reader->calls, raw);
	if (has(reader, DP_RV3_THREAD)) {
		thread = dp_places__thread(&reader->rocm.places, reader->process,
					   reader->record.number[DP_RV3_THREAD]);
		if (thread == DP_NONE)
			return failed(reader);
	}
	if (name == DP_NONE)
		return failed(reader);
	return region == DP_ROCM_CALL ? take_call(reader, name, thread)
				      : take_range(reader, name, thread, region);
}

/* Handles the parsed object, identified by its members. */
static int take(struct reader *reader)
{
	bool timed = has(reader, DP_RV3_START) && has(reader, DP_RV3_END);

	reader->records++;
	if (timed && has(reader, DP_RV3_DISPATCH))
		return take_kernel(reader);
	if (timed && has(reader, DP_RV3_DST_AGENT))
		return take_copy(reader);
	if (timed && has(reader, DP_RV3_ALLOCATED))
		return take_memory(reader);
	if (timed)
		return take_region(reader);
	if (has(reader, DP_RV3_KERNEL) &&
	    (has(reader, DP_RV3_DEMANGLED) || has(reader, DP_RV3_MANGLED)))
		return take_symbol(reader);
	if (has(reader, DP_RV3_KIND_NAME) && has(reader, DP_RV3_OPERATIONS))
		return take_kind(reader);
	if (has(reader, DP_RV3_KEY) && has(reader, DP_RV3_VALUE))
		return take_text(reader, &reader->markers, &reader->marker_ids,
				 reader->record.number[DP_RV3_KEY], DP_RV3_VALUE);
	if (has(reader, DP_RV3_TYPE) && has(reader, DP_RV3_ID))
		return take_agent(reader);
	reader->records--;
	return DP_OK;
}

/* Reads an object as a whole. Returns false if it is broken or reading failed. */
static bool one_object(struct reader *reader)
{
	return dp_json_stream__piece(&reader->stream, dp_rocprofv3__parse, &reader->record) ==
	       DP_JSON_OK;
}

/* Reads elements up to the array's end. Returns false if it is broken or reading failed. */
static bool read_records(struct reader *reader, bool wanted)
{
	struct dp_json_stream *stream = &reader->stream;

	for (;;) {
		char c = dp_json_stream__peek(stream);

		if (c == ']' || c == ',')
			stream->json.at++;
		if (c == ']')
			return true;
		if (c == ',')
			continue;
		if (!c || (c == '{' && wanted ? !one_object(reader)
					      : dp_json_stream__skip(stream) != DP_JSON_OK))
			return false;
		if (c == '{' && wanted && take(reader))
			return false;
	}
}

/* Reads lists by name up to the object's end. Returns false if it is broken or reading failed. */
static bool read_lists(struct reader *reader, bool wanted)
{
	struct dp_json_stream *stream = &reader->stream;
	struct dp_json_text key;
	bool kinds;

	while (dp_json_stream__key(stream, &key)) {
		kinds = dp_json__is(&key, "buffer_records");
		if (dp_json_stream__value(stream) != '[') {
			if (dp_json_stream__skip(stream) != DP_JSON_OK)
				return false;
			continue;
		}
		if (kinds)
			forget_kinds(reader);
		stream->json.at++;
		if (!read_records(reader, wanted))
			return false;
	}
	if (dp_json_stream__peek(stream) != '}')
		return false;
	stream->json.at++;
	return true;
}

/* Reads the process around json.at. Returns false if it is broken or reading failed. */
static bool read_process(struct reader *reader)
{
	struct dp_json_stream *stream = &reader->stream;
	struct dp_json_text key;
	bool wanted, metadata, good;
	char c;

	forget_process(reader);
	while (dp_json_stream__key(stream, &key)) {
		metadata = dp_json__is(&key, "metadata");
		wanted = dp_json__is(&key, "agents") || dp_json__is(&key, "strings") ||
			 dp_json__is(&key, "kernel_symbols") || dp_json__is(&key, "buffer_records");
		c = dp_json_stream__value(stream);
		if (metadata && c == '{') {
			good = one_object(reader) && !take_metadata(reader);
		} else if (c == '[' || c == '{') {
			stream->json.at++;
			good = c == '[' ? read_records(reader, wanted) : read_lists(reader, wanted);
		} else {
			good = dp_json_stream__skip(stream) == DP_JSON_OK;
		}
		if (!good)
			return false;
	}
	if (dp_json_stream__peek(stream) != '}')
		return false;
	stream->json.at++;
	return true;
}

static bool read_processes(struct reader *reader)
{
	struct dp_json_stream *stream = &reader->stream;

	for (;;) {
		char c = dp_json_stream__peek(stream);

		if (c == ']' || c == ',' || c == '{')
			stream->json.at++;
		if (c == ']')
			return true;
		if (c == ',')
			continue;
		if (c != '{' || !read_process(reader))
			return false;
	}
}

static bool read_document(struct reader *reader)
{
	struct dp_json_stream *stream = &reader->stream;
	struct dp_json_text key;
	bool tool;

	if (dp_json_stream__peek(stream) != '{')
		return false;
	stream->json.at++;
	while (dp_json_stream__key(stream, &key)) {
		tool = dp_json__is(&key, "rocprofiler-sdk-tool");
		if (dp_json_stream__value(stream) == '[' && tool) {
			stream->json.at++;
			if (!read_processes(reader))
				return false;
		} else if (dp_json_stream__skip(stream) != DP_JSON_OK) {
			return false;
		}
	}
	return dp_json_stream__peek(stream) == '}';
}

static bool stopped(const struct reader *reader)
{
	return reader->status || reader->stream.status;
}

/* Reads the object at json.at, and those that follow it: a process, or elements of a list. */
static void read_from(struct reader *reader)
{
	struct dp_json_stream *stream = &reader->stream;
	struct dp_json at = stream->json;
	struct dp_json_text key;

	at.at++;
	if (dp_json__member(&at, &key) == DP_JSON_OK && key.at && dp_json__is(&key, "metadata")) {
		stream->json.at++;
		if (read_process(reader))
			read_processes(reader);
	} else {
		read_records(reader, true);
	}
}

/* After a broken place, reads the objects that follow. */
static void read_rest(struct reader *reader)
{
	struct dp_json_stream *stream = &reader->stream;
	const char *before;
	uint64_t at;

	while (!stopped(reader)) {
		at = dp_json_stream__offset(stream, stream->json.at);
		if (!dp_json_stream__peek(stream) && stream->json.at == stream->json.end)
			reader->truncated = true;
		before = stream->json.at;
		dp_json_stream__pass(stream);
		stream->json.at += stream->json.at == before && before < stream->json.end;
		if (reader->truncated || !dp_json_stream__find_object(stream, object_keys)) {
			reader->truncated = true;
			return;
		}
		if (!reader->broken++)
			reader->broken_at = at;
		read_from(reader);
	}
}

static int report(struct reader *reader)
{
	struct dp_builder *builder = reader->import->builder;
	int status = DP_OK;

	if (!reader->records)
		return dp_error__set(
			reader->import->error, reader->truncated ? DP_ERR_DAMAGED : DP_ERR_FORMAT,
			reader->truncated
				? "not rocprofv3's JSON, or truncated: it has no complete record"
				: "not rocprofv3's JSON: no rocprofiler-sdk-tool");
	if (reader->broken)
		status = dp_builder__loss(builder, "broken JSON records", reader->broken,
					  reader->broken_at);
	if (!status && reader->truncated)
		status = dp_builder__truncated(
			builder, "file ends before its JSON does", 0,
			dp_json_stream__offset(&reader->stream, reader->stream.json.end));
	if (!status && reader->nameless)
		status = dp_builder__loss(builder, "kernels whose symbol is not in the file",
					  reader->nameless, 0);
	dp_rocm__finish(&reader->rocm);
	return status;
}

static void release(struct reader *reader)
{
	forget_process(reader);
	free(reader->kinds);
	free(reader->scratch);
	dp_texts__fini(&reader->kernels);
	dp_texts__fini(&reader->calls);
	dp_texts__fini(&reader->markers);
	dp_rocm__fini(&reader->rocm);
	dp_json_stream__close(&reader->stream);
	free(reader);
}

static int read_rocprofv3(struct dp_import *import)
{
	struct reader *reader = dp_alloc__zeroed(1, sizeof(*reader));
	int status;

	if (!reader)
		return dp_error__nomem(import->error, sizeof(*reader));
	reader->import = import;
	reader->process = -1;
	reader->kernels.kernels = true;
	dp_rocm__init(&reader->rocm, import);
	status = dp_json_stream__open(&reader->stream, import);
	if (!status && !read_document(reader) && !stopped(reader))
		read_rest(reader);
	if (!status)
		status = reader->stream.status;
	if (!status)
		status = reader->status;
	if (!status)
		status = report(reader);
	release(reader);
	return status;
}

static int probe_rocprofv3(const struct dp_probe *probe)
{
	struct dp_chrome_look look;

	dp_chrome__look(&look, probe);
	return look.rocprofiler ? 90 : 0;
}

const struct dp_importer dp_importer__rocprofv3 = {
	.info = { "rocprofv3", "ROCm rocprofv3, JSON" },
	.how_to_record = "rocprofv3 --sys-trace --output-format rocpd",
	.probe = probe_rocprofv3,
	.read = read_rocprofv3,
};
