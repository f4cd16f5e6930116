/*
 * The tree of loops of a sequence, unaided: from a detection with the symbols and their suffix tree
 * to its loops. Called by loops.c and by online/stream.c. If the patterns leave much of the
 * sequence unexplained, it is searched again by classes of names and with runs collapsed, and with
 * runs collapsed also if these vary in length; loops around all of these, and iterations that
 * branch, are searched for next; if no loop is listed, two or three iterations, and then loops of a
 * part.
 *
 * pattern/levels.c decides which level of a pattern is the iteration. This file changes the level
 * where only loops show it: if a loop without a pattern of one length encloses the chosen ones
 * (why_enclosing()), or if those are too unlikely to be listed (make_outer_alone()).
 *
 * Cost: a search, and one more for each of those. Of collapsed sequences, each that is searched has
 * at most half of the symbols of the one before.
 */
#include "base/parameters.h"
#include "base/sort.h"
#include "pattern/classes.h"
#include "loops/collapsing.h"
#include "loops/searches.h"
#include "pattern/levels.h"
#include "pattern/alternation.h"

#include <math.h>

/*
 * Sets the parents of the loops that were made of patterns; above[] has the loops of those that
 * their parents are among. The loop around one that was not made takes its place.
 */
static void set_parents(struct dp_loops *loops, uint32_t *made, const struct dp_patterns *patterns,
			const uint32_t *above)
{
	for (size_t i = 0; i < patterns->count; i++) {
		uint32_t parent = patterns->items[i].parent;

		parent = parent == DP_NONE ? DP_NONE : above[parent];
		if (made[i] == DP_NONE)
			made[i] = parent;
		else if (parent != DP_NONE)
			loops->loops[made[i]].parent = parent;
	}
}

/* Returns true if an iteration follows something else than a usual one. */
static bool follows_other(const struct dp_sequence_loop *loop, size_t i)
{
	const struct dp_sequence_iteration *s = &loop->iterations[i];

	return i > 0 && (s[-1].end != s->first || s[-1].inserted > 0);
}

/*
 * Makes the loops around the first `count` ones, or those inside them. Where their whole iterations
 * begin is passed to the phase as hints; for those around them, where iterations begin that follow
 * something else.
 */
static int make_level(struct dp_detection *d, const struct dp_patterns *patterns, uint32_t *made,
		      size_t count, bool around)
{
	struct dp_phase_hints hints = {
		.why = "a nested loop and its enclosing loop start at the same kernel"
	};
	size_t *positions = NULL, room = 0;
	int status = DP_OK;

	if (patterns->count == 0)
		return DP_OK;
	for (size_t k = 0; k < count && !status; k++) {
		const struct dp_sequence_loop *loop = &d->loops->loops[k];

		status = dp_array__reserve(&positions, &room, hints.count + loop->count,
					   sizeof(*positions));
		for (size_t i = 0; i < loop->count && !status; i++)
			if (around ? follows_other(loop, i) : !loop->iterations[i].partial)
				positions[hints.count++] = loop->iterations[i].first;
	}
	dp_sort__size(positions, hints.count);
	hints.positions = positions;
	if (!status)
		status = dp_detection__make_loops(made, d, patterns, &hints);
	free(positions);
	return status;
}

/*
 * Makes the outer levels, whose iterations begin with those of the first `count` loops that follow
 * something else. One at a time, since patterns that are aligned together take symbols from each
 * other.
 */
static int make_outer(struct dp_detection *d, const struct dp_patterns *outer, uint32_t *made,
		      size_t count)
{
	int status = DP_OK;

	for (size_t i = 0; i < outer->count && !status; i++) {
		struct dp_patterns one = { .items = { outer->items[i] }, .count = 1 };

		status = make_level(d, &one, &made[i], count, true);
	}
	return status;
}

/*
 * Returns true if a chosen pattern may be a part of a step: it has neither uploads nor kernels that
 * finish a step, and it is short, or the ends of the sequence show the step around it.
 */
