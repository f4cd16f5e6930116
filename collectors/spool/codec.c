#include "spool/codec.h"

#include <string.h>

enum how {
	U8, /* numbers */
	U32,
	S32,
	U64,
	SAME32, /* repeats: stored if it differs from the last of the type */
	TIME,	/* the record's own time: difference to the last of the type */
	SPAN,	/* another time: difference to the previous one in the record */
	CORR,	/* difference to the last of the type */
	PLACE,	/* ids of dictionaries */
	SHAPE,
	UUID, /* 16 bytes */
};

struct field {
	uint16_t offset;
	uint8_t how;
};

struct layout {
	const struct field *fields;
	uint8_t count;
};

#define FIELD(type, name, how)                                   \
	{                                                        \
		offsetof(struct dp_spool_record, type.name), how \
	}

static const struct field info_fields[] = { FIELD(info, key, U32), FIELD(info, value, U32) };

static const struct field kernel_fields[] = {
	FIELD(kernel, place, PLACE),	  FIELD(kernel, shape, SHAPE),
	FIELD(kernel, name, U32),	  FIELD(kernel, start, TIME),
	FIELD(kernel, end, SPAN),	  FIELD(kernel, completed, SPAN),
	FIELD(kernel, correlation, CORR), FIELD(kernel, graph, SAME32),
	FIELD(kernel, queued, SPAN),	  FIELD(kernel, submitted, SPAN),
	FIELD(kernel, graph_node, U64),	  FIELD(kernel, launch_type, SAME32),
	FIELD(kernel, priority, S32),
};

static const struct field memcpy_fields[] = {
	FIELD(memcpy, place, PLACE),	  FIELD(memcpy, start, TIME),
	FIELD(memcpy, end, SPAN),	  FIELD(memcpy, bytes, U64),
	FIELD(memcpy, correlation, CORR), FIELD(memcpy, kind, SAME32),
	FIELD(memcpy, src_kind, SAME32),  FIELD(memcpy, dst_kind, SAME32),
	FIELD(memcpy, flags, SAME32),	  FIELD(memcpy, graph, SAME32),
	FIELD(memcpy, graph_node, U64),	  FIELD(memcpy, count, U64),
	FIELD(memcpy, peer, U8),	  FIELD(memcpy, src_device, U32),
	FIELD(memcpy, src_context, U32),  FIELD(memcpy, dst_device, U32),
	FIELD(memcpy, dst_context, U32),
};

static const struct field memset_fields[] = {
	FIELD(memset, place, PLACE),	  FIELD(memset, start, TIME),
	FIELD(memset, end, SPAN),	  FIELD(memset, bytes, U64),
	FIELD(memset, correlation, CORR), FIELD(memset, value, U32),
	FIELD(memset, flags, SAME32),	  FIELD(memset, memory_kind, SAME32),
	FIELD(memset, graph, SAME32),	  FIELD(memset, graph_node, U64),
};

static const struct field graph_fields[] = {
	FIELD(graph, place, PLACE),	   FIELD(graph, start, TIME),
	FIELD(graph, end, SPAN),	   FIELD(graph, correlation, CORR),
	FIELD(graph, graph, SAME32),	   FIELD(graph, end_device, SAME32),
	FIELD(graph, end_context, SAME32),
};

static const struct field api_fields[] = {
	FIELD(api, start, TIME), FIELD(api, end, SPAN),	   FIELD(api, correlation, CORR),
	FIELD(api, tid, SAME32), FIELD(api, cbid, SAME32), FIELD(api, domain, SAME32),
	FIELD(api, ret, U32),
};

static const struct field sync_fields[] = {
	FIELD(sync, start, TIME),   FIELD(sync, end, SPAN),	  FIELD(sync, correlation, CORR),
	FIELD(sync, kind, SAME32),  FIELD(sync, context, SAME32), FIELD(sync, stream, SAME32),
	FIELD(sync, event, SAME32), FIELD(sync, event_sync, U64), FIELD(sync, ret, U32),
};

static const struct field event_fields[] = {
	FIELD(event, correlation, CORR), FIELD(event, context, SAME32),
	FIELD(event, stream, SAME32),	 FIELD(event, event, SAME32),
	FIELD(event, event_sync, U64),
};

