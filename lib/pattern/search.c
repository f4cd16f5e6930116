/*
 * The search for the patterns of one level. Anchors of the suffix tree (anchors.h) give candidates,
 * each of which is judged by description length where its anchors lie; the best ones are refined,
 * and what the winner explains is taken out before the tree of the rest is searched for the next.
 *
 * The tree is that of the whole sequence, or of all that is left of it; of a long one that of its
 * parse. A pattern that is found in it is followed through the whole by the aligner.
 *
 * Cost: linear. For each pattern a tree of what the patterns before it do not explain, and the whole
 * is aligned once.
 */
#include "pattern/search.h"
#include "pattern/anchors.h"
#include "pattern/classes.h"

#include <math.h>
#include <string.h>

enum {
	LEAVES = 1 << 20, /* of a tree: 0.2 s and 40 MB; longer sequences are parsed into as many */
	QUICK = 1 << 14,  /* symbols that candidates are first judged by */
	FAIR = 1 << 16,	  /* symbols that the best of them are refined by */
	CANDIDATES = 42,
	FINALISTS = 8,
	REST_MIN = 24, /* symbols that are worth a look */
	FEW_MIN = 6,   /* the same where each stands for many */
	STRETCH_MIN = 4,
	RARE_ITERATIONS = 5, /* that a loop of less than the bar's coverage must have, */
	RARE_LENGTH = 8,     /* and symbols: fewer are found everywhere by chance */
	GROUP_MAX = 1 << 16, /* iterations that a known count may join to one */
};

/* Turns on end that make a loop. */
static const double tandem_min = 1.9;

#define LACKING 0.05 /* share of a pattern that is lacking where something stands in for it */

/* Bits that a rare pattern must save, so that none of 10^6 random sequences has one. */
static const double saved_min = 20;

struct searcher {
	struct dp_search_text *whole;
	const uint32_t *symbols; /* the whole */
	size_t n;
	uint32_t alphabet;
	struct dp_search_bar bar;
	double bits; /* of one symbol of the whole */
	struct dp_patterns *found;
	size_t left;  /* symbols that the patterns before the last one leave, */
	size_t claim; /* and that the last one was to explain; 0: that was looked at */
};

/* Symbols to look for a pattern in. */
struct text {
	const uint32_t *symbols; /* borrowed where they are the whole, as is the tree */
	size_t n;
	struct dp_anchor_tree *tree;
};

void dp_patterns__fini(struct dp_patterns *patterns)
{
	for (size_t i = 0; i < patterns->count; i++)
		free(patterns->items[i].pattern);
	patterns->count = 0;
}

int dp_patterns__align(struct dp_alignment *alignment, const struct dp_patterns *patterns,
		       const uint32_t *symbols, size_t n)
{
	struct dp_align_pattern list[DP_PATTERNS_MAX];

	for (size_t i = 0; i < patterns->count; i++)
		list[i] = (struct dp_align_pattern){ patterns->items[i].pattern,
						     patterns->items[i].length };
	return dp_align__run(alignment, symbols, n, list, patterns->count);
}

int dp_patterns__fit(struct dp_patterns_fit *fit, const struct dp_patterns *patterns,
		     const uint32_t *symbols, size_t n, double bits)
{
	struct dp_alignment al;
	size_t longest = 1, before = 0;
	int status = dp_patterns__align(&al, patterns, symbols, n);

	if (status)
		return status;
	*fit = (struct dp_patterns_fit){ .edits = al.edit_count, .spans = al.span_count };
	for (size_t i = 0; i < patterns->count && !status; i++) {
		double own;

		status = dp_pattern__bits(&own, patterns->items[i].pattern,
					  patterns->items[i].length, bits);
		fit->bits += status ? 0 : own;
		longest = DP_MAX(longest, patterns->items[i].length);
	}
	fit->bits += dp_alignment__bits(&al, n, longest, bits);
	for (size_t k = 0; k < al.span_count; k++) {
		fit->covered += al.spans[k].end - DP_MAX(al.spans[k].begin, before);
		before = DP_MAX(before, al.spans[k].end);
		fit->turns += (double)dp_align__advance(&al, k) /
			      (double)patterns->items[al.spans[k].pattern].length;
	}
	dp_align__fini(&al);
	return status;
}

