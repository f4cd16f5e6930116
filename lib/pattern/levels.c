/*
 * Levels. In a sequence, a micro-batch in an optimizer step, a step in a superstep, a step in an
 * epoch and a layer in a step look the same: something repeats inside something that repeats. The
 * loops inside a pattern are found by searching the pattern itself. Which level is the iteration
 * follows from what the outer one adds to the inner one:
 *
 * - Kernels that finish a step: the level whose pattern has them, unless they come after any number
 *   of the inner loop's iterations, so that no pattern has them (finishes_seldom()). If no name
 *   reveals them, the same few kernels for each of many parameters, outside the inner loop, make it
 *   the outer level (choose_level()).
 * - The inner loop is a step if it has loops inside, and input is uploaded for each of its
 *   iterations or no kernel is of a network (are_steps()).
 * - It is also a step if the pattern has nothing but loops and no upload for the pattern as a whole
 *   (has_only_loops()), if each of its iterations has an upload and little is outside, if there are
 *   more than a network has layers (are_beyond_layers()), or if the capture begins or ends between
 *   two of them (look_at_ends()). Any other inner loop is a layer.
 * - Fewer than three repetitions, or 4, 8 … micro-batches or samples and a little more: the outer
 *   level.
 *
 * This chooses among patterns, before any is a loop. What only loops show is decided by
 * loops/tree.c.
 *
 * Cost: a search of each pattern, and one more of the sequence for each level gone down.
 */
#include "pattern/levels.h"
#include "base/parameters.h"
#include "base/repeats.h"
#include "pattern/alternation.h"

#include <math.h>
#include <string.h>

/* The loops inside a pattern, and what decides whether the main one is the iteration. */
struct inside {
	struct dp_patterns loops;
	size_t main;	  /* the one that covers most */
	double iterations; /* of the main one in one iteration of the pattern */
	double main_share; /* of the pattern in the main one */
	double outside_main;	 /* symbols of the pattern outside the main one, */
	double outside_all;	 /* and outside all loops */
	bool finish_main;	 /* the main one holds a kernel that finishes a step */
	bool finish_outside_all; /* what is in none does */
	bool upload_main; /* nearly all iterations of the main one have an upload */
	double uploads;	  /* in one iteration of the pattern */
	bool main_has_loops; /* inside it */
	size_t run_main;  /* longest run of a few kernels in the main one, */
	size_t run_outside_main; /* and outside of it */
	bool ends_between; /* the sequence begins or ends between two of the main one */
	bool of_program;   /* the pattern has kernels of the program itself, none of networks, */
	bool of_network;   /* or it has some of networks */
};

/* What is known of the symbols of a sequence. */
struct traits {
	const struct dp_search_sequence *sequence; /* that has the patterns */
	const uint8_t *of;			   /* each symbol; NULL: unknown */
	double uploads;				   /* for each symbol */
};

void dp_levels__fini(struct dp_levels *levels)
{
	dp_patterns__fini(&levels->outer);
	dp_patterns__fini(&levels->chosen);
	dp_patterns__fini(&levels->inner);
}

static bool holds(const struct traits *t, enum dp_trait trait, const uint32_t *symbols, size_t n)
{
	for (size_t i = 0; t->of && i < n; i++)
		if (t->of[symbols[i]] & trait)
			return true;
	return false;
}

/* The repetitions in the longest run of at most a few symbols. */
static size_t longest_run(const uint32_t *symbols, size_t n)
{
	size_t most = 0, first;

	for (size_t p = 1; p <= dp_param.update_period && p < n; p++) {
		size_t times = dp_repeats__most(&first, symbols, n, p);

		most = DP_MAX(most, times);
	}
	return most;
}

/*
 * The most symbols in a row that are inserted or substituted. Iterations of a loop are aligned
 * across what lies between them, which then appears as edits: unlike noise, all in a row.
 */
