/*
 * The detector: sample, then stream.
 *
 * Symbols that go on as the pattern does are only compared with it. From the first difference on
 * they are gathered until the differences are over, and what was not told of yet is aligned and
 * cut as a whole sequence is (align.c, cut.c), from a boundary that is known; so both give the same
 * iterations. When to look is decided by numbers of symbols alone, never by how they came.
 *
 * Cost: a comparison per symbol in step. Otherwise what is gathered grows by a quarter between two
 * alignments, so each symbol is aligned about five times. Searches (stream.c) are as far apart as
 * the first comment in deepprof/detector.h says.
 */
#include <deepprof/detector.h>

#include "segment/stream.h"

#include <string.h>

enum {
	WINDOW_MIN = 1 << 10,
	WINDOW_MAX = 1 << 24,
	FIRST_SEARCH = 128,
	SHIFT_MAX = 64,	  /* symbols of an iteration that may turn out to be the one's before */
	QUIET = 96,	  /* symbols without a difference after which those before are settled */
	UNSETTLED = 2112, /* otherwise: what an alignment looks ahead */
	GATHER = 128,	  /* symbols after a difference before the first look */
	PATIENCE = 1024,  /* symbols that fit nothing before a search, at first */
};

#define NEVER UINT64_MAX

struct dp_detector {
	struct dp_detector_options options;
	size_t window;
	int status; /* of the call that failed */
	bool finished;

	uint32_t *buffer; /* symbols from base on */
	size_t room;
	uint64_t base, fed;

	struct dp_stream_loops known, seen; /* seen: by the last search, not told of */
	struct dp_aligner *aligner;
	uint32_t next_id;
	uint32_t *ids; /* classes of what is aligned */
	size_t ids_room;

	uint64_t told;		     /* iterations before this symbol were told of */
	bool placed;		     /* an iteration begins there, of start.pattern */
	struct dp_align_start start; /* where told stands */

	bool in_step;	   /* the last symbol fits, and what comes is compared with a pattern: */
	uint32_t pattern;  /* … this one */
	size_t offset;	   /* of the next symbol */
	bool clean;	   /* no difference since told */
	uint64_t close_at; /* when to look, in step */
	uint64_t try_at;   /* when to look, out of it */
	uint64_t tried;	   /* the last look */

	uint64_t search_at;
	uint64_t searched; /* the last one */
	uint64_t foreign;  /* symbols in no iteration since the last search */
	uint64_t loose;	   /* those after told that fit nothing, by the last look */
	uint64_t patience; /* how many of them make another one */
};

static const uint32_t *at(const struct dp_detector *d, uint64_t position)
{
	return d->buffer + (size_t)(position - d->base);
}

/* Symbols of the next iteration that have to be there before one is settled. */
static size_t settling(size_t length)
{
	return DP_MIN((size_t)SHIFT_MAX, length - 1) + 1;
}

/* Telling. */

static void tell(struct dp_detector *d, uint32_t loop, const struct dp_segment *s, uint64_t base)
{
	struct dp_stream_loop *l = &d->known.items[loop];
	struct dp_detector_iteration it = {
		.loop = l->id,
		.index = l->next_index++,
		.first = base + s->first,
		.count = s->end - s->first,
		.inserted = s->inserted,
		.deleted = s->deleted,
		.substituted = s->substituted,
		.partial = s->partial,
	};

	l->last = base + s->end;
	if (d->options.iteration)
		d->options.iteration(d->options.ctx, &it);
}

/* A segment and the loop that it is of. */
struct told_segment {
	struct dp_segment s;
	uint32_t loop;
};

/* The segments of all loops in order. */
static int merge(struct told_segment **list, size_t *count, const struct dp_cut *cuts, size_t n)
{
	size_t next[DP_PATTERNS_MAX] = { 0 }, total = 0;

	for (size_t j = 0; j < n; j++)
		total += cuts[j].count;
	*count = total;
	*list = dp_alloc__array(DP_MAX(total, 1), sizeof(**list));
	if (!*list)
		return DP_ERR_NOMEM;
	for (size_t k = 0; k < total; k++) {
		size_t best = n;

		for (size_t j = 0; j < n; j++)
			if (next[j] < cuts[j].count &&
			    (best == n || cuts[j].segments[next[j]].first <
						  cuts[best].segments[next[best]].first))
				best = j;
		(*list)[k] =
			(struct told_segment){ cuts[best].segments[next[best]++], (uint32_t)best };
	}
	return DP_OK;
}

