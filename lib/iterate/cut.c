/*
 * Iterations from an alignment. Spans are walked match by match; at each occurrence of the first
 * offset one iteration ends and the next begins.
 *
 * Cost: O(matches + edits), and one comparison per symbol if exact names are compared.
 */
#include "iterate/cut.h"
#include "base/parameters.h"
#include "base/repeats.h"
#include "align/diff.h"
#include "iterate/corrections.h"

#include <string.h>

/* The symbols of one span between two boundaries: an iteration, or part of one. */
struct piece {
	struct dp_sequence_iteration it;
	size_t from, to; /* offsets [from, to) of the pattern that it covers */
	size_t renamed;
};

struct cutter {
	struct dp_cut_source source;
	const struct dp_cut_pattern *patterns;
	struct dp_cut *cuts;
	const size_t *lost; /* stretches that each pattern's iterations lose, on average */
	size_t low, high;   /* the part of the span that is walked */
	struct piece piece; /* being made */
	bool open;
	size_t span;	  /* index of the span being walked */
	bool is_held;	  /* held is incomplete, and the next span may continue it */
	size_t held_span; /* the span that ended with it */
	uint32_t held_pattern;
	struct piece held; /* that piece */
	size_t taken;	   /* end of the last iteration */
};

/*
 * Writes the edits of `more` symbols in front of a piece, or behind it, against the offsets that it
 * lacks there, before or after its own edits. Those are the last ones of the cut.
 */
static int add_outside(struct cutter *c, uint32_t pattern, struct piece *piece, size_t more,
		       bool in_front)
{
	const struct dp_cut_pattern *p = &c->patterns[pattern];
	struct dp_cut *cut = &c->cuts[pattern];
	struct dp_diff_range symbols = { c->source.aligned, piece->it.end, piece->it.end + more };
	struct dp_diff_range offsets = { p->rotated, piece->to, p->length };
	size_t count, own = dp_iteration__edit_count(&piece->it), before = cut->edit_count;
	struct dp_edit *edits;
	int status;

	if (in_front) {
		symbols.first = piece->it.first - more;
		symbols.end = piece->it.first;
		offsets.first = 0;
		offsets.end = piece->from;
	}
	status = dp_diff__run(&edits, &count, symbols, offsets);
	if (!status)
		status = dp_cut__add_edits(cut, &piece->it, edits, count);
	if (!status && count > 0 && in_front) {
		memmove(cut->edits + before - own + count, cut->edits + before - own,
			own * sizeof(*edits));
		memcpy(cut->edits + before - own, edits, count * sizeof(*edits));
	}
	free(edits);
	return status;
}

/*
 * Completes a piece: the offsets that it lacks at its ends are aligned with the `before` and
 * `after` symbols next to it, or deleted.
 */
static int complete_piece(struct cutter *c, uint32_t pattern, struct piece *piece, size_t before,
			  size_t after)
{
	size_t m = c->patterns[pattern].length;
	int status = DP_OK;

	if (piece->to < m)
		status = add_outside(c, pattern, piece, after, false);
	if (!status && piece->from > 0)
		status = add_outside(c, pattern, piece, before, true);
	piece->it.first -= before;
	piece->it.end += after;
	piece->from = 0;
	piece->to = m;
	return status;
}

/*
 * Returns true if offsets [to, m) are nothing but iterations of the inner loop that ends at `to`,
 * followed by *rest other symbols. Of several inner loops, the one with the fewest others counts.
 * Most lengths of an inner loop fail after a symbol or two.
 */
static bool is_inner_loop(const uint32_t *pattern, size_t m, size_t to, size_t *rest)
{
	size_t longest = DP_MIN(DP_MIN(to, m - to), dp_param.inner_period), most = 0;

	for (size_t period = 1; period <= longest && most < m - to; period++) {
		size_t whole = dp_repeats__same(pattern, m, to, period) / period * period;

		most = DP_MAX(most, whole);
	}
	*rest = m - to - most;
	return most > 0;
}

/*
 * Returns true if a piece is complete except for iterations of inner loops at its end; *after is
 * then the number of symbols of the pattern's end that follow it. Returns false if it lacks more,
 * if another span has them, or if it may continue outside the sequence.
 */
static bool lacks_inner(size_t *after, const struct cutter *c, uint32_t pattern,
			const struct piece *piece, size_t span)
{
	const struct dp_cut_pattern *p = &c->patterns[pattern];
	const struct dp_align_span *spans = c->source.alignment->spans;
	size_t rest, left = c->source.n - piece->it.end, next = c->source.n;

	if (span + 1 < c->source.alignment->span_count)
		next = DP_MAX(spans[span + 1].begin, spans[span].end);
	if (piece->from > 0 || piece->to == p->length ||
	    !is_inner_loop(p->rotated, p->length, piece->to, &rest) || rest > left ||
	    (rest == 0 && left == 0))
		return false;
	*after = rest;
	return !memcmp(c->source.aligned + piece->it.end, p->rotated + p->length - rest,
		       rest * sizeof(*c->source.aligned)) &&
	       piece->it.end + rest <= next;
}

