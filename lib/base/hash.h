/*
 * Hashes data from traces.
 *
 * The author of a trace must not be able to choose what collides: with a known hash, a table of a
 * million entries takes a minute to fill (Crosby and Wallach, "Denial of service via algorithmic
 * complexity attacks", 2003). So each table draws its own key. A key changes where entries are
 * stored, never their ids or their order, which follow first appearance.
 *
 * The mix is a full 64-bit product, folded: both halves of the factors depend on the key, so that
 * without it one cannot find inputs with equal products.
 */
#ifndef DP_BASE_HASH_H
#define DP_BASE_HASH_H

#include "base/base.h"

struct dp_hash_key {
	uint64_t a; /* 0: not drawn yet */
	uint64_t b; /* odd */
};

/* Draws a key from the system or, if it provides none, from addresses and the clock. */
void dp_hash__draw(struct dp_hash_key *key);

static inline uint64_t dp_hash__fold(uint64_t x, uint64_t y)
{
	__extension__ unsigned __int128 product = (unsigned __int128)x * y;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Adds a word to a hash, which starts as key->a; the low bits of the last one are well mixed. */
static inline uint64_t dp_hash__add(const struct dp_hash_key *key, uint64_t h, uint64_t word)
{
	return dp_hash__fold(h ^ word, key->b) + key->a;
}

/*
 * The hash of n symbols under a key that never changes, for where a collision costs little. All
 * bits are well mixed. Cost: a multiplication per symbol.
 */
static inline uint64_t dp_hash__symbols(const uint32_t *symbols, size_t n)
{
	const struct dp_hash_key fixed = { 0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u };
	uint64_t h = n;

	for (size_t i = 0; i < n; i++)
		h = dp_hash__add(&fixed, h, symbols[i]);
	return h;
}

/* Returns the hash of length bytes. */
uint64_t dp_hash__bytes(const struct dp_hash_key *key, const char *bytes, size_t length);

#endif
