/*
 * The driver: from symbols to loops. Patterns are searched for under the kernels' families,
 * aligned with the whole, turned to where the evidence puts an iteration's beginning, and cut.
 */
#include "segment/loops.h"
#include "pattern/classes.h"
#include "pattern/paper.h"
#include "pattern/runs.h"
#include "segment/cut.h"
#include "segment/levels.h"
#include "segment/paper_match.h"
#include "segment/phase.h"
#include "segment/search.h"

#include <math.h>
#include <string.h>

enum {
	LAYERS_MAX = 200,	/* a network has hardly more layers */
	COLLAPSE_MAX = 1 << 26, /* symbols that repetitions are sought in */
};

static const double shown_min = 0.5; /* confidence of a loop that is told of */
static const double run_bits = 8;    /* to tell how often something is repeated */

struct driver {
	const struct dp_loops_request *request;
	uint32_t *coarse; /* symbols by family; NULL: as they are */
	const uint32_t *symbols;
	uint32_t alphabet; /* of those */
	struct dp_loops *loops;
	size_t room;
};

static void loops_fini(struct dp_loops *loops)
{
	for (size_t i = 0; i < loops->count; i++) {
		free(loops->loops[i].pattern);
		free(loops->loops[i].segments);
		free(loops->loops[i].edits);
	}
	free(loops->loops);
}

void dp_loops__free(struct dp_loops *loops)
{
	if (!loops)
		return;
	loops_fini(loops);
	free(loops);
}

static struct dp_segmented_loop *add_loop(struct driver *d)
{
	struct dp_loops *loops = d->loops;

	if (dp_array__reserve(&loops->loops, &d->room, loops->count + 1, sizeof(*loops->loops)))
		return NULL;
	loops->loops[loops->count] = (struct dp_segmented_loop){ .parent = DP_NONE };
	return &loops->loops[loops->count++];
}

/* The loop takes the cut's arrays. */
static void take_cut(struct dp_segmented_loop *loop, struct dp_cut *cut)
{
	dp_array__shrink(&cut->segments, &cut->room, cut->count, sizeof(*cut->segments));
	dp_array__shrink(&cut->edits, &cut->edit_room, cut->edit_count, sizeof(*cut->edits));
	loop->segments = cut->segments;
	loop->count = cut->count;
	loop->edits = cut->edits;
	loop->edit_count = cut->edit_count;
	*cut = (struct dp_cut){ 0 };
}

static size_t edits_of(const struct dp_segment *s)
{
	return (size_t)s->inserted + s->deleted + s->substituted;
}

static size_t count_exact(const struct dp_segmented_loop *loop)
{
	size_t n = 0;

	for (size_t i = 0; i < loop->count; i++)
		n += !loop->segments[i].partial && !edits_of(&loop->segments[i]);
	return n;
}

static int use_families(struct driver *d)
{
	const struct dp_loops_request *r = d->request;

	d->symbols = r->symbols;
	d->alphabet = r->alphabet;
	if (!r->family)
		return DP_OK;
	d->coarse = dp_alloc__array(r->count, sizeof(*d->coarse));
	if (!d->coarse)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < r->count; i++)
		d->coarse[i] = r->family[r->symbols[i]];
	d->symbols = d->coarse;
	return DP_OK;
}

/*
 * The exact names of a pattern that was found under families: at each offset the one that most of
 * a number of iterations have, by majority votes.
 */