static int compare_bits(const void *a, const void *b)
{
	const struct dp_hypothesis *x = a, *y = b;

	if (x->bits != y->bits)
		return x->bits < y->bits ? -1 : 1;
	return x->length < y->length ? -1 : x->length > y->length;
}

static int copy_pattern(struct dp_hypothesis *h, const uint32_t *symbols, size_t length)
{
	*h = (struct dp_hypothesis){ .length = length };
	h->pattern = dp_alloc__array(length, sizeof(*h->pattern));
	if (!h->pattern)
		return DP_ERR_NOMEM;
	memcpy(h->pattern, symbols, length * sizeof(*h->pattern));
	return DP_OK;
}

/* How far a hypothesis is from a known count: 0 where it fits, a partial iteration or two aside. */
static double misfit(const struct dp_hypothesis *h, uint64_t want)
{
	double n = (double)want;

	if (h->trips < n - 0.4)
		return (n - h->trips) / n;
	return h->trips > n + 2 ? (h->trips - n) / h->trips : 0;
}

/* Does it go round at all, twice on end and as often as a loop should? */
static bool goes_round(const struct dp_hypothesis *h, const struct searcher *sr)
{
	return h->longest >= tandem_min && h->trips >= (double)sr->bar.least - 0.5;
}

/*
 * Lower is better: bits, and what does not go round is no loop; or with a known count the bits that
 * are saved, which count the less the farther off the number of iterations is.
 */
