/* An open-addressing hash table of substrings, whose hashes a key mixes (hash.h). */
#include "base/substrings.h"

#include <string.h>

enum { FIRST_SLOTS = 64 };

struct dp_substring dp_substrings__at(const struct dp_substrings *set, size_t at, size_t length)
{
	const char *bytes = (const char *)(set->symbols + at);
	uint64_t hash = dp_hash__bytes(&set->key, bytes, length * sizeof(*set->symbols));

	return (struct dp_substring){ at, length, hash };
}

/* The slot of a substring, or the free one where it belongs. */
static uint32_t *slot_of(const struct dp_substrings *set, const struct dp_substring *item)
{
	size_t slot = (size_t)dp_hash__add(&set->key, set->key.a, item->hash) & set->mask;

	for (; set->slots[slot]; slot = (slot + 1) & set->mask) {
		const struct dp_substring *other = &set->items[set->slots[slot] - 1];

		if (other->hash == item->hash && other->length == item->length &&
		    !memcmp(set->symbols + other->at, set->symbols + item->at,
			    item->length * sizeof(*set->symbols)))
			break;
	}
	return &set->slots[slot];
}

static int grow(struct dp_substrings *set)
{
	struct dp_substrings bigger = *set;
	size_t slots = set->slots ? 2 * (set->mask + 1) : FIRST_SLOTS;

	bigger.mask = slots - 1;
	bigger.slots = dp_alloc__zeroed(slots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < set->count; i++)
		*slot_of(&bigger, &set->items[i]) = (uint32_t)i + 1;
	free(set->slots);
	*set = bigger;
	return DP_OK;
}

int dp_substrings__number(uint32_t *number, struct dp_substrings *set, struct dp_substring item)
{
	uint32_t *slot;

	if ((!set->slots || set->count * 2 > set->mask) && grow(set))
		return DP_ERR_NOMEM;
	slot = slot_of(set, &item);
	if (!*slot) {
		if (set->count == DP_NONE - 1 ||
		    dp_array__reserve(&set->items, &set->room, set->count + 1, sizeof(item)))
			return DP_ERR_NOMEM;
		set->items[set->count++] = item;
		*slot = (uint32_t)set->count;
	}
	*number = *slot - 1;
	return DP_OK;
}

void dp_substrings__fini(struct dp_substrings *set)
{
	free(set->items);
	free(set->slots);
}
