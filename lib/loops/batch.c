/*
 * From patterns to loops: alignment, exact names, phase, cut, confidence.
 *
 * Cost: one alignment of the sequence for each set of patterns, and what phase and cut cost.
 */
#include "iterate/boundary.h"
#include "iterate/unlike.h"
#include "loops/driver.h"

#include <math.h>
#include <string.h>

enum {
	LAYER_LONG = 64,  /* and a layer hardly more kernels, … */
	GROUP_LONG = 512, /* … nor a group of layers more than these, … */
	LAYER_LEAST = 8,  /* … nor a layer fewer than these */
	DEEP = 48,	  /* layers that most networks have at most */
	APART = 8,	  /* layers between two runs of others */
	BREAK_MIN = 4,	  /* kernels between two passes through the layers */
	BREAKS_MAX = 3,	  /* of passes: more would be a loop */
	FEW = 16,	  /* turns that may be layers, whatever they look like */
	CAPTURE_SAMPLE = 16, /* iterations that a capture is looked for in */
	PASS_REST = 2,	  /* kernels next to layers that look like one's by chance */
};

static const double shown_min = DP_LISTED;
#define FEW_SURE 0.75		     /* of two or three repeats */
#define LAYERS_SURE 0.7		     /* and at most, of what may be layers */

int dp_driver__take_back(struct dp_driver *d, const struct dp_sequence_loop *from,
			 const uint32_t *position)
{
	struct dp_sequence_loop *loop = dp_driver__add(d);

	if (!loop)
		return DP_ERR_NOMEM;
	loop->found_by = from->found_by;
	loop->phase = from->phase;
	loop->confidence = from->confidence;
	loop->agreement = from->agreement;
	loop->fit = from->fit;
	for (size_t i = 0; i < from->count && position; i++) {
		from->iterations[i].first = position[from->iterations[i].first];
		from->iterations[i].end = position[from->iterations[i].end];
	}
	return dp_marks__script(loop, d->request->symbols, from->iterations, from->count);
}

static size_t edits_of(const struct dp_repetition *s)
{
	return (size_t)s->inserted + s->deleted + s->substituted;
}

static size_t count_exact(const struct dp_sequence_loop *loop)
{
	size_t n = 0;

	for (size_t i = 0; i < loop->count; i++)
		n += !loop->iterations[i].partial && !edits_of(&loop->iterations[i]);
	return n;
}

/* Names that no iteration has at their place: the first one of the family in the sequence. */
static int name_by_family(const struct dp_driver *d, const uint32_t *pattern, uint32_t *exact,
			  size_t m)
{
	uint32_t *first = dp_alloc__zeroed(d->text.alphabet, sizeof(*first));

	if (!first)
		return DP_ERR_NOMEM;
	for (size_t i = d->request->count; i-- > 0;)
		first[d->text.symbols[i]] = d->request->symbols[i];
	for (size_t o = 0; o < m; o++)
		if (exact[o] == DP_NONE)
			exact[o] = first[pattern[o]];
	free(first);
	return DP_OK;
}

/*
 * The exact names of a pattern that was found under families: at each offset the one that most of
 * a number of iterations have, by majority votes; of the first one that has any where those differ
 * from the pattern.
 */
