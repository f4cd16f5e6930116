/*
 * Hashing of what comes from a trace.
 *
 * Whoever writes the trace must not be able to choose what collides: with a hash that is known a
 * table of a million entries takes a minute to fill (Crosby and Wallach, "Denial of service via
 * algorithmic complexity attacks", 2003). So each table draws a key of its own. What a key changes
 * is where entries lie, never their ids or their order: those go by first appearance.
 *
 * The mix is one full product of 64 bits, folded: both halves of the factors depend on the key,
 * and nobody who doesn't know it can tell which inputs give equal products.
 */
#ifndef DP_BASE_HASH_H
#define DP_BASE_HASH_H

#include "base/base.h"

struct dp_hash_key {
	uint64_t a; /* 0: not drawn yet */
	uint64_t b; /* odd */
};

/* Draws a key from the system, or where that has none to give from addresses and the clock. */
void dp_hash__draw(struct dp_hash_key *key);

static inline uint64_t dp_hash__fold(uint64_t x, uint64_t y)
{
	__extension__ unsigned __int128 product = (unsigned __int128)x * y;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Adds a word to a hash, which begins as key->a; the low bits of the last one are good. */
static inline uint64_t dp_hash__add(const struct dp_hash_key *key, uint64_t h, uint64_t word)
{
	return dp_hash__fold(h ^ word, key->b) + key->a;
}

/* Of length bytes. */
uint64_t dp_hash__bytes(const struct dp_hash_key *key, const char *bytes, size_t length);

#endif