static double cost(const struct dp_hypothesis *h, const struct searcher *sr, uint64_t want,
		   double null)
{
	double saved = DP_MAX(null - h->bits, 0.01 * null);

	if (want)
		return -(saved + 1) * exp(-12 * misfit(h, want));
	return goes_round(h, sr) ? h->bits : h->bits + null;
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

static struct part part_of(const struct text *text, const struct dp_guess *guess, size_t least)
{
	/* an iteration at either end may lack its anchor */
	size_t first = guess->first - DP_MIN(guess->first, guess->length);
	size_t span = DP_MIN(guess->last + guess->length, text->n) - first;
	size_t count = DP_MAX(least, 6 * guess->length);
	struct part part;

	/* what comes before and behind tells whether it would be a part of something longer */
	if (span < count)
		first -= DP_MIN(first, (count - span) / 2);
	part.first = first;
	part.count = DP_MIN(count, text->n - first);
	part.whole = DP_MAX(1.0, (double)span / (double)part.count);
	return part;
}

/* What was judged on a part of the text, for the whole of it; `bits` are those of one symbol. */
static void extrapolate(struct dp_hypothesis *h, const struct text *text, const struct part *part,
			double bits)
{
	double saved = (double)part->count * bits - (h->bits - h->own);

	h->bits = (double)text->n * bits - saved * part->whole + h->own;
	h->trips *= part->whole;
}

/* Judges the candidates on a short text; their patterns are the text's symbols. */
static int judge_candidates(struct dp_hypothesis *h, size_t *count, const struct text *text,
			    const struct dp_guess *candidates, size_t n, double bits)
{
	int status = DP_OK;

	*count = 0;
	for (size_t i = 0; i < n && !status; i++) {
		const struct dp_guess *c = &candidates[i];
		struct part quick = part_of(text, c, QUICK);

		if (seen_before(h, *count, text->symbols + c->at, c->length))
			continue;
		h[(*count)++] = (struct dp_hypothesis){
			.pattern = (uint32_t *)(uintptr_t)(text->symbols + c->at),
			.length = c->length,
			.from = (uint32_t)i,
		};
		status = dp_hypothesis__judge(&h[*count - 1], text->symbols + quick.first,
					      quick.count, bits);
		extrapolate(&h[*count - 1], text, &quick, bits);
	}
	return status;
}

static void sort_by_cost(struct dp_hypothesis *h, size_t n, const struct searcher *sr,
			 uint64_t want, double null)
{
	for (size_t i = 1; i < n; i++) {
		struct dp_hypothesis x = h[i];
		size_t j = i;

		while (j > 0 && (cost(&x, sr, want, null) < cost(&h[j - 1], sr, want, null) ||
				 (cost(&x, sr, want, null) <= cost(&h[j - 1], sr, want, null) &&
				  compare_bits(&x, &h[j - 1]) < 0))) {
			h[j] = h[j - 1];
			j--;
		}
		h[j] = x;
	}
}

/* A known count that is several times smaller: so many iterations are one. */
static int join_groups(struct dp_hypothesis *h, const struct searcher *sr, const struct text *text,
		       uint64_t want)
{
	size_t group = want ? (size_t)floor(h->trips / (double)want + 0.01) : 1;
	struct dp_hypothesis made = { 0 };
	double null = (double)text->n * sr->bits;
	int status;

	if (group < 2 || group > GROUP_MAX || group * h->length > text->n)
		return DP_OK;
	made.length = group * h->length;
	made.pattern = dp_alloc__array(made.length, sizeof(*made.pattern));
	if (!made.pattern)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < made.length; i++)
		made.pattern[i] = h->pattern[i % h->length];
	status = dp_hypothesis__judge(&made, text->symbols, text->n, sr->bits);
	if (status || cost(&made, sr, want, null) >= cost(h, sr, want, null)) {
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

	for (size_t i = 0; i < count && picked < FINALISTS; i++) {
		struct dp_hypothesis x = h[i];
		size_t alike = 0;

		for (size_t k = 0; k < picked; k++)
			alike += h[k].length * 50 >= x.length * 49 &&
				 h[k].length * 49 <= x.length * 50;
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
static size_t keep_usable(struct dp_guess *candidates, size_t n, const struct text *text,
			  const struct searcher *sr)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t *symbols = text->symbols + candidates[i].at;
		bool usable = candidates[i].length <= sr->bar.longest;

		for (size_t k = 0; usable && k < candidates[i].length; k++)
			usable = symbols[k] < sr->alphabet;
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
static void explain_finalists(const struct searcher *sr, const struct dp_hypothesis *h,
			      size_t count, size_t first, size_t n, uint64_t want, double null)
{
	struct dp_explain *explain = sr->whole->explain;
	size_t left_out = n;

	for (size_t i = 0; i < count && explain; i++) {
		bool same = i > 0 && h[i].length == h[i - 1].length &&
			    fabs(h[i].bits - h[i - 1].bits) < 1;
		const char *came_to = i < first	 ? "it crosses what was taken out"
				   : i == first	 ? "the best"
				   : want	 ? "shorter, or nearer to -n, is better"
				   : goes_round(&h[i], sr) ? "another is shorter"
							   : "it does not repeat often enough";

		left_out -= !same;
		if (same)
			continue;
		dp_explain__add(explain, "candidate",
				DP_FACTS({ "length", "count", (double)h[i].length },
					 { "iterations", "number", h[i].trips },
					 { "bits", "bits", h[i].bits },
					 { "bits_without", "bits", null },
					 { "chosen", "count", i == first }),
				"{length:symbol}, repeated {iterations:time}: {bits:bit} describe the "
				"sequence, {bits_without} without a pattern; %s",
				came_to);
	}
	if (left_out > 0)
		dp_explain__add(explain, "candidate",
				DP_FACTS({ "left_out", "count", (double)left_out }),
				"{left_out} more differ little from these, or describe a part of the "
				"sequence in more bits");
}

/* The best pattern of a text; best->pattern is NULL where there is none. */
static int best_of(struct dp_hypothesis *best, const struct text *text, const struct searcher *sr,
		   uint64_t want)
{
	struct dp_guess candidates[CANDIDATES];
	struct dp_hypothesis h[CANDIDATES];
	double bits = sr->bits, null = (double)text->n * bits;
	size_t count = 0, finalists = 0, first = 0;
	int status, other, n;

	memset(h, 0, sizeof(h));
	best->pattern = NULL;
	n = dp_anchors__candidates(candidates, CANDIDATES, text->tree, sr->bar.least, want,
				   sr->whole->explain);
	if (n < 0)
		return n;
	n = (int)keep_usable(candidates, (size_t)n, text, sr);
	status = judge_candidates(h, &count, text, candidates, (size_t)n, bits);
	sort_by_cost(h, count, sr, want, null);
	finalists = status ? 0 : pick_finalists(h, count);
	other = copy_finalists(h, finalists, count);
	status = status ? status : other;
	for (size_t i = 0; i < finalists && !status; i++) {
		struct part fair = part_of(text, &candidates[h[i].from], FAIR);

		status = dp_hypothesis__refine(&h[i], text->symbols + fair.first, fair.count, bits);
		if (!status)
			extrapolate(&h[i], text, &fair, bits);
		if (!status)
			status = join_groups(&h[i], sr, text, want);
	}
	sort_by_cost(h, finalists, sr, want, null);
	while (!status && first < finalists && !is_clean(&h[first], sr->alphabet))
		first++;
	if (!status)
		explain_finalists(sr, h, finalists, first, (size_t)n, want, null);
	if (!status && first < finalists) {
		*best = h[first];
		h[first].pattern = NULL;
		if (part_of(text, &candidates[best->from], FAIR).count < text->n)
			status = dp_hypothesis__judge(best, text->symbols, text->n, bits);
	}
	free_all(h, count);
	return status;
}

/* What no span of the patterns found so far covers, as stretches. */
struct stretches {
	struct stretch {
		size_t first, end;
	} * items;
	size_t count, room, total;
};

static int add_stretch(struct stretches *s, size_t first, size_t end)
{
	int status;

	if (end < first + STRETCH_MIN)
		return DP_OK;
	status = dp_array__reserve(&s->items, &s->room, s->count + 1, sizeof(*s->items));
	if (status)
		return status;
	s->items[s->count++] = (struct stretch){ first, end };
	s->total += end - first;
	return DP_OK;
}

/*
 * Does an iteration lack what is left out between two spans of its pattern? Then the symbols between
 * them stand in for it: the first step of an optimizer, say, which is no loop of its own.
 */
static bool stands_in(const struct dp_align_span *a, const struct dp_align_span *b, size_t m)
{
	size_t lacking = (b->begin_offset + m - a->end_offset) % m;

	/*
	 * A pattern that goes on a few symbols before where it stopped lacks none, and what is
	 * longer than twice what is lacking is a loop of its own.
	 */
	return a->pattern == b->pattern && b->begin - a->end <= DP_MIN(m / 2, 2 * lacking) &&
	       (double)lacking > LACKING * (double)m && (double)lacking < (1 - LACKING) * (double)m;
}

/* Spans shorter than an iteration explain nothing: what they cover is left over, too. */
static int left_over(struct stretches *s, const struct searcher *sr)
{
	const struct dp_align_span *last = NULL;
	struct dp_alignment al;
	size_t before = 0;
	int status;

	memset(s, 0, sizeof(*s));
	if (sr->found->count == 0)
		return add_stretch(s, 0, sr->n);
	status = dp_patterns__align(&al, sr->found, sr->symbols, sr->n);
	if (status)
		return status;
	for (size_t k = 0; k < al.span_count && !status; k++) {
		const struct dp_align_span *span = &al.spans[k];
		size_t m = sr->found->items[span->pattern].length;
		size_t until = last && stands_in(last, span, m) ? last->begin : span->begin;

		last = span;
		if (dp_align__advance(&al, k) * 5 < m * 4)
			continue;
		if (until > before)
			status = add_stretch(s, before, until);
		before = DP_MAX(before, span->end);
	}
	if (!status)
		status = add_stretch(s, before, sr->n);
	dp_align__fini(&al);
	if (status)
		free(s->items);
	return status;
}

/* The stretches; between them stands a symbol that occurs once. */
static int make_text(struct text *text, const struct searcher *sr, const struct stretches *s)
{
	uint32_t separator = sr->alphabet, *symbols;

	*text = (struct text){ .symbols = sr->symbols, .n = sr->n };
	if (s->total == sr->n)
		return DP_OK;
	symbols = dp_alloc__array(s->total + s->count, sizeof(*symbols));
	text->symbols = symbols;
	text->n = 0;
	if (!symbols)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < s->count; i++) {
		size_t n = s->items[i].end - s->items[i].first;

		if (text->n > 0)
			symbols[text->n++] = separator++;
		memcpy(symbols + text->n, sr->symbols + s->items[i].first, n * sizeof(*symbols));
		text->n += n;
	}
	return DP_OK;
}

static void text_fini(struct text *text, const struct searcher *sr)
{
	if (text->tree != sr->whole->tree)
		dp_anchor_tree__free(text->tree);
	if (text->symbols != sr->symbols)
		free((void *)(uintptr_t)text->symbols);
}

void dp_search_text__fini(struct dp_search_text *text)
{
	dp_anchor_tree__free(text->tree);
	text->tree = NULL;
}

/* The tree of the whole sequence, which all searches share. */
static int share_tree(struct dp_search_text *text)
{
	return text->tree ? DP_OK
			  : dp_anchor_tree__new(&text->tree, text->symbols, text->n, LEAVES);
}

static int take_tree(struct text *text, const struct searcher *sr)
{
	int status;

	if (text->symbols != sr->symbols)
		return dp_anchor_tree__new(&text->tree, text->symbols, text->n, LEAVES);
	status = share_tree(sr->whole);
	text->tree = sr->whole->tree;
	return status;
}

int dp_search__classes(uint32_t *class_of, uint32_t *class_count, struct dp_search_text *text)
{
	int status = share_tree(text);

	return status ? status
		      : dp_classes__derive(class_of, class_count, text->tree, text->symbols,
					   text->n, text->alphabet);
}

/* Does the pattern take fewer bits for what it covers than the symbols one by one? */
static bool describes(const struct searcher *sr, const struct dp_hypothesis *h, size_t n)
{
	double alone = (double)h->covered * sr->bits;
	double bits = h->bits - (double)(n - h->covered) * sr->bits;

	if ((double)h->covered > sr->bar.coverage * (double)n)
		return h->bits < sr->bar.bits * (double)n * sr->bits;
	return sr->bar.rare && sr->left * 2 <= sr->n && h->length >= RARE_LENGTH && h->trips >= RARE_ITERATIONS - 0.5 &&
	       bits < sr->bar.bits * alone && alone - bits >= saved_min;
}

/* Why a pattern is no loop; NULL where it is one. */
static const char *fault_of(const struct searcher *sr, const struct dp_hypothesis *h,
			    const struct text *text, uint64_t want)
{
	if (want)
		return misfit(h, want) < 0.5 ? NULL : "its number of iterations is too far from -n";
	if (!goes_round(h, sr))
		return "it does not repeat often enough, or never twice in a row";
	return describes(sr, h, text->n) ? NULL : "it shortens the description too little";
}

/* The name of a symbol, of its first occurrence. */
static const char *name_of(const struct searcher *sr, uint32_t symbol)
{
	const struct dp_search_text *whole = sr->whole;
	size_t i = 0;

	while (whole->explain && i < sr->n && whole->symbols[i] != symbol)
		i++;
	return dp_explain__name(whole->explain, i);
}

static bool worth_it(const struct searcher *sr, const struct dp_hypothesis *h,
		     const struct text *text, uint64_t want)
{
	const char *fault = h->pattern ? fault_of(sr, h, text, want) : NULL;

	if (!h->pattern)
		return false;
	dp_explain__add(sr->whole->explain, "pattern",
			DP_FACTS({ "length", "count", (double)h->length },
				 { "iterations", "number", h->trips },
				 { "covered", "count", (double)h->covered },
				 { "symbols", "count", (double)text->n },
				 { "edits", "count", (double)h->edits },
				 { "bits", "bits", h->bits },
				 { "bits_without", "bits", (double)text->n * sr->bits },
				 { "accepted", "count", !fault }),
			"%s: {length:symbol}%s, {iterations:time}, with {edits:edit}, in {covered} of "
			"{symbols:symbol}, described in {bits:bit} instead of {bits_without}%s%s",
			fault ? "rejected" : "accepted", name_of(sr, h->pattern[0]), fault ? "; " : "", fault ? fault : "");
	return !fault;
}

/*
 * A pattern that leaves what it was to explain explains nothing that counts: copies of what is
 * known, which would make it ambiguous, or many iterations at once. It is taken back, and what is
 * looked for next is half as long at most.
 */
static bool take_back(struct searcher *sr, const struct stretches *rest)
{
	bool useless = sr->claim > 0 && rest->total + sr->claim / 2 > sr->left;

	if (useless) {
		free(sr->found->items[--sr->found->count].pattern);
		sr->bar.longest = sr->found->items[sr->found->count].length / 2;
		dp_explain__add(sr->whole->explain, "pattern",
				DP_FACTS({ "taken_back", "count",
					   (double)sr->found->items[sr->found->count].length }),
				"the pattern of {taken_back:symbol} is taken back: next to those found "
				"before it explains little");
	}
	sr->claim = 0;
	sr->left = rest->total;
	return useless;
}

/* The next pattern of the rest: *more is false where there is none. */
static int next_pattern(struct searcher *sr, uint64_t want, bool *more)
{
	struct dp_hypothesis best = { 0 };
	struct stretches rest;
	struct text text;
	int status = left_over(&rest, sr);

	*more = false;
	if (status)
		return status;
	if (!want && take_back(sr, &rest)) {
		*more = sr->bar.longest > 1;
		goto out;
	}
	if (rest.total < (sr->bar.few ? FEW_MIN : REST_MIN))
		goto out;
	if (rest.total < sr->n)
		dp_explain__add(sr->whole->explain, "rest",
				DP_FACTS({ "rest", "count", (double)rest.total },
					 { "symbols", "count", (double)sr->n }),
				"{rest} of {symbols:symbol} are in no pattern yet; the next one is "
				"sought in these");
	status = make_text(&text, sr, &rest);
	if (!status)
		status = take_tree(&text, sr);
	if (!status)
		status = best_of(&best, &text, sr, want);
	if (!status && worth_it(sr, &best, &text, want)) {
		sr->claim = best.covered;
		sr->found->items[sr->found->count++] = best;
		best.pattern = NULL;
		*more = true;
	}
	free(best.pattern);
	text_fini(&text, sr);
out:
	free(rest.items);
	return status;
}

static struct searcher begin(struct dp_patterns *patterns, struct dp_search_text *text,
			     const struct dp_search_bar *bar)
{
	return (struct searcher){
		.whole = text,
		.symbols = text->symbols,
		.n = text->n,
		.alphabet = text->alphabet,
		.bar = *bar,
		.found = patterns,
		.left = text->n,
	};
}

int dp_search__unaided(struct dp_patterns *patterns, struct dp_search_text *text,
		       const struct dp_search_bar *bar)
{
	struct searcher sr = begin(patterns, text, bar);
	bool more = true;
	int status = dp_entropy__bits(&sr.bits, text->symbols, text->n, text->alphabet);

	while (!status && more && patterns->count < DP_PATTERNS_MAX)
		status = next_pattern(&sr, 0, &more);
	if (status)
		dp_patterns__fini(patterns);
	return status;
}

/* One iteration: the longest stretch that nothing else explains. */
static int whole_stretch(struct searcher *sr, bool *more)
{
	struct stretches rest;
	size_t longest = 0;
	int status = left_over(&rest, sr);

	*more = false;
	if (status)
		return status;
	for (size_t i = 1; i < rest.count; i++)
		if (rest.items[i].end - rest.items[i].first >
		    rest.items[longest].end - rest.items[longest].first)
			longest = i;
	if (rest.count > 0) {
		struct dp_hypothesis *h = &sr->found->items[sr->found->count];

		status = copy_pattern(h, sr->symbols + rest.items[longest].first,
				      rest.items[longest].end - rest.items[longest].first);
		*more = !status;
		sr->found->count += !status;
	}
	free(rest.items);
	return status;
}

int dp_search__counts(struct dp_patterns *patterns, struct dp_search_text *text,
		      const uint64_t *counts, size_t counts_count)
{
	struct dp_search_bar bar = { 2, text->n, 1, 0 };
	struct searcher sr = begin(patterns, text, &bar);
	bool more = true;
	int status = dp_entropy__bits(&sr.bits, text->symbols, text->n, text->alphabet);

	patterns->count = 0;
	for (size_t i = 0; i < counts_count && !status && patterns->count < DP_PATTERNS_MAX; i++) {
		sr.bar.least = (size_t)DP_MIN(DP_MAX(counts[i] / 2, 2), (uint64_t)text->n);
		status = counts[i] == 1 ? whole_stretch(&sr, &more)
					: next_pattern(&sr, counts[i], &more);
	}
	if (status)
		dp_patterns__fini(patterns);
	return status;
}
