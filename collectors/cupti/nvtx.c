/*
 * NVTX, by an injection of the collector's own: it works without a GPU, and if another tool holds
 * CUPTI. Domains and registered strings are numbers that it returns as handles.
 */
#include "cupti/collector.h"
#include "cupti/nvtx_abi.h"

#include <string.h>

#define TEXT_MOST 4096u
#define EXPORT __attribute__((visibility("default")))

EXPORT int InitializeInjectionNvtx2(nvtx_get_table_fn get_table);

static _Atomic uint64_t next_range = 1;
static _Atomic uint32_t next_string = 1;
static _Atomic uint32_t next_domain = 1;
static __thread int depth __attribute__((tls_model("initial-exec")));

static uint64_t now(void)
{
	return (uint64_t)clock_ns(CLOCK_MONOTONIC);
}

static size_t length_of(const char *text)
{
	return text ? strnlen(text, TEXT_MOST) : 0;
}

/* Converts a wide string to UTF-8; invalid characters become "?". */
static size_t narrow(const int32_t *wide, char *out)
{
	size_t used = 0;

	for (; wide && *wide && used + 4 <= TEXT_MOST; wide++) {
		uint32_t c = (uint32_t)*wide;

		if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			c = '?';
		if (c < 0x80) {
			out[used++] = (char)c;
			continue;
		}
		if (c >= 0x10000) {
			out[used++] = (char)(0xf0 | c >> 18);
			out[used++] = (char)(0x80 | (c >> 12 & 0x3f));
		} else if (c >= 0x800) {
			out[used++] = (char)(0xe0 | c >> 12);
		}
		if (c >= 0x800)
			out[used++] = (char)(0x80 | (c >> 6 & 0x3f));
		else
			out[used++] = (char)(0xc0 | c >> 6);
		out[used++] = (char)(0x80 | (c & 0x3f));
	}
	return used;
}

static void put_text(uint16_t type, uint64_t value, const char *text)
{
	struct event_parts parts = { .head = { .type = type, .value = value } };

	if (!nvtx_wanted())
		return;
	parts.head.monotonic_ns = now();
	parts.text = text;
	parts.head.text_bytes = (uint32_t)length_of(text);
	dp_ring__event(&parts);
}

/* nvtxEventAttributes_t may grow, and has its size. */
static void put_event(uint16_t type, uint64_t domain, uint64_t value,
		      const struct nvtx_event *attributes)
{
	struct event_parts parts = { .head = { .type = type, .value = value } };
	struct nvtx_event event;
	char text[TEXT_MOST];
	size_t bytes;

	if (!nvtx_wanted())
		return;
	memset(&event, 0, sizeof(event));
	if (attributes) {
		bytes = attributes->bytes < sizeof(event) ? attributes->bytes : sizeof(event);
		memcpy(&event, attributes, bytes);
	}
	parts.head.monotonic_ns = now();
	parts.head.domain = (uint32_t)domain;
	parts.head.category = event.category;
	parts.head.color = event.color_type ? event.color : 0;
	parts.head.payload_type = (uint32_t)event.payload_type;
	if (event.payload_type == NVTX_PAYLOAD_EXTENDED)
		dp_nvtx__payload(&parts, (const void *)(uintptr_t)event.payload,
				 (size_t)(uint32_t)event.reserved);
	else
		parts.head.payload = event.payload_type ? event.payload : 0;
	if (event.message_type == NVTX_MESSAGE_ASCII) {
		parts.text = event.message.ascii;
		parts.head.text_bytes = (uint32_t)length_of(event.message.ascii);
	} else if (event.message_type == NVTX_MESSAGE_UNICODE) {
		parts.text = text;
		parts.head.text_bytes = (uint32_t)narrow(event.message.unicode, text);
	} else if (event.message_type == NVTX_MESSAGE_REGISTERED) {
		parts.head.string = (uint32_t)event.message.registered;
	}
	dp_ring__event(&parts);
}

static uint64_t define(uint16_t type, uint32_t number, const char *text)
{
	struct event_parts parts = { .head = { .type = type, .value = number } };

	if (live() && dp_collector.pool->rings) {
		parts.text = text;
		parts.head.text_bytes = (uint32_t)length_of(text);
		dp_ring__definition(&parts);
	}
	return number;
}

