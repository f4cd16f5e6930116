/*
 * The best pattern of a sequence. Anchors of its suffix tree (anchors.h) give candidates. Each is
 * judged by description length on a part of the sequence that holds its anchors; the best ones are
 * refined on a longer part. The caller judges the winner on the whole sequence.
 *
 * Cost: linear in the parts.
 */
#include "pattern/choose.h"
#include "pattern/anchors.h"
#include "base/parameters.h"

#include <math.h>
#include <string.h>

/* The best six of each depth: with fewer, layers and groups of iterations may crowd them out. */
enum { CANDIDATES = 6 * DP_ANCHOR_DEPTHS };

double dp_choose__count_error(const struct dp_pattern *p, uint64_t known)
{
	double n = (double)known;

	if (p->iterations < n - dp_param.count_fewer)
		return (n - p->iterations) / n;
	return p->iterations > n + dp_param.count_more ? (p->iterations - n) / p->iterations : 0;
}

const char *const dp_fault_texts[] = {
	[DP_FAULT_NONE] = NULL,
	[DP_FAULT_IN_ROW] = "it repeats {in_row:time} in a row, fewer than {row_least}",
	[DP_FAULT_SELDOM] = "it repeats fewer than {least:time}",
};

enum dp_fault dp_choose__fault(const struct dp_pattern *p, const struct dp_search_limits *limits)
{
	if (p->tandem < dp_param.tandem)
		return DP_FAULT_IN_ROW;
	return round(p->iterations) < (double)limits->least ? DP_FAULT_SELDOM : DP_FAULT_NONE;
}

/*
 * Lower is better. Unaided, the cost is the description length, plus that of the plain symbols if
 * the pattern does not repeat. With a known count it is the negative of the bits saved, discounted
 * by the distance from that count.
 */
static double cost_of(const struct dp_pattern *p, const struct dp_search_sequence *sequence,
		      const struct dp_search_limits *limits)
{
	double plain = (double)sequence->n * sequence->symbol_bits;
	double saved = DP_MAX(plain - p->bits, 0);

	if (limits->known)
		return -(saved + 1) *
		       exp(-dp_param.count_decay * dp_choose__count_error(p, limits->known));
	return dp_choose__fault(p, limits) ? p->bits + plain : p->bits;
}

static bool seen_before(const struct dp_pattern *p, size_t n, const uint32_t *symbols,
			size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (p[i].length == length &&
		    !memcmp(p[i].symbols, symbols, length * sizeof(*p[i].symbols)))
			return true;
	return false;
}

/*
 * A part of the sequence to judge a candidate by: it begins where the candidate's anchors do, holds
 * dp_param.judge_iterations iterations, and at least `least` symbols.
 */
struct part {
	size_t first, count;
	double scale; /* the anchors' symbols, divided by those inside the part */
};

static struct part part_of(const struct dp_search_sequence *sequence,
			   const struct dp_candidate *candidate, size_t least)
{
	/* the iteration at either end may lack its anchor */
	size_t first = candidate->first - DP_MIN(candidate->first, candidate->length);
	size_t span = DP_MIN(candidate->last + candidate->length, sequence->n) - first;
	size_t count = DP_MAX(least, dp_param.judge_iterations * candidate->length);
	struct part part;

	/* its surroundings show whether it is part of something longer */
	if (span < count)
		first -= DP_MIN(first, (count - span) / 2);
	part.first = first;
	part.count = DP_MIN(count, sequence->n - first);
	part.scale = DP_MAX(1.0, (double)span / (double)part.count);
	return part;
}

/* Extrapolates what was judged on a part of the sequence to all of it. */
static void extrapolate(struct dp_pattern *p, const struct dp_search_sequence *sequence,
			const struct part *part)
{
	double saved = (double)part->count * sequence->symbol_bits - (p->bits - p->own);

	p->bits = (double)sequence->n * sequence->symbol_bits - saved * part->scale + p->own;
	p->iterations *= part->scale;
}

/* Judges each candidate on a short part of the sequence; the patterns borrow its symbols. */
static int judge_candidates(struct dp_pattern *p, size_t *count,
			    const struct dp_search_sequence *sequence,
			    const struct dp_candidate *candidates, size_t n)
{
	int status = DP_OK;

	*count = 0;
	for (size_t i = 0; i < n && !status; i++) {
		const struct dp_candidate *c = &candidates[i];
		struct part quick = part_of(sequence, c, dp_param.judge_quick);

		if (seen_before(p, *count, sequence->symbols + c->at, c->length))
			continue;
		p[(*count)++] = (struct dp_pattern){
			.symbols = (uint32_t *)(uintptr_t)(sequence->symbols + c->at),
			.length = c->length,
			.from = (uint32_t)i,
		};
		status = dp_pattern__judge(&p[*count - 1], sequence->symbols + quick.first,
					   quick.count, sequence->symbol_bits);
		extrapolate(&p[*count - 1], sequence, &quick);
	}
	return status;
}

static bool is_better_pattern(const struct dp_pattern *a, const struct dp_pattern *b,
			      const struct dp_search_sequence *sequence,
			      const struct dp_search_limits *limits)
{
	double x = cost_of(a, sequence, limits), y = cost_of(b, sequence, limits);

	if (x != y)
		return x < y;
	return a->bits != b->bits ? a->bits < b->bits : a->length < b->length;
}

/* Sorts a few patterns, the best first; equal ones keep their order, which qsort() may change. */
static void sort_by_cost(struct dp_pattern *p, size_t n, const struct dp_search_sequence *sequence,
			 const struct dp_search_limits *limits)
{
	for (size_t i = 1; i < n; i++) {
		struct dp_pattern x = p[i];
		size_t j = i;

		for (; j > 0 && is_better_pattern(&x, &p[j - 1], sequence, limits); j--)
			p[j] = p[j - 1];
		p[j] = x;
	}
}

