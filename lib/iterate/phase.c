/*
 * The phase of a loop: gathers the evidence, adds the weighted scores of all votes per offset, and
 * takes the offset with the largest sum. Its margin over the next best is a feature of the
 * confidence.
 *
 * Cost: O(length) memory and time, and one walk through the alignment.
 */
#include "iterate/phase.h"
#include "base/parameters.h"
#include "iterate/votes.h"

#include <math.h>
#include <string.h>

/* The first kernel with a launch after kernels without: launches were recorded from there on. */
static size_t find_first_launch(const struct dp_evidence *evidence, size_t n)
{
	size_t most =
		evidence->at && evidence->launches_recorded ? DP_MIN(n, dp_param.head_max) : 0;

	for (size_t first = 0; first < most; first++)
		if (dp_evidence__look(evidence, first).has_launch)
			return first;
	return 0;
}

/* Gathers all evidence that votes use. The ballot owns what is allocated, also after a failure. */
static int prepare(struct dp_ballot *b)
{
	struct dp_span_ends *spans = dp_alloc__array(b->alignment->span_count, sizeof(*spans));
	bool hinted = b->hints.count > 0;
	int status = DP_OK;

	b->spans = spans;
	b->scratch = dp_alloc__array(b->m + 1, sizeof(*b->scratch));
	if (hinted)
		b->hinted = dp_alloc__zeroed(b->m, sizeof(*b->hinted));
	if (!spans || !b->scratch || (hinted && !b->hinted))
		return DP_ERR_NOMEM;
	b->first_launch = find_first_launch(&b->evidence, b->n);
	/* kernels still running when recording began are there by chance */
	b->clipped_begin = b->first_launch > 0 || b->evidence.clipped_begin;
	b->clipped_end = b->evidence.clipped_end;
	dp_votes__span_ends(b, spans);
	if (hinted) {
		dp_votes__hinted(b, b->hinted);
		return DP_OK;
	}
	b->observed = b->evidence.at;
	if (b->observed)
		status = dp_offsets__gather(&b->offsets, b->alignment, b->pattern, b->m,
					    &b->evidence);
	if (!status)
		dp_optimizer__find(&b->optimizer, b->symbols, b->m,
				   b->offsets.has[DP_SIGN_OPTIMIZER],
				   b->offsets.has[DP_SIGN_MOVES]);
	return status;
}

/* Sums of votes that differ by less differ by rounding. */
#define ROUNDING 1e-9

/* Scores all offsets by one vote. */
static void score_by(double *score, const struct dp_ballot *b, const struct dp_vote *vote)
{
	memset(score, 0, b->m * sizeof(*score));
	vote->score(b, score);
}

/* Sets sum[0..m) to the weighted sum of all votes. */
static void add_votes(double *sum, double *score, const struct dp_ballot *b)
{
	memset(sum, 0, b->m * sizeof(*sum));
	for (size_t v = 0; v < dp_vote_count; v++) {
		score_by(score, b, &dp_votes[v]);
		for (size_t o = 0; o < b->m; o++)
			sum[o] += *dp_votes[v].weight * score[o];
	}
}

/*
 * Chooses the offset with the largest sum, and the next best. Of offsets with equal sums, the one
 * at which the first span begins wins, or the next after it.
 */
static void choose(struct dp_phase *phase, const struct dp_ballot *b, const double *sum)
{
	size_t start = b->span_count ? b->spans[0].begin : 0;
	double best = -INFINITY, next = -INFINITY;

	for (size_t i = 0; i < b->m; i++) {
		size_t o = (start + i) % b->m;

		if (sum[o] > best + ROUNDING) {
			next = best;
			phase->next = phase->first;
			best = sum[o];
			phase->first = o;
		} else if (sum[o] > next) {
			next = sum[o];
			phase->next = o;
		}
	}
	phase->margin = best - next;
}

/*
 * Explains what a vote gives the first offset and the next best, unless it gives neither anything.
 */
static void explain_vote(struct dp_explain *explain, const struct dp_ballot *b,
			 const struct dp_vote *vote, double first, double next)
{
	if (first == 0 && next == 0)
		return;
	dp_explain__add(explain, "vote",
			DP_FACTS({ "weight", "log-odds", *vote->weight },
				 { "first", "log-odds", first }, { "next", "log-odds", next }),
			"%s: %s; {first} for the first, {next} for the second", vote->name,
			vote->why ? vote->why : b->hints.why);
}

enum { KINDS = DP_PHASE_MARKS + 1 }; /* of evidence: DP_PHASE_MARKS is the last */

/*
 * Explains the votes on the first offset and the next best, and finds the kind of evidence that
 * most separates the two.
 */
