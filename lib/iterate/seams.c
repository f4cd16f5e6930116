/*
 * Seams between the spans of two loops. The aligner follows a pattern as far as it matches,
 * regardless of where its iterations end. Once they are known for one of two loops, the own loop,
 * its span is joined with the adjacent one of the other loop at one of its boundaries (|):
 *
 *	                       back       ahead
 *	own span    ...|---------|-----     |
 *	other span            1 --------------------...
 *	                          2 ----------------...
 *	                                3 ----------...
 *
 * - divide back: the other span begins after the boundary back (2, 3), which the own span passed by
 *   chance.
 * - divide ahead: it begins after the own span (3). The iteration that this began is completed.
 * - alike: neither is possible, for example because the other span begins before the boundary back
 *   (1). Both spans match, and meet at the boundary that makes the own iteration whole. Symbols
 *   between that and the other span are divided if the own span has edits for them.
 *
 * Dividing gives the symbols from the boundary back, or from the end of the own span, up to the
 * other span to both loops, so that the score, matches minus edits, is a maximum. Of both ways, the
 * one with the higher score counts. The score must not be negative, nor lower than that of what the
 * own span gives up, but may be -1 ahead: it is evidence, too, that the own span has begun an
 * iteration.
 *
 * If the own span is on the right, both are seen in a mirror, so that all of this is written for an
 * own span on the left: pair_of() enters the mirror, and meet() leaves it. find_joint() finds where
 * the two meet, and close_seam() moves the ends of the spans there.
 *
 * Cost: O(seams * SEAM * SEAM + edits + symbols), mostly with SLACK for one SEAM.
 */
#include "iterate/seams.h"
#include "iterate/iteration.h"
#include "align/diff.h"
#include "base/hash.h"

#include <string.h>

enum {
	SEAM = 64, /* longest seam in symbols: the aligner bridges longer ones */
	SLACK = 8, /* symbols by which a span may be too long by chance, or edits a seam */
	WIDE = SEAM + SLACK,
	CACHED = 64, /* splits: most seams of a program are alike */
};

/*
 * A seam, as seen from the span of the loop whose boundaries are known, the own loop: the next
 * symbols in the sequence, in the own loop up to its boundary, and in the other loop back from its
 * span.
 */
struct seam {
	uint32_t gap[SEAM], own[SEAM], other[WIDE];
	size_t gap_count, own_count, other_count;
};

/*
 * The number of the gap's symbols that go to the own loop, and of the other loop's symbols that
 * the rest stands for.
 */
struct split {
	size_t gap, other;
	int score; /* matches less edits */
};

/* A cached seam and its best split; zeros are valid: the split of nothing is nothing. */
struct solved {
	struct seam seam;
	struct split split;
};

struct closer {
	struct dp_alignment *al;
	const uint32_t *symbols;
	const struct dp_align_pattern *patterns;
	uint32_t which;
	size_t first;
	struct dp_cut_changes *changes;
	struct dp_edit *edits; /* the new edits, of the spans so far */
	size_t count, room;
	struct solved *cache; /* by hash */
};

/*
 * table[i][j] is i + j plus the maximum of matches minus edits of a[0..i) and b[0..j). With the
 * sum, a match adds 3, a substitution 1, and a symbol without counterpart nothing, so that each
 * cell is a maximum of its neighbours. Only the cells up to `off` from the diagonal are computed;
 * the ones next to them are 0.
 */
static void score_all(int16_t table[SEAM + 1][WIDE + 2], const uint32_t *a, size_t n,
		      const uint32_t *b, size_t m, size_t off)
{
	memset(table[0], 0, sizeof(*table));
	for (size_t i = 1; i <= n; i++) {
		const int16_t *above = table[i - 1];
		size_t first = i > off ? i - off : 1, last = DP_MIN(m, i + off);
		int16_t *row = table[i];

		row[first - 1] = row[last + 1] = 0;
		for (size_t j = first; j <= last; j++) {
			int16_t pair = (int16_t)(above[j - 1] + (a[i - 1] == b[j - 1] ? 3 : 1));

			row[j] = DP_MAX(above[j], pair);
		}
		for (size_t j = first; j <= last; j++)
			row[j] = DP_MAX(row[j - 1], row[j]);
	}
}

/*
 * The best split with at most SLACK more insertions than deletions in the other loop, or the other
 * way round; of equal ones, that with the smallest difference.
 */
