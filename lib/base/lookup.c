/* Linear probing, at most three quarters full: constant cost, as collisions cannot be chosen. */
#include "base/lookup.h"
#include "base/base.h"

#include <string.h>

static size_t hash(const struct dp_lookup *lookup, const struct dp_key *key)
{
	uint64_t h = lookup->hash.a;

	for (size_t i = 0; i < DP_COUNT(key->part); i++)
		h = dp_hash__add(&lookup->hash, h, (uint64_t)key->part[i]);
	return (size_t)h;
}

static bool equal(const struct dp_key *a, const struct dp_key *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

void dp_lookup__fini(struct dp_lookup *lookup)
{
	free(lookup->slots);
	memset(lookup, 0, sizeof(*lookup));
}

static struct dp_lookup_slot *place(const struct dp_lookup *lookup, const struct dp_key *key)
{
	size_t i = hash(lookup, key) & (lookup->room - 1);

	while (lookup->slots[i].used && !equal(&lookup->slots[i].key, key))
		i = (i + 1) & (lookup->room - 1);
	return &lookup->slots[i];
}

uint32_t dp_lookup__get(const struct dp_lookup *lookup, const struct dp_key *key)
{
	const struct dp_lookup_slot *slot;

	if (!lookup->room)
		return DP_NONE;
	slot = place(lookup, key);
	return slot->used ? slot->value : DP_NONE;
}

/* Entries displaced by the removed one move up into the gap (Knuth, TAOCP 6.4, R). */
void dp_lookup__remove(struct dp_lookup *lookup, const struct dp_key *key)
{
	size_t mask = lookup->room - 1, gap, i;

	if (!lookup->room || !place(lookup, key)->used)
		return;
	gap = (size_t)(place(lookup, key) - lookup->slots);
	for (i = (gap + 1) & mask; lookup->slots[i].used; i = (i + 1) & mask) {
		size_t home = hash(lookup, &lookup->slots[i].key) & mask;

		if (((i - home) & mask) < ((i - gap) & mask))
			continue;
		lookup->slots[gap] = lookup->slots[i];
		gap = i;
	}
	lookup->slots[gap].used = false;
	lookup->count--;
}

static int grow(struct dp_lookup *lookup)
{
	struct dp_lookup bigger = { .room = lookup->room ? lookup->room * 2 : 64,
				    .hash = lookup->hash };

	if (!bigger.hash.a)
		dp_hash__draw(&bigger.hash);
	bigger.slots = dp_alloc__zeroed(bigger.room, sizeof(*bigger.slots));
	if (!bigger.slots)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < lookup->room; i++)
		if (lookup->slots[i].used)
			*place(&bigger, &lookup->slots[i].key) = lookup->slots[i];
	bigger.count = lookup->count;
	free(lookup->slots);
	*lookup = bigger;
	return DP_OK;
}

int dp_lookup__set(struct dp_lookup *lookup, const struct dp_key *key, uint32_t value)
{
	struct dp_lookup_slot *slot;

	if (lookup->count >= lookup->room - lookup->room / 4 && grow(lookup))
		return DP_ERR_NOMEM;
	slot = place(lookup, key);
	if (!slot->used)
		lookup->count++;
	slot->key = *key;
	slot->value = value;
	slot->used = true;
	return DP_OK;
}