static bool is_part(const struct dp_pattern *p, const uint8_t *traits, bool enclosed)
{
	uint8_t all = 0;

	for (size_t k = 0; traits && k < p->length; k++)
		all |= traits[p->symbols[k]] & DP_TRAITS_OF_STEPS;
	return (enclosed || (p->kind == DP_PATTERN_BARE && p->length < dp_param.layer_long)) &&
	       !all;
}

/* Returns true if most iterations of a loop have a kernel that finishes a step. */
static bool finishes(const struct dp_detection *d, const struct dp_sequence_loop *loop,
		     const uint8_t *traits)
{
	size_t finished = 0;

	for (size_t k = 0; traits && k < loop->count; k++) {
		size_t i = loop->iterations[k].first, end = loop->iterations[k].end;

		while (i < end && !(traits[d->sequence.symbols[i]] & DP_TRAIT_FINISHES))
			i++;
		finished += i < end;
	}
	return finished * 2 > loop->count;
}

/* Returns true if the sequence begins and ends with whole iterations of a loop. */
static bool fills(const struct dp_detection *d, const struct dp_sequence_loop *loop)
{
	const struct dp_sequence_iteration *first = loop->iterations,
					   *last = first + loop->count - 1;

	return !first->partial && first->first == 0 && !last->partial &&
	       last->end == d->request->count;
}

/* Explains why a loop around others is the iteration. */
static void explain_outer(const struct dp_detection *d, const struct dp_sequence_loop *loop,
			  const char *why)
{
	dp_explain__add(d->request->explain, "levels",
			DP_FACTS({ "length", "count", (double)loop->length },
				 { "iterations", "count", (double)loop->count },
				 { "goes_up", "count", 1 }),
			"%s", why);
}

/*
 * Returns why loop k, which encloses chosen ones of varying length, is the iteration, or NULL if it
 * is not, by the rules for patterns that hold a loop (levels.c): kernels that finish a step make
 * the loop that has them the iteration. Else a short loop inside, which has neither loops nor
 * uploads nor an optimizer, is a part of the step around it, unless nothing is outside of it.
 */
static const char *why_enclosing(const struct dp_detection *d, size_t k,
				 const struct dp_patterns *chosen, const uint32_t *made,
				 const uint8_t *traits, bool enclosed)
{
	const struct dp_sequence_loop *loops = d->loops->loops, *loop = &loops[k];
	bool parts = true, finish = finishes(d, loop, traits), shown = enclosed && fills(d, loop);
	size_t inside = 0;

	for (size_t i = 0; i < chosen->count; i++) {
		if (made[i] == DP_NONE || loops[made[i]].parent != k)
			continue;
		inside += dp_loops__covered(&loops[made[i]]);
		parts &= is_part(&chosen->items[i], traits, shown);
		finish &= !finishes(d, &loops[made[i]], traits);
	}
	if (inside == 0 || dp_loops__whole(loop) < dp_param.loop_least ||
	    (!shown && (double)dp_loops__covered(loop) <=
			       (double)inside + dp_param.rest_least * (double)loop->count))
		return NULL;
	if (finish)
		return "kernels that finish a step run in the loop of {length:symbol} but in none "
		       "of the loops inside: it is the iteration";
	if (!parts)
		return NULL;
	return shown ? "the sequence begins and ends with whole iterations of the loop of "
		       "{length:symbol}, but not of those inside: it is the iteration"
		     : "the loops inside the loop of {length:symbol} are short and contain no "
		       "loops, uploads or optimizer: they are parts of its iteration";
}

/* Chooses those of the loops from `middle` on that are the iteration, instead of those inside. */
static void choose_enclosing(struct dp_detection *d, const struct dp_patterns *chosen,
			     const uint32_t *made, const uint8_t *traits, size_t middle,
			     bool enclosed)
{
	struct dp_sequence_loop *loops = d->loops->loops;

	for (size_t k = middle; k < d->loops->count; k++) {
		const char *why = why_enclosing(d, k, chosen, made, traits, enclosed);

		if (!why)
			continue;
		explain_outer(d, &loops[k], why);
		loops[k].chosen = true;
		for (size_t i = 0; i < middle; i++)
			loops[i].chosen &= loops[i].parent != k;
	}
}