/* What was not told of, aligned and cut. */
struct look {
	size_t n;
	struct dp_alignment alignment;
	struct dp_cut cuts[DP_PATTERNS_MAX];
	struct told_segment *list;
	size_t count;
	size_t quiet;	/* symbols at the end without a difference */
	size_t settled; /* before this nothing will change */
	bool in_step;	/* the end fits */
};

static void look_fini(struct look *look, size_t n)
{
	for (size_t j = 0; j < n; j++)
		dp_cut__fini(&look->cuts[j]);
	dp_align__fini(&look->alignment);
	free(look->list);
}

static void settle(const struct dp_detector *d, struct look *look)
{
	const struct dp_alignment *al = &look->alignment;
	const struct dp_align_span *last = al->span_count ? &al->spans[al->span_count - 1] : NULL;
	size_t from;

	look->in_step = last && last->end == look->n && last->end > last->begin;
	look->settled = look->n > UNSETTLED ? look->n - UNSETTLED : 0;
	if (!look->in_step)
		return;
	from = last->begin;
	if (last->edit_count > 0)
		from = (size_t)al->edits[last->edits + last->edit_count - 1].position + 1;
	look->quiet = look->n - DP_MIN(from, look->n);
	if (look->quiet >= QUIET && ((al->span_count == 1 && d->placed) || last->begin == 0 ||
				     look->n - last->begin >= UNSETTLED))
		look->settled = look->n;
}

static int look_at(struct dp_detector *d, struct look *look)
{
	struct dp_cut_pattern patterns[DP_PATTERNS_MAX];
	const uint32_t *symbols = at(d, d->told);
	int status;

	memset(look, 0, sizeof(*look));
	look->n = (size_t)(d->fed - d->told);
	status = dp_array__reserve(&d->ids, &d->ids_room, look->n, sizeof(*d->ids));
	if (status)
		return status;
	for (size_t i = 0; i < look->n; i++)
		d->ids[i] = dp_symbol_map__get(&d->known.names, symbols[i], d->known.classes);
	status = dp_aligner__run(d->aligner, &look->alignment, d->ids, look->n,
				 d->placed ? &d->start : NULL);
	if (status)
		return status;
	for (size_t j = 0; j < d->known.count; j++)
		patterns[j] = (struct dp_cut_pattern){
			.exact = d->known.by_class ? d->known.items[j].exact : NULL,
			.turned = d->known.items[j].coarse,
			.length = d->known.items[j].length,
		};
	status = dp_cut__run(look->cuts, &look->alignment, symbols, d->ids, look->n, patterns,
			     d->known.count);
	if (!status)
		status = merge(&look->list, &look->count, look->cuts, d->known.count);
	settle(d, look);
	return status;
}

/* May segment k be told of now? *skip: it is none, since the part was begun inside of it. */
static bool ripe(const struct dp_detector *d, const struct look *look, size_t k, bool final,
		 bool *skip)
{
	const struct told_segment *t = &look->list[k];
	size_t m = d->known.items[t->loop].length, need = m;
	bool inside = k == 0 && !d->placed && d->told > 0;

	*skip = false;
	if (t->s.partial) {
		*skip = inside && t->s.end + 8 < look->n;
		if (!final && !*skip && (k + 1 == look->count || d->told > 0))
			return false;
	}
	if (final)
		return true;
	if (k + 1 < look->count && look->list[k + 1].s.first == t->s.end)
		need = settling(m);
	return t->s.end + need <= look->settled;
}

/* Gives up what can't be told of any more. */
static void give_up(struct dp_detector *d)
{
	uint64_t told = d->fed - d->window / 2;

	if (d->fed - d->told < d->window)
		return;
	d->foreign += told - d->told;
	d->told = told;
	d->placed = d->clean = false;
}

/* Symbols from `from` on that no span covers. */
static size_t uncovered(const struct look *look, size_t from)
{
	size_t sum = 0;

	for (size_t k = 0; k < look->alignment.span_count; k++) {
		const struct dp_align_span *s = &look->alignment.spans[k];

		if (s->begin > from)
			sum += s->begin - from;
		from = DP_MAX(from, s->end);
	}
	return sum + look->n - DP_MIN(from, look->n);
}

