/*
 * The second pass over an XSpace: its events.
 *
 * On GPUs a line is a stream, "Stream #17(Kernel)"; lines derived from streams are skipped. On TPUs
 * the operations are in "XLA Ops", where the event of a loop or a branch encloses those of its
 * body: events that enclose others are ranges. Host lines are threads. Launches and kernels share
 * correlation_id; the framework's or compiler's operator (tf_op, hlo_op) of a kernel becomes a
 * range around its launch.
 */
#include "import/copy_name.h"
#include "base/text.h"
#include "import/lookup.h"
#include "import/unpack.h"
#include "import/xla_details.h"
#include "import/xla_name.h"
#include "import/xplane_event.h"

#include <stdio.h>
#include <string.h>

enum line_kind {
	LINE_SKIP,
	LINE_OPS,
	LINE_ASYNC,
	LINE_NESTED,
	LINE_STEPS,
	LINE_MODULES,
	LINE_HOST
};

struct line {
	enum line_kind kind;
	bool known; /* kind is set */
	int64_t id;
	int64_t start_ns;
	uint32_t place; /* stream or thread in the builder, DP_NONE: none yet */
	char name[64];
	size_t name_length;
	/* The last of nested operations: it is an operation unless it encloses the next. */
	struct dp_op pending;
	bool has_pending;
};

/* A call with a correlation id, kept until operators are known. */
struct launch {
	int64_t start_ns, end_ns;
	uint32_t thread, correlation;
};

/* An operation's name, and its kind by that name. */
struct op_name {
	uint32_t string; /* in the builder, DP_NONE: not used yet */
	uint8_t op, copy_kind;
};

