/*
 * NVTX's extension for payloads, in which NCCL passes the communicator, the message size and the
 * operation. Schemas are stored entry by entry, payloads as bytes.
 */
#include "cupti/collector.h"
#include "cupti/nvtx_abi.h"

#include <string.h>

#define PAYLOAD_MOST 1024u
#define NAME_MOST 1024u
#define ENTRIES_MOST 256u
#define ENUMS_MOST 256u
#define FIRST_DYNAMIC_ID ((uint64_t)1 << 32)
#define EXPORT __attribute__((visibility("default")))

EXPORT int InitializeInjectionNvtxExtension(struct nvtx_extension *extension);

static _Atomic uint64_t next_schema = FIRST_DYNAMIC_ID;
static _Atomic uint64_t next_range = (uint64_t)1 << 62;

/* Sizes and alignments by type, as the library with NVTX was compiled. */
struct type_info {
	uint16_t bytes;
	uint16_t align;
};
static const struct type_info *_Atomic types;

/* Enumerations used as types of entries, such as NCCL's reductions; 0 bytes: not written yet. */
static struct {
	uint64_t id;
	uint32_t domain;
	_Atomic uint32_t bytes;
} enums[ENUMS_MOST];
static _Atomic uint32_t enum_count;

void dp_nvtx__payload(struct event_parts *parts, const void *data, size_t count)
{
	struct nvtx_payload payload;

	if (!data || !count)
		return;
	memcpy(&payload, data, sizeof(payload));
	/* A size of -1 leaves it to the schema; it is unknown here. */
	if (!payload.data || payload.bytes > PAYLOAD_MOST)
		payload.bytes = 0;
	parts->head.schema = payload.schema;
	parts->head.payload_bytes = (uint16_t)payload.bytes;
	parts->payload = payload.data;
}

/* The alignment of a number is its size. */
static struct type_info enum_of(uint32_t domain, uint64_t type)
{
	uint32_t count = atomic_load(&enum_count), bytes;

	for (uint32_t i = 0; i < count && i < ENUMS_MOST; i++) {
		bytes = atomic_load_explicit(&enums[i].bytes, memory_order_acquire);
		if (bytes && enums[i].id == type && enums[i].domain == domain)
			return (struct type_info){ (uint16_t)bytes, (uint16_t)bytes };
	}
	return (struct type_info){ 0, 1 };
}

static struct type_info info_of(uint32_t domain, uint64_t type)
{
	static const struct type_info fixed[] = {
		[32] = { 1, 1 }, [33] = { 16, 16 }, [34] = { 16, 16 }, [42] = { 2, 2 },
		[43] = { 4, 4 }, [44] = { 8, 8 },   [45] = { 16, 16 }, [50] = { 2, 2 },
		[52] = { 4, 4 }, [68] = { 4, 4 },   [69] = { 4, 4 },   [70] = { 8, 8 },
		[71] = { 4, 4 }, [72] = { 8, 8 },   [73] = { 4, 4 },   [74] = { 8, 8 },
		[75] = { 8, 8 }, [76] = { 8, 8 },   [77] = { 8, 8 },   [78] = { 8, 8 },
		[80] = { 8, 8 },
	};
	const struct type_info *table = atomic_load(&types);

	if (table && type && type < table[0].bytes)
		return table[type];
	if (type < sizeof(fixed) / sizeof(fixed[0]))
		return fixed[type];
	return enum_of(domain, type);
}

static void put_entry(uint32_t domain, const struct nvtx_schema *schema, uint64_t id,
		      struct dp_pool_schema *entry, const char *field)
{
	const char *name = schema->fields & NVTX_SCHEMA_HAS_NAME ? schema->name : NULL;
	struct event_parts parts = { .head = { .type = DP_EVENT_SCHEMA, .domain = domain } };

	entry->schema = id;
	entry->name_bytes = name ? (uint32_t)strnlen(name, NAME_MOST) : 0;
	entry->field_bytes = field ? (uint32_t)strnlen(field, NAME_MOST) : 0;
	parts.schema = entry;
	parts.text = name;
	parts.more_text = field;
	parts.more_bytes = entry->field_bytes;
	parts.head.text_bytes = (uint32_t)sizeof(*entry) + entry->name_bytes + entry->field_bytes;
	dp_ring__definition(&parts);
}

/* Offsets that are left to the tool follow C's rules for structures. */
static void put_entries(uint32_t domain, const struct nvtx_schema *schema, uint64_t id)
{
	size_t count = schema->count < ENTRIES_MOST ? schema->count : ENTRIES_MOST;
	uint64_t offset = 0;

	for (size_t i = 0; i < count; i++) {
		const struct nvtx_schema_entry *from = &schema->entries[i];
		struct type_info info = info_of(domain, from->type);
		struct dp_pool_schema entry = {
			.type = from->type,
			.flags = from->flags,
			.size = info.bytes,
			.index = (uint32_t)i,
			.count = (uint32_t)count,
		};

		if (info.align)
			offset = (offset + info.align - 1) / info.align * info.align;
		if (from->offset)
			offset = from->offset;
		entry.offset = offset;
		offset += info.bytes;
		put_entry(domain, schema, id, &entry, from->name);
	}
}