static void attribute(struct dp_phase *phase, double *score, const struct dp_ballot *b,
		      struct dp_explain *explain)
{
	double margin[KINDS] = { 0 }, most = 0;

	for (size_t v = 0; v < dp_vote_count; v++) {
		double weight = *dp_votes[v].weight, first, next;

		score_by(score, b, &dp_votes[v]);
		first = score[phase->first];
		next = score[phase->next];
		margin[dp_votes[v].evidence] += weight * (first - next);
		explain_vote(explain, b, &dp_votes[v], weight * first, weight * next);
	}
	for (int kind = 0; kind < KINDS && b->m > 1; kind++)
		if (margin[kind] > 0 && margin[kind] >= most) {
			most = margin[kind];
			phase->decided_by = (enum dp_phase_evidence)kind;
		}
}

/* The name of the symbol at an offset of the pattern, from the first iteration that has it. */
static const char *name_at(const struct dp_ballot *b, size_t offset, struct dp_explain *explain)
{
	struct dp_walk_item item;
	struct dp_walk walk;

	for (size_t k = 0; k < b->alignment->span_count && explain; k++) {
		if (b->alignment->spans[k].pattern != b->pattern)
			continue;
		dp_walk__begin(&walk, b->alignment, k, b->m, 0);
		while (dp_walk__next(&walk, &item))
			if (item.kind == DP_WALK_MATCH && offset >= item.offset &&
			    offset < item.offset + item.length)
				return dp_explain__name(explain, item.at + offset - item.offset);
	}
	return "";
}

/* What decided where iterations begin, in words. */
static const char *reason(enum dp_phase_evidence decided_by)
{
	return decided_by == DP_PHASE_NONE	 ? "nothing"
	       : decided_by == DP_PHASE_COMPLETE ? "both ends of the loop"
						 : dp_phase_name(decided_by);
}

/* An offset of the pattern, counted from the one that iterations start with. */
static double place_of(const struct dp_phase *phase, size_t offset, size_t m)
{
	return (double)dp_offset__move(offset, phase->first, m, -1);
}

/* Decides by the votes, and explains the decision. scratch has room for two values per offset. */
static void decide(struct dp_phase *phase, double *scratch, const struct dp_ballot *b,
		   struct dp_explain *explain)
{
	double *sum = scratch, *score = scratch + b->m, length = (double)b->m, next;

	if (b->m < 2)
		explain = NULL; /* there is nothing to choose from */
	add_votes(sum, score, b);
	choose(phase, b, sum);
	next = place_of(phase, phase->next, b->m);
	if (b->optimizer.found)
		dp_explain__add(
			explain, "optimizer",
			DP_FACTS({ "length", "count", length },
				 { "end", "count", place_of(phase, b->optimizer.end, b->m) },
				 { "named", "count", b->optimizer.named }),
			"in the pattern of {length:symbol}, an optimizer ends before place "
			"{end}%s: by %s",
			name_at(b, b->optimizer.end, explain),
			b->optimizer.named ? "kernel names"
					   : "a few kernels that repeat for each parameter");
	dp_explain__add(explain, "votes",
			DP_FACTS({ "length", "count", length }, { "next", "count", next }),
			"where iterations of the pattern of {length:symbol} start: its places 0%s "
			"and {next}%s have the most votes",
			name_at(b, phase->first, explain), name_at(b, phase->next, explain));
	attribute(phase, score, b, explain);
	dp_explain__add(explain, "boundary",
			DP_FACTS({ "length", "count", length }, { "next", "count", next },
				 { "margin", "log-odds", phase->margin }),
			"place 0%s of {length} wins by {margin}, mostly due to %s",
			name_at(b, phase->first, explain), reason(phase->decided_by));
	phase->has_data = dp_votes__has_data(b);
	phase->is_step = dp_votes__is_step(b);
}

int dp_phase__find(struct dp_phase *phase, const struct dp_phase_case *of,
		   struct dp_explain *explain)
{
	struct dp_ballot b = {
		.alignment = of->alignment,
		.sequence = of->sequence,
		.symbols = of->symbols,
		.n = of->n,
		.m = of->m,
		.pattern = of->pattern,
		.evidence = of->evidence,
		.hints = of->hints,
	};
	double *scratch = dp_alloc__array(of->m, 2 * sizeof(*scratch));
	int status;

	*phase = (struct dp_phase){ 0 };
	if (!scratch)
		return DP_ERR_NOMEM;
	status = prepare(&b);
	if (!status)
		decide(phase, scratch, &b, explain);
	dp_offsets__fini(&b.offsets);
	free(b.hinted);
	free(b.scratch);
	free(b.spans);
	free(scratch);
	return status;
}