/* When to look next. */
static void plan(struct dp_detector *d, const struct look *look)
{
	const struct dp_alignment *al = &look->alignment;
	const struct dp_align_span *last = al->span_count ? &al->spans[al->span_count - 1] : NULL;
	size_t rest = (size_t)(d->fed - d->told), done = look->n - rest, m, wait = rest / 4;

	d->tried = d->fed;
	d->loose = uncovered(look, done);
	d->in_step = look->in_step;
	d->clean = false;
	give_up(d);
	if (!d->in_step) {
		d->try_at = d->fed + DP_MAX(wait, (size_t)GATHER);
		return;
	}
	m = d->known.items[last->pattern].length;
	d->pattern = last->pattern;
	d->offset = last->end_offset;
	d->clean = d->placed && d->start.pattern == last->pattern && d->start.offset == 0 &&
		   last->begin <= done && look->quiet >= rest && rest % m == d->offset &&
		   rest < m + settling(m);
	d->close_at = d->fed + m - d->offset + settling(m);
	if (d->clean)
		d->close_at = d->told + m + settling(m);
	else if (look->settled < look->n)
		d->close_at = DP_MAX(d->close_at, d->fed + DP_MAX(wait, (size_t)QUIET));
}

/* Tells of the iterations that are settled. */
static int look_again(struct dp_detector *d, bool final)
{
	struct look look;
	size_t done = 0, k = 0;
	bool skip;
	int status;

	if (d->known.count == 0 || d->fed == d->told)
		return DP_OK;
	status = look_at(d, &look);
	if (status)
		goto out;
	for (; k < look.count && ripe(d, &look, k, final, &skip); k++) {
		const struct dp_segment *s = &look.list[k].s;

		d->foreign += s->first - done;
		if (!skip)
			tell(d, look.list[k].loop, s, d->told);
		else
			d->foreign += s->end - s->first;
		done = s->end;
	}
	if (done > 0) {
		d->placed = k < look.count && look.list[k].s.first == done;
		if (d->placed)
			d->start = (struct dp_align_start){ look.list[k].loop, 0 };
		d->told += done;
	}
	plan(d, &look);
out:
	look_fini(&look, d->known.count);
	return status;
}

/* Tells of an iteration without a difference. */
static void close_clean(struct dp_detector *d)
{
	size_t m = d->known.items[d->pattern].length;
	struct dp_segment s = { .end = m };

	tell(d, d->pattern, &s, d->told);
	d->told += m;
	d->close_at += m;
	d->tried = d->fed;
}

/* Searching. */

static int copy_seen(struct dp_detector *d, const struct dp_stream_loops *found)
{
	dp_stream_loops__fini(&d->seen);
	for (size_t i = 0; i < found->count; i++) {
		const struct dp_stream_loop *f = &found->items[i];
		int status = dp_stream_loops__name(&d->seen, f->exact, f->length);

		if (!status)
			status = dp_stream_loops__add(&d->seen, f->exact, f->length);
		if (status)
			return status;
	}
	return DP_OK;
}

/* What a search found, and what is known of it. */
struct searched {
	struct dp_stream_loops found, next; /* next: the loops to be known */
	uint32_t known[DP_PATTERNS_MAX];    /* of each found, the loop that it is, or DP_NONE */
	bool seen[DP_PATTERNS_MAX];	    /* by the search before, too */
	bool kept[DP_PATTERNS_MAX];	    /* of each known, whether it stays */
	size_t n;			    /* symbols searched */
	bool settling;			    /* all that was fed was searched */
	bool whole;			    /* the whole window was */
};

static int compare_with_known(struct dp_detector *d, struct searched *s)
{
	uint32_t j;
	int status = DP_OK;

	for (size_t i = 0; i < DP_PATTERNS_MAX; i++)
		s->known[i] = DP_NONE;
	for (uint32_t k = 0; k < d->known.count && !status; k++) {
		status = dp_stream_loops__same(&j, &s->found, d->known.items[k].exact,
					       d->known.items[k].length);
		if (!status && j != DP_NONE && s->known[j] == DP_NONE)
			s->known[j] = k;
	}
	for (size_t k = 0; k < d->seen.count && !status; k++) {
		status = dp_stream_loops__same(&j, &s->found, d->seen.items[k].exact,
					       d->seen.items[k].length);
		if (!status && j != DP_NONE)
			s->seen[j] = true;
	}
	return status;
}

