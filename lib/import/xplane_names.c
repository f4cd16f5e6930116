/* The first pass over an XSpace: planes, and the names of their events and stats. */
#include "import/xplane.h"
#include "base/text.h"

#include <string.h>

/* Planes beyond this number are damage: the file of a TPU pod has some hundred. */
#define MOST_PLANES 65536

static bool starts(const char *text, size_t length, const char *prefix)
{
	size_t n = strlen(prefix);

	return length >= n && !memcmp(text, prefix, n);
}

uint32_t dp_xplane_ids__get_far(const struct dp_xplane_ids *ids, int64_t id)
{
	struct dp_key key = { { id } };

	return dp_lookup__get(&ids->far, &key);
}

/* Stores by index as long as that needs at most four entries per number. */
int dp_xplane_ids__set(struct dp_xplane_ids *ids, int64_t id, uint32_t value)
{
	struct dp_key key = { { id } };

	ids->seen++;
	if (id < 0 || (uint64_t)id > 4096 + 4 * ids->seen)
		return dp_lookup__set(&ids->far, &key, value);
	if (dp_array__reserve(&ids->list, &ids->room, (size_t)id + 1, sizeof(*ids->list)))
		return DP_ERR_NOMEM;
	while (ids->count <= (size_t)id)
		ids->list[ids->count++] = DP_NONE;
	ids->list[id] = value;
	return DP_OK;
}

void dp_xplane_ids__fini(struct dp_xplane_ids *ids)
{
	free(ids->list);
	dp_lookup__fini(&ids->far);
}

static enum dp_xstat stat_kind(const char *name, size_t length)
{
	static const struct {
		const char *name;
		enum dp_xstat kind;
	} known[] = {
		{ "correlation_id", DP_XSTAT_CORRELATION },
		{ "memcpy_details", DP_XSTAT_COPY },
		{ "Memset_details", DP_XSTAT_MEMSET },
		{ "memset_details", DP_XSTAT_MEMSET },
		{ "memalloc_details", DP_XSTAT_ALLOCATE },
		{ "MemFree_details", DP_XSTAT_FREE },
		{ "memfree_details", DP_XSTAT_FREE },
		{ "tf_op", DP_XSTAT_TF_OP },
		{ "hlo_op", DP_XSTAT_HLO_OP },
		{ "step_num", DP_XSTAT_STEP },
		{ "cuda_graph_exec_id", DP_XSTAT_GRAPH },
		{ "profile_start_time", DP_XSTAT_START },
		{ "name", DP_XSTAT_OP_NAME },
		{ "device_type_string", DP_XSTAT_DEVICE_NAME },
		{ "device_vendor", DP_XSTAT_DEVICE_NAME },
		{ "memory_size", DP_XSTAT_DEVICE_BYTES },
	};

	for (size_t i = 0; i < DP_COUNT(known); i++)
		if (dp_text__is(name, length, known[i].name))
			return known[i].kind;
	return DP_XSTAT_OTHER;
}

void dp_xdamage__note(struct dp_xdamage *damage, const struct dp_wire *wire,
		      enum dp_wire_result result)
{
	if (result == DP_WIRE_CUT) {
		damage->cut = true;
		damage->end = dp_wire__offset(wire);
	} else if (result == DP_WIRE_BROKEN) {
		if (!damage->broken++)
			damage->broken_at = dp_wire__offset(wire);
	}
}

/* "/device:GPU:0", "/device:TPU:3", "/host:CPU". A TPU's sparse cores have their own planes. */
static void take_plane_name(struct dp_xplane *plane, const char *name, size_t length)
{
	static const char gpu[] = "/device:GPU:", tpu[] = "/device:TPU:";
	size_t at = sizeof(gpu) - 1;

	if (starts(name, length, gpu))
		plane->kind = DP_XPLANE_GPU;
	else if (starts(name, length, tpu))
		plane->kind = DP_XPLANE_TPU;
	else if (starts(name, length, "/host:CPU") || starts(name, length, "/host:CUPTI") ||
		 starts(name, length, "/host:ROCTRACER") || starts(name, length, "/host:NVTX"))
		plane->kind = DP_XPLANE_HOST;
	else if (starts(name, length, "Task Environment"))
		plane->kind = DP_XPLANE_ENVIRONMENT;
	if (plane->kind != DP_XPLANE_GPU && plane->kind != DP_XPLANE_TPU)
		return;
	for (plane->device = 0;
	     at < length && name[at] >= '0' && name[at] <= '9' && plane->device < 1000000; at++)
		plane->device = plane->device * 10 + (name[at] - '0');
	if (at < length && plane->kind == DP_XPLANE_TPU)
		plane->kind = DP_XPLANE_SKIP;
}

