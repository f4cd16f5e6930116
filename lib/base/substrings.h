/* Numbers for the distinct substrings of a sequence. */
#ifndef DP_BASE_SUBSTRINGS_H
#define DP_BASE_SUBSTRINGS_H

#include "base/hash.h"

/* Symbols [at, at + length) of the sequence, with a hash that depends on these symbols only. */
struct dp_substring {
	size_t at, length;
	uint64_t hash;
};

/* Begins as dp_substrings__of(). */
struct dp_substrings {
	const uint32_t *symbols;
	struct dp_hash_key key;
	struct dp_substring *items; /* the first occurrence of each, by its number */
	size_t count, room;
	uint32_t *slots; /* a number, plus 1; linear probing, at most half full */
	size_t mask;
};

/* An empty set. */
static inline struct dp_substrings dp_substrings__of(const uint32_t *symbols)
{
	struct dp_substrings set = { .symbols = symbols };

	dp_hash__draw(&set.key);
	return set;
}

/* The substring of some symbols, with a hash of all of them. Cost: linear. */
struct dp_substring dp_substrings__at(const struct dp_substrings *set, size_t at, size_t length);

/*
 * Finds the number of a substring; a new one gets the next number. Errors: DP_ERR_NOMEM, also after
 * 2^32 - 2 of them. Cost: a comparison of the symbols, expected.
 */
int dp_substrings__number(uint32_t *number, struct dp_substrings *set, struct dp_substring item);

void dp_substrings__fini(struct dp_substrings *set);

#endif