static size_t longest_between(const struct dp_alignment *al)
{
	size_t same = 0, best = 0;
	uint64_t last = 0;

	for (size_t e = 0; e < al->edit_count; e++) {
		const struct dp_edit *x = &al->edits[e];

		if (x->kind == DP_EDIT_DELETED)
			continue;
		same = same && x->position == last + 1 ? same + 1 : 1;
		last = x->position;
		best = DP_MAX(best, same);
	}
	return best;
}

/*
 * Looks at what is outside the loops: notes whether a kernel outside all of them finishes a step,
 * and the longest run of a few kernels outside the main one.
 */
static void look_outside(struct inside *in, const struct traits *t,
			 const struct dp_search_sequence *twice)
{
	const struct dp_alignment *al = &twice->alignment;
	size_t before = 0, before_main = 0;

	for (size_t k = 0; k <= al->span_count; k++) {
		const struct dp_align_span end = { .begin = twice->n, .pattern = in->main };
		const struct dp_align_span *span = k < al->span_count ? &al->spans[k] : &end;

		if (span->begin > before)
			in->finish_outside_all |=
				holds(t, DP_TRAIT_FINISHES, twice->symbols + before,
				      span->begin - before);
		before = span->end;
		if (span->pattern != in->main)
			continue;
		if (span->begin > before_main) {
			size_t run = longest_run(twice->symbols + before_main,
						 span->begin - before_main);

			in->run_outside_main = DP_MAX(in->run_outside_main, run);
		}
		before_main = span->end;
	}
}

enum offset_kind { ELSEWHERE, AT_ENDS, BETWEEN };

/*
 * Where an offset of the pattern, two of which are `twice`, lies: after a whole number of
 * repetitions of the main loop and before others, where these repetitions begin or end, or
 * elsewhere.
 */
static enum offset_kind offset_kind_of(const struct inside *in,
				       const struct dp_search_sequence *twice, size_t offset)
{
	const struct dp_alignment *al = &twice->alignment;
	size_t length = in->loops.items[in->main].length;
	enum offset_kind kind = ELSEWHERE;

	for (size_t k = 0; k < al->span_count; k++) {
		const struct dp_align_span *span = &al->spans[k];

		if (span->pattern != in->main)
			continue;
		for (size_t at = offset; at <= twice->n; at += twice->n / 2)
			if (at == span->begin || at == span->end)
				kind = DP_MAX(kind, AT_ENDS);
			else if (span->begin > 0 && at > span->begin && at < span->end &&
				 (at - span->begin) % length == 0)
				kind = BETWEEN;
	}
	return kind;
}

/*
 * Notes whether the sequence begins or ends in the middle of the pattern, both times with a whole
 * repetition of the main loop. Captures mostly begin and end with whole iterations, so these are
 * iterations; what is cut off anywhere seldom is whole by chance. A sequence that begins with other
 * work was not cut off there, and a live one ends anywhere.
 */
static int look_at_ends(struct inside *in, const struct traits *t,
			const struct dp_search_sequence *twice)
{
	const struct dp_search_sequence *s = t->sequence;
	size_t m = twice->n / 2;
	const size_t first[2] = { 0, s->n - m };
	enum offset_kind kind[2] = { AT_ENDS, ELSEWHERE };
	int status = DP_OK;

	if (s->open || in->loops.items[in->main].length < dp_param.few_length)
		return DP_OK;
	for (size_t i = 0; i < 2 && !status; i++) {
		size_t offset;

		status = dp_pattern__rotation(&offset, twice->symbols, s->symbols + first[i], m);
		if (!status && offset != SIZE_MAX)
			kind[i] = offset_kind_of(in, twice, offset);
	}
	in->ends_between = kind[0] && kind[1] && (kind[0] == BETWEEN || kind[1] == BETWEEN);
	return status;
}

