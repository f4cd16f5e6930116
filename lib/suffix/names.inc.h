/*
 * Naming the LMS substrings, a part of sais.inc.h: from the text and its LMS positions in text
 * order to names[i], the place of substring i in the order of all distinct ones, and to how many
 * these are. There are two ways:
 *
 * - By dictionary (name_by_dictionary): each substring is looked up in a hash table, whose entries,
 *   the distinct ones, are then sorted by comparison. A sequence with iterations has few, so this
 *   takes half the time of the other way. To take linear time in any case, it gives up if there are
 *   too many entries, symbols in them, or failed comparisons. All memory is the suffix array's,
 *   which is not in use yet; the substrings' hashes lie at its end.
 * - By induction (name_by_induction), as in the paper: from unsorted LMS positions at the ends of
 *   their buckets, the two scans of induced sorting put the positions into the order of their
 *   substrings, which then are compared with their neighbours.
 */

/* A distinct substring. They are numbered as they come. */
struct SELF(entry) {
	INDEX position;
	INDEX length;
	INDEX hash;
	INDEX number;
};

struct SELF(dictionary) {
	const CHAR *text;
	struct SELF(entry) * entries; /* with room for as many again behind them, to sort */
	size_t count;
	size_t room;
	INDEX *table; /* numbers of entries plus 1, 0 where free; linear probing */
	unsigned bits;	/* the table's size is 2^bits */
	size_t symbols; /* of all entries */
	size_t wasted;	/* steps of searches that did not lead to the entry */
};

/*
 * Divides the free part of the suffix array. Entries and their copies take half of it at most, so
 * the table has eight words for each entry, and doubling it when half full never takes more.
 * Returns false if even the smallest table does not fit.
 */
static bool SELF(dictionary_init)(struct SELF(dictionary) * dictionary, const CHAR *text,
				  INDEX *space, size_t room, size_t m)
{
	size_t entries = DP_MIN(MIN_ENTRIES + m / ENTRY_RATIO, room / 16);

	*dictionary = (struct SELF(dictionary)){
		.text = text,
		.entries = (void *)space,
		.room = entries,
		.table = space + 8 * entries,
		.bits = FIRST_BITS,
	};
	if ((size_t)1 << FIRST_BITS > room - 8 * entries)
		return false;
	memset(dictionary->table, 0, sizeof(INDEX) << FIRST_BITS);
	return true;
}

/* Doubles the table if it is more than half full. */
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

/* How many of their first symbols are equal, `most` at most. */
static inline size_t SELF(common)(const CHAR *a, const CHAR *b, size_t most)
{
	size_t i = 0;

	while (i < most && a[i] == b[i])
		i++;
	return i;
}

/* The number of a substring's entry, made if there is none; -1 if there is no room for one. */
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
		if (SELF(common)(dictionary->text + entry->position, dictionary->text + position,
				 (size_t)length) == (size_t)length)
			return entry->number;
		dictionary->wasted += (size_t)length;
	}
	if (dictionary->count == dictionary->room)
		return -1;
	dictionary->table[slot] = (INDEX)dictionary->count + 1;
	entry = &dictionary->entries[dictionary->count++];
	*entry = (struct SELF(entry)){ position, length, hash, (INDEX)dictionary->count - 1 };
	dictionary->symbols += (size_t)length;
	SELF(grow)(dictionary);
	return entry->number;
}

/*
 * Compares two LMS substrings. If one starts with all of the other, its symbol at the other's end
 * is L-type (or it would end there, too), so the longer one is smaller.
 */
static inline bool SELF(is_less)(const CHAR *text, const struct SELF(entry) * a,
				 const struct SELF(entry) * b)
{
	const CHAR *x = text + a->position, *y = text + b->position;
	size_t length = (size_t)DP_MIN(a->length, b->length), i = SELF(common)(x, y, length);

	return i < length ? x[i] < y[i] : a->length > b->length;
}

/*
 * Merge sort between two arrays, as its comparisons take no more symbols per round than the entries
 * have. Returns the array that holds the result.
 */
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

/* Numbers all but the last LMS substring. Returns false if they are not worth a dictionary. */
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
 * How many entries are smaller than the last LMS substring. As that ends with the end marker, it
 * equals none, and is the smaller one if all symbols are equal that both have.
 */
static size_t SELF(place_last)(const CHAR *text, size_t count, const struct SELF(entry) * sorted,
			       size_t entries, size_t position)
{
	for (size_t k = 0; k < entries; k++) {
		const CHAR *last = text + position, *entry = text + sorted[k].position;
		size_t length = DP_MIN((size_t)sorted[k].length, count - position);
		size_t i = SELF(common)(last, entry, length);

		if (i == length || last[i] < entry[i])
			return k;
	}
	return entries;
}

