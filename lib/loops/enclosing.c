/*
 * Loops around the chosen ones. Requests with their decoding steps, or epochs with their iterations
 * and evaluation, repeat although no two have the same length: what varies is how often the inner
 * loop runs. So each run of consecutive iterations becomes one symbol, and the collapsed
 * sequence is searched.
 *
 * Cost: a search of the collapsed sequence, otherwise linear.
 */
#include "loops/searches.h"
#include "base/parameters.h"
#include "loops/collapsing.h"
#include "pattern/search.h"

/* A sequence with runs of iterations collapsed; those of loop k are symbol alphabet + k. */
struct collapsed {
	struct dp_runs runs;
	size_t limit; /* symbols, above which it is not worth a search */
};

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
static void put_symbol(struct collapsed *c, uint32_t symbol, size_t position)
{
	if (c->runs.count < c->limit) {
		c->runs.symbols[c->runs.count] = symbol;
		c->runs.position[c->runs.count] = (uint32_t)position;
	}
	c->runs.count++;
}

static void put_range(struct collapsed *c, const struct dp_detection *d, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		put_symbol(c, d->sequence.symbols[i], i);
}

/*
 * Advances *at beyond consecutive iterations, up to where an enclosing iteration ends if that is
 * known. Returns their own end.
 */
static size_t skip_run(size_t *at, const struct dp_sequence_loop *loop,
		       const struct dp_detection *d, const struct dp_ends *ends)
{
	size_t end = loop->iterations[*at].first, own = end;
	bool last = false;

	while (!last && *at < loop->count && loop->iterations[*at].first <= end) {
		end = DP_MAX(end, loop->iterations[*at].end);
		own = DP_MAX(own, own_end(loop, *at));
		last = ends && dp_ends__separate(ends, &d->sequence, own, end);
		++*at;
	}
	return own;
}

/* Collapses the runs of the first `count` loops, whose iterations do not overlap. */
static void collapse_iterations(struct collapsed *c, const struct dp_detection *d, size_t count,
				const struct dp_ends *ends)
{
	const struct dp_loops *loops = d->loops;
	size_t at[DP_PATTERNS_MAX] = { 0 }, before = 0, k;

	/* a partial first iteration is not collapsed: it may be the end of something else */
	for (size_t i = 0; i < count; i++)
		at[i] = loops->loops[i].count > 0 && loops->loops[i].iterations[0].partial;
	while ((k = next_loop(loops, at, count)) < count) {
		size_t begin = loops->loops[k].iterations[at[k]].first, end;

		put_range(c, d, before, begin);
		if (begin >= before) {
			put_symbol(c, d->sequence.alphabet + (uint32_t)k, begin);
			c->runs.runs++;
		}
		end = skip_run(&at[k], &loops->loops[k], d, ends);
		before = DP_MAX(before, end);
	}
	put_range(c, d, before, d->request->count);
}

/* Sets *any to false if the collapsed sequence is not worth a search. */
static int make_collapsed(struct collapsed *c, const struct dp_detection *d, size_t count,
			  const struct dp_ends *ends, bool *any)
{
	struct dp_runs *runs = &c->runs;
	size_t n = d->request->count;

	*any = false;
	if (n >= UINT32_MAX)
		return DP_OK;
	c->limit = DP_MIN(dp_param.enclosing_most, n);
	runs->alphabet = d->sequence.alphabet + (uint32_t)count;
	runs->symbols = dp_alloc__array(c->limit + 1, sizeof(*runs->symbols));
	runs->position = dp_alloc__array(c->limit + 1, sizeof(*runs->position));
	if (!runs->symbols || !runs->position)
		return DP_ERR_NOMEM;
	collapse_iterations(c, d, count, ends);
	*any = runs->runs >= dp_param.loop_least && runs->count <= c->limit;
	if (*any)
		runs->position[runs->count] = (uint32_t)n;
	return DP_OK;
}

/* Returns true if the pattern holds a run of iterations. */
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

/* Keeps the patterns that hold a run of iterations, and makes their loops. */
static int make_loops(struct dp_detection *d, struct dp_collapsed_search *search,
		      struct dp_patterns *patterns, const struct dp_phase_hints *hints)
{
	uint32_t made[DP_PATTERNS_MAX];
	size_t kept = 0;
	int status = DP_OK;