/* Measures the loops in one iteration of the pattern by an alignment of two. */
static int measure_loops(struct inside *in, const struct traits *t,
			 struct dp_search_sequence *twice)
{
	size_t covered[DP_PATTERNS_MAX] = { 0 }, n = twice->n, outside = n, main_length;
	int status = dp_search_sequence__align(twice, &in->loops);

	if (status)
		return status;
	dp_align__covered(&twice->alignment, covered);
	for (size_t i = 1; i < in->loops.count; i++)
		if (covered[i] > covered[in->main])
			in->main = i;
	main_length = in->loops.items[in->main].length;
	in->iterations = (double)covered[in->main] / 2 / (double)main_length;
	for (size_t i = 0; i < in->loops.count; i++) {
		size_t length = in->loops.items[i].length;

		/* one kernel several times in a row is no loop, and stays outside */
		outside -= length > 1 ? DP_MIN(outside, covered[i]) : 0;
	}
	in->main_share = (double)covered[in->main] / (double)n;
	in->outside_main = (double)(n - covered[in->main]) / 2;
	/* half of two iterations, but at least what is inserted in one piece: that is of one */
	in->outside_all = fmax((double)outside / 2, (double)longest_between(&twice->alignment));
	look_outside(in, t, twice);
	return look_at_ends(in, t, twice);
}

/* Finds the loops inside a pattern; there may be none. */
static int look_inside(struct inside *in, const struct traits *t, const struct dp_pattern *p)
{
	/* what repeats inside is half of the pattern at most */
	struct dp_search_limits limits = { dp_param.repeat_least, p->length / 2 + 1,
					   dp_param.inside_bits };
	uint32_t *symbols = dp_pattern__repeat(p->symbols, p->length, 0, 2 * p->length);
	struct dp_search_sequence twice = { symbols, 2 * p->length, t->sequence->alphabet, NULL,
					    NULL };
	const struct dp_pattern *main;
	bool finishes;
	int status;

	memset(in, 0, sizeof(*in));
	if (!symbols)
		return DP_ERR_NOMEM;
	status = dp_search__unaided(&in->loops, &twice, &limits);
	if (!status && in->loops.count > 0)
		status = measure_loops(in, t, &twice);
	dp_search_sequence__fini(&twice);
	free(symbols);
	if (status || in->loops.count == 0) {
		dp_patterns__fini(&in->loops);
		return status;
	}
	main = &in->loops.items[in->main];
	finishes = holds(t, DP_TRAIT_FINISHES, main->symbols, main->length);
	/* a kernel in a row is no loop: several that finish a step are one optimizer */
	in->finish_main = finishes && main->length > 1;
	in->finish_outside_all |= finishes && main->length == 1;
	in->upload_main = holds(t, DP_TRAIT_UPLOADED, main->symbols, main->length);
	in->uploads = t->uploads * (double)p->length;
	in->of_network = holds(t, DP_TRAIT_NETWORK, p->symbols, p->length);
	in->of_program = !in->of_network && holds(t, DP_TRAIT_PROGRAM, p->symbols, p->length);
	in->run_main = longest_run(main->symbols, main->length);
	return DP_OK;
}

/* Notes whether the main loop inside a pattern, if there is one, has loops itself. */
static int look_inside_main(struct inside *in, const struct traits *t)
{
	const struct dp_pattern *main = &in->loops.items[in->main];
	struct inside below;
	int status;

	if (in->loops.count == 0)
		return DP_OK;
	status = look_inside(&below, t, main);
	in->main_has_loops = below.loops.count > 0 && (main->length >= dp_param.layer_long ||
						       below.iterations >= dp_param.layers_few);
	dp_patterns__fini(&below.loops);
	if (status)
		dp_patterns__fini(&in->loops);
	return status;
}

static bool power_of_two(double x)
{
	double nearest = exp2(round(log2(x)));

	return fabs(x - nearest) < dp_param.power_off;
}

