/*
 * Naming the LMS substrings by their order, a part of sais.inc.h.
 *
 * By dictionary: substrings are looked up in text order in a hash table, whose entries are then
 * sorted by comparison. The entries, their symbols and failed comparisons are bounded: this takes
 * linear time, or gives up early. All memory is the suffix array's, which is not in use yet; the
 * hashes lie at its end.
 *
 * By induction: the two scans of induced sorting, from unsorted LMS positions, sort them by their
 * substrings.
 */

/* A dictionary entry; rank is its number first and its place in the order at last. */
struct SELF(entry) {
	INDEX position;
	INDEX length;
	INDEX hash;
	INDEX rank;
};

struct SELF(dictionary) {
	const CHAR *text;
	struct SELF(entry) * entries;
	size_t count;
	size_t room;
	INDEX *table; /* numbers of entries plus 1, 0 where free; linear probing */
	size_t table_room;
	unsigned bits;	/* the table's size in use is 2^bits */
	size_t symbols; /* of all entries */
	size_t wasted;	/* steps of searches that did not lead to the entry */
};

/* Divides the free part of the suffix array; false where that is too small for anything. */
static bool SELF(dictionary_init)(struct SELF(dictionary) * dictionary, const CHAR *text,
				  INDEX *space, size_t room, size_t m)
{
	/* Entries, twice, take half of the room at most: the table has eight words for each. */
	size_t entries = DP_MIN(MIN_ENTRIES + m / ENTRY_RATIO, room / 16);

	*dictionary = (struct SELF(dictionary)){
		.text = text,
		.entries = (void *)space,
		.room = entries,
		.table = space + 8 * entries,
		.table_room = room - 8 * entries,
		.bits = FIRST_BITS,
	};
	if ((size_t)1 << FIRST_BITS > dictionary->table_room)
		return false;
	memset(dictionary->table, 0, sizeof(INDEX) << FIRST_BITS);
	return true;
}

/* Doubles the table where it is half full. There always is room: see dictionary_init. */
static void SELF(grow)(struct SELF(dictionary) * dictionary)
{
	size_t size = (size_t)2 << dictionary->bits, mask = size - 1;

	if (dictionary->count <= size / 4)
		return;
	dictionary->bits++;
	memset(dictionary->table, 0, size * sizeof(*dictionary->table));
	for (size_t i = 0; i < dictionary->count; i++) {
		size_t slot = (size_t)dictionary->entries[i].hash & mask;

		while (dictionary->table[slot])
			slot = (slot + 1) & mask;
		dictionary->table[slot] = (INDEX)i + 1;
	}
}

static inline bool SELF(same)(const CHAR *a, const CHAR *b, size_t length)
{
	size_t i = 0;

	while (i < length && a[i] == b[i])
		i++;
	return i == length;
}

/* The number of a substring's entry, made where there is none; or -1 where all limits are met. */
static inline INDEX SELF(look_up)(struct SELF(dictionary) * dictionary, INDEX position,
				  INDEX length, INDEX hash)
{
	size_t mask = ((size_t)1 << dictionary->bits) - 1, slot = (size_t)hash & mask;
	struct SELF(entry) * entry;

	for (; dictionary->table[slot]; slot = (slot + 1) & mask) {
		entry = &dictionary->entries[dictionary->table[slot] - 1];
		dictionary->wasted++;
		if (entry->hash != hash || entry->length != length)
			continue;
		if (SELF(same)(dictionary->text + entry->position, dictionary->text + position,
			       (size_t)length))
			return dictionary->table[slot] - 1;
		dictionary->wasted += (size_t)length;
	}
	if (dictionary->count == dictionary->room)
		return -1;
	dictionary->table[slot] = (INDEX)dictionary->count + 1;
	entry = &dictionary->entries[dictionary->count++];
	*entry = (struct SELF(entry)){ position, length, hash, (INDEX)dictionary->count - 1 };
	dictionary->symbols += (size_t)length;
	SELF(grow)(dictionary);
	return entry->rank;
}

/*
 * Compares two LMS substrings. Where one starts with all of the other, its symbol at the other's
 * end is L-type (or it would end there, too), so the longer one is the smaller.
 */