/*
 * The number of symbols in front of a piece that replace its first ones, as when a program does
 * something else in its first iteration: as many as it lacks, unless another span or iteration
 * has them.
 */
static size_t renamed_before(const struct cutter *c, const struct piece *piece, size_t span)
{
	size_t taken = span ? DP_MAX(c->source.alignment->spans[span - 1].end, c->taken) : 0;

	return piece->from <= dp_param.first_renamed && piece->it.first >= taken + piece->from
		       ? piece->from
		       : 0;
}

/* What a piece is. One that is nearly whole becomes whole with the symbols next to it. */
enum piece_kind { NO_ITERATION, WHOLE, NEARLY_WHOLE, PARTIAL };

/*
 * Classifies a piece that no later span continues. *before and *after are the numbers of symbols
 * next to it that stand for those that it lacks, if it is nearly whole.
 *
 * A piece at the beginning or end of the sequence is cut off there if it lacks more than symbols
 * next to it can stand for and iterations lose on average, or if too little of it matches to tell.
 * However little matches, it is nearly whole if it lacks only iterations of an inner loop, and its
 * end is in the sequence.
 */
static enum piece_kind classify(size_t *before, size_t *after, const struct cutter *c,
				uint32_t pattern, const struct piece *piece, size_t span)
{
	size_t m = c->patterns[pattern].length, rest = c->source.n - piece->it.end;
	size_t covered = piece->to - piece->from;
	size_t lacks_first = piece->from, lacks_last = m - piece->to;
	size_t matched = covered - DP_MIN(piece->it.deleted, covered);
	bool nearly_whole = (double)matched >= dp_param.span_least * (double)m, cut_off;
	/* the sequence begins or ends within the iteration, or shortly before or after it */
	bool at_begin = span == 0 && lacks_first > 0 && piece->it.first < m;
	bool at_end = span + 1 == c->source.alignment->span_count && lacks_last > 0 && rest < m;

	if (piece->it.first == piece->it.end)
		return NO_ITERATION;
	if (covered == m && matched * 2 > m)
		return WHOLE;
	*before = at_begin ? DP_MIN(piece->it.first, lacks_first) : renamed_before(c, piece, span);
	*after = at_end ? DP_MIN(rest, lacks_last + dp_param.rest_max) : 0;
	cut_off = (at_begin && (!nearly_whole || lacks_first > *before + c->lost[pattern])) ||
		  (at_end && (!nearly_whole || lacks_last > *after + c->lost[pattern]));
	if (nearly_whole && !cut_off)
		return NEARLY_WHOLE;
	if (lacks_inner(after, c, pattern, piece, span))
		return NEARLY_WHOLE;
	return cut_off ? PARTIAL : NO_ITERATION;
}

/* Ends a piece that no later span continues: makes an iteration of it, or drops it. */
static int finish_piece(struct cutter *c, uint32_t pattern, struct piece *piece, size_t span)
{
	struct dp_cut *cut = &c->cuts[pattern];
	size_t before = 0, after = 0;
	enum piece_kind kind = classify(&before, &after, c, pattern, piece, span);
	int status = DP_OK;

	if (kind == NO_ITERATION) {
		cut->edit_count = piece->it.edits; /* the piece's edits are the last ones */
		if (piece->it.end > piece->it.first)
			dp_cut_changes__note(&cut->changes, DP_CUT_CHANGE_DROPPED,
					     piece->it.end - piece->it.first);
		return DP_OK;
	}
	if (kind == NEARLY_WHOLE) {
		dp_cut_changes__note(&cut->changes, DP_CUT_CHANGE_COMPLETED,
				     c->patterns[pattern].length - (piece->to - piece->from));
		status = complete_piece(c, pattern, piece, before, after);
	}
	piece->it.partial = kind == PARTIAL;
	cut->renamed += piece->renamed;
	c->taken = piece->it.end;
	return status ? status : dp_cut__add_iteration(cut, &piece->it);
}

/* Ends the held piece, if there is one. */
static int finish_held(struct cutter *c)
{
	if (!c->is_held)
		return DP_OK;
	c->is_held = false;
	return finish_piece(c, c->held_pattern, &c->held, c->held_span);
}

