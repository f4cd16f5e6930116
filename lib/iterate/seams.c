/*
 * Seams between the spans of two loops. The aligner follows a pattern as far as it matches,
 * regardless of where its iterations end. Once the end is known for one of two loops, the symbols
 * around the seam are divided between both so that matches minus edits are a maximum. If that finds
 * nothing, and symbols on one side match both loops, they go to the one whose iteration they
 * complete.
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
	struct dp_edit *edits; /* the new edits, of the spans so far */
	size_t count, room;
	struct solved *cache; /* by hash */
};

/*
 * table[i][j] is i + j plus the maximum of matches minus edits of a[0..i) and b[0..j). The sum
 * makes symbols without counterpart cost nothing, so that each row is a maximum of its neighbours.
 * Only the cells up to `off` from the diagonal are computed; the ones next to them are 0.
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
	size_t n = s->gap_count, skew = 0;
	uint32_t back[SEAM];

	for (size_t i = 0; i < n; i++)
		back[i] = s->gap[n - 1 - i];
	score_all(own, s->gap, n, s->own, s->own_count, WIDE);
	score_all(other, back, n, s->other, s->other_count, SLACK);
	for (size_t x = 0; x <= n; x++) {
		const int16_t *row = other[n - x];
		size_t first = n - x - DP_MIN(n - x, (size_t)SLACK);
		size_t last = DP_MIN(s->other_count, n - x + SLACK);
		int most = row[first] - (int)first, score;

		for (size_t j = first + 1; j <= last; j++)
			most = DP_MAX(most, row[j] - (int)j);
		score = own[x][s->own_count] + most - (int)(n + s->own_count);
		for (size_t j = first; score >= best.score && j <= last; j++) {
			size_t off = DP_MAX(j + x, n) - DP_MIN(j + x, n);

			if (row[j] - (int)j == most && (score > best.score || off < skew)) {
				best = (struct split){ x, j, score };
				skew = off;
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

/* Symbol i of a cyclic pattern from an offset on or, if dir < 0, back from it. */
static uint32_t cyclic(const struct dp_align_pattern *p, size_t offset, size_t i, int dir)
{
	size_t m = p->length;

	return p->symbols[(dir > 0 ? offset + i : offset + m - 1 - i % m) % m];
}

/* The position `by` symbols after another or, if dir < 0, before it. */
static size_t moved(size_t at, size_t by, int dir)
{
	return dir > 0 ? at + by : at - by;
}

/* Returns true if a position comes before another or, if dir < 0, after it. */
static bool precedes(size_t a, size_t b, int dir)
{
	return dir > 0 ? a < b : a > b;
}

static size_t distance(size_t a, size_t b)
{
	return DP_MAX(a, b) - DP_MIN(a, b);
}

/* The number of symbols from an offset of the own loop to its next boundary, or back if dir < 0. */
static size_t to_boundary(const struct closer *c, size_t offset, int dir)
{
	size_t from = dir > 0 ? offset : c->first, to = dir > 0 ? c->first : offset;

	return dp_offset__move(to, from, c->patterns[c->which].length, -1);
}

/* Returns true if a span with these edits has one between two positions. */
static bool is_edited(const struct dp_align_span *s, const struct dp_edit *edits, size_t a,
		      size_t b)
{
	size_t n = s->edit_count;

	return n > 0 && edits[s->edits + n - 1].position >= DP_MIN(a, b) &&
	       edits[s->edits].position <= DP_MAX(a, b);
}

/* Where two spans are to meet. */
struct joint {
	size_t at;
	size_t left_end, right_begin; /* of what remains; between them are new edits, */
	struct part {
		size_t offset, count; /* against these offsets of the patterns */
	} left, right;
	size_t left_dropped, right_dropped; /* edits of the spans that lie beyond the joint */
	int score;
};

/* Two adjacent spans: of the own loop, and of the other. */
struct pair {
	const struct dp_align_span *own, *other;
	const struct dp_edit *own_edits, *other_edits;
	size_t own_at, other_at; /* the ends that face each other */
	size_t own_offset, other_offset, other_length;
	int dir; /* 1: the own one is on the left; -1: on the right */
};