	for (size_t i = 0; i < patterns->count; i++) {
		const struct dp_pattern *p = &patterns->items[i];

		if (is_around(p, d->sequence.alphabet)) {
			patterns->items[kept++] = *p;
			continue;
		}
		dp_explain__add(d->request->explain, "enclosing",
				DP_FACTS({ "length", "count", (double)p->length }),
				"the pattern of {length:symbol} is dropped: it has no run of "
				"iterations inside");
		free(p->symbols);
	}
	patterns->count = kept;
	if (kept > 0)
		status = dp_detection__make_loops(made, &search->detection, patterns, hints);
	return status ? status : dp_collapsed_search__take(d, search);
}

/* Where the collapsed sequence first separates two enclosing iterations; 0 if it does not. */
static size_t first_end(const struct dp_runs *runs, const struct dp_detection *d,
			const struct dp_ends *ends)
{
	size_t run = SIZE_MAX;

	for (size_t i = 0; i < runs->count; i++) {
		if (runs->symbols[i] < d->sequence.alphabet)
			continue;
		if (run != SIZE_MAX &&
		    dp_ends__separate(ends, &d->sequence, runs->position[run + 1],
				      runs->position[i]))
			return run + 1 + ends->tail;
		run = i;
	}
	return 0;
}

/* Takes the first enclosing iteration, whose end is known, as the pattern. */
static int take_first(struct dp_patterns *patterns, const struct dp_runs *runs,
		      const struct dp_detection *d, struct dp_search_sequence *sequence,
		      const struct dp_ends *ends)
{
	size_t length = first_end(runs, d, ends);
	int status = dp_search_sequence__bits(sequence);
	struct dp_pattern *p = &patterns->items[patterns->count];

	if (status || length == 0)
		return status;
	status = dp_pattern__copy(p, runs->symbols, length);
	if (status)
		return status;
	patterns->count++;
	return dp_pattern__refine(p, runs->symbols, runs->count, sequence->symbol_bits);
}

int dp_enclosing__find(struct dp_detection *d, size_t count, const struct dp_ends *ends)
{
	struct dp_search_limits limits = { dp_param.loop_least, d->request->count,
					   dp_param.enclosing_bits };
	struct dp_patterns patterns = { .count = 0 };
	struct dp_collapsed_search search;
	struct collapsed collapsed = { .limit = 0 };
	struct dp_loops *loops = d->loops;
	size_t before = loops->count, begin = 0;
	struct dp_phase_hints hints = { &begin, 1,
					"the capture starts with an iteration around these" };
	int status = DP_OK;
	bool any, first_is_known;

	if (count == 0 || count > DP_PATTERNS_MAX)
		return DP_OK;
	status = make_collapsed(&collapsed, d, count, ends, &any);
	if (status || !any)
		goto out;
	dp_collapsed_search__begin(&search, d, &collapsed.runs);
	if (ends)
		status =
			take_first(&patterns, &collapsed.runs, d, &search.detection.sequence, ends);
	first_is_known = patterns.count > 0;
	dp_explain__add(d->request->explain, "enclosing",
			DP_FACTS({ "symbols", "count", (double)collapsed.runs.count }),
			first_is_known
				? "loops around these: each run of iterations is one symbol "
				  "of {symbols}, and the capture begins with an iteration of "
				  "the loop around them"
				: "loops around these: with each run of iterations as one "
				  "symbol, the sequence of {symbols} symbols is searched");
	if (!status && !first_is_known)
		status = dp_search__unaided(&patterns, &search.detection.sequence, &limits);
	if (!status)
		status = make_loops(d, &search, &patterns, first_is_known ? &hints : NULL);
	dp_collapsed_search__end(&search);
	for (size_t i = 0; i < count && !status; i++)
		for (size_t k = before; k < loops->count; k++)
			if (lies_in(&loops->loops[i], &loops->loops[k]))
				loops->loops[i].parent = (uint32_t)k;
out:
	dp_patterns__fini(&patterns);
	dp_runs__fini(&collapsed.runs);
	return status;
}
