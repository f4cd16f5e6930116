/*
 * Moves insertions at the beginning of an iteration in front of it.
 *
 * Cost: linear in iterations and edits, and a bounded number of comparisons for each of the first
 * few insertions of an iteration.
 */
#include "iterate/corrections.h"
#include "base/parameters.h"

/* The edits that an iteration begins with, if there are insertions for the one before. */
struct front {
	size_t renamed; /* substitutions in front of these insertions */
	size_t count;	/* of insertions; 0: there are none */
};

/* The number of edits, from the first on, that insert symbols in a row. */
static size_t count_row(const struct dp_edit *edits, size_t count)
{
	size_t n = 0;

	while (n < count && edits[n].kind == DP_EDIT_INSERTED &&
	       edits[n].position == edits[0].position + n)
		n++;
	return n;
}

/*
 * The number of kernels among the first of a pattern, up to an offset, that the symbols have with
 * another name. Stops at most + 1.
 */
static size_t count_renamed(const uint32_t *symbols, const struct dp_cut_pattern *p, size_t to,
			    size_t most)
{
	size_t n = 0;

	for (size_t o = 0; o < to && n <= most; o++)
		n += symbols[o] != p->exact[o];
	return n;
}

/*
 * The number of symbols that are inserted in several rows before the true beginning, with matching
 * kernels between them by chance; 0 if there are none.
 */
static size_t count_rows(const struct dp_edit *edits, const struct dp_sequence_iteration *s,
			 const uint32_t *symbols, const struct dp_cut_pattern *p)
{
	size_t n = 0;

	for (size_t i = 0; i < dp_param.insertions_max; i++) {
		const struct dp_edit *row = edits + n;
		size_t count = count_row(row, s->inserted - n);

		if (count == 0 || row->offset > dp_param.insertion_shift ||
		    row->position != s->first + n + row->offset)
			break;
		n += count;
		if (count_renamed(symbols + s->first + n, p, row->offset, 0) == 0)
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
static struct front find_front(const struct dp_edit *edits, const struct dp_sequence_iteration *s,
			       const uint32_t *symbols, const struct dp_cut_pattern *p)
{
	struct front front = { 0 };
	size_t count = dp_iteration__edit_count(s), prefix, renamed;
	bool is_near;

	while (front.renamed < count && edits[front.renamed].kind == DP_EDIT_SUBSTITUTED)
		front.renamed++;
	front.count = count_row(edits + front.renamed, count - front.renamed);
	if (front.count == 0)
		return front;
	/* of symbols in front of the insertions, which differ by name at most */
	prefix = (size_t)edits[front.renamed].position - s->first;
	is_near = prefix <= dp_param.insertion_shift;
	if (edits[front.renamed].offset != prefix || (!is_near && front.renamed == 0))
		return (struct front){ 0 };
	renamed = count_renamed(symbols + s->first + front.count, p, prefix, front.renamed);
	if (renamed < front.renamed || (renamed == front.renamed && is_near))
		return front;
	return (struct front){ 0, count_rows(edits, s, symbols, p) };
}

/*
 * Appends iteration k of a cut to another one, without its front: that moves into the one before,
 * which is the last one there.
 */
static int take_iteration(struct dp_cut *made, const struct dp_cut *cut, size_t k,
			  const uint32_t *symbols, const struct dp_cut_pattern *p)
{
	struct dp_sequence_iteration s = cut->iterations[k],
				     *last = k ? &made->iterations[k - 1] : NULL;
	const struct dp_edit *edits = cut->edits + s.edits;
	size_t count = dp_iteration__edit_count(&s), prefix, skip;
	struct front front = { 0 };
	int status = DP_OK;

	if (last && last->end == s.first)
		front = find_front(edits, &s, symbols, p);
	if (front.count == 0)
		return dp_cut__add_copy(made, &s, cut->edits);
	dp_cut_changes__note(&made->changes, DP_CUT_CHANGE_INSERTIONS, front.count);
	prefix = (size_t)edits[front.renamed].position - s.first;
	s.first += front.count;
	made->covered += front.count;
	for (; last->end < s.first && !status; last->end++)
		status = dp_cut__add_edit(made, last, last->end, p->length, DP_EDIT_INSERTED);
	s.edits = made->edit_count;
	s.inserted = s.deleted = s.substituted = 0;
	for (size_t o = 0; o < prefix && !status; o++)
		if (symbols[s.first + o] != p->exact[o])
			status = dp_cut__add_edit(made, &s, s.first + o, o, DP_EDIT_SUBSTITUTED);
	/* those that match now */
	made->renamed -= DP_MIN(made->renamed, front.renamed - s.substituted);
	skip = front.renamed + front.count;
	if (!status)
		status = dp_cut__add_edits(made, &s, edits + skip, count - skip);
	return status ? status : dp_cut__add_iteration(made, &s);
}

int dp_insertions__move(struct dp_cut *cut, const uint32_t *symbols,
			const struct dp_cut_pattern *pattern)
{
	struct dp_cut made = dp_cut__refill(cut);
	int status = DP_OK;

	for (size_t k = 0; k < cut->count && !status; k++)
		status = take_iteration(&made, cut, k, symbols, pattern);
	*cut = made;
	return status;
}