static struct pair pair_of(const struct closer *c, const struct dp_align_span *left,
			   const struct dp_align_span *right)
{
	bool first = left->pattern == c->which;
	/* the edits of the left one are among the new ones already */
	struct pair p = {
		.own = first ? left : right,
		.other = first ? right : left,
		.own_edits = first ? c->edits : c->al->edits,
		.other_edits = first ? c->al->edits : c->edits,
		.own_at = first ? left->end : right->begin,
		.other_at = first ? right->begin : left->end,
		.own_offset = first ? left->end_offset : right->begin_offset,
		.other_offset = first ? right->begin_offset : left->end_offset,
		.dir = first ? 1 : -1,
	};

	p.other_length = c->patterns[p.other->pattern].length;
	return p;
}

static void set_joint(struct joint *j, const struct pair *p, size_t at, size_t from, size_t to,
		      struct part own, struct part other)
{
	j->at = at;
	j->left_end = p->dir > 0 ? from : to;
	j->right_begin = p->dir > 0 ? to : from;
	j->left = p->dir > 0 ? own : other;
	j->right = p->dir > 0 ? other : own;
	j->left_dropped = j->right_dropped = 0;
}

/* Joins two spans at a boundary that both reach. Returns false if they do not. */
static bool trim(struct joint *joint, const struct closer *c, const struct pair *p, size_t boundary)
{
	size_t by = distance(boundary, p->other_at);
	size_t offset = dp_offset__move(p->other_offset, by, p->other_length, p->dir);

	if (by >= p->other->end - p->other->begin ||
	    is_edited(p->other, p->other_edits, boundary, p->other_at))
		return false;
	set_joint(joint, p, boundary, boundary, boundary, (struct part){ c->first, 0 },
		  (struct part){ offset, 0 });
	joint->score = (int)DP_MIN(by, (size_t)SEAM);
	return true;
}

/*
 * The other span may begin too early by chance: moves its end back, and returns by how many
 * symbols, which are then divided along with the gap.
 */
static size_t lend(struct pair *p, size_t gap)
{
	size_t by = DP_MIN((size_t)SLACK, (p->other->end - p->other->begin) / 2);
	size_t at = moved(p->other_at, by, p->dir);

	if (gap + by > SEAM || is_edited(p->other, p->other_edits, p->other_at, at))
		return 0;
	p->other_at = at;
	p->other_offset = dp_offset__move(p->other_offset, by, p->other_length, p->dir);
	return by;
}

/* The seam of `gap` symbols from a position on, `ahead` symbols before a boundary. */
static struct seam seam_at(const struct closer *c, const struct pair *p, size_t from, size_t gap,
			   size_t ahead)
{
	struct seam s = {
		.gap_count = gap,
		.own_count = ahead,
		.other_count = gap ? gap + SLACK : 0,
	};

	for (size_t i = 0; i < gap; i++)
		s.gap[i] = c->symbols[p->dir > 0 ? from + i : from - 1 - i];
	for (size_t i = 0; i < ahead; i++)
		s.own[i] = cyclic(&c->patterns[p->own->pattern], p->own_offset, i, p->dir);
	for (size_t i = 0; i < s.other_count; i++)
		s.other[i] = cyclic(&c->patterns[p->other->pattern], p->other_offset, i, -p->dir);
	return s;
}

/*
 * Joins two spans where the symbols between them are best divided: from a position in the own one
 * on, which is `ahead` symbols before a boundary of its iterations. Returns false if that is worse
 * than to leave the spans as they are.
 */
static bool divide(struct joint *joint, const struct closer *c, struct pair pair, size_t from,
		   size_t ahead)
{
	struct pair *p = &pair;
	size_t gap = distance(from, p->other_at), lent;
	struct part own = { c->first, ahead }, other;
	struct split split;
	struct seam seam;

	if (gap > SEAM || ahead > SEAM)
		return false;
	lent = gap || ahead ? lend(p, gap) : 0;
	seam = seam_at(c, p, from, gap + lent, ahead);
	split = solve_once(c, &seam);
	/* on the left, the own symbols end at the boundary, and the other ones at the other span */
	other = (struct part){ p->other_offset, split.other };
	if (p->dir > 0 && ahead)
		own.offset = p->own_offset;
	if (p->dir > 0)
		other.offset = dp_offset__move(p->other_offset, split.other, p->other_length, -1);
	set_joint(joint, p, moved(from, split.gap, p->dir), from, p->other_at, own, other);
	/* those lent matched before */
	joint->score = split.score - (int)lent;
	/* an iteration that lacks its last symbols is evidence, too */
	return joint->score >= (ahead ? -1 : 0);
}

/* Where a span may stop: the offset there, and its edits beyond. */
struct stop {
	size_t at, offset, dropped;
};