/* If a known count is several times smaller, joins this many repetitions into one iteration. */
static int join_groups(struct dp_pattern *p, const struct dp_search_sequence *sequence,
		       const struct dp_search_limits *limits)
{
	size_t group =
		limits->known
			? (size_t)floor(p->iterations / (double)limits->known + dp_param.count_near)
			: 1;
	struct dp_pattern made = { 0 };
	int status;

	if (group < 2 || group > sequence->n / p->length)
		return DP_OK;
	made.length = group * p->length;
	made.symbols = dp_pattern__repeat(p->symbols, p->length, 0, made.length);
	if (!made.symbols)
		return DP_ERR_NOMEM;
	status = dp_pattern__judge(&made, sequence->symbols, sequence->n, sequence->symbol_bits);
	if (status || cost_of(&made, sequence, limits) >= cost_of(p, sequence, limits)) {
		free(made.symbols);
		return status;
	}
	free(p->symbols);
	*p = made;
	return DP_OK;
}

/* Gives a finalist its own copy of the symbols that it borrows, and refines it on a longer part. */
static int refine_finalist(struct dp_pattern *p, const struct dp_search_sequence *sequence,
			   const struct dp_candidate *candidate,
			   const struct dp_search_limits *limits)
{
	struct part fair = part_of(sequence, candidate, dp_param.judge_fair);
	int status = dp_pattern__copy(p, p->symbols, p->length);

	if (!status)
		status = dp_pattern__refine(p, sequence->symbols + fair.first, fair.count,
					    sequence->symbol_bits);
	if (status)
		return status;
	extrapolate(p, sequence, &fair);
	return join_groups(p, sequence, limits);
}

/* Returns true if symbols cross a separator of stretches, which are in no pattern. */
static bool crosses(const uint32_t *symbols, size_t length, uint32_t alphabet)
{
	size_t i = 0;

	while (i < length && symbols[i] < alphabet)
		i++;
	return i < length;
}

/* Drops candidates that are too long, and those that cross a separator. */
static size_t keep_usable(struct dp_candidate *candidates, size_t n,
			  const struct dp_search_sequence *sequence, size_t longest)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (candidates[i].length <= longest &&
		    !crosses(sequence->symbols + candidates[i].at, candidates[i].length,
			     sequence->alphabet))
			candidates[kept++] = candidates[i];
	return kept;
}

/*
 * Explains what became of each finalist, p[0..count), in the order of their costs. p[0..first)
 * cross a separator; the rest of the n candidates were not refined. Neighbors of one length and
 * hardly different costs are shown once, since mostly they differ only in where they begin.
 */
static void explain_finalists(const struct dp_search_sequence *sequence,
			      const struct dp_search_limits *limits, const struct dp_pattern *p,
			      size_t count, size_t first, size_t n)
{
	size_t left_out = n;

	for (size_t i = 0; i < count && sequence->explain; i++) {
		bool same = i > 0 && p[i].length == p[i - 1].length &&
			    fabs(p[i].bits - p[i - 1].bits) < 1;
		const char *fault = dp_fault_texts[dp_choose__fault(&p[i], limits)];
		const char *came_to = i < first	      ? "it crosses what was taken out"
				      : i == first    ? "the best"
				      : limits->known ? "shorter, or nearer to -n, is better"
				      : fault	      ? fault
						      : "another needs fewer bits";

		left_out -= !same;
		if (same)
			continue;
		dp_explain__add(sequence->explain, "candidate",
				DP_FACTS({ "length", "count", (double)p[i].length },
					 { "iterations", "number", p[i].iterations },
					 { "bits", "bits", p[i].bits },
					 { "bits_without", "bits",
					   (double)sequence->n * sequence->symbol_bits },
					 DP_FAULT_FACTS(&p[i], limits),
					 { "chosen", "count", i == first }),
				"{length:symbol}, repeated {iterations:time}: {bits:bit} describe "
				"the sequence, {bits_without} without a pattern; %s",
				came_to);
	}
	if (left_out > 0)
		dp_explain__add(sequence->explain, "candidate",
				DP_FACTS({ "left_out", "count", (double)left_out }),
				"{left_out:other} not shown: hardly different from these, or more "
				"bits for a part of the sequence");
}

int dp_choose__pattern(struct dp_pattern *best, const struct dp_search_sequence *sequence,
		       const struct dp_search_limits *limits)
{
	struct dp_candidate candidates[CANDIDATES];
	struct dp_pattern p[CANDIDATES];
	size_t count = 0, finalists = 0, first = 0;
	int status, n;

	best->symbols = NULL;
	n = dp_anchors__candidates(candidates, CANDIDATES, sequence->tree, limits->least,
				   limits->known, sequence->explain);
	if (n < 0)
		return n;
	n = (int)keep_usable(candidates, (size_t)n, sequence, limits->longest);
	status = judge_candidates(p, &count, sequence, candidates, (size_t)n);
	sort_by_cost(p, count, sequence, limits);
	for (; !status && finalists < DP_MIN(count, dp_param.finalists); finalists++)
		status = refine_finalist(&p[finalists], sequence, &candidates[p[finalists].from],
					 limits);
	sort_by_cost(p, finalists, sequence, limits);
	/* refining may have taken a separator into the pattern */
	while (!status && first < finalists &&
	       crosses(p[first].symbols, p[first].length, sequence->alphabet))
		first++;
	if (!status)
		explain_finalists(sequence, limits, p, finalists, first, (size_t)n);
	if (!status && first < finalists) {
		*best = p[first];
		p[first].symbols = NULL;
	}
	for (size_t i = 0; i < finalists; i++)
		free(p[i].symbols);
	return status;
}