/* A known loop goes on to be one, with this pattern. */
static int keep(struct dp_detector *d, struct searched *s, uint32_t k,
		const struct dp_stream_loop *as)
{
	const struct dp_stream_loop *old = &d->known.items[k];
	int status = dp_stream_loops__name(&s->next, as->exact, as->length);

	if (!status)
		status = dp_stream_loops__add(&s->next, as->exact, as->length);
	if (!status) {
		struct dp_stream_loop *loop = &s->next.items[s->next.count - 1];

		loop->id = old->id;
		loop->next_index = old->next_index;
		loop->last = old->last;
		loop->structured = old->structured;
		s->kept[k] = true;
	}
	return status;
}

/* A part of the window may show a layer of something that is no loop itself. */
static bool believable(const struct dp_detector *d, const struct searched *s, size_t i, bool final)
{
	const struct dp_stream_loop *f = &s->found.items[i];

	if (!s->settling && !f->structured && f->length * 5 < d->known.longest)
		return false;
	return s->seen[i] || final;
}

/* Which loops are known from now on: those found twice, and old ones that did not come. */
static int choose(struct dp_detector *d, struct searched *s, bool final)
{
	int status = DP_OK;

	s->next.names = s->found.names;
	s->next.classes = s->found.classes;
	s->next.by_class = s->found.by_class;
	s->found.names = (struct dp_symbol_map){ 0 };
	for (size_t i = 0; i < s->found.count && !status; i++) {
		struct dp_stream_loop *f = &s->found.items[i];

		if (s->known[i] != DP_NONE) {
			status = keep(d, s, s->known[i],
				      s->settling ? f : &d->known.items[s->known[i]]);
		} else if (believable(d, s, i, final)) {
			status = dp_stream_loops__add(&s->next, f->exact, f->length);
			if (!status) {
				s->next.items[s->next.count - 1].confidence = f->confidence;
				s->next.items[s->next.count - 1].structured = f->structured;
				s->next.items[s->next.count - 1].last = d->fed;
			}
		}
	}
	/* the most recent ones first */
	while (!status && s->next.count < DP_PATTERNS_MAX) {
		uint32_t best = DP_NONE;

		for (uint32_t k = 0; k < d->known.count; k++) {
			const struct dp_stream_loop *old = &d->known.items[k];
			bool came = s->settling || (s->whole && old->last > d->fed - s->n / 2);

			if (!s->kept[k] && !(came && s->found.count > 0) &&
			    (best == DP_NONE || old->last > d->known.items[best].last))
				best = k;
		}
		if (best == DP_NONE)
			break;
		status = keep(d, s, best, &d->known.items[best]);
	}
	return status;
}

static bool equal_loops(const struct dp_stream_loop *a, const struct dp_stream_loop *b)
{
	return a->id == b->id && a->length == b->length &&
	       !memcmp(a->exact, b->exact, a->length * sizeof(*a->exact)) &&
	       !memcmp(a->coarse, b->coarse, a->length * sizeof(*a->coarse));
}

static bool unchanged(const struct dp_detector *d, const struct searched *s)
{
	if (s->next.count != d->known.count || s->next.by_class || d->known.by_class)
		return false;
	for (size_t i = 0; i < s->next.count; i++)
		if (!equal_loops(&s->next.items[i], &d->known.items[i]))
			return false;
	return true;
}

/* Makes the loops known, and goes back to what was not told of. */
static int adopt(struct dp_detector *d, struct searched *s)
{
	struct dp_align_pattern patterns[DP_PATTERNS_MAX];
	struct dp_aligner *aligner = NULL;
	uint32_t first = d->next_id;
	bool placed = false;
	int status = DP_OK;

	for (size_t i = 0; i < s->next.count; i++) {
		struct dp_stream_loop *loop = &s->next.items[i];

		patterns[i] = (struct dp_align_pattern){ loop->coarse, loop->length };
		if (loop->id == DP_NONE)
			loop->id = d->next_id++;
		if (d->placed && !placed && loop->id == d->known.items[d->start.pattern].id &&
		    loop->length == d->known.items[d->start.pattern].length &&
		    !memcmp(loop->exact, d->known.items[d->start.pattern].exact,
			    loop->length * sizeof(*loop->exact))) {
			placed = true;
			d->start.pattern = (uint32_t)i;
		}
	}
	if (s->next.count > 0)
		status = dp_aligner__new(&aligner, patterns, s->next.count, d->window);
	if (status)
		return status;
	for (size_t k = 0; k < d->known.count; k++)
		if (!s->kept[k] && d->options.end)
			d->options.end(d->options.ctx, d->known.items[k].id);
	dp_aligner__free(d->aligner);
	d->aligner = aligner;
	dp_stream_loops__fini(&d->known);
	d->known = s->next;
	s->next = (struct dp_stream_loops){ 0 };
	for (size_t i = 0; i < d->known.count; i++) {
		struct dp_stream_loop *l = &d->known.items[i];
		struct dp_detector_loop event = { l->id, d->fed, l->confidence, l->length,
						  l->exact };

		if (l->id >= first && d->options.loop)
			d->options.loop(d->options.ctx, &event);
	}
	d->placed = placed;
	d->in_step = false;
	d->try_at = d->known.count > 0 ? d->fed + GATHER : NEVER;
	return DP_OK;
}

