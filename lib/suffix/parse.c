/*
 * Parsing by minimizers. Symbols are ordered by a hash, and where a symbol occurs several times its
 * grams of DP_PARSE_GRAM symbols are; a phrase begins at the least of some window of places
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
#include "base/hash.h"
#include "base/sort.h"

#include <string.h>

#define GRAM ((size_t)DP_PARSE_GRAM)
#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

enum { FIRST_SLOTS = 1024 };

/* A phrase or a gram that was seen. */
struct entry {
	uint64_t hash;
	size_t at, length;
	uint32_t gram;
};

struct table {
	struct entry *entries;
	size_t count, room;
	uint32_t *slots; /* entry + 1; linear probing */
	size_t mask;
};

struct parser {
	const uint32_t *symbols;
	size_t n, window;
	uint64_t *hashes; /* of the prefixes before the last places, and a gram ahead */
	size_t mask;
	size_t ahead; /* the first place that was not read yet */
	uint64_t gram_power;
	uint64_t *powers; /* of phrases' lengths */
	struct dp_hash_key key;
	struct table phrases, grams;
	struct dp_parse *out;
	size_t begin_room, name_room;
	uint64_t open_order; /* of the gram that the last phrase begins with, */
	uint64_t open_hash;  /* and of the prefix before it */
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

static int grow(struct parser *p, struct table *table)
{
	size_t slots = table->slots ? (table->mask + 1) * 2 : FIRST_SLOTS;
	uint32_t *made = dp_alloc__zeroed(slots, sizeof(*made));

	if (!made)
		return DP_ERR_NOMEM;
	free(table->slots);
	table->slots = made;
	table->mask = slots - 1;
	for (size_t i = 0; i < table->count; i++) {
		size_t slot = dp_hash__add(&p->key, p->key.a, table->entries[i].hash);

		while (made[slot & table->mask])
			slot++;
		made[slot & table->mask] = (uint32_t)i + 1;
	}
	return DP_OK;
}

/* The number of what stands at a place, which is new where it is the count before. */
static int look_up(struct parser *p, struct table *table, struct entry entry, uint32_t *number)
{
	size_t slot;
	int status = DP_OK;

	if (!table->slots || table->count * 2 > table->mask)
		status = grow(p, table);
	if (status)
		return status;
	slot = dp_hash__add(&p->key, p->key.a, entry.hash);
	for (; table->slots[slot & table->mask]; slot++) {
		const struct entry *e = &table->entries[table->slots[slot & table->mask] - 1];

		*number = table->slots[slot & table->mask] - 1;
		if (e->hash == entry.hash && e->length == entry.length &&
		    !memcmp(p->symbols + e->at, p->symbols + entry.at,
			    entry.length * sizeof(*p->symbols)))
			return DP_OK;
	}
	if (table->count == DP_NONE - 1)
		return DP_ERR_NOMEM;
	status = dp_array__reserve(&table->entries, &table->room, table->count + 1, sizeof(entry));
	if (status)
		return status;
	*number = (uint32_t)table->count;
	table->entries[table->count++] = entry;
	table->slots[slot & table->mask] = *number + 1;
	return DP_OK;
}

/* Names the last phrase, which is of `length` symbols with that hash. */
static int name_phrase(struct parser *p, size_t length, uint64_t hash)
{
	struct dp_parse *out = p->out;
	struct entry gram, phrase = { hash, out->begin[out->count - 1], length, 0 };
	size_t before = p->phrases.count;
	uint32_t number;
	int status = look_up(p, &p->phrases, phrase, &number);

	if (status)
		return status;
	out->names[out->count - 1] = number;
	if (p->phrases.count == before)
		return DP_OK;
	gram = (struct entry){ p->open_order, phrase.at, DP_MIN(GRAM, length), 0 };
	status = look_up(p, &p->grams, gram, &number);
	p->phrases.entries[before].gram = number;
	return status;
}

/* Ends the last phrase, if any, where another begins with a gram of that order. */
static int begin_phrase(struct parser *p, size_t at, uint64_t order)
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
	p->open_order = order;
	p->open_hash = p->hashes[at & p->mask];
	return DP_OK;
}

