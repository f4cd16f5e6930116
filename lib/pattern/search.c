/*
 * The search for the patterns of one level: the best pattern of the sequence (choose.h) is accepted
 * if it meets the limits, what it explains is removed, and the tree of the rest is searched for the
 * next one.
 *
 * The tree is that of all remaining symbols, or of their parse if they are many. The aligner
 * follows a pattern that was found in it through the whole sequence.
 *
 * Cost: linear. Each pattern takes a tree of what the patterns before it leave unexplained, and an
 * alignment of the whole.
 */
#include "pattern/search.h"
#include "base/parameters.h"
#include "pattern/choose.h"
#include "pattern/anchors.h"

#include <math.h>
#include <string.h>

struct searcher {
	struct dp_search_sequence *full;
	struct dp_search_limits limits;
	struct dp_patterns *found;
	size_t rest_before; /* symbols left over by the patterns before the last one, */
	size_t promised;    /* and those that the last one should explain; 0: checked already */
};

void dp_patterns__fini(struct dp_patterns *patterns)
{
	for (size_t i = 0; i < patterns->count; i++)
		free(patterns->items[i].symbols);
	patterns->count = 0;
}

/* Copies at least one pattern; lengths are 32-bit numbers. */
static uint32_t *copy_patterns(const struct dp_patterns *patterns, size_t *words)
{
	uint32_t *copy;
	size_t total = 0;

	for (size_t i = 0; i < patterns->count; i++)
		total += patterns->items[i].length + 1;
	copy = dp_alloc__array(total, sizeof(*copy));
	*words = 0;
	for (size_t i = 0; i < patterns->count && copy; i++) {
		const struct dp_pattern *p = &patterns->items[i];

		copy[(*words)++] = (uint32_t)p->length;
		memcpy(copy + *words, p->symbols, p->length * sizeof(*copy));
		*words += p->length;
	}
	return copy;
}

static void forget_alignment(struct dp_search_sequence *sequence)
{
	dp_align__fini(&sequence->alignment);
	free(sequence->aligned);
	sequence->aligned = NULL;
	sequence->aligned_words = 0;
}

void dp_search_sequence__fini(struct dp_search_sequence *sequence)
{
	dp_anchor_tree__free(sequence->tree);
	sequence->tree = NULL;
	forget_alignment(sequence);
}

int dp_search_sequence__align(struct dp_search_sequence *sequence,
			      const struct dp_patterns *patterns)
{
	struct dp_align_pattern list[DP_PATTERNS_MAX];
	size_t words;
	uint32_t *copy = copy_patterns(patterns, &words);
	int status = copy ? DP_OK : DP_ERR_NOMEM;

	if (!status && sequence->aligned && words == sequence->aligned_words &&
	    !memcmp(copy, sequence->aligned, words * sizeof(*copy)))
		goto out;
	forget_alignment(sequence);
	for (size_t i = 0; i < patterns->count; i++)
		list[i] = (struct dp_align_pattern){ patterns->items[i].symbols,
						     patterns->items[i].length };
	if (!status)
		status = dp_align__run(&sequence->alignment, sequence->symbols, sequence->n, list,
				       patterns->count);
	if (!status) {
		sequence->aligned = copy;
		sequence->aligned_words = words;
		copy = NULL;
	}
out:
	free(copy);
	return status;
}

int dp_search_sequence__take_alignment(struct dp_alignment *alignment,
				       struct dp_search_sequence *sequence,
				       const struct dp_patterns *patterns)
{
	int status = dp_search_sequence__align(sequence, patterns);

	*alignment = sequence->alignment;
	sequence->alignment = (struct dp_alignment){ 0 };
	forget_alignment(sequence);
	return status;
}

