/*
 * The best pattern of a text. Anchors of its suffix tree (anchors.h) give candidates, each of which
 * is judged by description length on a part of the text where its anchors lie; the best ones are
 * refined on a longer part, and the winner is for the caller to judge by the whole.
 *
 * Cost: linear in the parts.
 */
#include "pattern/choose.h"
#include "base/parameters.h"

#include <math.h>
#include <string.h>

enum { CANDIDATES = 42 };

static int compare_bits(const void *a, const void *b)
{
	const struct dp_hypothesis *x = a, *y = b;

	if (x->bits != y->bits)
		return x->bits < y->bits ? -1 : 1;
	return x->length < y->length ? -1 : x->length > y->length;
}

double dp_choose__misfit(const struct dp_hypothesis *h, uint64_t want)
{
	double n = (double)want;

	if (h->repeats < n - dp_param.count_fewer)
		return (n - h->repeats) / n;
	return h->repeats > n + dp_param.count_more ? (h->repeats - n) / h->repeats : 0;
}

bool dp_choose__repeats(const struct dp_hypothesis *h, const struct dp_choose_text *text)
{
	return h->longest >= dp_param.tandem && h->repeats >= (double)text->least - 0.5;
}

/*
 * Lower is better: bits, and what does not repeat is no loop; or with a known count the bits that
 * are saved, which count the less the farther off the number of iterations is.
 */
static double cost(const struct dp_hypothesis *h, const struct dp_choose_text *text, uint64_t want)
{
	double null = (double)text->n * text->bits;
	double saved = DP_MAX(null - h->bits, 0.01 * null);

	if (want)
		return -(saved + 1) * exp(-dp_param.count_decay * dp_choose__misfit(h, want));
	return dp_choose__repeats(h, text) ? h->bits : h->bits + null;
}

static void free_all(struct dp_hypothesis *h, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(h[i].pattern);
}

static bool seen_before(const struct dp_hypothesis *h, size_t n, const uint32_t *p, size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (h[i].length == length &&
		    !memcmp(h[i].pattern, p, length * sizeof(*h[i].pattern)))
			return true;
	return false;
}

/*
 * A part of the text to judge a candidate by: from where its anchors begin on as much as shows six
 * iterations, and no less than `least` symbols.
 */
struct part {
	size_t first, count;
	double whole; /* the anchors' symbols over those of them that are in the part */
};

static struct part part_of(const struct dp_choose_text *text, const struct dp_guess *guess,
			   size_t least)
{
	/* an iteration at either end may lack its anchor */
	size_t first = guess->first - DP_MIN(guess->first, guess->length);
	size_t span = DP_MIN(guess->last + guess->length, text->n) - first;
	size_t count = DP_MAX(least, dp_param.judge_iterations * guess->length);
	struct part part;

	/* what comes before and behind tells whether it would be a part of something longer */
	if (span < count)
		first -= DP_MIN(first, (count - span) / 2);
	part.first = first;
	part.count = DP_MIN(count, text->n - first);
	part.whole = DP_MAX(1.0, (double)span / (double)part.count);
	return part;
}

/* What was judged on a part of the text, for the whole of it. */
static void extrapolate(struct dp_hypothesis *h, const struct dp_choose_text *text,
			const struct part *part)
{
	double saved = (double)part->count * text->bits - (h->bits - h->own);

	h->bits = (double)text->n * text->bits - saved * part->whole + h->own;
	h->repeats *= part->whole;
}

/* Judges the candidates on a short text; their patterns are the text's symbols. */
static int judge_candidates(struct dp_hypothesis *h, size_t *count,
			    const struct dp_choose_text *text, const struct dp_guess *candidates,
			    size_t n)
{
	int status = DP_OK;

	*count = 0;
	for (size_t i = 0; i < n && !status; i++) {
		const struct dp_guess *c = &candidates[i];
		struct part quick = part_of(text, c, dp_param.judge_quick);

		if (seen_before(h, *count, text->symbols + c->at, c->length))
			continue;
		h[(*count)++] = (struct dp_hypothesis){
			.pattern = (uint32_t *)(uintptr_t)(text->symbols + c->at),
			.length = c->length,
			.from = (uint32_t)i,
		};
		status = dp_hypothesis__judge(&h[*count - 1], text->symbols + quick.first,
					      quick.count, text->bits);
		extrapolate(&h[*count - 1], text, &quick);
	}
	return status;
}

static void sort_by_cost(struct dp_hypothesis *h, size_t n, const struct dp_choose_text *text,
			 uint64_t want)
{
	for (size_t i = 1; i < n; i++) {
		struct dp_hypothesis x = h[i];
		size_t j = i;

		while (j > 0 && (cost(&x, text, want) < cost(&h[j - 1], text, want) ||
				 (cost(&x, text, want) <= cost(&h[j - 1], text, want) &&
				  compare_bits(&x, &h[j - 1]) < 0))) {
			h[j] = h[j - 1];
			j--;
		}
		h[j] = x;
	}
}

/* A known count that is several times smaller: this many iterations are one. */
static int join_groups(struct dp_hypothesis *h, const struct dp_choose_text *text, uint64_t want)
{
	size_t group = want ? (size_t)floor(h->repeats / (double)want + dp_param.count_near) : 1;
	struct dp_hypothesis made = { 0 };
	int status;

	if (group < 2 || group > text->n / h->length)
		return DP_OK;
	made.length = group * h->length;
	made.pattern = dp_alloc__array(made.length, sizeof(*made.pattern));
	if (!made.pattern)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < made.length; i++)
		made.pattern[i] = h->pattern[i % h->length];
	status = dp_hypothesis__judge(&made, text->symbols, text->n, text->bits);
	if (status || cost(&made, text, want) >= cost(h, text, want)) {
		free(made.pattern);
		return status;
	}
	free(h->pattern);
	*h = made;
	return DP_OK;
}