static struct split solve(const struct seam *s)
{
	int16_t own[SEAM + 1][WIDE + 2], other[SEAM + 1][WIDE + 2];
	struct split best = { .score = INT16_MIN };
	size_t n = s->gap_count, best_off = 0;
	uint32_t back[SEAM];

	for (size_t i = 0; i < n; i++)
		back[i] = s->gap[n - 1 - i];
	score_all(own, s->gap, n, s->own, s->own_count, WIDE);
	score_all(other, back, n, s->other, s->other_count, SLACK);
	for (size_t x = 0; x <= n; x++) {
		size_t rest = n - x, last = DP_MIN(s->other_count, rest + SLACK);

		for (size_t j = rest - DP_MIN(rest, (size_t)SLACK); j <= last; j++) {
			int score =
				own[x][s->own_count] + other[rest][j] - (int)(n + s->own_count + j);
			size_t off = DP_MAX(j, rest) - DP_MIN(j, rest);

			if (score > best.score || (score == best.score && off < best_off)) {
				best = (struct split){ x, j, score };
				best_off = off;
			}
		}
	}
	return best;
}

static struct split solve_once(const struct closer *c, const struct seam *s)
{
	uint64_t hash = dp_hash__symbols(s->gap, s->gap_count) + s->own_count +
			dp_hash__symbols(s->other, s->other_count);
	struct solved *cached = &c->cache[hash % CACHED];

	if (memcmp(&cached->seam, s, sizeof(*s)) != 0)
		*cached = (struct solved){ *s, solve(s) };
	return cached->split;
}

/* One of two adjacent spans, from the end that faces the other one. */
struct side {
	const uint32_t *pattern;
	const struct dp_edit *edits;
	size_t m, edit_count;
	bool is_left, mirrored;
	size_t at, far; /* that end, and the opposite one */
	size_t offset;	/* the pattern's at that end */
};

/*
 * Two adjacent spans, with the one of the own loop on the left, if need be in a mirror: position x
 * is SIZE_MAX - x there, and offset o of m is m - o.
 */
struct pair {
	struct side own, other;
	size_t first; /* the offset that begins an iteration of the own loop */
};

/*
 * What becomes of a side: it loses its first edits and ends elsewhere, and what is between there
 * and the joint is compared with its pattern.
 */
struct change {
	size_t at, dropped; /* where it ends, and the number of these edits */
	size_t offset;	    /* the pattern's at the joint */
	size_t count;	    /* of the pattern's symbols up to the joint */
};

/* Where two sides are to meet. */
struct joint {
	size_t at;
	struct change own, other;
	int score;
};

static size_t mirror(bool mirrored, size_t position)
{
	return mirrored ? SIZE_MAX - position : position;
}

static size_t mirror_offset(bool mirrored, size_t offset, size_t m)
{
	return mirrored ? (m - offset) % m : offset;
}

static struct side side_of(const struct closer *c, const struct dp_align_span *s,
			   const struct dp_edit *edits, bool is_left, bool mirrored)
{
	size_t m = c->patterns[s->pattern].length;

	return (struct side){
		.pattern = c->patterns[s->pattern].symbols,
		.edits = s->edit_count ? edits + s->edits : NULL,
		.m = m,
		.edit_count = s->edit_count,
		.is_left = is_left,
		.mirrored = mirrored,
		.at = mirror(mirrored, is_left ? s->end : s->begin),
		.far = mirror(mirrored, is_left ? s->begin : s->end),
		.offset = mirror_offset(mirrored, is_left ? s->end_offset : s->begin_offset, m),
	};
}

static struct pair pair_of(const struct closer *c, const struct dp_align_span *left,
			   const struct dp_align_span *right)
{
	bool mirrored = left->pattern != c->which;
	/* the edits of the left one are among the new ones already */
	struct side l = side_of(c, left, c->edits, true, mirrored);
	struct side r = side_of(c, right, c->al->edits, false, mirrored);

	return mirrored ? (struct pair){ r, l, mirror_offset(mirrored, c->first, r.m) }
			: (struct pair){ l, r, c->first };
}

/* The symbol between a position and the next, which is the one before if mirrored. */
static uint32_t symbol_at(const struct closer *c, const struct side *side, size_t at)
{
	return c->symbols[mirror(side->mirrored, at + side->mirrored)];
}

static uint32_t pattern_at(const struct side *side, size_t offset)
{
	size_t o = offset % side->m;

	return side->pattern[side->mirrored ? side->m - 1 - o : o];
}

