/*
 * Turns accepted patterns into loops: alignment, exact names, phase, cut, confidence. Each pattern
 * gives at most one loop, if its confidence suffices. Called by tree.c, enclosing.c and loops.c.
 *
 * Cost: one alignment of the sequence per set of patterns, plus the cost of phase and cut.
 */
#include "base/parameters.h"
#include "iterate/boundary.h"
#include "iterate/seams.h"
#include "iterate/unlike.h"
#include "loops/driver.h"
#include "loops/features.h"

#include <string.h>

int dp_driver__add_mapped(struct dp_driver *d, struct dp_sequence_loop *from,
			  const uint32_t *position)
{
	struct dp_sequence_loop *loop = dp_driver__add(d);

	if (!loop)
		return DP_ERR_NOMEM;
	loop->found_by = from->found_by;
	loop->phase = from->phase;
	loop->confidence = from->confidence;
	loop->agreement = from->agreement;
	for (size_t i = 0; i < from->count && position; i++) {
		from->iterations[i].first = position[from->iterations[i].first];
		from->iterations[i].end = position[from->iterations[i].end];
	}
	return dp_marks__script(loop, d->request->symbols, from->iterations, from->count);
}

/* For offsets at which no iteration has a name: the first name of the family in the sequence. */
static int name_by_family(const struct dp_driver *d, const uint32_t *pattern, uint32_t *exact,
			  size_t m)
{
	uint32_t *first = dp_alloc__zeroed(d->sequence.alphabet, sizeof(*first));

	if (!first)
		return DP_ERR_NOMEM;
	for (size_t i = d->request->count; i-- > 0;)
		first[d->sequence.symbols[i]] = d->request->symbols[i];
	for (size_t o = 0; o < m; o++)
		if (exact[o] == DP_NONE)
			exact[o] = first[pattern[o]];
	free(first);
	return DP_OK;
}

/*
 * Finds the exact names of a pattern that was found by family: at each offset the majority over the
 * first iterations (Boyer and Moore's vote), or, if all of those differ from the pattern there, the
 * name in the first iteration that has one.
 */
static int name_exactly(const struct dp_driver *d, const struct dp_alignment *al, uint32_t index,
			const uint32_t *pattern, uint32_t *exact, size_t m)
{
	uint32_t *lead = dp_alloc__zeroed(m, sizeof(*lead));
	size_t rounds = 0, unnamed = m;

	if (!lead)
		return DP_ERR_NOMEM;
	memset(exact, 0xff, m * sizeof(*exact));
	for (size_t k = 0; k < al->span_count && (rounds < dp_param.named_sample || unnamed); k++) {
		struct dp_walk walk;
		struct dp_walk_step step;

		if (al->spans[k].pattern != index)
			continue;
		dp_walk__begin(&walk, al, k, m, 0);
		while ((rounds < dp_param.named_sample || unnamed) && dp_walk__next(&walk, &step)) {
			rounds += step.offset == 0 && step.kind != DP_EDIT_INSERTED;
			for (size_t i = 0; step.kind == DP_WALK_RUN && i < step.length; i++) {
				uint32_t symbol = d->request->symbols[step.at + i];
				size_t o = step.offset + i;

				if (rounds >= dp_param.named_sample && exact[o] != DP_NONE)
					continue;
				unnamed -= exact[o] == DP_NONE;
				if (lead[o] == 0)
					exact[o] = symbol;
				lead[o] = exact[o] == symbol ? lead[o] + 1 : lead[o] - 1;
			}
		}
	}
	free(lead);
	return unnamed ? name_by_family(d, pattern, exact, m) : DP_OK;
}

/* Patterns on their way to becoming loops. */
struct batch {
	struct dp_alignment alignment;
	struct dp_cut_pattern list[DP_PATTERNS_MAX];
	struct dp_cut cuts[DP_PATTERNS_MAX];
	struct dp_phase phases[DP_PATTERNS_MAX];
	uint32_t *exact[DP_PATTERNS_MAX];
	uint32_t *rotated[DP_PATTERNS_MAX];
	size_t count;
};