int dp_search_sequence__bits(struct dp_search_sequence *sequence)
{
	double n = (double)sequence->n, sum = 0;
	uint32_t *counts;

	if (sequence->symbol_bits > 0)
		return DP_OK;
	counts = dp_alloc__zeroed(sequence->alphabet, sizeof(*counts));
	if (!counts)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < sequence->n; i++)
		counts[sequence->symbols[i]]++;
	for (uint32_t s = 0; s < sequence->alphabet; s++)
		if (counts[s])
			sum -= counts[s] * log2((double)counts[s] / n);
	sequence->symbol_bits = sequence->n ? sum / n : 0;
	free(counts);
	return DP_OK;
}

int dp_search_sequence__tree(struct dp_search_sequence *sequence)
{
	return sequence->tree ? DP_OK
			      : dp_anchor_tree__new(&sequence->tree, sequence->symbols, sequence->n,
						    dp_param.tree_leaves);
}

int dp_patterns__fit(struct dp_patterns_fit *fit, const struct dp_patterns *patterns,
		     struct dp_search_sequence *sequence)
{
	const struct dp_alignment *al = &sequence->alignment;
	size_t longest = 1;
	int status = dp_search_sequence__align(sequence, patterns);

	if (!status)
		status = dp_search_sequence__bits(sequence);
	if (status)
		return status;
	*fit = (struct dp_patterns_fit){
		.covered = dp_align__covered(al, NULL),
		.edits = al->edit_count,
		.spans = al->span_count,
	};
	for (size_t i = 0; i < patterns->count && !status; i++) {
		double own;

		status = dp_pattern__bits(&own, patterns->items[i].symbols,
					  patterns->items[i].length, sequence->symbol_bits);
		fit->bits += status ? 0 : own;
		longest = DP_MAX(longest, patterns->items[i].length);
	}
	fit->bits += dp_alignment__bits(al, sequence->n, longest, sequence->symbol_bits);
	for (size_t k = 0; k < al->span_count; k++) {
		size_t length = patterns->items[al->spans[k].pattern].length;

		fit->iterations += (double)dp_align__advance(al, k) / (double)length;
	}
	return status;
}

/* The parts of the sequence that no span of the patterns found so far covers. */
struct leftovers {
	struct leftover {
		size_t first, end;
	} * items;
	size_t count, room, total;
};

static int add_leftover(struct leftovers *s, size_t first, size_t end)
{
	int status;

	if (end <= first)
		return DP_OK;
	status = dp_array__reserve(&s->items, &s->room, s->count + 1, sizeof(*s->items));
	if (status)
		return status;
	s->items[s->count++] = (struct leftover){ first, end };
	s->total += end - first;
	return DP_OK;
}

/*
 * Returns true if the symbols between two spans of a pattern stand in for what an iteration lacks
 * there: an optimizer's first step, for example, which is no loop of its own.
 */
static bool stands_in(const struct dp_align_span *a, const struct dp_align_span *b, size_t m)
{
	size_t lacking = (b->begin_offset + m - a->end_offset) % m;

	/*
	 * A pattern that resumes a few symbols before where it stopped lacks nothing, and what is
	 * more than twice as long as what is lacking, or half of an iteration, is a loop of its
	 * own, unless it is exactly as long.
	 */
	return dp_align__goes_on(a, b, m) ||
	       (a->pattern == b->pattern && b->begin - a->end <= DP_MIN(m / 2, 2 * lacking) &&
		(double)lacking > dp_param.lacking * (double)m &&
		(double)lacking < (1 - dp_param.lacking) * (double)m);
}

/*
 * Collects the leftovers. Spans shorter than an iteration explain nothing, but what
 * stands in for a part of an iteration may lie next to one.
 */