/* Reads an entry of a map: its key, and the message that is its value. */
static bool map_entry(const unsigned char *bytes, size_t length, int64_t *key,
		      struct dp_wire_cursor *value)
{
	struct dp_wire_cursor cursor = { bytes, bytes + length, false };
	struct dp_wire_field field;

	*key = 0;
	*value = (struct dp_wire_cursor){ 0 };
	while (dp_wire__next(&cursor, &field)) {
		if (field.number == 1 && field.type == DP_WIRE_VARINT)
			*key = (int64_t)field.value;
		else if (field.number == 2 && field.type == DP_WIRE_BYTES)
			*value = dp_wire__cursor(&field);
	}
	return !cursor.broken && value->at;
}

/* The metadata of an event or a stat: an entry of a map by number. */
struct named {
	int64_t id;
	struct dp_wire_field name, display; /* without bytes if missing */
};

static bool read_named(struct named *named, const unsigned char *bytes, size_t length)
{
	struct dp_wire_cursor cursor;
	struct dp_wire_field field;

	*named = (struct named){ 0 };
	if (!map_entry(bytes, length, &named->id, &cursor))
		return false;
	while (dp_wire__next(&cursor, &field)) {
		if (field.number == 1 && field.type == DP_WIRE_VARINT)
			named->id = (int64_t)field.value;
		else if (field.number == 2 && field.type == DP_WIRE_BYTES)
			named->name = field;
		else if (field.number == 4 && field.type == DP_WIRE_BYTES)
			named->display = field;
	}
	return true;
}

/* On TPUs the name is a whole HLO instruction; its display name is its own name. */
static int take_event_name(struct dp_xspace *space, struct dp_xplane *plane,
			   const unsigned char *bytes, size_t length)
{
	struct dp_wire_field name;
	struct named named;
	uint32_t text;

	if (!read_named(&named, bytes, length))
		return DP_OK;
	name = named.name;
	if (named.display.value && (plane->kind == DP_XPLANE_TPU || !name.value))
		name = named.display;
	if (!name.bytes)
		return DP_OK;
	text = dp_texts__keep(&space->names, (const char *)name.bytes, (size_t)name.value);
	if (text == DP_NONE)
		return DP_ERR_NOMEM;
	return dp_xplane_ids__set(&plane->events, named.id, text);
}

static int take_stat_name(struct dp_xspace *space, struct dp_xplane *plane,
			  const unsigned char *bytes, size_t length)
{
	struct named named;
	const char *name;
	size_t n;
	uint32_t text;

	if (!read_named(&named, bytes, length) || !named.name.bytes)
		return DP_OK;
	name = (const char *)named.name.bytes;
	n = (size_t)named.name.value;
	text = dp_texts__keep(&space->stat_names, name, n);
	if (text == DP_NONE || dp_array__reserve(&space->stat_kinds, &space->kind_room,
						 (size_t)text + 1, sizeof(*space->stat_kinds)))
		return DP_ERR_NOMEM;
	space->stat_kinds[text] = (uint8_t)stat_kind(name, n);
	if (named.id >= 0 && named.id < DP_XPLANE_NEAR)
		plane->near[named.id] = space->stat_kinds[text];
	return dp_xplane_ids__set(&plane->stats, named.id, text);
}

/* Reads a stat of the plane itself. */
static void take_plane_stat(struct dp_xspace *space, struct dp_xplane *plane,
			    const unsigned char *bytes, size_t length)
{
	struct dp_wire_cursor cursor = { bytes, bytes + length, false };
	enum dp_xstat kind = DP_XSTAT_OTHER;
	struct dp_wire_field field;

	while (dp_wire__next(&cursor, &field)) {
		if (field.number == DP_XSTAT_NAME && field.type == DP_WIRE_VARINT)
			kind = dp_xspace__stat(space, plane, (int64_t)field.value);
		else if (kind == DP_XSTAT_START && plane->kind == DP_XPLANE_ENVIRONMENT &&
			 (field.number == DP_XSTAT_UINT64 || field.number == DP_XSTAT_INT64))
			space->start_ns = (int64_t)field.value;
		else if (kind == DP_XSTAT_DEVICE_NAME && field.number == DP_XSTAT_REFERENCE)
			plane->device_name =
				dp_xplane_ids__get(&plane->stats, (int64_t)field.value);
		else if (kind == DP_XSTAT_DEVICE_NAME && field.number == DP_XSTAT_TEXT &&
			 field.type == DP_WIRE_BYTES)
			plane->device_name = dp_texts__keep(
				&space->stat_names, (const char *)field.bytes, (size_t)field.value);
		else if (kind == DP_XSTAT_DEVICE_BYTES &&
			 (field.number == DP_XSTAT_UINT64 || field.number == DP_XSTAT_INT64))
			plane->device_bytes = field.value;
	}
}

