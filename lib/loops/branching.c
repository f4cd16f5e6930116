/*
 * Iterations that branch. If a program does one thing or another in each iteration, no pattern
 * describes them, but what all of them share still occurs once in each: the members, symbols that
 * occur equally often and alternate. An iteration extends from one occurrence of the start, the
 * member that comes first, to the next. Runs are collapsed beforehand, so that an inner loop
 * counts as one symbol, however often it runs.
 *
 * Cost: O(n log n) for n symbols of the collapsed sequence, and one pass over the sequence for each
 * symbol that may be the start.
 */
#include "loops/searches.h"
#include "base/parameters.h"
#include "base/sort.h"
#include "pattern/runs.h"

#include <math.h>

/* The positions of each symbol of a sequence: of symbol s, where[first[s]] to where[first[s + 1]].
 */
struct occurrences {
	uint32_t *where;
	size_t *first;
	size_t *distances; /* scratch */
	const struct dp_runs *runs;
};

static int count_symbols(struct occurrences *o, const struct dp_runs *runs)
{
	*o = (struct occurrences){ .runs = runs };
	o->where = dp_alloc__array(runs->count, sizeof(*o->where));
	o->distances = dp_alloc__array(runs->count, sizeof(*o->distances));
	o->first = dp_alloc__zeroed((size_t)runs->alphabet + 1, sizeof(*o->first));
	if (!o->where || !o->distances || !o->first)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < runs->count; i++)
		o->first[runs->symbols[i]]++;
	/* where each symbol's positions end; filling them from behind moves it to where they begin
	 */
	for (size_t s = 1; s <= runs->alphabet; s++)
		o->first[s] += o->first[s - 1];
	for (size_t i = runs->count; i-- > 0;)
		o->where[--o->first[runs->symbols[i]]] = (uint32_t)i;
	return DP_OK;
}

static void occurrences_fini(struct occurrences *o)
{
	free(o->where);
	free(o->first);
	free(o->distances);
}

static size_t count_of(const struct occurrences *o, uint32_t symbol)
{
	return o->first[symbol + 1] - o->first[symbol];
}

/*
 * The median distance between a symbol's occurrences; 0 unless they span the sequence and are
 * regular: most are within a factor of two of the median, which is more than a run of the symbol.
 */
static size_t regular_distance(const struct occurrences *o, uint32_t symbol)
{
	const uint32_t *where = o->where + o->first[symbol];
	size_t count = count_of(o, symbol), near = 0, median;

	if (count < dp_param.branch_iterations ||
	    (double)(where[count - 1] - where[0]) <
		    dp_param.branch_spanned * (double)o->runs->count)
		return 0;
	for (size_t i = 0; i + 1 < count; i++)
		o->distances[i] = where[i + 1] - where[i];
	dp_sort__size(o->distances, count - 1);
	median = o->distances[(count - 1) / 2];
	for (size_t i = 0; i + 1 < count; i++)
		near += o->distances[i] * 2 >= median && o->distances[i] <= 2 * median;
	return median > 1 && (double)near >= dp_param.branch_regular * (double)(count - 1) ? median
											   : 0;
}

/* Returns true if the occurrences of two symbols, which are equally many, alternate. */
static bool alternate(const struct occurrences *o, uint32_t a, uint32_t b)
{
	const uint32_t *x = o->where + o->first[a], *y = o->where + o->first[b];
	size_t count = count_of(o, a);

	for (size_t i = 0; i < count; i++)
		if (x[i] > y[i] || (i + 1 < count && y[i] > x[i + 1]))
			return false;
	return true;
}

/* The first of the members: a regular symbol that alternates with others that occur as often. */
static uint32_t find_start(const struct occurrences *o, size_t *distance)
{
	uint32_t best = DP_NONE;
	size_t most = 0, best_members = 0;

	for (uint32_t s = 0; s < o->runs->alphabet; s++) {
		size_t median = regular_distance(o, s), members = 0;

		if (!median || count_of(o, s) < most)
			continue;
		for (uint32_t t = 0; t < o->runs->alphabet; t++)
			members += count_of(o, t) == count_of(o, s) && alternate(o, s, t);
		if (members < dp_param.branch_members ||
		    (double)(members * count_of(o, s)) <
			    dp_param.branch_shared * (double)o->runs->count)
			continue;
		/* a branch occurs less often; of equal counts the first in an iteration wins */
		if (count_of(o, s) == most &&
		    (members < best_members ||
		     (members == best_members && o->where[o->first[s]] > o->where[o->first[best]])))
			continue;
		most = count_of(o, s);
		best_members = members;
		best = s;
		*distance = median;
	}
	return best;
}