/* promising: something changed, or the next search may confirm what this one found. */
static void plan_search(struct dp_detector *d, bool promising)
{
	d->searched = d->fed;
	if (promising)
		d->patience = PATIENCE;
	else if (d->fed >= d->window)
		d->patience = DP_MIN(2 * d->patience, 16 * (uint64_t)d->window);
	d->foreign = 0;
	d->search_at = NEVER;
	if (d->fed < d->window)
		d->search_at = DP_MIN(d->known.count > 0 ? 2 * d->fed : d->fed + d->fed / 2,
				      (uint64_t)d->window);
	else if (d->known.count == 0)
		d->search_at = d->fed + DP_MAX(d->patience, d->window / 2);
}

static int search(struct dp_detector *d, bool final)
{
	struct searched s = { .n = (size_t)DP_MIN(d->fed, (uint64_t)d->window) };
	bool changed = false, fresh = false;
	int status;

	s.settling = d->fed <= d->window;
	if (!s.settling && d->known.count > 0)
		s.n = (size_t)DP_MIN(4 * d->patience, (uint64_t)d->window);
	s.whole = s.n == d->window;
	status = dp_stream__search(&s.found, at(d, d->fed - s.n), s.n, !s.settling, !final);
	if (!status)
		status = compare_with_known(d, &s);
	for (size_t i = 0; i < s.found.count; i++)
		fresh |= s.known[i] == DP_NONE && !s.seen[i];
	if (!status)
		status = copy_seen(d, &s.found);
	if (!status)
		status = choose(d, &s, final);
	if (!status && !unchanged(d, &s)) {
		changed = true;
		status = adopt(d, &s);
	}
	dp_stream_loops__fini(&s.found);
	dp_stream_loops__fini(&s.next);
	if (status)
		return status;
	plan_search(d, changed || fresh);
	return changed ? look_again(d, final) : DP_OK;
}

/* Feeding. */

/*
 * Appends symbols, n of them a quarter of the window at most. What is neither in the window nor
 * still to be told of is dropped.
 */
static int append(struct dp_detector *d, const uint32_t *symbols, size_t n)
{
	size_t held = (size_t)(d->fed - d->base);
	uint64_t from = d->fed > d->window ? d->fed - d->window : 0;

	if (held + n > 3 * d->window) {
		if (d->known.count > 0)
			from = DP_MIN(from, d->told);
		memmove(d->buffer, at(d, from), (size_t)(d->fed - from) * sizeof(*symbols));
		d->base = from;
		held = (size_t)(d->fed - from);
	}
	if (held + n > d->room) {
		int status = dp_array__reserve(&d->buffer, &d->room, held + n, sizeof(*symbols));

		if (status)
			return status;
	}
	memcpy(d->buffer + held, symbols, n * sizeof(*symbols));
	d->fed += n;
	if (d->known.count == 0 && d->fed - d->told > d->window) {
		d->told = d->fed - d->window;
		d->placed = false;
	}
	return DP_OK;
}

/* How many symbols go on as the pattern does; *off tells that the last of them does not. */
static size_t compare(struct dp_detector *d, const uint32_t *symbols, size_t n, bool *off)
{
	const struct dp_stream_loop *loop = &d->known.items[d->pattern];
	size_t i = 0;

	*off = false;
	while (i < n) {
		if (symbols[i++] != loop->exact[d->offset]) {
			*off = true;
			break;
		}
		if (++d->offset == loop->length)
			d->offset = 0;
	}
	return i;
}

static bool search_is_due(const struct dp_detector *d)
{
	uint64_t foreign = d->foreign + DP_MIN(d->loose, d->fed - d->searched);

	if (d->fed < d->window || d->known.count == 0)
		return d->fed == d->search_at;
	return foreign >= d->patience || d->fed == d->search_at;
}

