/*
 * Hirschberg's divide and conquer (1975) over rows of lengths that are kept as bits and advanced 64
 * at a time (Allison and Dix 1986, in Hyyrö's form of 2004): bit j of a row is 0 if the prefix of b
 * that ends with j has a longer common subsequence with the symbols so far than the prefix before
 * it. Common prefixes and suffixes belong to some longest one and are removed at each step, which
 * makes strings that differ in few places cheap. Cost: O(nm / 64), in linear memory.
 */
#include "align/lcs.h"

#include <string.h>

#define WORD 64

/* Most frequent symbols: those that are in more than every 64th place of b. */
#define FREQUENT_MOST WORD

struct lcs {
	uint32_t *partner;
	const uint32_t *a, *b;
	uint32_t *first; /* per symbol: its first place in the current part of b, from 1; 0: none */
	uint32_t *count; /* per symbol: its places there */
	uint8_t *slot;	 /* per frequent symbol: its row in masks, from 1; 0: none */
	uint32_t *next;	 /* per place of b: the next of the same symbol, from 1 */
	uint64_t *masks; /* rows of places, for frequent symbols */
	uint64_t *sparse; /* the row of any other symbol */
	uint64_t *row;
	size_t *forward; /* lengths, per prefix of the current part of b */
};

static size_t words_of(size_t length)
{
	return (length + WORD - 1) / WORD;
}

static void set(uint64_t *row, size_t bit)
{
	row[bit / WORD] |= UINT64_C(1) << bit % WORD;
}

/* Indexes where the symbols of b[0..m) are, counted from its end if backward. */
static void index_places(struct lcs *lcs, const uint32_t *b, size_t m, bool backward)
{
	size_t words = words_of(m), rows = 0;

	for (size_t i = 0; i < m; i++) {
		size_t place = backward ? m - 1 - i : i;

		lcs->next[place] = lcs->first[b[i]];
		lcs->first[b[i]] = (uint32_t)place + 1;
		lcs->count[b[i]]++;
	}
	for (size_t i = 0; i < m; i++) {
		uint32_t symbol = b[i];
		uint64_t *mask = lcs->masks + rows * words;

		if (lcs->slot[symbol] || lcs->count[symbol] <= words)
			continue;
		memset(mask, 0, words * sizeof(*mask));
		for (uint32_t at = lcs->first[symbol]; at; at = lcs->next[at - 1])
			set(mask, at - 1);
		lcs->slot[symbol] = (uint8_t)++rows;
	}
}

static void forget_places(struct lcs *lcs, const uint32_t *b, size_t m)
{
	for (size_t i = 0; i < m; i++) {
		lcs->first[b[i]] = lcs->count[b[i]] = 0;
		lcs->slot[b[i]] = 0;
	}
}

/* Advances the row by one symbol. Bits of other symbols stay as they are. */
static void advance(struct lcs *lcs, uint32_t symbol, size_t words)
{
	bool dense = lcs->slot[symbol];
	uint64_t *mask = dense ? lcs->masks + (size_t)(lcs->slot[symbol] - 1) * words : lcs->sparse;
	uint64_t carry = 0;

	if (!lcs->first[symbol])
		return;
	for (uint32_t at = lcs->first[symbol]; at && !dense; at = lcs->next[at - 1])
		set(mask, at - 1);
	for (size_t w = 0; w < words; w++) {
		uint64_t v = lcs->row[w], hit = v & mask[w], sum;

		carry = (uint64_t)__builtin_add_overflow(v, carry, &sum);
		carry |= (uint64_t)__builtin_add_overflow(sum, hit, &sum);
		lcs->row[w] = sum | (v & ~mask[w]);
	}
	for (uint32_t at = lcs->first[symbol]; at && !dense; at = lcs->next[at - 1])
		mask[(at - 1) / WORD] = 0;
}

static size_t is_longer(const struct lcs *lcs, size_t place)
{
	return ~lcs->row[place / WORD] >> place % WORD & 1;
}

