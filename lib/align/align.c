/*
 * Cyclic alignment with bounded resynchronisation.
 *
 * In step, symbols are compared in blocks with the repeated pattern. On a mismatch a wave of edits
 * (wave.c) looks for the cheapest way back into step: one after which a seed's length matches.
 * If there is none, the sequence is scanned for a seed, a substring of any of the patterns, with a
 * rolling hash (Karp and Rabin 1987). Of its offsets there the one that matches longest is taken,
 * and followed backwards as far as it matches.
 *
 * Cost: O(n), by a credit. Moves that consume symbols earn it: follow(), and the scan for the next
 * span. Each symbol is consumed once, so the sum is O(n). Moves that look at symbols without
 * consuming them pay for each step: waves, follow_back(), the scan of make_sure(), and
 * matches_from(). They stop when the credit is used up, except matches_from(), which goes on for
 * align_look symbols.
 */
#include "align/align.h"
#include "align/wave.h"
#include "base/parameters.h"

#include <string.h>

struct prepared {
	uint32_t *text; /* the pattern, repeated for DP_WAVE_REACH symbols before and after */
	size_t length;
	size_t base; /* of its offsets among those of all patterns */
	int wave;    /* most edits of a wave */
	int match;   /* consecutive matches that end a wave */
};

struct dp_aligner {
	const uint32_t *symbols;
	size_t n;
	struct prepared *patterns;
	size_t count;
	size_t seed; /* symbols of a seed */
	uint64_t drop;
	uint32_t *heads; /* hash -> posting + 1 */
	uint32_t *next;	 /* posting -> next posting + 1 with the same hash slot */
	size_t mask;
	int64_t credit;
	struct dp_alignment *out;
	struct dp_wave wave;
	struct dp_edit *back; /* edits found backwards, in descending order of position */
	size_t back_count, back_room;
};

/* A point of the edit graph: a position in the sequence, and the offset that matches there. */
struct point {
	size_t at;
	size_t offset;
	uint32_t pattern;
	bool is_sure; /* of a seed: no other offset matches there */
};

static const uint64_t multiplier = 0x9e3779b97f4a7c15u;

static uint32_t *repeated_from(const struct prepared *p, size_t offset)
{
	return p->text + DP_WAVE_REACH + offset;
}

