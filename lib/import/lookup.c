/* Maps identifiers of a source to those of the builder; each text becomes its string once. */
#include "import/lookup.h"

#include "base/base.h"

#include <string.h>

void dp_places__init(struct dp_places *places, struct dp_builder *builder, struct dp_error *error)
{
	memset(places, 0, sizeof(*places));
	places->builder = builder;
	places->error = error;
	places->last_stream = DP_NONE;
}

void dp_places__fini(struct dp_places *places)
{
	dp_lookup__fini(&places->streams);
	dp_lookup__fini(&places->queues);
	dp_lookup__fini(&places->threads);
	dp_lookup__fini(&places->devices);
	dp_lookup__fini(&places->pids);
}

/* Stores a new id; passes on DP_NONE, a failure of the builder. */
static uint32_t keep(struct dp_places *places, struct dp_lookup *lookup, const struct dp_key *key,
		     uint32_t id)
{
	if (id == DP_NONE || dp_lookup__set(lookup, key, id) == DP_OK)
		return id;
	dp_error__nomem(places->error, 0);
	return DP_NONE;
}

uint32_t dp_places__process(struct dp_places *places, int64_t pid)
{
	struct dp_key key = { { pid } };
	uint32_t id = dp_lookup__get(&places->pids, &key);

	if (id != DP_NONE)
		return id;
	return keep(places, &places->pids, &key, dp_builder__process(places->builder, pid));
}

static uint32_t add_stream(struct dp_places *places, const struct dp_key *key)
{
	int64_t pid = key->part[0];
	struct dp_key device_key = { { pid, key->part[1] } };
	struct dp_key queue_key = { { pid, key->part[2], key->part[3] } };
	uint32_t process = dp_places__process(places, pid);
	uint32_t device, stream;

	if (process == DP_NONE)
		return DP_NONE;
	device = dp_builder__device(places->builder, process, key->part[1]);
	if (keep(places, &places->devices, &device_key, device) == DP_NONE)
		return DP_NONE;
	stream = dp_builder__stream(places->builder, process, key->part[1], key->part[2],
				    key->part[3]);
	if (keep(places, &places->queues, &queue_key, stream) == DP_NONE)
		return DP_NONE;
	return keep(places, &places->streams, key, stream);
}

uint32_t dp_places__stream(struct dp_places *places, int64_t pid, int64_t device, int64_t context,
			   int64_t stream)
{
	struct dp_key key = { { pid, device, context, stream } };
	uint32_t id;

	if (places->last_stream != DP_NONE && !memcmp(&key, &places->last_key, sizeof(key)))
		return places->last_stream;
	id = dp_lookup__get(&places->streams, &key);
	if (id == DP_NONE)
		id = add_stream(places, &key);
	places->last_key = key;
	places->last_stream = id;
	return id;
}

uint32_t dp_places__thread(struct dp_places *places, int64_t pid, int64_t tid)
{
	struct dp_key key = { { pid, tid } };
	uint32_t id = dp_lookup__get(&places->threads, &key);
	uint32_t process;

	if (id != DP_NONE)
		return id;
	process = dp_places__process(places, pid);
	if (process == DP_NONE)
		return DP_NONE;
	return keep(places, &places->threads, &key,
		    dp_builder__thread(places->builder, process, tid));
}

uint32_t dp_places__find_process(const struct dp_places *places, int64_t pid)
{
	struct dp_key key = { { pid } };

	return dp_lookup__get(&places->pids, &key);
}

uint32_t dp_places__find_thread(const struct dp_places *places, int64_t pid, int64_t tid)
{
	struct dp_key key = { { pid, tid } };

	return dp_lookup__get(&places->threads, &key);
}

uint32_t dp_places__find_device(const struct dp_places *places, int64_t pid, int64_t device)
{
	struct dp_key key = { { pid, device } };

	return dp_lookup__get(&places->devices, &key);
}

uint32_t dp_places__find_queue(const struct dp_places *places, int64_t pid, int64_t context,
			       int64_t stream)
{
	struct dp_key key = { { pid, context, stream } };

	return dp_lookup__get(&places->queues, &key);
}

void dp_gpus__fini(struct dp_gpus *gpus)
{
	free(gpus->list);
	dp_lookup__fini(&gpus->by_id);
	dp_lookup__fini(&gpus->by_device);
	dp_lookup__fini(&gpus->by_place);
}

int dp_gpus__add(struct dp_gpus *gpus, int64_t id, int64_t device, const struct dp_gpu *gpu)
{
	struct dp_key id_key = { { id } }, device_key = { { device } };
	uint32_t index = (uint32_t)gpus->count;

	if (gpus->count >= DP_NONE)
		return DP_ERR_LIMIT;
	if (dp_array__reserve(&gpus->list, &gpus->room, gpus->count + 1, sizeof(*gpus->list)) ||
	    dp_lookup__set(&gpus->by_id, &id_key, index) ||
	    dp_lookup__set(&gpus->by_device, &device_key, index))
		return DP_ERR_NOMEM;
	gpus->list[gpus->count++] = *gpu;
	return DP_OK;
}

int dp_gpus__map(struct dp_gpus *gpus, int64_t pid, int64_t device, int64_t id)
{
	struct dp_key id_key = { { id } }, place_key = { { pid, device } };
	struct dp_key device_key = { { device } };
	uint32_t index = dp_lookup__get(&gpus->by_id, &id_key);

	if (index == DP_NONE)
		return DP_OK;
	if (pid < 0)
		return dp_lookup__set(&gpus->by_device, &device_key, index);
	return dp_lookup__set(&gpus->by_place, &place_key, index);
}

void dp_places__name_devices(struct dp_places *places, const struct dp_gpus *gpus)
{
	for (size_t i = 0; i < places->devices.room; i++) {
		const struct dp_lookup_slot *slot = &places->devices.slots[i];
		struct dp_key device = { { slot->key.part[1] } };
		uint32_t index;

		if (!slot->used)
			continue;
		index = dp_lookup__get(&gpus->by_place, &slot->key);
		if (index == DP_NONE)
			index = dp_lookup__get(&gpus->by_device, &device);
		if (index != DP_NONE)
			dp_builder__name_device(places->builder, slot->value, &gpus->list[index]);
	}
}

void dp_texts__fini(struct dp_texts *texts)
{
	dp_strings__fini(&texts->raw);
	free(texts->ids);
}

uint32_t dp_texts__keep(struct dp_texts *texts, const char *text, size_t length)
{
	size_t before = texts->raw.count;
	uint32_t raw = dp_strings__intern(&texts->raw, text, strnlen(text, length));

	if (raw == DP_NONE ||
	    dp_array__reserve(&texts->ids, &texts->room, texts->raw.count, sizeof(*texts->ids)))
		return DP_NONE;
	if (raw == before)
		texts->ids[raw] = DP_NONE;
	return raw;
}

const char *dp_texts__get(const struct dp_texts *texts, uint32_t text)
{
	return dp_strings__get(&texts->raw, text);
}

uint32_t dp_texts__use(struct dp_texts *texts, struct dp_builder *builder, uint32_t text)
{
	const char *raw = dp_strings__get(&texts->raw, text);

	if (texts->ids[text] == DP_NONE)
		texts->ids[text] = texts->kernels
					   ? dp_builder__kernel_name(builder, raw, strlen(raw))
					   : dp_builder__string(builder, raw, strlen(raw));
	return texts->ids[text];
}