static int find_leftovers(struct leftovers *s, const struct searcher *sr)
{
	const struct dp_alignment *al = &sr->full->alignment;
	const struct dp_align_span *last = NULL;
	size_t before = 0;
	int status;

	memset(s, 0, sizeof(*s));
	if (sr->found->count == 0)
		return add_leftover(s, 0, sr->full->n);
	status = dp_search_sequence__align(sr->full, sr->found);
	if (status)
		return status;
	for (size_t k = 0; k < al->span_count && !status; k++) {
		const struct dp_align_span *span = &al->spans[k];
		size_t m = sr->found->items[span->pattern].length;
		size_t until = last && stands_in(last, span, m) ? last->begin : span->begin;

		last = span;
		if ((double)dp_align__advance(al, k) < dp_param.span_least * (double)m)
			continue;
		status = add_leftover(s, before, until);
		before = DP_MAX(before, span->end);
	}
	if (!status)
		status = add_leftover(s, before, sr->full->n);
	if (status)
		free(s->items);
	return status;
}

/*
 * Makes the sequence of the leftovers, joined by separators that occur once each. The caller frees
 * its symbols, too.
 */
static int join_leftovers(struct dp_search_sequence *joined, const struct searcher *sr,
			  const struct leftovers *s)
{
	uint32_t separator = sr->full->alphabet;
	uint32_t *symbols = dp_alloc__array(s->total + s->count, sizeof(*symbols));
	size_t n = 0;

	*joined = (struct dp_search_sequence){
		.symbols = symbols,
		.alphabet = separator,
		.explain = sr->full->explain,
		.symbol_bits = sr->full->symbol_bits,
	};
	if (!symbols)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < s->count; i++) {
		size_t length = s->items[i].end - s->items[i].first;

		if (n > 0)
			symbols[n++] = separator++;
		memcpy(symbols + n, sr->full->symbols + s->items[i].first,
		       length * sizeof(*symbols));
		n += length;
	}
	joined->n = n;
	return DP_OK;
}

/*
 * Returns true if the pattern describes the whole sequence in few enough bits: at 75% of them, it
 * covers a quarter of the sequence at least. If loops of a part will do, only what the pattern
 * covers is described.
 */
static bool saves_enough(const struct searcher *sr, const struct dp_pattern *p, size_t n)
{
	double literal = sr->full->symbol_bits, rest = (double)(n - p->covered) * literal;

	if (sr->limits.part)
		return p->bits - rest < sr->limits.bits_share * (double)p->covered * literal;
	return p->bits < sr->limits.bits_share * (double)n * literal;
}

/* The reason why a pattern is no loop, or NULL if it is one. */
static const char *fault_of(const struct searcher *sr, const struct dp_pattern *p,
			    const struct dp_search_sequence *sequence)
{
	const char *fault;

	if (sr->limits.known)
		/* it is more than half of the number, and less than twice */
		return dp_choose__count_error(p, sr->limits.known) < 0.5
			       ? NULL
			       : "its number of iterations is too far from -n";
	fault = dp_fault_texts[dp_choose__fault(p, &sr->limits)];
	if (fault || saves_enough(sr, p, sequence->n))
		return fault;
	return sr->limits.part ? "not below {share_most} without the rest"
			       : "not below {share_most} of these";
}

/* The name of a symbol, from its first occurrence. */
static const char *name_of(const struct searcher *sr, uint32_t symbol)
{
	const struct dp_search_sequence *full = sr->full;
	size_t i = 0;

	while (full->explain && i < sr->full->n && full->symbols[i] != symbol)
		i++;
	return dp_explain__name(full->explain, i);
}