static const struct field mem_op_fields[] = {
	FIELD(mem_op, time, TIME),	    FIELD(mem_op, address, U64),
	FIELD(mem_op, bytes, U64),	    FIELD(mem_op, pc, U64),
	FIELD(mem_op, correlation, CORR),   FIELD(mem_op, op, SAME32),
	FIELD(mem_op, kind, SAME32),	    FIELD(mem_op, device, SAME32),
	FIELD(mem_op, context, SAME32),	    FIELD(mem_op, stream, SAME32),
	FIELD(mem_op, async, SAME32),	    FIELD(mem_op, name, U32),
	FIELD(mem_op, pool_kind, SAME32),   FIELD(mem_op, pool_address, U64),
	FIELD(mem_op, pool_threshold, U64), FIELD(mem_op, pool_size, U64),
	FIELD(mem_op, pool_used, U64),
};

static const struct field mem_pool_fields[] = {
	FIELD(mem_pool, time, TIME),	    FIELD(mem_pool, address, U64),
	FIELD(mem_pool, bytes, U64),	    FIELD(mem_pool, min_bytes, U64),
	FIELD(mem_pool, threshold, U64),    FIELD(mem_pool, used, U64),
	FIELD(mem_pool, correlation, CORR), FIELD(mem_pool, op, U32),
	FIELD(mem_pool, kind, U32),	    FIELD(mem_pool, device, U32),
};

static const struct field ext_corr_fields[] = {
	FIELD(ext_corr, external, CORR),
	FIELD(ext_corr, correlation, CORR),
	FIELD(ext_corr, kind, SAME32),
};

static const struct field nvtx_fields[] = {
	FIELD(nvtx, monotonic_ns, TIME), FIELD(nvtx, type, SAME32),	 FIELD(nvtx, tid, SAME32),
	FIELD(nvtx, domain, SAME32),	 FIELD(nvtx, name, U32),	 FIELD(nvtx, range, CORR),
	FIELD(nvtx, payload, U64),	 FIELD(nvtx, schema, U64),	 FIELD(nvtx, category, U32),
	FIELD(nvtx, color, SAME32),	 FIELD(nvtx, payload_type, U32), FIELD(nvtx, blob, U32),
};

static const struct field schema_fields[] = {
	FIELD(schema, schema, U64), FIELD(schema, domain, U32), FIELD(schema, name, U32),
	FIELD(schema, index, U32),  FIELD(schema, count, U32),	FIELD(schema, field, U32),
	FIELD(schema, type, U64),   FIELD(schema, flags, U64),	FIELD(schema, offset, U64),
	FIELD(schema, bytes, U64),
};

static const struct field thread_fields[] = { FIELD(thread, tid, U32), FIELD(thread, name, U32) };

static const struct field device_fields[] = {
	FIELD(device, device, U32),	    FIELD(device, name, U32),
	FIELD(device, uuid, UUID),	    FIELD(device, cc_major, U32),
	FIELD(device, cc_minor, U32),	    FIELD(device, sms, U32),
	FIELD(device, clock_khz, U32),	    FIELD(device, memory_bytes, U64),
	FIELD(device, bandwidth_kBps, U64), FIELD(device, copy_engines, U32),
	FIELD(device, l2_bytes, U32),
};

static const struct field context_fields[] = {
	FIELD(context, context, U32),	  FIELD(context, device, U32), FIELD(context, api, U32),
	FIELD(context, null_stream, U32), FIELD(context, parent, U32), FIELD(context, sms, U32),
};

static const struct field stream_fields[] = {
	FIELD(stream, context, U32), FIELD(stream, stream, U32),      FIELD(stream, priority, S32),
	FIELD(stream, flags, U32),   FIELD(stream, correlation, U64),
};

static const struct field name_fields[] = {
	FIELD(name, object, U32), FIELD(name, ids[0], U32), FIELD(name, ids[1], U32),
	FIELD(name, ids[2], U32), FIELD(name, name, U32),
};

static const struct field cbid_fields[] = {
	FIELD(cbid, domain, U32),
	FIELD(cbid, cbid, U32),
	FIELD(cbid, name, U32),
};

static const struct field jit_fields[] = {
	FIELD(jit, start, TIME),     FIELD(jit, end, SPAN),	   FIELD(jit, correlation, CORR),
	FIELD(jit, operation, U64),  FIELD(jit, cache_bytes, U64), FIELD(jit, kind, U32),
	FIELD(jit, op, U32),	     FIELD(jit, device, U32),	   FIELD(jit, tid, U32),
	FIELD(jit, cache_path, U32),
};

static const struct field overhead_fields[] = {
	FIELD(overhead, start, TIME),	    FIELD(overhead, end, SPAN),
	FIELD(overhead, correlation, CORR), FIELD(overhead, kind, SAME32),
	FIELD(overhead, object, SAME32),    FIELD(overhead, ids[0], SAME32),
	FIELD(overhead, ids[1], SAME32),    FIELD(overhead, ids[2], SAME32),
};