/* Returns the number of names, or 0 if it gave up, and names[] is to be written otherwise. */
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
		rank_of[sorted[i].number] = (INDEX)(i + (i >= last));
	for (size_t i = 0; i + 1 < m; i++)
		names[i] = rank_of[names[i]];
	names[m - 1] = (INDEX)last;
	return dictionary.count + 1;
}

/*
 * The first scan of the sorting by induction. An entry j > 0 stands for suffix j + 1 and still has
 * to induce suffix j; once it has, it is zeroed. If suffix j is S-type, which is for the second
 * scan to induce, the entry is complemented when it is written, and again when it is passed.
 */
static inline void SELF(substrings_l)(const CHAR *text, INDEX *sa, size_t count, INDEX *bucket,
				      bool many)
{
	for (size_t i = 0; i < count; i++) {
		INDEX j = sa[i];

		SELF(prefetch)
		(text, sa, bucket, many, DP_MIN(i + FAR, count - 1), DP_MIN(i + NEAR, count - 1),
		 0);
		if (j > 0) {
			CHAR c = text[j--];

			sa[i] = 0;
			sa[bucket[c]++] = COMPLEMENT_IF(text[j] < c, j);
		} else if (j < 0) {
			sa[i] = ~j;
		}
	}
}

/* The second scan. Where suffix j is L-type, suffix j + 1 is an LMS one: its complement stays. */
static inline void SELF(substrings_s)(const CHAR *text, INDEX *sa, size_t count, INDEX *bucket,
				      bool many)
{
	for (size_t i = count; i-- > 0;) {
		INDEX j = sa[i];

		SELF(prefetch)
		(text, sa, bucket, many, i < FAR ? 0 : i - FAR, i < NEAR ? 0 : i - NEAR, 0);
		if (j > 0) {
			CHAR c = text[j--];
			INDEX is_lms = text[j] > c;

			sa[i] = 0;
			sa[--bucket[c]] = COMPLEMENT_IF(is_lms, j + is_lms);
		}
	}
}

/* Sorts the LMS positions by their substrings into sa[0..m). */
static void SELF(sort_substrings)(const CHAR *text, INDEX *sa, size_t count, const INDEX *counts,
				  INDEX *bucket, size_t alphabet, const INDEX *lms, size_t m)
{
	bool many = alphabet > MANY_BUCKETS;
	INDEX last = (INDEX)count - 1;
	size_t out = 0;

	memset(sa, 0, count * sizeof(*sa));
	SELF(ends)(counts, bucket, alphabet);
	for (size_t i = 0; i < m; i++)
		sa[--bucket[text[lms[i]]]] = lms[i] - 1;
	SELF(starts)(counts, bucket, alphabet);
	sa[bucket[text[last]]++] = COMPLEMENT_IF(text[last - 1] < text[last], last - 1);
	SCAN(substrings_l);
	SELF(ends)(counts, bucket, alphabet);
	SCAN(substrings_s);
	for (size_t i = 0; i < count; i++)
		if (sa[i] < 0)
			sa[out++] = ~sa[i];
}

/*
 * Names the LMS substrings once they are sorted in sa[0..m). Until names are packed in text order,
 * the name of a position, and before that the length of its substring, is at half the position: two
 * LMS positions are never neighbours. Returns the number of names.
 */
static size_t SELF(name_by_induction)(const CHAR *text, INDEX *sa, size_t count,
				      const INDEX *counts, INDEX *bucket, size_t alphabet,
				      const INDEX *lms, size_t m, INDEX *names)
{
	size_t distinct = 0, old_length = 0;
	const CHAR *old = text;

	SELF(sort_substrings)(text, sa, count, counts, bucket, alphabet, lms, m);
	for (size_t i = 0; i + 1 < m; i++)
		names[lms[i] / 2] = lms[i + 1] - lms[i] + 1;
	/* The last one ends with the end marker and so equals no other. */
	names[lms[m - 1] / 2] = (INDEX)count;
	for (size_t i = 0; i < m; i++) {
		INDEX soon = sa[DP_MIN(i + FAR, m - 1)];
		size_t length = (size_t)names[sa[i] / 2];
		const CHAR *substring = text + sa[i];

		__builtin_prefetch(&text[soon]);
		__builtin_prefetch(&names[soon / 2], 1);
		distinct += length != old_length || SELF(common)(substring, old, length) < length;
		names[sa[i] / 2] = (INDEX)distinct - 1;
		old = substring;
		old_length = length;
	}
	for (size_t i = 0; i < m; i++)
		names[i] = names[lms[i] / 2];
	return distinct;
}
