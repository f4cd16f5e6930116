/*
 * Boundaries between iterations, moved to where the host's were. What an iteration's first launch
 * looks like is learned from a sample of boundaries; those near edits that do not look like it are
 * looked at one by one.
 */
#include "iterate/boundary.h"
#include "base/sort.h"
#include "align/diff.h"

#include <string.h>

enum {
	CALLS_MAX = 100000,
	SAMPLES = 33, /* boundaries that are learned from */
	SAMPLES_MIN = 3,
	NEAR = 8,	/* symbols from a boundary to an edit that may concern it */
	AROUND = 4,	/* symbols around a boundary that it has to stand out from */
	REACH = 12,	/* symbols that are looked at beside the insertions */
	WIDE_MAX = 512, /* insertions that are looked at */
};

struct placer {
	struct dp_cut *cut;
	const struct dp_cut *cuts; /* of all loops */
	size_t cut_count;
	const uint32_t *symbols, *names;
	size_t m, calls;
	const struct dp_evidence *evidence;
	bool by_upload, by_gap; /* what iterations begin with */
	int64_t gap_ns;		/* the median of launch gaps in front of them */
};

static size_t edits_of(const struct dp_repetition *s)
{
	return (size_t)s->inserted + s->deleted + s->substituted;
}

static struct dp_evidence_at ask(struct placer *p, size_t position)
{
	struct dp_evidence_at at = { 0 };

	p->calls++;
	p->evidence->at(p->evidence->ctx, position, &at);
	return at;
}

/* Two complete iterations that follow each other: only such a boundary may be moved. */
static bool joins(const struct dp_cut *cut, size_t k)
{
	const struct dp_repetition *s = &cut->iterations[k];

	return k > 0 && s[-1].end == s->first && !s->partial && !s[-1].partial;
}

/* What do iterations begin with? */
static void learn(struct placer *p)
{
	int64_t gaps[SAMPLES], others[SAMPLES];
	size_t every = p->cut->count / SAMPLES + 1, n = 0, uploads = 0;

	for (size_t k = 1; k < p->cut->count && n < SAMPLES; k += every) {
		size_t first = p->cut->iterations[k].first, end = p->cut->iterations[k].end;
		struct dp_evidence_at at;

		if (!joins(p->cut, k))
			continue;
		at = ask(p, first);
		uploads += at.after_upload;
		gaps[n] = at.launch_gap_ns;
		others[n] = 0;
		for (size_t i = 1; i <= AROUND && i <= first && first + i < end; i++) {
			at = ask(p, first + i);
			others[n] = DP_MAX(others[n], at.launch_gap_ns);
			at = ask(p, first - i);
			others[n] = DP_MAX(others[n], at.launch_gap_ns);
		}
		n++;
	}
	if (n < SAMPLES_MIN)
		return;
	dp_sort__i64(gaps, n);
	dp_sort__i64(others, n);
	p->gap_ns = gaps[n / 2];
	p->by_gap = p->gap_ns > 0 && p->gap_ns / 4 >= others[n / 2];
	p->by_upload = uploads * 4 >= n * 3;
}

/* Does an iteration look as if it began here? */
static bool begins(struct placer *p, size_t position)
{
	struct dp_evidence_at at = ask(p, position);

	if (p->by_upload && !at.after_upload)
		return false;
	/* what lies before the capture is not known */
	return !p->by_gap || at.launch_gap_ns >= p->gap_ns / 3 ||
	       (position == 0 && at.launch_gap_ns < 0 && p->by_upload);
}

/* A cut without edits has no array of them, and NULL + 0 is not C. */
static struct dp_edit *edits_at(const struct dp_cut *cut, const struct dp_repetition *s)
{
	return cut->edits ? cut->edits + s->edits : NULL;
}

/* The symbols before a boundary that may belong behind it, and those behind that may not. */
static bool margins(const struct placer *p, size_t k, size_t *before, size_t *behind)
{
	const struct dp_repetition *s = &p->cut->iterations[k], *last = s - 1;
	const struct dp_edit *edits = edits_at(p->cut, last);
	size_t count = edits_of(last), tail = 0, head = 0, at;
	bool near;

	while (tail < count && edits[count - 1 - tail].kind == DP_EDIT_INSERTED &&
	       edits[count - 1 - tail].position == last->end - 1 - tail)
		tail++;
	near = tail > 0 || (count > 0 && last->end - edits[count - 1].position <= NEAR);
	edits = edits_at(p->cut, s);
	count = edits_of(s);
	for (at = 0; at < count && edits[at].position - s->first < NEAR + head; at++)
		head += edits[at].kind == DP_EDIT_INSERTED;
	near |= at > 0;
	*before = DP_MIN(DP_MIN(tail, WIDE_MAX) + REACH, (last->end - last->first - 1) / 2);
	*behind = DP_MIN(DP_MIN(head, WIDE_MAX) + REACH, (s->end - s->first - 1) / 2);
	return near;
}