static void batch_fini(struct batch *b)
{
	dp_align__fini(&b->alignment);
	for (size_t i = 0; i < b->count; i++) {
		dp_cut__fini(&b->cuts[i]);
		free(b->exact[i]);
		free(b->rotated[i]);
	}
}

/* Moves the boundaries of each pattern's iterations to where the host's are. */
static int place_boundaries(struct dp_driver *d, struct batch *b)
{
	int status = DP_OK;

	for (size_t i = 0; i < b->count && !status; i++) {
		uint32_t *names =
			dp_driver__rotate(b->exact[i], b->list[i].length, b->list[i].first);

		status = names ? dp_boundary__place(b->cuts, b->count, i, d->request->symbols,
						    names, b->list[i].length, &d->request->evidence)
			       : DP_ERR_NOMEM;
		free(names);
	}
	return status;
}

static int batch_cut(struct dp_driver *d, struct batch *b, const struct dp_patterns *patterns,
		     const struct dp_phase_hints *hints)
{
	const struct dp_loops_request *r = d->request;
	struct dp_align_pattern list[DP_PATTERNS_MAX];
	int status = dp_search_sequence__take_alignment(&b->alignment, &d->sequence, patterns);

	for (size_t i = 0; i < patterns->count; i++)
		list[i] = (struct dp_align_pattern){ patterns->items[i].symbols,
						     patterns->items[i].length };
	b->count = patterns->count;
	for (size_t i = 0; i < b->count && !status; i++) {
		const struct dp_pattern *h = &patterns->items[i];

		b->exact[i] = dp_alloc__array(h->length, sizeof(*b->exact[i]));
		if (!b->exact[i])
			return DP_ERR_NOMEM;
		memcpy(b->exact[i], h->symbols, h->length * sizeof(*h->symbols));
		if (d->coarse)
			status = name_exactly(d, &b->alignment, (uint32_t)i, h->symbols,
					      b->exact[i], h->length);
		if (!status)
			status = dp_phase__find(&b->phases[i], &b->alignment, r->count, (uint32_t)i,
						h->symbols, h->length, &r->evidence, hints,
						r->explain);
		if (status)
			return status;
		b->rotated[i] = dp_driver__rotate(h->symbols, h->length, b->phases[i].first);
		if (!b->rotated[i])
			return DP_ERR_NOMEM;
		b->list[i] = (struct dp_cut_pattern){
			.exact = d->coarse ? b->exact[i] : NULL,
			.rotated = b->rotated[i],
			.length = h->length,
			.first = b->phases[i].first,
		};
		status = dp_seams__close(&b->alignment, d->sequence.symbols, list, (uint32_t)i,
					 b->phases[i].first);
	}
	if (!status)
		status = dp_cut__run(b->cuts, &b->alignment, r->symbols, d->sequence.symbols,
				     r->count, b->list, b->count);
	for (size_t i = 0; i < b->count && !status && !r->counts_count; i++)
		status = dp_unlike__remove(&b->cuts[i], &b->list[i], d->sequence.symbols);
	/* hints: a loop inside or around another begins where that one does, whatever the host does
	 */
	if (!status && !(hints && hints->count > 0))
		status = place_boundaries(d, b);
	return status;
}

/* How well a loop's iterations agree with its pattern: 1 less two edits per symbol. */
static double agreement(const struct dp_sequence_loop *loop)
{
	size_t symbols = 0;

	for (size_t i = 0; i < loop->count; i++)
		symbols += loop->iterations[i].end - loop->iterations[i].first;
	return symbols ? DP_MAX(1.0 - 2.0 * (double)loop->edit_count / (double)symbols, 0.0) : 0;
}

/*
 * A loop is listed if it is more likely a loop than not, wherever it begins. A running capture will
 * bring more evidence, so there a loop must be likely right as a whole.
 */
static bool is_listed(const struct dp_driver *d, const struct dp_confidence *c)
{
	return dp_confidence__listed(c) &&
	       (!d->request->evidence.goes_on || dp_confidence__of(c) >= dp_param.wait_for);
}