/* Computes the row of a[0..n) and b[0..m), or of both read backward. */
static void make_row(struct lcs *lcs, const uint32_t *a, size_t n, const uint32_t *b, size_t m,
		     bool backward)
{
	size_t words = words_of(m);

	index_places(lcs, b, m, backward);
	memset(lcs->row, 0xff, words * sizeof(*lcs->row));
	for (size_t i = 0; i < n; i++)
		advance(lcs, a[backward ? n - 1 - i : i], words);
	forget_places(lcs, b, m);
}

/*
 * Returns where to cut b so that a[0..half) has its partners in b[0..cut), and the rest of a in the
 * rest of b. The rows of both halves give the lengths for every cut; the best sum wins.
 */
static size_t cut_for(struct lcs *lcs, const uint32_t *a, size_t half, size_t n, const uint32_t *b,
		      size_t m)
{
	size_t cut = m, most, behind = 0;

	make_row(lcs, a, half, b, m, false);
	lcs->forward[0] = 0;
	for (size_t j = 0; j < m; j++)
		lcs->forward[j + 1] = lcs->forward[j] + is_longer(lcs, j);
	make_row(lcs, a + half, n - half, b, m, true);
	most = lcs->forward[m];
	for (size_t j = m; j-- > 0;) {
		behind += is_longer(lcs, m - 1 - j);
		if (lcs->forward[j] + behind >= most) {
			most = lcs->forward[j] + behind;
			cut = j;
		}
	}
	return cut;
}

/* Finds partners within a[i..n) and b[j..m), which are no longer than memory was allocated for. */
static void solve(struct lcs *lcs, size_t i, size_t n, size_t j, size_t m, bool whole)
{
	size_t half, cut;

	for (; i < n && j < m && lcs->a[i] == lcs->b[j]; i++, j++)
		lcs->partner[i] = (uint32_t)j;
	for (; i < n && j < m && lcs->a[n - 1] == lcs->b[m - 1]; n--, m--)
		lcs->partner[n - 1] = (uint32_t)m - 1;
	if (i == n || j == m || !whole)
		return;
	if (n - i == 1) {
		for (; j < m && lcs->b[j] != lcs->a[i]; j++)
			;
		if (j < m)
			lcs->partner[i] = (uint32_t)j;
		return;
	}
	half = (n - i) / 2;
	cut = cut_for(lcs, lcs->a + i, half, n - i, lcs->b + j, m - j);
	solve(lcs, i, i + half, j, j + cut, true);
	solve(lcs, i + half, n, j + cut, m, true);
}

static bool make_room(struct lcs *lcs, size_t m, uint32_t alphabet)
{
	size_t words = words_of(m);

	lcs->first = dp_alloc__zeroed(alphabet, sizeof(*lcs->first));
	lcs->count = dp_alloc__zeroed(alphabet, sizeof(*lcs->count));
	lcs->slot = dp_alloc__zeroed(alphabet, sizeof(*lcs->slot));
	lcs->next = dp_alloc__array(m, sizeof(*lcs->next));
	lcs->masks = dp_alloc__array(words, FREQUENT_MOST * sizeof(*lcs->masks));
	lcs->sparse = dp_alloc__zeroed(words, sizeof(*lcs->sparse));
	lcs->row = dp_alloc__array(words, sizeof(*lcs->row));
	lcs->forward = dp_alloc__array(m + 1, sizeof(*lcs->forward));
	return lcs->first && lcs->count && lcs->slot && lcs->next && lcs->masks && lcs->sparse &&
	       lcs->row && lcs->forward;
}

int dp_lcs__run(uint32_t *partner, const uint32_t *a, size_t n, const uint32_t *b, size_t m,
		uint32_t alphabet)
{
	struct lcs lcs = { .partner = partner, .a = a, .b = b };
	bool whole = !m || n <= DP_LCS_MOST / m;
	int status = DP_OK;

	for (size_t i = 0; i < n; i++)
		partner[i] = DP_NONE;
	if (!n || !m)
		return DP_OK;
	if (whole && !make_room(&lcs, m, alphabet))
		status = DP_ERR_NOMEM;
	else
		solve(&lcs, 0, n, 0, m, whole);
	free(lcs.first);
	free(lcs.count);
	free(lcs.slot);
	free(lcs.next);
	free(lcs.masks);
	free(lcs.sparse);
	free(lcs.row);
	free(lcs.forward);
	return status;
}
