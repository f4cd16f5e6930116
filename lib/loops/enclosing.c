/*
 * Loops around the chosen ones. Requests with their decoding steps, or epochs with their iterations
 * and evaluation, repeat although no two have the same length: what varies is how often the inner
 * loop runs. So each run of consecutive iterations is folded into one symbol, and the folded
 * sequence is searched.
 *
 * Cost: a search of the folded sequence, otherwise linear.
 */
#include "loops/detection.h"
#include "base/parameters.h"
#include "loops/shortened.h"
#include "pattern/search.h"

#include <string.h>

/* A sequence with runs of iterations folded. */
struct folded {
	uint32_t *symbols;
	uint32_t *position; /* of each symbol in the sequence, and of the end */
	size_t count;
	size_t limit; /* symbols, above which it is not worth a search */
	size_t runs;  /* of iterations, that were folded */
	uint32_t alphabet;
};

static void folded_fini(struct folded *f)
{
	free(f->symbols);
	free(f->position);
}

/*
 * The chosen loop among the first `count` whose next iteration begins first; count if none is left.
 */
static size_t next_loop(const struct dp_loops *loops, const size_t *at, size_t count)
{
	size_t best = count;

	for (size_t k = 0; k < count; k++) {
		const struct dp_sequence_loop *loop = &loops->loops[k];

		if (at[k] == loop->count || !loop->chosen)
			continue;
		if (best == count ||
		    loop->iterations[at[k]].first < loops->loops[best].iterations[at[best]].first)
			best = k;
	}
	return best;
}

/*
 * Returns the end of an iteration without the kernels that the alignment inserted after its
 * pattern. After the last iteration in a run, these may belong to the end of the enclosing one.
 */
static size_t own_end(const struct dp_sequence_loop *loop, size_t i)
{
	const struct dp_sequence_iteration *s = &loop->iterations[i];
	size_t left = dp_iteration__edit_count(s), end = s->end;

	for (; left > 0; left--, end--) {
		const struct dp_edit *x = &loop->edits[s->edits + left - 1];

		if (x->kind != DP_EDIT_INSERTED || x->position + 1 != end)
			break;
	}
	return end;
}

/* Beyond the limit symbols are only counted: that many are not searched. */
static void put(struct folded *f, uint32_t symbol, size_t position)
{
	if (f->count < f->limit) {
		f->symbols[f->count] = symbol;
		f->position[f->count] = (uint32_t)position;
	}
	f->count++;
}

static void put_range(struct folded *f, const struct dp_detection *d, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		put(f, d->sequence.symbols[i], i);
}

/*
 * Advances *at beyond consecutive iterations, up to where an enclosing iteration ends if that is
 * known. Returns their own end.
 */
static size_t skip_run(size_t *at, const struct dp_sequence_loop *loop,
		       const struct dp_detection *d, const struct dp_frame *frame)
{
	size_t end = loop->iterations[*at].first, own = end;
	bool last = false;

	while (!last && *at < loop->count && loop->iterations[*at].first <= end) {
		end = DP_MAX(end, loop->iterations[*at].end);
		own = DP_MAX(own, own_end(loop, *at));
		last = frame && dp_frame__fits(frame, &d->sequence, own, end);
		++*at;
	}
	return own;
}

/* Folds the first `count` loops, whose iterations do not overlap. */
static void fold(struct folded *f, const struct dp_detection *d, size_t count,
		 const struct dp_frame *frame)
{
	const struct dp_loops *loops = d->loops;
	size_t at[DP_PATTERNS_MAX] = { 0 }, before = 0, k;

	/* a partial first iteration is left unfolded: it may be the end of something else */
	for (size_t i = 0; i < count; i++)
		at[i] = loops->loops[i].count > 0 && loops->loops[i].iterations[0].partial;
	while ((k = next_loop(loops, at, count)) < count) {
		size_t begin = loops->loops[k].iterations[at[k]].first, end;

		put_range(f, d, before, begin);
		if (begin >= before) {
			put(f, d->sequence.alphabet + (uint32_t)k, begin);
			f->runs++;
		}
		end = skip_run(&at[k], &loops->loops[k], d, frame);
		before = DP_MAX(before, end);
	}
	put_range(f, d, before, d->request->count);
}

/* Sets *any to false if the folded sequence is not worth a search. */
static int make_folded(struct folded *f, const struct dp_detection *d, size_t count,
		       const struct dp_frame *frame, bool *any)
{
	size_t n = d->request->count;

	*any = false;
	if (n >= UINT32_MAX)
		return DP_OK;
	f->limit = DP_MIN(dp_param.enclosing_most, n);
	f->alphabet = d->sequence.alphabet + (uint32_t)count;
	f->symbols = dp_alloc__array(f->limit + 1, sizeof(*f->symbols));
	f->position = dp_alloc__array(f->limit + 1, sizeof(*f->position));
	if (!f->symbols || !f->position)
		return DP_ERR_NOMEM;
	fold(f, d, count, frame);
	*any = f->runs >= dp_param.loop_least && f->count <= f->limit;
	if (*any)
		f->position[f->count] = (uint32_t)n;
	return DP_OK;
}