/* Returns true if the pattern has an input of its own, not one per iteration inside. */
static bool has_own_input(const struct inside *in)
{
	return in->uploads >= dp_param.uploads_whole &&
	       in->uploads < dp_param.uploads_each * in->iterations;
}

/*
 * Returns true if the main loop is nearly all of a pattern of a network, and repeats more often
 * than networks have layers. Solvers repeat as often within a time step.
 */
static bool are_beyond_layers(const struct inside *in)
{
	return in->of_network && in->iterations > (double)dp_param.network_deep &&
	       in->main_share > 1 - dp_param.step_bare && !has_own_input(in);
}

/*
 * Returns true if the pattern consists of loops alone. Networks have an embedding, a head and a
 * loss around their layers.
 */
static bool has_only_loops(const struct inside *in)
{
	double length = (double)in->loops.items[in->main].length;
	bool is_long = length >= (double)dp_param.layer_long;
	double most = fmax(dp_param.rest_least, is_long ? dp_param.rest_share * length : 0);

	if (has_own_input(in))
		return false;
	if (in->loops.count == 1)
		return in->outside_all <= most;
	/* the exact end of one loop and begin of the next are unknown: a kernel at each end */
	return is_long && in->outside_all <= most + 2.0 * (double)in->loops.count;
}

/*
 * Returns true if the main loop, which has loops inside, is a step, and the pattern a superstep. In
 * a network it may also be a layer of cells or experts, and the rest the ends of the network: where
 * it is known what the host uploads, steps have an upload each.
 */
static bool are_steps(const struct inside *in, const struct traits *t)
{
	return in->main_has_loops && (!t->of || in->upload_main || in->of_program);
}

/* Returns true if an outer loop has fewer edits than one that is reported. */
static bool has_few_edits(const struct dp_pattern *p)
{
	return (double)p->edits < dp_param.alike_edits * (double)p->covered;
}

/* The most spans of an outer loop that is reported. */
static double most_spans(const struct dp_pattern *p)
{
	return 1 + dp_param.outer_spans * p->iterations;
}

/* Returns true if an outer loop repeats regularly enough to be reported. */
static bool is_reliable(const struct dp_pattern *p)
{
	return has_few_edits(p) && (double)p->spans <= most_spans(p);
}

/*
 * Returns true if the sequence has fewer kernels that finish a step than its iterations
 * would need: steps then have varying numbers of micro-batches, and the pattern has only some of
 * them.
 */
static bool finishes_seldom(const struct dp_pattern *p, const struct traits *t)
{
	const struct dp_search_sequence *sequence = t->sequence;
	size_t in_pattern = 0, in_all = 0;

	for (size_t i = 0; i < p->length; i++)
		in_pattern += (t->of[p->symbols[i]] & DP_TRAIT_FINISHES) != 0;
	for (size_t i = 0; i < sequence->n; i++)
		in_all += (t->of[sequence->symbols[i]] & DP_TRAIT_FINISHES) != 0;
	return (double)in_all < (1 - dp_param.alike_edits) * p->iterations * (double)in_pattern;
}

/* Whether the main loop inside a pattern is the iteration, rather than the pattern, and why. */
struct verdict {
	bool inner;
	const char *why;
};

