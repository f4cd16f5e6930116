/* Details of XLA's operations by their keys. Cost: linear in the text. */
#include "import/xla_details.h"
#include "base/base.h"

#include <string.h>

static bool starts(const char *text, const char *end, const char *prefix)
{
	size_t n = strlen(prefix);

	return (size_t)(end - text) >= n && !memcmp(text, prefix, n);
}

/* Returns what follows key, end if key is missing. */
static const char *after(const char *text, const char *end, const char *key)
{
	for (; text < end; text++)
		if (starts(text, end, key))
			return text + strlen(key);
	return end;
}

uint64_t dp_xla_details__number(const char *text, size_t length, const char *key)
{
	const char *end = text + length, *p = after(text, end, key);
	uint64_t value = 0;

	for (; p < end && *p >= '0' && *p <= '9' && value < UINT64_MAX / 16; p++)
		value = value * 10 + (uint64_t)(*p - '0');
	return value;
}

enum dp_memory_kind dp_xla_details__memory(const char *text, size_t length, const char *key)
{
	static const struct {
		const char *name;
		enum dp_memory_kind kind;
	} kinds[] = {
		{ "pageable", DP_MEMORY_PAGEABLE },
		{ "pinned", DP_MEMORY_PINNED },
		{ "device_static", DP_MEMORY_DEVICE_STATIC },
		{ "device", DP_MEMORY_DEVICE },
		{ "array", DP_MEMORY_ARRAY },
		{ "managed_static", DP_MEMORY_MANAGED_STATIC },
		{ "managed", DP_MEMORY_MANAGED },
	};
	const char *end = text + length, *p = after(text, end, key);

	for (size_t i = 0; i < DP_COUNT(kinds); i++)
		if (starts(p, end, kinds[i].name))
			return kinds[i].kind;
	return DP_MEMORY_UNKNOWN;
}

void dp_xla_details__describe(struct dp_op *op, const char *text, size_t length)
{
	if (op->kind == DP_OP_COPY) {
		op->src_kind = dp_xla_details__memory(text, length, "kind_src:");
		op->dst_kind = dp_xla_details__memory(text, length, "kind_dst:");
		op->bytes = dp_xla_details__number(text, length, "size:");
	} else if (op->kind == DP_OP_MEMSET) {
		op->dst_kind = dp_xla_details__memory(text, length, "kind:");
		op->bytes = dp_xla_details__number(text, length, "num_bytes:");
	}
}
