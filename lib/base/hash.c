/* Keys of hash tables, and hashes of bytes. Cost: one multiplication per eight bytes. */
#include "base/hash.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

/* Used only if the system has no random numbers yet: still not a constant. */
static void draw_from_surroundings(struct dp_hash_key *key)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	key->a = dp_hash__fold((uint64_t)(uintptr_t)key ^ UINT64_C(0x9e3779b97f4a7c15),
			       (uint64_t)now.tv_nsec | 1);
	key->b = dp_hash__fold((uint64_t)(uintptr_t)&now ^ UINT64_C(0xbf58476d1ce4e5b9),
			       (uint64_t)now.tv_sec ^ UINT64_C(0x94d049bb133111eb));
}

void dp_hash__draw(struct dp_hash_key *key)
{
	if (getrandom(key, sizeof(*key), GRND_NONBLOCK) != (ssize_t)sizeof(*key))
		draw_from_surroundings(key);
	key->a |= (uint64_t)1 << 32;
	key->b |= 1;
}

uint64_t dp_hash__bytes(const struct dp_hash_key *key, const char *bytes, size_t length)
{
	uint64_t h = key->a + length, word;

	for (; length >= 8; bytes += 8, length -= 8) {
		memcpy(&word, bytes, 8);
		h = dp_hash__add(key, h, word);
	}
	word = 0;
	memcpy(&word, bytes, length);
	return dp_hash__add(key, h, word);
}