static int name_exactly(const struct dp_driver *d, const struct dp_alignment *al, uint32_t index,
			const uint32_t *pattern, uint32_t *exact, size_t m)
{
	uint32_t *lead = dp_alloc__zeroed(m, sizeof(*lead));
	size_t rounds = 0, unnamed = m;

	if (!lead)
		return DP_ERR_NOMEM;
	memset(exact, 0xff, m * sizeof(*exact));
	for (size_t k = 0; k < al->span_count && (rounds < 256 || unnamed); k++) {
		struct dp_walk walk;
		struct dp_walk_step step;

		if (al->spans[k].pattern != index)
			continue;
		dp_walk__begin(&walk, al, k, m, 0);
		while ((rounds < 256 || unnamed) && dp_walk__next(&walk, &step)) {
			rounds += step.offset == 0 && step.kind != DP_EDIT_INSERTED;
			for (size_t i = 0; step.kind == DP_WALK_RUN && i < step.length; i++) {
				uint32_t symbol = d->request->symbols[step.at + i];
				size_t o = step.offset + i;

				if (rounds >= 256 && exact[o] != DP_NONE)
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

/* Patterns that are being made to loops. */
struct batch {
	struct dp_alignment alignment;
	struct dp_cut_pattern list[DP_PATTERNS_MAX];
	struct dp_cut cuts[DP_PATTERNS_MAX];
	struct dp_phase phases[DP_PATTERNS_MAX];
	uint32_t *exact[DP_PATTERNS_MAX];
	uint32_t *turned[DP_PATTERNS_MAX];
	size_t count;
	size_t covered; /* symbols in iterations of all patterns */
};

static void batch_fini(struct batch *b)
{
	dp_align__fini(&b->alignment);
	for (size_t i = 0; i < b->count; i++) {
		dp_cut__fini(&b->cuts[i]);
		free(b->exact[i]);
		free(b->turned[i]);
	}
}

/* Loops inside or outside others begin where those do, whatever the host does. */
static int place_boundaries(struct dp_driver *d, struct batch *b)
{
	int status = DP_OK;

	for (size_t i = 0; i < b->count && !status; i++) {
		uint32_t *names = dp_driver__rotate(b->exact[i], b->list[i].length, b->list[i].first);

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
	int status = dp_patterns__align(&b->alignment, patterns, d->text.symbols, r->count);

	b->count = patterns->count;
	for (size_t i = 0; i < b->count && !status; i++) {
		const struct dp_hypothesis *h = &patterns->items[i];

		b->exact[i] = dp_alloc__array(h->length, sizeof(*b->exact[i]));
		if (!b->exact[i])
			return DP_ERR_NOMEM;
		memcpy(b->exact[i], h->pattern, h->length * sizeof(*h->pattern));
		if (d->coarse)
			status = name_exactly(d, &b->alignment, (uint32_t)i, h->pattern,
					      b->exact[i], h->length);
		if (!status)
			status = dp_phase__find(&b->phases[i], &b->alignment, r->count, (uint32_t)i,
						h->pattern, h->length, &r->evidence, hints,
						r->explain);
		if (status)
			return status;
		b->turned[i] = dp_driver__rotate(h->pattern, h->length, b->phases[i].first);
		if (!b->turned[i])
			return DP_ERR_NOMEM;
		b->list[i] = (struct dp_cut_pattern){
			.exact = d->coarse ? b->exact[i] : NULL,
			.rotated = b->turned[i],
			.length = h->length,
			.first = b->phases[i].first,
		};
	}
	if (!status)
		status = dp_cut__run(b->cuts, &b->alignment, r->symbols, d->text.symbols, r->count,
				     b->list, b->count);
	for (size_t i = 0; i < b->count && !status && !r->counts_count; i++)
		status = dp_unlike__remove(&b->cuts[i], &b->list[i], r->symbols, d->text.symbols);
	if (!status && !(hints && hints->count > 0))
		status = place_boundaries(d, b);
	return status;
}

/* How well a loop's iterations agree with its pattern: 1 less edits per symbol. */
static double agreement(const struct dp_sequence_loop *loop)
{
	size_t symbols = 0;

	for (size_t i = 0; i < loop->count; i++)
		symbols += loop->iterations[i].end - loop->iterations[i].first;
	return symbols ? 1.0 - DP_MIN((double)loop->edit_count / (double)symbols, 1.0) : 0;
}

/* Does an iteration ever follow another? What is always alone is a part of something else. */
static bool goes_round(const struct dp_cut *cut)
{
	for (size_t i = 1; i < cut->count; i++)
		if (cut->iterations[i].first == cut->iterations[i - 1].end)
			return true;
	return false;
}

/*
 * May be the layers of one pass and a bit, though they fill the capture: launches are on record,
 * and nothing in an iteration is what programs do once per step.
 */
static bool maybe_layers(const struct dp_driver *d, const struct batch *b, size_t i,
			 enum dp_standing standing)
{
	return d->request->evidence.launches_recorded && standing == DP_STANDING_BARE &&
	       !b->phases[i].beat && b->cuts[i].complete < DP_LAYERS_MAX &&
	       (double)b->list[i].length * DP_MAX(d->per_symbol, 1) < LAYER_LONG;
}

/* Is what goes round interrupted, once or a few times, by kernels that do not? */
static bool is_broken(const struct dp_alignment *al)
{
	size_t breaks = 0;

	for (size_t k = 1; k < al->span_count; k++)
		breaks += al->spans[k].begin >= al->spans[k - 1].end + BREAK_MIN;
	return breaks > 0 && breaks <= BREAKS_MAX;
}

/* Is the symbol at a position seen nowhere else? */
static bool is_alone(const struct dp_driver *d, size_t position)
{
	for (size_t k = 0; k < d->request->count; k++)
		if (k != position && d->request->symbols[k] == d->request->symbols[position])
			return false;
	return true;
}

/*
 * How many ends of the capture a loop fills, but for one kernel. Layers leave one in front that is
 * seen nowhere else, an embedding, and behind them something: one more kernel, or a last norm that
 * looks like the beginning of one more layer.
 */
static size_t ends_filled(const struct dp_driver *d, const struct dp_alignment *al, size_t m,
			  size_t turns, enum dp_standing standing)
{
	const struct dp_align_span *first = al->spans, *last = &al->spans[al->span_count - 1];
	size_t head = first->begin, tail = d->request->count - last->end;
	bool whole = first->pattern == last->pattern && first->begin_offset == last->end_offset;
	bool may = standing == DP_STANDING_STRUCTURED || m < (size_t)2 * LAYER_LONG;
	bool layers = may && m >= LAYER_LEAST && turns <= DEEP && !d->request->evidence.open_end;
	bool embedding = layers && head == 1 && (tail > 0 || !whole) && is_alone(d, 0);
	bool end = layers && tail == 1 && head > 0 && is_alone(d, d->request->count - 1);

	return (size_t)(head <= 1 && !embedding) + (tail <= 1 && !end);
}

/*
 * A single pass begins with an embedding and ends with a head: little next to a layer, of which
 * there are whole ones. A program with as few iterations mostly does more than that before them and
 * behind, or nothing that is in the capture.
 */
static bool is_pass(const struct dp_alignment *al, size_t i, size_t n, size_t m)
{
	const struct dp_align_span *first = NULL, *last = NULL, *end = &al->spans[al->span_count];
	size_t head = al->spans[0].begin, tail = n - end[-1].end;

	for (const struct dp_align_span *s = al->spans; s < end; s++) {
		if (s->pattern != i)
			continue;
		first = first ? first : s;
		last = s;
	}
	return head > 0 && tail > 0 && (head + tail) * 2 < m && first &&
	       (last->end_offset + m - first->begin_offset) % m <= PASS_REST;
}

/*
 * A pass that records CUDA graphs captures one for each of its layers: most iterations hold the
 * beginning or the end of a capture.
 */
static bool is_captured(const struct dp_driver *d, const struct dp_cut *cut)
{
	const struct dp_evidence *evidence = &d->request->evidence;
	size_t step = DP_MAX(cut->count / CAPTURE_SAMPLE, 1), seen = 0, held = 0;

	if (!evidence->at || cut->complete >= DP_LAYERS_MAX)
		return false;
	for (size_t k = 0; k < cut->count; k += step, seen++) {
		const struct dp_repetition *it = &cut->iterations[k];
		bool captured = false;

		for (size_t i = it->first; i < it->end && !captured; i++) {
			struct dp_evidence_at at = { 0 };

			evidence->at(evidence->ctx, i, &at);
			captured = at.after_capture;
		}
		held += captured;
	}
	return held * 2 > seen;
}

/*
 * Layers of a single pass look like a loop. A program's loop mostly fills the capture, has loops
 * inside, or is gone on with after something else; layers stand between other kernels, once.
 */
static double not_layers(const struct dp_driver *d, const struct batch *b, size_t i,
			 enum dp_standing standing)
{
	const struct dp_alignment *al = &b->alignment;
	const struct dp_cut *cut = &b->cuts[i];
	size_t m = b->list[i].length, spans = 0, until = 0, ends;
	double kernels = (double)m * DP_MAX(d->per_symbol, 1);
	bool is_long = kernels >= LAYER_LONG;
	size_t near = is_long ? 0 : APART * m;

	for (size_t k = 0; k < al->span_count; k++) {
		if (al->spans[k].pattern != i || dp_align__advance(al, k) < 2 * m)
			continue;
		/* layers of several kinds that take turns are one pass still */
		spans += spans == 0 || al->spans[k].begin >= until + near;
		until = al->spans[k].end;
	}
	ends = ends_filled(d, al, m, cut->complete, standing);
	if (!goes_round(cut))
		return 0;
	if (standing == DP_STANDING_RARE)
		return 1.0;
	if (b->list[i].length == 1)
		return cut->covered == d->request->count ? 0.7 : 0.0;
	if (!is_long && is_captured(d, cut))
		return 0.4;
	/* the end of one pass, its head, what begins the next one, and its layers */
	if (maybe_layers(d, b, i, standing) && is_broken(al))
		return 0.4;
	if (standing == DP_STANDING_NESTED || b->phases[i].beat || ends == 2 ||
	    cut->complete >= DP_LAYERS_MAX)
		return 1.0;
	if (standing == DP_STANDING_STRUCTURED && is_long && spans <= 1 && cut->complete <= DEEP &&
	    !d->request->evidence.open_end && is_pass(al, i, d->request->count, m))
		return 0.45;
	if (standing != DP_STANDING_BARE && is_long && (spans > 1 || ends > 0))
		return 1.0;
	if (standing != DP_STANDING_BARE && is_long)
		return standing == DP_STANDING_STRUCTURED && kernels < GROUP_LONG ? 0.6 : 0.9;
	if (spans > 2)
		return 0.9;
	return ends > 0 && is_long ? 0.6 : 0.4;
}

/*
 * That it is a loop must be likelier than not; where its iterations begin may be less sure, and
 * makes the confidence less.
 */
static double confidence(const struct dp_driver *d, const struct batch *b, size_t i,
			 struct dp_sequence_loop *loop, enum dp_standing standing)
{
	double program;
	double covered = (double)b->covered / (double)d->request->count;
	double trips = (double)b->cuts[i].complete, many = 1.0 - exp(-trips / 2.5);
	double agree = DP_MAX(1.0 - 2.0 * (1.0 - agreement(loop)), 0.0);
	double phase = 0.5 + 0.5 * b->phases[i].confidence, is_loop, both;
	double length = (double)b->list[i].length;

	loop->agreement = agree;
	loop->fit = agree * phase;
	if (loop->found_by == DP_FOUND_BY_COUNT)
		return loop->fit;
	if (standing == DP_STANDING_FEW)
		return FEW_SURE * agreement(loop) * covered;
	/* a few short iterations in a long trace of other things may be chance */
	many *= covered +
		(1.0 - covered) * (1.0 - exp(-trips / 20.0 * DP_MAX(length / LAYER_LONG, 1)));
	program = not_layers(d, b, i, standing);
	dp_explain__add(d->request->explain, "confidence",
			DP_FACTS({ "length", "count", length }, { "iterations", "count", trips },
				 { "coverage", "1", covered }, { "many", "1", many },
				 { "agreement", "1", agree }, { "not_layers", "1", program },
				 { "boundary", "1", phase }),
			"{iterations:iteration} of {length:symbol}: enough of them {many} (the loops "
			"of this level cover {coverage} of the sequence), alike {agreement}, no "
			"layers of a single pass {not_layers}, boundary {boundary}");
	is_loop = many * agree * program;
	both = is_loop * phase;
	/* what is looked at while it goes on can wait until more has come */
	if (is_loop >= shown_min && !d->request->evidence.goes_on)
		both = DP_MAX(both, shown_min);
	return maybe_layers(d, b, i, standing) ? DP_MIN(both, LAYERS_SURE) : both;
}

/* Makes a loop of one pattern of a batch. */
static int batch_loop(struct dp_driver *d, struct batch *b, size_t i, enum dp_found_by found_by,
		      enum dp_standing standing)
{
	struct dp_sequence_loop *loop, view = {
		.found_by = found_by,
		.iterations = b->cuts[i].iterations,
		.count = b->cuts[i].count,
		.edit_count = b->cuts[i].edit_count - b->cuts[i].renamed,
	};
	bool listed;

	if (b->cuts[i].complete == 0)
		return DP_OK;
	view.confidence = confidence(d, b, i, &view, standing);
	listed = found_by != DP_FOUND_BY_AUTO || d->keep_all || view.confidence >= shown_min;
	dp_explain__add(d->request->explain, "loop",
			DP_FACTS({ "length", "count", (double)b->list[i].length },
				 { "iterations", "count", (double)b->cuts[i].complete },
				 { "confidence", "1", view.confidence },
				 { "listed", "count", listed }),
			"a loop of {length:symbol} with {iterations:whole iteration}: {confidence} "
			"confidence%s",
			listed ? "" : ", too little to list it");
	if (!listed) {
		if (view.confidence >= d->loops->best_confidence) {
			d->loops->best_confidence = view.confidence;
			d->loops->best_length = b->list[i].length;
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
	loop->fit = view.fit;
	loop->few = standing == DP_STANDING_BARE && !b->phases[i].beat && b->cuts[i].complete < FEW;
	loop->length = b->list[i].length;
	loop->phase = b->phases[i].decided_by;
	loop->pattern = dp_driver__rotate(b->exact[i], loop->length, b->list[i].first);
	if (!loop->pattern)
		return DP_ERR_NOMEM;
	dp_driver__take_cut(loop, &b->cuts[i]);
	loop->occurrences = count_exact(loop);
	return DP_OK;
}

/*
 * Makes loops of the patterns of one level; made[] gets the index of each, DP_NONE where there is
 * none.
 */
int dp_driver__level(struct dp_driver *d, const struct dp_patterns *patterns, uint32_t *made,
		     const enum dp_standing *standing, const struct dp_phase_hints *hints)
{
	enum dp_found_by by = d->request->counts_count ? DP_FOUND_BY_COUNT : DP_FOUND_BY_AUTO;
	struct batch b = { .count = 0 };
	int status = DP_OK;

	if (patterns->count > 0)
		status = batch_cut(d, &b, patterns, hints);
	for (size_t i = 0; i < b.count && !status; i++)
		b.covered += b.cuts[i].covered;
	for (size_t i = 0; i < b.count && !status; i++) {
		size_t before = d->loops->count;

		status = batch_loop(d, &b, i, by, standing ? standing[i] : DP_STANDING_BESIDE);
		made[i] = d->loops->count > before ? (uint32_t)before : DP_NONE;
	}
	batch_fini(&b);
	return status;
}