/* Stops a span at a position: drops what is after it if dir > 0, else what is before it. */
static struct stop stop_at(const struct dp_align_span *s, const struct dp_edit *edits, size_t m,
			   size_t at, int dir)
{
	size_t through = dir > 0 ? s->end - at : at - s->begin;
	struct stop stop = { .at = at };

	for (size_t i = 0; i < s->edit_count; i++) {
		const struct dp_edit *edit = &edits[s->edits + i];

		if (dir > 0 ? edit->position < at : edit->position >= at)
			continue;
		stop.dropped++;
		through += edit->kind == DP_EDIT_DELETED;
		through -= edit->kind == DP_EDIT_INSERTED;
	}
	stop.offset = dp_offset__move(dir > 0 ? s->end_offset : s->begin_offset, through, m, -dir);
	return stop;
}

/*
 * Stops the own span at its last boundary, walking back along its edits. Returns false if
 * that is half an iteration away or more, or leaves nothing.
 */
static bool stop_back(struct stop *stop, const struct closer *c, const struct pair *p)
{
	const struct dp_align_span *s = p->own;
	size_t m = c->patterns[c->which].length, at = p->own_at, offset = p->own_offset;
	bool back = p->dir > 0;

	for (size_t k = 0, walked = 0; walked * 2 < m; k++) {
		const struct dp_edit *edit = NULL;
		size_t need = to_boundary(c, offset, -p->dir), past = 0, match;

		if (k < s->edit_count)
			edit = &p->own_edits[s->edits + (back ? s->edit_count - 1 - k : k)];
		if (edit && edit->kind != DP_EDIT_DELETED)
			past = 1;
		match = back ? at - (edit ? edit->position + past : s->begin)
			     : (edit ? edit->position : s->end) - at;
		if (need <= match) {
			*stop = (struct stop){ moved(at, need, -p->dir), c->first, k };
			return (walked + need) * 2 < m && stop->at != (back ? s->begin : s->end);
		}
		if (!edit)
			return false;
		at = moved(at, match + past, -p->dir);
		match += edit->kind != DP_EDIT_INSERTED;
		offset = dp_offset__move(offset, match, m, -p->dir);
		walked += match;
	}
	return false;
}

/* Returns true if the sequence goes on from a position, ahead or back, as a pattern does. */
static bool goes_on(const struct closer *c, const struct dp_align_pattern *p, size_t offset,
		    size_t at, size_t count, int dir)
{
	for (size_t i = 0; i < count; i++)
		if (c->symbols[dir > 0 ? at + i : at - 1 - i] != cyclic(p, offset, i, dir))
			return false;
	return true;
}

/*
 * Stops the own span where its iteration is whole: ahead, if the symbols up to there complete
 * it and the other span has them, or else back.
 */
static bool stop_own(struct stop *stop, const struct closer *c, const struct pair *p, size_t ahead)
{
	size_t at = moved(p->own_at, ahead, p->dir);

	if (at > p->other->begin && at < p->other->end &&
	    goes_on(c, &c->patterns[c->which], p->own_offset, p->own_at, ahead, p->dir)) {
		*stop = (struct stop){ at, c->first, 0 };
		return true;
	}
	return stop_back(stop, c, p) &&
	       precedes(stop->at, p->dir > 0 ? p->other->end : p->other->begin, p->dir);
}

/*
 * Joins two spans that both match where their loops are alike, as training and validation begin
 * alike: where the own loop's iteration is whole. The other span must extend to there, or
 * continue to there without an edit.
 */
static bool divide_alike(struct joint *joint, const struct closer *c, const struct pair *p,
			 size_t ahead)
{
	struct stop own, other = { p->other_at, p->other_offset, 0 };
	size_t gap;

	if (!stop_own(&own, c, p, ahead))
		return false;
	if (!precedes(own.at, p->other_at, p->dir))
		other = stop_at(p->other, p->other_edits, p->other_length, own.at, -p->dir);
	gap = distance(own.at, other.at);
	if (!goes_on(c, &c->patterns[p->other->pattern], other.offset, other.at, gap, -p->dir))
		return false;
	other.offset = dp_offset__move(other.offset, gap, p->other_length, -p->dir);
	/* What is between the spans' ends and the joint is equal, so that no edit is needed. */
	set_joint(joint, p, own.at, own.at, own.at, (struct part){ c->first, 0 },
		  (struct part){ other.offset, 0 });
	*(p->dir > 0 ? &joint->left_dropped : &joint->right_dropped) = own.dropped;
	*(p->dir > 0 ? &joint->right_dropped : &joint->left_dropped) = other.dropped;
	return true;
}

