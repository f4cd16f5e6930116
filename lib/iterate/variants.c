/*
 * Variants: iterations with equal edits share a number. Edits are hashed and then compared in full,
 * so that equal numbers are proof. Cost: O(iterations + edits), expected.
 */
#include "iterate/cut.h"

enum { INDEX_BITS = 40 }; /* for more iterations than fit in memory */

/* The offset identifies a deleted symbol; offset and symbol identify others. */
static uint64_t symbol_of(const struct dp_edit *edit, const uint32_t *symbols)
{
	return edit->kind == DP_EDIT_DELETED ? 0 : (uint64_t)symbols[edit->position] + 1;
}

static uint64_t hash_edits(const struct dp_sequence_iteration *s, const struct dp_edit *edits,
			   const uint32_t *symbols)
{
	uint64_t h = s->partial;

	for (size_t i = 0; i < dp_iteration__edit_count(s); i++) {
		const struct dp_edit *e = &edits[s->edits + i];

		h = (h ^ ((uint64_t)e->kind << 32 | e->offset)) * 0x9e3779b97f4a7c15u;
		h = (h ^ h >> 31 ^ symbol_of(e, symbols)) * 0xbf58476d1ce4e5b9u;
	}
	return h ^ h >> 32;
}

static bool equal_edits(const struct dp_sequence_iteration *a,
			const struct dp_sequence_iteration *b, const struct dp_edit *edits,
			const uint32_t *symbols)
{
	if (a->inserted != b->inserted || a->deleted != b->deleted ||
	    a->substituted != b->substituted || a->partial != b->partial)
		return false;
	for (size_t i = 0; i < dp_iteration__edit_count(a); i++) {
		const struct dp_edit *x = &edits[a->edits + i], *y = &edits[b->edits + i];

		if (x->kind != y->kind || x->offset != y->offset ||
		    symbol_of(x, symbols) != symbol_of(y, symbols))
			return false;
	}
	return true;
}

static const struct dp_sequence_iteration *first_of(const struct dp_sequence_iteration *iterations,
						    uint64_t entry)
{
	return &iterations[(entry & ((UINT64_C(1) << INDEX_BITS) - 1)) - 1];
}

int dp_variants__number(struct dp_sequence_iteration *iterations, size_t count,
			const struct dp_edit *edits, const uint32_t *symbols)
{
	size_t slots = 16;
	uint64_t *table; /* of each variant, part of its hash and its first iteration plus 1 */
	uint32_t next = 1;

	while (slots / 2 < count)
		slots *= 2;
	table = dp_alloc__zeroed(slots, sizeof(*table));
	if (!table)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		struct dp_sequence_iteration *s = &iterations[i];
		uint64_t hash, slot;

		s->variant = 0;
		if (!dp_iteration__edit_count(s))
			continue;
		hash = hash_edits(s, edits, symbols);
		slot = hash & (slots - 1);
		while (table[slot] &&
		       (table[slot] >> INDEX_BITS != hash >> INDEX_BITS ||
			!equal_edits(first_of(iterations, table[slot]), s, edits, symbols)))
			slot = (slot + 1) & (slots - 1);
		if (!table[slot]) {
			table[slot] = (hash >> INDEX_BITS << INDEX_BITS) | (i + 1);
			s->variant = next++;
		} else {
			s->variant = first_of(iterations, table[slot])->variant;
		}
	}
	free(table);
	return DP_OK;
}
