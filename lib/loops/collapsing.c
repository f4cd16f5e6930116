/*
 * Searches a sequence with its runs collapsed, so that iterations are alike even if the loops
 * inside them run a varying number of times. Runs with the shortest period are collapsed first,
 * then those of what results, and so on, since such loops may contain others. In the end the
 * iterations themselves would be one run. So a sequence is searched if collapsing it once more
 * leaves at most half of it, or nothing to search, and the patterns that describe the whole in the
 * fewest bits are taken.
 *
 * It is searched as the sequence that it was made from, with the evidence and names there; so are
 * sequences with the iterations of loops collapsed (enclosing.c).
 *
 * Cost: linear for each collapse, and a search for each halving of the sequence.
 */
#include "loops/collapsing.h"
#include "base/parameters.h"

#include <math.h>
#include <string.h>

static void evidence_at(void *ctx, size_t index, struct dp_evidence_at *out)
{
	const struct dp_collapsed_search *s = ctx;

	s->evidence->at(s->evidence->ctx, s->names.position[index], out);
}

void dp_collapsed_search__begin(struct dp_collapsed_search *s, const struct dp_detection *from,
				const struct dp_runs *runs)
{
	const struct dp_loops_request *r = from->request;

	*s = (struct dp_collapsed_search){
		.detection = { .request = &s->request,
			       .sequence = { runs->symbols, runs->count, runs->alphabet, NULL,
					     r->explain, from->sequence.open },
			       .keep_all = from->keep_all,
			       .per_symbol = (double)r->count / (double)runs->count,
			       .kernel_symbols = from->kernel_symbols ? from->kernel_symbols
								      : from->sequence.alphabet,
			       .loops = &s->loops },
		.request = *r,
		.evidence = &r->evidence,
		.names = { .position = runs->position },
	};
	s->request.symbols = runs->symbols;
	s->request.count = runs->count;
	s->request.alphabet = runs->alphabet;
	s->request.family = NULL;
	if (r->evidence.at) {
		s->request.evidence.at = evidence_at;
		s->request.evidence.ctx = s;
	}
	s->names.before = dp_explain__rename(
		r->explain,
		(struct dp_explain_names){ "symbol", dp_explain__collapsed_at, &s->names });
}

void dp_collapsed_search__end(struct dp_collapsed_search *s)
{
	dp_explain__rename(s->request.explain, s->names.before);
	dp_detection__fini(&s->detection);
	dp_loops__fini(&s->loops);
}

int dp_collapsed_search__take(struct dp_detection *d, struct dp_collapsed_search *s)
{
	int status = dp_loops__map(&s->loops, s->names.position, d->request->symbols);

	for (size_t i = 0; i < s->loops.count && !status; i++) {
		struct dp_sequence_loop *loop = dp_loops__add(d->loops);

		if (!loop)
			return DP_ERR_NOMEM;
		*loop = s->loops.loops[i];
		s->loops.loops[i] = (struct dp_sequence_loop){ .parent = DP_NONE };
	}
	return status;
}

void dp_collapsing__fini(struct dp_collapsing *c)
{
	dp_runs__fini(&c->runs);
	dp_levels__fini(&c->levels);
	free(c->traits);
	memset(c, 0, sizeof(*c));
}

/*
 * Sets the traits of the symbols of a collapsed sequence, and *steps to true if the unit of a run
 * is a step, as an upload or a kernel that finishes one shows. A run has the traits of its symbols,
 * except uploads: whether one precedes the run is unknown.
 */
static int set_traits(struct dp_collapsing *out, bool *steps, const struct dp_collapsing *from)
{
	const struct dp_runs *given = &from->runs;

	*steps = false;
	if (!from->traits)
		return DP_OK;
	out->traits = dp_alloc__array(out->runs.alphabet, sizeof(*out->traits));
	if (!out->traits)
		return DP_ERR_NOMEM;
	memcpy(out->traits, from->traits, given->alphabet * sizeof(*out->traits));
	for (uint32_t s = given->alphabet; s < out->runs.alphabet; s++) {
		const struct dp_substring *unit = &out->runs.units[s - given->alphabet];
		uint8_t all = 0;

		for (size_t i = 0; i < unit->length; i++)
			all |= from->traits[given->symbols[unit->at + i]];
		*steps |= unit->length > dp_param.update_period && all & DP_TRAITS_OF_STEPS;
		out->traits[s] = all & ~DP_TRAIT_UPLOADED;
	}
	return DP_OK;
}

/*
 * Collapses the runs with the shortest period once more. *out stays empty if none are worth it, or
 * if they are steps.
 */
static int collapse_once(struct dp_collapsing *out, const struct dp_collapsing *from,
			 const struct dp_detection *d)
{
	const struct dp_runs *given = &from->runs;
	size_t period = dp_runs__shortest_period(given->symbols, given->count);
	bool steps = false;
	int status;

	memset(out, 0, sizeof(*out));
	if (!period)
		return DP_OK;
	status = dp_runs__collapse(&out->runs, given->symbols, given->count, given->alphabet,
				   period, !d->request->evidence.open_end);
	if (!status)
		status = dp_runs__bits(&out->run_bits, &out->runs, given->alphabet);
	if (!status)
		status = set_traits(out, &steps, from);
	out->run_bits += from->run_bits;
	if (steps)
		dp_collapsing__fini(out);
	for (size_t i = 0; !status && !steps && given->position && i <= out->runs.count; i++)
		out->runs.position[i] = given->position[out->runs.position[i]];
	return status;
}