static int name_exactly(const struct driver *d, const struct dp_alignment *al, uint32_t pattern,
			uint32_t *exact, size_t m)
{
	uint32_t *lead = dp_alloc__zeroed(m, sizeof(*lead));
	size_t rounds = 0;

	if (!lead)
		return DP_ERR_NOMEM;
	for (size_t k = 0; k < al->span_count && rounds < 256; k++) {
		struct dp_walk walk;
		struct dp_walk_step step;

		if (al->spans[k].pattern != pattern)
			continue;
		dp_walk__begin(&walk, al, k, m, 0);
		while (rounds < 256 && dp_walk__next(&walk, &step)) {
			rounds += step.offset == 0 && step.kind != DP_EDIT_INSERTED;
			for (size_t i = 0; step.kind == DP_WALK_RUN && i < step.length; i++) {
				uint32_t symbol = d->request->symbols[step.at + i];
				size_t o = step.offset + i;

				if (lead[o] == 0)
					exact[o] = symbol;
				lead[o] = exact[o] == symbol ? lead[o] + 1 : lead[o] - 1;
			}
		}
	}
	free(lead);
	return DP_OK;
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

static uint32_t *rotate(const uint32_t *pattern, size_t m, size_t first)
{
	uint32_t *turned = dp_alloc__array(m, sizeof(*turned));

	if (!turned)
		return NULL;
	memcpy(turned, pattern + first, (m - first) * sizeof(*turned));
	memcpy(turned + m - first, pattern, first * sizeof(*turned));
	return turned;
}

static int batch_cut(struct driver *d, struct batch *b, const struct dp_patterns *patterns,
		     const struct dp_phase_hints *hints)
{
	const struct dp_loops_request *r = d->request;
	int status = dp_patterns__align(&b->alignment, patterns, d->symbols, r->count);

	b->count = patterns->count;
	for (size_t i = 0; i < b->count && !status; i++) {
		const struct dp_hypothesis *h = &patterns->items[i];

		b->exact[i] = dp_alloc__array(h->length, sizeof(*b->exact[i]));
		if (!b->exact[i])
			return DP_ERR_NOMEM;
		memcpy(b->exact[i], h->pattern, h->length * sizeof(*h->pattern));
		if (d->coarse)
			status =
				name_exactly(d, &b->alignment, (uint32_t)i, b->exact[i], h->length);
		if (!status)
			status = dp_phase__find(&b->phases[i], &b->alignment, r->count, (uint32_t)i,
						h->length, &r->evidence, hints);
		if (status)
			return status;
		b->turned[i] = rotate(h->pattern, h->length, b->phases[i].first);
		if (!b->turned[i])
			return DP_ERR_NOMEM;
		b->list[i] = (struct dp_cut_pattern){
			.exact = d->coarse ? b->exact[i] : NULL,
			.turned = b->turned[i],
			.length = h->length,
			.first = b->phases[i].first,
		};
	}
	if (!status)
		status = dp_cut__run(b->cuts, &b->alignment, r->symbols, d->symbols, r->count,
				     b->list, b->count);
	return status;
}

/* How well a loop's iterations agree with its pattern: 1 less edits per symbol. */
static double agreement(const struct dp_segmented_loop *loop)
{
	size_t symbols = 0;

	for (size_t i = 0; i < loop->count; i++)
		symbols += loop->segments[i].end - loop->segments[i].first;
	return symbols ? 1.0 - DP_MIN((double)loop->edit_count / (double)symbols, 1.0) : 0;
}

/*
 * Layers of a single pass look like a loop. A program's loop mostly fills the capture, has loops
 * inside, or is gone on with after something else; layers stand between other kernels, once.
 */
static double not_layers(const struct driver *d, const struct batch *b, size_t i, bool structured)
{
	const struct dp_cut *cut = &b->cuts[i];
	size_t spans = 0, ends;

	for (size_t k = 0; k < b->alignment.span_count; k++)
		spans += b->alignment.spans[k].pattern == i &&
			 dp_align__advance(&b->alignment, k) >= 2 * b->list[i].length;
	ends = (size_t)(cut->segments[0].first <= 1) +
	       (cut->segments[cut->count - 1].end + 1 >= d->request->count);
	if (b->list[i].length == 1)
		return cut->covered == d->request->count ? 0.7 : 0.0;
	if (b->phases[i].host_beat || ends == 2 || cut->complete >= LAYERS_MAX)
		return 1.0;
	if (structured)
		return spans > 1 || ends > 0 ? 1.0 : 0.9;
	return spans > 2 ? 0.9 : ends > 0 ? 0.6 : 0.4;
}

static double confidence(const struct driver *d, const struct batch *b, size_t i,
			 const struct dp_segmented_loop *loop, bool structured)
{
	double trips = (double)b->cuts[i].complete, many = 1.0 - exp(-trips / 2.5);
	double agree = DP_MAX(1.0 - 2.0 * (1.0 - agreement(loop)), 0.0);
	double phase = 0.5 + 0.5 * b->phases[i].confidence;

	if (loop->found_by == DP_FOUND_BY_COUNT)
		return agree * phase;
	return many * agree * phase * not_layers(d, b, i, structured);
}

/* Makes a loop of one pattern of a batch. */
static int batch_loop(struct driver *d, struct batch *b, size_t i, enum dp_found_by found_by,
		      bool structured)
{
	struct dp_segmented_loop *loop, view = {
		.found_by = found_by,
		.segments = b->cuts[i].segments,
		.count = b->cuts[i].count,
		.edit_count = b->cuts[i].edit_count - b->cuts[i].renamed,
	};

	if (b->cuts[i].complete == 0)
		return DP_OK;
	view.confidence = confidence(d, b, i, &view, structured);
	if (found_by == DP_FOUND_BY_AUTO && view.confidence < shown_min) {
		if (view.confidence >= d->loops->best_confidence) {
			d->loops->best_confidence = view.confidence;
			d->loops->best_length = b->list[i].length;
			d->loops->best_coverage =
				(double)b->cuts[i].covered / (double)d->request->count;
		}
		return DP_OK;
	}
	loop = add_loop(d);
	if (!loop)
		return DP_ERR_NOMEM;
	loop->found_by = found_by;
	loop->chosen = found_by == DP_FOUND_BY_COUNT;
	loop->confidence = view.confidence;
	loop->length = b->list[i].length;
	loop->phase = b->phases[i].decided_by;
	loop->pattern = rotate(b->exact[i], loop->length, b->list[i].first);
	if (!loop->pattern)
		return DP_ERR_NOMEM;
	take_cut(loop, &b->cuts[i]);
	loop->occurrences = count_exact(loop);
	return DP_OK;
}

/*
 * Makes loops of the patterns of one level; made[] gets the index of each, DP_NONE where there is
 * none.
 */
static int make_level(struct driver *d, const struct dp_patterns *patterns, uint32_t *made,
		      const bool *structured, const struct dp_phase_hints *hints)
{
	enum dp_found_by by = d->request->counts_count ? DP_FOUND_BY_COUNT : DP_FOUND_BY_AUTO;
	struct batch b = { .count = 0 };
	int status = DP_OK;

	if (patterns->count > 0)
		status = batch_cut(d, &b, patterns, hints);
	for (size_t i = 0; i < b.count && !status; i++) {
		size_t before = d->loops->count;

		status = batch_loop(d, &b, i, by, structured ? structured[i] : true);
		made[i] = d->loops->count > before ? (uint32_t)before : DP_NONE;
	}
	batch_fini(&b);
	return status;
}

static size_t first_of(const struct dp_segmented_loop *loop)
{
	return loop->count ? loop->segments[0].first : SIZE_MAX;
}

/* Orders loops [from, to) by their first iteration, and the parents of all with them. */
static void sort_level(struct dp_loops *loops, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		for (size_t k = i; k > from; k--) {
			struct dp_segmented_loop *b = &loops->loops[k], *a = b - 1, swap = *a;

			if (first_of(a) <= first_of(b))
				break;
			*a = *b;
			*b = swap;
			for (size_t j = 0; j < loops->count; j++) {
				uint32_t *parent = &loops->loops[j].parent;

				if (*parent == k)
					*parent = (uint32_t)k - 1;
				else if (*parent == k - 1)
					*parent = (uint32_t)k;
			}
		}
}

static void set_parents(struct dp_loops *loops, const uint32_t *made, size_t count,
			const uint32_t *parents, const uint32_t *above)
{
	for (size_t i = 0; i < count; i++)
		if (made[i] != DP_NONE && parents[i] != DP_NONE)
			loops->loops[made[i]].parent = above[parents[i]];
}

/* Of each symbol, whether kernels of that name finish a step; NULL where nothing is known. */
static int ask_finishing(const struct driver *d, bool **finishing)
{
	const struct dp_loops_request *r = d->request;
	bool *asked = dp_alloc__zeroed(r->alphabet, sizeof(*asked));
	bool *finishes = dp_alloc__zeroed(d->alphabet, sizeof(*finishes));
	uint32_t left = r->alphabet;

	*finishing = finishes;
	if (!asked || !finishes) {
		free(asked);
		return DP_ERR_NOMEM;
	}
	for (size_t i = 0; i < r->count && left > 0; i++) {
		struct dp_evidence_at at = { 0 };

		if (asked[r->symbols[i]])
			continue;
		asked[r->symbols[i]] = true;
		left--;
		r->evidence.at(r->evidence.ctx, i, &at);
		finishes[d->symbols[i]] |= at.finishes_step;
	}
	free(asked);
	return DP_OK;
}

/* Of the loops made so far, the iterations that follow something unusual. */
static bool irregular(const struct dp_segmented_loop *loop, size_t i)
{
	const struct dp_segment *s = &loop->segments[i];

	return i > 0 && (s[-1].end != s->first || s[-1].inserted > 0);
}

static bool any(const struct dp_segmented_loop *loop, size_t i)
{
	return !loop->segments[i].partial;
}

static int by_position(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Makes another level, with the beginnings of the iterations in the first `count` loops that
 * `counts_if` is true of as hints to the phase.
 */
static int make_level_by(struct driver *d, const struct dp_patterns *patterns, uint32_t *made,
			 size_t count, bool (*counts_if)(const struct dp_segmented_loop *, size_t))
{
	struct dp_phase_hints hints = { NULL, 0 };
	size_t *positions = NULL, room = 0;
	int status = DP_OK;

	if (patterns->count == 0)
		return DP_OK;
	for (size_t k = 0; k < count && !status; k++) {
		const struct dp_segmented_loop *loop = &d->loops->loops[k];

		status = dp_array__reserve(&positions, &room, hints.count + loop->count,
					   sizeof(*positions));
		for (size_t i = 0; i < loop->count && !status; i++)
			if (counts_if(loop, i))
				positions[hints.count++] = loop->segments[i].first;
	}
	if (!status && hints.count > 0)
		qsort(positions, hints.count, sizeof(*positions), by_position);
	hints.positions = positions;
	if (!status)
		status = make_level(d, patterns, made, NULL, &hints);
	free(positions);
	return status;
}

/* Puts loops [middle, end) before loops [0, middle). */
static void swap_levels(struct dp_loops *loops, size_t middle, size_t end)
{
	for (size_t i = middle; i < end; i++) {
		struct dp_segmented_loop x = loops->loops[i];
		size_t to = i - middle;

		memmove(&loops->loops[to + 1], &loops->loops[to], middle * sizeof(x));
		loops->loops[to] = x;
	}
	for (size_t i = 0; i < loops->count; i++) {
		uint32_t *parent = &loops->loops[i].parent;

		if (*parent == DP_NONE || *parent >= end)
			continue;
		*parent = *parent >= middle ? *parent - (uint32_t)middle
					    : *parent + (uint32_t)(end - middle);
	}
}

/* Makes the loops of all levels: the chosen ones first, since they tell the others' phase. */
static int make_tree(struct driver *d, const struct dp_levels *levels)
{
	uint32_t outer[DP_PATTERNS_MAX], chosen[DP_PATTERNS_MAX], inner[DP_PATTERNS_MAX];
	struct dp_loops *loops = d->loops;
	size_t ends[3];
	int status = make_level(d, &levels->chosen, chosen, levels->structured, NULL);

	ends[0] = loops->count;
	for (size_t i = 0; i < loops->count; i++)
		loops->loops[i].chosen = true;
	if (!status && ends[0] > 0)
		status = make_level_by(d, &levels->outer, outer, ends[0], irregular);
	ends[1] = loops->count;
	if (!status && ends[0] > 0)
		status = make_level_by(d, &levels->inner, inner, ends[0], any);
	ends[2] = loops->count;
	if (status || ends[0] == 0)
		return status;
	set_parents(loops, chosen, levels->chosen.count, levels->chosen_parent, outer);
	set_parents(loops, inner, levels->inner.count, levels->inner_parent, chosen);
	swap_levels(loops, ends[0], ends[1]);
	sort_level(loops, 0, ends[1] - ends[0]);
	sort_level(loops, ends[1] - ends[0], ends[1]);
	sort_level(loops, ends[1], ends[2]);
	return DP_OK;
}

/* The evidence of a sequence with its repetitions collapsed. */
struct mapped {
	const struct dp_evidence *evidence;
	const struct dp_runs *runs;
};

static void at_mapped(void *ctx, size_t index, struct dp_evidence_at *out)
{
	const struct mapped *m = ctx;

	m->evidence->at(m->evidence->ctx, m->runs->position[index], out);
}

/* Takes a loop of the collapsed sequence back to the sequence. */
static int expand(struct driver *d, struct dp_segmented_loop *from, const struct dp_runs *runs)
{
	struct dp_segmented_loop *loop = add_loop(d);

	if (!loop)
		return DP_ERR_NOMEM;
	loop->found_by = from->found_by;
	loop->phase = from->phase;
	loop->confidence = from->confidence;
	loop->chosen = from->chosen;
	loop->parent = from->parent;
	for (size_t i = 0; i < from->count; i++) {
		from->segments[i].first = runs->position[from->segments[i].first];
		from->segments[i].end = runs->position[from->segments[i].end];
	}
	return dp_marks__script(loop, d->request->symbols, from->segments, from->count);
}

/*
 * Looks for loops in the sequence with its repetitions collapsed, and takes them if they describe
 * it better. They do where iterations differ in how often something is repeated inside.
 */
static int try_collapsed(struct driver *d, const struct dp_levels *flat, bool *taken)
{
	struct dp_loops inner_loops = { 0 };
	struct driver inner = { .loops = &inner_loops };
	struct dp_loops_request request = *d->request;
	struct dp_levels levels = { .alone = 0 };
	struct dp_runs runs;
	struct mapped mapped = { &d->request->evidence, &runs };
	int status = dp_runs__collapse(&runs, d->symbols, d->request->count, d->alphabet);

	*taken = false;
	if (status || runs.runs < 2 || runs.runs * 64 > d->request->count * 4)
		goto out;
	status = dp_levels__find(&levels, runs.symbols, runs.count, runs.alphabet, NULL);
	if (status || levels.chosen.count == 0 ||
	    levels.fit.bits + run_bits * (double)runs.runs >= 0.8 * flat->fit.bits)
		goto out;
	request.symbols = runs.symbols;
	request.count = runs.count;
	request.alphabet = runs.alphabet;
	request.family = NULL;
	if (request.evidence.at)
		request.evidence = (struct dp_evidence){ at_mapped, &mapped,
							 request.evidence.launches_recorded };
	inner.request = &request;
	inner.symbols = runs.symbols;
	inner.alphabet = runs.alphabet;
	dp_patterns__fini(&levels.inner);
	status = make_tree(&inner, &levels);
	for (size_t i = 0; i < inner_loops.count && !status; i++)
		status = expand(d, &inner_loops.loops[i], &runs);
	*taken = inner_loops.count > 0;
out:
	loops_fini(&inner_loops);
	dp_levels__fini(&levels);
	dp_runs__fini(&runs);
	return status;
}

/* Do the patterns leave little to explain? */
static bool regular(const struct dp_levels *levels, size_t n)
{
	const struct dp_patterns_fit *fit = &levels->fit;

	return levels->chosen.count > 0 && fit->covered * 10 >= n * 9 &&
	       fit->edits * 20 <= fit->covered && (double)fit->spans <= 3 + 0.2 * fit->turns;
}

static int map_classes(struct driver *d, const uint32_t *class_of, uint32_t **coarse)
{
	*coarse = dp_alloc__array(d->request->count, sizeof(**coarse));
	if (!*coarse)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < d->request->count; i++)
		(*coarse)[i] = class_of[d->symbols[i]];
	return DP_OK;
}

/*
 * Looks for loops under classes of names that take each other's place; takes them if they describe
 * the sequence better, the names within the classes included.
 */
static int try_classes(struct driver *d, struct dp_levels *flat)
{
	size_t n = d->request->count;
	uint32_t *class_of = dp_alloc__array(d->alphabet, sizeof(*class_of)), *coarse = NULL, count;
	struct dp_levels levels = { .alone = 0 };
	double names;
	int status = DP_ERR_NOMEM;

	if (class_of)
		status = dp_classes__derive(class_of, &count, d->symbols, n, d->alphabet);
	if (status || count == d->alphabet)
		goto out;
	status = map_classes(d, class_of, &coarse);
	if (!status)
		status = dp_levels__find(&levels, coarse, n, count, NULL);
	names = flat->alone - levels.alone;
	if (status || levels.chosen.count == 0 || levels.fit.bits + names >= 0.8 * flat->fit.bits)
		goto out;
	dp_levels__fini(flat);
	*flat = levels;
	levels = (struct dp_levels){ .alone = 0 };
	free(d->coarse);
	d->coarse = coarse;
	d->symbols = coarse;
	d->alphabet = count;
	coarse = NULL;
out:
	dp_levels__fini(&levels);
	free(coarse);
	free(class_of);
	return status;
}

/* Without help: the tree. */
static int find_tree(struct driver *d)
{
	const struct dp_loops_request *r = d->request;
	struct dp_levels levels;
	bool *finishing = NULL, taken = false;
	int status = r->evidence.at ? ask_finishing(d, &finishing) : DP_OK;

	if (!status)
		status = dp_levels__find(&levels, d->symbols, r->count, d->alphabet, finishing);
	if (status)
		goto out;
	if (!regular(&levels, r->count))
		status = try_classes(d, &levels);
	if (!status && !regular(&levels, r->count) && r->count <= COLLAPSE_MAX)
		status = try_collapsed(d, &levels, &taken);
	if (!status && !taken)
		status = make_tree(d, &levels);
	dp_levels__fini(&levels);
out:
	free(finishing);
	return status;
}

static int find_counts(struct driver *d)
{
	const struct dp_loops_request *r = d->request;
	struct dp_patterns patterns = { .count = 0 };
	uint32_t made[DP_PATTERNS_MAX];
	int status = dp_search__counts(&patterns, d->symbols, r->count, d->alphabet, r->counts,
				       r->counts_count);

	if (!status)
		status = make_level(d, &patterns, made, NULL, NULL);
	if (!status)
		sort_level(d->loops, 0, d->loops->count);
	dp_patterns__fini(&patterns);
	return status;
}

static int find(struct driver *d)
{
	int status = use_families(d);

	if (status)
		return status;
	return d->request->counts_count ? find_counts(d) : find_tree(d);
}

/* One search and one match for each count, as published. */
static int find_as_published(struct driver *d, struct dp_error *error)
{
	const struct dp_loops_request *r = d->request;
	struct dp_suffix_tree *tree = NULL;
	struct dp_paper_pattern p;
	struct dp_cut cut = { 0 };
	struct dp_segmented_loop *loop;
	int status = dp_suffix_tree_new(&tree, r->symbols, r->count, error);

	for (size_t i = 0; i < r->counts_count && !status; i++) {
		status = dp_paper__search(&p, tree, r->counts[i], r->epsilon);
		if (status || p.length == 0)
			continue;
		status = dp_paper__match(&cut, r->symbols, r->count, r->symbols + p.at, p.length,
					 r->max_unmatched);
		if (!status)
			status =
				dp_variants__number(cut.segments, cut.count, cut.edits, r->symbols);
		loop = status ? NULL : add_loop(d);
		if (loop)
			loop->pattern = rotate(r->symbols + p.at, p.length, 0);
		if (!loop || !loop->pattern) {
			status = DP_ERR_NOMEM;
			break;
		}
		loop->found_by = DP_FOUND_BY_COUNT;
		loop->chosen = true;
		loop->length = p.length;
		loop->occurrences = p.occurrences;
		loop->confidence =
			(double)DP_MIN(cut.count, (size_t)r->counts[i]) / (double)r->counts[i];
		take_cut(loop, &cut);
	}
	dp_cut__fini(&cut);
	dp_suffix_tree_free(tree);
	return status;
}

static int check(const struct dp_loops_request *r, struct dp_error *error)
{
	for (size_t i = 0; i < r->counts_count; i++)
		if (r->counts[i] == 0 || r->counts[i] > r->count)
			return dp_error__set(error, DP_ERR_ARGUMENT,
					     "%llu iterations in a sequence of %zu kernels",
					     (unsigned long long)r->counts[i], r->count);
	if (r->paper && r->counts_count == 0)
		return dp_error__set(error, DP_ERR_ARGUMENT,
				     "the paper's algorithm needs the number of iterations");
	return DP_OK;
}

int dp_loops__find(struct dp_loops **loops, const struct dp_loops_request *request,
		   struct dp_error *error)
{
	struct driver d = { .request = request };
	int status = check(request, error);

	if (status)
		return status;
	d.loops = calloc(1, sizeof(*d.loops));
	if (!d.loops)
		return dp_error__nomem(error, sizeof(*d.loops));
	if (request->count > 0)
		status = request->paper ? find_as_published(&d, error) : find(&d);
	free(d.coarse);
	if (status) {
		dp_loops__free(d.loops);
		return status == DP_ERR_NOMEM ? dp_error__nomem(error, 0) : status;
	}
	*loops = d.loops;
	return DP_OK;
}