/* The next symbols up to where something has to be decided; returns how many through *taken. */
static int advance(struct dp_detector *d, const uint32_t *symbols, size_t count, size_t *taken)
{
	uint64_t until = DP_MIN(d->search_at, d->in_step ? d->close_at : d->try_at);
	size_t n = DP_MIN(count, d->window / 4);
	bool off = false, looked = false;
	int status;

	n = (size_t)DP_MIN((uint64_t)n, until - d->fed);
	if (d->in_step)
		n = compare(d, symbols, n, &off);
	status = append(d, symbols, n);
	*taken = n;
	if (status)
		return status;
	if (off) {
		uint64_t rest = d->fed - d->told;

		d->in_step = d->clean = false;
		d->try_at = DP_MAX(d->fed + GATHER - 1, d->tried + rest / 4);
	} else if (d->in_step && d->fed == d->close_at && d->clean) {
		close_clean(d);
	} else if (d->fed == (d->in_step ? d->close_at : d->try_at)) {
		status = look_again(d, false);
		looked = true;
	}
	if (!status && (d->fed == d->search_at || (looked && search_is_due(d))))
		status = search(d, false);
	return status;
}

static int ready(struct dp_detector *d, struct dp_error *error)
{
	if (d->status == DP_ERR_NOMEM)
		return dp_error__nomem(error, 0);
	if (d->finished)
		return dp_error__set(error, DP_ERR_ARGUMENT, "the detector has finished");
	return DP_OK;
}

int dp_detector_feed(struct dp_detector *d, const uint32_t *symbols, size_t count,
		     struct dp_error *error)
{
	int status = ready(d, error);

	if (status)
		return status;
	while (count > 0 && !d->status) {
		size_t taken = 0;

		d->status = advance(d, symbols, count, &taken);
		symbols += taken;
		count -= taken;
	}
	return d->status ? dp_error__nomem(error, 0) : DP_OK;
}

int dp_detector_finish(struct dp_detector *d, struct dp_error *error)
{
	int status = ready(d, error);

	if (status)
		return status;
	if (d->fed <= d->window)
		d->status = search(d, true);
	if (!d->status)
		d->status = look_again(d, true);
	d->finished = true;
	return d->status ? dp_error__nomem(error, 0) : DP_OK;
}

int dp_detector_new(struct dp_detector **detector, const struct dp_detector_options *options,
		    struct dp_error *error)
{
	struct dp_detector_options all = DP_DETECTOR_OPTIONS_INIT;
	struct dp_detector *d;

	if (options && options->size < offsetof(struct dp_detector_options, ctx))
		return dp_error__set(error, DP_ERR_ARGUMENT, "options of an unknown size");
	if (options)
		memcpy(&all, options, DP_MIN(options->size, sizeof(all)));
	if (all.window < WINDOW_MIN || all.window > WINDOW_MAX)
		return dp_error__set(error, DP_ERR_ARGUMENT,
				     "a window of %zu symbols, not %d to %d", all.window,
				     WINDOW_MIN, WINDOW_MAX);
	d = calloc(1, sizeof(*d));
	if (!d)
		return dp_error__nomem(error, sizeof(*d));
	d->options = all;
	d->window = d->options.window;
	d->search_at = FIRST_SEARCH;
	d->try_at = NEVER;
	d->patience = PATIENCE;
	*detector = d;
	return DP_OK;
}

void dp_detector_free(struct dp_detector *d)
{
	if (!d)
		return;
	dp_stream_loops__fini(&d->known);
	dp_stream_loops__fini(&d->seen);
	dp_aligner__free(d->aligner);
	free(d->buffer);
	free(d->ids);
	free(d);
}

uint64_t dp_detector_fed(const struct dp_detector *d)
{
	return d->fed;
}

size_t dp_detector_bytes(const struct dp_detector *d)
{
	size_t bytes = sizeof(*d) + (d->room + d->ids_room) * sizeof(uint32_t);
	const struct dp_stream_loops *sets[] = { &d->known, &d->seen };

	for (size_t i = 0; i < 2; i++) {
		if (sets[i]->names.keys)
			bytes += (sets[i]->names.mask + 1) * 2 * sizeof(uint32_t);
		for (size_t k = 0; k < sets[i]->count; k++)
			bytes += sets[i]->items[k].length * 2 * sizeof(uint32_t);
	}
	return bytes + (d->aligner ? dp_aligner__bytes(d->aligner) : 0);
}
