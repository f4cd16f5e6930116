/* Interned strings: equal strings have equal ids, dense from 0 in order of first appearance. */
#ifndef DP_BASE_STRINGS_H
#define DP_BASE_STRINGS_H

#include "base/hash.h"

struct dp_strings {
	char **text; /* by id; NUL-terminated */
	size_t count;
	size_t room;
	uint32_t *slots;   /* open addressing: id + 1, 0 is free */
	size_t slot_count; /* a power of two */
	uint32_t *hashes;  /* by id */
	size_t hash_room;
	struct dp_hash_key key; /* drawn for the first string */
	struct dp_strings_block *blocks;
	size_t bytes;
};

/* Zeroed storage is an empty table too. */
void dp_strings__fini(struct dp_strings *strings);

/*
 * Returns the id of length bytes of text (any bytes but NUL), and adds it if it is new. Returns
 * DP_NONE if memory or ids run out. Cost: O(length), expected.
 */
uint32_t dp_strings__intern(struct dp_strings *strings, const char *text, size_t length);

/* Returns "" beyond the end. */
const char *dp_strings__get(const struct dp_strings *strings, uint32_t id);

#endif