struct reader {
	const struct dp_import *import;
	struct dp_builder *builder;
	struct dp_wire wire;
	struct dp_xspace space;
	struct dp_xdamage damage; /* found by the second pass */
	struct dp_xplane *plane;
	struct op_name *op_names; /* by text in space.names */
	size_t op_name_room, op_name_count;
	uint32_t process;
	struct dp_xplane_ids operators; /* from correlation id to text in stat_names */
	size_t last_gpu;		/* the last plane of a GPU */
	bool gpus_follow;		/* after this plane: not all operators are known */
	struct launch *launches;
	size_t launch_count, launch_room;
	int64_t epoch_votes;
	uint64_t nameless;
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

static bool begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool starts(const char *text, size_t length, const char *prefix)
{
	size_t n = strlen(prefix);

	return length >= n && !memcmp(text, prefix, n);
}

static bool is(const struct line *line, const char *name)
{
	return dp_text__is(line->name, line->name_length, name);
}

static enum line_kind kind_of(const struct dp_xplane *plane, const struct line *line)
{
	if (plane->kind == DP_XPLANE_HOST)
		return LINE_HOST;
	if (is(line, "Steps"))
		return LINE_STEPS;
	if (is(line, "XLA Modules"))
		return LINE_MODULES;
	if (plane->kind == DP_XPLANE_GPU)
		return starts(line->name, line->name_length, "Stream #") ? LINE_OPS : LINE_SKIP;
	return is(line, "XLA Ops")	   ? LINE_NESTED
	       : is(line, "Async XLA Ops") ? LINE_ASYNC
					   : LINE_SKIP;
}

/* The number in "Stream #17(Kernel)": mostly the line's id, too, but that may be changed. */
static int64_t stream_number(const struct reader *reader, const struct line *line)
{
	int64_t number = 0;
	size_t at = strlen("Stream #");

	if (reader->plane->kind != DP_XPLANE_GPU || at >= line->name_length ||
	    line->name[at] < '0' || line->name[at] > '9')
		return line->id;
	for (; at < line->name_length && line->name[at] >= '0' && line->name[at] <= '9' &&
	       number < INT32_MAX;
	     at++)
		number = number * 10 + (line->name[at] - '0');
	return number;
}

/* Returns the line's stream or thread; DP_NONE on failure. */
static uint32_t place_of(struct reader *reader, struct line *line)
{
	struct dp_builder *builder = reader->builder;
	uint32_t name;

	if (line->place != DP_NONE)
		return line->place;
	if (line->kind != LINE_HOST) {
		reader->plane->has_ops = true;
		line->place = dp_builder__stream(builder, reader->process, reader->plane->device,
						 -1, stream_number(reader, line));
	} else {
		line->place = dp_builder__thread(builder, reader->process, line->id);
		name = dp_builder__string(builder, line->name, line->name_length);
		if (name == DP_NONE)
			line->place = DP_NONE;
		else if (line->name_length)
			dp_builder__name_thread(builder, line->place, name);
	}
	if (line->place == DP_NONE)
		failed(reader);
	return line->place;
}

/* Returns the event's name in space.names, DP_NONE if it has none. */
static uint32_t text_of(const struct reader *reader, const struct dp_xevent *event)
{
	return dp_xplane_ids__get(&reader->plane->events, event->id);
}

static uint32_t unknown_name(struct reader *reader, const struct dp_xevent *event)
{
	char name[48];
	int n = snprintf(name, sizeof(name), "[event %lld]", (long long)event->id);

	reader->nameless++;
	return dp_builder__string(reader->builder, name, (size_t)n);
}

/* Returns the entry of an operation's name, NULL on failure. */
static const struct op_name *op_name(struct reader *reader, uint32_t text)
{
	const char *name = dp_texts__get(&reader->space.names, text);
	struct dp_copy_name found;
	struct op_name *made;

	if (text < reader->op_name_count && reader->op_names[text].string != DP_NONE)
		return &reader->op_names[text];
	if (dp_array__reserve(&reader->op_names, &reader->op_name_room, (size_t)text + 1,
			      sizeof(*reader->op_names))) {
		nomem(reader);
		return NULL;
	}
	while (reader->op_name_count <= text)
		reader->op_names[reader->op_name_count++].string = DP_NONE;
	made = &reader->op_names[text];
	found = dp_copy_name__read(name, strlen(name));
	made->op = (uint8_t)found.op;
	made->copy_kind = (uint8_t)found.kind;
	made->string = dp_builder__kernel_name(reader->builder, name, strlen(name));
	return made->string == DP_NONE ? NULL : made;
}

static bool is_epoch(int64_t time_ns)
{
	return time_ns >= INT64_C(1000000000000000000) && time_ns <= INT64_C(2305843009213693952);
}

/*
 * Returns the operator of the framework or the compiler. JAX's programs have the same tf_op
 * everywhere, "XlaModule:", and their operators, "jit(step)/dot_general", in name.
 */
static uint32_t operator_of(const struct reader *reader, const struct dp_xevent *event)
{
	static const char module[] = "XlaModule:";

	if (event->tf_op != DP_NONE &&
	    strncmp(dp_texts__get(&reader->space.stat_names, event->tf_op), module,
		    sizeof(module) - 1) != 0)
		return event->tf_op;
	return event->op_name != DP_NONE ? event->op_name : event->hlo_op;
}

/* Keeps the operator that a kernel belongs to until its launch is known. */
static int note_operator(struct reader *reader, const struct dp_xevent *event)
{
	uint32_t text = operator_of(reader, event);

	if (text == DP_NONE || !event->correlation)
		return DP_OK;
	if (dp_xplane_ids__set(&reader->operators, event->correlation, text))
		return nomem(reader);
	return DP_OK;
}

static int add_range(struct reader *reader, int64_t start_ns, int64_t end_ns, uint32_t name,
		     uint32_t thread, enum dp_range_kind kind)
{
	const struct dp_range range = { start_ns, end_ns, name, thread, kind };

	if (name == DP_NONE || dp_builder__add_range(reader->builder, &range))
		return failed(reader);
	return DP_OK;
}

static int push_pending(struct reader *reader, struct line *line)
{
	if (!line->has_pending)
		return DP_OK;
	line->has_pending = false;
	return dp_builder__op(reader->builder, &line->pending) ? failed(reader) : DP_OK;
}

static bool encloses(const struct dp_op *op, const struct dp_op *other)
{
	return other->start_ns >= op->start_ns && other->end_ns <= op->end_ns &&
	       op->end_ns > op->start_ns;
}

/*
 * An event that encloses the next one of its line is not an operation, but a loop or a branch. An
 * event without duration, such as a copy's start, does not count: a kernel may begin or end with
 * it.
 */
static int push_nested(struct reader *reader, struct line *line, const struct dp_op *op)
{
	const struct dp_op *last = &line->pending;

	if (line->has_pending && encloses(last, op)) {
		if (op->end_ns == op->start_ns)
			return dp_builder__op(reader->builder, op) ? failed(reader) : DP_OK;
		line->has_pending = false;
		if (add_range(reader, last->start_ns, last->end_ns, last->name, DP_NONE,
			      DP_RANGE_OPERATOR))
			return reader->status;
	}
	if (push_pending(reader, line))
		return reader->status;
	line->pending = *op;
	line->has_pending = true;
	return DP_OK;
}

/* Reads an allocation or a free of device memory. */
static int take_memory(struct reader *reader, const struct dp_xevent *event)
{
	int64_t bytes = (int64_t)(dp_xla_details__number(event->details, event->details_length,
							 "num_bytes:") &
				  INT64_MAX);
	uint32_t device;

	if (dp_xla_details__memory(event->details, event->details_length, "kind:") !=
	    DP_MEMORY_DEVICE)
		return DP_OK;
	device = dp_builder__device(reader->builder, reader->process, reader->plane->device);
	if (device == DP_NONE ||
	    dp_builder__add_memory(reader->builder, event->start_ns, device,
				   event->details_kind == DP_XSTAT_ALLOCATE ? bytes : -bytes))
		return failed(reader);
	return DP_OK;
}

/* "async-copy", "copy-start.3", "slice-start": transfers that run next to kernels. */
static bool is_transfer(const struct reader *reader, uint32_t text)
{
	static const char *const moves[] = { "copy", "slice", "dynamic-" };
	const char *name = text == DP_NONE ? "" : dp_texts__get(&reader->space.names, text);

	if (begins(name, "async-"))
		name += strlen("async-");
	for (size_t i = 0; i < DP_COUNT(moves); i++)
		if (begins(name, moves[i]))
			return true;
	return false;
}

static int take_op(struct reader *reader, struct line *line, const struct dp_xevent *event)
{
	struct dp_op op = { .start_ns = event->start_ns,
			    .end_ns = event->end_ns,
			    .correlation = event->correlation };
	uint32_t text = text_of(reader, event);
	const struct op_name *name = text == DP_NONE ? NULL : op_name(reader, text);

	if (event->details_kind == DP_XSTAT_ALLOCATE || event->details_kind == DP_XSTAT_FREE)
		return take_memory(reader, event);
	op.kind = event->graph						  ? DP_OP_GRAPH
		  : event->details_kind == DP_XSTAT_COPY		  ? DP_OP_COPY
		  : event->details_kind == DP_XSTAT_MEMSET		  ? DP_OP_MEMSET
		  : line->kind == LINE_ASYNC && is_transfer(reader, text) ? DP_OP_COPY
		  : name ? (enum dp_op_kind)name->op
			 : DP_OP_KERNEL;
	if (op.kind == DP_OP_COPY)
		op.copy_kind = name ? (enum dp_copy_kind)name->copy_kind : DP_COPY_UNKNOWN;
	dp_xla_details__describe(&op, event->details, event->details_length);
	op.stream = place_of(reader, line);
	op.name = text == DP_NONE ? unknown_name(reader, event) : name ? name->string : DP_NONE;
	if (op.stream == DP_NONE || op.name == DP_NONE)
		return failed(reader);
	reader->epoch_votes += is_epoch(op.start_ns) ? 1 : -1;
	if (line->kind == LINE_NESTED)
		return push_nested(reader, line, &op);
	if (note_operator(reader, event))
		return reader->status;
	return dp_builder__op(reader->builder, &op) ? failed(reader) : DP_OK;
}

/* Returns true for calls of a driver or a runtime: "cuLaunchKernel", "hipLaunchKernel". */
static bool is_call(const char *name)
{
	return !strncmp(name, "cu", 2) || !strncmp(name, "hip", 3) || !strncmp(name, "hsa_", 4);
}

/* Adds a range around a launch for its kernel's operator, if it has one. */
static int push_operator(struct reader *reader, const struct launch *launch)
{
	uint32_t text = dp_xplane_ids__get(&reader->operators, launch->correlation);

	if (text == DP_NONE)
		return DP_OK;
	return add_range(reader, launch->start_ns, launch->end_ns,
			 dp_texts__use(&reader->space.stat_names, reader->builder, text),
			 launch->thread, DP_RANGE_OPERATOR);
}

static int take_call(struct reader *reader, struct line *line, const struct dp_xevent *event,
		     uint32_t name)
{
	const struct dp_call call = { event->start_ns, event->end_ns, name, line->place,
				      event->correlation };

	const struct launch launch = { event->start_ns, event->end_ns, line->place,
				       event->correlation };

	if (dp_builder__add_call(reader->builder, &call))
		return failed(reader);
	if (!reader->gpus_follow)
		return push_operator(reader, &launch);
	if (dp_array__reserve(&reader->launches, &reader->launch_room, reader->launch_count + 1,
			      sizeof(*reader->launches)))
		return nomem(reader);
	reader->launches[reader->launch_count++] = launch;
	return DP_OK;
}

/* Names a step of a device, or one marked by the program, with its number. */
static uint32_t step_name(struct reader *reader, const char *number, const char *name)
{
	char text[DP_XLA_STEP_SIZE];

	return dp_builder__string(reader->builder, text,
				  dp_xla_name__step(text, number, name, strlen(name)));
}

static int take_host(struct reader *reader, struct line *line, const struct dp_xevent *event)
{
	uint32_t text = text_of(reader, event), name;
	const char *plain = text == DP_NONE ? "" : dp_texts__get(&reader->space.names, text);
	enum dp_range_kind kind = DP_RANGE_ANNOTATION;
	char number[24];

	/* "$file.py:12 f" is the interpreter's stack. */
	if (text == DP_NONE || *plain == '$')
		return DP_OK;
	if (place_of(reader, line) == DP_NONE)
		return reader->status;
	if (event->step >= 0) {
		snprintf(number, sizeof(number), "%lld ", (long long)event->step);
		name = step_name(reader, number, plain);
	} else {
		kind = begins(plain, "NVTX:") ? DP_RANGE_NVTX : DP_RANGE_OPERATOR;
		name = dp_texts__use(&reader->space.names, reader->builder, text);
	}
	if (name == DP_NONE)
		return failed(reader);
	if (event->correlation && is_call(plain))
		return take_call(reader, line, event, name);
	return add_range(reader, event->start_ns, event->end_ns, name, line->place, kind);
}

/* Reads a step or a module of a device. */
static int take_mark(struct reader *reader, const struct line *line, const struct dp_xevent *event)
{
	uint32_t text = text_of(reader, event), name;
	const char *plain = text == DP_NONE ? "" : dp_texts__get(&reader->space.names, text);

	name = line->kind == LINE_STEPS ? step_name(reader, "", plain)
	       : text == DP_NONE	? unknown_name(reader, event)
				 : dp_texts__use(&reader->space.names, reader->builder, text);
	return add_range(reader, event->start_ns, event->end_ns, name, DP_NONE,
			 DP_RANGE_ANNOTATION);
}

static int take_event(struct reader *reader, struct line *line, const unsigned char *bytes,
		      size_t length)
{
	struct dp_xevent event;

	if (!dp_xevent__read(&event, &reader->space, reader->plane, line->start_ns, bytes,
			     length)) {
		if (!event.aggregated)
			reader->damage.broken++;
		return DP_OK;
	}
	switch (line->kind) {
	case LINE_OPS:
	case LINE_ASYNC:
	case LINE_NESTED:
		return take_op(reader, line, &event);
	case LINE_HOST:
		return take_host(reader, line, &event);
	case LINE_STEPS:
	case LINE_MODULES:
		return take_mark(reader, line, &event);
	case LINE_SKIP:
		break;
	}
	return DP_OK;
}

/* Reads a field of a line other than its events. */
static void take_line_field(struct line *line, const struct dp_wire_field *field,
			    const unsigned char *bytes)
{
	if (field->number == DP_XLINE_ID && field->type == DP_WIRE_VARINT)
		line->id = (int64_t)field->value;
	else if (field->number == DP_XLINE_START_NS && field->type == DP_WIRE_VARINT)
		line->start_ns = (int64_t)field->value;
	else if (field->number == DP_XLINE_NAME && bytes) {
		line->name_length = DP_MIN((size_t)field->value, sizeof(line->name));
		memcpy(line->name, bytes, line->name_length);
	}
}

/* Reads the line that ends at limit; the stream may end before. */
static int read_line(struct reader *reader, uint64_t limit)
{
	struct line line = { .place = DP_NONE };
	struct dp_wire *wire = &reader->wire;
	enum dp_wire_result result;
	struct dp_wire_field field;

	while (!reader->status && (result = dp_wire__field(wire, limit, &field)) != DP_WIRE_END) {
		const unsigned char *bytes = NULL;
		uint64_t end = dp_wire__offset(wire) + field.value;

		if (result != DP_WIRE_FIELD) {
			dp_xdamage__note(&reader->damage, wire, result);
			break;
		}
		if (field.number == DP_XLINE_EVENT && !line.known) {
			line.kind = kind_of(reader->plane, &line);
			line.known = true;
		}
		if (line.known && line.kind == LINE_SKIP)
			break;
		if (field.type == DP_WIRE_BYTES) {
			bytes = dp_wire__view(wire, field.value);
			if (!bytes && !dp_wire__seek(wire, end)) {
				dp_xdamage__note(&reader->damage, wire, DP_WIRE_CUT);
				break;
			}
		}
		if (field.number == DP_XLINE_EVENT && bytes)
			take_event(reader, &line, bytes, (size_t)field.value);
		else
			take_line_field(&line, &field, bytes);
	}
	if (!reader->status)
		push_pending(reader, &line);
	return reader->status;
}

static int read_plane(struct reader *reader, uint64_t limit)
{
	struct dp_wire *wire = &reader->wire;
	enum dp_wire_result result;
	struct dp_wire_field field;

	while (!reader->status && !reader->damage.cut &&
	       (result = dp_wire__field(wire, limit, &field)) != DP_WIRE_END) {
		uint64_t end = dp_wire__offset(wire) + field.value;

		if (result != DP_WIRE_FIELD) {
			dp_xdamage__note(&reader->damage, wire, result);
			break;
		}
		if (field.type != DP_WIRE_BYTES)
			continue;
		if (field.number == DP_XPLANE_LINE && read_line(reader, end))
			break;
		if (!dp_wire__seek(wire, end))
			dp_xdamage__note(&reader->damage, wire, DP_WIRE_CUT);
		dp_import__progress(reader->import, dp_input__position(wire->input),
				    dp_input__size(wire->input));
	}
	return reader->status;
}

/* Starts the plane with this index. */
static void begin_plane(struct reader *reader, size_t index)
{
	reader->plane = &reader->space.planes[index];
	reader->gpus_follow = index < reader->last_gpu;
}

static int read_events(struct reader *reader)
{
	struct dp_wire *wire = &reader->wire;
	enum dp_wire_result result;
	struct dp_wire_field field;
	size_t index = 0;

	for (size_t i = 0; i < reader->space.count; i++)
		if (reader->space.planes[i].kind == DP_XPLANE_GPU)
			reader->last_gpu = i;
	while (!reader->status && !reader->damage.cut &&
	       (result = dp_wire__field(wire, UINT64_MAX, &field)) != DP_WIRE_END) {
		uint64_t end = dp_wire__offset(wire) + field.value;

		if (result != DP_WIRE_FIELD) {
			/* The end of the content after the last plane is no loss. */
			if (result == DP_WIRE_BROKEN)
				dp_xdamage__note(&reader->damage, wire, result);
			break;
		}
		if (field.type != DP_WIRE_BYTES)
			continue;
		if (field.number == DP_XSPACE_PLANE && index < reader->space.count) {
			begin_plane(reader, index++);
			if (reader->plane->kind >= DP_XPLANE_GPU &&
			    reader->plane->kind <= DP_XPLANE_HOST && read_plane(reader, end))
				break;
		}
		if (!dp_wire__seek(wire, end))
			dp_xdamage__note(&reader->damage, wire, DP_WIRE_CUT);
	}
	return reader->status ? reader->status : wire->status;
}

static int name_devices(struct reader *reader)
{
	struct dp_builder *builder = reader->builder;

	for (size_t i = 0; i < reader->space.count; i++) {
		const struct dp_xplane *plane = &reader->space.planes[i];
		struct dp_gpu gpu = { DP_NONE, DP_NONE, plane->device_bytes };
		uint32_t device;

		if (!plane->has_ops)
			continue;
		if (plane->device_name != DP_NONE) {
			gpu.name = dp_texts__use(&reader->space.stat_names, builder,
						 plane->device_name);
			if (gpu.name == DP_NONE)
				return failed(reader);
		}
		device = dp_builder__device(builder, reader->process, plane->device);
		if (device == DP_NONE)
			return failed(reader);
		dp_builder__name_device(builder, device, &gpu);
	}
	return DP_OK;
}

static int finish(struct reader *reader)
{
	struct dp_builder *builder = reader->builder;
	uint64_t broken = reader->damage.broken;
	int status = DP_OK;

	for (size_t i = 0; !status && i < reader->launch_count; i++)
		status = push_operator(reader, &reader->launches[i]);
	if (!status)
		status = name_devices(reader);
	/* Times count from 1970, or from the session's start. */
	if (reader->epoch_votes > 0)
		dp_builder__epoch(builder, 0);
	else if (reader->space.start_ns > 0)
		dp_builder__epoch(builder, reader->space.start_ns);
	if (!status && broken)
		status = dp_builder__loss(builder, "broken messages of the XSpace", broken,
					  reader->damage.broken_at);
	if (!status && (reader->damage.cut || reader->space.damage.cut))
		status = dp_builder__truncated(builder, "file ends inside a plane", 0,
					       reader->space.damage.end);
	if (!status && reader->nameless)
		status = dp_builder__loss(builder, "events whose name is not in the file",
					  reader->nameless, 0);
	return status;
}

/* Reads the content a first time: a file, or a file to which a pipe's content was written. */
static int read_twice(struct reader *reader, const char *path)
{
	const struct dp_import *import = reader->import;
	struct dp_input *names = NULL;
	int status = dp_input__open(&names, path, import->error);

	if (!status)
		status = dp_xspace__read(&reader->space, names, import->error);
	dp_input__close(names);
	if (!status && !reader->space.count)
		return dp_error__set(
			import->error, reader->space.damage.cut ? DP_ERR_DAMAGED : DP_ERR_FORMAT,
			reader->space.damage.cut ? "an XSpace that ends inside its first plane"
						 : "not an XSpace: it has no planes");
	return status;
}

static void release(struct reader *reader)
{
	dp_wire__close(&reader->wire);
	dp_xspace__fini(&reader->space);
	dp_xplane_ids__fini(&reader->operators);
	free(reader->op_names);
	free(reader->launches);
	free(reader);
}

static int read_xplane(struct dp_import *import)
{
	struct reader *reader = dp_alloc__zeroed(1, sizeof(*reader));
	struct dp_unpacked unpacked = DP_UNPACKED_INIT;
	struct dp_input *content = NULL;
	bool pipe = !strcmp(import->path, "-");
	int status = DP_OK;

	if (!reader)
		return dp_error__nomem(import->error, sizeof(*reader));
	reader->import = import;
	reader->builder = import->builder;
	if (pipe)
		status = dp_unpack__open(&unpacked, import->input,
					 import->options->temporary_folder, import->error);
	if (!status)
		status = read_twice(reader, pipe ? unpacked.path : import->path);
	if (!status && pipe)
		status = dp_input__open(&content, unpacked.path, import->error);
	if (!status)
		status =
			dp_wire__open(&reader->wire, pipe ? content : import->input, import->error);
	if (!status) {
		reader->process = dp_builder__process(import->builder, -1);
		status = reader->process == DP_NONE ? failed(reader) : read_events(reader);
	}
	if (!status)
		status = finish(reader);
	dp_input__close(content);
	dp_unpack__close(&unpacked);
	release(reader);
	return status;
}

static int probe_xplane(const struct dp_probe *probe)
{
	return dp_xspace__probe((const unsigned char *)probe->head, probe->length) ? 90 : 0;
}

const struct dp_importer dp_importer__xplane = {
	.info = { "xplane", "JAX, TensorFlow 2, PyTorch/XLA profile, XPlane" },
	.how_to_record = "jax.profiler or tf.profiler around work on the GPU or TPU",
	.probe = probe_xplane,
	.read = read_xplane,
};
