#include "cupti/collector.h"

#include <stdlib.h>
#include <string.h>

#define MIB ((uint64_t)1 << 20)

struct word {
	const char *key;
	size_t offset;
};

static const struct word switches[] = {
	{ "api", offsetof(struct options, api) },
	{ "nvtx", offsetof(struct options, nvtx) },
	{ "memory", offsetof(struct options, memory) },
	{ "sync", offsetof(struct options, sync) },
	{ "jit", offsetof(struct options, jit) },
	{ "overhead", offsetof(struct options, overhead) },
	{ "cmdline", offsetof(struct options, cmdline) },
};

static const struct word numbers[] = {
	{ "max-memory", offsetof(struct options, max_memory) },
	{ "max-spool", offsetof(struct options, max_spool) },
	{ "slot", offsetof(struct options, slot_bytes) },
	{ "flush-ms", offsetof(struct options, flush_ms) },
	{ "exit-ms", offsetof(struct options, exit_ms) },
};

static uint64_t number_of(const char *value)
{
	uint64_t number = 0;

	for (; *value >= '0' && *value <= '9'; value++) {
		if (number > (UINT64_MAX - 9) / 10)
			return UINT64_MAX;
		number = number * 10 + (uint64_t)(*value - '0');
	}
	return number;
}

static void set(struct options *out, const char *key, const char *value)
{
	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		if (!strcmp(key, switches[i].key))
			*(bool *)((char *)out + switches[i].offset) = strcmp(value, "0") != 0;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(key, numbers[i].key))
			*(uint64_t *)((char *)out + numbers[i].offset) = number_of(value);
	if (!strcmp(key, "graph"))
		out->graph_nodes = !strcmp(value, "node");
	else if (!strcmp(key, "start"))
		out->start_paused = !strcmp(value, "pause");
	else if (!strcmp(key, "capture"))
		out->capture_profiler = !strcmp(value, "profiler");
	else if (!strcmp(key, "chain") && strlen(value) < sizeof(out->chain))
		memcpy(out->chain, value, strlen(value) + 1);
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	return value < low ? low : value > high ? high : value;
}

void dp_options__read(struct options *out, const char *text)
{
	char pair[PATH_MAX + 16];
	size_t length;
	char *equals;

	memset(out, 0, sizeof(*out));
	out->api = out->nvtx = out->memory = out->sync = out->jit = out->overhead = true;
	out->cmdline = true;
	out->max_memory = 512 * MIB;
	out->slot_bytes = MIB;
	out->flush_ms = 1000;
	out->exit_ms = 4000;
	for (; text && *text; text += length + (text[length] == ',')) {
		length = strcspn(text, ",");
		if (length >= sizeof(pair))
			continue;
		memcpy(pair, text, length);
		pair[length] = 0;
		equals = strchr(pair, '=');
		if (!equals)
			continue;
		*equals = 0;
		set(out, pair, equals + 1);
	}
	out->slot_bytes = clamp(out->slot_bytes, 16384, DP_POOL_SLOT_LIMIT) & ~(uint64_t)4095;
	out->max_memory = clamp(out->max_memory, 4 * out->slot_bytes + MIB / 4, (uint64_t)1 << 40);
	out->flush_ms = clamp(out->flush_ms, 0, 3600000);
	out->exit_ms = clamp(out->exit_ms, 10, 600000);
}