/*
 * Makes the patterns that were gone down from, outermost first, as the loops inside them are too
 * unlikely to be listed: the innermost are the iterations.
 */
static int make_outer_alone(struct dp_detection *d, const struct dp_patterns *outer)
{
	uint32_t made[DP_PATTERNS_MAX];
	struct dp_loops *loops = d->loops;
	int status = make_outer(d, outer, made, 0);

	if (status || loops->count == 0)
		return status;
	set_parents(loops, made, outer, made);
	for (size_t i = 0; i < loops->count; i++)
		loops->loops[i].chosen = true;
	for (size_t i = 0; i < loops->count; i++)
		if (loops->loops[i].parent != DP_NONE)
			loops->loops[loops->loops[i].parent].chosen = false;
	for (size_t i = 0; i < loops->count; i++)
		if (loops->loops[i].chosen)
			explain_outer(d, &loops->loops[i],
				      "no loop inside the loop of {length:symbol} is likely enough "
				      "to be listed: it is the iteration");
	return dp_detection__sort(loops, 0, loops->count);
}

/*
 * Makes the loops of all levels: the chosen ones first, since their boundaries are hints for the
 * others; then those around them, outer ones or else enclosing ones; then those inside them.
 */
static int make_tree(struct dp_detection *d, const struct dp_levels *levels, const uint8_t *traits)
{
	uint32_t outer[DP_PATTERNS_MAX], chosen[DP_PATTERNS_MAX], inner[DP_PATTERNS_MAX];
	struct dp_loops *loops = d->loops;
	size_t of_chosen, around; /* where the loops end that are chosen, and around these */
	struct dp_ends ends;
	bool enclosed = false;
	int status = DP_OK;

	/* where uploads are unknown, the loops inside may be steps */
	if (traits)
		status = dp_ends__find(&ends, &enclosed, &levels->chosen, &d->sequence);
	if (!status)
		status = dp_detection__make_loops(chosen, d, &levels->chosen, NULL);
	of_chosen = loops->count;
	if (status || of_chosen == 0)
		return status ? status : make_outer_alone(d, &levels->outer);
	for (size_t i = 0; i < loops->count; i++)
		loops->loops[i].chosen = true;
	for (size_t i = 0; i < levels->chosen.count; i++)
		if (chosen[i] != DP_NONE && levels->chosen.items[i].kind == DP_PATTERN_SHORT)
			loops->loops[chosen[i]].chosen = false;
	status = make_outer(d, &levels->outer, outer, of_chosen);
	if (!status && loops->count == of_chosen) {
		status = dp_enclosing__find(d, of_chosen, enclosed ? &ends : NULL);
		if (!status)
			choose_enclosing(d, &levels->chosen, chosen, traits, of_chosen, enclosed);
	}
	around = loops->count;
	if (!status)
		status = make_level(d, &levels->inner, inner, of_chosen, false);
	if (status)
		return status;
	set_parents(loops, outer, &levels->outer, outer);
	set_parents(loops, chosen, &levels->chosen, outer);
	set_parents(loops, inner, &levels->inner, chosen);
	return dp_detection__sort(loops, of_chosen, around);
}

static bool has_listed(const struct dp_loops *loops)
{
	for (size_t i = 0; i < loops->count; i++)
		if (loops->loops[i].chosen && dp_confidence__listed(&loops->loops[i].confidence))
			return true;
	return false;
}

/*
 * Searches the sequence with its runs collapsed, and takes the loops if their patterns are better
 * than the flat ones and one of them is listed: then d->collapsed is set.
 */