static const struct field clock_fields[] = {
	FIELD(clock, cupti, TIME),
	FIELD(clock, realtime, SPAN),
	FIELD(clock, monotonic, SPAN),
	FIELD(clock, monotonic_raw, SPAN),
};

static const struct field loss_fields[] = {
	FIELD(loss, realtime_ns, TIME), FIELD(loss, reason, U32), FIELD(loss, kind, U32),
	FIELD(loss, records, U64),	FIELD(loss, bytes, U64),
};

static const struct field count_fields[] = {
	FIELD(count, kind, U32),
	FIELD(count, completed, U64),
	FIELD(count, stored, U64),
	FIELD(count, lost, U64),
};

static const struct field message_fields[] = {
	FIELD(message, realtime_ns, TIME),
	FIELD(message, level, U32),
	FIELD(message, code, U32),
	FIELD(message, text, U32),
};

static const struct field state_fields[] = {
	FIELD(state, realtime_ns, TIME),
	FIELD(state, state, U32),
};

static const struct field raw_fields[] = { FIELD(raw, kind, U32), FIELD(raw, bytes, U32) };

#define COUNT(fields) (sizeof(fields) / sizeof((fields)[0]))
#define LAYOUT(fields)                \
	{                             \
		fields, COUNT(fields) \
	}

static const struct layout layouts[DP_SPOOL_TYPE_COUNT] = {
	[DP_SPOOL_INFO] = LAYOUT(info_fields),
	[DP_SPOOL_KERNEL] = LAYOUT(kernel_fields),
	[DP_SPOOL_MEMCPY] = LAYOUT(memcpy_fields),
	[DP_SPOOL_MEMSET] = LAYOUT(memset_fields),
	[DP_SPOOL_GRAPH] = LAYOUT(graph_fields),
	[DP_SPOOL_API] = LAYOUT(api_fields),
	[DP_SPOOL_SYNC] = LAYOUT(sync_fields),
	[DP_SPOOL_EVENT] = LAYOUT(event_fields),
	[DP_SPOOL_MEM_OP] = LAYOUT(mem_op_fields),
	[DP_SPOOL_MEM_POOL] = LAYOUT(mem_pool_fields),
	[DP_SPOOL_EXT_CORR] = LAYOUT(ext_corr_fields),
	[DP_SPOOL_NVTX] = LAYOUT(nvtx_fields),
	[DP_SPOOL_SCHEMA] = LAYOUT(schema_fields),
	[DP_SPOOL_THREAD] = LAYOUT(thread_fields),
	[DP_SPOOL_DEVICE] = LAYOUT(device_fields),
	[DP_SPOOL_CONTEXT] = LAYOUT(context_fields),
	[DP_SPOOL_STREAM] = LAYOUT(stream_fields),
	[DP_SPOOL_NAME] = LAYOUT(name_fields),
	[DP_SPOOL_CBID] = LAYOUT(cbid_fields),
	[DP_SPOOL_JIT] = LAYOUT(jit_fields),
	[DP_SPOOL_OVERHEAD] = LAYOUT(overhead_fields),
	[DP_SPOOL_CLOCK] = LAYOUT(clock_fields),
	[DP_SPOOL_LOSS] = LAYOUT(loss_fields),
	[DP_SPOOL_COUNT] = LAYOUT(count_fields),
	[DP_SPOOL_MESSAGE] = LAYOUT(message_fields),
	[DP_SPOOL_STATE] = LAYOUT(state_fields),
	[DP_SPOOL_RAW] = LAYOUT(raw_fields),
};

struct dp_spool_place *dp_codec__place(struct dp_spool_record *record)
{
	switch (record->type) {
	case DP_SPOOL_KERNEL:
		return &record->kernel.place;
	case DP_SPOOL_MEMCPY:
		return &record->memcpy.place;
	case DP_SPOOL_MEMSET:
		return &record->memset.place;
	case DP_SPOOL_GRAPH:
		return &record->graph.place;
	default:
		return NULL;
	}
}

struct dp_spool_shape *dp_codec__shape(struct dp_spool_record *record)
{
	return record->type == DP_SPOOL_KERNEL ? &record->kernel.shape : NULL;
}

static inline __attribute__((always_inline)) uint8_t *put(uint8_t *out, uint64_t value)
{
	while (value >= 0x80) {
		*out++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*out++ = (uint8_t)value;
	return out;
}

static inline uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

static inline bool get(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	while (*p < end && shift < 64) {
		uint8_t byte = *(*p)++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*out = value;
			return true;
		}
		shift += 7;
	}
	return false;
}