/* Joins two spans at the own one's last boundary, which its span may have passed by chance. */
static bool join_back(struct joint *joint, const struct closer *c, const struct pair *p)
{
	size_t back = to_boundary(c, p->own_offset, -p->dir);
	size_t boundary = moved(p->own_at, back, -p->dir);
	bool both_reach = !precedes(boundary, p->other_at, p->dir);

	if (back >= p->own->end - p->own->begin || (back > SLACK && !both_reach) ||
	    (back && is_edited(p->own, p->own_edits, boundary, p->own_at)))
		return false;
	return both_reach ? trim(joint, c, p, boundary) : divide(joint, c, *p, boundary, 0);
}

/*
 * Finds the best joint of two spans: at the own one's last boundary, or at the one ahead if the
 * spans leave room for it. Returns false if they should stay as they are.
 */
static bool find_joint(struct joint *best, const struct closer *c, const struct pair *p)
{
	size_t ahead = to_boundary(c, p->own_offset, p->dir);
	bool overlap = precedes(p->other_at, p->own_at, p->dir), found = join_back(best, c, p);
	struct joint joint;

	if (ahead && !overlap && divide(&joint, c, *p, p->own_at, ahead) &&
	    (!found || joint.score > best->score)) {
		*best = joint;
		found = true;
	}
	return found || divide_alike(best, c, p, ahead);
}

/*
 * Appends the edits of symbols [begin, end) against `count` symbols of a pattern from an offset on.
 */
static int put_edits(struct closer *c, struct dp_align_span *s, size_t begin, size_t end,
		     size_t offset, size_t count)
{
	const struct dp_align_pattern *p = &c->patterns[s->pattern];
	struct dp_edit *edits;
	uint32_t part[WIDE];
	size_t n;
	int status;

	for (size_t i = 0; i < count; i++)
		part[i] = cyclic(p, offset, i, 1);
	status = dp_diff__run(&edits, &n, c->symbols, begin, end, part, 0, count);
	if (status)
		return status;
	status = dp_array__reserve(&c->edits, &c->room, c->count + n, sizeof(*c->edits));
	for (size_t i = 0; i < n && !status; i++) {
		edits[i].offset = (uint32_t)((offset + edits[i].offset) % p->length);
		c->edits[c->count++] = edits[i];
		s->edit_count++;
	}
	free(edits);
	return status;
}

/* Moves the ends of two spans to their joint; the edits of the left one are then complete. */
static int close_seam(struct closer *c, struct dp_align_span *left, struct dp_align_span *right,
		      const struct joint *j)
{
	size_t m = c->patterns[left->pattern].length;
	int status = put_edits(c, left, j->left_end, j->at, j->left.offset, j->left.count);

	left->end = j->at;
	left->end_offset = (uint32_t)((j->left.offset + j->left.count) % m);
	right->edits = c->count;
	if (!status)
		status =
			put_edits(c, right, j->at, j->right_begin, j->right.offset, j->right.count);
	right->begin = j->at;
	right->begin_offset = (uint32_t)j->right.offset;
	return status;
}

/* Appends a span's edits to the new ones; first joins it with the one before if they need it. */
static int take_span(struct closer *c, size_t k)
{
	struct dp_align_span *s = &c->al->spans[k], *left = k ? s - 1 : NULL;
	size_t own = s->edit_count, edits = s->edits, begin = c->count;
	struct joint joint;
	int status = DP_OK;

	if (left && left->pattern != s->pattern && DP_MIN(left->pattern, s->pattern) == c->which) {
		struct pair pair = pair_of(c, left, s);

		if (find_joint(&joint, c, &pair)) {
			left->edit_count -= joint.left_dropped;
			c->count -= joint.left_dropped;
			edits += joint.right_dropped;
			own -= joint.right_dropped;
			s->edit_count = 0;
			status = close_seam(c, left, s, &joint);
			begin = s->edits;
			s->edit_count += own;
		}
	}
	if (!status)
		status = dp_array__reserve(&c->edits, &c->room, c->count + own, sizeof(*c->edits));
	if (!status && own)
		memcpy(c->edits + c->count, c->al->edits + edits, own * sizeof(*c->edits));
	c->count += own;
	s->edits = begin;
	return status;
}

int dp_seams__close(struct dp_alignment *al, const uint32_t *symbols,
		    const struct dp_align_pattern *patterns, uint32_t which, size_t first)
{
	struct closer c = { .al = al,
			    .symbols = symbols,
			    .patterns = patterns,
			    .which = which,
			    .first = first,
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
