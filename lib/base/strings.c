/* An open-addressing hash of ids, with a key (hash.h), over strings stored in large blocks. */
#include "base/strings.h"

#include <string.h>

#define BLOCK_BYTES ((size_t)64 << 10)

struct dp_strings_block {
	struct dp_strings_block *next;
	size_t used;
	size_t size;
	char bytes[];
};

void dp_strings__fini(struct dp_strings *strings)
{
	struct dp_strings_block *block = strings->blocks, *next;

	for (; block; block = next) {
		next = block->next;
		free(block);
	}
	free(strings->text);
	free(strings->slots);
	free(strings->hashes);
	memset(strings, 0, sizeof(*strings));
}

const char *dp_strings__get(const struct dp_strings *strings, uint32_t id)
{
	return id < strings->count ? strings->text[id] : "";
}

static char *keep(struct dp_strings *strings, const char *text, size_t length)
{
	struct dp_strings_block *block = strings->blocks;
	size_t size = DP_MAX(length + 1, BLOCK_BYTES);
	char *copy;

	if (!block || block->size - block->used < length + 1) {
		block = malloc(sizeof(*block) + size);
		if (!block)
			return NULL;
		block->next = strings->blocks;
		block->used = 0;
		block->size = size;
		strings->blocks = block;
		strings->bytes += sizeof(*block) + size;
	}
	copy = block->bytes + block->used;
	memcpy(copy, text, length);
	copy[length] = '\0';
	block->used += length + 1;
	return copy;
}

static int rehash(struct dp_strings *strings)
{
	size_t count = strings->slot_count ? strings->slot_count * 2 : 256;
	uint32_t *slots = dp_alloc__zeroed(count, sizeof(*slots));

	if (!slots)
		return DP_ERR_NOMEM;
	if (!strings->key.a)
		dp_hash__draw(&strings->key);
	for (size_t id = 0; id < strings->count; id++) {
		size_t at = strings->hashes[id] & (count - 1);

		while (slots[at])
			at = (at + 1) & (count - 1);
		slots[at] = (uint32_t)id + 1;
	}
	free(strings->slots);
	strings->slots = slots;
	strings->slot_count = count;
	return DP_OK;
}

static uint32_t add(struct dp_strings *strings, const char *text, size_t length, uint32_t h,
		    size_t slot)
{
	uint32_t id = (uint32_t)strings->count;

	if (strings->count >= DP_NONE - 1 ||
	    dp_array__reserve(&strings->text, &strings->room, strings->count + 1,
			      sizeof(*strings->text)) ||
	    dp_array__reserve(&strings->hashes, &strings->hash_room, strings->count + 1,
			      sizeof(*strings->hashes)))
		return DP_NONE;
	strings->text[id] = keep(strings, text, length);
	if (!strings->text[id])
		return DP_NONE;
	strings->hashes[id] = h;
	strings->slots[slot] = id + 1;
	strings->count++;
	return id;
}

uint32_t dp_strings__intern(struct dp_strings *strings, const char *text, size_t length)
{
	uint32_t h;
	size_t at;

	if (strings->count * 2 >= strings->slot_count && rehash(strings))
		return DP_NONE;
	h = (uint32_t)dp_hash__bytes(&strings->key, text, length);
	at = h & (strings->slot_count - 1);
	for (; strings->slots[at]; at = (at + 1) & (strings->slot_count - 1)) {
		uint32_t id = strings->slots[at] - 1;

		if (strings->hashes[id] == h && !strncmp(strings->text[id], text, length) &&
		    strings->text[id][length] == '\0')
			return id;
	}
	return add(strings, text, length, h, at);
}
