/*
 * SA-IS for one width of text (CHAR) and of index (INDEX), included by arrays.c once per pair:
 *
 *   CHAR, INDEX   the types
 *   SELF(name)    a name of this instance
 *   DEEPER(name)  a name of the instance whose CHAR is as wide as INDEX
 *
 * Nong, Zhang, Chan, "Linear suffix array construction by almost pure induced-sorting" (2009):
 * the suffixes that start a local minimum (LMS) are sorted through a shorter string, of the names
 * of the substrings between such positions, and induce the order of all others in two scans.
 *
 * A suffix is S-type if it is smaller than the next one, else L-type; the last is L-type, as the
 * (virtual) end marker is smaller than everything. An LMS substring goes from one LMS position to
 * the next, both included.
 *
 * What is not in the paper: substrings are named with a dictionary if few are distinct, as in a
 * repetitive string (names.inc.h).
 *
 * Cost: O(count) time; the given work array, and two counters per symbol of the alphabet. There are
 * m <= (count - 1) / 2 LMS positions:
 *
 *   work  [0, count - m) names of the LMS substrings, in the first m or half of count entries
 *         [count - m, count) the LMS positions in text order
 *   sa    [0, m) the suffix array of the names, [m, 2m) its work array, while these are sorted
 *
 * The counters for that go to what is then left of both arrays, or if that is too small to memory
 * of their own.
 */

/*
 * Writes the positions of the LMS suffixes in text order to the end of lms[0..count), and hashes
 * of their substrings to the end of hashes[0..count); returns how many there are. Goes backwards,
 * as a type follows from the next one, and without branches that only a regular text would have
 * predicted well.
 */
static size_t SELF(find_lms)(const CHAR *text, size_t count, INDEX *lms, INDEX *hashes)
{
	size_t at = count, i = count - 1;
	uint64_t hash = 0, fresh;
	CHAR next = text[i];
	unsigned is_s = 0;

	while (i-- > 0) {
		CHAR here = text[i];
		unsigned now = (here < next) | ((here == next) & is_s);
		unsigned found = is_s & ~now;

		hash = (hash ^ next) * HASH_FACTOR;
		lms[at - 1] = (INDEX)(i + 1);
		hashes[at - 1] = (INDEX)(hash >> HASH_SHIFT);
		at -= found;
		/* The next substring to the left ends with the symbol that this one starts with. */
		fresh = (next ^ HASH_START) * HASH_FACTOR;
		hash ^= (hash ^ fresh) & -(uint64_t)found;
		is_s = now;
		next = here;
	}
	return count - at;
}

static void SELF(starts)(const INDEX *counts, INDEX *bucket, size_t alphabet)
{
	INDEX sum = 0;

	for (size_t c = 0; c < alphabet; c++) {
		bucket[c] = sum;
		sum += counts[c];
	}
}

static void SELF(ends)(const INDEX *counts, INDEX *bucket, size_t alphabet)
{
	INDEX sum = 0;

	for (size_t c = 0; c < alphabet; c++) {
		sum += counts[c];
		bucket[c] = sum;
	}
}

/*
 * Prefetches for entries j that a scan has not reached yet: for the one at far, the symbols
 * at j - back and before; for the one at near, if there are too many buckets for the cache,
 * the end of the bucket that it induces into. (gcc 12 would drop a call of this, as it takes a
 * function that only prefetches for one without any effect.)
 */
static inline __attribute__((always_inline)) void SELF(prefetch)(const CHAR *text, const INDEX *sa,
								 const INDEX *bucket, bool many,
								 size_t far, size_t near,
								 INDEX back)
{
	INDEX j = sa[far];

	__builtin_prefetch(&text[j > 0 ? j - back : 0]);
	if (!many)
		return;
	j = sa[near];
	__builtin_prefetch(&sa[j > 0 ? bucket[text[j - back]] : 0], 1);
}

#include "suffix/names.inc.h"

/*
 * The two scans that sort all suffixes from the sorted LMS ones at the ends of their buckets. The
 * first complements everything that it passes, so what was complemented when it was written (its
 * predecessor is S-type) is left for the second.
 */
static inline void SELF(induce_l)(const CHAR *text, INDEX *sa, size_t count, INDEX *bucket,
				  bool many)
{
	for (size_t i = 0; i < count; i++) {
		INDEX j = sa[i];

		SELF(prefetch)
		(text, sa, bucket, many, DP_MIN(i + FAR, count - 1), DP_MIN(i + NEAR, count - 1),
		 1);
		sa[i] = ~j;
		if (j > 0) {
			CHAR c = text[--j];

			sa[bucket[c]++] = COMPLEMENT_IF(text[j - (j > 0)] < c, j);
		}
	}
}