/* Returns true if a pattern, if there is one, is a loop; explains it either way. */
static bool is_loop(const struct searcher *sr, const struct dp_pattern *p,
		    const struct dp_search_sequence *sequence)
{
	const char *fault;

	if (!p->symbols)
		return false;
	fault = fault_of(sr, p, sequence);
	dp_explain__add(
		sr->full->explain, "pattern",
		DP_FACTS({ "length", "count", (double)p->length },
			 { "iterations", "number", p->iterations },
			 { "covered", "count", (double)p->covered },
			 { "symbols", "count", (double)sequence->n },
			 { "edits", "count", (double)p->edits }, { "bits", "bits", p->bits },
			 { "bits_without", "bits", (double)sequence->n * sr->full->symbol_bits },
			 DP_FAULT_FACTS(p, &sr->limits),
			 { "share_most", "1", sr->limits.bits_share },
			 { "accepted", "count", !fault }),
		"%s: {length:symbol}%s, {iterations:time}, with {edits:edit}, in {covered} "
		"of {symbols:symbol}, described in {bits:bit} instead of "
		"{bits_without}%s%s",
		fault ? "rejected" : "accepted", name_of(sr, p->symbols[0]), fault ? "; " : "",
		fault ? fault : "");
	return !fault;
}

/*
 * Withdraws the last pattern if it reduces the leftovers by less than half of what it covers there:
 * it copies a pattern found before, which makes the alignment ambiguous, or is many iterations at
 * once. The next one may then be half as long at most. Returns true if it was withdrawn.
 */
static bool withdraw_last(struct searcher *sr, const struct leftovers *rest)
{
	/* what was left over before has shrunk by less than half of what was promised */
	bool useless = sr->promised > 0 && rest->total + sr->promised / 2 > sr->rest_before;

	if (useless) {
		const struct dp_pattern *last = &sr->found->items[--sr->found->count];

		free(last->symbols);
		sr->limits.longest = last->length / 2;
		dp_explain__add(sr->full->explain, "pattern",
				DP_FACTS({ "withdrawn", "count", (double)last->length }),
				"the pattern of {withdrawn:symbol} is withdrawn: next to those "
				"found before it explains little");
	}
	sr->promised = 0;
	sr->rest_before = rest->total;
	return useless;
}

/*
 * How often a pattern repeats in a row in leftovers. Iterations with a separator between them are
 * apart in the sequence, with other loops in between: prefills before decoding steps, for example.
 */
static double in_a_row(const struct dp_search_sequence *joined, size_t length)
{
	const struct dp_alignment *al = &joined->alignment;
	size_t most = 0;

	for (size_t k = 0; k < al->span_count; k++) {
		const struct dp_align_span *s = &al->spans[k];
		size_t at = s->begin, row = 0;

		for (size_t i = 0; i < s->edit_count; i++) {
			const struct dp_edit *e = &al->edits[s->edits + i];

			row += e->position - at + (e->kind != DP_EDIT_INSERTED);
			at = e->position + (e->kind != DP_EDIT_DELETED);
			if (e->kind == DP_EDIT_DELETED ||
			    joined->symbols[e->position] < joined->alphabet)
				continue;
			most = DP_MAX(most, row);
			row = 0;
		}
		most = DP_MAX(most, row + s->end - at);
	}
	return (double)most / (double)length;
}

/* Finds the best pattern of a sequence, judged on all of it. */
static int best_of(struct dp_pattern *best, struct dp_search_sequence *sequence,
		   const struct dp_search_limits *limits)
{
	struct dp_patterns alone = { .count = 1 };
	int status = dp_search_sequence__tree(sequence);

	if (!status)
		status = dp_choose__pattern(best, sequence, limits);
	if (status || !best->symbols)
		return status;
	alone.items[0] = *best;
	status = dp_search_sequence__align(sequence, &alone);
	return status ? status
		      : dp_pattern__rate(best, &sequence->alignment, sequence->n,
					 sequence->symbol_bits);
}