static void mark_ex(const struct nvtx_event *event)
{
	put_event(DP_SPOOL_NVTX_MARK, 0, 0, event);
}

static void mark_a(const char *text)
{
	put_text(DP_SPOOL_NVTX_MARK, 0, text);
}

static uint64_t start_ex(const struct nvtx_event *event)
{
	uint64_t id = atomic_fetch_add(&next_range, 1);

	put_event(DP_SPOOL_NVTX_START, 0, id, event);
	return id;
}

static uint64_t start_a(const char *text)
{
	uint64_t id = atomic_fetch_add(&next_range, 1);

	put_text(DP_SPOOL_NVTX_START, id, text);
	return id;
}

static void range_end(uint64_t id)
{
	put_event(DP_SPOOL_NVTX_END, 0, id, NULL);
}

static int push_ex(const struct nvtx_event *event)
{
	put_event(DP_SPOOL_NVTX_PUSH, 0, 0, event);
	return depth++;
}

static int push_a(const char *text)
{
	put_text(DP_SPOOL_NVTX_PUSH, 0, text);
	return depth++;
}

static int pop(void)
{
	put_text(DP_SPOOL_NVTX_POP, 0, NULL);
	return --depth;
}

static void category_a(uint32_t category, const char *text)
{
	put_text(DP_SPOOL_NVTX_CATEGORY, category, text);
}

static void name_thread_a(uint32_t tid, const char *text)
{
	struct event_parts parts = { .head = { .type = DP_EVENT_NAME, .value = tid } };

	if (!live() || !dp_collector.pool->rings)
		return;
	parts.text = text;
	parts.head.text_bytes = (uint32_t)length_of(text);
	dp_ring__definition(&parts);
}

#define WIDE(name, result, parameters, call)          \
	static result name parameters                 \
	{                                             \
		char narrowed[TEXT_MOST + 1];         \
                                                      \
		narrowed[narrow(wide, narrowed)] = 0; \
		call;                                 \
	}

WIDE(mark_w, void, (const int32_t *wide), mark_a(narrowed))
WIDE(start_w, uint64_t, (const int32_t *wide), return start_a(narrowed))
WIDE(push_w, int, (const int32_t *wide), return push_a(narrowed))
WIDE(category_w, void, (uint32_t category, const int32_t *wide), category_a(category, narrowed))
WIDE(name_thread_w, void, (uint32_t tid, const int32_t *wide), name_thread_a(tid, narrowed))

static void domain_mark(uint64_t domain, const struct nvtx_event *event)
{
	put_event(DP_SPOOL_NVTX_MARK, domain, 0, event);
}

static uint64_t domain_start(uint64_t domain, const struct nvtx_event *event)
{
	uint64_t id = atomic_fetch_add(&next_range, 1);

	put_event(DP_SPOOL_NVTX_START, domain, id, event);
	return id;
}

static void domain_end(uint64_t domain, uint64_t id)
{
	put_event(DP_SPOOL_NVTX_END, domain, id, NULL);
}

static int domain_push(uint64_t domain, const struct nvtx_event *event)
{
	put_event(DP_SPOOL_NVTX_PUSH, domain, 0, event);
	return depth++;
}

static int domain_pop(uint64_t domain)
{
	put_event(DP_SPOOL_NVTX_POP, domain, 0, NULL);
	return --depth;
}

static void domain_category_a(uint64_t domain, uint32_t category, const char *text)
{
	struct nvtx_event event = { .bytes = sizeof(event), .category = category };

	event.message_type = NVTX_MESSAGE_ASCII;
	event.message.ascii = text;
	put_event(DP_SPOOL_NVTX_CATEGORY, domain, category, &event);
}

static uint64_t register_string_a(uint64_t domain, const char *text)
{
	return define(DP_EVENT_STRING, atomic_fetch_add(&next_string, 1), text);
}

static uint64_t domain_create_a(const char *text)
{
	return define(DP_EVENT_DOMAIN, atomic_fetch_add(&next_domain, 1), text);
}

