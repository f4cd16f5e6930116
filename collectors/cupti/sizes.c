/*
 * Finds the sizes of the records that the loaded library writes. CUPTI can be asked without a
 * driver: in a buffer with a kind's number in each 8-byte word, the second record starts where the
 * first one ends. If it does not answer, like 13.5 without a driver, the sizes known for its
 * version are used.
 */
#include "cupti/collector.h"

#include <string.h>

#define PROBE_BYTES ((size_t)4096)

static const struct {
	uint8_t kind;
	uint32_t from; /* the first version (cuptiGetVersion()) with the size */
	uint16_t bytes;
} known[] = {
	{ CUPTI_MEMCPY, 16, 88 },
	{ CUPTI_MEMCPY, 26, 96 },
	{ CUPTI_MEMSET, 16, 88 },
	{ CUPTI_KERNEL, 16, 176 },
	{ CUPTI_KERNEL, 18, 200 },
	{ CUPTI_KERNEL, 20, 208 },
	{ CUPTI_KERNEL, 130000, 216 },
	{ CUPTI_DRIVER, 0, 40 },
	{ CUPTI_RUNTIME, 0, 40 },
	{ CUPTI_DEVICE, 16, 176 },
	{ CUPTI_DEVICE, 20, 184 },
	{ CUPTI_CONTEXT, 0, 16 },
	{ CUPTI_CONTEXT, 22, 24 },
	{ CUPTI_CONTEXT, 23, 32 },
	{ CUPTI_NAME, 0, 32 },
	{ CUPTI_OVERHEAD, 0, 40 },
	{ CUPTI_OVERHEAD, 21, 48 },
	{ CUPTI_OVERHEAD, 22, 56 },
	{ CUPTI_MEMCPY2, 16, 96 },
	{ CUPTI_EVENT, 0, 24 },
	{ CUPTI_EVENT, 26, 56 },
	{ CUPTI_EVENT, 130500, 80 },
	{ CUPTI_STREAM, 0, 24 },
	{ CUPTI_SYNC, 0, 40 },
	{ CUPTI_SYNC, 26, 56 },
	{ CUPTI_EXT_CORR, 0, 24 },
	{ CUPTI_MEMORY2, 16, 120 },
	{ CUPTI_MEMORY2, 24, 128 },
	{ CUPTI_MEMORY_POOL, 16, 72 },
	{ CUPTI_MEMORY_POOL, 130000, 80 },
	{ CUPTI_GRAPH_TRACE, 16, 48 },
	{ CUPTI_GRAPH_TRACE, 21, 56 },
	{ CUPTI_JIT, 18, 64 },
	{ CUPTI_JIT, 22, 72 },
	{ CUPTI_KERNEL, 130100, 224 },
	{ CUPTI_CONTEXT, 130100, 40 },
	/* From the headers of 13.2 to 13.5. */
	{ CUPTI_DEVICE, 130200, 192 },
	{ CUPTI_KERNEL, 130300, 232 },
	{ CUPTI_KERNEL, 130400, 248 },
	{ CUPTI_MEMCPY, 130400, 112 },
	{ CUPTI_MEMSET, 130400, 104 },
};

uint16_t dp_sizes__known(uint32_t version, uint32_t kind)
{
	uint16_t bytes = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].kind == kind && known[i].from <= version)
			bytes = known[i].bytes;
	return bytes;
}

static uint16_t probe(const struct cupti *cupti, uint64_t *buffer, uint32_t kind)
{
	void *first = NULL, *second;
	uintptr_t difference;

	for (size_t i = 0; i < PROBE_BYTES / 8; i++)
		buffer[i] = kind;
	if (dp_cupti__next(cupti, (uint8_t *)buffer, PROBE_BYTES, &first) || !first)
		return 0;
	second = first;
	if (dp_cupti__next(cupti, (uint8_t *)buffer, PROBE_BYTES, &second) || !second)
		return 0;
	difference = (uintptr_t)second - (uintptr_t)first;
	return difference >= 8 && difference < PROBE_BYTES && difference % 8 == 0
		       ? (uint16_t)difference
		       : 0;
}

bool dp_sizes__measure(const struct cupti *cupti, uint16_t strides[DP_SPOOL_KINDS])
{
	uint64_t *buffer = dp_pages__new(PROBE_BYTES);
	bool any = false;

	memset(strides, 0, DP_SPOOL_KINDS * sizeof(*strides));
	for (uint32_t kind = 1; buffer && kind < CUPTI_KIND_LIMIT; kind++) {
		strides[kind] = probe(cupti, buffer, kind);
		any |= strides[kind] != 0;
	}
	dp_pages__free(buffer, PROBE_BYTES);
	for (uint32_t kind = 1; !any && kind < CUPTI_KIND_LIMIT; kind++)
		strides[kind] = dp_sizes__known(cupti->version, kind);
	return any;
}
