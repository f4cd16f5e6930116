/*
 * Parsing by minimizers. Symbols are ordered by a hash, and where a symbol occurs several times its
 * grams of DP_PARSE_GRAM symbols are; a phrase begins at the least of some window of positions
 * (Roberts et al., "Reducing storage requirements for biological sequence comparison", 2004;
 * Schleimer, Wilkerson, Aiken, "Winnowing", 2003), so what is alike is cut alike, wherever it
 * stands, and an edit changes no more than the phrases around it. A phrase overlaps the next one by
 * a gram: then no phrase is the prefix of another, and what begins and ends with such grams occurs
 * in the parse as often as in the sequence (Boucher et al., "Prefix-free parsing for building big
 * BWTs", 2019). What repeats within a quarter of a window is cut once in about a quarter of one.
 *
 * Cost: O(n) expected, O(n · window) where hashes ascend on and on.
 */
#include "suffix/parse.h"
#include "base/parameters.h"
#include "base/sort.h"
#include "base/substrings.h"

#include <string.h>

#define GRAM ((size_t)DP_PARSE_GRAM)
#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

struct parser {
	const uint32_t *symbols;
	size_t n, window;
	uint64_t *hashes; /* of the prefixes before the last positions, and a gram ahead */
	size_t mask;
	size_t ahead; /* the first position that was not read yet */
	uint64_t gram_power;
	uint64_t *powers; /* of phrases' lengths */
	struct dp_substrings phrases, grams;
	struct dp_parse *out;
	size_t begin_room, name_room;
	uint64_t open_hash; /* of the prefix before the last phrase */
};

/*
 * Polynomial hashes of prefixes (Karp and Rabin 1987): of symbols [a, b) the hash is
 * hash(b) - hash(a) * FACTOR^(b - a). hash(0) is 0.
 */
static inline uint64_t hash_next(uint64_t before, uint32_t symbol)
{
	return before * FACTOR + symbol + 1;
}

void dp_parse__fini(struct dp_parse *parse)
{
	free(parse->names);
	free(parse->begin);
	free(parse->grams);
	free(parse->firsts);
	*parse = (struct dp_parse){ .names = NULL };
}

/* Names the last phrase, which is of `length` symbols with that hash. */
static int name_phrase(struct parser *p, size_t length, uint64_t hash)
{
	struct dp_parse *out = p->out;
	size_t last = out->count - 1;

	return dp_substrings__number(&out->names[last], &p->phrases,
				     (struct dp_substring){ out->begin[last], length, hash });
}

/* Begins a phrase, and ends the last one, if any. */
static int begin_phrase(struct parser *p, size_t at)
{
	struct dp_parse *out = p->out;
	size_t need = out->count + 2;
	int status = DP_OK;

	if (out->count) {
		size_t length = at + GRAM - out->begin[out->count - 1];

		status = name_phrase(p, length,
				     p->hashes[(at + GRAM) & p->mask] -
					     p->open_hash * p->powers[length]);
	}
	if (!status)
		status = dp_array__reserve(&out->begin, &p->begin_room, need, sizeof(*out->begin));
	if (!status)
		status = dp_array__reserve(&out->names, &p->name_room, need, sizeof(*out->names));
	if (status)
		return status;
	out->begin[out->count++] = at;
	p->open_hash = p->hashes[at & p->mask];
	return DP_OK;
}

/* Takes the hash of the prefix that ends with the gram at the next position. */
static inline void read_ahead(struct parser *p)
{
	size_t end = p->ahead++ + GRAM;

	p->hashes[end & p->mask] = hash_next(p->hashes[(end - 1) & p->mask], p->symbols[end - 1]);
}

/* What symbols are ordered by. */
static inline uint32_t order_of_symbol(uint32_t symbol)
{
	uint32_t x = (symbol ^ UINT32_C(0x7ab3c8d1)) * UINT32_C(0x9e3779b1);

	x = (x ^ x >> 15) * UINT32_C(0x85ebca6b);
	return x ^ x >> 13;
}

/* The order of the gram at a position that was read: by its symbol, then by its hash. */
static uint64_t order_of(const struct parser *p, size_t at)
{
	uint64_t x = p->hashes[(at + GRAM) & p->mask] - p->hashes[at & p->mask] * p->gram_power;

	x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93) >> 32;
	return (uint64_t)order_of_symbol(p->symbols[at]) << 32 | x;
}

/* The first of the positions [first, end) with the least order, which is left in *least. */
static size_t least_of(const struct parser *p, size_t first, size_t end, uint64_t *least)
{
	size_t best = first;

	*least = order_of(p, first);
	for (size_t i = first + 1; i < end; i++) {
		if (order_of_symbol(p->symbols[i]) <= *least >> 32 && order_of(p, i) < *least) {
			*least = order_of(p, i);
			best = i;
		}
	}
	return best;
}

