/*
 * The features of a loop, and whether it may be layers: the layers of a single pass through a
 * network look like a loop. A program's loop mostly fills the capture, has inner loops, or resumes
 * after something else; layers appear once, between other kernels.
 *
 * Cost: linear in the symbols and the spans of the alignment. It calls the evidence for at most
 * each kernel of one iteration, and of a sample of short ones.
 */
#include "loops/features.h"
#include "base/parameters.h"

#include <math.h>

/* How much a loop looks like layers. */
enum grade {
	NO_LAYERS,
	HARDLY_LAYERS,	 /* longer than a layer, or in several spans */
	MAYBE_LAYERS,	 /* like layers, but it reaches an end of the capture or has inner loops */
	LIKE_LAYERS,	 /* few, once, and between other kernels */
	CAPTURED_LAYERS, /* each in a graph of its own */
};

/* The two features that follow from a grade. */
static const struct {
	double layers, maybe_layers;
} by_grade[] = {
	[NO_LAYERS] = { 0, 0 },	  [HARDLY_LAYERS] = { 0, 0.5 }, [MAYBE_LAYERS] = { 0, 1 },
	[LIKE_LAYERS] = { 1, 0 }, [CAPTURED_LAYERS] = { 2, 0 },
};

static double kernels_of(const struct dp_judged *j)
{
	return (double)j->length * DP_MAX(j->detection->per_symbol, 1);
}

static bool is_long(const struct dp_judged *j)
{
	return kernels_of(j) >= (double)dp_param.layer_long;
}

/*
 * Returns true if a loop that fills the capture may still be the layers of one pass and a bit:
 * launches are recorded, and an iteration has nothing that programs do once per step.
 */
static bool fills_with_layers(const struct dp_judged *j)
{
	return j->detection->request->evidence.launches_recorded && j->kind == DP_PATTERN_BARE &&
	       !j->phase->is_step && j->cut->whole < dp_param.layers_max && !is_long(j);
}

/* Returns true if kernels that do not repeat interrupt the loop once or a few times. */
static bool is_broken(const struct dp_alignment *al)
{
	size_t breaks = 0;

	for (size_t k = 1; k < al->span_count; k++)
		breaks += al->spans[k].begin >= al->spans[k - 1].end + dp_param.layer_least;
	return breaks > 0 && breaks <= dp_param.breaks_max;
}

/* Returns true if the symbol at a position occurs nowhere else. */
static bool is_alone(const struct dp_detection *d, size_t position)
{
	for (size_t k = 0; k < d->request->count; k++)
		if (k != position && d->request->symbols[k] == d->request->symbols[position])
			return false;
	return true;
}

/*
 * The number of ends of the capture that a loop reaches, except for one kernel. Layers leave a
 * kernel in front that occurs nowhere else, an embedding, and something after them.
 */
static size_t ends_filled(const struct dp_judged *j)
{
	const struct dp_alignment *al = j->alignment;
	const struct dp_loops_request *r = j->detection->request;
	const struct dp_align_span *first = al->spans, *last = &al->spans[al->span_count - 1];
	size_t head = first->begin, tail = r->count - last->end;
	bool whole = first->pattern == last->pattern && first->begin_offset == last->end_offset;
	/* with loops inside, or not twice as long as layers mostly are */
	bool may = j->kind == DP_PATTERN_HAS_LOOPS || j->length < 2 * dp_param.layer_long;
	bool layers = may && j->length >= dp_param.layer_least &&
		      j->cut->whole <= dp_param.network_deep && !r->evidence.open_end;
	bool embedding = layers && head == 1 && (tail > 0 || !whole) && is_alone(j->detection, 0);

	return (size_t)(head <= 1 && !embedding) + (tail <= 1);
}

/*
 * Returns true if the loop lies in the capture as layers do. A single pass begins with an embedding
 * and ends with a head, both small next to a layer; all layers are whole. A program with as few
 * iterations mostly does more than that before and after them, or nothing that the capture shows.
 * Layers of another kind, which repeat too, may come before and after; longer patterns are not
 * groups of layers.
 */