WIDE(domain_category_w, void, (uint64_t domain, uint32_t category, const int32_t *wide),
     domain_category_a(domain, category, narrowed))
WIDE(register_string_w, uint64_t, (uint64_t domain, const int32_t *wide),
     return register_string_a(domain, narrowed))
WIDE(domain_create_w, uint64_t, (const int32_t *wide), return domain_create_a(narrowed))

static uint64_t resource_create(uint64_t domain, const void *attributes)
{
	return 1;
}

static void ignore(uint64_t handle)
{
}

struct entry {
	unsigned int place;
	nvtx_function function;
};

static const struct entry core[] = {
	{ NVTX_MarkEx, (nvtx_function)mark_ex },
	{ NVTX_MarkA, (nvtx_function)mark_a },
	{ NVTX_MarkW, (nvtx_function)mark_w },
	{ NVTX_RangeStartEx, (nvtx_function)start_ex },
	{ NVTX_RangeStartA, (nvtx_function)start_a },
	{ NVTX_RangeStartW, (nvtx_function)start_w },
	{ NVTX_RangeEnd, (nvtx_function)range_end },
	{ NVTX_RangePushEx, (nvtx_function)push_ex },
	{ NVTX_RangePushA, (nvtx_function)push_a },
	{ NVTX_RangePushW, (nvtx_function)push_w },
	{ NVTX_RangePop, (nvtx_function)pop },
	{ NVTX_NameCategoryA, (nvtx_function)category_a },
	{ NVTX_NameCategoryW, (nvtx_function)category_w },
	{ NVTX_NameOsThreadA, (nvtx_function)name_thread_a },
	{ NVTX_NameOsThreadW, (nvtx_function)name_thread_w },
};

static const struct entry core2[] = {
	{ NVTX_DomainMarkEx, (nvtx_function)domain_mark },
	{ NVTX_DomainRangeStartEx, (nvtx_function)domain_start },
	{ NVTX_DomainRangeEnd, (nvtx_function)domain_end },
	{ NVTX_DomainRangePushEx, (nvtx_function)domain_push },
	{ NVTX_DomainRangePop, (nvtx_function)domain_pop },
	{ NVTX_DomainResourceCreate, (nvtx_function)resource_create },
	{ NVTX_DomainResourceDestroy, (nvtx_function)ignore },
	{ NVTX_DomainNameCategoryA, (nvtx_function)domain_category_a },
	{ NVTX_DomainNameCategoryW, (nvtx_function)domain_category_w },
	{ NVTX_DomainRegisterStringA, (nvtx_function)register_string_a },
	{ NVTX_DomainRegisterStringW, (nvtx_function)register_string_w },
	{ NVTX_DomainCreateA, (nvtx_function)domain_create_a },
	{ NVTX_DomainCreateW, (nvtx_function)domain_create_w },
	{ NVTX_DomainDestroy, (nvtx_function)ignore },
	{ NVTX_Initialize, (nvtx_function)ignore },
};

static bool fill(const struct nvtx_callbacks *callbacks, int module, const struct entry *entries,
		 size_t count)
{
	nvtx_function **table = NULL;
	unsigned int places = 0;

	if (!callbacks->GetModuleFunctionTable(module, &table, &places) || !table)
		return false;
	for (size_t i = 0; i < count; i++)
		if (entries[i].place < places && table[entries[i].place])
			*table[entries[i].place] = entries[i].function;
	return true;
}

/* Called by each library with NVTX, at its first event. Returning 0 makes its calls empty. */
int InitializeInjectionNvtx2(nvtx_get_table_fn get_table)
{
	const struct nvtx_callbacks *callbacks;

	if (!dp_life__start() || !dp_collector.options.nvtx)
		return 0;
	callbacks = get_table(NVTX_TABLE_CALLBACKS);
	if (!callbacks || callbacks->bytes < sizeof(*callbacks))
		return 0;
	return fill(callbacks, NVTX_MODULE_CORE, core, sizeof(core) / sizeof(core[0])) &&
	       fill(callbacks, NVTX_MODULE_CORE2, core2, sizeof(core2) / sizeof(core2[0]));
}