static int try_collapsed(struct dp_detection *d, const struct dp_levels *flat, uint8_t *traits)
{
	struct dp_collapsing best;
	struct dp_collapsed_search collapsed;
	int status = dp_collapsing__find(&best, d, flat, traits);

	if (status || !best.runs.symbols)
		goto out;
	dp_collapsed_search__begin(&collapsed, d, &best.runs);
	/* a run that is cut off begins elsewhere */
	collapsed.request.evidence.loose_begin = true;
	status = make_tree(&collapsed.detection, &best.levels, best.traits);
	if (!status)
		status = dp_collapsed_search__take(d, &collapsed);
	dp_collapsed_search__end(&collapsed);
	d->collapsed = has_listed(d->loops);
	if (!d->collapsed) {
		dp_explain__add(d->request->explain, "collapsed",
				DP_FACTS({ "loops", "count", (double)d->loops->count }),
				"of {loops:loop} found this way, none is listed as iterations: "
				"not taken");
		dp_loops__clear(d->loops);
	}
out:
	dp_collapsing__fini(&best);
	return status;
}

/* A sequence, the traits of its symbols, and the patterns found in it. */
struct class_search {
	uint32_t *coarse;
	struct dp_search_sequence sequence;
	uint8_t *traits;
	struct dp_levels levels;
};

/* Searches by classes. A class has all traits of its names. */
static int search_classes(struct class_search *s, const struct dp_detection *d,
			  const uint32_t *class_of, uint32_t count, const uint8_t *traits,
			  double uploads)
{
	size_t n = d->request->count;

	s->coarse = dp_alloc__array(n, sizeof(*s->coarse));
	if (traits)
		s->traits = dp_alloc__zeroed(d->sequence.alphabet, sizeof(*s->traits));
	if (!s->coarse || (traits && !s->traits))
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		s->coarse[i] = class_of[d->sequence.symbols[i]];
	for (uint32_t k = 0; traits && k < d->sequence.alphabet; k++)
		s->traits[class_of[k]] |= traits[k];
	s->sequence =
		(struct dp_search_sequence){ s->coarse,	      n, count, NULL, d->sequence.explain,
					     d->sequence.open };
	return dp_levels__find(&s->levels, &s->sequence, s->traits, uploads, false);
}

/* Exchanges a search for the detection's. */
static void swap(struct class_search *s, struct dp_detection *d, uint8_t **traits,
		 struct dp_levels *levels)
{
	struct class_search old = { d->coarse, d->sequence, *traits, *levels };

	d->coarse = s->coarse;
	d->sequence = s->sequence;
	*traits = s->traits;
	*levels = s->levels;
	*s = old;
}

/* Returns true if the main pattern may consist of parts with the same symbols in another order. */
static bool may_alternate(const struct dp_levels *levels)
{
	for (size_t parts = 2; levels->chosen.count && parts <= dp_param.alternating_parts; parts++)
		if (dp_alternation__is_reordered(&levels->chosen.items[0], parts))
			return true;
	return false;
}

/* Returns true if classes make each of the reordered parts of the main pattern an iteration. */
static bool shows_parts(const struct dp_levels *levels, const struct dp_levels *flat,
			struct dp_explain *explain)
{
	const struct dp_pattern *part = levels->chosen.items, *all = flat->chosen.items;
	size_t parts;

	if (levels->chosen.count == 0 || flat->chosen.count == 0 || !dp_levels__is_regular(levels))
		return false;
	parts = all->length / part->length;
	if (parts < 2 || parts > dp_param.alternating_parts ||
	    parts * part->length != all->length || !dp_alternation__is_reordered(all, parts))
		return false;
	dp_explain__add(explain, "classes",
			DP_FACTS({ "length", "count", (double)all->length },
				 { "parts", "count", (double)parts }),
			"the pattern of {length:symbol} is {parts} parts with the same symbols in "
			"another order: each is an iteration");
	return true;
}

/*
 * Searches by classes of names that replace each other. Its patterns are taken if they describe the
 * sequence better, or about equally well and regularly, counting the names within each class; if
 * the flat ones are regular, only if each of the reordered parts of the main one repeats by class.
 */