/* The first rule that applies decides. There is a loop inside. */
static struct verdict choose_level(const struct dp_pattern *p, const struct inside *in,
				   const struct traits *t)
{
	double length = (double)in->loops.items[in->main].length;
	const struct {
		bool applies;
		struct verdict verdict;
	} rules[] = {
		{ in->iterations < dp_param.tandem, { false, "no inner loop repeats twice" } },
		/* names decide even if it repeats too seldom to be a loop */
		{ in->finish_outside_all && !in->finish_main && in->upload_main &&
			  !is_reliable(p) && finishes_seldom(p, t),
		  { true, "steps finish after any number of repetitions of the inner loop" } },
		{ in->finish_main, { true, "kernels that finish a step run in the inner loop" } },
		{ in->finish_outside_all,
		  { false, "kernels that finish a step run outside the inner loop" } },
		/* without names: the same few kernels for each parameter, and no run half as long
		 * inside */
		{ in->run_outside_main >= dp_param.update_parameters &&
			  in->run_outside_main > 2 * in->run_main,
		  { false, "outside the inner loop, the same few kernels run many times, as an "
			   "optimizer runs for each parameter" } },
		/* nothing shows that it is a step */
		{ !(in->ends_between || are_steps(in, t) || are_beyond_layers(in) ||
		    has_only_loops(in) ||
		    (in->upload_main && in->outside_all < dp_param.step_bare * (double)p->length)),
		  { false, "the inner loop looks like layers, or like a part of the pattern" } },
		{ fmin(in->iterations, in->loops.items[in->main].tandem) <
			  (double)dp_param.loop_least,
		  { false, "the inner loop repeats too seldom to tell steps from similar parts "
			   "of one" } },
		{ power_of_two(in->iterations) && in->outside_main < dp_param.micro_rest * length &&
			  (in->outside_main > 0 || in->outside_all > 0),
		  { false, "by its number of repetitions the inner loop may be micro-batches or "
			   "samples" } },
		{ true, { true, "each repetition of the inner loop is a step by itself" } },
	};
	size_t i = 0;

	while (!rules[i].applies)
		i++;
	return rules[i].verdict;
}

/* Explains whether a pattern or the main loop inside it is the iteration, and why. */
static void explain_level(struct dp_explain *explain, const struct dp_pattern *p,
			  const struct inside *in, struct verdict verdict)
{
	if (in->loops.count == 0)
		dp_explain__add(explain, "levels",
				DP_FACTS({ "length", "count", (double)p->length },
					 { "goes_down", "count", 0 }),
				"the pattern of {length:symbol} has no loop inside");
	else
		dp_explain__add(
			explain, "levels",
			DP_FACTS({ "length", "count", (double)p->length },
				 { "inner_length", "count",
				   (double)in->loops.items[in->main].length },
				 { "inner_iterations", "number", in->iterations },
				 { "inner_covered", "1", in->main_share },
				 { "goes_down", "count", verdict.inner }),
			"inside the pattern of {length:symbol}, a pattern of {inner_length} "
			"repeats {inner_iterations:time} and is {inner_covered} of it; the "
			"iteration is the %s: %s",
			verdict.inner ? "inner one" : "outer one", verdict.why);
}

/*
 * Adds a pattern, of which it takes ownership, with its parent. Frees it and returns DP_NONE if
 * there is no room.
 */
static uint32_t add_pattern(struct dp_patterns *to, const struct dp_pattern *p, uint32_t parent)
{
	if (to->count == DP_PATTERNS_MAX) {
		free(p->symbols);
		return DP_NONE;
	}
	to->items[to->count] = *p;
	to->items[to->count].parent = parent;
	return (uint32_t)to->count++;
}

/* Removes a pattern and passes its ownership to the caller. */
static struct dp_pattern take_out(struct dp_patterns *from, size_t index)
{
	struct dp_pattern *at = &from->items[index], taken = *at;

	memmove(at, at + 1, (--from->count - index) * sizeof(*at));
	return taken;
}

/* Returns true if a pattern has a loop inside; one kernel in a row is none. */
static bool has_loops(const struct inside *in)
{
	for (size_t i = 0; i < in->loops.count; i++)
		if (in->loops.items[i].length > 1)
			return true;
	return false;
}

/*
 * Moves the loops inside a pattern that have enough symbols to a level, and drops the others.
 * Explains what becomes of those next to the main one.
 */