static bool is_pass(const struct dp_judged *j)
{
	const struct dp_alignment *al = j->alignment;
	const struct dp_align_span *first = NULL, *last = NULL, *end = &al->spans[al->span_count];
	bool is_group = kernels_of(j) < (double)dp_param.group_long;
	size_t m = j->length, head, tail;

	for (const struct dp_align_span *s = al->spans; s < end; s++) {
		if (s->pattern != j->pattern)
			continue;
		first = first ? first : s;
		last = s;
	}
	if (!first)
		return false;
	head = is_group ? al->spans[0].begin : first->begin;
	tail = j->detection->request->count - (is_group ? end[-1].end : last->end);
	return head > 0 && tail > 0 && (head + tail) * 2 < m &&
	       (last->end_offset + m - first->begin_offset) % m <= dp_param.pass_rest;
}

/*
 * Returns true if most iterations hold the beginning or the end of a graph capture: a pass that
 * records CUDA graphs captures one per layer.
 */
static bool is_captured(const struct dp_judged *j)
{
	const struct dp_evidence *evidence = &j->detection->request->evidence;
	size_t every = DP_MAX(j->cut->count / dp_param.capture_sample, 1), seen = 0, held = 0;

	if (!evidence->at || j->cut->whole >= dp_param.layers_max)
		return false;
	for (size_t k = 0; k < j->cut->count; k += every, seen++) {
		const struct dp_sequence_iteration *iteration = &j->cut->iterations[k];
		bool captured = false;

		for (size_t i = iteration->first; i < iteration->end && !captured; i++)
			captured = dp_evidence__look(evidence, i).after_capture;
		held += captured;
	}
	return held * 2 > seen;
}

/* Whose kernels an iteration has, by their names. */
enum names {
	UNKNOWN,
	OF_PROGRAM, /* none of a library or compiler for networks */
	OF_NETWORK,
};

/*
 * Reads the names of an iteration in the middle, as the first may hold something else. A layer
 * multiplies matrices or normalizes with kernels of networks; time steps of numerical programs do
 * not, and neither does a benchmark of one kernel or of attention, next to those that move data.
 * Without names, short patterns may be layers and longer ones are not.
 */
static enum names names_of(const struct dp_judged *j)
{
	const struct dp_loops_request *r = j->detection->request;
	const struct dp_sequence_iteration *iteration = &j->cut->iterations[j->cut->count / 2];
	bool known = true, own = false, network = false, several = false;
	uint32_t one = DP_NONE;

	if (!r->evidence.at || iteration->end - iteration->first > dp_param.group_long)
		return UNKNOWN;
	for (size_t i = iteration->first; i < iteration->end; i++) {
		enum dp_kernel_kind kind = dp_evidence__look(&r->evidence, i).kind;
		/* all of attention is one operator */
		uint32_t what = kind == DP_KERNEL_ATTENTION ? r->alphabet : r->symbols[i];

		if (kind == DP_KERNEL_MOVES)
			continue;
		network |= kind == DP_KERNEL_NETWORK || kind == DP_KERNEL_ATTENTION;
		own |= kind == DP_KERNEL_OTHER;
		known &= kind == DP_KERNEL_OTHER;
		several |= one != DP_NONE && what != one;
		one = what;
	}
	if (network)
		return several ? OF_NETWORK : OF_PROGRAM;
	return known && own ? OF_PROGRAM : UNKNOWN;
}

/*
 * Returns true if all kernels of an iteration in the middle are of a backward pass. A step has
 * other kernels as well, so these are its layers, whatever happens in each. They may be a benchmark
 * of the pass if they are all there is, which the caller checks.
 */
static bool is_backward(const struct dp_judged *j)
{
	const struct dp_loops_request *r = j->detection->request;
	const struct dp_sequence_iteration *iteration = &j->cut->iterations[j->cut->count / 2];

	if (!r->evidence.at || j->kind == DP_PATTERN_OTHER || j->cut->whole >= dp_param.layers_max)
		return false;
	for (size_t i = iteration->first; i < iteration->end; i++)
		if (!dp_evidence__look(&r->evidence, i).in_backward)
			return false;
	return true;
}