static int try_classes(struct dp_detection *d, struct dp_levels *flat, uint8_t **traits,
		       double uploads)
{
	uint32_t *class_of = dp_alloc__array(d->sequence.alphabet, sizeof(*class_of)), count;
	struct class_search found = { .coarse = NULL };
	bool regular = dp_levels__is_regular(flat);
	double names;
	int status = DP_ERR_NOMEM;

	if (class_of)
		status = dp_classes__derive(class_of, &count, &d->sequence);
	if (status || count == d->sequence.alphabet)
		goto out;
	dp_explain__add(
		d->sequence.explain, "classes",
		DP_FACTS({ "names", "count", d->sequence.alphabet }, { "classes", "count", count }),
		"%s: names that replace each other are joined, which leaves {classes} of "
		"{names:name}, and the sequence is searched again",
		regular ? "the pattern may be parts with the same symbols in another order"
			: "the patterns leave much unexplained");
	status = search_classes(&found, d, class_of, count, *traits, uploads);
	if (status)
		goto out;
	names = flat->plain_bits - found.levels.plain_bits;
	if (shows_parts(&found.levels, flat, d->sequence.explain) ||
	    (!regular && dp_levels__is_better(&found.levels, found.levels.fit.bits + names,
					      INFINITY, flat, d->sequence.explain, "classes")))
		swap(&found, d, traits, flat);
out:
	dp_levels__fini(&found.levels);
	dp_search_sequence__fini(&found.sequence);
	free(found.traits);
	free(found.coarse);
	free(class_of);
	return status;
}

/*
 * Sets *has to true if a symbol occurs exactly once in the pattern. Programs do something once per
 * iteration; similar parts of a single pass consist of the same layers over and over.
 */
static int has_single(bool *has, const struct dp_detection *d, const struct dp_pattern *pattern)
{
	size_t *counts = dp_alloc__zeroed(d->sequence.alphabet, sizeof(*counts));

	*has = false;
	if (!counts)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < pattern->length; i++)
		counts[pattern->symbols[i]]++;
	for (uint32_t s = 0; s < d->sequence.alphabet; s++)
		*has |= counts[s] == 1;
	free(counts);
	return DP_OK;
}

/*
 * Returns true if a pattern is two or three iterations, nearly exact, and most of n symbols;
 * explains it if not.
 */
static bool is_few(const struct dp_pattern *p, size_t n, struct dp_explain *explain)
{
	double same = (double)p->covered - (double)p->edits;
	const char *fault =
		p->iterations >= dp_param.few_most
			? "it repeats {iterations:time}, too often for two or three iterations"
		: p->length < dp_param.few_length ? "it has fewer than {length_least}"
		: (double)p->edits >= dp_param.alike_edits * (double)p->covered
			? "{edits:edit} are {edits_most} of {covered:symbol} or more"
		: same < dp_param.few_coverage * (double)n
			? "without {edits:edit}, {covered:symbol} are less than {covered_least} of all"
			: NULL;

	if (fault)
		dp_explain__add(explain, "few",
				DP_FACTS({ "length", "count", (double)p->length },
					 { "iterations", "number", p->iterations },
					 { "edits", "count", (double)p->edits },
					 { "covered", "count", (double)p->covered },
					 { "iterations_most", "number", dp_param.few_most },
					 { "length_least", "count", (double)dp_param.few_length },
					 { "edits_most", "1", dp_param.alike_edits },
					 { "covered_least", "1", dp_param.few_coverage }),
				"the pattern of {length:symbol} is dropped: %s", fault);
	return !fault;
}

/* Explains that the only pattern of few iterations is dropped. */
static void explain_layers(const struct dp_detection *d, const struct dp_pattern *p)
{
	dp_explain__add(d->sequence.explain, "few",
			DP_FACTS({ "length", "count", (double)p->length }),
			"the pattern of {length:symbol} is dropped: no kernel occurs once in it, "
			"so it may be layers of a single pass");
}

