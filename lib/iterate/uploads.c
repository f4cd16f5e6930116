/*
 * Moves starts of single iterations to where the host began them: if iterations begin with an
 * upload, which a sample shows, a boundary next to edits that follows none is moved to the nearest
 * position that does.
 *
 * Cost: linear in iterations and edits, and a bounded number of calls of the evidence
 * (corrections.h).
 */
#include "iterate/corrections.h"
#include "base/search.h"
#include "base/parameters.h"

enum { SAMPLES = 33 }; /* boundaries in the sample */

struct mover {
	struct dp_cut *cut;
	const struct dp_cut *cuts; /* of all loops */
	size_t cut_count;
	const struct dp_cut_pattern *pattern;
	const uint32_t *symbols;
	size_t calls;
	const struct dp_evidence *evidence;
};

static bool follows_upload(struct mover *p, size_t position)
{
	p->calls++;
	return dp_evidence__look(p->evidence, position).after_upload;
}

static bool follows(const struct dp_cut *cut, size_t k)
{
	return k > 0 && cut->iterations[k - 1].end == cut->iterations[k].first;
}

/* Returns true if iteration k directly follows another, both whole. */
static bool joins(const struct dp_cut *cut, size_t k)
{
	return follows(cut, k) && !cut->iterations[k].partial && !cut->iterations[k - 1].partial;
}

/* Returns true if most boundaries of a sample follow an upload. */
static bool begins_with_upload(struct mover *p)
{
	size_t every = p->cut->count / SAMPLES + 1, n = 0, with_upload = 0;

	for (size_t k = 1; k < p->cut->count && n < SAMPLES; k += every) {
		if (!joins(p->cut, k))
			continue;
		with_upload += follows_upload(p, p->cut->iterations[k].first);
		n++;
	}
	return n >= dp_param.samples_min &&
	       (double)with_upload >= dp_param.recurs_share * (double)n;
}

/* The edits of an iteration. A cut without edits has no array, and NULL + 0 is undefined in C. */
static struct dp_edit *edits_at(const struct dp_cut *cut, const struct dp_sequence_iteration *s)
{
	return cut->edits ? cut->edits + s->edits : NULL;
}

/*
 * How far the boundary between two iterations may be moved: over adjacent insertions and a bit more
 * if an edit is near, but at most by half an iteration.
 */
static void reach_between(size_t *before, size_t *after, const struct mover *p, size_t k)
{
	const struct dp_sequence_iteration *s = &p->cut->iterations[k], *last = s - 1;
	const struct dp_edit *edits = edits_at(p->cut, last);
	size_t count = dp_iteration__edit_count(last), tail = 0, head = 0, at;
	bool near;

	while (tail < count && edits[count - 1 - tail].kind == DP_EDIT_INSERTED &&
	       edits[count - 1 - tail].position == last->end - 1 - tail)
		tail++;
	near = tail > 0 ||
	       (count > 0 && last->end - edits[count - 1].position <= dp_param.boundary_near);
	edits = edits_at(p->cut, s);
	count = dp_iteration__edit_count(s);
	for (at = 0; at < count && edits[at].position - s->first < dp_param.boundary_near + head;
	     at++)
		head += edits[at].kind == DP_EDIT_INSERTED;
	if (!near && at == 0)
		return;
	*before = DP_MIN(tail + dp_param.boundary_reach, (last->end - last->first - 1) / 2);
	*after = DP_MIN(head + dp_param.boundary_reach, (s->end - s->first - 1) / 2);
}

/*
 * The same for an iteration without one before it: over all symbols that belong to no
 * iteration of any loop. They may be its beginning, with kernels that are tried before the program
 * continues.
 */
static size_t reach_alone(const struct mover *p, size_t first)
{
	size_t over = 0;

	for (size_t i = 0; i < p->cut_count; i++) {
		const struct dp_sequence_iteration *s = p->cuts[i].iterations;
		size_t at;

		DP_FIND(at, 0, p->cuts[i].count, s[at].end > first);
		over = DP_MAX(over, at ? s[at - 1].end : 0);
	}
	return first - over <= p->pattern->length ? first - over : 0;
}

/*
 * The position nearest to the beginning of iteration k that follows an upload, or that beginning if
 * none within reach does.
 */
static size_t nearest_upload(struct mover *p, size_t k)
{
	const struct dp_sequence_iteration *s = &p->cut->iterations[k];
	size_t first = s->first, before = 0, after = 0;

	if (joins(p->cut, k))
		reach_between(&before, &after, p, k);
	else if (!s->partial && !follows(p->cut, k))
		before = reach_alone(p, first);
	if (before + after == 0 || p->calls > dp_param.boundary_calls || follows_upload(p, first))
		return first;
	for (size_t i = 1; i <= DP_MAX(before, after) && p->calls <= dp_param.boundary_calls; i++) {
		if (i <= before && follows_upload(p, first - i))
			return first - i;
		if (i <= after && follows_upload(p, first + i))
			return first + i;
	}
	return first;
}

/* Moves the iterations to their new beginnings. */
static int move_all(struct mover *p, const size_t *first)
{
	struct dp_cut *cut = p->cut, made = { .renamed = cut->renamed, .changes = cut->changes };
	int status = DP_OK;

	for (size_t k = 0; k < cut->count && !status; k++) {
		const struct dp_sequence_iteration *s = &cut->iterations[k];
		struct dp_sequence_iteration moved = *s;

		moved.first = first[k];
		if (first[k] != s->first)
			dp_cut_changes__note(&made.changes, DP_CUT_CHANGE_UPLOAD,
					     DP_MAX(first[k], s->first) -
						     DP_MIN(first[k], s->first));
		if (k + 1 < cut->count && s->end == s[1].first)
			moved.end = first[k + 1];
		status = moved.first != s->first || moved.end != s->end
				 ? dp_cut__add_compared(&made, &moved, p->symbols,
							p->pattern->exact, p->pattern->length)
				 : dp_cut__add_copy(&made, s, cut->edits);
	}
	made.renamed = DP_MIN(made.renamed, made.edit_count);
	dp_cut__fini(status ? &made : cut);
	if (!status)
		*cut = made;
	return status;
}

int dp_uploads__move_starts(struct dp_cut *cuts, size_t count, size_t which,
			    const struct dp_cut_pattern *pattern, const uint32_t *symbols,
			    const struct dp_evidence *evidence)
{
	struct dp_cut *cut = &cuts[which];
	struct mover p = { .cut = cut,
			   .cuts = cuts,
			   .cut_count = count,
			   .pattern = pattern,
			   .symbols = symbols,
			   .evidence = evidence };
	bool any = false;
	size_t *first;
	int status = DP_OK;

	if (!evidence->at || cut->count < dp_param.samples_min ||
	    pattern->length < dp_param.boundary_near || !begins_with_upload(&p))
		return DP_OK;
	first = dp_alloc__array(cut->count, sizeof(*first));
	if (!first)
		return DP_ERR_NOMEM;
	for (size_t k = 0; k < cut->count; k++) {
		first[k] = nearest_upload(&p, k);
		any |= first[k] != cut->iterations[k].first;
	}
	if (any)
		status = move_all(&p, first);
	free(first);
	return status;
}