/* Counts the spans in which the pattern repeats, with other work between them. */
static size_t count_spans(const struct dp_judged *j)
{
	const struct dp_alignment *al = j->alignment;
	size_t near = is_long(j) ? 0 : dp_param.layers_apart * j->length, spans = 0, until = 0;

	for (size_t k = 0; k < al->span_count; k++) {
		if (al->spans[k].pattern != j->pattern || dp_align__advance(al, k) < 2 * j->length)
			continue;
		/* alternating kinds of layers are still one pass */
		spans += spans == 0 || al->spans[k].begin >= until + near;
		until = al->spans[k].end;
	}
	return spans;
}

/*
 * Returns true if a few short iterations differ from the pattern, nearly all of them and by more
 * than chance. A network's blocks differ with its stages, in their shapes and so in their kernels;
 * a step does the same each time. Two or three iterations were compared when they were found. With
 * loops inside, and what happens once per step, it is a step that varies (pattern/levels.c).
 */
static bool differs_by_stage(const struct dp_judged *j)
{
	const struct dp_cut *cut = j->cut;
	size_t same = 0;

	if (j->kind == DP_PATTERN_FEW || cut->whole >= dp_param.bare_least ||
	    (j->kind == DP_PATTERN_HAS_LOOPS && j->phase->is_step) ||
	    kernels_of(j) >= (double)dp_param.group_long)
		return false;
	for (size_t k = 0; k < cut->count; k++) {
		const struct dp_sequence_iteration *iteration = &cut->iterations[k];

		same += !iteration->partial && !dp_iteration__edit_count(iteration);
	}
	return (double)same < dp_param.stage_same * (double)cut->whole &&
	       (double)cut->edit_count > dp_param.stage_edits * (double)cut->covered;
}

/*
 * Returns true if a few kernels repeat in a small part of the sequence, without an input or a
 * result each time: an optimizer repeats them for each parameter, and algorithms within a step have
 * passes, or are called several times and read back how much they found.
 */
static bool is_detail(const struct dp_judged *j)
{
	return j->detection->part && kernels_of(j) < (double)dp_param.few_length &&
	       !j->phase->has_data &&
	       (double)j->cut->covered <
		       (1 - dp_param.level_bits) * (double)j->detection->request->count;
}

/* The grade of a loop that has nothing that only steps, or only layers, have. */
static enum grade grade_by_shape(const struct dp_judged *j, size_t ends, size_t spans)
{
	if (j->kind == DP_PATTERN_FEW)
		return NO_LAYERS;
	/* with loops inside, or inside or around others: one span, between a beginning and a head
	 */
	if (is_long(j) && j->kind != DP_PATTERN_BARE) {
		if (spans > 1 || ends > 0 || kernels_of(j) >= (double)dp_param.group_long)
			return NO_LAYERS;
		return j->kind == DP_PATTERN_HAS_LOOPS ? MAYBE_LAYERS : HARDLY_LAYERS;
	}
	if (spans > dp_param.pass_spans)
		return HARDLY_LAYERS;
	return is_long(j) && ends > 0 ? MAYBE_LAYERS : LIKE_LAYERS;
}

/* Returns true if iterations have runs, or iterations of other loops, that are one symbol each. */
static bool has_runs(const struct dp_judged *j)
{
	const struct dp_detection *d = j->detection;

	for (size_t k = 0; d->kernel_symbols && k < j->cut->count; k++)
		for (size_t i = j->cut->iterations[k].first; i < j->cut->iterations[k].end; i++)
			if (d->request->symbols[i] >= d->kernel_symbols)
				return true;
	return false;
}

/*
 * Returns true if there are more iterations than a network has layers. Short ones may be parts of a
 * layer, of which there are more, unless they have runs.
 */
static bool are_too_many(const struct dp_judged *j)
{
	return j->cut->whole >= dp_param.layers_max ||
	       (j->cut->whole > dp_param.network_deep && has_runs(j));
}

static enum grade grade_layers(const struct dp_judged *j, size_t ends, size_t spans)
{
	const struct dp_cut *cut = j->cut;
	enum names names;