static inline uint64_t load(const struct dp_spool_record *record, const struct field *field)
{
	const char *at = (const char *)record + field->offset;
	uint32_t word;
	uint64_t wide;

	switch (field->how) {
	case U8:
		return *(const uint8_t *)at;
	case U32:
	case S32:
	case SAME32:
		memcpy(&word, at, 4);
		return word;
	default:
		memcpy(&wide, at, 8);
		return wide;
	}
}

static inline void store(struct dp_spool_record *record, const struct field *field, uint64_t value)
{
	char *at = (char *)record + field->offset;
	uint32_t word = (uint32_t)value;

	switch (field->how) {
	case U8:
		*(uint8_t *)at = value != 0;
		break;
	case U32:
	case S32:
	case SAME32:
		memcpy(at, &word, 4);
		break;
	default:
		memcpy(at, &value, 8);
	}
}

static const uint8_t no_uuid[16];

static inline __attribute__((always_inline)) uint64_t value_of(const struct dp_spool_record *record,
							       const struct field *field,
							       const struct dp_codec_ids *ids)
{
	switch (field->how) {
	case PLACE:
		return ids->place;
	case SHAPE:
		return ids->shape;
	case UUID:
		return memcmp((const char *)record + field->offset, no_uuid, sizeof(no_uuid)) != 0;
	default:
		return load(record, field);
	}
}

/* Encodes one field, whose bit is set by the caller. */
static inline __attribute__((always_inline)) uint8_t *
encode_field(uint64_t *last, uint8_t *out, uint64_t *time, const struct dp_spool_record *record,
	     const struct field *field, uint64_t value)
{
	uint64_t before = *last;

	switch (field->how) {
	case TIME:
		*last = *time = value;
		return put(out, zigzag(value - before));
	case SPAN:
		before = *time;
		*time = value;
		return put(out, zigzag(value - before));
	case CORR:
		*last = value;
		return put(out, zigzag(value - before));
	case S32:
		return put(out, zigzag((uint64_t)(int64_t)(int32_t)value));
	case UUID:
		memcpy(out, (const char *)record + field->offset, sizeof(no_uuid));
		return out + sizeof(no_uuid);
	case SAME32:
		*last = value;
		return put(out, value);
	default:
		return put(out, value);
	}
}

/*
 * The loop is unrolled where the layout is known, so that each field's offset and encoding are
 * constants in it: a third of the instructions of a loop over a table.
 */
#ifdef __clang__
#define UNROLL /* clang decides, and warns of a request that sanitizers keep it from fulfilling */
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

static inline __attribute__((always_inline)) uint8_t *
encode(uint64_t *last, uint8_t *out, const struct dp_spool_record *record,
       const struct dp_codec_ids *ids, const struct field *fields, unsigned int count)
{
	uint64_t value, time = 0;
	uint32_t mask = 0;
	uint8_t *mask_at;

	*out++ = (uint8_t)record->type;
	mask_at = out;
	out += (count + 7u) / 8;
	UNROLL
	for (unsigned int i = 0; i < count; i++) {
		value = value_of(record, &fields[i], ids);
		if (fields[i].how == SAME32 ? value == last[i] : !value)
			continue;
		mask |= 1u << i;
		out = encode_field(&last[i], out, &time, record, &fields[i], value);
	}
	for (unsigned int i = 0; i < count; i += 8)
		*mask_at++ = (uint8_t)(mask >> i);
	return out;
}

uint8_t *dp_codec__encode(struct dp_codec_state *state, uint8_t *out,
			  const struct dp_spool_record *record, const struct dp_codec_ids *ids)
{
	const struct layout *layout = &layouts[record->type];
	uint64_t *last = state->last[record->type];

	/* The most frequent types. */
	switch (record->type) {
	case DP_SPOOL_KERNEL:
		return encode(last, out, record, ids, kernel_fields, COUNT(kernel_fields));
	case DP_SPOOL_API:
		return encode(last, out, record, ids, api_fields, COUNT(api_fields));
	default:
		return encode(last, out, record, ids, layout->fields, layout->count);
	}
}

/* Decodes one field whose bit is set. */
static bool decode_field(uint64_t *last, const uint8_t **p, const uint8_t *end, uint64_t *time,
			 struct dp_spool_record *record, const struct field *field,
			 struct dp_codec_ids *ids)
{
	uint64_t value;