/* Finds the pattern of two or three whole iterations, if there is one. */
static int find_few_pattern(struct dp_patterns *patterns, struct dp_detection *d)
{
	struct dp_search_limits limits = { dp_param.repeat_least, d->request->count / 2 + 1, 1,
					   .any_length = true };
	bool few = false;
	int status = dp_search__unaided(patterns, &d->sequence, &limits);

	if (!status && patterns->count &&
	    is_few(&patterns->items[0], d->request->count, d->sequence.explain)) {
		status = has_single(&few, d, &patterns->items[0]);
		if (!status && !few)
			explain_layers(d, &patterns->items[0]);
	}
	/* those after the first cannot make up most of the sequence */
	while (patterns->count > (few ? 1 : 0))
		free(patterns->items[--patterns->count].symbols);
	patterns->items[0].kind = DP_PATTERN_FEW;
	return status;
}

/*
 * Searches for two or three whole iterations if nothing else was found. Networks of so few layers
 * are rare, and have more work around them. As each of so few iterations is evidence, the first one
 * begins where the first span does.
 */
static int find_few(struct dp_detection *d)
{
	struct dp_patterns patterns = { .count = 0 };
	uint32_t made[DP_PATTERNS_MAX];
	size_t begin = 0;
	struct dp_phase_hints hints = {
		&begin, 1,
		"the first of so few iterations starts with the first kernel that matches"
	};
	int status;

	dp_explain__add(d->sequence.explain, "few",
			DP_FACTS({ "symbols", "count", (double)d->request->count }),
			"no loop so far; searching for two or three iterations that make up "
			"most of the {symbols:symbol}");
	status = find_few_pattern(&patterns, d);
	if (!status && patterns.count) {
		status = dp_search_sequence__align(&d->sequence, &patterns);
		if (!status && d->sequence.alignment.span_count > 0)
			begin = d->sequence.alignment.spans[0].begin;
		if (!status)
			status = dp_detection__make_loops(made, d, &patterns, &hints);
	}
	for (size_t i = 0; i < d->loops->count; i++)
		d->loops->loops[i].chosen = true;
	dp_patterns__fini(&patterns);
	return status;
}

/* Returns true if no loops cover most of the sequence. */
static bool may_branch(const struct dp_detection *d)
{
	size_t covered = 0;

	for (size_t i = 0; i < d->loops->count; i++)
		if (d->loops->loops[i].chosen)
			covered += dp_loops__covered(&d->loops->loops[i]);
	return (double)covered < dp_param.branch_share * (double)d->request->count;
}

/*
 * Searches for loops in a part of the sequence if nothing else was found: next to the bits of the
 * rest, such as a long start-up that does not repeat, those that such a loop saves are few.
 */
static int find_part(struct dp_detection *d, struct dp_levels *levels, const uint8_t *traits,
		     double uploads)
{
	int status;

	dp_explain__add(d->sequence.explain, "part",
			DP_FACTS({ "symbols", "count", (double)d->request->count }),
			"no loop so far; searching for loops that make up only a part of the "
			"{symbols:symbol}");
	dp_levels__fini(levels);
	d->part = true;
	status = dp_levels__find(levels, &d->sequence, traits, uploads, true);
	return status ? status : make_tree(d, levels, traits);
}

int dp_detection__tree(struct dp_detection *d)
{
	const struct dp_loops_request *r = d->request;
	bool may_collapse = r->count <= dp_param.collapse_most;
	struct dp_levels levels = { .plain_bits = 0 };
	uint8_t *traits;
	double uploads;
	int status = dp_traits__ask(d, &traits, &uploads);

	if (!status)
		status = dp_levels__find(&levels, &d->sequence, traits, uploads, false);
	if (!status && (may_alternate(&levels) || !dp_levels__is_regular(&levels)))
		status = try_classes(d, &levels, &traits, uploads);
	if (!status && may_collapse)
		status = try_collapsed(d, &levels, traits);
	if (!status && !d->collapsed)
		status = make_tree(d, &levels, traits);
	/* in a live recording, what follows proves too little */
	if (status || r->evidence.open_end)
		goto out;
	if (may_collapse && !dp_levels__is_regular(&levels) && may_branch(d))
		status = dp_branching__find(d);
	if (!status && d->loops->count == 0)
		status = find_few(d);
	if (!status && d->loops->count == 0)
		status = find_part(d, &levels, traits, uploads);
out:
	dp_levels__fini(&levels);
	free(traits);
	return status;
}