static inline bool SELF(is_less)(const CHAR *text, const struct SELF(entry) * a,
				 const struct SELF(entry) * b)
{
	const CHAR *x = text + a->position, *y = text + b->position;
	INDEX length = DP_MIN(a->length, b->length), i = 0;

	while (i < length && x[i] == y[i])
		i++;
	return i < length ? x[i] < y[i] : a->length > b->length;
}

/* Merge sort, as its comparisons take no more symbols per round than the entries have. */
static struct SELF(entry) * SELF(sort_entries)(const CHAR *text, struct SELF(entry) * from,
					       struct SELF(entry) * to, size_t count)
{
	for (size_t width = 1; width < count; width *= 2) {
		struct SELF(entry) *swap = from;

		for (size_t low = 0; low < count; low += 2 * width) {
			size_t a = low, middle = DP_MIN(low + width, count);
			size_t b = middle, end = DP_MIN(low + 2 * width, count);

			for (size_t i = low; i < end; i++) {
				bool second = a == middle ||
					      (b < end && SELF(is_less)(text, &from[b], &from[a]));

				to[i] = from[second ? b++ : a++];
			}
		}
		from = to;
		to = swap;
	}
	return from;
}

/* Names all but the last LMS substring by their dictionary entry; false where it overflows. */
static bool SELF(collect)(struct SELF(dictionary) * dictionary, const INDEX *lms, size_t m,
			  const INDEX *hashes, INDEX *names)
{
	for (size_t i = 0; i + 1 < m; i++) {
		names[i] = SELF(look_up)(dictionary, lms[i], lms[i + 1] - lms[i] + 1, hashes[i]);
		/* A dictionary that grows as fast as the text is of no use. */
		if (names[i] < 0 || dictionary->count > MIN_ENTRIES + i / ENTRY_RATIO ||
		    dictionary->wasted > MIN_ENTRIES + 8 * i)
			return false;
	}
	return true;
}

/* Whether sorting the entries takes no more than a few steps per symbol of the text. */
static bool SELF(is_cheap)(const struct SELF(dictionary) * dictionary, size_t count)
{
	size_t rounds = 1;

	while (dictionary->count >> rounds)
		rounds++;
	return dictionary->symbols / 2 <= count / rounds;
}

/*
 * How many entries are smaller than the last LMS substring, which holds the end marker: so it
 * equals none, and is the smaller where all symbols are equal that both have.
 */
static size_t SELF(place_last)(const CHAR *text, size_t count, const struct SELF(entry) * sorted,
			       size_t entries, size_t position)
{
	for (size_t k = 0; k < entries; k++) {
		size_t length = DP_MIN((size_t)sorted[k].length, count - position), i = 0;
		const CHAR *entry = text + sorted[k].position;

		while (i < length && text[position + i] == entry[i])
			i++;
		if (i == length || text[position + i] < entry[i])
			return k;
	}
	return entries;
}

/*
 * Names the LMS substrings in text order. Returns how many names there are, or 0 where the
 * dictionary would be too large to be worth it: then names are not written.
 */
static size_t SELF(name_by_dictionary)(const CHAR *text, INDEX *sa, size_t count, const INDEX *lms,
				       size_t m, INDEX *names)
{
	struct SELF(dictionary) dictionary;
	struct SELF(entry) * sorted;
	INDEX *rank_of;
	size_t last;

	if (!SELF(dictionary_init)(&dictionary, text, sa, count - m, m) ||
	    !SELF(collect)(&dictionary, lms, m, sa + (count - m), names) ||
	    !SELF(is_cheap)(&dictionary, count))
		return 0;
	sorted = SELF(sort_entries)(text, dictionary.entries, dictionary.entries + dictionary.room,
				    dictionary.count);
	last = SELF(place_last)(text, count, sorted, dictionary.count, (size_t)lms[m - 1]);
	rank_of = dictionary.table;
	for (size_t i = 0; i < dictionary.count; i++)
		rank_of[sorted[i].rank] = (INDEX)(i + (i >= last));
	for (size_t i = 0; i + 1 < m; i++)
		names[i] = rank_of[names[i]];
	names[m - 1] = (INDEX)last;
	return dictionary.count + 1;
}

/*
 * The first scan of the sorting by induction. An entry j > 0 stands for suffix j + 1 and still
 * has to induce suffix j; once it has, it is zeroed. What is left to the second scan is
 * complemented when it is written, and again when it is passed.
 */
