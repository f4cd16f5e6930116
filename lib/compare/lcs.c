/*
 * Hirschberg's divide and conquer (1975): a is halved, b is cut where the longest common
 * subsequences of both pairs of parts are longest together, and both pairs are solved in the same
 * way. Common prefixes and suffixes belong to some longest one and are removed at each step, which
 * makes strings that differ in few places cheap.
 *
 * The lengths for all cuts at once are a row of the textbook's table, which is kept as bits and
 * advanced by a symbol of a, 64 bits at a time (Allison and Dix 1986, in Hyyrö's form of 2004): bit
 * j is 0 if the prefix of b that ends with j has a longer common subsequence with the symbols so
 * far than the prefix before it. A step needs the mask of the places that the symbol has in b.
 * Those of frequent symbols are kept; that of any other has few bits and is made for each step.
 *
 * Cost: O(nm / 64), in linear memory.
 */
#include "compare/lcs.h"

#include <string.h>

#define WORD 64

/* Most frequent symbols: those that are in more than every 64th place of b. */
#define FREQUENT_MOST WORD

/* Where a symbol is in the current part of b. */
struct places {
	uint32_t first; /* from 1; 0: nowhere */
	uint32_t count;
	size_t mask; /* the number of its mask; 0: not frequent */
};

struct lcs {
	uint32_t *partner;
	const uint32_t *a, *b;
	struct places *places; /* per symbol */
	uint32_t *next;	       /* per place of b: the next of the same symbol, from 1; 0: none */
	uint64_t *masks;       /* number 0 is that of a symbol that is not frequent, for one step */
	uint64_t *row;
	size_t *forward; /* lengths, per prefix of the current part of b */
};

static size_t words_of(size_t length)
{
	return (length + WORD - 1) / WORD;
}

/* Makes the mask of a symbol's places as mask number k. */
static uint64_t *make_mask(struct lcs *lcs, size_t k, uint32_t symbol, size_t words)
{
	uint64_t *mask = lcs->masks + k * words;

	memset(mask, 0, words * sizeof(*mask));
	for (uint32_t at = lcs->places[symbol].first; at; at = lcs->next[at - 1])
		mask[(at - 1) / WORD] |= UINT64_C(1) << (at - 1) % WORD;
	return mask;
}

/* Indexes where the symbols of b[0..m) are, counted from its end if backward. */
static void index_places(struct lcs *lcs, const uint32_t *b, size_t m, bool backward)
{
	size_t words = words_of(m), masks = 0;

	for (size_t i = 0; i < m; i++) {
		size_t place = backward ? m - 1 - i : i;
		struct places *places = &lcs->places[b[i]];

		lcs->next[place] = places->first;
		places->first = (uint32_t)place + 1;
		places->count++;
	}
	for (size_t i = 0; i < m; i++) {
		struct places *places = &lcs->places[b[i]];

		if (!places->mask && places->count > words) {
			places->mask = ++masks;
			make_mask(lcs, masks, b[i], words);
		}
	}
}

/* Advances the row by one symbol. Bits of other symbols stay as they are. */
static void advance_row(struct lcs *lcs, uint32_t symbol, size_t words)
{
	const struct places *places = &lcs->places[symbol];
	const uint64_t *mask;
	uint64_t carry = 0;

	if (!places->first)
		return;
	mask = places->mask ? lcs->masks + places->mask * words : make_mask(lcs, 0, symbol, words);
	for (size_t w = 0; w < words; w++) {
		uint64_t v = lcs->row[w], hit = v & mask[w], sum;

		carry = (uint64_t)__builtin_add_overflow(v, carry, &sum);
		carry |= (uint64_t)__builtin_add_overflow(sum, hit, &sum);
		lcs->row[w] = sum | (v & ~mask[w]);
	}
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
		advance_row(lcs, a[backward ? n - 1 - i : i], words);
	for (size_t i = 0; i < m; i++)
		lcs->places[b[i]] = (struct places){ 0 };
}