	if (field->how == UUID) {
		if (end - *p < 16)
			return false;
		memcpy((char *)record + field->offset, *p, 16);
		*p += 16;
		return true;
	}
	if (!get(p, end, &value))
		return false;
	switch (field->how) {
	case TIME:
		*time = *last += unzigzag(value);
		store(record, field, *time);
		break;
	case SPAN:
		*time += unzigzag(value);
		store(record, field, *time);
		break;
	case CORR:
		*last += unzigzag(value);
		store(record, field, *last);
		break;
	case S32:
		store(record, field, unzigzag(value));
		break;
	case PLACE:
		ids->place = (uint32_t)value;
		break;
	case SHAPE:
		ids->shape = (uint32_t)value;
		break;
	case SAME32:
		*last = (uint32_t)value;
		store(record, field, value);
		break;
	default:
		store(record, field, value);
	}
	return true;
}

bool dp_codec__decode(struct dp_codec_state *state, const uint8_t **p, const uint8_t *end,
		      struct dp_spool_record *record, struct dp_codec_ids *ids)
{
	const struct layout *layout;
	uint32_t mask = 0;
	uint64_t *last, time = 0;

	if (*p >= end || !**p || **p >= DP_SPOOL_TYPE_COUNT || !layouts[**p].count)
		return false;
	memset(record, 0, sizeof(*record));
	memset(ids, 0, sizeof(*ids));
	record->type = *(*p)++;
	layout = &layouts[record->type];
	last = state->last[record->type];
	for (unsigned int i = 0; i < layout->count; i += 8) {
		if (*p >= end)
			return false;
		mask |= (uint32_t) * (*p)++ << i;
	}
	if (mask >> layout->count)
		return false;
	for (unsigned int i = 0; i < layout->count; i++) {
		const struct field *field = &layout->fields[i];

		if (!(mask & 1u << i)) {
			if (field->how == SAME32)
				store(record, field, last[i]);
		} else if (!decode_field(&last[i], p, end, &time, record, field, ids)) {
			return false;
		}
	}
	return true;
}

uint8_t *dp_codec__put_string(uint8_t *out, const struct dp_codec_string *string)
{
	*out++ = DP_SPOOL_STRING;
	out = put(out, string->id);
	out = put(out, string->pointer);
	if (string->alias)
		return put(out, 0);
	out = put(out, string->bytes + 1);
	if (string->bytes)
		memcpy(out, string->text, string->bytes);
	return out + string->bytes;
}

bool dp_codec__get_string(const uint8_t **p, const uint8_t *end, struct dp_codec_string *out)
{
	uint64_t id, bytes;

	++*p;
	if (!get(p, end, &id) || !get(p, end, &out->pointer) || !get(p, end, &bytes))
		return false;
	if (!id || id > UINT32_MAX || bytes > DP_SPOOL_STRING_LIMIT + 1)
		return false;
	out->id = (uint32_t)id;
	out->alias = !bytes;
	out->bytes = bytes ? (size_t)bytes - 1 : 0;
	out->text = (const char *)*p;
	if ((size_t)(end - *p) < out->bytes)
		return false;
	*p += out->bytes;
	return true;
}

static uint8_t *put_words(uint8_t *out, enum dp_spool_type type, uint32_t id, const void *words,
			  size_t count)
{
	uint32_t word;

	*out++ = (uint8_t)type;
	out = put(out, id);
	for (size_t i = 0; i < count; i++) {
		memcpy(&word, (const char *)words + 4 * i, 4);
		out = put(out, word);
	}
	return out;
}

static bool get_words(const uint8_t **p, const uint8_t *end, uint32_t *id, void *words,
		      size_t count)
{
	uint64_t value;
	uint32_t word;

	++*p;
	if (!get(p, end, &value) || !value || value > UINT32_MAX)
		return false;
	*id = (uint32_t)value;
	for (size_t i = 0; i < count; i++) {
		if (!get(p, end, &value))
			return false;
		word = (uint32_t)value;
		memcpy((char *)words + 4 * i, &word, 4);
	}
	return true;
}

uint8_t *dp_codec__put_place(uint8_t *out, uint32_t id, const struct dp_spool_place *place)
{
	return put_words(out, DP_SPOOL_PLACE, id, place, sizeof(*place) / 4);
}

bool dp_codec__get_place(const uint8_t **p, const uint8_t *end, uint32_t *id,
			 struct dp_spool_place *place)
{
	return get_words(p, end, id, place, sizeof(*place) / 4);
}

uint8_t *dp_codec__put_shape(uint8_t *out, uint32_t id, const struct dp_spool_shape *shape)
{
	return put_words(out, DP_SPOOL_SHAPE, id, shape, sizeof(*shape) / 4);
}

bool dp_codec__get_shape(const uint8_t **p, const uint8_t *end, uint32_t *id,
			 struct dp_spool_shape *shape)
{
	return get_words(p, end, id, shape, sizeof(*shape) / 4);
}