/* Takes the hash of the prefix that ends with the gram at the next place. */
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

/* The order of the gram at a place that was read: by its symbol, then by its hash. */
static uint64_t order_of(const struct parser *p, size_t at)
{
	uint64_t x = p->hashes[(at + GRAM) & p->mask] - p->hashes[at & p->mask] * p->gram_power;

	x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93) >> 32;
	return (uint64_t)order_of_symbol(p->symbols[at]) << 32 | x;
}

/* The first of the places [first, end) with the least order, which is left in *least. */
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

/* Goes through all places where a gram stands. */
static int cut(struct parser *p)
{
	size_t places = p->n - GRAM + 1, thin = p->window / dp_param.parse_thin, at = 0, begun = 0;
	uint64_t least, order;
	int status;

	read_ahead(p);
	least = order_of(p, 0);
	status = begin_phrase(p, 0, least);
	for (size_t i = 1; i < places && !status; i++) {
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
		status = begin_phrase(p, i, least);
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

/* The rank of each gram by its first symbol, then by where it was seen first. */
static int rank_grams(const struct parser *p, uint32_t *rank)
{
	size_t count = p->grams.count;
	size_t *keys = dp_alloc__array(count, sizeof(*keys));

	if (!keys)
		return DP_ERR_NOMEM;
	for (size_t g = 0; g < count; g++)
		keys[g] = (size_t)p->symbols[p->grams.entries[g].at] << 32 | g;
	dp_sort__size(keys, count);
	for (size_t i = 0; i < count; i++)
		rank[(uint32_t)keys[i]] = (uint32_t)i;
	free(keys);
	return DP_OK;
}

/* Renames the phrases by their grams, and those of one gram by where they were seen first. */
static int order_names(struct parser *p)
{
	struct dp_parse *out = p->out;
	size_t phrases = p->phrases.count, grams = p->grams.count;
	uint32_t *first = dp_alloc__zeroed(grams + 1, sizeof(*first));
	uint32_t *rank = dp_alloc__array(grams, sizeof(*rank));
	uint32_t *made = dp_alloc__array(phrases, sizeof(*made));
	int status = DP_ERR_NOMEM;

	out->grams = dp_alloc__array(phrases, sizeof(*out->grams));
	out->firsts = dp_alloc__array(phrases, sizeof(*out->firsts));
	if (!first || !rank || !made || !out->grams || !out->firsts || rank_grams(p, rank))
		goto out;
	for (size_t i = 0; i < phrases; i++)
		first[rank[p->phrases.entries[i].gram] + 1]++;
	for (size_t g = 0; g < grams; g++)
		first[g + 1] += first[g];
	for (size_t i = 0; i < phrases; i++) {
		uint32_t gram = rank[p->phrases.entries[i].gram];

		made[i] = first[gram]++;
		out->grams[made[i]] = gram;
		out->firsts[made[i]] = p->symbols[p->phrases.entries[i].at];
	}
	for (size_t i = 0; i < out->count; i++)
		out->names[i] = made[out->names[i]];
	out->alphabet = (uint32_t)phrases;
	status = DP_OK;
out:
	free(first);
	free(rank);
	free(made);
	return status;
}

static int parser_init(struct parser *p)
{
	size_t room = 64, lengths = p->window + p->window / dp_param.parse_thin + 2 * GRAM;

	while (room < p->window + 2 * GRAM)
		room *= 2;
	p->mask = room - 1;
	dp_hash__draw(&p->key);
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
		status = cut(&p);
	if (!status)
		status = end_phrase(&p);
	if (!status)
		status = order_names(&p);
	if (status)
		dp_parse__fini(parse);
	free(p.hashes);
	free(p.powers);
	free(p.phrases.entries);
	free(p.phrases.slots);
	free(p.grams.entries);
	free(p.grams.slots);
	return status;
}
