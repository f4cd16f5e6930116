/*
 * Seams between the spans of two loops. The aligner follows a pattern as far as it matches,
 * regardless of where its iterations end: where two loops are alike, as training and validation
 * begin alike, the symbols go to the span that comes first. Once it is known where the iterations
 * of one of them begin, the two meet at one of its boundaries.
 *
 * Cost: linear in the symbols and edits of the spans.
 */
#include "iterate/seams.h"
#include "align/walk.h"

struct closer {
	struct dp_alignment *al;
	const uint32_t *symbols;
	const struct dp_align_pattern *patterns;
	uint32_t which; /* the pattern whose boundaries are known */
	size_t first;	/* the offset at which its iterations begin */
};

/* Two adjacent spans, of that pattern and of another. */
struct seam {
	size_t own, other;
	int dir; /* 1: `own` comes first; -1: the other one does */
};

/* A place in a span: the offset of the symbol that comes next, and the number of edits before. */
struct place {
	size_t at, offset, edits;
};

static size_t move(size_t at, size_t by, int dir)
{
	return dir > 0 ? at + by : at - by;
}

static size_t turn(size_t offset, size_t by, size_t m, int dir)
{
	return (offset + (dir > 0 ? by % m : m - by % m)) % m;
}

/* Where a span ends if dir > 0, else where it begins. */
static struct place end_of(const struct dp_align_span *s, int dir)
{
	return dir > 0 ? (struct place){ s->end, s->end_offset, s->edit_count }
		       : (struct place){ s->begin, s->begin_offset, 0 };
}

static struct place place_at(const struct closer *c, const struct dp_align_span *s, size_t at)
{
	size_t through = at - s->begin;
	struct place place = { .at = at };

	for (; place.edits < s->edit_count; place.edits++) {
		const struct dp_edit *edit = &c->al->edits[s->edits + place.edits];

		if (edit->position >= at)
			break;
		through += edit->kind == DP_EDIT_DELETED;
		through -= edit->kind == DP_EDIT_INSERTED;
	}
	place.offset = turn(s->begin_offset, through, c->patterns[s->pattern].length, 1);
	return place;
}

/*
 * The boundary nearest to the seam in the span of the known loop. Returns false if that leaves
 * nothing of the span.
 */
static bool nearest_boundary(struct place *place, const struct closer *c, const struct seam *seam)
{
	const struct dp_align_span *s = &c->al->spans[seam->own];
	const struct place end = end_of(s, seam->dir);
	size_t m = c->patterns[c->which].length, far = seam->dir > 0 ? s->begin : s->end;
	struct dp_walk walk;
	struct dp_walk_step step;

	*place = (struct place){ far, c->first, 0 };
	dp_walk__begin(&walk, c->al, seam->own, m, c->first);
	for (size_t edits = 0; dp_walk__next(&walk, &step); edits += step.kind != DP_WALK_RUN) {
		if (step.offset != 0)
			continue;
		*place = (struct place){ step.at, c->first, edits };
		if (seam->dir < 0)
			break;
	}
	if (end.offset == c->first)
		*place = end;
	return place->at != far;
}

/* Returns true if the sequence goes on from a place, ahead or back, as a pattern does. */
static bool goes_on(const struct closer *c, uint32_t pattern, struct place from, size_t count,
		    int dir)
{
	const struct dp_align_pattern *p = &c->patterns[pattern];

	for (size_t i = 0; i < count; i++) {
		size_t at = dir > 0 ? from.at + i : from.at - 1 - i;
		size_t offset = turn(from.offset, dir > 0 ? i : i + 1, p->length, dir);

		if (c->symbols[at] != p->symbols[offset])
			return false;
	}
	return true;
}

/*
 * Finds where two spans meet: at the next boundary of the known loop, if the sequence goes on to
 * there like it and the other span has these symbols, or else at the one before. If the other span
 * does not extend to there, the sequence must go on to there like it, and the known loop lose less
 * than half an iteration. Returns false if the spans should stay as they are.
 */
static bool meet(const struct closer *c, const struct seam *seam, struct place *own,
		 struct place *other)
{
	const struct dp_align_span *s = &c->al->spans[seam->own], *o = &c->al->spans[seam->other];
	const struct place end = end_of(s, seam->dir);
	size_t m = c->patterns[c->which].length, gap, lost;
	size_t ahead = seam->dir > 0 ? turn(c->first, end.offset, m, -1)
				     : turn(end.offset, c->first, m, -1);

	*own = (struct place){ move(end.at, ahead, seam->dir), c->first, end.edits };
	if (own->at <= o->begin || own->at >= o->end ||
	    !goes_on(c, c->which, end, ahead, seam->dir))
		if (!nearest_boundary(own, c, seam) ||
		    (seam->dir > 0 ? own->at >= o->end : own->at <= o->begin))
			return false;
	*other = end_of(o, -seam->dir);
	if (seam->dir > 0 ? own->at > other->at : own->at < other->at)
		*other = place_at(c, o, own->at);
	gap = DP_MAX(own->at, other->at) - DP_MIN(own->at, other->at);
	lost = DP_MAX(own->at, end.at) - DP_MIN(own->at, end.at);
	if (gap && (lost * 2 >= m || !goes_on(c, o->pattern, *other, gap, -seam->dir)))
		return false;
	other->at = own->at;
	other->offset = turn(other->offset, gap, c->patterns[o->pattern].length, -seam->dir);
	return true;
}

static void close_seam(struct closer *c, const struct seam *seam)
{
	struct dp_align_span *left = &c->al->spans[DP_MIN(seam->own, seam->other)];
	struct dp_align_span *right = left + 1;
	struct place own, other, end, begin;

	if (!meet(c, seam, &own, &other))
		return;
	end = seam->dir > 0 ? own : other;
	begin = seam->dir > 0 ? other : own;
	left->end = end.at;
	left->end_offset = (uint32_t)end.offset;
	left->edit_count = end.edits;
	right->begin = begin.at;
	right->begin_offset = (uint32_t)begin.offset;
	right->edits += begin.edits;
	right->edit_count -= begin.edits;
}

void dp_seams__close(struct dp_alignment *al, const uint32_t *symbols,
		     const struct dp_align_pattern *patterns, uint32_t which, size_t first)
{
	struct closer c = { al, symbols, patterns, which, first };

	for (size_t k = 1; k < al->span_count; k++) {
		uint32_t left = al->spans[k - 1].pattern, right = al->spans[k].pattern;

		if (left == which && right > which)
			close_seam(&c, &(struct seam){ k - 1, k, 1 });
		else if (right == which && left > which)
			close_seam(&c, &(struct seam){ k, k - 1, -1 });
	}
}
