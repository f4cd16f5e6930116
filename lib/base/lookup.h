/* Hashes up to four integers to one, such as a source's identifiers to deepprof's. */
#ifndef DP_BASE_LOOKUP_H
#define DP_BASE_LOOKUP_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dp_key {
	int64_t part[4];
};

struct dp_lookup_slot {
	struct dp_key key;
	uint32_t value;
	bool used;
};

/* A hash table; zero it first. Linear probing, at most three quarters full. */
struct dp_lookup {
	struct dp_lookup_slot *slots; /* not all are used */
	size_t room;		      /* a power of two, or 0 */
	size_t count;
	struct dp_hash_key hash;
};

void dp_lookup__fini(struct dp_lookup *lookup);

/* Returns the value of key, DP_NONE if it has none. */
uint32_t dp_lookup__get(const struct dp_lookup *lookup, const struct dp_key *key);

/* Removes key, if it is there. */
void dp_lookup__remove(struct dp_lookup *lookup, const struct dp_key *key);

/* Sets the value of key. Errors: DP_ERR_NOMEM. */
int dp_lookup__set(struct dp_lookup *lookup, const struct dp_key *key, uint32_t value);

#endif
