/* Parts of a pattern with the same symbols, held against counting them. */
#include "pattern/alternation.h"
#include "test.h"

#include <string.h>

enum { MOST = 24, ALPHABET = 4, PARTS = 4 };

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % below;
}

/* Counts the symbols of each part by itself, from each offset. */
static bool have_same(const uint32_t *symbols, size_t n, size_t parts)
{
	size_t m = n / parts;

	for (size_t offset = 0; offset < m; offset++) {
		size_t counts[PARTS][ALPHABET] = { { 0 } }, same = 1;

		for (size_t i = 0; i < n; i++)
			counts[i / m][symbols[(offset + i) % n]]++;
		while (same < parts && !memcmp(counts[same], counts[0], sizeof(counts[0])))
			same++;
		if (same == parts)
			return true;
	}
	return false;
}

/* Random symbols, and random orders of the same ones. */
TEST(reordered_parts_are_counted)
{
	size_t several = 0;

	for (random_state = 1; random_state < 4000; random_state++) {
		uint64_t seed = random_state;
		uint32_t symbols[MOST];
		size_t parts = 1 + draw(PARTS), m = 1 + draw(MOST / PARTS), n = parts * m;
		struct dp_pattern pattern = { .symbols = symbols, .length = n };

		for (size_t i = 0; i < m; i++)
			symbols[i] = draw(ALPHABET);
		for (size_t i = m; i < n; i++)
			symbols[i] = symbols[i - m];
		for (size_t i = n - 1; i > 0; i--) {
			size_t first = i / m * m, k = first + draw((uint32_t)(i - first + 1));
			uint32_t swap = symbols[i];

			symbols[i] = symbols[k];
			symbols[k] = swap;
		}
		if (draw(2))
			symbols[draw((uint32_t)n)] = draw(ALPHABET);
		for (size_t number = 1; number <= PARTS; number++) {
			bool same = n % number == 0 && have_same(symbols, n, number);

			ck_assert(dp_alternation__is_reordered(&pattern, number) == same);
			several += same && number > 1;
		}
		random_state = seed;
	}
	ck_assert_uint_gt(several, 1000);
}
