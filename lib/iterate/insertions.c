/*
 * Moves insertions at the beginning of an iteration in front of it.
 *
 * Cost: linear in iterations and edits, and a bounded number of comparisons for each of the first
 * few insertions of an iteration.
 */
#include "iterate/insertions.h"
#include "base/parameters.h"

#include <string.h>

/* The exact name of a pattern at an offset from its first. */
static uint32_t name_at(const struct dp_cut_pattern *p, size_t offset)
{
	return p->exact ? p->exact[(offset + p->first) % p->length] : p->rotated[offset];
}

/*
 * The first row of insertions in an iteration with nothing but renamed kernels before it: the index
 * of its first edit, or one past the iteration's edits if there is none.
 */
static size_t first_insertions(const struct dp_cut *cut, const struct dp_repetition *s,
			       size_t *count)
{
	const struct dp_edit *edits = cut->edits + s->edits;
	size_t all = dp_repetition__edit_count(s), at = 0, n = 0;

	while (at < all && edits[at].kind == DP_EDIT_SUBSTITUTED)
		at++;
	while (at + n < all && edits[at + n].kind == DP_EDIT_INSERTED &&
	       edits[at + n].position == edits[at].position + n)
		n++;
	*count = n;
	return at;
}

/*
 * Moves the first `count` symbols of iteration k, with as many insertions, into the iteration
 * before. Its first edits are renamed kernels: `before` of them in front of the insertions, and
 * afterwards `after` of them, right before the rest.
 */
static void move_insertions(struct dp_cut *cut, size_t k, size_t before, size_t count, size_t after,
			    const uint32_t *symbols, const struct dp_cut_pattern *p)
{
	struct dp_repetition *s = &cut->iterations[k], *last = s - 1;
	size_t prefix = (size_t)cut->edits[s->edits + before].position - s->first;
	size_t all = dp_repetition__edit_count(last);
	size_t to = s->edits + before + count - after;

	s->first += count;
	for (size_t i = 0, put = to; i < prefix && put < to + after; i++)
		if (symbols[s->first + i] != name_at(p, i))
			cut->edits[put++] =
				(struct dp_edit){ s->first + i, (uint32_t)i, DP_EDIT_SUBSTITUTED };
	/* insertions at this one's end may have been moved away and left room */
	for (size_t i = 0; i < count; i++)
		cut->edits[last->edits + all + i] =
			(struct dp_edit){ last->end + i, (uint32_t)p->length, DP_EDIT_INSERTED };
	last->end += count;
	last->inserted += (uint32_t)count;
	s->edits = to;
	s->inserted -= (uint32_t)count;
	s->substituted -= (uint32_t)(before - after);
	cut->renamed -= DP_MIN(cut->renamed, before - after);
}

/*
 * The same for several insertions with matching kernels between them by chance: the number of
 * symbols inserted before the true beginning, or 0.
 */
static size_t insertions_before(const struct dp_cut *cut, const struct dp_repetition *s,
				const uint32_t *symbols, const struct dp_cut_pattern *p)
{
	const struct dp_edit *edits = cut->edits + s->edits;
	size_t n = 0, prefix, same;

	for (size_t row = 0; row < dp_param.insertions_max; row++) {
		size_t from = n;

		while (n < s->inserted && edits[n].kind == DP_EDIT_INSERTED &&
		       edits[n].position == edits[from].position + (n - from))
			n++;
		if (n == from)
			break;
		prefix = edits[from].offset;
		if (prefix > dp_param.insertion_shift ||
		    edits[from].position != s->first + from + prefix)
			break;
		for (same = 0; same < prefix; same++)
			if (symbols[s->first + n + same] != name_at(p, same))
				break;
		if (same == prefix)
			return n;
	}
	return 0;
}

/*
 * An insertion that is followed by the pattern's beginning again may equally have come before it:
 * of the pattern abcd, abxyabcd is either ab and cd with xyab between them, or abxy before abcd. It
 * is moved to the boundary in front if possible: insertions between two iterations are more likely
 * than after the first few symbols of one. If exact names then match better, too, it is moved over
 * any number of symbols.
 */
static void move_all(struct dp_cut *cut, const uint32_t *symbols, const struct dp_cut_pattern *p)
{
	for (size_t k = 1; k < cut->count; k++) {
		struct dp_repetition *s = &cut->iterations[k];
		size_t count, renamed = first_insertions(cut, s, &count), prefix, after = 0;
		const struct dp_edit *edit = &cut->edits[s->edits + renamed];

		if (s[-1].end != s->first || count == 0)
			continue;
		/* of symbols in front of the insertions, which differ by name at most */
		prefix = (size_t)edit->position - s->first;
		if (edit->offset != prefix || (prefix > dp_param.insertion_shift && renamed == 0))
			continue;
		for (size_t i = 0; i < prefix && after <= renamed; i++)
			after += symbols[s->first + count + i] != name_at(p, i);
		if (after < renamed || (after == renamed && prefix <= dp_param.insertion_shift)) {
			move_insertions(cut, k, renamed, count, after, symbols, p);
			continue;
		}
		count = insertions_before(cut, s, symbols, p);
		if (count > 0)
			move_insertions(cut, k, 0, count, 0, symbols, p);
	}
}

/* Closes the gaps that moved edits left. */
static void pack_edits(struct dp_cut *cut)
{
	size_t to = 0;

	for (size_t k = 0; k < cut->count; k++) {
		struct dp_repetition *s = &cut->iterations[k];
		size_t count = dp_repetition__edit_count(s);

		memmove(cut->edits + to, cut->edits + s->edits, count * sizeof(*cut->edits));
		s->edits = to;
		to += count;
	}
	cut->edit_count = to;
}

void dp_insertions__move(struct dp_cut *cut, const uint32_t *symbols,
			 const struct dp_cut_pattern *pattern)
{
	move_all(cut, symbols, pattern);
	pack_edits(cut);
}