/* Returns true if the pattern holds a folded symbol. */
static bool is_around(const struct dp_pattern *pattern, uint32_t alphabet)
{
	for (size_t i = 0; i < pattern->length; i++)
		if (pattern->symbols[i] >= alphabet)
			return true;
	return false;
}

/* Returns true if most iterations of a loop lie within those of another. */
static bool lies_in(const struct dp_sequence_loop *loop, const struct dp_sequence_loop *other)
{
	size_t k = 0, inside = 0;

	for (size_t i = 0; i < loop->count; i++) {
		size_t end = own_end(loop, i);

		while (k < other->count && other->iterations[k].end < end)
			k++;
		inside +=
			k < other->count && other->iterations[k].first <= loop->iterations[i].first;
	}
	return inside * 2 > loop->count;
}

/* Keeps the patterns that hold a folded symbol, and makes their loops. */
static int make_loops(struct dp_detection *d, struct dp_shortened *folded,
		      struct dp_patterns *patterns, const struct dp_phase_hints *hints)
{
	uint32_t made[DP_PATTERNS_MAX];
	size_t kept = 0;
	int status = DP_OK;

	for (size_t i = 0; i < patterns->count; i++) {
		if (is_around(&patterns->items[i], d->sequence.alphabet))
			patterns->items[kept++] = patterns->items[i];
		else
			free(patterns->items[i].symbols);
	}
	patterns->count = kept;
	if (kept > 0)
		status = dp_detection__make_loops(made, &folded->detection, patterns, hints);
	return status ? status : dp_shortened__take(d, folded);
}

/* Where the folded sequence first separates two enclosing iterations; 0 if it does not. */
static size_t first_end(const struct folded *f, const struct dp_detection *d,
			const struct dp_frame *frame)
{
	size_t run = SIZE_MAX;

	for (size_t i = 0; i < f->count; i++) {
		if (f->symbols[i] < d->sequence.alphabet)
			continue;
		if (run != SIZE_MAX &&
		    dp_frame__fits(frame, &d->sequence, f->position[run + 1], f->position[i]))
			return run + 1 + frame->tail;
		run = i;
	}
	return 0;
}

/* Takes the first enclosing iteration, whose end is known, as the pattern. */
static int take_first(struct dp_patterns *patterns, const struct folded *f,
		      const struct dp_detection *d, struct dp_search_sequence *sequence,
		      const struct dp_frame *frame)
{
	size_t length = first_end(f, d, frame);
	int status = dp_search_sequence__bits(sequence);
	struct dp_pattern p;

	if (status || length == 0)
		return status;
	status = dp_pattern__copy(&p, f->symbols, length);
	if (status)
		return status;
	status = dp_pattern__refine(&p, f->symbols, f->count, sequence->symbol_bits);
	if (status)
		free(p.symbols);
	else
		patterns->items[patterns->count++] = p;
	return status;
}

int dp_enclosing__find(struct dp_detection *d, size_t count, const struct dp_frame *frame)
{
	struct dp_search_bar bar = { dp_param.loop_least, d->request->count,
				     dp_param.enclosing_bits };
	struct dp_patterns patterns = { .count = 0 };
	struct dp_shortened folded;
	struct folded f = { .count = 0 };
	struct dp_loops *loops = d->loops;
	size_t before = loops->count, begin = 0;
	struct dp_phase_hints hints = { &begin, 1 };
	int status = DP_OK;
	bool any, first_is_known;

	if (count == 0 || count > DP_PATTERNS_MAX)
		return DP_OK;
	status = make_folded(&f, d, count, frame, &any);
	if (status || !any)
		goto out;
	dp_shortened__begin(&folded, d, f.symbols, f.count, f.alphabet, f.position);
	if (frame)
		status = take_first(&patterns, &f, d, &folded.detection.sequence, frame);
	first_is_known = patterns.count > 0;
	dp_explain__add(
		d->request->explain, "enclosing", DP_FACTS({ "symbols", "count", (double)f.count }),
		first_is_known ? "loops around these: each run of iterations is one symbol "
				 "of {symbols}, and the capture begins with an iteration of "
				 "the loop around them"
			       : "loops around these: with each run of iterations as one "
				 "symbol, the sequence of {symbols} symbols is searched");
	if (!status && !first_is_known)
		status = dp_search__unaided(&patterns, &folded.detection.sequence, &bar);
	if (!status)
		status = make_loops(d, &folded, &patterns, first_is_known ? &hints : NULL);
	dp_shortened__end(&folded);
	for (size_t i = 0; i < count && !status; i++)
		for (size_t k = before; k < loops->count; k++)
			if (lies_in(&loops->loops[i], &loops->loops[k]))
				loops->loops[i].parent = (uint32_t)k;
out:
	dp_patterns__fini(&patterns);
	folded_fini(&f);
	return status;
}