static inline void SELF(induce_s)(const CHAR *text, INDEX *sa, size_t count, INDEX *bucket,
				  bool many)
{
	for (size_t i = count; i-- > 0;) {
		INDEX j = sa[i];

		SELF(prefetch)
		(text, sa, bucket, many, i < FAR ? 0 : i - FAR, i < NEAR ? 0 : i - NEAR, 1);
		if (j > 0) {
			CHAR c = text[--j];

			sa[--bucket[c]] = COMPLEMENT_IF((j == 0) | (text[j - (j > 0)] > c), j);
		} else {
			sa[i] = ~j;
		}
	}
}

static void SELF(induce)(const CHAR *text, INDEX *sa, size_t count, const INDEX *counts,
			 INDEX *bucket, size_t alphabet)
{
	INDEX last = (INDEX)count - 1;
	bool many = alphabet > MANY_BUCKETS;

	SELF(starts)(counts, bucket, alphabet);
	sa[bucket[text[last]]++] = COMPLEMENT_IF(text[last - 1] < text[last], last);
	SCAN(induce_l);
	SELF(ends)(counts, bucket, alphabet);
	SCAN(induce_s);
}

/*
 * Replaces the ranks of the sorted LMS suffixes in sa[0..m) by their positions, at the ends of
 * their buckets, with zeroes in between. Which bucket follows from how many start with a symbol.
 */
static void SELF(place_lms)(const CHAR *text, INDEX *sa, size_t count, const INDEX *lms, size_t m,
			    const INDEX *counts, INDEX *first, size_t alphabet)
{
	size_t i = m, end = count;

	memset(sa + m, 0, (count - m) * sizeof(*sa));
	memset(first, 0, alphabet * sizeof(*first));
	for (size_t k = 0; k < m; k++)
		first[text[lms[k]]]++;
	for (size_t c = alphabet; c-- > 0;) {
		size_t to = end;

		for (INDEX k = first[c]; k > 0; k--) {
			INDEX rank = sa[--i];

			__builtin_prefetch(&lms[sa[i < FAR ? 0 : i - FAR]]);
			sa[i] = 0;
			sa[--to] = lms[rank];
		}
		end -= (size_t)counts[c];
	}
}

/* Sorts the LMS suffixes: their ranks in text order, in the order of the suffixes, to sa[0..m). */
static int SELF(sort_lms)(const CHAR *text, INDEX *sa, INDEX *work, size_t count, size_t m,
			  const INDEX *counts, INDEX *bucket, size_t alphabet)
{
	const INDEX *lms = work + (count - m);
	INDEX *names = work;
	size_t distinct = SELF(name_by_dictionary)(text, sa, count, lms, m, names);

	if (!distinct)
		distinct = SELF(name_by_induction)(text, sa, count, counts, bucket, alphabet, lms,
						   m, names);
	if (distinct < m) {
		bool fits = distinct <= count - 2 * m;

		return DEEPER(sort)((const void *)names, sa, sa + m, m, distinct,
				    fits ? sa + 2 * m : NULL, fits ? work + m : NULL);
	}
	for (size_t i = 0; i < m; i++)
		sa[names[i]] = (INDEX)i;
	return DP_OK;
}

/* counts and bucket have room for alphabet counters each, or are NULL. */
static int SELF(sort)(const CHAR *text, INDEX *sa, INDEX *work, size_t count, size_t alphabet,
		      INDEX *counts, INDEX *bucket)
{
	INDEX *owned = NULL;
	int status = DP_OK;
	size_t m;

	if (count < 2) {
		if (count)
			sa[0] = 0;
		return DP_OK;
	}
	if (!counts) {
		owned = dp_alloc__array(alphabet, 2 * sizeof(*owned));
		if (!owned)
			return DP_ERR_NOMEM;
		counts = owned;
		bucket = owned + alphabet;
	}
	memset(counts, 0, alphabet * sizeof(*counts));
	for (size_t i = 0; i < count; i++)
		counts[text[i]]++;
	m = SELF(find_lms)(text, count, work, sa);
	if (m)
		status = SELF(sort_lms)(text, sa, work, count, m, counts, bucket, alphabet);
	if (status)
		goto out;
	SELF(place_lms)(text, sa, count, work + (count - m), m, counts, bucket, alphabet);
	SELF(induce)(text, sa, count, counts, bucket, alphabet);
out:
	free(owned);
	return status;
}