/* Finds the best pattern of the leftovers, and adds it if it is worth it. */
static int search_rest(struct searcher *sr, const struct leftovers *rest, bool *added)
{
	struct dp_search_sequence joined = { .tree = NULL }, *in = sr->full;
	struct dp_pattern best = { 0 };
	int status = DP_OK;

	if (rest->total < in->n) {
		dp_explain__add(in->explain, "rest",
				DP_FACTS({ "rest", "count", (double)rest->total },
					 { "symbols", "count", (double)in->n }),
				"{rest} of {symbols:symbol} are in no pattern, or in less than one "
				"repetition of it: these are searched for the next pattern");
		status = join_leftovers(&joined, sr, rest);
		in = &joined;
	}
	if (!status)
		status = best_of(&best, in, &sr->limits);
	/* shorter ones may be layers, which other kernels separate in a single pass */
	if (!status && in == &joined && best.length >= dp_param.step_long)
		best.tandem = in_a_row(in, best.length);
	*added = !status && is_loop(sr, &best, in);
	if (*added) {
		sr->promised = best.covered;
		best.parent = DP_NONE;
		sr->found->items[sr->found->count++] = best;
	} else {
		free(best.symbols);
	}
	dp_search_sequence__fini(&joined);
	free((void *)(uintptr_t)joined.symbols);
	return status;
}

/* Finds the next pattern in the rest; *more is false if there is none. */
static int next_pattern(struct searcher *sr, bool *more)
{
	struct leftovers rest;
	int status = find_leftovers(&rest, sr);

	*more = false;
	if (status)
		return status;
	if (!sr->limits.known && withdraw_last(sr, &rest))
		*more = sr->limits.longest > 1;
	else if (sr->limits.any_length || rest.total >= dp_param.rest_symbols)
		status = search_rest(sr, &rest, more);
	free(rest.items);
	return status;
}

static int begin_search(struct searcher *sr, struct dp_patterns *patterns,
			struct dp_search_sequence *sequence, const struct dp_search_limits *limits)
{
	int status = dp_search_sequence__bits(sequence);

	*sr = (struct searcher){
		.full = sequence,
		.limits = *limits,
		.found = patterns,
		.rest_before = sequence->n,
	};
	return status;
}

int dp_search__unaided(struct dp_patterns *patterns, struct dp_search_sequence *sequence,
		       const struct dp_search_limits *limits)
{
	struct searcher sr;
	bool more = true;
	int status = begin_search(&sr, patterns, sequence, limits);

	while (!status && more && patterns->count < DP_PATTERNS_MAX)
		status = next_pattern(&sr, &more);
	if (status)
		dp_patterns__fini(patterns);
	return status;
}

/* Takes the longest leftover as one iteration: nothing else explains it. */
static int take_longest(struct searcher *sr)
{
	struct leftovers rest;
	struct leftover longest = { 0, 0 };
	int status = find_leftovers(&rest, sr);

	if (status)
		return status;
	for (size_t i = 0; i < rest.count; i++)
		if (rest.items[i].end - rest.items[i].first > longest.end - longest.first)
			longest = rest.items[i];
	if (rest.count > 0) {
		status = dp_pattern__copy(&sr->found->items[sr->found->count],
					  sr->full->symbols + longest.first,
					  longest.end - longest.first);
		sr->found->count += !status;
	}
	free(rest.items);
	return status;
}

int dp_search__counts(struct dp_patterns *patterns, struct dp_search_sequence *sequence,
		      const uint64_t *counts, size_t counts_count)
{
	struct dp_search_limits limits = { dp_param.repeat_least, sequence->n, 1,
					   .any_length = true };
	struct searcher sr;
	bool more;
	int status = begin_search(&sr, patterns, sequence, &limits);

	patterns->count = 0;
	for (size_t i = 0; i < counts_count && !status && patterns->count < DP_PATTERNS_MAX; i++) {
		/* fault_of() demands half of the number, so nothing less has to be found */
		sr.limits.least = (size_t)DP_MIN(DP_MAX(counts[i] / 2, dp_param.repeat_least),
						 (uint64_t)sequence->n);
		sr.limits.known = counts[i];
		status = counts[i] == 1 ? take_longest(&sr) : next_pattern(&sr, &more);
	}
	if (status)
		dp_patterns__fini(patterns);
	return status;
}