/*
 * Adds what lies between two parts of one iteration: the edits of the symbols against the offsets
 * in between. Sets *fits to false if more than half of the pattern is missing.
 */
static int add_between(struct cutter *c, uint32_t pattern, size_t end, size_t to, bool *fits)
{
	const struct dp_cut_pattern *p = &c->patterns[pattern];
	struct piece *held = &c->held;
	size_t missing = 0, count;
	struct dp_edit *edits;
	int status = dp_diff__run(&edits, &count,
				  (struct dp_diff_range){ c->source.aligned, held->it.end, end },
				  (struct dp_diff_range){ p->rotated, held->to, to });

	if (status)
		return status;
	for (size_t i = 0; i < count; i++)
		missing += edits[i].kind != DP_EDIT_INSERTED;
	*fits = missing * 2 <= p->length; /* else the parts are of two iterations, more likely */
	if (*fits) {
		dp_cut_changes__note(&c->cuts[pattern].changes, DP_CUT_CHANGE_JOINED,
				     end - held->it.end);
		status = dp_cut__add_edits(&c->cuts[pattern], &held->it, edits, count);
		held->it.end = end;
		held->to = to;
	}
	free(edits);
	return status;
}

/*
 * Returns true if a span that begins at symbol `at` of the sequence may continue the held iteration
 * from offset `to` of the pattern on. The symbols in between, the gap, can stand for as many
 * offsets.
 */
static bool may_continue(const struct cutter *c, uint32_t pattern, size_t at, size_t to)
{
	size_t m = c->patterns[pattern].length, gap = at - c->held.it.end, skipped;

	if (c->held_pattern != pattern || c->held_span + 1 != c->span || to < c->held.to)
		return false;
	skipped = to - c->held.to;
	if (skipped > gap + m / 2)
		return false; /* half of the iteration is missing */
	if (to < m)
		return true;
	/* the span begins with a boundary: only the gap may continue the iteration, as its end */
	return c->held.from == 0 && gap * 2 <= m + skipped;
}

/*
 * Before the first item of a span: if it continues the iteration that the previous span broke off,
 * that becomes the open piece; if it begins with a boundary, what lies between the two completes
 * that iteration. Either way nothing is held after it.
 */
static int continue_piece(struct cutter *c, uint32_t pattern, size_t at, size_t offset)
{
	/* the iteration before a boundary, at offset 0, ends at the end of the pattern */
	size_t m = c->patterns[pattern].length, to = offset ? offset : m;
	bool fits = false;
	int status = DP_OK;

	if (may_continue(c, pattern, at, to))
		status = add_between(c, pattern, at, to, &fits);
	if (status)
		return status;
	if (!fits || to == m)
		return finish_held(c);
	c->is_held = false;
	c->piece = c->held;
	c->open = true;
	return DP_OK;
}

static int close_piece(struct cutter *c, uint32_t pattern)
{
	c->open = false;
	return finish_piece(c, pattern, &c->piece, c->span);
}

static void open_piece(struct cutter *c, uint32_t pattern, size_t at, size_t offset)
{
	c->piece = (struct piece){
		.it = { .first = at, .end = at, .edits = c->cuts[pattern].edit_count },
		.from = offset,
		.to = offset,
	};
	c->open = true;
}

/* Adds a substitution where exact names differ although the aligned ones agree. */
static int compare_names(struct cutter *c, uint32_t pattern, size_t at, size_t offset,
			 size_t length)
{
	const struct dp_cut_pattern *p = &c->patterns[pattern];
	int status = DP_OK;

	for (size_t i = 0; p->exact != p->rotated && i < length && !status; i++)
		if (c->source.symbols[at + i] != p->exact[offset + i]) {
			status = dp_cut__add_edit(&c->cuts[pattern], &c->piece.it, at + i,
						  offset + i, DP_EDIT_SUBSTITUTED);
			c->piece.renamed++;
		}
	return status;
}

static int take_item(struct cutter *c, uint32_t pattern, struct dp_walk_item *item)
{
	struct dp_cut *cut = &c->cuts[pattern];
	size_t m = c->patterns[pattern].length, offset = item->offset;
	bool consumes = item->kind != DP_EDIT_INSERTED;
	int status = DP_OK;

	if (c->open && consumes && offset == 0 && c->piece.to > 0)
		status = close_piece(c, pattern);
	if (status)
		return status;
	if (!c->open) {
		/* an insertion between two iterations belongs to the one before, or to none */
		if (!consumes && offset == 0)
			return DP_OK;
		open_piece(c, pattern, item->at, offset);
	}
	if (!consumes && offset == 0)
		offset = m;
	if (item->kind == DP_WALK_MATCH) {
		status = compare_names(c, pattern, item->at, offset, item->length);
		c->piece.to = offset + item->length;
	} else {
		status = dp_cut__add_edit(cut, &c->piece.it, item->at, offset, item->kind);
		if (consumes)
			c->piece.to = offset + 1;
	}
	c->piece.it.end = item->at + item->length;
	return status;
}