/* Turns one pattern of a batch into a loop. */
static int batch_loop(struct dp_driver *d, struct batch *b, size_t i, enum dp_found_by found_by,
		      enum dp_standing standing)
{
	struct dp_sequence_loop *loop, view = {
		.found_by = found_by,
		.iterations = b->cuts[i].iterations,
		.count = b->cuts[i].count,
		.edit_count = b->cuts[i].edit_count - b->cuts[i].renamed,
	};
	struct dp_judged judged = {
		.driver = d,
		.alignment = &b->alignment,
		.pattern = (uint32_t)i,
		.length = b->list[i].length,
		.cut = &b->cuts[i],
		.phase = &b->phases[i],
		.standing = standing,
	};
	double sure;
	bool listed;

	if (b->cuts[i].complete == 0)
		return DP_OK;
	view.agreement = agreement(&view);
	if (dp_features__gather(&view.confidence, &judged))
		dp_confidence__judge(&view.confidence);
	else if (found_by == DP_FOUND_BY_AUTO && !d->keep_all)
		return DP_OK;
	dp_confidence__explain(&view.confidence, d->request->explain, b->list[i].length,
			       b->cuts[i].complete);
	listed = found_by != DP_FOUND_BY_AUTO || d->keep_all || is_listed(d, &view.confidence);
	sure = dp_confidence__of(&view.confidence);
	dp_explain__add(d->request->explain, "loop",
			DP_FACTS({ "length", "count", (double)b->list[i].length },
				 { "iterations", "count", (double)b->cuts[i].complete },
				 { "confidence", "1", sure }, { "listed", "count", listed }),
			"a loop of {length:symbol} with {iterations:whole iteration}: {confidence} "
			"confidence%s",
			listed ? "" : ", too little to list it");
	if (!listed) {
		if (sure >= d->loops->best_confidence) {
			d->loops->best_confidence = sure;
			d->loops->best_length = b->list[i].length;
			d->loops->best_iterations = b->cuts[i].complete;
			d->loops->best_coverage =
				(double)b->cuts[i].covered / (double)d->request->count;
		}
		return DP_OK;
	}
	loop = dp_driver__add(d);
	if (!loop)
		return DP_ERR_NOMEM;
	loop->found_by = found_by;
	loop->chosen = found_by == DP_FOUND_BY_COUNT;
	loop->confidence = view.confidence;
	loop->agreement = view.agreement;
	loop->few = standing == DP_STANDING_FEW ||
		    (standing == DP_STANDING_BARE && !b->phases[i].is_step &&
		     b->cuts[i].complete < dp_param.bare_few);
	loop->length = b->list[i].length;
	loop->phase = b->phases[i].decided_by;
	loop->pattern = dp_driver__rotate(b->exact[i], loop->length, b->list[i].first);
	if (!loop->pattern)
		return DP_ERR_NOMEM;
	dp_driver__take_cut(loop, &b->cuts[i]);
	loop->occurrences = dp_loops__equal(loop);
	return DP_OK;
}

/*
 * Turns the patterns of one level into loops. made[i] is the index of pattern i's loop, or DP_NONE.
 * Rare ones come last: if none of the others is a loop, they are next to none, and prove as little
 * as any.
 */
int dp_driver__level(struct dp_driver *d, const struct dp_patterns *patterns, uint32_t *made,
		     const enum dp_standing *standing, const struct dp_phase_hints *hints)
{
	enum dp_found_by by = d->request->counts_count ? DP_FOUND_BY_COUNT : DP_FOUND_BY_AUTO;
	struct batch b = { .count = 0 };
	size_t others = d->loops->count;
	int status = DP_OK;

	if (patterns->count > 0)
		status = batch_cut(d, &b, patterns, hints);
	for (size_t k = 0; k < 2 * b.count && !status; k++) {
		size_t i = k % b.count, before = d->loops->count;
		enum dp_standing own = standing ? standing[i] : DP_STANDING_OTHER;

		if ((own == DP_STANDING_RARE) != (k >= b.count))
			continue;
		if (own == DP_STANDING_RARE && before == others)
			own = DP_STANDING_BARE;
		status = batch_loop(d, &b, i, by, own);
		made[i] = d->loops->count > before ? (uint32_t)before : DP_NONE;
	}
	batch_fini(&b);
	return status;
}
