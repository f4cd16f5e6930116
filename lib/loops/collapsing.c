/*
 * Searches a sequence with its runs collapsed: those with the shortest period first, then
 * those of what results, and so on, until the loop itself is one run. Iterations that differ
 * in how often the loops inside them run are then alike.
 *
 * Cost: each sequence that is searched has at most half of the symbols of the one before.
 */
#include "loops/collapsing.h"
#include "base/parameters.h"
#include "loops/shortened.h"

#include <math.h>
#include <string.h>

void dp_collapsing__fini(struct dp_collapsing *c)
{
	dp_runs__fini(&c->runs);
	dp_levels__fini(&c->levels);
	free(c->traits);
	memset(c, 0, sizeof(*c));
}

/*
 * The traits of collapsed symbols, whose sequence and alphabet these are: a run has those of its
 * symbols, except uploads, since whether one precedes it is unknown.
 */
static uint8_t *traits_of_runs(const struct dp_runs *runs, const uint32_t *symbols,
			       uint32_t alphabet, const uint8_t *traits)
{
	uint8_t *out = dp_alloc__zeroed(runs->alphabet, sizeof(*out));

	if (!out)
		return NULL;
	memcpy(out, traits, alphabet * sizeof(*out));
	for (uint32_t s = alphabet; s < runs->alphabet; s++) {
		const struct dp_substring *unit = &runs->units[s - alphabet];

		for (size_t i = 0; i < unit->length; i++)
			out[s] |= traits[symbols[unit->at + i]] & ~DP_TRAIT_UPLOADED;
	}
	return out;
}

/* Returns true if the unit of a run is a step: an upload or a kernel that finishes one shows. */
static bool has_step_runs(const struct dp_runs *runs, const uint32_t *symbols, uint32_t alphabet,
			  const uint8_t *traits)
{
	for (uint32_t s = alphabet; traits && s < runs->alphabet; s++) {
		const struct dp_substring *unit = &runs->units[s - alphabet];

		for (size_t i = 0; i < unit->length; i++)
			if (unit->length > dp_param.update_period &&
			    traits[symbols[unit->at + i]] & DP_TRAITS_OF_STEPS)
				return true;
	}
	return false;
}

/*
 * Collapses the runs with the shortest period in the detection's sequence or, if it has symbols
 * already, in *from. *out stays empty if none are worth it, or if they are steps.
 */
static int collapse(struct dp_collapsing *out, const struct dp_collapsing *from,
		    const struct dp_detection *d)
{
	bool first = !from->runs.symbols;
	const uint32_t *symbols = first ? d->sequence.symbols : from->runs.symbols;
	size_t count = first ? d->request->count : from->runs.count;
	uint32_t alphabet = first ? d->sequence.alphabet : from->runs.alphabet;
	size_t period = dp_runs__shortest_period(symbols, count);
	int status;

	memset(out, 0, sizeof(*out));
	if (!period)
		return DP_OK;
	status = dp_runs__collapse(&out->runs, symbols, count, alphabet, period,
				   !d->request->evidence.open_end);
	if (!status)
		status = dp_runs__bits(&out->run_bits, &out->runs, alphabet);
	if (!status && from->traits) {
		out->traits = traits_of_runs(&out->runs, symbols, alphabet, from->traits);
		status = out->traits ? DP_OK : DP_ERR_NOMEM;
	}
	out->run_bits += from->run_bits;
	if (!status && has_step_runs(&out->runs, symbols, alphabet, from->traits)) {
		dp_collapsing__fini(out);
		return DP_OK;
	}
	for (size_t i = 0; !status && !first && i <= out->runs.count; i++)
		out->runs.position[i] = from->runs.position[out->runs.position[i]];
	return status;
}

/* Finds the patterns of a collapsed sequence. */
static int search(struct dp_collapsing *c, const struct dp_detection *d)
{
	struct dp_shortened shortened;
	int status;

	dp_explain__add(d->sequence.explain, "collapsed",
			DP_FACTS({ "runs", "count", (double)c->runs.runs },
				 { "symbols", "count", (double)c->runs.count }),
			"the patterns leave much unexplained: each of {runs:run} of "
			"something short becomes one symbol, and the sequence of {symbols} symbols "
			"is searched again");
	dp_shortened__begin(&shortened, d, c->runs.symbols, c->runs.count, c->runs.alphabet,
			    c->runs.position);
	status = dp_levels__find(&c->levels, &shortened.detection.sequence, c->traits, 0, false);
	c->bits = c->levels.fit.bits + c->run_bits;
	dp_shortened__end(&shortened);
	return status;
}

int dp_collapsing__find(struct dp_collapsing *best, const struct dp_detection *d,
			const struct dp_levels *flat, uint8_t *traits)
{
	struct dp_collapsing uncollapsed = { .traits = traits }; /* borrowed, so never released */
	struct dp_collapsing now, next;
	int status = collapse(&now, &uncollapsed, d);

	memset(best, 0, sizeof(*best));
	best->bits = INFINITY;
	while (!status && now.runs.runs) {
		bool better = false;

		status = collapse(&next, &now, d);
		if (!status && next.runs.count * 2 <= now.runs.count) {
			status = search(&now, d);
			better = !status &&
				 dp_levels__is_better(&now.levels, now.bits,
						      dp_param.better * best->bits, flat,
						      &d->sequence, now.runs.count, "collapsed");
		}
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