/* Where the iteration begins that the cut lets begin at iteration k's first symbol. */
static size_t place(struct placer *p, size_t k)
{
	size_t first = p->cut->iterations[k].first, before, behind;

	if (!joins(p->cut, k) || p->calls > CALLS_MAX || !margins(p, k, &before, &behind) ||
	    begins(p, first))
		return first;
	for (size_t i = 1; i <= DP_MAX(before, behind); i++) {
		if (i <= before && begins(p, first - i))
			return first - i;
		if (i <= behind && begins(p, first + i))
			return first + i;
	}
	return first;
}

/* Where the last iteration of any loop ends that is over at a position. */
static size_t over_before(const struct placer *p, size_t position)
{
	size_t over = 0;

	for (size_t i = 0; i < p->cut_count; i++) {
		const struct dp_cut *cut = &p->cuts[i];
		size_t low = 0, high = cut->count;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (cut->iterations[middle].end <= position)
				low = middle + 1;
			else
				high = middle;
		}
		if (low > 0)
			over = DP_MAX(over, cut->iterations[low - 1].end);
	}
	return over;
}

/*
 * The same for an iteration in front of which there is none: the first, or the first of another
 * phase of the program, for which kernels are tried before it goes on.
 */
static size_t place_first(struct placer *p, size_t k)
{
	const struct dp_repetition *s = &p->cut->iterations[k];
	size_t low = over_before(p, s->first);

	if (s->partial || s->first == low || s->first - low > WIDE_MAX || s->first - low > p->m ||
	    p->calls > CALLS_MAX || begins(p, s->first))
		return s->first;
	for (size_t i = s->first; i-- > low;)
		if (begins(p, i))
			return i;
	return s->first;
}

/* Writes the edits of a iteration behind those that there are. */
static int script(struct placer *p, struct dp_cut *made, struct dp_repetition *s, bool moved)
{
	struct dp_edit *edits = edits_at(p->cut, s), *fresh = NULL;
	size_t count = edits_of(s);
	int status = DP_OK;

	if (moved) {
		status = dp_diff__run(&fresh, &count, p->symbols + s->first, s->end - s->first,
				      p->names, p->m);
		if (status)
			return status;
		s->inserted = s->deleted = s->substituted = 0;
		for (size_t i = 0; i < count; i++) {
			fresh[i].position += s->first;
			s->inserted += fresh[i].kind == DP_EDIT_INSERTED;
			s->deleted += fresh[i].kind == DP_EDIT_DELETED;
			s->substituted += fresh[i].kind == DP_EDIT_SUBSTITUTED;
		}
		edits = fresh;
	}
	s->edits = made->edit_count;
	status = dp_array__reserve(&made->edits, &made->edit_room, made->edit_count + count,
				   sizeof(*made->edits));
	if (!status && count > 0)
		memcpy(made->edits + made->edit_count, edits, count * sizeof(*edits));
	made->edit_count += count;
	free(fresh);
	return status;
}

/* Moves the iterations to their new beginnings; on failure the cut is not to be used. */
static int move(struct placer *p, const size_t *first)
{
	struct dp_cut *cut = p->cut, made = { 0 };
	int status = DP_OK;

	for (size_t k = 0; k < cut->count && !status; k++) {
		struct dp_repetition *s = &cut->iterations[k];
		size_t end = k + 1 < cut->count && s->end == s[1].first ? first[k + 1] : s->end;
		bool moved = first[k] != s->first || end != s->end;

		cut->covered = cut->covered + (end - first[k]) - (s->end - s->first);
		s->first = first[k];
		s->end = end;
		status = script(p, &made, s, moved);
	}
	free(cut->edits);
	cut->edits = made.edits;
	cut->edit_count = made.edit_count;
	cut->edit_room = made.edit_room;
	cut->renamed = DP_MIN(cut->renamed, cut->edit_count);
	if (!status)
		status = dp_variants__number(cut->iterations, cut->count, cut->edits, p->symbols);
	return status;
}

int dp_boundary__place(struct dp_cut *cuts, size_t count, size_t which, const uint32_t *symbols,
		       const uint32_t *names, size_t m, const struct dp_evidence *evidence)
{
	struct dp_cut *cut = &cuts[which];
	struct placer p = { .cut = cut,
			    .cuts = cuts,
			    .cut_count = count,
			    .symbols = symbols,
			    .names = names,
			    .m = m,
			    .evidence = evidence };
	bool any = false;
	size_t *first;
	int status = DP_OK;

	if (!evidence->at || cut->count < SAMPLES_MIN || m < NEAR)
		return DP_OK;
	learn(&p);
	if (!p.by_gap && !p.by_upload)
		return DP_OK;
	first = dp_alloc__array(cut->count, sizeof(*first));
	if (!first)
		return DP_ERR_NOMEM;
	for (size_t k = 0; k < cut->count; k++) {
		bool alone = k == 0 || cut->iterations[k - 1].end != cut->iterations[k].first;

		first[k] = alone ? place_first(&p, k) : place(&p, k);
		any |= first[k] != cut->iterations[k].first;
	}
	if (any)
		status = move(&p, first);
	free(first);
	return status;
}