/* Edit number k of a side, from its end; NULL after the last. */
static const struct dp_edit *edit_of(const struct side *side, size_t k)
{
	size_t n = side->edit_count;

	return k < n ? &side->edits[side->is_left ? n - 1 - k : k] : NULL;
}

/* Returns true if a side may have an edit between its end and a position. */
static bool is_edited(const struct side *side, size_t to)
{
	const struct dp_edit *edit = edit_of(side, 0);
	size_t at = mirror(side->mirrored, to);

	return edit && (side->is_left ? edit->position >= at : edit->position <= at);
}

/* Ends the other side at a position within it. */
static struct change stop_other(const struct side *other, size_t at)
{
	size_t k = 0, offset = other->offset + at - other->at;
	const struct dp_edit *edit;

	for (; (edit = edit_of(other, k)) != NULL; k++) {
		if (mirror(other->mirrored, edit->position) - other->mirrored >= at)
			break;
		offset += edit->kind == DP_EDIT_DELETED;
		offset -= edit->kind == DP_EDIT_INSERTED;
	}
	return (struct change){ at, k, offset % other->m, 0 };
}

/*
 * The other span may begin too early by chance: moves its end back, and returns by how many
 * symbols, which are then divided along with the gap.
 */
static size_t lend(struct side *other, size_t gap)
{
	size_t by = DP_MIN((size_t)SLACK, (other->far - other->at) / 2);

	if (gap + by > SEAM || is_edited(other, other->at + by))
		return 0;
	other->at += by;
	other->offset = (other->offset + by) % other->m;
	return by;
}

/* The seam between a position and the other span, `ahead` symbols before a boundary. */
static struct seam seam_at(const struct closer *c, const struct pair *p, size_t from, size_t ahead)
{
	size_t gap = p->other.at - from, m = p->other.m;
	struct seam s = {
		.gap_count = gap,
		.own_count = ahead,
		.other_count = gap ? gap + SLACK : 0,
	};

	for (size_t i = 0; i < gap; i++)
		s.gap[i] = symbol_at(c, &p->own, from + i);
	for (size_t i = 0; i < ahead; i++)
		s.own[i] = pattern_at(&p->own, p->own.offset + i);
	for (size_t i = 0; i < s.other_count; i++)
		s.other[i] = pattern_at(&p->other, p->other.offset + m - 1 - i % m);
	return s;
}

/*
 * Joins two spans where the symbols between them are best divided: from where the own one stops on,
 * which is `ahead` symbols before a boundary of its iterations. The other span may lend some of its
 * own. Returns false if the score is below `least`, that of leaving the spans as they are.
 */
static bool divide(struct joint *joint, const struct closer *c, struct pair p, struct change stop,
		   size_t ahead, int least)
{
	size_t gap = p.other.at - stop.at, lent, offset;
	struct split split;
	struct seam seam;

	if (gap > SEAM || ahead > SEAM)
		return false;
	lent = gap || ahead ? lend(&p.other, gap) : 0;
	seam = seam_at(c, &p, stop.at, ahead);
	split = solve_once(c, &seam);
	offset = dp_offset__move(p.other.offset, split.other, p.other.m, -1);
	stop.count = ahead;
	*joint = (struct joint){ stop.at + split.gap,
				 stop,
				 { p.other.at, 0, offset, split.other },
				 split.score - (int)lent /* which matched before */ };
	return joint->score >= least;
}

/*
 * Ends the own side at its last boundary, `back` symbols of the pattern before its end. Returns
 * false if that leaves nothing. Goes back from the end, over the matches between two edits and then
 * the next edit: `at` is the position reached, and `back` counts what is left to go.
 */
static bool stop_back(struct change *stop, const struct pair *p, size_t back)
{
	const struct side *own = &p->own;
	size_t at = own->at;

	for (size_t k = 0;; k++) {
		const struct dp_edit *edit = edit_of(own, k);
		size_t length = edit && edit->kind != DP_EDIT_DELETED, end = own->far;

		if (edit)
			end = mirror(own->mirrored, edit->position + (own->mirrored ? 0 : length));
		if (back <= at - end) {
			*stop = (struct change){ at - back, k, p->first, 0 };
			return stop->at != own->far;
		}
		if (!edit)
			return false;
		back -= at - end + (edit->kind != DP_EDIT_INSERTED);
		at = end - length;
	}
}