	if (j->kind == DP_PATTERN_SHORT)
		return NO_LAYERS;
	if (ends < 2 && is_backward(j))
		return LIKE_LAYERS;
	if (j->length == 1)
		return MAYBE_LAYERS;
	if (!is_long(j) && is_captured(j))
		return CAPTURED_LAYERS;
	if (is_detail(j))
		return LIKE_LAYERS;
	names = names_of(j);
	if (names == OF_PROGRAM)
		return NO_LAYERS;
	if (names == OF_NETWORK && differs_by_stage(j))
		return LIKE_LAYERS;
	/* the end of one pass with its head, then the beginning of the next one with its layers */
	if (fills_with_layers(j) && is_broken(j->alignment))
		return LIKE_LAYERS;
	/* what only steps have, or too many for layers */
	if (j->phase->is_step || ends == 2 || are_too_many(j))
		return fills_with_layers(j) ? MAYBE_LAYERS : NO_LAYERS;
	/* one pass through layers with loops inside, such as experts */
	if (j->kind == DP_PATTERN_HAS_LOOPS && is_long(j) && spans <= 1 &&
	    cut->whole <= dp_param.network_deep && !j->detection->request->evidence.open_end &&
	    is_pass(j))
		return LIKE_LAYERS;
	return grade_by_shape(j, ends, spans);
}

/*
 * Edits per symbol of the iterations, both as aligned by family and by exact name. The pattern is
 * taken from the iterations, so one of n always equals it.
 */
static void rate_edits(struct dp_confidence *c, size_t covered, size_t count, size_t edits,
		       size_t renamed)
{
	double others = DP_MAX((double)count - 1, 1);
	double symbols = (double)DP_MAX(covered, 1) * others / (others + 1);

	c->feature[DP_FEATURE_EDITS] = sqrt(fmin((double)(edits - renamed) / symbols, 1));
	c->feature[DP_FEATURE_RENAMED] = sqrt(fmin((double)renamed / symbols, 1));
}

static double logarithm(size_t count)
{
	return log2((double)DP_MAX(count, 1));
}

void dp_loops__judge(struct dp_sequence_loop *loop)
{
	struct dp_confidence *c = &loop->confidence;

	c->feature[DP_FEATURE_ITERATIONS] =
		fmin(logarithm(dp_loops__whole(loop)), dp_param.iterations_log);
	rate_edits(c, dp_loops__covered(loop), loop->count, loop->edit_count, 0);
	dp_confidence__judge(c);
}

/*
 * Returns true if one kernel, mostly by its exact name, repeats in a row more often, on average,
 * than networks have layers, and such kernels are most of the sequence.
 */
static bool is_main_kernel(const struct dp_judged *j)
{
	const struct dp_cut *cut = j->cut;
	size_t rows = count_spans(j) + cut->edit_count - cut->renamed;

	return j->single * 2 > j->detection->request->count && cut->renamed * 2 < cut->count &&
	       cut->whole >= dp_param.layers_max * DP_MAX(rows, 1);
}

bool dp_features__gather(struct dp_confidence *c, const struct dp_judged *j)
{
	size_t ends = ends_filled(j), spans = count_spans(j), n = j->detection->request->count;
	enum grade grade = grade_layers(j, ends, spans);

	*c = (struct dp_confidence){ { 0 } };
	if (j->length == 1 && j->cut->covered < n && !is_main_kernel(j))
		return false;
	c->feature[DP_FEATURE_ITERATIONS] = fmin(logarithm(j->cut->whole), dp_param.iterations_log);
	rate_edits(c, j->cut->covered, j->cut->count, j->cut->edit_count, j->cut->renamed);
	/* reaching an end of the capture, or an upload in each, is not evidence against layers */
	c->feature[DP_FEATURE_ENDS] = grade < LIKE_LAYERS ? (double)ends : 0;
	c->feature[DP_FEATURE_STEP] = grade < LIKE_LAYERS && j->phase->is_step;
	c->feature[DP_FEATURE_LAYERS] = by_grade[grade].layers;
	c->feature[DP_FEATURE_MAYBE_LAYERS] = by_grade[grade].maybe_layers;
	c->feature[DP_FEATURE_MARGIN] = fmin(j->phase->margin, dp_param.margin_max);
	return true;
}