/*
 * Moves the hypotheses that are worth refining to the front: the best, but no more than two of
 * nearly the same length, since those differ by where they begin only.
 */
static size_t pick_finalists(struct dp_hypothesis *h, size_t count)
{
	size_t picked = 0;

	for (size_t i = 0; i < count && picked < dp_param.finalists; i++) {
		struct dp_hypothesis x = h[i];
		size_t alike = 0;

		for (size_t k = 0; k < picked; k++)
			alike +=
				(double)DP_MAX(h[k].length, x.length) <=
				(1 + dp_param.alike_length) * (double)DP_MIN(h[k].length, x.length);
		if (alike >= 2)
			continue;
		memmove(&h[picked + 1], &h[picked], (i - picked) * sizeof(*h));
		h[picked++] = x;
	}
	return picked;
}

/* Gives the finalists patterns of their own, which they all had borrowed, and the others none. */
static int copy_finalists(struct dp_hypothesis *h, size_t finalists, size_t count)
{
	int status = DP_OK;

	for (size_t i = 0; i < count; i++) {
		const uint32_t *symbols = h[i].pattern;
		size_t bytes = h[i].length * sizeof(*symbols);

		h[i].pattern = NULL;
		if (i >= finalists || status)
			continue;
		h[i].pattern = dp_alloc__array(bytes, 1);
		if (h[i].pattern)
			memcpy(h[i].pattern, symbols, bytes);
		else
			status = DP_ERR_NOMEM;
	}
	return status;
}

/* Leaves out candidates that are too long, and those that lie across two stretches. */
static size_t keep_usable(struct dp_guess *candidates, size_t n, const struct dp_choose_text *text)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t *symbols = text->symbols + candidates[i].at;
		bool usable = candidates[i].length <= text->longest;

		for (size_t k = 0; usable && k < candidates[i].length; k++)
			usable = symbols[k] < text->alphabet;
		if (usable)
			candidates[kept++] = candidates[i];
	}
	return kept;
}

/* A refined pattern may have taken a separator of stretches for a symbol: it is no pattern then. */
static bool is_clean(const struct dp_hypothesis *h, uint32_t alphabet)
{
	for (size_t i = 0; i < h->length; i++)
		if (h->pattern[i] >= alphabet)
			return false;
	return true;
}

/*
 * What each finalist came to, h[0..count), in the order of their costs. h[0..first) are unclean; of
 * the n candidates the others were not refined. Finalists that differ in where they begin alone are
 * left out with those.
 */
static void explain_finalists(const struct dp_choose_text *text, const struct dp_hypothesis *h,
			      size_t count, size_t first, size_t n, uint64_t want)
{
	size_t left_out = n;

	for (size_t i = 0; i < count && text->explain; i++) {
		bool same = i > 0 && h[i].length == h[i - 1].length &&
			    fabs(h[i].bits - h[i - 1].bits) < 1;
		const char *came_to = i < first	   ? "it crosses what was taken out"
				      : i == first ? "the best"
				      : want	   ? "shorter, or nearer to -n, is better"
				      : dp_choose__repeats(&h[i], text)
					      ? "another is shorter"
					      : "it does not repeat often enough";

		left_out -= !same;
		if (same)
			continue;
		dp_explain__add(text->explain, "candidate",
				DP_FACTS({ "length", "count", (double)h[i].length },
					 { "iterations", "number", h[i].repeats },
					 { "bits", "bits", h[i].bits },
					 { "bits_without", "bits", (double)text->n * text->bits },
					 { "chosen", "count", i == first }),
				"{length:symbol}, repeated {iterations:time}: {bits:bit} describe "
				"the sequence, {bits_without} without a pattern; %s",
				came_to);
	}
	if (left_out > 0)
		dp_explain__add(text->explain, "candidate",
				DP_FACTS({ "left_out", "count", (double)left_out }),
				"{left_out} more differ little from these, or describe a part of "
				"the sequence in more bits");
}

int dp_choose__pattern(struct dp_hypothesis *best, const struct dp_choose_text *text,
		       uint64_t want)
{
	struct dp_guess candidates[CANDIDATES];
	struct dp_hypothesis h[CANDIDATES];
	double bits = text->bits;
	size_t count = 0, finalists = 0, first = 0;
	int status, other, n;

	memset(h, 0, sizeof(h));
	best->pattern = NULL;
	n = dp_anchors__candidates(candidates, CANDIDATES, text->tree, text->least, want,
				   text->explain);
	if (n < 0)
		return n;
	n = (int)keep_usable(candidates, (size_t)n, text);
	status = judge_candidates(h, &count, text, candidates, (size_t)n);
	sort_by_cost(h, count, text, want);
	finalists = status ? 0 : pick_finalists(h, count);
	other = copy_finalists(h, finalists, count);
	status = status ? status : other;
	for (size_t i = 0; i < finalists && !status; i++) {
		struct part fair = part_of(text, &candidates[h[i].from], dp_param.judge_fair);

		status = dp_hypothesis__refine(&h[i], text->symbols + fair.first, fair.count, bits);
		if (!status)
			extrapolate(&h[i], text, &fair);
		if (!status)
			status = join_groups(&h[i], text, want);
	}
	sort_by_cost(h, finalists, text, want);
	while (!status && first < finalists && !is_clean(&h[first], text->alphabet))
		first++;
	if (!status)
		explain_finalists(text, h, finalists, first, (size_t)n, want);
	if (!status && first < finalists) {
		*best = h[first];
		h[first].pattern = NULL;
	}
	free_all(h, count);
	return status;
}