/* Returns true if the sequence goes on from a position as a side's pattern does. */
static bool goes_on(const struct closer *c, const struct side *side, size_t offset, size_t at,
		    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (symbol_at(c, side, at + i) != pattern_at(side, offset + i))
			return false;
	return true;
}

/*
 * Ends the own side where its iteration is whole: ahead, if the symbols up to there complete it and
 * the other span has them, or else back.
 */
static bool stop_own(struct change *stop, const struct closer *c, const struct pair *p, size_t back,
		     size_t ahead)
{
	size_t at = p->own.at + ahead;

	*stop = (struct change){ at, 0, p->first, 0 };
	if (at > p->other.at && at < p->other.far &&
	    goes_on(c, &p->own, p->own.offset, p->own.at, ahead))
		return true;
	return stop_back(stop, p, back) && stop->at < p->other.far;
}

/*
 * The matches less the edits that the own side has from where it is to stop up to `until`, and all
 * of its edits from there on, which the other side makes up for.
 */
static int score_of(const struct side *own, const struct change *stop, size_t until)
{
	int score = (int)(DP_MIN(own->at, until) - stop->at) - (int)stop->dropped;

	for (size_t k = 0; k < stop->dropped; k++) {
		const struct dp_edit *edit = edit_of(own, k);

		score -= edit->kind != DP_EDIT_DELETED &&
			 mirror(own->mirrored, edit->position) - own->mirrored < until;
	}
	return score;
}

/*
 * Joins two spans that both match where their loops are alike, as training and validation begin
 * alike: where the own loop's iteration is whole. The other span must extend to there, or
 * continue to there without an edit. As all symbols in between match, none are compared. If it
 * lacks some that the own span has edits for, these are divided.
 */
static bool join_alike(struct joint *joint, const struct closer *c, const struct pair *p,
		       size_t back, size_t ahead)
{
	const struct side *other = &p->other;
	size_t at, offset;

	if (!stop_own(&joint->own, c, p, back, ahead))
		return false;
	at = joint->at = joint->own.at;
	if (at >= other->at) {
		joint->other = stop_other(other, at);
		return true;
	}
	offset = dp_offset__move(other->offset, other->at - at, other->m, -1);
	joint->other = (struct change){ at, 0, offset, 0 };
	if (goes_on(c, other, offset, at, other->at - at))
		return true;
	return divide(joint, c, *p, joint->own, 0, score_of(&p->own, &joint->own, other->at));
}

/* Joins two spans at the own one's last boundary, which its span may have passed by chance. */
static bool join_back(struct joint *joint, const struct closer *c, const struct pair *p,
		      size_t back)
{
	size_t boundary = p->own.at - back;

	if (back >= p->own.at - p->own.far || boundary > p->other.at ||
	    (back > SLACK && boundary < p->other.at) || (back && is_edited(&p->own, boundary)))
		return false;
	return divide(joint, c, *p, (struct change){ boundary, 0, p->first, 0 }, 0, 0);
}

/*
 * Finds the best joint of two spans, at one of the own loop's boundaries next to the end of its
 * span: `back` symbols of its pattern before that end, or `ahead` symbols after it. Returns false
 * if the spans should stay as they are.
 */
static bool find_joint(struct joint *best, const struct closer *c, const struct pair *p)
{
	size_t back = dp_offset__move(p->own.offset, p->first, p->own.m, -1);
	size_t ahead = back ? p->own.m - back : 0; /* 0: the span ends with a boundary */
	bool has_gap = p->other.at >= p->own.at;
	struct joint at_next;
	bool found_last = join_back(best, c, p, back);
	struct change here = { p->own.at, 0, p->first, 0 };
	bool found_next = ahead && has_gap && divide(&at_next, c, *p, here, ahead, -1);

	if (found_next && (!found_last || at_next.score > best->score))
		*best = at_next;
	return found_last || found_next || join_alike(best, c, p, back, ahead);
}

/* Appends edits to the new ones. */
static int add_edits(struct closer *c, const struct dp_edit *edits, size_t count)
{
	int status = dp_array__reserve(&c->edits, &c->room, c->count + count, sizeof(*edits));

	if (!status && count)
		memcpy(c->edits + c->count, edits, count * sizeof(*edits));
	c->count += count;
	return status;
}

/*
 * Appends the edits of symbols [begin, end) against `count` symbols of a pattern from an offset on.
 */
