/* The parse of a long sequence, against what its header promises, on strings of all kinds. */
#include "suffix/parse.h"
#include "pattern/anchors.h"
#include "test.h"

#include <string.h>

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((seed >> 33) % limit);
}

static uint32_t *random_text(size_t n, uint32_t alphabet)
{
	uint32_t *text = malloc((n + 1) * sizeof(*text));

	for (size_t i = 0; i < n; i++)
		text[i] = below(alphabet);
	return text;
}

/* Symbols of a phrase, with the gram that the next one begins with. */
static size_t length_of(const struct dp_parse *parse, size_t i)
{
	size_t end = parse->begin[i + 1] + (i + 1 < parse->count ? DP_PARSE_GRAM : 0);

	return end - parse->begin[i];
}

static void check_names(const struct dp_parse *parse, const uint32_t *text)
{
	size_t wrong = 0;

	for (size_t i = 0; i < parse->count; i++)
		for (size_t k = 0; k < i; k++) {
			const uint32_t *a = text + parse->begin[i], *b = text + parse->begin[k];
			size_t n = length_of(parse, i), m = length_of(parse, k);
			bool gram = !memcmp(a, b, DP_PARSE_GRAM * sizeof(*a));
			bool same = n == m && !memcmp(a, b, n * sizeof(*a));
			uint32_t x = parse->names[i], y = parse->names[k];

			wrong += same != (x == y);
			wrong += gram != (parse->grams[x] == parse->grams[y]);
			wrong += parse->firsts[x] != *a;
			/* the order is that of first symbols, then of grams */
			wrong += *a != *b && (*a < *b) != (x < y);
			wrong += !gram && (parse->grams[x] < parse->grams[y]) != (x < y);
		}
	ck_assert_uint_eq(wrong, 0);
}

static void check(const uint32_t *text, size_t n, size_t window)
{
	struct dp_parse parse;
	size_t i, wrong = 0;

	ck_assert_int_eq(dp_parse__make(&parse, text, n, window), DP_OK);
	ck_assert_uint_eq(parse.begin[0], 0);
	ck_assert_uint_eq(parse.begin[parse.count], n);
	for (i = 0; i + 1 < parse.count; i++)
		wrong += parse.begin[i + 1] <= parse.begin[i] ||
			 parse.begin[i + 1] - parse.begin[i] > window + window / 4;
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_le(n - parse.begin[i], window + window / 4 + DP_PARSE_GRAM);
	check_names(&parse, text);
	dp_parse__fini(&parse);
}

TEST(parses_are_what_they_promise)
{
	static const size_t windows[] = { 1, 2, 3, 16, 100 };

	for (int round = 0; round < 60; round++) {
		size_t n = DP_PARSE_GRAM + below(round % 2 ? 600 : 20);
		uint32_t alphabet = 1 + below(round % 3 ? 40 : 3), *text = random_text(n, alphabet);
		size_t period = 1 + below(30);

		for (size_t i = period; round % 4 == 0 && i < n; i++)
			text[i] = text[i - period];
		for (size_t w = 0; w < DP_COUNT(windows); w++)
			check(text, n, windows[w]);
		free(text);
	}
}

TEST(fewer_symbols_than_a_gram_are_no_phrase)
{
	uint32_t text[DP_PARSE_GRAM] = { 1, 2, 3 };
	struct dp_parse parse;

	ck_assert_int_eq(dp_parse__make(&parse, text, DP_PARSE_GRAM - 1, 4), DP_OK);
	ck_assert_uint_eq(parse.count, 0);
	dp_parse__fini(&parse);
}

TEST(what_is_alike_is_cut_alike)
{
	enum { PART = 400, WINDOW = 20 };
	size_t between = 150, n = 2 * PART + between, second = PART + between;
	uint32_t *text = random_text(n, 60);
	struct dp_parse parse;
	bool first[PART] = { false };

	memcpy(text + second, text, PART * sizeof(*text));
	ck_assert_int_eq(dp_parse__make(&parse, text, n, WINDOW), DP_OK);
	for (size_t i = 0; i < parse.count; i++)
		if (parse.begin[i] < PART)
			first[parse.begin[i]] = true;
	for (size_t i = 0; i < parse.count; i++)
		if (parse.begin[i] >= second)
			first[parse.begin[i] - second] ^= true;
	for (size_t i = 3 * WINDOW; i < PART - 3 * WINDOW; i++)
		ck_assert_msg(!first[i], "%zu is cut in one of two", i);
	dp_parse__fini(&parse);
	free(text);
}

/* Finds iterations as a full tree would, with a tenth of the leaves. */
TEST(anchors_of_phrases_give_one_iteration)
{
	for (int round = 0; round < 30; round++) {
		size_t m = 30 + below(90), turns = 8 + below(40), n = turns * m;
		uint32_t *body = random_text(m, 25), *text = malloc(n * sizeof(*text));
		struct dp_anchor_tree *tree;
		struct dp_candidate c[42];
		bool found = false;
		int count;

		for (size_t i = 0; i < n; i++)
			text[i] = below(50) ? body[i % m] : below(25);
		ck_assert_int_eq(dp_anchor_tree__new(&tree, text, n, n / 10), DP_OK);
		count = dp_anchors__candidates(c, 42, tree, 3, turns, NULL);
		for (int i = 0; i < count; i++) {
			found |= c[i].length == m;
			ck_assert_uint_le(c[i].at + c[i].anchor, n);
		}
		ck_assert_msg(found, "%zu iterations of %zu", turns, m);
		dp_anchor_tree__free(tree);
		free(text);
		free(body);
	}
}