/* Goes through all positions where a gram stands. */
static int cut_phrases(struct parser *p)
{
	size_t count = p->n - GRAM + 1, thin = p->window / dp_param.parse_thin, at = 0, begun = 0;
	uint64_t least, order;
	int status;

	read_ahead(p);
	least = order_of(p, 0);
	status = begin_phrase(p, 0);
	for (size_t i = 1; i < count && !status; i++) {
		if (i == p->ahead)
			read_ahead(p);
		if (order_of_symbol(p->symbols[i]) > least >> 32 ||
		    (order = order_of(p, i)) > least) {
			if (__builtin_expect(i - at < p->window, 1))
				continue;
			at = i = least_of(p, at + 1, i + 1, &least);
		} else {
			at = i;
			if (order == least && i - begun < thin)
				continue;
			least = order;
		}
		begun = i;
		status = begin_phrase(p, i);
	}
	return status;
}

/* The last phrase ends with the sequence. */
static int end_phrase(struct parser *p)
{
	struct dp_parse *out = p->out;
	size_t first = out->begin[out->count - 1];
	uint64_t hash = 0;
	int status;

	for (size_t i = first; i < p->n; i++)
		hash = hash_next(hash, p->symbols[i]);
	status = name_phrase(p, p->n - first, hash);
	out->begin[out->count] = p->n;
	return status;
}

/* Numbers the grams that the phrases begin with; gram[i] is that of phrase i. */
static int number_grams(struct parser *p, uint32_t *gram)
{
	int status = DP_OK;

	for (size_t i = 0; i < p->phrases.count && !status; i++) {
		const struct dp_substring *phrase = &p->phrases.items[i];

		status = dp_substrings__number(
			&gram[i], &p->grams,
			dp_substrings__at(&p->grams, phrase->at, DP_MIN(GRAM, phrase->length)));
	}
	return status;
}

/*
 * Renames the phrases in the order of their grams' first symbols, then of their grams, then of
 * where they were seen first.
 */
static int order_names(struct parser *p)
{
	size_t count = p->phrases.count, *keys = dp_alloc__array(count, sizeof(*keys));
	uint32_t *made = dp_alloc__array(count, sizeof(*made)); /* the gram, then the new name */
	uint32_t *rank = dp_alloc__array(count, sizeof(*rank)); /* of each gram, */
	uint32_t *first = dp_alloc__zeroed(count + 1, sizeof(*first)); /* and its next name */
	struct dp_parse *out = p->out;
	int status = DP_ERR_NOMEM;

	out->grams = dp_alloc__array(count, sizeof(*out->grams));
	out->firsts = dp_alloc__array(count, sizeof(*out->firsts));
	if (!keys || !made || !rank || !first || !out->grams || !out->firsts ||
	    number_grams(p, made))
		goto out;
	for (size_t g = 0; g < p->grams.count; g++)
		keys[g] = (size_t)p->symbols[p->grams.items[g].at] << 32 | g;
	dp_sort__size(keys, p->grams.count);
	for (size_t g = 0; g < p->grams.count; g++)
		rank[(uint32_t)keys[g]] = (uint32_t)g;
	for (size_t i = 0; i < count; i++)
		first[rank[made[i]] + 1]++;
	for (size_t g = 0; g < p->grams.count; g++)
		first[g + 1] += first[g];
	for (size_t i = 0; i < count; i++) {
		uint32_t gram = rank[made[i]];

		made[i] = first[gram]++;
		out->grams[made[i]] = gram;
		out->firsts[made[i]] = p->symbols[p->phrases.items[i].at];
	}
	for (size_t i = 0; i < out->count; i++)
		out->names[i] = made[out->names[i]];
	status = DP_OK;
out:
	free(keys);
	free(made);
	free(rank);
	free(first);
	return status;
}

static int parser_init(struct parser *p)
{
	size_t room = 64, lengths = p->window + p->window / dp_param.parse_thin + 2 * GRAM;

	while (room < p->window + 2 * GRAM)
		room *= 2;
	p->mask = room - 1;
	p->phrases = p->grams = dp_substrings__of(p->symbols);
	p->hashes = dp_alloc__array(room, sizeof(*p->hashes));
	p->powers = dp_alloc__array(lengths, sizeof(*p->powers));
	if (!p->hashes || !p->powers)
		return DP_ERR_NOMEM;
	p->powers[0] = 1;
	for (size_t i = 1; i < lengths; i++)
		p->powers[i] = p->powers[i - 1] * FACTOR;
	p->gram_power = p->powers[GRAM];
	p->hashes[0] = 0;
	for (size_t i = 0; i + 1 < GRAM; i++)
		p->hashes[i + 1] = hash_next(p->hashes[i], p->symbols[i]);
	return DP_OK;
}

int dp_parse__make(struct dp_parse *parse, const uint32_t *symbols, size_t n, size_t window)
{
	struct parser p = { .symbols = symbols, .n = n, .window = window, .out = parse };
	int status;

	*parse = (struct dp_parse){ .names = NULL };
	if (n < GRAM)
		return DP_OK;
	status = parser_init(&p);
	if (!status)
		status = cut_phrases(&p);
	if (!status)
		status = end_phrase(&p);
	if (!status)
		status = order_names(&p);
	if (status)
		dp_parse__fini(parse);
	free(p.hashes);
	free(p.powers);
	dp_substrings__fini(&p.phrases);
	dp_substrings__fini(&p.grams);
	return status;
}
