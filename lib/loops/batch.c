/*
 * Turns accepted patterns into loops: alignment, exact names, phase, cut, confidence. Each pattern
 * gives at most one loop, if its confidence suffices. Called by tree.c, enclosing.c and loops.c.
 *
 * Cost: one alignment of the sequence per set of patterns, plus the cost of phase and cut.
 */
#include "base/parameters.h"
#include "iterate/seams.h"
#include "iterate/corrections.h"
#include "loops/detection.h"
#include "loops/features.h"

#include <string.h>

/* For offsets at which no iteration has a name: the first name of the family in the sequence. */
static int name_by_family(const struct dp_detection *d, const uint32_t *pattern, uint32_t *exact,
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
static int name_exactly(const struct dp_detection *d, const struct dp_alignment *al, uint32_t index,
			const uint32_t *pattern, uint32_t *exact, size_t m)
{
	uint32_t *votes = dp_alloc__zeroed(m, sizeof(*votes));
	size_t iterations = 0, unnamed = m;

	if (!votes)
		return DP_ERR_NOMEM;
	memset(exact, 0xff, m * sizeof(*exact));
	for (size_t k = 0; k < al->span_count && (iterations < dp_param.named_sample || unnamed);
	     k++) {
		struct dp_walk walk;
		struct dp_walk_item item;

		if (al->spans[k].pattern != index)
			continue;
		dp_walk__begin(&walk, al, k, m, 0);
		while ((iterations < dp_param.named_sample || unnamed) &&
		       dp_walk__next(&walk, &item)) {
			iterations += item.offset == 0 && item.kind != DP_EDIT_INSERTED;
			for (size_t i = 0; item.kind == DP_WALK_MATCH && i < item.length; i++) {
				uint32_t symbol = d->request->symbols[item.at + i];
				size_t o = item.offset + i;

				if (iterations >= dp_param.named_sample && exact[o] != DP_NONE)
					continue;
				unnamed -= exact[o] == DP_NONE;
				if (votes[o] == 0)
					exact[o] = symbol;
				votes[o] = exact[o] == symbol ? votes[o] + 1 : votes[o] - 1;
			}
		}
	}
	free(votes);
	return unnamed ? name_by_family(d, pattern, exact, m) : DP_OK;
}

/* Patterns on their way to becoming loops. */
struct batch {
	struct dp_alignment alignment;
	struct dp_cut_pattern list[DP_PATTERNS_MAX];
	struct dp_cut cuts[DP_PATTERNS_MAX];
	struct dp_phase phases[DP_PATTERNS_MAX];
	struct dp_cut_changes seams[DP_PATTERNS_MAX];
	/* each pattern's exact names and its symbols, from the first of an iteration on */
	uint32_t *exact[DP_PATTERNS_MAX], *rotated[DP_PATTERNS_MAX];
	size_t count;
	size_t single; /* symbols that patterns of one cover */
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

/* Finds the exact names and the phase of pattern i, and thereby what to cut by. */
static int prepare_pattern(struct batch *b, size_t i, const struct dp_detection *d,
			   const struct dp_pattern *pattern, const struct dp_phase_hints *hints)
{
	const struct dp_loops_request *r = d->request;
	size_t m = pattern->length, *first = &b->phases[i].first;
	struct dp_phase_case of = {
		.alignment = &b->alignment,
		.sequence = d->sequence.symbols,
		.symbols = pattern->symbols,
		.n = r->count,
		.m = m,
		.pattern = (uint32_t)i,
		.evidence = r->evidence,
	};
	uint32_t *names = dp_pattern__repeat(pattern->symbols, m, 0, m);
	int status = names ? DP_OK : DP_ERR_NOMEM;

	if (!status && d->coarse)
		status = name_exactly(d, &b->alignment, (uint32_t)i, pattern->symbols, names, m);
	if (hints)
		of.hints = *hints;
	if (!status)
		status = dp_phase__find(&b->phases[i], &of, r->explain);
	if (!status) {
		b->exact[i] = dp_pattern__repeat(names, m, *first, m);
		b->rotated[i] = dp_pattern__repeat(pattern->symbols, m, *first, m);
		b->list[i] = (struct dp_cut_pattern){ d->coarse ? b->exact[i] : b->rotated[i],
						      b->rotated[i], m, *first };
		status = b->exact[i] && b->rotated[i] ? DP_OK : DP_ERR_NOMEM;
	}
	free(names);
	return status;
}

/* Aligns the patterns, closes the seams of each once its phase is known, and cuts. */
static int batch_cut(struct batch *b, struct dp_detection *d, const struct dp_patterns *patterns,
		     const struct dp_phase_hints *hints)
{
	const struct dp_loops_request *r = d->request;
	const struct dp_cut_source source = { &b->alignment, r->symbols, d->sequence.symbols,
					      r->count };
	struct dp_align_pattern list[DP_PATTERNS_MAX];
	int status = dp_search_sequence__take_alignment(&b->alignment, &d->sequence, patterns);

	b->count = patterns->count;
	for (size_t i = 0; i < b->count; i++)
		list[i] = (struct dp_align_pattern){ patterns->items[i].symbols,
						     patterns->items[i].length };
	for (size_t i = 0; i < b->count && !status; i++) {
		status = prepare_pattern(b, i, d, &patterns->items[i], hints);
		/* those of the last one with others are closed by then */
		if (!status && i + 1 < b->count)
			status = dp_seams__close(&b->alignment, d->sequence.symbols, list,
						 (uint32_t)i, b->phases[i].first, b->seams);
	}
	if (!status)
		status = dp_cut__run(b->cuts, &source, b->list, b->count);
	for (size_t i = 0; i < b->count && !status; i++) {
		b->cuts[i].changes.of[DP_CUT_CHANGE_SEAM] = b->seams[i].of[DP_CUT_CHANGE_SEAM];
		if (!r->counts_count)
			status = dp_unlike__remove(&b->cuts[i], &b->list[i], &source);
	}
	/* with hints: where the loop inside or around it begins, whatever the host does */
	for (size_t i = 0; i < b->count && !status && !(hints && hints->count > 0); i++)
		status = dp_uploads__move_starts(b->cuts, b->count, i, &b->list[i], r->symbols,
						 &r->evidence);
	for (size_t i = 0; i < b->count && !status; i++)
		status = dp_cut__number_variants(&b->cuts[i], r->symbols);
	return status;
}

/*
 * A loop is listed if it is more likely a loop than not, wherever it begins. A running capture will
 * bring more evidence, so there a loop must be likely right as a whole.
 */
static bool is_listed(const struct dp_detection *d, const struct dp_confidence *c)
{
	return dp_confidence__listed(c) &&
	       (!d->request->evidence.goes_on || dp_confidence__of(c) >= dp_param.wait_for);
}

static void explain_loop(const struct dp_detection *d, size_t length, size_t iterations,
			 double confidence, bool listed, bool kept)
{
	dp_explain__add(d->request->explain, "loop",
			DP_FACTS({ "length", "count", (double)length },
				 { "iterations", "count", (double)iterations },
				 { "confidence", "1", confidence }, { "listed", "count", listed }),
			"a loop of {length:symbol} with {iterations:whole iteration}: {confidence} "
			"confidence%s",
			listed ? ""
			: kept ? ", too little to list it, but kept for -n"
			       : ", too little to list it");
}

/* Explains why a row of one kernel is no loop, see dp_features__gather(). */
static void explain_single(struct dp_explain *explain, const struct dp_cut *cut, double share)
{
	dp_explain__add(
		explain, "loop",
		DP_FACTS({ "length", "count", 1 }, { "iterations", "count", (double)cut->whole },
			 { "share", "1", share },
			 { "in_row", "count", (double)dp_param.layers_max },
			 { "listed", "count", 0 }),
		"{length:symbol} with {iterations:whole iteration} is not listed: one kernel is a "
		"loop if it has one name and repeats {in_row} times in a row on average, and if "
		"such kernels are more than half of the sequence (here {share})");
}

/* Notes a loop that is not listed if it is the best of them. */
static void note_best(struct dp_detection *d, const struct dp_cut *cut, size_t length,
		      const struct dp_confidence *confidence)
{
	if (dp_confidence__of(confidence) >= d->loops->best.confidence)
		d->loops->best = (struct dp_unlisted){
			.length = length,
			.coverage = (double)cut->covered / (double)d->request->count,
			.confidence = dp_confidence__of(confidence),
			.iterations = cut->whole,
			.layers = confidence->feature[DP_FEATURE_LAYERS] > 0,
		};
}

/* Adds the loop of pattern i to the detection's. */
static int add_loop(struct dp_detection *d, struct batch *b, size_t i, enum dp_pattern_kind kind,
		    const struct dp_confidence *confidence)
{
	struct dp_sequence_loop *loop = dp_loops__add(d->loops);

	if (!loop)
		return DP_ERR_NOMEM;
	loop->chosen = d->request->counts_count > 0;
	loop->found_by = loop->chosen ? DP_FOUND_BY_COUNT : DP_FOUND_BY_AUTO;
	loop->confidence = *confidence;
	loop->may_be_pass =
		kind == DP_PATTERN_FEW || (kind == DP_PATTERN_BARE && !b->phases[i].is_step &&
					   b->cuts[i].whole < dp_param.bare_least);
	loop->length = b->list[i].length;
	loop->phase_by = b->phases[i].decided_by;
	loop->pattern = b->exact[i];
	b->exact[i] = NULL;
	dp_detection__take_cut(loop, &b->cuts[i]);
	loop->occurrences = dp_loops__equal(loop);
	return DP_OK;
}

/*
 * Judges the loop of pattern i, and adds it if it is listed or may have the number of -n; *made
 * receives its index, or DP_NONE.
 */
static int make_loop(uint32_t *made, struct dp_detection *d, struct batch *b, size_t i,
		     enum dp_pattern_kind kind)
{
	const struct dp_cut *cut = &b->cuts[i];
	size_t length = b->list[i].length;
	bool kept = d->keep_all || d->request->counts_count, listed;
	struct dp_explain *explain = d->request->explain;
	struct dp_confidence confidence;
	struct dp_judged judged = {
		.detection = d,
		.alignment = &b->alignment,
		.pattern = (uint32_t)i,
		.length = length,
		.single = b->single,
		.cut = cut,
		.phase = &b->phases[i],
		.kind = kind,
	};

	*made = DP_NONE;
	dp_cut_changes__explain(explain, cut, &b->list[i], d->request->symbols);
	if (cut->whole == 0)
		return DP_OK;
	if (dp_features__gather(&confidence, &judged)) {
		dp_confidence__judge(&confidence);
	} else if (!kept) {
		explain_single(explain, cut, (double)b->single / (double)d->request->count);
		return DP_OK;
	}
	dp_confidence__explain(&confidence, explain, length, cut->whole);
	listed = is_listed(d, &confidence);
	explain_loop(d, length, cut->whole, dp_confidence__of(&confidence), listed, kept);
	if (listed || kept) {
		*made = (uint32_t)d->loops->count;
		return add_loop(d, b, i, kind, &confidence);
	}
	note_best(d, cut, length, &confidence);
	return DP_OK;
}

int dp_detection__make_loops(uint32_t *made, struct dp_detection *d,
			     const struct dp_patterns *patterns, const struct dp_phase_hints *hints)
{
	const struct dp_pattern *p = patterns->items;
	struct batch b = { .count = 0 };
	size_t before = d->loops->count;
	int status = patterns->count > 0 ? batch_cut(&b, d, patterns, hints) : DP_OK;

	for (size_t i = 0; i < b.count; i++)
		b.single += b.list[i].length == 1 ? b.cuts[i].covered : 0;
	for (size_t i = 0; i < b.count && !status; i++)
		if (p[i].kind != DP_PATTERN_SHORT)
			status = make_loop(&made[i], d, &b, i, p[i].kind);
	/* if no other is a loop, short ones are next to none, and prove as little as any */
	for (size_t i = 0; i < b.count && !status; i++)
		if (p[i].kind == DP_PATTERN_SHORT)
			status = make_loop(&made[i], d, &b, i,
					   d->loops->count > before ? DP_PATTERN_SHORT
								    : DP_PATTERN_BARE);
	batch_fini(&b);
	return status;
}
