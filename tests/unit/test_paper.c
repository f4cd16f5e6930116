/* The published algorithm, against its definition spelt out. */
#include "pattern/anchors.h"
#include "loops/searches.h"
#include "test.h"

#include <string.h>

static uint64_t state = 7;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static size_t occurrences(const uint32_t *s, size_t n, const uint32_t *p, size_t m)
{
	size_t count = 0;

	for (size_t i = 0; i + m <= n; i++)
		count += !memcmp(s + i, p, m * sizeof(*s));
	return count;
}

/* An explicit internal node's label: what follows it differs somewhere, the end included. */
static bool branches(const uint32_t *s, size_t n, const uint32_t *p, size_t m)
{
	int64_t next = -2;

	for (size_t i = 0; i + m <= n; i++) {
		int64_t x = i + m < n ? (int64_t)s[i + m] : -1;

		if (memcmp(s + i, p, m * sizeof(*s)))
			continue;
		if (next != -2 && next != x)
			return true;
		next = x;
	}
	return false;
}

/* The longest label that meets both criteria, its epsilon and its occurrences; 0: none. */
static size_t oracle(const uint32_t *s, size_t n, size_t iterations, size_t epsilon, size_t *times)
{
	for (;; epsilon *= 2) {
		for (size_t m = n; m-- > 1;) {
			if (m * iterations >= n)
				continue;
			for (size_t i = 0; i + m <= n; i++) {
				size_t c = occurrences(s, n, s + i, m);

				if (c > iterations || c + epsilon <= iterations ||
				    !branches(s, n, s + i, m))
					continue;
				*times = c;
				return m;
			}
		}
		if (epsilon >= iterations)
			return 0;
	}
}

TEST(pattern_is_the_longest_that_meets_the_criteria)
{
	for (int round = 0; round < 300; round++) {
		uint32_t s[40];
		size_t n = 2 + below(38), letters = 1 + below(3), i = 1 + below(6), times = 0, m;
		struct dp_suffix_tree *tree;
		struct dp_paper_pattern p;

		for (size_t k = 0; k < n; k++)
			s[k] = round % 3 ? below((uint32_t)letters) : (uint32_t)(k % 5);
		i = DP_MIN(i, n);
		m = oracle(s, n, i, 1, &times);
		ck_assert_int_eq(dp_suffix_tree_new(&tree, s, n, NULL), DP_OK);
		ck_assert_int_eq(dp_paper__search(&p, tree, i, 1), DP_OK);
		ck_assert_uint_eq(p.length, m);
		if (m > 0)
			ck_assert_uint_eq(occurrences(s, n, s + p.at, m), p.occurrences);
		dp_suffix_tree_free(tree);
	}
}

/* The effect of criterion 3's strict bound on an exact repetition. */
TEST(exact_repetition_loses_a_kernel)
{
	uint32_t s[100];
	struct dp_suffix_tree *tree;
	struct dp_paper_pattern p;

	for (uint32_t k = 0; k < 100; k++)
		s[k] = k % 10;
	ck_assert_int_eq(dp_suffix_tree_new(&tree, s, 100, NULL), DP_OK);
	ck_assert_int_eq(dp_paper__search(&p, tree, 10, 1), DP_OK);
	ck_assert_uint_eq(p.length, 9);
	dp_suffix_tree_free(tree);
}

static size_t match(const char *text, const char *pattern, uint64_t k0, struct dp_cut *cut)
{
	uint32_t s[100], p[100];
	size_t n = strlen(text), m = strlen(pattern);

	for (size_t i = 0; i < n; i++)
		s[i] = (uint32_t)text[i];
	for (size_t i = 0; i < m; i++)
		p[i] = (uint32_t)pattern[i];
	memset(cut, 0, sizeof(*cut));
	ck_assert_int_eq(dp_paper__match(cut, s, n, p, m, k0), DP_OK);
	return cut->count;
}

TEST(algorithm_1_is_literal)
{
	struct dp_cut cut;

	ck_assert_uint_eq(match("abcabc", "abc", 0, &cut), 2);
	dp_cut__fini(&cut);
	/* a match may begin with skipped symbols: they count from the start position on */
	ck_assert_uint_eq(match("xabcabc", "abc", 1, &cut), 2);
	ck_assert_uint_eq(cut.iterations[0].first, 0);
	ck_assert_uint_eq(cut.iterations[0].end, 4);
	ck_assert_uint_eq(cut.iterations[0].inserted, 1);
	ck_assert_uint_eq(cut.iterations[1].first, 4);
	dp_cut__fini(&cut);
	/* over k0 skipped the start moves by one */
	ck_assert_uint_eq(match("xxabc", "abc", 1, &cut), 1);
	ck_assert_uint_eq(cut.iterations[0].first, 1);
	dp_cut__fini(&cut);
	/* one that runs off the end is none */
	ck_assert_uint_eq(match("abcab", "abc", 5, &cut), 1);
	dp_cut__fini(&cut);
	/* a missing kernel makes it lose the iteration, and it takes the next one's */
	ck_assert_uint_eq(match("abcacabc", "abc", 2, &cut), 2);
	ck_assert_uint_eq(cut.iterations[1].first, 3);
	ck_assert_uint_eq(cut.iterations[1].end, 8);
	dp_cut__fini(&cut);
	ck_assert_uint_eq(match("aaaa", "aab", 9, &cut), 0);
	dp_cut__fini(&cut);
	ck_assert_uint_eq(match("", "a", 0, &cut), 0);
	dp_cut__fini(&cut);
}

/* An anchor's window is one iteration even if the longest substring is longer. */
TEST(anchors_give_one_iteration)
{
	for (int round = 0; round < 50; round++) {
		size_t m = 5 + below(60), turns = 3 + below(40), head = below((uint32_t)m), n = 0;
		uint32_t *s = malloc((turns + 1) * m * sizeof(*s));
		struct dp_anchor_tree *tree;
		struct dp_candidate c[16];
		bool found = false;
		int count;

		for (size_t i = m - head; i < (turns + 1) * m; i++)
			s[n++] = (uint32_t)(i % m);
		ck_assert_int_eq(dp_anchor_tree__new(&tree, s, n, n), DP_OK);
		count = dp_anchors__candidates(c, 16, tree, 2, turns, NULL);
		dp_anchor_tree__free(tree);
		ck_assert_int_gt(count, 0);
		for (int i = 0; i < count; i++)
			found |= c[i].length == m;
		ck_assert_msg(found, "%zu turns of %zu after %zu", turns, m, head);
		free(s);
	}
}