/* Clips an item to [low, high). Returns false if nothing is left. */
static bool clip(const struct cutter *c, struct dp_walk_item *item)
{
	size_t end = item->at + item->length;

	if (item->length == 0)
		return item->at >= c->low && item->at < c->high;
	if (end <= c->low || item->at >= c->high)
		return false;
	if (item->at < c->low) {
		item->offset += c->low - item->at;
		item->at = c->low;
	}
	item->length = DP_MIN(end, c->high) - item->at;
	return true;
}

static int cut_span(struct cutter *c, size_t span)
{
	const struct dp_align_span *s = &c->source.alignment->spans[span];
	uint32_t j = s->pattern;
	struct dp_walk walk;
	struct dp_walk_item item;
	int status = DP_OK;

	c->span = span;
	dp_walk__begin(&walk, c->source.alignment, span, c->patterns[j].length,
		       c->patterns[j].first);
	while (!status && dp_walk__next(&walk, &item)) {
		if (!clip(c, &item))
			continue;
		if (c->is_held)
			status = continue_piece(c, j, item.at, item.offset);
		if (!status)
			status = take_item(c, j, &item);
	}
	if (status || !c->open)
		return status;
	c->open = false;
	c->held = c->piece;
	c->is_held = true;
	c->held_span = span;
	c->held_pattern = j;
	return DP_OK;
}

/* Adds the symbols after the last iteration to it if they are as few as between two iterations. */
static int add_rest(struct cutter *c)
{
	size_t m, rest;
	int status = DP_OK;

	if (!c->is_held || c->held_span + 1 != c->source.alignment->span_count)
		return DP_OK;
	m = c->patterns[c->held_pattern].length;
	rest = c->source.n - c->held.it.end;
	if (c->held.from > 0 || c->held.to < m || rest > dp_param.rest_max || rest * 2 > m)
		return DP_OK;
	for (size_t i = 0; i < rest && !status; i++)
		status = dp_cut__add_edit(&c->cuts[c->held_pattern], &c->held.it,
					  c->held.it.end + i, m, DP_EDIT_INSERTED);
	c->held.it.end = c->source.n;
	return status;
}

/*
 * Makes room for about as many iterations and edits as the spans of a pattern have. Sets *lost to
 * the number of stretches of symbols that each of these iterations loses, on average.
 */
static int make_room(struct dp_cut *cut, size_t *lost, const struct dp_alignment *al,
		     uint32_t pattern, size_t m)
{
	size_t iterations = 0, edits = 0, losses = 0;
	int status;

	for (size_t k = 0; k < al->span_count; k++) {
		const struct dp_align_span *s = &al->spans[k];

		if (s->pattern != pattern)
			continue;
		iterations += (s->end - s->begin) / m + 1;
		edits += s->edit_count;
		losses += dp_align__losses(al, k);
	}
	*lost = iterations ? losses / iterations : 0;
	status = dp_array__reserve(&cut->iterations, &cut->room, iterations,
				   sizeof(*cut->iterations));
	return status ? status
		      : dp_array__reserve(&cut->edits, &cut->edit_room, edits, sizeof(*cut->edits));
}

int dp_cut__run(struct dp_cut *cuts, const struct dp_cut_source *source,
		const struct dp_cut_pattern *patterns, size_t count)
{
	const struct dp_alignment *alignment = source->alignment;
	size_t *lost = dp_alloc__array(count, sizeof(*lost)), before = 0;
	struct cutter c = { *source, patterns, cuts, lost };
	int status = lost ? DP_OK : DP_ERR_NOMEM;

	memset(cuts, 0, count * sizeof(*cuts));
	for (size_t j = 0; j < count && !status; j++)
		status = make_room(&cuts[j], &lost[j], alignment, (uint32_t)j, patterns[j].length);
	for (size_t k = 0; k < alignment->span_count && !status; k++) {
		c.low = DP_MAX(alignment->spans[k].begin, before);
		c.high = alignment->spans[k].end;
		before = c.high;
		status = cut_span(&c, k);
	}
	if (!status)
		status = add_rest(&c);
	if (!status)
		status = finish_held(&c);
	for (size_t j = 0; j < count && !status; j++)
		if (cuts[j].edit_count)
			status = dp_insertions__move(&cuts[j], source->symbols, &patterns[j]);
	free(lost);
	return status;
}
