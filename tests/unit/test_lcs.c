/* Longest common subsequences against the textbook's table. */
#include "compare/lcs.h"
#include "alloc_fail.h"
#include "test.h"

#include <string.h>

#define MOST 300

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 16) % limit);
}

/* Wagner and Fischer's table, by rows. */
static size_t oracle(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
	static size_t row[MOST + 1];

	memset(row, 0, sizeof(row));
	for (size_t i = 0; i < n; i++) {
		size_t before = 0;

		for (size_t j = 0; j < m; j++) {
			size_t above = row[j + 1];

			row[j + 1] = a[i] == b[j] ? before + 1 : DP_MAX(above, row[j]);
			before = above;
		}
	}
	return row[m];
}

/* The number of symbols with partners, which must be equal and in order. */
static size_t checked(const uint32_t *partner, const uint32_t *a, size_t n, const uint32_t *b,
		      size_t m)
{
	size_t count = 0, least = 0;

	for (size_t i = 0; i < n; i++) {
		if (partner[i] == DP_NONE)
			continue;
		ck_assert_uint_lt(partner[i], m);
		ck_assert_uint_ge(partner[i], least);
		ck_assert_uint_eq(a[i], b[partner[i]]);
		least = partner[i] + (size_t)1;
		count++;
	}
	return count;
}

static void compare(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint32_t alphabet)
{
	uint32_t partner[MOST];

	ck_assert_int_eq(dp_lcs__run(partner, a, n, b, m, alphabet), DP_OK);
	ck_assert_uint_eq(checked(partner, a, n, b, m), oracle(a, n, b, m));
}

TEST(random_strings)
{
	static const uint32_t alphabets[] = { 1, 2, 3, 5, 20, 300 };
	uint32_t a[MOST], b[MOST];

	seed = 88172645463325252u;
	for (int turn = 0; turn < 3000; turn++) {
		uint32_t alphabet = alphabets[below(DP_COUNT(alphabets))];
		uint32_t most = turn % 10 ? 40 : MOST;
		size_t n = below(most + 1), m = below(most + 1);

		for (size_t i = 0; i < n; i++)
			a[i] = below(alphabet);
		for (size_t i = 0; i < m; i++)
			b[i] = below(alphabet);
		compare(a, n, b, m, alphabet);
	}
}

/* What patterns of two runs are like: layers, of which a few places have changed. */
TEST(edited_strings)
{
	uint32_t a[MOST], b[MOST];

	seed = 362436069362436069u;
	for (int turn = 0; turn < 2000; turn++) {
		uint32_t layer = 2 + below(20), rate = 2 + below(60);
		size_t n = below(MOST - 50), m = 0;

		for (size_t i = 0; i < n; i++)
			a[i] = (uint32_t)(i % layer);
		for (size_t i = 0; i < n && m + 2 < MOST; i++) {
			uint32_t what = below(rate);

			if (what > 2 || what == 1)
				b[m++] = a[i];
			if (what == 1 || what == 2)
				b[m++] = below(layer);
		}
		compare(a, n, b, m, layer);
	}
}

/* Beyond the size limit, common ends are still found. */
TEST(too_long)
{
	size_t n = 300000, m = 299000, count = 0;
	uint32_t *a = malloc(n * sizeof(*a)), *b = malloc(m * sizeof(*b));
	uint32_t *partner = malloc(n * sizeof(*partner));

	ck_assert(a && b && partner);
	seed = 521288629u;
	for (size_t i = 0; i < n; i++)
		a[i] = below(1000);
	memcpy(b, a, 1000 * sizeof(*b));
	memcpy(b + 1000, a + 2000, (m - 1000) * sizeof(*b));
	b[1000] = b[m - 5001] = 1000;
	ck_assert_int_eq(dp_lcs__run(partner, a, n, b, m, 1001), DP_OK);
	count = checked(partner, a, n, b, m);
	ck_assert_uint_eq(count, 6000);
	free(a);
	free(b);
	free(partner);
}

/* A part of that length, which takes many words. */
TEST(many_words)
{
	size_t n = 6000, m = 5000;
	uint32_t *a = malloc(n * sizeof(*a)), *b = malloc(m * sizeof(*b));
	uint32_t *partner = malloc(n * sizeof(*partner));

	ck_assert(a && b && partner);
	seed = 1234567u;
	for (size_t i = 0; i < m; i++)
		b[i] = below(i % 3 ? 4 : 2000);
	for (size_t i = 0, j = 0; i < n; i++)
		a[i] = i % 6 == 3 ? 2000 : b[j++];
	ck_assert_int_eq(dp_lcs__run(partner, a, n, b, m, 2001), DP_OK);
	ck_assert_uint_eq(checked(partner, a, n, b, m), m);
	free(a);
	free(b);
	free(partner);
}

TEST(allocations_fail)
{
	static const uint32_t a[] = { 1, 2, 3, 4, 5 }, b[] = { 9, 3, 2, 4, 7, 8 };
	uint32_t partner[DP_COUNT(a)];
	size_t k = 0;

	for (bool more = true; more; k++) {
		int status;

		alloc_fail_after(k);
		status = dp_lcs__run(partner, a, DP_COUNT(a), b, DP_COUNT(b), 10);
		more = alloc_fail_stop();
		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
	}
	ck_assert_uint_gt(k, 5);
	ck_assert_uint_eq(checked(partner, a, DP_COUNT(a), b, DP_COUNT(b)), 2);
}