/* Reads a field of a plane that has bytes; skips those too long to be names. */
static int take_field(struct dp_xspace *space, struct dp_xplane *plane, uint32_t number,
		      const unsigned char *bytes, size_t length)
{
	switch (number) {
	case DP_XPLANE_NAME:
		take_plane_name(plane, (const char *)bytes, length);
		return DP_OK;
	case DP_XPLANE_EVENT_NAME:
		return take_event_name(space, plane, bytes, length);
	case DP_XPLANE_STAT_NAME:
		return take_stat_name(space, plane, bytes, length);
	case DP_XPLANE_STAT:
		take_plane_stat(space, plane, bytes, length);
		return DP_OK;
	default:
		return DP_OK;
	}
}

/* Reads the names of the plane that ends at limit. Errors: DP_ERR_NOMEM. */
static int read_plane(struct dp_xspace *space, struct dp_wire *wire, uint64_t limit)
{
	struct dp_xplane *plane = &space->planes[space->count - 1];
	struct dp_wire_field field;
	enum dp_wire_result result;
	bool named = false;
	int status = DP_OK;

	while (!status && (result = dp_wire__field(wire, limit, &field)) != DP_WIRE_END) {
		uint64_t end = dp_wire__offset(wire) + field.value;
		const unsigned char *bytes = NULL;

		if (result != DP_WIRE_FIELD) {
			dp_xdamage__note(&space->damage, wire, result);
			break;
		}
		if (field.type != DP_WIRE_BYTES)
			continue;
		/* Planes that are not read can hold large data, such as programs. */
		if (field.number != DP_XPLANE_LINE && !(named && plane->kind == DP_XPLANE_SKIP))
			bytes = dp_wire__view(wire, field.value);
		named |= field.number == DP_XPLANE_NAME;
		if (bytes)
			status = take_field(space, plane, field.number, bytes, (size_t)field.value);
		else if (!dp_wire__seek(wire, end))
			dp_xdamage__note(&space->damage, wire, DP_WIRE_CUT);
	}
	return status;
}

int dp_xspace__read(struct dp_xspace *space, struct dp_input *input, struct dp_error *error)
{
	enum dp_wire_result result;
	struct dp_wire_field field;
	struct dp_wire wire;
	int status = dp_wire__open(&wire, input, error);

	while (!status && !space->damage.cut &&
	       (result = dp_wire__field(&wire, UINT64_MAX, &field)) == DP_WIRE_FIELD) {
		uint64_t end = dp_wire__offset(&wire) + field.value;

		if (field.type != DP_WIRE_BYTES)
			continue;
		if (field.number == DP_XSPACE_PLANE && space->count < MOST_PLANES) {
			status = dp_array__reserve(&space->planes, &space->room, space->count + 1,
						   sizeof(*space->planes));
			if (status)
				break;
			space->planes[space->count++] =
				(struct dp_xplane){ .device_name = DP_NONE };
			status = read_plane(space, &wire, end);
		}
		if (!dp_wire__seek(&wire, end))
			dp_xdamage__note(&space->damage, &wire, DP_WIRE_CUT);
	}
	if (status == DP_ERR_NOMEM)
		dp_error__nomem(error, 0);
	status = status ? status : wire.status;
	dp_wire__close(&wire);
	return status;
}

void dp_xspace__fini(struct dp_xspace *space)
{
	for (size_t i = 0; i < space->count; i++) {
		dp_xplane_ids__fini(&space->planes[i].events);
		dp_xplane_ids__fini(&space->planes[i].stats);
	}
	free(space->planes);
	free(space->stat_kinds);
	dp_texts__fini(&space->names);
	dp_texts__fini(&space->stat_names);
}

bool dp_xspace__probe(const unsigned char *head, size_t length)
{
	static const char *const names[] = { "/host:",	  "/device:", "Task Environment",
					     "Host CPUs", "#Chip",    "Syscalls" };
	struct dp_wire_cursor cursor = { head, head + length, false };
	struct dp_wire_field field;

	/* The first plane is mostly longer than the head: its fields are read without its end. */
	if (length < 4 || head[0] != (DP_XSPACE_PLANE << 3 | DP_WIRE_BYTES))
		return false;
	cursor.at++;
	while (cursor.at < cursor.end && *cursor.at++ & 0x80)
		;
	for (int i = 0; i < 2 && dp_wire__next(&cursor, &field); i++)
		for (size_t j = 0; j < DP_COUNT(names); j++)
			if (field.number == DP_XPLANE_NAME && field.type == DP_WIRE_BYTES &&
			    starts((const char *)field.bytes, (size_t)field.value, names[j]))
				return true;
	return false;
}