static uint64_t schema_register(uint64_t domain, const struct nvtx_schema *schema)
{
	uint64_t id;

	if (!schema)
		return 0;
	id = schema->fields & NVTX_SCHEMA_HAS_ID ? schema->id : atomic_fetch_add(&next_schema, 1);
	if (live() && dp_collector.pool->rings && schema->fields & NVTX_SCHEMA_HAS_ENTRIES &&
	    schema->entries)
		put_entries((uint32_t)domain, schema, id);
	return id;
}

static void keep_enum(uint32_t domain, uint64_t id, size_t bytes)
{
	uint32_t at;

	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		return;
	/* A library may register its own repeatedly. */
	if (enum_of(domain, id).bytes || atomic_load(&enum_count) >= ENUMS_MOST)
		return;
	at = atomic_fetch_add(&enum_count, 1);
	if (at >= ENUMS_MOST)
		return;
	enums[at].id = id;
	enums[at].domain = domain;
	atomic_store_explicit(&enums[at].bytes, (uint32_t)bytes, memory_order_release);
}

static uint64_t enum_register(uint64_t domain, const struct nvtx_enum *attributes)
{
	uint64_t id;

	if (!attributes)
		return 0;
	id = attributes->fields & NVTX_ENUM_HAS_ID ? attributes->id
						   : atomic_fetch_add(&next_schema, 1);
	if (attributes->fields & NVTX_ENUM_HAS_SIZE)
		keep_enum((uint32_t)domain, id, attributes->bytes);
	return id;
}

static void put(uint16_t type, uint64_t domain, uint64_t value, const void *data, size_t count)
{
	struct event_parts parts = { .head = { .type = type, .value = value } };

	if (!nvtx_wanted())
		return;
	parts.head.monotonic_ns = (uint64_t)clock_ns(CLOCK_MONOTONIC);
	parts.head.domain = (uint32_t)domain;
	parts.head.payload_type = (uint32_t)NVTX_PAYLOAD_EXTENDED;
	dp_nvtx__payload(&parts, data, count);
	dp_ring__event(&parts);
}

static void mark_payload(uint64_t domain, const void *data, size_t count)
{
	put(DP_SPOOL_NVTX_MARK, domain, 0, data, count);
}

static int push_payload(uint64_t domain, const void *data, size_t count)
{
	put(DP_SPOOL_NVTX_PUSH, domain, 0, data, count);
	return 0;
}

static int pop_payload(uint64_t domain, const void *data, size_t count)
{
	put(DP_SPOOL_NVTX_POP, domain, 0, data, count);
	return 0;
}

static uint64_t start_payload(uint64_t domain, const void *data, size_t count)
{
	uint64_t id = atomic_fetch_add(&next_range, 1);

	put(DP_SPOOL_NVTX_START, domain, id, data, count);
	return id;
}

static void end_payload(uint64_t domain, uint64_t id, const void *data, size_t count)
{
	put(DP_SPOOL_NVTX_END, domain, id, data, count);
}

/* 3.2.0 and 3.2.1 treat a missing function as no. */
static uint8_t domain_is_enabled(uint64_t domain)
{
	return 1;
}

static int64_t timestamp_get(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static uint64_t scope_register(uint64_t domain, const void *attributes)
{
	return atomic_fetch_add(&next_schema, 1);
}

/* Called by each library with the extension. */
int InitializeInjectionNvtxExtension(struct nvtx_extension *extension)
{
	static const struct {
		unsigned int place;
		void (*function)(void);
	} functions[] = {
		{ NVTX_SchemaRegister, (void (*)(void))schema_register },
		{ NVTX_EnumRegister, (void (*)(void))enum_register },
		{ NVTX_MarkPayload, (void (*)(void))mark_payload },
		{ NVTX_RangePushPayload, (void (*)(void))push_payload },
		{ NVTX_RangePopPayload, (void (*)(void))pop_payload },
		{ NVTX_RangeStartPayload, (void (*)(void))start_payload },
		{ NVTX_RangeEndPayload, (void (*)(void))end_payload },
		{ NVTX_DomainIsEnabled, (void (*)(void))domain_is_enabled },
		{ NVTX_TimestampGet, (void (*)(void))timestamp_get },
		{ NVTX_ScopeRegister, (void (*)(void))scope_register },
	};

	if (!dp_life__start() || !dp_collector.options.nvtx)
		return 0;
	if (extension->module != NVTX_EXT_PAYLOAD || !extension->segment_count ||
	    !extension->segments)
		return 0;
	if (extension->info)
		atomic_store(&types, extension->info);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (functions[i].place < extension->segments[0].count)
			extension->segments[0].functions[functions[i].place] =
				(intptr_t)functions[i].function;
	return 1;
}
