/* A hash of up to four integers to one, such as identifiers of a source to our own. */
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

/* A hash table; zero it. Linear probing, at most three quarters full. */
struct dp_lookup {
	struct dp_lookup_slot *slots; /* not all are used */
	size_t room;		      /* a power of two, or 0 */
	size_t count;
	struct dp_hash_key hash;
};

void dp_lookup__fini(struct dp_lookup *lookup);

/* The value of key, DP_NONE where it has none. */
uint32_t dp_lookup__get(const struct dp_lookup *lookup, const struct dp_key *key);

/* Forgets key, if it is there. */
void dp_lookup__remove(struct dp_lookup *lookup, const struct dp_key *key);

/* Sets it. Errors: DP_ERR_NOMEM. */
int dp_lookup__set(struct dp_lookup *lookup, const struct dp_key *key, uint32_t value);

#endif