/*
 * Releases a collapsed sequence if the runs hardly vary in length, or if the flat patterns are the
 * units, whose number is no edit: if a run is a part of a pattern, there are at least half as many
 * edits as its length varies by.
 */
static int drop_constant(struct dp_collapsing *c, const struct dp_detection *d,
			 const struct dp_levels *flat)
{
	size_t variation;
	int status = dp_runs__variation(&variation, &c->runs, d->sequence.alphabet);

	if (!status && ((double)variation <= dp_param.regular_edits * (double)flat->n ||
			flat->fit.edits * 2 < variation))
		dp_collapsing__fini(c);
	return status;
}

/* The kernels that the patterns of a collapsed sequence cover, which is aligned with them. */
static size_t covered_kernels(const struct dp_collapsing *c, const struct dp_alignment *al)
{
	size_t kernels = 0, before = 0;

	for (size_t k = 0; k < al->span_count; k++) {
		size_t begin = DP_MAX(al->spans[k].begin, before);

		before = DP_MAX(al->spans[k].end, begin);
		kernels += c->runs.position[before] - c->runs.position[begin];
	}
	return kernels;
}

/*
 * Returns true if more of what the flat patterns cover is hidden in runs than patterns show:
 * iterations that are all alike now are one symbol, which describes them best, but no pattern has
 * it.
 */
static bool hides_iterations(const struct dp_collapsing *c, struct dp_search_sequence *sequence,
			     const struct dp_levels *flat)
{
	size_t kernels = covered_kernels(c, &sequence->alignment);
	bool hides = kernels * 2 < flat->fit.covered;

	if (hides)
		dp_explain__add(sequence->explain, "collapsed",
				DP_FACTS({ "covered", "count", (double)kernels },
					 { "covered_before", "count", (double)flat->fit.covered },
					 { "taken", "count", 0 }),
				"the patterns found this way cover {covered:kernel} instead of "
				"{covered_before}: runs hide iterations, so they are not taken");
	return hides;
}

/* Finds the patterns of a collapsed sequence; *better: they are better than the best so far. */
static int search_collapsed(struct dp_collapsing *c, bool *better, const struct dp_collapsing *best,
			    const struct dp_detection *d, const struct dp_levels *flat)
{
	struct dp_search_sequence *sequence;
	struct dp_collapsed_search search;
	double below;
	bool hides;
	int status;

	dp_explain__add(d->sequence.explain, "collapsed",
			DP_FACTS({ "runs", "count", (double)c->runs.runs },
				 { "symbols", "count", (double)c->runs.count }),
			"%s: each of {runs:run} of a short unit becomes one symbol, and the "
			"sequence of {symbols} symbols is searched again",
			dp_levels__is_regular(flat)
				? "a short unit repeats a varying number of times"
				: "the patterns leave much unexplained");
	dp_collapsed_search__begin(&search, d, &c->runs);
	sequence = &search.detection.sequence;
	/* the pattern may be a group of iterations, each with an upload, and inner loops in each */
	status = dp_levels__find(&c->levels, sequence, c->traits, 0, false);
	hides = !status && c->levels.chosen.count && hides_iterations(c, sequence, flat);
	dp_collapsed_search__end(&search);
	c->bits = c->levels.fit.bits + c->run_bits;
	/* of regular patterns, those with fewer bits are better; others may just leave work out */
	below = dp_levels__is_regular(&c->levels) ? best->bits : dp_param.better * best->bits;
	*better = !status && !hides &&
		  dp_levels__is_better(&c->levels, c->bits, below, flat, d->sequence.explain,
				       "collapsed");
	return status;
}

int dp_collapsing__find(struct dp_collapsing *best, const struct dp_detection *d,
			const struct dp_levels *flat, uint8_t *traits)
{
	/* not collapsed yet; all is borrowed, so it is never released */
	const struct dp_collapsing whole = {
		.runs = { .symbols = (uint32_t *)(uintptr_t)d->sequence.symbols,
			  .count = d->request->count,
			  .alphabet = d->sequence.alphabet },
		.traits = traits,
	};
	struct dp_collapsing now, next;
	bool regular = dp_levels__is_regular(flat);
	int status;

	memset(best, 0, sizeof(*best));
	best->bits = INFINITY;
	/* too few for drop_constant() */
	if (regular && (double)flat->fit.edits * 2 <= dp_param.regular_edits * (double)flat->n)
		return DP_OK;
	status = collapse_once(&now, &whole, d);
	if (!status && regular && now.runs.runs)
		status = drop_constant(&now, d, flat);
	while (!status && now.runs.runs) {
		bool better = false;

		status = collapse_once(&next, &now, d);
		if (!status && next.runs.count * 2 <= now.runs.count)
			status = search_collapsed(&now, &better, best, d, flat);
		if (better) {
			dp_collapsing__fini(best);
			*best = now;
		} else {
			dp_collapsing__fini(&now);
		}
		now = next;
	}
	dp_collapsing__fini(&now);
	return status;
}