static void move_loops(struct dp_patterns *to, struct inside *in, uint32_t parent, double least,
		       struct dp_explain *explain)
{
	for (size_t i = 0; i < in->loops.count; i++) {
		const struct dp_pattern *p = &in->loops.items[i];
		bool kept = (double)p->length >= least;

		if (i != in->main)
			dp_explain__add(explain, "levels",
					DP_FACTS({ "length", "count", (double)p->length },
						 { "least", "count", ceil(least) },
						 { "goes_down", "count", 0 }),
					"that pattern also has one of {length:symbol} inside%s",
					kept ? "" : ", fewer than {least}: it is dropped");
		if (kept)
			add_pattern(to, p, parent);
		else
			free(p->symbols);
	}
	in->loops.count = 0;
}

/*
 * Chooses the loops inside a pattern in its place, except those that are short next to the main
 * one. The pattern becomes their outer loop if it is reliable, and is dropped otherwise.
 */
static void go_down(struct dp_levels *levels, size_t index, struct inside *in,
		    struct dp_explain *explain)
{
	double least = dp_param.inside_long * (double)in->loops.items[in->main].length;
	struct dp_pattern outer = take_out(&levels->chosen, index);
	uint32_t parent = outer.parent;

	if (is_reliable(&outer)) {
		uint32_t made = add_pattern(&levels->outer, &outer, parent);

		parent = made == DP_NONE ? parent : made;
	} else {
		dp_explain__add(explain, "levels",
				DP_FACTS({ "length", "count", (double)outer.length },
					 { "edits", "count", (double)outer.edits },
					 { "covered", "count", (double)outer.covered },
					 { "spans", "count", (double)outer.spans },
					 { "edits_most", "1", dp_param.alike_edits },
					 { "spans_most", "count", floor(most_spans(&outer)) },
					 { "goes_down", "count", 0 }),
				"the pattern of {length:symbol} is dropped: with %s, it is too "
				"irregular for a loop around the inner one",
				has_few_edits(&outer)
					? "{spans:span}, more than {spans_most}"
					: "{edits:edit} in {covered:symbol}, {edits_most} or more");
		free(outer.symbols);
	}
	move_loops(&levels->chosen, in, parent, least, explain);
}

/*
 * Finds the loops inside the chosen ones, and their kind. A short pattern without loops
 * next to a long one may be a layer of something that is no loop itself (a prefill, for example):
 * it is listed, but not as an iteration, unless it repeats in a row more often than networks have
 * layers.
 */
static int fill_inner(struct dp_levels *levels, const struct traits *t)
{
	size_t count = levels->chosen.count, longest = 0;
	int status = DP_OK;

	for (size_t i = 0; i < count; i++)
		longest = DP_MAX(longest, levels->chosen.items[i].length);
	for (size_t i = 0; i < count; i++) {
		struct dp_pattern *p = &levels->chosen.items[i];
		struct inside in;

		status = look_inside(&in, t, p);
		if (status)
			break;
		p->kind = has_loops(&in) ? DP_PATTERN_HAS_LOOPS : DP_PATTERN_BARE;
		if ((double)p->length < dp_param.adjacent_short * (double)longest &&
		    p->tandem < (double)dp_param.layers_max &&
		    (p->kind == DP_PATTERN_BARE || p->length < dp_param.layer_long)) {
			p->kind = DP_PATTERN_SHORT;
			dp_explain__add(
				t->sequence->explain, "levels",
				DP_FACTS({ "length", "count", (double)p->length },
					 { "longest", "count", (double)longest },
					 { "in_row", "number", p->tandem },
					 { "goes_down", "count", 0 }),
				"the pattern of {length:symbol} may be a layer, next to one of "
				"{longest}: with {in_row:time} in a row, it is not taken for "
				"iterations");
		}
		/* one kernel in a row is no loop */
		move_loops(&levels->inner, &in, (uint32_t)i, 2, NULL);
	}
	return status;
}

/*
 * Finds the chosen patterns: goes down into one after the other where the loop inside is the
 * iteration. As that may leave symbols to others, the search then continues, and all are looked at
 * again.
 */