static int diff(struct closer *c, struct dp_align_span *s, size_t begin, size_t end, size_t offset,
		size_t count)
{
	const struct dp_align_pattern *p = &c->patterns[s->pattern];
	struct dp_edit *edits;
	uint32_t symbols[WIDE];
	size_t n;
	int status;

	for (size_t i = 0; i < count; i++)
		symbols[i] = p->symbols[(offset + i) % p->length];
	status = dp_diff__run(&edits, &n, (struct dp_diff_range){ c->symbols, begin, end },
			      (struct dp_diff_range){ symbols, 0, count });
	for (size_t i = 0; i < n; i++)
		edits[i].offset = (uint32_t)((offset + edits[i].offset) % p->length);
	if (!status)
		status = add_edits(c, edits, n);
	s->edit_count += n;
	free(edits);
	return status;
}

/* Notes that the end of a span moves. */
static void note_move(struct closer *c, const struct dp_align_span *s, size_t from, size_t to)
{
	if (c->changes && from != to)
		dp_cut_changes__note(&c->changes[s->pattern], DP_CUT_CHANGE_SEAM,
				     DP_MAX(from, to) - DP_MIN(from, to));
}

/* Moves the ends of two spans to their joint; the edits of the left one are then complete. */
static int close_seam(struct closer *c, struct dp_align_span *left, struct dp_align_span *right,
		      const struct change *l, size_t at, const struct change *r)
{
	size_t m = c->patterns[left->pattern].length;
	int status;

	left->edit_count -= l->dropped;
	c->count -= l->dropped;
	status = diff(c, left, l->at, at, dp_offset__move(l->offset, l->count, m, -1), l->count);
	note_move(c, left, left->end, at);
	note_move(c, right, right->begin, at);
	left->end = right->begin = at;
	left->end_offset = (uint32_t)l->offset;
	right->begin_offset = (uint32_t)r->offset;
	right->edit_count -= r->dropped;
	right->edits = c->count;
	return status ? status : diff(c, right, at, r->at, r->offset, r->count);
}

static struct change unmirrored(struct change change, const struct side *side)
{
	change.at = mirror(side->mirrored, change.at);
	change.offset = mirror_offset(side->mirrored, change.offset, side->m);
	return change;
}

/* Finds where two spans are to meet, and what becomes of the left and the right one. */
static bool meet(struct change changes[2], size_t *at, const struct closer *c,
		 const struct dp_align_span *left, const struct dp_align_span *right)
{
	struct pair p = pair_of(c, left, right);
	struct joint joint;

	if (!find_joint(&joint, c, &p))
		return false;
	*at = mirror(p.own.mirrored, joint.at);
	changes[!p.own.is_left] = unmirrored(joint.own, &p.own);
	changes[p.own.is_left] = unmirrored(joint.other, &p.other);
	return true;
}

/* Appends a span's edits to the new ones; first joins it with the one before if they need it. */
static int take_span(struct closer *c, size_t k)
{
	struct dp_align_span *s = &c->al->spans[k], *left = k ? s - 1 : NULL;
	size_t edits = s->edits, end = edits + s->edit_count, begin = c->count, at;
	struct change changes[2];
	int status = DP_OK;

	/* a pair is joined once, when the boundaries of the first of both patterns are known */
	if (left && left->pattern != s->pattern && DP_MIN(left->pattern, s->pattern) == c->which &&
	    meet(changes, &at, c, left, s)) {
		status = close_seam(c, left, s, &changes[0], at, &changes[1]);
		edits += changes[1].dropped;
		begin = s->edits;
	}
	if (!status && edits < end)
		status = add_edits(c, c->al->edits + edits, end - edits);
	s->edits = begin;
	return status;
}

int dp_seams__close(struct dp_alignment *al, const uint32_t *symbols,
		    const struct dp_align_pattern *patterns, uint32_t which, size_t first,
		    struct dp_cut_changes *changes)
{
	struct closer c = { .al = al,
			    .symbols = symbols,
			    .patterns = patterns,
			    .which = which,
			    .first = first,
			    .changes = changes,
			    .cache = dp_alloc__zeroed(CACHED, sizeof(*c.cache)) };
	int status = c.cache ? DP_OK : DP_ERR_NOMEM;

	for (size_t k = 0; k < al->span_count && !status; k++)
		status = take_span(&c, k);
	free(c.cache);
	if (status) {
		free(c.edits);
		dp_align__fini(al);
		return status;
	}
	free(al->edits);
	al->edits = c.edits;
	al->edit_count = c.count;
	al->edit_room = c.room;
	return DP_OK;
}