/* A pair of parts: a[i..n) and b[j..m). */
struct part {
	size_t i, n, j, m;
};

/*
 * Returns where to cut b so that a[i..half) has its partners in b[j..cut), and the rest of a in the
 * rest of b. The rows of both halves give the lengths for every cut; the best sum wins.
 */
static size_t cut_for(struct lcs *lcs, const struct part *p, size_t half)
{
	size_t m = p->m - p->j, cut = m, most, behind = 0;

	make_row(lcs, lcs->a + p->i, half - p->i, lcs->b + p->j, m, false);
	lcs->forward[0] = 0;
	for (size_t j = 0; j < m; j++)
		lcs->forward[j + 1] = lcs->forward[j] + is_longer(lcs, j);
	make_row(lcs, lcs->a + half, p->n - half, lcs->b + p->j, m, true);
	most = lcs->forward[m];
	for (size_t j = m; j-- > 0;) {
		behind += is_longer(lcs, m - 1 - j);
		if (lcs->forward[j] + behind >= most) {
			most = lcs->forward[j] + behind;
			cut = j;
		}
	}
	return p->j + cut;
}

/* Makes partners of the common prefix and suffix, and returns what is between them. */
static struct part strip(struct lcs *lcs, struct part p)
{
	for (; p.i < p.n && p.j < p.m && lcs->a[p.i] == lcs->b[p.j]; p.i++, p.j++)
		lcs->partner[p.i] = (uint32_t)p.j;
	for (; p.i < p.n && p.j < p.m && lcs->a[p.n - 1] == lcs->b[p.m - 1]; p.n--, p.m--)
		lcs->partner[p.n - 1] = (uint32_t)p.m - 1;
	return p;
}

/* Finds the partners within two parts. */
static void solve(struct lcs *lcs, struct part p)
{
	size_t half, cut;

	p = strip(lcs, p);
	if (p.i == p.n || p.j == p.m)
		return;
	if (p.n - p.i == 1) {
		while (p.j < p.m && lcs->b[p.j] != lcs->a[p.i])
			p.j++;
		if (p.j < p.m)
			lcs->partner[p.i] = (uint32_t)p.j;
		return;
	}
	half = p.i + (p.n - p.i) / 2;
	cut = cut_for(lcs, &p, half);
	solve(lcs, (struct part){ p.i, half, p.j, cut });
	solve(lcs, (struct part){ half, p.n, cut, p.m });
}

static bool make_room(struct lcs *lcs, size_t m, uint32_t alphabet)
{
	size_t words = words_of(m);

	lcs->places = dp_alloc__zeroed(alphabet, sizeof(*lcs->places));
	lcs->next = dp_alloc__array(m, sizeof(*lcs->next));
	lcs->masks = dp_alloc__array(words, (FREQUENT_MOST + 1) * sizeof(*lcs->masks));
	lcs->row = dp_alloc__array(words, sizeof(*lcs->row));
	lcs->forward = dp_alloc__array(m + 1, sizeof(*lcs->forward));
	return lcs->places && lcs->next && lcs->masks && lcs->row && lcs->forward;
}

int dp_lcs__run(uint32_t *partner, const uint32_t *a, size_t n, const uint32_t *b, size_t m,
		uint32_t alphabet)
{
	struct lcs lcs = { .partner = partner, .a = a, .b = b };
	const struct part all = { 0, n, 0, m };
	int status = DP_OK;

	for (size_t i = 0; i < n; i++)
		partner[i] = DP_NONE;
	if (!n || !m)
		return DP_OK;
	if (n > DP_LCS_MOST / m)
		strip(&lcs, all);
	else if (make_room(&lcs, m, alphabet))
		solve(&lcs, all);
	else
		status = DP_ERR_NOMEM;
	free(lcs.places);
	free(lcs.next);
	free(lcs.masks);
	free(lcs.row);
	free(lcs.forward);
	return status;
}