static inline void SELF(substrings_l)(const CHAR *text, INDEX *sa, size_t count, INDEX *bucket,
				      bool many)
{
	for (size_t i = 0; i < count; i++) {
		INDEX j = sa[i];

		__builtin_prefetch(SELF(symbols_of)(text, sa, DP_MIN(i + FAR, count - 1), 0));
		if (many)
			__builtin_prefetch(
				SELF(target_of)(text, sa, bucket, DP_MIN(i + NEAR, count - 1), 0),
				1);
		if (j > 0) {
			CHAR c = text[j--];

			sa[i] = 0;
			sa[bucket[c]++] = j ^ -(INDEX)(text[j] < c);
		} else if (j < 0) {
			sa[i] = ~j;
		}
	}
}

/* The second scan; what it leaves complemented are the LMS positions. */
static inline void SELF(substrings_s)(const CHAR *text, INDEX *sa, size_t count, INDEX *bucket,
				      bool many)
{
	for (size_t i = count; i-- > 0;) {
		INDEX j = sa[i];

		__builtin_prefetch(SELF(symbols_of)(text, sa, i < FAR ? 0 : i - FAR, 0));
		if (many)
			__builtin_prefetch(
				SELF(target_of)(text, sa, bucket, i < NEAR ? 0 : i - NEAR, 0), 1);
		if (j > 0) {
			CHAR c = text[j--];
			INDEX last;

			sa[i] = 0;
			/* ~(j + 1) or j. */
			last = text[j] > c;
			sa[--bucket[c]] = (j + last) ^ -last;
		}
	}
}

/* Sorts the LMS positions by their substrings into sa[0..m). */
static void SELF(sort_substrings)(const CHAR *text, INDEX *sa, size_t count, const INDEX *counts,
				  INDEX *bucket, size_t alphabet, const INDEX *lms, size_t m)
{
	bool many = alphabet > MANY_BUCKETS;
	INDEX j = (INDEX)count - 2;
	size_t out = 0;

	memset(sa, 0, count * sizeof(*sa));
	SELF(ends)(counts, bucket, alphabet);
	for (size_t i = 0; i < m; i++)
		sa[--bucket[text[lms[i]]]] = lms[i] - 1;
	SELF(starts)(counts, bucket, alphabet);
	sa[bucket[text[j + 1]]++] = text[j] < text[j + 1] ? ~j : j;
	if (many)
		SELF(substrings_l)(text, sa, count, bucket, true);
	else
		SELF(substrings_l)(text, sa, count, bucket, false);
	SELF(ends)(counts, bucket, alphabet);
	if (many)
		SELF(substrings_s)(text, sa, count, bucket, true);
	else
		SELF(substrings_s)(text, sa, count, bucket, false);
	for (size_t i = 0; i < count; i++)
		if (sa[i] < 0)
			sa[out++] = ~sa[i];
}

/*
 * Names the sorted LMS substrings in sa[0..m), first at half the position (two LMS positions are
 * never neighbours), then packed in text order. Returns how many names there are.
 */
static size_t SELF(name_sorted)(const CHAR *text, const INDEX *sa, size_t count, const INDEX *lms,
				size_t m, INDEX *names)
{
	size_t distinct = 0, old_length = 0;
	const CHAR *old = text;

	for (size_t i = 0; i + 1 < m; i++)
		names[lms[i] / 2] = lms[i + 1] - lms[i] + 1;
	/* The last one holds the end marker and so equals no other. */
	names[lms[m - 1] / 2] = (INDEX)count;
	for (size_t i = 0; i < m; i++) {
		INDEX soon = sa[DP_MIN(i + FAR, m - 1)];
		size_t length = (size_t)names[sa[i] / 2];
		const CHAR *substring = text + sa[i];

		__builtin_prefetch(&text[soon]);
		__builtin_prefetch(&names[soon / 2], 1);
		if (length != old_length || !SELF(same)(substring, old, length))
			distinct++;
		names[sa[i] / 2] = (INDEX)distinct - 1;
		old = substring;
		old_length = length;
	}
	for (size_t i = 0; i < m; i++)
		names[i] = names[lms[i] / 2];
	return distinct;
}