static size_t equal_symbols(const uint32_t *a, const uint32_t *b, size_t n)
{
	size_t i = 0;
	uint64_t x[4], y[4];

	for (; i + 8 <= n; i += 8) {
		memcpy(x, a + i, sizeof(x));
		memcpy(y, b + i, sizeof(y));
		if (((x[0] ^ y[0]) | (x[1] ^ y[1])) | ((x[2] ^ y[2]) | (x[3] ^ y[3])))
			break;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* Moves a point in step, `most` symbols at most, and returns by how many. */
static inline size_t step(const struct dp_aligner *a, struct point *point, size_t most)
{
	const struct prepared *p = &a->patterns[point->pattern];
	const uint32_t *symbols = a->symbols + point->at;
	size_t n = 0, left = DP_MIN(a->n - point->at, most), offset = point->offset, part, match;

	do {
		part = DP_MIN(left - n, p->length + DP_WAVE_REACH - offset);
		match = equal_symbols(symbols + n, repeated_from(p, offset), part);
		n += match;
		offset += match;
		if (offset >= p->length)
			offset %= p->length;
	} while (match == part && n < left);
	point->at += n;
	point->offset = offset;
	return n;
}

/* Seeds. */

static uint64_t hash_of(const uint32_t *symbols, size_t n)
{
	uint64_t h = 0;

	for (size_t i = 0; i < n; i++)
		h = h * multiplier + symbols[i] + 1;
	return h;
}

static size_t slot_of(const struct dp_aligner *a, uint64_t hash)
{
	return (size_t)((hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u >> 20) & a->mask;
}

/* The point at which a position has the pattern and offset of a posting. */
static struct point point_of(const struct dp_aligner *a, size_t posting, size_t at)
{
	uint32_t j = (uint32_t)a->count - 1;

	while (a->patterns[j].base > posting)
		j--;
	return (struct point){ at, posting - a->patterns[j].base, j, false };
}

/* Adds the seeds of a pattern. Only the first seed_postings per slot are kept. */
static void add_seeds(struct dp_aligner *a, const struct prepared *p)
{
	uint64_t h = hash_of(repeated_from(p, 0), a->seed);

	for (size_t o = 0; o < p->length; o++) {
		size_t slot = slot_of(a, h), chain = 0, posting = p->base + o;
		uint32_t *link = &a->heads[slot];

		while (*link && chain < dp_param.seed_postings) {
			link = &a->next[*link - 1];
			chain++;
		}
		if (chain < dp_param.seed_postings)
			*link = (uint32_t)posting + 1;
		h = h * multiplier + repeated_from(p, o)[a->seed] + 1 -
		    (repeated_from(p, o)[0] + 1) * a->drop;
	}
}

static int index_seeds(struct dp_aligner *a, size_t total)
{
	size_t slots = 64;

	while (slots < total * 2)
		slots *= 2;
	a->mask = slots - 1;
	a->heads = dp_alloc__zeroed(slots, sizeof(*a->heads));
	a->next = dp_alloc__zeroed(total, sizeof(*a->next));
	if (!a->heads || !a->next)
		return DP_ERR_NOMEM;
	a->drop = 1;
	for (size_t i = 0; i < a->seed; i++)
		a->drop *= multiplier;
	for (size_t j = 0; j < a->count; j++)
		add_seeds(a, &a->patterns[j]);
	return DP_OK;
}

static int prepare_pattern(struct prepared *p, const struct dp_align_pattern *pattern)
{
	size_t m = pattern->length, room = m + 2 * DP_WAVE_REACH;

	p->length = m;
	p->wave = (int)DP_MIN(DP_MAX(m / dp_param.wave_share, dp_param.wave_least),
			      (size_t)DP_WAVE_EDITS);
	p->match = (int)DP_MIN(DP_MAX(2 * m, dp_param.match_least), (size_t)DP_WAVE_MATCH);
	p->text = dp_alloc__array(room, sizeof(*p->text));
	if (!p->text)
		return DP_ERR_NOMEM;
	memcpy(repeated_from(p, 0), pattern->symbols, m * sizeof(*p->text));
	for (size_t i = DP_WAVE_REACH; i-- > 0;)
		p->text[i] = p->text[i + m];
	for (size_t i = DP_WAVE_REACH + m; i < room; i++)
		p->text[i] = p->text[i - m];
	return DP_OK;
}

static int prepare_patterns(struct dp_aligner *a, const struct dp_align_pattern *patterns)
{
	size_t total = 0;

	a->seed = DP_MAX(DP_MIN((size_t)DP_WAVE_MATCH, a->n), 1);
	a->patterns = dp_alloc__zeroed(a->count, sizeof(*a->patterns));
	if (!a->patterns)
		return DP_ERR_NOMEM;
	for (size_t j = 0; j < a->count; j++) {
		struct prepared *p = &a->patterns[j];

		if (prepare_pattern(p, &patterns[j]))
			return DP_ERR_NOMEM;
		p->base = total;
		total += p->length;
		a->seed = DP_MIN(a->seed, (size_t)p->match);
	}
	return index_seeds(a, total);
}

/*
 * Moves a point where symbol and pattern differ to where they agree again, forwards or (dir < 0)
 * backwards; left is the number of symbols left in that direction. The wave has the edits.
 */
static bool bridge(struct dp_aligner *a, struct point *from, size_t left, int dir)
{
	const struct prepared *p = &a->patterns[from->pattern];
	struct dp_wave_front front = {
		.x = a->symbols + from->at,
		.y = repeated_from(p, from->offset),
		.at = from->at,
		.offset = from->offset,
		.length = p->length,
		.left = left,
		.most = dir > 0 ? p->wave : DP_MIN(p->wave, (int)dp_param.wave_back),
		.match = p->match,
		.dir = dir,
	};

	if (!dp_wave__run(&a->wave, &front, &a->credit))
		return false;
	from->at = front.at;
	from->offset = front.offset;
	return true;
}

/* Output. */

static int put_edit(struct dp_aligner *a, struct dp_edit edit)
{
	struct dp_alignment *out = a->out;
	int status;

	status = dp_array__reserve(&out->edits, &out->edit_room, out->edit_count + 1,
				   sizeof(*out->edits));
	if (!status)
		out->edits[out->edit_count++] = edit;
	return status;
}

static struct dp_align_span *last_span(struct dp_aligner *a)
{
	return a->out->span_count ? &a->out->spans[a->out->span_count - 1] : NULL;
}

static int open_span(struct dp_aligner *a, struct point at)
{
	struct dp_alignment *out = a->out;
	int status;

	status = dp_array__reserve(&out->spans, &out->span_room, out->span_count + 1,
				   sizeof(*out->spans));
	if (status)
		return status;
	out->spans[out->span_count++] = (struct dp_align_span){
		.begin = at.at,
		.end = at.at,
		.edits = out->edit_count,
		.pattern = at.pattern,
		.begin_offset = (uint32_t)at.offset,
	};
	return DP_OK;
}

/*
 * Returns true if a span is too short to be significant. One of nearly an iteration needs fewer
 * seeds: more may be inserted behind it than a wave bridges.
 */
static bool is_short(const struct dp_aligner *a, size_t length, size_t m)
{
	bool is_most = (double)length >= dp_param.seeds_most * (double)m;

	return length < m &&
	       length < (is_most ? dp_param.seeds_few : dp_param.seeds_many) * a->seed;
}

/* Ends the last span; drops it if it is too short to be significant. */
static void close_span(struct dp_aligner *a, struct point at)
{
	struct dp_align_span *span = last_span(a);
	size_t m = a->patterns[span->pattern].length, length = at.at - span->begin;

	span->end = at.at;
	span->end_offset = (uint32_t)at.offset;
	span->edit_count = a->out->edit_count - span->edits;
	if (is_short(a, length, m) && at.at < a->n && span->begin > 0) {
		a->out->edit_count = span->edits;
		a->out->span_count--;
	}
}

/* Continues in step, over small differences, until lost or at the end of the sequence. */
static int follow(struct dp_aligner *a, struct point *at)
{
	int status = DP_OK;

	while (!status) {
		a->credit += (int64_t)(step(a, at, SIZE_MAX) * dp_param.align_pays);
		if (at->at == a->n || !bridge(a, at, a->n - at->at, 1))
			break;
		for (size_t i = 0; i < a->wave.count && !status; i++)
			status = put_edit(a, a->wave.edits[i]);
	}
	return status;
}

/* Follows a point backwards, but not below low; leaves the edits on the way in back. */
static int follow_back(struct dp_aligner *a, struct point *at, size_t low)
{
	const struct prepared *p = &a->patterns[at->pattern];
	int status;

	a->back_count = 0;
	while (at->at > low && a->credit > 0) {
		struct point try;

		if (at->offset == 0)
			at->offset = p->length;
		if (a->symbols[at->at - 1] == p->text[DP_WAVE_REACH + at->offset - 1]) {
			at->at--;
			at->offset--;
			a->credit--;
			continue;
		}
		at->offset %= p->length;
		try = *at;
		if (!bridge(a, &try, at->at - low, -1))
			break;
		*at = try;
		status = dp_array__reserve(&a->back, &a->back_room, a->back_count + a->wave.count,
					   sizeof(*a->back));
		if (status)
			return status;
		memcpy(a->back + a->back_count, a->wave.edits, a->wave.count * sizeof(*a->back));
		a->back_count += a->wave.count;
	}
	at->offset %= p->length;
	return DP_OK;
}

/* The number of symbols, `look` at most, for which the sequence matches from a point on. */
static size_t matches_from(struct dp_aligner *a, struct point point, size_t look)
{
	size_t n = step(a, &point, look);

	a->credit -= (int64_t)(n / dp_param.align_compared);
	return n;
}

/*
 * The best offset for the seed at a position: the one that matches longest, and of those one near
 * the old one.
 */
static bool best_point(struct point *found, struct dp_aligner *a, size_t at, uint64_t hash,
		       const struct point *old, size_t look)
{
	size_t best = 0, near = SIZE_MAX, fits = 0, links = 0;

	for (uint32_t link = a->heads[slot_of(a, hash)]; link; link = a->next[link - 1]) {
		struct point point = point_of(a, link - 1, at);
		size_t match = matches_from(a, point, look), skip = SIZE_MAX - 1;

		links++;
		fits += match >= a->seed;
		if (old && old->pattern == point.pattern) {
			size_t m = a->patterns[point.pattern].length;

			skip = (point.offset + m - old->offset) % m;
		}
		if (match < a->seed || match < best || (match == best && skip >= near))
			continue;
		best = match;
		near = skip;
		*found = point;
	}
	found->is_sure = fits == 1 && links < dp_param.seed_postings;
	return best > 0;
}

/*
 * The next position in [from, end) at which a seed matches; if only_sure, one that matches in only
 * one offset.
 */
static bool scan(struct point *found, struct dp_aligner *a, size_t from, size_t end,
		 const struct point *old, bool only_sure)
{
	uint64_t h;

	if (a->n < a->seed || from > a->n - a->seed)
		return false;
	h = hash_of(a->symbols + from, a->seed);
	for (size_t at = from;; at++) {
		const uint32_t *s = a->symbols + at;

		a->credit += only_sure ? -1 : (int64_t)dp_param.align_pays;
		if (only_sure && a->credit <= 0)
			return false;
		if (best_point(found, a, at, h, old, only_sure ? a->seed : dp_param.align_look) &&
		    (found->is_sure || !only_sure))
			return true;
		if (at + a->seed >= a->n || at + 1 >= end)
			return false;
		h = h * multiplier + s[a->seed] + 1 - (s[0] + 1) * a->drop;
	}
}

/* Drops the spans that lie wholly behind the begin of a new span that reaches back. */
static void drop_covered(struct dp_aligner *a, size_t begin)
{
	struct dp_align_span *span;

	while ((span = last_span(a)) && begin <= span->begin) {
		a->out->edit_count = span->edits;
		a->out->span_count--;
	}
}

static int start_span(struct dp_aligner *a, struct point found)
{
	struct dp_align_span *old = last_span(a);
	struct point begin = found;
	size_t low = old ? old->begin : 0;
	int status;

	status = follow_back(a, &begin, low);
	if (status)
		return status;
	drop_covered(a, begin.at);
	status = open_span(a, begin);
	while (!status && a->back_count > 0)
		status = put_edit(a, a->back[--a->back_count]);
	return status;
}

/*
 * Layers match at many offsets, so the one of a found point may be wrong. The next point whose seed
 * matches at one offset only, within two iterations, is followed backwards: if it reaches the found
 * one, it is right, and replaces that.
 */
static int make_sure(struct dp_aligner *a, struct point *found)
{
	struct dp_align_span *old = last_span(a);
	size_t low = old ? old->begin : 0;
	size_t end = found->at + 2 * a->patterns[found->pattern].length;
	struct point next, begin;
	int status;

	if (a->credit <= 0 || !scan(&next, a, found->at + 1, end, NULL, true))
		return DP_OK;
	begin = next;
	status = follow_back(a, &begin, low);
	if (!status && begin.at <= found->at + a->seed)
		*found = next;
	return status;
}

/* Follows a point to the end of its span, the last one; *from receives that end. */
static int finish_span(struct dp_aligner *a, struct point at, size_t *from)
{
	int status = follow(a, &at);

	if (status)
		return status;
	close_span(a, at);
	*from = at.at;
	return DP_OK;
}

static int align_all(struct dp_aligner *a, const struct dp_align_start *start)
{
	struct point found;
	size_t from = 0;
	int status = DP_OK;

	if (start) {
		found = (struct point){ .offset = start->offset, .pattern = start->pattern };
		status = open_span(a, found);
		if (!status)
			status = finish_span(a, found, &from);
	}
	while (from < a->n && !status) {
		struct dp_align_span *span = last_span(a);
		struct point old = { 0 };

		if (span)
			old = (struct point){ span->end, span->end_offset, span->pattern, false };
		if (!scan(&found, a, from, a->n, span ? &old : NULL, false))
			break;
		if (!found.is_sure)
			status = make_sure(a, &found);
		if (!status)
			status = start_span(a, found);
		if (!status)
			status = finish_span(a, found, &from);
	}
	return status;
}

void dp_aligner__free(struct dp_aligner *a)
{
	if (!a)
		return;
	for (size_t j = 0; a->patterns && j < a->count; j++)
		free(a->patterns[j].text);
	free(a->patterns);
	free(a->heads);
	free(a->next);
	free(a->back);
	free(a);
}

size_t dp_aligner__bytes(const struct dp_aligner *a)
{
	size_t symbols = a->mask + 1;

	for (size_t j = 0; j < a->count; j++)
		symbols += 2 * a->patterns[j].length + 2 * DP_WAVE_REACH;
	return sizeof(*a) + symbols * sizeof(uint32_t) + a->back_room * sizeof(*a->back);
}

int dp_aligner__new(struct dp_aligner **aligner, const struct dp_align_pattern *patterns,
		    size_t count, size_t n)
{
	struct dp_aligner *made = calloc(1, sizeof(*made));
	int status;

	if (!made)
		return DP_ERR_NOMEM;
	made->n = n;
	made->count = count;
	status = prepare_patterns(made, patterns);
	if (status)
		dp_aligner__free(made);
	else
		*aligner = made;
	return status;
}

int dp_aligner__run(struct dp_aligner *a, struct dp_alignment *out, const uint32_t *symbols,
		    size_t n, const struct dp_align_start *start)
{
	int status;

	*out = (struct dp_alignment){ 0 };
	a->symbols = symbols;
	a->n = n;
	a->credit = (int64_t)dp_param.align_credit;
	a->out = out;
	status = align_all(a, start);
	if (status)
		dp_align__fini(out);
	return status;
}

int dp_align__run(struct dp_alignment *out, const uint32_t *symbols, size_t n,
		  const struct dp_align_pattern *patterns, size_t count)
{
	struct dp_aligner *aligner;
	int status = dp_aligner__new(&aligner, patterns, count, n);

	*out = (struct dp_alignment){ 0 };
	if (status)
		return status;
	status = dp_aligner__run(aligner, out, symbols, n, NULL);
	dp_aligner__free(aligner);
	return status;
}
