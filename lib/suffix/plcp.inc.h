/*
 * The permuted LCP array for one width of text (CHAR) and of index (INDEX), see arrays.c.
 *
 * Karkkainen, Manzini, Puglisi, "Permuted longest-common-prefix array" (2009): phi[p] is the
 * suffix before p in the suffix array, and plcp[p], their common prefix, falls by one at most
 * from p to p + 1. phi is overwritten in place by plcp, and stays in text order: the LCP of a
 * place of the suffix array is plcp[sa[place]]. Cost: O(count) time, no memory of its own.
 */

static void SELF(fill_phi)(const INDEX *sa, INDEX *phi, size_t count)
{
	INDEX before = -1;

	for (size_t i = 0; i < count; i++) {
		if (i + AHEAD < count)
			__builtin_prefetch(&phi[sa[i + AHEAD]], 1);
		phi[sa[i]] = before;
		before = sa[i];
	}
}

/* Where the comparison for a position that is not reached yet is likely to start. */
static inline const CHAR *SELF(start_of)(const CHAR *text, size_t count, INDEX phi, size_t length)
{
	size_t start = phi < 0 ? 0 : (size_t)phi + length;

	return &text[DP_MIN(start, count - 1)];
}

static void SELF(measure)(const CHAR *text, const INDEX *sa, INDEX *plcp, size_t count)
{
	INDEX before = -1;
	size_t length = 0;

	SELF(fill_phi)(sa, plcp, count);
	for (size_t i = 0; i < count; i++) {
		INDEX phi = plcp[i];

		__builtin_prefetch(
			SELF(start_of)(text, count, plcp[DP_MIN(i + AHEAD, count - 1)], length));
		if (phi < 0) {
			length = 0;
		} else if (length > 0 && phi == before + 1) {
			/* They followed each other before, too: what is shared shrank by one. */
			length--;
		} else {
			size_t start = (size_t)phi, end = count - DP_MAX(start, i);

			length -= length > 0;
			length += SELF(common)(text + start + length, text + i + length,
					       end - length);
		}
		before = phi;
		plcp[i] = (INDEX)length;
	}
}
