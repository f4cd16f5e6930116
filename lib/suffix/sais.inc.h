/*
 * SA-IS for one width of text (CHAR) and of index (INDEX), included by sais.c once per pair:
 *
 *   CHAR, INDEX   the types
 *   SELF(name)    a name of this instance
 *   DEEPER(name)  a name of the instance whose CHAR is as wide as INDEX
 *
 * Nong, Zhang, Chan, "Linear suffix array construction by almost pure induced-sorting" (2009):
 * the suffixes that start a local minimum (LMS) are sorted through a shorter string of their
 * names, and induce the order of all others in two scans. Cost: O(count) time; the given work
 * array, and two counters per symbol where that has no room for them.
 *
 * A suffix is S-type if it is smaller than the next one, else L-type; the last is L-type, as the
 * (virtual) end marker is smaller than everything. The work array of count entries holds the LMS
 * positions in text order (m entries) and then their names by half the position (two LMS
 * positions are never neighbours, so that is a place of its own, and m + count / 2 <= count).
 * The string of names is sorted in sa[0..m) with sa[m..count) as its work space.
 */

/* Positions of the LMS suffixes in text order; returns how many, at most (count - 1) / 2. */
static size_t SELF(find_lms)(const CHAR *text, size_t count, INDEX *lms)
{
	size_t m = 0, i = count - 1;
	CHAR next = text[i];
	unsigned is_s = 0;

	while (i-- > 0) {
		CHAR here = text[i];
		unsigned now = here < next || (here == next && is_s);

		lms[m] = (INDEX)(i + 1);
		m += is_s & !now;
		is_s = now;
		next = here;
	}
	for (size_t a = 0, b = m; a + 1 < b; a++) {
		INDEX swap = lms[--b];

		lms[b] = lms[a];
		lms[a] = swap;
	}
	return m;
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
 * Sorts the LMS substrings into sa[0..m). An entry j > 0 stands for suffix j + 1 and still has to
 * induce suffix j; once it has, it is zeroed. What a scan must leave to the other one, or for the
 * end, is complemented.
 */
static void SELF(sort_substrings)(const CHAR *text, INDEX *sa, size_t count, const INDEX *counts,
				  INDEX *bucket, size_t alphabet, const INDEX *lms, size_t m)
{
	size_t out = 0;
	INDEX j = (INDEX)count - 2;

	memset(sa, 0, count * sizeof(*sa));
	SELF(ends)(counts, bucket, alphabet);
	for (size_t i = 0; i < m; i++)
		sa[--bucket[text[lms[i]]]] = lms[i] - 1;
	SELF(starts)(counts, bucket, alphabet);
	sa[bucket[text[j + 1]]++] = text[j] < text[j + 1] ? ~j : j;
	for (size_t i = 0; i < count; i++) {
		j = sa[i];
		if (j > 0) {
			CHAR c = text[j--];

			sa[i] = 0;
			sa[bucket[c]++] = text[j] < c ? ~j : j;
		} else if (j < 0) {
			sa[i] = ~j;
		}
	}
	SELF(ends)(counts, bucket, alphabet);
	for (size_t i = count; i-- > 0;) {
		j = sa[i];
		if (j > 0) {
			CHAR c = text[j--];

			sa[i] = 0;
			sa[--bucket[c]] = text[j] > c ? ~(j + 1) : j;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (sa[i] < 0)
			sa[out++] = ~sa[i];
}

/*
 * Names the sorted LMS substrings in sa[0..m) by rank into half[position / 2], then packs the
 * names in text order at half[0..m). Returns how many names there are.
 */
static size_t SELF(name_substrings)(const CHAR *text, const INDEX *sa, size_t count,
				    const INDEX *lms, size_t m, INDEX *half)
{
	size_t names = 0, old_length = 0;
	const CHAR *old = text;

	for (size_t i = 0; i + 1 < m; i++)
		half[lms[i] / 2] = lms[i + 1] - lms[i] + 1;
	/* The last one holds the end marker and so equals no other. */
	half[lms[m - 1] / 2] = (INDEX)count;
	for (size_t i = 0; i < m; i++) {
		size_t length = (size_t)half[sa[i] / 2];
		const CHAR *substring = text + sa[i];

		if (length != old_length || memcmp(substring, old, length * sizeof(*old)) != 0)
			names++;
		half[sa[i] / 2] = (INDEX)names - 1;
		old = substring;
		old_length = length;
	}
	for (size_t i = 0; i < m; i++)
		half[i] = half[lms[i] / 2];
	return names;
}

/* Moves the sorted LMS suffixes from sa[0..m) to the ends of their buckets, zeroes in between. */
static void SELF(place_lms)(const CHAR *text, INDEX *sa, size_t count, size_t m, INDEX *bucket)
{
	memset(sa + m, 0, (count - m) * sizeof(*sa));
	for (size_t i = m; i-- > 0;) {
		INDEX j = sa[i];

		sa[i] = 0;
		sa[--bucket[text[j]]] = j;
	}
}

/*
 * Sorts all suffixes from the sorted LMS ones at the ends of their buckets. The first scan
 * complements everything it passes, so what was complemented when it was written (its
 * predecessor is S-type) is left for the second.
 */
static void SELF(induce)(const CHAR *text, INDEX *sa, size_t count, const INDEX *counts,
			 INDEX *bucket, size_t alphabet)
{
	INDEX j = (INDEX)count - 1;

	SELF(starts)(counts, bucket, alphabet);
	sa[bucket[text[j]]++] = text[j - 1] < text[j] ? ~j : j;
	for (size_t i = 0; i < count; i++) {
		j = sa[i];
		sa[i] = ~j;
		if (j > 0) {
			CHAR c = text[--j];

			sa[bucket[c]++] = j > 0 && text[j - 1] < c ? ~j : j;
		}
	}
	SELF(ends)(counts, bucket, alphabet);
	for (size_t i = count; i-- > 0;) {
		j = sa[i];
		if (j > 0) {
			CHAR c = text[--j];

			sa[--bucket[c]] = j == 0 || text[j - 1] > c ? ~j : j;
		} else {
			sa[i] = ~j;
		}
	}
}

/* Sorts the LMS suffixes into sa[0..m); work[0..m) has their positions. */
static int SELF(sort_lms)(const CHAR *text, INDEX *sa, INDEX *work, size_t count, size_t m,
			  const INDEX *counts, INDEX *bucket, size_t alphabet)
{
	INDEX *names = work + m;
	size_t distinct;
	int status;

	SELF(sort_substrings)(text, sa, count, counts, bucket, alphabet, work, m);
	distinct = SELF(name_substrings)(text, sa, count, work, m, names);
	if (distinct == m)
		return DP_OK;
	status = DEEPER(sort)((const void *)names, sa, sa + m, m, distinct);
	if (status)
		return status;
	for (size_t i = 0; i < m; i++)
		sa[i] = work[sa[i]];
	return DP_OK;
}

static int SELF(sort)(const CHAR *text, INDEX *sa, INDEX *work, size_t count, size_t alphabet)
{
	INDEX *counts, *bucket;
	int status = DP_OK;
	size_t m;

	if (count < 2) {
		if (count)
			sa[0] = 0;
		return DP_OK;
	}
	counts = dp_alloc__zeroed(alphabet, 2 * sizeof(*counts));
	if (!counts)
		return DP_ERR_NOMEM;
	bucket = counts + alphabet;
	for (size_t i = 0; i < count; i++)
		counts[text[i]]++;
	m = SELF(find_lms)(text, count, work);
	if (m)
		status = SELF(sort_lms)(text, sa, work, count, m, counts, bucket, alphabet);
	if (status)
		goto out;
	SELF(ends)(counts, bucket, alphabet);
	SELF(place_lms)(text, sa, count, m, bucket);
	SELF(induce)(text, sa, count, counts, bucket, alphabet);
out:
	free(counts);
	return status;
}