static int choose_patterns(struct dp_levels *levels, const struct traits *t,
			   struct dp_search_sequence *sequence,
			   const struct dp_search_limits *limits)
{
	size_t seen = 0, down = 0;
	int status = dp_search__unaided(&levels->chosen, sequence, limits);

	while (!status && seen < levels->chosen.count) {
		struct dp_pattern *p = &levels->chosen.items[seen];
		struct verdict verdict;
		struct inside in;

		status = dp_alternation__take_one(p, sequence);
		if (!status)
			status = look_inside(&in, t, p);
		if (!status)
			status = look_inside_main(&in, t);
		if (status)
			break;
		verdict =
			in.loops.count ? choose_level(p, &in, t) : (struct verdict){ false, NULL };
		if (verdict.inner && down == dp_param.levels_down)
			verdict =
				(struct verdict){ false, "the search has gone down often enough" };
		explain_level(sequence->explain, p, &in, verdict);
		if (verdict.inner) {
			go_down(levels, seen, &in, sequence->explain);
			down++;
			seen = 0;
			status = dp_search__unaided(&levels->chosen, sequence, limits);
		} else {
			seen++;
		}
		dp_patterns__fini(&in.loops);
	}
	return status;
}

int dp_levels__find(struct dp_levels *levels, struct dp_search_sequence *sequence,
		    const uint8_t *traits, double uploads, bool part)
{
	struct traits t = { sequence, traits, uploads };
	struct dp_search_limits limits = { dp_param.loop_least, sequence->n, dp_param.level_bits,
					   .part = part };
	int status;

	memset(levels, 0, sizeof(*levels));
	levels->n = sequence->n;
	status = choose_patterns(levels, &t, sequence, &limits);
	if (!status)
		status = fill_inner(levels, &t);
	levels->plain_bits = sequence->symbol_bits * (double)sequence->n;
	levels->fit.bits = levels->plain_bits;
	if (!status && levels->chosen.count > 0)
		status = dp_patterns__fit(&levels->fit, &levels->chosen, sequence);
	return status;
}

bool dp_levels__is_regular(const struct dp_levels *levels)
{
	const struct dp_patterns_fit *fit = &levels->fit;

	return levels->chosen.count > 0 &&
	       (double)fit->covered >= dp_param.regular_covered * (double)levels->n &&
	       (double)fit->edits <= dp_param.regular_edits * (double)fit->covered &&
	       (double)fit->spans <= (double)dp_param.regular_spans_least +
					     dp_param.regular_spans * fit->iterations;
}

/* The edits of all patterns per symbol that they cover. */
static double edit_share(const struct dp_levels *levels)
{
	return levels->fit.covered ? (double)levels->fit.edits / (double)levels->fit.covered : 0;
}

bool dp_levels__is_better(const struct dp_levels *levels, double bits, double below,
			  const struct dp_levels *flat, struct dp_explain *explain,
			  const char *stage)
{
	bool more = dp_levels__is_regular(levels) && !dp_levels__is_regular(flat);
	double share = more ? dp_param.better_regular : dp_param.better;
	const char *fault =
		levels->chosen.count == 0 ? "; no pattern is found this way: not taken"
		: flat->chosen.count &&
				edit_share(levels) > fmax(edit_share(flat), dp_param.regular_edits)
			? ", but with more edits per symbol: not taken"
		: bits >= share * flat->fit.bits ? ", not below {bits_most} of these: not taken"
		: bits >= below			 ? ", hardly less than with fewer runs: not taken"
						 : NULL;

	dp_explain__add(explain, stage,
			DP_FACTS({ "bits", "bits", bits },
				 { "bits_before", "bits", flat->fit.bits },
				 { "bits_most", "1", share }, { "taken", "count", !fault }),
			"the sequence is then described in {bits:bit} instead of {bits_before}%s",
			fault ? fault : ": taken");
	return !fault;
}