/* Cuts from each occurrence of the start to the next, in positions of the detection's sequence. */
static void cut_at(struct dp_sequence_iteration *iterations, const struct occurrences *o,
		   uint32_t start)
{
	const uint32_t *where = o->where + o->first[start];
	size_t count = count_of(o, start);

	for (size_t i = 0; i < count; i++) {
		size_t end = i + 1 < count ? where[i + 1] : o->runs->count;

		iterations[i].first = o->runs->position[where[i]];
		iterations[i].end = o->runs->position[end];
	}
}

/*
 * Alternating kinds of layers share kernels, too. But a program uploads or waits before most of its
 * iterations, which it does not do per layer.
 */
static bool may_be_layers(const struct dp_detection *d, const struct occurrences *o, uint32_t start)
{
	const struct dp_evidence *evidence = &d->request->evidence;
	const uint32_t *where = o->where + o->first[start];
	size_t count = count_of(o, start), held = 0;

	if (count >= dp_param.layers_max)
		return false;
	for (size_t i = 0; i < count && evidence->at; i++) {
		struct dp_evidence_at at = dp_evidence__look(evidence, o->runs->position[where[i]]);

		held += at.after_upload || at.after_sync;
	}
	return held * 2 < count;
}

/*
 * Iterations that branch are unlike each other, so edits are not evidence; for their irregular
 * distances, as many count as a regular description has at most. As they span the sequence, they
 * reach both of its ends.
 */
static void judge_branching(struct dp_sequence_loop *loop)
{
	dp_loops__judge(loop);
	loop->confidence.feature[DP_FEATURE_EDITS] = sqrt(dp_param.regular_edits);
	loop->confidence.feature[DP_FEATURE_ENDS] = 2;
	dp_confidence__judge(&loop->confidence);
}

static int add_loop(struct dp_detection *d, const struct occurrences *o, uint32_t start)
{
	size_t count = count_of(o, start);
	struct dp_sequence_iteration *iterations = dp_alloc__zeroed(count, sizeof(*iterations));
	struct dp_sequence_loop *loop;

	if (!iterations)
		return DP_ERR_NOMEM;
	cut_at(iterations, o, start);
	loop = dp_loops__add_known(d->loops, d->request->symbols, iterations, count);
	free(iterations);
	if (!loop)
		return DP_ERR_NOMEM;
	loop->found_by = DP_FOUND_BY_AUTO;
	loop->phase_by = DP_PHASE_COMPLETE;
	judge_branching(loop);
	dp_confidence__explain(&loop->confidence, d->request->explain, loop->length,
			       dp_loops__whole(loop));
	return DP_OK;
}

int dp_branching__find(struct dp_detection *d)
{
	struct occurrences o = { .where = NULL };
	uint32_t start = DP_NONE;
	struct dp_runs runs;
	size_t distance = 0;
	int status = dp_runs__collapse(&runs, d->sequence.symbols, d->request->count,
				       d->sequence.alphabet, 0, true);

	if (!status && runs.alphabet <= dp_param.branch_alphabet)
		status = count_symbols(&o, &runs);
	if (!status && o.where)
		start = find_start(&o, &distance);
	if (start != DP_NONE && !may_be_layers(d, &o, start)) {
		dp_explain__add(d->request->explain, "branching",
				DP_FACTS({ "iterations", "count", (double)count_of(&o, start) },
					 { "gap", "count", (double)distance }),
				"no pattern describes most of the sequence, but symbols that "
				"alternate occur {iterations:time} each, at a median distance of "
				"{gap}: iterations begin at the first of them, and these replace "
				"the loops found before");
		dp_loops__clear(d->loops);
		status = add_loop(d, &o, start);
	}
	occurrences_fini(&o);
	dp_runs__fini(&runs);
	return status;
}
